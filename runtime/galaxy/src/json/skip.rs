//! Skipping a value quickly.
//!
//! Most of a job's line is never looked at, but all of it is checked. The quick way knows what is common and right: where it
//! meets anything else (a fault, `\u`, deep nesting, `NaN`), the exact reader looks at the value.

use tpv_python::modules::json::plain_end;

/// Values nested deeper are left to the exact reader: one bit of a word for each container.
pub(super) const MAX_QUICK_DEPTH: usize = 62;

/// Numbers of more bytes are left to the exact reader, which knows how long an int may be.
const MAX_NUMBER: usize = 64;

/// The end of the value that starts at `from` or after blanks there; `None` if the fast path cannot tell.
pub(super) fn quick_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    // The containers that are open, innermost lowest: 1 for an object, 0 for a list. The highest bit set is none of them.
    let mut open = 1_u64;
    loop {
        at = blanks(text, at);
        match text.get(at)? {
            b'"' => at = string_end(text, at + 1)?,
            b'{' => {
                at = blanks(text, at + 1);
                if text.get(at)? == &b'}' {
                    at += 1;
                } else {
                    open = opened(open, 1)?;
                    at = key_end(text, at)?;
                    continue;
                }
            }
            b'[' => {
                at = blanks(text, at + 1);
                if text.get(at)? == &b']' {
                    at += 1;
                } else {
                    open = opened(open, 0)?;
                    continue;
                }
            }
            b'-' | b'0'..=b'9' => at = number_end(text, at)?,
            b't' => at = word_end(text, at, b"true")?,
            b'f' => at = word_end(text, at, b"false")?,
            b'n' => at = word_end(text, at, b"null")?,
            _ => return None,
        }
        // A value has ended, and maybe the containers that hold it.
        loop {
            if open == 1 {
                return Some(at);
            }
            at = blanks(text, at);
            match (text.get(at)?, open & 1) {
                (b',', 1) => {
                    at = key_end(text, blanks(text, at + 1))?;
                    break;
                }
                (b',', _) => {
                    at += 1;
                    break;
                }
                (b'}', 1) | (b']', 0) => {
                    at += 1;
                    open >>= 1;
                }
                _ => return None,
            }
        }
    }
}

fn opened(open: u64, bit: u64) -> Option<u64> {
    (open >> MAX_QUICK_DEPTH == 0).then_some(open << 1 | bit)
}

/// The end of the white space from here on.
#[inline]
pub(super) fn blanks(text: &[u8], at: usize) -> usize {
    // Nothing, or a single blank, is what nearly always comes.
    match text.get(at) {
        Some(b' ') => match text.get(at + 1) {
            Some(byte) if *byte > b' ' => at + 1,
            _ => more_blanks(text, at),
        },
        Some(byte) if *byte > b' ' => at,
        _ => more_blanks(text, at),
    }
}

#[cold]
fn more_blanks(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = text.get(at) {
        at += 1;
    }
    at
}

fn word_end(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.starts_with(word).then_some(at + word.len())
}

/// The end of a key and its colon.
fn key_end(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at)? != &b'"' {
        return None;
    }
    let at = blanks(text, string_end(text, at + 1)?);
    (text.get(at)? == &b':').then_some(at + 1)
}

/// The end of the string whose first character is at `at`: after its quote.
#[inline]
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let at = plain_end(text, at);
    if text.get(at)? == &b'"' { Some(at + 1) } else { string_end_after_escape(text, at) }
}

#[cold]
fn string_end_after_escape(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => match text.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at = plain_end(text, at + 2),
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// The end of a number: an int, or one with digits after a point.
fn number_end(text: &[u8], from: usize) -> Option<usize> {
    let digits = |mut at: usize| {
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let first = from + usize::from(text.get(from) == Some(&b'-'));
    let mut end = digits(first);
    if end == first || (text.get(first) == Some(&b'0') && end > first + 1) {
        return None;
    }
    if text.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digits(fraction);
        if end == fraction {
            return None;
        }
    }
    (end - from <= MAX_NUMBER && !matches!(text.get(end), Some(b'e' | b'E'))).then_some(end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::Reader;
    use super::*;

    /// Texts from pieces of JSON, right and wrong: where the quick way tells of an end, the exact reader reads to it.
    #[test]
    fn the_quick_way_ends_where_the_exact_reader_does() {
        const PIECES: [&str; 34] = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\"k\":",
            "\"long text of more than a word\"",
            "\"\\n\"",
            "\"\\u0041\"",
            "\"\\x\"",
            "\"\u{1}\"",
            "\\",
            " ",
            "\n",
            "\t",
            "0",
            "-0",
            "01",
            "1.5",
            "1.",
            "-",
            "1e5",
            "12",
            "true",
            "tru",
            "false",
            "null",
            "NaN",
            "-Infinity",
            "{}",
            "[]",
        ];
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % below as u64).unwrap()
        };
        let mut told = 0;
        for _ in 0..200_000 {
            let mut text = String::new();
            for _ in 0..=next(9) {
                text.push_str(PIECES[next(PIECES.len())]);
            }
            let mut reader = Reader::new(&text);
            let exact = reader.skip().map(|()| reader.at);
            if let Some(end) = quick_end(text.as_bytes(), 0) {
                told += 1;
                assert_eq!(exact, Ok(end), "{text:?}");
            }
        }
        assert!(told > 20_000, "{told}");
        let deep = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
        assert_eq!(quick_end(deep(MAX_QUICK_DEPTH).as_bytes(), 0), Some(2 * MAX_QUICK_DEPTH + 1));
        assert_eq!(quick_end(deep(MAX_QUICK_DEPTH + 1).as_bytes(), 0), None);
    }
}
