//! The texts of f-strings.

// SAFETY of all functions: see the head of `host.rs`.
#![allow(unsafe_code)]

use tpv_literal::{float_text, int_text};
use tpv_python::value::Value;

use super::{Host, LEAVE, payload, reference};

/// The return value of functions without a result.
const DONE: u64 = 0;

impl Host<'_> {
    /// The bytes of the text so far.
    fn made(&self) -> usize {
        self.text.len().saturating_sub(self.start)
    }

    /// Appends to the text, where that does not make it longer than a value may be.
    fn append(&mut self, text: &str) -> u64 {
        if text.len() > self.vm.limits.bytes.saturating_sub(self.made()) {
            return LEAVE;
        }
        self.text.push_str(text);
        DONE
    }

    /// Pays for the text, as far as that is surely within the budget.
    fn pay(&mut self) -> u64 {
        let made = self.made();
        let is_within = made <= self.vm.limits.bytes && made as u64 <= self.vm.steps_left();
        if is_within && self.vm.charge_bytes(made).is_ok() { DONE } else { LEAVE }
    }
}

/// Ends the text that is the kernel's result.
pub(in super::super) unsafe extern "C" fn end(host: *mut Host<'_>) -> u64 {
    // SAFETY: see above.
    unsafe { &mut *host }.pay()
}

/// Ends a text that the kernel goes on with: makes it a value of the run, and leaves its payload in `out`.
pub(in super::super) unsafe extern "C" fn keep(host: *mut Host<'_>) -> u64 {
    // SAFETY: see above.
    let host = unsafe { &mut *host };
    if host.pay() == LEAVE {
        return LEAVE;
    }
    let Some(text) = host.text.get(host.start..).map(Value::str) else { return LEAVE };
    host.text.truncate(host.start);
    host.out = payload(host.references, text);
    DONE
}

/// Appends an int.
pub(in super::super) unsafe extern "C" fn int(host: *mut Host<'_>, int: i64) -> u64 {
    // SAFETY: see above.
    let host = unsafe { &mut *host };
    int_text::write_small(host.text, int);
    DONE
}

/// Appends a float, as `repr` shows it.
pub(in super::super) unsafe extern "C" fn float(host: *mut Host<'_>, float: f64) -> u64 {
    // SAFETY: see above.
    let host = unsafe { &mut *host };
    float_text::write_repr(host.text, float);
    DONE
}

/// Appends a text.
pub(in super::super) unsafe extern "C" fn string(host: *mut Host<'_>, text: u64) -> u64 {
    // SAFETY: see above.
    let host = unsafe { &mut *host };
    match host.value(reference(text)) {
        Some(Value::Str(text)) => host.append(&text),
        _ => LEAVE,
    }
}

/// Appends `format(value, spec)`; without a specification where that is no reference to a constant.
pub(in super::super) unsafe extern "C" fn formatted(host: *mut Host<'_>, tag: u64, payload: u64, spec: u64) -> u64 {
    // SAFETY: see above.
    let host = unsafe { &mut *host };
    let Some(value) = host.tagged(tag, payload) else { return LEAVE };
    let spec = match spec {
        0 => None,
        spec => host.value(spec),
    };
    let spec = spec.as_ref().and_then(Value::as_str).map(|spec| spec.as_str()).unwrap_or_default();
    match host.vm.format(&value, spec) {
        Ok(text) => host.append(&text),
        Err(_) => LEAVE,
    }
}
