//! Settings of maps: a flag wins over an environment variable, that over `tpvc.toml`, that over the default.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Error;
use super::engine::Kind;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};

/// The name of the settings file, which is looked for in the present folder and those above it, and then in `~/.tpvc`.
pub const FILE: &str = "tpvc.toml";

/// What the settings file says of maps, in its table `[maps]`. Other tables are other verbs'.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct File {
    #[serde(default)]
    maps: Settings,
}

/// The settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The folder of all maps; `~/.tpvc/maps` by default.
    pub dir: Option<PathBuf>,
    /// Where components run; `local` by default.
    pub engine: Option<Kind>,
    /// The memory of a component, in MiB.
    pub memory: Option<u64>,
    /// The time of a component, in seconds.
    pub time: Option<u64>,
    /// The program that is shipped with maps; the one that runs by default.
    pub program: Option<PathBuf>,
    /// What only engine `local` knows.
    pub local: BTreeMap<String, toml::Value>,
    /// What only HTCondor knows.
    pub htcondor: BTreeMap<String, toml::Value>,
    /// What only Slurm knows.
    pub slurm: BTreeMap<String, toml::Value>,
}

impl Settings {
    /// The settings of the environment and of the settings file.
    ///
    /// # Errors
    /// A problem with the file, with its place in it, or with a variable.
    pub fn read() -> Result<Self, Box<(Diagnostic, SourceMap)>> {
        let mut settings = match file() {
            Some(path) => Self::of_file(&path)?,
            None => Self::default(),
        };
        settings
            .overlay_environment()
            .map_err(|error| Box::new((Diagnostic::error(error.message).help(error.help), SourceMap::new())))?;
        Ok(settings)
    }

    fn of_file(path: &Path) -> Result<Self, Box<(Diagnostic, SourceMap)>> {
        let name = path.to_string_lossy();
        let mut sources = SourceMap::new();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let error = Error::io("read", path, &error);
            Box::new((Diagnostic::error(error.message).help(error.help), SourceMap::new()))
        })?;
        let source = sources.add(&name, &text);
        match toml::from_str::<File>(&text) {
            Ok(file) => {
                let mut settings = file.maps;
                // A relative path in a file means a path beside it.
                let beside = |path_in_file: PathBuf| path.parent().unwrap_or(Path::new(".")).join(path_in_file);
                settings.dir = settings.dir.map(beside);
                settings.program = settings.program.map(beside);
                Ok(settings)
            }
            Err(error) => {
                let message = error.message().lines().next().unwrap_or_default();
                let message = message.replace("u64", "a whole number").replace("a map", "a table");
                let span = error.span().unwrap_or(0..0);
                let diagnostic = Diagnostic::error(message)
                    .at(Span::new(source, span.start, span.end), "")
                    .help("docs/maps.md lists the settings of `[maps]`");
                Err(Box::new((diagnostic, sources)))
            }
        }
    }

    fn overlay_environment(&mut self) -> Result<(), Error> {
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
            Error::new("there is no home directory to keep maps in", "set `HOME`, or name a folder with `--maps-dir`")
        })
    }

    /// What only this engine knows, as text.
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

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// The settings file: of the present folder or one above it, or of the home directory.
fn file() -> Option<PathBuf> {
    let present = std::env::current_dir().ok();
    let above = present.iter().flat_map(|present| present.ancestors()).map(|folder| folder.join(FILE));
    let own = home().map(|home| home.join(".tpvc").join(FILE));
    above.chain(own).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, text).unwrap();
        Settings::of_file(&path).map_err(|problem| problem.0.render(&problem.1, false))
    }

    #[test]
    fn a_file_says_what_each_engine_knows() {
        let settings = read(
            "[lint]\nother = 1\n[maps]\nengine = \"slurm\"\nmemory = 2000\n[maps.slurm]\npartition = \"long\"\nnice = 10\n",
        )
        .unwrap();
        assert_eq!((settings.engine, settings.memory, settings.time), (Some(Kind::Slurm), Some(2000), None));
        let options: Vec<_> = settings.options(Kind::Slurm).into_iter().collect();
        assert_eq!(options, [("nice".to_owned(), "10".to_owned()), ("partition".to_owned(), "long".to_owned())]);
        assert!(settings.options(Kind::Local).is_empty());
    }

    #[test]
    fn a_wrong_setting_is_shown_in_its_place() {
        for (text, place, words) in [
            ("[maps]\nengin = \"slurm\"\n", "tpvc.toml:2:1", "engin"),
            ("[maps]\nengine = \"pbs\"\n", "tpvc.toml:2:10", "pbs"),
            ("[maps]\nmemory = \"2G\"\n", "tpvc.toml:2:10", "a whole number"),
            ("[maps\n", "tpvc.toml:1:6", ""),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(place) && error.contains(words), "{error}");
        }
    }
}
