//! The lines of a config that can be used, and in how many cases they were.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::ByFile;
use super::counts::Cases;
use tpv_config::entity::Common;
use tpv_config::scheduling::SchedulingTags;
use tpv_text::source::{SourceId, SourceMap, Span};
use tpv_yaml::value::{ConfigValue, ValueKind};

/// A line that something stands in that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// Cases that used what stands in it; of several things the most used.
    pub hits: u64,
    /// `true` if another part of it was not used.
    pub partly: bool,
}

/// The lines of spans with their counts.
pub(super) fn lines(spans: &HashMap<Span, Cases>, sources: &SourceMap) -> ByFile {
    let mut found: BTreeMap<(SourceId, usize), (u64, u64)> = BTreeMap::new();
    for (span, cases) in spans.iter().filter(|(span, _)| span.start < span.end) {
        let Some(source) = sources.get(span.source) else { continue };
        let count = cases.count();
        let mut start = span.range().start;
        for text in sources.text(*span).split_inclusive('\n') {
            let blanks = text.len() - text.trim_start().len();
            // What is empty inside of a block of code is no line of it.
            if blanks < text.len() {
                let line = source.place(u32::try_from(start + blanks).unwrap_or(u32::MAX)).line;
                let counts = found.entry((span.source, line)).or_insert((count, count));
                *counts = (counts.0.max(count), counts.1.min(count));
            }
            start += text.len();
        }
    }
    let mut out = ByFile::new();
    for ((source, line), (hits, least)) in found {
        out.entry(source).or_default().push(Line { line, hits, partly: hits > 0 && least == 0 });
    }
    out
}

/// Calls `each` with the places of the fields of an entity or rule, code and all.
pub(super) fn of_common(common: &Common, each: &mut dyn FnMut(Span)) {
    common.inherits.iter().for_each(|text| each(text.span));
    let amounts =
        common.amounts.common().map(|(_, value)| value).chain(common.amounts.accepted().map(|(_, value)| value));
    amounts.for_each(|value| each(value.span));
    common.env.iter().flat_map(|env| env.iter().flatten()).for_each(|(_, text)| each(text.span));
    for dict in common.params.iter().chain(&common.context).chain([&common.resubmit, &common.extras]) {
        dict.values().for_each(|value| leaves(value, each));
    }
    common.singles.iter().for_each(|(_, value)| leaves(value, each));
    of_tags(&common.tags, each);
}

/// The same for tags.
pub(super) fn of_tags(tags: &SchedulingTags, each: &mut dyn FnMut(Span)) {
    tpv_model::TagType::APPLICATION.into_iter().flat_map(|kind| tags.get(kind)).for_each(|tag| each(tag.span));
}

/// The scalars of a value.
fn leaves(value: &ConfigValue, each: &mut dyn FnMut(Span)) {
    match &value.kind {
        ValueKind::List(items) | ValueKind::Set(items) => items.iter().for_each(|item| leaves(item, each)),
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            map.entries.iter().for_each(|entry| leaves(&entry.value, each));
        }
        _ => each(value.span),
    }
}
