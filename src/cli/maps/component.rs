//! `tpvc maps component`: what runs on an execute node. The script of a map starts it.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use tpv_python::vm::Limits;
use tpv_runtime::mapper::Hooks;

use crate::cli::code::JitMode;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use crate::cli::map::hooks;
use tpv_maps::component::run::{Ended, Task, run};
use tpv_maps::resources::Resources;
use tpv_simulate::grid::{Exact, GridRun};

/// Map one slice of jobs
#[derive(Args)]
pub(super) struct Component {
    /// The component
    #[arg(long)]
    component: u32,
    /// The number of the cluster
    #[arg(long)]
    cluster: u32,
    /// The artifact
    #[arg(long)]
    rules: PathBuf,
    /// The artifact to compare with
    #[arg(long)]
    against: Option<PathBuf>,
    /// The slice of jobs, compressed
    #[arg(long)]
    jobs: PathBuf,
    /// The world
    #[arg(long)]
    world: Option<PathBuf>,
    /// File of the scenario that the runs of a simulation share
    #[arg(long, requires_all = ["point", "run"])]
    scenario: Option<PathBuf>,
    /// The values of the axes
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    point: Vec<Exact>,
    /// The number of the run at its point
    #[arg(long)]
    run: Option<u16>,
    /// The time, in microseconds from 1970-01-01 UTC
    #[arg(long, allow_negative_numbers = true)]
    now: i64,
    /// The job file
    #[arg(long)]
    file: String,
    /// The number of the slice's first line
    #[arg(long)]
    first_line: u64,
    /// Output file for the answers
    #[arg(long)]
    output: PathBuf,
    /// Output file for the summary
    #[arg(long)]
    summary: PathBuf,
    /// Output file for the error report
    #[arg(long)]
    error: PathBuf,
    /// File to update with the progress now and then
    #[arg(long)]
    heartbeat: Option<PathBuf>,
    /// MiB of resident memory at which to end with an error report
    #[arg(long)]
    memory: Option<u64>,
    /// MiB of disk for program, inputs and answers
    #[arg(long, overrides_with = "disk")]
    disk: Option<u64>,
    /// Add the candidates
    #[arg(long)]
    detail: bool,
    /// The policy for compiling numeric code to machine code
    #[arg(long)]
    jit: JitMode,
    #[arg(long)]
    max_steps: u64,
    #[arg(long)]
    max_bytes: usize,
    #[arg(long)]
    max_depth: usize,
    /// End when stdin ends: whoever started this was killed
    #[arg(long)]
    tether: bool,
}

/// The exit status of a program whose runner was killed. The script reports no error then: the next runner starts the component anew.
const UNTIED: i32 = 75;

impl Component {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        if self.tether {
            let wait = || {
                let mut byte = [0];
                while std::io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {}
                std::process::exit(UNTIED);
            };
            std::thread::Builder::new().spawn(wait).map_err(|error| {
                CliError::new(
                    format!("no thread can be started: {error}"),
                    "give the component more memory or processes",
                )
            })?;
        }
        // The program that is shipped answers as its own `tpvc map` does.
        let hooks = Hooks {
            jit: self.jit.into(),
            limits: Limits { steps: self.max_steps, bytes: self.max_bytes, depth: self.max_depth },
            ..hooks(common)
        };
        let task = Task {
            component: self.component,
            cluster: self.cluster,
            rules: self.rules.clone(),
            against: self.against.clone(),
            jobs: self.jobs.clone(),
            world: self.world.clone(),
            simulation: self
                .scenario
                .clone()
                .map(|scenario| (scenario, GridRun { point: self.point.clone(), run: self.run.unwrap_or_default() })),
            now: self.now,
            file: self.file.clone(),
            first_line: self.first_line,
            output: self.output.clone(),
            summary: self.summary.clone(),
            error: self.error.clone(),
            heartbeat: self.heartbeat.clone(),
            detail: self.detail,
            limits: Resources { memory_mib: self.memory, time_s: None, disk_mib: self.disk },
        };
        match run(&task, &hooks) {
            Ended::Done => Ok(Outcome::Done),
            Ended::Reported => Ok(Outcome::Bad),
            Ended::Silent(error) => Err(error.into()),
        }
    }
}
