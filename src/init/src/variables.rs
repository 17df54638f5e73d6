//! The variables of a server that are in no file which Ansible always reads: those of the inventory, of roles' defaults, and those that tasks set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use super::environment::{Environment, Guess, Inherited};
use super::folders::role;
use super::marks::Mark;
use super::scan::Repository;

/// The origin of the variables of all hosts.
pub(super) const OF_ALL: &str = "of all groups";
/// The beginning of the origin of a group's variables.
pub(super) const OF_GROUP: &str = "a group of";

/// The variables of the inventory that count: of its groups those that nothing else has, and of the host also those that replace one of `group_vars`.
/// `names`: those that are asked for; `None` for all.
pub(super) fn inherited(
    names: Option<&BTreeSet<&str>>,
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
    let wanted = |name: &str| names.is_none_or(|names| names.contains(name));
    let known = |name: &str| environment.variables.iter().any(|known| known.value.0 == name);
    let short = host.value.split('.').next().unwrap_or(&host.value);
    let mut groups = environment.server.groups.clone();
    groups.sort();
    let of_ansible = [
        ("inventory_hostname", Value::from(host.value.clone())),
        ("inventory_hostname_short", Value::from(short)),
        ("group_names", Value::from(groups)),
    ];
    let own = of_host.iter().filter(|(name, _)| wanted(name) || replaces(name));
    let of_groups = of_groups.iter().filter(|(name, _)| wanted(name) && !of_host.contains_key(*name));
    let all = own.chain(of_groups).map(|(name, value)| (name.clone(), value.clone()));
    let of_ansible = of_ansible.into_iter().filter(|(name, _)| wanted(name) && !of_host.contains_key(*name));
    let all = all.chain(of_ansible.map(|(name, value)| (name.to_owned(), value)));
    all.filter(|(name, _)| !known(name)).map(|value| Guess { value, from: host.from.clone() }).collect()
}

/// The variables of a file, by its lines.
fn top_level(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name)
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
    let is_of_role = |file: &str| {
        ["defaults/main.y", "defaults/main/", "/vars/main.y"].iter().any(|part| file.contains(part))
            && (file.contains("defaults/") || role(file).is_some())
    };
    for file in repository.names().filter(|file| is_of_role(file)) {
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
