//! Methods that stand for operators, as `value.__len__()`, `int.__add__` or `hasattr(value, "__iter__")` ask for them.

use std::rc::Rc;

use super::descriptors::UnboundMethod;
use super::object_methods;
use super::{BinaryOp, CompareOp, UnaryOp, Vm};
use crate::python::args::Args;
use crate::python::builtins::{convert, numbers};
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::abc;
use crate::python::modules::datetime::{DATE, TIMEDELTA};
use crate::python::modules::functools::KEY_WRAPPER;
use crate::python::modules::types::{MAPPING_PROXY, SIMPLE_NAMESPACE};
use crate::python::types::{self, BuiltinType, Type};
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
    pub(super) const DEQUE: u32 = 1 << 13;
    pub(super) const DATE: u32 = 1 << 14;
    pub(super) const TIME: u32 = 1 << 15;
    pub(super) const DELTA: u32 = 1 << 16;
    pub(super) const VIEW: u32 = 1 << 17;
    pub(super) const VALUES: u32 = 1 << 18;
    pub(super) const MAPPING: u32 = 1 << 19;

    pub(super) const NUMBER: u32 = INT | FLOAT;
    pub(super) const TEXT: u32 = STR | BYTES;
    pub(super) const ARRAY: u32 = TEXT | TUPLE | LIST;
    pub(super) const ANY_SET: u32 = SET | FROZENSET;
    pub(super) const COLLECTION: u32 = ARRAY | DICT | ANY_SET | RANGE | DEQUE | VIEW | MAPPING;
    /// Those whose objects compare and compute by themselves.
    pub(super) const OBJECTS: u32 = DEQUE | DATE | TIME | DELTA | VIEW | VALUES | MAPPING;
    /// All but those that have only what `object` has.
    pub(super) const OWN: u32 = !(OTHER | NONE | ITERATOR);
}

/// The kind of a class.
fn kind_of(class: &'static BuiltinType) -> u32 {
    const KINDS: [(&BuiltinType, u32); 18] = [
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
        (&DATE, kind::DATE),
        (&TIMEDELTA, kind::DELTA),
        (&types::DICT_KEYS, kind::VIEW),
        (&types::DICT_ITEMS, kind::VIEW),
        (&types::DICT_VALUES, kind::VALUES),
        (&MAPPING_PROXY, kind::MAPPING),
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
    let other = one(this, args, name)?;
    if let Value::Object(handle) = this
        && kind_of_value(this) & (kind::OBJECTS) != 0
    {
        let result = handle.binary(vm, name.trim_matches('_'), &other);
        return result.unwrap_or(Ok(Value::NotImplemented));
    }
    // Sequences refuse by themselves; the others let the other side try.
    let array = kind_of_value(this) & kind::ARRAY != 0 && (op, mirrored) != (BinaryOp::Remainder, true);
    if !array && !takes(this, &other) {
        return Ok(Value::NotImplemented);
    }
    if mirrored { vm.binary(op, &other, this) } else { vm.binary(op, this, &other) }
}

fn compared(vm: &mut Vm, op: CompareOp, this: &Value, args: Args, name: &str) -> PyResult<Value> {
    let other = one(this, args, name)?;
    let kind = kind_of_value(this);
    if let Value::Object(handle) = this
        && kind & kind::OBJECTS != 0
    {
        return handle.compare(vm, op, &other).unwrap_or(Ok(Value::NotImplemented));
    }
    let ordered = kind & (kind::NUMBER | kind::ARRAY | kind::ANY_SET) != 0;
    if !takes(this, &other) || !ordered && !matches!(op, CompareOp::Eq | CompareOp::Ne) {
        return Ok(Value::NotImplemented);
    }
    vm.compare(op, this, &other)
}

fn nothing(args: &Args, name: &str) -> PyResult<()> {
    if !args.kw.is_empty() {
        return Err(type_error(format!("wrapper {name}() takes no keyword arguments")));
    }
    match args.pos.len() {
        0 => Ok(()),
        given => Err(type_error(format!("expected 0 arguments, got {given}"))),
    }
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
            let other = one(this, args, $name)?;
            if let Value::Object(_) = this {
                return vm.in_place(BinaryOp::$op, this, &other);
            }
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
            if is_slot(this.class().builtin_base(), $name) {
                nothing(&args, $name)?;
            } else {
                let [] = args.exactly(&format!("{}.{}", this.type_name().as_str(), $name))?;
            }
            match this {
                Value::Float(float) => convert::float_to_int($round(*float)),
                int => convert::index(vm, int),
            }
        }
    };
}

