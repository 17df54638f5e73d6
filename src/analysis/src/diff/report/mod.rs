//! The changes as data for all forms of a report: [`text`], [`markdown`], a [`page`] and JSON, which is this data.

mod markdown;
mod page;
mod text;

use std::collections::HashMap;

use serde::Serialize;
use tpv_model::Quantity;

use super::answers::Detail;
use super::entities::{Change, Changes, Group, Kind};
use super::jobs::{self, Concerned, Outcome, RATIOS, Ratios, split_flow, split_reason};
use crate::quantities;
use crate::summary::{self, Usage};
use tpv_text::figures::{amount, count, grouped};

pub use markdown::markdown;
pub use page::page;
pub use text::text;

/// The changes between two rule sets.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The name given to the old rules.
    pub old: String,
    /// The name given to the new rules.
    pub new: String,
    /// The changes of the config.
    #[serde(flatten)]
    pub changes: Changes,
    /// The changes for jobs, if some were mapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Jobs>,
}

/// The changes for jobs.
#[derive(Clone, Debug, Serialize)]
pub struct Jobs {
    /// `true` if the jobs were made from the rules, so that their totals mean nothing.
    pub made: bool,
    /// The number of lines that are not jobs; no other number includes them.
    pub invalid: u64,
    /// The number of jobs that are mapped by the old rules only, and fail by the new ones.
    pub fail_now: u64,
    /// The number of jobs that fail by the old rules, and are mapped by the new ones.
    pub fail_no_longer: u64,
    /// The number of jobs that fail by both.
    pub fail_still: u64,
    /// All jobs. Sums of resources are of the jobs that both rule sets map, as in all other totals but those of causes.
    pub all: Pair,
    /// The totals of the jobs that only one rule set maps: by the old rules those that fail by the new ones, and the other way round.
    pub apart: Pair,
    /// Those whose answers differ.
    pub differing: Pair,
    /// Those whose answers differ, by cause; errors first, then by number.
    pub causes: Vec<Cause>,
    /// Those of causes past the most that are counted one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_causes: Option<Pair>,
    /// The jobs of each destination; errors are the destination `(error)`.
    pub destinations: Vec<Named>,
    /// Jobs that change destination.
    pub flows: Vec<Flow>,
    /// The jobs whose answers differ, by tool: the most first.
    pub tools: Vec<Named>,
    /// The number of jobs by the ratio of new cores to old ones, unless these are equal.
    pub cores_ratios: Vec<Ratio>,
    /// The same for memory.
    pub mem_ratios: Vec<Ratio>,
}

/// The totals of some jobs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amounts {
    /// The number of jobs.
    pub jobs: u64,
    /// The number of them that end in an error.
    pub errors: u64,
    /// What they were given of each quantity.
    #[serde(flatten, serialize_with = "quantities::by_name")]
    pub given: [f64; Quantity::COUNT],
}

/// The totals of some jobs by the old rules and by the new ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// By the old rules.
    pub old: Amounts,
    /// By the new rules.
    pub new: Amounts,
}

impl Pair {
    /// Each quantity by the old rules and by the new ones.
    fn quantities(&self) -> [(Quantity, f64, f64); Quantity::COUNT] {
        let Self { old, new } = self;
        Quantity::ALL.map(|quantity| (quantity, *quantity.of(&old.given), *quantity.of(&new.given)))
    }

    /// The quantities that differ: `cores 4 -> 8`. Of jobs that fail by one rule set, what the other gives them: `had cores 8`.
    fn changes(&self) -> impl Iterator<Item = String> + use<> {
        let Self { old, new } = *self;
        let differ = self.quantities().into_iter().filter(|(_, old, new)| old != new);
        differ.map(move |(quantity, before, after)| match (old.errors > 0, new.errors > 0) {
            (false, true) => format!("had {}", with_unit(quantity, before)),
            (true, false) => format!("get {}", with_unit(quantity, after)),
            _ => format!("{} {}", quantity.name(), changed(before, after)),
        })
    }
}

/// An amount in words: `8 cores`, `16 GiB`.
fn with_unit(quantity: Quantity, value: f64) -> String {
    format!("{} {}", amount(value), quantity.noun(value))
}

impl Jobs {
    /// The jobs in words: `1,200 jobs`.
    fn counted(&self) -> String {
        let jobs = count(self.all.new.jobs, "job");
        if self.made { format!("{jobs} made from both rule sets") } else { jobs }
    }

    /// The destinations whose jobs differ in number or amounts; none for jobs that were made, which are no load.
    fn moved(&self) -> impl Iterator<Item = &Named> {
        let rows = self.destinations.iter().filter(|_| !self.made);
        rows.filter(|row| row.amounts.old != row.amounts.new)
    }

