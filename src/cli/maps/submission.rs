//! The flags that say how the components of a new map run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::context::Context;
use super::limits::Limits;
use crate::cli::error::CliError;
use tpv_maps::Error;
use tpv_maps::create::Execution;
use tpv_maps::engine::Kind;
use tpv_maps::submit::Budget;
use tpv_python::vm;
use tpv_text::open::open;
use tpv_text::source::read_limited;

/// The flags.
#[derive(Args)]
pub(in crate::cli) struct Submission {
    /// Engine that runs the components [default: `engine` of `tpvc.toml`, or local]
    #[arg(short, long, value_name = "ENGINE")]
    engine: Option<EngineName>,
    #[command(flatten)]
    limits: Limits,
    /// Engine-specific option, such as `partition=long` for Slurm (docs/maps.md lists them); can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    option: Vec<(String, String)>,
    /// The program that is shipped with the map [default: this one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl Submission {
    /// Returns `true` if any of the flags is there.
    pub(in crate::cli) fn is_given(&self) -> bool {
        let Self { engine, limits, option, program } = self;
        engine.is_some() || !limits.resources().is_empty() || !option.is_empty() || program.is_some()
    }

    /// Chooses by the flags, and else by the settings. A program that execute nodes may not be able to run is noted.
    pub(in crate::cli) fn choose(&self, context: &Context) -> Result<Execution, CliError> {
        let settings = &context.settings;
        let engine = self.engine.map(Kind::from).or(settings.engine).unwrap_or(Kind::Local);
        let mut options: BTreeMap<String, String> = settings.options(engine);
        options.extend(self.option.iter().cloned());
        let program = self.program.as_ref().or(settings.program.as_ref());
        let program = match program {
            Some(path) => read_program(path)?,
            None => match &context.common.host.program {
                Some(program) => program.clone(),
                None => own_program()?,
            },
        };
        if tpv_maps::create::platform(&program).ends_with("-dynamic") && engine != Kind::Local {
            context.common.note(
                "the program needs shared libraries, which the execute node must have in the same versions; README.md shows how to \
                 build one that needs none, and `--program` takes it",
            );
        }
        let resources = self.limits.resources().or(settings.resources());
        Ok(Execution { engine, resources, options, program })
    }
}

/// The budgets of a job's code, for a map.
pub(in crate::cli) fn budget(limits: vm::Limits) -> Budget {
    Budget { steps: limits.steps, bytes: limits.bytes, depth: limits.depth }
}

/// The engines, for the command line.
#[derive(Clone, Copy, ValueEnum)]
enum EngineName {
    /// The cores of this machine
    Local,
    /// HTCondor
    Htcondor,
    /// Slurm
    Slurm,
}

impl From<EngineName> for Kind {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Local => Self::Local,
            EngineName::Htcondor => Self::HtCondor,
            EngineName::Slurm => Self::Slurm,
        }
    }
}

fn option(text: &str) -> Result<(String, String), String> {
    let split = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    split
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .ok_or_else(|| "write NAME=VALUE".to_owned())
}

/// The most bytes of a program to ship.
const MOST_PROGRAM: u64 = 1 << 30;

/// The bytes of a program to ship.
pub(super) fn read_program(path: &Path) -> Result<Vec<u8>, CliError> {
    let unreadable = |error: &std::io::Error| CliError::from(Error::io("read", path, error));
    let read = open(path).and_then(|file| read_limited(file, MOST_PROGRAM)).map_err(|error| unreadable(&error))?;
    read.ok_or_else(|| unreadable(&std::io::Error::from(std::io::ErrorKind::FileTooLarge)))
}

/// This program.
fn own_program() -> Result<Vec<u8>, CliError> {
    let path = std::env::current_exe().map_err(|error| {
        CliError::new(format!("this program cannot be found: {error}"), "name a program to ship with `--program`")
    })?;
    let program = read_program(&path)?;
    let is_tpvc = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tpvc"));
    if is_tpvc {
        return Ok(program);
    }
    Err(CliError::new(
        format!("`{}` isn't a tpvc program that can be shipped with the map", path.display()),
        "install the program `tpvc` and name it with `--program`, `TPVC_MAPS_PROGRAM` or `program` in `[maps]` of tpvc.toml",
    ))
}
