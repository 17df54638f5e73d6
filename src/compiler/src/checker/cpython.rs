//! The reasons that CPython runs a block, if the host has CPython: features that the native language lacks, or that are native
//! substitutes for Galaxy's live side. Exception handlers change neither the reason nor the finding, because CPython has the feature
//! whose absence they would catch.

use tpv_front::syntax::text_size::TextRange;
use tpv_runtime::mapper::inventory::Inventory;
use tpv_runtime::mapper::live;

use super::block::Checker;
use crate::checker::stubs::model;
use crate::link::Need;
use tpv_text::code::Code;

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

    /// Notes a reason if a module stands in for Galaxy's live side.
    pub(super) fn uses_live_module(&mut self, module: &str) {
        self.needs.extend(live::module(module).map(|reason| Need { reason, only_live: true }));
    }

    /// Notes a reason if a name of a module or class stands in for the live side.
    pub(super) fn uses_live_name(&mut self, owner: &str, name: &str) {
        self.needs.extend(live::name(owner, name).map(|reason| Need { reason, only_live: true }));
    }

    /// Notes that a name is read that CPython has and the native language lacks, unless a context of the config may have it.
    pub(super) fn reads_left_out_name(&mut self, name: &str) {
        if !self.surroundings.contexts.contains(name) {
            self.needs_cpython(format!("it uses `{name}`"));
        }
    }

    /// Reports a feature that the native language lacks: a finding, and a reason for CPython.
    pub(super) fn lacks(&mut self, range: TextRange, message: String, exception: &str, help: &str) {
        self.needs_cpython(message.clone());
        self.lacked(range, message, exception, help);
    }

    /// The finding of [`Checker::lacks`] alone. A handler makes it no less a difference: CPython does not come to it.
    pub(super) fn lacked(&mut self, range: TextRange, message: String, exception: &str, help: &str) {
        let label = without_cpython(exception, self.catches(exception));
        self.fault(Code::NeedsCPython, range, message, label);
        self.note(WITH_CPYTHON);
        self.help(help);
    }
}

/// Returns `true` for names that CPython's builtins or the globals of TPV's loader have, and the native language lacks.
pub(super) fn is_left_out_name(native: &mut Inventory, name: &str) -> bool {
    !model().mapper.contains_key(name) && list_of(name).is_some() && !native.has_name(name)
}

/// The kind of thing that CPython has under a name, for messages.
pub(super) fn list_of(name: &str) -> Option<&'static str> {
    let lists = [
        ("builtin", model().builtins()),
        ("global of TPV's loader", model().loader()),
        ("global", model().list("dunders")),
    ];
    lists.into_iter().find(|(_, names)| names.contains(name)).map(|(what, _)| what)
}

/// The note on code that CPython runs.
pub(super) const WITH_CPYTHON: &str =
    "where tpvc is a Python package, in Galaxy and in `tpvc map`, CPython runs the block";

/// The effect if there is no CPython.
pub(super) fn without_cpython(exception: &str, is_caught: bool) -> String {
    match is_caught {
        true => format!("raises `{exception}`, which the code catches, unless CPython runs it"),
        false => format!("raises `{exception}` for each job that comes here, unless CPython runs it"),
    }
}
