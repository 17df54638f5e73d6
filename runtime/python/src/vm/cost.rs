//! Work that a job is charged for only once: compiling a pattern, compiling code made at run time.

use std::collections::{HashMap, HashSet};

use super::Vm;
use crate::collisions;
use crate::exception::PyResult;
use tpv_bytecode::CodeKind;

/// The most pieces of work that a cache holds: as many as CPython keeps of patterns. A cache that is full drops what it holds.
pub(crate) const MAX_KEPT: usize = 512;

/// The most steps of such work. A step stands for some 15 bytes of a compiled pattern, so that these are about 30 MB.
pub(crate) const MAX_STEPS_KEPT: usize = 2_000_000;

/// The most pieces of work that a job is charged for only once. Since a full cache drops what it holds, a piece may be compiled again without
/// a charge. This is half of what the caches hold, so that at least half of the work is charged.
const MAX_ONCE: usize = MAX_KEPT / 2;

/// The most steps of such work, for the same reason. Work beyond is charged each time.
const MAX_STEPS_ONCE: usize = MAX_STEPS_KEPT / 2;

/// The steps that compiling code takes: at least, and for each byte of source.
const COMPILE: usize = 250;
const COMPILE_A_BYTE: usize = 8;

/// The charge for compiling source that was made at run time.
pub(super) fn compiling(source: &str) -> usize {
    source.len().saturating_mul(COMPILE_A_BYTE).saturating_add(COMPILE)
}

/// A kind of work that a job is charged for only once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// Compiling a regular expression with these flags.
    Pattern(u32),
    /// Compiling code made at run time.
    Code(CodeKind),
}

/// The work that this job has been charged for.
#[derive(Default)]
pub(super) struct Paid {
    texts: HashMap<Work, HashSet<String>>,
    /// The steps that all of them took.
    steps: u64,
}

impl Paid {
    /// Forgets everything, for a new budget.
    pub(super) fn clear(&mut self) {
        self.texts.clear();
        self.steps = 0;
    }

    /// Returns `true` if the job has been charged for this work on a text.
    fn has(&self, work: Work, text: &str) -> bool {
        self.texts.get(&work).is_some_and(|texts| texts.contains(text))
    }

    fn add(&mut self, work: Work, text: &str, steps: u64) {
        let count = self.texts.values().map(HashSet::len).sum::<usize>();
        if count < MAX_ONCE && self.steps.saturating_add(steps) <= MAX_STEPS_ONCE as u64 {
            self.steps += steps;
            self.texts.entry(work).or_default().insert(text.to_owned());
        }
    }
}

impl Vm {
    /// Charges for compiling a pattern, unless this job has been charged for it.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    pub fn charge_once(&mut self, pattern: &str, flags: u32, steps: usize) -> PyResult<()> {
        let charged = self.begin_work(Work::Pattern(flags), pattern, steps)?;
        self.end_work(charged, pattern);
        Ok(())
    }

    /// Charges for work on a text, unless this job has been charged for it. Gives what [`Vm::end_work`] takes once the work is done.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    pub(super) fn begin_work(&mut self, work: Work, text: &str, steps: usize) -> PyResult<Option<(Work, usize)>> {
        if self.paid.has(work, text) {
            return Ok(None);
        }
        self.charge(steps)?;
        Ok(Some((work, steps)))
    }

    /// Notes that the work is done and charged for.
    pub(super) fn end_work(&mut self, charged: Option<(Work, usize)>, text: &str) {
        if let Some((work, steps)) = charged {
            self.paid.add(work, text, steps as u64);
        }
    }

    /// Charges for the comparisons of keys with equal hashes since the last charge.
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
