//! Objects that are not Python's own: what the host (Galaxy, TPV) and the runtime's modules hand to the config's code.
//!
//! The interpreter knows no field of a job: it asks through this trait. The job file is one implementation; live
//! Python objects inside a Galaxy process can be another, which is why every call can fail and may return any value,
//! other objects included.

use std::any::Any;

use super::args::Args;
use super::exception::{PyResult, Raised, attribute_error, type_error};
use super::string::Str;
use super::types::BuiltinType;
use super::value::Value;
use super::vm::items::not_deletable;
use super::vm::{CompareOp, Vm};

/// An object of the host or of the runtime. An implementation that changes uses interior mutability.
///
/// `this` is the value that holds `self`, for what must return or keep the object itself.
pub trait Object: Any {
    /// The class, whose name shows in messages.
    fn class(&self) -> &'static BuiltinType;

    /// The value of an attribute for a caller that only looks at it: what [`Object::get_attr`] gives, or something equal.
    /// `None` if giving it takes more than reading a field.
    fn peek(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// The tuple as which it is shown, if it is shown so and in no other way.
    fn as_tuple(&self) -> Option<&Value> {
        None
    }

    /// `object.name`; `None` if there is no such attribute (the interpreter then raises `AttributeError`).
    fn get_attr(&self, vm: &mut Vm, this: &Value, name: &str) -> PyResult<Option<Value>> {
        let _ = (vm, this, name);
        Ok(None)
    }

    /// `object.name = value`
    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        let _ = (vm, value);
        let class = self.class().shown_name();
        Err(attribute_error(format!("'{}' object has no attribute '{}'", class.as_str(), name.as_str())))
    }

    /// `del object.name`
    fn del_attr(&self, vm: &mut Vm, name: &Str) -> PyResult<()> {
        let _ = vm;
        let class = self.class().shown_name();
        Err(attribute_error(format!("'{}' object has no attribute '{}'", class.as_str(), name.as_str())))
    }

