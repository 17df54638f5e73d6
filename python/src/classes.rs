//! Classes: Python's types as the machine's classes, and back.
//!
//! Each type of a live object gets a class of the machine, with the same name and bases down to the builtin ones, so that `except`
//! and `isinstance` know it. Classes of the machine live as long as the process; so do the types that were met, each once.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use tpv_galaxy::errors::{JOB_MAPPING_CONFIGURATION_EXCEPTION, JOB_MAPPING_EXCEPTION, JOB_NOT_READY_EXCEPTION};
use tpv_python::exception::{EXCEPTION, EXCEPTIONS, HOST_UNAVAILABLE};
use tpv_python::lacking;
use tpv_python::modules::datetime;
use tpv_python::types::{
    BYTES, BuiltinType, DICT, FLOAT, FROZENSET, INT, Implementation, LIST, OBJECT, SET, STR, TUPLE, TYPES,
};
use tpv_runtime::mapper::objects::{
    DESTINATION, ENTITY, ENTITY_WITH_RULES, INCOMPATIBLE_TAGS_EXCEPTION, POOL_ENTITY, ROLE, RULE, SCHEDULING_TAGS, TAG,
    TAG_TYPE, TOOL, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT, USER,
};

/// The type mappings discovered so far.
#[derive(Default)]
struct Known {
    /// By the address of the type, which is kept alive.
    by_type: HashMap<usize, &'static BuiltinType>,
    /// The type of a class, by its address.
    types: HashMap<usize, Py<PyAny>>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// Looks something up. No Python code runs meanwhile, which could ask again.
fn known<R>(look: impl FnOnce(&mut Known) -> R) -> R {
    look(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

fn address(class: &'static BuiltinType) -> usize {
    std::ptr::from_ref(class).addr()
}

/// The modules that have the classes of `tpv.core.entities` in Python: TPV's own, and the one for where TPV is not installed.
/// `tpvc.core.entities` has the names of the one that counts.
const ENTITIES: [&str; 2] = ["tpv.core.entities", "tpvc.core.own_entities"];

/// Classes that have a class in a Python module: the module to import it from.
static OF_MODULES: [(&BuiltinType, &str); 17] = [
    (&JOB_MAPPING_EXCEPTION, "galaxy.jobs.mapper"),
    (&JOB_NOT_READY_EXCEPTION, "galaxy.jobs.mapper"),
    (&JOB_MAPPING_CONFIGURATION_EXCEPTION, "galaxy.jobs.mapper"),
    (&INCOMPATIBLE_TAGS_EXCEPTION, "tpvc.core.entities"),
    (&TRY_NEXT_DESTINATION_OR_FAIL, "tpvc.core.entities"),
    (&TRY_NEXT_DESTINATION_OR_WAIT, "tpvc.core.entities"),
    (&DESTINATION, "tpvc.core.entities"),
    (&ENTITY, "tpvc.core.entities"),
    (&ENTITY_WITH_RULES, "tpvc.core.entities"),
    (&POOL_ENTITY, "tpvc.core.entities"),
    (&ROLE, "tpvc.core.entities"),
    (&RULE, "tpvc.core.entities"),
    (&SCHEDULING_TAGS, "tpvc.core.entities"),
    (&TAG, "tpvc.core.entities"),
    (&TAG_TYPE, "tpvc.core.entities"),
    (&TOOL, "tpvc.core.entities"),
    (&USER, "tpvc.core.entities"),
];

/// Returns `true` for the classes of `tpv.core.entities`.
pub fn is_of_entities(class: &BuiltinType) -> bool {
    class.module == "tpv.core.entities"
}

/// Pairs the builtin classes and exceptions of both sides, once.
fn prepare(py: Python<'_>) -> PyResult<()> {
    static PREPARED: PyOnceLock<()> = PyOnceLock::new();
    PREPARED.get_or_try_init(py, || {
        let builtins = py.import("builtins")?;
        for class in TYPES.iter().chain(EXCEPTIONS) {
            // Those that are no builtin names, such as `generator`, are natively of their own.
            if let Some(of_python) = builtins.getattr_opt(class.name)? {
                pair(&of_python, class);
            }
        }
        pair(py.None().bind(py).get_type().as_any(), &tpv_python::types::NONE_TYPE);
        let module = py.import("datetime")?;
        for class in [&datetime::DATE, &datetime::DATETIME, &datetime::TIMEDELTA, &datetime::TIMEZONE] {
            pair(&module.getattr(class.name)?, class);
        }
        Ok::<(), PyErr>(())
    })?;
    Ok(())
}

fn pair(of_python: &Bound<'_, PyAny>, class: &'static BuiltinType) {
    let object = of_python.clone().unbind();
    known(|known| {
        known.by_type.insert(of_python.as_ptr().addr(), class);
        known.types.entry(address(class)).or_insert(object);
    });
}

/// Makes the exceptions of tpvc for Python, as attributes of the module.
///
/// # Errors
/// Exceptions raised while a class is created.
pub fn add_exceptions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    prepare(py)?;
    let made = new_exception(py, &HOST_UNAVAILABLE, "tpvc")?;
    module.add(HOST_UNAVAILABLE.name, &made)?;
    pair(&made, &HOST_UNAVAILABLE);
    Ok(())
}

/// A Python exception class for a class of the machine that derives from `Exception`.
fn new_exception<'py>(py: Python<'py>, class: &BuiltinType, module: &str) -> PyResult<Bound<'py, PyAny>> {
    let attributes = PyDict::new(py);
    attributes.set_item("__module__", module)?;
    let bases = PyTuple::new(py, [py.get_type::<pyo3::exceptions::PyException>()])?;
    py.get_type::<PyType>().call1((class.name, bases, attributes))
}

