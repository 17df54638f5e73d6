//! Replacing each byte by another: `translate` and `maketrans`.

use super::{bytes_argument, bytes_of};
use crate::args::Args;
use crate::exception::{PyResult, type_error, value_error};
use crate::value::Value;
use crate::vm::{BYTES_A_STEP, Vm};

pub(super) fn translate(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(this, "translate")?;
    if args.pos.is_empty() {
        return Err(type_error("translate() takes at least 1 positional argument (0 given)"));
    }
    let [table, delete] = args.bind("translate", ["", "delete"], 1)?;
    let table = table.unwrap_or_default();
    let table = if table.is_none() { None } else { Some(bytes_argument(&table)?) };
    if table.is_some_and(|table| table.len() != 256) {
        return Err(value_error("translation table must be 256 characters long"));
    }
    let deleted = match &delete {
        Some(delete) => bytes_argument(delete)?,
        None => &[],
    };
    vm.charge_bytes(bytes.len())?;
    let mut kept = [true; 256];
    for byte in deleted {
        if let Some(kept) = kept.get_mut(usize::from(*byte)) {
            *kept = false;
        }
    }
    let kept = bytes.iter().filter(|byte| kept.get(usize::from(**byte)) == Some(&true));
    let translated = kept.map(|byte| table.and_then(|table| table.get(usize::from(*byte))).copied().unwrap_or(*byte));
    Ok(Value::bytes(translated.collect::<Vec<u8>>()))
}

/// `bytes.maketrans(from, to)`
pub(super) fn maketrans(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [from, to] = args.between("maketrans", 2)?.map(Option::unwrap_or_default);
    let (from, to) = (bytes_argument(&from)?, bytes_argument(&to)?);
    if from.len() != to.len() {
        return Err(value_error("maketrans arguments must have same length"));
    }
    vm.charge(from.len() / BYTES_A_STEP)?;
    let mut table: Vec<u8> = (0..=255).collect();
    for (from, to) in from.iter().zip(to) {
        if let Some(entry) = table.get_mut(usize::from(*from)) {
            *entry = *to;
        }
    }
    Ok(Value::bytes(table))
}
