//! The configs in Galaxy's `job_conf.yml`: the list of TPV's destination, which may hold whole configs.

use std::ops::Range;

use tpv_model::EntityClass;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::{SourceId, SourceMap};
use tpv_yaml::Duplicates;
use tpv_yaml::style::ScalarStyle;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The destination that refers to TPV, by the name that TPV's own commands look for.
pub const DISPATCHER: &str = "tpv_dispatcher";

/// The settings of a destination of TPV.
pub struct Found {
    /// The id of the destination (environment).
    pub id: String,
    /// The configs that `tpv_config_files` or `tpv_configs` lists.
    pub configs: Vec<ConfigValue>,
    /// The text of `tpvc_tpv`.
    pub version: Option<String>,
}

/// The destinations of TPV in Galaxy's job configuration, and the tools that are given to one of all destinations.
#[derive(Default)]
pub struct Dispatchers<T> {
    /// The destinations of TPV that name configs, in their order, and their ids.
    pub found: Vec<(String, T)>,
    /// The id of the default destination.
    pub default: Option<String>,
    /// By the tool's id in lower case: the id of the destination. Entries for jobs with certain parameters are left out.
    pub tools: Vec<(String, String)>,
}

impl<T> Dispatchers<T> {
    /// The destination that a tool's jobs are given to. `None` if no entry names the tool.
    pub fn of_tool(&self, tool: &str) -> Option<&str> {
        let tool = tool.to_lowercase();
        // Of a tool of the tool shed, an entry may leave out the version.
        let short = tool.rsplit_once('/').map_or("", |(short, _)| short);
        let find =
            |id: &str| self.tools.iter().find(|(known, _)| known == id).map(|(_, environment)| environment.as_str());
        find(&tool).or_else(|| find(short).filter(|_| tool.contains("/repos/")))
    }

    /// The destination that TPV's own commands look for: `tpv_dispatcher`, else the default if it is one of TPV, else the first. `None` if there is none.
    pub fn usual(&self) -> Option<&str> {
        let known = |id: &str| self.found.iter().map(|(id, _)| id.as_str()).find(|known| *known == id);
        let first = || self.found.first().map(|(id, _)| id.as_str());
        known(DISPATCHER).or_else(|| self.default.as_deref().and_then(known)).or_else(first)
    }
}

/// The destinations of TPV in a `job_conf.yml`. `None` if it is none.
///
/// DIFFERENCE: TPV's commands know only `tpv_config_files` of a destination called `tpv_dispatcher`, as a list; they take
/// a text apart letter by letter.
pub fn of_yaml(root: &ConfigValue) -> Option<Dispatchers<Found>> {
    let execution = root.as_map()?.get("execution")?.as_map()?;
    let environments = execution.get("environments")?;
    let named: Vec<(&str, &ConfigValue)> = match &environments.kind {
        ValueKind::Map(map) => {
            map.entries.iter().filter_map(|entry| Some((entry.key.as_str()?, &entry.value))).collect()
        }
        ValueKind::List(list) => {
            list.iter().filter_map(|item| Some((item.as_map()?.get("id")?.as_str()?, item))).collect()
        }
        _ => return None,
    };
    let refers_to_tpv = |environment: &ConfigValue| {
        let get = |key: &str| environment.as_map().and_then(|map| map.get(key)).and_then(ConfigValue::as_str);
        get("runner") == Some("dynamic_tpv") || get("rules_module").is_some_and(|module| module.starts_with("tpv"))
    };
    let of_tpv = named.iter().filter(|(id, environment)| *id == DISPATCHER || refers_to_tpv(environment));
    let found = of_tpv.filter_map(|(id, environment)| Some(((*id).to_owned(), found(id, environment)?))).collect();
    let default = execution.get("default").and_then(ConfigValue::as_str).map(str::to_owned);
    Some(Dispatchers { found, default, tools: tools(root) })
}

fn found(id: &str, environment: &ConfigValue) -> Option<Found> {
    let environment = environment.as_map()?;
    let params = environment.get("params").and_then(ConfigValue::as_map).unwrap_or(environment);
    let configs = ["tpv_config_files", "tpv_configs"].iter().find_map(|key| params.get(key))?;
    let configs = match &configs.kind {
        ValueKind::List(items) => items.to_vec(),
        _ => vec![configs.clone()],
    };
    let version = params.get("tpvc_tpv").and_then(|version| match &version.kind {
        ValueKind::Null => None,
        ValueKind::Str(text) => Some(text.as_str().to_owned()),
        // Without quotes it is a number; `3.0` has its zero, as in Python.
        ValueKind::Float(number) => Some(format!("{number:?}")),
        ValueKind::Int(number) => Some(number.to_string()),
        _ => Some("no text".to_owned()),
    });
    Some(Found { id: id.to_owned(), configs, version })
}

