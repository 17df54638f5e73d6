//! Keys of dicts and sets whose equality only code can tell: instances of a class of the config's code with an `__eq__`.
//!
//! Tables compare keys without a machine. So where such an instance becomes a key, or is looked up as one, it is compared
//! with the earlier ones of the same hash, and all that are equal get one number; tables compare the numbers. That is
//! what calling `__eq__` in the table would give, as long as `__eq__` says of equal things that they are equal.

use std::collections::HashMap;
use std::rc::Rc;

use super::exception::PyResult;
use super::hash;
use super::modules::enums;
use super::types::Instance;
use super::value::Value;
use super::vm::Vm;

/// From so many on, those that nobody else holds are let go.
const MOST_UNUSED: usize = 1024;

/// One instance of each number, by hash.
#[derive(Default)]
pub struct KeyTwins {
    by_hash: HashMap<i64, Vec<Rc<Instance>>>,
    kept: usize,
    last: u64,
}

impl KeyTwins {
    /// Forgets the instances; numbers are never given again.
    pub fn clear(&mut self) {
        self.by_hash.clear();
        self.kept = 0;
    }

    fn add(&mut self, instance: &Rc<Instance>, hash: i64) {
        self.last += 1;
        instance.twin.set(self.last);
        if self.kept >= MOST_UNUSED && self.kept.is_power_of_two() {
            self.by_hash.retain(|_, instances| {
                instances.retain(|instance| Rc::strong_count(instance) > 1);
                !instances.is_empty()
            });
            self.kept = self.by_hash.values().map(Vec::len).sum();
        }
        self.by_hash.entry(hash).or_default().push(instance.clone());
        self.kept += 1;
    }
}

/// Numbers the instances in a value that is to be a key.
///
/// # Errors
/// What `__eq__` raises.
pub(super) fn note(vm: &mut Vm, value: &Value, hash: i64) -> PyResult<()> {
    match value {
        Value::Tuple(tuple) => {
            for item in &tuple.items {
                if matches!(item, Value::Instance(_) | Value::Tuple(_)) {
                    let hash = hash::hash(vm, item)?;
                    vm.deeper(|vm| note(vm, item, hash))?;
                }
            }
            Ok(())
        }
        // A member of an enumeration is equal to itself, and to its value.
        Value::Instance(instance)
            if vm.special(value, "__eq__").is_some() && enums::mixed_value(instance).is_none() =>
        {
            let candidates = vm.key_twins.by_hash.get(&hash).cloned().unwrap_or_default();
            vm.charge(candidates.len())?;
            for candidate in candidates {
                if Rc::ptr_eq(&candidate, instance) {
                    return Ok(());
                }
                if vm.equal(&Value::Instance(candidate.clone()), value)? {
                    instance.twin.set(candidate.twin.get());
                    return Ok(());
                }
            }
            vm.key_twins.add(instance, hash);
            Ok(())
        }
        _ => Ok(()),
    }
}
