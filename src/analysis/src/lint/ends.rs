//! T157: rules of destinations that end the job, although other destinations may take it.
//!
//! `fail`, and each exception but TPV's own two and Galaxy's `JobNotReadyException`, leaves `map_to_destination` of `tpv/core/mapper.py`; no other
//! candidate is tried. A rule that always applies is a switch, and one of a destination that has its jobs for itself is meant.

use std::collections::{BTreeSet, HashSet};

use tpv_bytecode::CodeKind;
use tpv_compiler::python::syntax::ast::{Expr, Stmt};
use tpv_compiler::python::{parse, validate};

use super::Linter;
use super::tags::{default, having};
use tpv_config::Config;
use tpv_config::entity::{Entity, Rule};
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// Exceptions after which the job may still come to a destination.
const GOING_ON: [&str; 3] = ["TryNextDestinationOrFail", "TryNextDestinationOrWait", "JobNotReadyException"];

/// Looks at the rules of all destinations that jobs can come to.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let destinations = || config.destinations.values().filter(|destination| !destination.common.is_abstract);
    for destination in destinations() {
        let own = Tags::of(config, destination);
        let Some(other) =
            destinations().find(|other| other.id != destination.id && own.shares(&Tags::of(config, other)))
        else {
            continue;
        };
        for rule in destination.rules.values().filter(|rule| is_for_some(rule)) {
            let Some((span, what)) = end(rule).filter(|(span, _)| seen.insert(*span)) else { continue };
            let diagnostic = Diagnostic::warning(format!("{what} ends the job, and no other destination is tried"))
                .at(span, format!("`{}` may accept such a job", other.id))
                .also(rule.condition.span, "for each job for which this is true")
                .also(destination.span, "")
                .note("`TryNextDestinationOrFail` of `tpv.core.entities` goes on to the next destination, and fails if none is left")
                .help("write `execute: |`, and below it `from tpv.core.entities import TryNextDestinationOrFail` and `raise TryNextDestinationOrFail('...')`");
            found.push(Finding::new(Code::EndsAtDestination, diagnostic).of(&destination.common.no_qa_codes));
        }
    }
    found.into_iter().for_each(|finding| linter.report(finding));
}

/// Returns `true` unless a rule applies to every job, as a switch does.
fn is_for_some(rule: &Rule) -> bool {
    let Some(text) = rule.condition.as_text() else { return false };
    let Ok(parsed) = parse::parse(text.as_str(), CodeKind::Block) else { return false };
    validate::validate(&parsed.body, &parsed.text).is_ok()
        && !matches!(parsed.body.as_slice(), [Stmt::Expr(node)] if node.value.is_constant_expr())
}

/// The part of a rule that ends each of its jobs, and its name in a message.
fn end(rule: &Rule) -> Option<(Span, &'static str)> {
    if let Some(text) = rule.fail.as_ref().filter(|text| !text.value.is_empty()) {
        return Some((text.span, "`fail` in a rule of a destination"));
    }
    let text = rule.execute.as_ref()?;
    let parsed = parse::parse(text.as_str(), CodeKind::Exec).ok()?;
    validate::validate(&parsed.body, &parsed.text).ok()?;
    let plain =
        |statement: &Stmt| matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Assign(_) | Stmt::Expr(_));
    let (Stmt::Raise(last), before) = parsed.body.split_last()? else { return None };
    let raised = match last.exc.as_deref()? {
        Expr::Call(call) => &*call.func,
        raised => raised,
    };
    let name = match raised {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return None,
    };
    let is_other = name.ends_with("Exception") || name.ends_with("Error");
    (is_other && !GOING_ON.contains(&name) && before.iter().all(plain))
        .then_some((text.span, "this exception in a rule of a destination"))
}

/// The tags of a destination, with those of the default.
struct Tags<'a> {
    required: BTreeSet<&'a str>,
    all: BTreeSet<&'a str>,
}

impl<'a> Tags<'a> {
    fn of(config: &'a Config, destination: &'a Entity) -> Self {
        let fields = [Some(destination), default(config, EntityClass::Destination)];
        let lists =
            || fields.into_iter().flatten().filter_map(|one| one.destination.as_ref()).map(|one| &one.dest_tags);
        let required = lists().flat_map(|tags| tags.get(TagType::Require)).map(|tag| tag.as_str()).collect();
        Self { required, all: lists().flat_map(having).map(|tag| tag.as_str()).collect() }
    }

    /// Returns `true` if another destination takes jobs that this one takes: it requires no more, and has what jobs require here.
    fn shares(&self, other: &Self) -> bool {
        other.required.is_subset(&self.required) && self.required.is_subset(&other.all)
    }
}
