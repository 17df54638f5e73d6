//! T301, of roles and users: jobs that get a destination, but not with that role or of that user.

use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::check::{Linter, sample_ids};
use tpv_analysis::dry_job::DryJob;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::listed::counted;

use super::nowhere::with_reasons;
use super::sizes::ORDINARY;
use super::tool::Tool;
use super::trial::{Outcome, Trial};
use super::words::{names, with_job, with_names};

/// More users than these are not named in a finding.
const MOST_USERS: usize = 12;

/// Tries an ordinary job of each kind of tool with each role and as each user of the config.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>]) {
    let config = linter.config;
    let kinds = kinds(tools, |tool| tool.end().is_some_and(JobEnd::is_accepted));
    let all = kinds.iter().map(Vec::len).sum();
    // Users who are sent to certain destinations, such as those that test these.
    let mut sent = Vec::new();
    for class in [EntityClass::Role, EntityClass::User] {
        let ids = sample_ids(&trial.rules, class);
        for entity in config.section(class).values().filter(|entity| !entity.common.is_abstract) {
            let Some(id) = ids.get(&*entity.id).cloned() else { continue };
            if silences(&entity.common.no_qa_codes, Code::NoDestination) {
                continue;
            }
            let mut person = Person { class, entity, id, lost: Vec::new() };
            person.lost = lost(trial, &kinds, &person);
            if person.lost.is_empty() {
                continue;
            }
            if class == EntityClass::User && person.lost.len() < all && *person.id == *person.entity.id {
                sent.push(person);
            } else if let Some(finding) = of_one(trial, &person, all) {
                linter.report(finding);
            }
        }
    }
    if let Some(finding) = of_sent(trial, &sent) {
        linter.report(finding);
    }
}

/// A role or user, and the tools whose jobs are lost by it.
struct Person<'t, 'a> {
    class: EntityClass,
    entity: &'t Entity,
    id: String,
    lost: Vec<&'t Tool<'a>>,
}

impl Person<'_, '_> {
    fn job(&self, tool: &Tool<'_>) -> DryJob {
        let mut job = tool.job(ORDINARY);
        match self.class {
            EntityClass::Role => job.roles = vec![self.id.clone()],
            _ => job.user = Some(self.id.clone()),
        }
        job
    }
}

/// Tools by what decides on their destinations: all of a kind ask for the same.
pub(super) fn kinds<'t, 'a>(tools: &'t [Tool<'a>], wanted: impl Fn(&Tool<'a>) -> bool) -> Vec<Vec<&'t Tool<'a>>> {
    let mut kinds: indexmap::IndexMap<_, Vec<&Tool<'_>>> = indexmap::IndexMap::new();
    for tool in tools.iter().filter(|tool| tool.index.is_some() && wanted(tool)) {
        let tags = TagType::ALL.map(|kind| tool.ordinary.tags(kind));
        kinds.entry((tool.ordinary.amounts(), tags)).or_default().push(tool);
    }
    kinds.into_values().collect()
}

/// The tools whose jobs get no destination; as far as jobs are left to try.
fn lost<'t, 'a>(trial: &Trial, kinds: &[Vec<&'t Tool<'a>>], person: &Person<'_, '_>) -> Vec<&'t Tool<'a>> {
    let is_lost = |kind: &&Vec<&Tool<'_>>| {
        let outcome = kind.first().and_then(|tool| trial.map(&person.job(tool)));
        matches!(outcome, Some(Outcome::Nowhere))
    };
    kinds.iter().filter(is_lost).flatten().copied().collect()
}

/// The finding about a role or user; `all` tools get a destination without it.
fn of_one(trial: &Trial, person: &Person<'_, '_>, all: usize) -> Option<Finding> {
    let Person { class, entity, lost, .. } = person;
    let first = lost.first()?;
    let job = person.job(first);
    let (_, watched) = trial.watch(&job)?;
    let whose = if *class == EntityClass::Role { "with the role" } else { "of the user" };
    let which = match lost.len() {
        count if count == all => String::new(),
        1 => format!(" of the tool {}", names(lost)),
        _ => format!(" of the tools {}", names(lost)),
    };
    let message = format!("jobs{which} {whose} `{}` get no destination", entity.id);
    let label = match class {
        EntityClass::Role => "without it, they get one",
        _ => "jobs of other users get one",
    };
    let mut diagnostic = with_reasons(Diagnostic::warning(message).at(entity.span, label), &watched);
    if lost.len() < all {
        diagnostic = with_names(diagnostic, lost);
    }
    diagnostic = with_job(diagnostic, &job);
    let help = "change what it requires, or the destinations that are to take these jobs";
    Some(Finding::new(Code::NoDestination, diagnostic.help(help)))
}

/// One finding about users whose jobs of some tools are lost.
fn of_sent(trial: &Trial, sent: &[Person<'_, '_>]) -> Option<Finding> {
    let first = sent.first()?;
    let job = first.lost.first().map(|tool| first.job(tool))?;
    let (_, watched) = trial.watch(&job)?;
    let users: Vec<String> =
        sent.iter().map(|person| format!("`{}` ({} tools)", person.entity.id, person.lost.len())).collect();
    let message = match sent.len() {
        1 => format!("jobs of some tools get no destination for the user `{}`", first.entity.id),
        count => format!("jobs of some tools get no destination for {count} users"),
    };
    let mut diagnostic = Diagnostic::warning(message).at(first.entity.span, "jobs of other users get one");
    diagnostic = diagnostic.note(format!("these are {}", counted(&users, MOST_USERS, "more")));
    diagnostic = with_job(with_reasons(diagnostic, &watched), &job);
    let help =
        "if they only test certain destinations, `# noqa: T301` below their names; else change what they require";
    Some(Finding::new(Code::NoDestination, diagnostic.help(help)))
}
