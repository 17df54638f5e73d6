//! The budget of an analysis: how much it may do and keep before it gives up, and what it says then.
//!
//! Both are counted, not measured, so that a config gets the same findings on every machine.

use std::cell::Cell;

use tpv_text::interrupt::Interrupt;
use tpv_text::source::{SourceMap, Span};

/// The most steps of an analysis, each about a tenth of a microsecond.
const MOST_STEPS: usize = 8_000_000;

/// The most bytes that an analysis keeps.
const MOST_BYTES: usize = 128 << 20;

/// The steps and bytes that an analysis has left.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<usize>,
    bytes: Cell<usize>,
    is_spent: Cell<bool>,
    /// A run that is to end has no budget left.
    interrupt: Interrupt,
}

/// The error of an analysis whose budget is spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent;

impl Budget {
    /// The budget of one analysis.
    pub(super) fn new() -> Self {
        Self::of(MOST_STEPS, MOST_BYTES)
    }

    /// A budget of so many steps and bytes.
    pub(super) fn of(steps: usize, bytes: usize) -> Self {
        let (steps, bytes, is_spent) = (Cell::new(steps), Cell::new(bytes), Cell::new(false));
        Self { steps, bytes, is_spent, interrupt: Interrupt::present() }
    }

    /// Takes steps from the budget.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn steps(&self, count: usize) -> Result<(), Spent> {
        self.take(&self.steps, count)
    }

    /// Takes bytes from the budget.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn bytes(&self, count: usize) -> Result<(), Spent> {
        self.take(&self.bytes, count)
    }

    /// Returns `true` if more was taken than there is.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    fn take(&self, left: &Cell<usize>, count: usize) -> Result<(), Spent> {
        match left.get().checked_sub(count).filter(|_| !self.is_spent() && !self.interrupt.is_set()) {
            Some(rest) => {
                left.set(rest);
                Ok(())
            }
            None => {
                self.is_spent.set(true);
                Err(Spent)
            }
        }
    }
}

/// Something that is not proved: the budget of its analysis is spent, or code may do anything.
#[derive(Clone, Debug)]
pub struct Unproved {
    /// The message: the limit that was exceeded, and the facts that are unknown because of it.
    pub message: String,
    /// The place at which the analysis gave up; `None` if it is no place of a file.
    pub span: Option<Span>,
}

impl Unproved {
    /// The message, after file, line and column.
    pub fn text(&self, sources: &SourceMap) -> String {
        self.after("not proved", sources)
    }

    /// The message of what was not tried, after file, line and column.
    pub fn untried(&self, sources: &SourceMap) -> String {
        self.after("not tried", sources)
    }

    fn after(&self, what: &str, sources: &SourceMap) -> String {
        let place = self.span.map(|span| format!("{}: ", sources.locate(span)));
        format!("{}{what}: {}", place.unwrap_or_default(), self.message)
    }
}
