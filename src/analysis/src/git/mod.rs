//! Queries to git: commits, their files, and texts. Only plumbing commands are used, because their output is stable.
//!
//! A repository may be a stranger's: nothing in its configuration has git run a program or ask a server.
//!
//! [`mod@config`] makes configs of the files of a commit, [`links`] follows symbolic links to them, [`checkout`] writes all files of a commit to a
//! folder of their own, for what reads files by itself.

pub mod checkout;
pub mod config;
mod links;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use serde::{Deserialize, Serialize};

use tpv_text::plain_path::plain;

/// An error of git, with a help text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// `true` if the repository lacks an object, as a partial clone does.
    pub is_missing: bool,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), is_missing: false }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The whole id.
    pub id: String,
    /// The commit date, in ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// The most characters of a commit's name.
const MOST_NAME: usize = 72;

impl Commit {
    /// A name that identifies it, and that people recognize: the beginning of the id, the date, and as much of the
    /// subject as fits.
    pub fn name(&self) -> String {
        let name = format!("{:.12} {:.10} {}", self.id, self.date, self.subject);
        name.chars().take(MOST_NAME).collect()
    }
}

/// A repository, or a folder in one, to which paths are relative.
pub struct Repository(PathBuf, OnceLock<PathBuf>);

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct File {
    /// The path, from the top of the repository.
    pub(crate) path: String,
    /// The path without links.
    real: String,
    /// The id of the text.
    pub(crate) blob: String,
    /// The reason that the path leads nowhere: it is a symbolic link, or leads through one.
    pub(crate) broken: Option<String>,
}

/// Settings that come before those of the repository and the user.
const SETTINGS: [&str; 4] = [
    // Programs that reading would start: a monitor of the file system when files are listed, and hooks.
    "core.fsmonitor=",
    "core.hooksPath=/dev/null",
    // Which commits and files are listed.
    "log.follow=false",
    "submodule.recurse=false",
];

/// Variables that take over from the folder that is asked, which git sets for a hook, or that change what paths mean or what is printed.
const TAKEN_AWAY: [&str; 12] = [
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
];

impl Repository {
    /// The repository in or above a folder.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned(), OnceLock::new())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.0).arg("--no-pager");
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(arguments);
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // What a partial clone lacks, git would fetch with the programs that the repository names. Earlier versions know the second only.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        for name in TAKEN_AWAY {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The output of a command that is given `input`.
    fn run(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Error> {
        self.output(self.command(arguments), input)
    }

    fn output(&self, mut command: Command, input: Vec<u8>) -> Result<Vec<u8>, Error> {
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|error| not_started(&error))?;
        // From another thread, since git may print more than a pipe holds before it has read all.
        let writer = child.stdin.take().map(|mut stdin| {
            let write = move || stdin.write_all(&input);
            thread::Builder::new().spawn(write).map_err(|error| not_started(&error))
        });
        let writer = writer.transpose().inspect_err(|_| {
            // Git ends by itself, since its input is closed.
            let _ = child.wait();
        })?;
        let output = child.wait_with_output().map_err(|error| not_started(&error))?;
        // Git may end without having read all: its status tells whether that is wrong.
        let _ = writer.map(thread::JoinHandle::join);
        if output.status.success() { Ok(output.stdout) } else { Err(self.refused(&output.stderr)) }
    }

    /// The error for a command that git refused.
    fn refused(&self, stderr: &[u8]) -> Error {
        let text = String::from_utf8_lossy(stderr);
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it ended without a word");
        let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        let repository = self.0.display();
        let help = if text.contains("lazy fetching disabled") || text.contains("promisor") {
            PARTIAL.to_owned()
        } else if line.contains("dubious ownership") {
            format!("if you trust its owner: `git config --global --add safe.directory {repository}`")
        } else if line.contains("not a git repository") {
            "run it in a git repository; `tpvc maps create` takes the folder of one with `--git`".to_owned()
        } else {
            format!("try `git -C {repository} log -- PATHS`, which must work, too")
        };
        Error::new(format!("git cannot read `{repository}`: {line}"), help)
    }

