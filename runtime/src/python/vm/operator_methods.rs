//! Methods that stand for operators, as `value.__len__()`, `int.__add__` or `hasattr(value, "__iter__")` ask for them.

use std::rc::Rc;

use super::descriptors::UnboundMethod;
use super::{BinaryOp, CompareOp, UnaryOp, Vm};
use crate::python::args::Args;
use crate::python::builtins::{convert, numbers};
use crate::python::exception::{PyResult, TYPE_ERROR, type_error};
use crate::python::types::{self, BuiltinType, OBJECT, Type};
use crate::python::value::{BoundMethod, Method, MethodTarget, Value};

/// Kinds of classes, each a bit.
mod kind {
    pub(super) const INT: u32 = 1;
    pub(super) const FLOAT: u32 = 1 << 1;
    pub(super) const STR: u32 = 1 << 2;
    pub(super) const BYTES: u32 = 1 << 3;
    pub(super) const TUPLE: u32 = 1 << 4;
    pub(super) const LIST: u32 = 1 << 5;
    pub(super) const DICT: u32 = 1 << 6;
    pub(super) const SET: u32 = 1 << 7;
    pub(super) const FROZENSET: u32 = 1 << 8;
    pub(super) const RANGE: u32 = 1 << 9;
    pub(super) const ITERATOR: u32 = 1 << 10;
    pub(super) const NONE: u32 = 1 << 11;
    pub(super) const OTHER: u32 = 1 << 12;

    pub(super) const NUMBER: u32 = INT | FLOAT;
    pub(super) const TEXT: u32 = STR | BYTES;
    pub(super) const ARRAY: u32 = TEXT | TUPLE | LIST;
    pub(super) const ANY_SET: u32 = SET | FROZENSET;
    pub(super) const COLLECTION: u32 = ARRAY | DICT | ANY_SET | RANGE;
    pub(super) const ORDERED: u32 = NUMBER | ARRAY | ANY_SET;
    pub(super) const ALL: u32 = u32::MAX;
}

/// The kind of a class.
fn kind_of(class: &'static BuiltinType) -> u32 {
    const KINDS: [(&BuiltinType, u32); 12] = [
        (&types::INT, kind::INT),
        (&types::FLOAT, kind::FLOAT),
        (&types::STR, kind::STR),
        (&types::BYTES, kind::BYTES),
        (&types::TUPLE, kind::TUPLE),
        (&types::LIST, kind::LIST),
        (&types::DICT, kind::DICT),
        (&types::SET, kind::SET),
        (&types::FROZENSET, kind::FROZENSET),
        (&types::RANGE, kind::RANGE),
        (&types::NONE_TYPE, kind::NONE),
        (&types::GENERATOR, kind::ITERATOR),
    ];
    let found = KINDS.iter().find(|(known, _)| class.is_subclass(known));
    found.map_or(kind::OTHER, |(_, kind)| *kind)
}

/// The kind of a value.
fn kind_of_value(value: &Value) -> u32 {
    match (value, value.class()) {
        (Value::Iterator(_), _) => kind::ITERATOR,
        (_, Type::Builtin(class)) => kind_of(class),
        (_, Type::Class(_)) => kind::OTHER,
    }
}

/// Whether the method of `this` takes `other`: of another kind it says `NotImplemented`.
fn takes(this: &Value, other: &Value) -> bool {
    let (own, given) = (kind_of_value(this), kind_of_value(other));
    match own {
        kind::FLOAT => given & kind::NUMBER != 0,
        kind::SET | kind::FROZENSET => given & kind::ANY_SET != 0,
        _ => own == given,
    }
}

