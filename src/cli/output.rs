//! Outputs: stdout, or a file that appears whole or not at all.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::captured::{Stream, is_captured};
use super::error::{CliError, io_help};
use super::temporary::temporary;
use super::unfinished::Unfinished;
use tpv_text::fold::fold;
use tpv_text::interrupt::Interrupt;
use tpv_text::open::{self, is_input};
use tpv_text::printable::{Form, line};

/// Writes results to stdout. A reader that went away, such as `head`, is not an error.
///
/// # Errors
/// Any other reason, such as a full disk.
pub(crate) fn print_stdout(form: Form, text: &str) -> Result<(), CliError> {
    let mut stdout = Stream::Stdout;
    match stdout.write_all(form.of(text).as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let (what, help) = io_help(&error, Path::new("-"));
            Err(CliError::new(format!("the results cannot be written to {what}"), help))
        }
        _ => Ok(()),
    }
}

/// Prints a text for people, whose lines fit the terminal.
///
/// # Errors
/// As [`print_stdout`].
pub(super) fn print_lines(form: Form, text: &str) -> Result<(), CliError> {
    print_stdout(form, &fold(text, width(Path::new("-"))))
}

/// Prints a text that may be long: on a terminal through the pager of `$TPVC_PAGER` or `$PAGER`, else `less`, as git does; elsewhere as it is. An empty
/// variable is no pager.
///
/// # Errors
/// It cannot be written.
pub(super) fn print_paged(form: Form, text: &str) -> Result<(), CliError> {
    let pager = ["TPVC_PAGER", "PAGER"].into_iter().find_map(|name| std::env::var(name).ok());
    let pager = pager.unwrap_or_else(|| "less".to_owned());
    if !is_for_reader() || pager.trim().is_empty() {
        return print_stdout(form, text);
    }
    // `-F` ends at once for what fits on the screen, `-R` keeps colours, `-X` leaves the text there.
    let mut command = Command::new("sh");
    command.args(["-c", &pager]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return print_stdout(form, text) };
    if let Some(mut stdin) = child.stdin.take() {
        // Whoever leaves the pager has read enough.
        let _ = stdin.write_all(form.of(text).as_bytes());
    }
    // 127: the shell found no such program.
    match child.wait().ok().and_then(|status| status.code()) {
        Some(127) => print_stdout(form, text),
        _ => Ok(()),
    }
}

/// Returns `true` if what is printed goes to a terminal.
fn is_for_reader() -> bool {
    !is_captured() && io::stdout().is_terminal()
}

/// The characters that a line has room for where this output, `-` being stdout, is a terminal, or where `$COLUMNS` says it. `None` if it is a file.
pub(super) fn width(output: &Path) -> Option<usize> {
    if output == Path::new("-") { width_of(&io::stdout()) } else { None }
}

/// The same of a stream.
pub(super) fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    said.or_else(|| stream.is_terminal().then(seen).flatten()).filter(|columns| *columns > 0)
}

/// Writes a text to a path, `-` being stdout, where people read it through a pager; `what` it is, such as `the report`. A reader that went away is not an error.
///
/// # Errors
/// It cannot be written; a file is then as it was.
pub(super) fn write_text(what: &str, path: &Path, form: Form, text: &str) -> Result<(), CliError> {
    if path == Path::new("-") && matches!(form, Form::Text | Form::Styled) && is_for_reader() {
        return print_paged(form, text);
    }
    let written = Output::create(path).and_then(|mut output| {
        output.write_all(form.of(text).as_bytes())?;
        output.finish()
    });
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::unwritable(what, &error, path)),
        _ => Ok(()),
    }
}

/// Writes a line about the work to stderr, folded to fit a terminal.
pub(crate) fn say(text: &str) {
    print_stderr(Form::Text, &fold(&line(text), width_of(&io::stderr())));
}

/// Writes a text and a line end to stderr; failing to is ignored, since there is nowhere left to report it.
pub(crate) fn print_stderr(form: Form, text: &str) {
    // At once, so that the lines of threads do not mix.
    let _ = Stream::Stderr.write_all(format!("{}\n", form.of(text)).as_bytes());
}

