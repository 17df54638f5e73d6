//! Live objects: Python's objects in the hands of native code. Every operation is Python's.

use pyo3::prelude::*;
use pyo3::pyclass::CompareOp as Comparison;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use tpv_python::args::Args;
use tpv_python::exception::{PyResult as NativeResult, Raised};
use tpv_python::hash;
use tpv_python::iterator::{IteratorObject, PyIterator as NativeIterator};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, GENERATOR};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

use crate::machine::in_python;
use crate::{classes, exception, to_native, to_python};

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

    /// What Python code makes of the object, as a native value.
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

    /// An operation of the module `operator`.
    fn operator(&self, vm: &mut Vm, name: &str, other: &Value, is_reflected: bool) -> NativeResult<Value> {
        self.ask_with(vm, other, |object, other| {
            let operator = object.py().import("operator")?;
            let pair = if is_reflected { (other, object.clone()) } else { (object.clone(), other) };
            operator.call_method1(name, pair)
        })
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

/// The name in `operator` of an operator's method, and whether that is the reflected one.
fn operator_name(method: &str) -> Option<(&'static str, bool)> {
    const NAMES: [(&str, &str); 13] = [
        ("add", "add"),
        ("sub", "sub"),
        ("mul", "mul"),
        ("matmul", "matmul"),
        ("truediv", "truediv"),
        ("floordiv", "floordiv"),
        ("mod", "mod"),
        ("pow", "pow"),
        ("lshift", "lshift"),
        ("rshift", "rshift"),
        ("and", "and_"),
        ("or", "or_"),
        ("xor", "xor"),
    ];
    const IN_PLACE: [(&str, &str); 13] = [
        ("iadd", "iadd"),
        ("isub", "isub"),
        ("imul", "imul"),
        ("imatmul", "imatmul"),
        ("itruediv", "itruediv"),
        ("ifloordiv", "ifloordiv"),
        ("imod", "imod"),
        ("ipow", "ipow"),
        ("ilshift", "ilshift"),
        ("irshift", "irshift"),
        ("iand", "iand"),
        ("ior", "ior"),
        ("ixor", "ixor"),
    ];
    let find = |method: &str| NAMES.iter().chain(&IN_PLACE).find(|(name, _)| *name == method).map(|(_, name)| *name);
    // `rshift` is no reflected `shift`: the plain names come first.
    match find(method) {
        Some(name) => Some((name, false)),
        None => Some((find(method.strip_prefix('r')?)?, true)),
    }
}

impl Object for LiveObject {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> NativeResult<Option<Value>> {
        self.ask(vm, |object| object.getattr(PyString::intern(object.py(), name))).map(Some)
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> NativeResult<()> {
        in_python(vm, |py| self.object.bind(py).setattr(name.as_str(), to_python::value(py, &value)?))
    }

    fn del_attr(&self, vm: &mut Vm, name: &Str) -> NativeResult<()> {
        in_python(vm, |py| self.object.bind(py).delattr(name.as_str()))
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<NativeResult<Value>> {
        let args = std::mem::take(args);
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
        self.ask(vm, |object| {
            let (pos, keywords) = call_args(object.py(), &args)?;
            object.call(pos, keywords.as_ref())
        })
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> NativeResult<Value> {
        self.ask_with(vm, key, |object, key| object.get_item(key))
    }

    fn set_item(&self, vm: &mut Vm, key: &Value, value: Value) -> NativeResult<()> {
        in_python(vm, |py| self.object.bind(py).set_item(to_python::value(py, key)?, to_python::value(py, &value)?))
    }

    fn del_item(&self, vm: &mut Vm, key: &Value) -> NativeResult<()> {
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
        let is_iterator = Python::attach(|py| self.object.bind(py).get_type().hasattr("__next__").unwrap_or(false));
        is_iterator.then(|| next_of(vm, &self.object))
    }

    fn len(&self, vm: &mut Vm) -> Option<NativeResult<usize>> {
        Some(in_python(vm, |py| self.object.bind(py).len()))
    }

    fn is_sequence(&self, _: &mut Vm) -> bool {
        Python::attach(|py| self.object.bind(py).get_type().hasattr("__getitem__").unwrap_or(false))
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
        let comparison = match op {
            CompareOp::Eq => Comparison::Eq,
            CompareOp::Ne => Comparison::Ne,
            CompareOp::Lt => return Some(self.order(vm, "__lt__", other)),
            CompareOp::Le => return Some(self.order(vm, "__le__", other)),
            CompareOp::Gt => return Some(self.order(vm, "__gt__", other)),
            CompareOp::Ge => return Some(self.order(vm, "__ge__", other)),
        };
        Some(self.ask_with(vm, other, |object, other| object.rich_compare(other, comparison)))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<NativeResult<Value>> {
        let (name, is_reflected) = operator_name(method)?;
        Some(self.operator(vm, name, other, is_reflected))
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
        let has = |name: &str| Python::attach(|py| self.object.bind(py).get_type().hasattr(name).unwrap_or(false));
        // Python takes text, too, which is no number by itself.
        let is_number = match method {
            "index" => has("__index__"),
            "int" => has("__int__") || has("__index__") || has("__trunc__") || self.is_text(),
            _ => has("__float__") || has("__index__") || self.is_text(),
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
        let is_manager = Python::attach(|py| {
            let class = self.object.bind(py).get_type();
            class.hasattr("__enter__").unwrap_or(false) && class.hasattr("__exit__").unwrap_or(false)
        });
        is_manager.then(|| self.ask(vm, |object| object.get_type().call_method1("__enter__", (object,))))
    }

    fn exit(&self, vm: &mut Vm, raised: Option<&Raised>) -> NativeResult<bool> {
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

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> NativeResult<Value> {
        self.ask(vm, |object| object.py().import("copy")?.call_method1("deepcopy", (object,)))
    }

    fn copy_as_data(&self, _: &mut Vm, this: &Value) -> NativeResult<Value> {
        Ok(this.clone())
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
    /// Whether it derives from `str` or `bytes`.
    fn is_text(&self) -> bool {
        self.class.is_subclass(&tpv_python::types::STR) || self.class.is_subclass(&tpv_python::types::BYTES)
    }

    /// An ordering by the object's own method, `NotImplemented` where it has none for the other: the machine asks the other then.
    fn order(&self, vm: &mut Vm, method: &str, other: &Value) -> NativeResult<Value> {
        self.ask_with(vm, other, |object, other| object.get_type().call_method1(method, (object, other)))
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
