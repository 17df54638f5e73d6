//! The man pages, made of the command line's own definition: as clap writes them, with examples and references.

use std::collections::BTreeSet;
use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

/// The heading of the examples in the help of a verb.
const EXAMPLES: &str = "Examples:";

/// A page: the name of its file, and its text.
pub(super) struct Page {
    pub(super) file: String,
    pub(super) text: Vec<u8>,
}

/// The page of the whole command line, which is built.
///
/// # Errors
/// None that happens: it is written to memory.
pub(super) fn first(root: &Command) -> io::Result<Page> {
    page(root, None, root)
}

/// The page of a command below `root`, with the name of the one above it.
fn page(command: &Command, above: Option<&str>, root: &Command) -> io::Result<Page> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut text)?;
    }
    if command.get_subcommands().any(|verb| !verb.is_hide_set()) {
        man.render_subcommands_section(&mut text)?;
    }
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut roff = Roff::new();
    for part in help.split("\n\n").filter(|part| !part.trim().is_empty()) {
        section(&mut roff, part);
    }
    let mut related = related(command, root);
    related.extend(above.map(str::to_owned));
    if !related.is_empty() {
        roff.control("SH", ["SEE ALSO"]);
        let mut names = Vec::new();
        for name in &related {
            if !names.is_empty() {
                names.push(roman(", "));
            }
            names.extend([bold(name.as_str()), roman("(1)")]);
        }
        roff.text(names);
    }
    text.extend_from_slice(roff.render().as_bytes());
    if command.get_version().is_some() {
        man.render_version_section(&mut text)?;
    }
    Ok(Page { file: man.get_filename(), text })
}

/// The pages of the whole command line, which is built, and of all its verbs.
///
/// # Errors
/// As [`first`].
pub(super) fn pages(root: &Command) -> io::Result<Vec<Page>> {
    let mut all = Vec::new();
    collect(root, None, root, &mut all)?;
    Ok(all)
}

fn collect(command: &Command, above: Option<&str>, root: &Command, all: &mut Vec<Page>) -> io::Result<()> {
    all.push(page(command, above, root)?);
    let mut verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    verbs.try_for_each(|verb| collect(verb, Some(&name(command)), root, all))
}

/// A part of the text behind the options: the examples, each on its line, or another one under its first words.
fn section(roff: &mut Roff, part: &str) {
    if let Some(examples) = part.strip_prefix(EXAMPLES) {
        roff.control("SH", ["EXAMPLES"]);
        for example in examples.lines().map(str::trim).filter(|example| !example.is_empty()) {
            roff.control("PP", []);
            roff.control("nf", []);
            roff.control("RS", ["4"]);
            roff.text([roman(example)]);
            roff.control("RE", []);
            roff.control("fi", []);
        }
        return;
    }
    let (title, text) = part.split_once(": ").unwrap_or(("Notes", part));
    roff.control("SH", [title.to_uppercase().as_str()]);
    roff.text([roman(text)]);
}

/// The names of related pages: those of its own verbs, and of those that its help names.
fn related(command: &Command, root: &Command) -> BTreeSet<String> {
    let own = name(command);
    let mut found: BTreeSet<String> = command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(name).collect();
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set() && !argument.is_global_set());
    let texts = [command.get_about(), command.get_long_about(), command.get_after_help()]
        .into_iter()
        .chain(arguments.flat_map(|argument| [argument.get_help(), argument.get_long_help()]));
    for text in texts.flatten().map(ToString::to_string) {
        let named = text.split("tpvc ").skip(1).map(|rest| {
            rest.split([' ', '`', '\n'])
                .next()
                .unwrap_or_default()
                .trim_end_matches(|c: char| !c.is_alphanumeric())
                .to_owned()
        });
        found.extend(named.map(|verb| format!("tpvc-{verb}")).filter(|page| is_page(page, root)));
    }
    found.remove(&own);
    found
}

/// The name of a command's page.
fn name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

/// Returns `true` if there is a page of this name.
fn is_page(page: &str, root: &Command) -> bool {
    let is_verb = |verb: &str| root.get_subcommands().any(|known| known.get_name() == verb && !known.is_hide_set());
    page == "tpvc" || page.strip_prefix("tpvc-").is_some_and(is_verb)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn each_page_has_examples_and_references() {
        let mut command = crate::cli::Cli::command().disable_help_subcommand(true);
        command.build();
        let pages = pages(&command).unwrap();
        assert!(pages.len() > 30);
        let files: BTreeSet<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        for page in &pages {
            let text = String::from_utf8(page.text.clone()).unwrap();
            assert!(!text.contains(".SH EXTRA"), "{}", page.file);
            assert!(text.contains(".SH \"SEE ALSO\""), "{}: {text}", page.file);
            let (_, also) = text.split_once(".SH \"SEE ALSO\"").unwrap();
            for name in also.split("\\fB").skip(1).filter_map(|rest| rest.split("\\fR").next()) {
                assert!(files.contains(format!("{}.1", name.replace("\\-", "-")).as_str()), "{}: {name}", page.file);
            }
        }
        let map = pages.iter().find(|page| page.file == "tpvc-map.1").unwrap();
        let text = String::from_utf8(map.text.clone()).unwrap();
        assert!(text.contains(".SH EXAMPLES") && text.contains("tpvc\\-compile"), "{text}");
    }
}
