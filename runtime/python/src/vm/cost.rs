//! What a job pays for once.

use std::collections::{HashMap, HashSet};

use super::Vm;
use crate::collisions;
use crate::exception::PyResult;
use tpv_bytecode::CodeKind;

/// How many patterns a job pays for once. As others are compiled, kept ones are dropped, and then compiled again for nothing:
/// this is half of how many are kept, so that what is paid is half of the work or more.
const MAX_ONCE: usize = 256;

/// The steps that a job pays once, for the same reason: what comes after them is paid each time.
pub const MAX_STEPS_ONCE: usize = 1_000_000;

/// The steps that compiling a piece of code takes at least, and for each of its bytes.
const COMPILE: usize = 250;
const COMPILE_A_BYTE: usize = 8;

/// The steps that compiling source takes which was made at run time.
pub(super) fn compiling(source: &str) -> usize {
    source.len().saturating_mul(COMPILE_A_BYTE).saturating_add(COMPILE)
}

/// What stands for the flags of a regular expression where code is paid for.
pub(super) fn code_flags(kind: CodeKind) -> u32 {
    u32::MAX - kind as u32
}

/// The regular expressions, and the code made at run time, that this job has paid for, by their flags.
#[derive(Default)]
pub(super) struct Paid {
    patterns: HashMap<u32, HashSet<String>>,
    /// The steps that all of them took.
    steps: u64,
}

impl Paid {
    /// Forgets everything, for a new budget.
    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.steps = 0;
    }

    /// Whether the pattern is paid for.
    fn has(&self, pattern: &str, flags: u32) -> bool {
        self.patterns.get(&flags).is_some_and(|patterns| patterns.contains(pattern))
    }

    fn add(&mut self, pattern: &str, flags: u32, steps: u64) {
        let count = self.patterns.values().map(HashSet::len).sum::<usize>();
        if count < MAX_ONCE && self.steps.saturating_add(steps) <= MAX_STEPS_ONCE as u64 {
            self.steps += steps;
            self.patterns.entry(flags).or_default().insert(pattern.to_owned());
        }
    }
}

impl Vm {
    /// Pays for a pattern with flags where this job has not paid for it yet.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    pub fn charge_once(&mut self, pattern: &str, flags: u32, steps: usize) -> PyResult<()> {
        let paid = self.begin_paying(pattern, flags, steps)?;
        self.end_paying(paid, pattern);
        Ok(())
    }

    /// Pays for something where this job has not paid for it yet; gives what [`Vm::end_paying`] wants once it is made.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    pub(super) fn begin_paying(&mut self, what: &str, flags: u32, steps: usize) -> PyResult<Option<(u32, usize)>> {
        if self.paid.has(what, flags) {
            return Ok(None);
        }
        self.charge(steps)?;
        Ok(Some((flags, steps)))
    }

    /// Notes that something is paid for.
    pub(super) fn end_paying(&mut self, paid: Option<(u32, usize)>, what: &str) {
        if let Some((flags, steps)) = paid {
            self.paid.add(what, flags, steps as u64);
        }
    }

    /// Pays for comparing the keys of equal hash that the job's tables have compared since it paid last.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    #[inline]
    pub fn charge_comparisons(&mut self) -> PyResult<()> {
        match collisions::take() {
            0 => Ok(()),
            compared => {
                self.charge(usize::try_from(compared).unwrap_or(usize::MAX))?;
                collisions::allow(self.steps_left);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::rc::Rc;

    use super::super::NoEnvironment;
    use super::*;

    #[test]
    fn a_pattern_is_paid_for_once_a_budget() {
        let mut vm = Vm::new(Rc::new(NoEnvironment));
        let full = vm.steps_left();
        for (pattern, flags, paid) in [("a+", 0, 100), ("a+", 0, 100), ("a+", 2, 200), ("b", 0, 300)] {
            vm.charge_once(pattern, flags, 100).unwrap();
            assert_eq!(full - vm.steps_left(), paid);
        }
        vm.renew();
        vm.charge_once("a+", 0, 100).unwrap();
        assert_eq!(full - vm.steps_left(), 100);
    }
}
