//! CPython 3.11's properties of characters: Unicode 14, whatever version the tables of Rust and of `regex-syntax` have.

use std::sync::LazyLock;

use regex_syntax::hir::{Class as HirClass, Hir, HirKind};

/// The characters of a class that is written as in a regular expression, in ascending ranges.
struct Class(LazyLock<Vec<(char, char)>>);

/// Declares classes of characters by what `regex-syntax` calls them.
macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $class:expr;)*) => {
        $($(#[$doc])* static $name: Class = Class(LazyLock::new(|| ranges($class)));)*
    };
}

classes! {
    /// The characters assigned in Unicode 14.
    ASSIGNED = r"\p{age:14.0}";
    ALPHA = r"[\p{L}&&\p{age:14.0}]";
    DECIMAL = r"[\p{Nd}&&\p{age:14.0}]";
    /// The characters with the value of a digit that are not decimal digits: superscripts, digits in circles.
    DIGIT_ONLY = concat!(
        r"[²-³¹\x{1369}-\x{1371}\x{19da}⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒",
        r"\x{10a40}-\x{10a43}\x{10e60}-\x{10e68}\x{11052}-\x{1105a}\x{1f100}-\x{1f10a}]"
    );
    NUMBER = r"[\p{N}&&\p{age:14.0}]";
    UNPRINTABLE = r"[\p{Z}\p{C}]";
    TITLE = r"\p{Lt}";
    CASE_IGNORABLE = r"[\p{Case_Ignorable}&&\p{age:14.0}]";
    ID_START = r"[\p{XID_Start}&&\p{age:14.0}]";
    ID_CONTINUE = r"[\p{XID_Continue}&&\p{age:14.0}]";
}

/// The numerals among the letters of Chinese, which have a numeric value.
const CHINESE_NUMERALS: &str = "\
    \u{3405}\u{3483}\u{382a}\u{3b4d}一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾\
    捌柒漆玖百肆萬貮貳贰阡陆陌陸零\u{f96b}\u{f973}\u{f978}\u{f9b2}\u{f9d1}\u{f9d3}\u{f9fd}\u{20001}\u{20064}\
    \u{200e2}\u{20121}\u{2092a}\u{20983}\u{2098c}\u{2099c}\u{20aea}\u{20afd}\u{20b19}\u{22390}\u{22998}\u{23b1b}\
    \u{2626d}\u{2f890}";

/// The ranges of a class.
fn ranges(class: &str) -> Vec<(char, char)> {
    match regex_syntax::parse(class).map(Hir::into_kind) {
        Ok(HirKind::Class(HirClass::Unicode(class))) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        _ => Vec::new(),
    }
}

impl Class {
    fn has(&self, char: char) -> bool {
        self.range(char).is_some()
    }

    /// The range that the character is in.
    fn range(&self, char: char) -> Option<(char, char)> {
        let after = self.0.partition_point(|(_, last)| *last < char);
        self.0.get(after).copied().filter(|(first, _)| *first <= char)
    }
}

/// Returns `true` if Unicode 14 assigns the character. Characters of later versions have no properties in CPython 3.11.
pub fn is_assigned(char: char) -> bool {
    char.is_ascii() || ASSIGNED.has(char)
}

/// `str.isalpha` of one character.
pub fn is_alpha(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphabetic() } else { ALPHA.has(char) }
}

/// `str.isdecimal` of one character.
pub fn is_decimal(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { DECIMAL.has(char) }
}

/// The value of a decimal digit of any script.
pub fn decimal_value(char: char) -> Option<u32> {
    if char.is_ascii() {
        return char.to_digit(10);
    }
    // Ranges hold one or more sets of ten digits, each from zero on.
    let (zero, _) = DECIMAL.range(char)?;
    Some((u32::from(char) - u32::from(zero)) % 10)
}

/// `str.isdigit` of one character.
pub fn is_digit(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { DECIMAL.has(char) || DIGIT_ONLY.has(char) }
}

/// `str.isnumeric` of one character.
pub fn is_numeric(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { NUMBER.has(char) || CHINESE_NUMERALS.contains(char) }
}

/// `str.isprintable` of one character.
pub fn is_printable(char: char) -> bool {
    if char.is_ascii() { !char.is_ascii_control() } else { ASSIGNED.has(char) && !UNPRINTABLE.has(char) }
}

/// `str.isspace` of one character. The four separators of ASCII count in CPython, not in Rust.
pub fn is_space(char: char) -> bool {
    matches!(char, '\x1c'..='\x1f') || char.is_whitespace()
}

