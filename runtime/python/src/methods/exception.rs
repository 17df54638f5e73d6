//! Methods of exceptions.

use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::value::{Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "add_note", call: add_note }];

fn add_note(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [note] = args.exactly("BaseException.add_note")?;
    let Value::Exception(exception) = this else { return Err(super::wrong_receiver("BaseException", this)) };
    if note.as_str().is_none() {
        return Err(type_error(format!("note must be a str, not '{}'", note.type_name().as_str())));
    }
    let mut attributes = exception.attributes.borrow_mut();
    let notes = attributes.entry("__notes__".to_owned()).or_insert_with(|| Value::list(Vec::new()));
    match notes {
        Value::List(list) => list.items.borrow_mut().push(note),
        _ => return Err(type_error("Cannot add note: __notes__ is not a list")),
    }
    Ok(Value::None)
}
