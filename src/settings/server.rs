//! `[server]` of `tpvc.toml`: the files of a Galaxy server that say what it has, and reading them.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use tpv_analysis::lint::server::{Repository, Server};
use tpv_compiler::diagnostic::{Diagnostic, Diagnostics, Problem};
use tpv_compiler::source::{Limits, SourceId, SourceMap, Span};
use tpv_compiler::yaml::load;
use tpv_compiler::yaml::value::{ConfigValue, ValueKind};

/// The deepest nesting at which tools and runners are looked for.
const DEEPEST: usize = 8;

/// The files. All are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerFiles {
    /// The installed tools: `/api/tools` as JSON, `shed_tool_conf.xml`, `integrated_tool_panel.xml`, lists of ephemeris.
    pub tools: Vec<PathBuf>,
    /// `job_conf.yml` or `job_conf.xml`.
    pub job_conf: Option<PathBuf>,
}

impl ServerFiles {
    /// The same files with their paths changed.
    pub fn map(self, change: impl Fn(PathBuf) -> PathBuf) -> Self {
        Self { tools: self.tools.into_iter().map(&change).collect(), job_conf: self.job_conf.map(&change) }
    }

    /// Reads the files; `sources` fills in those that are templates.
    ///
    /// # Errors
    /// A file cannot be read, is no YAML, JSON or XML, or has nothing of what it is named for.
    pub fn read(&self, sources: &SourceMap) -> Result<Server, Problem> {
        let mut server = Server::default();
        for path in &self.tools {
            let mut sources = sources.clone();
            let (id, content) = content(path, &mut sources)?;
            let before = (server.tools.len(), server.repositories.len());
            match &content {
                Content::Yaml(root) => tools(root, &mut server, DEEPEST),
                Content::Xml(names) => names.tools.iter().for_each(|tool| server.add_tool(tool)),
            }
            if before == (server.tools.len(), server.repositories.len()) && !content.is_empty() {
                return Err(nothing(
                    "tools",
                    "name the JSON of `/api/tools`, `shed_tool_conf.xml`, `integrated_tool_panel.xml`, or a list with `name` and `owner` of each tool",
                    id,
                    sources,
                ));
            }
        }
        if let Some(path) = &self.job_conf {
            let mut sources = sources.clone();
            let (id, content) = content(path, &mut sources)?;
            let mut found = Vec::new();
            match &content {
                Content::Yaml(root) => runners(root, &mut found, DEEPEST),
                Content::Xml(names) => found.clone_from(&names.plugins),
            }
            if found.is_empty() {
                return Err(nothing(
                    "runners",
                    "name the `job_conf.yml` or `job_conf.xml` of the server, which has `runners` or `plugins`",
                    id,
                    sources,
                ));
            }
            server.runners = Some(found.into_iter().collect());
        }
        Ok(server)
    }
}

/// The content of a file.
enum Content {
    Yaml(ConfigValue),
    Xml(Names),
}

impl Content {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Yaml(ConfigValue { kind: ValueKind::Null, .. }))
    }
}

/// The ids in an XML file.
#[derive(Default)]
struct Names {
    tools: Vec<String>,
    plugins: Vec<String>,
}

fn content(path: &Path, sources: &mut SourceMap) -> Result<(SourceId, Content), Problem> {
    let name = path.to_string_lossy();
    let id = match sources.load(&name, &Limits::default()) {
        Ok(id) => id,
        Err(error) => {
            let mut sources = SourceMap::new();
            let at = Span::new(sources.add(&name, ""), 0, 0);
            let message = format!("`{name}`, which `[server]` in tpvc.toml names, cannot be read: {error}");
            return Err(Problem::new(Diagnostic::error(message).at(at, "").help(error.help()), sources));
        }
    };
    let text = sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
    if text.trim_start().starts_with('<') {
        let names = xml(&text, id).map_err(|diagnostic| Problem::new(*diagnostic, sources.clone()))?;
        return Ok((id, Content::Xml(names)));
    }
    let mut problems = Diagnostics::new();
    let document = load::load(sources, id, &mut problems);
    match (document, problems.iter().next().filter(|_| problems.has_errors())) {
        (_, Some(problem)) => Err(Problem::new(problem.clone(), sources.clone())),
        (Some(document), None) => Ok((id, Content::Yaml(document.root))),
        (None, None) => Err(nothing("settings", "correct the file", id, sources.clone())),
    }
}

fn nothing(of: &str, help: &str, id: SourceId, sources: SourceMap) -> Problem {
    let diagnostic = Diagnostic::error(format!("no {of} are in this file")).at(Span::new(id, 0, 0), "").help(help);
    Problem::new(diagnostic, sources)
}

/// The ids of tools and plugins in XML: `<tool guid="...">`, `<tool id="...">`, `<plugin id="...">`.
fn xml(text: &str, id: SourceId) -> Result<Names, Box<Diagnostic>> {
    let document = roxmltree::Document::parse(text).map_err(|error| {
        let (pos, mut at) = (error.pos(), 0);
        for line in text.split_inclusive('\n').take((pos.row as usize).saturating_sub(1)) {
            at += line.len();
        }
        at = (at + (pos.col as usize).saturating_sub(1)).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let diagnostic = Diagnostic::error(format!("the XML is wrong: {error}"));
        Box::new(diagnostic.at(Span::new(id, at, at), "").help("correct the file"))
    })?;
    let mut names = Names::default();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let of = |name: &str| node.attribute(name).map(str::to_owned);
        match node.tag_name().name() {
            "tool" => names.tools.extend(of("guid").or_else(|| of("id"))),
            "plugin" => names.plugins.extend(of("id")),
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

/// The runners of a `job_conf.yml`: the keys of `runners`, or the ids of a list `plugins`, as the role of Ansible has it.
fn runners(value: &ConfigValue, found: &mut Vec<String>, depth: usize) {
    let (Some(depth), Some(map)) = (depth.checked_sub(1), value.as_map()) else { return };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value.kind) {
            (Some("runners"), ValueKind::Map(runners)) => {
                found.extend(runners.entries.iter().filter_map(|entry| Some(entry.key.as_str()?.to_owned())));
            }
            (Some("plugins"), ValueKind::List(plugins)) => {
                let ids = plugins.iter().filter_map(|plugin| plugin.as_map()?.get("id")?.as_str());
                found.extend(ids.map(str::to_owned));
            }
            _ => runners(&entry.value, found, depth),
        }
    }
}
