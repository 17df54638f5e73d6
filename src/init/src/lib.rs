#![doc = include_str!("../README.md")]

mod configs;
mod environment;
mod folders;
mod inventory;
mod lists;
mod marks;
mod names;
mod paths;
mod plays;
mod refusal;
mod scan;
mod servers;
mod sources;
mod variables;
mod versions;
mod write;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tpv_config::template::{StoodIn, Templates, Why};
use tpv_config::{ConfigTexts, Input};
use tpv_model::Version;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::{Limits, SourceMap};

use tpv_settings::ServerFiles;

use environment::site;
pub use environment::{Chosen, Environment, Guess};
pub use lists::has_configs;
use paths::Paths;
pub use refusal::Refusal;
use scan::Repository;
use servers::Servers;
pub use write::{inline, settings, unknown_version};

/// The findings of a look at a repository.
#[derive(Clone, Debug)]
pub struct Look {
    /// The servers. `Err` if it has no config of TPV: the reasons.
    pub environments: Result<Vec<Environment>, Refusal>,
    /// The lists whose configs are not here, each with the reason, if there are others.
    pub skipped: Vec<String>,
    /// The files and folders that were left out because a limit was reached or the system refused, each with the reason.
    pub left_out: Vec<String>,
}

/// Looks at the repository in a folder.
pub fn look(root: &Path) -> Look {
    let repository = Repository::read(root);
    let mut skipped = Vec::new();
    let environments = environments(&repository).map(|(environments, lists)| {
        skipped = lists;
        environments
    });
    let submodules = repository.submodules().iter();
    let submodules = submodules
        .map(|module| format!("{module}/: a submodule that is not checked out: `git submodule update --init`"));
    let left_out = submodules.chain(repository.left_out()).collect();
    Look { environments, skipped, left_out }
}

/// The environments, and the lists that were skipped.
fn environments(repository: &Repository) -> Result<(Vec<Environment>, Vec<String>), Refusal> {
    let lists = lists::of(repository);
    let (servers, sources, pins) = (Servers::of(repository), sources::of(repository), versions::pins(repository));
    let mut found: Vec<Found> = Vec::new();
    let mut refusal = Refusal::default();
    for list in &lists {
        for mut environment in servers.with(list) {
            let paths = Paths::of(&environment, repository, &sources);
            let configs = configs::of(list, repository, &paths);
            environment.from = list.place();
            environment.holder.clone_from(&list.holder);
            environment.inline = list.inline;
            environment.left_out.extend(configs.left_out);
            (environment.files, environment.absent, environment.templates) =
                (configs.files, configs.absent, configs.templates);
            if configs.has_files {
                let has_list = environment.vars.iter().position(|file| file.value == list.file);
                // Of job configurations, the one that the last file names.
                let name = list.job_conf.as_deref().and_then(|path| path.rsplit('/').next());
                let names_it = |file: &Guess<String>| {
                    let text = repository.plain(&file.value);
                    name.is_some_and(|name| text.is_some_and(|text| folders::mentions(&text, name)))
                };
                let rank = has_list.or_else(|| environment.vars.iter().rposition(names_it));
                let variable = rank.map(|_| if has_list.is_some() { list.variable.as_str() } else { "" });
                found.push(Found { environment, variable, rank });
            } else {
                // Lists of other servers' roles name nothing that is here.
                refusal.skip(list, &environment);
            }
        }
    }
    let mut environments = counting(found);
    for environment in &mut environments {
        give_version(repository, environment, &pins);
    }
    let mut environments = merged(repository, environments);
    names::give(&mut environments);
    if environments.is_empty() {
        environments.extend(configs::alone(repository).map(|(files, from)| {
            let mut environment = Environment { files, from, ..Environment::default() };
            give_version(repository, &mut environment, &pins);
            environment
        }));
    }
    if environments.is_empty() {
        return Err(refusal.of(repository));
    }
    names::order(&mut environments);
    Ok((environments, refusal.skipped))
}

