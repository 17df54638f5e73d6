//! Work that the engine does not count: what it takes is paid for before it is done.

use minijinja::value::{Kwargs, Rest, StringInput, ValueKind, ValueOrKwargs};
use minijinja::{Error, State, Value};
use minijinja_contrib::pycompat;

use super::filters::wrong;

/// The values that are looked through in about the time of a step.
pub(super) const VALUES_A_STEP: usize = 16;

/// The bytes of a text that are written in about the time of a step.
const BYTES_A_STEP: usize = 16;

/// The bytes that are copied in about the time of a step.
const COPIED_A_STEP: usize = 1024;

/// The most characters that a number is padded to.
const MAX_WIDTH: usize = 10_000;

/// Pays for writing all of a value, and returns about the bytes of its text.
///
/// # Errors
/// The template takes too many steps.
pub(super) fn pay(state: &State, value: &Value) -> Result<usize, Error> {
    let (mut values, mut bytes) = (0, 0_usize);
    let mut open = vec![value.clone()];
    while let Some(value) = open.pop() {
        values += 1;
        if values % VALUES_A_STEP == 0 {
            state.consume_fuel(1)?;
        }
        match value.kind() {
            ValueKind::String | ValueKind::Bytes => {
                let length = value.as_str().map_or_else(|| value.len().unwrap_or(0), str::len);
                bytes = bytes.saturating_add(length);
                state.consume_fuel((length / BYTES_A_STEP) as u64)?;
            }
            ValueKind::Map => {
                for key in value.try_iter()? {
                    open.push(value.get_item(&key)?);
                    open.push(key);
                }
            }
            ValueKind::Seq | ValueKind::Iterable => open.extend(value.try_iter()?),
            _ => {}
        }
    }
    Ok(bytes.saturating_add(values * 8))
}

/// Python's methods of texts, lists and mappings.
///
/// # Errors
/// The engine's errors, and an error if the template takes too many steps.
pub(super) fn method(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        let argument = |index: usize| args.get(index).and_then(Value::as_str).unwrap_or("");
        let parts = |separator: &str| {
            if separator.is_empty() { 1 + text.len() / 2 } else { 1 + text.matches(separator).count() }
        };
        state.consume_fuel(1 + (text.len() / BYTES_A_STEP) as u64)?;
        let made = match method {
            "replace" => parts(argument(0)).saturating_mul(2).saturating_mul(argument(1).len()),
            "split" => parts(argument(0)) * BYTES_A_STEP,
            "splitlines" => parts("\n") * BYTES_A_STEP,
            // The filter counts what it makes.
            "join" => match args {
                [items] => return state.apply_filter("join", &[items.clone(), value.clone()]),
                _ => 0,
            },
            "format" => formatting(state, text, '{', args)?,
            _ => args.iter().filter_map(Value::len).sum::<usize>() * VALUES_A_STEP,
        };
        state.consume_fuel((made / BYTES_A_STEP) as u64)?;
    }
    pycompat::unknown_method_callback(state, value, method, args)
}

/// `text | format(...)`
///
/// # Errors
/// The engine's errors, and an error if the template takes too many steps.
pub(super) fn format(state: &mut State, text: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let made = formatting(state, text.as_str().unwrap_or(""), '%', &args)?;
    state.consume_fuel((made / BYTES_A_STEP) as u64)?;
    minijinja::filters::format(state, text, Rest(args.into_iter().map(ValueOrKwargs::from).collect()))
}

/// `items | join(...)`
///
/// # Errors
/// The engine's errors, and an error if the template takes too many steps.
pub(super) fn join(
    state: &mut State,
    items: &Value,
    joiner: Option<StringInput<'_>>,
    attribute: Option<&str>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    pay(state, items)?;
    let between = joiner.as_ref().map_or(0, |joiner| joiner.as_str().len()).saturating_mul(items.len().unwrap_or(0));
    state.consume_fuel((between / BYTES_A_STEP) as u64)?;
    minijinja::filters::join(state, items, joiner, attribute, kwargs)
}

/// `value | string`
///
/// # Errors
/// The engine's errors, and an error if the template takes too many steps.
pub(super) fn string(state: &State, value: &Value) -> Result<Value, Error> {
    pay(state, value)?;
    minijinja::filters::string(state, value)
}

/// `items | sum(...)`
///
/// # Errors
/// The engine's errors, and an error if the template takes too many steps.
pub(super) fn sum(
    state: &State,
    items: Value,
    attribute: Option<&str>,
    start: Option<Value>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    let bytes = pay(state, &items)?;
    // Each text or list is added to a copy of those before it.
    let is_number = items.try_iter()?.next().is_none_or(|first| first.kind() == ValueKind::Number);
    if !is_number {
        let copied = bytes.saturating_mul(items.len().unwrap_or(0)) / 2;
        state.consume_fuel((copied / COPIED_A_STEP) as u64)?;
    }
    minijinja::filters::sum(state, items, attribute, start, kwargs)
}

/// `text is lower`, `text is upper`
///
/// # Errors
/// An error if the template takes too many steps.
pub(super) fn case(state: &State, value: &Value, test: fn(&Value) -> bool) -> Result<bool, Error> {
    pay(state, value)?;
    Ok(test(value))
}

/// Pays for the arguments of a text with fields, and returns the bytes that filling them in makes at most.
fn formatting(state: &State, text: &str, field: char, args: &[Value]) -> Result<usize, Error> {
    // What a field says: up to its brace, or to the letter of its type.
    let said = |rest: &'_ str| {
        rest.find(|char: char| char == '}' || field == '%' && char.is_ascii_alphabetic()).unwrap_or(rest.len())
    };
    let fields = text.split(field).skip(1).map(|rest| rest.get(..said(rest)).unwrap_or(rest));
    let mut numbers = fields.flat_map(|field| field.split(|char: char| !char.is_ascii_digit()));
    let given = args.iter().filter_map(|value| usize::try_from(value.clone()).ok()).max().unwrap_or(0);
    let is_wide = |digits: &str| {
        let digits = digits.trim_start_matches('0');
        digits.len() > 6 || digits.parse().is_ok_and(|width: usize| width > MAX_WIDTH)
    };
    if numbers.any(is_wide) || text.contains('*') && given > MAX_WIDTH {
        return Err(wrong(format!("`format` pads to no more than {MAX_WIDTH} characters")));
    }
    let mut longest = MAX_WIDTH.min(text.len());
    for argument in args {
        longest = longest.max(pay(state, argument)?);
    }
    Ok(text.matches(field).count().saturating_mul(longest))
}
