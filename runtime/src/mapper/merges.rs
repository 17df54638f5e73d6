//! What is made of the lists and dicts that entities share, made once.
//!
//! Few entities have a context, env or params of their own: most come from a default. So the entities that are derived for
//! thousands of tools merge the same few values again and again, and what the values give is the same. A value that
//! entities share never changes, so that its address stands for it; what is kept holds it, so that no other value gets
//! its address.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::word_hash::WordMap;

use super::memory::{Held, entry};

/// Something made of two values, with them.
type Made<T> = RefCell<WordMap<(usize, usize), ([Value; 2], T)>>;

/// What was made of pairs of values.
pub(super) struct Pairs<T> {
    made: Made<T>,
    bytes: Cell<usize>,
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self { made: RefCell::default(), bytes: Cell::new(0) }
    }
}

impl<T: Clone + Held> Pairs<T> {
    /// The bytes of what is kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// What is kept of two values, or what `make` makes of them.
    ///
    /// # Errors
    /// What `make` raises.
    pub(super) fn get(&self, first: &Value, second: &Value, make: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        let (Some(a), Some(b)) = (address(first), address(second)) else { return make() };
        if let Some((_, made)) = self.made.borrow().get(&(a, b)) {
            return Ok(made.clone());
        }
        let made = make()?;
        self.bytes.set(self.bytes.get() + entry::<(usize, usize), ([Value; 2], T)>() + made.held());
        self.made.borrow_mut().insert((a, b), ([first.clone(), second.clone()], made.clone()));
        Ok(made)
    }
}

impl Merges {
    /// The bytes of what is kept.
    pub(super) fn bytes(&self) -> usize {
        self.lists.bytes() + self.dicts.bytes()
    }
}

/// The merges of one thread.
#[derive(Default)]
pub(super) struct Merges {
    /// `env`: lists, the child's over the parent's.
    pub(super) lists: Pairs<Value>,
    /// `params`, `resubmit` and `context`.
    pub(super) dicts: Pairs<Value>,
}

/// Where a list or dict is; 0 for nothing. Other values have no address of their own.
fn address(value: &Value) -> Option<usize> {
    match value {
        Value::List(list) => Some(Rc::as_ptr(list).cast::<u8>() as usize),
        Value::Dict(dict) => Some(Rc::as_ptr(dict).cast::<u8>() as usize),
        Value::None => Some(0),
        _ => None,
    }
}
