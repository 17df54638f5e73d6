//! Blocks of a config in CPython: TPV's `compile_code_block` and `eval_code_block`.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyAssertionError, PyImportError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCode, PyCodeMethods, PyDict, PyList, PyString, PyTuple};
use tpv_bytecode::CodeKind;
use tpv_galaxy::tpv::version_of;
use tpv_model::Change;
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::mapper::Cpython;
use tpv_runtime::mapper::cpython::{Origin, hiding_names};

use crate::machine::{in_python, on_machine};
use crate::session::Session;
use crate::time_limit::Limited;
use crate::{exception, helpers, places, random, to_native, to_python};

/// The bytes of source that are kept compiled; a config has less, unless its rules make code at run time.
const MAX_KEPT: usize = 16 << 20;

/// The names of functions that can see every name of the context.
const SEEING: [&str; 6] = ["dir", "eval", "exec", "globals", "locals", "vars"];

/// CPython as the other interpreter.
pub struct Blocks {
    is_live: bool,
    compiled: Mutex<Compiled>,
}

#[derive(Default)]
struct Compiled {
    /// By kind, text and place: the same text at another place has other lines.
    blocks: HashMap<(CodeKind, String, Option<u32>), Arc<Block>>,
    bytes: usize,
}

/// A compiled block.
struct Block {
    /// The statements, if there are any.
    statements: Option<Py<PyCode>>,
    /// The last expression.
    expression: Option<Py<PyCode>>,
    /// The names that it uses. `None` if it can see all names.
    names: Option<Vec<String>>,
    /// Its name in messages: file, and entity or rule with the field.
    name: String,
}

impl Blocks {
    /// CPython for jobs whose objects are live, or for those of a job file.
    pub fn new(is_live: bool) -> Self {
        Self { is_live, compiled: Mutex::default() }
    }

    fn block(&self, py: Python<'_>, source: &str, kind: CodeKind, origin: Option<Origin<'_>>) -> PyResult<Arc<Block>> {
        let key = (kind, source.to_owned(), origin.map(|origin| origin.site));
        // Compiling calls Python, which may let another thread come by: the lock is not held meanwhile.
        if let Some(block) = self.compiled.lock().unwrap_or_else(PoisonError::into_inner).blocks.get(&key) {
            return Ok(block.clone());
        }
        let block = Arc::new(compile(py, source, kind, origin)?);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = if compiled.bytes > MAX_KEPT { std::mem::take(&mut *compiled) } else { Compiled::default() };
        compiled.bytes += source.len();
        compiled.blocks.insert(key, block.clone());
        drop(compiled);
        drop(dropped);
        Ok(block)
    }
}

impl Block {
    fn run(&self, globals: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
        let py = globals.py();
        if let Some(statements) = &self.statements {
            statements.bind(py).run(Some(globals), None)?;
        }
        match &self.expression {
            Some(expression) => Ok(expression.bind(py).run(Some(globals), None)?.unbind()),
            None => Ok(py.None()),
        }
    }
}

/// Compiles a block as TPV does, but with its place in the config, which tracebacks show.
fn compile(py: Python<'_>, source: &str, kind: CodeKind, origin: Option<Origin<'_>>) -> PyResult<Block> {
    let ast = py.import("ast")?;
    let (prefix, text) = match kind {
        CodeKind::FString => (4, format!("f'''{source}'''")),
        _ => (0, source.to_owned()),
    };
    let tree = ast.call_method1("parse", (text,))?;
    let (file, name) = origin.map_or_else(|| ("<string>".to_owned(), "<module>".to_owned()), places::of_block);
    if let Some(origin) = origin {
        places::move_tree(&tree, origin, prefix)?;
    }
    let named = PyDict::new(py);
    named.set_item("co_name", &name)?;
    let body = tree.getattr("body")?.cast_into::<PyList>()?;
    let compile = py.import("builtins")?.getattr("compile")?;
    let to_code = |tree: Bound<'_, PyAny>, mode: &str| -> PyResult<Py<PyCode>> {
        let code = compile.call1((tree, &file, mode))?;
        Ok(code.call_method("replace", (), Some(&named))?.cast_into::<PyCode>()?.unbind())
    };
    let mut expression = None;
    if kind != CodeKind::Exec {
        let last = body.call_method0("pop")?;
        if !last.is_instance(&ast.getattr("Expr")?)? {
            return Err(PyAssertionError::new_err(()));
        }
        expression = Some(to_code(ast.getattr("Expression")?.call1((last.getattr("value")?,))?, "eval")?);
    }
    let statements = if body.is_empty() { None } else { Some(to_code(tree, "exec")?) };
    let mut names = HashSet::new();
    for code in [&statements, &expression].into_iter().flatten() {
        collect_names(code.bind(py), &mut names)?;
    }
    let sees_all = SEEING.iter().any(|name| names.contains(*name));
    let names = (!sees_all).then(|| names.into_iter().collect());
    let name = if origin.is_some() { format!("{file}: {name}") } else { "code made at run time".to_owned() };
    Ok(Block { statements, expression, names, name })
}

