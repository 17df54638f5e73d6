//! `# noqa` codes become a field of the entity that they are about.

use std::sync::Arc;

use tpv_model::Version;

use tpv_yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

/// Copies the `# noqa` codes of mappings into the mappings themselves, under the key `no_qa_codes`, as TPV does before
/// it validates: through mappings, not through lists.
pub(super) fn insert(value: ConfigValue, version: Version) -> ConfigValue {
    if version.has_models() { insert_below(value, version, None) } else { value }
}

/// The fields whose mappings are data, not parts of an entity.
const DATA: [&str; 3] = ["env", "params", "context"];

fn insert_below(value: ConfigValue, version: Version, data: Option<&'static str>) -> ConfigValue {
    let Some(map) = value.as_map().filter(|map| has_noqa(map, version)) else { return value };
    let mut entries = Vec::with_capacity(map.entries.len());
    for entry in &map.entries {
        let data = data.or_else(|| DATA.into_iter().find(|field| entry.key.as_str() == Some(field)));
        let mut child = insert_below(entry.value.clone(), version, data);
        if let (Some(codes), Some(inner)) = (counting(entry, version), child.as_map()) {
            let span = entry.key.span;
            let text = |text: &str| ConfigValue::new(ValueKind::Str(Text::new(text, span)), span);
            let codes = match data.filter(|_| version.heeds_all_comments()) {
                None => {
                    ConfigValue::new(ValueKind::List(Arc::new(codes.iter().map(|code| text(code)).collect())), span)
                }
                Some(field) => text(&set_text(codes, field)),
            };
            let codes = Entry { key: text("no_qa_codes"), value: codes, noqa: None };
            let mut inner: Map = (**inner).clone();
            inner.entries.retain(|entry| entry.key.as_str() != Some("no_qa_codes"));
            inner.entries.push(codes);
            child.kind = ValueKind::Map(Arc::new(inner));
        }
        entries.push(Entry { key: entry.key.clone(), value: child, noqa: None });
    }
    ConfigValue::new(ValueKind::Map(Arc::new(Map { entries })), value.span)
}

/// The text of the set that TPV 3.0 leaves in data.
///
/// DIFFERENCE: In TPV it is a set, whose order is that of Python's hashes.
fn set_text(codes: &[Arc<str>], field: &str) -> String {
    if codes.is_empty() {
        return "set()".to_owned();
    }
    let codes: Vec<String> = codes.iter().map(|code| format!("'{code}'")).collect();
    let codes = codes.join(", ");
    // Texts of `params` are evaluated as f-strings, and sets are not.
    if field == "params" { format!("{{{{{codes}}}}}") } else { format!("{{{codes}}}") }
}

/// The codes of an entry's comment, if TPV takes notice of it.
fn counting(entry: &Entry, version: Version) -> Option<&[Arc<str>]> {
    entry.noqa.as_deref().filter(|codes| !codes.is_empty() || version.heeds_all_comments())
}

fn has_noqa(map: &Map, version: Version) -> bool {
    let is_noted = |entry: &Entry| counting(entry, version).is_some();
    map.entries.iter().any(|entry| is_noted(entry) || entry.value.as_map().is_some_and(|map| has_noqa(map, version)))
}