/// The destination of results.
pub(crate) enum Output {
    /// Standard output.
    Stdout(Stream),
    /// A temporary file beside its destination, renamed at the end: a failure leaves the old file as it was.
    File(Unfinished, PathBuf),
    /// A device or pipe, which cannot be replaced by renaming.
    Device(File),
}

/// A stream of this process that a path names. Such a file must not be replaced: whoever started the process goes on with the old one.
enum Named {
    Stdout,
    Other,
}

impl Named {
    fn of(path: &Path) -> Option<Self> {
        let number = |folder: &&str| path.strip_prefix(folder).ok()?.to_str()?.parse::<u32>().ok();
        match (["/dev/fd", "/proc/self/fd"].iter().find_map(number), path.to_str()?) {
            (Some(1), _) | (None, "-" | "/dev/stdout") => Some(Self::Stdout),
            (Some(_), _) | (None, "/dev/stderr") => Some(Self::Other),
            _ => None,
        }
    }
}

/// The file that a path leads to. A link is followed, so that what it points to is written and not the link; that may be missing.
fn followed(path: &Path) -> io::Result<PathBuf> {
    /// As many links as Linux follows.
    const MOST_LINKS: usize = 40;
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match target.canonicalize() {
            Ok(found) => return Ok(found),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) if !target.is_symlink() => return Ok(target),
            Err(_) => {
                let link = target.read_link()?;
                target = target.parent().unwrap_or(Path::new("")).join(link);
            }
        }
    }
    Ok(target)
}

/// Gives a file the owner and the mode of another, as far as the user may.
#[cfg(unix)]
fn take_after(file: &File, old: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if new.uid() != old.uid() || new.gid() != old.gid() {
        // Only the administrator may give files away; the group goes with less.
        let _ = fchown(file, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(file, None, Some(old.gid())));
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn take_after(file: &File, old: &std::fs::Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

impl Output {
    /// The output for a path, `-` being stdout.
    ///
    /// # Errors
    /// The system's, and a file that this run read: an artifact in the place of its config would be the end of it.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|metadata| is_input(&metadata)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is an input of the same command"));
        }
        Self::replace(path)
    }

    /// The same for a file that this run may have read, to write it anew.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn replace(path: &Path) -> io::Result<Self> {
        match Named::of(path) {
            Some(Named::Stdout) => return Ok(Self::Stdout(Stream::Stdout)),
            Some(Named::Other) => return Ok(Self::Device(File::options().append(true).open(path)?)),
            None => {}
        }
        let target = followed(path)?;
        let old = match target.metadata() {
            Ok(old) if old.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(old) if !old.is_file() => return Ok(Self::Device(open::for_writing(&target)?)),
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut file = Unfinished::create(|| temporary(&target, 0o666))?;
        if let Some(old) = old {
            take_after(file.file().as_file(), &old)?;
        }
        Ok(Self::File(file, target))
    }

    /// Returns `true` if the file that replaces the present one will have its owner and all of its hard links.
    #[cfg(unix)]
    pub(super) fn keeps_names_and_owner(&mut self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let Self::File(file, target) = self else { return true };
        let (Ok(old), Ok(new)) = (target.metadata(), file.file().as_file().metadata()) else { return true };
        old.nlink() <= 1 && old.uid() == new.uid() && old.gid() == new.gid()
    }

    /// Returns `true` if the file that replaces the present one will have its owner and all of its hard links.
    #[cfg(not(unix))]
    pub(super) fn keeps_names_and_owner(&mut self) -> bool {
        true
    }

    /// Completes the output: only now does a file appear under its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Device(mut file) => file.flush(),
            Self::File(mut file, path) => {
                Interrupt::present().check()?;
                file.file().flush()?;
                file.finish(|file| file.persist(path).map(|_| ()).map_err(|error| error.error))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file, _) => file.file().write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(file, _) => file.file().flush(),
            Self::Device(file) => file.flush(),
        }
    }
}
