//! The clusters behind destinations: what `capacity.yml` says, and reading it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tpv_analysis::cases::fields::{Fields, fields, items, json_of, wrong_kind};
use tpv_analysis::cases::keys::Kind;
use tpv_analysis::schema::capacity::{CAPACITY, CLOSED, CLUSTER, NODES};
use tpv_galaxy::json::Json;
use tpv_galaxy::world::microseconds;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::{SourceId, SourceMap, Span};
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::{ConfigValue, ValueKind};

use crate::amount::{Amount, Time, time, whole};

/// All clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// The clusters, in the order of the file.
    pub clusters: Vec<ClusterSpec>,
}

/// A cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterSpec {
    /// Its name.
    pub name: String,
    /// The ids of its destinations, in which `*` stands for any text.
    pub destinations: Vec<String>,
    /// Its nodes; one if it is a whole.
    pub nodes: Vec<Amount>,
    /// `true` if the file names nodes, and not the cluster as a whole.
    #[serde(default)]
    pub is_nodes: bool,
    /// The order of its queue.
    pub discipline: Discipline,
    /// The time from when a job gets its cores until it runs.
    pub start_delay: Time,
    /// Times in which no job starts: from and, unless it stays closed, to.
    pub closed: Vec<(Time, Option<Time>)>,
}

/// The order in which jobs of a queue start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Discipline {
    /// The first waits until it fits, and all others behind it.
    Fifo,
    /// EASY backfill: later ones start that do not delay the first.
    Backfill,
}

/// More nodes than any cluster has.
const MOST_NODES: usize = 100_000;

impl ClusterSpec {
    /// A cluster of this name as a whole, with backfill.
    pub fn whole(name: &str, destinations: &[&str], has: Amount) -> Self {
        Self {
            name: name.to_owned(),
            destinations: destinations.iter().map(|id| (*id).to_owned()).collect(),
            nodes: vec![has],
            is_nodes: false,
            discipline: Discipline::Backfill,
            start_delay: 0,
            closed: Vec::new(),
        }
    }

    /// Changes the number of its nodes.
    fn set_nodes(&mut self, value: f64) -> Result<(), String> {
        let name = &self.name;
        let node = match self.nodes.as_slice() {
            [first, others @ ..] if self.is_nodes && others.iter().all(|other| other == first) => *first,
            _ if !self.is_nodes => {
                return Err(format!(
                    "the cluster `{name}` has no nodes: only amounts of the whole, such as `cores`, can be varied"
                ));
            }
            _ => {
                return Err(format!(
                    "the nodes of the cluster `{name}` are not alike, so it is not known which to vary"
                ));
            }
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is checked")]
        let count = if value.fract() == 0.0 && (1.0..=MOST_NODES as f64).contains(&value) {
            value as usize
        } else {
            return Err(format!("a cluster has from 1 to 100,000 nodes, not {value}"));
        };
        self.nodes = vec![node; count];
        Ok(())
    }

    /// All that it has.
    pub fn total(&self) -> Amount {
        self.nodes.iter().fold(Amount::default(), |sum, node| sum.plus(node))
    }
}

impl Capacity {
    /// The index of the cluster of a destination: the first that names it as it is, or else the first with a fitting pattern.
    pub fn cluster_of(&self, destination: &str) -> Option<usize> {
        let with = |fits: &dyn Fn(&str) -> bool| {
            self.clusters.iter().position(|cluster| cluster.destinations.iter().any(|id| fits(id)))
        };
        with(&|id| id == destination).or_else(|| with(&|id| id.contains('*') && matches(id, destination)))
    }

