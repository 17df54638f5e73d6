//! The metrics of a log as Prometheus text: those that job handlers send to statsd, as far as a log has them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use tpv_galaxy::json::text_of;
use tpv_runtime::decision::{Decision, Outcome, Wait};
use tpv_text::printable::line;

use super::rules_used::{MOST_SERIES, RulesUsed};

/// The upper bounds of the histogram, in milliseconds.
const BOUNDS: [f64; 13] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0];

/// The name that stands for the rest.
const REST: &str = "(others)";

/// The values of a series' labels.
type Labels = Vec<String>;

/// The metrics.
#[derive(Default)]
pub struct Metrics {
    mapped: Counters,
    failed: Counters,
    not_ready: Counters,
    dropped: u64,
    milliseconds: BTreeMap<Labels, Histogram>,
    rules: RulesUsed,
    /// By dispatcher and job, waits that began and have no end, or the other way round: files are read in any order.
    open: HashMap<(String, String), i64>,
}

/// A counter with labels.
#[derive(Default)]
struct Counters(BTreeMap<Labels, u64>);

impl Counters {
    fn add(&mut self, labels: &[&str], number: u64) {
        let mut labels: Labels = labels.iter().map(|label| (*label).to_owned()).collect();
        if self.0.len() >= MOST_SERIES && !self.0.contains_key(&labels) {
            labels.iter_mut().for_each(|label| REST.clone_into(label));
        }
        let sum = self.0.entry(labels).or_default();
        *sum = sum.saturating_add(number);
    }
}

#[derive(Default)]
struct Histogram {
    /// By bound, those between it and the one before.
    counts: [u64; BOUNDS.len()],
    /// All.
    count: u64,
    sum: f64,
}

impl Metrics {
    /// Adds a decision.
    pub fn add(&mut self, decision: &Decision) {
        let head = &decision.head;
        let dispatcher = head.dispatcher.as_deref().unwrap_or_default();
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        self.dropped = self.dropped.saturating_add(number(head.dropped));
        match &head.wait {
            Some(Wait::Begins) => self.wait(dispatcher, decision, 1),
            Some(Wait::Ended { mappings, .. }) => {
                self.not_ready.add(&[dispatcher], number(*mappings));
                self.wait(dispatcher, decision, -1);
            }
            None => {}
        }
        if head.wait != Some(Wait::Begins) {
            match &decision.outcome {
                Outcome::Destination(name) => self.mapped.add(&[dispatcher, name, decision.tier()], 1),
                // A log of `tpvc map` has no waits.
                Outcome::Error { kind, .. } if kind == "JobNotReadyException" => self.not_ready.add(&[dispatcher], 1),
                // Galaxy asks again about a job that failed, which is the same failure.
                Outcome::Error { kind, .. } if head.again == 0 => self.failed.add(&[dispatcher, kind], 1),
                Outcome::Error { .. } | Outcome::Open => {}
            }
        }
        if let Some(ms) = head.ms.filter(|ms| ms.is_finite() && *ms >= 0.0) {
            let histogram = self.milliseconds.entry(vec![decision.tier().to_owned()]).or_default();
            histogram.count += 1;
            histogram.sum += ms;
            if let Some(bucket) = histogram.counts.iter_mut().zip(BOUNDS).find(|(_, bound)| ms <= *bound) {
                *bucket.0 += 1;
            }
        }
        if let Some(digest) = &head.rules {
            self.rules.add(dispatcher, &head.time, digest);
        }
    }

    fn wait(&mut self, dispatcher: &str, decision: &Decision, change: i64) {
        let key = (dispatcher.to_owned(), text_of(&decision.head.job));
        let open = self.open.entry(key.clone()).or_default();
        *open += change;
        if *open == 0 {
            self.open.remove(&key);
        }
    }

