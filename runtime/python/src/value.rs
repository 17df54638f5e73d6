//! Python values.
//!
//! A [`Value`] is 16 bytes: a tag and a number or a reference-counted pointer. Values belong to one thread; what
//! threads share is the artifact, from which each thread makes its own.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;

use super::args::Args;
use super::dict::Dict;
use super::exception::{ExceptionObject, PyResult};
use super::function::Function;
use super::iterator::IteratorObject;
use super::module::ModuleDef;
use super::object::Object;
use super::release::release;
use super::set::SetObject;
use super::string::Str;
use super::types::BuiltinType;
use super::vm::Vm;

/// Any Python value.
#[derive(Clone, Default)]
pub enum Value {
    /// `None`
    #[default]
    None,
    /// `NotImplemented`
    NotImplemented,
    /// `...`
    Ellipsis,
    /// `True` or `False`
    Bool(bool),
    /// An `int` that fits 64 bits. An int always has this form where it fits: see [`Value::from_bigint`].
    Int(i64),
    /// An `int` outside the range of `i64`.
    BigInt(Rc<BigInt>),
    /// A `float`
    Float(f64),
    /// A `str`
    Str(Str),
    /// A `bytes`
    Bytes(Rc<Vec<u8>>),
    /// A `tuple`
    Tuple(Rc<Tuple>),
    /// A `list`
    List(Rc<List>),
    /// A `dict` or one of `collections`' subclasses of it
    Dict(Rc<Dict>),
    /// A `set` or `frozenset`
    Set(Rc<SetObject>),
    /// A `range`
    Range(Rc<Range>),
    /// A `slice`
    Slice(Rc<Slice>),
    /// A function or lambda of the config's code
    Function(Rc<Function>),
    /// A function of the runtime: a builtin or a module's
    Builtin(&'static Builtin),
    /// A function of the runtime with a receiver: `"a".upper`
    BoundMethod(Rc<BoundMethod>),
    /// A class
    Type(&'static BuiltinType),
    /// A module
    Module(&'static ModuleDef),
    /// An iterator, or what a generator expression gives
    Iterator(Rc<IteratorObject>),
    /// An exception
    Exception(Rc<ExceptionObject>),
    /// An object of the runtime or of the host: a TPV entity, a Galaxy job, a regex match, a date
    Object(Rc<dyn_object::Handle>),
}

/// The thin handle around `Box<dyn Object>` that keeps [`Value`] at 16 bytes.
pub mod dyn_object {
    use super::Object;
    use crate::release::release;
    use crate::types::{BuiltinType, OBJECT};

    /// A host or runtime object.
    pub struct Handle(pub(super) Box<dyn Object>);

    /// Takes the place of an object while it is dropped.
    struct Dropped;

    impl Object for Dropped {
        fn class(&self) -> &'static BuiltinType {
            &OBJECT
        }
    }

    impl Drop for Handle {
        fn drop(&mut self) {
            // A value without a size needs no allocation.
            release(std::mem::replace(&mut self.0, Box::new(Dropped)));
        }
    }

    impl std::ops::Deref for Handle {
        type Target = dyn Object;
        fn deref(&self) -> &(dyn Object + 'static) {
            &*self.0
        }
    }
}

/// The items of a tuple.
pub struct Tuple {
    /// The items.
    pub items: Vec<Value>,
}

/// The items of a list. Never hold a borrow while calling back into Python code.
pub struct List {
    /// The items.
    pub items: RefCell<Vec<Value>>,
}

impl Drop for Tuple {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.items));
    }
}

impl Drop for List {
    fn drop(&mut self) {
        release(std::mem::take(self.items.get_mut()));
    }
}

/// `range(start, stop, step)`; the step is not zero. Bounds outside of `i64` are refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First item.
    pub start: i64,
    /// End, exclusive.
    pub stop: i64,
    /// Step, never zero.
    pub step: i64,
}

/// `slice(start, stop, step)`
pub struct Slice {
    /// Start, maybe `None`.
    pub start: Value,
    /// Stop, maybe `None`.
    pub stop: Value,
    /// Step, maybe `None`.
    pub step: Value,
}