operators! {
    "__len__" (COLLECTION | VALUES) => |vm, this, args| {
        nothing(&args, "__len__")?;
        vm.len(this).map(Value::from_usize)
    };
    "__iter__" (COLLECTION | VALUES | ITERATOR) => |vm, this, args| {
        nothing(&args, "__iter__")?;
        vm.iter(this)
    };
    "__next__" (ITERATOR) => |vm, this, _| match vm.next(this)? {
        Some(item) => Ok(item),
        None => Err(vm.stop_iteration_of(this)),
    };
    "__reversed__" (LIST | DICT | RANGE | DEQUE | VIEW | VALUES) => |vm, this, _| {
        crate::python::builtins::construct::reversed(vm, Args::one(this.clone()))
    };
    "__contains__" (COLLECTION) => |vm, this, args| {
        let item = one(this, args, "__contains__")?;
        vm.contains(this, &item).map(Value::Bool)
    };
    "__getitem__" (ARRAY | DICT | RANGE | DEQUE | MAPPING) => |vm, this, args| {
        let key = one(this, args, "__getitem__")?;
        vm.get_item(this, &key)
    };
    "__setitem__" (LIST | DICT | DEQUE) => |vm, this, args| {
        let given = args.pos.len();
        let [key, value] = args.exactly("").map_err(|_| type_error(format!(" expected 2 arguments, got {given}")))?;
        vm.set_item(this, &key, value)?;
        Ok(Value::None)
    };
    "__delitem__" (LIST | DICT | DEQUE) => |vm, this, args| {
        let key = one(&Value::None, args, "__delitem__")?;
        vm.del_item(this, &key)?;
        Ok(Value::None)
    };
    "__str__" (OWN) => |vm, this, _| vm.str(this).map(Value::Str);
    "__repr__" (OWN) => |vm, this, _| vm.repr(this).map(Value::str);
    "__format__" (OWN) => |vm, this, args| {
        let [spec] = args.exactly("__format__")?;
        let Value::Str(spec) = &spec else {
            let given = spec.argument_class();
            let place = if kind_of_value(this) & (kind::DATE | kind::TIME) != 0 { " 1" } else { "" };
            return Err(type_error(format!("__format__() argument{place} must be str, not {}", given.as_str())));
        };
        vm.format(this, spec).map(Value::Str)
    };
    "__hash__" (OWN) => |vm, this, _| crate::python::hash::hash(vm, this).map(Value::Int);
    "__eq__" (OWN) => compare!("__eq__", Eq);
    "__ne__" (OWN) => compare!("__ne__", Ne);
    "__lt__" (OWN) => compare!("__lt__", Lt);
    "__le__" (OWN) => compare!("__le__", Le);
    "__gt__" (OWN) => compare!("__gt__", Gt);
    "__ge__" (OWN) => compare!("__ge__", Ge);
    "__bool__" (NUMBER | NONE | DELTA) => |vm, this, _| vm.truthy(this).map(Value::Bool);
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
    "__abs__" (NUMBER | DELTA) => |vm, this, args| {
        nothing(&args, "__abs__")?;
        numbers::abs(vm, Args::one(this.clone()))
    };
    "__neg__" (NUMBER | DELTA) => unary!("__neg__", Negative);
    "__pos__" (NUMBER | DELTA) => unary!("__pos__", Positive);
    "__invert__" (INT) => unary!("__invert__", Invert);
    "__divmod__" (NUMBER | DELTA) => |vm, this, args| {
        let other = one(this, args, "__divmod__")?;
        if matches!(this, Value::Object(_)) {
            return numbers::divmod(vm, Args::positional([this.clone(), other]));
        }
        if takes(this, &other) { numbers::divmod(vm, Args::positional([this.clone(), other])) } else { Ok(Value::NotImplemented) }
    };
    "__rdivmod__" (NUMBER) => |vm, this, args| {
        let other = one(this, args, "__rdivmod__")?;
        if takes(this, &other) { numbers::divmod(vm, Args::positional([other, this.clone()])) } else { Ok(Value::NotImplemented) }
    };
    "__add__" (NUMBER | ARRAY | DEQUE | DATE | DELTA) => binary!("__add__", Add);
    "__radd__" (NUMBER | DATE | DELTA) => mirrored!("__radd__", Add);
    "__iadd__" (LIST | DEQUE) => in_place!("__iadd__", Add);
    "__sub__" (NUMBER | ANY_SET | DATE | DELTA | VIEW) => binary!("__sub__", Subtract);
    "__rsub__" (NUMBER | ANY_SET | DATE | DELTA | VIEW) => mirrored!("__rsub__", Subtract);
    "__isub__" (SET) => in_place!("__isub__", Subtract);
    "__mul__" (NUMBER | ARRAY | DEQUE | DELTA) => binary!("__mul__", Multiply);
    "__rmul__" (NUMBER | ARRAY | DEQUE | DELTA) => mirrored!("__rmul__", Multiply);
    "__imul__" (LIST | DEQUE) => in_place!("__imul__", Multiply);
    "__truediv__" (NUMBER | DELTA) => binary!("__truediv__", TrueDivide);
    "__rtruediv__" (NUMBER | DELTA) => mirrored!("__rtruediv__", TrueDivide);
    "__floordiv__" (NUMBER | DELTA) => binary!("__floordiv__", FloorDivide);
    "__rfloordiv__" (NUMBER | DELTA) => mirrored!("__rfloordiv__", FloorDivide);
    "__mod__" (NUMBER | TEXT | DELTA) => binary!("__mod__", Remainder);
    "__rmod__" (NUMBER | TEXT | DELTA) => mirrored!("__rmod__", Remainder);
    "__pow__" (NUMBER) => binary!("__pow__", Power);
    "__rpow__" (NUMBER) => mirrored!("__rpow__", Power);
    "__lshift__" (INT) => binary!("__lshift__", LeftShift);
    "__rlshift__" (INT) => mirrored!("__rlshift__", LeftShift);
    "__rshift__" (INT) => binary!("__rshift__", RightShift);
    "__rrshift__" (INT) => mirrored!("__rrshift__", RightShift);
    "__and__" (INT | ANY_SET | VIEW) => binary!("__and__", And);
    "__rand__" (INT | ANY_SET | VIEW) => mirrored!("__rand__", And);
    "__iand__" (SET) => in_place!("__iand__", And);
    "__or__" (INT | ANY_SET | DICT | VIEW | MAPPING) => binary!("__or__", Or);
    "__ror__" (INT | ANY_SET | DICT | VIEW | MAPPING) => mirrored!("__ror__", Or);
    "__ior__" (SET | DICT) => in_place!("__ior__", Or);
    "__xor__" (INT | ANY_SET | VIEW) => binary!("__xor__", Xor);
    "__rxor__" (INT | ANY_SET | VIEW) => mirrored!("__rxor__", Xor);
    "__ixor__" (SET) => in_place!("__ixor__", Xor);
}

