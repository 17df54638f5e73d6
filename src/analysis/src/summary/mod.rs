//! The summary of answers: how many jobs went where with how much, by destination, tool, error and cause of a difference.
//!
//! Each component leaves one, and those of a map are merged without reading an answer again. Merging is exact and gives the same in any
//! order and grouping: all sums are of whole numbers, into which each job's values are rounded on their own, and [`Table`] says why
//! the choice of the names that are kept is one, too.

pub mod table;
mod usage;

use std::borrow::Cow;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use tpv_galaxy::answer::Answer;

use crate::diff::answers::Difference;
use table::Table;
pub use usage::Usage;

/// The jobs whose answers differ for one reason: what they were given by the old rules and are given by the new ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// By the old rules.
    pub old: Usage,
    /// By the new rules. These are as many jobs.
    pub new: Usage,
}

impl Change {
    /// Returns `true` if both rule sets map the jobs, so that what they give can be compared.
    pub fn is_mapped_by_both(&self) -> bool {
        self.old.errors == 0 && self.new.errors == 0
    }

    /// The numbers of jobs and errors alone.
    #[must_use]
    pub fn counts(&self) -> Self {
        Self { old: self.old.counts(), new: self.new.counts() }
    }
}

impl AddAssign<&Self> for Change {
    fn add_assign(&mut self, other: &Self) {
        self.old += &other.old;
        self.new += &other.new;
    }
}

/// The result of comparing two rule sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Differences {
    /// All jobs, by the old rules. By the new ones they are in [`Summary::total`].
    pub old: Usage,
    /// The jobs whose answers differ, by cause.
    pub causes: Table<Change>,
}

/// The summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// All lines that are not blank.
    pub total: Usage,
    /// The number of them that are not jobs. They count as errors.
    pub invalid: u64,
    /// The jobs that were mapped, by the id of the destination.
    pub destinations: Table<Usage>,
    /// All jobs, by the id of the tool.
    pub tools: Table<Usage>,
    /// The jobs that ended in an error, by its type.
    pub errors: Table<Usage>,
    /// The differences, if two rule sets are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<Differences>,
}

/// The type of the error that answers a line that is not a job.
const INVALID: &str = "InvalidJob";

/// The name of an answer's destination.
fn destination(answer: &Answer) -> Cow<'_, str> {
    answer.destination_id().unwrap_or("(not a string)".into())
}

/// Numbers of answers, which cost each job less than a [`Summary`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// All lines that are not blank.
    pub jobs: u64,
    /// Those that are not jobs.
    pub invalid: u64,
    /// The jobs that were mapped, by the id of the destination.
    pub destinations: Table<u64>,
    /// The jobs that ended in an error, and the lines that are not jobs, by the type of the error.
    pub errors: Table<u64>,
}

impl Counts {
    /// Counts a line's answer.
    pub fn add(&mut self, answer: &Answer) {
        self.jobs += 1;
        match answer.error() {
            Some((kind, _)) => {
                self.invalid += u64::from(kind == INVALID);
                self.errors.add(kind, &1);
            }
            None => self.destinations.add(&destination(answer), &1),
        }
    }

    /// Adds the numbers of other answers.
    pub fn merge(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.invalid += other.invalid;
        self.destinations.merge(&other.destinations);
        self.errors.merge(&other.errors);
    }
}

impl Summary {
    /// Counts a line's answer. `tool` is the id of the job's tool, of no account where the line is not a job.
    pub fn add(&mut self, tool: &str, answer: &Answer) {
        let usage = Usage::of(answer);
        self.total += &usage;
        match answer.error() {
            Some((INVALID, _)) => {
                self.invalid += 1;
                self.errors.add(INVALID, &usage);
                return;
            }
            Some((kind, _)) => self.errors.add(kind, &usage),
            None => self.destinations.add(&destination(answer), &usage),
        }
        self.tools.add(tool, &usage);
    }

