//! `re.error`.

use std::borrow::Cow;
use std::rc::Rc;

use super::bytes::text_of;
use crate::python::args::Args;
use crate::python::exception::{
    EXCEPTION, ExceptionObject, PyResult, RUNTIME_ERROR, Raised, overflow_error, raise, recursion_error, value_error,
};
use crate::python::methods;
use crate::python::modules::signature::Signature;
use crate::python::regex::SearchError;
use crate::python::regex::error::{CompileError, line_and_column};
use crate::python::regex::template::TemplateError;
use crate::python::string::Str;
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// The class `re.error`.
pub static ERROR: BuiltinType = BuiltinType {
    name: "error",
    module: "re",
    base: Some(&EXCEPTION),
    construct: Some(construct),
    methods: methods::exception::METHODS,
    statics: &[],
};

/// `re.error(msg, pattern=None, pos=None)`
fn construct(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [message, pattern, position] = Signature::method("error.__init__", ["msg", "pattern", "pos"], 1).bind(args)?;
    let message = message.unwrap_or(Value::None);
    if let (Value::Str(text), Some(pattern @ (Value::Str(_) | Value::Bytes(_))), Some(Value::Int(position))) =
        (&message, &pattern, &position)
    {
        let position = Some(usize::try_from(*position).unwrap_or(0));
        let error = CompileError::Syntax { message: text.to_string(), position };
        let text = text_of(pattern, matches!(pattern, Value::Bytes(_))).map_or_else(|| Str::from(""), Cow::into_owned);
        return Ok(Value::Exception(object(&error, &text, pattern)));
    }
    let exception = ExceptionObject::new(&ERROR, vec![message.clone()]);
    set(&exception, "msg", message);
    set(&exception, "pattern", pattern.unwrap_or(Value::None));
    set(&exception, "pos", position.unwrap_or(Value::None));
    set(&exception, "lineno", Value::None);
    set(&exception, "colno", Value::None);
    Ok(Value::Exception(exception))
}

fn set(exception: &ExceptionObject, name: &str, value: Value) {
    exception.attributes.borrow_mut().insert(name.to_owned(), value);
}

/// The exception for an error at a place of a pattern or template.
fn object(error: &CompileError, text: &str, pattern: &Value) -> Rc<ExceptionObject> {
    let exception = ExceptionObject::new(&ERROR, vec![Value::str(error.text(text))]);
    let number = |value: Option<usize>| value.map_or(Value::None, Value::from_usize);
    if let CompileError::Syntax { message, position } = error {
        let place = position.map(|position| line_and_column(text, position));
        set(&exception, "msg", Value::str(message.as_str()));
        set(&exception, "pattern", position.map_or(Value::None, |_| pattern.clone()));
        set(&exception, "pos", number(*position));
        set(&exception, "lineno", number(place.map(|(line, _)| line)));
        set(&exception, "colno", number(place.map(|(_, column)| column)));
    }
    exception
}

/// What `re.compile` raises for a pattern, whose text is that of its characters or bytes.
pub(super) fn compile_error(error: &CompileError, text: &str, pattern: &Value) -> Raised {
    match error {
        CompileError::Syntax { .. } => Raised(object(error, text, pattern)),
        CompileError::Overflow(message) => overflow_error(message.as_str()),
        CompileError::Value(message) => value_error(message.as_str()),
        CompileError::Recursion => recursion_error(error.text(text)),
        CompileError::Unsupported(message) => raise(&RUNTIME_ERROR, message.as_str()),
    }
}

/// What a template raises.
pub(super) fn template_error(error: &TemplateError, text: &str, template: &Value) -> Raised {
    match error {
        TemplateError::Error(error) => compile_error(error, text, template),
        TemplateError::UnknownGroup(message) => crate::python::exception::index_error(message.as_str()),
    }
}

/// What a search raises that took too long.
pub(super) fn search_error(error: &SearchError) -> Raised {
    raise(&RUNTIME_ERROR, error.to_string())
}
