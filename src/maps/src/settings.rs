//! Settings of maps, the table `[maps]` of `tpvc.toml`: a flag wins over an environment variable, that over the file, that over the
//! default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::Error;
use super::engine::Kind;
use tpv_text::plain_path::home;

/// The settings of maps.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The folder of all maps; `~/.tpvc/maps` by default.
    pub dir: Option<PathBuf>,
    /// The engine that runs components; `local` by default.
    pub engine: Option<Kind>,
    /// The memory of a component, in MiB.
    pub memory: Option<u64>,
    /// The time of a component, in seconds.
    pub time: Option<u64>,
    /// The program that is shipped with maps; the one that runs by default.
    pub program: Option<PathBuf>,
    /// Options of engine `local`.
    pub local: BTreeMap<String, toml::Value>,
    /// Options of HTCondor.
    pub htcondor: BTreeMap<String, toml::Value>,
    /// Options of Slurm.
    pub slurm: BTreeMap<String, toml::Value>,
}

impl Settings {
    /// Puts what the environment's variables say in the place of what the file says.
    ///
    /// # Errors
    /// A variable that should be a number or an engine is something else.
    pub fn overlay_environment(&mut self) -> Result<(), Error> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let number = |name: &str| {
            let Some(value) = variable(name) else { return Ok(None) };
            let wrong = || Error::new(format!("`{name}` is not a number"), "write a whole number");
            value.to_str().and_then(|value| value.parse().ok()).map(Some).ok_or_else(wrong)
        };
        if let Some(dir) = variable("TPVC_MAPS_DIR") {
            self.dir = Some(dir.into());
        }
        if let Some(engine) = variable("TPVC_MAPS_ENGINE") {
            self.engine = Some(engine.to_string_lossy().parse()?);
        }
        if let Some(program) = variable("TPVC_MAPS_PROGRAM") {
            self.program = Some(program.into());
        }
        self.memory = number("TPVC_MAPS_MEMORY")?.or(self.memory);
        self.time = number("TPVC_MAPS_TIME")?.or(self.time);
        Ok(())
    }

    /// The folder of all maps.
    ///
    /// # Errors
    /// Neither it nor a home directory is known.
    pub fn folder(&self) -> Result<PathBuf, Error> {
        if let Some(dir) = &self.dir {
            return Ok(dir.clone());
        }
        home().map(|home| home.join(".tpvc/maps")).ok_or_else(|| {
            Error::new("no home directory to keep maps in", "set `HOME`, or name a folder with `--maps-dir`")
        })
    }

    /// The options of this engine, as text.
    pub fn options(&self, engine: Kind) -> BTreeMap<String, String> {
        let table = match engine {
            Kind::Local => &self.local,
            Kind::HtCondor => &self.htcondor,
            Kind::Slurm => &self.slurm,
        };
        let text = |value: &toml::Value| match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(truth) => truth.to_string(),
            other => serde_json::to_string(other).unwrap_or_default(),
        };
        table.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }
}
