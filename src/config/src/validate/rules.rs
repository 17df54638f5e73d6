//! Rules: a list, or a mapping by key.

use std::sync::Arc;

use indexmap::IndexMap;

use super::braces::braced;
use super::entity::Draft;
use super::scalar::boolean;
use super::{Owner, Validator, at_value};
use crate::entity::Rule;
use crate::fields::{ENTITY, RULE};
use crate::rules::Rules;
use tpv_model::{EntityClass, Field};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

impl Validator<'_> {
    /// `rules`. In a list a rule's key is its id, and a later rule replaces an earlier one of the same id.
    pub(super) fn rules(&mut self, entry: &Entry, owner: Owner<'_>) -> Rules {
        let mut out: IndexMap<Arc<str>, Rule> = IndexMap::new();
        match &entry.value.kind {
            ValueKind::List(items) => {
                if self.version.evaluates_early() {
                    // TPV 1 makes each entity twice, and its rules without an id get the numbers of the second time.
                    self.unnamed_rules += items.iter().filter(|item| is_unnamed(item)).count() as u64;
                }
                for item in items.iter() {
                    let Some(map) = self.rule_mapping(item, item.span, owner) else { continue };
                    let start = map.entries.first().map_or(item.span, |entry| entry.key.span);
                    let Some(mut rule) = self.rule(&map, Owner { noun: "rule", name: "", span: start }, owner) else {
                        continue;
                    };
                    rule.in_list = true;
                    if let Some(earlier) = out.get(&rule.id) {
                        self.problems.push(
                            Diagnostic::warning(format!(
                                "the rule `{}` replaces an earlier one of the same id",
                                rule.id
                            ))
                            .code(Code::DuplicateRule)
                            .at(id_span(&map).unwrap_or(start), "")
                            .also(earlier.span, "this rule has no effect")
                            .also(owner.span, owner.describe())
                            .help("give it another `id`"),
                        );
                    }
                    out.insert(rule.id.clone(), rule);
                }
            }
            ValueKind::Map(_) if !self.version.has_models() => {
                self.wrong_type(entry, owner, "a list of rules", "write `- id: ...` in place of each key");
            }
            ValueKind::Map(map) if is_one_rule(map) => {
                let problem = Diagnostic::error("`rules` must be a list of rules, or a mapping of ids to rules");
                let help = "start each rule with a dash: `- if: ...`, with its fields below the `if`";
                self.problems.push(at_value(problem, entry, Some(owner)).help(help));
            }
            ValueKind::Map(map) => {
                for entry in &map.entries {
                    let key = self.string_key(entry, "a rule");
                    let Some(fields) = self.rule_mapping(&entry.value, entry.key.span, owner) else { continue };
                    let name = entry.key.python_str();
                    let rule = self.rule(&fields, Owner { noun: "rule", name: &name, span: entry.key.span }, owner);
                    if let (Some(key), Some(rule)) = (key, rule) {
                        out.insert(key.value, rule);
                    }
                }
            }
            _ => self.wrong_type(entry, owner, "a list of rules", "write `- if: ...` under it, or `rules: []`"),
        }
        Rules::new(out)
    }

    fn rule_mapping(&mut self, value: &ConfigValue, at: Span, owner: Owner<'_>) -> Option<Arc<Map>> {
        if let Some(map) = value.as_map() {
            return Some(map.clone());
        }
        let at = if value.span.start == value.span.end { at } else { value.span };
        self.problems.push(
            Diagnostic::error("a rule must be a mapping")
                .at(at, format!("this is {}", value.describe()))
                .also(owner.span, owner.describe())
                .help("write `if:` with a condition, and under it what the rule sets"),
        );
        None
    }

    fn rule(&mut self, map: &Map, rule: Owner<'_>, owner: Owner<'_>) -> Option<Rule> {
        let mut draft = Draft::new(self.version);
        let (mut id, mut has_id) = (None, false);
        for entry in &map.entries {
            let Some(key) = self.string_key(entry, "a field") else { continue };
            match key.as_str() {
                "id" => {
                    has_id = true;
                    id = self.text(entry, owner);
                }
                // The older name of `if`, which counts where both are.
                "match" if !self.version.has_models() => {
                    self.is_old = true;
                    if draft.singles.get(Field::If).is_none()
                        && let Some(condition) = self.condition(entry, owner)
                    {
                        draft.singles.set(Field::If, condition);
                    }
                }
                // TPV 2.5 does not read it in rules.
                "rank" if !self.version.has_models() => {}
                key => {
                    let is_known = RULE.field(key).is_some() && self.has_field(EntityClass::Rule, key);
                    if !is_known || !self.common_field(key, entry, owner, &mut draft) {
                        self.unknown_field(entry, key, owner, &RULE);
                        self.extra(&mut draft, key, &entry.value);
                    }
                }
            }
        }
        let id = match id {
            Some(Text { value, .. }) => value,
            None if has_id => return None,
            None => {
                self.unnamed_rules += 1;
                format!("tpv_rule_{}", self.unnamed_rules).into()
            }
        };
        // Before TPV 3.0 a rule without a condition may inherit one.
        self.is_old |= map.entry("if").is_none();
        let unset = (!self.version.has_models()).then(|| ConfigValue::new(ValueKind::Null, rule.span));
        if map.entry("if").is_none() && unset.is_none() {
            self.problems.push(
                Diagnostic::error("the rule has no `if`")
                    .at(rule.span, "this rule")
                    .also(owner.span, owner.describe())
                    .help("add a condition, or `if: true` for a rule that always applies"),
            );
        }
        if draft.singles.get(Field::If).is_none() {
            draft.singles.set(Field::If, unset?);
        }
        let common = draft.finish();
        Some(Rule { key: id.clone(), id, span: rule.span, inherited: Some(Vec::new()), in_list: false, common })
    }

    /// `if`: code, or a boolean.
    pub(super) fn condition(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<ConfigValue> {
        if entry.value.as_text().is_some() {
            return Some(entry.value.clone());
        }
        let Some(flag) = boolean(&entry.value) else {
            let problem = Diagnostic::error("`if` must be an expression or a boolean");
            let help = match (&entry.value.kind, braced(&entry.value)) {
                (ValueKind::Tagged(_), _) => {
                    "what starts with `!` is a tag for YAML; Python's negation is `not`, as in `if: not (...)`"
                        .to_owned()
                }
                (_, Some(text)) => {
                    format!("`if` is code: write it without braces, `if: {}`", text.trim_matches(['{', '}']))
                }
                _ => "write code, as in `if: input_size > 10`, or `if: true`".to_owned(),
            };
            self.problems.push(at_value(problem, entry, Some(owner)).help(help));
            return None;
        };
        // Before TPV 3.0 a rule with `if: false` has no condition of its own, and may inherit one.
        let kind = if flag || self.version.has_models() { ValueKind::Bool(flag) } else { ValueKind::Null };
        Some(ConfigValue::new(kind, entry.value.span))
    }
}

/// Returns `true` if fields of a rule are in the place of rule ids.
fn is_one_rule(map: &Map) -> bool {
    map.entries.iter().any(|entry| {
        let is_field = |key: &str| RULE.field(key).or_else(|| ENTITY.field(key)).is_some();
        entry.value.as_map().is_none() && entry.key.as_str().is_some_and(is_field)
    })
}

fn is_unnamed(rule: &ConfigValue) -> bool {
    rule.as_map().is_some_and(|map| map.entry("id").is_none_or(|id| !id.value.python_bool()))
}

fn id_span(map: &Map) -> Option<Span> {
    map.entry("id").map(|entry| entry.value.span)
}
