//! The reasons that no config was found: the lists, and the files that were skipped.

use std::collections::BTreeSet;

use tpv_text::source::{is_url, redacted};

use super::environment::{Environment, Guess};
use super::lists::List;
use super::marks::Mark;
use super::scan::Repository;
use super::yaml::Yaml;

/// The reasons that a repository has no config of TPV.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The message.
    pub message: String,
    /// The lists that were found and the files that were skipped, each with the reason.
    pub skipped: Vec<String>,
    known: BTreeSet<String>,
}

/// The rules among values of Helm that are part of something else, such as a task of Ansible, each with the reason that they are not read.
fn in_line(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for file in repository.names().filter(|file| !repository.has(file, Mark::Values)) {
        if found.len() >= MOST {
            break;
        }
        let text = repository.text(file).filter(|text| text.contains("rules:") && text.contains("jobs:"));
        let Some(yaml) = text.and_then(|text| Yaml::of(file, &text)) else { continue };
        yaml.maps(&mut |key, map| {
            for entry in map.entries.iter().filter(|_| key == "rules") {
                let name = entry.key.as_str().filter(|name| [".yml", ".yaml"].iter().any(|end| name.ends_with(end)));
                let Some(name) = name.filter(|_| found.len() < MOST) else { continue };
                let line = yaml.line(&entry.key);
                found.push(format!(
                    "{file}:{line}: `{name}` is among values of Helm that are a part of this file, which are not read: move them to a file of values (`values_files`, `--values`)"
                ));
            }
        });
    }
    found
}

/// The most encrypted files and values of Helm that are named.
const MOST: usize = 8;

impl Refusal {
    /// Notes a list that names no config of the repository, by the environment that it would be.
    pub(super) fn skip(&mut self, list: &List, environment: &Environment) {
        let mut note = |text: String| {
            let text = format!("{}: {text}", list.place());
            if self.known.insert(text.clone()) {
                self.skipped.push(text);
            }
        };
        if list.inline > 0 {
            note(
                "its configs are in the list itself: `tpvc dump --job-conf` reads those of a job configuration"
                    .to_owned(),
            );
        }
        for Guess { value, from } in &environment.absent {
            note(format!("`{value}`: {from}"));
        }
        for file in &environment.files {
            let why = if is_url(file) {
                "it names no file beside this URL"
            } else {
                "it has no section of TPV with entities"
            };
            note(format!("`{}`: {why}", redacted(file)));
        }
    }

    /// The refusal of a repository.
    pub(super) fn of(mut self, repository: &Repository) -> Self {
        self.message = if self.skipped.is_empty() {
            "no `tpv_config_files` and no config of TPV was found".to_owned()
        } else {
            "`tpv_config_files` was found, but none of its configs".to_owned()
        };
        self.skipped.extend(in_line(repository));
        let encrypted: Vec<&String> =
            repository.files_with(Mark::Vault).filter(|file| file.contains("vars/")).collect();
        let more = encrypted.len().saturating_sub(MOST);
        self.skipped.extend(encrypted.iter().take(MOST).map(|file| format!("{file}: it is encrypted")));
        if more > 0 {
            self.skipped.push(format!("{more} more encrypted files"));
        }
        self
    }
}
