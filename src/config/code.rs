//! The Python code of a config: which texts there are, of what kind, and which of them TPV compiles when it loads.

use crate::config::entity::{Common, Entity, Rule};
use crate::yaml::value::{ConfigValue, Text, ValueKind};

/// How TPV evaluates a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// Statements and a last expression, whose value counts.
    Block,
    /// Statements only.
    Exec,
    /// The inside of `f'''...'''`.
    FString,
}

/// A text that is Python code.
#[derive(Clone, Debug)]
pub struct CodeText {
    /// The text with its place.
    pub text: Text,
    /// How it is evaluated.
    pub kind: CodeKind,
    /// The field it stands in.
    pub property: &'static str,
    /// Whether TPV compiles it when it loads the file, so that an error in it keeps the config from loading. All other
    /// code fails only when a job comes to it.
    pub checked_at_load: bool,
}

impl Entity {
    /// All code of the entity and its rules, without that of fields that are numbers.
    pub fn code(&self) -> Vec<CodeText> {
        let mut out = Vec::new();
        self.common.collect(true, &mut out);
        if let Some(destination) = &self.destination {
            for tag in destination.handler_tags.iter() {
                push(&mut out, tag, CodeKind::FString, "tags", true);
            }
            push(&mut out, &destination.dest_name, CodeKind::FString, "destination_name_override", false);
        }
        for rule in self.rules.values() {
            rule.collect(&mut out);
        }
        out
    }
}

impl Rule {
    fn collect(&self, out: &mut Vec<CodeText>) {
        if let Some(text) = self.condition.as_text() {
            push(out, text, CodeKind::Block, "if", false);
        }
        self.common.collect(false, out);
        if let Some(text) = &self.execute {
            push(out, text, CodeKind::Exec, "execute", false);
        }
        if let Some(text) = &self.fail {
            push(out, text, CodeKind::FString, "fail", false);
        }
    }
}

impl Common {
    fn collect(&self, checked: bool, out: &mut Vec<CodeText>) {
        for (name, value) in self.resources.evaluated() {
            if let Some(text) = value.as_ref().and_then(|value| value.as_text()) {
                push(out, text, CodeKind::Block, name, checked);
            }
        }
        for (_, text) in self.env.iter().flat_map(|env| env.iter().flatten()) {
            push(out, text, CodeKind::FString, "env", checked);
        }
        for value in self.params.iter().flat_map(|params| params.values()) {
            collect_strings(value, "params", checked, out);
        }
        for value in self.resubmit.values() {
            collect_strings(value, "resubmit", checked, out);
        }
        if let Some(text) = &self.rank {
            push(out, text, CodeKind::Block, "rank", checked);
        }
    }
}

fn push(out: &mut Vec<CodeText>, text: &Text, kind: CodeKind, property: &'static str, checked_at_load: bool) {
    out.push(CodeText { text: text.clone(), kind, property, checked_at_load });
}

/// The strings at any depth: values of mappings, not their keys.
fn collect_strings(value: &ConfigValue, property: &'static str, checked: bool, out: &mut Vec<CodeText>) {
    match &value.kind {
        ValueKind::Str(text) => push(out, text, CodeKind::FString, property, checked),
        ValueKind::List(items) | ValueKind::Set(items) => {
            items.iter().for_each(|item| collect_strings(item, property, checked, out))
        }
        ValueKind::Map(map) => {
            map.entries.iter().for_each(|entry| collect_strings(&entry.value, property, checked, out));
        }
        _ => {}
    }
}
