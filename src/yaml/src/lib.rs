#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! - [`read`]: text to nodes with their places, styles and comments.
//! - [`mod@load`]: nodes to values with their places, for everything that works with what a config means.
//! - [`roundtrip`]: nodes to values with their comments, and back to text, for `tpvc format`.
//! - [`mod@write`]: data to text, for `tpvc dump` and `tpvc dry-run`.
//!
//! The shared parts are each here once: the types of plain scalars ([`resolve`]), the values of numbers and booleans
//! ([`number`]), dates and times ([`timestamp`]), tags ([`tag`]), the styles of scalars ([`style`]), and the classes of
//! characters ([`characters`]).

mod characters;
pub mod load;
mod number;
mod read;
mod resolve;
pub mod roundtrip;
pub mod style;
mod tag;
pub mod timestamp;
pub mod value;
pub mod write;

pub use load::{Comment, Document, Duplicates, load, load_with};
pub use roundtrip::RoundTripError;
