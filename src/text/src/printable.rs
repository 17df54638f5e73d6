//! Text from configs, jobs and file names, made safe to print.
//!
//! A terminal obeys control characters, a reader is misled by characters that reorder or hide text, and CI servers take lines of a log for
//! commands. Whatever is printed for people passes through [`Form::Text`]; reports escape user text before they lay it out, with [`line()`] or
//! `put_line!`, so that no key of a config begins a line of its own. Styles are added afterwards, by tpvc alone.

use std::borrow::Cow;
use std::fmt::{Arguments, Write};

/// The form of an output, which decides how characters that must not reach a terminal are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for people: control characters appear as escapes. tpvc ends lines with a line feed alone, so CR LF comes from a name and is escaped.
    Text,
    /// Lines of files behind a mark, such as a diff: those that end in CR LF there end in it here.
    Diff,
    /// Text for people with tpvc's own colours. User text in it was escaped before.
    Styled,
    /// JSON, whose strings hold such characters as `\u202e`.
    Json,
    /// TOML, likewise.
    Toml,
    /// Any other data, left as it is: whoever reads it gets the values unchanged.
    Data,
}

impl Form {
    /// The text as it may be printed.
    pub fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Text => lines(text),
            Self::Diff => without_commands(excerpt(text)),
            Self::Json => in_strings(text, json_escape),
            Self::Toml => in_strings(text, toml_escape),
            Self::Styled | Self::Data => Cow::Borrowed(text),
        }
    }
}

/// Returns `true` for characters that control a terminal, or reorder or hide what a reader sees: control characters, line separators,
/// directional and other invisible formatting. Joiners are left alone, which scripts and emoji need.
pub fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Appends a character as an escape: `\n`, `\x1b`, `\u{202e}`.
fn escape_into(out: &mut String, c: char) {
    let _ = match c {
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\t' => write!(out, "\\t"),
        c if c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

/// Returns `true` if a command of Azure Pipelines, TeamCity or an older GitHub runner may begin here: `##[`, `##vso[`, `##teamcity[`. They are
/// found anywhere in a line.
fn begins_command(rest: &str) -> bool {
    let name = rest.strip_prefix("##").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    name.is_some_and(|rest| rest.starts_with('['))
}

/// The text with the characters escaped that `is_escaped` names by the text before them and that from them on, and no command of a CI server.
fn escaped(text: &str, is_escaped: impl Fn(&str, &str, char) -> bool) -> Cow<'_, str> {
    let is_wrong = |at: usize, c: char| {
        let (before, rest) = text.split_at_checked(at).unwrap_or_default();
        is_escaped(before, rest, c) || (c == '#' && begins_command(rest))
    };
    let Some((first, _)) = text.char_indices().find(|&(at, c)| is_wrong(at, c)) else { return Cow::Borrowed(text) };
    let (before, rest) = text.split_at_checked(first).unwrap_or((text, ""));
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(before);
    for (at, c) in rest.char_indices() {
        if is_wrong(first + at, c) { escape_into(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A text that stays on its line: line ends are escaped, too. Tabs are kept.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |_, _, c| c != '\t' && is_odd(c))
}

/// A text of one line that begins with no command of a GitHub workflow, for a place at the beginning of a line.
pub fn cell(text: &str) -> Cow<'_, str> {
    without_commands(line(text))
}

/// A text of several lines. Line feeds and tabs are kept, but CR LF is two characters of a name; at the beginning of a line `::name` is no command of a GitHub workflow.
pub fn lines(text: &str) -> Cow<'_, str> {
    without_commands(paragraph(text))
}

/// The same for a place where commands are harmless, or are prevented otherwise.
pub fn paragraph(text: &str) -> Cow<'_, str> {
    escaped(text, |before, _, c| if c == '\n' { before.ends_with('\r') } else { c != '\t' && is_odd(c) })
}

/// Lines of a file that others surround, such as an excerpt with line numbers: the escapes of a text are those of its parts, and CR LF ends a
/// line if it does in the file.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    escaped(text, |_, rest, c| !matches!(c, '\t' | '\n') && is_odd(c) && !rest.starts_with("\r\n"))
}