impl Drop for Slice {
    fn drop(&mut self) {
        let parts = [&mut self.start, &mut self.stop, &mut self.step];
        if !parts.iter().all(|part| matches!(part, Value::None | Value::Int(_))) {
            release(parts.map(std::mem::take));
        }
    }
}

/// The signature of every function of the runtime.
pub type NativeFn = fn(&mut Vm, Args) -> PyResult<Value>;

/// A function of the runtime: one row in a table of builtins or of a module.
pub struct Builtin {
    /// The module or class that has it, as CPython's messages name it; empty for builtins.
    pub owner: &'static str,
    /// Python's name for it, as error messages show it.
    pub name: &'static str,
    /// The code.
    pub call: NativeFn,
    /// `true` if it changes nothing and calls no code, provided its arguments are not the host's own: kernels can call
    /// it.
    pub pure: bool,
}

impl Builtin {
    /// A row of a table.
    pub const fn new(owner: &'static str, name: &'static str, call: NativeFn) -> Self {
        Self { owner, name, call, pure: false }
    }

    /// A row of a table: a function that only looks at its arguments ([`Builtin::pure`]).
    pub const fn pure(owner: &'static str, name: &'static str, call: NativeFn) -> Self {
        Self { owner, name, call, pure: true }
    }

    /// The name with its owner's: `math.sqrt`.
    pub fn full_name(&self) -> String {
        if self.owner.is_empty() { self.name.to_owned() } else { format!("{}.{}", self.owner, self.name) }
    }
}

/// The signature of every method of a builtin type: receiver first.
pub type NativeMethod = fn(&mut Vm, &Value, Args) -> PyResult<Value>;

/// A method of a builtin type: one row in a type's table.
pub struct Method {
    /// Python's name for it.
    pub name: &'static str,
    /// The code. The receiver is an instance of the type whose table this row is in.
    pub call: NativeMethod,
}

/// A method and its receiver.
pub struct BoundMethod {
    /// `self`
    pub receiver: Value,
    /// The callee.
    pub target: MethodTarget,
}

impl Drop for BoundMethod {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.receiver));
    }
}

/// The callee of a bound method.
pub enum MethodTarget {
    /// A row of a type's table.
    Native(&'static Method),
    /// A method of a host object, called through [`Object::call_method`].
    Host(Str),
}

impl Value {
    /// A `str`.
    pub fn str(text: impl Into<String>) -> Self {
        Self::Str(Str::new(text))
    }

