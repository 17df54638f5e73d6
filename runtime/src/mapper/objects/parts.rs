//! A handful of values by name.

use tpv_python::value::Value;

/// The parts of an object that code got to see. Most objects have none: an empty one takes no memory, and looking through a
/// few is quicker than a table.
#[derive(Default)]
pub(super) struct Parts(Vec<(&'static str, Value)>);

impl Parts {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Sets a part; one that is new comes last.
    pub(super) fn insert(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, part)) => *part = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes a part out; the others keep their order.
    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| *known != name);
    }

    /// All parts, in the order in which they came.
    pub(super) fn to_vec(&self) -> Vec<(&'static str, Value)> {
        self.0.clone()
    }
}
