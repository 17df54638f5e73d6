//! The variables that Ansible has for a server: those of its groups and hosts, of its play, and of the play's `vars_files`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use tpv_config::template::{VAULT, variable_files};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;
use tpv_yaml::value::{ConfigValue, ValueKind};

use super::inventory::Inventory;
use super::lists::List;
use super::scan::{Mark, Repository};
use super::{Environment, Guess, Inherited};

/// The origin of the variables of all hosts.
const OF_ALL: &str = "of all groups";
/// The beginning of the origin of a group's variables.
const OF_GROUP: &str = "a group of";

/// A play of a playbook.
struct Play {
    file: String,
    /// The line of `vars_files`, or of the play.
    line: usize,
    hosts: Vec<String>,
    /// Paths from the repository's folder.
    vars_files: Vec<String>,
    has_vars: bool,
}

/// Finds the variables of the server of a list.
pub(super) fn of(list: &List, repository: &Repository, environment: &mut Environment) {
    environment.job_conf.clone_from(&list.job_conf);
    let job_conf = list.job_conf.as_deref().and_then(|path| path.rsplit('/').next());
    let known: RefCell<BTreeMap<String, bool>> = RefCell::default();
    let names_it = |file: &str| {
        let Some(name) = job_conf.filter(|_| file != list.file) else { return file == list.file };
        let names_it = || repository.plain(file).is_some_and(|text| text.contains(name));
        *known.borrow_mut().entry(file.to_owned()).or_insert_with(names_it)
    };
    let weight = |play: &Play| -> usize {
        let listed = play.vars_files.contains(&list.file);
        usize::from(listed) * 100 + play.vars_files.iter().filter(|file| names_it(file)).count()
    };
    let plays = plays(repository);
    let play = plays.iter().filter(|play| weight(play) > 0);
    // A playbook for one part of the work has a longer name than that of the whole server.
    let play = play.max_by_key(|play| (weight(play), std::cmp::Reverse(play.file.len()), play.vars_files.len()));
    let mut given: Vec<Guess<String>> = Vec::new();
    let mut give = |path: String, from: &str| given.push(Guess { value: path, from: from.to_owned() });
    match play {
        Some(play) => {
            let folder = play.file.rsplit_once('/').map_or("", |(folder, _)| folder);
            let from = format!("{}:{}", play.file, play.line);
            match Host::of(&play.hosts, folder, repository) {
                Some(host) => host.give(&from, &mut give, environment),
                None => {
                    give(join(folder, "group_vars/all"), OF_ALL);
                    for host in &play.hosts {
                        give(join(folder, &format!("group_vars/{host}")), &from);
                        give(join(folder, &format!("host_vars/{host}")), &from);
                    }
                }
            }
            if play.has_vars {
                give(play.file.clone(), &from);
            }
            play.vars_files.iter().for_each(|file| give(file.clone(), &from));
        }
        None => {
            let base = base(list, repository);
            // The group or the host whose file has the list.
            let below = |part: &str| list.file.strip_prefix(&join(&base, part));
            let name = below("group_vars/").or_else(|| below("host_vars/")).and_then(|rest| rest.split('/').next());
            let names = name.map(|name| name.trim_end_matches(".yml").trim_end_matches(".yaml").to_owned());
            match Host::of(names.as_slice(), &base, repository) {
                Some(host) => host.give(&list.place(), &mut give, environment),
                None => {
                    give(join(&base, "group_vars/all"), OF_ALL);
                    let groups: BTreeSet<String> = repository
                        .names()
                        .filter_map(|file| Some((file, file.strip_prefix(&join(&base, "group_vars/"))?)))
                        .filter(|(file, _)| names_it(file))
                        .map(|(_, rest)| rest.split('/').next().unwrap_or(rest).to_owned())
                        .filter(|group| group.split('.').next() != Some("all"))
                        .collect();
                    let is_there =
                        |group: &str| repository.root.join(join(&base, &format!("group_vars/{group}"))).exists();
                    let usual = ["galaxyservers", "galaxyservers.yml"]
                        .into_iter()
                        .filter(|group| groups.is_empty() && is_there(group));
                    for group in groups.iter().map(String::as_str).chain(usual) {
                        give(join(&base, &format!("group_vars/{group}")), "the group of the server");
                    }
                    if let Some(rest) = list.file.strip_prefix(&join(&base, "host_vars/")) {
                        let host = rest.split('/').next().unwrap_or(rest);
                        give(join(&base, &format!("host_vars/{host}")), &list.place());
                    }
                }
            }
        }
    }
    // A file of a folder that is named by itself, too, counts there.
    let named: BTreeSet<PathBuf> = given.iter().map(|file| repository.root.join(&file.value)).collect();
    for Guess { value, from } in given {
        let path = repository.root.join(&value);
        let endings = ["", ".yml", ".yaml"].map(|end| PathBuf::from(format!("{}{end}", path.display())));
        let Some(path) = endings.into_iter().find(|path| path.exists() && !value.contains("{{")) else {
            // Groups and hosts mostly have no files of their own.
            if !from.starts_with("of ") && !value.contains("group_vars/") && !value.contains("host_vars/") {
                environment.left_out.push(Guess { value, from: format!("not in this repository; {from} names it") });
            }
            continue;
        };
        let is_folder = path.is_dir();
        for file in variable_files(&[path]).into_iter().filter(|file| !is_folder || !named.contains(file)) {
            let name = repository.relative(&file);
            if is_encrypted(&file) {
                environment.left_out.push(Guess { value: name, from: "encrypted".to_owned() });
            } else if !environment.vars.iter().any(|known| known.value == name) {
                environment.vars.push(Guess { value: name, from: from.clone() });
            }
        }
    }
}

