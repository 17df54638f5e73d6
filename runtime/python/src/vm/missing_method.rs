//! Which error `x.missing(undefined)` raises: that of the method or that of the name.
//!
//! CPython looks the method up before it evaluates the arguments. Here one instruction looks it up and calls it, where all that
//! the arguments can raise is `NameError`. When they do, this file looks whether the method is missing as well.

use super::Vm;
use super::frame::Frame;
use super::interpreter::Running;
use crate::exception::{NAME_ERROR, Raised};
use crate::value::Value;
use tpv_bytecode::Instr;

/// The receiver and the name of a method whose call was evaluating its arguments.
struct Pending {
    receiver: Value,
    name: u32,
}

/// The call that takes the name at which the frame stopped for an argument, if such a call is under way.
fn pending(frame: &Frame, running: &Running) -> Option<Pending> {
    let at = frame.pc.checked_sub(1)?;
    let mut rest = running.code.instrs.get(at..)?.iter();
    if !matches!(rest.next()?, Instr::LoadName { .. } | Instr::LoadFast { .. } | Instr::LoadDeref { .. }) {
        return None;
    }
    // How many values the frame would have, had the name been there, and how many of those that it has were left as they are.
    let (mut values, mut left) = (frame.stack.len() + 1, frame.stack.len());
    for instr in rest {
        let taken = match *instr {
            Instr::Const { .. } | Instr::LoadName { .. } | Instr::LoadFast { .. } | Instr::LoadDeref { .. } => 0,
            Instr::BuildList { count } | Instr::BuildTuple { count } => count as usize,
            Instr::BuildDict { count } => 2 * count as usize,
            Instr::MakeFunction { .. } => 2,
            Instr::CallMethod { name, argc } | Instr::CallMethodKw { name, argc, .. } => {
                let receiver = values.checked_sub(argc as usize + 1).filter(|receiver| *receiver < left)?;
                return frame.stack.get(receiver).map(|receiver| Pending { receiver: receiver.clone(), name });
            }
            _ => return None,
        };
        values = values.checked_sub(taken)?;
        left = left.min(values);
        values += 1;
    }
    None
}

impl Vm {
    /// The exception of a frame that `raised`: for a missing name among the arguments of a missing method, the method's
    /// error.
    #[inline(never)]
    pub(super) fn missing_method_first(&mut self, frame: &Frame, running: &Running, raised: Raised) -> Raised {
        if !raised.is(&NAME_ERROR) || !raised.0.places.borrow().is_empty() {
            return raised;
        }
        let Some(Pending { receiver, name }) = pending(frame, running) else { return raised };
        let found = running.name(name).and_then(|name| self.get_attr(&receiver, &name.text));
        found.err().unwrap_or(raised)
    }
}