    /// The jobs that fail, in words; those that did not come first. Empty if none fails by either rule set.
    fn failing(&self) -> Vec<String> {
        let Pair { old, new } = self.apart;
        let held = |word: &str, amounts: &Amounts| {
            let quantities = Pair { old: *amounts, new: *amounts }.quantities().into_iter();
            let given =
                quantities.filter(|(_, value, _)| *value > 0.0).map(|(quantity, value, _)| with_unit(quantity, value));
            let given: Vec<String> = given.collect();
            if given.is_empty() { String::new() } else { format!(": {word} {}", given.join(", ")) }
        };
        let is_one = |jobs: u64| jobs == 1;
        let now = match is_one(self.fail_now) {
            true => format!("1 job fails now and did not before{}", held("it had", &old)),
            false => format!("{} fail now and did not before{}", count(self.fail_now, "job"), held("they had", &old)),
        };
        let no_longer = match is_one(self.fail_no_longer) {
            true => format!("1 job failed before and does no longer{}", held("it gets", &new)),
            false => {
                let jobs = count(self.fail_no_longer, "job");
                format!("{jobs} failed before and do no longer{}", held("they get", &new))
            }
        };
        let fail = if is_one(self.fail_still) { "fails" } else { "fail" };
        let still = format!("{} {fail} as before", count(self.fail_still, "job"));
        let all = [(self.fail_now, now), (self.fail_no_longer, no_longer), (self.fail_still, still)];
        all.into_iter().filter(|(jobs, _)| *jobs > 0).map(|(_, words)| words).collect()
    }
}

/// Tells which jobs the totals count, if not all.
fn about_totals(jobs: &Jobs) -> Option<String> {
    let both = jobs.all.new.jobs.saturating_sub(jobs.fail_now + jobs.fail_no_longer + jobs.fail_still);
    (both < jobs.all.new.jobs).then(|| format!("resources of the {} that both rules map", count(both, "job")))
}

/// What a total of a quantity is called, with its unit.
fn caption(quantity: Quantity) -> String {
    let unit = quantity.unit().map(|unit| format!(", {unit}"));
    format!("{}{}", quantity.name(), unit.unwrap_or_default())
}

/// The totals of a destination or a tool.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// The totals of its jobs.
    #[serde(flatten)]
    pub amounts: Pair,
}

/// Jobs that change destination.
#[derive(Clone, Debug, Serialize)]
pub struct Flow {
    /// The old destination.
    pub from: String,
    /// The new destination.
    pub to: String,
    /// The number of jobs.
    pub jobs: u64,
}

/// The number of jobs with a ratio.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ratio {
    /// The ratio is at least this; nothing where there is no bound.
    pub from: Option<f64>,
    /// The ratio is less than this.
    pub below: Option<f64>,
    /// The number of jobs.
    pub jobs: u64,
}

/// Jobs whose answers differ for one cause.
#[derive(Clone, Debug, Serialize)]
pub struct Cause {
    /// The cause they share.
    pub cause: String,
    /// The changes of the config that concern them; those of most jobs first, and of these the more particular.
    pub reasons: Vec<Reason>,
    /// Their totals.
    #[serde(flatten)]
    pub amounts: Pair,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// A change of the config or of TPV that concerns jobs whose answers differ.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    /// Its index in `groups`, if it is one of the config.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// The version of TPV that has it first, if it is one of TPV.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpv: Option<String>,
    /// The same in words, such as ``tools `bwa`: cores 4 -> 8 (tools.yml:12)``.
    pub because: String,
    /// The number of the cause's jobs that it concerns.
    pub jobs: u64,
    /// Of how many of these it says the very thing that differs; code may make other things of it.
    pub direct: u64,
}

/// A job whose answers differ.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    /// The number of its line in the job file.
    pub line: u64,
    /// Its id.
    pub id: serde_json::Value,
    /// Its tool.
    pub tool: String,
    /// The differences.
    pub differ: Vec<Detail>,
}

fn amounts(usage: &Usage) -> Amounts {
    Amounts { jobs: usage.jobs, errors: usage.errors, given: Quantity::ALL.map(|quantity| usage.sum(quantity)) }
}

fn pair(change: &summary::Change) -> Pair {
    Pair { old: amounts(&change.old), new: amounts(&change.new) }
}

