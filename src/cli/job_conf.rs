//! Galaxy's job configuration, which names the configs that TPV loads, and with `tpvc_tpv` the version of TPV whose answers count.

use std::path::{Path, PathBuf};

use tpv_config::job_conf::{DISPATCHER, Dispatchers, Found, of_yaml};
use tpv_config::{ConfigTexts, Input};
use tpv_galaxy::json::Json;
use tpv_model::{Asked, UnknownVersion};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::{Limits, is_url};
use tpv_yaml::value::ValueKind;

use super::common::Common;
use super::error::CliError;
use super::kind::Kind;

/// The job whose dispatcher counts, of a job configuration with several.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// `--dispatcher`: this one.
    pub(super) dispatcher: Option<String>,
    /// The dispatcher that the job's line names; the inner `None` is a static destination.
    pub(super) of_line: Option<Option<String>>,
    /// The id of the job's tool.
    pub(super) tool: Option<String>,
}

impl Wanted {
    /// The dispatcher of a job in its JSON form.
    pub(super) fn of(job: &Json) -> Self {
        let text = |json: &Json| match json {
            Json::Str(text) => Some(text.to_string()),
            _ => None,
        };
        Self {
            dispatcher: None,
            of_line: job.get("dispatcher").map(text),
            tool: job.get("tool").and_then(|tool| tool.get("id")).and_then(text),
        }
    }

    /// The dispatcher that counts, with the reason, for a note. The reason is `None` if there is no choice.
    ///
    /// # Errors
    /// There is no dispatcher of that name, or none at all.
    fn choose<T>(&self, all: &Dispatchers<T>, name: &str) -> Result<(String, Option<String>), CliError> {
        let usual = all.usual().ok_or_else(|| missing(name))?;
        let known = |id: &str| all.found.iter().any(|(known, _)| known == id);
        if let Some(asked) = &self.dispatcher {
            let names: Vec<String> = all.found.iter().map(|(id, _)| format!("`{id}`")).collect();
            return match known(asked) {
                true => Ok((asked.clone(), None)),
                false => Err(CliError::new(
                    format!("`{name}` has no destination `{asked}` that refers to TPV"),
                    format!("it has {}", names.join(", ")),
                )),
            };
        }
        let several = all.found.len() > 1;
        let because = |why: &str| several.then(|| why.to_owned());
        if let Some(Some(id)) = self.of_line.as_ref().map(|id| id.as_deref().filter(|id| known(id))) {
            return Ok((id.to_owned(), because("as the job's line says")));
        }
        let of_tool = self.tool.as_deref().and_then(|tool| all.of_tool(tool));
        match of_tool {
            Some(id) if known(id) => Ok((id.to_owned(), because("by `tools` of the job configuration"))),
            Some(id) => {
                let why = format!(
                    "though `tools` of the job configuration gives the tool to `{id}`, which does not refer to TPV"
                );
                Ok((usual.to_owned(), Some(why)))
            }
            // Without a tool there is no job.
            None => {
                let default = all.default.as_deref().filter(|id| self.tool.is_some() && known(id));
                Ok((default.unwrap_or(usual).to_owned(), because("unless `--dispatcher` names another")))
            }
        }
    }
}

/// A job configuration.
pub(super) struct JobConf {
    /// The text, which inline configs point into, and the version of TPV.
    pub(super) texts: ConfigTexts,
    /// The inputs that TPV is to load.
    pub(super) inputs: Vec<Input>,
}

