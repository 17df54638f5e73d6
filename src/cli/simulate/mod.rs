//! `tpvc simulate`

mod mapped;
mod trace;
mod vary;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufReader, BufWriter, IntoInnerError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::ValueRow;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::map::{self, hooks};
use super::maps::Submission;
use super::output::{Output, width, write_text};
use super::progress::Readings;
use super::stream::{Jobs, check_kind};
use super::{diff, paths, rules, world};
use tpv_analysis::diff::Side;
use tpv_analysis::people::Naming;
use tpv_simulate::amount::{Time, time};
use tpv_simulate::arrivals::Told;
use tpv_simulate::capacity::{self, Capacity};
use tpv_simulate::engine::{self, Settings, Step};
use tpv_simulate::grid::{Chance, Exact};
use tpv_simulate::guess;
use tpv_simulate::log::Paired;
use tpv_simulate::markdown::markdown;
use tpv_simulate::page::page;
use tpv_simulate::report::{Counted, Report, Run, Set};
use tpv_simulate::route::RuleRouter;
use tpv_simulate::rows::rows;
use tpv_simulate::text::text;
use tpv_simulate::vary::Axis;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::figures::{amount, count};
use tpv_text::parallel;
use tpv_text::printable::Form;
use tpv_text::rows::Delimited;
use tpv_text::source::{Limits, SourceMap};
use trace::Trace;

/// Simulate a job history over time: waits, use of clusters and waste under the rules
///
/// Jobs arrive at the times of the history; each is mapped with the job table of that moment, so that rank functions, limits and resource pools see
/// destinations fill up and drain. A capacity file describes the clusters behind the destinations; without one, jobs start at once. With `--old`
/// two rule sets are compared over the same jobs. docs/simulate.md says what is modelled, and what is not.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc simulate --guess-capacity --jobs jobs.jsonl.zst -o capacity.yml\n  \
    tpvc simulate rules.bin --jobs jobs.jsonl.zst --capacity capacity.yml\n  \
    tpvc simulate new.bin --old old.bin --jobs jobs.jsonl.zst --capacity capacity.yml --seeds 5\n  \
    tpvc simulate --old main... 'tpv/*.yml' --jobs jobs.jsonl.zst --capacity capacity.yml --format html -o week.html\n  \
    tpvc simulate rules.bin --jobs jobs.jsonl.zst --capacity capacity.yml --vary slurm.cores=500..2000\n  \
    tpvc simulate rules.bin --jobs jobs.jsonl.zst --capacity capacity.yml --vary slurm.cores=500..2000 --map knee --engine slurm\n  \
    tpvc maps wait knee && tpvc simulate --map knee\n  \
    tpvc simulate rules.bin --jobs jobs.jsonl.zst --capacity capacity.yml --format json -o year.json")]
