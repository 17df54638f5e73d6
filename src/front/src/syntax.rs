//! The syntax tree of Python and its parser. Only this file names the package that they come from.

pub use rustpython_parser::{Parse, ParseError, ParseErrorType, Tok, ast, lexer, text_size};