/// Returns `true` if `str.splitlines` ends a line at the character.
pub fn is_line_break(char: char) -> bool {
    matches!(char, '\n' | '\x0b' | '\x0c' | '\r' | '\x1c' | '\x1d' | '\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns `true` for a lower-case character, as `str.islower` defines it.
pub fn is_lower(char: char) -> bool {
    // What later versions of Unicode count otherwise.
    let changed = matches!(char, '\u{295}' | '\u{10fc}' | '\u{a7f2}'..='\u{a7f4}' | '\u{ab69}');
    is_assigned(char) && (if changed { char == '\u{295}' } else { char.is_lowercase() })
}

/// Returns `true` for an upper-case character, as `str.isupper` defines it.
pub fn is_upper(char: char) -> bool {
    is_assigned(char) && char.is_uppercase()
}

/// Returns `true` for a title-case letter such as `ǅ`.
pub fn is_title(char: char) -> bool {
    !char.is_ascii() && TITLE.has(char)
}

/// Returns `true` for a cased character: a letter of either case, or a stand-in for one.
pub fn is_cased(char: char) -> bool {
    is_lower(char) || is_upper(char) || is_title(char)
}

/// Returns `true` if it can start an identifier.
pub fn is_id_start(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphabetic() || char == '_' } else { ID_START.has(char) }
}

/// Returns `true` if it can continue an identifier.
pub fn is_id_continue(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphanumeric() || char == '_' } else { ID_CONTINUE.has(char) }
}

/// Appends the character in upper case.
pub fn push_upper(char: char, out: &mut String) {
    if char.is_ascii() {
        out.push(char.to_ascii_uppercase());
    } else if is_assigned(char) && char.to_uppercase().all(is_assigned) {
        out.extend(char.to_uppercase());
    } else {
        out.push(char);
    }
}

/// Appends the character in lower case; a capital sigma becomes the medial form.
pub fn push_lower(char: char, out: &mut String) {
    if char.is_ascii() {
        out.push(char.to_ascii_lowercase());
    } else if is_assigned(char) && char.to_lowercase().all(is_assigned) {
        out.extend(char.to_lowercase());
    } else {
        out.push(char);
    }
}

/// Appends the character in title case.
pub fn push_title(char: char, out: &mut String) {
    match char {
        // Digraphs have a form of their own, between the capital and the small one.
        'Ǆ'..='ǆ' => out.push('ǅ'),
        'Ǉ'..='ǉ' => out.push('ǈ'),
        'Ǌ'..='ǌ' => out.push('ǋ'),
        'Ǳ'..='ǳ' => out.push('ǲ'),
        // Georgian has capitals for texts in capitals only.
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => out.push(char),
        // Greek letters keep the iota below them.
        '\u{1f80}'..='\u{1faf}' => out.extend(char::from_u32(u32::from(char) | 8)),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => out.extend(char::from_u32(u32::from(char) + 9)),
        '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}' => out.push(char),
        '\u{1fb2}' => out.push_str("\u{1fba}\u{345}"),
        '\u{1fb4}' => out.push_str("\u{386}\u{345}"),
        '\u{1fb7}' => out.push_str("\u{391}\u{342}\u{345}"),
        '\u{1fc2}' => out.push_str("\u{1fca}\u{345}"),
        '\u{1fc4}' => out.push_str("\u{389}\u{345}"),
        '\u{1fc7}' => out.push_str("\u{397}\u{342}\u{345}"),
        '\u{1ff2}' => out.push_str("\u{1ffa}\u{345}"),
        '\u{1ff4}' => out.push_str("\u{38f}\u{345}"),
        '\u{1ff7}' => out.push_str("\u{3a9}\u{342}\u{345}"),
        // Ligatures come apart.
        'ß' | 'և' | '\u{fb00}'..='\u{fb06}' | '\u{fb13}'..='\u{fb17}' => {
            let mut letters = char.to_uppercase();
            out.extend(letters.next());
            letters.for_each(|letter| push_lower(letter, out));
        }
        _ => push_upper(char, out),
    }
}

/// Appends the character with its case folded.
pub fn push_folded(char: char, out: &mut String) {
    match char {
        'ı' => out.push(char),
        'ẞ' => out.push_str("ss"),
        // The small letters of Cherokee came later than its capitals.
        '\u{13a0}'..='\u{13fd}' | '\u{ab70}'..='\u{abbf}' => push_upper(char, out),
        _ => {
            let mut upper = String::new();
            push_upper(char, &mut upper);
            upper.chars().for_each(|char| push_lower(char, out));
        }
    }
}

/// The lower case of a capital sigma between these texts: final after a letter and before none.
fn lower_sigma(before: &str, after: &str) -> char {
    let matters = |char: &char| !CASE_IGNORABLE.has(*char);
    let cased_before = before.chars().rev().find(matters).is_some_and(is_cased);
    let cased_after = after.chars().find(matters).is_some_and(is_cased);
    if cased_before && !cased_after { 'ς' } else { 'σ' }
}

/// Appends the character at byte `at` of `text` in lower case, with the right form of sigma.
pub fn push_lower_in(text: &str, at: usize, char: char, out: &mut String) {
    if char == 'Σ' {
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let after = rest.get(char.len_utf8()..).unwrap_or_default();
        out.push(lower_sigma(before, after));
    } else {
        push_lower(char, out);
    }
}
