//! Native objects in the hands of Python: entities, tags, the mapper, functions, iterators. Every operation runs on the machine.
//!
//! They belong to the thread that created them, as the machine does. Another thread that uses one gets a `RuntimeError`. If it
//! drops the last reference, the native value is kept until its owner calls [`drop_left`].

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp as Comparison;
use pyo3::types::{PyDict, PyTuple};
use tpv_python::args::Args;
use tpv_python::exception::{NOT_IMPLEMENTED_ERROR, PyResult as NativeResult, type_error};
use tpv_python::hash;
use tpv_python::library::{self, PYTHON};
use tpv_python::methods::dict_views::View;
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::GENERATOR;
use tpv_python::value::Value;
use tpv_python::vm::{BinaryOp, CompareOp, UnaryOp, Vm};

use crate::machine::on_machine;
use crate::session::Session;
use crate::{classes, to_native, to_python};

/// The object to copy for `copy.copy` and `copy.deepcopy`; `None` for a value that is its own copy.
///
/// # Errors
/// `TypeError` for what CPython cannot pickle: views, modules and generators.
fn copied(value: &Value) -> NativeResult<Option<&dyn Object>> {
    match value {
        Value::Object(object) if value.downcast::<View>().is_none() => Ok(Some(&***object)),
        Value::Iterator(iterator) if !iterator.class().is(&GENERATOR) => Ok(None),
        Value::Object(_) | Value::Module(_) | Value::Iterator(_) => {
            Err(type_error(format!("cannot pickle '{}' object", value.type_name().as_str())))
        }
        _ => Ok(None),
    }
}

/// A value and the thread that it belongs to.
struct Owned {
    /// `None` only after `Drop` has moved it to [`LEFT`].
    value: Option<Value>,
    owner: ThreadId,
}

// SAFETY: `Owned::get` gives the value to its own thread only, except for `'static` classes, functions and modules, which hold no
// counted references; and dropping on another thread moves it to `LEFT`, untouched.
#[expect(unsafe_code, reason = "a native value belongs to its thread; each access looks which one asks")]
unsafe impl Send for Owned {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "a native value belongs to its thread; each access looks which one asks")]
unsafe impl Sync for Owned {}

/// Objects dropped by other threads, grouped by the thread that owns them.
static LEFT: LazyLock<Mutex<HashMap<ThreadId, Vec<Owned>>>> = LazyLock::new(Mutex::default);

impl Owned {
    fn new(value: Value) -> Self {
        Self { value: Some(value), owner: thread::current().id() }
    }

    fn get(&self) -> PyResult<Value> {
        let value = self.value.as_ref();
        if self.owner == thread::current().id() {
            return Ok(value.cloned().unwrap_or_default());
        }
        match value {
            // These are no thread's: copying them counts no references.
            Some(Value::Type(class)) => Ok(Value::Type(class)),
            Some(Value::Builtin(function)) => Ok(Value::Builtin(function)),
            Some(Value::Module(module)) => Ok(Value::Module(module)),
            _ => Err(PyRuntimeError::new_err(
                "an object of tpvc is used by another thread than the one that maps the job: give that thread plain values",
            )),
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.owner == thread::current().id() {
            return;
        }
        if let Some(value) = self.value.take() {
            let left = Self { value: Some(value), owner: self.owner };
            let mut all = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(left.owner).or_default().push(left);
        }
    }
}

/// Drops the values of this thread whose last reference another thread dropped.
pub fn drop_left() {
    let own = LEFT.lock().unwrap_or_else(PoisonError::into_inner).remove(&thread::current().id());
    // After the lock is released, because dropping a value may drop further ones.
    drop(own);
}

/// An object of the machine.
#[pyclass(name = "NativeObject", module = "tpvc", subclass, frozen)]
pub struct NativeObject {
    owned: Owned,
}

/// A native function, method or class.
#[pyclass(name = "NativeFunction", module = "tpvc", extends = NativeObject, frozen)]
pub struct NativeFunction;

/// A native iterator.
#[pyclass(name = "NativeIterator", module = "tpvc", extends = NativeObject, frozen)]
pub struct NativeIterator;

/// The Python object that shows a native one.
///
/// # Errors
/// Exceptions raised while it is created.
pub fn show<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let session = Session::current();
    if let Some(known) = session.shown(py, value) {
        return Ok(known);
    }
    let base = PyClassInitializer::from(NativeObject { owned: Owned::new(value.clone()) });
    let callable = match value {
        Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) | Value::Type(_) => true,
        Value::Object(object) => object.callable(),
        _ => false,
    };
    let shown = if callable {
        Bound::new(py, base.add_subclass(NativeFunction))?.into_any()
    } else if let Value::Iterator(_) = value {
        Bound::new(py, base.add_subclass(NativeIterator))?.into_any()
    } else {
        Bound::new(py, base)?.into_any()
    };
    session.keep_shown(value, &shown);
    Ok(shown)
}

