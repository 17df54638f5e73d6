//! Tools, users, roles, destinations and pools, and the fields that rules share with them.

use std::sync::Arc;

use super::braces::braced;
use super::scalar::{as_bool, integer, number, number_or_text};
use super::{Owner, Validator, at_value};
use crate::entity::{Amounts, Common, Dict, Entity, Oversize};
use crate::fields;
use crate::rules::Rules;
use crate::scheduling::SchedulingTags;
use crate::template::PLACEHOLDER;
use tpv_model::field::Kind;
use tpv_model::{Amount, EntityClass, Field, FieldMap, Quantity, Version};
use tpv_text::diagnostic::Diagnostic;
use tpv_yaml::value::{ConfigValue, Entry, Text, ValueKind};

/// The fields of an entity or rule so far.
pub(super) struct Draft {
    common: Common,
    amounts: Amounts,
    pub(super) singles: FieldMap<ConfigValue>,
    extras: Dict,
}

impl Draft {
    pub(super) fn new(version: Version) -> Self {
        let mut common = Common::default();
        if !version.has_models() {
            common.context = None;
        }
        Self { common, amounts: Amounts::default(), singles: FieldMap::default(), extras: Dict::new() }
    }

    pub(super) fn finish(self) -> Common {
        let mut common = self.common;
        if !self.amounts.is_empty() {
            common.amounts = Arc::new(self.amounts);
        }
        if !self.singles.is_empty() {
            common.singles = Arc::new(self.singles);
        }
        if !self.extras.is_empty() {
            common.extras = Arc::new(self.extras);
        }
        common
    }
}

