//! Findings that exist: a file that says which are known, so that only new ones are reported.
//!
//! A known finding is told by its code, its file, the keys that lead to its place, its message and its line's text, and by no number of a line:
//! it stays known where lines above it come and go.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Linted;
use tpv_text::diagnostic::{Diagnostics, Severity};
use tpv_text::finding::Finding;
use tpv_text::plain_path::plain;
use tpv_text::source::{SourceId, SourceMap, is_url};
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The version of the file's format.
const FORMAT: u32 = 1;

/// The key that distinguishes a finding from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The config file, relative to the folder of the baseline, or its URL; empty for what belongs to no file.
    pub file: String,
    /// The code.
    pub code: String,
    /// The keys that lead to it, joined by dots.
    pub path: String,
    /// The message.
    pub message: String,
    /// The line that it is on, without indentation.
    pub line: String,
}

/// A known finding in the file, with how many there are of it.
#[derive(Serialize, Deserialize)]
struct Row {
    #[serde(flatten)]
    known: Known,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_one(count: &usize) -> bool {
    *count == 1
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    findings: Vec<Row>,
}

/// A baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The number of occurrences of each known finding.
    pub findings: BTreeMap<Known, usize>,
}

impl Baseline {
    /// Reads the text of a baseline.
    ///
    /// # Errors
    /// A description of the fault, with its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.format != FORMAT {
            return Err(format!("its format is {}, and this tpvc reads {FORMAT}", file.format));
        }
        let mut findings = BTreeMap::new();
        for row in file.findings {
            *findings.entry(row.known).or_default() += row.count;
        }
        Ok(Self { findings })
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let rows = self.findings.iter().map(|(known, count)| Row { known: known.clone(), count: *count });
        let file = File { format: FORMAT, findings: rows.collect() };
        // It is made of texts and numbers, which always can be written.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// All findings of some runs, as those of a baseline in `folder`. What keeps a config from loading is not among them.
    pub fn of(runs: &[Linted], folder: &Path) -> Self {
        let mut findings = BTreeMap::new();
        for linted in runs {
            for known in known(linted, folder).into_iter().flatten() {
                *findings.entry(known).or_default() += 1;
            }
        }
        Self { findings }
    }

    /// Takes the known findings out of some runs: how many these were, and the baseline of what was not found.
    pub fn leave_out(&self, runs: &mut [Linted], folder: &Path) -> (usize, Self) {
        let mut rest = self.findings.clone();
        let mut left_out = 0;
        for linted in runs {
            let mut known = known(linted, folder).into_iter();
            linted.findings.retain(|_| {
                let Some(count) = known.next().flatten().and_then(|known| rest.get_mut(&known)) else { return true };
                let is_new = *count == 0;
                *count = count.saturating_sub(1);
                left_out += usize::from(!is_new);
                is_new
            });
        }
        rest.retain(|_, count| *count > 0);
        (left_out, Self { findings: rest })
    }
}

/// The files of some runs, as a baseline in `folder` names them.
pub fn files(runs: &[Linted], folder: &Path) -> HashSet<String> {
    let sources = runs.iter().flat_map(|linted| linted.sources.iter());
    sources.map(|(_, source)| relative(&source.name, folder)).collect()
}

/// The key of each finding; `None` for one that keeps the config from loading.
fn known(linted: &Linted, folder: &Path) -> Vec<Option<Known>> {
    let mut documents = HashMap::new();
    linted.findings.iter().map(|finding| one_known(finding, linted, folder, &mut documents)).collect()
}