/// An environment of a list.
struct Found<'a> {
    environment: Environment,
    /// The variable that the list is in, if it is one of the server's; empty for a list in a job configuration that a variable names.
    variable: Option<&'a str>,
    /// The place of its file among those of the server.
    rank: Option<usize>,
}

/// The environments whose lists count. Of those that a host has of one variable, it is that of the last file. A list of a job configuration comes before those that
/// none refers to, and the first inventory of a folder before the others with the same host.
fn counting(found: Vec<Found<'_>>) -> Vec<Environment> {
    let host = |found: &Found<'_>| {
        let server = &found.environment.server;
        let folder = server.inventory.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        Some((folder, server.hosts.first()?.clone()))
    };
    let key = |found: &Found<'_>| Some((host(found)?, found.variable?.to_owned()));
    let mut last: BTreeMap<_, Option<usize>> = BTreeMap::new();
    let mut inventories: BTreeMap<_, String> = BTreeMap::new();
    let mut configured = BTreeSet::new();
    for found in &found {
        if let Some(key) = key(found) {
            let known = last.entry(key).or_default();
            *known = (*known).max(found.rank);
        }
        if let Some(host) = host(found) {
            configured.extend(found.environment.job_conf.is_some().then(|| host.clone()));
            inventories.entry(host).or_insert_with(|| found.environment.server.inventory.clone());
        }
    }
    let counts = |found: &Found<'_>| {
        let is_last = key(found).is_none_or(|key| last.get(&key) == Some(&found.rank));
        is_last
            && host(found).is_none_or(|host| {
                let is_first = inventories.get(&host) == Some(&found.environment.server.inventory);
                is_first && (found.environment.job_conf.is_some() || !configured.contains(&host))
            })
    };
    found.into_iter().filter(counts).map(|found| found.environment).collect()
}

/// The environments without those whose configs come out the same as before, whose hosts are added to the earlier one.
fn merged(repository: &Repository, environments: Vec<Environment>) -> Vec<Environment> {
    let mut kept: Vec<(Environment, u64)> = Vec::new();
    for environment in environments {
        let print = fingerprint(repository, &environment);
        let is_same = |(known, other): &&mut (Environment, u64)| {
            let is_beside = known.server.inventory == environment.server.inventory;
            known.files == environment.files
                && (is_beside && *other == print || known.vars == environment.vars && known.host == environment.host)
        };
        match kept.iter_mut().find(is_same) {
            Some((known, _)) => {
                if known.server.group == environment.server.group {
                    known.server.more += environment.server.hosts.len();
                }
                let hosts = environment.server.hosts.into_iter();
                let new: Vec<String> = hosts.filter(|host| !known.server.hosts.contains(host)).collect();
                known.server.hosts.extend(new);
            }
            None => kept.push((environment, print)),
        }
    }
    kept.into_iter().map(|(environment, _)| environment).collect()
}

/// A number of the texts that the files of an environment come out as, in which the name of the host does not count.
fn fingerprint(repository: &Repository, environment: &Environment) -> u64 {
    let mut hasher = DefaultHasher::new();
    let Ok(templates) = Templates::new(site(repository, environment)) else { return 0 };
    let mut sources = SourceMap::filling(Arc::new(templates));
    for file in environment.files.iter().filter(|file| !tpv_text::source::is_url(file)) {
        let text = sources.load(&repository.path(file), &Limits::default()).ok().and_then(|id| sources.get(id));
        let mut text = text.map(|source| source.text.to_string()).unwrap_or_default();
        // Names of hosts such as `galaxy` are words of other texts, too.
        let is_used = environment.variables.iter().any(|known| known.value.0.starts_with("inventory_hostname"));
        for host in environment.server.hosts.iter().filter(|_| is_used) {
            text = text.replace(host.as_str(), "").replace(host.split('.').next().unwrap_or(host), "");
        }
        text.hash(&mut hasher);
    }
    hasher.finish()
}

