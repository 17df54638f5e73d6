//! `[server]` of `tpvc.toml`: files that describe a Galaxy server (tools, `job_conf`, users, roles, history), and reading them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::job_conf_parts;
use tpv_analysis::job_file::JobFile;
use tpv_analysis::lint::server::{JobConf, Repository, Server};
use tpv_config::unreadable;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Problem, Severity};
use tpv_text::source::{Limits, SourceError, SourceId, SourceMap, Span};
use tpv_yaml::load::rest::load_rest;
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

/// The deepest nesting at which tools and runners are looked for.
const DEEPEST: usize = 8;

/// The most tools that are counted: a server has some thousands.
const MOST_TOOLS: usize = 100_000;

/// The files. All are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerFiles {
    /// The installed tools: `/api/tools` as JSON, `shed_tool_conf.xml`, `integrated_tool_panel.xml`, lists of ephemeris.
    pub tools: Vec<PathBuf>,
    /// `job_conf.yml` or `job_conf.xml`.
    pub job_conf: Option<PathBuf>,
    /// The users: `/api/users` as JSON, or lists of addresses and names.
    pub users: Vec<PathBuf>,
    /// The roles and groups: `/api/roles` and `/api/groups` as JSON, or lists of names.
    pub roles: Vec<PathBuf>,
    /// The history: job files, as `tpvc export-jobs` writes them.
    pub history: Vec<PathBuf>,
}

impl ServerFiles {
    /// The same files with their paths changed.
    pub fn map(self, change: impl Fn(PathBuf) -> PathBuf) -> Self {
        let all = |paths: Vec<PathBuf>| paths.into_iter().map(&change).collect();
        Self {
            tools: all(self.tools),
            job_conf: self.job_conf.map(&change),
            users: all(self.users),
            roles: all(self.roles),
            history: all(self.history),
        }
    }

    /// Reads the files; `sources` fills in those that are templates. A file is a problem if it cannot be read, is not YAML,
    /// JSON or XML, or lists nothing of its kind. Its content then counts as unknown.
    pub fn read(&self, sources: &SourceMap) -> (Server, Vec<Problem>) {
        let mut server = Server::default();
        let mut problems = Vec::new();
        for path in &self.tools {
            problems.extend(read_tools(path, sources, &mut server).err());
        }
        for path in &self.users {
            let read = read_names(path, sources, &["users"], &["email", "username"], &mut server.users);
            problems.extend(read.err());
        }
        for path in &self.roles {
            let read = read_names(path, sources, &["roles", "groups"], &["name"], &mut server.roles);
            problems.extend(read.err());
        }
        for path in &self.history {
            problems.extend(read_history(path, &mut server.used).err());
        }
        if let Some(path) = &self.job_conf {
            let (found, problem) = read_job_conf(path, sources);
            server.job_conf = found;
            problems.extend(problem);
        }
        server.unread = problems.len();
        (server, problems)
    }
}

fn read_tools(path: &Path, sources: &SourceMap, server: &mut Server) -> Result<(), Problem> {
    let mut sources = sources.clone();
    let (id, content) = content(path, &mut sources)?;
    // A set of its own: another file may list the same tools.
    let mut here = Server::default();
    match &content {
        Content::Yaml(root) => tools(root, &mut here, DEEPEST),
        Content::Xml(names) => names.tools.iter().for_each(|tool| here.add_tool(tool)),
    }
    if here.tools.is_empty() && here.repositories.is_empty() && !content.is_empty(&["tools"]) {
        return Err(none_in_file(
            "tools",
            "name the JSON of `/api/tools`, `shed_tool_conf.xml`, `integrated_tool_panel.xml`, or a list with `name` and `owner` of each tool",
            id,
            sources,
        ));
    }
    server.tools.extend(here.tools);
    server.repositories.extend(here.repositories);
    Ok(())
}

/// Reads the names in a file. `lists` are the usual keys of its lists, the first of them the one that messages name; `keys`
/// are those of a name in an entry.
fn read_names(
    path: &Path,
    sources: &SourceMap,
    lists: &[&str],
    keys: &[&str],
    found: &mut BTreeSet<String>,
) -> Result<(), Problem> {
    let mut sources = sources.clone();
    let (id, content) = content(path, &mut sources)?;
    let mut here = BTreeSet::new();
    if let Content::Yaml(root) = &content {
        names(root, lists, keys, &mut here, DEEPEST);
    }
    if here.is_empty() && !content.is_empty(lists) {
        let of = lists.first().copied().unwrap_or_default();
        let help = format!("name the JSON of `/api/{of}`, or a list of names, one a line after `- `");
        return Err(none_in_file(of, &help, id, sources));
    }
    found.extend(here);
    Ok(())
}