/// `this op other` by the method of `this` alone.
fn binary(vm: &mut Vm, op: BinaryOp, this: &Value, args: Args, name: &str, mirrored: bool) -> PyResult<Value> {
    let mut args = args;
    if op == BinaryOp::Power && args.pos.len() == 2 {
        args.pos.insert(0, this.clone());
        return numbers::pow(vm, args);
    }
    let [other] = args.exactly(name)?;
    // Sequences refuse by themselves; the others let the other side try.
    let array = kind_of_value(this) & kind::ARRAY != 0;
    if !array && !takes(this, &other) {
        return Ok(Value::NotImplemented);
    }
    if mirrored { vm.binary(op, &other, this) } else { vm.binary(op, this, &other) }
}

fn compared(vm: &mut Vm, op: CompareOp, this: &Value, args: Args, name: &str) -> PyResult<Value> {
    let [other] = args.exactly(name)?;
    let by_identity = kind_of_value(this) & (kind::OTHER | kind::NONE | kind::ITERATOR) != 0;
    if by_identity && !this.is(&other) || !by_identity && !takes(this, &other) {
        return Ok(Value::NotImplemented);
    }
    match vm.compare(op, this, &other) {
        Err(raised) if by_identity && raised.is(&TYPE_ERROR) => Ok(Value::NotImplemented),
        result => result,
    }
}

fn nothing(args: &Args, name: &str) -> PyResult<()> {
    if args.pos.is_empty() && args.kw.is_empty() {
        return Ok(());
    }
    Err(type_error(format!("{name}() takes no arguments ({} given)", args.pos.len() + args.kw.len())))
}

macro_rules! operators {
    ($($name:literal ($($bits:ident)|+) => $call:expr;)*) => {
        /// Each method with the kinds of classes that have it.
        static OPERATORS: &[(u32, Method)] =
            &[$(($(kind::$bits)|+, Method { name: $name, call: $call })),*];
    };
}

macro_rules! binary {
    ($name:literal, $op:ident) => {
        |vm, this, args| binary(vm, BinaryOp::$op, this, args, $name, false)
    };
}

macro_rules! mirrored {
    ($name:literal, $op:ident) => {
        |vm, this, args| binary(vm, BinaryOp::$op, this, args, $name, true)
    };
}

macro_rules! in_place {
    ($name:literal, $op:ident) => {
        |vm, this, args| {
            let [other] = args.exactly($name)?;
            let takes_all = matches!(this, Value::List(_) | Value::Dict(_));
            if takes_all || takes(this, &other) {
                vm.in_place(BinaryOp::$op, this, &other)
            } else {
                Ok(Value::NotImplemented)
            }
        }
    };
}

macro_rules! compare {
    ($name:literal, $op:ident) => {
        |vm, this, args| compared(vm, CompareOp::$op, this, args, $name)
    };
}

macro_rules! unary {
    ($name:literal, $op:ident) => {
        |vm, this, args| {
            nothing(&args, $name)?;
            vm.unary(UnaryOp::$op, this)
        }
    };
}

/// `int(x)` of a float after a rounding.
macro_rules! rounding {
    ($name:literal, $round:expr) => {
        |vm, this, args| {
            nothing(&args, $name)?;
            match this {
                Value::Float(float) => convert::float_to_int($round(*float)),
                int => convert::index(vm, int),
            }
        }
    };
}