pub(super) struct Simulate {
    /// Config files, URLs, folders or patterns, merged in this order, or one artifact [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG|RULES", requires = "jobs")]
    configs: Vec<String>,
    /// The jobs: a job file with outcomes, as `tpvc export-jobs` writes it, plain, gzip or zstd
    #[arg(long, value_name = "JOBS", required_unless_present = "map")]
    jobs: Option<PathBuf>,
    /// Leave out the jobs of other dynamic destinations and those that went to a static one, as the job file names them
    /// (`export-jobs --job-conf`)
    #[arg(long, value_name = "DESTINATION", conflicts_with = "map")]
    dispatcher: Option<String>,
    /// The clusters behind the destinations (`capacity.yml`) [default: all jobs start at once]
    #[arg(long, value_name = "CAPACITY", requires = "jobs")]
    capacity: Option<PathBuf>,
    /// Compare with these rules: config files or an artifact, repeated for more files; or a revision of git such as `main...`, of the same configs
    #[arg(long, value_name = "CONFIG|RULES|REVISION")]
    old: Vec<String>,
    /// Galaxy's state besides the jobs that arrive (a world file): tool data tables, configuration, files
    #[arg(long, value_name = "WORLD", requires = "jobs")]
    world: Option<PathBuf>,
    /// Runs with different chances; the first has the arrivals of the history, the others move each by up to `--jitter`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100), requires = "jobs")]
    seeds: u16,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0, requires = "jobs")]
    seed: u64,
    /// The most seconds by which an arrival is moved
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, value_parser = not_negative, requires = "jobs")]
    jitter: f64,
    /// Let this many jobs an hour arrive at random, instead of at their recorded times
    #[arg(long, value_name = "JOBS-AN-HOUR", value_parser = positive, requires = "jobs")]
    rate: Option<f64>,
    /// Seconds until Galaxy's handler asks again for a job that the rules were not ready for
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = positive, requires = "jobs")]
    ask_again: f64,
    /// Simulate a grid of values: of a cluster's `cores`, `mem`, `gpus`, `jobs` or `nodes`, or of the global context; LOW..HIGH is five values. Repeat it for more
    #[arg(long, value_name = "NAME=VALUES", value_parser = Axis::parse, conflicts_with_all = ["old", "calibrate", "guess_capacity", "trace"])]
    vary: Vec<Axis>,
    /// Compare the simulated waits with those that the history recorded
    #[arg(long, conflicts_with_all = ["old", "rate", "guess_capacity"])]
    calibrate: bool,
    /// Write a capacity file instead: the most that jobs of the history used at the same time, by destination; with CONFIG only of its destinations
    #[arg(long, conflicts_with_all = ["old", "capacity", "rate"])]
    guess_capacity: bool,
    /// Write each question to the mapper as a line of JSON: the job, the answer, what changed in the job table since the last
    #[arg(long, value_name = "OUT", conflicts_with_all = ["old", "guess_capacity"])]
    trace: Option<PathBuf>,
    /// Runs to do at the same time [default: all cores]
    #[arg(long, value_name = "N", value_parser = map::threads, conflicts_with = "map")]
    threads: Option<u16>,
    /// Name users as the jobs do [default: a short hash of the address or name]
    #[arg(long, conflicts_with = "map")]
    with_users: bool,
    /// Rows of each table of the text
    #[arg(long, value_name = "N", default_value_t = 10)]
    rows: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Run the grid of `--vary` as a map of `tpvc maps` with this tag, a component a point and seed; the tag is printed. Later,
    /// without `--jobs`: write the report of the map, or with `--vary` add points to it
    #[arg(long, value_name = "TAG", help_heading = "Map", conflicts_with_all = ["old", "calibrate", "guess_capacity", "trace"])]
    map: Option<String>,
    /// Report the complete points, even if others are not
    #[arg(long, help_heading = "Map", requires = "map", conflicts_with_all = ["jobs", "vary"])]
    partial: bool,
    /// The folder of all maps [default: `dir` of `tpvc.toml`, or ~/.tpvc/maps]
    #[arg(long, value_name = "FOLDER", help_heading = "Map", requires = "map")]
    maps_dir: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Map")]
    submission: Submission,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// All results as data
    Json,
    /// All rows of all tables, safe to open in a spreadsheet
    Csv,
    /// For the comment of a pull request
    Markdown,
    /// A page with plots
    Html,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 1e9);
    number.ok_or_else(|| "write a number above 0".to_owned())
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number >= 0.0 && *number <= 1e9);
    number.ok_or_else(|| "write a number from 0".to_owned())
}

/// Destinations without a cluster that a note names.
const MOST_SHOWN: usize = 10;

/// A rule set with its name.
struct Named {
    name: String,
    rules: Arc<Rules>,
}

/// Rules with settings.
struct Variant {
    rules: Arc<Rules>,
    settings: Settings,
}

/// A run that is to be done.
struct Task {
    set: usize,
    /// Its number among the runs of the set; the arrivals of the first are those of the history.
    run: u16,
}

