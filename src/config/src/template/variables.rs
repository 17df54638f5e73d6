//! The variables of templates: YAML and JSON files, later over earlier.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Site;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Problem, Severity};
use tpv_text::source::{Limits, SourceId, SourceMap};
use tpv_text::suggest::closest;
use tpv_yaml::Duplicates;
use tpv_yaml::style::ScalarStyle;
use tpv_yaml::value::{ConfigValue, Map, ValueKind};

/// The text that a file begins with which Ansible Vault encrypts.
pub const VAULT: &str = "$ANSIBLE_VAULT";

/// The variables of some files.
#[derive(Debug, Default)]
pub(super) struct Variables {
    values: BTreeMap<String, ConfigValue>,
    /// The places of the names, for messages.
    places: BTreeMap<String, String>,
    are_given: bool,
    /// Faults that Ansible warns of.
    warnings: Vec<Diagnostic>,
    /// The texts of the files, for the warnings.
    sources: SourceMap,
}

impl Variables {
    /// Reads the files and values of a site, later over earlier.
    pub(super) fn read(site: &Site) -> Result<Self, Problem> {
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        if let Some(folder) = &site.within {
            sources.name_within(folder);
        }
        let mut all = Self { are_given: !site.vars.is_empty() || site.values.is_some(), ..Self::default() };
        for file in variable_files(&site.vars) {
            let name = file.to_string_lossy();
            match sources.load(&name, &Limits::default()) {
                Ok(id) => all.add(id, &sources, &mut problems),
                Err(error) => {
                    let problem = Diagnostic::error(format!("the variables cannot be read from `{name}`: {error}"));
                    problems.push(problem.help(error.help()));
                }
            }
        }
        if let Some((name, text)) = &site.values {
            let id = sources.add(name, text);
            all.add(id, &sources, &mut problems);
        }
        if let Some(error) = problems.iter().find(|problem| problem.severity == Severity::Error) {
            return Err(Problem::new(error.clone(), sources));
        }
        (all.warnings, all.sources) = (problems.iter().cloned().collect(), sources);
        Ok(all)
    }

    /// Adds the variables of a text.
    fn add(&mut self, id: SourceId, sources: &SourceMap, problems: &mut Diagnostics) {
        let text = sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
        // An encrypted file has variables whose names are not known either.
        if text.starts_with(VAULT) {
            return;
        }
        let Some(mut document) = tpv_yaml::load_with(sources, id, Duplicates::LastCounts, problems) else { return };
        as_ansible_reads(&mut document.root, &text);
        let Some(maps) = mappings(&document.root) else {
            let what = document.root.describe();
            problems.push(
                Diagnostic::error(format!("variables are a mapping, and this is {what}"))
                    .at(document.root.span, "")
                    .help("write `name: value` on each line"),
            );
            return;
        };
        for entry in maps.into_iter().flat_map(|map| &map.entries) {
            let key = entry.key.python_str();
            self.places.insert(key.clone(), sources.locate(entry.key.span));
            self.values.insert(key, entry.value.clone());
        }
    }

    /// Returns `true` if there are files with variables.
    pub(super) fn are_given(&self) -> bool {
        self.are_given
    }

    /// The faults that Ansible warns of, with the texts of the files.
    pub(super) fn warnings(&self) -> (&[Diagnostic], &SourceMap) {
        (&self.warnings, &self.sources)
    }

    /// A variable as its file has it.
    pub(super) fn get(&self, name: &str) -> Option<&ConfigValue> {
        self.values.get(name)
    }

    /// The place of a variable's name: `file:line:column`.
    pub(super) fn place(&self, name: &str) -> &str {
        self.places.get(name).map_or("", String::as_str)
    }

    /// The variable that a name may be a misspelling of.
    pub(super) fn near(&self, name: &str) -> Option<&str> {
        closest(name, self.values.keys().map(String::as_str))
    }
}

/// Turns plain words of YAML 1.1, which Ansible reads, into what they mean there: `yes` is true, and `0775` octal. TPV reads YAML 1.2.
pub fn as_ansible_reads(value: &mut ConfigValue, text: &str) {
    let written = text.get(value.span.range()).unwrap_or("");
    let kind = match &mut value.kind {
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            Arc::make_mut(map).entries.iter_mut().for_each(|entry| as_ansible_reads(&mut entry.value, text));
            return;
        }
        ValueKind::List(items) => {
            Arc::make_mut(items).iter_mut().for_each(|item| as_ansible_reads(item, text));
            return;
        }
        ValueKind::Str(text) if text.style == ScalarStyle::Plain => match text.as_str() {
            "yes" | "Yes" | "YES" | "on" | "On" | "ON" => ValueKind::Bool(true),
            "no" | "No" | "NO" | "off" | "Off" | "OFF" => ValueKind::Bool(false),
            _ => return,
        },
        ValueKind::Int(_) => {
            let is_octal = written.starts_with('0') && written.len() > 1;
            match i64::from_str_radix(written, 8) {
                Ok(number) if is_octal => ValueKind::Int(number),
                _ => return,
            }
        }
        _ => return,
    };
    value.kind = kind;
}

/// The mappings of variables in a file: all of it, the items of a list, which Ansible takes for as many files, or of a playbook the `vars` of its plays.
fn mappings(root: &ConfigValue) -> Option<Vec<&Map>> {
    match &root.kind {
        ValueKind::Map(map) => Some(vec![map]),
        ValueKind::Null => Some(Vec::new()),
        ValueKind::List(plays) if !plays.is_empty() && plays.iter().all(is_play) => {
            Some(plays.iter().filter_map(|play| Some(&**play.as_map()?.get("vars")?.as_map()?)).collect())
        }
        ValueKind::List(items) => items.iter().map(|item| item.as_map().map(|map| &**map)).collect(),
        _ => None,
    }
}

/// Returns `true` for a play, or the import of a playbook.
fn is_play(value: &ConfigValue) -> bool {
    let keys = ["hosts", "import_playbook", "ansible.builtin.import_playbook"];
    value.as_map().is_some_and(|map| keys.iter().any(|key| map.get(key).is_some()))
}

/// The deepest folders in which variables are looked for.
const DEEPEST: usize = 8;

/// The files with variables that some paths name, in the order in which Ansible reads them: of a folder `all` first, then the
/// others by name, with those in folders below.
pub fn variable_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { collect(path, DEEPEST, &mut files) } else { files.push(path.clone()) }
    }
    files
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut entries: Vec<(bool, PathBuf)> =
        entries.map(|path| (path.file_stem() != Some("all".as_ref()), path)).collect();
    entries.sort();
    for (_, path) in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        if path.is_dir() {
            collect(&path, depth, files);
        } else if path.extension().is_none_or(|end| ["yml", "yaml", "json"].iter().any(|known| end == *known)) {
            files.push(path);
        }
    }
}
