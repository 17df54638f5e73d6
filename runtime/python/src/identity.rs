//! The identity of values, and the path of a walk through values that may hold themselves.
//!
//! The path owns its values: an address identifies a value only while it lives, because a value that is allocated later may get
//! the same address.

use std::rc::Rc;

use super::value::Value;

/// The address that stands for an object's identity. Values without a place in memory get one from their content.
pub fn identity(value: &Value) -> usize {
    fn address<T: ?Sized>(pointer: &Rc<T>) -> usize {
        Rc::as_ptr(pointer).cast::<u8>() as usize
    }
    fn reference<T: ?Sized>(pointer: &'static T) -> usize {
        std::ptr::from_ref(pointer).cast::<u8>() as usize
    }
    #[expect(clippy::cast_possible_truncation, reason = "an identity of a small value need only be stable")]
    match value {
        Value::None => 8,
        Value::NotImplemented => 16,
        Value::Ellipsis => 24,
        Value::Bool(flag) => 32 + 8 * usize::from(*flag),
        Value::Int(value) => (value.cast_unsigned() as usize).wrapping_mul(32).wrapping_add(0x1000),
        Value::Float(value) => (value.to_bits() as usize).wrapping_mul(16).wrapping_add(0x1004),
        Value::BigInt(value) => address(value),
        Value::Str(value) => value.address(),
        Value::Bytes(value) => address(value),
        Value::Tuple(value) => address(value),
        Value::List(value) => address(value),
        Value::Dict(value) => address(value),
        Value::Set(value) => address(value),
        Value::Range(value) => address(value),
        Value::Slice(value) => address(value),
        Value::Function(value) => address(value),
        Value::Builtin(value) => reference(*value),
        Value::BoundMethod(value) => address(value),
        Value::Type(class) => reference(*class),
        Value::Module(module) => reference(*module),
        Value::Iterator(value) => address(value),
        Value::Exception(value) => address(value),
        Value::Object(value) => value.identity().unwrap_or_else(|| address(value)),
    }
}

/// The number of outer values that are compared with one in about the time of a step.
pub const OUTER_A_STEP: usize = 8;

/// The values that a walk is inside of, the outermost first: one that holds itself is met again.
#[derive(Default)]
pub struct Inside(Vec<Value>);

impl Inside {
    /// Goes into a value, which is compared with all that enclose it; false, and nothing is done, where the walk is inside of it already.
    #[must_use]
    pub fn enter(&mut self, value: &Value) -> bool {
        let is_new = !self.0.iter().any(|outer| outer.is(value));
        if is_new {
            self.0.push(value.clone());
        }
        is_new
    }

    /// Leaves the value that was entered last.
    pub fn leave(&mut self) {
        self.0.pop();
    }

    /// The number of values that enclose the current one.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Leaves all values.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_meets_what_it_is_inside_of() {
        let (outer, inner) = (Value::list(Vec::new()), Value::list(Vec::new()));
        let mut inside = Inside::default();
        assert!(inside.enter(&outer) && inside.enter(&inner));
        assert!(!inside.enter(&outer));
        inside.leave();
        assert!(inside.enter(&inner));
        assert_eq!(inside.depth(), 2);
    }
}
