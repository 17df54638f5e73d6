//! Inventories of Ansible: the groups of each host, and the variables that stand in the inventory itself. INI and YAML are read, programs are not run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use tpv_config::template::{as_ansible_reads, fits};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::open::open;
use tpv_text::source::{SourceMap, read_limited};
use tpv_yaml::style::ScalarStyle;
use tpv_yaml::value::{ConfigValue, ValueKind};

use super::folders::join;
use super::scan::{LARGEST, Repository};

/// The most hosts that the patterns of an inventory may stand for.
const MOST_HOSTS: usize = 10_000;
/// The variable that orders groups of one depth.
const PRIORITY: &str = "ansible_group_priority";
/// The most bytes of lines of hosts, where a pattern is as many lines.
const MOST_BYTES: usize = 16 << 20;
/// The most bytes of a pattern; names of hosts have 253 at most.
const LONGEST: usize = 1_000;
/// The most ranges of a pattern.
const MOST_RANGES: usize = 4;
/// The deepest groups.
const DEEPEST: usize = 64;
/// The beginnings of names of inventories, beside a playbook or in the root. Of a folder all files are read.
const NAMES: [&str; 2] = ["hosts", "inventory"];
/// The names of folders in which each file or folder is an inventory.
const FOLDERS: [&str; 2] = ["inventories", "environments"];

/// The variables of a host or a group.
type Variables = Map<String, Value>;

/// An inventory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Inventory {
    /// Its path in the repository.
    pub(super) file: String,
    /// The folder whose `group_vars` and `host_vars` count.
    pub(super) folder: String,
    groups: BTreeMap<String, Group>,
    /// The variables of all hosts.
    hosts: BTreeMap<String, Variables>,
    /// The bytes of the lines of all hosts so far.
    spent: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    hosts: Vec<String>,
    children: Vec<String>,
    variables: Variables,
}

