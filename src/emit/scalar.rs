//! Strings as scalars: which styles a text can have, and what it would be read as without quotes.

/// Which styles can hold a text.
pub(super) struct Analysis {
    /// Without quotes, inside brackets.
    pub flow_plain: bool,
    /// Without quotes elsewhere.
    pub block_plain: bool,
    /// In `'`.
    pub single_quoted: bool,
    /// Whether it has line breaks.
    pub multiline: bool,
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: Option<char>) -> bool {
    c.is_none_or(|c| is_break(c) || matches!(c, '\0' | ' ' | '\t' | '\r'))
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && c != '\u{feff}'
}

impl Analysis {
    /// Looks at every character, as YAML's rules for plain scalars demand.
    pub(super) fn new(text: &str) -> Self {
        if text.is_empty() {
            return Self { flow_plain: false, block_plain: true, single_quoted: true, multiline: false };
        }
        let document = text.starts_with("---") || text.starts_with("...");
        let (mut flow, mut block) = (document, document);
        let (mut multiline, mut special, mut break_space, mut space_break) = (false, false, false, false);
        let mut previous: Option<char> = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            match (previous, c) {
                (
                    None,
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`',
                ) => {
                    flow = true;
                    block = true;
                }
                (None, '?' | ':') => {
                    flow |= next.is_none();
                    block |= is_blank(next);
                }
                (None, '-') if is_blank(next) => {
                    flow = true;
                    block = true;
                }
                (Some(_), ',' | '[' | ']' | '{' | '}') => flow = true,
                (Some(_), ':') if is_blank(next) => {
                    flow = true;
                    block = true;
                }
                (Some(before), '#') if is_blank(Some(before)) => {
                    flow = true;
                    block = true;
                }
                _ => {}
            }
            multiline |= is_break(c);
            special |= !is_printable(c);
            break_space |= c == ' ' && previous.is_some_and(is_break);
            space_break |= is_break(c) && previous == Some(' ');
            previous = Some(c);
        }
        let edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || is_break(c));
        let edges = edge(text.chars().next()) || edge(text.chars().next_back());
        let quoted_only = break_space || space_break || special;
        Self {
            flow_plain: !(flow || edges || quoted_only || multiline),
            block_plain: !(block || edges || quoted_only || multiline),
            single_quoted: !quoted_only,
            multiline,
        }
    }
}

/// Whether a plain scalar of this text is read as a string.
pub(super) fn is_string(text: &str) -> bool {
    !(matches!(
        text,
        "" | "~" | "null" | "Null" | "NULL" | "true" | "True" | "TRUE" | "false" | "False" | "FALSE" | "<<" | "="
    ) || is_float(text)
        || is_int(text)
        || is_timestamp(text))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn all(text: &str, test: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(test)
}

fn is_int(text: &str) -> bool {
    let digits = unsigned(text);
    let number = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    if !text.starts_with(|c: char| matches!(c, '0'..='9' | '+' | '-')) {
        return false;
    }
    all(digits, number)
        || digits.strip_prefix("0b").is_some_and(|rest| all(rest, |byte| matches!(byte, b'0' | b'1' | b'_')))
        || digits.strip_prefix("0o").is_some_and(|rest| all(rest, |byte| matches!(byte, b'0'..=b'7' | b'_')))
        || digits.strip_prefix("0x").is_some_and(|rest| all(rest, |byte| byte.is_ascii_hexdigit() || byte == b'_'))
}

fn is_float(text: &str) -> bool {
    let rest = unsigned(text);
    if matches!(rest, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (rest.get(..at).unwrap_or(""), rest.get(at + 1..)),
        None => (rest, None),
    };
    let number = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let exponent_fits = exponent.is_none_or(|text| all(unsigned(text), |byte| byte.is_ascii_digit()));
    match mantissa.split_once('.') {
        // A number that starts with a point has a sign before the digits of its exponent.
        Some(("", fraction)) => {
            all(fraction, number) && exponent_fits && exponent.is_none_or(|text| text.starts_with(['+', '-']))
        }
        Some((whole, fraction)) => {
            whole.starts_with(|c: char| c.is_ascii_digit())
                && all(whole, number)
                && fraction.bytes().all(number)
                && exponent_fits
        }
        None => {
            exponent.is_some()
                && mantissa.starts_with(|c: char| c.is_ascii_digit())
                && all(mantissa, number)
                && exponent_fits
        }
    }
}

/// `2026-01-31`, alone or with a time after it.
fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    if !(digits(0..4) && bytes.get(4) == Some(&b'-')) {
        return false;
    }
    if bytes.len() == 10 && digits(5..7) && bytes.get(7) == Some(&b'-') && digits(8..10) {
        return true;
    }
    let Some((date, time)) = text.split_once(['T', 't', ' ', '\t']) else { return false };
    let short = |text: &str| (1..=2).contains(&text.len()) && all(text, |byte| byte.is_ascii_digit());
    let date: Vec<&str> = date.split('-').collect();
    let time: Vec<&str> = time.trim_start_matches([' ', '\t']).splitn(3, ':').collect();
    matches!(date.as_slice(), [_, month, day] if short(month) && short(day))
        && matches!(time.as_slice(), [hour, minute, second]
            if short(hour) && minute.len() == 2 && short(minute)
                && second.get(..2).is_some_and(short)
                && second.get(2..).is_some_and(is_end_of_time))
}

/// The fraction of a second and the zone.
fn is_end_of_time(text: &str) -> bool {
    let text = match text.strip_prefix('.') {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => text,
    };
    let zone = text.trim_start_matches([' ', '\t']);
    zone.is_empty() && text.is_empty()
        || zone == "Z"
        || zone.strip_prefix(['+', '-']).is_some_and(|offset| {
            let (hours, minutes) = offset.split_once(':').map_or((offset, None), |(hours, rest)| (hours, Some(rest)));
            (1..=2).contains(&hours.len())
                && all(hours, |byte| byte.is_ascii_digit())
                && minutes.is_none_or(|minutes| minutes.len() == 2 && all(minutes, |byte| byte.is_ascii_digit()))
        })
}

/// The text cut into runs of spaces and of other characters: the run, whether it is of spaces, and the byte it starts at.
pub(super) fn runs(text: &str) -> impl Iterator<Item = (&str, bool, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let is_spaces = rest.starts_with(' ');
        let length = rest.find(|c: char| (c == ' ') != is_spaces).unwrap_or(rest.len());
        let run = (rest.get(..length)?, is_spaces, at);
        at += length;
        Some(run)
    })
}

/// Whether a character in `"` is written as an escape.
pub(super) fn is_escaped(c: char) -> bool {
    matches!(c, '"' | '\\' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\n')
        || !matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// The escape of a character.
pub(super) fn escape(c: char) -> String {
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(c);
            return match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}

/// Whether a line of a `"` scalar that is broken at `end` needs a backslash before the break: without one the break
/// reads as a space.
pub(super) fn needs_backslash(chars: &[char], start: usize, end: usize) -> bool {
    let find = |wanted: char, from: usize, to: usize| {
        chars.get(from..to).and_then(|part| part.iter().position(|c| *c == wanted)).map(|at| from + at)
    };
    let Some(space) = find(' ', end, chars.len()) else { return true };
    let stop = find('\n', end, space).unwrap_or(space);
    let Some(after) = chars.get(stop + 1) else { return true };
    if chars.get(stop) == Some(&'\n') && *after != ' ' {
        return true;
    }
    let between = chars.get(end..stop).unwrap_or_default();
    let double = end > 0 && chars.get(end - 1) == Some(&' ') && chars.get(end) == Some(&' ');
    between.iter().any(|c| matches!(c, '"' | '\'')) || matches!(after, ' ' | '\n') || double || start == end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_no_string_is_quoted() {
        for text in ["1", "0o17", "-1_0", "1.5", "1e3", ".5", "2020-01-02", "2020-1-2 3:04:05.6 +01:00", "=", "~", "1."]
        {
            assert!(!is_string(text), "{text}");
        }
        for text in ["yes", "1:30", "0b2", "a", "1.2.3", "2020-1-2", "--", ".", "e3", "0x"] {
            assert!(is_string(text), "{text}");
        }
    }
}
