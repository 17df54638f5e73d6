//! T157: rules of destinations that end the job, although other destinations may take it.
//!
//! `fail`, and each exception but TPV's own two and Galaxy's `JobNotReadyException`, leaves `map_to_destination` of `tpv/core/mapper.py`; no other
//! candidate is tried. A rule that always applies is a switch, and one of a destination that has its jobs for itself is meant. So may be one where limits
//! share the jobs out, one for jobs that no destination takes, and one about tools: they know where they are to go.

use std::collections::{BTreeSet, HashSet};

use tpv_bytecode::CodeKind;
use tpv_compiler::python::syntax::ast::{Expr, Stmt};
use tpv_compiler::python::{parse, validate};

use super::Linter;
use super::tags::{default, having};
use super::unevaluated::{expression, names};
use tpv_config::Config;
use tpv_config::entity::{Entity, Rule};
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// Exceptions after which the job may still come to a destination.
const GOING_ON: [&str; 3] = ["TryNextDestinationOrFail", "TryNextDestinationOrWait", "JobNotReadyException"];

/// The names that a condition may read to be about some jobs of any tool.
const OF_JOBS: [&str; 3] = ["input_size", "user", "job"];

/// Looks at the rules of all destinations that jobs can come to.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let destinations = || config.destinations.values().filter(|destination| !destination.common.is_abstract);
    for destination in destinations() {
        if is_limited(config, destination) {
            continue;
        }
        let own = Tags::of(config, destination);
        for rule in destination.rules.values().filter(|rule| is_for_some(rule)) {
            let Some((span, what)) = end(rule).filter(|(span, _)| !seen.contains(span)) else { continue };
            let mut others = destinations().filter(|other| other.id != destination.id);
            let Some(other) = others.find(|other| {
                own.shares(&Tags::of(config, other)) && !is_limited(config, other) && !ends_too(other, rule)
            }) else {
                continue;
            };
            seen.insert(span);
            let diagnostic = Diagnostic::warning(format!("{what} ends the job, and no other destination is tried"))
                .at(span, format!("`{}` may accept such a job", other.id))
                .also(rule.condition().span, "for each job for which this is true")
                .also(destination.span, "")
                .note("`TryNextDestinationOrFail` of `tpv.core.entities` goes on to the next destination, and fails if none is left")
                .help("write `execute: |`, and below it `from tpv.core.entities import TryNextDestinationOrFail` and `raise TryNextDestinationOrFail('...')`");
            found.push(Finding::new(Code::EndsAtDestination, diagnostic).of(&destination.common.no_qa_codes));
        }
    }
    found.into_iter().for_each(|finding| linter.report(finding));
}

/// Returns `true` if a rule is about sizes, users or jobs, and nothing else. One that applies to every job is a switch.
fn is_for_some(rule: &Rule) -> bool {
    let condition = rule.condition().as_text().and_then(|text| expression(text.as_str()));
    let names = condition.as_ref().map(names).unwrap_or_default();
    !names.is_empty() && names.iter().all(|name| OF_JOBS.contains(&name.as_str()))
}

/// Returns `true` if a destination, or the default, says how much it accepts.
fn is_limited(config: &Config, destination: &Entity) -> bool {
    let fields = [Some(destination), default(config, EntityClass::Destination)];
    fields.into_iter().flatten().any(|one| one.common.amounts.accepted().next().is_some())
}

/// Returns `true` if a destination ends the same jobs.
fn ends_too(other: &Entity, rule: &Rule) -> bool {
    let condition = |rule: &Rule| rule.condition().as_text().map(|text| text.as_str().trim().to_owned());
    let own = condition(rule);
    other.rules.values().any(|other| condition(other) == own && end(other).is_some())
}

/// The part of a rule that ends each of its jobs, and its name in a message.
fn end(rule: &Rule) -> Option<(Span, &'static str)> {
    if let Some(text) = rule.fail().filter(|text| !text.value.is_empty()) {
        return Some((text.span, "`fail` in a rule of a destination"));
    }
    let text = rule.execute()?;
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
        let lists = || fields.into_iter().flatten().filter_map(|one| one.dest_tags.as_deref());
        let required = lists().flat_map(|tags| tags.get(TagType::Require)).map(|tag| tag.as_str()).collect();
        Self { required, all: lists().flat_map(having).map(|tag| tag.as_str()).collect() }
    }

    /// Returns `true` if another destination takes jobs that this one takes: it requires no more, and has what jobs require here.
    fn shares(&self, other: &Self) -> bool {
        other.required.is_subset(&self.required) && self.required.is_subset(&other.all)
    }
}
