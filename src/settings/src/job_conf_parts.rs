//! The parts of a `job_conf` beside its runners: limits, environments with their tags and the code that they ask for destinations, and tools.

use std::ops::Range;

use tpv_analysis::lint::server::{EnvironmentSettings, JobConf, JobLimit};
use tpv_yaml::value::{ConfigValue, Entry, Map, ValueKind};

/// The fields of an environment that are none of its settings.
const OF_ENVIRONMENT: [&str; 6] = ["id", "runner", "tags", "metrics", "params", "enabled"];

/// The fields of a step of `resubmit` that name its target, the newer one first.
const TARGET: [&str; 2] = ["environment", "destination"];

/// The fields of a tool by which all of its jobs go to one environment.
const OF_TOOL: [&str; 5] = ["id", "environment", "destination", "handler", "resources"];

/// Adds the limits of a list in YAML.
pub(super) fn add_limits(list: &ConfigValue, found: &mut JobConf) {
    let ValueKind::List(items) = &list.kind else { return };
    for limit in items.iter().filter_map(ConfigValue::as_map) {
        let Some(kind) = limit.get("type").and_then(ConfigValue::as_text) else { continue };
        let placed = |value: &ConfigValue| (value.python_str(), value.span.range());
        let is_given = |value: &&ConfigValue| value.as_str() != Some("") && !value.is_null();
        let name = ["tag", "id"].into_iter().filter_map(|key| limit.get(key)).find(is_given);
        found.limits.push(JobLimit {
            kind: kind.as_str().to_owned(),
            kind_at: kind.span.range(),
            name: name.map(placed),
            value: limit.get("value").filter(is_given).map(placed),
        });
    }
}

/// Adds a limit in XML: `<limit type="..." id="...">5</limit>`.
pub(super) fn add_limit(node: &roxmltree::Node<'_, '_>, found: &mut JobConf) {
    let Some(kind) = node.attribute_node("type") else { return };
    let name =
        ["tag", "id"].into_iter().filter_map(|key| node.attribute_node(key)).find(|name| !name.value().is_empty());
    let text = node
        .children()
        .find(roxmltree::Node::is_text)
        .filter(|text| text.text().is_some_and(|text| !text.trim().is_empty()));
    found.limits.push(JobLimit {
        kind: kind.value().to_owned(),
        kind_at: kind.range_value(),
        name: name.map(|name| (name.value().to_owned(), name.range_value())),
        value: text.map(|text| (text.text().unwrap_or_default().trim().to_owned(), text.range())),
    });
}

/// Adds the tags and settings of an environment in YAML, and the function that it asks.
pub(super) fn add_environment(id: &str, at: Range<usize>, fields: &ConfigValue, found: &mut JobConf) {
    let Some(fields) = fields.as_map() else { return };
    match fields.get("tags").map(|tags| &tags.kind) {
        Some(ValueKind::List(tags)) => found.tags.extend(tags.iter().map(ConfigValue::python_str)),
        Some(ValueKind::Str(tags)) => add_tags(tags.as_str(), found),
        _ => {}
    }
    let params = fields.get("params").and_then(ConfigValue::as_map);
    let text = |key: &str| {
        let value = fields.get(key).or_else(|| params?.get(key));
        value.and_then(ConfigValue::as_str).unwrap_or_default()
    };
    add_dynamic(id, text("runner"), text("function"), text("rules_module"), found);
    if let Some(ValueKind::List(steps)) = fields.get("resubmit").map(|steps| &steps.kind) {
        let target = |step: &Map| TARGET.into_iter().find_map(|key| step.get(key)).map(ConfigValue::python_str);
        found.resubmits_to.extend(steps.iter().filter_map(|step| target(step.as_map()?)));
    }
    let value = |entry: &Entry| Some((entry.key.as_str()?.to_owned(), entry.value.python_str().trim().to_owned()));
    let mut values: Vec<_> = fields.entries.iter().filter_map(value).collect();
    values.retain(|(name, _)| !OF_ENVIRONMENT.contains(&name.as_str()));
    values.extend(params.iter().flat_map(|params| &params.entries).filter_map(value));
    if !values.is_empty() {
        found.settings.push(EnvironmentSettings { id: id.to_owned(), at, values });
    }
}

