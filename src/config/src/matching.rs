//! The entities of a section that a job's id gets.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tpv_model::{EntityClass, Matched};
use tpv_runtime::patterns::{Matcher, PatternSet};

use crate::Config;
use crate::entity::Entity;

/// The patterns of each section, built when they are first asked for.
pub(crate) struct Patterns(Matched<OnceLock<Matcher<Arc<PatternSet>>>>);

impl Default for Patterns {
    fn default() -> Self {
        Self(Matched::new(|_| OnceLock::new()))
    }
}

impl fmt::Debug for Patterns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Patterns").finish_non_exhaustive()
    }
}

impl Config {
    /// The keys of a class's section as patterns, numbered in their order. They are those of the first call: a section must not change after it.
    /// `None` if a job's entities of the class are not found by matching.
    pub fn matcher(&self, class: EntityClass) -> Option<&Matcher<Arc<PatternSet>>> {
        let build = || {
            let keys: Vec<&str> = self.section(class).keys().map(|id| &**id).collect();
            Matcher::new(Arc::new(PatternSet::build(&keys)))
        };
        self.patterns.0.get(class).map(|patterns| patterns.get_or_init(build))
    }

    /// The entities of a class whose keys match an id, in the order of the config; of a section with a pattern that is not valid, those
    /// before it.
    pub fn matching(&self, class: EntityClass, id: &str) -> impl Iterator<Item = &Arc<Entity>> + use<'_> {
        let mut found = Vec::new();
        if let Some(matcher) = self.matcher(class) {
            // A pattern that is not valid has a finding of its own.
            drop(matcher.matches(id, &mut found));
        }
        let section = self.section(class);
        found.into_iter().filter_map(|index| Some(section.get_index(index as usize)?.1))
    }
}
