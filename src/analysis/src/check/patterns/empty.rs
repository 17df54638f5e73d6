//! T211: patterns that match nothing.

use super::keys::Keys;
use crate::lint::Linter;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Looks at each key by itself.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    let noun = keys.class.noun();
    for key in keys.plain() {
        // Only where a pattern has places in the text, sets or line ends can it contradict itself.
        let may_be_empty = key.entity.id.contains(['^', '$', '\\', '[', '\n']);
        if !may_be_empty || key.language().and_then(|language| language.is_empty()) != Some(true) {
            continue;
        }
        let diagnostic =
            Diagnostic::warning(format!("the pattern `{}` never matches", key.entity.id.replace('\n', "\\n")))
                .at(key.entity.span, format!("no id of a {noun} fits this"))
                .note("`^` holds at the start of an id only, `$` at its end only, and no id has a line end")
                .help("remove the contradiction; put a backslash before a character that is meant literally");
        linter.report(Finding::new(Code::EmptyPattern, diagnostic).of(&key.entity.common.no_qa_codes));
    }
}
