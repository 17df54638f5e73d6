//! `str.format` and `str.format_map`.
//!
//! The functions are those of CPython's `unicode_format.h`, so that texts that are bad in several ways fail alike.

use std::borrow::Cow;

use crate::exception::{PyResult, index_error, key_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use tpv_literal::unicode;

/// The source of the values of fields.
pub enum Fields<'a> {
    /// The arguments of `str.format`.
    Arguments(&'a [Value], &'a [(Str, Value)]),
    /// The mapping of `str.format_map`.
    Mapping(&'a Value),
}

/// The numbering of fields without a number.
enum Numbering {
    Unknown,
    Automatic(usize),
    Manual,
}

/// `template.format(...)`
///
/// # Errors
/// `ValueError` where the template is bad, `IndexError` and `KeyError` where a field has no value, what formatting raises.
pub fn format(vm: &mut Vm, template: &str, fields: &Fields<'_>) -> PyResult<String> {
    Formatter { fields, numbering: Numbering::Unknown }.build(vm, template, 2)
}

struct Formatter<'a> {
    fields: &'a Fields<'a>,
    numbering: Numbering,
}

/// A replacement field as it is written.
pub(crate) struct Field<'t> {
    /// The requested value: `0.real`.
    pub(crate) name: &'t str,
    /// `r`, `s` or `a`, or what was written for it.
    pub(crate) conversion: Option<char>,
    /// The format specification, maybe with fields.
    pub(crate) spec: &'t str,
    nested: bool,
}

impl Formatter<'_> {
    fn build(&mut self, vm: &mut Vm, template: &str, depth: usize) -> PyResult<String> {
        if depth == 0 {
            return Err(value_error("Max string recursion exceeded"));
        }
        let mut out = String::with_capacity(template.len() + 16);
        let mut rest = template;
        while !rest.is_empty() {
            let before = out.len();
            let (literal, has_field, after) = split_literal(rest)?;
            out.push_str(literal);
            rest = after;
            if has_field {
                let (field, after) = parse_field(rest)?;
                rest = after;
                self.render(vm, &field, depth, &mut out)?;
            }
            vm.charge(3 + (out.len() - before) / 16)?;
            if out.len() > vm.limits.bytes {
                vm.charge_bytes(out.len())?;
            }
        }
        Ok(out)
    }

    fn render(&mut self, vm: &mut Vm, field: &Field<'_>, depth: usize, out: &mut String) -> PyResult<()> {
        let value = self.value(vm, field.name)?;
        let value = match field.conversion {
            None => value,
            Some('r') => Value::str(vm.repr(&value)?),
            Some('s') => Value::Str(vm.str(&value)?),
            Some('a') => Value::str(vm.ascii(&value)?),
            Some(other) => {
                return Err(value_error(match u32::from(other) {
                    33..127 => format!("Unknown conversion specifier {other}"),
                    code => format!("Unknown conversion specifier \\x{code:x}"),
                }));
            }
        };
        let spec =
            if field.nested { Cow::Owned(self.build(vm, field.spec, depth - 1)?) } else { Cow::Borrowed(field.spec) };
        out.push_str(vm.format(&value, &spec)?.as_str());
        Ok(())
    }

    /// The value of a field's name: an argument, then attributes and items.
    fn value(&mut self, vm: &mut Vm, name: &str) -> PyResult<Value> {
        let split = name.find(['.', '[']).unwrap_or(name.len());
        let (first, rest) = name.split_at_checked(split).unwrap_or((name, ""));
        let mut index = integer(first)?;
        if first.is_empty() || index.is_some() {
            index = Some(self.numbered(index)?);
        }
        let value = match (index, self.fields) {
            (None, Fields::Arguments(_, named)) => {
                let found = named.iter().find(|(key, _)| key.as_str() == first);
                found.map(|(_, value)| value.clone()).ok_or_else(|| key_error(Value::str(first)))?
            }
            (None, Fields::Mapping(mapping)) => vm.get_item(mapping, &Value::str(first))?,
            (Some(index), Fields::Arguments(positional, _)) => positional.get(index).cloned().ok_or_else(|| {
                index_error(format!("Replacement index {index} out of range for positional args tuple"))
            })?,
            (Some(_), Fields::Mapping(_)) => {
                return Err(value_error("Format string contains positional fields"));
            }
        };
        follow(vm, value, rest)
    }

    /// The index of a field with this number, or of the next where it has none.
    fn numbered(&mut self, index: Option<usize>) -> PyResult<usize> {
        match (&mut self.numbering, index) {
            (Numbering::Automatic(_), Some(_)) => {
                Err(value_error("cannot switch from automatic field numbering to manual field specification"))
            }
            (Numbering::Manual, None) => {
                Err(value_error("cannot switch from manual field specification to automatic field numbering"))
            }
            (numbering, Some(index)) => {
                *numbering = Numbering::Manual;
                Ok(index)
            }
            (Numbering::Automatic(next), None) => {
                *next += 1;
                Ok(*next - 1)
            }
            (numbering, None) => {
                *numbering = Numbering::Automatic(1);
                Ok(0)
            }
        }
    }
}

