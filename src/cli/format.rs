//! `tpvc format`

use std::path::Path;

use clap::Args;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::kind::Kind;
use super::output::print_stdout;
use super::paths;
use super::rewrite::{rewrite, with_line_ends_of};
use tpv_config::job_conf::inline;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::figures::count;
use tpv_text::printable::Form;
use tpv_text::source::{Limits, SourceError, SourceId, SourceMap, Span, is_url, redacted};
use tpv_text::text_diff;
use tpv_yaml::RoundTripError;

/// Format TPV config files as `tpv format` does
///
/// Entities are sorted by name, the default one first, and the fields of each are put in TPV's order; comments stay
/// with what they describe. The text is that of `tpv format`, to the byte. Without `--check` and `--write` it goes to stdout.
/// With `--write` files keep their owner, mode, links and line ends. Keys that TPV breaks into lines, which is invalid YAML, are quoted.
///
/// With `--check` the exit status is 1 if a file is not formatted.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc format tpv_rules_local.yml > formatted.yml\n  \
    tpvc format --check *.yml\n  \
    tpvc format --write tpv_rules_local.yml")]
pub(super) struct Format {
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns; several with `--check` or `--write`
    /// only [default: the files of tpvc.toml that are on disk]
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Print what would change as a unified diff, and nothing for formatted files
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Replace the files with their formatted text
    #[arg(long)]
    write: bool,
}

