//! The entities of a section that a job's id gets.

use std::cell::OnceCell;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_runtime::patterns::{Matcher, PatternSet};

/// A section whose keys are looked up as patterns, which are built when they are first asked for.
pub(super) struct Matching<'a> {
    config: &'a Config,
    class: EntityClass,
    patterns: OnceCell<Matcher<PatternSet>>,
}

impl<'a> Matching<'a> {
    /// The section of a class.
    pub(super) fn new(config: &'a Config, class: EntityClass) -> Self {
        Self { config, class, patterns: OnceCell::new() }
    }

    fn patterns(&self) -> &Matcher<PatternSet> {
        self.patterns.get_or_init(|| {
            let keys: Vec<&str> = self.config.section(self.class).keys().map(|id| &**id).collect();
            Matcher::new(PatternSet::build(&keys))
        })
    }

    /// The entities whose keys match an id, in the order of the config.
    pub(super) fn of_id(&self, id: &str) -> impl Iterator<Item = &'a Entity> + use<'a> {
        let mut found = Vec::new();
        // A pattern that is not valid has a finding of its own.
        drop(self.patterns().matches(id, &mut found));
        let section = self.config.section(self.class);
        found.into_iter().filter_map(move |index| Some(&**section.get_index(index as usize)?.1))
    }

    /// The entities whose keys match a typical id of an entity's pattern, itself among them.
    pub(super) fn of_entity(&self, entity: &Entity) -> impl Iterator<Item = &'a Entity> + use<'a> {
        self.of_id(&sample(&entity.id))
    }
}

/// An id that a pattern matches: its text with something for each wildcard.
fn sample(pattern: &str) -> String {
    pattern.replace(".*", "x").replace(".+", "x").replace('\\', "")
}
