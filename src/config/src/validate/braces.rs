//! `{mem}` without quotes, which YAML reads as a mapping with a key and no value.

use super::{Owner, Validator};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_yaml::load::quoted;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The remedy for a template.
pub(super) const TEMPLATE: &str = "fill the template in first (Ansible, Jinja); TPV reads the file as it is";

/// The text of an f-string that was written without quotes, where the value is one.
pub(super) fn braced(value: &ConfigValue) -> Option<String> {
    let [entry] = value.as_map()?.entries.as_slice() else { return None };
    // The brace before the key, and the one behind it, where the parser puts the missing value.
    let is_flow = value.span.start < entry.key.span.start && value.span.end == entry.value.span.end;
    if !is_flow || !entry.value.is_null() {
        return None;
    }
    match entry.key.as_text() {
        Some(text) => Some(format!("{{{}}}", text.as_str())),
        None => Some(format!("{{{}}}", braced(&entry.key)?)),
    }
}

/// Returns `true` if the text is in double braces, as in Jinja.
pub(super) fn is_template(text: &str) -> bool {
    text.starts_with("{{")
}

impl Validator<'_> {
    /// Warns of values that lack their quotes, at any depth. `name` is the key of `value`, `consequence` what a job gets.
    pub(super) fn braces(&mut self, name: &str, value: &ConfigValue, owner: Owner<'_>, consequence: &str) {
        let Some(text) = braced(value) else {
            match &value.kind {
                ValueKind::Map(map) => {
                    for entry in &map.entries {
                        self.braces(&entry.key.python_str(), &entry.value, owner, consequence);
                    }
                }
                ValueKind::List(items) => items.iter().for_each(|item| self.braces("", item, owner, consequence)),
                _ => {}
            }
            return;
        };
        let shown = if name.is_empty() { quoted(&text) } else { format!("{name}: {}", quoted(&text)) };
        let problem = Diagnostic::warning(format!("`{text}` is a mapping for YAML, not a text"))
            .code(Code::BracesAsMapping)
            .at(value.span, consequence)
            .also(owner.span, owner.describe());
        self.problems.push(if is_template(&text) {
            problem.help(TEMPLATE)
        } else {
            problem.help(format!("put it in quotes: `{shown}`")).fix(value.span, quoted(&text))
        });
    }
}