/// The entries of `tools` that hold for all jobs of a tool.
fn tools(root: &ConfigValue) -> Vec<(String, String)> {
    /// Keys of an entry that are no params of the job.
    const NO_PARAMS: [&str; 7] = ["id", "class", "environment", "destination", "handler", "resources", "params"];
    let Some(ValueKind::List(entries)) = root.as_map().and_then(|map| map.get("tools")).map(|tools| &tools.kind) else {
        return Vec::new();
    };
    let entry = |entry: &ConfigValue| {
        let map = entry.as_map()?;
        let has_params = map.get("params").is_some_and(|params| !matches!(params.kind, ValueKind::Null))
            || map.entries.iter().any(|entry| entry.key.as_str().is_none_or(|key| !NO_PARAMS.contains(&key)));
        let environment = ["environment", "destination"].iter().find_map(|key| map.get(key)?.as_str())?;
        let id = map.get("id")?.as_str().filter(|_| !has_params)?;
        Some((id.to_lowercase().trim_end_matches('/').to_owned(), environment.to_owned()))
    };
    entries.iter().filter_map(entry).collect()
}

/// The configs that stand as mappings in a `job_conf.yml` itself, or in the values of Galaxy's Helm chart, in order. `None` for any other text, and for a
/// `job_conf.yml` that has none.
pub fn inline(root: &ConfigValue) -> Option<Vec<ConfigValue>> {
    let map = root.as_map()?;
    // `tools` of Galaxy is a list.
    let is_section = |name: &str| map.get(name).is_some_and(|value| value.as_map().is_some());
    if is_section("global") || EntityClass::SECTIONS.iter().any(|class| is_section(class.section())) {
        return None;
    }
    let of_helm = of_helm(root);
    if !of_helm.is_empty() {
        let configs = of_helm.into_iter().map(|(_, config)| config);
        return Some(configs.filter(|config| config.as_map().is_some()).cloned().collect());
    }
    let dispatchers = of_yaml(root)?;
    let usual = dispatchers.usual().map(str::to_owned)?;
    let mut configs = dispatchers.found.into_iter().find(|(id, _)| *id == usual)?.1.configs;
    configs.retain(|config| config.as_map().is_some());
    (!configs.is_empty()).then_some(configs)
}

/// The files of rules in the values of Galaxy's Helm chart, `jobs.rules`: their names, and their contents, as a mapping or as a text.
/// Values of a chart that depends on it have them below its name: `galaxy.jobs.rules`.
pub fn of_helm(root: &ConfigValue) -> Vec<(&str, &ConfigValue)> {
    fn rules(chart: &ConfigValue) -> Option<&std::sync::Arc<tpv_yaml::value::Map>> {
        chart.as_map()?.get("jobs")?.as_map()?.get("rules")?.as_map()
    }
    let charts = root.as_map().into_iter().flat_map(|map| &map.entries).map(|entry| &entry.value);
    let rules = std::iter::once(root).chain(charts).find_map(rules);
    let is_file = |name: &&str| [".yml", ".yaml"].iter().any(|end| name.ends_with(end));
    let files = rules.into_iter().flat_map(|map| &map.entries);
    files.filter_map(|entry| Some((entry.key.as_str().filter(is_file)?, &entry.value))).collect()
}

/// The files of rules that are texts in the values of Galaxy's Helm chart: their bytes. Reports texts whose lines are not there as they are, in quotes or folded.
pub(crate) fn parts_of_helm(sources: &SourceMap, id: SourceId, problems: &mut Diagnostics) -> Vec<Range<usize>> {
    let Some(source) = sources.get(id).filter(|source| may_be_of_helm(&source.text)) else { return Vec::new() };
    let text = source.text.clone();
    let document = tpv_yaml::load_with(sources, id, Duplicates::LastCounts, &mut Diagnostics::new());
    let mut parts = Vec::new();
    for (name, config) in document.iter().flat_map(|document| of_helm(&document.root)) {
        if config.as_str().is_none() {
            continue;
        }
        match block(&text, config).filter(|_| !source.is_filled()) {
            Some(range) => parts.push(range),
            None => problems.push(
                Diagnostic::error(format!("the rules `{name}` are a text that is not read"))
                    .at(config.span, "neither a mapping nor a block of lines")
                    .help(format!("write a mapping below `{name}:`, or a block that begins with `|`")),
            ),
        }
    }
    parts
}

/// Returns `true` for a text that may be values of Galaxy's Helm chart.
pub fn may_be_of_helm(text: &str) -> bool {
    // Values of a chart that depends on Galaxy's have them a level deeper.
    let is_outer = |line: &str| line.trim_start().starts_with("jobs:") && line.len() - line.trim_start().len() < 5;
    text.contains("jobs:") && text.contains("rules:") && text.lines().any(is_outer)
}

/// The bytes of the lines of a block (`|`).
pub fn block(text: &str, value: &ConfigValue) -> Option<Range<usize>> {
    let ValueKind::Str(content) = &value.kind else { return None };
    let range = value.span.range();
    let start = text.get(..range.start)?.rfind('\n')? + 1;
    (content.style == ScalarStyle::Literal).then_some(start..range.end)
}
