#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! Everything here is plain data. The compiler writes it, the artifact stores it, every thread reads it; there is no Python value
//! in it and no machine. [`instruction`] is the table of opcodes, [`code`] the code objects, [`kernel`] the blocks that machine
//! code can be made of, [`verify`](mod@verify) what must hold before a machine may run a program that was read from a file.

pub mod code;
pub mod instruction;
pub mod kernel;
pub mod listing;
pub mod nesting;
pub mod operator;
pub mod verify;

pub use code::{Capture, Code, CodeKind, CodeRef, Const, NeedsCpython, Parameters, ProgramData};
pub use instruction::Instr;
pub use operator::{BinaryOp, CompareOp, Conversion, UnaryOp};