impl Jobs {
    /// Creates the report of an outcome, with the changes that its groups refer to.
    pub fn new(outcome: &Outcome, changes: &Changes, made: bool) -> Self {
        let mut reasons: HashMap<&str, Vec<Reason>> = HashMap::new();
        let counted = outcome.reasons.rows();
        for (name, concerned) in &counted.rows {
            let Some((named, cause)) = split_reason(name) else { continue };
            let (group, tpv, because) = match named {
                jobs::Named::Group(index) => {
                    let Some(group) = changes.groups.get(index) else { continue };
                    (Some(index), None, because(group))
                }
                jobs::Named::Tpv(change) => (None, Some(change.since().to_string()), because_of_tpv(change)),
            };
            let Concerned { jobs, direct } = *concerned;
            reasons.entry(cause).or_default().push(Reason { group, tpv, because, jobs, direct });
        }
        let sums = outcome.causes.rows();
        let causes = sums.rows.iter().map(|(cause, sum)| {
            let mut reasons = reasons.remove(cause).unwrap_or_default();
            let entities = |reason: &Reason| {
                reason.group.and_then(|group| changes.groups.get(group)).map_or(0, |group| group.entities.len())
            };
            reasons.sort_by_cached_key(|reason| {
                let count = std::cmp::Reverse((reason.direct, reason.jobs));
                (count, entities(reason), reason.group, reason.because.clone())
            });
            let example = |example: &super::jobs::Example| Example {
                line: example.line,
                id: serde_json::from_str(&example.id).unwrap_or_else(|_| example.id.clone().into()),
                tool: example.tool.clone(),
                differ: example.details.clone(),
            };
            let examples = sum.examples.iter().map(example).collect();
            Cause { cause: (*cause).to_owned(), reasons, amounts: pair(&sum.change), examples }
        });
        let mut causes: Vec<Cause> = causes.collect();
        let order = |cause: &Cause| {
            let Pair { old, new } = cause.amounts;
            (
                new.errors <= old.errors,
                new.errors == old.errors,
                !cause.cause.starts_with("error: "),
                std::cmp::Reverse(new.jobs),
                cause.cause.clone(),
            )
        };
        causes.sort_by_cached_key(order);
        let named = |table: &crate::summary::table::Table<summary::Change>| -> Vec<Named> {
            let rows = table.rows();
            let most = |change: &summary::Change| change.old.jobs.max(change.new.jobs);
            rows.most_first(most)
                .into_iter()
                .map(|(id, change)| Named { id: id.to_owned(), amounts: pair(change) })
                .collect()
        };
        let flows = outcome.flows.rows();
        let flow = |(name, change): (&str, &summary::Change)| {
            let (from, to) = split_flow(name);
            Flow { from: from.to_owned(), to: to.to_owned(), jobs: change.new.jobs }
        };
        let (fail_now, fail_no_longer) = (outcome.only_old.jobs, outcome.only_new.jobs);
        Self {
            made,
            invalid: outcome.invalid,
            fail_now,
            fail_no_longer,
            fail_still: outcome.all.new.errors.saturating_sub(fail_now),
            all: pair(&outcome.all),
            apart: Pair { old: amounts(&outcome.only_old), new: amounts(&outcome.only_new) },
            differing: pair(&outcome.differing),
            causes,
            other_causes: sums.others.as_ref().map(|others| pair(&others.change)),
            destinations: named(&outcome.destinations),
            flows: flows.most_first(|change| change.new.jobs).into_iter().map(flow).collect(),
            tools: named(&outcome.tools),
            cores_ratios: ratios(&outcome.cores),
            mem_ratios: ratios(&outcome.mem),
        }
    }
}

fn ratios(counts: &Ratios) -> Vec<Ratio> {
    let from = std::iter::once(None).chain(RATIOS.into_iter().map(Some));
    let below = RATIOS.into_iter().map(Some).chain(std::iter::once(None));
    from.zip(below).zip(counts).map(|((from, below), jobs)| Ratio { from, below, jobs: *jobs }).collect()
}

