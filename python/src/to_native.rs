//! Python objects as native values.
//!
//! Values of the plain types cross as what they are; lists, dicts and sets become twins ([`crate::session`]); what showed a native
//! object is that object again. All else stays what it is: a live object.

use num_bigint::BigInt;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyEllipsis, PyFloat, PyFrozenSet, PyInt, PyList, PyNotImplemented, PyRange, PySet,
    PySlice, PyString, PyTuple, PyType,
};
use std::cell::Cell;
use std::rc::Rc;
use tpv_python::args::Args;
use tpv_python::dict::{Dict, Key};
use tpv_python::exception::{PyResult as NativeResult, recursion_error};
use tpv_python::set::{SetObject, SetTable};
use tpv_python::string::Str;
use tpv_python::value::{Range, Slice, Value};
use tpv_python::vm::Vm;
use tpv_runtime::mapper::objects::SchedulingTagsObject;

use crate::depth::Deeper;
use crate::live::LiveObject;
use crate::proxy::NativeObject;
use crate::session::Session;
use crate::{classes, dates, exception, tags};

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

fn deeper() -> NativeResult<Deeper> {
    Deeper::enter(&DEPTH).ok_or_else(|| recursion_error("maximum recursion depth exceeded"))
}

/// A Python object as a native value.
///
/// # Errors
/// `RecursionError` if containers nest too deeply, and exceptions raised by looking up a class.
pub fn value(vm: &mut Vm, object: &Bound<'_, PyAny>) -> NativeResult<Value> {
    if object.is_none() {
        return Ok(Value::None);
    }
    if let Ok(text) = object.cast_exact::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(Value::Str(Str::from(text))),
            // A lone surrogate, which native text cannot hold.
            Err(_) => live(vm, object),
        };
    }
    if let Ok(flag) = object.cast_exact::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return match object.extract::<i64>() {
            Ok(number) => Ok(Value::Int(number)),
            Err(_) => match object.extract::<BigInt>() {
                Ok(number) => Ok(Value::from_bigint(number)),
                Err(error) => Err(exception::to_native(vm, object.py(), error)),
            },
        };
    }
    if let Ok(number) = object.cast_exact::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyDict>()
        || object.is_exact_instance_of::<PySet>()
    {
        return container(vm, object);
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        return tuple_of(vm, tuple);
    }
    if let Some(native) = NativeObject::native(object) {
        return native.map_err(|error| exception::to_native(vm, object.py(), error));
    }
    rarer(vm, object)
}

