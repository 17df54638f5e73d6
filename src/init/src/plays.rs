//! The plays of playbooks: their hosts, and the files of variables that they take.

use tpv_yaml::value::{ConfigValue, Entry, Map, ValueKind};

use super::folders::{join, normal};
use super::marks::Mark;
use super::scan::Repository;
use super::yaml::Yaml;

/// A play of a playbook.
pub(super) struct Play {
    pub(super) file: String,
    /// The line of `vars_files`, or of the play.
    pub(super) line: usize,
    pub(super) hosts: Vec<String>,
    /// Paths from the repository's folder.
    pub(super) vars_files: Vec<String>,
    pub(super) has_vars: bool,
    /// It has the role that installs Galaxy.
    pub(super) runs_galaxy: bool,
    /// The names of its roles.
    pub(super) roles: Vec<String>,
    /// Its text.
    pub(super) text: String,
}

impl Play {
    pub(super) fn folder(&self) -> &str {
        self.file.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// `file:line`
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// All plays of a repository.
pub(super) fn of(repository: &Repository) -> Vec<Play> {
    let mut plays = Vec::new();
    for file in repository.files_with(Mark::Plays) {
        let Some(text) = repository.text(file) else { continue };
        let Some(yaml) = Yaml::of(file, &text) else { continue };
        let ValueKind::List(items) = &yaml.root.kind else { continue };
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (item, map) in items.iter().filter_map(|item| Some((item, item.as_map()?))) {
            let Some(hosts) = map.entry("hosts") else { continue };
            let files = map.entry("vars_files");
            let is_there = |path: &str| repository.root.join(normal(&join(folder, path))).exists();
            let mut vars_files = files.map(|files| first_of_each(&files.value, &is_there)).unwrap_or_default();
            vars_files.extend(included(map, &is_there));
            plays.push(Play {
                file: file.clone(),
                line: yaml.line(&files.unwrap_or(hosts).key),
                hosts: patterns(&hosts.value),
                vars_files: vars_files.iter().map(|path| placed(folder, path)).collect(),
                has_vars: map.get("vars").and_then(ConfigValue::as_map).is_some(),
                runs_galaxy: roles(map).iter().any(|role| is_of_galaxy(role)),
                roles: roles(map),
                text: text.get(item.span.range()).unwrap_or_default().to_owned(),
            });
        }
    }
    plays
}

/// A path of a play from the root of the repository.
fn placed(folder: &str, path: &str) -> String {
    let inner = path.strip_prefix("{{").and_then(|rest| rest.split_once("}}"));
    let rest = inner.filter(|(name, _)| name.trim() == "playbook_dir").map(|(_, rest)| rest.trim_start_matches('/'));
    normal(&join(folder, rest.unwrap_or(path)))
}

/// The files of `vars_files`: of a list among them, the first that is there.
fn first_of_each(value: &ConfigValue, is_there: &dyn Fn(&str) -> bool) -> Vec<String> {
    let one = |item: &ConfigValue| {
        let texts = texts(item);
        texts.iter().find(|path| is_there(path)).or(texts.first()).cloned()
    };
    value.as_str().map_or_else(|| items(value).iter().filter_map(one).collect(), |text| vec![text.to_owned()])
}

/// The files that tasks of a play include with `include_vars`.
fn included(play: &Map, is_there: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let tasks = TASKS.iter().filter_map(|key| play.get(key)).flat_map(items).filter_map(ConfigValue::as_map);
    for entry in tasks.flat_map(|task| &task.entries) {
        if entry.key.as_str().and_then(|key| key.rsplit('.').next()) != Some("include_vars") {
            continue;
        }
        let of_map = || entry.value.as_map().and_then(|map| map.get("file").or_else(|| map.get("dir"))?.as_str());
        let Some(name) = entry.value.as_str().or_else(of_map) else { continue };
        let name = name.strip_prefix("file=").unwrap_or(name);
        let beside = format!("vars/{name}");
        found.push(if is_there(&beside) { beside } else { name.to_owned() });
    }
    found
}

/// The keys of a play with its tasks.
const TASKS: [&str; 3] = ["pre_tasks", "tasks", "post_tasks"];

/// Returns `true` for the name of the role that installs Galaxy, or a part of it.
fn is_of_galaxy(role: &str) -> bool {
    role == "galaxy" || role.split(['.', '-', '/']).skip(1).any(|part| part == "galaxy")
}

/// The names of the roles of a play.
fn roles(play: &Map) -> Vec<String> {
    let role = |role: &ConfigValue| {
        let map = role.as_map();
        let name = || map.and_then(|map| map.get("role").or_else(|| map.get("name"))).and_then(ConfigValue::as_str);
        role.as_str().or_else(name).map(str::to_owned)
    };
    let included = |task: &Entry| {
        let key = task.key.as_str().and_then(|key| key.rsplit('.').next());
        key.filter(|key| ["include_role", "import_role"].contains(key)).and_then(|_| role(&task.value))
    };
    let tasks = TASKS.iter().filter_map(|key| play.get(key)).flat_map(items).filter_map(ConfigValue::as_map);
    let included = tasks.flat_map(|task| &task.entries).filter_map(included);
    play.get("roles").into_iter().flat_map(items).filter_map(role).chain(included).collect()
}

/// The items of a list.
fn items(value: &ConfigValue) -> &[ConfigValue] {
    match &value.kind {
        ValueKind::List(items) => items,
        _ => &[],
    }
}

/// A text, or the texts of a list, of which the first of a list in it counts.
fn texts(value: &ConfigValue) -> Vec<String> {
    let first = |item: &ConfigValue| item.as_str().or_else(|| items(item).first()?.as_str()).map(str::to_owned);
    value.as_str().map_or_else(|| items(value).iter().filter_map(first).collect(), |text| vec![text.to_owned()])
}

/// The groups and hosts of a play. Of a template, those in quotes.
pub(super) fn patterns(value: &ConfigValue) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts(value) {
        if text.contains("{{") {
            found.extend(text.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned));
            continue;
        }
        for name in text.split([',', ':']) {
            // `galaxyservers[0]` is a host of that group.
            found.push(name.split('[').next().unwrap_or(name).trim().to_owned());
        }
    }
    found
}