impl Report {
    /// Returns `true` if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.groups.is_empty() && self.jobs.as_ref().is_none_or(|jobs| jobs.differing.new.jobs == 0)
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// None that data of this kind has.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// The number of entities, changes or places named before the rest is only counted.
const MOST_NAMES: usize = 5;

/// The first of some names, each between backticks, and how many more there are.
fn names(all: &[String], most: usize) -> String {
    let first: Vec<String> = all.iter().take(most).map(|name| format!("`{name}`")).collect();
    let first = first.join(", ");
    match all.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A group of changes in one line, as the reason for what became of jobs.
fn because(group: &Group) -> String {
    const MOST: usize = 2;
    let changes: Vec<String> = group.changes.iter().take(MOST).map(one_line).collect();
    let mut text = format!("{} {}: {}", group.section, names(&group.entities, MOST), changes.join("; "));
    if group.changes.len() > MOST {
        text += &format!("; and {} more", group.changes.len() - MOST);
    }
    text
}

/// A change of TPV in one line, with what keeps the old answer.
fn because_of_tpv(change: tpv_model::Change) -> String {
    let keep = change.keep().map(|keep| format!(". To keep the old answer, {keep}"));
    let (since, about, before, after) = (change.since(), change.about(), change.before(), change.after());
    format!("TPV {since}, {about}: {after}; before, {before}{}", keep.unwrap_or_default())
}

/// A change in one line.
fn one_line(change: &Change) -> String {
    let at = place(change).map(|place| format!(" ({place})")).unwrap_or_default();
    let what = match change.kind {
        Kind::Added => "added".to_owned(),
        Kind::Removed => "removed".to_owned(),
        Kind::Renamed => format!("renamed from `{}`", change.old.as_deref().unwrap_or_default()),
        Kind::RuleAdded => format!("rule `{}` added", change.rule.as_deref().unwrap_or_default()),
        Kind::RuleRemoved => format!("rule `{}` removed", change.rule.as_deref().unwrap_or_default()),
        Kind::RuleOrder | Kind::EnvOrder | Kind::LookupOrder | Kind::DestinationOrder => {
            format!("{}: {}", order(change.kind), arrow(&change.old, &change.new))
        }
        Kind::Unreachable => format!("can never go to {} now", change.old.as_deref().unwrap_or_default()),
        Kind::Reachable => format!("may go to {} now", change.new.as_deref().unwrap_or_default()),
        Kind::Field => {
            let rule = change.rule.as_ref().map(|rule| match field_of(change) {
                // A rule without a name is called by its condition, which is what changed.
                "if" if rule.starts_with("if ") => "a rule: ".to_owned(),
                _ => format!("rule `{rule}`: "),
            });
            let rule = rule.unwrap_or_default();
            format!("{rule}{} {}", field_of(change), arrow(&change.old, &change.new))
        }
    };
    what + &at
}

fn field_of(change: &Change) -> &str {
    change.field.as_deref().unwrap_or_default()
}

/// The items whose order changed.
fn order(kind: Kind) -> &'static str {
    match kind {
        Kind::RuleOrder => "order of rules",
        Kind::EnvOrder => "order of env",
        Kind::LookupOrder => "order of lookup",
        _ => "order of destinations",
    }
}

/// The location of the new value, or that of the old one if there is none.
fn place(change: &Change) -> Option<String> {
    let places = if change.new_places.is_empty() { &change.old_places } else { &change.new_places };
    let first = places.first()?;
    Some(match places.len() - 1 {
        0 => first.clone(),
        1 => format!("{first} and one more place"),
        more => format!("{first} and {more} more places"),
    })
}

/// Both values, of long ones what is around the first difference.
pub fn arrow(old: &Option<String>, new: &Option<String>) -> String {
    const BEFORE: usize = 20;
    let (before, after) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
    let same = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
    let is_long = |text: &str| text.chars().count() > MOST_VALUE;
    let skipped = if is_long(before) || is_long(after) { same.saturating_sub(BEFORE) } else { 0 };
    let value = |value: &Option<String>| match value {
        None => "not set".to_owned(),
        Some(text) if skipped == 0 => short(text),
        Some(text) => format!("... {}", short(&text.chars().skip(skipped).collect::<String>())),
    };
    format!("{} -> {}", value(old), value(new))
}

/// The most characters of a value in one line.
const MOST_VALUE: usize = 80;

/// A value in one line, cut where it is long.
fn short(text: &str) -> String {
    let text = text.trim();
    let line: String =
        text.chars().take(MOST_VALUE).map(|char| if char.is_whitespace() { ' ' } else { char }).collect();
    if line.len() < text.len() { line + " ..." } else { line }
}

/// The change of a sum: `12 -> 15 (+25 %)`.
fn changed(old: f64, new: f64) -> String {
    let percent = (new - old) / old * 100.0;
    if old == new {
        return amount(old);
    }
    let share = if old > 0.0 && percent.abs() >= 0.05 { format!(" ({percent:+.1} %)") } else { String::new() };
    format!("{} -> {}{share}", amount(old), amount(new))
}

/// A number of entities.
fn whole(number: usize) -> String {
    grouped(number as u64)
}

/// A note on the number of lines left out.
fn left_out(lines: u64) -> String {
    let are = if lines == 1 { "is not a job" } else { "are not jobs" };
    format!("{} of the job file {are} and left out", count(lines, "line"))
}