/// The plain values that are met less often.
fn rarer(vm: &mut Vm, object: &Bound<'_, PyAny>) -> NativeResult<Value> {
    if let Ok(bytes) = object.cast_exact::<PyBytes>() {
        return Ok(Value::bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(set) = object.cast_exact::<PyFrozenSet>() {
        let _deeper = deeper()?;
        let mut table = SetTable::default();
        for item in set.iter() {
            let item = value(vm, &item)?;
            table.insert(Key::new(vm, item)?);
        }
        return Ok(Value::Set(Rc::new(SetObject::new(table, true))));
    }
    if let Ok(exception) = object.cast::<PyBaseException>() {
        return match exception::object(vm, exception) {
            Ok(exception) => Ok(Value::Exception(exception)),
            Err(error) => Err(exception::to_native(vm, object.py(), error)),
        };
    }
    if let Ok(of_python) = object.cast::<PyType>() {
        return class(vm, of_python);
    }
    match plain(vm, object) {
        Ok(Some(plain)) => Ok(plain),
        Ok(None) => live(vm, object),
        Err(error) => Err(exception::to_native(vm, object.py(), error)),
    }
}

/// Ranges, slices, dates, `...` and `NotImplemented`.
fn plain(vm: &mut Vm, object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    if object.is_exact_instance_of::<PyRange>() {
        let part = |name| object.getattr(name).and_then(|part| part.extract::<i64>());
        // Those past 64 bits are none of the machine's.
        return Ok(match (part("start"), part("stop"), part("step")) {
            (Ok(start), Ok(stop), Ok(step)) => Some(Value::Range(Rc::new(Range { start, stop, step }))),
            _ => None,
        });
    }
    if object.is_exact_instance_of::<PySlice>() {
        let _deeper = deeper().map_err(|raised| exception::to_python(py, &raised))?;
        let mut part = |name| -> PyResult<Value> {
            let part = object.getattr(name)?;
            value(vm, &part).map_err(|raised| exception::to_python(py, &raised))
        };
        return Ok(Some(Value::Slice(Rc::new(Slice {
            start: part("start")?,
            stop: part("stop")?,
            step: part("step")?,
        }))));
    }
    if object.is(PyEllipsis::get(py)) {
        return Ok(Some(Value::Ellipsis));
    }
    if object.is(PyNotImplemented::get(py)) {
        return Ok(Some(Value::NotImplemented));
    }
    dates::to_native(object)
}

/// A class: the machine's own where it has it, else a live object that is a class.
fn class(vm: &mut Vm, of_python: &Bound<'_, PyType>) -> NativeResult<Value> {
    let found = classes::class_of(of_python).and_then(|class| {
        let own = classes::type_of(of_python.py(), class)?;
        // Live classes have constructors of their own, which no class of the machine can have.
        let is_known = vm.library.members(class).construct.is_some() || classes::is_of_entities(class);
        Ok(is_known && own.is_some_and(|own| own.is(of_python))).map(|is_native| is_native.then_some(class))
    });
    match found {
        Ok(Some(class)) => Ok(tags::class_value(class)),
        Ok(None) => live(vm, of_python.as_any()),
        Err(error) => Err(exception::to_native(vm, of_python.py(), error)),
    }
}

fn live(vm: &mut Vm, object: &Bound<'_, PyAny>) -> NativeResult<Value> {
    match classes::class_of(&object.get_type()) {
        Ok(class) if classes::is_of_entities(class) => tags::to_native(vm, object, class),
        Ok(class) => Ok(LiveObject::value(object, class)),
        Err(error) => Err(exception::to_native(vm, object.py(), error)),
    }
}

fn tuple_of(vm: &mut Vm, tuple: &Bound<'_, PyTuple>) -> NativeResult<Value> {
    let _deeper = deeper()?;
    let mut items = Vec::with_capacity(tuple.len());
    for item in tuple.iter() {
        items.push(value(vm, &item)?);
    }
    Ok(Value::tuple(items))
}

/// The native twin of a container, or of scheduling tags.
///
/// # Errors
/// As [`value`].
pub fn container(vm: &mut Vm, object: &Bound<'_, PyAny>) -> NativeResult<Value> {
    let session = Session::current();
    if let Some(known) = session.native_twin(object) {
        return Ok(known);
    }
    let _deeper = deeper()?;
    let native = if object.is_exact_instance_of::<PyList>() {
        Value::list(Vec::new())
    } else if object.is_exact_instance_of::<PyDict>() {
        Value::dict(Dict::new())
    } else if object.is_exact_instance_of::<PySet>() {
        Value::Set(Rc::new(SetObject::new(SetTable::default(), false)))
    } else {
        Value::object(SchedulingTagsObject::of_lists(Default::default()))
    };
    // Paired before its items are converted, because they may contain the container itself.
    session.pair(&native, object).to_native(vm, object.py())?;
    Ok(native)
}

/// Positional arguments and keywords of a call.
///
/// # Errors
/// As [`value`].
pub fn args(vm: &mut Vm, pos: &Bound<'_, PyTuple>, keywords: Option<&Bound<'_, PyDict>>) -> NativeResult<Args> {
    let mut args = Args::none();
    for item in pos.iter() {
        args.pos.push(value(vm, &item)?);
    }
    for (name, given) in keywords.into_iter().flat_map(|keywords| keywords.iter()) {
        if let Value::Str(name) = value(vm, &name)? {
            args.kw.push((name, value(vm, &given)?));
        }
    }
    Ok(args)
}

/// The native value that an instance of a class that derives from a builtin one has as such: what it hashes as.
///
/// # Errors
/// As [`value`].
pub fn builtin_part(vm: &mut Vm, object: &Bound<'_, PyAny>) -> NativeResult<Option<Value>> {
    static HASHES: PyOnceLock<Vec<(Py<PyAny>, Py<PyAny>)>> = PyOnceLock::new();
    let py = object.py();
    let found = (|| -> PyResult<Option<Bound<'_, PyAny>>> {
        // A class with a hash of its own is asked for it.
        let hashes = HASHES.get_or_try_init(py, || {
            let own = |class: Bound<'_, PyType>| {
                Ok::<_, PyErr>((class.clone().into_any().unbind(), class.getattr("__hash__")?.unbind()))
            };
            Ok::<_, PyErr>(vec![
                own(py.get_type::<PyString>())?,
                own(py.get_type::<PyInt>())?,
                own(py.get_type::<PyFloat>())?,
                own(py.get_type::<PyBytes>())?,
                own(py.get_type::<PyTuple>())?,
                own(py.get_type::<PyFrozenSet>())?,
            ])
        })?;
        let class = object.get_type();
        let hash = class.getattr("__hash__")?;
        let Some((base, _)) = hashes.iter().find(|(_, known)| hash.is(known.bind(py))) else { return Ok(None) };
        let base = base.bind(py);
        if base.is(py.get_type::<PyString>()) {
            // `str(x)` may be its own.
            return Ok(Some(base.call_method1("__str__", (object,))?));
        }
        if base.is(py.get_type::<PyInt>()) {
            return Ok(Some(base.call_method1("__int__", (object,))?));
        }
        if base.is(py.get_type::<PyFloat>()) {
            return Ok(Some(base.call_method1("__float__", (object,))?));
        }
        if base.is(py.get_type::<PyBytes>()) {
            return Ok(Some(base.call_method1("__getitem__", (object, PySlice::full(py)))?));
        }
        if base.is(py.get_type::<PyTuple>()) {
            return Ok(Some(base.call_method1("__getitem__", (object, PySlice::full(py)))?));
        }
        Ok(Some(base.call_method1("copy", (object,))?))
    })();
    match found {
        Ok(Some(plain)) if !plain.is(object) => value(vm, &plain).map(Some),
        Ok(_) => Ok(None),
        Err(error) => Err(exception::to_native(vm, py, error)),
    }
}