/// The machine's class of a type.
///
/// # Errors
/// Exceptions raised by a type that computes its own attributes.
pub fn class_of(of_python: &Bound<'_, PyType>) -> PyResult<&'static BuiltinType> {
    let key = of_python.as_ptr().addr();
    if let Some(class) = known(|known| known.by_type.get(&key).copied()) {
        return Ok(class);
    }
    prepare(of_python.py())?;
    if let Some(class) = known(|known| known.by_type.get(&key).copied()) {
        return Ok(class);
    }
    let name = of_python.name()?.to_string();
    let module = of_python.getattr("__module__").and_then(|module| module.extract::<String>()).unwrap_or_default();
    let is_of = |class: &BuiltinType, of: &str| match is_of_entities(class) {
        true => ENTITIES.contains(&module.as_str()),
        false => of == module,
    };
    let of_module = OF_MODULES.iter().find(|(class, of)| class.name == name && is_of(class, of));
    let class = match of_module {
        Some((class, _)) => class,
        None => new_class(of_python, name, module)?,
    };
    pair(of_python.as_any(), class);
    Ok(class)
}

fn new_class(of_python: &Bound<'_, PyType>, name: String, module: String) -> PyResult<&'static BuiltinType> {
    let mut bases = Vec::new();
    for base in of_python.getattr("__bases__")?.cast_into::<PyTuple>()?.iter() {
        bases.push(class_of(&base.cast_into::<PyType>()?)?);
    }
    let mut bases = bases.into_iter();
    let base = bases.next().unwrap_or(&OBJECT);
    // Native functions refuse what they do not know, by the name of the class; CPython's may take it.
    lacking::add_foreign_class(&name);
    lacking::add_foreign_class(&format!("{module}.{name}"));
    // Messages name the classes that C defines with their module.
    let in_python = of_python.getattr("__flags__")?.extract::<u64>()? & HEAP_TYPE != 0;
    let is_data = |base: &BuiltinType| DATA.iter().any(|data| base.is_subclass(data));
    let further_bases = Vec::leak(bases.collect());
    let is_hosts_builtin = is_data(base) || further_bases.iter().any(|base| is_data(base));
    Ok(Box::leak(Box::new(BuiltinType {
        is_hosts_builtin,
        implementation: if in_python { Implementation::Python } else { Implementation::Static },
        further_bases,
        ..BuiltinType::new(String::leak(name), if module == "builtins" { "" } else { String::leak(module) }, base)
    })))
}

/// The builtin types that hold data, which native code takes as what they are.
static DATA: [&BuiltinType; 9] = [&STR, &INT, &FLOAT, &LIST, &DICT, &TUPLE, &SET, &FROZENSET, &BYTES];

/// `Py_TPFLAGS_HEAPTYPE`: the type was made at run time.
const HEAP_TYPE: u64 = 1 << 9;

/// Python's type for a class of the machine; `None` where it has none.
///
/// # Errors
/// Any exception of importing Galaxy other than its absence.
pub fn type_of<'py>(py: Python<'py>, class: &'static BuiltinType) -> PyResult<Option<Bound<'py, PyAny>>> {
    prepare(py)?;
    if let Some(found) = known(|known| known.types.get(&address(class)).map(|found| found.clone_ref(py))) {
        return Ok(Some(found.into_bound(py)));
    }
    let Some((_, module)) = OF_MODULES.iter().find(|(one, _)| one.is(class)) else { return Ok(of_library(py, class)) };
    let found = match py.import(*module).and_then(|module| module.getattr(class.name)) {
        Ok(found) => found,
        // The command line maps where Galaxy is not installed.
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyImportError>(py) => new_exception(py, class, module)?,
        Err(error) => return Err(error),
    };
    pair(&found, class);
    Ok(Some(found))
}

/// The type of an exception that a module of the library defines, such as `re.error`, where the module is there and has it.
fn of_library<'py>(py: Python<'py>, class: &'static BuiltinType) -> Option<Bound<'py, PyAny>> {
    if class.module.is_empty() || !class.is_subclass(&EXCEPTION) {
        return None;
    }
    let found = py.import(class.module).and_then(|module| module.getattr(class.name)).ok()?;
    let is_exception = found.cast::<PyType>().is_ok_and(|found| found.is_subclass_of::<PyException>().unwrap_or(false));
    is_exception.then(|| pair(&found, class))?;
    Some(found)
}

/// Python's exception class for a class of the machine: its own, or that of the nearest base that has one.
///
/// # Errors
/// As [`type_of`].
pub fn exception_type_of<'py>(py: Python<'py>, class: &'static BuiltinType) -> PyResult<Bound<'py, PyAny>> {
    let mut class = class;
    loop {
        if let Some(found) = type_of(py, class)? {
            return Ok(found);
        }
        class = class.base.unwrap_or(&EXCEPTION);
    }
}
