//! The configs in Galaxy's `job_conf.yml`: the list of TPV's destination, which may hold whole configs.

use tpv_model::EntityClass;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The destination that refers to TPV, by the name that TPV's own commands look for.
pub const DISPATCHER: &str = "tpv_dispatcher";

/// The settings of TPV's destination.
pub struct Found {
    /// The configs that `tpv_config_files` or `tpv_configs` lists.
    pub configs: Vec<ConfigValue>,
    /// The text of `tpvc_tpv`.
    pub version: Option<String>,
}

/// The settings of TPV's destination in a `job_conf.yml`. `None` if there is no such destination, or it names no configs.
///
/// DIFFERENCE: TPV's commands know only `tpv_config_files` of a destination called `tpv_dispatcher`, as a list; they take
/// a text apart letter by letter.
pub fn of_yaml(root: &ConfigValue) -> Option<Found> {
    let environments = root.as_map()?.get("execution")?.as_map()?.get("environments")?;
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
    let (_, environment) = named
        .iter()
        .find(|(id, _)| *id == DISPATCHER)
        .or_else(|| named.iter().find(|(_, environment)| refers_to_tpv(environment)))?;
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
    Some(Found { configs, version })
}

/// The configs that stand in a `job_conf.yml` itself, or in the values of Galaxy's Helm chart, in order. `None` for any other text, and for one that has none.
pub fn inline(root: &ConfigValue) -> Option<Vec<ConfigValue>> {
    let map = root.as_map()?;
    // `tools` of Galaxy is a list.
    let is_section = |name: &str| map.get(name).is_some_and(|value| value.as_map().is_some());
    if is_section("global") || EntityClass::SECTIONS.iter().any(|class| is_section(class.section())) {
        return None;
    }
    let mut configs: Vec<ConfigValue> = of_helm(root).into_iter().map(|(_, config)| config.clone()).collect();
    if configs.is_empty() {
        configs = of_yaml(root)?.configs;
    }
    configs.retain(|config| config.as_map().is_some());
    (!configs.is_empty()).then_some(configs)
}

/// The files of rules in the values of Galaxy's Helm chart, `jobs.rules`: their names, and their contents, as a mapping or as a text.
pub fn of_helm(root: &ConfigValue) -> Vec<(&str, &ConfigValue)> {
    let rules = root.as_map().and_then(|map| map.get("jobs")?.as_map()?.get("rules")?.as_map());
    let is_file = |name: &&str| [".yml", ".yaml"].iter().any(|end| name.ends_with(end));
    let files = rules.into_iter().flat_map(|map| &map.entries);
    files.filter_map(|entry| Some((entry.key.as_str().filter(is_file)?, &entry.value))).collect()
}
