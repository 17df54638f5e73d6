//! The files of a repository that a list of config files means: the list has the paths on the server, where Ansible puts them.

use std::collections::BTreeMap;

use tpv_text::source::is_url;

use super::Guess;
use super::lists::List;
use super::scan::{Mark, Repository};

/// The files of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The files and URLs, in order.
    pub(super) files: Vec<String>,
    /// The paths of which the repository has no file.
    pub(super) absent: Vec<String>,
    /// The files that are templates, though their names do not end in `.j2`.
    pub(super) templates: Vec<Guess<String>>,
    /// The repository has a file.
    pub(super) has_files: bool,
}

/// The sections that only a config of TPV has together with fields of entities.
const SECTIONS: [&str; 5] = ["tools:", "destinations:", "users:", "roles:", "global:"];

/// Returns `true` for a text that looks like a config of TPV, template or not.
pub(super) fn is_config(text: &str) -> bool {
    let has_section = text.lines().any(|line| SECTIONS.iter().any(|section| line.starts_with(section)));
    let fields = [
        "cores:",
        "mem:",
        "scheduling:",
        "rules:",
        "runner:",
        "inherits:",
        "default_inherits:",
        "abstract:",
        "params:",
        "max_accepted",
    ];
    let is_playbook = text.lines().any(|line| line.starts_with("- hosts") || line.starts_with("- name"));
    has_section
        && !is_playbook
        && fields.iter().any(|field| text.lines().any(|line| line.trim_start().starts_with(field)))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The number of folders at the end of two paths that are the same.
fn shared(one: &str, other: &str) -> usize {
    let (mut one, mut other) = (folder(one).rsplit('/'), folder(other).rsplit('/'));
    std::iter::from_fn(|| (one.next()? == other.next()?).then_some(())).count()
}

/// The files that a list names.
pub(super) fn of(list: &List, repository: &Repository) -> Found {
    let base = |item: &str| item.rsplit('/').next().unwrap_or(item).to_owned();
    let candidates = |item: &str| -> Vec<&String> {
        let base = base(item);
        let plain = base.strip_suffix(".j2").unwrap_or(&base);
        let fits = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.strip_suffix(".j2").unwrap_or(name) == plain
        };
        // A file without a section may be a config that is empty, of a folder with others.
        let all: Vec<&String> = repository.names().filter(fits).collect();
        let configs: Vec<&String> = all.iter().copied().filter(|path| repository.has(path, Mark::Config)).collect();
        if configs.is_empty() { all } else { configs }
    };
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    let local: Vec<&String> = list.items.iter().filter(|item| !is_url(item)).collect();
    for item in &local {
        candidates(item).into_iter().for_each(|path| *folders.entry(folder(path)).or_default() += 1);
    }
    let mut found = Found::default();
    for item in &list.items {
        if is_url(item) {
            found.files.push(item.clone());
            continue;
        }
        let weight = |path: &&String| {
            let count = folders.get(folder(path)).copied().unwrap_or(0);
            let is_config = repository.has(path, Mark::Config);
            (is_config, shared(path, item), count, std::cmp::Reverse(path.len()))
        };
        let own = Some(&list.file).filter(|file| *file == item);
        match own.or_else(|| candidates(item).into_iter().max_by_key(weight)) {
            Some(path) => {
                found.has_files |= own.is_some() || repository.has(path, Mark::Config);
                found.files.push(path.clone());
                if !path.ends_with(".j2")
                    && let Some(from) = rendered(path, repository)
                {
                    found.templates.push(Guess { value: path.clone(), from });
                }
            }
            None => found.absent.push(item.clone()),
        }
    }
    found
}

/// The place that says that Ansible renders a file, rather than copying it: an item of a list with `template` in its name, or
/// of the module `template`.
fn rendered(path: &str, repository: &Repository) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    for (file, text) in repository.marked(Mark::Sources) {
        if !text.contains(name) {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let start = line.trim_start().trim_start_matches("- ");
            let source = start.strip_prefix("src:").map(|value| value.trim().trim_matches(['"', '\'']));
            if source.is_none_or(|source| source.rsplit('/').next() != Some(name)) {
                continue;
            }
            let indent = |line: &str| line.len() - line.trim_start().len();
            let mut outer = lines.get(..at).unwrap_or(&[]).iter().rev();
            let key = outer.find(|other| {
                let start = other.trim_start();
                !start.is_empty()
                    && !start.starts_with('#')
                    && !start.starts_with('-')
                    && start.ends_with(':')
                    && indent(other) <= indent(line)
            });
            if key.is_some_and(|key| key.contains("template")) {
                return Some(format!("{file}:{}", at + 1));
            }
        }
    }
    None
}

/// The configs of a repository without a list: all files that look like one, by name. `None` if there are none.
pub(super) fn alone(repository: &Repository) -> Option<(Vec<String>, String)> {
    let configs = repository.files_with(Mark::Config).filter(|path| !path.contains("test"));
    let files: Vec<String> = configs.cloned().collect();
    (!files.is_empty()).then(|| (files, "all files that look like a config, by name: check their order".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_are_told_by_their_fields() {
        assert!(is_config("tools:\n  bwa:\n    cores: 4\n") && is_config("---\ndestinations:\n  a:\n    runner: x\n"));
        assert!(!is_config("tools:\n- name: bwa\n  owner: devteam\n") && !is_config("- hosts: a\n  roles:\n"));
    }

    #[test]
    fn folders_are_compared_from_the_end() {
        assert_eq!(shared("files/x/tpv/a.yml", "{{ dir }}/tpv/a.yml"), 1);
        assert_eq!(shared("a.yml", "b/a.yml"), 0);
    }
}
