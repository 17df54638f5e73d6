//! A pull parser: the caller says what it expects and names what it finds instead.

use std::borrow::Cow;

use num_bigint::BigInt;

use super::skip::{MAX_QUICK_DEPTH, quick_end};
use tpv_python::modules::json::{BadEscape, plain_length, unescape};
use tpv_python::value::Value;

/// Values nest no deeper than this, so that recursion over them is bounded.
const MAX_DEPTH: usize = 200;

/// CPython refuses to read longer ints from text (`sys.set_int_max_str_digits`).
const MAX_INT_DIGITS: usize = 4300;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field, as the user would write it: `user.roles[2].name`; empty for the whole text.
    pub path: String,
    /// What is wrong: `must be a string`.
    pub message: String,
    /// The byte offset in the text.
    pub at: usize,
    /// Whether the text is not JSON at all, in which case there is no path.
    pub syntax: bool,
}

impl Fault {
    /// A fault of the value at this offset.
    pub fn new(message: impl Into<String>, at: usize) -> Self {
        Self { path: String::new(), message: message.into(), at, syntax: false }
    }

    fn syntax(message: impl Into<String>, at: usize) -> Self {
        Self { syntax: true, ..Self::new(message, at) }
    }

    /// The same fault, seen from the object that holds it under `key`.
    #[must_use]
    pub fn under(mut self, key: &str) -> Self {
        if !self.syntax {
            let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
            self.path = format!("{key}{joint}{}", self.path);
        }
        self
    }

    fn in_list(self, index: usize) -> Self {
        self.under(&format!("[{index}]"))
    }

    /// The fault in one line: `tool.id: missing`, or `not JSON: a comma or } is missing (column 9)`.
    pub fn describe(&self, text: &str) -> String {
        if self.syntax {
            let before = text.get(..self.at).unwrap_or(text);
            let line = before.rsplit('\n').next().unwrap_or_default();
            return format!("not JSON: {} (column {})", self.message, line.chars().count() + 1);
        }
        if self.path.is_empty() { self.message.clone() } else { format!("{}: {}", self.path, self.message) }
    }
}

/// What kind of value comes next.
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

/// Reads one JSON text from front to back.
pub struct Reader<'a> {
    text: &'a str,
    pub(super) at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// The offset of the next character that is not white space.
    #[inline]
    pub fn offset(&mut self) -> usize {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.at
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

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

    /// Reads `null` where it is next.
    ///
    /// # Errors
    /// A syntax fault.
    pub fn null(&mut self) -> Result<bool, Fault> {
        if self.kind()? != Kind::Null {
            return Ok(false);
        }
        if self.word("null") { Ok(true) } else { Err(Fault::syntax("an unknown word", self.at)) }
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// Where something else comes.
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
    /// Where something else comes.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        if self.kind()? != Kind::String {
            return Err(Fault::new("must be a string", self.at));
        }
        self.string_body()
    }

    fn string_body(&mut self) -> Result<Cow<'a, str>, Fault> {
        let opening = self.at;
        self.at += 1;
        let piece = self.plain_piece();
        if self.eat(b'"') {
            return Ok(Cow::Borrowed(piece));
        }
        let mut text = piece.to_owned();
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => {
                    text.push(self.escape()?);
                    text.push_str(self.plain_piece());
                }
                Some(_) => return Err(Fault::syntax("a control character in a string", self.at)),
                None => return Err(Fault::syntax("a string without end", opening)),
            }
        }
    }

    /// What comes before the next quote, backslash or control character.
    #[inline]
    fn plain_piece(&mut self) -> &'a str {
        let from = self.at;
        self.at += plain_length(self.text.as_bytes().get(from..).unwrap_or_default());
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
        if is_int && whole > MAX_INT_DIGITS {
            return Err(Fault::syntax(format!("an integer of more than {MAX_INT_DIGITS} digits"), from));
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

    /// Reads a number: an int, of any size, or a float.
    ///
    /// # Errors
    /// Where something else comes.
    pub fn number(&mut self) -> Result<Value, Fault> {
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
    /// Where something else comes, a float included.
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
    /// Where something else comes, and what `each` gives.
    pub fn object(&mut self, mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Fault>) -> Result<(), Fault> {
        if self.kind()? != Kind::Object {
            return Err(Fault::new("must be an object", self.at));
        }
        self.enter()?;
        self.offset();
        if !self.eat(b'}') {
            loop {
                if self.kind()? != Kind::String {
                    return Err(Fault::syntax("a key in double quotes is expected", self.at));
                }
                let from = self.at;
                let key = self.string_body()?;
                let until = self.at;
                self.offset();
                if !self.eat(b':') {
                    return Err(Fault::syntax("a colon is expected", self.at));
                }
                // The key moves into `each`, and only a fault needs it once more.
                each(self, key).map_err(|fault| {
                    let quoted = self.text.get(from..until).unwrap_or_default();
                    fault.under(&Reader::new(quoted).string().unwrap_or_default())
                })?;
                self.offset();
                if self.eat(b'}') {
                    break;
                }
                if !self.eat(b',') {
                    return Err(Fault::syntax("a comma or } is expected", self.at));
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads a list; `each` reads each item. Its faults get the index in their path.
    ///
    /// # Errors
    /// Where something else comes, and what `each` gives.
    pub fn list(&mut self, mut each: impl FnMut(&mut Self, usize) -> Result<(), Fault>) -> Result<(), Fault> {
        if self.kind()? != Kind::List {
            return Err(Fault::new("must be a list", self.at));
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
        let from = self.offset();
        let quick = if self.depth + MAX_QUICK_DEPTH < MAX_DEPTH { quick_end(self.text.as_bytes(), from) } else { None };
        match quick {
            Some(end) => self.at = end,
            None => self.skip()?,
        }
        Ok(self.text.get(from..self.at).unwrap_or_default())
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
        assert_eq!((fault.path.as_str(), fault.message.as_str()), ("a[1].b", "must be an integer"));
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
