//! T301 and T302, of roles and users: jobs that get a destination, but not with that role or of that user.

use indexmap::IndexMap;
use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::check::{Linter, sample_ids};
use tpv_analysis::dry_job::DryJob;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::figures::count;
use tpv_text::finding::{Finding, silences};
use tpv_text::listed::counted;
use tpv_text::source::Span;

use super::nowhere::{Reasons, reasons, with_reasons};
use super::raises;
use super::sizes::ORDINARY;
use super::tool::{Tool, whole};
use super::trial::{Outcome, Trial, Watched};
use super::words::{names, with_job, with_names};

/// More roles or users than these are not named in a finding.
const MOST_PEOPLE: usize = 12;

/// More of them than these are counted in the message.
const MOST_IN_MESSAGE: usize = 2;

/// The facts that findings of several roles, or users, share: which tools, and why.
type Loss = (EntityClass, Vec<Option<usize>>, Reasons);

/// Tries an ordinary job of each kind of tool with each role and as each user of the config. Adds jobs that raise to the findings about others, if these
/// have none at the same place.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>], raises: &mut Vec<Finding>) {
    let config = linter.config;
    let kinds = kinds(tools, |tool| tool.end().is_some_and(JobEnd::is_accepted));
    let all = kinds.iter().map(Vec::len).sum();
    // Users who are sent to certain destinations, such as those that test these.
    let mut sent = Vec::new();
    let mut groups: IndexMap<Loss, (Watched, Vec<Person<'_, '_>>)> = IndexMap::new();
    // By place and error, each once.
    let mut raising: IndexMap<(Span, String), Finding> = IndexMap::new();
    for class in [EntityClass::Role, EntityClass::User] {
        let ids = sample_ids(&trial.rules, class);
        for entity in config.section(class).values().filter(|entity| !entity.common.is_abstract) {
            let Some(id) = ids.get(&*entity.id).cloned() else { continue };
            let mut person = Person { class, entity, id, lost: Vec::new() };
            let (lost, failing) = person.ends(trial, &kinds);
            raising.extend(failing.iter().find_map(|tool| raised(linter, trial, &person, tool)));
            if lost.is_empty() || silences(&entity.common.no_qa_codes, Code::NoDestination) {
                continue;
            }
            person.lost = lost;
            if class == EntityClass::User && person.lost.len() < all && *person.id == *person.entity.id {
                sent.push(person);
            } else if let Some(watched) = person.watched(trial) {
                let tools = person.lost.iter().map(|tool| tool.index).collect();
                let group = groups.entry((class, tools, reasons(&watched)));
                group.or_insert_with(|| (watched, Vec::new())).1.push(person);
            }
        }
    }
    for finding in groups.values().filter_map(|(watched, people)| of_alike(people, watched, all)) {
        linter.report(finding);
    }
    if let Some(finding) = of_sent(trial, &sent) {
        linter.report(finding);
    }
    raising.retain(|(span, _), _| !raises.iter().any(|finding| finding.span() == Some(*span)));
    raises.extend(raising.into_values());
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

    /// The tools whose jobs get no destination, and one of each kind whose jobs end in an exception; as far as jobs are left to try.
    fn ends<'t, 'a>(&self, trial: &Trial, kinds: &[Vec<&'t Tool<'a>>]) -> (Vec<&'t Tool<'a>>, Vec<&'t Tool<'a>>) {
        let (mut lost, mut failing) = (Vec::new(), Vec::new());
        for kind in kinds {
            let Some(first) = kind.first().copied() else { continue };
            match trial.map(&self.job(first)) {
                Some(Outcome::Nowhere) => lost.extend(kind),
                Some(Outcome::Raised) => failing.push(first),
                _ => {}
            }
        }
        (lost, failing)
    }

    /// One of the jobs that are lost.
    fn any_job(&self) -> Option<DryJob> {
        self.lost.first().map(|tool| self.job(tool))
    }

    /// The mapping of that job.
    fn watched(&self, trial: &Trial) -> Option<Watched> {
        trial.watch(&self.any_job()?).map(|(_, watched)| watched)
    }
}

/// Tools by what decides on their destinations: all of a kind ask for the same.
pub(super) fn kinds<'t, 'a>(tools: &'t [Tool<'a>], wanted: impl Fn(&Tool<'a>) -> bool) -> Vec<Vec<&'t Tool<'a>>> {
    let mut kinds: IndexMap<_, Vec<&Tool<'_>>> = IndexMap::new();
    for tool in tools.iter().filter(|tool| tool.index.is_some() && wanted(tool)) {
        let tags = TagType::ALL.map(|kind| tool.ordinary.tags(kind));
        kinds.entry((tool.ordinary.amounts(), tags)).or_default().push(tool);
    }
    kinds.into_values().collect()
}

