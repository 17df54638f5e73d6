//! What members do as all objects do: their text, their hash; and as ints and strs do.

use crate::python::args::Args;
use crate::python::exception::{PyResult, TYPE_ERROR, value_error};
use crate::python::hash;
use crate::python::native_function::NativeFunction;
use crate::python::value::Value;
use crate::python::vm::iteration::str_iterator;
use crate::python::vm::{BinaryOp, CompareOp, UnaryOp, Vm};

fn function(
    name: &'static str,
    call: impl Fn(&mut Vm, Value, Vec<Value>) -> PyResult<Value> + 'static,
) -> (&'static str, Value) {
    let value = NativeFunction::value(name, format!("Enum.{name}"), move |vm, mut args: Args| {
        let receiver = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
        call(vm, receiver, args.pos.into_vec())
    });
    (name, value)
}

/// The value of a member; any other value as it is.
fn plain(value: &Value) -> Value {
    match value {
        Value::Instance(instance) => super::mixed_value(instance).unwrap_or_else(|| value.clone()),
        other => other.clone(),
    }
}

/// `__str__` of `IntEnum` and `StrEnum`: the value's.
pub(super) fn plain_text() -> Value {
    function("__str__", |vm, member, _| vm.str(&plain(&member)).map(Value::Str)).1
}

/// `__format__` of `IntEnum` and `StrEnum`: the value's, but the member's text where nothing is said.
pub(super) fn plain_format() -> Value {
    function("__format__", |vm, member, args| {
        let spec = args.first().and_then(|spec| spec.as_str().cloned()).unwrap_or_else(|| "".into());
        if spec.is_empty() {
            return vm.str(&member).map(Value::Str);
        }
        let plain = plain(&member);
        let text = vm.format(&plain, &spec).map(Value::Str).map_err(|raised| {
            // The message names the member's class.
            let (of_plain, of_member) = (plain.type_name(), member.type_name());
            match raised.0.args.borrow().first() {
                Some(Value::Str(text)) if text.ends_with(&format!("for object of type '{}'", of_plain.as_str())) => {
                    let before = text.trim_end_matches(&format!("'{}'", of_plain.as_str()));
                    value_error(format!("{before}'{}'", of_member.as_str()))
                }
                _ => raised.clone(),
            }
        })?;
        // What is written first and last is given back as it is.
        let unchanged = text.is(&plain) && plain.as_str().is_some_and(|text| !text.is_empty());
        Ok(if unchanged { member } else { text })
    })
    .1
}

const COMPARISONS: [(&str, CompareOp); 6] = [
    ("__lt__", CompareOp::Lt),
    ("__le__", CompareOp::Le),
    ("__gt__", CompareOp::Gt),
    ("__ge__", CompareOp::Ge),
    ("__eq__", CompareOp::Eq),
    ("__ne__", CompareOp::Ne),
];

const ARITHMETIC: [(&str, &str, BinaryOp); 12] = [
    ("__add__", "__radd__", BinaryOp::Add),
    ("__sub__", "__rsub__", BinaryOp::Subtract),
    ("__mul__", "__rmul__", BinaryOp::Multiply),
    ("__truediv__", "__rtruediv__", BinaryOp::TrueDivide),
    ("__floordiv__", "__rfloordiv__", BinaryOp::FloorDivide),
    ("__mod__", "__rmod__", BinaryOp::Remainder),
    ("__pow__", "__rpow__", BinaryOp::Power),
    ("__lshift__", "__rlshift__", BinaryOp::LeftShift),
    ("__rshift__", "__rrshift__", BinaryOp::RightShift),
    ("__and__", "__rand__", BinaryOp::And),
    ("__or__", "__ror__", BinaryOp::Or),
    ("__xor__", "__rxor__", BinaryOp::Xor),
];

const SIGNS: [(&str, UnaryOp); 3] =
    [("__neg__", UnaryOp::Negative), ("__pos__", UnaryOp::Positive), ("__invert__", UnaryOp::Invert)];

/// `NotImplemented` where the operands do not go together.
fn or_not_implemented(result: PyResult<Value>) -> PyResult<Value> {
    match result {
        Err(raised) if raised.is(&TYPE_ERROR) => Ok(Value::NotImplemented),
        result => result,
    }
}

/// Whether it is a sequence that is to be repeated: it asks the member how often.
fn repeats(op: BinaryOp, other: &Value) -> bool {
    op == BinaryOp::Multiply && matches!(other, Value::Str(_) | Value::Bytes(_) | Value::List(_) | Value::Tuple(_))
}

