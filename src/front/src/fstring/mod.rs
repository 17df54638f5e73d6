//! F-strings: which fields they have, and what is in them.
//!
//! The parser reads f-strings, but only as Python before 3.12 did, and not all of those right. So fields are read here: the
//! [`scanner`] finds them by the rules of PEP 701, [`fields`] hides them from the parser and puts their trees where they
//! were. [`version_3_11`] knows what CPython 3.11 refuses of that.

use std::ops::Range;

mod fields;
mod scanner;
mod version_3_11;

pub use version_3_11::{check, content};

pub(super) use fields::{Failure, Suite, parse};

/// The expressions of the fields of the f-strings in a text, those in format specs included.
pub(super) fn expressions(source: &str) -> Vec<Range<usize>> {
    let strings = scanner::scan(source, 0..source.len(), 0).map(|scan| scan.strings).unwrap_or_default();
    let mut fields: Vec<_> = strings.into_iter().flat_map(|string| string.fields).collect();
    let mut out = Vec::new();
    while let Some(field) = fields.pop() {
        out.push(field.expression);
        fields.extend(field.spec.into_iter().flat_map(|(_, fields)| fields));
    }
    out.sort_by_key(|range| range.start);
    out
}

/// Returns `true` if the text may contain an f-string: an `f` before a quote, possibly with an `r`.
pub(super) fn occurs(source: &str) -> bool {
    let bytes = source.as_bytes();
    let is_f = |byte: Option<&u8>| matches!(byte, Some(b'f' | b'F'));
    bytes.iter().enumerate().any(|(at, byte)| {
        matches!(byte, b'"' | b'\'') && {
            let before = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at));
            is_f(before(1)) || matches!(before(1), Some(b'r' | b'R')) && is_f(before(2))
        }
    })
}
