//! PEP 440 versions, as `packaging.version.Version` reads and compares them.
//!
//! The package `pep440_rs` does not fit: its numbers have at most 64 bits, but `18446744073709551616` is a valid version.

use std::cmp::Ordering;
use std::fmt::Write;

/// A number of any length: its digits, compared without leading zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number<'a>(&'a str);

impl<'a> Number<'a> {
    /// The number of these digits; none at all are 0.
    fn new(digits: &'a str) -> Self {
        Self(digits.trim_start_matches('0'))
    }

    /// The digits, at least one.
    pub(super) fn digits(self) -> &'a str {
        if self.0.is_empty() { "0" } else { self.0 }
    }

    fn is_zero(self) -> bool {
        self.0.is_empty()
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(other.0))
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The kind of a pre-release, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pre {
    Alpha,
    Beta,
    Candidate,
}

impl Pre {
    pub(super) fn letters(self) -> &'static str {
        match self {
            Self::Alpha => "a",
            Self::Beta => "b",
            Self::Candidate => "rc",
        }
    }
}

/// A version by PEP 440.
#[derive(Clone, Debug)]
pub struct Pep440<'a> {
    pub(super) epoch: Number<'a>,
    /// The release segment: digits and dots.
    release: &'a str,
    pub(super) pre: Option<(Pre, Number<'a>)>,
    pub(super) post: Option<Number<'a>>,
    pub(super) dev: Option<Number<'a>>,
    /// The local segment as written, without its `+`.
    local: Option<&'a str>,
}

/// A part of a local segment. Words sort before numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LocalPart<'a> {
    Word(String),
    Number(Number<'a>),
}

/// Reads the parts of a version from front to back. What packaging's pattern takes it never gives back, so neither does
/// this.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn digits(&mut self) -> Option<&'a str> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        (length > 0).then(|| self.take(length))
    }

    fn separator(&mut self) {
        if self.rest.starts_with(['.', '_', '-']) {
            self.take(1);
        }
    }

    /// The first of these words that comes next, in any case of its letters.
    fn word<T: Copy>(&mut self, words: &[(&str, T)]) -> Option<T> {
        let bytes = self.rest.as_bytes();
        let comes =
            |word: &str| bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
        let (word, meaning) = words.iter().find(|(word, _)| comes(word))?;
        self.take(word.len());
        Some(*meaning)
    }

    /// A separator, one of the words, a separator and a number, all but the word optional.
    fn segment<T: Copy>(&mut self, words: &[(&str, T)]) -> Option<(T, Number<'a>)> {
        let before = self.rest;
        self.separator();
        let Some(meaning) = self.word(words) else {
            self.rest = before;
            return None;
        };
        self.separator();
        Some((meaning, Number::new(self.digits().unwrap_or_default())))
    }

    /// Digits, each run followed by a dot and the next.
    fn release(&mut self) -> Option<&'a str> {
        let before = self.rest;
        let mut length = self.digits()?.len();
        while let Some(after) = self.rest.strip_prefix('.') {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                break;
            }
            self.take(digits + 1);
            length += digits + 1;
        }
        before.get(..length)
    }

    fn epoch(&mut self) -> Option<&'a str> {
        let before = self.rest;
        let digits = self.digits();
        if digits.is_some() && self.rest.starts_with('!') {
            self.take(1);
            return digits;
        }
        self.rest = before;
        None
    }

    fn post(&mut self) -> Option<Number<'a>> {
        let after_dash = self.rest.strip_prefix('-').unwrap_or_default();
        if after_dash.starts_with(|char: char| char.is_ascii_digit()) {
            self.take(1);
            return self.digits().map(Number::new);
        }
        self.segment(&[("post", ()), ("rev", ()), ("r", ())]).map(|(_, number)| number)
    }

    /// Alphanumeric parts with separators between.
    fn local(&mut self) -> Option<&'a str> {
        let body = self.rest.strip_prefix('+')?;
        let mut length = 0_usize;
        let mut separated = true;
        for byte in body.bytes() {
            if byte.is_ascii_alphanumeric() {
                separated = false;
            } else if !separated && matches!(byte, b'.' | b'_' | b'-') {
                separated = true;
            } else {
                break;
            }
            length += 1;
        }
        if separated {
            length = length.checked_sub(1)?;
        }
        (length > 0).then(|| self.take(length + 1)).and_then(|local| local.strip_prefix('+'))
    }
}

