//! `# noqa` codes become a field of the entity that they are about.

use std::sync::Arc;

use crate::yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

/// Copies the `# noqa` codes of mappings into the mappings themselves, under the key `no_qa_codes`, as TPV does before
/// it validates: through mappings, not through lists.
pub(super) fn insert(value: ConfigValue) -> ConfigValue {
    let Some(map) = value.as_map().filter(|map| has_noqa(map)) else { return value };
    let mut entries = Vec::with_capacity(map.entries.len());
    for entry in &map.entries {
        let mut child = insert(entry.value.clone());
        if let (Some(codes), Some(inner)) = (&entry.noqa, child.as_map()) {
            let span = entry.key.span;
            let text = |text: &str| ConfigValue::new(ValueKind::Str(Text::new(text, span)), span);
            let list = ValueKind::List(Arc::new(codes.iter().map(|code| text(code)).collect()));
            let codes = Entry { key: text("no_qa_codes"), value: ConfigValue::new(list, span), noqa: None };
            let mut inner: Map = (**inner).clone();
            inner.entries.retain(|entry| entry.key.as_str() != Some("no_qa_codes"));
            inner.entries.push(codes);
            child.kind = ValueKind::Map(Arc::new(inner));
        }
        entries.push(Entry { key: entry.key.clone(), value: child, noqa: None });
    }
    ConfigValue::new(ValueKind::Map(Arc::new(Map { entries })), value.span)
}

fn has_noqa(map: &Map) -> bool {
    map.entries.iter().any(|entry| entry.noqa.is_some() || entry.value.as_map().is_some_and(|map| has_noqa(map)))
}
