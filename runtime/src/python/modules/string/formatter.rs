//! `string.Formatter`: `str.format` as an object.
//!
//! DIFFERENCE: a class derived from it cannot replace single steps.

use crate::python::args::Args;
use crate::python::exception::{PyResult, key_error, type_error, value_error};
use crate::python::format::template;
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::unicode;
use crate::python::value::{Method, Value};
use crate::python::vm::{BYTES_A_STEP, Vm};

/// `string.Formatter`
pub(super) static FORMATTER: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        if !args.pos.is_empty() || !args.kw.is_empty() {
            return Err(type_error("Formatter() takes no arguments"));
        }
        Ok(Value::object(Formatter))
    }),
    methods: &[
        Method { name: "format", call: format },
        Method { name: "parse", call: parse },
        Method { name: "vformat", call: vformat },
    ],
    ..BuiltinType::new("Formatter", "string", &OBJECT)
};

struct Formatter;

impl Object for Formatter {
    fn class(&self) -> &'static BuiltinType {
        &FORMATTER
    }
}

/// `format(format_string, *args, **kwargs)`
fn format(vm: &mut Vm, _: &Value, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        let message = "Formatter.format() missing 1 required positional argument: 'format_string'";
        return Err(type_error(message));
    }
    let text = args.pos.remove(0);
    formatted(vm, &text, &Value::tuple(args.pos.into_vec()), Keywords::Given(&args.kw))
}

/// `vformat(format_string, args, kwargs)`
fn vformat(vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
    let names = ["format_string", "args", "kwargs"];
    let [text, positional, keywords] =
        Signature::method("Formatter.vformat", names, 3).bind(args)?.map(Option::unwrap_or_default);
    formatted(vm, &text, &positional, Keywords::Mapping(&keywords))
}

fn formatted(vm: &mut Vm, text: &Value, args: &Value, keywords: Keywords<'_>) -> PyResult<Value> {
    let mut run = Run { args, keywords, numbering: Some(0) };
    run.build(vm, text, 2).map(Value::str)
}

/// The keyword arguments: of a call, or a mapping.
#[derive(Clone, Copy)]
enum Keywords<'a> {
    Given(&'a [(Str, Value)]),
    Mapping(&'a Value),
}

/// One call of `format`: CPython's `Formatter._vformat`.
struct Run<'a> {
    args: &'a Value,
    keywords: Keywords<'a>,
    /// The number of the next field without one; `None` once a field had one.
    numbering: Option<usize>,
}

impl Run<'_> {
    fn build(&mut self, vm: &mut Vm, text: &Value, depth: usize) -> PyResult<String> {
        let Value::Str(text) = text else {
            return Err(type_error(format!("expected str, got {}", text.type_name().as_str())));
        };
        let mut out = String::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            vm.charge(1)?;
            let (literal, field, after) = template::next_part(rest)?;
            vm.charge((rest.len() - after.len()) / BYTES_A_STEP)?;
            out.push_str(literal);
            rest = after;
            if let Some(field) = field {
                let shown = self.field(vm, &field, depth)?;
                vm.limit_bytes(out.len().saturating_add(shown.len()))?;
                vm.charge_bytes(shown.len())?;
                out.push_str(&shown);
            }
        }
        Ok(out)
    }

    fn field(&mut self, vm: &mut Vm, field: &template::Field<'_>, depth: usize) -> PyResult<Str> {
        let switched = || value_error("cannot switch from manual field specification to automatic field numbering");
        let name = match (field.name, self.numbering) {
            ("", None) => return Err(switched()),
            ("", Some(number)) => {
                self.numbering = Some(number + 1);
                number.to_string()
            }
            (name, numbering) => {
                if name.chars().all(unicode::is_digit) {
                    if numbering.is_some_and(|number| number > 0) {
                        return Err(switched());
                    }
                    self.numbering = None;
                }
                name.to_owned()
            }
        };
        let (first, path) = template::split_name(&name)?;
        let value = match first {
            template::First::Index(index) => vm.get_item(self.args, &Value::from_usize(index))?,
            template::First::Name(name) => match self.keywords {
                Keywords::Given(named) => {
                    let found = named.iter().find(|(key, _)| key.as_str() == name);
                    found.map(|(_, value)| value.clone()).ok_or_else(|| key_error(Value::str(name)))?
                }
                Keywords::Mapping(mapping) => vm.get_item(mapping, &Value::str(name))?,
            },
        };
        let value = template::follow(vm, value, path)?;
        let value = match field.conversion {
            None => value,
            Some('s') => Value::Str(vm.str(&value)?),
            Some('r') => Value::str(vm.repr(&value)?),
            Some('a') => Value::str(vm.ascii(&value)?),
            Some(other) => return Err(value_error(format!("Unknown conversion specifier {other}"))),
        };
        if depth == 0 {
            return Err(value_error("Max string recursion exceeded"));
        }
        let spec = self.build(vm, &Value::str(field.spec), depth - 1)?;
        vm.format(&value, &spec)
    }
}

/// `parse(format_string)`: the parts, as far as the text is right.
fn parse(vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
    let [text] = Signature::method("Formatter.parse", ["format_string"], 1).bind(args)?.map(Option::unwrap_or_default);
    let Value::Str(text) = text else {
        return Err(type_error(format!("expected str, got {}", text.type_name().as_str())));
    };
    vm.charge_bytes(text.len())?;
    Ok(IteratorObject::new(&PARTS, Parts { text, done: 0 }))
}

pub(in crate::python::modules) static PARTS: BuiltinType = BuiltinType::new("formatteriterator", "", &OBJECT);

struct Parts {
    text: Str,
    /// How many bytes are parsed.
    done: usize,
}

impl PyIterator for Parts {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1)?;
        let rest = self.text.get(self.done..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let (literal, field, after) = template::next_part(rest)?;
        let mut parts = vec![Value::str(literal), Value::None, Value::None, Value::None];
        if let Some(field) = field {
            let conversion = field.conversion.map_or(Value::None, |char| Value::str(char.to_string()));
            parts = vec![Value::str(literal), Value::str(field.name), Value::str(field.spec), conversion];
        }
        self.done = self.text.len() - after.len();
        Ok(Some(Value::tuple(parts)))
    }
}
