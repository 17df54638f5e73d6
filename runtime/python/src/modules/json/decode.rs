//! Reading JSON: CPython's `json.loads`, its errors and positions included (`Modules/_json.c`).

use num_bigint::BigInt;

use super::decode_error;
use super::text::{BadEscape, plain_end, unescape};
use crate::dict::{Dict, Key, Table};
use tpv_literal::int_text::MAX_DIGITS;

use crate::exception::{PyResult, Raised, recursion_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

/// The greatest depth of arrays and objects, near CPython's.
const MAX_DEPTH: usize = 990;

/// `json.loads(text)`
///
/// # Errors
/// `JSONDecodeError`
pub fn loads(vm: &mut Vm, text: &str) -> PyResult<Value> {
    vm.visit(text.len(), 4)?;
    if text.starts_with('\u{feff}') {
        return Err(decode_error("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0));
    }
    Reader::new(text, &mut dict_of).all()
}

/// The value of a text that was read before without a fault; `object` makes the value of each object, innermost first.
pub fn read_checked(text: &str, object: &mut dyn FnMut(Table) -> Value) -> Value {
    Reader::new(text, object).all().unwrap_or_default()
}

fn dict_of(table: Table) -> Value {
    Value::dict(Dict::from_table(table))
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// Makes the value of an object.
    object: &'a mut dyn FnMut(Table) -> Value,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, object: &'a mut dyn FnMut(Table) -> Value) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, depth: 0, object }
    }

    fn all(mut self) -> PyResult<Value> {
        self.space();
        let value = self.value()?;
        self.space();
        if self.at < self.text.len() {
            return Err(self.error("Extra data", self.at));
        }
        Ok(value)
    }

    fn error(&self, message: &str, at: usize) -> Raised {
        decode_error(message, self.text, at)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn value(&mut self) -> PyResult<Value> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                Ok(Value::Str(self.string()?))
            }
            Some(b'{') => self.nested(Self::object, "object"),
            Some(b'[') => self.nested(Self::array, "array"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') if self.literal("null") => Ok(Value::None),
            Some(b't') if self.literal("true") => Ok(Value::Bool(true)),
            Some(b'f') if self.literal("false") => Ok(Value::Bool(false)),
            Some(b'N') if self.literal("NaN") => Ok(Value::Float(f64::NAN)),
            Some(b'I') if self.literal("Infinity") => Ok(Value::Float(f64::INFINITY)),
            _ => Err(self.error("Expecting value", self.at)),
        }
    }

    fn literal(&mut self, word: &str) -> bool {
        let found = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        if found {
            self.at += word.len();
        }
        found
    }

    fn nested(&mut self, read: fn(&mut Self) -> PyResult<Value>, kind: &str) -> PyResult<Value> {
        if self.depth >= MAX_DEPTH {
            return Err(recursion_error(format!(
                "maximum recursion depth exceeded while decoding a JSON {kind} from a unicode string"
            )));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn array(&mut self) -> PyResult<Value> {
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::list(items));
        }
        loop {
            items.push(self.value()?);
            self.space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::list(items));
                }
                Some(b',') => self.at += 1,
                _ => return Err(self.error("Expecting ',' delimiter", self.at)),
            }
            self.space();
        }
    }

    fn object(&mut self) -> PyResult<Value> {
        let mut table = Table::default();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok((self.object)(table));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.error("Expecting property name enclosed in double quotes", self.at));
            }
            self.at += 1;
            let key = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.error("Expecting ':' delimiter", self.at));
            }
            self.at += 1;
            self.space();
            let value = self.value()?;
            table.insert(Key::str(key), value);
            self.space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok((self.object)(table));
                }
                Some(b',') => self.at += 1,
                _ => return Err(self.error("Expecting ',' delimiter", self.at)),
            }
            self.space();
        }
    }

    /// Reads a string after its opening quote.
    fn string(&mut self) -> PyResult<Str> {
        let begin = self.at - 1;
        let mut made: Option<String> = None;
        loop {
            let start = self.at;
            self.at = plain_end(self.bytes, start);
            let part = self.slice(start, self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match made {
                        None => Str::from(part),
                        Some(mut text) => {
                            text.push_str(part);
                            Str::from(text)
                        }
                    });
                }
                Some(b'\\') => {
                    let text = made.get_or_insert_default();
                    text.push_str(part);
                    let (character, end) = unescape(self.bytes, self.at + 1).map_err(|bad| match bad {
                        BadEscape::End => self.error("Unterminated string starting at", begin),
                        BadEscape::Unknown => self.error("Invalid \\escape", self.at),
                        BadEscape::Hex => self.error("Invalid \\uXXXX escape", self.at + 1),
                    })?;
                    // DIFFERENCE: a lone surrogate has no place in the runtime's strings.
                    text.push(character.unwrap_or_else(|| {
                        crate::lacking::note("tpvc has no lone surrogates");
                        char::REPLACEMENT_CHARACTER
                    }));
                    self.at = end;
                }
                Some(_) => return Err(self.error("Invalid control character at", self.at)),
                None => return Err(self.error("Unterminated string starting at", begin)),
            }
        }
    }

    fn skip_digits(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }

    fn number(&mut self) -> PyResult<Value> {
        let start = self.at;
        let mut at = start;
        if self.peek() == Some(b'-') {
            at += 1;
        }
        match self.bytes.get(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => at = self.skip_digits(at),
            Some(b'I') if at > start && self.literal("-Infinity") => {
                return Ok(Value::Float(f64::NEG_INFINITY));
            }
            _ => return Err(self.error("Expecting value", start)),
        }
        let mut is_float = false;
        if self.bytes.get(at) == Some(&b'.') && self.bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            is_float = true;
            at = self.skip_digits(at + 1);
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            let digits = at + 1 + sign;
            if self.bytes.get(digits).is_some_and(u8::is_ascii_digit) {
                is_float = true;
                at = self.skip_digits(digits);
            }
        }
        self.at = at;
        let text = self.slice(start, at);
        if is_float {
            return Ok(Value::Float(text.parse().unwrap_or(f64::NAN)));
        }
        if let Ok(small) = text.parse::<i64>() {
            return Ok(Value::Int(small));
        }
        let digits = text.trim_start_matches('-').len();
        if digits > MAX_DIGITS {
            return Err(value_error(format!(
                "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {digits} digits; use \
                 sys.set_int_max_str_digits() to increase the limit"
            )));
        }
        Ok(Value::from_bigint(text.parse::<BigInt>().unwrap_or_default()))
    }
}
