//! The tools and runners of a site's Galaxy server, as its own files list them.

use std::collections::BTreeSet;

/// The content of the files of `[server]` in `tpvc.toml`. Without a file nothing is reported about what it would list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The installed repositories: host of the tool shed or an empty text, owner, name.
    pub repositories: BTreeSet<Repository>,
    /// The ids of installed tools. Lists of repositories do not have them.
    pub tools: BTreeSet<String>,
    /// The ids of the runner plugins of `job_conf`. `None` if the file is not given.
    pub runners: Option<BTreeSet<String>>,
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
