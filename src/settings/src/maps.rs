//! The table `[maps]`, which only verbs of maps read: what compiles rules runs no code of maps.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::{Diagnostic, Problem, SourceMap, beside, misread, table};
use tpv_maps::settings::Settings;

/// The file with the table, as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MapsTable {
    /// The name of the file, for messages.
    pub(super) name: String,
    /// Its text.
    pub(super) text: Arc<str>,
    /// Its folder, which paths are relative to.
    pub(super) folder: PathBuf,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    #[serde(deserialize_with = "table")]
    maps: Settings,
}

impl MapsTable {
    /// The settings, of which the environment's variables come before the file's.
    ///
    /// # Errors
    /// A setting or a variable is wrong.
    pub(super) fn read(&self) -> Result<Settings, Problem> {
        let mut sources = SourceMap::new();
        let source = sources.add(&self.name, &self.text);
        let mut maps = match toml::from_str(&self.text) {
            Ok(File { maps }) => maps,
            Err(error) => return Err(Problem::new(misread(&error, source), sources)),
        };
        // What runs the components of a map may stand in another folder.
        let fixed = |path: PathBuf| {
            let path = beside(&self.folder, path);
            std::path::absolute(&path).unwrap_or(path)
        };
        maps.dir = maps.dir.map(fixed);
        maps.program = maps.program.map(fixed);
        maps.note_file(&self.name);
        maps.overlay_environment().map_err(|error| Diagnostic::error(error.message).help(error.help))?;
        Ok(maps)
    }
}
