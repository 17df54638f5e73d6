//! `# noqa` comments, which turn off findings of `tpvc lint` as of `tpv lint`.

use std::sync::Arc;

/// The codes of the first `# noqa` comment between a key and its mapping, as TPV gathers them: `noqa` alone where the
/// comment names none, and no codes where no comment is a `# noqa`. `None` without a comment. A comment on the key's own line hides those that follow, unless an anchor or a tag stands there:
/// then it is one of them. To ruamel.yaml an empty line is a comment, too.
///
/// DIFFERENCE: where a list holds an alias to the mapping, ruamel.yaml moves the comment to the list; it stays here.
pub(super) fn noqa_between(text: &str) -> Option<Arc<[Arc<str>]>> {
    let has_empty_line = text.contains("\n\n") || text.contains("\n\r\n");
    if !text.contains('#') {
        return has_empty_line.then(Arc::default);
    }
    let (first, rest) = text.split_once('\n')?;
    let properties = first.trim_start().trim_start_matches(':').trim_start();
    let own = first.find('#').and_then(|at| first.get(at..));
    if own.is_some() && !properties.starts_with(['&', '!']) {
        return None;
    }
    let comments = rest.lines().map(str::trim).filter(|line| line.starts_with('#'));
    let mut comments = own.into_iter().chain(comments).peekable();
    if !has_empty_line {
        comments.peek()?;
    }
    Some(comments.find_map(noqa_codes).unwrap_or_default())
}

/// The codes of one comment, if it is a `# noqa` comment.
fn noqa_codes(comment: &str) -> Option<Arc<[Arc<str>]>> {
    let rest = comment.strip_prefix('#')?.trim_start().strip_prefix("noqa")?;
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
    let is_code = |c: &char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, ',' | ' ');
    let codes: String = rest.chars().take_while(is_code).collect();
    if codes.is_empty() {
        return Some(Arc::new(["noqa".into()]));
    }
    let mut out: Vec<Arc<str>> = Vec::new();
    for code in codes.split(',').map(str::trim) {
        if out.iter().all(|seen| &**seen != code) {
            out.push(code.into());
        }
    }
    Some(out.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn noqa_comments_read_as_in_tpv() {
        let codes = |text| noqa_between(text).map(|codes| codes.join("|"));
        assert_eq!(codes(":\n  # noqa\n  ").as_deref(), Some("noqa"));
        assert_eq!(codes(":\n  # foo\n  # noqa: T1, T2\n  ").as_deref(), Some("T1|T2"));
        assert_eq!(codes(":\n\n  #noqa:T1,T3 blah\n# noqa: T9\n").as_deref(), Some("T1|T3"));
        assert_eq!(codes(": # x\n  # noqa\n  "), None);
        assert_eq!(codes(": &a !!map # x\n  # noqa: T1\n  ").as_deref(), Some("T1"));
        assert_eq!(codes(": &a # noqa: T2\n  # noqa: T1\n  ").as_deref(), Some("T2"));
        assert_eq!(codes(":\n  ## noqa\n  # foo noqa\n").as_deref(), Some(""));
        assert_eq!(codes(":\n  \n"), None);
        assert_eq!(codes(":\n\n  ").as_deref(), Some(""));
        assert_eq!(codes(": # x\n\n  "), None);
    }
}
