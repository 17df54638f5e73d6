//! Making exceptions: `ValueError("...")`, `OSError(2, "...", path)`.

use std::rc::Rc;

use crate::args::Args;
use crate::exception::{
    ATTRIBUTE_ERROR, BLOCKING_IO_ERROR, BROKEN_PIPE_ERROR, CHILD_PROCESS_ERROR, CONNECTION_ABORTED_ERROR,
    CONNECTION_REFUSED_ERROR, CONNECTION_RESET_ERROR, ExceptionObject, FILE_EXISTS_ERROR, FILE_NOT_FOUND_ERROR,
    IMPORT_ERROR, INTERRUPTED_ERROR, IS_A_DIRECTORY_ERROR, NAME_ERROR, NOT_A_DIRECTORY_ERROR, OS_ERROR,
    PERMISSION_ERROR, PROCESS_LOOKUP_ERROR, PyResult, STOP_ITERATION, SYSTEM_EXIT, TIMEOUT_ERROR, UNICODE_DECODE_ERROR,
    UNICODE_ENCODE_ERROR, type_error, value_error,
};
use crate::number::Num;
use crate::types::BuiltinType;
use crate::value::Value;

/// The subclasses of `OSError` by errno on Linux, as `Objects/exceptions.c` maps them.
static BY_ERRNO: &[(i64, &BuiltinType)] = &[
    (1, &PERMISSION_ERROR),
    (2, &FILE_NOT_FOUND_ERROR),
    (3, &PROCESS_LOOKUP_ERROR),
    (4, &INTERRUPTED_ERROR),
    (10, &CHILD_PROCESS_ERROR),
    (11, &BLOCKING_IO_ERROR),
    (13, &PERMISSION_ERROR),
    (17, &FILE_EXISTS_ERROR),
    (20, &NOT_A_DIRECTORY_ERROR),
    (21, &IS_A_DIRECTORY_ERROR),
    (32, &BROKEN_PIPE_ERROR),
    (103, &CONNECTION_ABORTED_ERROR),
    (104, &CONNECTION_RESET_ERROR),
    (108, &BROKEN_PIPE_ERROR),
    (110, &TIMEOUT_ERROR),
    (111, &CONNECTION_REFUSED_ERROR),
    (114, &BLOCKING_IO_ERROR),
    (115, &BLOCKING_IO_ERROR),
];

