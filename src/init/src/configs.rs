//! The files of a repository that a list of config files means: the list has the paths on the server, where Ansible puts them.

use std::collections::{BTreeMap, BTreeSet};

use tpv_config::job_conf::of_helm;
use tpv_config::template::PLACEHOLDER;
use tpv_text::source::is_url;

use super::environment::Guess;
use super::folders::{folder, plain_name, shared};
use super::lists::List;
use super::marks::Mark;
use super::paths::{Paths, Put};
use super::scan::Repository;

/// The files of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The files and URLs, in order.
    pub(super) files: Vec<String>,
    /// The paths of which the repository has no file, each with the reason.
    pub(super) absent: Vec<Guess<String>>,
    /// The files that are templates, though their names do not end in `.j2`.
    pub(super) templates: Vec<Guess<String>>,
    /// The repository has a file.
    pub(super) has_files: bool,
    /// Values of Helm that have the rules of the list, too, each with the reason that they are left out.
    pub(super) left_out: Vec<Guess<String>>,
}

/// The files that a list names on a server.
pub(super) fn of(list: &List, repository: &Repository, server: &Paths<'_>) -> Found {
    let candidates = |item: &str| -> Vec<&String> {
        let plain = plain_name(item);
        // A file without a section may be a config that is empty, of a folder with others.
        let all: Vec<&String> = repository.all_names().filter(|path| plain_name(path) == plain).collect();
        let configs: Vec<&String> = all.iter().copied().filter(|path| repository.has(path, Mark::Config)).collect();
        if configs.is_empty() { all } else { configs }
    };
    let items: Vec<String> = list.items.iter().map(|item| server.rendered(item)).collect();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items.iter().filter(|item| !is_url(item)) {
        candidates(item).into_iter().for_each(|path| *folders.entry(folder(path)).or_default() += 1);
    }
    let mut found = Found::default();
    for (item, written) in items.iter().zip(&list.items) {
        if is_url(item) {
            found.files.push(item.clone());
            continue;
        }
        let weight = |path: &&String| {
            let count = folders.get(folder(path)).copied().unwrap_or(0);
            let is_config = repository.has(path, Mark::Config);
            (is_config, shared(path, item), count, std::cmp::Reverse(path.len()))
        };
        let own = (list.file == *item).then(|| item.clone());
        let is_own = own.is_some();
        let named = candidates(item);
        let put = if is_own { None } else { server.source(item) };
        // A file of the same name elsewhere may be another one.
        let is_it = |put: &Put<'_>| {
            let is_config = put.path.as_ref().is_some_and(|path| repository.has(path, Mark::Config));
            put.is_exact || is_config || named.is_empty()
        };
        let put = put.filter(is_it);
        let (path, reason) = match (own, &put) {
            (Some(own), _) => (Some(own), String::new()),
            (None, Some(Put { path: Some(path), .. })) => (Some(path.clone()), String::new()),
            (None, Some(put)) => (None, put.reason(repository)),
            (None, None) if named.is_empty() => in_values(item, &list.file, repository, &mut found.left_out),
            (None, None) => (named.into_iter().max_by_key(weight).cloned(), String::new()),
        };
        let Some(path) = path else {
            let value = if item.contains(PLACEHOLDER) { written } else { item };
            found.absent.push(Guess { value: value.clone(), from: reason });
            continue;
        };
        found.has_files |= is_own || repository.has(&path, Mark::Config);
        let from = match put {
            Some(put) => put.source.is_template.then(|| put.source.place()),
            None => server.rendering(&path),
        };
        if let Some(from) = from.filter(|_| !path.ends_with(".j2")) {
            found.templates.push(Guess { value: path.clone(), from });
        }
        // Values of Helm hold several files of rules.
        if !found.files.contains(&path) || !repository.has(&path, Mark::Values) {
            found.files.push(path);
        }
    }
    let mut told = BTreeSet::new();
    found.left_out.retain(|other| !found.files.contains(&other.value) && told.insert(other.value.clone()));
    found
}

/// The values of Galaxy's Helm chart that have the rules of a path, or the reason that there are none. Notes further ones, which Helm may put over them.
fn in_values(
    item: &str,
    list: &str,
    repository: &Repository,
    left_out: &mut Vec<Guess<String>>,
) -> (Option<String>, String) {
    let name = plain_name(item);
    let mut reason = "no file has that name".to_owned();
    let mut chosen = None;
    let others = repository.files_with(Mark::Values).map(String::as_str).filter(|file| *file != list);
    for file in std::iter::once(list).chain(others) {
        let Some(yaml) = repository.yaml(file) else { continue };
        match of_helm(&yaml.root).into_iter().find(|(known, _)| *known == name) {
            Some((_, rules)) if rules.as_map().is_some() || yaml.has_block(rules) => {
                if chosen.is_none() {
                    chosen = Some(file.to_owned());
                } else {
                    let from = format!("it has `{name}`, too: add it to `files` if it is installed with the others");
                    left_out.push(Guess { value: file.to_owned(), from });
                }
            }
            Some((_, rules)) => {
                let line = yaml.line(rules);
                reason = format!(
                    "{file}:{line} has it as a text in quotes or folded, which is not read: write a mapping, or a block that begins with `|`"
                );
            }
            None => {}
        }
    }
    (chosen, reason)
}

/// The configs of a repository without a list: all files that look like one, by name. `None` if there are none.
pub(super) fn alone(repository: &Repository) -> Option<(Vec<String>, String)> {
    let configs = repository.files_with(Mark::Config).filter(|path| !path.contains("test"));
    let files: Vec<String> = configs.cloned().collect();
    (!files.is_empty()).then(|| (files, "all files that look like a config, by name: check their order".to_owned()))
}
