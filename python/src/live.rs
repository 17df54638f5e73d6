//! Live objects: Python's objects in the hands of native code. Every operation is Python's.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyNotImplemented, PyString, PyTuple, PyType};
use tpv_python::args::Args;
use tpv_python::exception::{PyResult as NativeResult, Raised};
use tpv_python::hash;
use tpv_python::iterator::{IteratorObject, PyIterator as NativeIterator};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, GENERATOR};
use tpv_python::value::Value;
use tpv_python::vm::{BinaryOp, CompareOp, Vm};

use crate::machine::in_python;
use crate::session::Session;
use crate::{asked, classes, exception, to_native, to_python};

/// A Python object. Dropping it is safe on any thread: PyO3 keeps what is dropped while Python is not at hand.
pub struct LiveObject {
    object: Py<PyAny>,
    class: &'static BuiltinType,
}

impl LiveObject {
    /// The object as a value of this class.
    pub fn value(object: &Bound<'_, PyAny>, class: &'static BuiltinType) -> Value {
        Value::object(Self { object: object.clone().unbind(), class })
    }

    /// The object.
    pub fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.object.bind(py)
    }

    /// Evaluates a Python expression on the object and converts the result to a native value.
    fn ask(
        &self,
        vm: &mut Vm,
        code: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> NativeResult<Value> {
        let result = in_python(vm, |py| code(self.object.bind(py)).map(Bound::unbind))?;
        Python::attach(|py| to_native::value(vm, result.bind(py)))
    }

    /// The same with a native value.
    fn ask_with(
        &self,
        vm: &mut Vm,
        other: &Value,
        code: impl for<'py> FnOnce(&Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> NativeResult<Value> {
        self.ask(vm, |object| code(object, to_python::value(object.py(), other)?))
    }

    fn text(
        &self,
        vm: &mut Vm,
        code: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>>,
    ) -> NativeResult<String> {
        // A lone surrogate, which native text cannot hold, is shown as Python's encoder replaces it.
        in_python(vm, |py| Ok(code(self.object.bind(py))?.to_string_lossy().into_owned()))
    }

    /// A special method of the object's class with another value; `None` where the class has none, or it gives `NotImplemented`.
    fn special(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<NativeResult<Value>> {
        let result = in_python(vm, |py| {
            let object = self.object.bind(py);
            let Some(method) = of_class(&object.get_type(), method)? else { return Ok(None) };
            let result = method.call1((object, to_python::value(py, other)?))?;
            Ok((!result.is(PyNotImplemented::get(py))).then(|| result.unbind()))
        });
        match result {
            Ok(result) => result.map(|result| Python::attach(|py| to_native::value(vm, result.bind(py)))),
            Err(raised) => Some(Err(raised)),
        }
    }

    /// A function of the module `operator` with another value.
    fn operator(&self, vm: &mut Vm, name: &str, other: &Value, is_reflected: bool) -> NativeResult<Value> {
        self.ask_with(vm, other, |object, other| {
            let operator = object.py().import("operator")?;
            let pair = if is_reflected { (other, object.clone()) } else { (object.clone(), other) };
            operator.call_method1(name, pair)
        })
    }

    /// Returns `true` if the class derives from a builtin Python type that holds data.
    fn is_builtin(&self) -> bool {
        self.class.is_hosts_builtin
    }
}

/// Positional arguments and keywords for Python.
fn call_args<'py>(py: Python<'py>, args: &Args) -> PyResult<(Bound<'py, PyTuple>, Option<Bound<'py, PyDict>>)> {
    let mut pos = Vec::with_capacity(args.pos.len());
    for arg in &args.pos {
        pos.push(to_python::value(py, arg)?);
    }
    let pos = PyTuple::new(py, pos)?;
    if args.kw.is_empty() {
        return Ok((pos, None));
    }
    let keywords = PyDict::new(py);
    for (name, value) in &args.kw {
        keywords.set_item(name.as_str(), to_python::value(py, value)?)?;
    }
    Ok((pos, Some(keywords)))
}

/// A special method of a class, where it is not its metaclass's.
fn of_class<'py>(class: &Bound<'py, PyType>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    let Some(method) = class.getattr_opt(PyString::intern(py, name))? else { return Ok(None) };
    // What the metaclass has is bound to the class.
    let is_bound = method.getattr_opt(pyo3::intern!(py, "__self__"))?.is_some_and(|bound| bound.is(class));
    Ok((!is_bound).then_some(method))
}

/// Returns `true` if the object's class defines all of these special methods.
fn has_special(object: &Bound<'_, PyAny>, names: &[&str]) -> bool {
    let class = object.get_type();
    names.iter().all(|name| of_class(&class, name).is_ok_and(|method| method.is_some_and(|method| !method.is_none())))
}

/// The function of `operator` for an operator's method that has one under another name.
fn operator_name(method: &str) -> &str {
    match method {
        "and" => "and_",
        "or" => "or_",
        method => method,
    }
}