    /// A new `list`.
    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Rc::new(List { items: RefCell::new(items) }))
    }

    /// A `tuple`.
    pub fn tuple(items: Vec<Value>) -> Self {
        Self::Tuple(Rc::new(Tuple { items }))
    }

    /// A `dict`.
    pub fn dict(dict: Dict) -> Self {
        Self::Dict(Rc::new(dict))
    }

    /// A `bytes`.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes(Rc::new(bytes))
    }

    /// An `int` of any size, in its canonical form.
    pub fn from_bigint(value: BigInt) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::BigInt(Rc::new(value)),
        }
    }

    /// An `int` from a count or size.
    pub fn from_usize(value: usize) -> Self {
        match i64::try_from(value) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::BigInt(Rc::new(BigInt::from(value))),
        }
    }

    /// A host or runtime object.
    pub fn object(object: impl Object) -> Self {
        Self::Object(Rc::new(dyn_object::Handle(Box::new(object))))
    }

    /// This value as the object of type `T` behind it, if it is one.
    pub fn downcast<T: Object>(&self) -> Option<&T> {
        match self {
            Self::Object(handle) => {
                // Through the handle: the handle itself is `Any`, too.
                let object: &dyn std::any::Any = &***handle;
                object.downcast_ref::<T>()
            }
            _ => None,
        }
    }

    /// `value is None`
    #[inline]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The text, if this is a `str`.
    pub fn as_str(&self) -> Option<&Str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The class, as `type(value)` gives it.
    pub fn class(&self) -> &'static BuiltinType {
        use super::types::*;
        match self {
            Self::None => &NONE_TYPE,
            Self::NotImplemented => &NOT_IMPLEMENTED_TYPE,
            Self::Ellipsis => &ELLIPSIS_TYPE,
            Self::Bool(_) => &BOOL,
            Self::Int(_) | Self::BigInt(_) => &INT,
            Self::Float(_) => &FLOAT,
            Self::Str(_) => &STR,
            Self::Bytes(_) => &BYTES,
            Self::Tuple(_) => &TUPLE,
            Self::List(_) => &LIST,
            Self::Dict(_) => &DICT,
            Self::Set(set) if set.frozen() => &FROZENSET,
            Self::Set(_) => &SET,
            Self::Range(_) => &RANGE,
            Self::Slice(_) => &SLICE,
            Self::Function(_) => &FUNCTION,
            Self::Builtin(_) => &BUILTIN_FUNCTION,
            Self::BoundMethod(method) => {
                let class = method.receiver.class();
                let in_python = match method.target {
                    MethodTarget::Native(native) => class.python_owner(native).is_some(),
                    MethodTarget::Host(_) => !class.is_in_c_module(),
                };
                if in_python { &METHOD } else { &BUILTIN_FUNCTION }
            }
            Self::Type(_) => &TYPE,
            Self::Module(_) => &MODULE,
            Self::Iterator(iterator) => iterator.class(),
            Self::Exception(exception) => exception.class,
            Self::Object(object) => object.class(),
        }
    }

    /// The class's name, as error messages show it: CPython's `tp_name`.
    pub fn type_name(&self) -> Str {
        let class = self.class();
        if class.is_hosts_builtin {
            // Native code names the class of what it refuses.
            crate::lacking::note(format!("native code was given a `{}`", class.name));
        }
        class.shown_name()
    }

    /// The class's `__name__`, as other messages show it.
    pub(crate) fn class_name(&self) -> &'static str {
        self.type_name();
        self.class().name
    }

    /// The class as CPython's parsers of arguments name it, to which `None` is its own.
    pub fn argument_class(&self) -> Str {
        if self.is_none() { Str::from("None") } else { self.type_name() }
    }

    /// Returns `true` if both are the same object: Python's `is`. Equal small values without identity count as the
    /// same.
    #[inline]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None)
            | (Self::NotImplemented, Self::NotImplemented)
            | (Self::Ellipsis, Self::Ellipsis) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::BigInt(a), Self::BigInt(b)) => Rc::ptr_eq(a, b),
            (Self::Str(a), Self::Str(b)) => a.same(b) || a == b,
            (Self::Bytes(a), Self::Bytes(b)) => Rc::ptr_eq(a, b),
            (Self::Tuple(a), Self::Tuple(b)) => Rc::ptr_eq(a, b) || (a.items.is_empty() && b.items.is_empty()),
            (Self::List(a), Self::List(b)) => Rc::ptr_eq(a, b),
            (Self::Dict(a), Self::Dict(b)) => Rc::ptr_eq(a, b),
            (Self::Set(a), Self::Set(b)) => Rc::ptr_eq(a, b),
            (Self::Range(a), Self::Range(b)) => Rc::ptr_eq(a, b),
            (Self::Slice(a), Self::Slice(b)) => Rc::ptr_eq(a, b),
            (Self::Function(a), Self::Function(b)) => Rc::ptr_eq(a, b),
            (Self::Builtin(a), Self::Builtin(b)) => std::ptr::eq(*a, *b),
            (Self::BoundMethod(a), Self::BoundMethod(b)) => Rc::ptr_eq(a, b),
            (Self::Type(a), Self::Type(b)) => a.is(b),
            (Self::Module(a), Self::Module(b)) => std::ptr::eq(*a, *b),
            (Self::Iterator(a), Self::Iterator(b)) => Rc::ptr_eq(a, b),
            (Self::Exception(a), Self::Exception(b)) => Rc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => {
                Rc::ptr_eq(a, b) || a.identity().is_some_and(|identity| b.identity() == Some(identity))
            }
            _ => false,
        }
    }
}

impl Range {
    /// The number of items.
    pub fn len(&self) -> usize {
        let (start, stop, step) = (i128::from(self.start), i128::from(self.stop), i128::from(self.step));
        let count = if step > 0 {
            (stop - start + step - 1).div_euclid(step)
        } else {
            (start - stop - step - 1).div_euclid(-step)
        };
        usize::try_from(count.max(0)).unwrap_or(usize::MAX)
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A variable that closures share.
pub type VarCell = Rc<RefCell<Option<Value>>>;