fn given(args: &[Value]) -> Value {
    args.first().cloned().unwrap_or_default()
}

fn other(args: &[Value]) -> Value {
    args.first().map(plain).unwrap_or_default()
}

/// The methods of members, where they are ints or strs with what those do.
pub(super) fn of_members(is_int: bool, is_str: bool) -> Vec<(&'static str, Value)> {
    let name_of = |vm: &mut Vm, member: &Value| -> PyResult<String> {
        let name = vm.get_attr(member, "_name_")?;
        Ok(format!("{}.{}", member.class().name().as_str(), vm.str(&name)?.as_str()))
    };
    let mut methods = vec![
        function("__repr__", move |vm, member, _| {
            let value = vm.get_attr(&member, "_value_")?;
            Ok(Value::str(format!("<{}: {}>", name_of(vm, &member)?, vm.repr(&value)?)))
        }),
        function("__str__", move |vm, member, _| name_of(vm, &member).map(Value::str)),
        function("__format__", |vm, member, args| {
            let text = vm.str(&member)?;
            let spec = args.first().and_then(|spec| spec.as_str().cloned()).unwrap_or_else(|| "".into());
            vm.format(&Value::Str(text), &spec).map(Value::Str)
        }),
        function("__copy__", |_, member, _| Ok(member)),
        function("__deepcopy__", |_, member, _| Ok(member)),
        function("__hash__", |vm, member, _| {
            let hashed = match plain(&member) {
                Value::Instance(_) => vm.get_attr(&member, "_name_")?,
                value => value,
            };
            hash::hash(vm, &hashed).map(Value::Int)
        }),
    ];
    if is_int || is_str {
        for (name, op) in COMPARISONS {
            methods.push(function(name, move |vm, member, args| {
                or_not_implemented(vm.compare(op, &plain(&member), &other(&args)))
            }));
        }
        for (name, reflected, op) in ARITHMETIC {
            let of_str = matches!(op, BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Remainder);
            if is_str && !of_str {
                continue;
            }
            // What an int refuses, the other operand may do; a str says by itself what it cannot be joined with.
            let kept = move |result| if is_int { or_not_implemented(result) } else { result };
            methods.push(function(name, move |vm, member, args| {
                if is_int && repeats(op, &given(&args)) {
                    return Ok(Value::NotImplemented);
                }
                let member = plain(&member);
                // Texts show what they are given.
                let other = if member.as_str().is_some() { given(&args) } else { other(&args) };
                kept(vm.binary(op, &member, &other))
            }));
            methods.push(function(reflected, move |vm, member, args| {
                // A text that formats the member does so by the member's own text.
                let formats = op == BinaryOp::Remainder && matches!(other(&args), Value::Str(_) | Value::Bytes(_));
                if formats || is_int && repeats(op, &given(&args)) {
                    return Ok(Value::NotImplemented);
                }
                or_not_implemented(vm.binary(op, &other(&args), &plain(&member)))
            }));
        }
    }
    if is_int {
        methods.push(function("__bool__", |vm, member, _| vm.truthy(&plain(&member)).map(Value::Bool)));
        for (name, op) in SIGNS {
            methods.push(function(name, move |vm, member, _| vm.unary(op, &plain(&member))));
        }
        for name in ["__int__", "__index__", "__trunc__", "__floor__", "__ceil__"] {
            methods.push(function(name, |_, member, _| Ok(plain(&member))));
        }
        methods.push(function("__abs__", |vm, member, _| {
            let value = plain(&member);
            let negative = vm.less(&value, &Value::Int(0))?;
            if negative { vm.unary(UnaryOp::Negative, &value) } else { Ok(value) }
        }));
        methods.push(function("__round__", |vm, member, args| {
            let mut all = Args::one(plain(&member));
            all.pos.extend(args.first().cloned());
            crate::python::builtins::numbers::round(vm, all)
        }));
        methods.push(function("__float__", |vm, member, _| {
            crate::python::builtins::convert::real(vm, &plain(&member)).map(Value::Float)
        }));
    }
    if is_str {
        methods.push(function("__len__", |vm, member, _| vm.len(&plain(&member)).map(Value::from_usize)));
        methods
            .push(function("__iter__", |_, member, _| Ok(plain(&member).as_str().map_or(Value::None, str_iterator))));
        methods.push(function("__getitem__", |vm, member, args| vm.get_item(&plain(&member), &given(&args))));
        methods.push(function("__contains__", |vm, member, args| {
            vm.contains(&plain(&member), &other(&args)).map(Value::Bool)
        }));
    }
    methods
}
