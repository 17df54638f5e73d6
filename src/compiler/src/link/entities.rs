//! Entities and rules to rows.

use std::sync::Arc;

use tpv_model::{EntityClass, Field, Resource};
use tpv_runtime::artifact::tables::{DestinationRow, EntityRow, RuleRow, ValueRow};

use tpv_bytecode::CodeKind;
use tpv_config::entity::{Common, DestinationFields, Entity, EnvEntry, Rule};
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

use super::Linker;
use super::pools::pool_row;
use super::shared::Shared;

impl Linker<'_> {
    /// An entity.
    pub(super) fn entity(&mut self, entity: &Entity) -> EntityRow {
        let mut row = self.common(entity.class, &entity.id, entity.span, &entity.common);
        row.rules = entity.rules.iter().map(|(key, rule)| (self.strings.id(key), self.rule(rule))).collect();
        if let Some(fields) = &entity.destination {
            row.destination = Some(Box::new(DestinationRow {
                runner: fields.runner.as_ref().map(|runner| self.strings.id(runner.as_str())),
                dest_name: self.code(&fields.dest_name, CodeKind::FString, Field::DestName.alias()),
                dest_tags: self.tags(&fields.dest_tags),
                handler_tags: self.handler_tags(fields),
            }));
        }
        if let Some(fields) = &entity.pool {
            row.destination = Some(Box::new(DestinationRow {
                runner: None,
                dest_name: ValueRow::None,
                dest_tags: self.tags(&fields.dest_tags),
                handler_tags: ValueRow::None,
            }));
            row.pool = Some(Box::new(pool_row(fields)));
        }
        row
    }

    fn handler_tags(&mut self, fields: &DestinationFields) -> ValueRow {
        let tags = fields.handler_tags.iter();
        let mut tags: Vec<_> = tags.map(|tag| self.code(tag, CodeKind::FString, Field::HandlerTags.alias())).collect();
        tags.pop_if(|_| fields.has_plain_tags).unwrap_or(ValueRow::List(tags))
    }

    /// The index of a rule's row.
    fn rule(&mut self, rule: &Arc<Rule>) -> u32 {
        let key = Shared(rule.clone());
        if let Some(index) = self.rules.get(&key) {
            return *index;
        }
        let mut row = self.common(EntityClass::Rule, &rule.id, rule.span, &rule.common);
        let if_condition = match &rule.condition.kind {
            ValueKind::Str(text) => self.code(text, CodeKind::Block, Field::If.alias()),
            _ => self.value(&rule.condition),
        };
        row.rule = Some(RuleRow {
            if_condition,
            execute: self.optional_code(rule.execute.as_ref(), CodeKind::Exec, Field::Execute.alias()),
            fail: self.optional_code(rule.fail.as_ref(), CodeKind::FString, Field::Fail.alias()),
        });
        let index = u32::try_from(self.tables.rules.len()).unwrap_or(u32::MAX);
        self.tables.rules.push(row);
        self.rules.insert(key, index);
        index
    }

    fn optional_code(&mut self, text: Option<&Text>, kind: CodeKind, property: &'static str) -> ValueRow {
        text.map_or(ValueRow::None, |text| self.code(text, kind, property))
    }

    fn common(&mut self, class: EntityClass, id: &str, span: Span, common: &Common) -> EntityRow {
        let resources =
            common.amounts.resources().map(|(resource, value)| (resource, self.resource(value, resource))).collect();
        let limits = common.amounts.limits().map(|(limit, value)| (limit, self.value(value))).collect();
        EntityRow {
            class,
            id: self.strings.id(id),
            abstract_: common.is_abstract,
            inherits: common.inherits.as_ref().map(|parent| self.strings.id(parent.as_str())),
            resources,
            limits,
            env: common.env.as_ref().map_or(ValueRow::None, |env| self.env(env)),
            params: common
                .params
                .as_ref()
                .map_or(ValueRow::None, |params| self.dict_row(params, Some(Field::Params.alias()))),
            resubmit: self.dict_row(&common.resubmit, Some(Field::Resubmit.alias())),
            rank: self.optional_code(common.rank.as_ref(), CodeKind::Block, Field::Rank.alias()),
            context: common.context.as_ref().map_or(ValueRow::None, |context| self.dict_row(context, None)),
            tags: self.tags(&common.tags),
            rules: Vec::new(),
            extras: self.dict(&common.extras),
            destination: None,
            rule: None,
            pool: None,
            site: self.site_of(span),
        }
    }

    fn resource(&mut self, value: &ConfigValue, resource: Resource) -> ValueRow {
        match &value.kind {
            ValueKind::Str(text) => self.code(text, CodeKind::Block, resource.name()),
            _ => self.value(value),
        }
    }

    fn env(&mut self, env: &[EnvEntry]) -> ValueRow {
        if self.sources.version().evaluates_early() {
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