impl Inventory {
    /// The inventories of the playbooks of a folder, those of `ansible.cfg` first, then those whose names are usual: in that folder, or else in the next above it.
    /// Those without hosts are left out.
    pub(super) fn all(folder: &str, repository: &Repository) -> Vec<Self> {
        for folder in Path::new(folder).ancestors().filter_map(Path::to_str) {
            let mut files = Self::named(folder, repository);
            let others = Self::usual(folder, repository);
            // A folder that is named holds its files.
            let is_known = |file: &String| {
                files.iter().any(|known| Path::new(file).starts_with(known) || Path::new(known).starts_with(file))
            };
            let others: Vec<String> = others.into_iter().filter(|file| !is_known(file)).collect();
            files.extend(others);
            let read = files.into_iter().filter_map(|file| Self::read(file, repository));
            let found: Vec<Self> = read.filter(|inventory| !inventory.hosts.is_empty()).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The paths that `ansible.cfg` of a folder names.
    fn named(folder: &str, repository: &Repository) -> Vec<String> {
        let text = text(&join(folder, "ansible.cfg"), repository).unwrap_or_default();
        let value = text.lines().find_map(|line| line.strip_prefix("inventory")?.trim_start().strip_prefix('='));
        let path = |value: &str| join(folder, value.trim().trim_start_matches("./").trim_end_matches('/'));
        value.into_iter().flat_map(|value| value.split(',')).map(path).collect()
    }

    /// The paths below a folder that have the name of an inventory: `hosts`, `inventory.yml`, `hosts-test`, and each of a folder `inventories`.
    fn usual(folder: &str, repository: &Repository) -> Vec<String> {
        let path = if folder.is_empty() { repository.root.join(".") } else { repository.root.join(folder) };
        let names = |path: PathBuf| {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.retain(|name| is_read(name));
            names.sort();
            names
        };
        let beside = |name: &str| join(folder, name);
        let mut found = Vec::new();
        for name in names(path.clone()) {
            if FOLDERS.contains(&name.as_str()) && path.join(&name).is_dir() {
                found.extend(names(path.join(&name)).iter().map(|inner| beside(&format!("{name}/{inner}"))));
            } else if NAMES.iter().any(|known| name.starts_with(known)) {
                found.push(beside(&name));
            }
        }
        found
    }

    /// An inventory: a file, or all files of a folder. `None` if it is not there.
    fn read(file: String, repository: &Repository) -> Option<Self> {
        let above = file.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
        let is_folder = repository.root.join(&file).is_dir();
        let mut inventory = Self { folder: if is_folder { file.clone() } else { above }, file, ..Self::default() };
        if !is_folder {
            inventory.add(&text(&inventory.file, repository)?);
            return Some(inventory);
        }
        let entries = std::fs::read_dir(repository.root.join(&inventory.file)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_read(name)).collect();
        names.sort();
        for name in names {
            text(&format!("{}/{name}", inventory.file), repository).iter().for_each(|text| inventory.add(text));
        }
        Some(inventory)
    }

    /// Adds a text: YAML if it is a mapping of groups, else INI.
    fn add(&mut self, text: &str) {
        let mut sources = SourceMap::new();
        let id = sources.add("inventory", text);
        let is_group = |value: &ConfigValue| {
            value.as_map().is_none_or(|map| ["hosts", "children", "vars"].iter().any(|key| map.get(key).is_some()))
        };
        let root = tpv_yaml::load(&sources, id, &mut Diagnostics::new()).map(|mut document| {
            as_ansible_reads(&mut document.root, text);
            document.root
        });
        match root {
            Some(ConfigValue { kind: ValueKind::Map(map), .. })
                if map.entries.iter().all(|group| is_group(&group.value)) =>
            {
                map.entries.iter().for_each(|group| self.add_group(&group.key.python_str(), &group.value, DEEPEST));
            }
            _ => self.add_ini(text),
        }
    }

    fn add_group(&mut self, name: &str, value: &ConfigValue, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let part = |key: &str| value.as_map().and_then(|map| map.get(key)).and_then(ConfigValue::as_map);
        self.groups.entry(name.to_owned()).or_default();
        for (key, value) in pairs(part("vars")) {
            self.group(name).variables.insert(key, plain(value));
        }
        for (pattern, value) in pairs(part("hosts")) {
            for host in expanded(&pattern, MOST_RANGES) {
                if !self.may_add(host.len() + value.span.range().len()) {
                    return;
                }
                let variables = pairs(value.as_map()).into_iter().map(|(key, value)| (key, plain(value))).collect();
                self.add_host(name, &host, variables);
            }
        }
        for (child, value) in pairs(part("children")) {
            self.add_child(name, &child);
            self.add_group(&child, value, depth);
        }
    }

    fn add_ini(&mut self, text: &str) {
        let (mut group, mut kind) = ("ungrouped".to_owned(), String::new());
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
            if let Some((header, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let (name, of) = header.split_once(':').unwrap_or((header, ""));
                (group, kind) = (name.to_owned(), of.to_owned());
                self.group(&group);
                continue;
            }
            match (kind.as_str(), line.split_once('=')) {
                ("vars", Some((name, value))) => {
                    self.group(&group).variables.insert(name.trim().to_owned(), literal(value.trim()));
                }
                ("children", _) => {
                    let child = line.split_whitespace().next().unwrap_or(line).to_owned();
                    self.group(&child);
                    self.add_child(&group, &child);
                }
                ("", _) => {
                    let words = words(line);
                    let Some((pattern, rest)) = words.split_first() else { continue };
                    let variables: Variables = rest
                        .iter()
                        .filter_map(|word| word.split_once('='))
                        .map(|(name, value)| (name.to_owned(), literal(value)))
                        .collect();
                    for host in expanded(pattern, MOST_RANGES) {
                        if !self.may_add(line.len()) {
                            return;
                        }
                        self.add_host(&group, &host, variables.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns `true` if there is room for one more host.
    fn may_add(&mut self, bytes: usize) -> bool {
        self.spent += bytes;
        self.spent <= MOST_BYTES
    }

    fn group(&mut self, name: &str) -> &mut Group {
        self.groups.entry(name.to_owned()).or_default()
    }

    fn add_child(&mut self, group: &str, child: &str) {
        self.group(group).children.push(child.to_owned());
    }

    fn add_host(&mut self, group: &str, pattern: &str, mut variables: Variables) {
        // A port is no part of the name.
        let port = pattern.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse::<u16>().ok()?)));
        let name = port.filter(|(name, _)| !name.contains(':')).map_or(pattern, |(name, port)| {
            variables.insert("ansible_port".to_owned(), port.into());
            name
        });
        self.group(group).hosts.push(name.to_owned());
        if self.hosts.len() < MOST_HOSTS || self.hosts.contains_key(name) {
            self.hosts.entry(name.to_owned()).or_default().extend(variables);
        }
    }

    /// The hosts that patterns of a play name, in the order of the inventory: groups and hosts, with `!` all but these, with `&` only these.
    pub(super) fn hosts(&self, patterns: &[String]) -> Vec<&str> {
        let of = |pattern: &str| self.hosts_of(pattern).into_iter().collect::<BTreeSet<_>>();
        let plain = patterns.iter().filter(|pattern| !pattern.starts_with(['!', '&']));
        let mut known = BTreeSet::new();
        let mut found: Vec<&str> =
            plain.flat_map(|pattern| self.hosts_of(pattern)).filter(|host| known.insert(*host)).collect();
        for pattern in patterns {
            if let Some(pattern) = pattern.strip_prefix('!') {
                let out = of(pattern);
                found.retain(|host| !out.contains(host));
            } else if let Some(pattern) = pattern.strip_prefix('&') {
                let only = of(pattern);
                found.retain(|host| only.contains(host));
            }
        }
        found
    }

    /// Returns `true` for the name of a group.
    pub(super) fn has_group(&self, name: &str) -> bool {
        self.groups.contains_key(name)
    }

    /// The hosts of a group, or the host of that name; of all groups and hosts whose names fit a pattern with `*` or `?`.
    fn hosts_of(&self, pattern: &str) -> Vec<&str> {
        let known = |name: &str| self.hosts.get_key_value(name).map(|(host, _)| host.as_str());
        if pattern == "all" || pattern == "*" {
            return self.hosts.keys().map(String::as_str).collect();
        }
        // A group may have such a name, too.
        if pattern.contains(['*', '?']) && !self.groups.contains_key(pattern) {
            let groups = self.groups.keys().filter(|name| fits(pattern, name));
            let hosts = self.hosts.keys().filter(|name| fits(pattern, name)).map(String::as_str);
            return groups.flat_map(|name| self.hosts_of(name)).chain(hosts).collect();
        }
        if !self.groups.contains_key(pattern) {
            return known(pattern).into_iter().collect();
        }
        let (mut open, mut seen, mut found) = (vec![pattern], BTreeSet::new(), Vec::new());
        let mut is_found = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some(group) = self.groups.get(name).filter(|_| seen.insert(name)) else { continue };
            let hosts = group.hosts.iter().filter_map(|host| known(host));
            found.extend(hosts.filter(|host| is_found.insert(*host)));
            open.extend(group.children.iter().rev().map(String::as_str));
        }
        found
    }

    /// The groups of a host but for `all`, in the order in which Ansible reads their variables: outer before inner, then by
    /// `ansible_group_priority` and name.
    pub(super) fn groups(&self, host: &str) -> Vec<&str> {
        let holds = |group: &Group| group.hosts.iter().any(|known| known == host);
        let direct = self.groups.iter().filter(|(_, group)| holds(group)).map(|(name, _)| name.as_str());
        let (mut open, mut found): (Vec<&str>, BTreeSet<&str>) = (direct.collect(), BTreeSet::new());
        let parents = self.parents();
        while let Some(name) = open.pop() {
            if !["all", "ungrouped"].contains(&name) && found.insert(name) {
                open.extend(parents.get(name).into_iter().flatten());
            }
        }
        if found.is_empty() {
            return vec!["ungrouped"];
        }
        let priority = |name: &str| {
            let given = self.groups.get(name).and_then(|group| group.variables.get(PRIORITY));
            given.and_then(Value::as_i64).unwrap_or(1)
        };
        let mut depths = BTreeMap::new();
        let mut sorted: Vec<_> =
            found.into_iter().map(|name| (depth(name, &parents, DEEPEST, &mut depths), priority(name), name)).collect();
        sorted.sort_unstable();
        sorted.into_iter().map(|(_, _, name)| name).collect()
    }

    /// The groups that each group is a child of, but for `all`.
    fn parents(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut parents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, group) in self.groups.iter().filter(|(name, _)| *name != "all") {
            group.children.iter().for_each(|child| parents.entry(child).or_default().push(name));
        }
        parents
    }

    /// The variables that the inventory gives to a host by its groups.
    pub(super) fn of_groups(&self, host: &str) -> Variables {
        let groups = std::iter::once("all").chain(self.groups(host));
        let variables = groups.filter_map(|name| self.groups.get(name)).flat_map(|group| &group.variables);
        let variables = variables.filter(|(name, _)| *name != PRIORITY);
        variables.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The variables that the inventory gives to a host itself, which come after those of `group_vars`.
    pub(super) fn of_host(&self, host: &str) -> Variables {
        self.hosts.get(host).cloned().unwrap_or_default()
    }
}

/// The longest way from `all` to a group. `known` has those of the groups before.
fn depth<'a>(
    name: &'a str,
    parents: &BTreeMap<&str, Vec<&'a str>>,
    most: usize,
    known: &mut BTreeMap<&'a str, usize>,
) -> usize {
    if let Some(depth) = known.get(name) {
        return *depth;
    }
    let Some(most) = most.checked_sub(1) else { return 0 };
    // A circle ends here.
    known.insert(name, 0);
    let above = parents.get(name).into_iter().flatten().map(|parent| depth(parent, parents, most, known)).max();
    let depth = above.unwrap_or(0) + 1;
    known.insert(name, depth);
    depth
}

/// The text of an inventory. `None` if it is not there or outside of the repository, and if it is a program, asks a plugin or is not UTF-8, which is noted.
fn text(file: &str, repository: &Repository) -> Option<String> {
    let (path, root) =
        (repository.root.join(file).canonicalize().ok()?, repository.root.join(".").canonicalize().ok()?);
    if !path.is_file() || !path.starts_with(root) {
        return None;
    }
    let bytes = open(&path).and_then(|file| read_limited(file, LARGEST)).ok()?;
    if bytes.is_none() {
        repository.leave_out_large(file);
    }
    let bytes = bytes?;
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let is_program = bytes.starts_with(b"#!") || bytes.contains(&0) && !is_utf16;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) if is_program => String::new(),
        Err(_) => {
            repository
                .leave_out(file, "it is not UTF-8: convert it, as with `iconv -f latin1 -t utf-8` (or `-f utf-16`)");
            return None;
        }
    };
    let plugin = text.lines().find_map(|line| line.strip_prefix("plugin:"));
    let what = match plugin {
        Some(plugin) => Some(format!("it asks the plugin `{}`", plugin.trim().trim_matches(['"', '\'']))),
        None => is_program.then(|| "it is a program, which is not run".to_owned()),
    };
    if let Some(what) = what {
        let hosts = join(file.rsplit_once('/').map_or("", |(above, _)| above), "hosts.yml");
        let command = "ansible-inventory --list --yaml --export";
        repository.leave_out(file, &format!("{what}: write its hosts with `{command} -i {file} --output {hosts}`"));
        return None;
    }
    Some(text)
}

/// Returns `true` for a file that Ansible reads of a folder of inventories.
fn is_read(name: &str) -> bool {
    let ignored =
        [".pyc", ".pyo", ".swp", ".bak", ".cfg", ".retry", ".orig", ".old", ".j2", ".sample", ".example", "~", ".md"];
    !name.starts_with('.') && !ignored.iter().any(|end| name.ends_with(end))
}

fn pairs(map: Option<&std::sync::Arc<tpv_yaml::value::Map>>) -> Vec<(String, &ConfigValue)> {
    map.into_iter().flat_map(|map| &map.entries).map(|entry| (entry.key.python_str(), &entry.value)).collect()
}

/// A value as JSON.
fn plain(value: &ConfigValue) -> Value {
    match &value.kind {
        ValueKind::Null => Value::Null,
        ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => (*value).into(),
        ValueKind::Int(value) => (*value).into(),
        ValueKind::Float(value) => serde_json::Number::from_f64(*value).map_or(Value::Null, Value::Number),
        ValueKind::List(items) => items.iter().map(plain).collect(),
        ValueKind::Map(map) => pairs(Some(map)).into_iter().map(|(key, value)| (key, plain(value))).collect(),
        _ => value.python_str().into(),
    }
}

/// The words of a line, as a shell reads them, without a comment.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) = (Vec::new(), None, None);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', Some('"') | None) => word.get_or_insert_default().extend(characters.next()),
            (_, Some(_)) => word.get_or_insert_default().push(character),
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            ('#', None) => break,
            _ if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// A value as Ansible reads it: a literal of Python, which may have a comment, or else text.
fn literal(text: &str) -> Value {
    let uncommented = || of_python(text.split_once('#')?.0.trim_end());
    of_python(text).or_else(uncommented).unwrap_or_else(|| text.into())
}

/// A literal of Python. `None` for any other text.
fn of_python(text: &str) -> Option<Value> {
    match text {
        "True" => return Some(true.into()),
        "False" => return Some(false.into()),
        "None" => return Some(Value::Null),
        _ => {}
    }
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = bare.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !bare.contains(char::is_whitespace);
    let has_zero = bare.len() > 1 && bare.starts_with('0') && bare.chars().all(|c| c.is_ascii_digit());
    if is_number && !has_zero {
        let number = || Some(Value::Number(serde_json::Number::from_f64(text.parse().ok()?)?));
        return text.parse::<i64>().map(Value::from).ok().or_else(number);
    }
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| !inner.contains([quote, '\\'])) {
            return Some(inner.into());
        }
    }
    if !text.starts_with(['[', '{']) {
        return None;
    }
    // Lists and mappings of Python are mostly those of YAML, in which words need no quotes.
    let mut sources = SourceMap::new();
    let id = sources.add("value", text);
    let value = tpv_yaml::load(&sources, id, &mut Diagnostics::new()).filter(|document| is_quoted(&document.root))?;
    Some(plain(&value.root))
}

