//! The runs of a grid: what each is given and what it comes to, as data that another machine can read and write without losing a bit.

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Hooks;

use crate::amount::Time;
use crate::arrivals::{Lines, Times, Told};
use crate::capacity::Capacity;
use crate::engine::{self, Settings, Step};
use crate::measure::{Idle, Measure, Stats};
use crate::route::RuleRouter;
use crate::vary;

/// A float that JSON keeps to the last bit, as text: numbers of JSON may be read as their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exact(pub f64);

impl fmt::Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for Exact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| format!("`{text}` is not a number"))
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The part that chance has in the arrivals of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// The seed of the first run; each further one has the next.
    pub seed: u64,
    /// The most seconds by which an arrival is moved, in all runs but the first.
    pub jitter: Exact,
    /// Jobs an hour, if they arrive at random.
    pub rate: Option<Exact>,
}

impl Chance {
    /// The jobs of a file as they arrive in a run. Run 0 has the arrivals of the history. `now` is when arrivals at random begin, unless the first
    /// line tells its own time.
    pub fn arrivals<R: BufRead>(&self, reader: R, run: u16, now: Option<Time>) -> Lines<R> {
        let times = match self.rate {
            Some(Exact(rate)) => Times::Poisson { rate, from: now.unwrap_or_default() },
            None => Times::History { jitter: if run == 0 { 0.0 } else { self.jitter.0 } },
        };
        Lines::new(reader, times, self.seed.wrapping_add(u64::from(run)))
    }
}

/// The part of a grid that all runs share, besides rules, jobs and world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The names of what is varied.
    pub axes: Vec<String>,
    /// The clusters, before anything is varied.
    pub capacity: Capacity,
    /// The chances.
    pub chance: Chance,
    /// The number of runs of each point.
    pub seeds: u16,
    /// The interval at which jobs are asked for again that the rules were not ready for.
    pub ask_again: Time,
}

/// One run of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridRun {
    /// The values of the axes.
    pub point: Vec<Exact>,
    /// The number of the run at its point, from 0.
    pub run: u16,
}

impl GridRun {
    /// The values of the axes as numbers.
    pub fn values(&self) -> Vec<f64> {
        self.point.iter().map(|value| value.0).collect()
    }
}

/// A run that has ended: what the figures of its point are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// The counts of the lines read.
    pub told: Told,
    /// Jobs that arrived.
    pub arrived: u64,
    /// The amounts that clusters with a limit had and no job held.
    pub idle: Idle,
    /// All jobs.
    pub all: Stats,
}

impl Ended {
    /// The end of a run that was measured.
    pub fn of(measure: Measure, told: Told) -> Self {
        Self { told, arrived: measure.arrived, idle: measure.idle(), all: measure.totals.all }
    }
}

impl Scenario {
    /// All runs of a point, and of another, and so on.
    pub fn runs(&self, points: &[Vec<f64>]) -> Vec<GridRun> {
        let runs = |point: &Vec<f64>| {
            let point: Vec<Exact> = point.iter().copied().map(Exact).collect();
            (0..self.seeds).map(move |run| GridRun { point: point.clone(), run }).collect::<Vec<_>>()
        };
        points.iter().flat_map(runs).collect()
    }

    /// Does a run. `at` is told the numbers of the lines whose jobs are mapped.
    ///
    /// # Errors
    /// An axis names nothing that there is.
    pub fn simulate(
        &self,
        run: &GridRun,
        jobs: impl BufRead,
        rules: &Arc<Rules>,
        world: World,
        hooks: Hooks,
        at: &mut dyn FnMut(u64),
    ) -> Result<Ended, String> {
        let (rules, capacity) = vary::at(&self.axes, &run.values(), rules, &self.capacity)?;
        let mut arrivals = self.chance.arrivals(jobs, run.run, world.now);
        let settings = Settings { capacity, world, ask_again: self.ask_again, ..Settings::default() };
        let mut watch = |_: Time, step: Step<'_>| {
            if let Step::Asked { line, .. } = step {
                at(line as u64);
            }
        };
        let measure = engine::run(&settings, RuleRouter::new(rules, hooks), &mut arrivals, Some(&mut watch));
        Ok(Ended::of(measure, arrivals.told))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn runs_are_read_as_they_were_written() {
        let scenario = Scenario {
            axes: vec!["a.cores".to_owned()],
            capacity: Capacity::default(),
            chance: Chance { seed: u64::MAX, jitter: Exact(0.1 + 0.2), rate: Some(Exact(1e-7)) },
            seeds: 2,
            ask_again: 1,
        };
        assert_eq!(serde_json::from_str::<Scenario>(&serde_json::to_string(&scenario).unwrap()).unwrap(), scenario);
        let runs = scenario.runs(&[vec![1.0, 1.0 / 3.0], vec![-0.3, 5e-324]]);
        assert_eq!(runs.iter().map(|run| run.run).collect::<Vec<_>>(), [0, 1, 0, 1]);
        assert_eq!(serde_json::from_str::<Vec<GridRun>>(&serde_json::to_string(&runs).unwrap()).unwrap(), runs);
        let mut ended = Ended {
            told: Told::default(),
            arrived: 3,
            idle: Idle { cores: u128::MAX, mem: 1, gpus: 2 },
            all: Stats { jobs: 3, waited: u128::MAX - 1, ..Stats::default() },
        };
        [0.0, 1e-6, 3.3, 1e300].iter().for_each(|wait| ended.all.waits.add(*wait));
        ended.told.faults.push(crate::arrivals::Fault { line: 3, message: "no `tool`".to_owned() });
        assert_eq!(serde_json::from_str::<Ended>(&serde_json::to_string(&ended).unwrap()).unwrap(), ended);
    }
}
