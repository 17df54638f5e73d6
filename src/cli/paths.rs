//! Folders and patterns as arguments: tpvc expands `*` if the shell does not, or if it is quoted.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::common::Common;
use super::error::CliError;
use super::input;
use super::kind::Kind;
use tpv_config::template::fits;
use tpv_init::has_configs;
use tpv_settings::FILE;
use tpv_text::source::{is_url, redacted};

/// The configs that the arguments name, as [`expand`] has them; without arguments, those that `tpvc.toml` names. If they are merged in another order than that of the
/// arguments, a note tells it.
///
/// # Errors
/// A folder or pattern without files, and files that are not configs but of another kind.
pub(super) fn configs(arguments: &[String], common: &Common) -> Result<Vec<String>, CliError> {
    let arguments = &*named(arguments, common)?;
    let files = checked(arguments)?;
    if files != arguments && files.len() > 1 {
        common.note(&format!("merged in this order, later over earlier: {}", listed(&files)));
    }
    Ok(files)
}

/// The names of configs for people, without secrets.
pub(super) fn listed(configs: &[String]) -> String {
    configs.iter().map(|config| redacted(config)).collect::<Vec<_>>().join(", ")
}

/// As [`listed`], for arguments, which may name none.
pub(super) fn rules_of(arguments: &[String]) -> String {
    if arguments.is_empty() { "those of tpvc.toml".to_owned() } else { listed(arguments) }
}

/// As [`configs`], for those that are not merged.
///
/// # Errors
/// The same.
pub(super) fn each(arguments: &[String], common: &Common) -> Result<Vec<String>, CliError> {
    checked(&named(arguments, common)?)
}

/// The arguments; if there are none, the `files` of `tpvc.toml`, which a note tells.
///
/// # Errors
/// There are none in either place, or the settings are wrong.
pub(super) fn named<'a>(arguments: &'a [String], common: &Common) -> Result<Cow<'a, [String]>, CliError> {
    if !arguments.is_empty() {
        return Ok(Cow::Borrowed(arguments));
    }
    let settings = common.settings()?;
    let Some(path) = settings.path.filter(|_| !settings.files.is_empty()) else {
        let help = format!("name config files, or list them as `files = [...]` in `{FILE}`");
        return Err(CliError::misuse("no config files are given", help));
    };
    let of = settings.environment.map_or_else(String::new, |name| format!(" for the environment `{name}`"));
    common.note(&format!("the config files are those of `{}`{of}", path.display()));
    Ok(Cow::Owned(settings.files))
}

fn checked(arguments: &[String]) -> Result<Vec<String>, CliError> {
    let files = expand(arguments)?;
    for file in files.iter().filter(|file| !is_url(file)) {
        let kind = Kind::of(Path::new(file));
        let help = match kind {
            Kind::Artifact => {
                format!("name the config files that it was compiled from; `tpvc inspect {file}` shows what is in it")
            }
            Kind::Jobs => format!("name config files; `tpvc map --config CONFIG {file}` maps the jobs"),
            Kind::World => format!("name config files; `tpvc map RULES JOBS --world {file}` takes it"),
            // Its configs are read from it.
            Kind::JobConf if input::text("the config", Path::new(file)).is_ok_and(|text| has_configs(&text)) => {
                continue;
            }
            Kind::JobConf => "name the files of its `tpv_config_files`; `tpvc dump` and `tpvc dry-run` take it with \
                              `--job-conf`"
                .to_owned(),
            Kind::Config | Kind::Unknown => continue,
        };
        return Err(CliError::new(format!("`{file}` is {}, not a config", kind.noun()), help));
    }
    Ok(files)
}

/// The files that the arguments name: a folder stands for all `.yml` and `.yaml` files in it and below, by name; a pattern
/// for the files it matches; anything else for itself.
///
/// # Errors
/// A message and a help if a folder or pattern gives no file.
pub(super) fn expand(arguments: &[String]) -> Result<Vec<String>, CliError> {
    let mut out = Vec::new();
    for argument in arguments {
        if is_url(argument) {
            out.push(argument.clone());
        } else if Path::new(argument).is_dir() {
            let mut files = Vec::new();
            collect(Path::new(argument), &mut files);
            if files.is_empty() {
                return Err(CliError::new(
                    format!("no .yml or .yaml file in the folder `{argument}`"),
                    "name a folder with config files",
                ));
            }
            out.extend(files);
        } else if argument.contains(['*', '?']) && !Path::new(argument).exists() {
            let files = matching(argument);
            if files.is_empty() {
                return Err(CliError::new(
                    format!("no file matches `{argument}`"),
                    "check the pattern; `*` and `?` match parts of a name",
                ));
            }
            out.extend(files);
        } else {
            out.push(argument.clone());
        }
    }
    Ok(out)
}

/// Returns `true` if a file in a folder is a config, or a template of one, by its name.
fn is_config(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let name = name.strip_suffix(".j2").unwrap_or(&name);
    Path::new(name).extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn collect(folder: &Path, files: &mut Vec<String>) {
    for path in entries(folder) {
        // A link to a folder is left alone: it may lead back.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if is_config(&path) && path.is_file() {
            files.push(path.display().to_string());
        }
    }
}

fn matching(pattern: &str) -> Vec<String> {
    let mut found = vec![PathBuf::from(if pattern.starts_with('/') { "/" } else { "" })];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for folder in found {
            if !part.contains(['*', '?']) {
                next.push(folder.join(part));
                continue;
            }
            for path in entries(&folder) {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                // As in a shell, `*` leaves out hidden files.
                if !name.starts_with('.') && fits(part, &name) {
                    next.push(folder.join(name));
                }
            }
        }
        found = next;
    }
    found.into_iter().filter(|path| path.is_file()).map(|path| path.display().to_string()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn folders_and_patterns_name_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        for name in ["b.yml", "a.yaml", "c.txt", ".d.yml"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |argument: String| {
            let files = expand(&[argument]).unwrap();
            files.iter().map(|file| file.rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(format!("{root}/*.yml")), ["b.yml"]);
        assert_eq!(names(root.to_owned()), [".d.yml", "a.yaml", "b.yml"]);
        assert!(expand(&[format!("{root}/*.json")]).is_err());
    }
}
