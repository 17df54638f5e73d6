//! The keys of a section, as patterns.

use std::cell::OnceCell;
use std::collections::HashSet;

use tpv_python::regex::ast::Pattern;
use tpv_python::regex::parser::parse;
use tpv_runtime::patterns::prefix::{Ending, GAP, WILDCARD, prefixes};
use tpv_runtime::patterns::{Matcher, PatternSet};

use super::language::Language;
use crate::config::Config;
use crate::config::entity::{Entity, EntityKind};

/// One key with its entity.
pub(super) struct Key<'a> {
    /// The entity, with all that it inherits from those it names.
    pub entity: &'a Entity,
    /// The pattern.
    pub pattern: Pattern,
    /// Whether jobs get the entity by their own id alone: it is neither abstract nor the default, and no other entity names it as its parent.
    pub is_plain: bool,
    language: OnceCell<Option<Language>>,
}

impl Key<'_> {
    /// What it matches; `None` where that cannot be told.
    pub(super) fn language(&self) -> Option<&Language> {
        self.language.get_or_init(|| Language::of(&self.pattern)).as_ref()
    }

    /// A text that the pattern matches, without what may follow it.
    pub(super) fn example(&self) -> Option<String> {
        let prefixes = prefixes(&self.pattern);
        match prefixes.first().filter(|prefix| prefix.ending != Ending::Verify) {
            // A dot stands for itself mostly.
            Some(prefix) => {
                let bytes = prefix.bytes.iter().filter(|byte| **byte != GAP);
                String::from_utf8(bytes.map(|byte| if *byte == WILDCARD { b'.' } else { *byte }).collect()).ok()
            }
            None => self.language()?.shortest(None)?,
        }
    }
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
        let key = |entity: &'a Entity| {
            let is_default = default.is_some_and(|default| default.id == entity.id);
            let is_plain = !is_default && !entity.common.is_abstract && !parents.contains(&*entity.id);
            let pattern = parse(&entity.id, 0).ok()?;
            Some(Key { entity, pattern, is_plain, language: OnceCell::new() })
        };
        let list: Vec<Key<'a>> = section.values().filter_map(|entity| key(entity)).collect();
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
}
