//! `sys`: facts about the Python that the runtime is like.

use crate::value::Value;

module! {
    /// `sys`
    MODULE = "sys";
    functions {}
    values(_vm) {
        "byteorder" => Value::str("little"),
        "maxsize" => Value::Int(i64::MAX),
        "maxunicode" => Value::Int(0x10_ffff),
        "platform" => Value::str("linux"),
    }
}