/// Reads `job_conf.yml`, or `job_conf.xml` where the name says so, as Galaxy does.
///
/// # Errors
/// A file that is not a job configuration; what is wrong with its YAML is printed before.
pub(super) fn read(path: &Path, wanted: &Wanted, common: &Common) -> Result<JobConf, CliError> {
    let name = path.to_string_lossy();
    let ConfigTexts { mut sources, version: mut of_configs } = common.texts()?;
    let id = sources.load(&name, &Limits::default()).map_err(|error| {
        CliError::new(format!("the job configuration `{name}` cannot be read: {error}"), error.help())
    })?;
    let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    let note = |id: &str, why: Option<String>| {
        if let Some(why) = why {
            common.note(&format!("the rules are those of `{id}`, {why}"));
        }
    };
    let (inputs, version) = if name.contains(".xml") {
        let text = sources.get(id).map(|source| source.text.to_string()).unwrap_or_default();
        let all = of_xml(&text, &name)?;
        let (id, why) = wanted.choose(&all, &name)?;
        note(&id, why);
        let found = all.found.into_iter().find(|(known, _)| *known == id).map(|(_, found)| found);
        let (files, version) = found.ok_or_else(|| missing(&name))?;
        (listed(&files, &folder), version)
    } else {
        let mut problems = Diagnostics::new();
        let document = tpv_yaml::load(&sources, id, &mut problems);
        common.show(&problems, &sources);
        let Some(document) = document else {
            return Err(CliError::new(format!("`{name}` is not a job configuration"), "fix the errors above"));
        };
        let all = of_yaml(&document.root).filter(|all| !all.found.is_empty());
        let all = all.ok_or_else(|| match Kind::of(path) {
            Kind::Config => CliError::new(
                format!("`{name}` is a TPV config, not Galaxy's job configuration"),
                "name configs without `--job-conf`",
            ),
            _ => missing(&name),
        })?;
        let (chosen, why) = wanted.choose(&all, &name)?;
        note(&chosen, why);
        let found: Option<Found> = all.found.into_iter().find(|(known, _)| *known == chosen).map(|(_, found)| found);
        let found = found.ok_or_else(|| missing(&name))?;
        let mut inputs = Vec::new();
        for value in found.configs {
            match &value.kind {
                ValueKind::Map(_) => inputs.push(Input::Inline(id, value.clone())),
                ValueKind::Str(text) => inputs.extend(listed(&text.value, &folder)),
                _ => return Err(missing(&name)),
            }
        }
        (inputs, found.version)
    };
    if inputs.is_empty() {
        return Err(missing(&name));
    }
    // An option says otherwise of the version; the settings are for configs whose server is not named.
    if let (Some(text), None) = (version, common.tpv) {
        let asked: Asked = text.parse().map_err(|unknown: UnknownVersion| {
            CliError::new(format!("`tpvc_tpv` of `{name}` is `{text}`: {unknown}"), "write `tpvc_tpv: \"3.2\"`")
        })?;
        of_configs = common.answering(asked);
    }
    Ok(JobConf { texts: ConfigTexts { sources, version: of_configs }, inputs })
}

/// The URLs that a job configuration names for any dispatcher, by its names alone: a template may lack variables.
///
/// # Errors
/// It cannot be read.
pub(super) fn urls(path: &Path, common: &Common) -> Result<Vec<String>, CliError> {
    let name = path.to_string_lossy();
    let mut sources = common.sources_of_names()?;
    let id = sources.load(&name, &Limits::default()).map_err(|error| CliError::new(error.to_string(), error.help()))?;
    let mut lists = Vec::new();
    if name.contains(".xml") {
        let text = sources.get(id).map(|source| source.text.to_string()).unwrap_or_default();
        lists.extend(of_xml(&text, &name)?.found.into_iter().map(|(_, (files, _))| files));
    } else {
        let Some(document) = tpv_yaml::load(&sources, id, &mut Diagnostics::new()) else {
            return Err(CliError::new(format!("`{name}` is not YAML"), "fix the job configuration"));
        };
        let configs =
            of_yaml(&document.root).into_iter().flat_map(|all| all.found).flat_map(|(_, found)| found.configs);
        lists.extend(configs.filter_map(|value| value.as_str().map(str::to_owned)));
    }
    let inputs = lists.iter().flat_map(|list| listed(list, Path::new("")));
    let named = inputs.filter_map(|input| match input {
        Input::Named(name) => Some(name).filter(|name| is_url(name)),
        Input::Text(_) | Input::Inline(..) => None,
    });
    Ok(named.collect())
}

fn missing(name: &str) -> CliError {
    CliError::new(
        format!("`{name}` does not say which configs TPV is to load"),
        "give the destination `tpv_dispatcher` a list `tpv_config_files`, or name config files on the command line",
    )
}

/// Galaxy reads a text as a list at its commas. Relative paths start at the folder of the job configuration.
fn listed(text: &str, folder: &Path) -> Vec<Input> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let resolve = |name: &str| match PathBuf::from(name) {
        path if path.is_absolute() || is_url(name) || name.contains("://") => name.to_owned(),
        path => folder.join(path).to_string_lossy().into_owned(),
    };
    names.map(|name| Input::Named(resolve(name))).collect()
}

