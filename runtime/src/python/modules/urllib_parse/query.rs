//! The query of an address: pairs of names and values.

use super::quote::{plus, unquote_value};
use super::text;
use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, TYPE_ERROR, type_error, value_error};
use crate::python::modules::named_parts::as_tuple;
use crate::python::modules::signature::Signature;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::members::plain;

const NO_SEPARATOR: &str = "Separator must be of type string or bytes.";
const PARAMETERS: [&str; 7] =
    ["qs", "keep_blank_values", "strict_parsing", "encoding", "errors", "max_num_fields", "separator"];

fn pairs(vm: &mut Vm, args: Args, name: &'static str) -> PyResult<Vec<(Value, Value)>> {
    let [query, blank, strict, encoding, errors, most, separator] =
        Signature::function(name, PARAMETERS, 1).bind(args)?;
    let query = query.unwrap_or_default();
    if query.as_str().is_none() && !vm.truthy(&query)? {
        // What is nothing counts as bytes, of which there are none.
        if let Some(most) = most.filter(|most| !most.is_none())
            && vm.less(&most, &Value::Int(0))?
        {
            return Err(value_error("Max number of fields exceeded"));
        }
        return Ok(Vec::new());
    }
    let query = text(&query)?;
    let separator = separator.unwrap_or_else(|| Value::str("&"));
    let separator = match &separator {
        Value::Str(separator) if !separator.is_empty() => separator,
        other if vm.truthy(other)? => return text(other).and(Err(value_error(NO_SEPARATOR))),
        _ => return Err(value_error(NO_SEPARATOR)),
    };
    let blank = vm.truthy(&blank.unwrap_or_default())?;
    let strict = vm.truthy(&strict.unwrap_or_default())?;
    vm.charge_bytes(query.len())?;
    let fields: Vec<&str> = if query.is_empty() { Vec::new() } else { query.split(separator.as_str()).collect() };
    if let Some(most) = most.filter(|most| !most.is_none())
        && vm.less(&most, &Value::from_usize(fields.len()))?
    {
        return Err(value_error("Max number of fields exceeded"));
    }
    let mut pairs = Vec::new();
    for field in fields {
        vm.charge(1)?;
        if field.is_empty() && !strict {
            continue;
        }
        let (name, value) = match field.split_once('=') {
            Some(pair) => pair,
            None if strict => {
                let shown = vm.repr(&Value::str(field))?;
                return Err(value_error(format!("bad query field: {shown}")));
            }
            None if blank => (field, ""),
            None => continue,
        };
        if value.is_empty() && !blank {
            continue;
        }
        // Two texts, each made twice, and a pair; or a list and a place in a table.
        vm.charge(6)?;
        let mut plain = |part: &str| {
            let spaced = Value::str(part.replace('+', " "));
            unquote_value(vm, &spaced, encoding.clone(), errors.clone())
        };
        pairs.push((plain(name)?, plain(value)?));
    }
    Ok(pairs)
}

/// `parse_qsl(qs, ...)`
pub(super) fn parse_qsl(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let pairs = pairs(vm, args, "parse_qsl")?;
    Ok(Value::list(pairs.into_iter().map(|(name, value)| Value::tuple(vec![name, value])).collect()))
}

/// `parse_qs(qs, ...)`: the values of each name in a list.
pub(super) fn parse_qs(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let result = Dict::new();
    for (name, value) in pairs(vm, args, "parse_qs")? {
        match result.get(vm, &name)? {
            Some(Value::List(list)) => list.items.borrow_mut().push(value),
            _ => result.set(vm, name, Value::list(vec![value]))?,
        }
    }
    Ok(Value::dict(result))
}

/// What quotes a name or a value.
struct Quoter {
    function: Option<Value>,
    safe: Value,
    encoding: Option<Value>,
    errors: Option<Value>,
}

impl Quoter {
    fn quote(&self, vm: &mut Vm, value: &Value) -> PyResult<String> {
        let bytes = matches!(value, Value::Bytes(_));
        let value = if bytes { value.clone() } else { Value::Str(vm.str(value)?) };
        let (encoding, errors) = if bytes { (None, None) } else { (self.encoding.clone(), self.errors.clone()) };
        let quoted = match &self.function {
            None => plus(vm, &value, &self.safe, encoding, errors)?,
            Some(function) => {
                let mut args = Args::positional([value, self.safe.clone()]);
                if !bytes {
                    args.pos.push(encoding.unwrap_or_default());
                    args.pos.push(errors.unwrap_or_default());
                }
                vm.call(function, args)?
            }
        };
        match &quoted {
            Value::Str(text) => Ok(text.to_string()),
            other => {
                let found = other.type_name();
                Err(type_error(format!("can only concatenate str (not \"{}\") to str", found.as_str())))
            }
        }
    }
}

/// `urlencode(query, doseq=False, safe="", encoding=None, errors=None, quote_via=quote_plus)`
pub(super) fn urlencode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["query", "doseq", "safe", "encoding", "errors", "quote_via"];
    let [query, each, safe, encoding, errors, function] = Signature::function("urlencode", names, 1).bind(args)?;
    let mut query = query.unwrap_or_default();
    let each = vm.truthy(&each.unwrap_or_default())?;
    let quoter = Quoter { function, safe: safe.unwrap_or_else(|| Value::str("")), encoding, errors };
    let not_sequence = || type_error("not a valid non-string sequence or mapping object");
    if let Some(items) = vm.find_attr(&query, "items")? {
        query = vm.call(&items, Args::none())?;
    } else {
        match vm.len(&query) {
            Ok(0) => {}
            Ok(_) => match vm.get_item(&query, &Value::Int(0)) {
                Ok(first) if as_tuple(&first).is_some() => {}
                Err(raised) if !raised.is(&TYPE_ERROR) => return Err(raised),
                _ => return Err(not_sequence()),
            },
            Err(raised) if !raised.is(&TYPE_ERROR) => return Err(raised),
            Err(_) => return Err(not_sequence()),
        }
    }
    let mut out: Vec<String> = Vec::new();
    for pair in vm.collect(&query)? {
        let parts = vm.unpack(&pair, 2)?;
        let [name, value] = parts.as_slice() else { continue };
        let name = quoter.quote(vm, name)?;
        let single = matches!(plain(value), Value::Str(_) | Value::Bytes(_)) || vm.len(value).is_err();
        let values = if each && !single { vm.collect(value)? } else { vec![value.clone()] };
        for value in values {
            out.push(format!("{name}={}", quoter.quote(vm, &value)?));
        }
    }
    vm.charge_bytes(out.iter().map(String::len).sum())?;
    Ok(Value::str(out.join("&")))
}