    /// In Prometheus's text format.
    pub fn text(mut self) -> String {
        // A wait that goes on has one line so far, for its first mapping.
        for ((dispatcher, _), open) in std::mem::take(&mut self.open) {
            self.not_ready.add(&[&dispatcher], u64::try_from(open).unwrap_or(0));
        }
        let mut changed = Counters::default();
        self.rules.changes().for_each(|(dispatcher, changes)| changed.add(&[dispatcher], changes));
        let mut dropped = Counters::default();
        dropped.add(&[], self.dropped);
        let mut out = String::new();
        for (name, help, labels, counters) in [
            ("mapped", "Jobs that got a destination.", &["dispatcher", "destination", "tier"][..], &self.mapped),
            ("failed", "Jobs that failed, by the class of the exception.", &["dispatcher", "type"], &self.failed),
            ("not_ready", "Mappings of jobs that were not ready.", &["dispatcher"], &self.not_ready),
            ("dropped", "Lines that could not be written to the log.", &[], &dropped),
            ("rules_changed", "Times that mappings began to use other rules.", &["dispatcher"], &changed),
        ] {
            head(&mut out, &format!("{name}_total"), "counter", help);
            for (values, number) in series(&counters.0, |sum, number| *sum = sum.saturating_add(*number)) {
                let _ = writeln!(out, "tpvc_{name}_total{} {number}", braced(labels, &values, None));
            }
        }
        head(&mut out, "milliseconds", "histogram", "Milliseconds of a mapping, by the kind of code that ran.");
        for (values, histogram) in &self.milliseconds {
            let mut sum = 0;
            for (bound, count) in BOUNDS.iter().zip(histogram.counts) {
                sum += count;
                let labels = braced(&["tier"], values, Some(&bound.to_string()));
                let _ = writeln!(out, "tpvc_milliseconds_bucket{labels} {sum}");
            }
            let labels = braced(&["tier"], values, Some("+Inf"));
            let _ = writeln!(out, "tpvc_milliseconds_bucket{labels} {}", histogram.count);
            let labels = braced(&["tier"], values, None);
            let _ = writeln!(out, "tpvc_milliseconds_sum{labels} {}", histogram.sum);
            let _ = writeln!(out, "tpvc_milliseconds_count{labels} {}", histogram.count);
        }
        out
    }
}

/// The series under the values that are printed, which may be the same for two names.
fn series<T: Clone>(all: &BTreeMap<Labels, T>, add: impl Fn(&mut T, &T)) -> BTreeMap<Labels, T> {
    let mut shown: BTreeMap<Labels, T> = BTreeMap::new();
    for (labels, value) in all {
        let labels = labels.iter().map(|label| line(label).into_owned()).collect();
        match shown.get_mut(&labels) {
            Some(sum) => add(sum, value),
            None => {
                shown.insert(labels, value.clone());
            }
        }
    }
    shown
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP tpvc_{name} {help}\n# TYPE tpvc_{name} {kind}");
}

/// Labels between braces; nothing if there are none.
fn braced(names: &[&str], values: &[String], bound: Option<&str>) -> String {
    let mut labels: Vec<String> =
        names.iter().zip(values).map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    labels.extend(bound.map(|bound| format!("le=\"{bound}\"")));
    if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_wait_counts_once_in_whatever_order_files_are_read() {
        let line = |wait: &str| {
            let text = format!(
                "{{\"tpvc\": 1,\"time\":\"2026-11-27T08:00:00Z\",\"job\":7,\"tool\":\"t\",\"dispatcher\":\"d\",\"wait\":{wait}}}"
            );
            Decision::read(&text).unwrap()
        };
        let (begins, ends) = (line("\"begins\""), line("{\"mappings\":50,\"since\":\"2026-11-27T07:59:00Z\"}"));
        for (lines, expected) in [(vec![&begins, &ends], 50), (vec![&ends, &begins], 50), (vec![&begins], 1)] {
            let mut metrics = Metrics::default();
            lines.into_iter().for_each(|line| metrics.add(line));
            let text = metrics.text();
            assert!(text.contains(&format!("\ntpvc_not_ready_total{{dispatcher=\"d\"}} {expected}\n")), "{text}");
        }
    }
}
