//! Formatting: the format mini-language (here and in `spec.rs`), `%` (`percent.rs`) and `str.format` (`template.rs`).
//!
//! Rules and texts are those of CPython 3.11: `Python/formatter_unicode.c`, `Objects/unicodeobject.c`,
//! `Objects/stringlib/unicode_format.h`.

pub mod percent;
mod spec;
pub mod template;

use spec::{Parts, Spec};

use super::exception::{PyResult, Raised, overflow_error, value_error};
use super::number::{Num, convert, int_text};
use super::string::Str;
use super::vm::Vm;
use float_text::{FloatOptions, FloatStyle};
use tpv_literal::float_text;

/// The bytes of a text whose characters are counted in the time of a step.
const COUNTED_A_STEP: usize = 256;

/// `format(str, spec)`
///
/// # Errors
/// `ValueError` where the specification is bad or has what strings do not take.
pub fn format_str(vm: &mut Vm, text: &Str, spec: &str) -> PyResult<Str> {
    if spec.is_empty() {
        return Ok(text.clone());
    }
    let spec = Spec::parse(spec, 's', '<', "str")?;
    if spec.kind != 's' {
        return Err(spec.unknown_code("str"));
    }
    let refused = match spec.sign {
        Some(' ') => Some("Space not allowed in string format specifier"),
        Some(_) => Some("Sign not allowed in string format specifier"),
        None if spec.no_negative_zero => Some("Negative zero coercion (z) not allowed in string format specifier"),
        None if spec.alternate => Some("Alternate form (#) not allowed in string format specifier"),
        None if spec.align == '=' => Some("'=' alignment not allowed in string format specifier"),
        None => None,
    };
    if let Some(refused) = refused {
        return Err(value_error(refused));
    }
    vm.visit(text.len(), COUNTED_A_STEP)?;
    let len = text.char_len();
    let shown = spec.precision.map_or(len, |precision| precision.min(len));
    if spec.width.is_none_or(|width| width <= shown) && shown == len {
        return Ok(text.clone());
    }
    let width = spec.width.unwrap_or(0);
    vm.charge_bytes(width.saturating_mul(4))?;
    vm.visit(text.as_str().len(), 16)?;
    let body: String = text.as_str().chars().take(shown).collect();
    Ok(Str::from(spec.padded(&body, shown)))
}

/// `format(int, spec)`; `class` is `int` or `bool`, for messages.
///
/// # Errors
/// `ValueError` where the specification is bad; `OverflowError` where the number does not fit a character or a float.
pub fn format_int(vm: &mut Vm, number: Num<'_>, spec: &str, class: &str) -> PyResult<String> {
    if spec.is_empty() {
        vm.charge(number.words() * 4)?;
        return int_text::decimal(number);
    }
    let spec = Spec::parse(spec, 'd', '>', class)?;
    match spec.kind {
        'b' | 'c' | 'd' | 'o' | 'x' | 'X' | 'n' => format_integer(vm, number, &spec),
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%' => format_real(vm, convert::to_float(number)?, &spec),
        _ => Err(spec.unknown_code(class)),
    }
}

fn format_integer(vm: &mut Vm, number: Num<'_>, spec: &Spec) -> PyResult<String> {
    if spec.precision.is_some() {
        return Err(value_error("Precision not allowed in integer format specifier"));
    }
    if spec.no_negative_zero {
        return Err(value_error("Negative zero coercion (z) not allowed in integer format specifier"));
    }
    vm.charge_bytes(spec.width.unwrap_or(0).saturating_mul(4))?;
    if spec.kind == 'c' {
        if spec.sign.is_some() {
            return Err(value_error("Sign not allowed with integer format specifier 'c'"));
        }
        if spec.alternate {
            return Err(value_error("Alternate form (#) not allowed with integer format specifier 'c'"));
        }
        let char = match number {
            Num::Small(code) => character(code)?,
            _ => return Err(overflow_error("Python int too large to convert to C long")),
        };
        // The character is no digit: neither grouped nor filled up with zeros.
        return Ok(spec.assembled(&Parts { rest: &char.to_string(), ..Parts::default() }));
    }
    let (base, prefix) = match spec.kind {
        'b' => (2, "0b"),
        'o' => (8, "0o"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        _ => (10, ""),
    };
    vm.charge(number.words())?;
    let (negative, mut digits) = int_text::digits(number, base)?;
    if spec.kind == 'X' {
        digits.make_ascii_uppercase();
    }
    let prefix = if spec.alternate { prefix } else { "" };
    Ok(spec.assembled(&Parts { negative, prefix, digits: &digits, ..Parts::default() }))
}

/// The character of a code.
///
/// # Errors
/// `OverflowError: %c arg not in range(0x110000)`
pub(crate) fn character(code: i64) -> Result<char, Raised> {
    let in_range = u32::try_from(code).ok().filter(|code| *code < 0x0011_0000);
    match in_range.map(char::from_u32) {
        Some(Some(char)) => Ok(char),
        // DIFFERENCE: a lone surrogate cannot be held.
        Some(None) => {
            crate::lacking::note("tpvc has no lone surrogates");
            Err(value_error("surrogates cannot be held"))
        }
        None => Err(overflow_error("%c arg not in range(0x110000)")),
    }
}

/// `format(float, spec)`
///
/// # Errors
/// `ValueError` where the specification is bad.
pub fn format_float(vm: &mut Vm, number: f64, spec: &str) -> PyResult<String> {
    if spec.is_empty() {
        return Ok(float_text::repr(number));
    }
    let spec = Spec::parse(spec, '\0', '>', "float")?;
    match spec.kind {
        '\0' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%' => format_real(vm, number, &spec),
        _ => Err(spec.unknown_code("float")),
    }
}

fn format_real(vm: &mut Vm, number: f64, spec: &Spec) -> PyResult<String> {
    if spec.precision.is_some_and(|precision| i32::try_from(precision).is_err()) {
        return Err(value_error("precision too big"));
    }
    vm.charge_bytes(spec.width.unwrap_or(0).saturating_mul(4).saturating_add(spec.precision.unwrap_or(0)))?;
    let mut options = FloatOptions {
        alternate: spec.alternate,
        no_negative_zero: spec.no_negative_zero,
        upper: matches!(spec.kind, 'E' | 'F' | 'G'),
        dot_zero: false,
    };
    let precision = spec.precision.unwrap_or(6);
    let mut number = number;
    let style = match spec.kind {
        '\0' => {
            options.dot_zero = true;
            if spec.precision.is_some() { FloatStyle::General } else { FloatStyle::Repr }
        }
        'e' | 'E' => FloatStyle::Exponent,
        'g' | 'G' | 'n' => FloatStyle::General,
        '%' => {
            number *= 100.0;
            FloatStyle::Fixed
        }
        _ => FloatStyle::Fixed,
    };
    vm.charge(float_text::cost(number, style, precision))?;
    let mut text = float_text::write(number, style, precision, options);
    if spec.kind == '%' {
        text.push('%');
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.as_str()),
    };
    let whole = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = unsigned.split_at_checked(whole).unwrap_or((unsigned, ""));
    Ok(spec.assembled(&Parts { negative, prefix: "", digits, rest }))
}