/// Returns `true` if Python reads a value as YAML does: all text is in quotes.
fn is_quoted(value: &ConfigValue) -> bool {
    match &value.kind {
        ValueKind::Str(text) => text.style != ScalarStyle::Plain,
        ValueKind::List(items) => items.iter().all(is_quoted),
        ValueKind::Map(map) => map.entries.iter().all(|entry| is_quoted(&entry.key) && is_quoted(&entry.value)),
        ValueKind::Int(_) | ValueKind::Float(_) => true,
        _ => false,
    }
}

/// The hosts that a pattern such as `w[01:10].example.org` or `db-[a:c]` stands for.
fn expanded(pattern: &str, most: usize) -> Vec<String> {
    let Some(most) = most.checked_sub(1).filter(|_| pattern.len() <= LONGEST) else { return vec![pattern.to_owned()] };
    let range = || {
        let (before, rest) = pattern.split_once('[')?;
        let (inner, after) = rest.split_once(']')?;
        let mut parts = inner.split(':');
        let (first, last) = (parts.next()?, parts.next()?);
        let step: usize = parts.next().map_or(Some(1), |step| step.parse().ok()).filter(|step| *step > 0)?;
        let letter = |text: &str| text.chars().next().filter(|c| c.is_ascii_alphabetic() && text.len() == 1);
        let names: Vec<String> = if let (Some(first), Some(last)) = (letter(first), letter(last)) {
            (first..=last).step_by(step).map(String::from).collect()
        } else {
            let (low, high): (usize, usize) =
                (if first.is_empty() { 0 } else { first.parse().ok()? }, last.parse().ok()?);
            let width = if first.starts_with('0') { first.len() } else { 0 };
            (low..=high).step_by(step).take(MOST_HOSTS).map(|number| format!("{number:0width$}")).collect()
        };
        Some((before.to_owned(), names, after.to_owned()))
    };
    let Some((before, names, after)) = range() else { return vec![pattern.to_owned()] };
    let ends = expanded(&after, most);
    let all = names.iter().flat_map(|name| ends.iter().map(move |end| (name, end)));
    all.take(MOST_HOSTS).map(|(name, end)| format!("{before}{name}{end}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn patterns_cost_no_more_than_their_hosts() {
        assert_eq!(expanded("w[08:10].example.org", MOST_RANGES).len(), 3);
        let zeros = "0".repeat(1 << 20);
        for pattern in [format!("w[{zeros}:99999]"), format!("{zeros}[1:99999]")] {
            assert_eq!(expanded(&pattern, MOST_RANGES), [pattern]);
        }
    }

    /// `tests/record/record_inventory.py` records them. `TPVC_INVENTORY=FILE` compares another one with its `FILE.json`.
    #[test]
    fn inventories_are_read_as_by_ansible() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/templates/inventory");
        let mut files = vec![format!("{folder}/hosts.ini"), format!("{folder}/hosts.yml")];
        files.extend(std::env::var("TPVC_INVENTORY"));
        for file in files {
            let mut inventory = Inventory::default();
            inventory.add(&std::fs::read_to_string(&file).unwrap());
            let recorded: Value =
                serde_json::from_str(&std::fs::read_to_string(format!("{file}.json")).unwrap()).unwrap();
            let read = inventory.hosts.keys().map(|host| {
                let (groups, of_groups, of_host) =
                    (inventory.groups(host), inventory.of_groups(host), inventory.of_host(host));
                (host.clone(), serde_json::json!({"groups": groups, "of_groups": of_groups, "of_host": of_host}))
            });
            let read: Map<String, Value> = read.collect();
            let recorded = recorded.as_object().unwrap();
            assert_eq!(read.keys().collect::<BTreeSet<_>>(), recorded.keys().collect::<BTreeSet<_>>(), "{file}");
            for (host, expected) in recorded {
                assert_eq!(&read[host], expected, "{file}: {host}");
            }
            println!("{file}: {} hosts", read.len());
        }
    }

    #[test]
    fn a_group_stands_for_its_hosts() {
        let mut inventory = Inventory::default();
        inventory.add("[a:children]\nb\nc\n[b]\n[c]\nsecond\nthird\n[loop:children]\nloop\n");
        let hosts =
            |patterns: &[&str]| inventory.hosts(&patterns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(hosts(&["a"]), ["second", "third"]);
        assert_eq!((hosts(&["third"]), hosts(&["a", "!second"])), (vec!["third"], vec!["third"]));
        assert!(hosts(&["b"]).is_empty() && hosts(&["loop"]).is_empty());
        assert_eq!(inventory.groups("third"), ["a", "c"]);
        // As many ways as would take forever one by one.
        let level = |n: usize| format!("[x{n}:children]\nx{0}\ny{0}\n[y{n}:children]\nx{0}\ny{0}\n", n + 1);
        inventory.add(&((0..60).map(level).collect::<String>() + "[x60]\ndeep\n"));
        assert_eq!(inventory.groups("deep").len(), 121);
    }
}
