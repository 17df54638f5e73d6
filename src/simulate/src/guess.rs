//! A capacity by what the jobs of a history had at once at most.

use std::collections::BTreeMap;
use std::io::BufRead;

use tpv_galaxy::helpers::GIB;
use tpv_galaxy::job::Job;
use tpv_galaxy::outcome::Outcome;
use tpv_text::figures::count;

use crate::amount::{SECOND, Time, seconds};
use crate::arrivals::{Fault, Told};

/// Destinations that are told apart; a config can name one for each job.
const MOST_DESTINATIONS: usize = 1_000;

/// The name of jobs whose destination is not known, and of those of more destinations than are told apart.
const UNKNOWN: [&str; 2] = ["unknown", "others"];
/// The share of the time in which jobs wait for which a resource is all in use if it is what they wait for.
const AT_LIMIT: f64 = 0.5;
/// The jobs that must have waited for a free place before a cap is believed.
const LEAST_WAITED: usize = 20;

/// The most that was in use at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guessed {
    /// By destination.
    pub destinations: BTreeMap<String, Peak>,
    /// Jobs whose destination is not known, or that are of too many destinations.
    pub without_destination: u64,
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
    /// Jobs at once, if the history shows that no more may run.
    pub jobs: Option<f64>,
    /// The seconds from when a job gets its cores until it runs: the median wait of jobs that found at most half of the cores
    /// and jobs of the peak.
    pub start_delay: f64,
}

/// A job that ran.
#[derive(Clone, Copy, Debug)]
struct Ran {
    /// Its beginning and end, in seconds.
    from: i64,
    to: i64,
    /// Seconds that it was queued, if known.
    queued: Option<f64>,
    /// Cores, and memory in GiB.
    has: [f64; 2],
}

/// Reads lines of jobs.
pub fn guess(mut reader: impl BufRead) -> Guessed {
    let mut guessed = Guessed::default();
    let mut all: BTreeMap<String, Vec<Ran>> = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(count) if count > 0 => {}
            _ => break,
        }
        guessed.told.lines += 1;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let read = Job::from_line(text).and_then(|job| Ok((job.create_time()?, Outcome::of(&job)?)));
        match read {
            Ok((created, outcome)) => add(&mut guessed, &mut all, created, &outcome.unwrap_or_default()),
            Err(error) => {
                guessed.told.faulty += 1;
                if guessed.told.faults.len() < 10 {
                    let number = usize::try_from(guessed.told.lines).unwrap_or(usize::MAX);
                    guessed.told.faults.push(Fault { line: number, message: error.to_string() });
                }
            }
        }
    }
    for name in UNKNOWN {
        guessed.without_destination += all.remove(name).map_or(0, |jobs| jobs.len() as u64);
    }
    guessed.destinations = all.into_iter().map(|(name, jobs)| (name, Peak::of(jobs))).collect();
    guessed
}

fn add(guessed: &mut Guessed, all: &mut BTreeMap<String, Vec<Ran>>, created: Option<Time>, outcome: &Outcome) {
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
    let [unknown, others] = UNKNOWN;
    let name = outcome.destination_id.as_deref().filter(|name| !name.is_empty()).unwrap_or(unknown);
    let name = if all.len() < MOST_DESTINATIONS || all.contains_key(name) { name } else { others };
    let mem = outcome.last.allocated_memory_bytes.map_or(0.0, |bytes| bytes / GIB);
    // Of a job that was resubmitted the creation tells nothing about the last attempt.
    let created = created.filter(|_| outcome.earlier.is_empty() && outcome.running_time.is_some());
    let since_created = created.map(|created| seconds(from.saturating_mul(SECOND).saturating_sub(created)).max(0.0));
    let queued = outcome.queue_seconds.or(since_created);
    all.entry(name.to_owned()).or_default().push(Ran { from, to, queued, has: [outcome.slots.unwrap_or(1.0), mem] });
}

/// The middle of some values; `None` of none.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

