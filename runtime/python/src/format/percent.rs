//! `text % values`

use super::character;
use crate::builtins::convert as convert_arguments;
use crate::exception::{PyResult, Raised, overflow_error, type_error, value_error};
use crate::number::{Num, convert, int_text};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use crate::vm::items::passes_for_mapping;
use tpv_literal::float_text::{self, FloatOptions, FloatStyle};

/// The bytes of a text whose characters are counted in the time of a step.
const COUNTED_A_STEP: usize = 256;

/// The bytes of a template that are read in the time of a step.
const PARSED_A_STEP: usize = 32;

/// `text % values`: a tuple gives the values in turn, a mapping by name, anything else is the one value.
///
/// # Errors
/// `TypeError` where the values do not fit the text, `ValueError` where the text is bad.
pub fn format(vm: &mut Vm, text: &Str, values: &Value) -> PyResult<Str> {
    vm.visit(text.len(), PARSED_A_STEP)?;
    let mut formatter = Formatter {
        chars: Chars { chars: text.as_str().char_indices().collect(), text: text.as_str(), position: 0 },
        values: Values::new(vm, values),
        out: String::with_capacity(text.as_str().len() + 16),
    };
    let mut before = 0;
    while formatter.copy_literal() {
        formatter.field(vm)?;
        vm.charge(2 + formatter.out.len().saturating_sub(before) / 16)?;
        before = formatter.out.len();
        if formatter.out.len() > vm.limits.bytes {
            vm.charge_bytes(formatter.out.len())?;
        }
    }
    if formatter.values.unused() {
        return Err(type_error("not all arguments converted during string formatting"));
    }
    Ok(Str::from(formatter.out))
}

/// The values, and which come next.
struct Values<'a> {
    all: &'a Value,
    /// The next of a tuple's values, or 1 where the single value is taken.
    next: usize,
    mapping: bool,
    /// `true` if a field named its value. As in CPython, no other values remain then.
    keyed: bool,
    /// The value that the present field names.
    named: Option<Value>,
}

impl<'a> Values<'a> {
    fn new(vm: &mut Vm, all: &'a Value) -> Self {
        let mapping = !matches!(all, Value::Tuple(_) | Value::Str(_)) && passes_for_mapping(vm, all);
        Self { all, next: 0, mapping, keyed: false, named: None }
    }

    fn next(&mut self) -> PyResult<Value> {
        let value = match self.all {
            _ if self.keyed => self.named.take(),
            Value::Tuple(tuple) => tuple.items.get(self.next).cloned(),
            single => (self.next == 0).then(|| single.clone()),
        };
        self.next += 1;
        value.ok_or_else(|| type_error("not enough arguments for format string"))
    }

    /// Returns `true` if values remain, which a mapping may have.
    fn unused(&self) -> bool {
        match self.all {
            Value::Tuple(tuple) => self.next < tuple.items.len(),
            _ => !self.mapping && self.next == 0,
        }
    }
}

/// The text, character by character.
struct Chars<'a> {
    chars: Vec<(usize, char)>,
    text: &'a str,
    position: usize,
}

impl Chars<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.position).map(|(_, char)| *char)
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek();
        self.position += usize::from(char.is_some());
        char
    }

    fn offset(&self, position: usize) -> usize {
        self.chars.get(position).map_or(self.text.len(), |(offset, _)| *offset)
    }

    fn between(&self, start: usize, end: usize) -> &str {
        self.text.get(self.offset(start)..self.offset(end)).unwrap_or_default()
    }
}

/// The flags, width and precision of a field.
#[derive(Default)]
struct Field {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

struct Formatter<'a> {
    chars: Chars<'a>,
    values: Values<'a>,
    out: String,
}

fn incomplete() -> Raised {
    value_error("incomplete format")
}

