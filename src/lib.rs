//! The compiler of TPV rules: YAML text to entities, their Python code to bytecode, both to one artifact.
//!
//! Data goes one way: [`source`] reads files and URLs, [`config`] turns their text into entities, and every problem on
//! the way becomes a [`diagnostic::Diagnostic`] with its place in the text.

pub mod config;
pub mod diagnostic;
pub mod source;
