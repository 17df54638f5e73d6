//! Builtin functions on text: `ascii`, `chr`, `format`, `ord`, `print`, `repr`.

use super::convert;
use crate::args::Args;
use crate::exception::{FILE_NOT_FOUND_ERROR, PyResult, raise_with, type_error, value_error};
use crate::value::Value;
use crate::vm::{LogLevel, Vm};

/// `ascii(object)`
pub(crate) fn ascii(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("ascii")?;
    Ok(Value::str(vm.ascii(&value)?))
}

/// `repr(object)`
pub(crate) fn repr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("repr")?;
    Ok(Value::str(vm.repr(&value)?))
}

/// `chr(i)`
pub(crate) fn chr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("chr")?;
    let code = convert::index_i32(vm, &value)?;
    match u32::try_from(code).ok().filter(|code| *code <= 0x10_FFFF) {
        // DIFFERENCE: a lone surrogate has no place in the runtime's strings.
        Some(code) => match char::from_u32(code) {
            Some(character) => Ok(Value::str(character.to_string())),
            None => {
                crate::lacking::note("tpvc has no lone surrogates");
                Err(value_error("chr() of a lone surrogate is not supported"))
            }
        },
        None => Err(value_error("chr() arg not in range(0x110000)")),
    }
}

/// `ord(c)`
pub(crate) fn ord(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("ord")?;
    let length = match &value {
        Value::Str(text) => {
            let mut characters = text.chars();
            if let (Some(character), None) = (characters.next(), characters.next()) {
                return Ok(Value::Int(i64::from(u32::from(character))));
            }
            vm.len(&value)?
        }
        Value::Bytes(bytes) => {
            if let [byte] = bytes.as_slice() {
                return Ok(Value::Int(i64::from(*byte)));
            }
            bytes.len()
        }
        other => {
            return Err(type_error(format!(
                "ord() expected string of length 1, but {} found",
                other.type_name().as_str()
            )));
        }
    };
    Err(type_error(format!("ord() expected a character, but string of length {length} found")))
}

/// `format(value, spec="")`
pub(crate) fn format(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value, spec] = args.between("format", 1)?;
    let value = value.unwrap_or_default();
    match spec {
        None => vm.format(&value, "").map(Value::Str),
        Some(spec) => {
            let Value::Str(text) = &spec else {
                let given = spec.argument_class();
                return Err(type_error(format!("format() argument 2 must be str, not {}", given.as_str())));
            };
            vm.format(&value, text).map(Value::Str)
        }
    }
}

/// `print(*values, sep=' ', end='\n', file=None, flush=False)`: the text goes to the log, at debug level.
pub(crate) fn print(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (mut separator, mut end) = (" ".to_owned(), "\n".to_owned());
    let mut file = None;
    for (name, value) in &args.kw {
        let target = match name.as_str() {
            "sep" => &mut separator,
            "end" => &mut end,
            "file" => {
                file = Some(value.clone()).filter(|file| !file.is_none());
                continue;
            }
            "flush" => continue,
            other => return Err(type_error(format!("'{other}' is an invalid keyword argument for print()"))),
        };
        if !value.is_none() {
            let message = format!("{} must be None or a string, not ", name.as_str());
            *target = convert::text(value, &message)?.to_string();
        }
    }
    if let Some(file) = file {
        return print_to(vm, &file, &args.pos, &separator, &end);
    }
    let mut line = String::new();
    for (index, value) in args.pos.iter().enumerate() {
        if index > 0 {
            line.push_str(&separator);
        }
        line.push_str(&vm.str(value)?);
        vm.charge_bytes(line.len())?;
    }
    line.push_str(&end);
    let line = line.strip_suffix('\n').unwrap_or(&line);
    vm.environment.log(LogLevel::Debug, line);
    Ok(Value::None)
}

/// `print(..., file=file)`: each text is written by itself.
fn print_to(vm: &mut Vm, file: &Value, values: &[Value], separator: &str, end: &str) -> PyResult<Value> {
    let write = |vm: &mut Vm, text: Value| vm.call_method(file, "write", Args::one(text)).map(drop);
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            write(vm, Value::str(separator))?;
        }
        let text = vm.str(value)?;
        write(vm, Value::Str(text))?;
    }
    write(vm, Value::str(end))?;
    Ok(Value::None)
}

/// `FileNotFoundError(2, 'No such file or directory', path)`
pub fn missing_file(path: &Value) -> crate::exception::Raised {
    let args = vec![Value::Int(2), Value::str("No such file or directory")];
    let raised = raise_with(&FILE_NOT_FOUND_ERROR, args);
    super::exceptions::set_os_attributes(&raised.0, Some(path.clone()));
    raised
}
