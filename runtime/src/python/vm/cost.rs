//! What a job pays once, and what work costs that is kept for later jobs.

use std::collections::HashMap;

use super::Vm;
use crate::bytecode::CodeKind;
use crate::python::collisions;
use crate::python::exception::PyResult;

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
    patterns: HashMap<u32, HashMap<String, Payment>>,
    /// The steps that all of them took.
    steps: u64,
    /// How many measurements have begun.
    measurements: u64,
}

struct Payment {
    steps: u64,
    /// The measurement in which, or after which, the pattern was asked for last.
    asked: u64,
}

impl Paid {
    /// Forgets everything, for a new budget.
    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.steps = 0;
    }

    /// Whether the pattern is paid for; notes that it was asked for.
    fn has(&mut self, pattern: &str, flags: u32) -> bool {
        let payment = self.patterns.get_mut(&flags).and_then(|patterns| patterns.get_mut(pattern));
        if let Some(payment) = payment {
            payment.asked = self.measurements;
            return true;
        }
        false
    }

    fn add(&mut self, pattern: &str, flags: u32, steps: u64) {
        let count = self.patterns.values().map(HashMap::len).sum::<usize>();
        if count >= MAX_ONCE || self.steps.saturating_add(steps) > MAX_STEPS_ONCE as u64 {
            return;
        }
        self.steps += steps;
        let payment = Payment { steps, asked: self.measurements };
        self.patterns.entry(flags).or_default().insert(pattern.to_owned(), payment);
    }
}

/// Where the measurement of a cost began.
pub struct Measurement {
    steps_left: u64,
    paid_once: u64,
    number: u64,
}

/// What work costs a job, whatever the job has paid for already.
pub struct Cost {
    /// Steps that it costs each time.
    steps: u64,
    /// Regular expressions, with their flags and steps, that a job pays for once.
    once: Box<[(Box<str>, u32, u64)]>,
}

impl Cost {
    /// The bytes that it takes on the heap.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.once) + self.once.iter().map(|(pattern, ..)| pattern.len()).sum::<usize>()
    }

    /// The cost but for steps that are paid otherwise.
    pub fn without(self, steps: u64) -> Self {
        Self { steps: self.steps.saturating_sub(steps), ..self }
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

    /// Begins to measure what work costs.
    pub fn measure(&mut self) -> Measurement {
        self.paid.measurements += 1;
        Measurement { steps_left: self.steps_left, paid_once: self.paid.steps, number: self.paid.measurements }
    }

    /// What was done since the measurement began costs.
    pub fn cost_since(&self, start: &Measurement) -> Cost {
        let spent = start.steps_left.saturating_sub(self.steps_left);
        let once = self.paid.patterns.iter().flat_map(|(flags, patterns)| {
            let asked = patterns.iter().filter(|(_, payment)| payment.asked >= start.number);
            asked.map(|(pattern, payment)| (pattern.as_str().into(), *flags, payment.steps))
        });
        Cost { steps: spent.saturating_sub(self.paid.steps.saturating_sub(start.paid_once)), once: once.collect() }
    }

    /// Pays for work again that is not done again; false where the budget does not reach, and then nothing is paid.
    pub fn pay_again(&mut self, cost: &Cost) -> bool {
        let mut steps = cost.steps;
        for (pattern, flags, once) in &cost.once {
            if !self.paid.has(pattern, *flags) {
                steps = steps.saturating_add(*once);
            }
        }
        let Some(left) = self.steps_left.checked_sub(steps) else { return false };
        self.steps_left = left;
        for (pattern, flags, once) in &cost.once {
            if !self.paid.has(pattern, *flags) {
                self.paid.add(pattern, *flags, *once);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::rc::Rc;

    use super::super::NoEnvironment;
    use super::*;

    fn work(vm: &mut Vm) {
        vm.charge(5).unwrap();
        vm.charge_once("a+", 0, 100).unwrap();
    }

    #[test]
    fn what_is_kept_costs_what_it_would_cost() {
        let mut vm = Vm::new(Rc::new(NoEnvironment));
        // The job that it was computed for had the pattern already, which the next job has not.
        vm.charge_once("a+", 0, 100).unwrap();
        let outer = vm.measure();
        let start = vm.measure();
        work(&mut vm);
        let (cost, outer) = (vm.cost_since(&start), vm.cost_since(&outer));
        vm.renew();
        let full = vm.steps_left();
        work(&mut vm);
        work(&mut vm);
        let twice = full - vm.steps_left();
        assert_eq!(twice, 110);
        for cost in [&cost, &outer] {
            vm.renew();
            assert!(vm.pay_again(cost));
            work(&mut vm);
            assert_eq!(full - vm.steps_left(), twice);
            vm.renew();
            work(&mut vm);
            assert!(vm.pay_again(cost));
            assert_eq!(full - vm.steps_left(), twice);
        }
        vm.renew();
        vm.restore_steps(104);
        assert!(!vm.pay_again(&cost));
        assert_eq!(vm.steps_left(), 104);
    }

    #[test]
    fn what_was_asked_for_before_is_not_part_of_it() {
        let mut vm = Vm::new(Rc::new(NoEnvironment));
        vm.charge_once("b", 0, 100).unwrap();
        let start = vm.measure();
        work(&mut vm);
        let cost = vm.cost_since(&start);
        vm.renew();
        let full = vm.steps_left();
        assert!(vm.pay_again(&cost));
        assert_eq!(full - vm.steps_left(), 105);
    }
}
