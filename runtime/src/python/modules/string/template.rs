//! `string.Template`: texts with `$name` in them.

use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{KEY_ERROR, PyResult, type_error, value_error};
use crate::python::methods::wrong_receiver;
use crate::python::modules::copy::deepcopy;
use crate::python::modules::re;
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

/// `string.Template`
///
/// DIFFERENCE: its delimiter and patterns are fixed; deriving a class from it does not change them.
pub static TEMPLATE: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [template] = Signature::method("Template.__init__", ["template"], 1).bind(args)?;
        Ok(Value::object(Template(std::cell::RefCell::new(template.unwrap_or_default()))))
    }),
    methods: &[
        Method { name: "get_identifiers", call: get_identifiers },
        Method { name: "is_valid", call: is_valid },
        Method { name: "safe_substitute", call: |vm, this, args| substitute(vm, this, args, "safe_substitute", true) },
        Method { name: "substitute", call: |vm, this, args| substitute(vm, this, args, "substitute", false) },
    ],
    ..BuiltinType::new("Template", "string", &OBJECT)
};

/// A template, its text being whatever it was given.
struct Template(std::cell::RefCell<Value>);

impl Object for Template {
    fn class(&self) -> &'static BuiltinType {
        &TEMPLATE
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let text = self.0.borrow().clone();
        deepcopy(vm, &text).map(|copy| Value::object(Self(copy.into())))
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "template" => Some(self.0.borrow().clone()),
            "delimiter" => Some(Value::str("$")),
            "idpattern" => Some(Value::str("(?a:[_a-z][_a-z0-9]*)")),
            "braceidpattern" => Some(Value::None),
            _ => None,
        })
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        if name.as_str() == "template" {
            let old = self.0.replace(value);
            drop(old);
            return Ok(());
        }
        let message = format!("'Template' object has no attribute '{}'", name.as_str());
        Err(crate::python::exception::attribute_error(message))
    }
}

/// A part of a template.
enum Part<'t> {
    Text(&'t str),
    Escaped,
    /// The name, and the whole placeholder.
    Name(&'t str, &'t str),
    /// A `$` that begins nothing, at this byte.
    Invalid(usize),
}

/// The name that a text begins with: ASCII letters, digits and underscores. As the expression ignores case, two letters
/// that are no ASCII ones would count, but for its own `(?a:`.
fn name(text: &str) -> &str {
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    if !text.as_bytes().first().is_some_and(letter) {
        return "";
    }
    let end = text.bytes().take_while(|byte| letter(byte) || byte.is_ascii_digit()).count();
    text.get(..end).unwrap_or_default()
}

fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        parts.push(Part::Text(before));
        let start = template.len() - after.len();
        let mut end = after;
        if let Some(after) = after.strip_prefix('$') {
            parts.push(Part::Escaped);
            end = after;
        } else if let found @ [_, ..] = name(after).as_bytes() {
            let length = found.len();
            let name = after.get(..length).unwrap_or_default();
            parts.push(Part::Name(name, template.get(start - 1..start + length).unwrap_or_default()));
            end = after.get(length..).unwrap_or_default();
        } else if let Some(braced) = after.strip_prefix('{')
            && let name = name(braced)
            && !name.is_empty()
            && let Some(closed) = braced.get(name.len()..).and_then(|rest| rest.strip_prefix('}'))
        {
            let whole = template.get(start - 1..template.len() - closed.len()).unwrap_or_default();
            parts.push(Part::Name(name, whole));
            end = closed;
        } else {
            parts.push(Part::Invalid(start - 1));
        }
        rest = end;
    }
    parts.push(Part::Text(rest));
    parts
}

fn template_of(vm: &mut Vm, this: &Value) -> PyResult<Str> {
    let template = this.downcast::<Template>().ok_or_else(|| wrong_receiver("Template", this))?;
    let template = template.0.borrow().clone();
    // It is searched by a pattern.
    let text = re::text_of(&template)?;
    vm.charge(text.len() / 4)?;
    Ok(text)
}

fn substitute(vm: &mut Vm, this: &Value, args: Args, function: &str, safe: bool) -> PyResult<Value> {
    let given = args.pos.len();
    if given > 1 {
        let message =
            format!("Template.{function}() takes from 1 to 2 positional arguments but {} were given", given + 1);
        return Err(type_error(message));
    }
    let keywords = Value::dict(Dict::from_strs(args.kw));
    let mappings: Vec<Value> = std::iter::once(keywords).chain(args.pos).collect();
    let text = template_of(vm, this)?;
    let mut out = String::new();
    for part in parts(&text) {
        let before = out.len();
        vm.charge(1)?;
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Escaped => out.push('$'),
            Part::Invalid(at) if !safe => return Err(invalid(&text, at)),
            Part::Invalid(_) => out.push('$'),
            Part::Name(name, whole) => match value(vm, &mappings, name) {
                Ok(value) => out.push_str(&vm.str(&value)?),
                Err(raised) if safe && raised.is(&KEY_ERROR) => out.push_str(whole),
                Err(raised) => return Err(raised),
            },
        }
        vm.charge((out.len() - before) / 32)?;
        if out.len() > vm.limits.bytes {
            vm.charge_bytes(out.len())?;
        }
    }
    Ok(Value::str(out))
}

/// The value of a name in the first mapping that has it.
fn value(vm: &mut Vm, mappings: &[Value], name: &str) -> PyResult<Value> {
    let mut missing = crate::python::exception::key_error(Value::str(name));
    for mapping in mappings {
        match vm.get_item(mapping, &Value::str(name)) {
            Err(raised) if raised.is(&KEY_ERROR) => missing = raised,
            result => return result,
        }
    }
    Err(missing)
}

fn invalid(text: &str, at: usize) -> crate::python::exception::Raised {
    // CPython counts up to behind the `$`.
    let before = text.get(..=at).unwrap_or_default();
    let (mut line, mut start) = (1, 0);
    let mut characters = before.char_indices().peekable();
    while let Some((index, char)) = characters.next() {
        if !crate::python::unicode::is_line_break(char) {
            continue;
        }
        let mut end = index + char.len_utf8();
        if char == '\r' && matches!(characters.peek(), Some((_, '\n'))) {
            characters.next();
            end += 1;
        }
        // A break at the end of the text before begins no line of its own.
        if end < before.len() {
            line += 1;
            start = end;
        }
    }
    let column = before.get(start..).unwrap_or_default().chars().count();
    value_error(format!("Invalid placeholder in string: line {line}, col {column}"))
}

fn is_valid(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("Template.is_valid", [], 0).bind(args)?;
    let text = template_of(vm, this)?;
    Ok(Value::Bool(!parts(&text).iter().any(|part| matches!(part, Part::Invalid(_)))))
}

fn get_identifiers(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("Template.get_identifiers", [], 0).bind(args)?;
    let text = template_of(vm, this)?;
    let mut names: Vec<&str> = Vec::new();
    for part in parts(&text) {
        if let Part::Name(name, _) = part {
            vm.charge(1 + names.len() / 8)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(Value::list(names.into_iter().map(Value::str).collect()))
}
