//! The cases of `fixtures/` and `examples/`: configs, a world, jobs, and TPV's recorded answers to them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use tpv_compiler::{CompileOptions, compile};
use tpv_runtime::artifact::Rules;
use tpv_runtime::{Hooks, Job, World};

use super::project;

/// A case's `case.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The point of the case.
    pub about: String,
    /// Config files in load order.
    pub configs: Vec<String>,
    /// The world file, if the case has one.
    pub world: Option<String>,
    /// Job id (as text) -> why the text of its error may differ.
    #[serde(default)]
    pub messages_differ: BTreeMap<String, String>,
    /// Job id (as text) -> why the answer differs on purpose. It must differ: a difference that is gone is no longer listed.
    #[serde(default)]
    pub answers_differ: BTreeMap<String, String>,
}

/// A folder with a `case.json`.
pub struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub description: Description,
}

impl Case {
    /// The cases of these folders of the project, by name.
    pub fn of(folders: &[&str]) -> Vec<Self> {
        let entries = folders.iter().flat_map(|folder| std::fs::read_dir(project().join(folder)).unwrap());
        let folders = entries.map(|entry| entry.unwrap().path()).filter(|folder| folder.join("case.json").is_file());
        let mut cases: Vec<Self> = folders.map(Self::at).collect();
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        cases
    }

    /// All cases of `fixtures/`, by name.
    pub fn fixtures() -> Vec<Self> {
        Self::of(&["fixtures"])
    }

    /// A case of `fixtures/`.
    pub fn fixture(name: &str) -> Self {
        Self::at(project().join("fixtures").join(name))
    }

    fn at(folder: PathBuf) -> Self {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("case.json")).unwrap();
        let description = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}/case.json: {error}"));
        Self { name, folder, description }
    }

    /// The paths of the config files in load order.
    pub fn configs(&self) -> Vec<String> {
        self.description.configs.iter().map(|name| self.folder.join(name).display().to_string()).collect()
    }

    /// The path of the world file.
    pub fn world_file(&self) -> Option<PathBuf> {
        self.description.world.as_ref().map(|name| self.folder.join(name))
    }

    pub fn rules(&self) -> Arc<Rules> {
        let compiled = compile(&self.configs(), &CompileOptions::default());
        Arc::new(compiled.rules.unwrap_or_else(|| panic!("{}: {:?}", self.name, compiled.diagnostics)))
    }

    pub fn world(&self) -> Arc<World> {
        let text = self.world_file().map(|path| std::fs::read_to_string(path).unwrap());
        Arc::new(text.map_or_else(World::default, |text| World::parse(&text).unwrap()))
    }

    /// The lines of a file that are not blank.
    pub fn lines(&self, file: &str) -> Vec<String> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.split('\n').filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    }

    /// The lines of the job file that are jobs.
    pub fn jobs(&self) -> Vec<Arc<Job>> {
        self.lines("jobs.jsonl").iter().filter_map(|line| Job::parse(line).ok()).map(Arc::new).collect()
    }
}

/// A mapper's hooks with the compiler, for code that is made at run time.
pub fn hooks() -> Hooks {
    Hooks { compile: Some(Arc::new(tpv_compiler::python::run_time::compile)), ..Hooks::default() }
}

/// A config of one text, compiled.
pub fn compile_text(text: &str) -> Arc<Rules> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yml");
    std::fs::write(&path, text).unwrap();
    let compiled =
        tpv_compiler::compile(&[path.to_string_lossy().into_owned()], &tpv_compiler::CompileOptions::default());
    Arc::new(compiled.rules.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}
