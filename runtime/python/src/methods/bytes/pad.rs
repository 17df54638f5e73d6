//! Filling up.

use super::bytes_of;
use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::value::Value;
use crate::vm::Vm;

/// The bytes with so much fill on the left and right that they have the width.
fn justify(vm: &mut Vm, this: &Value, args: Args, method: &str, left: fn(usize, usize) -> usize) -> PyResult<Value> {
    let bytes = bytes_of(this, method)?;
    let [width, fill] = args.between(method, 1)?;
    let width = vm.size_argument(&width.unwrap_or_default())?;
    let fill = match &fill {
        None => b' ',
        Some(Value::Bytes(fill)) if fill.len() == 1 => fill.first().copied().unwrap_or(b' '),
        Some(other) => {
            let given = other.argument_class();
            return Err(type_error(format!(
                "{method}() argument 2 must be a byte string of length 1, not {}",
                given.as_str()
            )));
        }
    };
    let width = usize::try_from(width).unwrap_or(0);
    let missing = width.saturating_sub(bytes.len());
    vm.charge_bytes(bytes.len().saturating_add(missing))?;
    let left = left(missing, width);
    let mut out = vec![fill; left];
    out.extend(bytes);
    out.resize(bytes.len() + missing, fill);
    Ok(Value::bytes(out))
}

pub(super) fn center(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    // CPython puts the odd one left where the width is odd.
    justify(vm, this, args, "center", |missing, width| missing / 2 + (missing & width & 1))
}

pub(super) fn ljust(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    justify(vm, this, args, "ljust", |_, _| 0)
}

pub(super) fn rjust(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    justify(vm, this, args, "rjust", |missing, _| missing)
}

/// Fills up with zeros, behind a sign.
pub(super) fn zfill(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(this, "zfill")?;
    let [width] = args.exactly("bytes.zfill")?;
    let width = usize::try_from(vm.size_argument(&width)?).unwrap_or(0);
    let missing = width.saturating_sub(bytes.len());
    vm.charge_bytes(bytes.len().saturating_add(missing))?;
    let sign = usize::from(missing > 0 && matches!(bytes.first(), Some(b'+' | b'-')));
    let mut out = bytes.get(..sign).unwrap_or_default().to_vec();
    out.resize(sign + missing, b'0');
    out.extend(bytes.get(sign..).unwrap_or_default());
    Ok(Value::bytes(out))
}

pub(super) fn expandtabs(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(this, "expandtabs")?;
    let [size] = args.bind("expandtabs", ["tabsize"], 0)?;
    let size = match size {
        Some(size) => usize::try_from(vm.size_argument(&size)?).unwrap_or(0),
        None => 8,
    };
    let tabs = bytes.iter().filter(|byte| **byte == b'\t').count();
    vm.charge_bytes(bytes.len().saturating_add(tabs.saturating_mul(size)))?;
    let (mut out, mut column) = (Vec::with_capacity(bytes.len()), 0);
    for byte in bytes {
        match byte {
            b'\t' => {
                let fill = if size == 0 { 0 } else { size - column % size };
                out.resize(out.len() + fill, b' ');
                column += fill;
            }
            _ => {
                out.push(*byte);
                column = if matches!(byte, b'\n' | b'\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(Value::bytes(out))
}
