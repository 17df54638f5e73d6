//! The places of code: every text once, with the entities that have it, by writing it or by inheriting.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_config::Config;
use tpv_config::code::{each_code, each_own_code};
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::source::Span;
use tpv_yaml::value::Text;

/// A text of code.
pub struct Site<'a> {
    /// The text.
    pub text: &'a Text,
    /// Expression, statements or f-string.
    pub kind: CodeKind,
    /// The field it stands in.
    pub property: &'static str,
    /// The rule it stands in, if it is one's.
    pub rule: Option<Span>,
    /// The entities that have it.
    pub owners: Vec<&'a Arc<Entity>>,
}

impl Site<'_> {
    /// Which kind of entity has the text.
    pub fn kind_of_owner(&self) -> EntityClass {
        self.owners.first().map_or(EntityClass::Tool, |owner| owner.class)
    }

    /// The codes that all entities with this text turn off.
    pub(super) fn no_qa(&self) -> Vec<&[Text]> {
        self.owners.iter().map(|owner| owner.common.no_qa_codes.as_slice()).collect()
    }
}

/// All code, that of a rule's condition before the rest of the rule.
pub fn collect(config: &Config) -> Vec<Site<'_>> {
    let mut collector = Collector { sites: Vec::new(), index: HashMap::new() };
    for kind in EntityClass::COMBINED {
        for entity in config.section(kind).values() {
            collector.entity(entity);
        }
    }
    collector.sites
}

struct Collector<'a> {
    sites: Vec<Site<'a>>,
    /// By place, property and value: `env: {A: b}` makes two texts of one place.
    index: HashMap<(Span, &'static str, &'a str), usize>,
}

impl<'a> Collector<'a> {
    fn entity(&mut self, owner: &'a Arc<Entity>) {
        each_code(&owner.common, &mut |text, kind, property| self.add(owner, None, text, kind, property));
        for rule in owner.rules.values() {
            let at = Some(rule.span);
            rule.each_code(&mut |text, kind, property| self.add(owner, at, text, kind, property));
        }
        each_own_code(&owner.common, &mut |text, kind, property| self.add(owner, None, text, kind, property));
    }

    fn add(
        &mut self,
        owner: &'a Arc<Entity>,
        rule: Option<Span>,
        text: &'a Text,
        kind: CodeKind,
        property: &'static str,
    ) {
        if kind == CodeKind::FString && !text.as_str().contains('{') {
            return;
        }
        let index = *self.index.entry((text.span, property, text.as_str())).or_insert_with(|| {
            self.sites.push(Site { text, kind, property, rule, owners: Vec::new() });
            self.sites.len() - 1
        });
        if let Some(site) = self.sites.get_mut(index)
            && site.owners.last().is_none_or(|last| !Arc::ptr_eq(last, owner))
        {
            site.owners.push(owner);
        }
    }
}
