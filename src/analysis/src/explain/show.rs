//! Python values as people read them.

use tpv_literal::float_text;
use tpv_literal::quoted::str_repr;
use tpv_python::value::Value;

/// A value as people read it: strings bare.
pub(super) fn show(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Str(whole) => text.push_str(whole),
        other => write(&mut text, other, 0),
    }
    if text.len() > MAX_SHOWN {
        text.truncate(text.floor_char_boundary(MAX_SHOWN));
        text.push_str("...");
    }
    text
}

/// The depth to which nested values are shown; a list may hold itself.
const MAX_DEPTH: usize = 8;

/// The number of bytes shown of a value: a part that occurs many times is shown each time.
const MAX_SHOWN: usize = 1 << 16;

/// The number of bytes shown of all values of an entity.
pub(super) const MAX_SHOWN_OF_ALL: usize = 1 << 18;

fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        _ if text.len() > MAX_SHOWN => {}
        Value::List(_) | Value::Dict(_) if depth >= MAX_DEPTH => text.push_str("..."),
        Value::None => text.push_str("None"),
        Value::Bool(true) => text.push_str("True"),
        Value::Bool(false) => text.push_str("False"),
        Value::Int(number) => text.push_str(&number.to_string()),
        // Longer ones take time that grows with the square of their length, and Python itself does not show them.
        Value::BigInt(number) if number.bits() > MAX_BITS => text.push_str("<an int>"),
        Value::BigInt(number) => text.push_str(&number.to_string()),
        Value::Float(number) => text.push_str(&float_text::repr(*number)),
        Value::Str(own) => text.push_str(&str_repr(own)),
        Value::List(list) => {
            text.push('[');
            for (index, item) in list.items.borrow().iter().enumerate() {
                if text.len() > MAX_SHOWN {
                    return;
                }
                text.push_str(if index > 0 { ", " } else { "" });
                write(text, item, depth + 1);
            }
            text.push(']');
        }
        Value::Dict(dict) => {
            text.push('{');
            for (index, (key, value)) in dict.items().iter().enumerate() {
                if text.len() > MAX_SHOWN {
                    return;
                }
                text.push_str(if index > 0 { ", " } else { "" });
                write(text, key, depth + 1);
                text.push_str(": ");
                write(text, value, depth + 1);
            }
            text.push('}');
        }
        other => {
            text.push('<');
            text.push_str(other.type_name().as_str());
            text.push('>');
        }
    }
}

/// The bits of the largest ints that are shown.
const MAX_BITS: u64 = 1 << 14;