/// The names that a code and those inside it load, global or attribute.
fn collect_names(code: &Bound<'_, PyCode>, names: &mut HashSet<String>) -> PyResult<()> {
    for name in code.getattr("co_names")?.cast_into::<PyTuple>()?.iter() {
        names.insert(name.extract()?);
    }
    for constant in code.getattr("co_consts")?.cast_into::<PyTuple>()?.iter() {
        if let Ok(inner) = constant.cast::<PyCode>() {
            collect_names(inner, names)?;
        }
    }
    Ok(())
}

/// The globals of blocks besides the context: the names of TPV's loader, and builtins in which `import tpv` finds tpvc.
fn loader_globals(py: Python<'_>, is_live: bool) -> PyResult<&Bound<'_, PyDict>> {
    static LIVE: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    static OF_FILES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let globals = if is_live { &LIVE } else { &OF_FILES };
    let globals = globals.get_or_try_init(py, || {
        py.import("tpvc.core.stand_in")?.call_method0("install")?;
        let globals = PyDict::new(py);
        let builtins = py.import("builtins")?.dict().copy()?;
        IMPORT.get_or_try_init(py, || Ok::<_, PyErr>(py.import("builtins")?.getattr("__import__")?.unbind()))?;
        let import = if is_live { wrap_pyfunction!(import, py)? } else { wrap_pyfunction!(import_of_files, py)? };
        builtins.set_item("__import__", import)?;
        globals.set_item("__builtins__", builtins)?;
        globals.set_item("__name__", "tpv.core.loader")?;
        globals.set_item("__package__", "tpv.core")?;
        globals.set_item("annotations", py.import("__future__")?.getattr("annotations")?)?;
        globals.set_item("log", py.import("logging")?.call_method1("getLogger", ("tpv.core.loader",))?)?;
        for name in ["ast", "functools", "logging"] {
            globals.set_item(name, py.import(name)?)?;
        }
        globals.set_item("util", py.import("tpvc.core.util")?)?;
        for (module, names) in [
            ("collections.abc", &["Callable"][..]),
            ("types", &["CodeType"]),
            ("typing", &["Any", "TypeVar", "cast"]),
            ("tpvc.core.loader", &["InvalidParentException", "TPVConfigLoader"]),
            ("tpvc.core.entities", &["Entity"]),
        ] {
            for name in names {
                globals.set_item(*name, py.import(module)?.getattr(*name)?)?;
            }
        }
        Ok::<_, PyErr>(globals.unbind())
    })?;
    Ok(globals.bind(py))
}

/// Python's own `__import__`. PyO3 imports with that of the code that runs, so that rule code's cannot ask it for another one.
static IMPORT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// `__import__` of rule code: TPV's modules are tpvc's, whether or not TPV is installed.
#[pyfunction]
#[pyo3(name = "__import__", signature = (name, globals = None, locals = None, fromlist = None, level = 0))]
fn import<'py>(
    py: Python<'py>,
    name: &str,
    globals: Option<&Bound<'py, PyAny>>,
    locals: Option<&Bound<'py, PyAny>>,
    fromlist: Option<&Bound<'py, PyAny>>,
    level: i32,
) -> PyResult<Bound<'py, PyAny>> {
    if level == 0
        && let Some(older) = older_helpers(py, name, fromlist, true)?
    {
        return Ok(older);
    }
    let own = match name.strip_prefix("tpv") {
        Some(rest) if level == 0 && (rest.is_empty() || rest.starts_with('.')) => Some(format!("tpvc{rest}")),
        _ => None,
    };
    let empty = PyTuple::empty(py).into_any();
    let fromlist = fromlist.unwrap_or(&empty);
    let Some(import) = IMPORT.get(py) else { return Err(PyImportError::new_err("there is no `__import__`")) };
    import.bind(py).call1((own.as_deref().unwrap_or(name), globals, locals, fromlist, level))
}

/// `__import__` of rule code over the objects of a job file: what natively stands in for Galaxy's database answers from the world, as
/// it does in native code.
#[pyfunction]
#[pyo3(name = "__import__", signature = (name, globals = None, locals = None, fromlist = None, level = 0))]
fn import_of_files<'py>(
    py: Python<'py>,
    name: &str,
    globals: Option<&Bound<'py, PyAny>>,
    locals: Option<&Bound<'py, PyAny>>,
    fromlist: Option<&Bound<'py, PyAny>>,
    level: i32,
) -> PyResult<Bound<'py, PyAny>> {
    let takes_names = fromlist.is_some_and(|names| names.is_truthy().unwrap_or(false));
    let stands_in = level == 0 && tpv_runtime::mapper::live::module(name).is_some();
    if stands_in && (takes_names || !name.contains('.')) && tpv_runtime::mapper::find_module(name).is_some() {
        return crate::module::native_module(py, name);
    }
    if stands_in && takes_names && name == "galaxy" && names_only(fromlist, "model") {
        return on_machine(py, |vm| vm.import(name, true)).and_then(|package| to_python::value(py, &package));
    }
    if level == 0
        && let Some(older) = older_helpers(py, name, fromlist, false)?
    {
        return Ok(older);
    }
    import(py, name, globals, locals, fromlist, level)
}

