//! T301, of roles and users: jobs that get a destination, but not with that role or of that user.

use std::collections::HashSet;

use tpv_analysis::check::{Linter, sample_ids};
use tpv_analysis::dry_job::DryJob;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};

use super::nowhere::with_reasons;
use super::sizes::ORDINARY;
use super::tool::{End, Tool};
use super::trial::{Outcome, Trial};
use super::{names, with_job, with_names};

/// Tries an ordinary job of each kind of tool with each role and as each user of the config.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>]) {
    let config = linter.config;
    let kinds = kinds(tools);
    for class in [EntityClass::Role, EntityClass::User] {
        let ids = sample_ids(config, &trial.rules, class);
        for (entity, id) in config.section(class).values().zip(ids) {
            let Some(id) = id.filter(|_| !entity.common.is_abstract) else { continue };
            if silences(&entity.common.no_qa_codes, Code::NoDestination) {
                continue;
            }
            let Some(finding) = of_one(trial, &kinds, class, entity, &id) else { continue };
            linter.report(finding);
        }
    }
}

/// Tools that get a destination, by what decides on it: all of a kind ask for the same.
fn kinds<'t, 'a>(tools: &'t [Tool<'a>]) -> Vec<Vec<&'t Tool<'a>>> {
    let mut kinds: indexmap::IndexMap<_, Vec<&Tool<'_>>> = indexmap::IndexMap::new();
    for tool in tools {
        let Some(end @ End::Mapped { .. }) = tool.end() else { continue };
        let tags = TagType::ALL.map(|kind| tool.ordinary.tags(kind));
        kinds.entry((format!("{end:?}"), tags)).or_default().push(tool);
    }
    kinds.into_values().collect()
}

fn job(tool: &Tool<'_>, class: EntityClass, id: &str) -> DryJob {
    let mut job = tool.job(ORDINARY);
    match class {
        EntityClass::Role => job.roles = vec![id.to_owned()],
        _ => job.user = Some(id.to_owned()),
    }
    job
}

/// The finding about a role or user.
fn of_one(
    trial: &Trial,
    kinds: &[Vec<&Tool<'_>>],
    class: EntityClass,
    entity: &Entity,
    id: &str,
) -> Option<Finding> {
    let mut lost: Vec<&Tool<'_>> = Vec::new();
    for kind in kinds {
        let Some(first) = kind.first() else { continue };
        if matches!(trial.map(&job(first, class, id))?, Outcome::Nowhere) {
            lost.extend(kind);
        }
    }
    let first = lost.first()?;
    let all: HashSet<usize> = kinds.iter().flatten().map(|tool| tool.index).collect();
    let (_, watched) = trial.watch(&job(first, class, id))?;
    let noun = if class == EntityClass::Role { "with the role" } else { "of the user" };
    let what = match lost.len() {
        count if count == all.len() => "any tool".to_owned(),
        1 => format!("the tool {}", names(&lost)),
        _ => format!("the tools {}", names(&lost)),
    };
    let message = format!("jobs of {what} get no destination {noun} `{}`", entity.id);
    let label = "without it, they get one";
    let label = if class == EntityClass::Role { label } else { "jobs of other users get one" };
    let mut diagnostic = Diagnostic::warning(message).at(entity.span, label);
    diagnostic = with_reasons(diagnostic, &watched);
    if lost.len() < all.len() {
        diagnostic = with_names(diagnostic, &lost);
    }
    diagnostic = with_job(diagnostic, &job(first, class, id));
    let help = "change what it requires, or the destinations that are to take these jobs";
    Some(Finding::new(Code::NoDestination, diagnostic.help(help)))
}