impl Formatter<'_> {
    /// Copies text up to behind the next `%`; false at the end.
    fn copy_literal(&mut self) -> bool {
        let start = self.chars.position;
        while let Some(char) = self.chars.next() {
            if char == '%' {
                self.out.push_str(self.chars.between(start, self.chars.position - 1));
                return true;
            }
        }
        self.out.push_str(self.chars.between(start, self.chars.position));
        false
    }

    fn field(&mut self, vm: &mut Vm) -> PyResult<()> {
        if self.chars.peek() == Some('%') {
            self.chars.next();
            self.out.push('%');
            return Ok(());
        }
        let mut field = Field::default();
        if self.chars.peek() == Some('(') {
            self.key(vm)?;
        }
        self.flags(&mut field);
        if let Some(width) = self.size("width too big")? {
            field.left |= width < 0;
            field.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        }
        if self.chars.peek() == Some('.') {
            self.chars.next();
            let precision = self.size("precision too big")?.unwrap_or(0);
            field.precision = Some(usize::try_from(precision).unwrap_or(0));
        }
        // C's length modifier is read and ignored.
        if matches!(self.chars.peek(), Some('h' | 'l' | 'L')) {
            self.chars.next();
        }
        field.kind = self.chars.next().ok_or_else(incomplete)?;
        vm.charge_bytes(field.width.saturating_mul(4).saturating_add(field.precision.unwrap_or(0)))?;
        let value = self.values.next()?;
        self.convert(vm, &field, &value)
    }

    /// Reads `(name)` and looks it up.
    fn key(&mut self, vm: &mut Vm) -> PyResult<()> {
        if !self.values.mapping {
            return Err(type_error("format requires a mapping"));
        }
        self.chars.next();
        let start = self.chars.position;
        let mut depth = 1;
        while depth > 0 {
            match self.chars.next() {
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
                None => return Err(value_error("incomplete format key")),
            }
        }
        let name = self.chars.between(start, self.chars.position - 1);
        self.values.named = Some(vm.get_item(self.values.all, &Value::str(name))?);
        self.values.keyed = true;
        Ok(())
    }

    fn flags(&mut self, field: &mut Field) {
        while let Some(char) = self.chars.peek() {
            match char {
                '-' => field.left = true,
                '+' => field.plus = true,
                ' ' => field.blank = true,
                '#' => field.alternate = true,
                '0' => field.zero = true,
                _ => return,
            }
            self.chars.next();
        }
    }

    /// A width or precision: digits, or `*` for the next value; `None` where there is none.
    fn size(&mut self, too_big: &str) -> PyResult<Option<i64>> {
        if self.chars.peek() == Some('*') {
            self.chars.next();
            let value = self.values.next()?;
            return match Num::int_of(&value) {
                Some(Num::Small(size)) if i32::try_from(size).is_ok() || too_big.starts_with("width") => Ok(Some(size)),
                Some(_) => Err(overflow_error(if too_big.starts_with("width") {
                    "Python int too large to convert to C ssize_t"
                } else {
                    "Python int too large to convert to C int"
                })),
                None => Err(type_error("* wants int")),
            };
        }
        let mut size: Option<i64> = None;
        while let Some(digit) = self.chars.peek().and_then(|char| char.to_digit(10)) {
            self.chars.next();
            let next = size.unwrap_or(0).checked_mul(10).and_then(|size| size.checked_add(i64::from(digit)));
            let limit = if too_big.starts_with("width") { i64::MAX } else { i64::from(i32::MAX) };
            match next.filter(|next| *next <= limit) {
                Some(next) => size = Some(next),
                None => return Err(value_error(too_big)),
            }
        }
        Ok(size)
    }

    fn convert(&mut self, vm: &mut Vm, field: &Field, value: &Value) -> PyResult<()> {
        match field.kind {
            's' | 'r' | 'a' => {
                let text = match field.kind {
                    's' => vm.str(value)?,
                    'r' => Str::from(vm.repr(value)?),
                    _ => Str::from(vm.ascii(value)?),
                };
                vm.visit(text.len(), COUNTED_A_STEP)?;
                let len = text.char_len();
                match field.precision {
                    Some(precision) if precision < len => {
                        let shown: String = text.as_str().chars().take(precision).collect();
                        self.push_text(field, &shown, precision);
                    }
                    _ => self.push_text(field, text.as_str(), len),
                }
            }
            'c' => {
                let char = one_character(vm, value)?;
                self.push_text(field, &char.to_string(), 1);
            }
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' => {
                let text = integer_text(vm, field, value)?;
                self.push_number(field, &text);
            }
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
                let text = real_text(vm, field, value)?;
                self.push_number(field, &text);
            }
            kind => {
                let index = self.chars.position - 1;
                let shown = if (' '..='~').contains(&kind) { kind } else { '?' };
                return Err(value_error(format!(
                    "unsupported format character '{shown}' ({:#x}) at index {index}",
                    u32::from(kind)
                )));
            }
        }
        Ok(())
    }

    /// Appends a text of `len` characters, filled with spaces to the width.
    fn push_text(&mut self, field: &Field, text: &str, len: usize) {
        let fill = std::iter::repeat_n(' ', field.width.saturating_sub(len));
        if field.left {
            self.out.push_str(text);
            self.out.extend(fill);
        } else {
            self.out.extend(fill);
            self.out.push_str(text);
        }
    }

    /// Appends a number with its sign and fill.
    fn push_number(&mut self, field: &Field, text: &str) {
        let (sign, rest) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None if field.plus => ("+", text),
            None if field.blank => (" ", text),
            None => ("", text),
        };
        let has_prefix = field.alternate && matches!(field.kind, 'x' | 'X' | 'o');
        let (prefix, digits) = if has_prefix { rest.split_at_checked(2).unwrap_or(("", rest)) } else { ("", rest) };
        let missing = field.width.saturating_sub(sign.len() + rest.len());
        let fill = |char: char, count: usize| std::iter::repeat_n(char, count);
        if field.zero && !field.left {
            self.out.push_str(sign);
            self.out.push_str(prefix);
            self.out.extend(fill('0', missing));
            self.out.push_str(digits);
        } else {
            let (before, after) = if field.left { (0, missing) } else { (missing, 0) };
            self.out.extend(fill(' ', before));
            self.out.push_str(sign);
            self.out.push_str(rest);
            self.out.extend(fill(' ', after));
        }
    }
}