    /// Changes an amount of a cluster as a whole, or of each of its nodes: `cores`, `mem` in GiB, `gpus`, `jobs`; or the number of its `nodes`.
    /// GPUs are changed on the nodes that have some, if only some have.
    ///
    /// # Errors
    /// There is no such cluster or amount, or the nodes are not alike and their number is to change.
    pub fn set(&mut self, cluster: &str, amount: &str, value: f64) -> Result<(), String> {
        let names = self.clusters.iter().map(|known| known.name.clone()).collect::<Vec<_>>().join("`, `");
        let Some(found) = self.clusters.iter_mut().find(|known| known.name == cluster) else {
            return Err(format!("the capacity has no cluster `{cluster}`, but `{names}`"));
        };
        if amount == "nodes" {
            return found.set_nodes(value);
        }
        let only_gpus = amount == "gpus" && found.nodes.iter().any(Amount::has_gpus);
        for node in found.nodes.iter_mut().filter(|node| !only_gpus || node.has_gpus()) {
            match amount {
                "cores" => node.cores = whole(value, 1000.0),
                "mem" => node.mem = whole(value, 1024.0),
                "gpus" => node.gpus = whole(value, 1000.0),
                "jobs" => node.jobs = whole(value, 1.0),
                _ => {
                    return Err(format!("a cluster has no `{amount}`, but `cores`, `mem`, `gpus`, `jobs` and `nodes`"));
                }
            }
        }
        Ok(())
    }
}

/// Returns `true` if a pattern with `*` fits a text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = text.get(at + part.len()..).unwrap_or_default();
    }
    text.ends_with(last)
}

/// Reads a capacity file that is among the sources. `known` are the ids of the config's destinations, if the rules name them. `None`
/// if the file has a problem, which is added to `problems`.
pub fn read(
    sources: &SourceMap,
    id: SourceId,
    known: Option<&[String]>,
    problems: &mut Diagnostics,
) -> Option<Capacity> {
    let before = problems.errors();
    let document = tpv_yaml::load(sources, id, problems)?;
    let root = fields(&document.root, &CAPACITY, "a capacity file", problems)?;
    let mut reading = Reading { problems, known, named: Vec::new() };
    let mut capacity = Capacity::default();
    match root.get("clusters").and_then(ConfigValue::as_map) {
        Some(clusters) => {
            for entry in &clusters.entries {
                let name = entry.key.python_str();
                if let Some(found) = fields(&entry.value, &CLUSTER, &format!("the cluster `{name}`"), reading.problems)
                {
                    capacity.clusters.push(reading.cluster(&name, &entry.key, &found));
                }
            }
            reading.check_destinations();
        }
        None => {
            let help = "write `clusters:`, and below it `slurm: {destinations: [slurm], cores: 1000, mem: 4000}`";
            let problem = Diagnostic::error("the file has no clusters").at(document.root.span, "");
            reading.problems.push(problem.help(help));
        }
    }
    (problems.errors() == before).then_some(capacity)
}

struct Reading<'r> {
    problems: &'r mut Diagnostics,
    known: Option<&'r [String]>,
    /// The ids of all destinations.
    named: Vec<Mention>,
}

/// The id of a destination, or a pattern, in a cluster.
struct Mention {
    id: String,
    cluster: String,
    span: Span,
}