/// Reads a `job_conf`. A broken file gives a problem, the part that can be read, and its whole text.
fn read_job_conf(path: &Path, sources: &SourceMap) -> (Option<JobConf>, Option<Problem>) {
    let mut sources = sources.clone();
    let (id, content, problem) = match content(path, &mut sources) {
        Ok((id, content)) => (id, content, None),
        Err(Unread { problem, part: None }) => return (None, Some(*problem)),
        Err(Unread { problem, part: Some((id, content)) }) => (id, content, Some(*problem)),
    };
    let mut found = JobConf::default();
    match content {
        Content::Yaml(root) => job_conf(&root, &mut found, DEEPEST),
        Content::Xml(names) => found = *names.job_conf,
    }
    found.source = sources.get(id).cloned();
    if problem.is_some() {
        found.broken = sources.get(id).map(|source| source.text.to_string());
    } else if found.runners.is_empty() {
        let help = "name the `job_conf.yml` or `job_conf.xml` of the server, which has `runners` or `plugins`";
        return (None, Some(none_in_file("runners", help, id, sources)));
    }
    (Some(found), problem)
}

/// The part of a job file's line that is read here.
#[derive(Deserialize)]
struct Line {
    tool: Tool,
}

#[derive(Deserialize)]
struct Tool {
    id: String,
}

/// Counts the jobs of each tool in a job file.
fn read_history(path: &Path, used: &mut BTreeMap<String, u64>) -> Result<(), Problem> {
    let wrong = |message: String, help: String| {
        let mut sources = SourceMap::new();
        let at = Span::new(sources.add(&path.to_string_lossy(), ""), 0, 0);
        Problem::new(Diagnostic::error(message).at(at, "").help(help), sources)
    };
    let (jobs, _) = JobFile::open(path).map_err(|error| wrong(error.message, error.help))?;
    let fault = jobs.fault();
    let mut found = false;
    for line in BufReader::new(jobs).split(b'\n') {
        let Ok(line) = line else { break };
        let Ok(line) = serde_json::from_slice::<Line>(&line) else { continue };
        found = true;
        if let Some(jobs) = used.get_mut(&line.tool.id) {
            *jobs += 1;
        } else if used.len() < MOST_TOOLS {
            used.insert(line.tool.id, 1);
        }
    }
    match fault.get() {
        Some(error) => Err(wrong(error.message, error.help)),
        None if !found => Err(wrong(
            format!("no jobs are in `{}`, which `[server]` in tpvc.toml names", path.display()),
            "name a job file: `tpvc export-jobs` writes one from Galaxy's database".to_owned(),
        )),
        None => Ok(()),
    }
}

/// The content of a file.
enum Content {
    Yaml(ConfigValue),
    Xml(Names),
}

impl Default for Content {
    fn default() -> Self {
        Self::Xml(Names::default())
    }
}

impl Content {
    /// Returns `true` if the file lists no entries: it is blank, an empty list or mapping, or has one under a key of `lists`.
    /// Galaxy's API answers `[]` if there are none.
    fn is_empty(&self, lists: &[&str]) -> bool {
        match self {
            Self::Yaml(root) => {
                let listed = |key: &&str| root.as_map().and_then(|map| map.get(key));
                is_empty(root) || lists.iter().filter_map(listed).any(is_empty)
            }
            Self::Xml(names) => names.is_empty_toolbox,
        }
    }
}

fn is_empty(value: &ConfigValue) -> bool {
    match &value.kind {
        ValueKind::Null => true,
        ValueKind::List(items) => items.is_empty(),
        ValueKind::Map(map) => map.entries.is_empty(),
        _ => false,
    }
}

/// The ids in an XML file.
#[derive(Default)]
struct Names {
    tools: Vec<String>,
    /// `true` for a `<toolbox>` without elements, such as the `shed_tool_conf.xml` of a new server.
    is_empty_toolbox: bool,
    job_conf: Box<JobConf>,
}

/// A file that cannot be read whole.
struct Unread {
    problem: Box<Problem>,
    /// The part that can be read, unless there is no text at all.
    part: Option<(SourceId, Content)>,
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        *unread.problem
    }
}

