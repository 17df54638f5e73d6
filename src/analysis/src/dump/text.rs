//! The config as `tpv dump` prints it.

use tpv_literal::unicode::is_line_break;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::printable::put_line;
use tpv_yaml::value::{ConfigValue, ValueKind};

use super::fields::{self, Field};
use super::{Options, section};

const RULE_WIDTH: usize = 72;

/// The whole config as text, as `tpv dump` gives it.
///
/// DIFFERENCE: control characters are printed as escapes, since a terminal obeys them.
///
/// `names` are the config files as they were named.
pub fn text(config: &Config, names: &[String], options: &Options<'_>) -> String {
    let line = "=".repeat(RULE_WIDTH);
    let mut out = format!("{line}\nTPV MERGED CONFIGURATION\n");
    if !names.is_empty() {
        out.push_str("Sources (in load order):\n");
        for (index, name) in names.iter().enumerate() {
            put_line!(out, "  {}. {name}", index + 1);
        }
    }
    put_line!(out, "{line}");
    out.push('\n');
    if options.entity.is_none() {
        global(&mut out, config);
    }
    for kind in EntityClass::SECTIONS {
        let entities = section(config, kind, options);
        if entities.is_empty() {
            continue;
        }
        put_line!(out, "--- {} ---", title(kind.section()));
        for (id, entity) in &entities {
            one(&mut out, id, entity);
        }
    }
    put_line!(out, "{line}");
    out
}

/// The heading of a section: its key, capitalized.
fn title(section: &str) -> String {
    let (first, rest) = section.split_at_checked(1).unwrap_or_default();
    first.to_ascii_uppercase() + rest
}

fn global(out: &mut String, config: &Config) {
    out.push_str("--- Global ---\n");
    let default = config.global.default_inherits.as_ref().filter(|id| !id.as_str().is_empty());
    if let Some(default) = default {
        put_line!(out, "  default_inherits: {}", default.as_str());
    }
    if !config.global.context.is_empty() {
        out.push_str("  context:\n");
        for (key, value) in config.global.context.iter() {
            put_line!(out, "    {key}: {}", value.python_str());
        }
    }
    out.push('\n');
}

fn one(out: &mut String, id: &str, entity: &Entity) {
    let mark = if entity.common.is_abstract { " (abstract)" } else { "" };
    put_line!(out, "  {id}{mark}:");
    for field in fields::entity(entity).iter().filter(|field| !field.is_default) {
        match &*field.alias {
            "id" | "abstract" => {}
            alias if alias == tpv_model::Field::DestName.alias() && field.value.as_str() == Some(id) => {}
            "scheduling" => scheduling(out, field),
            "rules" => rules(out, entity),
            _ => value(out, &field.alias, short(field), "    "),
        }
    }
    out.push('\n');
}

fn short(field: &Field) -> &ConfigValue {
    field.short.as_ref().unwrap_or(&field.value)
}

fn scheduling(out: &mut String, field: &Field) {
    let ValueKind::Map(map) = &short(field).kind else { return };
    let set = map.entries.iter().filter(|entry| entry.value.python_bool());
    let parts: Vec<String> =
        set.map(|entry| format!("{}={}", entry.key.python_str(), entry.value.python_str())).collect();
    if !parts.is_empty() {
        put_line!(out, "    scheduling: {}", parts.join(", "));
    }
}

fn rules(out: &mut String, entity: &Entity) {
    out.push_str("    rules:\n");
    for (key, rule) in entity.rules.iter() {
        let condition = if rule.condition().python_bool() { rule.condition().python_str() } else { String::new() };
        if !condition.is_empty() && !condition.contains('\n') {
            put_line!(out, "      {key} [if: {condition}]");
        } else {
            put_line!(out, "      {key}");
            if !condition.is_empty() {
                written(out, "if", &condition, "        ");
            }
        }
        for field in fields::rule(rule).iter().filter(|field| !field.is_default) {
            if !matches!(&*field.alias, "id" | "if") {
                value(out, &field.alias, short(field), "        ");
            }
        }
    }
}

fn value(out: &mut String, key: &str, value: &ConfigValue, indent: &str) {
    written(out, key, &value.python_str(), indent);
}

fn written(out: &mut String, key: &str, text: &str, indent: &str) {
    if text.contains('\n') {
        put_line!(out, "{indent}{key}: |");
        for line in split_lines(text) {
            put_line!(out, "{indent}  {line}");
        }
    } else {
        put_line!(out, "{indent}{key}: {text}");
    }
}

/// Python's `str.splitlines`.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some((line, end)) = rest.find(is_line_break).and_then(|at| rest.split_at_checked(at)) {
        lines.push(line);
        // A carriage return and a line feed are one end.
        rest = end.strip_prefix("\r\n").or_else(|| end.strip_prefix(is_line_break)).unwrap_or("");
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::split_lines;

    #[test]
    fn lines_end_where_they_do_in_python() {
        assert_eq!(split_lines("a\r\nb\rc\n\u{2028}d"), ["a", "b", "c", "", "d"]);
        assert_eq!(split_lines("a\n"), ["a"]);
        assert!(split_lines("").is_empty());
    }
}
