//! T205: destinations that take user-defined tools and do not say so.
//!
//! TPV lets every destination reject the tag of user-defined tools, which a destination's own tags override: one that accepts, prefers
//! or requires it means to take them.

use indexmap::IndexMap;

use crate::config::Config;
use crate::config::entity::Entity;
use crate::diagnostic::Diagnostic;
use crate::lint::{Finding, Linter, silences};
use crate::source::Span;
use crate::yaml::value::Text;
use tpv_model::TagType;

use super::nowhere::place;
use super::parts::joined;
use super::reach::{Reach, Verdict, Whose};

/// The tag of user-defined tools.
const TAG: &str = "tool_type_user_defined";

/// Looks at every destination.
pub(super) fn check(linter: &mut Linter<'_>, reach: &Reach) {
    let config = linter.config;
    let Some(reached) = reach.reached.iter().find(|reached| reached.whose == Whose::UserDefined) else { return };
    let mut unproved: Vec<&Entity> = Vec::new();
    // By the tag that lets them in: who inherits it, and from whom.
    let mut inheriting: IndexMap<Span, (&Entity, Vec<&Entity>)> = IndexMap::new();
    for (destination, verdict) in config.destinations.values().zip(&*reached.verdicts) {
        if matches!(verdict, Verdict::Never(_)) || destination.common.is_abstract {
            continue;
        }
        // What a destination says itself, and what stands there to be inherited, is meant.
        let Some(tag) = offered(destination) else {
            unproved.push(destination);
            continue;
        };
        let parent = origin(config, destination, tag).filter(|parent| !parent.common.is_abstract);
        if let Some(parent) = parent.filter(|_| !silences(&destination.common.no_qa_codes, "T205")) {
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
        linter.report(Finding::new("T205", diagnostic));
    }
    // One finding for the code that keeps all of these from being proved.
    let (Some(first), Some(code)) = (unproved.first(), reached.doubts.first()) else { return };
    let others = match unproved.len() {
        1 => String::new(),
        2 => " and another".to_owned(),
        count => format!(" and {} others", count - 1),
    };
    let message = format!("user-defined tools may reach the destination `{}`{others}", first.id);
    let mut diagnostic = Diagnostic::warning(message)
        .at(*code, format!("unless this leaves `{TAG}` to jobs"))
        .note("these destinations do not accept the tag, so they refuse jobs that have it");
    for at in reached.doubts.iter().skip(1).take(3) {
        diagnostic = diagnostic.note(format!("the same goes for the code at {}", place(linter, *at)));
    }
    linter.report(Finding::new(
        "T205",
        diagnostic.help("see that this code only adds tags; then `--update-baseline` keeps the finding quiet"),
    ));
}

/// The tag among those that a destination offers.
fn offered(destination: &Entity) -> Option<&Text> {
    let fields = destination.destination.as_ref()?;
    let kinds = [TagType::Require, TagType::Prefer, TagType::Accept];
    kinds.into_iter().flat_map(|kind| fields.dest_tags.get(kind)).find(|tag| tag.as_str() == TAG)
}

/// The destination that another one inherits a tag from, where it does: the one that wrote it.
fn origin<'c>(config: &'c Config, destination: &Entity, tag: &Text) -> Option<&'c Entity> {
    let all = &config.destinations;
    let mut found: Option<&Entity> = None;
    // No chain is longer, and one that has no end does not load.
    for _ in 0..all.len() {
        let parent = found.unwrap_or(destination).common.inherits.as_ref().and_then(|id| all.get(id.as_str()));
        match parent.filter(|parent| offered(parent).is_some_and(|own| own.span == tag.span)) {
            Some(parent) => found = Some(parent),
            None => break,
        }
    }
    found
}
