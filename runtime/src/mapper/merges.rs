//! What is made of the lists and dicts that entities share, made once.
//!
//! Few entities have a context, env or params of their own: most come from a default. So the entities that are derived for
//! thousands of tools merge the same few values again and again, and what the values give is the same. A value that
//! entities share never changes, so that its address stands for it; what is kept holds it, so that no other value gets
//! its address.

use std::cell::RefCell;
use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::word_hash::WordMap;

/// The most values of each sort that a thread keeps.
const MAX_KEPT: usize = 8 * 1024;

/// Something made of two values, with them.
type Made<T> = RefCell<WordMap<(usize, usize), ([Value; 2], T)>>;

/// What was made of pairs of values.
pub(super) struct Pairs<T>(Made<T>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Pairs<T> {
    /// What is kept of two values, or what `make` makes of them.
    ///
    /// # Errors
    /// What `make` raises.
    pub(super) fn get(&self, first: &Value, second: &Value, make: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        let (Some(a), Some(b)) = (address(first), address(second)) else { return make() };
        if let Some((_, made)) = self.0.borrow().get(&(a, b)) {
            return Ok(made.clone());
        }
        let made = make()?;
        let mut kept = self.0.borrow_mut();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert((a, b), ([first.clone(), second.clone()], made.clone()));
        Ok(made)
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
