//! Shared objects as keys by identity.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A shared object that equals itself alone.
///
/// The key owns a reference. A bare address would not do: once its object is freed, the next object may get the same
/// address, and would be taken for it.
pub(super) struct Shared<T>(pub(super) Arc<T>);

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for Shared<T> {}

impl<T> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn what_was_dropped_is_never_found_again() {
        let mut numbers = HashMap::new();
        for number in 0..1000 {
            // Each is dropped by its owner at once, so that an allocator would give its address to the next.
            let object = Arc::new([number; 4]);
            assert_eq!(numbers.insert(Shared(object), number), None);
        }
        assert_eq!(numbers.len(), 1000);
    }

    #[test]
    fn owners_of_one_object_have_one_key() {
        let object = Arc::new(1);
        let numbers = HashMap::from([(Shared(object.clone()), 1)]);
        assert_eq!(numbers.get(&Shared(object)), Some(&1));
        assert_eq!(numbers.get(&Shared(Arc::new(1))), None);
    }
}
