#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! [`source`] reads files and URLs as text, and turns a [`source::Span`] into the line and column that a person reads. A
//! [`diagnostic::Diagnostic`] is a problem with its places; a [`finding::Finding`] has a [`code::Code`] as well. [`render`] shows both with
//! excerpts. Whatever is printed passes through [`printable`].

pub mod code;
pub mod decompress;
pub mod diagnostic;
pub mod figures;
pub mod finding;
pub mod fold;
pub mod interrupt;
pub mod listed;
pub mod markdown;
pub mod markdown_text;
pub mod markup;
pub mod open;
pub mod parallel;
pub mod plain_path;
pub mod printable;
pub mod render;
pub mod rows;
pub mod shell;
pub mod sibling_file;
pub mod source;
pub mod splice;
pub mod style;
pub mod styled;
pub mod suggest;
pub mod system_error;
pub mod table;
pub mod text_diff;