impl NativeObject {
    /// The native value that a Python object shows. `None` if it is of another class.
    pub fn native(object: &Bound<'_, PyAny>) -> Option<PyResult<Value>> {
        let shown = object.cast::<Self>().ok()?;
        Some(shown.get().owned.get())
    }

    /// Runs an operation on the value, and converts its result.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut Vm, &Value) -> NativeResult<Value>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = self.owned.get()?;
        let result = on_machine(py, |vm| work(vm, &value))?;
        to_python::value(py, &result)
    }

    /// Runs an operation on the value and a Python object.
    fn ask_with<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        work: impl FnOnce(&mut Vm, &Value, Value) -> NativeResult<Value>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(other.py(), |vm, value| {
            let other = to_native::value(vm, other)?;
            work(vm, value, other)
        })
    }

    fn binary<'py>(&self, op: BinaryOp, other: &Bound<'py, PyAny>, is_reflected: bool) -> PyResult<Bound<'py, PyAny>> {
        self.ask_with(other, |vm, value, other| match is_reflected {
            true => vm.binary(op, &other, value),
            false => vm.binary(op, value, &other),
        })
    }

    fn unary<'py>(&self, py: Python<'py>, op: UnaryOp) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, |vm, value| vm.unary(op, value))
    }

    /// Calls a builtin function of the machine with the value.
    fn builtin<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, |vm, value| {
            let function = library::builtin(name);
            let function = function.ok_or_else(|| type_error(format!("`{name}` has no native version")))?;
            vm.call(&function, Args::one(value.clone()))
        })
    }
}