/// The destinations of TPV in a `job_conf.xml`: the list of their config files, and the version.
fn of_xml(text: &str, name: &str) -> Result<Dispatchers<(String, Option<String>)>, CliError> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(text, options)
        .map_err(|error| CliError::new(format!("`{name}` is not XML: {error}"), "fix the job configuration"))?;
    let param = |node: &roxmltree::Node<'_, '_>, id: &str| {
        let mut found =
            node.children().filter(|child| child.has_tag_name("param") && child.attribute("id") == Some(id));
        found.next_back().and_then(|param| param.text()).map(str::to_owned)
    };
    let refers_to_tpv = |node: &roxmltree::Node<'_, '_>| {
        node.attribute("runner") == Some("dynamic_tpv")
            || param(node, "rules_module").is_some_and(|module| module.trim().starts_with("tpv"))
    };
    let mut all = Dispatchers { found: Vec::new(), default: None, tools: Vec::new() };
    for node in document.descendants() {
        match node.tag_name().name() {
            "destinations" => all.default = node.attribute("default").map(str::to_owned),
            "destination" => {
                let Some(id) = node.attribute("id").filter(|id| *id == DISPATCHER || refers_to_tpv(&node)) else {
                    continue;
                };
                let files = ["tpv_config_files", "tpv_configs"].iter().find_map(|id| param(&node, id));
                let version = param(&node, "tpvc_tpv").map(|text| text.trim().to_owned());
                all.found.extend(files.map(|files| (id.to_owned(), (files, version))));
            }
            "tool" if !node.children().any(|child| child.has_tag_name("param")) => {
                let entry = node.attribute("id").zip(node.attribute("destination"));
                all.tools
                    .extend(entry.map(|(id, to)| (id.to_lowercase().trim_end_matches('/').to_owned(), to.to_owned())));
            }
            _ => {}
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    fn names(inputs: Vec<Input>) -> Vec<String> {
        let name = |input| match input {
            Input::Named(name) => name,
            Input::Text(_) | Input::Inline(..) => "inline".to_owned(),
        };
        inputs.into_iter().map(name).collect()
    }

    #[test]
    fn xml_names_the_files() {
        let text = "<job_conf><destinations default=\"d\"><destination id=\"d\" runner=\"dynamic\"><param id=\"type\">python</param>\
            <param id=\"rules_module\">tpv.rules</param><param id=\"tpv_config_files\">a.yml, https://b/c.yml,/d.yml\
            </param><param id=\"tpvc_tpv\"> 3.2.1 </param></destination><destination id=\"e\" runner=\"dynamic_tpv\"><param id=\"tpv_config_files\">e.yml</param>\
            </destination></destinations><tools><tool id=\"BWA\" destination=\"e\"/></tools></job_conf>";
        let all = of_xml(text, "job_conf.xml").map_err(|_| ()).unwrap();
        let (files, version) = &all.found[0].1;
        assert_eq!(names(listed(files, Path::new("/etc"))), ["/etc/a.yml", "https://b/c.yml", "/d.yml"]);
        assert_eq!(version.as_deref(), Some("3.2.1"));
        let chosen =
            |wanted: Wanted| wanted.choose(&all, "job_conf.xml").map(|(id, _)| id).map_err(|error| error.message);
        let tool = |tool: &str| Wanted { tool: Some(tool.to_owned()), ..Wanted::default() };
        assert_eq!(chosen(Wanted::default()), Ok("d".to_owned()));
        assert_eq!(chosen(tool("bwa")), Ok("e".to_owned()));
        assert_eq!(chosen(tool("other")), Ok("d".to_owned()));
        let line = Wanted { of_line: Some(Some("d".to_owned())), ..tool("bwa") };
        assert_eq!(chosen(line.clone()), Ok("d".to_owned()));
        assert_eq!(chosen(Wanted { dispatcher: Some("e".to_owned()), ..line }), Ok("e".to_owned()));
        assert!(chosen(Wanted { dispatcher: Some("x".to_owned()), ..Wanted::default() }).is_err());
        assert!(of_xml("<job_conf/>", "job_conf.xml").is_ok_and(|all| all.usual().is_none()));
        assert!(of_xml("<job_conf>", "job_conf.xml").is_err());
    }
}