/// The character for `%c`.
fn one_character(vm: &mut Vm, value: &Value) -> PyResult<char> {
    if let Value::Str(text) = value {
        let mut chars = text.as_str().chars();
        return match (chars.next(), chars.next()) {
            (Some(char), None) => Ok(char),
            _ => Err(type_error("%c requires int or char")),
        };
    }
    match vm.index_of(value)? {
        Some(Value::Int(code)) => character(code),
        Some(_) => Err(overflow_error("%c arg not in range(0x110000)")),
        None => Err(type_error("%c requires int or char")),
    }
}

/// A number for `%d` and its kin, with prefix and as many digits as the precision asks.
fn integer_text(vm: &mut Vm, field: &Field, value: &Value) -> PyResult<String> {
    let radix = matches!(field.kind, 'o' | 'x' | 'X');
    let number = match value {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => Some(value.clone()),
        Value::Float(float) if !radix => Some(convert::float_to_int(*float)?),
        // `%x` takes what has an index only; `%d` takes what makes an int first.
        _ if radix => vm.index_of(value)?,
        Value::Object(object) => match object.number(vm, "int") {
            Some(number) => Some(number?),
            None => vm.index_of(value)?,
        },
        _ => None,
    };
    let Some(number) = number else {
        let wanted = if radix { "an integer" } else { "a real number" };
        return Err(type_error(format!(
            "%{} format: {wanted} is required, not {}",
            field.kind,
            value.type_name().as_str()
        )));
    };
    let (base, prefix) = match field.kind {
        'o' => (8, "0o"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        _ => (10, ""),
    };
    let Some(number) = Num::int_of(&number) else {
        return Err(type_error(format!("__int__ returned non-int (type {})", number.type_name().as_str())));
    };
    vm.charge(number.words())?;
    let (negative, mut digits) = int_text::digits(number, base)?;
    if field.kind == 'X' {
        digits.make_ascii_uppercase();
    }
    let least = field.precision.unwrap_or(0);
    let sign = if negative { "-" } else { "" };
    let prefix = if field.alternate { prefix } else { "" };
    let zeros: String = std::iter::repeat_n('0', least.saturating_sub(digits.len())).collect();
    Ok([sign, prefix, &zeros, &digits].concat())
}

/// A number for `%f` and its kin.
fn real_text(vm: &mut Vm, field: &Field, value: &Value) -> PyResult<String> {
    let number = match Num::of(value) {
        Some(number) => convert::to_float(number)?,
        None => match value {
            Value::Object(object) if let Some(number) = object.number(vm, "float") => {
                convert_arguments::real(vm, &number?)?
            }
            _ => {
                return Err(type_error(format!("must be real number, not {}", value.type_name().as_str())));
            }
        },
    };
    let style = match field.kind {
        'e' | 'E' => FloatStyle::Exponent,
        'g' | 'G' => FloatStyle::General,
        _ => FloatStyle::Fixed,
    };
    let options =
        FloatOptions { alternate: field.alternate, upper: field.kind.is_ascii_uppercase(), ..FloatOptions::default() };
    let precision = field.precision.unwrap_or(6);
    vm.charge(float_text::cost(number, style, precision))?;
    Ok(float_text::write(number, style, precision, options))
}
