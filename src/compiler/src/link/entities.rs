//! Entities and rules to rows.

use std::sync::Arc;

use tpv_model::{EntityClass, Field, Resource};
use tpv_runtime::artifact::tables::{EntityRow, ValueRow};

use tpv_bytecode::CodeKind;
use tpv_config::code::code_kind;
use tpv_config::entity::{Common, Entity, EnvEntry, Rule};
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, ValueKind};

use super::Linker;
use super::pools::oversize_row;
use super::shared::Shared;

impl Linker<'_> {
    /// An entity.
    pub(super) fn entity(&mut self, entity: &Entity) -> EntityRow {
        let mut row = self.common(entity.class, &entity.id, entity.span, &entity.common);
        row.rules = entity.rules.iter().map(|(key, rule)| (self.strings.id(key), self.rule(rule))).collect();
        row.dest_tags = entity.dest_tags.as_ref().map(|tags| Box::new(self.tags(tags)));
        row.oversize = entity.oversize.as_ref().map(|oversize| Box::new(oversize_row(oversize)));
        row
    }

    /// The index of a rule's row.
    fn rule(&mut self, rule: &Arc<Rule>) -> u32 {
        let key = Shared(rule.clone());
        if let Some(index) = self.rules.get(&key) {
            return *index;
        }
        let row = self.common(EntityClass::Rule, &rule.id, rule.span, &rule.common);
        let index = u32::try_from(self.tables.rules.len()).unwrap_or(u32::MAX);
        self.tables.rules.push(row);
        self.rules.insert(key, index);
        index
    }

    fn common(&mut self, class: EntityClass, id: &str, span: Span, common: &Common) -> EntityRow {
        let mut values = Vec::new();
        for (resource, value) in common.amounts.resources() {
            values.push((Field::Amount(resource.into()), self.resource(value, resource)));
        }
        values.extend(common.amounts.limits().map(|(limit, value)| (Field::Amount(limit.into()), self.value(value))));
        values.extend(common.env.as_ref().map(|env| (Field::Env, self.env(env))));
        let params = common.params.as_ref();
        values.extend(params.map(|params| (Field::Params, self.dict_row(params, Some(Field::Params.alias())))));
        if !common.resubmit.is_empty() {
            values.push((Field::Resubmit, self.dict_row(&common.resubmit, Some(Field::Resubmit.alias()))));
        }
        match &common.context {
            None => values.push((Field::Context, ValueRow::None)),
            Some(context) if context.is_empty() => {}
            Some(context) => values.push((Field::Context, self.dict_row(context, None))),
        }
        for field in Field::singles() {
            values.extend(common.singles.get(*field).map(|value| (*field, self.single(value, *field))));
        }
        EntityRow {
            class,
            id: self.strings.id(id),
            abstract_: common.is_abstract,
            inherits: common.inherits.as_ref().map(|parent| self.strings.id(parent.as_str())),
            values: values.into_iter().collect(),
            tags: self.tags(&common.tags),
            rules: Vec::new(),
            extras: self.dict(&common.extras),
            dest_tags: None,
            oversize: None,
            site: self.site_of(span),
        }
    }

    /// One of [`Field::singles`].
    fn single(&mut self, value: &ConfigValue, field: Field) -> ValueRow {
        match (&value.kind, code_kind(field.kind())) {
            (ValueKind::Str(text), Some(kind)) => self.code(text, kind, field.alias()),
            (ValueKind::List(items), Some(_)) => {
                ValueRow::List(items.iter().map(|item| self.single(item, field)).collect())
            }
            _ => self.value(value),
        }
    }

    fn resource(&mut self, value: &ConfigValue, resource: Resource) -> ValueRow {
        match &value.kind {
            ValueKind::Str(text) => self.code(text, CodeKind::Block, resource.name()),
            _ => self.value(value),
        }
    }

    fn env(&mut self, env: &[EnvEntry]) -> ValueRow {
        if self.tables.global.version.evaluates_early() {
            let items = env.iter().filter_map(|entry| {
                let [(_, name), (_, value)] = entry.as_slice() else { return None };
                Some((ValueRow::Str(self.strings.id(name.as_str()?)), self.value_as(value, Some(Field::Env.alias()))))
            });
            return ValueRow::Dict(items.collect());
        }
        ValueRow::List(env.iter().map(|entry| self.env_entry(entry)).collect())
    }

    fn env_entry(&mut self, entry: &[(Arc<str>, ConfigValue)]) -> ValueRow {
        let items = entry.iter().map(|(key, value)| {
            let value = self.value_as(value, Some(Field::Env.alias()));
            (ValueRow::Str(self.strings.id(key)), value)
        });
        ValueRow::Dict(items.collect())
    }
}
