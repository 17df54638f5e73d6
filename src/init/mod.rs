//! `tpvc init`: the settings of a repository, found by looking at it.
//!
//! `scan.rs` reads the files, `lists.rs` finds the lists of config files that Galaxy is given, `configs.rs` the files that these name, `plays.rs`
//! the variables that Ansible gives to their templates, with the groups of `inventory.rs`, `write.rs` makes settings of all that. Nothing is asked; each guess has its place.

mod configs;
mod inventory;
mod lists;
mod plays;
mod scan;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use tpv_config::Input;
use tpv_config::template::{Site, StoodIn, Templates, Why};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::{Limits, SourceMap};

use crate::settings::ServerFiles;
use lists::List;
pub use lists::has_configs;
use scan::Repository;
pub use write::{inline, settings};

/// A guess, and the place that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess<T> {
    /// The value.
    pub value: T,
    /// `file:line`, or in words.
    pub from: String,
}

/// The settings of a Galaxy server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The name.
    pub name: String,
    /// The place of the list of config files: `file:line`.
    pub from: String,
    /// The config files and URLs, relative to the repository.
    pub files: Vec<String>,
    /// The config files of the list that the repository does not have.
    pub absent: Vec<String>,
    /// The files that are templates, though their names do not end in `.j2`.
    pub templates: Vec<Guess<String>>,
    /// The files with variables.
    pub vars: Vec<Guess<String>>,
    /// The files with variables that are encrypted, or not there.
    pub left_out: Vec<Guess<String>>,
    /// Variables that tasks set, and those of the inventory that the templates use.
    pub variables: Vec<Guess<(String, Value)>>,
    /// The host that the variables are of, with its inventory.
    pub host: Option<Guess<String>>,
    /// The variables of the inventory.
    inventory: Inherited,
    /// The variables without a value.
    pub placeholders: Vec<Guess<String>>,
    /// `job_conf`
    pub job_conf: Option<String>,
    /// The number of configs in the list itself, which are not among the files.
    pub inline: usize,
    /// Faults of templates, in words.
    pub faults: Vec<String>,
}

/// The variables that stand in an inventory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Inherited {
    /// Those of the host's groups, which files replace.
    of_groups: serde_json::Map<String, Value>,
    /// Those of the host, which come after `group_vars`.
    of_host: serde_json::Map<String, Value>,
}

/// The findings of a look at a repository.
#[derive(Clone, Debug)]
pub struct Look {
    /// The servers. `Err` if it has no config of TPV: the reason in words.
    pub environments: Result<Vec<Environment>, String>,
    /// The files and folders that were left out because a limit was reached or the system refused, each with the reason.
    pub left_out: Vec<String>,
}

/// Looks at the repository in a folder.
pub fn look(root: &Path) -> Look {
    let repository = Repository::read(root);
    let environments = environments(&repository);
    Look { environments, left_out: repository.left_out() }
}

fn environments(repository: &Repository) -> Result<Vec<Environment>, String> {
    let lists = lists::of(repository);
    let mut environments: Vec<Environment> = Vec::new();
    let mut used: Vec<&List> = Vec::new();
    for list in &lists {
        let configs::Found { files, absent, templates, has_files } = configs::of(list, repository);
        let from = list.place();
        let inline = list.inline;
        let mut environment = Environment { from, files, absent, templates, inline, ..Environment::default() };
        plays::of(list, repository, &mut environment);
        let is_known = |other: &Environment| other.files == environment.files && other.vars == environment.vars;
        // Lists of other servers' roles name nothing that is here.
        if has_files && !environments.iter().any(is_known) {
            environments.push(environment);
            used.push(list);
        }
    }
    for (environment, name) in environments.iter_mut().zip(names(&used)) {
        environment.name = name;
        values(repository, environment);
    }
    if environments.is_empty() {
        environments.extend(configs::alone(repository).map(|(files, from)| {
            let mut environment = Environment { files, from, ..Environment::default() };
            values(repository, &mut environment);
            environment
        }));
    }
    environments.sort_by_key(|environment| (!is_production(&environment.name), environment.name.clone()));
    if environments.is_empty() {
        return Err(match lists.iter().find(|list| list.inline > 0) {
            Some(list) => format!("the configs of {} are in the list itself, and there is no other file", list.place()),
            None => "no `tpv_config_files` and no config of TPV was found".to_owned(),
        });
    }
    Ok(environments)
}

/// Returns `true` for the usual names of the server that people use.
fn is_production(name: &str) -> bool {
    ["production", "prod", "main", "galaxy", "live"].contains(&name)
}

/// Words of paths that say nothing of an environment.
const PLAIN: [&str; 12] = [
    "group_vars",
    "host_vars",
    "vars",
    "main",
    "env",
    "templates",
    "files",
    "galaxy",
    "config",
    "galaxyservers",
    "all",
    "job_conf",
];

