//! `tpvc who`: which tools reach a destination, what sets a value, which rules fire. One file a question.
//!
//! The answers are taken from the data of other verbs: destinations from the matrix of [`crate::check`], values from the
//! explanation of one job ([`crate::explain`]), uses of rules from what [`crate::cases`] counts as coverage.

pub mod drains;
pub mod field;
pub mod fires;
pub mod lacks;
pub mod reaches;
pub mod sets;