    /// The commits up to the present one that touch one of these paths (pathspecs), oldest first, each with its tree: those after another
    /// commit, or since a date.
    pub fn commits(&self, since: Option<&str>, paths: &[&str]) -> Result<Vec<(Commit, String)>, Error> {
        let range = since.map(|since| self.range(since)).transpose()?;
        let mut arguments = vec!["log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--encoding=UTF-8"];
        arguments.push("--format=%H%x00%T%x00%cI%x00%s");
        arguments.extend(range.as_deref());
        arguments.push("--");
        arguments.extend(paths);
        let output = self.run(&arguments, Vec::new())?;
        let text = String::from_utf8_lossy(&output);
        let mut fields = text.split('\0').map(str::to_owned);
        let mut commits = Vec::new();
        while let (Some(id), Some(tree), Some(date), Some(subject)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        {
            commits.push((Commit { id, date, subject }, tree));
        }
        Ok(commits)
    }

    /// The argument that leaves out what came before: a commit, or a date in any form that git reads.
    fn range(&self, since: &str) -> Result<String, Error> {
        let commit = format!("{since}^{{commit}}");
        let found = self.command(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).output();
        let found = found.map_err(|error| not_started(&error))?;
        let id = String::from_utf8_lossy(&found.stdout);
        if found.status.success() {
            return Ok(format!("{}..HEAD", id.trim()));
        }
        // To git, a date alone is that day at the present time of day.
        let is_date = since.len() == 10 && since.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        Ok(if is_date { format!("--since={since}T00:00:00") } else { format!("--since={since}") })
    }

    /// The id of a revision's tree.
    pub fn tree(&self, revision: &str) -> Result<String, Error> {
        let tree = format!("{revision}^{{tree}}");
        let found = self.command(&["rev-parse", "--verify", "--quiet", "--end-of-options", &tree]).output();
        let found = found.map_err(|error| not_started(&error))?;
        if !found.status.success() {
            // Which of both it is, git says where it is asked for what is always there.
            self.run(&["rev-parse", "--git-dir"], Vec::new())?;
            return Err(Error::new(
                format!("git knows no revision `{revision}`"),
                "name a commit, branch or tag; in CI, fetch the branch that you compare with before",
            ));
        }
        Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }

    /// The last commit that two revisions have in common.
    pub(crate) fn merge_base(&self, one: &str, other: &str) -> Result<String, Error> {
        self.tree(one)?;
        self.tree(other)?;
        let found = self.command(&["merge-base", "--", one, other]).output().map_err(|error| not_started(&error))?;
        if !found.status.success() {
            return Err(Error::new(
                format!("`{one}` and `{other}` have no commit in common"),
                "in CI, fetch the whole history: with `actions/checkout`, `fetch-depth: 0`",
            ));
        }
        Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }

    /// The files below the folder at one of these paths (pathspecs) that git keeps or does not ignore, relative to the folder.
    pub(crate) fn present(&self, paths: &[&str]) -> Result<Vec<String>, Error> {
        self.list_present(&[&["--"], paths].concat())
    }

    /// All files of the repository that git keeps or does not ignore, from its top.
    fn all_present(&self) -> Result<Vec<String>, Error> {
        self.list_present(&["--full-name", "--", ":(top)"])
    }

    fn list_present(&self, more: &[&str]) -> Result<Vec<String>, Error> {
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        let output = self.run(&[&arguments, more].concat(), Vec::new())?;
        let mut files: Vec<String> =
            String::from_utf8_lossy(&output).split_terminator('\0').map(str::to_owned).collect();
        files.sort();
        Ok(files)
    }

    /// The path of the folder from the top of the repository: empty, or with a `/` at its end.
    fn prefix(&self) -> Result<String, Error> {
        let output = self.run(&["rev-parse", "--show-prefix"], Vec::new())?;
        Ok(String::from_utf8_lossy(&output).trim_end_matches('\n').to_owned())
    }

    /// The top of the working tree.
    pub fn top(&self) -> Result<&Path, Error> {
        if let Some(top) = self.1.get() {
            return Ok(top);
        }
        let output = self.run(&["rev-parse", "--show-toplevel"], Vec::new())?;
        Ok(self.1.get_or_init(|| String::from_utf8_lossy(&output).trim_end_matches('\n').into()))
    }

    /// A path, absolute or relative to the folder, as one from the top. `None` if it leads out of the repository.
    pub fn from_top(&self, path: &Path) -> Result<Option<PathBuf>, Error> {
        let top = self.top()?;
        let whole = plain(&self.0.join(path));
        if let Ok(inside) = whole.strip_prefix(top) {
            return Ok(Some(inside.to_owned()));
        }
        // The path may lead to the repository through a link; git says where that is without.
        let mut above = whole.ancestors().filter_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        let inside = above.find(|(_, real)| real == top).and_then(|(folder, _)| whole.strip_prefix(folder).ok());
        Ok(inside.map(Path::to_owned))
    }

    /// The id of a tree without entries.
    fn empty_tree(&self) -> Result<String, Error> {
        let empty = self.run(&["hash-object", "-t", "tree", "--stdin"], Vec::new())?;
        Ok(String::from_utf8_lossy(&empty).trim().to_owned())
    }

    /// The files of each of these trees that are at one of these paths (pathspecs), by name, without links.
    fn files(&self, trees: &[&str], paths: &[&str]) -> Result<Vec<Vec<File>>, Error> {
        // Pathspecs are for comparing; compared with nothing, all files are new.
        let empty = self.empty_tree()?;
        let input: String = trees.iter().map(|tree| format!("{empty} {tree}\n")).collect();
        let arguments =
            ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-ext-diff", "--no-renames", "--no-abbrev", "--"];
        let output = self.run(&[&arguments, paths].concat(), input.into_bytes())?;
        let mut files: Vec<Vec<File>> = Vec::with_capacity(trees.len());
        let mut rest = output.as_slice();
        while let Some(first) = rest.first() {
            // A line with both trees comes before the files of a tree.
            if *first != b':' {
                (_, rest) = split(rest, b'\n');
                files.push(Vec::new());
                continue;
            }
            let (file, after) = raw(rest);
            rest = after;
            if let Some(files) = files.last_mut() {
                files.extend(file);
            }
        }
        files.resize(trees.len(), Vec::new());
        Ok(files)
    }

    /// Those of these names that are at one of these paths (pathspecs), as if they were files from the top of the repository.
    fn matching(&self, names: &[String], paths: &[&str]) -> Result<HashSet<String>, Error> {
        let folder = tempfile::tempdir().map_err(|error| unwritable(&error))?;
        // An index may name any object: git does not look at it before it is asked for.
        let empty = self.empty_tree()?;
        let entries: String = names.iter().map(|name| format!("100644 {empty} 0\t{name}\0")).collect();
        let with_index = |arguments: &[&str]| {
            let mut command = self.command(arguments);
            command.env("GIT_INDEX_FILE", folder.path().join("index"));
            command
        };
        self.output(with_index(&["update-index", "-z", "--index-info"]), entries.into_bytes())?;
        let arguments = ["diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-abbrev", &empty, "--"];
        let output = self.output(with_index(&[&arguments, paths].concat()), Vec::new())?;
        let (mut matching, mut rest) = (HashSet::new(), output.as_slice());
        while !rest.is_empty() {
            let (file, after) = raw(rest);
            matching.extend(file.map(|file| file.path));
            rest = after;
        }
        Ok(matching)
    }

    /// Starts a process that gives texts.
    pub fn blobs(&self) -> Result<Blobs, Error> {
        let mut command = self.command(&["cat-file", "--batch"]);
        let mut child =
            command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| not_started(&error))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Ok(Blobs { child, stdin, stdout })
    }
}

