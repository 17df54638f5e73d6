//! `tpvc bench`

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::error::{CliError, Outcome};
use tpv_bench::{Shape, Timing, Workload, WorkloadError, compile, time};
use tpv_runtime::artifact::Rules;
use tpv_text::diagnostic::REPORT_BUG;
use tpv_text::figures::{amount, count, grouped};

/// Measure compiling, loading and mapping
///
/// Measures your own rules and jobs with CONFIG and `--jobs`, else a generated set of the size that you ask for. Each
/// figure is the median of several runs. Jobs of which more than a fifth end in errors are refused: an exception has another price than
/// a mapping.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc bench --tools 100000 --destinations 50 --rules 2\n  \
    tpvc bench tpv_rules.yml --jobs jobs.jsonl --world world.json --format json")]
pub(super) struct Bench {
    /// Config files or URLs to measure with, in place of a generated set
    #[arg(value_name = "CONFIG", requires = "jobs")]
    config: Vec<String>,
    /// The jobs to map by CONFIG, one JSON object a line
    #[arg(long, value_name = "JOBS", requires = "config")]
    jobs: Option<PathBuf>,
    /// Galaxy's state at that moment (a world file), for CONFIG
    #[arg(long, value_name = "WORLD", requires = "config")]
    world: Option<PathBuf>,
    /// Measure even if more than a fifth of the jobs end in errors
    #[arg(long)]
    allow_errors: bool,
    /// Tools of the generated set
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = size(1, 10_000_000))]
    tools: u64,
    /// Destinations of the generated set
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = size(0, 1_000_000))]
    destinations: u64,
    /// Rules of each generated tool
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = size(0, 10_000))]
    rules: u64,
    /// Jobs of the generated set
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = size(1, 10_000_000))]
    count: u64,
    /// Another seed generates other sizes and jobs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Runs of each measurement
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = size(1, 1000))]
    runs: u64,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for a terminal
    Text,
    /// The figures in microseconds
    Json,
}

fn size(least: u64, most: u64) -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(least..=most)
}

/// One figure.
struct Row {
    name: &'static str,
    /// The unit: `config`, `artifact`, `job`.
    unit: &'static str,
    count: usize,
    timing: Timing,
}

impl Row {
    fn micros(&self, duration: Duration) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure of a few digits")]
        let count = self.count.max(1) as f64;
        duration.as_secs_f64() * 1e6 / count
    }
}

impl Bench {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        let broken = |error: WorkloadError| {
            CliError::new(error.to_string(), "`tpvc compile` shows what is wrong with a config, with its place")
        };
        let folder =
            tempfile::tempdir().map_err(|error| broken(WorkloadError(format!("a temporary folder: {error}"))))?;
        let workload = self.workload(folder.path()).map_err(broken)?;
        if !self.allow_errors
            && let Some(refusal) = workload.refusal(&workload.mapper())
        {
            return Err(CliError::new(refusal, "mend them, or add `--allow-errors` to measure them as they are"));
        }
        let rows = self.measure(&workload).map_err(broken)?;
        self.print(&workload, &rows);
        Ok(Outcome::Done)
    }

    fn workload(&self, folder: &std::path::Path) -> Result<Workload, WorkloadError> {
        if let Some(jobs) = &self.jobs {
            return Workload::read(self.config.clone(), jobs, self.world.as_deref());
        }
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let shape = Shape {
            tools: number(self.tools),
            destinations: number(self.destinations),
            rules: number(self.rules),
            jobs: number(self.count),
            seed: self.seed,
        };
        shape.generate().workload(folder)
    }

    fn measure(&self, workload: &Workload) -> Result<Vec<Row>, WorkloadError> {
        let runs = usize::try_from(self.runs).unwrap_or(1);
        let artifact = workload.rules.to_bytes().map_err(|error| WorkloadError(error.to_string()))?;
        let mapper = workload.mapper();
        let first = workload.answers(&mapper);
        let jobs = workload.jobs.len();
        let mut rows = vec![
            Row { name: "compile", unit: "config", count: 1, timing: time(runs, || compile(&workload.configs)) },
            Row { name: "load", unit: "artifact", count: 1, timing: time(runs, || Rules::load(&artifact)) },
            Row {
                name: "map, first time",
                unit: "job",
                count: jobs,
                timing: time(runs, || workload.map(&workload.mapper())),
            },
        ];
        rows.push(Row { name: "map", unit: "job", count: jobs, timing: time(runs, || workload.map(&mapper)) });
        if workload.answers(&mapper) != first {
            return Err(WorkloadError(format!("two runs gave different answers: {REPORT_BUG}")));
        }
        Ok(rows)
    }

    fn print(&self, workload: &Workload, rows: &[Row]) {
        let tables = workload.rules.tables();
        let counts = [
            ("tools", tables.tools.rows.len()),
            ("destinations", tables.destinations.len()),
            ("rules", tables.rules.len()),
            ("jobs", workload.jobs.len()),
        ];
        let mut out = std::io::stdout().lock();
        // A reader that goes away early is not an error.
        let _ = if self.format == Format::Json {
            let figures: Vec<_> = rows
                .iter()
                .map(|row| {
                    serde_json::json!({
                        "name": row.name,
                        "unit": row.unit,
                        "median_us": row.micros(row.timing.median),
                        "minimum_us": row.micros(row.timing.minimum),
                        "maximum_us": row.micros(row.timing.maximum),
                    })
                })
                .collect();
            let counts: serde_json::Map<String, serde_json::Value> =
                counts.into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
            writeln!(out, "{}", serde_json::json!({ "counts": counts, "runs": self.runs, "figures": figures }))
        } else {
            let counts: Vec<String> =
                counts.iter().map(|(name, count)| format!("{} {name}", grouped(*count as u64))).collect();
            writeln!(out, "{}; median of {} (least, most)", counts.join(", "), count(self.runs, "run")).and_then(|()| {
                rows.iter().try_for_each(|row| {
                    writeln!(
                        out,
                        "{:<16} {:>10} µs {:<11} ({}, {})",
                        row.name,
                        amount(row.micros(row.timing.median)),
                        format!("a{} {}", if row.unit.starts_with('a') { "n" } else { "" }, row.unit),
                        amount(row.micros(row.timing.minimum)),
                        amount(row.micros(row.timing.maximum))
                    )
                })
            })
        };
    }
}
