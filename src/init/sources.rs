//! The files that Ansible puts on servers: mappings with `src` and `dest`, in variables of roles and in tasks.

use tpv_yaml::value::Map;

use super::scan::{Mark, Repository};

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

/// All of a repository, in the order of its files.
pub(super) fn of(repository: &Repository) -> Vec<Source> {
    let mut found = Vec::new();
    for file in repository.files_with(Mark::Sources) {
        let Some(yaml) = repository.yaml(file) else { continue };
        yaml.maps(&mut |key, map: &Map| {
            let text = |name: &str| map.get(name).and_then(|value| value.as_str()).map(str::to_owned);
            let Some(entry) = map.entry("src") else { return };
            let Some(src) = text("src") else { return };
            found.push(Source {
                src,
                dest: text("dest").unwrap_or_default(),
                is_template: key.contains("template"),
                file: file.clone(),
                line: yaml.line(&entry.key),
            });
        });
    }
    found
}
