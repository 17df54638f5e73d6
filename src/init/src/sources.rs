//! The files that Ansible puts on servers: mappings with `src` and `dest`, in variables of roles and in tasks; and those that Docker Compose mounts there.

use std::ops::Range;

use tpv_yaml::value::{ConfigValue, Entry, Map, ValueKind};

use super::folders::{folder, join, role};
use super::marks::{Mark, is_text};
use super::scan::Repository;

/// A file of the repository, and its place on the server. Both may be templates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The path in the repository, as it is written.
    pub(super) src: String,
    /// The path on the server, as it is written; empty if it is not given.
    pub(super) dest: String,
    /// `true` if Ansible renders the file, rather than copying it: the key of the mapping, or of its list, has `template` in its name.
    pub(super) is_template: bool,
    /// The file with the mapping.
    pub(super) file: String,
    /// Its line, from 1.
    pub(super) line: usize,
}

impl Source {
    /// `file:line`
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// A path with the folder of the role in the place of `{{ role_path }}`.
fn of_role(path: &str, file: &str) -> String {
    let role = role(file).unwrap_or_default();
    ["{{ role_path }}", "{{role_path}}"].iter().fold(path.to_owned(), |path, name| path.replace(name, role))
}

/// The files of the repository among the volumes of a service of Docker Compose (`./tpv.yml:/galaxy/server/config/tpv.yml:ro`), each with its place on the server.
fn mounts(volumes: &ConfigValue) -> Vec<(&ConfigValue, &str, &str)> {
    let ValueKind::List(items) = &volumes.kind else { return Vec::new() };
    let mounts = items.iter().filter_map(|item| {
        let (src, rest) = item.as_str()?.split_once(':')?;
        let dest = rest.split(':').next().filter(|dest| dest.starts_with('/'))?;
        (src.starts_with('.') && is_text(dest)).then_some((item, src, dest))
    });
    mounts.collect()
}

/// All of a repository, in the order of its files.
pub(super) fn of(repository: &Repository) -> Vec<Source> {
    let mut found = Vec::new();
    for file in repository.files_with(Mark::Sources) {
        let Some(yaml) = repository.yaml(file) else { continue };
        // The loops of tasks that render.
        let mut loops: Vec<Range<usize>> = Vec::new();
        yaml.maps(&mut |key, map: &Map| {
            let mut add = |value: &ConfigValue, src: &str, dest: &str, is_template: bool| {
                let is_template = is_template || loops.iter().any(|range| range.contains(&value.span.range().start));
                let (src, dest) = (of_role(src, file), dest.to_owned());
                found.push(Source { src, dest, is_template, file: file.clone(), line: yaml.line(value) });
            };
            if let Some((src, entry)) = map.entry("src").and_then(|entry| Some((entry.value.as_str()?, entry))) {
                let dest = map.get("dest").and_then(ConfigValue::as_str).unwrap_or("");
                add(&entry.key, src, dest, key.contains("template"));
            }
            // `template: src=a.yml.j2 dest=/srv/a.yml`
            for entry in &map.entries {
                let Some(text) = entry.value.as_str().filter(|text| text.contains("src=")) else { continue };
                let argument = |name: &str| text.split_whitespace().find_map(|word| word.strip_prefix(name));
                let is_template = entry.key.as_str().is_some_and(|key| key.contains("template"));
                if let Some(src) = argument("src=") {
                    add(&entry.key, src, argument("dest=").unwrap_or(""), is_template);
                }
            }
            for (value, src, dest) in map.get("volumes").into_iter().flat_map(mounts) {
                add(value, &join(folder(file), src), dest, false);
            }
            let renders = |entry: &Entry| {
                let src = entry.value.as_map().and_then(|map| map.get("src")?.as_str());
                entry.key.as_str().is_some_and(|key| key.ends_with("template"))
                    && src.is_some_and(|src| src.contains("item"))
            };
            if map.entries.iter().any(renders) {
                let of_loop =
                    |entry: &&Entry| entry.key.as_str().is_some_and(|key| key == "loop" || key.starts_with("with_"));
                loops.extend(map.entries.iter().filter(of_loop).map(|entry| entry.value.span.range()));
            }
        });
    }
    found
}