/// Finds what the templates of an environment lack: in files of defaults, in tasks, and else as placeholders.
fn values(repository: &Repository, environment: &mut Environment) {
    let mut missing = missing(repository, environment);
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    // Defaults may be made of variables that have a default in turn.
    for _ in 0..4 {
        let names: BTreeSet<&str> = missing.keys().map(String::as_str).collect();
        // The inventory's come before the defaults of roles, which are the last of all.
        let inherited = variables::inherited(Some(&names), repository, environment);
        if !inherited.is_empty() {
            environment.variables.extend(inherited);
            missing = self::missing(repository, environment);
            continue;
        }
        let defaults = variables::defaults(&names, repository, &mut known);
        let tasks = variables::facts(&names, repository, environment);
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

/// Gives an environment its version of TPV, and what its templates lack.
fn give_version(repository: &Repository, environment: &mut Environment, pins: &[versions::Pin]) {
    environment.tpv = versions::chosen(environment, pins, repository);
    if environment.tpv.is_none() {
        environment.unreleased = versions::unreleased(environment, repository);
    }
    values(repository, environment);
    settle_version(repository, environment);
}

/// Takes the next later version that loads the files, else the next earlier one, if they don't load with one that nobody named.
fn settle_version(repository: &Repository, environment: &mut Environment) {
    let expected = environment.tpv.as_ref().map_or_else(Version::default, |chosen| chosen.version);
    let is_named = environment.tpv.as_ref().is_some_and(|chosen| !chosen.is_of_galaxy);
    let Some(fault) = environment.faults.first().filter(|_| !is_named).cloned() else { return };
    let known: Vec<Version> = Version::ALL.into_iter().filter(|version| *version != Version::NEXT).collect();
    let at = known.iter().position(|version| *version == expected).unwrap_or(known.len());
    let (earlier, later) = known.split_at(at);
    for version in later.iter().skip(1).chain(earlier.iter().rev()) {
        let chosen = versions::instead(environment, *version, &fault);
        let mut other = Environment { tpv: Some(chosen), ..environment.clone() };
        missing(repository, &mut other);
        if other.faults.is_empty() {
            *environment = other;
            return;
        }
    }
}

/// The variables without a value that the templates of an environment use. Notes the faults of templates.
fn missing(repository: &Repository, environment: &mut Environment) -> BTreeMap<String, StoodIn> {
    environment.faults.clear();
    let templates = match Templates::new(site(repository, environment)) {
        Ok(templates) => Arc::new(templates),
        Err(problem) => {
            environment.faults.push(problem.diagnostic.message);
            return BTreeMap::new();
        }
    };
    let version = environment.tpv.as_ref().map_or_else(Version::default, |chosen| chosen.version);
    let texts = ConfigTexts { sources: SourceMap::filling(templates.clone()), version };
    for file in environment.files.iter().filter(|file| !tpv_text::source::is_url(file)) {
        let (mut texts, mut problems) = (texts.clone(), Diagnostics::new());
        let input = Input::Named(repository.path(file));
        tpv_config::load(&[input], &Limits::default(), &mut texts, &mut problems);
        let errors = problems.iter().filter(|problem| problem.severity == tpv_text::diagnostic::Severity::Error);
        environment.faults.extend(errors.take(1).map(|problem| format!("{file}: {}", problem.message)));
    }
    if let Some(job_conf) = &environment.job_conf {
        let server = ServerFiles { job_conf: Some(repository.root.join(job_conf)), ..ServerFiles::default() };
        // Of these only the names of runners are read.
        let is_read = Templates::new(site(repository, environment))
            .is_ok_and(|templates| server.read(&SourceMap::filling(Arc::new(templates))).1.is_empty());
        if !is_read {
            environment.job_conf = None;
        }
    }
    let mut missing = templates.stood_in();
    missing.retain(|_, stood_in| stood_in.why == Why::Missing);
    missing
}