    /// `object.name(args)`; `None` if there is no such method: the interpreter then tries `get_attr` and calls that.
    /// The arguments are left in place in that case. The default looks in the class's table of methods.
    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        let method = vm.library.method(self.class(), name)?;
        Some((method.call)(vm, this, std::mem::take(args)))
    }

    /// Returns `true` if [`Object::call_method`] knows `name`, so that `object.name` without a call gives a bound
    /// method. The default looks in the rows of the class and its bases.
    fn has_method(&self, name: &str) -> bool {
        self.class().method_of_rows(name).is_some()
    }

    /// `callable(object)`
    fn callable(&self) -> bool {
        false
    }

    /// `object(args)`
    fn call(&self, vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
        let _ = (vm, this, args);
        Err(type_error(format!("'{}' object is not callable", self.class().shown_name().as_str())))
    }

    /// `object[key]`
    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        let _ = (vm, key);
        Err(type_error(format!("'{}' object is not subscriptable", self.class().shown_name().as_str())))
    }

    /// `object[key] = value`
    fn set_item(&self, vm: &mut Vm, key: &Value, value: Value) -> PyResult<()> {
        let _ = (vm, key, value);
        Err(type_error(format!("'{}' object does not support item assignment", self.class().shown_name().as_str())))
    }

    /// `del object[key]`
    fn del_item(&self, vm: &mut Vm, key: &Value) -> PyResult<()> {
        let _ = (vm, key);
        Err(not_deletable(self.class(), key))
    }

    /// `item in object`; `None` lets the interpreter iterate.
    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        let _ = (vm, item);
        None
    }

    /// `iter(object)`; `None` if it is not iterable.
    fn iter(&self, vm: &mut Vm, this: &Value) -> Option<PyResult<Value>> {
        let _ = (vm, this);
        None
    }

    /// `len(object)`; `None` if it has no length.
    fn len(&self, vm: &mut Vm) -> Option<PyResult<usize>> {
        let _ = vm;
        None
    }

    /// Returns `true` if `reversed` takes it by its items (`PySequence_Check`): most objects with a length have items,
    /// whatever they answer when asked for one.
    fn is_sequence(&self, vm: &mut Vm) -> bool {
        self.len(vm).is_some()
    }

    /// Returns `true` if it counts as a mapping where CPython tests for subscripting (`PyMapping_Check`).
    fn is_mapping(&self, vm: &mut Vm) -> bool {
        self.is_sequence(vm)
    }

    /// `bool(object)` if it is not simply true or decided by [`Object::len`].
    fn truthy(&self, vm: &mut Vm) -> PyResult<bool> {
        match self.len(vm) {
            Some(len) => Ok(len? != 0),
            None => Ok(true),
        }
    }

    /// `repr(object)`
    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        let _ = vm;
        let class = self.class();
        Ok(format!("<{}{} object at {:#x}>", class.module_prefix(), class.name, address(this)))
    }

    /// `str(object)`
    fn str(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        self.repr(vm, this)
    }

    /// `format(object, spec)`; `None` means `object.__format__`, which takes an empty spec only.
    fn format(&self, vm: &mut Vm, this: &Value, spec: &str) -> Option<PyResult<String>> {
        let _ = (vm, this, spec);
        None
    }

    /// `next(object)`: the next item, or `None` at the end; `None` outside if it is no iterator.
    fn next(&self, vm: &mut Vm) -> Option<PyResult<Option<Value>>> {
        let _ = vm;
        None
    }

    /// The object's identity, if several native objects stand for it: those of the host's own memory.
    fn identity(&self) -> Option<usize> {
        None
    }

    /// `type(object)` if the host has an object for the class.
    fn type_object(&self) -> Option<Value> {
        None
    }

    /// The class that the object is, for `except`, `raise` and `issubclass`: if the host's classes are objects.
    fn as_class(&self) -> Option<&'static BuiltinType> {
        None
    }

    /// `isinstance(value, object)`, or `issubclass(value, object)` if `of_class`; `None` if the object is no class.
    fn check(&self, vm: &mut Vm, value: &Value, of_class: bool) -> Option<PyResult<bool>> {
        let _ = (vm, value, of_class);
        None
    }

    /// `self == other`, `self < other` ...; `None` is `NotImplemented` (identity decides equality then).
    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let _ = (vm, op, other);
        None
    }

    /// `self + other` ... by the operator's method name without underscores (`"add"`, `"radd"`, `"sub"`, `"and"` ...);
    /// `None` is `NotImplemented`.
    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let _ = (vm, method, other);
        None
    }

    /// `other op= self` of a builtin sequence by the object's own reflected method (`"radd"`), which comes before what the sequence does
    /// with it in place; `None` is `NotImplemented`.
    fn reflected_in_place(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let _ = (vm, method, other);
        None
    }

    /// `-self`, `+self`, `~self`, `abs(self)` by `"neg"`, `"pos"`, `"invert"`, `"abs"`.
    fn unary(&self, vm: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        let _ = (vm, method);
        None
    }

    /// `int(self)` (`"int"`), `float(self)` (`"float"`), `self.__index__()` (`"index"`).
    fn number(&self, vm: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        let _ = (vm, method);
        None
    }

    /// `hash(self)`; `None` is the identity hash, an error is an unhashable object.
    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        let _ = vm;
        None
    }

    /// Returns `true` if it equals another value as the key of a dict, for objects whose equality is more than
    /// identity. Belongs to [`Object::hash`]; calls no code.
    fn equals_key(&self, other: &Value) -> bool {
        let _ = other;
        false
    }

    /// `with object:` enter; `None` if it is no context manager.
    fn enter(&self, vm: &mut Vm, this: &Value) -> Option<PyResult<Value>> {
        let _ = (vm, this);
        None
    }

    /// `with object:` exit; true swallows the exception.
    fn exit(&self, vm: &mut Vm, raised: Option<&Raised>) -> PyResult<bool> {
        let _ = (vm, raised);
        Ok(false)
    }

    /// A copy of the object, as a part of data that is copied for another holder; the default shares the object, which is right
    /// for immutable ones and for those that are no data.
    fn deepcopy(&self, vm: &mut Vm, this: &Value) -> PyResult<Value> {
        let _ = vm;
        Ok(this.clone())
    }
}

fn address(value: &Value) -> usize {
    match value {
        Value::Object(handle) => std::rc::Rc::as_ptr(handle).cast::<u8>() as usize,
        _ => 0,
    }
}
