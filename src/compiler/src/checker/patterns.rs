//! T152: a regular expression, or a pattern of a shell, where Python looks for plain text: `tool.id.endswith('bwa.*')`.

use tpv_front::syntax::ast::{CmpOp, Constant, Expr, ExprCall, Ranged};

use super::block::Checker;
use super::types::Type;
use tpv_text::code::Code;

impl<'a> Checker<'a> {
    /// `text.startswith('bwa.*')`
    pub(super) fn looks_for_pattern(&mut self, node: &'a ExprCall, receiver: &Type) {
        let Expr::Attribute(method) = &*node.func else { return };
        let method_name = method.attr.as_str();
        let is_search = match method_name {
            "startswith" | "endswith" | "removeprefix" | "removesuffix" => {
                matches!(receiver.not_none(), Type::Any | Type::Class("str"))
            }
            "find" | "rfind" | "index" | "count" | "partition" | "rpartition" => receiver.not_none() == Type::STR,
            _ => false,
        };
        let Some(first) = node.args.first().filter(|_| is_search) else { return };
        let texts = match first {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            other => std::slice::from_ref(other),
        };
        if !is_plain(&method.value) {
            return;
        }
        for text in texts {
            let subject = self.text(&*method.value);
            self.plain_text(text, subject, method_name);
        }
    }

    /// `'bwa.*' in tool.id`, `tool.id == 'bwa.*'`
    pub(super) fn compares_pattern(&mut self, op: CmpOp, [left, right]: [(&Type, &'a Expr); 2]) {
        let how = match op {
            CmpOp::In => ["in", "=="],
            CmpOp::NotIn => ["not in", "!="],
            CmpOp::Eq => ["==", "=="],
            _ => ["!=", "!="],
        };
        match op {
            CmpOp::In | CmpOp::NotIn if right.0.not_none() == Type::STR && is_plain(right.1) => {
                self.plain_text(left.1, self.text(right.1), how[0]);
            }
            CmpOp::Eq | CmpOp::NotEq if is_plain(left.1) => self.plain_text(right.1, self.text(left.1), how[0]),
            CmpOp::In | CmpOp::NotIn if is_plain(left.1) => {
                if let Expr::List(items) = right.1 {
                    items.elts.iter().for_each(|item| self.plain_text(item, self.text(left.1), how[1]));
                } else if let Expr::Tuple(items) = right.1 {
                    items.elts.iter().for_each(|item| self.plain_text(item, self.text(left.1), how[1]));
                }
            }
            _ => {}
        }
    }

    /// A text that is looked for in a subject, by a method or an operator.
    fn plain_text(&mut self, node: &'a Expr, subject: &str, how: &str) {
        let Expr::Constant(constant) = node else { return };
        let Constant::Str(text) = &constant.value else { return };
        let Some(pattern) = Pattern::of(text) else { return };
        let written = self.text(node);
        let message = format!("`{how}` takes {written} as plain text, and it looks like {}", pattern.name());
        self.fault(Code::PatternAsText, node.range(), message, "looks for these very characters");
        let is_negated = matches!(how, "not in" | "!=");
        let instead = pattern.instead(text, subject, how).filter(|_| !is_negated);
        self.help(instead.unwrap_or_else(|| {
            let not = if is_negated { "not " } else { "" };
            match (pattern, how) {
                (Pattern::Shell, _) => {
                    format!("write `{not}fnmatch.fnmatch({subject}, {written})`, after `import fnmatch`")
                }
                (Pattern::Regex, "startswith" | "removeprefix") => {
                    format!("write `re.match(r{written}, {subject})`, after `import re`")
                }
                (Pattern::Regex, "endswith" | "removesuffix") => {
                    format!("write `re.search(r'{text}$', {subject})`, after `import re`")
                }
                (Pattern::Regex, "==" | "!=") => {
                    format!("write `{not}re.fullmatch(r{written}, {subject})`, after `import re`")
                }
                (Pattern::Regex, _) => format!("write `{not}re.search(r{written}, {subject})`, after `import re`"),
            }
        }));
    }
}

/// Returns `true` for a text that holds no patterns: the id of the tool that runs, an extension, a user's name. Others may, as `entity.id` does.
fn is_plain(node: &Expr) -> bool {
    let is_name = |name: &str| matches!(name, "extension" | "ext" | "file_name" | "email" | "username");
    matches!(Checker::path(node).as_deref(), Some("tool.id" | "tool.old_id" | "job.tool_id"))
        || matches!(node, Expr::Attribute(node) if is_name(node.attr.as_str()))
}

/// The language of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Regex,
    Shell,
}

impl Pattern {
    /// The language that a text is a pattern of, unless it is plain.
    fn of(text: &str) -> Option<Self> {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        if text.chars().filter(|c| is_word(*c)).count() < 2 {
            return None;
        }
        let escapes = text.match_indices('\\').any(|(at, _)| {
            let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
            next.is_some_and(|next| "dDwWsSbB.[]()+*?/|".contains(next))
        });
        let alternatives = text
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'))
            .is_some_and(|(inner, _)| inner.contains('|'));
        let repeats = [".*", ".+", "]+", "]*", "]{"].iter().any(|part| text.contains(part));
        let anchored = text.starts_with('^') || text.strip_suffix('$').is_some_and(|rest| rest.ends_with(is_word));
        // A bar between words, of which nothing else is made: `bwa|bowtie2`.
        let is_name =
            |part: &str| part.len() > 1 && part.chars().all(|c| is_word(c) || matches!(c, '_' | '-' | '.' | '/'));
        let bars = text.contains('|') && text.split('|').all(is_name);
        if escapes || bars || alternatives || repeats || anchored {
            return Some(Self::Regex);
        }
        text.contains('*').then_some(Self::Shell)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Regex => "a regular expression",
            Self::Shell => "a pattern of a shell",
        }
    }

