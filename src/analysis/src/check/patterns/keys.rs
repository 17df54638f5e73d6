//! The keys of a section, as patterns.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;

use tpv_python::regex::ast::Pattern;
use tpv_python::regex::parser::parse;
use tpv_runtime::patterns::prefix::{Ending, GAP, Prefix, WILDCARD, prefixes};
use tpv_runtime::patterns::{Matcher, PatternSet};

use super::language::Language;
use crate::check::budget::Budget;
use crate::parts::{Part, parts};
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::source::Span;

/// One key with its entity.
pub(super) struct Key<'a> {
    /// The entity, with all that it inherits from those it names.
    pub entity: &'a Entity,
    /// Its place among the keys.
    pub place: usize,
    /// The pattern.
    pub pattern: Pattern,
    /// `true` if jobs get the entity by their own id alone: it is neither abstract nor the default, and no other entity
    /// names it as its parent.
    pub is_plain: bool,
    prefixes: Vec<Prefix>,
    language: OnceCell<Option<Language<'a>>>,
    parts: OnceCell<Vec<Part<'a>>>,
    budget: &'a Budget,
}

/// The steps of trying one pattern on an id.
const STEPS_OF_TRIAL: usize = 5;

/// A character that no key has: if it matches, any does.
const ANY: char = '\u{f8ff}';

impl<'a> Key<'a> {
    /// The language of the pattern. `None` if it is unknown.
    pub(super) fn language(&self) -> Option<&Language<'a>> {
        let make = || Language::of(&self.pattern, self.budget);
        self.language.get_or_init(make).as_ref()
    }

    /// The parts that its entity sets.
    pub(super) fn parts(&self) -> &[Part<'a>] {
        self.parts.get_or_init(|| {
            let parts = parts(&self.entity.common);
            // What is kept of them is charged; the check of a key that spends the rest is the last.
            let _ = self.budget.bytes(parts.capacity() * size_of::<Part<'_>>());
            parts
        })
    }

    /// A text that the pattern matches, without what may follow it.
    pub(super) fn example(&self) -> Option<String> {
        match self.prefixes.first().filter(|prefix| prefix.ending != Ending::Verify) {
            // A dot stands for itself mostly.
            Some(prefix) => text(prefix.bytes.iter().filter(|byte| **byte != GAP), '.'),
            None => self.language()?.shortest(None)?,
        }
    }

    /// Texts with which all begin that the pattern matches, with [`ANY`] for any character; `None` if there are none so simple.
    fn beginnings(&self) -> Option<Vec<String>> {
        let beginning = |prefix: &Prefix| {
            let end = prefix.bytes.iter().rposition(|byte| *byte != GAP).map_or(0, |last| last + 1);
            let bytes = prefix.bytes.get(..end)?;
            let is_plain = prefix.ending != Ending::Verify && !bytes.contains(&GAP);
            is_plain.then(|| text(bytes.iter(), ANY))?
        };
        self.prefixes.iter().map(beginning).collect()
    }

    /// Returns `true` if the pattern matches everything that begins with an id that it matches.
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
    pub class: EntityClass,
    /// The keys.
    pub list: Vec<Key<'a>>,
    /// The entity that all others inherit from first.
    pub default: Option<&'a Entity>,
    matcher: Matcher<PatternSet>,
    /// The number of patterns that are tried on every id.
    tried: usize,
    budget: &'a Budget,
    given_up: Cell<Option<Span>>,
}

impl<'a> Keys<'a> {
    /// The keys of a section of a config whose ids are all patterns; comparing them takes from a budget.
    pub(super) fn new(config: &'a Config, kind: EntityClass, budget: &'a Budget) -> Self {
        let section = config.section(kind);
        let default = config.default_entity(kind);
        let parents: HashSet<&str> =
            section.values().filter_map(|entity| Some(entity.common.inherits.as_ref()?.as_str())).collect();
        let key = |(place, entity): (usize, &'a Entity)| {
            let is_default = default.is_some_and(|default| default.id == entity.id);
            let is_plain = !is_default && !entity.common.is_abstract && !parents.contains(&*entity.id);
            let pattern = parse(&entity.id, 0).ok()?;
            let prefixes = prefixes(&pattern);
            let (language, parts) = (OnceCell::new(), OnceCell::new());
            Some(Key { entity, place, pattern, is_plain, prefixes, language, parts, budget })
        };
        // No key counts behind one that is no pattern: each lookup ends there.
        let list: Vec<Key<'a>> = section.values().map(|entity| &**entity).enumerate().map_while(key).collect();
        let ids: Vec<&str> = list.iter().map(|key| &*key.entity.id).collect();
        let matcher = Matcher::new(PatternSet::build(&ids));
        let is_tried = |key: &&Key<'_>| key.prefixes.iter().any(|prefix| prefix.ending == Ending::Verify);
        let tried = list.iter().filter(is_tried).count();
        let default = default.map(|entity| &**entity);
        Self { class: kind, default, list, matcher, tried, budget, given_up: Cell::new(None) }
    }

    /// The keys that jobs get by their own id alone, as long as the budget lasts.
    pub(super) fn plain(&self) -> impl Iterator<Item = &Key<'a>> {
        self.list.iter().filter(|key| key.is_plain).take_while(|key| {
            if self.budget.is_spent() && self.given_up.get().is_none() {
                self.given_up.set(Some(key.entity.span));
            }
            !self.budget.is_spent()
        })
    }

    /// The key at which the budget was spent, unless all were looked at.
    pub(super) fn given_up(&self) -> Option<Span> {
        self.given_up.get()
    }

    /// Takes steps from the budget. Returns `true` if it is not spent.
    pub(super) fn charge(&self, steps: usize) -> bool {
        self.budget.steps(steps).is_ok()
    }

    /// The places of the keys that match an id.
    pub(super) fn matching(&self, id: &str) -> Vec<usize> {
        let mut found = Vec::new();
        // A pattern that takes too many steps counts as one that does not match.
        let _ = self.matcher.matches(id, &mut found);
        self.charge(10 + STEPS_OF_TRIAL * self.tried + found.len());
        found.into_iter().map(|index| index as usize).collect()
    }

    /// Returns `true` if a key provably matches everything that another does.
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
    use tpv_config::load_sources;
    use tpv_text::diagnostic::Diagnostics;
    use tpv_text::source::SourceMap;

    #[test]
    fn keys_that_are_too_much_are_told() {
        let entries: String = (0..30).map(|id| format!("  .*x{id}.*y$:\n    mem: {id}\n")).collect();
        let mut sources = SourceMap::new();
        let source = sources.add("config.yml", &format!("tools:\n{entries}"));
        let config = load_sources(tpv_model::Version::default(), &sources, &[source], &mut Diagnostics::new());
        for (budget, is_enough) in
            [(Budget::new(), true), (Budget::of(30_000, 1 << 30), false), (Budget::of(1 << 30, 30_000), false)]
        {
            let keys = Keys::new(&config, EntityClass::Tool, &budget);
            let looked_at =
                keys.plain().filter(|key| key.language().is_some_and(|own| own.is_empty().is_some())).count();
            assert_eq!((looked_at == 30, keys.given_up().is_none()), (is_enough, is_enough), "{looked_at}");
            if let Some(at) = keys.given_up() {
                assert!(looked_at > 0 && sources.place(at).line > 2);
            }
        }
    }

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
        let config = load_sources(tpv_model::Version::default(), &sources, &[source], &mut problems);
        assert!(problems.is_empty());
        let budget = Budget::new();
        let keys = Keys::new(&config, EntityClass::Tool, &budget);
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
