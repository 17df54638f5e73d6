//! The component's own work where a map has the runs of a simulation: one run, as a line of JSON.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Hooks;
use tpv_simulate::grid::{GridRun, Scenario};

use super::super::Error;
use super::heartbeat::Heartbeat;
use super::run::input_text;
use crate::results::Run;

/// Does a run and returns its line.
pub(super) fn simulate(
    scenario: &Path,
    run: &GridRun,
    jobs: impl BufRead,
    rules: &Arc<Rules>,
    world: World,
    hooks: &Hooks,
    beat: &Heartbeat,
) -> Result<String, Error> {
    let text = input_text(scenario)?;
    let scenario: Scenario = serde_json::from_str(&text).map_err(|error| {
        Error::new(format!("`{}` is not a scenario: {error}", scenario.display()), "make the map again")
    })?;
    let ended = scenario
        .simulate(run, jobs, rules, world, hooks.clone(), &mut |line| beat.at(line))
        .map_err(|message| Error::new(message, "make the map again"))?;
    let line = serde_json::to_string(&Run { at: run.clone(), ended });
    line.map(|line| line + "\n").map_err(|error| Error::bug("the run", &error))
}
