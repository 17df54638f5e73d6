//! T104 for unknown fields that loading does not report: sections with private names, the options of a store, and comments that
//! became fields. `validate/unknown.rs` of tpv-config reports the others.

use super::Linter;
use tpv_config::entity::Dict;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

/// Checks sections with private names, the options of a store, and `# noqa` comments that became fields.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    extras(linter, &config.extras, is_private, |key| {
        (
            format!("`{key}` is not a section that TPV knows"),
            "`tpv lint` reports it too; `--ignore T104` keeps it".to_owned(),
        )
    });
    if let Some(store) = &config.global.resource_pool_store {
        extras(
            linter,
            &store.options,
            |_| true,
            |key| {
                (
                    format!("`{key}` is passed on to the store"),
                    "`tpv lint` reports every store option; `--ignore T104` keeps it".to_owned(),
                )
            },
        );
    }
    let in_comment = |_: &str| {
        let help = "move the comment to the entity's own name, where TPV reads it".to_owned();
        ("a `# noqa` comment has become the field `no_qa_codes` here".to_owned(), help)
    };
    let is_comment = |key: &str| key == "no_qa_codes";
    for kind in EntityClass::SECTIONS {
        for entity in config.section(kind).values() {
            let offered = entity.dest_tags.as_deref();
            let rules = entity.rules.values().map(|rule| &rule.common.tags);
            let all = std::iter::once(&entity.common.tags).chain(offered).chain(rules);
            for tags in all {
                extras(linter, &tags.extras, is_comment, in_comment);
            }
        }
    }
}

fn is_private(key: &str) -> bool {
    key.starts_with(['_', '.']) || key.starts_with("x-")
}

fn extras(
    linter: &mut Linter<'_>,
    fields: &Dict,
    wanted: impl Fn(&str) -> bool,
    message_and_help: impl Fn(&str) -> (String, String),
) {
    for (key, value) in fields.iter().filter(|(key, _)| wanted(key)) {
        let (message, help) = message_and_help(key);
        let diagnostic = Diagnostic::warning(message).at(key_span(linter, key, value), "").help(help);
        linter.report(Finding::new(Code::UnknownField, diagnostic));
    }
}

/// The span of a value's key: its last occurrence before the value.
pub(super) fn key_span(linter: &Linter<'_>, key: &str, value: &ConfigValue) -> Span {
    let before = linter.sources.get(value.span.source).and_then(|source| source.text.get(..value.span.range().start));
    match before.and_then(|text| text.rfind(key)) {
        Some(at) => Span::new(value.span.source, at, at + key.len()),
        None => value.span,
    }
}