#[pymethods]
impl NativeObject {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.owned.get()?;
        let found = on_machine(py, |vm| match vm.get_attr(&value, name) {
            // CPython and libraries probe for names that the machine does not implement: `__array__`, `__length_hint__`.
            Err(raised) if raised.is(&NOT_IMPLEMENTED_ERROR) && name.starts_with("__") => Ok(None),
            found => found.map(Some),
        })?;
        match found {
            Some(found) => to_python::value(py, &found),
            // Earlier versions of pydantic read attributes of the class from any object that claims to be a model's instance.
            None if name.starts_with("__pydantic_") && classes::is_of_entities(value.class()) => {
                classes::exception_type_of(py, value.class())?.getattr(name)
            }
            None => {
                let class = value.type_name();
                Err(PyAttributeError::new_err(format!("'{}' object has no attribute '{name}'", class.as_str())))
            }
        }
    }

    /// The class of TPV's own object if this shows an entity, because `isinstance` asks for `__class__`.
    #[getter(__class__)]
    fn class<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        // Threads other than the owner see only the type of the proxy.
        let found = match this.get().owned.get() {
            Ok(value @ Value::Object(_)) if classes::is_of_entities(value.class()) => {
                classes::type_of(py, value.class())?
            }
            _ => None,
        };
        Ok(found.unwrap_or_else(|| this.get_type().into_any()))
    }

    fn __setattr__(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = self.owned.get()?;
        on_machine(value.py(), |vm| {
            let value = to_native::value(vm, value)?;
            vm.set_attr(&object, &Str::from(name), value)
        })
    }

    fn __delattr__(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let object = self.owned.get()?;
        on_machine(py, |vm| vm.del_attr(&object, &Str::from(name)))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.ask_with(key, |vm, value, key| vm.get_item(value, &key))
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, item: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = self.owned.get()?;
        on_machine(key.py(), |vm| {
            let (key, item) = (to_native::value(vm, key)?, to_native::value(vm, item)?);
            vm.set_item(&object, &key, item)
        })
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = self.owned.get()?;
        on_machine(key.py(), |vm| {
            let key = to_native::value(vm, key)?;
            vm.del_item(&object, &key)
        })
    }

    fn __contains__(&self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        let object = self.owned.get()?;
        on_machine(item.py(), |vm| {
            let item = to_native::value(vm, item)?;
            vm.contains(&object, &item)
        })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.owned.get()?;
        // The iterator stays native; each item is converted when Python asks for it.
        let iterator = on_machine(py, |vm| vm.iter(&value))?;
        show(py, &iterator)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let value = self.owned.get()?;
        on_machine(py, |vm| vm.len(&value))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let value = self.owned.get()?;
        on_machine(py, |vm| vm.truthy(&value))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = self.owned.get()?;
        on_machine(py, |vm| vm.repr(&value))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let value = self.owned.get()?;
        on_machine(py, |vm| Ok(vm.str(&value)?.as_str().to_owned()))
    }

    fn __format__(&self, py: Python<'_>, spec: &str) -> PyResult<String> {
        let value = self.owned.get()?;
        on_machine(py, |vm| Ok(vm.format(&value, spec)?.as_str().to_owned()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let value = self.owned.get()?;
        let hash = on_machine(py, |vm| hash::hash(vm, &value))?;
        Ok(hash as isize)
    }

    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, op: Comparison) -> PyResult<Bound<'py, PyAny>> {
        let op = match op {
            Comparison::Lt => CompareOp::Lt,
            Comparison::Le => CompareOp::Le,
            Comparison::Eq => CompareOp::Eq,
            Comparison::Ne => CompareOp::Ne,
            Comparison::Gt => CompareOp::Gt,
            Comparison::Ge => CompareOp::Ge,
        };
        self.ask_with(other, |vm, value, other| vm.compare(op, value, &other))
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Add, other, false)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Add, other, true)
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Subtract, other, false)
    }

    fn __rsub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Subtract, other, true)
    }

    fn __mul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Multiply, other, false)
    }

    fn __rmul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Multiply, other, true)
    }

    fn __truediv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::TrueDivide, other, false)
    }

    fn __rtruediv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::TrueDivide, other, true)
    }

    fn __floordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::FloorDivide, other, false)
    }

    fn __rfloordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::FloorDivide, other, true)
    }

    fn __mod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Remainder, other, false)
    }

    fn __rmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Remainder, other, true)
    }

    fn __and__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::And, other, false)
    }

    fn __rand__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::And, other, true)
    }

    fn __or__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Or, other, false)
    }

    fn __ror__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Or, other, true)
    }

    fn __xor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Xor, other, false)
    }

    fn __rxor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(BinaryOp::Xor, other, true)
    }

    fn __neg__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.unary(py, UnaryOp::Negative)
    }

    fn __pos__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.unary(py, UnaryOp::Positive)
    }

    fn __invert__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.unary(py, UnaryOp::Invert)
    }

    fn __abs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.builtin(py, "abs")
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.builtin(py, "int")
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.builtin(py, "float")
    }

    fn __enter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, |vm, value| vm.enter(value))
    }

    #[pyo3(signature = (class, exception, traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        class: &Bound<'_, PyAny>,
        exception: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let _ = (class, traceback);
        let value = self.owned.get()?;
        on_machine(py, |vm| {
            let raised = match to_native::value(vm, exception)? {
                Value::Exception(raised) => Some(tpv_python::exception::Raised(raised)),
                _ => None,
            };
            vm.exit(&value, raised.as_ref())
        })
    }

    fn __copy__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, |vm, value| match copied(value)? {
            Some(object) if object.has_method("copy") => vm.call_method(value, "copy", Args::none()),
            _ => Ok(value.clone()),
        })
    }

    #[pyo3(signature = (memo = None))]
    fn __deepcopy__<'py>(&self, py: Python<'py>, memo: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let _ = memo;
        self.ask(py, |vm, value| match copied(value)? {
            Some(object) => object.deepcopy(vm, value),
            None => Ok(value.clone()),
        })
    }

    fn __instancecheck__(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let class = self.owned.get()?;
        on_machine(object.py(), |vm| {
            let object = to_native::value(vm, object)?;
            tpv_python::builtins::classes::is_instance(vm, &object, &class)
        })
    }

    fn __dir__(&self) -> PyResult<Vec<String>> {
        let names = match self.owned.get()? {
            Value::Module(module) => module.names.iter().map(|name| (*name).to_owned()).collect(),
            value => {
                let mut names = Vec::new();
                let mut class = Some(value.class());
                while let Some(here) = class {
                    let members = PYTHON.members(here);
                    names.extend(members.methods.iter().map(|method| method.name.to_owned()));
                    names.extend(members.statics.iter().map(|function| function.name.to_owned()));
                    class = here.base;
                }
                names
            }
        };
        Ok(names)
    }
}

#[pymethods]
impl NativeFunction {
    #[pyo3(signature = (*args, **keywords))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.as_super().get().ask(this.py(), |vm, value| {
            let args = to_native::args(vm, args, keywords)?;
            vm.call(value, args)
        })
    }
}

#[pymethods]
impl NativeIterator {
    fn __next__<'py>(this: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = this.py();
        let value = this.as_super().get().owned.get()?;
        let item = on_machine(py, |vm| vm.next(&value))?;
        item.map(|item| to_python::value(py, &item)).transpose()
    }
}