impl Simulate {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        if let (None, Some(tag)) = (&self.jobs, &self.map) {
            return self.existing_map(tag, common);
        }
        let jobs = self.jobs();
        self.check_map_flags()?;
        check_kind(jobs)?;
        if self.guess_capacity {
            return self.guess(jobs, common);
        }
        self.job_file().note_dispatchers(common);
        let Some(sets) = self.sets(common)? else { return Ok(Outcome::Bad) };
        let Some(capacity) = self.capacity(&sets, common)? else { return Ok(Outcome::Bad) };
        if jobs == Path::new("-") && self.map.is_none() && (sets.len() > 1 || self.seeds > 1 || !self.vary.is_empty()) {
            let help = "write them to a file first, or leave out `--old`, `--seeds` and `--vary`";
            return Err(CliError::misuse("jobs from stdin can be read only once", help));
        }
        if let (Some(tag), Some(set)) = (&self.map, sets.first()) {
            return self.create_map(tag, jobs, set, capacity, common);
        }
        let world = world::at_this_moment(self.world.as_deref())?;
        let settings = Settings {
            capacity,
            world,
            ask_again: time(self.ask_again),
            naming: Naming::with_users(self.with_users),
            logs: sets.len() > 1,
            ..Settings::default()
        };
        if let (false, Some(set)) = (self.vary.is_empty(), sets.first()) {
            return self.vary(set, settings, common);
        }
        let variants: Vec<Variant> =
            sets.iter().map(|set| Variant { rules: set.rules.clone(), settings: settings.clone() }).collect();
        let (runs, pairs) = self.simulate(&variants, common)?;
        let sets: Vec<Set> = sets.into_iter().zip(runs).map(|(set, runs)| Set { name: set.name, runs }).collect();
        self.check(&sets)?;
        let report = Report::new(&sets, &pairs, self.seed);
        self.notes(&report, common);
        let (form, text) = match self.format {
            Format::Text => (Form::Text, text(&report, self.rows, self.calibrate, width(&self.output))),
            Format::Csv => (Form::Data, rows(&report).delimited(Delimited::Csv)),
            Format::Markdown => (Form::Text, markdown(&report, self.rows)),
            Format::Html => (Form::Data, page(&report).map_err(|error| CliError::bug("the report", &error))?),
            Format::Json => {
                let text =
                    serde_json::to_string_pretty(&report).map_err(|error| CliError::bug("the report", &error))?;
                (Form::Json, text + "\n")
            }
        };
        write_text("the report", &self.output, form, &text)?;
        Ok(Outcome::Done)
    }

    /// The job file. Only a map that is there needs none.
    fn jobs(&self) -> &Path {
        self.jobs.as_deref().unwrap_or(Path::new("-"))
    }

    /// The jobs of the file that count.
    fn job_file(&self) -> Jobs<'_> {
        Jobs { path: self.jobs(), dispatcher: self.dispatcher.as_deref() }
    }

    /// The rule sets, the old one first. `None` if one does not compile, which has then been reported.
    fn sets(&self, common: &Common) -> Result<Option<Vec<Named>>, CliError> {
        if let [revision] = self.old.as_slice()
            && !Path::new(revision).exists()
            && !tpv_text::source::is_url(revision)
            && !revision.contains('*')
        {
            let sides = diff::revisions(&self.configs, revision, common)?;
            let named = |side: Side| Named { name: side.name, rules: side.rules };
            return Ok(sides.map(|(old, new)| vec![named(old), named(new)]));
        }
        let mut sets = Vec::with_capacity(2);
        let new = paths::named(&self.configs, common)?;
        let old = Some(self.old.as_slice()).filter(|names| !names.is_empty());
        for names in old.into_iter().chain([&*new]) {
            let Some(loaded) = rules::load_any(None, names, common)? else { return Ok(None) };
            sets.push(Named { name: diff::shown(names), rules: loaded.rules });
        }
        Ok(Some(sets))
    }

    /// The capacity. `None` if its file is wrong, which has then been reported.
    fn capacity(&self, sets: &[Named], common: &Common) -> Result<Option<Capacity>, CliError> {
        let Some(path) = &self.capacity else { return Ok(Some(Capacity::default())) };
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let id = sources.load(&path.display().to_string(), &Limits::default()).map_err(|error| {
            CliError::new(format!("the capacity `{}` cannot be read: {error}", path.display()), "check the path")
        })?;
        let known = destinations(sets);
        let capacity = capacity::read(&sources, id, known.as_deref(), &mut problems);
        common.show(&problems, &sources);
        Ok(capacity)
    }

    /// Does all runs, some at once. Which thread does which changes nothing. Of two rule sets the runs of each seed are compared job by job.
    fn simulate(&self, sets: &[Variant], common: &Common) -> Result<(Vec<Vec<Run>>, Vec<Paired>), CliError> {
        // The runs of a seed are neighbours, so that few logs of jobs are kept at once.
        let tasks: Vec<Task> =
            (0..self.seeds).flat_map(|run| (0..sets.len()).map(move |set| Task { set, run })).collect();
        let alone: Mutex<HashMap<u16, Run>> = Mutex::default();
        let readings = Readings::new(common, self.jobs(), tasks.len());
        let done = self.at_once(&tasks, common, |task| {
            let Some(set) = sets.get(task.set) else { return Ok((Vec::new(), None)) };
            let run = self.one(task.run, set, &readings, common)?;
            if run.measure.log.is_none() {
                return Ok((vec![(task.set, task.run, run)], None));
            }
            let mut waiting = alone.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(other) = waiting.remove(&task.run) else {
                waiting.insert(task.run, run);
                return Ok((Vec::new(), None));
            };
            drop(waiting);
            let (mut old, mut new) = if task.set == 0 { (run, other) } else { (other, run) };
            let mut paired = Paired::default();
            if let (Some(before), Some(after)) = (old.measure.log.take(), new.measure.log.take()) {
                paired = Paired::new(&before, &after);
                let [before, after] = paired.both.clone();
                (old.measure.common, new.measure.common) = (Some(before), Some(after));
            }
            Ok((vec![(0, task.run, old), (1, task.run, new)], Some((task.run, paired))))
        });
        readings.finish();
        let done = done?;
        let (mut runs, mut pairs) = (Vec::new(), Vec::new());
        for (some, paired) in done {
            runs.extend(some);
            pairs.extend(paired);
        }
        runs.sort_by_key(|(set, run, _)| (*set, *run));
        pairs.sort_by_key(|(run, _)| *run);
        let mut by_set: Vec<Vec<Run>> = sets.iter().map(|_| Vec::new()).collect();
        for (set, _, run) in runs {
            if let Some(runs) = by_set.get_mut(set) {
                runs.push(run);
            }
        }
        Ok((by_set, pairs.into_iter().map(|(_, paired)| paired).collect()))
    }

    /// Does tasks on several threads. The first that fails in their order ends all with its error.
    fn at_once<T: Sync, R: Send>(
        &self,
        tasks: &[T],
        common: &Common,
        work: impl Fn(&T) -> Result<R, CliError> + Sync,
    ) -> Result<Vec<R>, CliError> {
        parallel::map_on(map::threads_or_all(self.threads, common), tasks, work).into_iter().collect()
    }

    fn chance(&self) -> Chance {
        Chance { seed: self.seed, jitter: Exact(self.jitter), rate: self.rate.map(Exact) }
    }

    /// Does one run.
    fn one(&self, run: u16, set: &Variant, readings: &Readings, common: &Common) -> Result<Run, CliError> {
        let (file, _) = self.job_file().open()?;
        let fault = file.fault();
        let reader = BufReader::with_capacity(1 << 16, readings.over(file));
        let mut lines = self.chance().arrivals(reader, run, set.settings.world.now);
        let router = RuleRouter::new(set.rules.clone(), hooks(common));
        let measure = match self.trace.as_deref().filter(|_| run == 0) {
            None => engine::run(&set.settings, router, &mut lines, None),
            Some(path) => {
                let unwritable = |error: &io::Error| CliError::unwritable("the trace", error, path);
                let output = Output::create(path).map_err(|error| unwritable(&error))?;
                let mut trace = Trace::new(BufWriter::new(output));
                let mut watch = |_: Time, step: Step<'_>| match step {
                    Step::Asked { line, job, world, routed } => trace.asked(line, job, world, routed),
                    Step::Row { place, id } => trace.touched(place, id),
                    _ => {}
                };
                let measure = engine::run(&set.settings, router, &mut lines, Some(&mut watch));
                let written = trace.end().and_then(|writer| writer.into_inner().map_err(IntoInnerError::into_error));
                written.and_then(Output::finish).map_err(|error| unwritable(&error))?;
                measure
            }
        };
        match fault.get() {
            Some(fault) => Err(fault.into()),
            None => Ok(Run { measure, told: lines.told }),
        }
    }

    /// Refuses a history of which nothing can be simulated, and one with faulty lines.
    fn check(&self, sets: &[Set]) -> Result<(), CliError> {
        let Some(told) = sets.first().and_then(|set| set.runs.first()).map(|run| &run.told) else { return Ok(()) };
        let arrived = sets.iter().flat_map(|set| &set.runs).map(|run| run.measure.arrived).max().unwrap_or(0);
        usable(self.jobs(), told, arrived)
    }

    /// Tells what of the jobs and destinations could not be taken as it is.
    fn notes(&self, report: &Report, common: &Common) {
        let told = &report.jobs;
        for (jobs, what) in [
            (told.without_time, "without `job.create_time`: left out"),
            (told.never_ran, "that never ran: left out"),
            (told.without_run, "of unknown run time, the first of their tools: left out"),
            (told.guessed_times, "of unknown run time: each runs as long as half of its tool's jobs before it did"),
            (told.end_before_start, "that end before they start: their run times are taken as unknown"),
            (told.late, "far from the order of their times: sort the file by `create_time`; they arrive late"),
        ] {
            if jobs > 0 {
                common.note(&format!("note: {} {what}", count(jobs, "job")));
            }
        }
        for set in &report.sets {
            if set.all.undecided > 0.0 {
                let jobs = amount(set.all.undecided);
                let by = if report.sets.len() > 1 { format!(" by {}", set.name) } else { String::new() };
                common.note(&format!(
                    "stopped: {jobs} jobs undecided{by}: the rules were not ready for them, however often they were asked"
                ));
            }
        }
        if self.capacity.is_none() {
            common.note(
                "note: without `--capacity` every job starts at once; `--guess-capacity` writes a file to begin with",
            );
            return;
        }
        let without: Vec<&Counted> = report.sets.iter().flat_map(|set| &set.without_cluster).collect();
        let names: BTreeSet<&str> = without.iter().map(|destination| destination.name.as_str()).collect();
        let most = |name: &str| without.iter().filter(|one| one.name == name).map(|one| one.jobs).max().unwrap_or(0);
        let mut names: Vec<(u64, &str)> = names.into_iter().map(|name| (most(name), name)).collect();
        names.sort_by_key(|(jobs, _)| Reverse(*jobs));
        let shown: Vec<String> =
            names.iter().take(MOST_SHOWN).map(|(jobs, name)| format!("`{name}` ({})", count(*jobs, "job"))).collect();
        let more = names.len().saturating_sub(MOST_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !shown.is_empty() {
            let shown = shown.join(", ");
            common.note(&format!("note: no cluster of the capacity has {shown}{more}: their jobs start at once"));
        }
    }

    /// Writes a capacity file by the history.
    fn guess(&self, jobs: &Path, common: &Common) -> Result<Outcome, CliError> {
        let known = match self.configs.is_empty() {
            true => None,
            false => match self.sets(common)? {
                Some(sets) => destinations(&sets),
                None => return Ok(Outcome::Bad),
            },
        };
        let (file, _) = Jobs { path: jobs, dispatcher: self.dispatcher.as_deref() }.open()?;
        let fault = file.fault();
        let guessed = guess::guess(BufReader::with_capacity(1 << 16, file));
        if let Some(fault) = fault.get() {
            return Err(fault.into());
        }
        if guessed.jobs == 0 && guessed.told.without_run == guessed.told.lines && guessed.told.lines > 0 {
            return Err(CliError::new(
                format!("no job of {} has the times that it ran", name_of(jobs)),
                "a capacity is guessed from `running_time`, `end_time` and `destination_id` of `outcome`, which `tpvc export-jobs` writes",
            ));
        }
        usable(jobs, &Told { without_time: 0, ..guessed.told.clone() }, guessed.jobs)?;
        write_text("the capacity", &self.output, Form::Text, &guessed.text(known.as_deref()))?;
        if self.output != Path::new("-") {
            let jobs = count(guessed.jobs, "job");
            common.note(&format!("wrote `{}` from {jobs}; next: give each cluster its nodes", self.output.display()));
        }
        Ok(Outcome::Done)
    }
}