operators! {
    "__len__" (COLLECTION) => |vm, this, _| vm.len(this).map(Value::from_usize);
    "__iter__" (COLLECTION | ITERATOR) => |vm, this, _| vm.iter(this);
    "__next__" (ITERATOR) => |vm, this, _| match vm.next(this)? {
        Some(item) => Ok(item),
        None => Err(vm.stop_iteration_of(this)),
    };
    "__reversed__" (LIST | DICT | RANGE) => |vm, this, _| {
        crate::python::builtins::construct::reversed(vm, Args::one(this.clone()))
    };
    "__contains__" (COLLECTION) => |vm, this, args| {
        let item = one(this, args, "__contains__")?;
        vm.contains(this, &item).map(Value::Bool)
    };
    "__getitem__" (ARRAY | DICT | RANGE) => |vm, this, args| {
        let key = one(this, args, "__getitem__")?;
        vm.get_item(this, &key)
    };
    "__setitem__" (LIST | DICT) => |vm, this, args| {
        let given = args.pos.len();
        let [key, value] = args.exactly("").map_err(|_| type_error(format!(" expected 2 arguments, got {given}")))?;
        vm.set_item(this, &key, value)?;
        Ok(Value::None)
    };
    "__delitem__" (LIST | DICT) => |vm, this, args| {
        let key = one(&Value::None, args, "__delitem__")?;
        vm.del_item(this, &key)?;
        Ok(Value::None)
    };
    "__str__" (ALL) => |vm, this, _| vm.str(this).map(Value::Str);
    "__repr__" (ALL) => |vm, this, _| vm.repr(this).map(Value::str);
    "__format__" (ALL) => |vm, this, args| {
        let [spec] = args.exactly("__format__")?;
        let Value::Str(spec) = &spec else {
            let given = if spec.is_none() { "None".into() } else { spec.type_name() };
            return Err(type_error(format!("__format__() argument must be str, not {}", given.as_str())));
        };
        vm.format(this, spec).map(Value::Str)
    };
    "__hash__" (ALL) => |vm, this, _| crate::python::hash::hash(vm, this).map(Value::Int);
    "__eq__" (ALL) => compare!("__eq__", Eq);
    "__ne__" (ALL) => compare!("__ne__", Ne);
    "__lt__" (ORDERED) => compare!("__lt__", Lt);
    "__le__" (ORDERED) => compare!("__le__", Le);
    "__gt__" (ORDERED) => compare!("__gt__", Gt);
    "__ge__" (ORDERED) => compare!("__ge__", Ge);
    "__bool__" (NUMBER | NONE) => |vm, this, _| vm.truthy(this).map(Value::Bool);
    "__int__" (NUMBER) => rounding!("__int__", f64::trunc);
    "__trunc__" (NUMBER) => rounding!("__trunc__", f64::trunc);
    "__floor__" (NUMBER) => rounding!("__floor__", f64::floor);
    "__ceil__" (NUMBER) => rounding!("__ceil__", f64::ceil);
    "__index__" (INT) => rounding!("__index__", f64::trunc);
    "__float__" (NUMBER) => |vm, this, _| convert::real(vm, this).map(Value::Float);
    "__round__" (NUMBER) => |vm, this, mut args| {
        args.pos.insert(0, this.clone());
        numbers::round(vm, args)
    };
    "__abs__" (NUMBER) => |vm, this, args| {
        nothing(&args, "__abs__")?;
        numbers::abs(vm, Args::one(this.clone()))
    };
    "__neg__" (NUMBER) => unary!("__neg__", Negative);
    "__pos__" (NUMBER) => unary!("__pos__", Positive);
    "__invert__" (INT) => unary!("__invert__", Invert);
    "__divmod__" (NUMBER) => |vm, this, args| {
        let [other] = args.exactly("__divmod__")?;
        if takes(this, &other) { numbers::divmod(vm, Args::positional([this.clone(), other])) } else { Ok(Value::NotImplemented) }
    };
    "__rdivmod__" (NUMBER) => |vm, this, args| {
        let [other] = args.exactly("__rdivmod__")?;
        if takes(this, &other) { numbers::divmod(vm, Args::positional([other, this.clone()])) } else { Ok(Value::NotImplemented) }
    };
    "__add__" (NUMBER | ARRAY) => binary!("__add__", Add);
    "__radd__" (NUMBER) => mirrored!("__radd__", Add);
    "__iadd__" (LIST) => in_place!("__iadd__", Add);
    "__sub__" (NUMBER | ANY_SET) => binary!("__sub__", Subtract);
    "__rsub__" (NUMBER | ANY_SET) => mirrored!("__rsub__", Subtract);
    "__isub__" (SET) => in_place!("__isub__", Subtract);
    "__mul__" (NUMBER | ARRAY) => binary!("__mul__", Multiply);
    "__rmul__" (NUMBER | ARRAY) => mirrored!("__rmul__", Multiply);
    "__imul__" (LIST) => in_place!("__imul__", Multiply);
    "__truediv__" (NUMBER) => binary!("__truediv__", TrueDivide);
    "__rtruediv__" (NUMBER) => mirrored!("__rtruediv__", TrueDivide);
    "__floordiv__" (NUMBER) => binary!("__floordiv__", FloorDivide);
    "__rfloordiv__" (NUMBER) => mirrored!("__rfloordiv__", FloorDivide);
    "__mod__" (NUMBER | STR) => binary!("__mod__", Remainder);
    "__rmod__" (NUMBER) => mirrored!("__rmod__", Remainder);
    "__pow__" (NUMBER) => binary!("__pow__", Power);
    "__rpow__" (NUMBER) => mirrored!("__rpow__", Power);
    "__lshift__" (INT) => binary!("__lshift__", LeftShift);
    "__rlshift__" (INT) => mirrored!("__rlshift__", LeftShift);
    "__rshift__" (INT) => binary!("__rshift__", RightShift);
    "__rrshift__" (INT) => mirrored!("__rrshift__", RightShift);
    "__and__" (INT | ANY_SET) => binary!("__and__", And);
    "__rand__" (INT | ANY_SET) => mirrored!("__rand__", And);
    "__iand__" (SET) => in_place!("__iand__", And);
    "__or__" (INT | ANY_SET | DICT) => binary!("__or__", Or);
    "__ror__" (INT | ANY_SET | DICT) => mirrored!("__ror__", Or);
    "__ior__" (SET | DICT) => in_place!("__ior__", Or);
    "__xor__" (INT | ANY_SET) => binary!("__xor__", Xor);
    "__rxor__" (INT | ANY_SET) => mirrored!("__rxor__", Xor);
    "__ixor__" (SET) => in_place!("__ixor__", Xor);
}

