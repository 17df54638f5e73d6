//! T304: texts of jobs that the scheduler refuses, or misreads.

use indexmap::IndexMap;
use tpv_analysis::check::Linter;
use tpv_analysis::explain::of_common;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, Field};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;

use super::each::Accepted;
use super::trial::Outcome;
use super::words::{whose, with_job, with_names};
use crate::texts::{Fault, faults};

/// Looks at some jobs of each destination.
pub(super) fn check(linter: &mut Linter<'_>, each: &[Accepted<'_, '_>]) {
    let mut groups: IndexMap<_, (Fault, Vec<&Accepted<'_, '_>>)> = IndexMap::new();
    for one in each.iter().filter(|one| !silences(&one.destination.common.no_qa_codes, Code::RefusedText)) {
        let Outcome::Mapped(answer) = &one.outcome else { continue };
        for fault in faults(answer) {
            let span = place(linter.config, one, &fault.param);
            let key = (span, fault.by, fault.effect, fault.help.clone());
            groups.entry(key).or_insert_with(|| (fault, Vec::new())).1.push(one);
        }
    }
    let findings: Vec<Finding> = groups.iter().map(|((span, ..), (fault, jobs))| finding(*span, fault, jobs)).collect();
    findings.into_iter().for_each(|finding| linter.report(finding));
}

/// The place where a param or variable is set: by the destination, else by the tool.
fn place(config: &Config, one: &Accepted<'_, '_>, name: &str) -> Option<Span> {
    let default = |class| config.default_entity(class).map(|entity| &**entity);
    let destination = [Some(one.destination), default(EntityClass::Destination)];
    let tool = [Some(one.tool.entity), default(EntityClass::Tool)];
    let entities: Vec<&Entity> = destination.into_iter().chain(tool).flatten().collect();
    let mut all = entities.into_iter().flat_map(|entity| entity.commons());
    all.find_map(|common| [Field::Params, Field::Env].into_iter().find_map(|field| of_common(common, field, name)))
}

fn finding(span: Option<Span>, fault: &Fault, jobs: &[&Accepted<'_, '_>]) -> Finding {
    let mut tools: Vec<_> = jobs.iter().map(|one| one.tool).collect();
    tools.dedup_by_key(|tool| tool.index);
    let message = format!("{} in `{}` of jobs {}", fault.message(), fault.param, whose(&tools));
    let destination = jobs.first().map(|one| one.destination);
    let at = span.or_else(|| destination.map(|destination| destination.span)).unwrap_or_default();
    let mut diagnostic = Diagnostic::warning(message).at(at, fault.why.as_str());
    diagnostic = with_names(diagnostic.note(format!("such a job gets `{}`", fault.text)), &tools);
    if let Some(one) = jobs.first() {
        diagnostic = match one.is_alternative {
            true => diagnostic.note(format!(
                "`{}` accepts the job `{}`, but other destinations come first: these were switched off",
                one.destination.id, one.job
            )),
            false => with_job(diagnostic, &one.job),
        };
    }
    Finding::new(Code::RefusedText, diagnostic.help(fault.help.as_str()))
}
