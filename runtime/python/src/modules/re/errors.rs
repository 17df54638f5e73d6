//! `re.error`.

use crate::builtins::exceptions;
use crate::exception::{
    EXCEPTION, ExceptionObject, RUNTIME_ERROR, Raised, index_error, overflow_error, raise, recursion_error, value_error,
};
use crate::lacking;
use crate::regex::SearchError;
use crate::regex::error::{CompileError, line_and_column};
use crate::regex::template::TemplateError;
use crate::types::BuiltinType;
use crate::value::Value;

/// The class `re.error`.
pub static ERROR: BuiltinType = BuiltinType {
    construct: Some(|_, args| exceptions::construct(&ERROR, args)),
    ..BuiltinType::new("error", "re", &EXCEPTION)
};

/// The exception of `re.compile` for a pattern.
pub(super) fn compile_error(error: &CompileError, pattern: &str) -> Raised {
    let text = error.text(pattern);
    let (message, position) = match error {
        CompileError::Syntax { message, position } => (message, *position),
        CompileError::Overflow(_) => return overflow_error(text),
        CompileError::Value(_) => return value_error(text),
        CompileError::Recursion => return recursion_error(text),
        CompileError::Unsupported(_) => {
            lacking::note_refusal(&RUNTIME_ERROR, &text);
            return raise(&RUNTIME_ERROR, text);
        }
    };
    let exception = ExceptionObject::new(&ERROR, vec![Value::str(text)]);
    let number = |value: Option<usize>| value.map_or(Value::None, Value::from_usize);
    let place = position.map(|position| line_and_column(pattern, position));
    let attributes = [
        ("msg", Value::str(message.as_str())),
        ("pattern", position.map_or(Value::None, |_| Value::str(pattern))),
        ("pos", number(position)),
        ("lineno", number(place.map(|(line, _)| line))),
        ("colno", number(place.map(|(_, column)| column))),
    ];
    exception.attributes.borrow_mut().extend(attributes.map(|(name, value)| (name.to_owned(), value)));
    Raised(exception)
}

/// The exception for a template.
pub(super) fn template_error(error: &TemplateError, template: &str) -> Raised {
    match error {
        TemplateError::Error(error) => compile_error(error, template),
        TemplateError::UnknownGroup(message) => index_error(message.as_str()),
    }
}

/// The exception for a search that took too long.
pub(super) fn search_error(error: &SearchError) -> Raised {
    let text = error.to_string();
    lacking::note_refusal(&RUNTIME_ERROR, &text);
    raise(&RUNTIME_ERROR, text)
}
