//! `string`: its constants.

use crate::value::Value;

module! {
    /// `string`
    MODULE = "string";
    functions {}
    values(_vm) {
        "ascii_letters" => Value::str("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "ascii_lowercase" => Value::str("abcdefghijklmnopqrstuvwxyz"),
        "ascii_uppercase" => Value::str("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "digits" => Value::str("0123456789"),
        "hexdigits" => Value::str("0123456789abcdefABCDEF"),
        "octdigits" => Value::str("01234567"),
        "printable" => Value::str(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\u{b}\u{c}",
        ),
        "punctuation" => Value::str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        "whitespace" => Value::str(" \t\n\r\u{b}\u{c}"),
    }
}