/// The one argument. CPython's methods that are slots say it shorter than those in a class's own table.
fn one(this: &Value, args: Args, name: &str) -> PyResult<Value> {
    let given = args.pos.len();
    let own = match (kind_of_value(this), name) {
        (kind::LIST | kind::DICT, "__getitem__") | (kind::DICT | kind::SET | kind::FROZENSET, "__contains__") => {
            format!("{}.{name}() takes exactly one argument ({given} given)", this.type_name().as_str())
        }
        _ => format!("expected 1 argument, got {given}"),
    };
    let [value] = args.exactly(name).map_err(|_| type_error(own))?;
    Ok(value)
}

/// A method of a class of the runtime that stands for an operator: `int.__add__`. Classes of the config have what `object`
/// has.
pub(super) fn of_class(class: &Type, name: &str) -> Option<Value> {
    let (class, kind) = match class {
        Type::Builtin(class) => (*class, kind_of(class)),
        Type::Class(_) => (&OBJECT, kind::OTHER),
    };
    let method = find(name, kind)?;
    let class = if matches!(name, "__str__" | "__format__") && kind == kind::OTHER { &OBJECT } else { class };
    Some(Value::object(UnboundMethod { class, method }))
}

/// The method that stands for an operator of a value of the runtime, where its class has that operator.
///
/// Instances of the config's classes have only what their class defines.
pub(super) fn of_value(object: &Value, name: &str) -> Option<Value> {
    if matches!(object, Value::Instance(_) | Value::Object(_)) {
        return None;
    }
    let method = find(name, kind_of_value(object))?;
    let target = MethodTarget::Native(method);
    Some(Value::BoundMethod(Rc::new(BoundMethod { receiver: object.clone(), target })))
}

fn find(name: &str, kind: u32) -> Option<&'static Method> {
    if !name.starts_with("__") {
        return None;
    }
    OPERATORS.iter().find(|(kinds, method)| kinds & kind != 0 && method.name == name).map(|(_, method)| method)
}