/// White space as Python's regular expressions know it.
pub(super) fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\x1c'..='\x1f').contains(&char)
}

impl<'a> Pep440<'a> {
    /// Reads a version; `None` where the text does not follow PEP 440.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut scanner = Scanner { rest: text.trim_start_matches(is_space) };
        if scanner.rest.starts_with(['v', 'V']) {
            scanner.take(1);
        }
        let epoch = Number::new(scanner.epoch().unwrap_or_default());
        let release = scanner.release()?;
        let pre = scanner.segment(&[
            ("alpha", Pre::Alpha),
            ("a", Pre::Alpha),
            ("beta", Pre::Beta),
            ("b", Pre::Beta),
            ("preview", Pre::Candidate),
            ("pre", Pre::Candidate),
            ("c", Pre::Candidate),
            ("rc", Pre::Candidate),
        ]);
        let post = scanner.post();
        let dev = scanner.segment(&[("dev", ())]).map(|(_, number)| number);
        let local = scanner.local();
        scanner.rest.chars().all(is_space).then_some(Self { epoch, release, pre, post, dev, local })
    }

    /// The numbers of the release segment.
    pub(super) fn release(&self) -> impl Iterator<Item = Number<'a>> {
        self.release.split('.').map(Number::new)
    }

    /// The numbers of the release segment without zeros at the end, which do not count.
    pub(super) fn significant_release(&self) -> impl Iterator<Item = Number<'a>> {
        let length = self.release().enumerate().filter(|(_, number)| !number.is_zero()).last();
        self.release().take(length.map_or(0, |(index, _)| index + 1))
    }

    /// The parts of the local segment.
    pub(super) fn local(&self) -> Option<impl Iterator<Item = LocalPart<'a>> + use<'a>> {
        self.local.map(|local| {
            local.split(['.', '_', '-']).map(|part| {
                if part.bytes().all(|byte| byte.is_ascii_digit()) {
                    LocalPart::Number(Number::new(part))
                } else {
                    LocalPart::Word(part.to_ascii_lowercase())
                }
            })
        })
    }

    /// The sort key of versions of the same release: the kind and number of a pre-release, then post, then dev.
    pub(super) fn suffix(&self) -> (i8, Number<'a>, Option<Number<'a>>, bool, Number<'a>) {
        let zero = Number("");
        let (rank, number) = match self.pre {
            Some((pre, number)) => (pre as i8, number),
            // A development release of no pre- or post-release comes before the first alpha.
            None if self.post.is_none() && self.dev.is_some() => (-1, zero),
            None => (3, zero),
        };
        (rank, number, self.post, self.dev.is_none(), self.dev.unwrap_or(zero))
    }

    /// Compares two versions.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.epoch
            .cmp(&other.epoch)
            .then_with(|| self.significant_release().cmp(other.significant_release()))
            .then_with(|| self.suffix().cmp(&other.suffix()))
            .then_with(|| match (self.local(), other.local()) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Less,
                (Some(_), None) => Ordering::Greater,
                (Some(a), Some(b)) => a.cmp(b),
            })
    }

    /// The release segment, normalized, with the epoch before it: `base_version`.
    pub(super) fn base_text(&self) -> String {
        let mut text = String::new();
        if !self.epoch.is_zero() {
            let _ = write!(text, "{}!", self.epoch.digits());
        }
        let numbers: Vec<&str> = self.release().map(Number::digits).collect();
        text.push_str(&numbers.join("."));
        text
    }

    /// The version without its local segment, normalized: `public`.
    pub(super) fn public_text(&self) -> String {
        let mut text = self.base_text();
        if let Some((pre, number)) = self.pre {
            let _ = write!(text, "{}{}", pre.letters(), number.digits());
        }
        if let Some(number) = self.post {
            let _ = write!(text, ".post{}", number.digits());
        }
        if let Some(number) = self.dev {
            let _ = write!(text, ".dev{}", number.digits());
        }
        text
    }

    /// The local segment, normalized.
    pub(super) fn local_text(&self) -> Option<String> {
        let parts: Vec<String> = self
            .local()?
            .map(|part| match part {
                LocalPart::Word(word) => word,
                LocalPart::Number(number) => number.digits().to_owned(),
            })
            .collect();
        Some(parts.join("."))
    }
}
