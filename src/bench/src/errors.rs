//! Errors among the answers: an exception has another price than a mapping.

use std::collections::BTreeMap;

use tpv_runtime::mapper::Mapper;
use tpv_runtime::mapper::explain::{Observer, Step};

use super::workload::Workload;

/// Of so many jobs one may end in an error.
const JOBS_AN_ERROR: usize = 5;

impl Workload {
    /// The reason not to measure these jobs: more than a fifth of them end in errors. Names the commonest error and its place in the
    /// config.
    pub fn refusal(&self, mapper: &Mapper) -> Option<String> {
        let mut errors: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (index, answer) in self.map(mapper).iter().enumerate() {
            if let Some(text) = answer.error_text() {
                errors.entry(text).or_insert((0, index)).0 += 1;
            }
        }
        let count: usize = errors.values().map(|(count, _)| count).sum();
        if count * JOBS_AN_ERROR <= self.jobs.len() {
            return None;
        }
        let (text, (times, index)) = errors.into_iter().max_by_key(|(_, (count, _))| *count)?;
        let mut place = RaisedAt(None);
        if let Some(job) = self.jobs.get(index) {
            mapper.map_observed(job, &self.world, &mut place);
        }
        let place = place.0.map(|place| format!(" ({place})")).unwrap_or_default();
        let jobs = self.jobs.len();
        Some(format!("{count} of {jobs} jobs end in errors, {times} of them in {text}{place}"))
    }
}

/// The place at which a job's error was raised.
struct RaisedAt(Option<String>);

impl Observer for RaisedAt {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Raised { trace: Some(trace), .. } = step {
            self.0 = trace.place().map(ToString::to_string);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tpv_runtime::World;

    use super::*;

    /// The refusal of ten jobs, some of which are of a tool whose rule raises.
    fn refusal(failing: usize) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("tpv.yml");
        let text = "tools:\n  bad: {cores: 1, rules: [{if: nothing > 1}]}\n  good: {cores: 1}\ndestinations: {d: {runner: r}}\n";
        std::fs::write(&config, text).unwrap();
        let line =
            |number| format!("{{\"tool\": {{\"id\": \"{}\"}}}}\n", if number < failing { "bad" } else { "good" });
        let lines = (0..10).map(line).collect();
        let workload = Workload::new(vec![config.to_str().unwrap().to_owned()], lines, World::default()).unwrap();
        let refusal = workload.refusal(&workload.mapper())?;
        Some(refusal.replace(folder.path().to_str().unwrap(), ""))
    }

    #[test]
    fn jobs_that_mostly_fail_are_refused() {
        assert_eq!(refusal(2), None);
        let expected =
            "3 of 10 jobs end in errors, 3 of them in NameError: name 'nothing' is not defined (/tpv.yml:2:32)";
        assert_eq!(refusal(3).as_deref(), Some(expected));
    }
}
