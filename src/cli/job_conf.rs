//! Galaxy's job configuration, which names the configs that TPV loads, and with `tpvc_tpv` the version of TPV whose answers count.

use std::path::{Path, PathBuf};

use tpv_config::Input;
use tpv_config::job_conf::{DISPATCHER, of_yaml};
use tpv_model::{Asked, UnknownVersion};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::{Limits, SourceMap, is_url};
use tpv_yaml::value::ValueKind;

use super::common::Common;
use super::error::CliError;
use super::kind::Kind;

/// A job configuration.
pub(super) struct JobConf {
    /// The text, which inline configs point into.
    pub(super) sources: SourceMap,
    /// The inputs that TPV is to load.
    pub(super) inputs: Vec<Input>,
}

/// Reads `job_conf.yml`, or `job_conf.xml` where the name says so, as Galaxy does.
///
/// # Errors
/// A file that is not a job configuration; what is wrong with its YAML is printed before.
pub(super) fn read(path: &Path, common: &Common) -> Result<JobConf, CliError> {
    let name = path.to_string_lossy();
    let mut sources = common.sources()?;
    let id = sources.load(&name, &Limits::default()).map_err(|error| {
        CliError::new(format!("the job configuration `{name}` cannot be read: {error}"), error.help())
    })?;
    let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    let (inputs, version) = if name.contains(".xml") {
        let text = sources.get(id).map(|source| source.text.to_string()).unwrap_or_default();
        of_xml(&text, &name, &folder)?
    } else {
        let mut problems = Diagnostics::new();
        let document = tpv_yaml::load(&sources, id, &mut problems);
        common.show(&problems, &sources);
        let Some(document) = document else {
            return Err(CliError::new(format!("`{name}` is not a job configuration"), "fix the errors above"));
        };
        let found = of_yaml(&document.root).ok_or_else(|| match Kind::of(path) {
            Kind::Config => CliError::new(
                format!("`{name}` is a TPV config, not Galaxy's job configuration"),
                "name configs without `--job-conf`",
            ),
            _ => missing(&name),
        })?;
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
        sources = sources.of_version(common.answering(asked));
    }
    Ok(JobConf { sources, inputs })
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

fn of_xml(text: &str, name: &str, folder: &Path) -> Result<(Vec<Input>, Option<String>), CliError> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(text, options)
        .map_err(|error| CliError::new(format!("`{name}` is not XML: {error}"), "fix the job configuration"))?;
    let destinations: Vec<_> =
        document.descendants().filter(|node| node.has_tag_name("destination") && node.has_attribute("id")).collect();
    let param = |node: &roxmltree::Node<'_, '_>, id: &str| {
        let mut found =
            node.children().filter(|child| child.has_tag_name("param") && child.attribute("id") == Some(id));
        found.next_back().and_then(|param| param.text()).map(str::to_owned)
    };
    let refers_to_tpv = |node: &&roxmltree::Node<'_, '_>| {
        node.attribute("runner") == Some("dynamic_tpv")
            || param(node, "rules_module").is_some_and(|module| module.trim().starts_with("tpv"))
    };
    let dispatcher = destinations
        .iter()
        .find(|node| node.attribute("id") == Some(DISPATCHER))
        .or_else(|| destinations.iter().find(refers_to_tpv))
        .ok_or_else(|| missing(name))?;
    let files = ["tpv_config_files", "tpv_configs"].iter().find_map(|id| param(dispatcher, id));
    let version = param(dispatcher, "tpvc_tpv").map(|text| text.trim().to_owned());
    Ok((listed(&files.ok_or_else(|| missing(name))?, folder), version))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
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
        let text = "<job_conf><destinations><destination id=\"d\" runner=\"dynamic\"><param id=\"type\">python</param>\
            <param id=\"rules_module\">tpv.rules</param><param id=\"tpv_config_files\">a.yml, https://b/c.yml,/d.yml\
            </param><param id=\"tpvc_tpv\"> 3.2.1 </param></destination></destinations></job_conf>";
        let (found, version) = of_xml(text, "job_conf.xml", Path::new("/etc")).map_err(|_| ()).unwrap();
        assert_eq!(names(found), ["/etc/a.yml", "https://b/c.yml", "/d.yml"]);
        assert_eq!(version.as_deref(), Some("3.2.1"));
        assert!(of_xml("<job_conf/>", "job_conf.xml", Path::new("/")).is_err());
        assert!(of_xml("<job_conf>", "job_conf.xml", Path::new("/")).is_err());
    }
}
