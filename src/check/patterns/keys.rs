//! The keys of a section, as patterns.

use std::cell::OnceCell;
use std::collections::HashSet;

use tpv_python::regex::ast::Pattern;
use tpv_python::regex::parser::parse;
use tpv_runtime::patterns::prefix::{Ending, GAP, Prefix, WILDCARD, prefixes};
use tpv_runtime::patterns::{Matcher, PatternSet};

use super::language::Language;
use crate::config::Config;
use crate::config::entity::{Entity, EntityKind};

/// One key with its entity.
pub(super) struct Key<'a> {
    /// The entity, with all that it inherits from those it names.
    pub entity: &'a Entity,
    /// Its place among the keys.
    pub place: usize,
    /// The pattern.
    pub pattern: Pattern,
    /// Whether jobs get the entity by their own id alone: it is neither abstract nor the default, and no other entity names it as its parent.
    pub is_plain: bool,
    prefixes: Vec<Prefix>,
    language: OnceCell<Option<Language>>,
}

/// A character that no key has: where it matches, any does.
const ANY: char = '\u{f8ff}';

impl Key<'_> {
    /// What it matches; `None` where that cannot be told.
    pub(super) fn language(&self) -> Option<&Language> {
        self.language.get_or_init(|| Language::of(&self.pattern)).as_ref()
    }

    /// A text that the pattern matches, without what may follow it.
    pub(super) fn example(&self) -> Option<String> {
        match self.prefixes.first().filter(|prefix| prefix.ending != Ending::Verify) {
            // A dot stands for itself mostly.
            Some(prefix) => text(prefix.bytes.iter().filter(|byte| **byte != GAP), '.'),
            None => self.language()?.shortest(None)?,
        }
    }

    /// Texts with which all begin that the pattern matches, with [`ANY`] for any character; `None` where there are none so simple.
    fn beginnings(&self) -> Option<Vec<String>> {
        let beginning = |prefix: &Prefix| {
            let end = prefix.bytes.iter().rposition(|byte| *byte != GAP).map_or(0, |last| last + 1);
            let bytes = prefix.bytes.get(..end)?;
            let is_plain = prefix.ending != Ending::Verify && !bytes.contains(&GAP);
            is_plain.then(|| text(bytes.iter(), ANY))?
        };
        self.prefixes.iter().map(beginning).collect()
    }

    /// Whether the pattern matches whatever begins with an id that it matches.
    fn is_open(&self) -> bool {
        self.prefixes.iter().all(|prefix| prefix.ending == Ending::Open) && !self.entity.id.contains(ANY)
    }
}

/// The text of a prefix, with a character for each wildcard.
fn text<'b>(bytes: impl Iterator<Item = &'b u8>, wildcard: char) -> Option<String> {
    let mut out = Vec::new();
    for byte in bytes {
        match *byte {
            WILDCARD => out.extend_from_slice(wildcard.encode_utf8(&mut [0; 4]).as_bytes()),
            byte => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}

/// The keys of a section, in the order in which they are tried.
pub(super) struct Keys<'a> {
    /// Which section.
    pub kind: EntityKind,
    /// The keys.
    pub list: Vec<Key<'a>>,
    /// What every entity inherits from first.
    pub default: Option<&'a Entity>,
    matcher: Matcher<PatternSet>,
}

impl<'a> Keys<'a> {
    /// The keys of a section of a config whose ids are all patterns.
    pub(super) fn new(config: &'a Config, kind: EntityKind) -> Self {
        let section = config.section(kind);
        let default = config.global.default_inherits.as_ref().and_then(|id| section.get(id.as_str()));
        let parents: HashSet<&str> =
            section.values().filter_map(|entity| Some(entity.common.inherits.as_ref()?.as_str())).collect();
        let key = |(place, entity): (usize, &'a Entity)| {
            let is_default = default.is_some_and(|default| default.id == entity.id);
            let is_plain = !is_default && !entity.common.is_abstract && !parents.contains(&*entity.id);
            let pattern = parse(&entity.id, 0).ok()?;
            let prefixes = prefixes(&pattern);
            Some(Key { entity, place, pattern, is_plain, prefixes, language: OnceCell::new() })
        };
        // No key counts behind one that is no pattern: each lookup ends there.
        let list: Vec<Key<'a>> = section.values().map(|entity| &**entity).enumerate().map_while(key).collect();
        let ids: Vec<&str> = list.iter().map(|key| &*key.entity.id).collect();
        let matcher = Matcher::new(PatternSet::build(&ids));
        Self { kind, default: default.map(|entity| &**entity), list, matcher }
    }

    /// The places of the keys that match an id.
    pub(super) fn matching(&self, id: &str) -> Vec<usize> {
        let mut found = Vec::new();
        // A pattern that takes too many steps counts as one that does not match.
        let _ = self.matcher.matches(id, &mut found);
        found.into_iter().map(|index| index as usize).collect()
    }

    /// Whether a key matches all that another does: a proof.
    pub(super) fn covers(&self, wide: &Key<'_>, narrow: &Key<'_>) -> bool {
        let matches = |id: &String| self.matching(id).contains(&wide.place);
        // Most answers need no automaton: one id settles that it does not, or few beginnings that it does.
        if narrow.example().is_some_and(|id| !matches(&id)) {
            return false;
        }
        if wide.is_open() && narrow.beginnings().is_some_and(|ids| ids.iter().all(matches)) {
            return true;
        }
        let languages = wide.language().zip(narrow.language());
        languages.and_then(|(wide, narrow)| wide.includes(narrow)) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use crate::config::load_sources;
    use crate::diagnostic::Diagnostics;
    use crate::source::SourceMap;

    /// The short ways to an answer are those of the automata.
    #[test]
    fn covers_as_the_automata_say() {
        let ids = [
            "bwa", "bwa.*", "^bwa", "bwa$", "bwa/.*", "b.a", "b\\\\.a", "b(wa|ow)", "bow/1", ".*wa/.*", "bwa.*/x",
            "[ab].*", ".*", "bwa.*$", "bow", "b.*a", "é.", "b[^/]a/", "bwa.", "(?i)BWA",
        ];
        let entries: String = ids.iter().map(|id| format!("  \"{id}\":\n    mem: 1\n")).collect();
        let mut sources = SourceMap::new();
        let source = sources.add("config.yml", &format!("tools:\n{entries}"));
        let mut problems = Diagnostics::new();
        let config = load_sources(&sources, &[source], &mut problems);
        assert!(problems.is_empty());
        let keys = Keys::new(&config, EntityKind::Tool);
        assert_eq!(keys.list.len(), ids.len());
        let mut covered = 0;
        for wide in &keys.list {
            for narrow in &keys.list {
                let expected = wide.language().unwrap().includes(narrow.language().unwrap()).unwrap();
                assert_eq!(keys.covers(wide, narrow), expected, "{} {}", wide.entity.id, narrow.entity.id);
                covered += usize::from(expected);
            }
        }
        assert!(covered > 80, "{covered}");
    }
}
