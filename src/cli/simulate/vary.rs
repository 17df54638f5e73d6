//! `--vary`: the runs of a grid on this machine, and the report of one.

use std::io::BufReader;

use super::super::common::Common;
use super::super::error::{CliError, Outcome};
use super::super::map::hooks;
use super::super::output::{width, write_text};
use super::super::progress::Readings;
use super::{Format, Named, Simulate, usable};
use tpv_simulate::amount::time;
use tpv_simulate::capacity::Capacity;
use tpv_simulate::engine::Settings;
use tpv_simulate::grid::Scenario;
use tpv_simulate::grid_forms;
use tpv_simulate::grid_page::grid_page;
use tpv_simulate::vary::{self, GridReport, Point};
use tpv_text::printable::Form;
use tpv_text::rows::Delimited;

fn wrong(message: String) -> CliError {
    CliError::new(message, "name what there is, such as `--vary slurm.cores=500..2000`")
}

impl Simulate {
    /// Simulates a grid.
    pub(super) fn vary(&self, set: &Named, settings: Settings, common: &Common) -> Result<Outcome, CliError> {
        let (scenario, grid) = self.scenario(set, settings.capacity)?;
        let tasks = scenario.runs(&grid);
        let readings = Readings::new(common, self.jobs(), tasks.len());
        let ended = self.at_once(&tasks, common, |run| {
            let (file, _) = self.job_file().open()?;
            let fault = file.fault();
            let reader = BufReader::with_capacity(1 << 16, readings.over(file));
            let world = settings.world.clone();
            let ended = scenario.simulate(run, reader, &set.rules, world, hooks(common), &mut |_| {}).map_err(wrong)?;
            match fault.get() {
                Some(fault) => Err(fault.into()),
                None => Ok(ended),
            }
        });
        readings.finish();
        let ended = ended?;
        if let Some(ended) = ended.first() {
            usable(self.jobs(), &ended.told, ended.arrived)?;
        }
        let runs = ended.chunks(usize::from(scenario.seeds));
        let points = grid.into_iter().zip(runs).map(|(values, runs)| Point::new(values, runs)).collect();
        self.write_grid(&GridReport::new(scenario.axes, points, Vec::new()))
    }

    /// The grid: what its runs share, and its points.
    pub(super) fn scenario(&self, set: &Named, capacity: Capacity) -> Result<(Scenario, Vec<Vec<f64>>), CliError> {
        let grid = vary::grid(&self.vary).map_err(wrong)?;
        let axes: Vec<String> = self.vary.iter().map(|axis| axis.name.clone()).collect();
        for axis in &self.vary {
            for value in &axis.values {
                vary::at(std::slice::from_ref(&axis.name), &[*value], &set.rules, &capacity).map_err(wrong)?;
            }
        }
        let (chance, ask_again) = (self.chance(), time(self.ask_again));
        Ok((Scenario { axes, capacity, chance, seeds: self.seeds, ask_again }, grid))
    }

    /// Writes the report of a grid.
    pub(super) fn write_grid(&self, report: &GridReport) -> Result<Outcome, CliError> {
        let unwritable = |error: &serde_json::Error| CliError::bug("the report", error);
        let (form, text) = match self.format {
            Format::Text => (Form::Text, grid_forms::text(report, width(&self.output))),
            Format::Csv => (Form::Data, grid_forms::rows(report).delimited(Delimited::Csv)),
            Format::Markdown => (Form::Text, grid_forms::markdown(report)),
            Format::Html => (Form::Data, grid_page(report).map_err(|error| unwritable(&error))?),
            Format::Json => {
                let all = serde_json::to_value(report).map_err(|error| unwritable(&error))?;
                (Form::Json, format!("{all:#}\n"))
            }
        };
        write_text("the report", &self.output, form, &text)?;
        Ok(Outcome::Done)
    }
}
