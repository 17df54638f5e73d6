//! `--vary`: the runs of a grid on this machine, and the report of one.

use std::io::BufReader;

use super::super::common::Common;
use super::super::error::{CliError, Outcome};
use super::super::map::hooks;
use super::super::output::write_text;
use super::super::table;
use super::{Format, Named, Simulate, tables, usable};
use tpv_analysis::figures::count;
use tpv_analysis::job_file::JobFile;
use tpv_compiler::printable::Form;
use tpv_simulate::amount::time;
use tpv_simulate::capacity::Capacity;
use tpv_simulate::engine::Settings;
use tpv_simulate::grid::Scenario;
use tpv_simulate::vary::{self, Point};

/// The names of the points of a grid that are missing, at most so many; `there` are the others.
pub(super) fn missing_points(missing: &[String], there: usize, most: usize) -> String {
    let all = count((missing.len() + there) as u64, "point");
    let mut names: Vec<String> = missing.iter().take(most).cloned().collect();
    if let more @ 1.. = missing.len() - names.len() {
        names.push(format!("and {more} more"));
    }
    let are = if missing.len() == 1 { "is" } else { "are" };
    format!("{} of {all} {are} missing: {}", missing.len(), names.join(", "))
}

fn wrong(message: String) -> CliError {
    CliError::new(message, "name what there is, such as `--vary slurm.cores=500..2000`")
}

impl Simulate {
    /// Simulates a grid.
    pub(super) fn vary(&self, set: &Named, settings: Settings, common: &Common) -> Result<Outcome, CliError> {
        self.check_form()?;
        let (scenario, grid) = self.scenario(set, settings.capacity)?;
        let ended = self.at_once(&scenario.runs(&grid), common, |run| {
            let (file, _) = JobFile::open(self.jobs())?;
            let fault = file.fault();
            let reader = BufReader::with_capacity(1 << 16, file);
            let world = settings.world.clone();
            let ended = scenario.simulate(run, reader, &set.rules, world, hooks(common), &mut |_| {}).map_err(wrong)?;
            match fault.get() {
                Some(fault) => Err(fault.into()),
                None => Ok(ended),
            }
        })?;
        if let Some(ended) = ended.first() {
            usable(self.jobs(), &ended.told, ended.arrived)?;
        }
        let runs = ended.chunks(usize::from(scenario.seeds));
        let points = grid.into_iter().zip(runs).map(|(values, runs)| Point::new(values, runs)).collect();
        self.write_points(&scenario.axes, points, &[])
    }

    /// The grid: what its runs share, and its points.
    pub(super) fn scenario(&self, set: &Named, capacity: Capacity) -> Result<(Scenario, Vec<Vec<f64>>), CliError> {
        let grid = vary::grid(&self.vary).map_err(wrong)?;
        let axes: Vec<String> = self.vary.iter().map(|axis| axis.name.clone()).collect();
        if let Some(point) = grid.first() {
            // What is wrong with an axis is wrong at each point.
            vary::at(&axes, point, &set.rules, &capacity).map_err(wrong)?;
        }
        let (chance, ask_again) = (self.chance(), time(self.ask_again));
        Ok((Scenario { axes, capacity, chance, seeds: self.seeds, ask_again }, grid))
    }

    /// Refuses the form that a grid does not have.
    pub(super) fn check_form(&self) -> Result<(), CliError> {
        if self.format == Format::Html {
            let help = "write `--format text`, `csv`, `json` or `markdown`";
            return Err(CliError::misuse("`--vary` has no page", help));
        }
        Ok(())
    }

    /// Writes the report of a grid. `missing` are the names of points that have not been simulated.
    pub(super) fn write_points(
        &self,
        axes: &[String],
        mut points: Vec<Point>,
        missing: &[String],
    ) -> Result<Outcome, CliError> {
        vary::mark_front(&mut points);
        let rows = tables::points(axes, &points, self.format == Format::Text);
        let incomplete = match missing.is_empty() {
            true => String::new(),
            false => format!("\nNot complete: {}\n", missing_points(missing, points.len(), missing.len())),
        };
        let (form, text) = match self.format {
            Format::Text => (Form::Text, rows.show(table::Format::Table) + tables::ABOUT_FRONT + &incomplete),
            Format::Csv => (Form::Data, rows.show(table::Format::Csv)),
            Format::Markdown => (Form::Text, rows.markdown() + &incomplete),
            Format::Json | Format::Html => {
                let mut all = serde_json::json!({"axes": axes, "points": points});
                if let (false, Some(all)) = (missing.is_empty(), all.as_object_mut()) {
                    all.insert("missing".to_owned(), missing.into());
                }
                (Form::Json, format!("{all:#}\n"))
            }
        };
        write_text("the report", &self.output, form, &text)?;
        Ok(Outcome::Done)
    }
}
