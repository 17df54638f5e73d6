//! The format mini-language: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.

use std::iter::Peekable;
use std::str::Chars;

use crate::exception::{PyResult, Raised, value_error};
use tpv_literal::unicode;

/// A parsed specification.
pub(super) struct Spec {
    pub(super) fill: char,
    pub(super) align: char,
    pub(super) sign: Option<char>,
    pub(super) no_negative_zero: bool,
    pub(super) alternate: bool,
    pub(super) width: Option<usize>,
    /// The separator and how many digits stand between two.
    pub(super) grouping: Option<(char, usize)>,
    pub(super) precision: Option<usize>,
    pub(super) kind: char,
}

/// The pieces of a formatted number.
#[derive(Default)]
pub(super) struct Parts<'a> {
    /// `true` if the sign is a minus.
    pub(super) negative: bool,
    /// `0x` and its like.
    pub(super) prefix: &'a str,
    /// The digits before the point, which are grouped.
    pub(super) digits: &'a str,
    /// Everything after them.
    pub(super) rest: &'a str,
}

impl Spec {
    /// Parses a specification; `kind` and `align` are the type's defaults, `class` its name for messages.
    ///
    /// # Errors
    /// `ValueError`
    pub(super) fn parse(text: &str, kind: char, align: char, class: &str) -> PyResult<Self> {
        let mut spec = Self {
            fill: ' ',
            align,
            sign: None,
            no_negative_zero: false,
            alternate: false,
            width: None,
            grouping: None,
            precision: None,
            kind,
        };
        let is_align = |char: &char| matches!(char, '<' | '>' | '=' | '^');
        let mut chars = text.chars().peekable();
        let (mut has_fill, mut has_align) = (false, false);
        let mut ahead = text.chars();
        let (first, second) = (ahead.next(), ahead.next());
        if let (Some(fill), Some(align)) = (first, second.filter(is_align)) {
            (spec.fill, spec.align, has_fill, has_align) = (fill, align, true, true);
            chars.nth(1);
        } else if let Some(align) = chars.next_if(is_align) {
            (spec.align, has_align) = (align, true);
        }
        spec.sign = chars.next_if(|char| matches!(char, ' ' | '+' | '-'));
        spec.no_negative_zero = chars.next_if_eq(&'z').is_some();
        spec.alternate = chars.next_if_eq(&'#').is_some();
        if !has_fill && chars.next_if_eq(&'0').is_some() {
            spec.fill = '0';
            if !has_align && align == '>' {
                spec.align = '=';
            }
        }
        spec.width = number(&mut chars)?;
        let both = || value_error("Cannot specify both ',' and '_'.");
        let mut separator = chars.next_if_eq(&',');
        if let Some(underscore) = chars.next_if_eq(&'_') {
            if separator.is_some() {
                return Err(both());
            }
            separator = Some(underscore);
        }
        if separator == Some('_') && chars.peek() == Some(&',') {
            return Err(both());
        }
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = number(&mut chars)?;
            if spec.precision.is_none() {
                return Err(value_error("Format specifier missing precision"));
            }
        }
        if let Some(kind) = chars.next() {
            if chars.next().is_some() {
                return Err(value_error(format!("Invalid format specifier '{text}' for object of type '{class}'")));
            }
            spec.kind = kind;
        }
        if let Some(separator) = separator {
            spec.grouping = Some((separator, spec.group_size(separator)?));
        }
        Ok(spec)
    }

    /// The number of digits between two separators: three, or four in bases that are powers of two.
    fn group_size(&self, separator: char) -> PyResult<usize> {
        match self.kind {
            'd' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F' | '\0' => Ok(3),
            'b' | 'o' | 'x' | 'X' if separator == '_' => Ok(4),
            // The default type of strings is refused as if it were written.
            kind => Err(value_error(format!("Cannot specify '{separator}' with {}.", quoted(kind)))),
        }
    }

    /// The error for a type that the class does not have.
    pub(super) fn unknown_code(&self, class: &str) -> Raised {
        value_error(format!("Unknown format code {} for object of type '{class}'", quoted(self.kind)))
    }

    /// A text of `len` characters, filled to the width.
    pub(super) fn padded(&self, text: &str, len: usize) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(len);
        let left = match self.align {
            '>' | '=' => missing,
            '^' => missing / 2,
            _ => 0,
        };
        let mut out = String::with_capacity(text.len() + missing);
        out.extend(std::iter::repeat_n(self.fill, left));
        out.push_str(text);
        out.extend(std::iter::repeat_n(self.fill, missing - left));
        out
    }

    /// A number with sign, grouping and fill.
    pub(super) fn assembled(&self, parts: &Parts<'_>) -> String {
        let sign = match (parts.negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let other = sign.len() + parts.prefix.len() + parts.rest.chars().count();
        let zeros_in_groups = self.fill == '0' && self.align == '=';
        let least = if zeros_in_groups { self.width.unwrap_or(0).saturating_sub(other) } else { 0 };
        let digits = if parts.digits.is_empty() { String::new() } else { self.grouped(parts.digits, least) };
        if self.align == '=' {
            let missing = self.width.unwrap_or(0).saturating_sub(other + digits.len());
            let fill: String = std::iter::repeat_n(self.fill, missing).collect();
            return [sign, parts.prefix, &fill, &digits, parts.rest].concat();
        }
        let text = [sign, parts.prefix, &digits, parts.rest].concat();
        self.padded(&text, other + digits.len())
    }

    /// Digits with separators, filled with zeros (and separators) to `least` characters.
    fn grouped(&self, digits: &str, least: usize) -> String {
        let Some((separator, size)) = self.grouping else {
            return format!("{digits:0>least$}");
        };
        // From the right, as CPython's `_PyUnicode_InsertThousandsGrouping` goes; `left` counts characters to fill.
        let mut reversed = digits.bytes().rev().map(char::from).peekable();
        let mut out = Vec::with_capacity(digits.len() * 2);
        let mut left = i64::try_from(least).unwrap_or(i64::MAX);
        loop {
            let mut taken = 0;
            while taken < size && (reversed.peek().is_some() || left > 0) {
                out.push(reversed.next().unwrap_or('0'));
                taken += 1;
                left -= 1;
            }
            if reversed.peek().is_none() && left <= 0 {
                break;
            }
            out.push(separator);
            left -= 1;
            if reversed.peek().is_none() && left <= 0 {
                // A separator is never first: a zero stands before it.
                out.push('0');
                break;
            }
        }
        out.into_iter().rev().collect()
    }
}

/// A type as messages show it: `'x'`, or its code where it is not printable ASCII.
fn quoted(kind: char) -> String {
    match u32::from(kind) {
        33..=127 => format!("'{kind}'"),
        code => format!("'\\x{code:x}'"),
    }
}

/// Digits of any script as a number; `None` where there is none.
fn number(chars: &mut Peekable<Chars<'_>>) -> PyResult<Option<usize>> {
    let mut value: Option<usize> = None;
    while let Some(digit) = chars.peek().and_then(|char| unicode::decimal_value(*char)) {
        chars.next();
        let next = value.unwrap_or(0).checked_mul(10).and_then(|value| value.checked_add(digit as usize));
        match next.filter(|value| i64::try_from(*value).is_ok()) {
            Some(next) => value = Some(next),
            None => return Err(value_error("Too many decimal digits in format string")),
        }
    }
    Ok(value)
}