/// A name for each list, from the part of its path that tells it apart.
fn names(lists: &[&List]) -> Vec<String> {
    let words = |list: &List| -> Vec<String> {
        let mut words: Vec<String> = list.file.split('/').map(str::to_owned).collect();
        if let Some(last) = words.last_mut() {
            let stem = last.split(".yml").next().and_then(|stem| stem.split(".yaml").next()).unwrap_or("");
            let stem = stem.split(".xml").next().unwrap_or("");
            *last = stem.trim_end_matches("job_conf").trim_end_matches(['_', '-']).to_owned();
        }
        words
    };
    let all: Vec<Vec<String>> = lists.iter().map(|list| words(list)).collect();
    let mut names: Vec<String> = Vec::new();
    for (at, (words, list)) in all.iter().zip(lists).enumerate() {
        let is_apart = |word: &&String| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            !word.is_empty() && !others.clone().any(|(_, others)| others.contains(word)) && all.len() > 1
        };
        let is_telling = |word: &&String| !PLAIN.contains(&word.as_str());
        let mut apart: Vec<&String> = words.iter().filter(is_apart).collect();
        if words.iter().any(|word| word == "host_vars") {
            apart.reverse();
        }
        let env = words.iter().position(|word| word == "env" || word == "environments" || word == "inventories");
        let below = env.and_then(|at| words.get(at + 1)).filter(|_| !words.iter().any(|word| word == "host_vars"));
        // `dev_job_conf.yml.j2`
        let prefix = words.last().filter(|word| list.file.contains("job_conf") && !word.is_empty() && all.len() > 1);
        let name =
            prefix.or(below).or_else(|| apart.iter().copied().find(is_telling)).or_else(|| apart.first().copied());
        let name = name.map_or("main", |name| name.split('.').next().unwrap_or(name)).to_owned();
        let taken = names.iter().filter(|other| **other == name || other.starts_with(&format!("{name}-"))).count();
        names.push(if taken == 0 { name } else { format!("{name}-{}", taken + 1) });
    }
    names
}

/// Finds what the templates of an environment lack: in files of defaults, in tasks, and else as placeholders.
fn values(repository: &Repository, environment: &mut Environment) {
    let mut missing = missing(repository, environment);
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    // Defaults may be made of variables that have a default in turn.
    for _ in 0..4 {
        let names: BTreeSet<&str> = missing.keys().map(String::as_str).collect();
        // The inventory's come before the defaults of roles, which are the last of all.
        let inherited = plays::inherited(&names, repository, environment);
        if !inherited.is_empty() {
            environment.variables.extend(inherited);
            missing = self::missing(repository, environment);
            continue;
        }
        let defaults = plays::defaults(&names, repository, &mut known);
        let tasks = plays::facts(&names, repository, environment);
        if defaults.is_empty() && tasks.is_empty() {
            break;
        }
        // Ansible's roles come before all else.
        environment.vars.splice(0..0, defaults);
        environment.variables.extend(tasks);
        missing = self::missing(repository, environment);
    }
    environment.placeholders = missing
        .into_iter()
        .map(|(value, StoodIn { places, .. })| {
            let place = places.into_iter().next().unwrap_or_default();
            let from = place.1.map_or_else(|| place.0.clone(), |line| format!("{}:{line}", place.0));
            Guess { value, from: repository.relative(Path::new(&from)) }
        })
        .collect();
}

/// The variables without a value that the templates of an environment use. Notes the faults of templates.
fn missing(repository: &Repository, environment: &mut Environment) -> BTreeMap<String, StoodIn> {
    environment.faults.clear();
    let site = || Site {
        vars: environment.vars.iter().map(|file| repository.root.join(&file.value)).collect(),
        values: write::json(&environment.variables).map(|text| ("tpvc.toml".to_owned(), text)),
        placeholders: vec!["*".to_owned()],
        templates: Some(environment.templates.iter().map(|file| repository.path(&file.value)).collect()),
        root: Some(repository.root.clone()),
        within: None,
    };
    let templates = match Templates::new(site()) {
        Ok(templates) => Arc::new(templates),
        Err(problem) => {
            environment.faults.push(problem.diagnostic.message);
            return BTreeMap::new();
        }
    };
    let sources = SourceMap::filling(templates.clone());
    for file in environment.files.iter().filter(|file| !tpv_text::source::is_url(file)) {
        let (mut sources, mut problems) = (sources.clone(), Diagnostics::new());
        let input = Input::Named(repository.path(file));
        tpv_config::load_inputs(&[input], &Limits::default(), &mut sources, &mut problems);
        let errors = problems.iter().filter(|problem| problem.severity == tpv_text::diagnostic::Severity::Error);
        environment.faults.extend(errors.take(1).map(|problem| format!("{file}: {}", problem.message)));
    }
    if let Some(job_conf) = &environment.job_conf {
        let server = ServerFiles { job_conf: Some(repository.root.join(job_conf)), ..ServerFiles::default() };
        // Of these only the names of runners are read.
        let is_read = Templates::new(site())
            .is_ok_and(|templates| server.read(&SourceMap::filling(Arc::new(templates))).1.is_empty());
        if !is_read {
            environment.job_conf = None;
        }
    }
    let mut missing = templates.stood_in();
    missing.retain(|_, stood_in| stood_in.why == Why::Missing);
    missing
}
