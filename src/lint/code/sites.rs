//! Where code stands: every text once, with the entities that have it, by writing it or by inheriting.

use std::collections::HashMap;
use std::sync::Arc;

use crate::config::Config;
use crate::config::code::CodeKind;
use crate::config::entity::{Common, Entity, EntityKind, Rule};
use crate::source::Span;
use crate::yaml::value::{ConfigValue, Text, ValueKind};

/// A text of code.
pub(in crate::lint) struct Site<'a> {
    pub text: &'a Text,
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
    pub(in crate::lint) fn kind_of_owner(&self) -> EntityKind {
        self.owners.first().map_or(EntityKind::Tool, |owner| owner.kind)
    }

    /// The codes that all entities with this text turn off.
    pub(super) fn no_qa(&self) -> Vec<&[Text]> {
        self.owners.iter().map(|owner| owner.common.no_qa_codes.as_slice()).collect()
    }
}

/// All code, that of a rule's condition before the rest of the rule.
pub(in crate::lint) fn collect(config: &Config) -> Vec<Site<'_>> {
    let mut collector = Collector { sites: Vec::new(), index: HashMap::new() };
    for kind in [EntityKind::Tool, EntityKind::Role, EntityKind::User, EntityKind::Destination] {
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
        self.common(owner, None, &owner.common);
        for rule in owner.rules.values() {
            self.rule(owner, rule);
        }
        if let Some(destination) = &owner.destination {
            for tag in destination.handler_tags.iter() {
                self.add(owner, None, tag, CodeKind::FString, "tags");
            }
            self.add(owner, None, &destination.dest_name, CodeKind::FString, "destination_name_override");
        }
    }

    fn rule(&mut self, owner: &'a Arc<Entity>, rule: &'a Arc<Rule>) {
        let at = Some(rule.span);
        if let Some(text) = rule.condition.as_text() {
            self.add(owner, at, text, CodeKind::Block, "if");
        }
        self.common(owner, at, &rule.common);
        if let Some(text) = &rule.execute {
            self.add(owner, at, text, CodeKind::Exec, "execute");
        }
        if let Some(text) = &rule.fail {
            self.add(owner, at, text, CodeKind::FString, "fail");
        }
    }

    fn common(&mut self, owner: &'a Arc<Entity>, rule: Option<Span>, common: &'a Common) {
        for (name, value) in common.resources.evaluated() {
            if let Some(text) = value.as_ref().and_then(|value| value.as_text()) {
                self.add(owner, rule, text, CodeKind::Block, name);
            }
        }
        for (_, text) in common.env.iter().flat_map(|env| env.iter().flatten()) {
            self.add(owner, rule, text, CodeKind::FString, "env");
        }
        for value in common.params.iter().flat_map(|params| params.values()) {
            self.strings(owner, rule, value, "params");
        }
        for value in common.resubmit.values() {
            self.strings(owner, rule, value, "resubmit");
        }
        if let Some(text) = &common.rank {
            self.add(owner, rule, text, CodeKind::Block, "rank");
        }
    }

    fn strings(&mut self, owner: &'a Arc<Entity>, rule: Option<Span>, value: &'a ConfigValue, property: &'static str) {
        match &value.kind {
            ValueKind::Str(text) => self.add(owner, rule, text, CodeKind::FString, property),
            ValueKind::List(items) | ValueKind::Set(items) => {
                items.iter().for_each(|item| self.strings(owner, rule, item, property))
            }
            ValueKind::Map(map) => {
                map.entries.iter().for_each(|entry| self.strings(owner, rule, &entry.value, property));
            }
            _ => {}
        }
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