/// The source of the names of `from tpv.core import helpers` and `from tpv.core.helpers import ...`, if the rules' version of TPV has
/// other helpers than 3.3.
fn older_helpers<'py>(
    py: Python<'py>,
    name: &str,
    fromlist: Option<&Bound<'py, PyAny>>,
    is_live: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let takes_module = name == "tpv.core" && names_only(fromlist, "helpers");
    let takes_names = name == "tpv.core.helpers" && fromlist.is_some_and(|names| names.is_truthy().unwrap_or(false));
    if !takes_module && !takes_names {
        return Ok(None);
    }
    let version = on_machine(py, |vm| Ok(version_of(vm)))?;
    if version.has(Change::InputHelpers) {
        return Ok(None);
    }
    let helpers = helpers::namespace(py, is_live, version)?;
    if takes_names {
        return Ok(Some(helpers));
    }
    let package = PyDict::new(py);
    package.set_item("helpers", helpers)?;
    py.import("types")?.getattr("SimpleNamespace")?.call((), Some(&package)).map(Some)
}

/// Returns `true` if a list of names to import contains only this name.
fn names_only(fromlist: Option<&Bound<'_, PyAny>>, name: &str) -> bool {
    let names: Option<Vec<String>> = fromlist.and_then(|names| names.extract().ok());
    names.is_some_and(|names| names.iter().all(|one| one == name))
}

/// The globals of a block: the loader's, then the context, then `helpers` and what else hides the context's names.
fn globals<'py>(
    vm: &mut Vm,
    py: Python<'py>,
    block: &Block,
    source: &str,
    is_live: bool,
) -> NativeResult<Bound<'py, PyDict>> {
    let hiding = hiding_names(vm, source)?;
    let version = version_of(vm);
    let mut entries: Vec<(String, Value)> = match &block.names {
        Some(names) => names.iter().filter_map(|name| Some((name.clone(), vm.context_value(name)?.clone()))).collect(),
        None => vm.context_entries().map(|(name, value)| (name.as_str().to_owned(), value.clone())).collect(),
    };
    let is_mentioned = |name: &str| block.names.as_ref().is_none_or(|names| names.iter().any(|one| one == name));
    entries.extend(
        hiding.into_iter().filter(|(name, _)| is_mentioned(name)).map(|(name, value)| (name.to_owned(), value)),
    );
    let made = (|| {
        let globals = loader_globals(py, is_live)?.copy()?;
        for (name, value) in &entries {
            match name.as_str() {
                "helpers" => globals.set_item("helpers", helpers::namespace(py, is_live, version)?)?,
                name => globals.set_item(PyString::intern(py, name), to_python::value(py, value)?)?,
            }
        }
        Ok(globals)
    })();
    made.map_err(|error| exception::to_native(vm, py, error))
}

impl Cpython for Blocks {
    fn run(&self, vm: &mut Vm, source: &str, kind: CodeKind, origin: Option<Origin<'_>>) -> NativeResult<Value> {
        Session::start_of_job();
        Session::forget_answers();
        Python::attach(|py| {
            let block = self.block(py, source, kind, origin).map_err(|error| exception::to_native(vm, py, error))?;
            let globals = globals(vm, py, &block, source, self.is_live)?.unbind();
            // A job of a job file brings the state of `random`; in Galaxy it is the process's, unless the caller gave one.
            let draws = |names: &Vec<String>| {
                names.iter().any(|name| matches!(name.as_str(), "random" | "helpers" | "tpv.core.helpers"))
            };
            let lends = Session::current().lends_random() || !self.is_live && block.names.as_ref().is_none_or(draws);
            let state = match lends {
                true => Some(random::lend(py, &mut vm.random).map_err(|error| exception::to_native(vm, py, error))?),
                false => None,
            };
            let result = in_python(vm, |py| match Limited::start(py)? {
                Some(limited) => limited.end(py, block.run(globals.bind(py)), &block.name),
                None => block.run(globals.bind(py)),
            });
            if let Some(state) = state {
                state.take_back(py, &mut vm.random).map_err(|error| exception::to_native(vm, py, error))?;
            }
            to_native::value(vm, result?.bind(py))
        })
    }

    fn is_live(&self) -> bool {
        self.is_live
    }

    fn end_job(&self) {
        Session::end_job();
    }
}
