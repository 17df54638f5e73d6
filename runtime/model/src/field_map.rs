//! Values by field.

use bincode::{Decode, Encode};

use crate::Field;

/// Values by field, in the order in which they were set. Entities set few of all fields.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct FieldMap<V>(Vec<(Field, V)>);

impl<V> Default for FieldMap<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> FromIterator<(Field, V)> for FieldMap<V> {
    fn from_iter<I: IntoIterator<Item = (Field, V)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<V> FieldMap<V> {
    /// The value of a field. `None` if it is unset.
    #[inline]
    pub fn get(&self, field: Field) -> Option<&V> {
        self.0.iter().find(|(known, _)| *known == field).map(|(_, value)| value)
    }

    /// Sets a field.
    pub fn set(&mut self, field: Field, value: V) {
        match self.0.iter_mut().find(|(known, _)| *known == field) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((field, value)),
        }
    }

    /// The fields that are set.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Field, &V)> {
        self.0.iter().map(|(field, value)| (*field, value))
    }

    /// Returns `true` if no field is set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
