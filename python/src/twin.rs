//! One container that exists natively and in Python: a list, dict or set, or scheduling tags, which hold four lists.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};
use tpv_model::TagType;
use tpv_python::dict::{Key, Table};
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::set::SetTable;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::mapper::objects::SchedulingTagsObject;

use crate::{exception, to_native, to_python};

/// The pair, and what both held when they were last the same.
pub struct Twin {
    /// The native container.
    pub native: Value,
    /// Python's.
    pub python: Py<PyAny>,
    /// The items of a list or set, the keys and values of a dict in turn, or the lists of scheduling tags. Each is a pair of the two
    /// sides' objects.
    items: RefCell<Rc<Vec<Item>>>,
    /// `true` while changes are carried over: hashing the items may run code, which crosses in turn.
    is_busy: Cell<bool>,
}

/// Carries changes over until it is dropped.
struct Busy<'a>(&'a Cell<bool>);

impl<'a> Busy<'a> {
    /// `None` where that is under way already.
    fn start(is_busy: &'a Cell<bool>) -> Option<Self> {
        if is_busy.replace(true) { None } else { Some(Self(is_busy)) }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// An item on both sides.
struct Item {
    native: Value,
    python: Py<PyAny>,
}

impl Item {
    fn copy(&self, py: Python<'_>) -> Self {
        Self { native: self.native.clone(), python: self.python.clone_ref(py) }
    }
}

impl Twin {
    /// Two empty containers.
    pub fn new(native: Value, python: Py<PyAny>) -> Self {
        Self { native, python, items: RefCell::default(), is_busy: Cell::new(false) }
    }

    /// Brings Python's container to what the native one is, where that changed.
    ///
    /// # Errors
    /// Exceptions raised while an item is converted or the container changed.
    pub fn to_python(&self, py: Python<'_>) -> PyResult<()> {
        let Some(_busy) = Busy::start(&self.is_busy) else { return Ok(()) };
        let known = self.items.borrow().clone();
        if self.native_is(&known) {
            return Ok(());
        }
        let now = native_items(&self.native);
        let mut items = Vec::with_capacity(now.len());
        for (index, native) in now.into_iter().enumerate() {
            items.push(match known.get(index) {
                Some(item) if item.native.is(&native) => item.copy(py),
                _ => Item { python: to_python::value(py, &native)?.unbind(), native },
            });
        }
        let of_python = self.python.bind(py);
        if let Ok(list) = of_python.cast::<PyList>() {
            let new = PyList::new(py, items.iter().map(|item| item.python.bind(py)))?;
            list.set_slice(0, list.len(), &new)?;
        } else if let Ok(set) = of_python.cast::<PySet>() {
            set.clear();
            for item in &items {
                set.add(&item.python)?;
            }
        } else if tags_of(&self.native).is_some() {
            for (index, (item, kind)) in items.iter().zip(TagType::ALL).enumerate() {
                if !known.get(index).is_some_and(|known| known.python.is(&item.python)) {
                    of_python.setattr(kind.field(), &item.python)?;
                }
            }
        } else {
            let pairs = || items.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
            let known_pairs = known.chunks_exact(2);
            // A loop over the dict goes on where only values change.
            let same_keys = items.len() == known.len()
                && pairs()
                    .zip(known_pairs)
                    .all(|((key, _), known)| known.first().is_some_and(|known| known.python.is(&key.python)));
            if !same_keys {
                of_python.call_method0("clear")?;
            }
            for (index, (key, value)) in pairs().enumerate() {
                let is_there =
                    same_keys && known.get(2 * index + 1).is_some_and(|known| known.python.is(&value.python));
                if !is_there {
                    of_python.set_item(&key.python, &value.python)?;
                }
            }
        }
        self.items.replace(Rc::new(items));
        Ok(())
    }

    /// Brings the native container to what Python's is, where that changed.
    ///
    /// # Errors
    /// Exceptions raised while an item is converted.
    pub fn to_native(&self, vm: &mut Vm, py: Python<'_>) -> NativeResult<()> {
        let Some(_busy) = Busy::start(&self.is_busy) else { return Ok(()) };
        let known = self.items.borrow().clone();
        let of_python = self.python.bind(py);
        if python_is(of_python, &known) {
            return Ok(());
        }
        let now = python_items(of_python).map_err(|error| exception::to_native(vm, py, error))?;
        let mut items = Vec::with_capacity(now.len());
        for (index, object) in now.into_iter().enumerate() {
            items.push(match known.get(index) {
                Some(item) if item.python.is(&object) => item.copy(py),
                _ => Item { native: to_native::value(vm, &object)?, python: object.unbind() },
            });
        }
        self.fill(vm, &items)?;
        self.items.replace(Rc::new(items));
        Ok(())
    }

    /// Gives the native container these items.
    fn fill(&self, vm: &mut Vm, items: &[Item]) -> NativeResult<()> {
        match &self.native {
            Value::List(list) => {
                let old = list.items.replace(items.iter().map(|item| item.native.clone()).collect());
                drop(old);
            }
            Value::Set(set) => {
                let mut table = SetTable::default();
                for item in items {
                    table.insert(Key::new(vm, item.native.clone())?);
                }
                let old = set.table.replace(table);
                drop(old);
            }
            Value::Dict(dict) => {
                let mut table = Table::default();
                for pair in items.chunks_exact(2) {
                    if let [key, value] = pair {
                        table.insert(Key::new(vm, key.native.clone())?, value.native.clone());
                    }
                }
                let old = dict.table.replace(table);
                drop(old);
            }
            native => {
                if let (Some(tags), [require, prefer, accept, reject]) = (tags_of(native), items) {
                    tags.set_lists([require, prefer, accept, reject].map(|item| item.native.clone()));
                }
            }
        }
        Ok(())
    }

    /// Returns `true` if the native container's items are unchanged.
    fn native_is(&self, known: &[Item]) -> bool {
        let same = |index: usize, value: &Value| known.get(index).is_some_and(|item| item.native.is(value));
        match &self.native {
            Value::List(list) => {
                let now = list.items.borrow();
                now.len() == known.len() && now.iter().enumerate().all(|(index, value)| same(index, value))
            }
            Value::Dict(dict) => {
                let now = dict.table.borrow();
                2 * now.len() == known.len()
                    && now
                        .iter()
                        .enumerate()
                        .all(|(index, (key, value))| same(2 * index, &key.value) && same(2 * index + 1, value))
            }
            Value::Set(set) => {
                let now = set.table.borrow();
                // A set that came from Python was filled in Python's order.
                now.len() == known.len()
                    && (now.iter().enumerate().all(|(index, key)| same(index, &key.value))
                        || known
                            .iter()
                            .all(|item| Key::constant(item.native.clone()).is_some_and(|key| now.contains(&key))))
            }
            native => tags_of(native).is_none_or(|tags| {
                let now = tags.lists();
                now.len() == known.len() && now.iter().enumerate().all(|(index, list)| same(index, list))
            }),
        }
    }
}

/// The items of a native container, in the form of [`Twin::items`].
fn native_items(native: &Value) -> Vec<Value> {
    match native {
        Value::List(list) => list.items.borrow().clone(),
        Value::Set(set) => set.items(),
        Value::Dict(dict) => dict.items().into_iter().flat_map(|(key, value)| [key, value]).collect(),
        native => tags_of(native).map(|tags| tags.lists().to_vec()).unwrap_or_default(),
    }
}

/// The scheduling tags that a native value is.
fn tags_of(native: &Value) -> Option<&SchedulingTagsObject> {
    native.downcast()
}

/// The lists of scheduling tags of Python.
fn python_lists<'py>(of_python: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    TagType::ALL.into_iter().map(|kind| of_python.getattr(kind.field())).collect()
}

/// The same of Python's container.
fn python_items<'py>(of_python: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = of_python.cast::<PyList>() {
        return Ok(list.iter().collect());
    }
    if let Ok(dict) = of_python.cast::<PyDict>() {
        return Ok(dict.iter().flat_map(|(key, value)| [key, value]).collect());
    }
    match of_python.cast::<PySet>() {
        Ok(set) => Ok(set.iter().collect()),
        Err(_) => python_lists(of_python),
    }
}

/// Returns `true` if the Python container still holds the identical objects.
fn python_is(of_python: &Bound<'_, PyAny>, known: &[Item]) -> bool {
    let same = |index: usize, object: &Bound<'_, PyAny>| known.get(index).is_some_and(|item| item.python.is(object));
    if let Ok(list) = of_python.cast::<PyList>() {
        return list.len() == known.len() && list.iter().enumerate().all(|(index, object)| same(index, &object));
    }
    if let Ok(dict) = of_python.cast::<PyDict>() {
        return 2 * dict.len() == known.len()
            && dict
                .iter()
                .enumerate()
                .all(|(index, (key, value))| same(2 * index, &key) && same(2 * index + 1, &value));
    }
    match of_python.cast::<PySet>() {
        // The order of a set that is not changed does not change.
        Ok(set) => set.len() == known.len() && known.iter().all(|item| set.contains(&item.python).unwrap_or(false)),
        Err(_) => python_lists(of_python).is_ok_and(|lists| {
            lists.len() == known.len() && lists.iter().enumerate().all(|(index, list)| same(index, list))
        }),
    }
}
