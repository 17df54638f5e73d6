//! The place in its file of a piece of code.

use tpv_bytecode::CodeKind;
use tpv_config::origin::TextOrigin;
use tpv_front::syntax::text_size::TextRange;
use tpv_text::source::{SourceMap, Span};
use tpv_yaml::value::Text;

/// The characters that TPV writes before the text of an f-string.
const FSTRING_PREFIX: usize = 4;

/// The place in the file of a range of the source that Python reads.
pub fn place(sources: &SourceMap, text: &Text, kind: CodeKind, range: TextRange) -> Span {
    let added = if kind == CodeKind::FString { FSTRING_PREFIX } else { 0 };
    let start = range.start().to_usize().saturating_sub(added);
    let end = range.end().to_usize().saturating_sub(added);
    TextOrigin::new(text, sources).span(start..end)
}
