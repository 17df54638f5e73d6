//! Places in the config in Python's tracebacks: frames for what ran natively, and the lines that the frames show.

use std::collections::{BTreeMap, HashMap};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTraceback, PyTuple};
use tpv_python::exception::Raised;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::cpython::Origin;
use tpv_runtime::mapper::trace::{Trace, word_length};

/// The most frames of native code that a traceback gets.
const MAX_FRAMES: usize = 20;

/// The most files of which the lines are known to be shown.
const MAX_FILES: usize = 1000;

/// The rules whose lines tracebacks show of a file.
static SHOWN: Mutex<Option<HashMap<String, Weak<Rules>>>> = Mutex::new(None);

fn helper(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("tpvc.core.config_lines")
}

/// The file of a block, and its name in a traceback.
pub fn of_block(origin: Origin<'_>) -> (String, String) {
    let tables = origin.rules.tables();
    let source = tables.sites.get(origin.site as usize).map(|site| site.source);
    let file = source.and_then(|source| tables.strings.get(*tables.sources.get(source as usize)? as usize));
    let name = origin.rules.texts().name(tables, origin.site);
    (file.cloned().unwrap_or_else(|| "<string>".to_owned()), name.unwrap_or_else(|| "<module>".to_owned()))
}

/// Gives the nodes of a block's syntax tree their places in the config. `prefix` characters of the first line are not in it.
///
/// # Errors
/// Exceptions raised by Python.
pub fn move_tree<'py>(tree: &Bound<'py, PyAny>, origin: Origin<'_>, prefix: usize) -> PyResult<()> {
    let py = tree.py();
    let Some(site) = origin.rules.tables().sites.get(origin.site as usize).cloned() else { return Ok(()) };
    let locate =
        PyCFunction::new_closure(py, None, None, move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let (line, column) = args.extract::<(u32, u32)>()?;
            Ok::<_, PyErr>(site.locate(line, column))
        })?;
    helper(py)?.call_method1("move", (tree, locate, prefix)).map(drop)
}

/// Adds the places that an exception passed natively to its traceback, and has tracebacks show their lines.
pub fn add(py: Python<'_>, rules: &Arc<Rules>, raised: &Raised, error: &PyErr) {
    if let Err(failed) = add_frames(py, rules, raised, error).and_then(|()| show_lines(py, rules, error)) {
        // The exception itself counts.
        failed.write_unraisable(py, None);
    }
}

fn add_frames(py: Python<'_>, rules: &Rules, raised: &Raised, error: &PyErr) -> PyResult<()> {
    // A block that CPython ran has a frame of its own.
    if raised.0.places.borrow().is_empty() && error.traceback(py).is_some() {
        return Ok(());
    }
    let Some(trace) = Trace::of(rules, raised) else { return Ok(()) };
    let mut frames = Vec::new();
    for call in trace.calls.iter().take(MAX_FRAMES) {
        let name = rules.texts().name(rules.tables(), call.site).unwrap_or_default();
        let name = call.function.as_ref().map_or_else(|| name.clone(), |function| format!("{name}, {function}"));
        let column = call.place.column.max(1);
        let rest = call.line.iter().flat_map(|line| line.chars().skip(column as usize - 1));
        frames.push((&call.place.file, call.place.line, column, word_length(rest), name));
    }
    let frames = helper(py)?.call_method1("add_frames", (error.value(py), frames))?;
    error.value(py).setattr(pyo3::intern!(py, "__traceback__"), &frames)?;
    error.set_traceback(py, frames.cast_into::<PyTraceback>().ok());
    Ok(())
}

/// Has tracebacks show the lines of the config files that an exception passed.
fn show_lines(py: Python<'_>, rules: &Arc<Rules>, error: &PyErr) -> PyResult<()> {
    let tables = rules.tables();
    let helper = helper(py)?;
    for file in helper.call_method1("files_of", (error.value(py),))?.extract::<Vec<String>>()? {
        let is_it = |name: &u32| tables.strings.get(*name as usize).is_some_and(|name| *name == file);
        let Some(source) = tables.sources.iter().position(is_it) else { continue };
        let is_known = {
            let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
            let known = shown.as_ref().and_then(|shown| shown.get(&file));
            known.is_some_and(|known| ptr::eq(known.as_ptr(), Arc::as_ptr(rules)))
        };
        if is_known && helper.call_method1("is_shown", (&file,))?.is_truthy()? {
            continue;
        }
        helper.call_method1("show", (&file, lines(rules, source)))?;
        let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = shown.get_or_insert_default();
        if shown.len() >= MAX_FILES {
            shown.clear();
        }
        shown.insert(file, Arc::downgrade(rules));
    }
    Ok(())
}

/// The lines of a file as far as there is code in them, by their numbers.
fn lines(rules: &Rules, source: usize) -> BTreeMap<u32, String> {
    let (tables, texts) = (rules.tables(), rules.texts());
    let mut lines = BTreeMap::new();
    for index in texts.all_sites() {
        let site = tables.sites.get(index as usize).filter(|site| site.source as usize == source);
        let (Some(site), Some(text)) = (site, texts.of_site(tables, index)) else { continue };
        for (_, line) in text.lines().zip(1..) {
            let line = site.locate(line, 1).0;
            if let Some(shown) = site.file_line(text, line) {
                lines.insert(line, shown);
            }
        }
    }
    lines
}
