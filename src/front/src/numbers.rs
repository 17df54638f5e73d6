//! Int literals that are too long for Python to read, found before the parser reads them: the time that takes grows with the
//! square of their length.

use tpv_literal::int_text::MAX_DIGITS;

use super::fstring;
use super::tokens::{TokenKind, tokenize};

/// The position of the first decimal int literal with too many digits, and the number of digits.
pub(super) fn too_long(source: &str) -> Option<(usize, usize)> {
    // Hardly any source has so many digits in a row: only then is it worth to know what they are.
    let bytes = source.as_bytes();
    let mut runs = bytes.split(|byte| !is_digit(*byte));
    if source.len() <= MAX_DIGITS || runs.all(|run| run.len() <= MAX_DIGITS) {
        return None;
    }
    first(source)
}

fn first(source: &str) -> Option<(usize, usize)> {
    tokenize(source).tokens.iter().find_map(|token| {
        let text = token.text(source);
        match token.kind {
            TokenKind::Number => literal(text).map(|digits| (token.start, digits)),
            TokenKind::String => in_fields(text).map(|(at, digits)| (token.start + at, digits)),
            _ => None,
        }
    })
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

/// The digits of a literal, where it is a decimal int with too many.
fn literal(text: &str) -> Option<usize> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (digits > MAX_DIGITS && text.bytes().all(is_digit)).then_some(digits)
}

/// The first such literal in the fields of an f-string. One that is not formed as f-strings are is refused later.
fn in_fields(text: &str) -> Option<(usize, usize)> {
    fstring::expressions(text).into_iter().find_map(|range| {
        let (at, digits) = first(text.get(range.clone())?)?;
        Some((range.start + at, digits))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::string_slice)]

    use super::*;

    #[test]
    fn only_decimal_ints_are_too_long() {
        let nines = "9".repeat(MAX_DIGITS + 1);
        let found = |source: String| too_long(&source);
        assert_eq!(found(format!("x = {nines}")), Some((4, MAX_DIGITS + 1)));
        assert_eq!(found(format!("x = {}_{nines}", "9".repeat(5))), Some((4, MAX_DIGITS + 6)));
        assert_eq!(found(format!("f'{{{nines}}}'")), Some((3, MAX_DIGITS + 1)));
        for fine in [
            format!("0x{nines}"),
            format!("{nines}.0"),
            format!("1.{nines}"),
            format!("{nines}j"),
            format!("1e{nines}"),
            format!("'{nines}'"),
            format!("# {nines}"),
            format!("a{nines}"),
            format!("f'{nines} {{{{{nines}}}}} {{x{nines}}}'"),
            nines[1..].to_owned(),
        ] {
            assert_eq!(found(fine.clone()), None, "{}", &fine[..10]);
        }
    }
}