/// A host of an inventory.
struct Host {
    inventory: Inventory,
    name: String,
    /// The folders whose `group_vars` and `host_vars` count: that of the inventory, then that of the playbook.
    folders: Vec<String>,
}

impl Host {
    /// The first host that a play, or the file of a list, is about. `None` without an inventory that has it.
    fn of(names: &[String], folder: &str, repository: &Repository) -> Option<Self> {
        let inventory = Inventory::of(folder, repository)?;
        let name = names.iter().find_map(|name| inventory.host(name))?.to_owned();
        let is_folder = repository.root.join(&inventory.file).is_dir();
        let above = inventory.file.rsplit_once('/').map_or("", |(above, _)| above);
        let mut folders = vec![if is_folder { inventory.file.clone() } else { above.to_owned() }, folder.to_owned()];
        folders.dedup();
        Some(Self { inventory, name, folders })
    }

    /// Gives the files of its groups, outer before inner, and its own.
    fn give(self, from: &str, give: &mut impl FnMut(String, &str), environment: &mut Environment) {
        let each = |path: &str, from: &str, give: &mut dyn FnMut(String, &str)| {
            self.folders.iter().for_each(|folder| give(join(folder, path), from));
        };
        each("group_vars/all", OF_ALL, give);
        for group in self.inventory.groups(&self.name) {
            each(
                &format!("group_vars/{group}"),
                &format!("{OF_GROUP} `{}` in {}", self.name, self.inventory.file),
                give,
            );
        }
        each(&format!("host_vars/{}", self.name), from, give);
        let (of_groups, of_host) = (self.inventory.of_groups(&self.name), self.inventory.of_host(&self.name));
        environment.inventory = Inherited { of_groups, of_host };
        environment.host = Some(Guess { value: self.name, from: self.inventory.file });
    }
}

/// The variables of the inventory that count: of its groups those that nothing else has, and of the host also those that replace one of `group_vars`.
pub(super) fn inherited(
    names: &BTreeSet<&str>,
    repository: &Repository,
    environment: &Environment,
) -> Vec<Guess<(String, Value)>> {
    let Some(host) = &environment.host else { return Vec::new() };
    let Inherited { of_groups, of_host } = &environment.inventory;
    // The host's variables that files have, and whether the last of these files is of a group.
    let mut in_files: BTreeMap<&str, bool> = BTreeMap::new();
    for file in environment.vars.iter().rev() {
        let is_of_group = file.from == OF_ALL || file.from.starts_with(OF_GROUP);
        for name in top_level(&repository.plain(&file.value).unwrap_or_default()) {
            if let Some((name, _)) = of_host.get_key_value(name) {
                in_files.entry(name).or_insert(is_of_group);
            }
        }
    }
    let replaces = |name: &str| in_files.get(name) == Some(&true);
    let wanted = |name: &str| names.contains(name);
    let known = |name: &str| environment.variables.iter().any(|known| known.value.0 == name);
    let hostname = Value::String(host.value.clone());
    let own = of_host.iter().filter(|(name, _)| wanted(name) || replaces(name));
    let of_groups = of_groups.iter().filter(|(name, _)| wanted(name) && !of_host.contains_key(*name));
    let all = own.chain(of_groups).map(|(name, value)| (name.clone(), value.clone()));
    let all = all.chain(wanted("inventory_hostname").then(|| ("inventory_hostname".to_owned(), hostname)));
    all.filter(|(name, _)| !known(name)).map(|value| Guess { value, from: host.from.clone() }).collect()
}

