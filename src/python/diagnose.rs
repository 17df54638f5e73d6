//! CPython's words for what the parser refuses.

use rustpython_parser::ParseErrorType;
use rustpython_parser::lexer::LexicalErrorType;
use rustpython_parser::{FStringErrorType, Tok};

use super::error::{ErrorKind, PythonError, Stage};
use super::parse::Text;

/// The exception that CPython raises where our parser gives this error.
pub fn explain(text: &Text, error: &rustpython_parser::ParseError) -> PythonError {
    let at = error.offset.to_usize();
    let syntax = |message: &str| text.error(ErrorKind::SyntaxError, Stage::Parse, at, message);
    match &error.error {
        ParseErrorType::Lexical(lexical) => self::lexical(text, at, lexical),
        ParseErrorType::UnrecognizedToken(Tok::Indent, _) => {
            text.error(ErrorKind::IndentationError, Stage::Parse, at, "unexpected indent")
        }
        ParseErrorType::UnrecognizedToken(_, Some(expected)) if expected == "Indent" => {
            text.error(ErrorKind::IndentationError, Stage::Parse, at, "expected an indented block")
        }
        ParseErrorType::Eof => syntax("unexpected EOF while parsing"),
        _ => syntax("invalid syntax"),
    }
}

fn lexical(text: &Text, at: usize, error: &LexicalErrorType) -> PythonError {
    let syntax = |message: String| text.error(ErrorKind::SyntaxError, Stage::Parse, at, message);
    match error {
        LexicalErrorType::IndentationError => text.error(
            ErrorKind::IndentationError,
            Stage::Parse,
            at,
            "unindent does not match any outer indentation level",
        ),
        LexicalErrorType::TabError | LexicalErrorType::TabsAfterSpaces => {
            text.error(ErrorKind::TabError, Stage::Parse, at, "inconsistent use of tabs and spaces in indentation")
        }
        LexicalErrorType::DefaultArgumentError => syntax("non-default argument follows default argument".to_owned()),
        LexicalErrorType::DuplicateArgumentError(name) => text.error(
            ErrorKind::SyntaxError,
            Stage::Compile,
            at,
            format!("duplicate argument '{name}' in function definition"),
        ),
        LexicalErrorType::DuplicateKeywordArgumentError(name) => {
            text.error(ErrorKind::SyntaxError, Stage::Compile, at, format!("keyword argument repeated: {name}"))
        }
        LexicalErrorType::FStringError(error) => fstring(text, at, error),
        LexicalErrorType::Eof => syntax("unexpected EOF while parsing".to_owned()),
        other => syntax(other.to_string()),
    }
}

fn fstring(text: &Text, at: usize, error: &FStringErrorType) -> PythonError {
    let syntax = |stage: Stage, message: &str| text.error(ErrorKind::SyntaxError, stage, at, message);
    match error {
        FStringErrorType::InvalidExpression(_) => syntax(Stage::FString, "f-string: invalid syntax"),
        FStringErrorType::EmptyExpression => syntax(Stage::Parse, "f-string: empty expression not allowed"),
        FStringErrorType::SingleRbrace => syntax(Stage::Parse, "f-string: single '}' is not allowed"),
        FStringErrorType::UnclosedLbrace => syntax(Stage::Parse, "f-string: expecting '}'"),
        other => syntax(Stage::Parse, &format!("f-string: {other}")),
    }
}
