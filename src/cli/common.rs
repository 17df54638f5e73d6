//! Options of every verb, and what the program around the command line brings.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgAction, Args, ColorChoice};
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Cpython;

use super::error::CliError;
use super::tpv::Tpv;
use crate::settings::Settings;
use tpv_compiler::source::SourceMap;
use tpv_compiler::template::Templates;

/// The heading of [`Common`] in the help of each verb, whose own options come first.
const COMMON: &str = "Options of all verbs";

/// Options of every verb.
#[derive(Args, Clone)]
pub(crate) struct Common {
    /// Say nothing but results and errors
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = COMMON)]
    pub(crate) quiet: bool,
    /// Show what the rules log; twice for debug messages
    #[arg(long, short, global = true, action = ArgAction::Count, help_heading = COMMON)]
    pub(crate) verbose: u8,
    /// Use of colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = COMMON)]
    pub(crate) color: ColorChoice,
    /// Values of Jinja templates, YAML or JSON; repeat it for more, later over earlier [default: the vars of tpvc.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = COMMON)]
    pub(crate) vars: Vec<PathBuf>,
    /// The version of TPV that configs are for, whose answers are given: 1.4, 2.5, 3.0 to 3.3 or next [default: the tpv of tpvc.toml, else 3.3]
    #[arg(long, global = true, value_name = "VERSION", help_heading = COMMON)]
    pub(crate) tpv: Option<Tpv>,
    /// The host program's contribution.
    #[arg(skip)]
    pub(crate) host: Host,
}

impl Common {
    /// Refuses rules that were compiled for another version of TPV than the one asked for.
    ///
    /// # Errors
    /// They were.
    pub(crate) fn check_version(&self, rules: &Rules) -> Result<(), CliError> {
        let version = rules.tables().global.version;
        match self.tpv {
            None | Some(Tpv::Range(..)) => Ok(()),
            Some(Tpv::One(asked)) if asked == version => Ok(()),
            Some(Tpv::One(asked)) => Err(CliError::misuse(
                format!("the artifact has the rules of TPV {version}, not {asked}"),
                format!("compile the config again: `tpvc compile --tpv {asked} CONFIG... -o RULES`"),
            )),
        }
    }

    /// A map for texts of the version of TPV that is asked for, which fills in the templates that it loads.
    ///
    /// # Errors
    /// The settings or the variables are wrong.
    pub(crate) fn sources(&self) -> Result<SourceMap, CliError> {
        let settings = if self.vars.is_empty() || self.tpv.is_none() { Settings::read()? } else { Settings::default() };
        let vars = if self.vars.is_empty() { &settings.vars } else { &self.vars };
        let version = match self.tpv {
            None => settings.tpv.unwrap_or_default(),
            Some(Tpv::One(version)) => version,
            Some(Tpv::Range(..)) => {
                let help = "write `--tpv 3.3`, or compare versions: `tpvc diff --tpv 3.2..3.3 CONFIG...`";
                return Err(CliError::misuse("`--tpv` takes two versions only for `tpvc diff`", help));
            }
        };
        Ok(SourceMap::filling(Arc::new(Templates::new(vars)?)).of_version(version))
    }
}

/// The contribution of the program around the command line: the Python package brings a Python.
#[derive(Clone, Default)]
pub struct Host {
    /// Runs what the native language does not cover.
    pub cpython: Option<Arc<dyn Cpython>>,
    /// Has CPython run a random half of all blocks, for tests.
    pub force_cpython: Option<u64>,
    /// The program shipped with maps instead of the running one.
    pub program: Option<Vec<u8>>,
}