/// The one argument. CPython's methods that are slots say it shorter than those in a class's own table.
pub(super) fn one(this: &Value, args: Args, name: &str) -> PyResult<Value> {
    let given = args.pos.len();
    let own = match (kind_of_value(this), name) {
        (kind::LIST | kind::DICT, "__getitem__") | (kind::DICT | kind::SET | kind::FROZENSET, "__contains__") => {
            format!("{}.{name}() takes exactly one argument ({given} given)", this.type_name().as_str())
        }
        (kind, "__mul__" | "__rmul__" | "__imul__") if kind & kind::ARRAY != 0 => {
            format!(" expected 1 argument, got {given}")
        }
        _ => format!("expected 1 argument, got {given}"),
    };
    let [value] = args.exactly(name).map_err(|_| type_error(own))?;
    Ok(value)
}

/// Whether a class of the runtime has a method as one of CPython's slots, whose wrappers have their own class and messages.
/// Others are in the class's table of methods.
pub(crate) fn is_slot(class: &BuiltinType, name: &str) -> bool {
    let in_table = match name {
        "__format__" | "__round__" | "__trunc__" | "__floor__" | "__ceil__" | "__reversed__" | "__new__"
        | "__setstate__" => true,
        "__getitem__" => matches!(class.name, "list" | "dict"),
        "__contains__" => matches!(class.name, "dict" | "set" | "frozenset"),
        "__enter__" | "__exit__" | "__copy__" | "__deepcopy__" | "__class_getitem__" => true,
        _ => false,
    };
    !in_table && name.starts_with("__") && (class.module.is_empty() || class.is_in_c_module())
}