fn content(path: &Path, sources: &mut SourceMap) -> Result<(SourceId, Content), Unread> {
    let name = path.to_string_lossy();
    let id = match sources.load(&name, &Limits::default()) {
        Ok(id) => id,
        Err(SourceError::Template(id, unfilled)) => {
            let diagnostic = unreadable(&name, &SourceError::Template(id, unfilled), sources);
            let part = Some((id, Content::default()));
            return Err(Unread { problem: Problem::new(diagnostic, sources.clone()).into(), part });
        }
        Err(error) => {
            let mut sources = SourceMap::new();
            let at = Span::new(sources.add(&name, ""), 0, 0);
            let message = format!("`{name}`, which `[server]` in tpvc.toml names, cannot be read: {error}");
            let problem = Problem::new(Diagnostic::error(message).at(at, "").help(error.help()), sources);
            return Err(Unread { problem: problem.into(), part: None });
        }
    };
    let text = sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
    if text.trim_start().starts_with('<') {
        return match xml(&text, id) {
            Ok(names) => Ok((id, Content::Xml(names))),
            Err(diagnostic) => {
                let part = Some((id, Content::default()));
                Err(Unread { problem: Problem::new(*diagnostic, sources.clone()).into(), part })
            }
        };
    }
    let mut problems = Diagnostics::new();
    let content = load_rest(sources, id, &mut problems).document.map(|document| Content::Yaml(document.root));
    match problems.iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => {
            let problem = Problem::new(problem.clone(), sources.clone());
            Err(Unread { problem: problem.into(), part: Some((id, content.unwrap_or_default())) })
        }
        None => match content {
            Some(content) => Ok((id, content)),
            None => {
                let problem = none_in_file("settings", "correct the file", id, sources.clone()).into();
                Err(Unread { problem, part: None })
            }
        },
    }
}

/// The problem that no entries of a kind are in a file.
fn none_in_file(of: &str, help: &str, id: SourceId, sources: SourceMap) -> Problem {
    let diagnostic = Diagnostic::error(format!("no {of} are in this file")).at(Span::new(id, 0, 0), "").help(help);
    Problem::new(diagnostic, sources)
}

/// The ids of tools in XML, `<tool guid="...">` or `<tool id="...">`, and the names of a `job_conf.xml`.
fn xml(text: &str, id: SourceId) -> Result<Names, Box<Diagnostic>> {
    let document = roxmltree::Document::parse(text).map_err(|error| {
        let pos = error.pos();
        let mut lines = text.split_inclusive('\n');
        let start: usize = lines.by_ref().take((pos.row as usize).saturating_sub(1)).map(str::len).sum();
        // The column counts characters.
        let line = lines.next().unwrap_or_default();
        let at = start + line.chars().take((pos.col as usize).saturating_sub(1)).map(char::len_utf8).sum::<usize>();
        let diagnostic = Diagnostic::error(format!("the XML is wrong: {error}"));
        Box::new(diagnostic.at(Span::new(id, at, at), "").help("correct the file"))
    })?;
    let root = document.root_element();
    let is_empty_toolbox = root.has_tag_name("toolbox") && !root.children().any(|node| node.is_element());
    let mut names = Names { is_empty_toolbox, ..Names::default() };
    let job_conf = &mut names.job_conf;
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let of = |name: &str| node.attribute(name).map(str::to_owned);
        match node.tag_name().name() {
            "tool" => {
                names.tools.extend(of("guid").or_else(|| of("id")));
                job_conf_parts::add_tool_element(&node, job_conf);
            }
            "destinations" | "execution" => {
                let default = node.attribute_node("default");
                job_conf.default = default.map(|name| (name.value().to_owned(), name.range_value()));
            }
            "plugin" => job_conf.runners.extend(of("id").map(|id| (id, of("load").unwrap_or_default()))),
            "destination" | "environment" => {
                job_conf.environments.extend(of("id"));
                job_conf_parts::add_element(&node, job_conf);
            }
            "limit" => job_conf_parts::add_limit(&node, job_conf),
            _ => {}
        }
    }
    Ok(names)
}

