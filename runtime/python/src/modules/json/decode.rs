//! Reading JSON: CPython's `json.loads`, its errors and positions included (`Modules/_json.c`).

use num_bigint::BigInt;

use super::decode_error;
use crate::dict::{Dict, Key, Table};
use crate::exception::{PyResult, Raised, recursion_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

/// The greatest depth of arrays and objects, near CPython's.
const MAX_DEPTH: usize = 990;
/// The greatest number of digits of an int in text: `sys.get_int_max_str_digits()`.
const MAX_DIGITS: usize = 4300;

/// `json.loads(text)`
///
/// # Errors
/// `JSONDecodeError`
pub fn loads(vm: &mut Vm, text: &str) -> PyResult<Value> {
    vm.charge(text.len() / 4)?;
    if text.starts_with('\u{feff}') {
        return Err(decode_error("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0));
    }
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, depth: 0 };
    reader.space();
    let value = reader.value()?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.error("Extra data", reader.at));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
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
            return Ok(Value::dict(Dict::from_table(table)));
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
                    return Ok(Value::dict(Dict::from_table(table)));
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
            while let Some(byte) = self.peek() {
                if byte == b'"' || byte == b'\\' || byte < 0x20 {
                    break;
                }
                self.at += 1;
            }
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
                    self.at += 1;
                    let character = self.escape(begin)?;
                    made.get_or_insert_default().push(character);
                }
                Some(_) => return Err(self.error("Invalid control character at", self.at)),
                None => return Err(self.error("Unterminated string starting at", begin)),
            }
        }
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self, begin: usize) -> PyResult<char> {
        let Some(byte) = self.peek() else {
            return Err(self.error("Unterminated string starting at", begin));
        };
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex4(self.at - 1)?;
                if (0xD800..0xDC00).contains(&first) && self.bytes.get(self.at..self.at + 2) == Some(b"\\u") {
                    let before = self.at;
                    self.at += 2;
                    if let Some(second) = self.hex4(self.at - 1).ok().filter(|unit| (0xDC00..0xE000).contains(unit)) {
                        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = before;
                }
                // DIFFERENCE: a lone surrogate has no place in the runtime's strings.
                char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.error("Invalid \\escape", self.at - 2)),
        })
    }

    /// The four digits after `\u`; `u_at` is where the `u` is.
    fn hex4(&mut self, u_at: usize) -> PyResult<u32> {
        // CPython wants the closing quote's place to exist too.
        let digits = self.bytes.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits.filter(|_| self.at + 4 < self.bytes.len()) else {
            return Err(self.error("Invalid \\uXXXX escape", u_at));
        };
        self.at += 4;
        let digit = |value: u32, byte: &u8| value * 16 + char::from(*byte).to_digit(16).unwrap_or(0);
        Ok(digits.iter().fold(0, digit))
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
