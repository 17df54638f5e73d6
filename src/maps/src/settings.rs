//! Settings of maps, the table `[maps]` of `tpvc.toml`: a flag wins over an environment variable, that over the file, that over the
//! default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::Error;
use super::engine::Kind;
use super::resources::Resources;
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
    /// The disk of a component, in MiB.
    pub disk: Option<u64>,
    /// The program that is shipped with maps; the one that runs by default.
    pub program: Option<PathBuf>,
    /// Options of engine `local`.
    pub local: BTreeMap<String, toml::Value>,
    /// Options of HTCondor.
    pub htcondor: BTreeMap<String, toml::Value>,
    /// Options of Slurm.
    pub slurm: BTreeMap<String, toml::Value>,
    /// The sources of settings that are not the default, by name.
    #[serde(skip)]
    pub sources: BTreeMap<&'static str, String>,
}

/// A setting as it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The name; that of an option is behind its engine's.
    pub name: String,
    /// The value. `None` if the engine decides.
    pub value: Option<String>,
    /// The source: a flag, a variable, a file or the default.
    pub source: String,
}

/// The variables of settings by their names.
const VARIABLES: [(&str, &str); 6] = [
    ("dir", "TPVC_MAPS_DIR"),
    ("engine", "TPVC_MAPS_ENGINE"),
    ("memory", "TPVC_MAPS_MEMORY"),
    ("time", "TPVC_MAPS_TIME"),
    ("disk", "TPVC_MAPS_DISK"),
    ("program", "TPVC_MAPS_PROGRAM"),
];

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
        for (name, variable_name) in VARIABLES {
            if variable(variable_name).is_some() {
                self.sources.insert(name, format!("variable {variable_name}"));
            }
        }
        self.memory = number("TPVC_MAPS_MEMORY")?.or(self.memory);
        self.time = number("TPVC_MAPS_TIME")?.or(self.time);
        self.disk = number("TPVC_MAPS_DISK")?.or(self.disk);
        Ok(())
    }

    /// Notes the file that these settings are from.
    pub fn note_file(&mut self, file: &str) {
        let given = [
            ("dir", self.dir.is_some()),
            ("engine", self.engine.is_some()),
            ("memory", self.memory.is_some()),
            ("time", self.time.is_some()),
            ("disk", self.disk.is_some()),
            ("program", self.program.is_some()),
            ("options", true),
        ];
        let given = given.into_iter().filter(|(_, given)| *given);
        self.sources.extend(given.map(|(name, _)| (name, file.to_owned())));
    }

    /// The settings that count, each with its source. Options are those of the engine.
    ///
    /// # Errors
    /// As those of [`Settings::folder`].
    pub fn effective(&self) -> Result<Vec<Effective>, Error> {
        let engine = self.engine.unwrap_or(Kind::Local);
        let number = |value: Option<u64>| value.map(|value| value.to_string());
        let path = |path: PathBuf| path.display().to_string();
        let program = self.program.clone().or_else(|| std::env::current_exe().ok());
        let values = [
            ("dir", Some(path(self.folder()?))),
            ("engine", Some(engine.to_string())),
            ("memory", number(self.memory)),
            ("time", number(self.time)),
            ("disk", number(self.disk)),
            ("program", program.map(path)),
        ];
        let source = |name: &str| self.sources.get(name).cloned();
        let mut all: Vec<Effective> = values
            .into_iter()
            .map(|(name, value)| {
                let default = if value.is_some() { "default" } else { "the engine's" };
                let source = source(name).unwrap_or_else(|| default.to_owned());
                Effective { name: name.to_owned(), value, source }
            })
            .collect();
        all.extend(self.options(engine).into_iter().map(|(name, value)| Effective {
            name: format!("{engine}.{name}"),
            value: Some(value),
            source: source("options").unwrap_or_default(),
        }));
        Ok(all)
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

    /// The limits of components.
    pub fn resources(&self) -> Resources {
        Resources { memory_mib: self.memory, time_s: self.time, disk_mib: self.disk }
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