/// The tools of YAML or JSON: mappings with `name` and `owner`, as ephemeris lists them, and those of Galaxy with an `id`.
fn tools(value: &ConfigValue, server: &mut Server, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match &value.kind {
        ValueKind::List(items) => items.iter().for_each(|item| tools(item, server, depth)),
        ValueKind::Map(map) => {
            let text = |key: &str| map.get(key).and_then(ConfigValue::as_str);
            if let (Some(name), Some(owner)) = (text("name"), text("owner")) {
                server.repositories.insert(Repository { owner: owner.to_owned(), name: name.to_owned() });
                return;
            }
            let is_tool = text("model_class").is_some_and(|class| class.ends_with("Tool"));
            if let Some(id) = text("id").filter(|id| is_tool || id.contains("/repos/")) {
                server.add_tool(id);
            }
            map.entries.iter().for_each(|entry| tools(&entry.value, server, depth));
        }
        _ => {}
    }
}

/// The runners, environments, tools and limits of a `job_conf.yml`: the keys of `runners` and `environments`, or, as in Ansible's
/// Galaxy role, the ids in the lists `plugins` and `destinations`.
fn job_conf(value: &ConfigValue, found: &mut JobConf, depth: usize) {
    let (Some(depth), Some(map)) = (depth.checked_sub(1), value.as_map()) else { return };
    for entry in &map.entries {
        let key = entry.key.as_str();
        match key {
            Some("runners" | "plugins") => {
                let class = |fields: &ConfigValue| Some(fields.as_map()?.get("load")?.as_str()?.to_owned());
                let runners =
                    named(&entry.value).map(|(id, fields)| (id.as_str().to_owned(), class(fields).unwrap_or_default()));
                found.runners.extend(runners);
            }
            Some("environments" | "destinations") => {
                for (id, fields) in named(&entry.value) {
                    found.environments.insert(id.as_str().to_owned());
                    job_conf_parts::add_environment(id.as_str(), id.span.range(), fields, found);
                }
                let default = ["default", "default_destination"].iter().find_map(|key| map.get(key)?.as_text());
                found.default = default.map(|name| (name.as_str().to_owned(), name.span.range()));
            }
            Some("limits") => job_conf_parts::add_limits(&entry.value, found),
            Some("tools") => job_conf_parts::add_tools(&entry.value, found),
            _ => job_conf(&entry.value, found, depth),
        }
    }
}

/// The entries of a mapping, or the items of a list by their `id`.
fn named(value: &ConfigValue) -> impl Iterator<Item = (&Text, &ConfigValue)> {
    let (map, list) = match &value.kind {
        ValueKind::Map(map) => (map.entries.as_slice(), &[][..]),
        ValueKind::List(items) => (&[][..], items.as_slice()),
        _ => (&[][..], &[][..]),
    };
    let of_map = map.iter().filter_map(|entry| Some((entry.key.as_text()?, &entry.value)));
    of_map.chain(list.iter().filter_map(|item| Some((item.as_map()?.get("id")?.as_text()?, item))))
}

/// Adds the names in a value: strings of lists, and the values of `keys` in entries. Other fields of an entry, such as the
/// `tags_used` of a user, have no names.
fn names(value: &ConfigValue, lists: &[&str], keys: &[&str], found: &mut BTreeSet<String>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match &value.kind {
        ValueKind::List(items) => items.iter().for_each(|item| match &item.kind {
            ValueKind::Map(_) => drop(entry_names(item, lists, keys, found, depth)),
            ValueKind::List(_) => names(item, lists, keys, found, depth),
            _ => found.extend(item.as_str().map(str::to_owned)),
        }),
        ValueKind::Map(map) => {
            let is_entry = entry_names(value, lists, keys, found, depth);
            if !is_entry {
                map.entries.iter().for_each(|entry| names(&entry.value, lists, keys, found, depth));
            }
        }
        _ => {}
    }
}

/// Adds the names in a mapping under `keys`, and those under `lists`. Returns `false` if it has none of these.
fn entry_names(value: &ConfigValue, lists: &[&str], keys: &[&str], found: &mut BTreeSet<String>, depth: usize) -> bool {
    let Some(map) = value.as_map() else { return false };
    let own: Vec<&str> = keys.iter().filter_map(|key| map.get(key)?.as_str()).collect();
    let below: Vec<&ConfigValue> = lists.iter().filter_map(|key| map.get(key)).collect();
    found.extend(own.iter().map(|name| (*name).to_owned()));
    below.iter().for_each(|list| names(list, lists, keys, found, depth));
    !own.is_empty() || !below.is_empty()
}