fn one_known(
    finding: &Finding,
    linted: &Linted,
    folder: &Path,
    documents: &mut HashMap<SourceId, Option<ConfigValue>>,
) -> Option<Known> {
    if finding.code.severity() == Severity::Error {
        return None;
    }
    let mut known = Known {
        file: String::new(),
        code: finding.code.to_string(),
        path: String::new(),
        message: finding.diagnostic.message.clone(),
        line: String::new(),
    };
    if let Some(span) = finding.span()
        && let Some(source) = linted.sources.get(span.source)
    {
        known.file = relative(&source.name, folder);
        known.line = source.line_of(span.start).to_owned();
        let document = documents.entry(span.source).or_insert_with(|| document(&linted.sources, span.source));
        known.path = document.as_ref().map_or_else(String::new, |root| path(root, span.start));
    }
    Some(known)
}

fn document(sources: &SourceMap, id: SourceId) -> Option<ConfigValue> {
    tpv_yaml::load(sources, id, &mut Diagnostics::new()).map(|document| document.root)
}

/// The keys that lead to a place, joined by dots; an item of a list is called by its `id`.
fn path(root: &ConfigValue, offset: u32) -> String {
    let holds = |value: &ConfigValue| value.span.start <= offset && offset < value.span.end;
    let mut names: Vec<String> = Vec::new();
    let mut at = root;
    loop {
        let next = match &at.kind {
            ValueKind::Map(map) => {
                let before = map.entries.iter().filter(|entry| entry.key.span.start <= offset);
                let entry = before.max_by_key(|entry| entry.key.span.start);
                names.extend(entry.map(|entry| entry.key.python_str()));
                entry.map(|entry| &entry.value)
            }
            ValueKind::List(items) => {
                let item = items.iter().find(|item| holds(item));
                let id = item.and_then(|item| item.as_map()?.get("id")?.as_str());
                names.extend(id.map(str::to_owned));
                item
            }
            _ => None,
        };
        match next {
            Some(value) if holds(value) => at = value,
            _ => return names.join("."),
        }
    }
}

/// A file as it is named from a folder; a URL as it is.
fn relative(name: &str, folder: &Path) -> String {
    if is_url(name) {
        return name.to_owned();
    }
    let (name, folder) = (plain(Path::new(name)), plain(folder));
    let shared = name.iter().zip(&folder).take_while(|(one, other)| one == other).count();
    let up = folder.iter().skip(shared).map(|_| "..".to_owned());
    let down = name.iter().skip(shared).map(|part| part.to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use tpv_text::code::Code;

    use super::*;

    #[test]
    fn files_are_named_from_the_folder() {
        assert_eq!(relative("/site/rules/a.yml", Path::new("/site")), "rules/a.yml");
        assert_eq!(relative("/site/ci/../rules/a.yml", Path::new("/site/ci")), "../rules/a.yml");
        assert_eq!(relative("https://gxy.io/tpv/db.yml", Path::new("/site")), "https://gxy.io/tpv/db.yml");
    }

    #[test]
    fn keys_and_ids_lead_to_a_place() {
        let text = "tools:\n  bwa:\n    mem: 8\n    rules:\n    - id: big\n      if: input_size > 3\n      cores: 8\n";
        let mut sources = SourceMap::new();
        let id = sources.add("a.yml", text);
        let root = document(&sources, id).unwrap();
        let at = |needle: &str| path(&root, u32::try_from(text.find(needle).unwrap()).unwrap());
        assert_eq!(at("8\n"), "tools.bwa.mem");
        assert_eq!(at("input_size"), "tools.bwa.rules.big.if");
        assert_eq!(at("bwa"), "tools.bwa");
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let known = |line: &str| Known {
            file: "a.yml".to_owned(),
            code: Code::CoresWithoutMem.to_string(),
            path: "tools.bwa.cores".to_owned(),
            message: "`é`".to_owned(),
            line: line.to_owned(),
        };
        let baseline = Baseline { findings: BTreeMap::from([(known("cores: 2"), 1), (known("cores: 4"), 3)]) };
        assert_eq!(Baseline::parse(&baseline.text()).unwrap(), baseline);
        assert!(Baseline::parse("{\"format\": 2, \"findings\": []}").unwrap_err().contains("its format is 2"));
        assert!(Baseline::parse("{").unwrap_err().contains("line 1"));
    }
}
