//! T113: memory in another unit than GiB.

use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// More memory than this, in GiB, no machine has.
pub const MOST_GIB: f64 = 10_000.0;

/// As much memory for a core, in GiB, no tool needs.
pub const PER_CORE: f64 = 1_000.0;

/// The finding for a memory.
pub fn finding(name: &str, span: Span, written: &str) -> Finding {
    let diagnostic = Diagnostic::warning(format!("`{name}` is in GiB, and `{written}` looks like another unit"))
        .at(span, "this many GiB")
        .help("divide MiB by 1024, and bytes by `1024**3`");
    Finding::new(Code::WrongUnit, diagnostic)
}
