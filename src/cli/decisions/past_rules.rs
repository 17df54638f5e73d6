//! The rules of a decision, from the texts that are kept beside its log.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use tpv_analysis::rule_texts::{FOLDER, RuleTexts};
use tpv_text::open::open;

use crate::cli::rules::LoadedRules;

/// The most bytes of the texts of a rule set.
const MOST_BYTES: u64 = 256 << 20;
/// The most rule sets that are kept at a time.
const MOST_SETS: usize = 64;

/// The rules of past decisions, compiled once.
pub(super) struct PastRules {
    folders: Vec<PathBuf>,
    by_digest: HashMap<String, Option<Rc<LoadedRules>>>,
}

impl PastRules {
    /// The rules whose texts are kept beside these logs.
    pub(super) fn beside(logs: &[PathBuf]) -> Self {
        let folder = |log: &PathBuf| log.parent().unwrap_or(Path::new("")).join(FOLDER);
        let mut folders: Vec<PathBuf> = logs.iter().map(folder).collect();
        folders.sort();
        folders.dedup();
        Self { folders, by_digest: HashMap::new() }
    }

    /// The rules of a digest. `None` if their texts are not kept, or do not compile any more.
    pub(super) fn of(&mut self, digest: &str) -> Option<Rc<LoadedRules>> {
        if let Some(known) = self.by_digest.get(digest) {
            return known.clone();
        }
        if self.by_digest.len() >= MOST_SETS {
            self.by_digest.clear();
        }
        let name = RuleTexts::file_name(digest)?;
        let texts = self.folders.iter().find_map(|folder| read(&folder.join(&name)));
        // A file of another text than its name says explains nothing.
        let texts = texts.filter(|texts| texts.digest() == digest);
        let compiled = texts.map(|texts| texts.compile());
        let rules = compiled.and_then(|compiled| {
            let rules = Arc::new(compiled.rules?);
            Some(Rc::new(LoadedRules { rules, origin: Some((compiled.config, compiled.sources)) }))
        });
        self.by_digest.insert(digest.to_owned(), rules.clone());
        rules
    }
}

fn read(path: &Path) -> Option<RuleTexts> {
    use std::io::Read;
    let mut text = String::new();
    open(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    RuleTexts::read(&text)
}