impl Reading<'_> {
    fn wrong(&mut self, message: String, at: &ConfigValue, label: &str, help: &str) {
        self.problems.push(Diagnostic::error(message).at(at.span, label).help(help));
    }

    fn cluster(&mut self, name: &str, key: &ConfigValue, found: &Fields<'_>) -> ClusterSpec {
        let destinations = self.destinations(name, key, found);
        let mut nodes = Vec::new();
        match found.entry("nodes") {
            Some(entry) => {
                if let Some(amount) = ["cores", "mem", "gpus", "jobs"].iter().find_map(|name| found.entry(name)) {
                    self.wrong(
                        format!("the cluster `{name}` has both nodes and an amount of its own"),
                        &amount.key,
                        "",
                        "name the amounts of each node, or of the cluster as a whole",
                    );
                }
                for item in items(&entry.value) {
                    let Some(group) = fields(item, &NODES, "nodes", self.problems) else { continue };
                    let has = self.amount(&group);
                    let count = group.get("count").map_or(Some(1), |value| self.count(value, "count"));
                    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
                    if nodes.len().saturating_add(count) > MOST_NODES {
                        let message = format!("the cluster `{name}` has more than 100,000 nodes");
                        self.wrong(message, item, "", "name fewer, larger nodes");
                        continue;
                    }
                    nodes.extend(std::iter::repeat_n(has, count));
                }
                // Whoever names the GPUs of some nodes means that the others have none.
                if nodes.iter().any(|node: &Amount| node.gpus < Amount::WITHOUT_LIMIT.gpus) {
                    let others = nodes.iter_mut().filter(|node| node.gpus == Amount::WITHOUT_LIMIT.gpus);
                    others.for_each(|node| node.gpus = 0);
                }
                if nodes.is_empty() {
                    let help = "write `nodes: [{count: 10, cores: 64, mem: 256}]`";
                    self.wrong(format!("the cluster `{name}` has no nodes"), &entry.value, "", help);
                }
            }
            None => nodes.push(self.amount(found)),
        }
        let discipline = match found.get("discipline") {
            Some(value) if value.as_str() == Some("fifo") => Discipline::Fifo,
            Some(value) if value.as_str() != Some("backfill") => {
                let message = format!("`{}` is no discipline of a queue", value.python_str());
                self.wrong(message, value, "", "write `fifo` or `backfill`");
                Discipline::Backfill
            }
            _ => Discipline::Backfill,
        };
        let delay = found.get("start_delay").and_then(|value| self.number(value, "start_delay"));
        let mut closed: Vec<(Time, Option<Time>)> = Vec::new();
        for item in found.get("closed").map_or(&[][..], items) {
            closed.extend(self.closed(item));
        }
        closed.sort_unstable();
        ClusterSpec {
            name: name.to_owned(),
            destinations,
            nodes,
            is_nodes: found.entry("nodes").is_some(),
            discipline,
            start_delay: time(delay.unwrap_or_default()),
            closed,
        }
    }

    fn destinations(&mut self, name: &str, key: &ConfigValue, found: &Fields<'_>) -> Vec<String> {
        let Some(value) = found.get("destinations") else {
            let help = format!("write `destinations: [{name}]`, with the ids of the destinations that share it");
            self.wrong(format!("the cluster `{name}` has no destinations"), key, "", &help);
            return Vec::new();
        };
        let mut ids = Vec::new();
        for item in items(value) {
            let Some(id) = item.as_str() else {
                self.problems.push(wrong_kind("the id of a destination", &[Kind::Text], item));
                continue;
            };
            self.named.push(Mention { id: id.to_owned(), cluster: name.to_owned(), span: item.span });
            ids.push(id.to_owned());
        }
        if items(value).is_empty() {
            let help = format!("write `destinations: [{name}]`");
            self.wrong(format!("the cluster `{name}` has no destinations"), value, "", &help);
        }
        ids
    }

    /// Checks that the rules have each destination, and that each is in one cluster.
    fn check_destinations(&mut self) {
        let all = std::mem::take(&mut self.named);
        let mut clusters: HashMap<&str, &Mention> = HashMap::new();
        for mention in &all {
            let first = *clusters.entry(&mention.id).or_insert(mention);
            if first.cluster != mention.cluster {
                self.in_two(&mention.id, first, mention);
            }
        }
        for id in self.known.unwrap_or_default().iter().filter(|id| !clusters.contains_key(id.as_str())) {
            let mut patterns = all.iter().filter(|mention| mention.id.contains('*') && matches(&mention.id, id));
            let Some(first) = patterns.next() else { continue };
            // The same pattern twice is reported above.
            if let Some(other) = patterns.find(|other| other.cluster != first.cluster && other.id != first.id) {
                self.in_two(id, first, other);
            }
        }
        for mention in &all {
            self.check_known(mention, &clusters);
        }
    }

    fn in_two(&mut self, destination: &str, first: &Mention, second: &Mention) {
        let (one, other) = (&first.cluster, &second.cluster);
        let message = format!("the destination `{destination}` is in two clusters: `{one}` and `{other}`");
        let problem = Diagnostic::error(message).at(second.span, "").also(first.span, "it is here, too");
        self.problems.push(problem.help("name it in the cluster on which its jobs run"));
    }

    /// Refuses a misspelt destination. Other destinations that the rules lack, such as those of a history, get no jobs.
    fn check_known(&mut self, mention: &Mention, named: &HashMap<&str, &Mention>) {
        let Some(known) = self.known else { return };
        let id = mention.id.as_str();
        if known.iter().any(|known| known == id || matches(id, known)) {
            return;
        }
        let free = known.iter().map(String::as_str).filter(|known| !named.contains_key(known));
        let message = format!("the rules have no destination `{id}`");
        self.problems.push(match closest(id, free) {
            Some(near) => Diagnostic::error(message).at(mention.span, "").help(did_you_mean(near)),
            None => Diagnostic::warning(message)
                .at(mention.span, "it gets no jobs")
                .help("name a destination of the config that is not abstract, or remove it"),
        });
    }

    fn amount(&mut self, found: &Fields<'_>) -> Amount {
        let mut of = |name: &'static str, parts: f64| match found.get(name) {
            None => Amount::WITHOUT_LIMIT.jobs,
            Some(value) => match self.number(value, name) {
                Some(0.0) if name != "gpus" => {
                    let help = "name what it has, or leave the line out for no limit";
                    self.wrong(format!("with `{name}: 0` no job can ever start"), value, "", help);
                    0
                }
                number => whole(number.unwrap_or_default(), parts),
            },
        };
        Amount { cores: of("cores", 1000.0), mem: of("mem", 1024.0), gpus: of("gpus", 1000.0), jobs: of("jobs", 1.0) }
    }

    /// A number of at least 0.
    fn number(&mut self, value: &ConfigValue, name: &str) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "an amount")]
        let number = match value.kind {
            ValueKind::Int(number) => number as f64,
            ValueKind::Float(number) => number,
            _ => f64::NAN,
        };
        if number.is_finite() && number >= 0.0 {
            return Some(number);
        }
        self.wrong(format!("`{name}` must be a number of at least 0"), value, "", "write such as `64` or `1.5`");
        None
    }

    fn count(&mut self, value: &ConfigValue, name: &str) -> Option<u64> {
        match value.kind {
            ValueKind::Int(number @ 1..) => u64::try_from(number).ok(),
            _ => {
                self.wrong(format!("`{name}` must be a whole number of at least 1"), value, "", "write such as `10`");
                None
            }
        }
    }

    /// A time in which a cluster is closed.
    fn closed(&mut self, item: &ConfigValue) -> Option<(Time, Option<Time>)> {
        let help = "write such as `{from: 2026-03-06T18:00, to: 2026-03-09T08:00}`";
        let Some(map) = item.as_map() else {
            self.wrong("a time in `closed` must be a mapping".to_owned(), item, "", help);
            return None;
        };
        let (mut from, mut to) = (None, None);
        for entry in &map.entries {
            let name = entry.key.python_str();
            if CLOSED.field(&name).is_none() {
                self.wrong(format!("`{name}` is not a field of `closed`"), &entry.key, "", "expected `from` or `to`");
                continue;
            }
            let moment = match json_of(&entry.value) {
                Json::Str(text) => microseconds(&text).or_else(|| microseconds(&format!("{text}T00:00:00"))),
                _ => None,
            };
            let Some(moment) = moment else {
                self.wrong(format!("`{name}` is no date and time"), &entry.value, "", help);
                return None;
            };
            if name == "from" { from = Some(moment) } else { to = Some(moment) }
        }
        let Some(from) = from else {
            self.wrong("a time in `closed` has no `from`".to_owned(), item, "", help);
            return None;
        };
        if to.is_some_and(|to| to <= from) {
            self.wrong("this time ends before it starts".to_owned(), item, "", "exchange `from` and `to`");
            return None;
        }
        Some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("slurm", "slurm", true),
            ("slurm", "slurm2", false),
            ("slurm*", "slurm2", true),
            ("*-mem", "big-mem", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
