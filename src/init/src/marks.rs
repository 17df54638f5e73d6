//! The files that are of interest, by their names and by the first look at their texts.

use tpv_config::job_conf::{may_be_of_helm, of_helm};
use tpv_config::template::VAULT;
use tpv_yaml::value::{ConfigValue, Entry};

use super::yaml::Yaml;

/// Something that a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It looks like a config of TPV.
    Config,
    /// A list of config files, or a loop over one.
    List,
    /// Plays.
    Plays,
    /// Tasks that read files by a pattern.
    Globs,
    /// Files with their sources, some of which may be templates.
    Sources,
    /// Versions of TPV or Galaxy.
    Versions,
    /// Values of Galaxy's Helm chart with rules.
    Values,
    /// It is encrypted.
    Vault,
}

impl Mark {
    pub(super) const ALL: [Self; 8] =
        [Self::Config, Self::List, Self::Plays, Self::Globs, Self::Sources, Self::Versions, Self::Values, Self::Vault];

    /// Returns `true` if a text has it.
    pub(super) fn is_in(self, text: &str) -> bool {
        match self {
            Self::Config => is_config(text),
            Self::List => may_have_list(text),
            Self::Plays => text.contains("hosts:"),
            Self::Globs => text.contains("with_fileglob"),
            Self::Sources => text.contains("src:") || text.contains("volumes:"),
            Self::Versions => may_have_version(text),
            Self::Values => may_be_of_helm(text),
            Self::Vault => text.starts_with(VAULT),
        }
    }
}

/// The names that Galaxy and TPV have for the list, and with which those of variables end.
pub(super) const KEYS: [&str; 2] = ["tpv_config_files", "tpv_configs"];

/// Returns `true` for a text with one of the names of the list.
fn may_have_list(text: &str) -> bool {
    KEYS.iter().any(|key| text.contains(key))
}

/// The names of TPV's package.
pub(super) const PACKAGES: [&str; 2] = ["total-perspective-vortex", "total_perspective_vortex"];

/// Returns `true` for a text that may name a version of TPV or Galaxy.
fn may_have_version(text: &str) -> bool {
    PACKAGES.iter().any(|package| text.contains(package))
}

/// Returns `true` for the name of a file that lists packages to install.
pub(super) fn is_list_of_packages(file: &str) -> bool {
    let is_list = |name: &str| file.contains(name) && [".txt", ".in"].iter().any(|end| file.ends_with(end));
    ["pyproject.toml", "Pipfile", "Pipfile.lock", "poetry.lock", "uv.lock", "pdm.lock", "setup.cfg"].contains(&file)
        || ["requirements", "constraints"].into_iter().any(is_list)
        || file.starts_with("Dockerfile")
}

/// Returns `true` for a file that may be YAML, XML or a template of such by its name, or say which packages are installed; variables need no ending.
pub(super) fn is_text(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    if is_list_of_packages(file) {
        return true;
    }
    let file = file.strip_suffix(".j2").unwrap_or(file);
    match file.rsplit_once('.') {
        Some((_, end)) => ["yml", "yaml", "xml", "json"].contains(&end),
        None => name.contains("vars/") || name.contains("tpv"),
    }
}

/// The sections of a config of TPV.
const SECTIONS: [&str; 6] = ["tools", "destinations", "users", "roles", "global", "pools"];

/// Fields that only entities of TPV have below a section.
const FIELDS: [&str; 19] = [
    "cores",
    "mem",
    "gpus",
    "min_cores",
    "min_mem",
    "min_gpus",
    "max_cores",
    "max_mem",
    "max_gpus",
    "scheduling",
    "rules",
    "runner",
    "inherits",
    "default_inherits",
    "abstract",
    "params",
    "env",
    "max_accepted_cores",
    "max_accepted_mem",
];

/// Returns `true` for a text that looks like a config of TPV, template or not, in any style.
fn is_config(text: &str) -> bool {
    let may_begin = |line: &str| {
        let start = line.trim_start_matches(['{', '"', '\'', ' ']);
        line.len() - start.len() < 4 && SECTIONS.iter().any(|section| start.starts_with(section))
    };
    if !may_be_of_helm(text) && !text.lines().any(may_begin) {
        return false;
    }
    let yaml = if text.contains("{%") { None } else { Yaml::of("", text) };
    yaml.map_or_else(|| has_fields(text), |yaml| has_entities(&yaml))
}

/// Returns `true` for a document with entities of TPV in its sections, or for values of Helm with such.
fn has_entities(yaml: &Yaml) -> bool {
    let has_rules = |config: &ConfigValue| match config.as_str() {
        Some(text) => yaml.has_block(config) && Yaml::of("", text).is_some_and(|inner| has_sections(&inner.root)),
        None => has_sections(config),
    };
    of_helm(&yaml.root).iter().any(|(_, config)| has_rules(config)) || has_sections(&yaml.root)
}

fn has_sections(value: &ConfigValue) -> bool {
    let Some(root) = value.as_map() else { return false };
    // Galaxy's job configuration has other `tools`.
    if root.get("runners").is_some() || root.get("execution").is_some() {
        return false;
    }
    let is_field = |entry: &Entry| entry.key.as_str().is_some_and(|key| FIELDS.contains(&key));
    let has_field = |value: &ConfigValue| value.as_map().is_some_and(|map| map.entries.iter().any(is_field));
    SECTIONS.iter().any(|section| {
        let section = root.get(section);
        section.is_some_and(|section| {
            has_field(section)
                || section.as_map().is_some_and(|map| map.entries.iter().any(|entry| has_field(&entry.value)))
        })
    })
}

/// The same for a text that is no YAML as it is written, by its lines.
fn has_fields(text: &str) -> bool {
    let begins = |line: &str, names: &[&str]| {
        let is_key = |name: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        names.iter().any(is_key)
    };
    let is_other = |line: &str| {
        ["- hosts", "- name"].iter().any(|start| line.starts_with(start)) || begins(line, &["execution", "runners"])
    };
    text.lines().any(|line| begins(line, &SECTIONS))
        && !text.lines().any(is_other)
        && text.lines().any(|line| begins(line.trim_start(), &FIELDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_are_told_by_their_fields() {
        assert!(is_config("tools:\n  bwa:\n    cores: 4\n") && is_config("---\ndestinations:\n  a:\n    runner: x\n"));
        assert!(is_config("tools: {bwa: {cores: 2, mem: 4}}\n") && is_config("{\"tools\": {\"bwa\": {\"cores\": 2}}}"));
        assert!(
            is_config("jobs:\n  rules:\n    a.yml:\n      tools: {bwa: {cores: 2}}\n")
                && is_config("jobs:\n  rules:\n    a.yml: |\n      tools: {bwa: {cores: 2}}\n")
                && !is_config("jobs:\n  test: {}\n")
        );
        assert!(is_config("tools:\n{% if x %}\n  bwa:\n    cores: 4\n{% endif %}\n"));
        assert!(!is_config("runners: {}\nexecution: {}\ntools:\n- id: upload1\n"));
        assert!(!is_config("tools:\n- name: bwa\n  owner: devteam\n") && !is_config("- hosts: a\n  roles:\n"));
    }
}
