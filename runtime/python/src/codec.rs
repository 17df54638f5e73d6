//! Text encodings: UTF-8, ASCII and Latin-1.
//!
//! DIFFERENCE: CPython knows about a hundred more.

use super::exception::{
    PyResult, Raised, UNICODE_DECODE_ERROR, UNICODE_ENCODE_ERROR, lookup_error, raise_with, type_error,
};
use super::string::Str;
use super::value::Value;
use super::vm::{BYTES_A_STEP, Vm};

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8
    Utf8,
    /// ASCII
    Ascii,
    /// ISO 8859-1
    Latin1,
}

impl Encoding {
    /// The encoding of a name, in any of the spellings that CPython knows.
    ///
    /// # Errors
    /// `LookupError: unknown encoding: x`
    pub fn named(name: &str) -> PyResult<Self> {
        let spelled: String =
            name.chars().map(|char| if matches!(char, '-' | ' ') { '_' } else { char.to_ascii_lowercase() }).collect();
        match spelled.as_str() {
            "utf_8" | "utf8" | "u8" | "utf" | "cp65001" => Ok(Self::Utf8),
            "ascii" | "us_ascii" | "646" => Ok(Self::Ascii),
            "latin_1" | "latin1" | "latin" | "l1" | "iso_8859_1" | "iso8859_1" | "8859" | "cp819" => Ok(Self::Latin1),
            _ => {
                super::lacking::note(format!("tpvc has no encoding `{name}`"));
                Err(lookup_error(format!("unknown encoding: {name}")))
            }
        }
    }

    /// The name as error messages show it.
    fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Ascii => "ascii",
            Self::Latin1 => "latin-1",
        }
    }

    /// `text.encode(encoding, errors)`
    ///
    /// # Errors
    /// `UnicodeEncodeError`, or `LookupError` for an unknown way to handle errors.
    pub fn encode(self, vm: &mut Vm, text: &Str, errors: &str) -> PyResult<Vec<u8>> {
        vm.visit(text.len(), BYTES_A_STEP)?;
        match self {
            Self::Utf8 => return Ok(text.as_str().as_bytes().to_vec()),
            Self::Ascii | Self::Latin1 if text.is_ascii() => return Ok(text.as_str().as_bytes().to_vec()),
            Self::Ascii | Self::Latin1 => {}
        }
        let limit = if self == Self::Ascii { 0x80 } else { 0x100 };
        let mut out = Vec::with_capacity(text.as_str().len());
        let mut chars = text.as_str().chars().enumerate().peekable();
        while let Some((start, char)) = chars.next() {
            let code = u32::from(char);
            match u8::try_from(code) {
                Ok(byte) if code < limit => out.push(byte),
                _ => match errors {
                    "ignore" => {}
                    "replace" => out.push(b'?'),
                    "xmlcharrefreplace" => out.extend(format!("&#{code};").bytes()),
                    "backslashreplace" => out.extend(escape(code).bytes()),
                    "strict" => {
                        let mut end = start + 1;
                        while chars.next_if(|(_, char)| u32::from(*char) >= limit).is_some() {
                            end += 1;
                        }
                        return Err(self.encode_error(text, start, end, limit));
                    }
                    other => return Err(unknown_handler(other)),
                },
            }
        }
        Ok(out)
    }

    fn encode_error(self, text: &Str, start: usize, end: usize, limit: u32) -> Raised {
        let args = vec![
            Value::str(self.name()),
            Value::Str(text.clone()),
            Value::from_usize(start),
            Value::from_usize(end),
            Value::str(format!("ordinal not in range({limit})")),
        ];
        raise_with(&UNICODE_ENCODE_ERROR, args)
    }

    /// `bytes.decode(encoding, errors)`
    ///
    /// # Errors
    /// `UnicodeDecodeError`, or `LookupError` for an unknown way to handle errors.
    pub fn decode(self, vm: &mut Vm, bytes: &[u8], errors: &str) -> PyResult<String> {
        vm.visit(bytes.len(), BYTES_A_STEP)?;
        match self {
            Self::Latin1 => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Self::Ascii => {
                let mut out = String::with_capacity(bytes.len());
                for (index, byte) in bytes.iter().enumerate() {
                    if byte.is_ascii() {
                        out.push(char::from(*byte));
                    } else {
                        self.bad_bytes(bytes, index, index + 1, "ordinal not in range(128)", errors, &mut out)?;
                    }
                }
                Ok(out)
            }
            Self::Utf8 => {
                let mut out = String::with_capacity(bytes.len());
                let mut done = 0;
                while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
                    let error = match std::str::from_utf8(rest) {
                        Ok(text) => {
                            out.push_str(text);
                            break;
                        }
                        Err(error) => error,
                    };
                    let good = rest.get(..error.valid_up_to()).unwrap_or_default();
                    out.push_str(&String::from_utf8_lossy(good));
                    let start = done + error.valid_up_to();
                    let first = bytes.get(start).copied().unwrap_or(0);
                    let (end, reason) = match error.error_len() {
                        None => (bytes.len(), "unexpected end of data"),
                        Some(_) if matches!(first, 0x80..=0xc1 | 0xf5..) => (start + 1, "invalid start byte"),
                        Some(len) => (start + len, "invalid continuation byte"),
                    };
                    self.bad_bytes(bytes, start, end, reason, errors, &mut out)?;
                    done = end;
                }
                Ok(out)
            }
        }
    }

    /// Handles bytes that stand for no character.
    fn bad_bytes(
        self,
        bytes: &[u8],
        start: usize,
        end: usize,
        reason: &str,
        errors: &str,
        out: &mut String,
    ) -> PyResult<()> {
        match errors {
            "ignore" => {}
            "replace" => out.push('\u{fffd}'),
            "backslashreplace" => {
                let bad = bytes.get(start..end).unwrap_or_default();
                bad.iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
            }
            "strict" => {
                let args = vec![
                    Value::str(self.name()),
                    Value::bytes(bytes.to_vec()),
                    Value::from_usize(start),
                    Value::from_usize(end),
                    Value::str(reason),
                ];
                return Err(raise_with(&UNICODE_DECODE_ERROR, args));
            }
            "xmlcharrefreplace" | "namereplace" => {
                return Err(type_error("don't know how to handle UnicodeDecodeError in error callback"));
            }
            other => return Err(unknown_handler(other)),
        }
        Ok(())
    }
}

fn unknown_handler(name: &str) -> Raised {
    lookup_error(format!("unknown error handler name '{name}'"))
}

fn escape(code: u32) -> String {
    match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}
