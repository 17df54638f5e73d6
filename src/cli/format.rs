//! `tpvc format`

use std::io::Write;
use std::path::Path;

use clap::{Args, CommandFactory, error::ErrorKind};

use super::diff;
use super::output::{Output, print};
use super::report::{Trouble, count, io_help};
use super::{Cli, Common, Outcome};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Limits, SourceId, SourceMap, Span, is_url};

/// Format TPV config files as `tpv format` does
///
/// Entities are sorted by name, the default one first, and the fields of each are put in TPV's order; comments go with
/// what they belong to. The text is that of `tpv format`, to the byte. Without `--check` and `--write` it goes to stdout.
///
/// With `--check` the exit status is 1 where a file is not formatted.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc format tpv_rules_local.yml > formatted.yml\n  \
    tpvc format --check *.yml\n  \
    tpvc format --write tpv_rules_local.yml")]
pub(super) struct Format {
    /// Config files or http/https URLs; several with `--check` or `--write` only
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Print what would change as a unified diff, and nothing for formatted files
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Replace the files by their formatted text
    #[arg(long)]
    write: bool,
}

impl Format {
    pub(super) fn run(&self, common: &Common) -> Outcome {
        if self.files.len() > 1 && !self.check && !self.write {
            let message = "several files can be formatted with --check or --write only";
            Cli::command().error(ErrorKind::TooManyValues, message).exit();
        }
        let (mut bad, mut changed) = (0, 0);
        for file in &self.files {
            match self.format(file, common) {
                Ok(Some(is_changed)) => changed += u64::from(is_changed),
                Ok(None) => bad += 1,
                Err(trouble) => {
                    common.fail(trouble.message, &trouble.help);
                    bad += 1;
                }
            }
        }
        if self.write {
            common.say(&format!("formatted {}", count(changed, "file")));
        }
        if bad > 0 || self.check && changed > 0 { Outcome::Bad } else { Outcome::Done }
    }

    /// Formats one file and says whether that changes it; `None` for a file that cannot be formatted, which was reported.
    fn format(&self, name: &str, common: &Common) -> Result<Option<bool>, Trouble> {
        let mut sources = SourceMap::new();
        let id = sources
            .load(name, &Limits::default())
            .map_err(|error| Trouble::new(format!("`{name}` cannot be read: {error}"), error.help()))?;
        let old = sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
        let mut diagnostics = Diagnostics::new();
        let formatted = match crate::format::format(&old) {
            Ok(formatted) => formatted,
            Err(error) => {
                let mut diagnostic = Diagnostic::error(format!("`{name}` cannot be formatted")).help(error.help);
                diagnostic = match error.offset {
                    Some(offset) => diagnostic.at(Span::new(id, offset, offset + 1), error.message),
                    None => diagnostic.note(error.message),
                };
                diagnostics.push(diagnostic);
                common.show(&diagnostics, &sources);
                return Ok(None);
            }
        };
        let is_changed = formatted.text != *old;
        if is_changed && !self.check {
            diagnostics = losses(id, &formatted.lost);
            common.show(&diagnostics, &sources);
        }
        if self.write {
            if is_changed {
                // TPV has texts that it breaks, such as those with long keys of several words.
                if let Err(error) = crate::format::format(&formatted.text) {
                    let message = format!("`{name}` would be no YAML after formatting: {error}");
                    return Err(Trouble::new(
                        message,
                        "nothing was written; shorten keys of more than 70 characters".to_owned(),
                    ));
                }
                write_file(name, &formatted.text)?;
            }
        } else if self.check {
            print(diff::unified(name, &format!("{name} (formatted)"), &old, &formatted.text))?;
        } else {
            print(&formatted.text)?;
        }
        Ok(Some(is_changed))
    }
}

/// The warning about comments that formatting drops.
fn losses(id: SourceId, lost: &[usize]) -> Diagnostics {
    /// So many places are shown.
    const SHOWN: usize = 5;
    let mut diagnostics = Diagnostics::new();
    let Some((&first, others)) = lost.split_first() else { return diagnostics };
    let message = match lost.len() {
        1 => "a comment is not in the formatted text".to_owned(),
        number => format!("{} are not in the formatted text", count(number as u64, "comment")),
    };
    let span = |offset: usize| Span::new(id, offset, offset + 1);
    let mut diagnostic = Diagnostic::warning(message).at(span(first), "`tpv format` drops this comment, too");
    for &offset in others.iter().take(SHOWN - 1) {
        diagnostic = diagnostic.also(span(offset), "and this one");
    }
    diagnostics.push(diagnostic.help(
        "keep it by moving it behind the first key of the file: sorting drops what is attached to a whole mapping",
    ));
    diagnostics
}

fn write_file(name: &str, text: &str) -> Result<(), Trouble> {
    if name == "-" {
        return Err(Trouble::new("stdin cannot be written", "leave out `--write`"));
    }
    if is_url(name) {
        return Err(Trouble::new(format!("`{name}` cannot be written: it is a URL"), "leave out `--write`"));
    }
    let path = Path::new(name);
    let written = Output::create(path).and_then(|mut output| {
        output.write_all(text.as_bytes())?;
        output.finish()
    });
    written.map_err(|error| {
        let (what, help) = io_help(&error, path);
        Trouble::new(format!("the formatted text cannot be written to {what}"), help)
    })
}