/// The file of an entry of git's raw format, `:MODE MODE ID ID A`, NUL, path, NUL, and what comes after it.
fn raw(bytes: &[u8]) -> (Option<File>, &[u8]) {
    let (entry, rest) = split(bytes, 0);
    let (path, rest) = split(rest, 0);
    let entry = String::from_utf8_lossy(entry);
    let mut fields = entry.split(' ').skip(1);
    let (Some(mode), Some(blob)) = (fields.next(), fields.nth(1)) else { return (None, rest) };
    // The commit of another repository is no file.
    if mode == links::LINK || mode == links::COMMIT {
        return (None, rest);
    }
    let path = String::from_utf8_lossy(path).into_owned();
    (Some(File { real: path.clone(), path, blob: blob.to_owned(), broken: None }), rest)
}
/// The help for a partial clone that lacks an object.
const PARTIAL: &str = "clone it without `--filter`: tpvc lets git fetch nothing; `git fsck` checks the repository";

/// The bytes before the first `separator` and those after it.
fn split(bytes: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let at = memchr::memchr(separator, bytes).unwrap_or(bytes.len());
    let (before, after) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    (before, after.get(1..).unwrap_or_default())
}

fn not_started(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::new(
            "the program `git` is not installed",
            "install git, or compile the commits yourself and name the artifacts",
        );
    }
    Error::new(format!("git cannot be run: {}", error.to_string().to_lowercase()), "check that `git --version` works")
}

