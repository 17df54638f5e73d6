//! A pull parser: the caller says what it expects and names what it finds instead.

use std::borrow::Cow;

use num_bigint::BigInt;

use super::skip::{MAX_QUICK_DEPTH, blanks, quick_end};
use tpv_literal::int_text::MAX_DIGITS;
use tpv_python::modules::json::{BadEscape, plain_end, unescape};
use tpv_python::value::Value;

/// Values nest no deeper than this, so that recursion over them is bounded.
const MAX_DEPTH: usize = 200;

/// A fault of a text with its position. It is boxed, so that the success path pays no space for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Wrong>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Wrong {
    path: String,
    message: String,
    at: usize,
    is_syntax: bool,
}

impl Fault {
    /// A fault of the value at this offset.
    #[cold]
    pub fn new(message: impl Into<String>, at: usize) -> Self {
        Self(Box::new(Wrong { path: String::new(), message: message.into(), at, is_syntax: false }))
    }

    #[cold]
    fn syntax(message: impl Into<String>, at: usize) -> Self {
        let mut fault = Self::new(message, at);
        fault.0.is_syntax = true;
        fault
    }

    /// The field, as the user would write it: `user.roles[2].name`; empty for the whole text.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The fault: `must be a string`.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The byte offset in the text.
    pub fn at(&self) -> usize {
        self.0.at
    }

    /// Returns `true` if the text is not JSON at all, in which case there is no path.
    pub fn is_syntax(&self) -> bool {
        self.0.is_syntax
    }

    /// The same fault, seen from the object that holds it under `key`.
    #[must_use]
    pub fn under(mut self, key: &str) -> Self {
        if !self.is_syntax() {
            let path = self.path();
            let joint = if path.is_empty() || path.starts_with('[') { "" } else { "." };
            self.0.path = format!("{key}{joint}{path}");
        }
        self
    }

    fn in_list(self, index: usize) -> Self {
        self.under(&format!("[{index}]"))
    }

    /// The fault in one line: `tool.id: missing`, or `not JSON: a comma or } is missing (column 9)`.
    pub fn describe(&self, text: &str) -> String {
        let (path, message) = (self.path(), self.message());
        if self.is_syntax() {
            let before = text.get(..self.at()).unwrap_or(text);
            let line = before.rsplit('\n').next().unwrap_or_default();
            return format!("not JSON: {message} (column {})", line.chars().count() + 1);
        }
        if path.is_empty() { message.to_owned() } else { format!("{path}: {message}") }
    }
}

/// The kind of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool,
    /// A number
    Number,
    /// A string
    String,
    /// `[...]`
    List,
    /// `{...}`
    Object,
}

/// The place of a string that was read: in the text, or, if it contains escapes, in the part that [`Reader::into_text`]
/// appends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    start: usize,
    end: usize,
}

impl Place {
    /// The place of a string that was appended to what [`Reader::into_text`] gave.
    pub(crate) fn of_range(range: std::ops::Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }

    /// Returns `true` if the string is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The string, out of what [`Reader::into_text`] gave.
    #[inline]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Reads one JSON text from front to back.
pub struct Reader<'a> {
    text: &'a str,
    pub(super) at: usize,
    depth: usize,
    /// The strings without their escapes that places were asked of, one after the other.
    decoded: String,
}

impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, decoded: String::new() }
    }

    /// The offset of the next character that is not white space.
    #[inline]
    pub fn offset(&mut self) -> usize {
        self.at = blanks(self.text.as_bytes(), self.at);
        self.at
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns `true` if this byte is next after white space.
    #[inline]
    pub fn is_at(&mut self, byte: u8) -> bool {
        self.offset();
        self.byte() == Some(byte)
    }

    /// The fault of a value that is not what it must be, or of what is no value.
    #[cold]
    pub fn unexpected(&mut self, message: &str) -> Fault {
        self.kind().map_or_else(|fault| fault, |_| Fault::new(message, self.at))
    }

    /// The string at a place that this reader gave.
    #[inline]
    pub fn at_place(&self, place: Place) -> &str {
        if place.start < self.text.len() { place.of(self.text) } else { self.decoded_at(place) }
    }

    /// The same as bytes, which are found without looking whether they are whole characters.
    #[inline]
    pub fn bytes_at(&self, place: Place) -> &[u8] {
        let found = self.text.as_bytes().get(place.start..place.end);
        found.unwrap_or_else(|| self.decoded_at(place).as_bytes())
    }

    #[cold]
    fn decoded_at(&self, Place { start, end }: Place) -> &str {
        let before = self.text.len();
        Place { start: start - before, end: end - before }.of(&self.decoded)
    }

    /// The same, for longer than this reader.
    fn piece(&self, place: Place) -> Cow<'a, str> {
        if place.start < self.text.len() {
            Cow::Borrowed(place.of(self.text))
        } else {
            Cow::Owned(self.decoded_at(place).to_owned())
        }
    }

    /// The text that all places refer to: the original, followed by the unescaped strings.
    pub fn into_text(self) -> Box<str> {
        if self.decoded.is_empty() { self.text.into() } else { [self.text, &self.decoded].concat().into() }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        if found {
            self.at += word.len();
        }
        found
    }

    /// The kind of the next value.
    ///
    /// # Errors
    /// A syntax fault where no value starts.
    #[inline]
    pub fn kind(&mut self) -> Result<Kind, Fault> {
        let at = self.offset();
        Ok(match self.byte() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::List,
            Some(b'"') => Kind::String,
            Some(b'-' | b'0'..=b'9' | b'N' | b'I') => Kind::Number,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            Some(_) => return Err(Fault::syntax("a value is expected", at)),
            None => return Err(Fault::syntax("the text ends where a value is expected", at)),
        })
    }

    /// Refuses anything but white space after the value.
    ///
    /// # Errors
    /// A syntax fault at what follows.
    pub fn end(&mut self) -> Result<(), Fault> {
        let at = self.offset();
        if at < self.text.len() { Err(Fault::syntax("something follows the value", at)) } else { Ok(()) }
    }

    /// Reads `null` if it is next.
    ///
    /// # Errors
    /// A syntax fault.
    pub fn null(&mut self) -> Result<bool, Fault> {
        if !self.is_at(b'n') {
            return self.kind().map(|_| false);
        }
        if self.word("null") { Ok(true) } else { Err(Fault::syntax("an unknown word", self.at)) }
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// A fault if the next value is something else.
    pub fn bool(&mut self) -> Result<bool, Fault> {
        if self.kind()? != Kind::Bool {
            return Err(Fault::new("must be true or false", self.at));
        }
        if self.word("true") {
            Ok(true)
        } else if self.word("false") {
            Ok(false)
        } else {
            Err(Fault::syntax("an unknown word", self.at))
        }
    }

    /// Reads a string.
    ///
    /// # Errors
    /// A fault if the next value is something else.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.place().map(|place| self.piece(place))
    }

    /// Reads a string and tells where it is.
    ///
    /// # Errors
    /// A fault if the next value is something else.
    #[inline]
    pub fn place(&mut self) -> Result<Place, Fault> {
        if self.is_at(b'"') { self.string_body() } else { Err(self.unexpected("must be a string")) }
    }

    /// Reads a string, whose place it gives, or `null`, which is nothing.
    ///
    /// # Errors
    /// A fault if the next value is something else.
    #[inline]
    pub fn place_or_null(&mut self) -> Result<Option<Place>, Fault> {
        if self.is_at(b'"') {
            return self.string_body().map(Some);
        }
        if self.null()? { Ok(None) } else { Err(Fault::new("must be a string or null", self.at)) }
    }

    #[inline]
    fn string_body(&mut self) -> Result<Place, Fault> {
        let start = self.at + 1;
        let end = plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return self.string_with_escapes();
        }
        self.at = end + 1;
        Ok(Place { start, end })
    }

    #[cold]
    fn string_with_escapes(&mut self) -> Result<Place, Fault> {
        let (opening, start) = (self.at, self.decoded.len());
        self.at += 1;
        loop {
            let piece = self.plain_piece();
            self.decoded.push_str(piece);
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    let before = self.text.len();
                    return Ok(Place { start: before + start, end: before + self.decoded.len() });
                }
                Some(b'\\') => {
                    let char = self.escape()?;
                    self.decoded.push(char);
                }
                Some(_) => return Err(Fault::syntax("a control character in a string", self.at)),
                None => return Err(Fault::syntax("a string without end", opening)),
            }
        }
    }

    /// The text before the next quote, backslash or control character.
    fn plain_piece(&mut self) -> &'a str {
        let from = self.at;
        self.at = plain_end(self.text.as_bytes(), from);
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let at = self.at;
        let (char, end) = unescape(self.text.as_bytes(), at + 1).map_err(|bad| match bad {
            BadEscape::Hex => Fault::syntax("\\u takes four hexadecimal digits", at),
            BadEscape::End | BadEscape::Unknown => Fault::syntax("an unknown escape in a string", at),
        })?;
        self.at = end;
        // DIFFERENCE: Python's json reads a lone surrogate; strings of the runtime are UTF-8 and cannot hold it.
        char.ok_or_else(|| Fault::syntax("half of a surrogate pair", at))
    }

    /// Checks a number and gives its text and whether it is an int.
    fn number_text(&mut self) -> Result<(&'a str, bool), Fault> {
        let from = self.at;
        let negative = self.eat(b'-');
        if self.word("Infinity") || (!negative && self.word("NaN")) {
            return Ok((self.text.get(from..self.at).unwrap_or_default(), false));
        }
        let bad = |at| Fault::syntax("a malformed number", at);
        let whole = self.digits();
        let leading = self.text.as_bytes().get(from + usize::from(negative));
        if whole == 0 || (whole > 1 && leading == Some(&b'0')) {
            return Err(bad(from));
        }
        let mut is_int = true;
        if self.eat(b'.') {
            is_int = false;
            if self.digits() == 0 {
                return Err(bad(from));
            }
        }
        if self.eat(b'e') || self.eat(b'E') {
            is_int = false;
            let _ = self.eat(b'+') || self.eat(b'-');
            if self.digits() == 0 {
                return Err(bad(from));
            }
        }
        if is_int && whole > MAX_DIGITS {
            return Err(Fault::syntax(format!("an integer of more than {MAX_DIGITS} digits"), from));
        }
        Ok((self.text.get(from..self.at).unwrap_or_default(), is_int))
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    /// Reads an int of few digits, as most are; nothing is read if something else comes.
    #[inline]
    pub fn small_int(&mut self) -> Option<i64> {
        /// Their ints all fit.
        const MOST_DIGITS: usize = 18;
        let from = self.offset();
        let mut value = 0;
        let mut at = from;
        while let Some(digit) =
            self.text.as_bytes().get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)
        {
            // What wraps has more digits, and is given up.
            value = i64::wrapping_add(i64::wrapping_mul(value, 10), i64::from(digit));
            at += 1;
        }
        let leads_with_zero = self.byte() == Some(b'0');
        let digits = at - from;
        let is_int = !matches!(self.text.as_bytes().get(at), Some(b'.' | b'e' | b'E'));
        let is_small = (1..=MOST_DIGITS).contains(&digits) && is_int && (digits == 1 || !leads_with_zero);
        if is_small {
            self.at = at;
        }
        is_small.then_some(value)
    }

    /// Reads a number: an int, of any size, or a float.
    ///
    /// # Errors
    /// A fault if the next value is something else.
    pub fn number(&mut self) -> Result<Value, Fault> {
        if let Some(small) = self.small_int() {
            return Ok(Value::Int(small));
        }
        if self.kind()? != Kind::Number {
            return Err(Fault::new("must be a number", self.at));
        }
        let at = self.at;
        let (text, is_int) = self.number_text()?;
        let bad = || Fault::syntax("a malformed number", at);
        if !is_int {
            return Ok(Value::Float(text.parse().map_err(|_| bad())?));
        }
        if let Ok(small) = text.parse::<i64>() {
            return Ok(Value::Int(small));
        }
        BigInt::parse_bytes(text.as_bytes(), 10).map(Value::from_bigint).ok_or_else(bad)
    }

    /// Reads an integer of any size.
    ///
    /// # Errors
    /// A fault if the next value is something else, a float included.
    pub fn integer(&mut self) -> Result<Value, Fault> {
        let at = self.offset();
        if self.kind()? == Kind::Number {
            let number = self.number()?;
            if !matches!(number, Value::Float(_)) {
                return Ok(number);
            }
        }
        Err(Fault::new("must be an integer", at))
    }

    #[inline]
    fn enter(&mut self) -> Result<(), Fault> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::syntax(format!("values nested deeper than {MAX_DEPTH}"), self.at));
        }
        Ok(())
    }

    /// Reads an object; `each` reads the value of each key. Its faults get the key in their path.
    ///
    /// # Errors
    /// A fault if the next value is something else, and faults of `each`.
    pub fn object(&mut self, mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Fault>) -> Result<(), Fault> {
        self.fields(|reader, key| {
            let key = reader.piece(key);
            each(reader, key)
        })
    }

    /// The same; `each` gets the place of the key.
    ///
    /// # Errors
    /// As [`Reader::object`].
    #[inline]
    pub fn fields(&mut self, mut each: impl FnMut(&mut Self, Place) -> Result<(), Fault>) -> Result<(), Fault> {
        if !self.is_at(b'{') {
            return Err(self.unexpected("must be an object"));
        }
        self.enter()?;
        self.offset();
        if !self.eat(b'}') {
            loop {
                if !self.is_at(b'"') {
                    return Err(self.no_key());
                }
                let key = self.string_body()?;
                if !self.is_at(b':') {
                    return Err(Fault::syntax("a colon is expected", self.at));
                }
                self.at += 1;
                each(self, key).map_err(|fault| fault.under(self.at_place(key)))?;
                self.offset();
                match self.byte() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break self.at += 1,
                    _ => return Err(Fault::syntax("a comma or } is expected", self.at)),
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    #[cold]
    fn no_key(&mut self) -> Fault {
        self.kind().map_or_else(|fault| fault, |_| Fault::syntax("a key in double quotes is expected", self.at))
    }

    /// Reads a list; `each` reads each item. Its faults get the index in their path.
    ///
    /// # Errors
    /// A fault if the next value is something else, and faults of `each`.
    pub fn list(&mut self, mut each: impl FnMut(&mut Self, usize) -> Result<(), Fault>) -> Result<(), Fault> {
        if !self.is_at(b'[') {
            return Err(self.unexpected("must be a list"));
        }
        self.enter()?;
        self.offset();
        if !self.eat(b']') {
            for index in 0.. {
                each(self, index).map_err(|fault| fault.in_list(index))?;
                self.offset();
                if self.eat(b']') {
                    break;
                }
                if !self.eat(b',') {
                    return Err(Fault::syntax("a comma or ] is expected", self.at));
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads a list whose items `read` reads.
    ///
    /// # Errors
    /// As [`Reader::list`].
    pub fn items<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        let mut items = Vec::new();
        self.list(|reader, _| {
            items.push(read(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// Checks the next value, skips it and gives its text.
    ///
    /// # Errors
    /// A syntax fault.
    pub fn raw(&mut self) -> Result<&'a str, Fault> {
        self.raw_place().map(|place| place.of(self.text))
    }

    /// The same, but tells where the text is.
    ///
    /// # Errors
    /// A syntax fault.
    pub fn raw_place(&mut self) -> Result<Place, Fault> {
        let start = self.offset();
        let quick =
            if self.depth + MAX_QUICK_DEPTH < MAX_DEPTH { quick_end(self.text.as_bytes(), start) } else { None };
        match quick {
            Some(end) => self.at = end,
            None => self.skip()?,
        }
        Ok(Place { start, end: self.at })
    }

    /// Checks the next value and skips it, exactly.
    pub(super) fn skip(&mut self) -> Result<(), Fault> {
        match self.kind()? {
            Kind::Null => self.null().map(drop),
            Kind::Bool => self.bool().map(drop),
            Kind::Number => self.number_text().map(drop),
            Kind::String => self.string_body().map(drop),
            Kind::List => self.list(|reader, _| reader.skip()),
            Kind::Object => self.object(|reader, _| reader.skip()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str) -> Result<(), String> {
        let mut reader = Reader::new(text);
        reader.raw().and_then(|_| reader.end()).map_err(|fault| fault.describe(text))
    }

    #[test]
    fn takes_what_python_takes() {
        for text in ["{}", " [1, -0, 1.5e-3, NaN, -Infinity, true, null] ", r#"{"a": {"b": ["\u00e9\ud83d\ude00"]}}"#] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn refuses_what_python_refuses() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "-",
            ".5",
            "1e",
            "nul",
            "tru",
            "'a'",
            "\"a",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "{1:2}",
            "{\"a\" 1}",
            "[1 2]",
            "{} {}",
            "-NaN",
            "+1",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
        assert!(check(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn faults_carry_the_path() {
        let mut reader = Reader::new(r#"{"a": [0, {"b": "x"}]}"#);
        let fault = reader
            .object(|reader, _| {
                reader.list(|reader, index| {
                    if index == 0 {
                        reader.raw().map(drop)
                    } else {
                        reader.object(|reader, _| reader.integer().map(drop))
                    }
                })
            })
            .unwrap_err();
        assert_eq!((fault.path(), fault.message()), ("a[1].b", "must be an integer"));
    }

    #[test]
    fn numbers_keep_their_kind() {
        let read = |text| Reader::new(text).number().unwrap();
        assert!(matches!(read("12"), Value::Int(12)));
        assert!(matches!(read("1e2"), Value::Float(x) if x == 100.0));
        assert!(matches!(read("9223372036854775808"), Value::BigInt(_)));
        assert!(matches!(read("-Infinity"), Value::Float(x) if x == f64::NEG_INFINITY));
        assert!(matches!(read("NaN"), Value::Float(x) if x.is_nan()));
    }
}
