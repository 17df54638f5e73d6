//! A capacity by what the jobs of a history had at once at most.

use std::collections::BTreeMap;
use std::io::BufRead;

use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::outcome::Outcome;

use crate::arrivals::{Fault, Told};

const GIB: f64 = 1_073_741_824.0;
/// Destinations that are told apart; a config can name one for each job.
const MOST_DESTINATIONS: usize = 1_000;

/// The most that was in use at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guessed {
    /// By destination.
    pub destinations: BTreeMap<String, Peak>,
    /// Jobs whose times are known.
    pub jobs: u64,
    /// The counts of the lines read.
    pub told: Told,
}

/// The most of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// Cores.
    pub cores: f64,
    /// Memory in GiB, as far as it is known what jobs were given.
    pub mem: f64,
    /// Jobs.
    pub jobs: f64,
}

/// A beginning or an end.
type Step = (i64, [f64; 3]);

/// Reads lines of jobs.
pub fn guess(mut reader: impl BufRead) -> Guessed {
    let mut guessed = Guessed::default();
    let mut steps: BTreeMap<String, Vec<Step>> = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(count) if count > 0 => {}
            _ => break,
        }
        guessed.told.lines += 1;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        match Job::from_line(text).and_then(|job| Outcome::of(&job)) {
            Ok(outcome) => add(&mut guessed, &mut steps, &outcome.unwrap_or_default()),
            Err(error) => {
                guessed.told.faulty += 1;
                if guessed.told.faults.len() < 10 {
                    let number = usize::try_from(guessed.told.lines).unwrap_or(usize::MAX);
                    guessed.told.faults.push(Fault { line: number, message: error.to_string() });
                }
            }
        }
    }
    for (destination, mut steps) in steps {
        // What ends at a moment ends before others begin.
        steps.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.iter().sum::<f64>().total_cmp(&b.1.iter().sum::<f64>())));
        let (mut now, mut most) = ([0.0; 3], [0.0_f64; 3]);
        for (_, change) in steps {
            for ((now, most), change) in now.iter_mut().zip(&mut most).zip(change) {
                *now += change;
                *most = most.max(*now);
            }
        }
        let [cores, mem, jobs] = most;
        guessed.destinations.insert(destination, Peak { cores, mem, jobs });
    }
    guessed
}

fn add(guessed: &mut Guessed, steps: &mut BTreeMap<String, Vec<Step>>, outcome: &Outcome) {
    #[expect(clippy::cast_possible_truncation, reason = "a run time")]
    let runs = outcome.last.runtime_seconds.map(|seconds| seconds.min(1e9).ceil() as i64);
    let (from, to) = match (outcome.running_time, outcome.end_time, runs) {
        (Some(from), Some(to), _) => (from, to),
        (None, Some(to), Some(runs)) => (to.saturating_sub(runs), to),
        (Some(from), None, Some(runs)) => (from, from.saturating_add(runs)),
        _ => {
            guessed.told.without_run += 1;
            return;
        }
    };
    if to < from {
        guessed.told.end_before_start += 1;
        return;
    }
    guessed.jobs += 1;
    let name = outcome.destination_id.as_deref().unwrap_or("unknown");
    let name = if steps.len() < MOST_DESTINATIONS || steps.contains_key(name) { name } else { "others" };
    let mem = outcome.last.allocated_memory_bytes.map_or(0.0, |bytes| bytes / GIB);
    let has = [outcome.slots.unwrap_or(1.0), mem, 1.0];
    let steps = steps.entry(name.to_owned()).or_default();
    steps.push((from, has));
    steps.push((to, has.map(|amount| -amount)));
}

impl Guessed {
    /// The capacity file.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# What {} jobs of a history had at once at most. A cluster may hold more than it ever did: raise what you know better,\n\
             # and put destinations that share a cluster together.\nclusters:\n",
            self.jobs
        );
        for (name, peak) in &self.destinations {
            let quoted = quoted(name);
            text += &format!("  {quoted}:\n    destinations: [{quoted}]\n");
            text += &format!("    cores: {}\n", peak.cores.ceil());
            if peak.mem > 0.0 {
                text += &format!("    mem: {}  # GiB\n", peak.mem.ceil());
            }
            text += &format!("    jobs: {}\n", peak.jobs);
        }
        text
    }
}

/// A name as YAML has it in quotes.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let mut text = String::new();
    tpv_runtime::galaxy::json::write_text(&mut text, &tpv_runtime::galaxy::json::Json::str(name));
    match name.chars().all(is_plain) && name.chars().next().is_some_and(|c| c.is_ascii_alphabetic()) {
        // Words that YAML takes for something else stay in quotes.
        true if !matches!(
            name.to_ascii_lowercase().as_str(),
            "null" | "true" | "false" | "yes" | "no" | "on" | "off"
        ) =>
        {
            name.to_owned()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_at_once_is_found() {
        let line = |destination: &str, from: u32, to: u32, slots: u32| {
            let time = |minute: u32| format!("2026-01-01T00:{minute:02}:00");
            format!(
                r#"{{"tool": {{"id": "t"}}, "outcome": {{"destination_id": "{destination}", "running_time": "{}", "end_time": "{}",
                "slots": {slots}, "allocated_memory_bytes": 2147483648}}}}"#,
                time(from),
                time(to)
            )
            .replace('\n', "")
        };
        let lines = [line("a", 0, 10, 2), line("a", 10, 20, 3), line("a", 5, 12, 4), line("b", 9, 3, 1)].join("\n");
        let guessed = guess(lines.as_bytes());
        assert_eq!(guessed.told.end_before_start, 1);
        assert_eq!(guessed.destinations.get("a"), Some(&Peak { cores: 7.0, mem: 4.0, jobs: 2.0 }));
        assert_eq!(guessed.jobs, 3);
        assert!(guessed.text().contains("  a:\n    destinations: [a]\n    cores: 7\n    mem: 4  # GiB\n    jobs: 2\n"));
        assert_eq!(
            (quoted("off"), quoted("a b"), quoted("slurm-1")),
            ("\"off\"".into(), "\"a b\"".into(), "slurm-1".into())
        );
    }
}
