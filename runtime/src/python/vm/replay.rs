//! Iterators among the arguments of a call that may be made a second time, since the function refuses members of enumerations:
//! the second call finds what the first one took.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Vm;
use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised};
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::value::Value;

/// What the first call took of an iterator, and whether that is kept still.
#[derive(Default)]
struct Taken {
    items: RefCell<Vec<Value>>,
    closed: Cell<bool>,
}

/// An iterator that keeps what it gives.
struct Recorder {
    source: Value,
    taken: Rc<Taken>,
}

impl PyIterator for Recorder {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let item = vm.next(&self.source)?;
        if let Some(item) = &item
            && !self.taken.closed.get()
        {
            self.taken.items.borrow_mut().push(item.clone());
        }
        Ok(item)
    }

    fn size_hint(&self) -> usize {
        size_hint(&self.source)
    }

    fn send(&mut self, vm: &mut Vm, value: Value) -> Option<PyResult<Option<Value>>> {
        of_generator(&self.source, |state| state.send(vm, value))
    }

    fn throw(&mut self, vm: &mut Vm, raised: Raised) -> Option<PyResult<Option<Value>>> {
        of_generator(&self.source, |state| state.throw(vm, raised))
    }

    fn repr(&self, vm: &mut Vm, address: usize) -> Option<PyResult<String>> {
        of_generator(&self.source, |state| state.repr(vm, address))
    }

    fn names(&self) -> Option<(String, String)> {
        of_generator(&self.source, |state| state.names())
    }
}

/// What a generator does by itself that no other iterator does.
fn of_generator<T>(iterator: &Value, ask: impl FnOnce(&mut Box<dyn PyIterator>) -> Option<T>) -> Option<T> {
    match iterator {
        Value::Iterator(iterator) => ask(&mut *iterator.state.try_borrow_mut().ok()?),
        _ => None,
    }
}

/// An iterator that begins with what was taken of it.
struct Replay {
    taken: std::vec::IntoIter<Value>,
    source: Value,
}

impl PyIterator for Replay {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        match self.taken.next() {
            Some(item) => Ok(Some(item)),
            None => vm.next(&self.source),
        }
    }

    fn size_hint(&self) -> usize {
        self.taken.len() + size_hint(&self.source)
    }
}

fn size_hint(iterator: &Value) -> usize {
    match iterator {
        Value::Iterator(iterator) => iterator.state.try_borrow().map_or(0, |state| state.size_hint()),
        _ => 0,
    }
}

/// The iterators among the positional arguments of a first call, by place.
#[derive(Default)]
pub(super) struct Recording(Vec<(usize, Value, Rc<Taken>)>);

impl Recording {
    /// Puts recorders in the place of iterators.
    pub(super) fn start(args: &mut Args) -> Self {
        let mut recorded = Vec::new();
        for (place, value) in args.pos.iter_mut().enumerate() {
            let Value::Iterator(iterator) = &*value else { continue };
            let class = iterator.class();
            let (source, taken) = (value.clone(), Rc::<Taken>::default());
            *value = IteratorObject::new(class, Recorder { source: source.clone(), taken: taken.clone() });
            recorded.push((place, source, taken));
        }
        Self(recorded)
    }

    /// Gives the iterators as they were to the second call.
    pub(super) fn replay(self, args: &mut Args) {
        for (place, source, taken) in self.0 {
            if let (Value::Iterator(iterator), Some(argument)) = (&source, args.pos.get_mut(place)) {
                let class = iterator.class();
                *argument = IteratorObject::new(class, Replay { taken: taken.items.take().into_iter(), source });
            }
        }
    }

    /// Keeps nothing more: there is no second call.
    pub(super) fn stop(self) {
        for (.., taken) in self.0 {
            taken.closed.set(true);
            taken.items.take();
        }
    }
}
