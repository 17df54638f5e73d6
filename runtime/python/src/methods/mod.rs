//! Methods of the builtin types: one table a type.

pub mod bytes;
pub mod dict;
pub mod dict_views;
pub mod exception;
pub mod float;
pub mod int;
pub mod list;
pub mod range;
pub mod set;
pub mod sort;
pub mod str;
pub mod tuple;

use super::exception::{Raised, type_error};
use super::value::Value;

/// The exception for a method that is called on a value of another type: `list.append(1, 2)`.
pub fn wrong_receiver(class: &str, receiver: &Value) -> Raised {
    type_error(format!("descriptor requires a '{class}' object but received a '{}'", receiver.type_name().as_str()))
}

/// The place that an index means in a sequence of this length; negative ones count from the end.
pub fn absolute_index(index: i64, length: usize) -> Option<usize> {
    let index = if index < 0 { i64::try_from(length).ok()?.checked_add(index)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < length)
}
