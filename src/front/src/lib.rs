#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! The stages are those of CPython's compiler:
//!
//! text -> [`parse`] -> syntax tree -> [`validate`] (what CPython's parser refuses and ours does not) -> [`fold`] (constants)
//! -> [`scope`] (which name lives where) -> [`compile`] (instructions) -> [`assemble`] (jumps, dead code, stack height)
//! -> a code of a [`program::ProgramBuilder`]; what computes numbers, conditions and text also becomes a kernel ([`kernel`]).

pub mod assemble;
pub mod attempt_factor;
pub mod compile;
pub mod diagnose;
pub mod error;
mod escapes;
pub mod fold;
pub mod fstring;
mod kernel;
pub mod language;
mod numbers;
pub mod parse;
pub mod program;
pub mod resubmit;
pub mod run_time;
pub mod scope;
pub mod stack;
pub mod syntax;
pub mod tokens;
pub mod validate;
pub mod walk;