/// The attributes and items that a field's name asks for: `.real[0]`.
///
/// # Errors
/// `ValueError` where the name is bad, or what is asked for does not exist.
pub(crate) fn follow(vm: &mut Vm, mut value: Value, mut rest: &str) -> PyResult<Value> {
    while !rest.is_empty() {
        let empty = || value_error("Empty attribute in format string");
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (attribute, after) = after.split_at_checked(end).unwrap_or((after, ""));
            if attribute.is_empty() {
                return Err(empty());
            }
            rest = after;
            value = vm.get_attr(&value, attribute)?;
        } else if let Some(after) = rest.strip_prefix('[') {
            let Some((key, after)) = after.split_once(']') else {
                return Err(value_error("Missing ']' in format string"));
            };
            let index = integer(key)?;
            if key.is_empty() {
                return Err(empty());
            }
            rest = after;
            let key = index.map_or_else(|| Value::str(key), Value::from_usize);
            value = vm.get_item(&value, &key)?;
        } else {
            return Err(value_error("Only '.' or '[' may follow ']' in format field specifier"));
        }
    }
    Ok(value)
}

/// The literal text up to the next field or doubled brace, whether a field follows, and the text behind the brace.
fn split_literal(text: &str) -> PyResult<(&str, bool, &str)> {
    let Some(at) = text.find(['{', '}']) else { return Ok((text, false, "")) };
    let (literal, from_brace) = text.split_at_checked(at).unwrap_or((text, ""));
    let mut chars = from_brace.chars();
    let brace = chars.next();
    let after = chars.as_str();
    let doubled = chars.next().is_some_and(|next| Some(next) == brace);
    if doubled {
        // The first of the two braces is literal.
        let literal = text.get(..=at).unwrap_or(literal);
        return Ok((literal, false, chars.as_str()));
    }
    match brace {
        Some('}') => Err(value_error("Single '}' encountered in format string")),
        _ if after.is_empty() => Err(value_error("Single '{' encountered in format string")),
        _ => Ok((literal, true, after)),
    }
}

/// Reads a field, behind its `{`, and gives the text behind its `}`.
fn parse_field(text: &str) -> PyResult<(Field<'_>, &str)> {
    let no_end = || value_error("expected '}' before end of string");
    let mut chars = text.char_indices();
    let (end, stop) = loop {
        match chars.next() {
            None => return Err(no_end()),
            Some((_, '{')) => return Err(value_error("unexpected '{' in field name")),
            Some((_, '[')) => {
                // Up to the bracket, which the next round passes over.
                let behind = chars.as_str();
                match behind.find(']') {
                    Some(offset) => {
                        let count = behind.get(..offset).unwrap_or_default().chars().count();
                        if count > 0 {
                            chars.nth(count - 1);
                        }
                    }
                    None => return Err(no_end()),
                }
            }
            Some((at, stop @ ('}' | ':' | '!'))) => break (at, stop),
            Some(_) => {}
        }
    };
    let name = text.get(..end).unwrap_or_default();
    let mut rest = chars.as_str();
    let mut field = Field { name, conversion: None, spec: "", nested: false };
    if stop == '}' {
        return Ok((field, rest));
    }
    if stop == '!' {
        let mut chars = rest.chars();
        field.conversion = chars.next();
        if field.conversion.is_none() {
            return Err(value_error("end of string while looking for conversion specifier"));
        }
        rest = chars.as_str();
        match chars.next() {
            Some('}') => return Ok((field, chars.as_str())),
            Some(':') => rest = chars.as_str(),
            Some(_) => return Err(value_error("expected ':' after conversion specifier")),
            None => {}
        }
    }
    let mut depth = 1;
    for (at, char) in rest.char_indices() {
        match char {
            '{' => {
                field.nested = true;
                depth += 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    let (spec, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
                    field.spec = spec;
                    return Ok((field, after.get(1..).unwrap_or_default()));
                }
            }
            _ => {}
        }
    }
    Err(value_error("unmatched '{' in format spec"))
}

/// A text of decimal digits as an index; `None` for any other text.
fn integer(text: &str) -> PyResult<Option<usize>> {
    let mut value: usize = 0;
    for char in text.chars() {
        let Some(digit) = unicode::decimal_value(char) else { return Ok(None) };
        let next = value.checked_mul(10).and_then(|value| value.checked_add(digit as usize));
        match next.filter(|next| i64::try_from(*next).is_ok()) {
            Some(next) => value = next,
            None => return Err(value_error("Too many decimal digits in format string")),
        }
    }
    Ok((!text.is_empty()).then_some(value))
}
