//! T158: parts of the server's `job_conf` that keep jobs from TPV: tools whose entry there names an environment of its own, a default that is not TPV,
//! and settings of environments that only share their names with destinations of TPV.
//!
//! Jobs that fail there may still come to TPV, where an environment's `resubmit` says so.
//!
//! Galaxy asks TPV for the jobs of tools that go to a dynamic environment (`get_job_tool_configurations` of `galaxy/jobs/__init__.py`, 26.1.1), and gets a
//! destination from it, of which `job_conf` knows nothing.

use super::Linter;
use super::server::{EnvironmentSettings, JobConf, is_open};
use super::tags::default;
use crate::tool_id::split_version;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::listed::joined;
use tpv_text::source::Span;

/// Looks at a `job_conf` that asks TPV, and of which all is known.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    let is_dispatcher = |name: &str| job_conf.dynamic.get(name) == Some(&true);
    let asks_tpv = job_conf.dynamic.values().any(|asks_tpv| *asks_tpv);
    if job_conf.broken.is_some() || !asks_tpv || job_conf.environments.iter().any(|name| is_open(name)) {
        return;
    }
    let is_fixed = |name: &str| job_conf.environments.contains(name) && !job_conf.dynamic.contains_key(name);
    let source = linter.sources.next_id();
    let comes_later = resubmits_to_tpv(job_conf);
    let mut findings = Vec::new();
    let is_lost = |environment: &str| !comes_later && is_fixed(environment);
    for (id, environment) in job_conf.tools.iter().filter(|(_, environment)| is_lost(environment)) {
        // A tool may have more than one entry.
        let is_only = job_conf.tools.iter().all(|(other, another)| other != id || another == environment);
        findings.extend(entry_of(linter.config, id).filter(|_| is_only).map(|tool| of_tool(tool, id, environment)));
    }
    if let Some((name, at)) = job_conf.default.as_ref().filter(|(name, _)| is_fixed(name))
        && !job_conf.tools.iter().any(|(_, environment)| !is_fixed(environment))
        && !job_conf.has_other_tools
        && !comes_later
        && linter.config.tools.values().any(|tool| !tool.common.is_abstract)
    {
        let dispatcher = job_conf.environments.iter().find(|name| is_dispatcher(name)).map_or("", String::as_str);
        let diagnostic = Diagnostic::warning(format!("TPV sees no job: `job_conf` sends them to `{name}`"))
            .at(Span::new(source, at.start, at.end), "tools without an entry in `job_conf` go there")
            .note(format!("no tool has an entry that names `{dispatcher}`, the environment that asks TPV"))
            .help(format!("write `{dispatcher}`"));
        findings.push(Finding::new(Code::NeverSeen, diagnostic));
    }
    for settings in job_conf.settings.iter().filter(|settings| is_fixed(&settings.id)) {
        findings.extend(of_environment(
            linter.config,
            job_conf,
            settings,
            Span::new(source, settings.at.start, settings.at.end),
        ));
    }
    findings.into_iter().for_each(|finding| linter.report(finding));
}

/// The entry that is for a tool and no others: its id is that of the tool, with any version.
fn entry_of<'a>(config: &'a Config, id: &str) -> Option<&'a Entity> {
    // Of a version alone, the others come to TPV.
    let has_version = !split_version(id).1.is_empty();
    let is_of_shed = id.contains('/');
    let is_for_it = |key: &str| match key.strip_prefix(id) {
        Some("") => true,
        Some("/.*") => !has_version,
        Some(".*") => !has_version && is_of_shed,
        _ => false,
    };
    let is_pattern = id.contains(['*', '?', '+', '[', ']', '(', ')', '{', '}', '|', '^', '$', '\\']);
    let default = default(config, EntityClass::Tool).map(|default| &default.id);
    let is_parent = |tool: &Entity| {
        config.tools.values().any(|one| one.common.inherits.as_ref().is_some_and(|parent| *parent.as_str() == *tool.id))
    };
    let mut tools = config.tools.values().map(|tool| &**tool).filter(|_| !is_pattern);
    tools.rfind(|tool| {
        !tool.common.is_abstract && Some(&tool.id) != default && is_for_it(&tool.id.to_lowercase()) && !is_parent(tool)
    })
}

/// Returns `true` if failed jobs may go on to TPV: an environment that asks it is the target of a `resubmit`, or may be.
fn resubmits_to_tpv(job_conf: &JobConf) -> bool {
    job_conf.resubmits_to.iter().any(|name| is_open(name) || job_conf.dynamic.get(name) == Some(&true))
}

/// Returns `true` if a destination has a param with the value of an environment's setting.
fn has_same(config: &Config, destination: &Entity, name: &str, value: &str) -> bool {
    let fields = [Some(destination), default(config, EntityClass::Destination)];
    let mut values = fields.into_iter().flatten().filter_map(|one| one.common.params.as_deref()?.get(name));
    // Python's `True` is the file's `true`.
    values.next().is_some_and(|own| own.python_str().trim().eq_ignore_ascii_case(value))
}

fn of_tool(tool: &Entity, id: &str, environment: &str) -> Finding {
    let diagnostic =
        Diagnostic::warning(format!("no job of `{}` reaches TPV: `job_conf` sends them to `{environment}`", tool.id))
            .at(tool.span, "this entry has no effect")
            .note(format!("`tools` of `job_conf` has an entry for `{id}`"))
            .help("remove one of both entries");
    Finding::new(Code::NeverSeen, diagnostic).of(&tool.common.no_qa_codes)
}

/// The finding of an environment that has the name of a destination, and settings that jobs there never get.
fn of_environment(config: &Config, job_conf: &JobConf, settings: &EnvironmentSettings, at: Span) -> Option<Finding> {
    let id = settings.id.as_str();
    let is_destination = |one: &&std::sync::Arc<Entity>| {
        !one.common.is_abstract && one.dest_name().is_some_and(|name| name.as_str() == id)
    };
    let destination = config.destinations.values().find(is_destination)?;
    // In TPV 1 destinations are environments of `job_conf`.
    let is_target = config.version.evaluates_early()
        || EntityClass::SECTIONS
            .into_iter()
            .flat_map(|kind| config.section(kind).values())
            .flat_map(|one| one.commons())
            .any(|common| common.resubmit.values().any(|value| value.python_str().contains(id)));
    // Other parts of the file may send jobs to the environment.
    let uses = job_conf.source.as_ref().map_or(0, |source| source.text.match_indices(id).count());
    if is_target || uses != 1 {
        return None;
    }
    // The destination may repeat what the environment has.
    let lost = settings.values.iter().filter(|(name, value)| !has_same(config, destination, name, value));
    let names: Vec<String> = lost.map(|(name, _)| format!("`{name}`")).collect();
    if names.is_empty() {
        return None;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let diagnostic = Diagnostic::warning(format!(
        "jobs of the destination `{id}` do not get the settings of the environment `{id}`"
    ))
    .at(at, format!("TPV does not see {} of `job_conf`", joined(&names)))
    .also(destination.span, "the destination is made from this alone")
    .help("move the settings to the destination: its `params`, `env` and `resubmit`");
    Some(Finding::new(Code::NeverSeen, diagnostic).of(&destination.common.no_qa_codes))
}