    /// Counts a line's answer by the new rules, and how it differs from that by the old ones.
    pub fn add_compared(&mut self, tool: &str, old: &Answer, new: &Answer, difference: Option<&Difference>) {
        self.add(tool, new);
        let differences = self.differences.get_or_insert_default();
        let change = Change { old: Usage::of(old), new: Usage::of(new) };
        differences.old += &change.old;
        if let Some(difference) = difference {
            differences.causes.add(&difference.cause, &change);
        }
    }

    /// Adds what other answers come to.
    pub fn merge(&mut self, other: &Self) {
        self.total += &other.total;
        self.invalid += other.invalid;
        self.destinations.merge(&other.destinations);
        self.tools.merge(&other.tools);
        self.errors.merge(&other.errors);
        if let Some(others) = &other.differences {
            let differences = self.differences.get_or_insert_default();
            differences.old += &others.old;
            differences.causes.merge(&others.causes);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use tpv_galaxy::world::World;
    use tpv_runtime::Job;
    use tpv_runtime::mapper::Mapper;

    use super::*;
    use crate::diff::answers::compare;
    use crate::random::{Random, setting};
    use tpv_config::{ConfigTexts, Input};
    use tpv_model::Quantity;
    use tpv_text::render::Render;
    use tpv_text::source::SourceMap;

    fn mapper(cores: &str) -> Mapper {
        let config = format!(
            "tools:\n  .*:\n    cores: |-\n      {cores}\n    mem: job.id / 10\ndestinations:\n  slurm:\n    runner: slurm\n    \
             max_accepted_cores: 8\n  pulsar:\n    runner: pulsar\n"
        );
        let mut sources = SourceMap::new();
        let id = sources.add("tpv.yml", &config);
        let compiled = tpv_compiler::compile_inputs(
            &[Input::Text(id)],
            ConfigTexts::newest(sources),
            &tpv_compiler::CompileOptions::default(),
        );
        let rules =
            compiled.rules.unwrap_or_else(|| panic!("{}", compiled.diagnostics.render(&compiled.sources, false)));
        Mapper::with_hooks(Arc::new(rules), Default::default(), false)
    }

    /// The answers to jobs with these numbers, and to a line that is no job.
    fn answers(cores: &str, jobs: u32) -> Vec<(String, Answer)> {
        let (mapper, world) = (mapper(cores), Arc::new(World::default()));
        let answer = |number| {
            let tool = format!("tool{}", number % 3);
            let job = Job::parse(&format!(r#"{{"tool": {{"id": "{tool}"}}, "job": {{"id": {number}}}}}"#)).unwrap();
            (tool, mapper.map(&Arc::new(job), &world))
        };
        let invalid = Answer::invalid(9, &tpv_galaxy::Error::Job("tool: missing".to_owned()));
        (0..jobs).map(answer).chain([(String::new(), invalid)]).collect()
    }

    fn cores(usage: &Usage) -> u128 {
        usage.thousandths(Quantity::Cores)
    }

    fn usage(jobs: u64, errors: u64, millicores: u128, memory: u128) -> Usage {
        let sums = Quantity::ALL.map(|quantity| match quantity {
            Quantity::Cores => millicores,
            Quantity::Mem => memory,
            _ => 0,
        });
        Usage { jobs, errors, sums, uncounted: 0 }
    }

    #[test]
    fn jobs_are_summed_by_what_they_have_in_common() {
        let mut summary = Summary::default();
        for (tool, answer) in answers("job.id * 3 if job.id else nothing", 4) {
            summary.add(&tool, &answer);
        }
        // 0.1, 0.2 and 0.3 GiB, each rounded to bytes.
        let (a, b, c) = (107_374_182, 214_748_365, 322_122_547);
        assert_eq!(summary.total, usage(5, 2, 18_000, a + b + c));
        assert_eq!(summary.invalid, 1);
        let rows = |table: &Table<Usage>| -> Vec<(String, Usage)> {
            table.rows().rows.into_iter().map(|(name, usage)| (name.to_owned(), usage)).collect()
        };
        let row = |name: &str, usage| (name.to_owned(), usage);
        assert_eq!(
            rows(&summary.destinations),
            [row("pulsar", usage(1, 0, 9000, c)), row("slurm", usage(2, 0, 9000, a + b))]
        );
        assert_eq!(
            rows(&summary.tools),
            [
                row("tool0", usage(2, 1, 9000, c)),
                row("tool1", usage(1, 0, 3000, a)),
                row("tool2", usage(1, 0, 6000, b))
            ]
        );
        assert_eq!(rows(&summary.errors), [row("InvalidJob", usage(1, 1, 0, 0)), row("NameError", usage(1, 1, 0, 0))]);
    }

    #[test]
    fn counts_are_those_of_a_summary() {
        let (mut counts, mut summary) = (Counts::default(), Summary::default());
        for (tool, answer) in answers("job.id * 3 if job.id else nothing", 4) {
            let mut one = Counts::default();
            one.add(&answer);
            counts.merge(&one);
            summary.add(&tool, &answer);
        }
        assert_eq!((counts.jobs, counts.invalid), (summary.total.jobs, summary.invalid));
        for (counts, usages) in [(&counts.destinations, &summary.destinations), (&counts.errors, &summary.errors)] {
            let jobs: BTreeMap<_, _> = usages.rows().rows.into_iter().map(|(name, usage)| (name, usage.jobs)).collect();
            assert_eq!(counts.rows().rows, jobs);
        }
    }

    #[test]
    fn values_that_are_no_amounts_are_counted_apart() {
        let mut summary = Summary::default();
        for (tool, answer) in answers("-1", 2) {
            summary.add(&tool, &answer);
        }
        assert_eq!((summary.total.jobs, summary.total.uncounted, cores(&summary.total)), (3, 2, 0));
    }

    #[test]
    fn differences_are_summed_by_cause() {
        let mut summary = Summary::default();
        let (old, new) = (answers("4", 4), answers("8 if job.id > 1 else 4", 4));
        for ((tool, old), (_, new)) in old.iter().zip(&new) {
            summary.add_compared(tool, old, new, compare(old, new).as_ref());
        }
        let differences = summary.differences.unwrap();
        assert_eq!((differences.old.jobs, differences.old.errors, cores(&differences.old)), (5, 1, 16_000));
        assert_eq!(cores(&summary.total), 24_000);
        let rows = differences.causes.rows().rows;
        let memory = 214_748_365 + 322_122_547;
        let change = Change { old: usage(2, 0, 8000, memory), new: usage(2, 0, 16_000, memory) };
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), [("cores: 4 -> 8", change)]);
    }

    /// However answers are spread over summaries, and in whatever order these are merged: it is the summary of all.
    #[test]
    fn merging_is_exact() {
        let seed = setting("TPVC_SEED", 20_261_122);
        println!("seed {seed} (TPVC_SEED)");
        let mut random = Random::new(seed);
        let (old, new) = (answers("job.id / 7", 200), answers("job.id / 7 if job.id % 5 else nothing", 200));
        let add = |summary: &mut Summary, index: usize| {
            let ((tool, old), (_, new)) = (&old[index], &new[index]);
            summary.add_compared(tool, old, new, compare(old, new).as_ref());
        };
        let mut all = Summary::default();
        (0..old.len()).for_each(|index| add(&mut all, index));
        for _ in 0..20 {
            let mut parts = vec![Summary::default(); 1 + random.below(9) as usize];
            for index in 0..old.len() {
                let part = random.below(parts.len() as u32) as usize;
                add(&mut parts[part], index);
            }
            while parts.len() > 1 {
                let other = parts.swap_remove(random.below(parts.len() as u32) as usize);
                let other: Summary = serde_json::from_str(&serde_json::to_string(&other).unwrap()).unwrap();
                let at = random.below(parts.len() as u32) as usize;
                parts[at].merge(&other);
            }
            assert_eq!(parts[0], all);
        }
    }

    #[test]
    fn sums_past_64_bits_are_written_and_read() {
        let mut summary = Summary::default();
        let large = usage(u64::MAX, 0, 1, u128::from(u64::MAX) * 1000);
        summary.total += &large;
        summary.destinations.add("slurm", &large);
        assert_eq!(serde_json::from_str::<Summary>(&serde_json::to_string(&summary).unwrap()).unwrap(), summary);
    }
}
