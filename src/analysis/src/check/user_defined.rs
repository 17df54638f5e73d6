//! T205: destinations that accept user-defined tools without an explicit tag of their own.
//!
//! By default every destination rejects the tag of user-defined tools. A destination whose own tags accept, prefer or require it
//! is assumed to want them.

use indexmap::IndexMap;

use crate::lint::Linter;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::TagType;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;
use tpv_yaml::value::Text;

use super::nowhere::place;
use super::reach::{JobsOf, Reach, Verdict};
use crate::parts::joined;
use tpv_text::code::Code;

/// The tag of user-defined tools.
const TAG: &str = "tool_type_user_defined";

/// Checks every destination.
pub(super) fn check(linter: &mut Linter<'_>, reach: &Reach) {
    let config = linter.config;
    let Some(reached) = reach.reached.iter().find(|reached| reached.jobs_of == JobsOf::UserDefined) else { return };
    let mut unproved: Vec<&Entity> = Vec::new();
    // By the tag that accepts the tools: the destination that defines it and those that inherit it.
    let mut inheriting: IndexMap<Span, (&Entity, Vec<&Entity>)> = IndexMap::new();
    for (destination, verdict) in config.destinations.values().zip(&*reached.verdicts) {
        if matches!(verdict, Verdict::Never(_)) || destination.common.is_abstract {
            continue;
        }
        // A destination's own tag is intentional, and so is one inherited from an abstract destination.
        let Some(tag) = offered(destination) else {
            unproved.push(destination);
            continue;
        };
        let parent = origin(config, destination, tag).filter(|parent| !parent.common.is_abstract);
        if let Some(parent) = parent.filter(|_| !silences(&destination.common.no_qa_codes, Code::UnexpectedUserTools)) {
            inheriting.entry(tag.span).or_insert_with(|| (parent, Vec::new())).1.push(destination);
        }
    }
    for (tag, (parent, destinations)) in inheriting {
        let names: Vec<String> = destinations.iter().map(|destination| format!("`{}`", destination.id)).collect();
        let (nouns, label) = match names.len() {
            1 => (
                "destination",
                format!("it inherits this from the destination `{}`, and does not say so itself", parent.id),
            ),
            _ => ("destinations", format!("they inherit this from the destination `{}`", parent.id)),
        };
        let message = format!("user-defined tools can reach the {nouns} {}", joined(&names));
        let span = destinations.first().map(|destination| destination.span).unwrap_or_default();
        let diagnostic = Diagnostic::warning(message)
            .at(span, label)
            .also(tag, "accepted here")
            .help(format!("write `reject: [{TAG}]` to keep them out, or `accept: [{TAG}]` if they are welcome"));
        linter.report(Finding::new(Code::UnexpectedUserTools, diagnostic));
    }
    // One finding for the code that prevents a proof for all of these.
    let (Some(first), Some(code)) = (unproved.first(), reached.doubts.first()) else { return };
    let others = match unproved.len() {
        1 => String::new(),
        2 => " and another".to_owned(),
        count => format!(" and {} others", count - 1),
    };
    let message = format!("user-defined tools may reach the destination `{}`{others}", first.id);
    let mut diagnostic = Diagnostic::warning(message)
        .at(*code, format!("this code may remove `{TAG}` from a job"))
        .note("these destinations do not accept the tag, so they refuse jobs that have it");
    for at in reached.doubts.iter().skip(1).take(3) {
        diagnostic = diagnostic.note(format!("the same goes for the code at {}", place(linter.sources, *at)));
    }
    linter.report(Finding::new(
        Code::UnexpectedUserTools,
        diagnostic.help("check that this code only adds tags, then accept the finding with `--update-baseline`"),
    ));
}

/// The tag among those that a destination offers.
fn offered(destination: &Entity) -> Option<&Text> {
    let tags = destination.dest_tags.as_ref()?;
    let kinds = [TagType::Require, TagType::Prefer, TagType::Accept];
    kinds.into_iter().flat_map(|kind| tags.get(kind)).find(|tag| tag.as_str() == TAG)
}

/// The destination whose config has a tag that `destination` inherits. `None` if the tag is its own.
fn origin<'c>(config: &'c Config, destination: &Entity, tag: &Text) -> Option<&'c Entity> {
    let all = &config.destinations;
    let mut found: Option<&Entity> = None;
    // Bounds the walk; cyclic inheritance is rejected at load.
    for _ in 0..all.len() {
        let parent = found.unwrap_or(destination).common.inherits.as_ref().and_then(|id| all.get(id.as_str()));
        match parent.filter(|parent| offered(parent).is_some_and(|own| own.span == tag.span)) {
            Some(parent) => found = Some(parent),
            None => break,
        }
    }
    found
}