/// Adds the tags and settings of an environment in XML, and the function that it asks.
pub(super) fn add_element(node: &roxmltree::Node<'_, '_>, found: &mut JobConf) {
    add_tags(node.attribute("tags").unwrap_or_default(), found);
    let Some(id) = node.attribute_node("id") else { return };
    let param = |id: &str| {
        let param = node.children().find(|param| param.attribute("id") == Some(id));
        param.and_then(|param| param.text()).unwrap_or_default().trim().to_owned()
    };
    let runner = node.attribute("runner").unwrap_or_default();
    add_dynamic(id.value(), runner, &param("function"), &param("rules_module"), found);
    let steps = node.children().filter(|step| step.has_tag_name("resubmit"));
    let target =
        |step: roxmltree::Node<'_, '_>| TARGET.into_iter().find_map(|key| step.attribute(key).map(str::to_owned));
    found.resubmits_to.extend(steps.filter_map(target));
    let value = |param: roxmltree::Node<'_, '_>| {
        Some((param.attribute("id")?.to_owned(), param.text().unwrap_or_default().trim().to_owned()))
    };
    let values: Vec<_> = node.children().filter(roxmltree::Node::is_element).filter_map(value).collect();
    if !values.is_empty() {
        found.settings.push(EnvironmentSettings { id: id.value().to_owned(), at: id.range_value(), values });
    }
}

/// Adds an environment that asks a function for a destination.
fn add_dynamic(id: &str, runner: &str, function: &str, module: &str, found: &mut JobConf) {
    if runner == "dynamic" {
        found.asked.push(function.to_owned());
    }
    if runner == "dynamic" || runner == "dynamic_tpv" {
        let is_module =
            |name: &str| module == name || module.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let is_tpv =
            runner == "dynamic_tpv" || function == "map_tool_to_destination" || is_module("tpv") || is_module("tpvc");
        found.dynamic.insert(id.to_owned(), is_tpv);
    }
}

/// Adds tags between commas.
fn add_tags(tags: &str, found: &mut JobConf) {
    found.tags.extend(tags.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()));
}

/// Adds the tools of a list in YAML.
pub(super) fn add_tools(list: &ConfigValue, found: &mut JobConf) {
    let ValueKind::List(items) = &list.kind else { return };
    for tool in items.iter().filter_map(ConfigValue::as_map) {
        let text = |key: &str| tool.get(key).and_then(ConfigValue::as_str);
        let is_whole = tool.entries.iter().all(|entry| entry.key.as_str().is_some_and(|key| OF_TOOL.contains(&key)));
        add_tool(text("id"), text("environment").or_else(|| text("destination")), is_whole, found);
    }
}

/// Adds a tool in XML.
pub(super) fn add_tool_element(node: &roxmltree::Node<'_, '_>, found: &mut JobConf) {
    let is_whole = node.attributes().all(|attribute| OF_TOOL.contains(&attribute.name()))
        && !node.children().any(|child| child.is_element());
    add_tool(
        node.attribute("id"),
        node.attribute("environment").or_else(|| node.attribute("destination")),
        is_whole,
        found,
    );
}

/// Adds an entry of a tool. One without an environment is for the default's.
fn add_tool(id: Option<&str>, environment: Option<&str>, is_whole: bool, found: &mut JobConf) {
    match (id, environment) {
        // `_configure_from_dict` of `galaxy/jobs/__init__.py`.
        (Some(id), Some(environment)) if is_whole => {
            found.tools.push((id.to_lowercase().trim_end_matches('/').to_owned(), environment.to_owned()));
        }
        (_, Some(_)) => found.has_other_tools = true,
        _ => {}
    }
}