/// A text with `::name` at the beginning of a line escaped.
fn without_commands(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_command = |line: &str| {
        let name = line.trim_start().strip_prefix("::");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    if !text.lines().any(is_command) {
        return text;
    }
    let lines = text
        .split_inclusive('\n')
        .map(|line| if is_command(line) { Cow::Owned(line.replacen(':', "\\x3a", 1)) } else { Cow::Borrowed(line) });
    Cow::Owned(lines.collect())
}

/// A text of JSON or TOML whose strings hold odd characters as the form's own escapes, which `escape` writes.
fn in_strings(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    let is_wrong = |c: char| is_odd(c) && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(is_wrong) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if is_wrong(c) || (c == '#' && begins_command(text.get(at..).unwrap_or_default())) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Appends JSON's escape of a character.
fn json_escape(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Appends TOML's escape of a character.
fn toml_escape(out: &mut String, c: char) {
    let number = u32::from(c);
    let _ = if number > 0xffff { write!(out, "\\U{number:08x}") } else { write!(out, "\\u{number:04x}") };
}

/// A JSON text whose strings show odd characters to whoever sees them on a page: `\x1b`, `\u{202e}`. Line ends and tabs stay what they are.
pub fn json_shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (c, length) = if c == '\\' { read_json_escape(rest) } else { (Some(c), c.len_utf8()) };
        let (taken, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match c {
            Some(c) if is_odd(c) && !matches!(c, '\n' | '\r' | '\t') => {
                out.push('\\');
                escape_into(&mut out, c);
            }
            _ => out.push_str(taken),
        }
        rest = after;
    }
    out
}

/// The character of `\u0000` at the beginning of a JSON text, `None` for other escapes, and the length of the escape in bytes.
fn read_json_escape(rest: &str) -> (Option<char>, usize) {
    let digits = rest.strip_prefix("\\u").and_then(|rest| rest.get(..4));
    match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(number) => (char::from_u32(number), 6),
        None => (None, 2),
    }
}

/// Reports that are made line by line.
pub trait PutLine {
    /// Adds a line; [`put_line`] calls it.
    fn put_line(&mut self, arguments: Arguments<'_>);
}

impl PutLine for String {
    fn put_line(&mut self, arguments: Arguments<'_>) {
        self.push_str(&line(&arguments.to_string()));
        self.push('\n');
    }
}

/// Adds a line to a report, as `writeln!` does: no argument can end the line, or hold what a terminal obeys.
#[macro_export]
macro_rules! put_line {
    ($out:expr, $($argument:tt)*) => {{
        use $crate::printable::PutLine as _;
        $out.put_line(format_args!($($argument)*));
    }};
}
pub use put_line;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_escapes() {
        assert_eq!(line("a\x1b[31m\u{7}\u{9b}\u{202e}\r\nb\tc"), "a\\x1b[31m\\x07\\u{9b}\\u{202e}\\r\\nb\tc");
        assert_eq!(lines("a\x1b\n b\r\nc\rd\u{2028}"), "a\\x1b\n b\\r\\nc\\rd\\u{2028}");
        assert_eq!(excerpt("a\x1b\n b\r\nc\rd\u{2028}"), "a\\x1b\n b\r\nc\\rd\\u{2028}");
        for plain in ["", "bwa é ü 日本 👩\u{200d}💻", "a: [1, 2] # ## x"] {
            assert!(matches!(line(plain), Cow::Borrowed(_)) && matches!(lines(plain), Cow::Borrowed(_)), "{plain}");
        }
    }

    #[test]
    fn commands_of_ci_servers_are_text() {
        assert_eq!(
            lines("::error file=x::y\n  ::add-mask::z\na::b\n::\n"),
            "\\x3a:error file=x::y\n  \\x3a:add-mask::z\na::b\n::\n"
        );
        // A diff has a blank before lines that stay, which a runner passes over.
        assert_eq!(Form::Diff.of(" ::error::a\r\n+b\r\n"), " \\x3a:error::a\r\n+b\r\n");
        assert_eq!(cell("::error::a\n::b\r\n"), "\\x3a:error::a\\n::b\\r\\n");
        assert_eq!(line("a ##[error]b ##vso[task.x]c ###[d"), "a \\x23#[error]b \\x23#vso[task.x]c #\\x23#[d");
    }

    #[test]
    fn what_is_printable_stays_as_it_is() {
        let odd = "a\x1b\u{202e}\n::error::b ##[group]c";
        assert_eq!(lines(&lines(odd)), lines(odd));
        assert_eq!(line(&line(odd)), line(odd));
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({"a\u{9b}": "\u{202e}\u{e0041}\x1b\n\\ \u{7f} ##[a]"});
        let text = value.to_string();
        let printed = Form::Json.of(&text);
        assert!(!printed.contains(is_odd) && !printed.contains("##["), "{printed}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).ok(), Some(value));
        let shown: Option<serde_json::Value> = serde_json::from_str(&json_shown(&text)).ok();
        assert_eq!(shown, Some(serde_json::json!({"a\\u{9b}": "\\u{202e}\\u{e0041}\\x1b\n\\ \\x7f ##[a]"})));
    }

    #[test]
    fn toml_keeps_its_values() {
        let text = "a = \"\\n\u{202e}\u{e0041}\u{7f} ##[a]\" # ##[b]\n";
        assert_eq!(Form::Toml.of(text), "a = \"\\n\\u202e\\U000e0041\\u007f \\u0023#[a]\" # \\u0023#[b]\n");
    }

    #[test]
    fn a_line_of_a_report_is_one_line() {
        let mut out = String::new();
        put_line!(out, "  {}:", "a\n::error::b");
        assert_eq!(out, "  a\\n::error::b:\n");
    }
}