/// The finding about a tool whose jobs end in an exception for a role or user, with its place and error.
fn raised(
    linter: &Linter<'_>,
    trial: &Trial,
    person: &Person<'_, '_>,
    tool: &Tool<'_>,
) -> Option<((Span, String), Finding)> {
    if silences(&person.entity.common.no_qa_codes, Code::RaisesForOrdinary) {
        return None;
    }
    let (job, outcome, watched) = whole(trial, person.job(tool))?;
    if !matches!(outcome, Outcome::Raised)
        || watched.is_unavailable()
        || job.params.len() > tool.job(ORDINARY).params.len()
    {
        return None;
    }
    let (error, span) = raises::raised(linter, &watched);
    let at = span.unwrap_or(person.entity.span);
    let noun = person.class.noun();
    let whose = if person.class == EntityClass::Role { "with the role" } else { "of the user" };
    let message = format!("jobs of the tool {} {whose} `{}` end in `{error}`", tool.name(), person.entity.id);
    let label = if span.is_some() { "raised here" } else { "jobs of others get a destination" };
    let class = error.split(':').next().unwrap_or_default().to_owned();
    let help = match class.as_str() {
        "IncompatibleTagsException" => {
            format!("one requires a tag that the other rejects: change the tool's or those of the {noun}")
        }
        _ => "make the code work for such a job: what only some jobs have needs a default".to_owned(),
    };
    let diagnostic = with_job(Diagnostic::warning(message).at(at, label), &job).help(help);
    Some(((at, class), Finding::new(Code::RaisesForOrdinary, diagnostic)))
}

/// The finding about roles, or about users, that lose the same tools for the same reasons; `all` tools get a destination without them.
fn of_alike(people: &[Person<'_, '_>], watched: &Watched, all: usize) -> Option<Finding> {
    let first = people.first()?;
    let lost = &first.lost;
    let ids: Vec<String> = people.iter().map(|person| format!("`{}`", person.entity.id)).collect();
    let (label, whose, others) = match (first.class, people.len()) {
        (EntityClass::Role, 1) => ("without it, they get one", "with the role", "roles"),
        (EntityClass::Role, _) => ("without any of these, they get one", "with any of the roles", "roles"),
        (_, 1) => ("jobs of other users get one", "of the user", "users"),
        _ => ("jobs of other users get one", "of the users", "users"),
    };
    let which = match lost.len() {
        count if count == all => String::new(),
        1 => format!(" of the tool {}", names(lost)),
        _ => format!(" of the tools {}", names(lost)),
    };
    let message = format!("jobs{which} {whose} {} get no destination", counted(&ids, MOST_IN_MESSAGE, "others"));
    let mut diagnostic = with_reasons(Diagnostic::warning(message).at(first.entity.span, label), watched);
    if ids.len() > MOST_IN_MESSAGE + 1 {
        diagnostic = diagnostic.note(format!("the {others} are {}", counted(&ids, MOST_PEOPLE, "more")));
    }
    if lost.len() < all {
        diagnostic = with_names(diagnostic, lost);
    }
    diagnostic = with_job(diagnostic, &first.any_job()?);
    let they = if people.len() == 1 { "it requires" } else { "they require" };
    let help = format!("change what {they}, or the destinations that are to take these jobs");
    Some(Finding::new(Code::NoDestination, diagnostic.help(help)))
}

/// One finding about users whose jobs of some tools are lost.
fn of_sent(trial: &Trial, sent: &[Person<'_, '_>]) -> Option<Finding> {
    let first = sent.first()?;
    let (job, watched) = (first.any_job()?, first.watched(trial)?);
    let tools = |person: &Person<'_, '_>| count(person.lost.len() as u64, "tool");
    let users: Vec<String> = sent.iter().map(|person| format!("`{}` ({})", person.entity.id, tools(person))).collect();
    let message = match sent.len() {
        1 => format!("jobs of some tools get no destination for the user `{}`", first.entity.id),
        count => format!("jobs of some tools get no destination for {count} users"),
    };
    let mut diagnostic = Diagnostic::warning(message).at(first.entity.span, "jobs of other users get one");
    diagnostic = diagnostic.note(format!("these are {}", counted(&users, MOST_PEOPLE, "more")));
    diagnostic = with_job(with_reasons(diagnostic, &watched), &job);
    let help =
        "if they only test certain destinations, `# noqa: T301` below their names; else change what they require";
    Some(Finding::new(Code::NoDestination, diagnostic.help(help)))
}