impl Object for LiveObject {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> NativeResult<Option<Value>> {
        if let Some(value) = asked::attribute(vm, self, name) {
            return value.map(Some);
        }
        self.ask(vm, |object| object.getattr(PyString::intern(object.py(), name))).map(Some)
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> NativeResult<()> {
        Session::forget_answers();
        in_python(vm, |py| self.object.bind(py).setattr(name.as_str(), to_python::value(py, &value)?))
    }

    fn del_attr(&self, vm: &mut Vm, name: &Str) -> NativeResult<()> {
        Session::forget_answers();
        in_python(vm, |py| self.object.bind(py).delattr(name.as_str()))
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<NativeResult<Value>> {
        let args = std::mem::take(args);
        if let Some(answer) = asked::method(vm, self, name, &args) {
            return Some(answer);
        }
        Some(self.ask(vm, |object| {
            let py = object.py();
            let method = object.getattr(PyString::intern(py, name))?;
            let (pos, keywords) = call_args(py, &args)?;
            method.call(pos, keywords.as_ref())
        }))
    }

    fn has_method(&self, _: &str) -> bool {
        false
    }

    fn callable(&self) -> bool {
        Python::attach(|py| self.object.bind(py).is_callable())
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> NativeResult<Value> {
        Session::forget_answers();
        self.ask(vm, |object| {
            let (pos, keywords) = call_args(object.py(), &args)?;
            object.call(pos, keywords.as_ref())
        })
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> NativeResult<Value> {
        self.ask_with(vm, key, |object, key| object.get_item(key))
    }

    fn set_item(&self, vm: &mut Vm, key: &Value, value: Value) -> NativeResult<()> {
        Session::forget_answers();
        in_python(vm, |py| self.object.bind(py).set_item(to_python::value(py, key)?, to_python::value(py, &value)?))
    }

    fn del_item(&self, vm: &mut Vm, key: &Value) -> NativeResult<()> {
        Session::forget_answers();
        in_python(vm, |py| self.object.bind(py).del_item(to_python::value(py, key)?))
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<NativeResult<bool>> {
        Some(in_python(vm, |py| self.object.bind(py).contains(to_python::value(py, item)?)))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<NativeResult<Value>> {
        let iterator = in_python(vm, |py| Ok(self.object.bind(py).try_iter()?.into_any().unbind()));
        Some(iterator.map(|iterator| {
            let class = Python::attach(|py| classes::class_of(&iterator.bind(py).get_type()).unwrap_or(&GENERATOR));
            IteratorObject::new(class, LiveIterator { iterator: Some(iterator) })
        }))
    }

    fn next(&self, vm: &mut Vm) -> Option<NativeResult<Option<Value>>> {
        let is_iterator = Python::attach(|py| has_special(self.object.bind(py), &["__next__"]));
        is_iterator.then(|| next_of(vm, &self.object))
    }

    fn len(&self, vm: &mut Vm) -> Option<NativeResult<usize>> {
        Some(in_python(vm, |py| self.object.bind(py).len()))
    }

    fn is_sequence(&self, _: &mut Vm) -> bool {
        Python::attach(|py| has_special(self.object.bind(py), &["__getitem__"]))
    }

    fn truthy(&self, vm: &mut Vm) -> NativeResult<bool> {
        in_python(vm, |py| self.object.bind(py).is_truthy())
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> NativeResult<String> {
        self.text(vm, |object| object.repr())
    }

    fn str(&self, vm: &mut Vm, _: &Value) -> NativeResult<String> {
        self.text(vm, |object| object.str())
    }

    fn format(&self, vm: &mut Vm, _: &Value, spec: &str) -> Option<NativeResult<String>> {
        Some(self.text(vm, |object| {
            let format = object.py().import("builtins")?.getattr("format")?;
            Ok(format.call1((object, spec))?.cast_into::<PyString>()?)
        }))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<NativeResult<Value>> {
        let method = match op {
            CompareOp::Eq => "__eq__",
            CompareOp::Ne => "__ne__",
            CompareOp::Lt => "__lt__",
            CompareOp::Le => "__le__",
            CompareOp::Gt => "__gt__",
            CompareOp::Ge => "__ge__",
        };
        self.special(vm, method, other)
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<NativeResult<Value>> {
        Session::forget_answers();
        if !self.is_builtin() {
            return self.special(vm, &format!("__{method}__"), other);
        }
        // A builtin type does more than its special methods say: sequences are joined, repeated and formatted by other means.
        let (_, is_reflected) = tpv_python::vm::operators::of_method(method).unwrap_or((BinaryOp::Add, false));
        if !is_reflected {
            return Some(self.operator(vm, operator_name(method), other, false));
        }
        if method == "rmul" && self.is_sequence_type() {
            return Some(self.operator(vm, "mul", other, true));
        }
        let found = self.special(vm, &format!("__{method}__"), other);
        let is_sequence = matches!(other, Value::Str(_) | Value::Bytes(_) | Value::List(_) | Value::Tuple(_));
        match method {
            "radd" | "rmul" | "rmod" if found.is_none() && is_sequence => {
                Some(self.operator(vm, method.strip_prefix('r')?, other, true))
            }
            _ => found,
        }
    }

    fn reflected_in_place(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<NativeResult<Value>> {
        if self.is_builtin() { None } else { self.special(vm, &format!("__{method}__"), other) }
    }

    fn unary(&self, vm: &mut Vm, method: &str) -> Option<NativeResult<Value>> {
        Some(self.ask(vm, |object| match method {
            "neg" => object.neg(),
            "pos" => object.pos(),
            "invert" => object.bitnot(),
            _ => object.abs(),
        }))
    }

    fn number(&self, vm: &mut Vm, method: &str) -> Option<NativeResult<Value>> {
        let has = |name: &str| Python::attach(|py| has_special(self.object.bind(py), &[name]));
        // `int` takes text, too, which `%d` does not: CPython tells them apart.
        let is_number = match method {
            "index" => has("__index__"),
            "int" => has("__int__") || has("__index__") || has("__trunc__"),
            _ => has("__float__") || has("__index__"),
        };
        is_number.then(|| {
            self.ask(vm, |object| match method {
                "index" => object.py().import("operator")?.call_method1("index", (object,)),
                name => object.py().import("builtins")?.call_method1(name, (object,)),
            })
        })
    }

    fn hash(&self, vm: &mut Vm) -> Option<NativeResult<i64>> {
        let part = Python::attach(|py| to_native::builtin_part(vm, self.object.bind(py)));
        Some(match part {
            // Equal keys have equal hashes, and those of text are the machine's own.
            Ok(Some(part)) => hash::hash(vm, &part),
            Ok(None) => in_python(vm, |py| Ok(self.object.bind(py).hash()? as i64)),
            Err(raised) => Err(raised),
        })
    }

    fn equals_key(&self, other: &Value) -> bool {
        Python::attach(|py| {
            let other = to_python::value(py, other);
            other.and_then(|other| self.object.bind(py).eq(other)).unwrap_or(false)
        })
    }

    fn enter(&self, vm: &mut Vm, _: &Value) -> Option<NativeResult<Value>> {
        Session::forget_answers();
        let is_manager = Python::attach(|py| has_special(self.object.bind(py), &["__enter__", "__exit__"]));
        is_manager.then(|| self.ask(vm, |object| object.get_type().call_method1("__enter__", (object,))))
    }

    fn exit(&self, vm: &mut Vm, raised: Option<&Raised>) -> NativeResult<bool> {
        Session::forget_answers();
        in_python(vm, |py| {
            let object = self.object.bind(py);
            let none = || py.None().into_bound(py);
            let (class, value, traceback) = match raised {
                None => (none(), none(), none()),
                Some(raised) => {
                    let error = exception::to_python(py, raised);
                    let traceback = error.traceback(py).map_or_else(none, Bound::into_any);
                    (error.get_type(py).into_any(), error.into_value(py).into_bound(py).into_any(), traceback)
                }
            };
            object.get_type().call_method1("__exit__", (object, class, value, traceback))?.is_truthy()
        })
    }

    fn identity(&self) -> Option<usize> {
        Some(self.object.as_ptr().addr())
    }

    fn type_object(&self) -> Option<Value> {
        Python::attach(|py| {
            let class = self.object.bind(py).get_type();
            let meta = classes::class_of(&class.get_type()).ok()?;
            Some(Self::value(class.as_any(), meta))
        })
    }

    fn as_class(&self) -> Option<&'static BuiltinType> {
        Python::attach(|py| classes::class_of(self.object.bind(py).cast::<PyType>().ok()?).ok())
    }

    fn check(&self, vm: &mut Vm, value: &Value, of_class: bool) -> Option<NativeResult<bool>> {
        let name = if of_class { "issubclass" } else { "isinstance" };
        Some(in_python(vm, |py| {
            let value = to_python::value(py, value)?;
            py.import("builtins")?.call_method1(name, (value, self.object.bind(py)))?.is_truthy()
        }))
    }
}

impl LiveObject {
    /// Returns `true` if the class derives from a builtin sequence.
    fn is_sequence_type(&self) -> bool {
        use tpv_python::types::{BYTES, LIST, STR, TUPLE};
        [&STR, &BYTES, &LIST, &TUPLE].iter().any(|base| self.class.is_subclass(base))
    }
}

/// The next item of a Python iterator.
fn next_of(vm: &mut Vm, iterator: &Py<PyAny>) -> NativeResult<Option<Value>> {
    let item = in_python(vm, |py| {
        let mut iterator = iterator.bind(py).clone().cast_into::<pyo3::types::PyIterator>()?;
        Ok(iterator.next().transpose()?.map(Bound::unbind))
    })?;
    item.map(|item| Python::attach(|py| to_native::value(vm, item.bind(py)))).transpose()
}

/// A Python iterator; `None` once it ended.
struct LiveIterator {
    iterator: Option<Py<PyAny>>,
}

impl NativeIterator for LiveIterator {
    fn next(&mut self, vm: &mut Vm) -> NativeResult<Option<Value>> {
        let Some(iterator) = &self.iterator else { return Ok(None) };
        next_of(vm, iterator)
    }
}