impl Peak {
    fn of(mut jobs: Vec<Ran>) -> Self {
        jobs.sort_by_key(|job| (job.from, job.to));
        let mut peak = Self::default();
        let mut most_jobs = 0.0_f64;
        // What ends at a moment ends before others begin. The cores in use and the jobs that run when each begins, without itself.
        let mut ends: BTreeMap<i64, [f64; 3]> = BTreeMap::new();
        let (mut now, mut found) = ([0.0; 3], Vec::with_capacity(jobs.len()));
        for job in &jobs {
            while let Some(entry) = ends.first_entry().filter(|entry| *entry.key() <= job.from) {
                now.iter_mut().zip(entry.remove()).for_each(|(now, ended)| *now -= ended);
            }
            let [cores, _, count] = now;
            found.push([cores, count]);
            let [cores, mem] = job.has;
            let has = [cores, mem, 1.0];
            now.iter_mut().zip(has).for_each(|(now, has)| *now += has);
            let end = ends.entry(job.to).or_default();
            end.iter_mut().zip(has).for_each(|(end, has)| *end += has);
            let [cores, mem, count] = now;
            (peak.cores, peak.mem, most_jobs) = (peak.cores.max(cores), peak.mem.max(mem), most_jobs.max(count));
        }
        let is_idle = |[cores, count]: &[f64; 2]| *cores <= peak.cores / 2.0 && *count <= most_jobs / 2.0;
        let idle = jobs.iter().zip(&found).filter(|(_, found)| is_idle(found));
        let waits = median(idle.filter_map(|(job, _)| job.queued).collect());
        let shortest = || jobs.iter().filter_map(|job| job.queued).min_by(f64::total_cmp);
        peak.start_delay = waits.or_else(shortest).unwrap_or_default();
        peak.jobs = cap(&jobs, peak.cores, most_jobs, peak.start_delay).then_some(most_jobs);
        peak
    }
}

/// Returns `true` if jobs wait because no more than so many run: most of the time in which some wait that number runs, and fewer cores are in use
/// than ever were.
fn cap(jobs: &[Ran], most_cores: f64, most_jobs: f64, start_delay: f64) -> bool {
    // Changes of the cores in use, the jobs that run, and the jobs that wait for longer than the start delay.
    let mut steps: BTreeMap<i64, [f64; 3]> = BTreeMap::new();
    let mut add = |at: i64, change: [f64; 3]| {
        steps.entry(at).or_default().iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
    };
    let mut waited = 0;
    for job in jobs {
        let [cores, _] = job.has;
        add(job.from, [cores, 1.0, 0.0]);
        add(job.to, [-cores, -1.0, 0.0]);
        let more = job.queued.map_or(0.0, |queued| queued.min(1e9) - start_delay - 1.0);
        if more > 0.0 {
            #[expect(clippy::cast_possible_truncation, reason = "it is bounded")]
            let since = job.from.saturating_sub(more.ceil() as i64);
            add(since, [0.0, 0.0, 1.0]);
            add(job.from, [0.0, 0.0, -1.0]);
            waited += 1;
        }
    }
    if waited < LEAST_WAITED {
        return false;
    }
    let ([mut cores, mut running, mut waiting], mut last) = ([0.0; 3], None);
    let [mut all, mut jobs_at_most, mut cores_at_most] = [0.0; 3];
    for (at, [more_cores, more_running, more_waiting]) in steps {
        #[expect(clippy::cast_precision_loss, reason = "a length of time")]
        let time = last.map_or(0.0, |last| (at - last) as f64);
        if waiting > 0.5 {
            all += time;
            jobs_at_most += if running > most_jobs - 0.5 { time } else { 0.0 };
            cores_at_most += if cores > most_cores - 0.5 { time } else { 0.0 };
        }
        last = Some(at);
        cores += more_cores;
        running += more_running;
        waiting += more_waiting;
    }
    jobs_at_most > AT_LIMIT * all && cores_at_most < AT_LIMIT * all
}