impl Validator<'_> {
    /// One entity under its id.
    pub(super) fn entity(&mut self, kind: EntityClass, id: &Text, entry: &Entry) -> Entity {
        let owner = Owner { noun: kind.noun(), name: &id.value, span: id.span };
        let mut draft = Draft::new(self.version);
        let mut rules = Rules::default();
        let (mut dest_tags, mut oversize) = (SchedulingTags::default(), Oversize::default());
        let mut own_id = None;
        let is_field = fields::DESTINATION.field(&id.value).is_some();
        let map = if is_field && entry.value.as_map().is_none() && !entry.value.is_null() {
            let noun = kind.noun();
            self.problems.push(
                Diagnostic::error(format!("expected the id of a {noun}, got `{}`", id.value))
                    .at(id.span, format!("this is a field of a {noun}"))
                    .help(format!("indent it deeper than the id of the {noun} it belongs to")),
            );
            None
        } else {
            self.mapping(entry, format_args!("the {} `{}`", kind.noun(), id.value), None).cloned()
        };
        let map = map.unwrap_or_default();
        let known = fields::of(kind);
        for entry in &map.entries {
            let Some(key) = self.string_key(entry, "a field") else { continue };
            let key = key.as_str();
            let is_known = known.field(key).is_some()
                && self.has_field(kind, key)
                && match (kind, key) {
                    (_, "rules") => {
                        rules = self.rules(entry, owner);
                        true
                    }
                    (EntityClass::Destination, "scheduling") if self.version.evaluates_early() => {
                        // TPV 1 has one set of tags for what a destination offers and for what it asks.
                        draft.common.tags = self.scheduling(entry, owner).unwrap_or_default();
                        dest_tags = draft.common.tags.clone();
                        true
                    }
                    (EntityClass::Destination, "scheduling") => {
                        dest_tags = self.scheduling(entry, owner).unwrap_or_default();
                        true
                    }
                    (EntityClass::PoolEntity, "scheduling") => {
                        dest_tags = self.pool_scheduling(entry, owner);
                        true
                    }
                    // These two have a field of this name beside `scheduling`; it is what a job would ask for.
                    (EntityClass::Destination | EntityClass::PoolEntity, "tpv_tags") => {
                        draft.common.tags = self.scheduling(entry, owner).unwrap_or_default();
                        true
                    }
                    (EntityClass::PoolEntity, "oversize") => {
                        oversize = self.oversize(entry, owner);
                        true
                    }
                    _ => self.common_field(key, entry, owner, &mut draft),
                };
            // TPV sets an unset name twice: first from the field `id`, then from the key, when it is still empty.
            if let ("id", Some(text)) = (key, entry.value.as_text()) {
                own_id = Some(text.clone()).filter(|_| self.version.has_models());
            }
            if !is_known {
                self.unknown_field(entry, key, owner, known);
                self.extra(&mut draft, key, &entry.value);
            }
        }
        if kind == EntityClass::Destination {
            let is_unset = |value: Option<&ConfigValue>| value.is_none_or(|value| value.as_str() == Some(""));
            if is_unset(draft.singles.get(Field::DestName)) {
                let name = own_id.filter(|text| !text.value.is_empty()).unwrap_or_else(|| id.clone());
                draft.singles.set(Field::DestName, text_value(name));
            }
            if draft.singles.get(Field::HandlerTags).is_none() {
                draft.singles.set(Field::HandlerTags, ConfigValue::new(ValueKind::List(Arc::default()), id.span));
            }
        }
        Entity {
            class: kind,
            id: id.value.clone(),
            span: id.span,
            common: draft.finish(),
            rules,
            dest_tags: kind.offers_tags().then(|| Arc::new(dest_tags)),
            oversize: (kind == EntityClass::PoolEntity).then(|| Arc::new(oversize)),
        }
    }

    /// Returns `true` if this version of TPV reads the field of a class.
    pub(super) fn has_field(&self, class: EntityClass, key: &str) -> bool {
        Field::of(class).find(|field| field.alias() == key).is_none_or(|field| self.version.has_field(field))
    }

    /// Keeps a field that TPV does not know, if it does.
    pub(super) fn extra(&self, draft: &mut Draft, key: &str, value: &ConfigValue) {
        if self.version.has_models() {
            draft.extras.insert(key.into(), value.clone());
        }
    }

    /// Takes a field that all entities and rules have; false for any other field.
    pub(super) fn common_field(&mut self, key: &str, entry: &Entry, owner: Owner<'_>, draft: &mut Draft) -> bool {
        if let Some(amount) = Amount::from_name(key) {
            // Before TPV 3.0 a limit may be a text, too, which fails when it is compared.
            let may_be_code = matches!(amount, Amount::Resource(_)) || !self.version.has_models();
            let whole = amount.quantity() == Quantity::Gpus && self.version.has_whole_gpus();
            let value =
                if whole { self.whole(entry, owner, may_be_code) } else { self.resource(entry, owner, may_be_code) };
            draft.amounts.set(amount, value.map(Arc::new));
            return true;
        }
        if let Some(field) = Field::singles().iter().find(|field| field.alias() == key) {
            if let Some(value) = self.single(*field, entry, owner) {
                draft.singles.set(*field, value);
            }
            return true;
        }
        let common = &mut draft.common;
        match key {
            // The id of an entity is its key, but the field must still be a string.
            "id" => drop(self.text(entry, owner)),
            "abstract" => common.is_abstract = self.abstract_field(entry, owner),
            "inherits" => common.inherits = self.optional_text(entry, owner),
            "env" if self.version.evaluates_early() => common.env = self.early_env(entry, owner),
            "env" => common.env = self.env(entry, owner),
            "params" => {
                common.params = self.optional_dict(entry, owner);
                self.braces("params", &entry.value, owner, "the job gets the mapping");
            }
            "resubmit" => common.resubmit = self.resubmit(entry, owner).unwrap_or_default(),
            "context" => common.context = self.optional_dict(entry, owner),
            "scheduling" => common.tags = self.scheduling(entry, owner).unwrap_or_default(),
            "no_qa_codes" => common.no_qa_codes = self.text_list(entry, owner).unwrap_or_default(),
            "evaluator" => self.problems.push(
                Diagnostic::error("`evaluator` is a name that TPV keeps for itself")
                    .at(entry.key.span, "")
                    .also(owner.span, owner.describe())
                    .help("choose another name"),
            ),
            _ => return false,
        }
        true
    }

    /// `cores` and the like: a number, or code if `may_be_code`.
    pub(super) fn resource(&mut self, entry: &Entry, owner: Owner<'_>, may_be_code: bool) -> Option<ConfigValue> {
        // What a variable without a value would give is not known.
        let is_unknown = || entry.value.as_str().is_some_and(|text| text.starts_with(PLACEHOLDER));
        if entry.value.is_null() || is_unknown() {
            return None;
        }
        if !self.version.has_models() && matches!(entry.value.kind, ValueKind::Bool(_)) {
            return Some(entry.value.clone());
        }
        let name = entry.key.python_str();
        let value = if may_be_code { number_or_text(&entry.value) } else { number(&entry.value) };
        if value.is_none() && may_be_code {
            let help = match braced(&entry.value) {
                Some(text) => {
                    format!("`{name}` is code: write it without braces, `{name}: {}`", text.trim_matches(['{', '}']))
                }
                None => format!("write a number, as in `{name}: 2`, or code, as in `{name}: input_size * 2`"),
            };
            self.wrong_type(entry, owner, "a number or an expression", help);
        } else if value.is_none() {
            self.wrong_type(entry, owner, "a number", format!("write a number, as in `{name}: 2`"));
        }
        value
    }

    /// A number of GPUs before TPV 3.1: a whole number, or code if `may_be_code`.
    fn whole(&mut self, entry: &Entry, owner: Owner<'_>, may_be_code: bool) -> Option<ConfigValue> {
        let value = self.resource(entry, owner, may_be_code)?;
        if may_be_code && value.as_text().is_some() {
            return Some(value);
        }
        let number = integer(&value);
        if number.is_none() {
            let name = entry.key.python_str();
            let help = format!("TPV {} takes no fractions of GPUs: write `{name}: 1`", self.version);
            self.wrong_type(entry, owner, "a whole number", help);
        }
        number
    }

    fn abstract_field(&mut self, entry: &Entry, owner: Owner<'_>) -> bool {
        as_bool(&entry.value).unwrap_or_else(|| {
            let problem = Diagnostic::error("`abstract` must be true or false");
            self.problems.push(at_value(problem, entry, Some(owner)).help("write `abstract: true`"));
            false
        })
    }

    /// One of [`Field::singles`]. `None` if it is null, or of a wrong type.
    fn single(&mut self, field: Field, entry: &Entry, owner: Owner<'_>) -> Option<ConfigValue> {
        match field.kind() {
            Kind::Condition => self.condition(entry, owner),
            Kind::Flag => self.flag(entry, owner).map(|flag| ConfigValue::new(ValueKind::Bool(flag), entry.value.span)),
            Kind::FStrings if entry.value.as_text().is_some() && !self.version.has_models() => {
                Some(entry.value.clone())
            }
            Kind::FStrings => self.text_list(entry, owner).map(|texts| {
                let texts = texts.iter().cloned().map(text_value).collect();
                ConfigValue::new(ValueKind::List(Arc::new(texts)), entry.value.span)
            }),
            _ => self.optional_text(entry, owner).map(text_value),
        }
    }
}

fn text_value(text: Text) -> ConfigValue {
    let span = text.span;
    ConfigValue::new(ValueKind::Str(text), span)
}