fn unwritable(error: &io::Error) -> Error {
    Error::new(
        format!("no temporary file can be written: {error}"),
        "make room, or set `TMPDIR` to a folder that has some",
    )
}

/// The largest folder of a commit that is looked into, in bytes.
const LARGEST_TREE: u64 = 64 << 20;

/// A process of git that gives texts.
pub struct Blobs {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Blobs {
    /// A text of at most `most` bytes. `None` if it is longer.
    pub(crate) fn read(&mut self, id: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        self.object(id, " blob ", most)
    }

    /// The entries of a folder, as git stores them.
    fn tree(&mut self, id: &str) -> Result<Vec<u8>, Error> {
        Ok(self.object(id, " tree ", LARGEST_TREE)?.unwrap_or_default())
    }

    fn object(&mut self, id: &str, kind: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let lost = |why: &str| {
            Error::new(format!("git cannot give the object `{id}`: {why}"), "check the repository: `git fsck`")
        };
        let (Some(stdin), Some(stdout)) = (&mut self.stdin, &mut self.stdout) else { return Err(lost("it has ended")) };
        let mut read = || {
            writeln!(stdin, "{id}")?;
            stdin.flush()?;
            let mut head = String::new();
            stdout.read_line(&mut head)?;
            // `ID KIND SIZE`, or `ID missing`.
            if head.ends_with(" missing\n") {
                return Err(io::Error::from(io::ErrorKind::NotFound));
            }
            let Some(size) = head.trim_end().split_once(kind).and_then(|(_, size)| size.parse::<u64>().ok()) else {
                return Err(io::Error::other(head.trim_end().to_owned()));
            };
            let mut text = stdout.by_ref().take(size);
            let mut bytes = Vec::new();
            let is_whole =
                if size <= most { text.read_to_end(&mut bytes)? as u64 } else { io::copy(&mut text, &mut io::sink())? }
                    == size;
            stdout.by_ref().take(1).read_to_end(&mut Vec::new())?;
            if is_whole { Ok((size <= most).then_some(bytes)) } else { Err(io::Error::other("it has ended")) }
        };
        read().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error { help: PARTIAL.to_owned(), is_missing: true, ..lost("it is missing") },
            _ => lost(&error.to_string()),
        })
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Without more to read, git ends.
        self.stdin = None;
        self.stdout = None;
        let _ = self.child.wait();
    }
}
