//! What CPython 3.11 says of characters: Unicode 14, whatever version Rust's own tables are.

mod tables;

use tables::*;

/// Whether the character is in a set that is given by the code points where it turns on and off.
fn within(set: &[u32], char: char) -> bool {
    set.partition_point(|boundary| *boundary <= u32::from(char)) % 2 == 1
}

/// Whether Unicode 14 assigns the character. What later versions added has no properties in CPython 3.11.
pub fn is_assigned(char: char) -> bool {
    char.is_ascii() || within(&ASSIGNED, char)
}

/// `str.isalpha` of one character.
pub fn is_alpha(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphabetic() } else { within(&ALPHA, char) }
}

/// `str.isdecimal` of one character.
pub fn is_decimal(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { within(&DECIMAL, char) }
}

/// The value of a decimal digit of any script.
pub fn decimal_value(char: char) -> Option<u32> {
    if char.is_ascii() {
        return char.to_digit(10);
    }
    let after = DECIMAL.partition_point(|boundary| *boundary <= u32::from(char));
    if after % 2 == 0 {
        return None;
    }
    // Runs hold one or more sets of ten digits, each from zero on.
    let start = DECIMAL.get(after.checked_sub(1)?)?;
    Some((u32::from(char) - start) % 10)
}

/// `str.isdigit` of one character.
pub fn is_digit(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { within(&DIGIT, char) }
}

/// `str.isnumeric` of one character.
pub fn is_numeric(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { within(&NUMERIC, char) }
}

/// `str.isprintable` of one character.
pub fn is_printable(char: char) -> bool {
    if char.is_ascii() { !char.is_ascii_control() } else { within(&ASSIGNED, char) && !within(&UNPRINTABLE, char) }
}

/// `str.isspace` of one character. The four separators of ASCII count in CPython, not in Rust.
pub fn is_space(char: char) -> bool {
    matches!(char, '\x1c'..='\x1f') || char.is_whitespace()
}

/// Whether `str.splitlines` ends a line at the character.
pub fn is_line_break(char: char) -> bool {
    matches!(char, '\n' | '\x0b' | '\x0c' | '\r' | '\x1c' | '\x1d' | '\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether it is lower case, as `str.islower` asks.
pub fn is_lower(char: char) -> bool {
    // What later versions of Unicode count otherwise.
    let changed = matches!(char, '\u{295}' | '\u{10fc}' | '\u{a7f2}'..='\u{a7f4}' | '\u{ab69}');
    is_assigned(char) && (if changed { char == '\u{295}' } else { char.is_lowercase() })
}

/// Whether it is upper case, as `str.isupper` asks.
pub fn is_upper(char: char) -> bool {
    is_assigned(char) && char.is_uppercase()
}

/// Whether it is a title case letter such as `ǅ`.
pub fn is_title(char: char) -> bool {
    !char.is_ascii() && within(&TITLE, char)
}

/// Whether it has case: a letter of either case, or one that stands for such.
pub fn is_cased(char: char) -> bool {
    is_lower(char) || is_upper(char) || is_title(char)
}

/// Whether it can start an identifier.
pub fn is_id_start(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_alphabetic() || char == '_';
    }
    within(&ALPHA, char) != within(&ID_START_NOT_ALPHA, char)
}

/// Whether it can continue an identifier.
pub fn is_id_continue(char: char) -> bool {
    is_id_start(char) || within(&ID_CONTINUE_ONLY, char)
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
    match mapped(&TITLE_MAPPING, char) {
        Some(text) => out.push_str(text),
        None => push_upper(char, out),
    }
}

/// Appends the character with its case folded.
pub fn push_folded(char: char, out: &mut String) {
    match mapped(&FOLD_MAPPING, char) {
        Some(text) => out.push_str(text),
        None => push_lower(char, out),
    }
}

fn mapped(table: &'static [(u32, &'static str)], char: char) -> Option<&'static str> {
    if char.is_ascii() {
        return None;
    }
    let index = table.binary_search_by_key(&u32::from(char), |(code, _)| *code).ok()?;
    table.get(index).map(|(_, text)| *text)
}

/// The lower case of a capital sigma between these texts: final after a letter and before none.
fn lower_sigma(before: &str, after: &str) -> char {
    let matters = |char: &char| !within(&CASE_IGNORABLE, *char);
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
