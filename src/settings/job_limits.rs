//! The parts of a `job_conf` on which its limits depend: the limits themselves, the tags of its environments, and the code that these ask for destinations.

use std::ops::Range;

use tpv_analysis::lint::server::{JobConf, JobLimit};
use tpv_yaml::value::{ConfigValue, ValueKind};

/// Adds the limits of a list in YAML.
pub(super) fn add_limits(list: &ConfigValue, found: &mut JobConf) {
    let ValueKind::List(items) = &list.kind else { return };
    for limit in items.iter().filter_map(ConfigValue::as_map) {
        let name = ["tag", "id"].into_iter().filter_map(|key| limit.get(key)).find(|name| name.as_str() != Some(""));
        let kind = limit.get("type").and_then(ConfigValue::as_str);
        if let (Some(kind), Some(value)) = (kind, name.filter(|name| !matches!(name.kind, ValueKind::Null))) {
            let limited = limit.get("value").map(ConfigValue::python_str);
            add(kind, &value.python_str(), value.span.range(), limited.as_deref(), found);
        }
    }
}

/// Adds a limit in XML: `<limit type="..." id="...">5</limit>`.
pub(super) fn add_limit(node: &roxmltree::Node<'_, '_>, found: &mut JobConf) {
    let mut names = ["tag", "id"].into_iter().filter_map(|key| node.attribute_node(key));
    let name = names.find(|name| !name.value().is_empty());
    if let (Some(kind), Some(name)) = (node.attribute("type"), name) {
        add(kind, name.value(), name.range_value(), node.text(), found);
    }
}

/// Adds a limit, if its type is one of environments: those of `JobConfiguration` in `galaxy/jobs/__init__.py`.
fn add(kind: &str, name: &str, at: Range<usize>, value: Option<&str>, found: &mut JobConf) {
    let of_environment = kind.strip_prefix("environment_").or_else(|| kind.strip_prefix("destination_"));
    let is_one = matches!(of_environment, Some("user_concurrent_jobs" | "total_concurrent_jobs"));
    if is_one || kind == "concurrent_jobs" {
        let is_zero = value.is_some_and(|value| value.trim() == "0");
        found.limits.push(JobLimit { kind: kind.to_owned(), name: name.to_owned(), at, is_zero });
    }
}

/// Adds the tags of an environment in YAML, and the function that it asks.
pub(super) fn add_environment(fields: &ConfigValue, found: &mut JobConf) {
    let Some(fields) = fields.as_map() else { return };
    match fields.get("tags").map(|tags| &tags.kind) {
        Some(ValueKind::List(tags)) => found.tags.extend(tags.iter().map(ConfigValue::python_str)),
        Some(ValueKind::Str(tags)) => add_tags(tags.as_str(), found),
        _ => {}
    }
    if fields.get("runner").and_then(ConfigValue::as_str) == Some("dynamic") {
        let of_params = || fields.get("params")?.as_map()?.get("function");
        let function = fields.get("function").or_else(of_params).and_then(ConfigValue::as_str);
        found.asked.push(function.unwrap_or_default().to_owned());
    }
}

/// Adds the tags of an environment in XML, and the function that it asks.
pub(super) fn add_element(node: &roxmltree::Node<'_, '_>, found: &mut JobConf) {
    add_tags(node.attribute("tags").unwrap_or_default(), found);
    if node.attribute("runner") == Some("dynamic") {
        let function = node.children().find(|param| param.attribute("id") == Some("function"));
        found.asked.push(function.and_then(|param| param.text()).unwrap_or_default().trim().to_owned());
    }
}

/// Adds tags between commas.
fn add_tags(tags: &str, found: &mut JobConf) {
    found.tags.extend(tags.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()));
}
