//! The tools, runners, environments, users and roles of a site's Galaxy server, as its own files list them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tpv_config::template::PLACEHOLDER;
use tpv_text::source::Source;

/// The content of the files of `[server]` in `tpvc.toml`. Without a file nothing is reported about what it would list.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// The installed repositories: host of the tool shed or an empty text, owner, name.
    pub repositories: BTreeSet<Repository>,
    /// The ids of installed tools. Lists of repositories do not have them.
    pub tools: BTreeSet<String>,
    /// The content of `job_conf`. `None` if the file is not given.
    pub job_conf: Option<JobConf>,
    /// The addresses and names of the users.
    pub users: BTreeSet<String>,
    /// The names of the roles and groups.
    pub roles: BTreeSet<String>,
    /// The ids of the tools of the job history, with the number of their jobs.
    pub used: BTreeMap<String, u64>,
    /// The number of files that could not be read, which the caller has reported.
    pub unread: usize,
}

/// The names in a `job_conf`.
#[derive(Clone, Debug, Default)]
pub struct JobConf {
    /// The ids of the runner plugins, with the classes that they load; empty for a class that is not there.
    pub runners: BTreeMap<String, String>,
    /// The ids of the environments. Empty if they are not known.
    pub environments: BTreeSet<String>,
    /// The text of a file that is broken: whatever it names may be a runner or an environment.
    pub broken: Option<String>,
    /// The tags of the environments.
    pub tags: BTreeSet<String>,
    /// The functions that dynamic environments ask for a destination; empty for one that is not named.
    pub asked: Vec<String>,
    /// The environments that ask for a destination, with `true` for those that ask TPV.
    pub dynamic: BTreeMap<String, bool>,
    /// The environment of tools without an entry, with its place in the file.
    pub default: Option<(String, Range<usize>)>,
    /// The ids of tools with an entry, in small letters, with their environment. Entries for some jobs of a tool are not here.
    pub tools: Vec<(String, String)>,
    /// `true` if some jobs of a tool, or a whole class of tools, have an entry.
    pub has_other_tools: bool,
    /// The environments with settings of their own.
    pub settings: Vec<EnvironmentSettings>,
    /// The environments that failed jobs go on to.
    pub resubmits_to: BTreeSet<String>,
    /// The limits.
    pub limits: Vec<JobLimit>,
    /// The file.
    pub source: Option<Source>,
}

/// The settings of an environment besides its runner and its tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentSettings {
    /// The id of the environment.
    pub id: String,
    /// The place of the id in the file.
    pub at: Range<usize>,
    /// The names of the settings, with their values as text.
    pub values: Vec<(String, String)>,
}

/// A limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobLimit {
    /// The type, as Galaxy names it.
    pub kind: String,
    /// The place of the type in the file.
    pub kind_at: Range<usize>,
    /// The id or tag that it is for, which Galaxy keeps in one mapping, and its place.
    pub name: Option<(String, Range<usize>)>,
    /// The value with its place, if it has one.
    pub value: Option<(String, Range<usize>)>,
}

impl JobConf {
    /// Returns `true` if there is a runner plugin of this id, or one whose name is not known may be it.
    pub fn has_runner(&self, id: &str) -> bool {
        self.may_have(id) || self.runners.contains_key(id) || may_be_of(self.runners.keys(), id)
    }

    /// Returns `true` if there is an environment of this id, or one whose name is not known may be it.
    pub fn has_environment(&self, id: &str) -> bool {
        let known = &self.environments;
        known.is_empty() || self.may_have(id) || known.contains(id) || may_be_of(known.iter(), id)
    }

    /// Returns `true` if the file is broken and has the name somewhere.
    fn may_have(&self, id: &str) -> bool {
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        self.broken.as_ref().is_some_and(|text| text.split(|c| !is_of_name(c)).any(|word| word == id))
    }
}

/// Returns `true` for a name of which a part is not known: code or the missing value of a variable gives it.
pub(super) fn is_open(name: &str) -> bool {
    name.contains('{') || name.contains(PLACEHOLDER)
}

/// Returns `true` if one of the names is not known as a whole, and may be this: it begins as this does.
fn may_be_of<'a>(names: impl IntoIterator<Item = &'a String>, id: &str) -> bool {
    let beginnings = names.into_iter().filter_map(|name| Some(name.split_once(PLACEHOLDER)?.0));
    is_open(id) || beginnings.into_iter().any(|beginning| id.starts_with(beginning))
}

/// A repository of a tool shed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repository {
    /// The owner.
    pub owner: String,
    /// The name.
    pub name: String,
}

impl Server {
    /// Returns `true` unless a list of installed tools lacks the tool.
    pub fn may_have(&self, id: &str) -> bool {
        let mut parts = id.split('/').skip(2);
        match (parts.next(), parts.next()) {
            (Some(owner), Some(name)) if !self.repositories.is_empty() => {
                self.repositories.contains(&Repository { owner: owner.to_owned(), name: name.to_owned() })
            }
            (None, _) if self.tools.iter().any(|tool| !tool.contains('/')) => self.tools.contains(id),
            _ => true,
        }
    }

    /// Adds a tool's id, with the repository that it names.
    pub fn add_tool(&mut self, id: &str) {
        let mut parts = id.split('/');
        if let (Some(_), Some("repos"), Some(owner), Some(name), Some(_)) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        {
            self.repositories.insert(Repository { owner: owner.to_owned(), name: name.to_owned() });
        }
        self.tools.insert(id.to_owned());
    }
}
