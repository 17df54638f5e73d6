//! `logging`: loggers whose records go to the environment's log.
//!
//! Formatting follows CPython: a record's message is made only where someone reads it, and arguments that do not fit the
//! message never raise in the code that logs.

use super::signature::Signature;
use crate::args::Args;
use crate::exception::PyResult;
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Method, Value};
use crate::vm::{BinaryOp, LogLevel, Vm};

/// `logging.Logger`
pub static LOGGER: BuiltinType = BuiltinType { methods: METHODS, ..BuiltinType::new("Logger", "logging", &OBJECT) };

/// A logger.
pub struct Logger {
    name: Str,
    class: &'static BuiltinType,
}

/// The logger of this name, of the class that the host sets for loggers.
pub fn logger(vm: &Vm, name: impl Into<Str>) -> Value {
    Value::object(Logger { name: name.into(), class: vm.environment.logger_class().unwrap_or(&LOGGER) })
}

static METHODS: &[Method] = &[
    Method { name: "debug", call: |vm, _, args| log_by(vm, "debug", args) },
    Method { name: "info", call: |vm, _, args| log_by(vm, "info", args) },
    Method { name: "warning", call: |vm, _, args| log_by(vm, "warning", args) },
    Method { name: "warn", call: |vm, _, args| log_by(vm, "warn", args) },
    Method { name: "error", call: |vm, _, args| log_by(vm, "error", args) },
    Method { name: "exception", call: |vm, _, args| log_by(vm, "exception", args) },
    Method { name: "critical", call: |vm, _, args| log_by(vm, "critical", args) },
    Method { name: "fatal", call: |vm, _, args| log_by(vm, "fatal", args) },
    Method { name: "log", call: |vm, _, args| log_with_level(vm, args) },
];

/// The level of the records that a method of loggers makes. `None` if that is an argument, or it makes none.
pub fn level_of_method(name: &str) -> Option<LogLevel> {
    Some(match name {
        "debug" => LogLevel::Debug,
        "info" => LogLevel::Info,
        "warning" | "warn" => LogLevel::Warning,
        "error" | "exception" => LogLevel::Error,
        "critical" | "fatal" => LogLevel::Critical,
        _ => return None,
    })
}

impl Object for Logger {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "name").then(|| Value::Str(self.name.clone())))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<Logger {} (DEBUG)>", self.name.as_str()))
    }
}

/// Logs `msg % args` at the level of a method.
fn log_by(vm: &mut Vm, method: &'static str, args: Args) -> PyResult<Value> {
    log_at(vm, level_of_method(method).unwrap_or(LogLevel::Info), method, args)
}

/// Logs `msg % args` at a level.
fn log_at(vm: &mut Vm, level: LogLevel, function: &'static str, mut args: Args) -> PyResult<Value> {
    vm.charge(1)?;
    if args.pos.is_empty()
        && let Some(position) = args.kw.iter().position(|(name, _)| name.as_str() == "msg")
    {
        args.pos.push(args.kw.remove(position).1);
    }
    let unknown =
        args.kw.iter().find(|(name, _)| !matches!(name.as_str(), "exc_info" | "stack_info" | "stacklevel" | "extra"));
    if let Some((name, _)) = unknown {
        return Err(crate::exception::type_error(format!(
            "Logger._log() got an unexpected keyword argument '{}'",
            name.as_str()
        )));
    }
    if args.pos.is_empty() {
        return Err(crate::exception::type_error(format!(
            "Logger.{function}() missing 1 required positional argument: 'msg'"
        )));
    }
    if vm.environment.log_enabled(level) {
        let message = message(vm, &args.pos);
        let environment = vm.environment.clone();
        environment.log(level, &message);
    }
    Ok(Value::None)
}

/// The message, or where it cannot be made, what it was to be made from.
fn message(vm: &mut Vm, parts: &[Value]) -> String {
    let [format, args @ ..] = parts else { return String::new() };
    let format = match vm.str(format) {
        Ok(format) => format,
        Err(raised) => return format!("a log message could not be made: {}", raised.class_name()),
    };
    let operand = match args {
        [] => return format.to_string(),
        // One dict argument serves `%(name)s`.
        [Value::Dict(dict)] if !dict.is_empty() => Value::Dict(dict.clone()),
        args => Value::tuple(args.to_vec()),
    };
    match vm.binary(BinaryOp::Remainder, &Value::Str(format.clone()), &operand) {
        Ok(Value::Str(text)) => text.to_string(),
        _ => format.to_string(),
    }
}

fn level_of(number: i64) -> LogLevel {
    match number {
        ..20 => LogLevel::Debug,
        20..30 => LogLevel::Info,
        30..40 => LogLevel::Warning,
        40..50 => LogLevel::Error,
        50.. => LogLevel::Critical,
    }
}

fn log_with_level(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        return Err(crate::exception::type_error(
            "Logger.log() missing 2 required positional arguments: 'level' and 'msg'",
        ));
    }
    match args.pos.remove(0) {
        Value::Int(level) => log_at(vm, level_of(level), "log", args),
        _ => Err(crate::exception::type_error("level must be an integer")),
    }
}

fn get_logger(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [name] = Signature::function("getLogger", ["name"], 0).bind(args)?;
    let name = match name {
        Some(Value::Str(name)) if !name.is_empty() => name,
        _ => Str::from("root"),
    };
    Ok(logger(vm, name))
}

module! {
    /// `logging`
    MODULE = "logging";
    functions {
        "getLogger" => get_logger,
        "debug" => |vm, args| log_at(vm, LogLevel::Debug, "debug", args),
        "info" => |vm, args| log_at(vm, LogLevel::Info, "info", args),
        "warning" => |vm, args| log_at(vm, LogLevel::Warning, "warning", args),
        "error" => |vm, args| log_at(vm, LogLevel::Error, "error", args),
        "exception" => |vm, args| log_at(vm, LogLevel::Error, "exception", args),
        "critical" => |vm, args| log_at(vm, LogLevel::Critical, "critical", args),
        "log" => log_with_level,
    }
    values(_vm) {
        "Logger" => Value::Type(&LOGGER),
        "NOTSET" => Value::Int(0),
        "DEBUG" => Value::Int(10),
        "INFO" => Value::Int(20),
        "WARNING" => Value::Int(30),
        "WARN" => Value::Int(30),
        "ERROR" => Value::Int(40),
        "CRITICAL" => Value::Int(50),
        "FATAL" => Value::Int(50),
    }
}