/// A method of a class of the runtime that stands for an operator: `int.__add__`. Classes of the config have what `object`
/// has.
pub(super) fn of_class(class: &Type, name: &str) -> Option<Value> {
    if name == "__hash__" && matches!(class, Type::Builtin(class) if is_unhashable(class)) {
        return Some(Value::None);
    }
    let own = match class {
        Type::Builtin(class) => find(name, kind_of(class)).map(|method| (*class, method)),
        Type::Class(_) => None,
    };
    let (class, method) = own.or_else(|| object_methods::find(class, name))?;
    Some(Value::object(UnboundMethod { class, method }))
}

/// The method that stands for an operator of a value, where its class has that operator, or what `object` gives.
pub(super) fn of_value(object: &Value, name: &str) -> Option<Value> {
    if name == "__hash__" && is_unhashable(object.class().builtin_base()) {
        return Some(Value::None);
    }
    let own = if matches!(object, Value::Instance(_)) { None } else { find(name, kind_of_value(object)) };
    let method = own.or_else(|| Some(object_methods::find(&object.class(), name)?.1))?;
    let target = MethodTarget::Native(method);
    Some(Value::BoundMethod(Rc::new(BoundMethod { receiver: object.clone(), target })))
}

/// What `super()` gives where no class after the asking one has the name: what the class of the runtime has.
pub(super) fn inherited(object: &Value, name: &str) -> Option<Value> {
    match object {
        Value::Type(_) => None,
        object => of_value(object, name),
    }
}

/// Whether a class says so by `__hash__ = None`.
pub(crate) fn is_unhashable(class: &'static BuiltinType) -> bool {
    const UNHASHABLE: u32 = kind::LIST | kind::DICT | kind::SET | kind::DEQUE | kind::VIEW | kind::MAPPING;
    let others = [&types::SLICE, &SIMPLE_NAMESPACE, &KEY_WRAPPER, &abc::KEYS_VIEW, &abc::ITEMS_VIEW];
    kind_of(class) & UNHASHABLE != 0 || others.iter().any(|other| class.is_subclass(other))
}

fn find(name: &str, kind: u32) -> Option<&'static Method> {
    if !name.starts_with("__") {
        return None;
    }
    OPERATORS.iter().find(|(kinds, method)| kinds & kind != 0 && method.name == name).map(|(_, method)| method)
}
