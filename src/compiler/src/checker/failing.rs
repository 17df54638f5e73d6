//! The facts after a rule that ends the job: `if: user is None` with `fail` leaves only jobs of users for later code.

use std::collections::{HashMap, HashSet};

use super::block::Surroundings;
use super::sites::Site;
use super::types::Type;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_front::parse::Tree;
use tpv_model::EntityClass;
use tpv_text::source::Span;

/// The types of paths such as `user`.
type Facts = HashMap<String, Type>;

/// The rules that end the job, and what holds where they do not.
pub(super) struct Failing<'a> {
    config: &'a Config,
    facts: HashMap<Span, Facts>,
}

impl<'a> Failing<'a> {
    /// Looks at the conditions of all rules with `fail`.
    pub(super) fn new(
        config: &'a Config,
        sites: &[Site<'_>],
        parsed: &[Option<&Tree>],
        surroundings: &Surroundings,
    ) -> Self {
        // Each entity once: an entity has a site for each of its texts.
        let entities = EntityClass::SECTIONS.into_iter().flat_map(|kind| config.section(kind).values());
        let rules = entities.flat_map(|entity| entity.rules.values());
        let fails = |text: &tpv_yaml::value::Text| !text.value.is_empty();
        let failing: HashSet<Span> =
            rules.filter(|rule| rule.fail().is_some_and(fails)).map(|rule| rule.span).collect();
        let mut facts = HashMap::new();
        for (site, parsed) in sites.iter().zip(parsed) {
            let (Some(rule), Some(parsed), "if") = (site.rule, parsed, site.property) else { continue };
            if failing.contains(&rule) {
                let checked = super::check_one(site, parsed, HashMap::new(), surroundings);
                facts.insert(rule, checked.facts_if_false);
            }
        }
        Self { config, facts }
    }

    /// The facts at a text, for all entities that have it. The fields of an entity are evaluated after its rules, a
    /// rule's after those before it; the rules of the default come before all others.
    pub(super) fn before(&self, site: &Site<'_>) -> Facts {
        if self.facts.is_empty() {
            return Facts::new();
        }
        let mut owners = site.owners.iter().map(|owner| self.of(owner, site.rule));
        let mut all = owners.next().unwrap_or_default();
        for other in owners {
            all.retain(|path, ty| other.get(path) == Some(ty));
        }
        all
    }

    fn of(&self, owner: &Entity, until: Option<Span>) -> Facts {
        let default = self.config.global.default_inherits.as_ref();
        let default = default.and_then(|id| self.config.section(owner.class).get(id.as_str()));
        let default = default.filter(|default| default.id != owner.id);
        let own = owner.rules.values().take_while(|rule| Some(rule.span) != until);
        let rules = default.into_iter().flat_map(|default| default.rules.values()).chain(own);
        rules
            .filter_map(|rule| self.facts.get(&rule.span))
            .flatten()
            .map(|(path, ty)| (path.clone(), ty.clone()))
            .collect()
    }
}