impl Guessed {
    /// The capacity file. `known` are the ids of the destinations of the rules, if they are known: others get no cluster.
    pub fn text(&self, known: Option<&[String]>) -> String {
        let mut text = format!(
            "# What {} of a history had at once at most. A cluster may hold more than it ever did: raise what you know better,\n\
             # and put destinations that share a cluster together.\n",
            count(self.jobs, "job")
        );
        if self.without_destination > 0 {
            text += &format!("# Of {} it is not known where they ran.\n", count(self.without_destination, "job"));
        }
        let is_known = |name: &str| known.is_none_or(|known| known.iter().any(|known| known == name));
        let (mut clusters, mut others) = (String::new(), Vec::new());
        for (name, peak) in &self.destinations {
            let quoted = quoted(name);
            if !is_known(name) {
                others.push(quoted);
                continue;
            }
            clusters += &format!("  {quoted}:\n    destinations: [{quoted}]\n");
            if peak.cores > 0.0 {
                clusters += &format!("    cores: {}\n", whole(peak.cores));
            }
            if peak.mem > 0.0 {
                clusters += &format!("    mem: {}  # GiB\n", whole(peak.mem));
            }
            if let Some(jobs) = peak.jobs {
                clusters += &format!("    jobs: {jobs}  # jobs waited while no more ran\n");
            }
            let delay = (peak.start_delay * 10.0).round() / 10.0;
            if delay > 0.0 {
                clusters += &format!("    start_delay: {delay}  # seconds\n");
            }
        }
        if !others.is_empty() {
            text += &format!("# The rules do not have these destinations of the history: {}\n", others.join(", "));
        }
        text + if clusters.is_empty() { "clusters: {}\n" } else { "clusters:\n" } + &clusters
    }
}

/// An amount rounded up. Sums of fractions may be a trifle more than they are.
fn whole(amount: f64) -> f64 {
    (amount - 1e-6).ceil()
}

/// A name as YAML has it in quotes.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let mut text = String::new();
    tpv_galaxy::json::write_text(&mut text, &tpv_galaxy::json::Json::str(name));
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Jobs of a cluster that runs at most so many jobs, or cores, at once, and starts each after 45 s.
    fn history(most_jobs: usize, most_cores: u64) -> Guessed {
        let (mut lines, mut running) = (String::new(), Vec::<(u64, u64)>::new());
        let mut now = 0;
        for number in 0..300_u64 {
            // Busy for a while, idle for a while.
            let arrives = number / 60 * 40_000 + number % 60 * 20;
            let (cores, runs) = (1 + number * 7 % 4, 600 + number * 131 % 900);
            now = now.max(arrives);
            loop {
                running.retain(|(end, _)| *end > now);
                let used: u64 = running.iter().map(|(_, cores)| cores).sum();
                if running.len() < most_jobs && used + cores <= most_cores {
                    break;
                }
                now = running.iter().map(|(end, _)| *end).min().unwrap();
            }
            running.push((now + 45 + runs, cores));
            let time = |seconds: u64| {
                let (day, rest) = (1 + seconds / 86_400, seconds % 86_400);
                format!("2026-01-{day:02}T{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
            };
            lines += &format!(
                r#"{{"tool": {{"id": "t"}}, "job": {{"create_time": "{}"}}, "outcome": {{"destination_id": "a", "running_time": "{}", "end_time": "{}", "slots": {cores}}}}}"#,
                time(arrives),
                time(now + 45),
                time(now + 45 + runs)
            );
            lines.push('\n');
        }
        guess(lines.as_bytes())
    }

    #[test]
    fn the_start_delay_is_estimated_and_a_cap_needs_evidence() {
        let of = |guessed: &Guessed| guessed.destinations.values().next().copied().unwrap();
        let by_cores = of(&history(1_000, 16));
        assert_eq!((by_cores.cores, by_cores.jobs, by_cores.start_delay), (16.0, None, 45.0));
        let by_jobs = of(&history(5, 1_000));
        assert_eq!((by_jobs.jobs, by_jobs.start_delay), (Some(5.0), 45.0));
        let without_limit = of(&history(1_000, 1_000));
        assert_eq!((without_limit.jobs, without_limit.start_delay), (None, 45.0));
    }

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
        assert_eq!(guessed.destinations.get("a"), Some(&Peak { cores: 7.0, mem: 4.0, ..Peak::default() }));
        assert_eq!(guessed.jobs, 3);
        assert!(
            guessed.text(None).ends_with("clusters:\n  a:\n    destinations: [a]\n    cores: 7\n    mem: 4  # GiB\n")
        );
        let text = guessed.text(Some(&["b".to_owned()]));
        assert!(text.contains("these destinations of the history: a\n") && text.ends_with("clusters: {}\n"), "{text}");
        assert_eq!(
            (quoted("off"), quoted("a b"), quoted("slurm-1")),
            ("\"off\"".into(), "\"a b\"".into(), "slurm-1".into())
        );
    }
}
