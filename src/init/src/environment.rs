//! An environment: what is known of a server.

use std::collections::BTreeMap;

use serde_json::Value;

use tpv_config::template::Site;
use tpv_model::Version;

use super::scan::Repository;

/// A guess, and the place that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess<T> {
    /// The value.
    pub value: T,
    /// `file:line`, or in words.
    pub from: String,
}

/// The settings of a Galaxy server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The name.
    pub name: String,
    /// The place of the list of config files: `file:line`.
    pub from: String,
    /// The key of the mapping with the list: in a job configuration, the id of the destination.
    pub(super) holder: String,
    /// The config files and URLs, relative to the repository.
    pub files: Vec<String>,
    /// The config files of the list that the repository does not have, each with the reason.
    pub absent: Vec<Guess<String>>,
    /// The version of TPV. `None` if the repository says nothing of it.
    pub tpv: Option<Chosen>,
    /// The words for a branch or commit that the repository names in the place of a release, if nothing says which version of TPV there is.
    pub(super) unreleased: Option<String>,
    /// The reason that this is the default, if there are others.
    pub is_default: Option<String>,
    /// The files that are templates, though their names do not end in `.j2`.
    pub templates: Vec<Guess<String>>,
    /// The files with variables.
    pub vars: Vec<Guess<String>>,
    /// The files with variables that are encrypted, or not there.
    pub left_out: Vec<Guess<String>>,
    /// Variables that tasks set, and those of the inventory that the templates use.
    pub variables: Vec<Guess<(String, Value)>>,
    /// The host that the variables are of, with its inventory.
    pub host: Option<Guess<String>>,
    /// The servers.
    pub(super) server: Server,
    /// The variables of the inventory.
    pub(super) inventory: Inherited,
    /// The variables without a value.
    pub placeholders: Vec<Guess<String>>,
    /// `job_conf`
    pub job_conf: Option<String>,
    /// The number of configs in the list itself, which are not among the files.
    pub inline: usize,
    /// Faults of templates, in words.
    pub faults: Vec<String>,
}

impl Environment {
    /// The hosts, if several have the same configs.
    pub fn hosts(&self) -> &[String] {
        &self.server.hosts
    }

    /// Returns `true` if no inventory has the group or host.
    pub fn is_left(&self) -> bool {
        self.server.is_left
    }
}

/// The version of TPV of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The version whose answers tpvc gives.
    pub version: Version,
    /// Its number in the settings: that of the repository, or the name of the nearest.
    pub number: String,
    /// The words of the repository: `TPV 3.1.3`, with the place.
    pub said: String,
    /// Places that say something else, and a version that is not spoken.
    pub notes: Vec<String>,
    /// `true` if the repository does not name TPV, only Galaxy's release.
    pub(super) is_of_galaxy: bool,
}

/// The servers of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Server {
    /// The group, or the pattern of the play.
    pub(super) group: String,
    /// The inventory with the hosts. Empty if there is none.
    pub(super) inventory: String,
    /// The hosts.
    pub(super) hosts: Vec<String>,
    /// The number of further hosts of the group with the same configs.
    pub(super) more: usize,
    /// The groups of the first host.
    pub(super) groups: Vec<String>,
    /// `true` if there are inventories, and none has the group.
    pub(super) is_left: bool,
    /// The folder of the playbook.
    pub(super) folder: String,
}

/// The variables that stand in an inventory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inherited {
    /// Those of the host's groups, which files replace.
    pub(super) of_groups: serde_json::Map<String, Value>,
    /// Those of the host, which come after `group_vars`.
    pub(super) of_host: serde_json::Map<String, Value>,
}

/// The variables and files of the templates of an environment, of which any may be without a value.
pub(super) fn site(repository: &Repository, environment: &Environment) -> Site {
    Site {
        vars: environment.vars.iter().map(|file| repository.root.join(&file.value)).collect(),
        values: json(&environment.variables).map(|text| ("tpvc.toml".to_owned(), text)),
        placeholders: vec!["*".to_owned()],
        templates: Some(environment.templates.iter().map(|file| repository.path(&file.value)).collect()),
        root: Some(repository.root.clone()),
        ..Site::default()
    }
}

/// The variables that tasks set, as JSON. `None` if there are none.
pub(super) fn json(variables: &[Guess<(String, Value)>]) -> Option<String> {
    let all: BTreeMap<&String, &Value> = variables.iter().map(|guess| (&guess.value.0, &guess.value.1)).collect();
    (!all.is_empty()).then(|| serde_json::to_string(&all).unwrap_or_default())
}
