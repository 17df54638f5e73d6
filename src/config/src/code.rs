//! The Python code of a config: which texts there are, of what kind, and which of them TPV compiles when it loads.

use tpv_bytecode::CodeKind;
use tpv_model::field::Kind;
use tpv_model::{Field, Version};

use crate::entity::{Common, Entity, Rule};
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

/// A text that is Python code.
#[derive(Clone, Debug)]
pub struct CodeText {
    /// The text with its place.
    pub text: Text,
    /// TPV's way of evaluating it.
    pub kind: CodeKind,
    /// The field it stands in.
    pub property: &'static str,
}

impl Entity {
    /// The code that TPV compiles when it loads the file, so that an error in it keeps the config from loading. All other code
    /// fails only when a job runs it.
    pub fn checked_at_load(&self, version: Version) -> Vec<CodeText> {
        let mut out = Vec::new();
        let mut push = |text: &Text, kind, property| out.push(CodeText { text: text.clone(), kind, property });
        each_code(&self.common, &mut push);
        each_single(&self.common, |field| field == Field::HandlerTags, &mut push);
        if !version.has_models() {
            self.rules.iter().for_each(|(_, rule)| rule.each_code(&mut push));
            out.retain(|code| !code.text.value.is_empty());
        }
        out
    }
}

impl Rule {
    /// Calls `each` with all code, its kind and its field: the condition before what depends on it.
    pub fn each_code<'a>(&'a self, each: &mut impl FnMut(&'a Text, CodeKind, &'static str)) {
        each_single(&self.common, |field| field == Field::If, each);
        each_code(&self.common, each);
        each_single(&self.common, |field| !field.is_common() && field != Field::If, each);
    }
}

/// Calls `each` with all code of fields that only destinations have, its kind and its field.
pub fn each_own_code<'a>(common: &'a Common, each: &mut impl FnMut(&'a Text, CodeKind, &'static str)) {
    each_single(common, |field| !field.is_common(), each);
}

/// Calls `each` with the code of those of [`Field::singles`] that are wanted.
fn each_single<'a>(
    common: &'a Common,
    is_wanted: impl Fn(Field) -> bool,
    each: &mut impl FnMut(&'a Text, CodeKind, &'static str),
) {
    for field in Field::singles().iter().filter(|field| is_wanted(**field)) {
        if let (Some(value), Some(kind)) = (common.singles.get(*field), code_kind(field.kind())) {
            each_string(value, &mut |text| each(text, kind, field.alias()));
        }
    }
}

/// The kind of the code that a field of this kind holds as one value. `None` if it holds none.
pub fn code_kind(kind: Kind) -> Option<CodeKind> {
    match kind {
        Kind::Condition | Kind::Code => Some(CodeKind::Block),
        Kind::Statements => Some(CodeKind::Exec),
        Kind::FString | Kind::FStrings => Some(CodeKind::FString),
        _ => None,
    }
}

/// Calls `each` with all code of fields that entities and rules have, its kind and its field; fields that are numbers have none.
pub fn each_code<'a>(common: &'a Common, each: &mut impl FnMut(&'a Text, CodeKind, &'static str)) {
    for (resource, value) in common.amounts.resources() {
        if let Some(text) = value.as_text() {
            each(text, CodeKind::Block, resource.name());
        }
    }
    for (_, value) in common.env.iter().flat_map(|env| env.iter().flatten()) {
        each_string(value, &mut |text| each(text, CodeKind::FString, Field::Env.alias()));
    }
    for value in common.params.iter().flat_map(|params| params.values()) {
        each_string(value, &mut |text| each(text, CodeKind::FString, Field::Params.alias()));
    }
    for value in common.resubmit.values() {
        each_string(value, &mut |text| each(text, CodeKind::FString, Field::Resubmit.alias()));
    }
    each_single(common, Field::is_common, each);
}

/// The strings at any depth: values of mappings, not their keys.
fn each_string<'a>(value: &'a ConfigValue, each: &mut dyn FnMut(&'a Text)) {
    match &value.kind {
        ValueKind::Str(text) => each(text),
        ValueKind::List(items) | ValueKind::Set(items) => items.iter().for_each(|item| each_string(item, each)),
        ValueKind::Map(map) => map.entries.iter().for_each(|entry| each_string(&entry.value, each)),
        _ => {}
    }
}