/// The variables of a file, by its lines.
fn top_level(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns `true` for a file that Ansible Vault encrypts.
fn is_encrypted(path: &Path) -> bool {
    let read = tpv_text::open::open(path).and_then(|file| {
        let mut start = [0; VAULT.len()];
        std::io::Read::read_exact(&mut { file }, &mut start).map(|()| start)
    });
    read.is_ok_and(|start| start == *VAULT.as_bytes())
}

/// The folder with `group_vars` for a list.
fn base(list: &List, repository: &Repository) -> String {
    for part in ["group_vars/", "host_vars/"] {
        if let Some((base, _)) = list.file.split_once(part)
            && (base.is_empty() || base.ends_with('/'))
        {
            return base.trim_end_matches('/').to_owned();
        }
    }
    let mut folder = list.file.as_str();
    while let Some((above, _)) = folder.rsplit_once('/') {
        if repository.root.join(above).join("group_vars").is_dir() {
            return above.to_owned();
        }
        folder = above;
    }
    String::new()
}

/// All plays of a repository that name files of variables.
fn plays(repository: &Repository) -> Vec<Play> {
    let mut plays = Vec::new();
    for (file, text) in repository.marked(Mark::Plays) {
        let mut sources = SourceMap::new();
        let id = sources.add(file, &text);
        let Some(document) = tpv_yaml::load(&sources, id, &mut Diagnostics::new()) else { continue };
        let ValueKind::List(items) = &document.root.kind else { continue };
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for map in items.iter().filter_map(ConfigValue::as_map) {
            let Some(files) = map.entry("vars_files") else { continue };
            let vars_files = texts(&files.value).iter().map(|path| normal(&join(folder, path))).collect();
            let hosts = map.get("hosts").map(texts).unwrap_or_default();
            let has_vars = map.get("vars").and_then(ConfigValue::as_map).is_some();
            let line = sources.place(files.key.span).line;
            plays.push(Play { file: file.clone(), line, hosts, vars_files, has_vars });
        }
    }
    plays
}

/// A text, or the texts of a list.
fn texts(value: &ConfigValue) -> Vec<String> {
    match &value.kind {
        ValueKind::Str(text) => text.as_str().split([',', ':']).map(|text| text.trim().to_owned()).collect(),
        ValueKind::List(items) => items.iter().filter_map(ConfigValue::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// A path without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The files of roles' defaults that have some of these variables.
pub(super) fn defaults(
    names: &BTreeSet<&str>,
    repository: &Repository,
    known: &mut BTreeSet<PathBuf>,
) -> Vec<Guess<String>> {
    let mut found = Vec::new();
    if names.is_empty() {
        return found;
    }
    for file in repository.names().filter(|file| file.contains("defaults/main.y")) {
        let text = repository.plain(file).unwrap_or_default();
        if let Some(name) = top_level(&text).filter(|name| names.contains(name)).min()
            && known.insert(PathBuf::from(file))
        {
            found.push(Guess { value: file.clone(), from: format!("has `{name}`") });
        }
    }
    found
}

/// The variables that tasks set to the texts of files: `set_fact` over `with_fileglob`, with a key for each file.
pub(super) fn facts(
    names: &BTreeSet<&str>,
    repository: &Repository,
    environment: &Environment,
) -> Vec<Guess<(String, Value)>> {
    let mut found: Vec<Guess<(String, Value)>> = Vec::new();
    let folder = environment.vars.iter().find_map(|file| file.value.split_once("group_vars/"));
    let folder = folder.map_or("", |(base, _)| base.trim_end_matches('/'));
    for (file, text) in repository.marked(Mark::Globs) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let is_of_files = value.contains("combine(") && value.contains("lookup('file', item)");
            if !is_of_files || !names.contains(name) || found.iter().any(|known| known.value.0 == name) {
                continue;
            }
            let globs = lines.iter().skip(at + 1).take(3).filter_map(|line| line.strip_prefix("with_fileglob:"));
            let glob = globs.map(|glob| glob.trim().trim_matches(['"', '\''])).next().unwrap_or("");
            let glob = glob.replace("{{ inventory_dir }}", folder).replace("{{ playbook_dir }}", folder);
            let Some((below, pattern)) = glob.trim_start_matches('/').rsplit_once('/') else { continue };
            let mut texts = serde_json::Map::new();
            let real = repository.root.join(".").canonicalize().unwrap_or_default();
            for entry in std::fs::read_dir(repository.root.join(below)).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let Ok(path) = entry.path().canonicalize() else { continue };
                let Ok(inside) = path.strip_prefix(&real) else { continue };
                if tpv_config::template::fits(pattern, &name) {
                    let stem = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem);
                    texts.insert(stem.to_owned(), format!("{{{{ lookup('file', '{}') }}}}", inside.display()).into());
                }
            }
            if !texts.is_empty() {
                found.push(Guess { value: (name.to_owned(), texts.into()), from: format!("{file}:{}", at + 1) });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_dots() {
        assert_eq!(normal("a/./b/../c.yml"), "a/c.yml");
        assert_eq!(normal("../a.yml"), "../a.yml");
    }
}
