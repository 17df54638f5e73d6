//! `--map`: the runs of a grid as the components of a map.

use std::path::Path;

use super::super::common::Common;
use super::super::error::{CliError, Outcome};
use super::super::map::hooks;
use super::super::maps::{Context, budget};
use super::super::output::print_stdout;
use super::super::world;
use super::{Format, Named, Simulate, usable};
use tpv_maps::create::{Plan, RuleSet, Simulation, create};
use tpv_maps::history::Plain;
use tpv_maps::item::Item;
use tpv_maps::slice_size::SliceSize;
use tpv_maps::{Map, results};
use tpv_python::vm::Limits;
use tpv_simulate::capacity::Capacity;
use tpv_simulate::grid::Scenario;
use tpv_simulate::vary::{self, GridReport, Point};
use tpv_text::diagnostic::REPORT_BUG;
use tpv_text::figures::count;
use tpv_text::printable::Form;

/// Missing points that an error names.
const MOST_NAMED: usize = 5;

impl Simulate {
    /// Refuses flags of maps where there is no map, and those of a report where one is made.
    pub(super) fn check_map_flags(&self) -> Result<(), CliError> {
        let Some(tag) = &self.map else {
            return match self.submission.is_given() {
                true => Err(CliError::misuse(
                    "`--engine`, `--memory`, `--time`, `--option` and `--program` are about the components of a map",
                    "name the map with `--map TAG`, or leave them out",
                )),
                false => Ok(()),
            };
        };
        if self.vary.is_empty() {
            let help = format!(
                "add `--vary slurm.cores=500..2000`; for the report of a map that is there: `tpvc simulate --map {tag}`"
            );
            return Err(CliError::misuse("a map has the runs of a grid, and there is no `--vary`", help));
        }
        self.check_no_report(tag)
    }

    fn check_no_report(&self, tag: &str) -> Result<(), CliError> {
        if self.format == Format::Text && self.output == Path::new("-") {
            return Ok(());
        }
        let help = format!(
            "leave out `--format` and `--output`; once the runs are done, `tpvc simulate --map {tag}` takes them"
        );
        Err(CliError::misuse("with `--vary` a map is submitted, and no report is written", help))
    }

    /// Makes a map and submits it.
    pub(super) fn create_map(
        &self,
        tag: &str,
        jobs: &Path,
        set: &Named,
        capacity: Capacity,
        common: &Common,
    ) -> Result<Outcome, CliError> {
        let (scenario, points) = self.scenario(set, capacity)?;
        let context = Context::new(self.maps_dir.as_deref(), common)?;
        let execution = self.submission.choose(&context)?;
        let engine = execution.engine;
        let bytes = set
            .rules
            .to_bytes()
            .map_err(|error| CliError::new(format!("the rules cannot be written: {error}"), REPORT_BUG))?;
        let number = count(points.len() as u64, "point");
        let plan = Plan {
            tag: Some(tag.to_owned()),
            rules: vec![RuleSet { name: set.name.clone(), bytes }],
            versions: None,
            against: None,
            jobs: vec![jobs.to_owned()],
            world: self.world.as_deref().map(world::text).transpose()?,
            simulation: Some(Simulation { scenario, points }),
            detail: false,
            jit: "lazy".to_owned(),
            budget: budget(Limits::default()),
            execution,
            // Each run has all jobs.
            slices: SliceSize::Bytes(u64::MAX),
        };
        let map = create(&context.root, &plan, &mut Plain, &hooks(common), &mut |_| {})?;
        let components = count(u64::from(map.dir().components()?), "component");
        common.note(&format!(
            "{tag}: {number}, {components} on {engine}; its report, when it is done: `tpvc simulate --map {tag}`"
        ));
        print_stdout(Form::Text, &format!("{tag}\n"))?;
        Ok(Outcome::Done)
    }

    /// Adds points to a map that is there, or writes its report.
    pub(super) fn existing_map(&self, tag: &str, common: &Common) -> Result<Outcome, CliError> {
        if self.submission.is_given() {
            return Err(CliError::misuse(
                format!("the map `{tag}` has its engine, and components that run as they were created to"),
                format!("`tpvc maps edit {tag}` changes their memory and time; with `--jobs` a new map is made"),
            ));
        }
        let context = Context::new(self.maps_dir.as_deref(), common)?;
        let map = context.load(tag)?;
        let Some(scenario) = map.scenario()? else {
            return Err(CliError::new(
                format!("the map `{tag}` has no simulations"),
                format!("`tpvc maps results {tag}` writes what it has; `--map` is for maps of `tpvc simulate --vary`"),
            ));
        };
        if self.vary.is_empty() {
            self.report_map(&map, &scenario, common)
        } else {
            self.add_points(map, &scenario, common)
        }
    }

    fn add_points(&self, mut map: Map, scenario: &Scenario, common: &Common) -> Result<Outcome, CliError> {
        let tag = map.tag().to_owned();
        self.check_no_report(&tag)?;
        if !self.vary.iter().map(|axis| &axis.name).eq(&scenario.axes) {
            return Err(CliError::new(
                format!("the map `{tag}` varies `{}`, in this order", scenario.axes.join("` and `")),
                "give values to all of these with `--vary`, in the same order",
            ));
        }
        let points = vary::grid(&self.vary)
            .map_err(|message| CliError::new(message, "leave out values, or add them in several calls"))?;
        let added = map.add_runs(scenario.runs(&points))?;
        let runs = count(added as u64, "run");
        common.note(&format!("{tag}: {runs} added; the report, when the map is done: `tpvc simulate --map {tag}`"));
        print_stdout(Form::Text, &format!("{tag}\n"))?;
        Ok(Outcome::Done)
    }

    fn report_map(&self, map: &Map, scenario: &Scenario, common: &Common) -> Result<Outcome, CliError> {
        let dir = map.dir();
        let mut items = dir.items()?;
        items.truncate(dir.components()? as usize);
        let all: Vec<u32> = items.iter().map(|item| item.component).collect();
        let absent = results::missing(dir, &all)?;
        let (mut points, mut missing) = (Vec::new(), Vec::new());
        let point = |item: &Item| item.run.as_ref().map(|run| run.values()).unwrap_or_default();
        for runs in items.chunk_by(|a, b| point(a) == point(b)) {
            let values = runs.first().map(point).unwrap_or_default();
            if runs.iter().any(|item| absent.binary_search(&item.component).is_ok()) {
                missing.push(vary::point_name(&scenario.axes, &values));
                continue;
            }
            let mut ended = Vec::new();
            for item in runs {
                ended.extend(results::run(dir, item.component)?.map(|run| run.ended));
            }
            if let (true, Some(ended)) = (points.is_empty(), ended.first()) {
                let file = runs.first().map_or("-", |item| item.file.as_str());
                usable(Path::new(file), &ended.told, ended.arrived)?;
            }
            points.push(Point::new(values, &ended));
        }
        let report = GridReport::new(scenario.axes.clone(), points, missing);
        if let Some(missing) = report.incomplete(MOST_NAMED) {
            let tag = map.tag();
            let message = format!("the map `{tag}` is not complete: {missing}");
            if !self.partial {
                return Err(CliError::new(
                    message,
                    format!(
                        "`tpvc maps wait {tag}` waits for them, `tpvc maps errors {tag}` shows why they failed and `tpvc maps rerun {tag}` \
                         runs them again; `--partial` reports the others"
                    ),
                ));
            }
            common.note(&message);
        }
        self.write_grid(&report)
    }
}