impl Format {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        if self.write {
            self.files.iter().try_for_each(|file| writable(file))?;
        }
        let mut named = paths::named(&self.files, common)?.into_owned();
        if self.files.is_empty() {
            // What the settings name elsewhere is not this site's to format.
            named.retain(|file| !is_url(file));
        }
        let files = paths::expand(&named)?;
        if files.len() > 1 && !self.check && !self.write {
            return Err(CliError::misuse(
                "several files can be formatted with `--check` or `--write` only",
                "name one file, or add `--write` to replace the files by their formatted text",
            ));
        }
        let (mut bad, mut changed) = (0, 0);
        let sources = common.texts()?.sources;
        for file in &files {
            match self.format(file, sources.clone(), common) {
                Ok(Some(is_changed)) => changed += u64::from(is_changed),
                Ok(None) => bad += 1,
                Err(error) => {
                    common.show_error(&error);
                    bad += 1;
                }
            }
        }
        if self.write {
            common.note(&format!("formatted {}", count(changed, "file")));
        }
        Ok(if bad > 0 || self.check && changed > 0 { Outcome::Bad } else { Outcome::Done })
    }

    /// Formats one file and says whether that changes it; `None` for a file that cannot be formatted, which was reported.
    fn format(&self, name: &str, mut sources: SourceMap, common: &Common) -> Result<Option<bool>, CliError> {
        if let kind @ (Kind::Artifact | Kind::Jobs) = Kind::of(Path::new(name)) {
            let message = format!("`{name}` is {}, not a config", kind.noun());
            return Err(CliError::new(message, "name config files"));
        }
        let id = match sources.load(name, &Limits::default()) {
            Ok(id) => id,
            Err(SourceError::Template(..)) => return self.template(name),
            Err(error) => {
                return Err(CliError::new(format!("`{}` cannot be read: {error}", redacted(name)), error.help()));
            }
        };
        let source = sources.get(id);
        let old = source.map(|source| source.text.clone()).unwrap_or_default();
        // A file may count as a template and have no Jinja in it.
        if source.is_some_and(|source| source.written(0..0).0.text != old) {
            return self.template(name);
        }
        let mut diagnostics = Diagnostics::new();
        let document = tpv_yaml::load(&sources, id, &mut Diagnostics::new());
        if document.is_some_and(|document| inline(&document.root).is_some()) {
            return self.more_than_a_config(name, common);
        }
        let name = &redacted(name);
        let formatted = match tpv_analysis::format::format(&old) {
            Ok(formatted) => formatted,
            Err(error) => {
                // A text that is not YAML is explained as the other verbs explain it.
                if tpv_yaml::load(&sources, id, &mut diagnostics).is_none() && diagnostics.has_errors() {
                    common.show(&diagnostics, &sources);
                    return Ok(None);
                }
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
        // TPV has texts that it breaks, such as a time as a key at the 70th column.
        if formatted.text != *old
            && let Err(error) = tpv_analysis::format::format(&formatted.text)
        {
            diagnostics.push(broken(name, &formatted.text, &error, id, &mut sources));
            common.show(&diagnostics, &sources);
            return Ok(None);
        }
        // TPV writes no carriage returns; a file on disk keeps those that it has.
        let is_printed = !self.write && !self.check;
        let text = if is_printed { formatted.text } else { with_line_ends_of(&old, formatted.text) };
        let is_changed = text != *old;
        if is_changed && !self.check {
            diagnostics = losses(id, &formatted.lost);
            common.show(&diagnostics, &sources);
        }
        if self.check {
            print_stdout(Form::Diff, &text_diff::unified(name, &format!("{name} (formatted)"), &old, &text))?;
        } else if !self.write {
            print_stdout(Form::Data, &text)?;
        } else if is_changed {
            rewrite("the formatted text", Path::new(&**name), text.as_bytes())?;
        }
        Ok(Some(is_changed))
    }

    /// Leaves a file alone that has configs among other things; one that is named is an error.
    fn more_than_a_config(&self, name: &str, common: &Common) -> Result<Option<bool>, CliError> {
        let message = format!("`{name}` has configs among other things, and is left as it is");
        if !self.files.iter().any(|file| file == name) {
            common.note(&message);
            return Ok(Some(false));
        }
        Err(CliError::new(message, "format its configs by hand, or move them into files of their own"))
    }

    /// Leaves a template alone, whose braces are no YAML; one that is named is an error.
    fn template(&self, name: &str) -> Result<Option<bool>, CliError> {
        if !self.files.iter().any(|file| file == name) {
            return Ok(Some(false));
        }
        let help = "format what it gives, or leave it as it is: `tpvc lint` takes templates";
        Err(CliError::new(format!("`{name}` is a template, which cannot be formatted"), help))
    }
}

/// Refuses a name that `--write` cannot write to.
fn writable(name: &str) -> Result<(), CliError> {
    if name == "-" {
        return Err(CliError::misuse("stdin cannot be written", "leave out `--write`"));
    }
    if is_url(name) {
        let message = format!("`{}` cannot be written: it is a URL", redacted(name));
        return Err(CliError::misuse(message, "leave out `--write`"));
    }
    Ok(())
}

/// The error for a text that is not YAML any more once it is formatted: with its place there, and in the file where it is clear what it
/// comes from.
fn broken(name: &str, text: &str, error: &RoundTripError, old: SourceId, sources: &mut SourceMap) -> Diagnostic {
    /// A word of this length or more likely stands once in the old text, and so tells the place.
    const LONG: usize = 6;
    let at = error.offset.unwrap_or(0);
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let around = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
    let mut words: Vec<&str> = around.split_whitespace().filter(|word| word.len() >= LONG).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let origin = sources.get(old).and_then(|source| {
        words.iter().find_map(|word| {
            let mut found = source.text.match_indices(word);
            let (offset, _) = found.next()?;
            found.next().is_none().then(|| Span::new(old, offset, offset + word.len()))
        })
    });
    let formatted = sources.add(&format!("{name} (formatted)"), text);
    let place = Span::new(formatted, at, at + 1);
    let problem = Diagnostic::error(format!("`{name}` would be no YAML after formatting"));
    let problem = match origin {
        Some(origin) => problem.at(origin, "`tpv format` breaks this").called(place, error.message.clone()),
        None => problem.at(place, error.message.clone()),
    };
    problem.help("nothing was written; indent it less: text past column 80 was moved to the next line")
}

/// The warning about comments that formatting drops.
fn losses(id: SourceId, lost: &[usize]) -> Diagnostics {
    /// The number of places shown.
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
    diagnostics.push(
        diagnostic
            .help("keep it by moving it below the first key of the file: sorting drops comments on a whole mapping"),
    );
    diagnostics
}
