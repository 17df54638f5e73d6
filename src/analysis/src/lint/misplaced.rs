//! T125: entries of another field: params of a destination under `env`, fields of an entity under `env`, `params` or `context`.

use std::collections::HashSet;

use super::Linter;
use super::fields::key_span;
use tpv_config::entity::{Common, Dict, env_value};
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The params of destinations that runners and containers read: names that no program takes from its environment.
const PARAMS: [&str; 17] = [
    "native_specification",
    "nativeSpecification",
    "nativeSpec",
    "native_spec",
    "require_container",
    "container_override",
    "container_resolvers",
    "container_monitor",
    "outputs_to_working_directory",
    "metadata_strategy",
    "remote_metadata",
    "dependency_resolution",
    "default_file_action",
    "rewrite_parameters",
    "jobs_directory",
    "request_cpus",
    "request_memory",
];

/// The beginnings of other such params.
const BEGINNINGS: [&str; 5] = ["docker_", "singularity_", "submit_", "k8s_", "pulsar_"];

/// Fields that `env` cannot hold; they are no names of variables.
const FIELDS: [&str; 5] = ["params", "rules", "scheduling", "context", "resubmit"];

/// Looks at all entities and rules.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::SECTIONS {
        for entity in linter.config.section(kind).values() {
            for common in entity.commons() {
                for (span, diagnostic) in misplaced(linter, common) {
                    if seen.insert(span) {
                        let place = format!("in the {} `{}`", kind.noun(), entity.id);
                        linter.report(
                            Finding::new(Code::MisplacedEntries, diagnostic.also(entity.span, place))
                                .of(&entity.common.no_qa_codes),
                        );
                    }
                }
            }
        }
    }
}

fn misplaced(linter: &Linter<'_>, common: &Common) -> Vec<(Span, Diagnostic)> {
    let mut out = Vec::new();
    for entry in common.env.iter().flat_map(|env| env.iter()) {
        let (Some(name), Some(_)) = (env_value(entry, "name"), env_value(entry, "value")) else { continue };
        let text = name.as_str();
        if is_param(text) {
            let diagnostic =
                Diagnostic::warning(format!("`{text}` is a param of a destination, not an environment variable"))
                    .at(
                        name.span,
                        "the job gets an environment variable of this name, and the runner doesn't get the param",
                    )
                    .help("move it to `params`");
            out.push((name.span, diagnostic));
        } else if FIELDS.contains(&text) {
            out.push((name.span, field(text, "env", name.span, "the job gets a variable of this name")));
        }
    }
    let dicts: [(&str, Option<&Dict>, &str); 2] = [
        ("params", common.params.as_deref(), "the job's runner gets this as a param"),
        ("context", common.context.as_deref(), "this name is only visible to code"),
    ];
    for (around, dict, consequence) in dicts {
        for (key, value) in dict.into_iter().flatten().filter(|(key, value)| is_field(key, value)) {
            let span = key_span(linter, key, value);
            out.push((span, field(key, around, span, consequence)));
        }
    }
    out
}

fn field(key: &str, around: &str, span: Span, consequence: &str) -> Diagnostic {
    Diagnostic::warning(format!("`{key}` has no effect under `{around}`")).at(span, consequence).help(
        match key == around {
            true => format!("leave the inner `{key}:` out"),
            false => format!("give `{key}` the indentation of `{around}`"),
        },
    )
}

/// Returns `true` if a value has the form of the field that its key names.
fn is_field(key: &str, value: &ConfigValue) -> bool {
    let keys = |value: &ConfigValue| -> Vec<String> {
        value.as_map().into_iter().flat_map(|map| map.entries.iter().map(|entry| entry.key.python_str())).collect()
    };
    let items = || match &value.kind {
        ValueKind::List(items) => items.iter().map(&keys).collect(),
        ValueKind::Map(map) => map.entries.iter().map(|entry| keys(&entry.value)).collect(),
        _ => Vec::new(),
    };
    let any = |wanted: &[&str]| items().iter().flatten().any(|key| wanted.contains(&key.as_str()));
    match key {
        "rules" => any(&["if"]),
        "scheduling" => {
            let keys = keys(value);
            !keys.is_empty() && keys.iter().all(|key| TagType::from_field(key).is_some())
        }
        "resubmit" => any(&["condition"]),
        "env" => matches!(value.kind, ValueKind::List(_)) && any(&["name", "file", "execute"]),
        "params" => keys(value).iter().any(|key| is_param(key)),
        _ => false,
    }
}

/// Returns `true` for the names of params that runners and containers read.
fn is_param(name: &str) -> bool {
    PARAMS.contains(&name) || BEGINNINGS.iter().any(|start| name.starts_with(start))
}