/// The name of a job file in messages.
fn name_of(jobs: &Path) -> String {
    if jobs == Path::new("-") { "stdin".to_owned() } else { format!("`{}`", jobs.display()) }
}

/// Refuses jobs of which nothing can be simulated, or some lines cannot be read.
fn usable(jobs: &Path, told: &Told, arrived: u64) -> Result<(), CliError> {
    let name = name_of(jobs);
    if told.faulty > 0 {
        let faults = told.faults.iter().map(|fault| format!("line {}: {}", fault.line, fault.message));
        let faults = faults.collect::<Vec<_>>().join("; ");
        let message = format!("{} of {name} cannot be used: {faults}", count(told.faulty, "line"));
        return Err(CliError::new(message, "correct these lines, or remove them; docs/formats.md has the format"));
    }
    if told.lines == 0 {
        return Err(CliError::new(format!("{name} has no jobs"), "name a job file that `tpvc export-jobs` wrote"));
    }
    if arrived == 0 && told.without_time == told.lines {
        let message = format!("no job of {name} has the time of its creation (`job.create_time`)");
        let help = "export the jobs with their times: `tpvc export-jobs --since 365d`; or let them arrive at random: `--rate 100`";
        return Err(CliError::new(message, help));
    }
    if arrived == 0 {
        let message = format!("no job of {name} has its run time");
        let help = "export finished jobs, whose `outcome` has `runtime_seconds`, or `running_time` and `end_time`";
        return Err(CliError::new(message, help));
    }
    Ok(())
}

/// The ids of the destinations that jobs can go to. `None` if some have names that are made for each job.
fn destinations(sets: &[Named]) -> Option<Vec<String>> {
    let mut ids = Vec::new();
    for set in sets {
        let tables = set.rules.tables();
        let text = |id: u32| tables.strings.get(id as usize).cloned().unwrap_or_default();
        for row in tables.destinations.iter().filter(|row| !row.abstract_) {
            match row.value(tpv_model::Field::DestName) {
                Some(ValueRow::Code(name, _)) if text(*name).contains('{') => return None,
                Some(ValueRow::Str(name) | ValueRow::Code(name, _)) => ids.push(text(*name)),
                _ => {}
            }
            ids.push(text(row.id));
        }
    }
    Some(ids)
}
