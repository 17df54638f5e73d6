//! T139: volumes of containers that are no paths, and modes that there are not.
//!
//! Galaxy splits them at commas and colons: `Volume.parse_volume_str` of `galaxy/tool_util/deps/container_classes.py`, Galaxy 26.1.1.

use super::server::is_open;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::ConfigValue;

/// The modes that a volume may have; `default_ro` is Galaxy's own.
const MODES: [&str; 5] = ["ro", "rw", "default_ro", "z", "Z"];

/// The names that Galaxy fills in: `_expand_volume_str` of the same file.
const VARIABLES: [&str; 12] = [
    "defaults",
    "working_directory",
    "tmp_directory",
    "job_directory",
    "tool_directory",
    "home_directory",
    "galaxy_root",
    "default_file_path",
    "library_import_dir",
    "tool_data_path",
    "galaxy_data_manager_data_path",
    "shed_tool_data_path",
];

/// The first volume of a param that cannot be meant.
pub(super) fn wrong(key: &str, value: &ConfigValue) -> Option<Diagnostic> {
    if !matches!(key, "docker_volumes" | "singularity_volumes") {
        return None;
    }
    let text = value.as_text()?.as_str();
    // Code may have commas and colons of its own, and what a variable without a value holds is not known.
    if is_open(text) {
        return None;
    }
    text.split(',').map(str::trim).filter(|volume| !volume.is_empty()).find_map(|volume| {
        let (label, help) = fault(volume)?;
        Some(Diagnostic::warning(format!("`{volume}` is not a volume")).at(value.span, label).help(help))
    })
}

/// The fault of a volume that has no code in it, and the text to write.
pub fn fault(volume: &str) -> Option<(String, String)> {
    let parts: Vec<&str> = volume.split(':').map(str::trim).collect();
    let [source, rest @ ..] = parts.as_slice() else { return None };
    if rest.len() > 2 {
        return Some((
            "it has more than a path, a target and a mode".to_owned(),
            "put a comma between volumes".to_owned(),
        ));
    }
    for path in [*source].into_iter().chain(rest.first().copied()) {
        if path.split_whitespace().skip(1).any(|word| word.starts_with(['/', '$'])) {
            return Some(("there is a blank between two paths".to_owned(), "put a comma between volumes".to_owned()));
        }
        if let Some(diagnosis) = variable(path) {
            return Some(diagnosis);
        }
    }
    let mode = |mode: &str| {
        let help = closest(mode, MODES).map_or_else(|| "write `ro` or `rw`".to_owned(), did_you_mean);
        Some((format!("there is no mode `{mode}`"), help))
    };
    let is_plain = rest.first().is_none_or(|target| MODES.contains(target) || target.starts_with('/'));
    match rest {
        // A target may be the value of a variable; this is none.
        [only] if !MODES.contains(only) && !only.is_empty() && only.chars().all(|c| "rwozRWOZ".contains(c)) => {
            mode(only)
        }
        [_, last] if !MODES.contains(last) => mode(last),
        // A name without a slash is a volume of Docker's own.
        [] | [_] if source.contains('/') && !source.starts_with(['/', '$', '.', '~']) && is_plain => {
            Some(("this path is relative".to_owned(), format!("write `/{source}`, the path from the root on")))
        }
        _ => None,
    }
}

/// A variable whose name is nearly one that Galaxy fills in.
fn variable(path: &str) -> Option<(String, String)> {
    let name = path.strip_prefix('$')?;
    let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())?;
    // Variables of the shell are in capital letters.
    if VARIABLES.contains(&name) || name.chars().any(char::is_uppercase) {
        return None;
    }
    let near = closest(name, VARIABLES)?;
    Some((format!("Galaxy does not fill in `${name}`"), did_you_mean(&format!("${near}"))))
}

#[cfg(test)]
mod tests {
    #[test]
    fn volumes_are_told_from_slips() {
        for volume in [
            "$defaults",
            "$job_directory/home:rw",
            "/data",
            "/data:ro",
            "/data/db:/db",
            "/data/db:/db:default_ro",
            "$SCRATCHDIR:/tmp:rw",
            "$_GALAXY_JOB_TMP_DIR:rw",
            "cache:/cache",
            "/with blank:/x",
        ] {
            assert_eq!(super::fault(volume), None, "{volume}");
        }
        for volume in [
            "/data:or",
            "/data:/db:r",
            "data/db:ro",
            "$default",
            "$defaults /data:ro",
            "/a:/b:ro:/c",
            "$tool_dirctory:ro",
        ] {
            assert!(super::fault(volume).is_some(), "{volume}");
        }
    }
}
