//! Iterators: one handle around any lazy sequence, generator expressions included.

use std::cell::RefCell;
use std::rc::Rc;

use super::exception::PyResult;
use super::release::release;
use super::types::{BuiltinType, GENERATOR};
use super::value::Value;
use super::vm::Vm;

/// A lazy sequence. Implementors hold their own position.
pub trait PyIterator {
    /// The next item; `None` at the end, and ever after.
    ///
    /// # Errors
    /// Whatever producing the item raises.
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>>;

    /// The number of remaining items, if known (`len()` is not defined on iterators; this serves allocation).
    fn size_hint(&self) -> usize {
        0
    }

    /// `repr(iterator)` where it shows more than class and address; `address` is the iterator's.
    fn repr(&self, vm: &mut Vm, address: usize) -> Option<PyResult<String>> {
        let _ = (vm, address);
        None
    }
}

/// A Python iterator.
pub struct IteratorObject {
    class: &'static BuiltinType,
    /// The sequence; borrowed only while it produces an item, so that a generator that iterates itself gets an error.
    pub state: RefCell<Box<dyn PyIterator>>,
}

/// The placeholder for an iterator that is being dropped.
struct Nothing;

impl PyIterator for Nothing {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        Ok(None)
    }
}

impl Drop for IteratorObject {
    fn drop(&mut self) {
        release(std::mem::replace(self.state.get_mut(), Box::new(Nothing)));
    }
}

impl IteratorObject {
    /// An iterator of this class (`types::LIST_ITERATOR`, `types::GENERATOR`, ...).
    #[expect(clippy::new_ret_no_self, reason = "an iterator is only ever used as a value")]
    pub fn new(class: &'static BuiltinType, state: impl PyIterator + 'static) -> Value {
        Value::Iterator(Rc::new(Self { class, state: RefCell::new(Box::new(state)) }))
    }

    /// A generator of CPython's library: what a function of this qualified name yields.
    pub fn generator(qualified: &'static str, items: impl PyIterator + 'static) -> Value {
        Self::new(&GENERATOR, LibraryGenerator { qualified, items })
    }

    /// The class.
    pub fn class(&self) -> &'static BuiltinType {
        self.class
    }
}

/// The items of a generator function of CPython's library.
struct LibraryGenerator<Yielded> {
    qualified: &'static str,
    items: Yielded,
}

impl<Yielded: PyIterator> PyIterator for LibraryGenerator<Yielded> {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        self.items.next(vm)
    }

    fn size_hint(&self) -> usize {
        self.items.size_hint()
    }

    fn repr(&self, _: &mut Vm, address: usize) -> Option<PyResult<String>> {
        Some(Ok(format!("<generator object {} at {address:#x}>", self.qualified)))
    }
}

/// An iterator over items that are there already.
pub struct Items(pub std::vec::IntoIter<Value>);

impl PyIterator for Items {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        Ok(self.0.next())
    }

    fn size_hint(&self) -> usize {
        self.0.len()
    }
}
