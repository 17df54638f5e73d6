#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! [`parse`] reads numbers, [`int_text`], [`float_text`] and [`quoted`] write numbers and text, [`unicode`] has the properties of characters.

pub mod float_text;
pub mod int_text;
pub mod parse;
pub mod quoted;
pub mod unicode;