    /// The code that is meant, if the pattern is a text with an open end.
    fn instead(self, text: &str, subject: &str, how: &str) -> Option<String> {
        let any = if self == Self::Regex { ".*" } else { "*" };
        let plain = text.strip_prefix('^').unwrap_or(text);
        let plain = plain.strip_suffix('$').unwrap_or(plain);
        let (open_start, plain) = plain.strip_prefix(any).map_or((false, plain), |rest| (true, rest));
        let (open_end, plain) = plain.strip_suffix(any).map_or((false, plain), |rest| (true, rest));
        // A dot may be one.
        if plain.is_empty() || plain.contains(['*', '+', '?', '[', ']', '(', ')', '{', '}', '|', '\\', '\'', '^', '$'])
        {
            return None;
        }
        Some(match (how, open_start, open_end) {
            ("in", ..) | ("==", true, true) | ("startswith", true, _) | ("endswith", _, true) => {
                format!("write `'{plain}' in {subject}`")
            }
            ("startswith", ..) | ("==", false, true) => format!("write `{subject}.startswith('{plain}')`"),
            ("endswith", ..) | ("==", true, false) => format!("write `{subject}.endswith('{plain}')`"),
            ("==", ..) => format!("write `{subject} == '{plain}'`"),
            (method, ..) => format!("write `{subject}.{method}('{plain}')`"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_no_patterns() {
        for text in [
            "bwa",
            "a.b",
            "1.0+galaxy0",
            "c++",
            "C:\\temp",
            ".gz",
            ".*",
            "$",
            "^",
            "a (b)",
            "toolshed.g2.bx.psu.edu/repos/",
            "*",
        ] {
            assert!(Pattern::of(text).is_none(), "{text}");
        }
        for text in ["bwa.*", "^bwa", "bwa$", r"bwa\d+", r"a\.b", "(bwa|bowtie)", "[ab]+x", ".+gz"] {
            assert!(Pattern::of(text) == Some(Pattern::Regex), "{text}");
        }
        assert!(Pattern::of("*.gz") == Some(Pattern::Shell));
    }

    #[test]
    fn what_is_meant_is_written() {
        let instead = |text: &str, how: &str| {
            Pattern::of(text).and_then(|pattern| pattern.instead(text, "tool.id", how)).unwrap_or_default()
        };
        assert_eq!(instead("bwa.*", "endswith"), "write `'bwa' in tool.id`");
        assert_eq!(instead("bwa.*", "startswith"), "write `tool.id.startswith('bwa')`");
        assert_eq!(instead("*.gz", "endswith"), "write `tool.id.endswith('.gz')`");
        assert_eq!(instead(".*bwa.*", "=="), "write `'bwa' in tool.id`");
        assert_eq!(instead("bwa(a|b)", "=="), "");
    }
}
