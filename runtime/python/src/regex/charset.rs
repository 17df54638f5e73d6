//! Characters and sets of characters in the engine's syntax.
//!
//! Sets are written out in full, with each character that is not plain as `\x{...}`, so that nothing in them can mean
//! something to the engine that it does not mean to Python (`&&`, `--`, `~~`, `[`).

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{Category, SetItem, flag};

/// Python's `\w`: `str.isalnum` or an underscore. (The engine's own `\w` also has combining marks and joiners.)
const WORD: &str = r"\p{L}\p{N}_";
const ASCII_WORD: &str = "0-9A-Za-z_";
/// A set that no character is in.
const NOTHING: &str = r"[^\s\S]";
/// The letters that are equal when case is ignored, by a rule of CPython's that Unicode's case folding does not have.
const DOTTED_AND_DOTLESS_I: [u32; 4] = [0x49, 0x69, 0x130, 0x131];

/// Appends a character outside a set.
pub(super) fn push_char(out: &mut String, c: char) {
    match c {
        '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '\\' => {
            out.push('\\');
            out.push(c);
        }
        '/' | ':' | '=' | '@' | ',' | ';' | '%' | '!' | '"' | '\'' | '_' | '-' | ' ' => out.push(c),
        c if c.is_ascii_alphanumeric() => out.push(c),
        c => push_hex(out, u32::from(c)),
    }
}

fn push_hex(out: &mut String, code: u32) {
    out.push_str(&format!("\\x{{{code:x}}}"));
}

/// Appends a literal, case ignored or not.
pub(super) fn push_literal(out: &mut String, code: u32, flags: u32) {
    let Some(c) = char::from_u32(code) else {
        // A lone surrogate, which no text holds.
        out.push_str(NOTHING);
        return;
    };
    if flags & flag::IGNORECASE == 0 {
        return push_char(out, c);
    }
    if flags & flag::ASCII != 0 || !matches!(c, 'i' | 'I' | 'k' | 'K' | 's' | 'S') && c.is_ascii() {
        if c.is_ascii_alphabetic() {
            out.push('[');
            out.push(c.to_ascii_lowercase());
            out.push(c.to_ascii_uppercase());
            out.push(']');
        } else {
            push_char(out, c);
        }
    } else if DOTTED_AND_DOTLESS_I.contains(&code) {
        out.push_str(r"[iI\x{130}\x{131}]");
    } else {
        out.push_str("(?i:");
        push_char(out, c);
        out.push(')');
    }
}

/// Appends a set.
pub(super) fn push_set(out: &mut String, negated: bool, items: &[SetItem], flags: u32) {
    let mut inner = String::new();
    for item in items {
        match *item {
            SetItem::Literal(code) => push_range(&mut inner, code, code, flags),
            SetItem::Range(low, high) => push_range(&mut inner, low, high, flags),
            SetItem::Category { kind, negated } => push_category(&mut inner, kind, negated, flags),
        }
    }
    if inner.is_empty() {
        out.push_str(if negated { r"[\s\S]" } else { NOTHING });
        return;
    }
    out.push_str(if negated { "[^" } else { "[" });
    out.push_str(&inner);
    out.push(']');
}

/// Appends a range with, where case is ignored, what its characters equal then. The engine is not asked to do so, since it
/// would fold the categories in the set, too: `\w` has no U+0345, though that equals an iota.
fn push_range(out: &mut String, low: u32, high: u32, flags: u32) {
    // The engine's characters leave the surrogates out.
    for (low, high) in [(low, high.min(0xd7ff)), (low.max(0xe000), high)] {
        if low > high {
            continue;
        }
        push_bounds(out, low, high);
        if flags & flag::IGNORECASE == 0 {
            continue;
        }
        if flags & flag::ASCII != 0 {
            let upper = (low.max(0x41), high.min(0x5a));
            let lower = (low.max(0x61), high.min(0x7a));
            if upper.0 <= upper.1 {
                push_bounds(out, upper.0 + 0x20, upper.1 + 0x20);
            }
            if lower.0 <= lower.1 {
                push_bounds(out, lower.0 - 0x20, lower.1 - 0x20);
            }
        } else {
            push_folded(out, low, high);
        }
    }
}

/// Appends the other characters that equal one of these when case is ignored.
fn push_folded(out: &mut String, low: u32, high: u32) {
    let bounds = char::from_u32(low).zip(char::from_u32(high));
    let mut class = ClassUnicode::new(bounds.map(|(low, high)| ClassUnicodeRange::new(low, high)));
    // It fails only where the crate is built without its tables of case.
    let _ = class.try_case_fold_simple();
    for range in class.ranges() {
        push_bounds(out, u32::from(range.start()), u32::from(range.end()));
    }
    if DOTTED_AND_DOTLESS_I.iter().any(|c| (low..=high).contains(c)) {
        out.push_str(r"iI\x{130}\x{131}");
    }
}

fn push_bounds(out: &mut String, low: u32, high: u32) {
    push_in_set(out, low);
    if high > low {
        out.push('-');
        push_in_set(out, high);
    }
}

fn push_in_set(out: &mut String, code: u32) {
    match char::from_u32(code) {
        Some(c) if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
        _ => push_hex(out, code),
    }
}

fn push_category(out: &mut String, kind: Category, negated: bool, flags: u32) {
    let ascii = flags & flag::ASCII != 0;
    let members = match (kind, ascii) {
        (Category::Digit, false) => r"\p{Nd}",
        (Category::Digit, true) => "0-9",
        // `str.isspace` has the four separators of ASCII, which Unicode's White_Space has not.
        (Category::Space, false) => r"\s\x{1c}-\x{1f}",
        (Category::Space, true) => r"\x{9}-\x{d}\x{20}",
        (Category::Word, false) => WORD,
        (Category::Word, true) => ASCII_WORD,
    };
    if negated {
        out.push_str("[^");
        out.push_str(members);
        out.push(']');
    } else {
        out.push_str(members);
    }
}

/// The set of word characters, for what is built of look-around.
pub(super) fn word_set(flags: u32) -> String {
    format!("[{}]", if flags & flag::ASCII != 0 { ASCII_WORD } else { WORD })
}
