//! Python's regular expressions on a Rust engine.
//!
//! [`parser`] reads a pattern as CPython 3.11's `re` does, with its error messages; [`translate`] writes the result in
//! the syntax of `fancy-regex`, which runs what it can on a linear-time engine and the rest (look-around,
//! back-references, conditionals, atomic groups) by backtracking; [`engine`] compiles and searches.
//!
//! Offsets of patterns and error positions are code points, as in Python; the engine's offsets are bytes of UTF-8.
//!
//! DIFFERENCE (all of this folder):
//! - the character tables are those of the Unicode version of `regex-syntax`, newer than the one of CPython 3.11, and
//!   `\b` counts combining marks as word characters, as Unicode says and CPython does not;
//! - a group in a repeat whose body can match the empty text, as in `(a*)*`, keeps what it matched last, where CPython
//!   goes one empty round further and leaves the group empty; what the whole pattern matches is the same, save where a
//!   bounded repeat begins with an empty round right after an empty match, as `(\b|a){,2}` does in `finditer`;
//! - a conditional inside the very group that it asks for counts that group as matched, where CPython counts it as not
//!   matched until it closes;
//! - `\N{NAME}` is not known: the runtime has no table of names;
//! - a pattern that is too large or too deeply nested for the engine raises `RuntimeError` where CPython would run it;
//! - a search that takes too many steps of backtracking raises `RuntimeError` where CPython would run on.

pub mod ast;
pub mod charset;
pub mod compiling;
mod effort;
pub mod engine;
pub mod error;
mod escape;
mod group;
pub mod parser;
pub mod template;
mod tokenizer;
pub mod translate;
mod width;

pub use effort::Effort;
pub use engine::{Regex, SearchError, Spans};
pub use error::CompileError;
