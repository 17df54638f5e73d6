//! Why CPython runs a block where there is one: what the checker finds in it that the native language lacks, or that natively
//! only stands in for Galaxy's live side. Handlers around it make no difference: what they catch natively, CPython may have.

use rustpython_parser::text_size::TextRange;
use tpv_runtime::mapper::live;

use super::checker::Checker;
use crate::link::Need;
use crate::lint::model::model;

/// The reason that counts of several in a block: the first of those that hold always, or else the first.
pub(super) fn strongest(needs: Vec<Need>) -> Option<Need> {
    let index = needs.iter().position(|need| !need.only_live).unwrap_or_default();
    needs.into_iter().nth(index)
}

impl Checker<'_> {
    /// Notes a reason that holds always.
    pub(super) fn needs_cpython(&mut self, reason: impl Into<String>) {
        self.needs.push(Need { reason: reason.into(), only_live: false });
    }

    /// Notes a reason where a module stands in for Galaxy's live side.
    pub(super) fn uses_live_module(&mut self, module: &str) {
        self.needs.extend(live::module(module).map(|reason| Need { reason, only_live: true }));
    }

    /// Notes a reason where a name of a module or class stands in for the live side.
    pub(super) fn uses_live_name(&mut self, owner: &str, name: &str) {
        self.needs.extend(live::name(owner, name).map(|reason| Need { reason, only_live: true }));
    }

    /// Notes a name that CPython's builtins have, or the globals of TPV's loader, and the native language lacks.
    pub(super) fn reads_left_out_name(&mut self, name: &str) {
        if self.surroundings.contexts.contains(name)
            || model().mapper.contains_key(name)
            || self.native(|native| native.has_name(name))
        {
            return;
        }
        let lists = [model().builtins(), model().loader(), model().list("dunders")];
        if lists.iter().any(|names| names.contains(name)) {
            self.needs_cpython(format!("it uses `{name}`"));
        }
    }

    /// What the native language lacks: a finding, and a reason for CPython.
    pub(super) fn lacks(&mut self, range: TextRange, message: String, exception: &str, help: &str) {
        self.needs_cpython(message.clone());
        self.lacked(range, message, exception, help);
    }

    /// The finding of [`Checker::lacks`] alone.
    pub(super) fn lacked(&mut self, range: TextRange, message: String, exception: &str, help: &str) {
        if self.expects(exception) {
            return;
        }
        self.fault("T130", range, message, without_cpython(exception));
        self.note(WITH_CPYTHON);
        self.help(help);
    }
}

/// What is said of code that CPython runs.
pub(super) const WITH_CPYTHON: &str =
    "where tpvc is a Python package, in Galaxy and in `tpvc map`, CPython runs the block";

/// What becomes of it where there is none.
pub(super) fn without_cpython(exception: &str) -> String {
    format!("raises `{exception}` for each job that comes here, unless CPython runs it")
}