/// The keyword arguments that some classes take, and become attributes.
fn keyword_attributes(class: &'static BuiltinType) -> &'static [&'static str] {
    if class.is_subclass(&IMPORT_ERROR) {
        &["name", "path"]
    } else if class.is_subclass(&ATTRIBUTE_ERROR) {
        &["name", "obj"]
    } else if class.is_subclass(&NAME_ERROR) {
        &["name"]
    } else {
        &[]
    }
}

/// An exception class called.
///
/// # Errors
/// `TypeError` where the arguments do not fit.
pub fn construct(class: &'static BuiltinType, args: Args) -> PyResult<Value> {
    let Args { pos, kw } = args;
    let object = instance(class, pos.into_vec())?;
    let allowed = keyword_attributes(class);
    if allowed.is_empty() && !kw.is_empty() {
        return Err(type_error(format!("{}() takes no keyword arguments", class.name)));
    }
    for name in allowed {
        object.attributes.borrow_mut().entry((*name).to_owned()).or_insert(Value::None);
    }
    for (name, value) in kw {
        if !allowed.contains(&name.as_str()) {
            return Err(type_error(format!("'{}' is an invalid keyword argument for {}()", name.as_str(), class.name)));
        }
        object.attributes.borrow_mut().insert(name.to_string(), value);
    }
    Ok(Value::Exception(object))
}

/// An exception of a class, with the attributes that the class gives its instances.
///
/// # Errors
/// `TypeError` where a class needs a number of arguments that is not given.
pub fn instance(class: &'static BuiltinType, args: Vec<Value>) -> PyResult<Rc<ExceptionObject>> {
    if class.is_subclass(&UNICODE_DECODE_ERROR) || class.is_subclass(&UNICODE_ENCODE_ERROR) {
        if args.len() != 5 {
            return Err(type_error(format!("function takes exactly 5 arguments ({} given)", args.len())));
        }
        let wanted = if class.is_subclass(&UNICODE_DECODE_ERROR) { "bytes" } else { "str" };
        if let Some(encoding) = args.first()
            && encoding.as_str().is_none()
        {
            return Err(type_error(format!("argument 1 must be str, not {}", encoding.argument_class().as_str())));
        }
        match args.get(1) {
            Some(given) if given.type_name().as_str() != wanted => {
                return Err(type_error(match wanted {
                    "bytes" => format!("a bytes-like object is required, not '{}'", given.type_name().as_str()),
                    _ => format!("argument 2 must be str, not {}", given.argument_class().as_str()),
                }));
            }
            _ => {}
        }
        let object = ExceptionObject::new(class, args.clone());
        let names = ["encoding", "object", "start", "end", "reason"];
        let mut attributes = object.attributes.borrow_mut();
        attributes.extend(names.into_iter().map(str::to_owned).zip(args));
        drop(attributes);
        return Ok(object);
    }
    if class.is_subclass(&OS_ERROR) && (2..=5).contains(&args.len()) {
        return os_error(class, args);
    }
    let object = ExceptionObject::new(class, args.clone());
    let first = || args.first().cloned().unwrap_or_default();
    let mut attributes = object.attributes.borrow_mut();
    if class.is_subclass(&STOP_ITERATION) {
        attributes.insert("value".to_owned(), first());
    } else if class.is_subclass(&SYSTEM_EXIT) {
        let code = if args.len() > 1 { Value::tuple(args.clone()) } else { first() };
        attributes.insert("code".to_owned(), code);
    } else if class.is_subclass(&IMPORT_ERROR) {
        let message = if args.len() == 1 { first() } else { Value::None };
        attributes.insert("msg".to_owned(), message);
    } else if class.is_subclass(&OS_ERROR) {
        for name in ["errno", "strerror", "filename", "filename2"] {
            attributes.insert(name.to_owned(), Value::None);
        }
    }
    drop(attributes);
    Ok(object)
}

fn os_error(class: &'static BuiltinType, mut args: Vec<Value>) -> PyResult<Rc<ExceptionObject>> {
    let errno = match args.first() {
        Some(Value::Bool(errno)) => Some(Value::Int(i64::from(*errno))),
        other => other.cloned(),
    };
    let class = match &errno {
        Some(Value::Int(errno)) if class.is(&OS_ERROR) => {
            BY_ERRNO.iter().find(|(number, _)| number == errno).map_or(class, |(_, class)| class)
        }
        _ => class,
    };
    let filename2 = args.get(4).cloned();
    let filename = args.get(2).cloned();
    let blocking = class.is(&BLOCKING_IO_ERROR);
    if blocking && let Some(written) = filename.as_ref().filter(|name| Num::of(name).is_some()) {
        // A number in this place is how many characters were written, not a name.
        match written {
            Value::Float(_) => return Err(type_error("'float' object cannot be interpreted as an integer")),
            Value::BigInt(_) => return Err(value_error("cannot fit 'int' into an index-sized integer")),
            _ => {}
        }
        let written = written.clone();
        let object = ExceptionObject::new(class, args);
        set_os_attributes(&object, None);
        object.attributes.borrow_mut().insert("characters_written".to_owned(), written);
        return Ok(object);
    }
    args.truncate(2);
    let object = ExceptionObject::new(class, args);
    set_os_attributes(&object, filename);
    if let Some(filename2) = filename2 {
        object.attributes.borrow_mut().insert("filename2".to_owned(), filename2);
    }
    Ok(object)
}

/// Gives an `OSError` of two arguments its attributes.
pub fn set_os_attributes(object: &ExceptionObject, filename: Option<Value>) {
    let args = object.args.borrow().clone();
    let mut attributes = object.attributes.borrow_mut();
    let mut args = args.into_iter();
    for name in ["errno", "strerror"] {
        attributes.insert(name.to_owned(), args.next().unwrap_or_default());
    }
    attributes.insert("filename".to_owned(), filename.unwrap_or_default());
    attributes.insert("filename2".to_owned(), Value::None);
}
