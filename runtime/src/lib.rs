#![doc = include_str!("../README.md")]
//! The artifact of the example is made by `tpvc compile examples/site/tpv.yml -o runtime/tests/rules.bin`.
//!
//! [`Rules`] are what `tpvc compile` wrote, a [`Mapper`] maps by them, a [`Job`] is one line of a job file, a [`World`] what Galaxy
//! knows at that moment, an [`Answer`] where the job goes or the error that TPV raises; they are `tpv-galaxy`'s. An artifact that cannot be read is
//! an [`Error`], a job or a world an [`InputError`].
//!
//! # Invariants
//!
//! No YAML, no Python source: the compiler has read both. No network, no clock, no file: what a rule asks for stands in the job and in the
//! world. Nothing in an artifact is trusted: it is verified before it is used. All outcomes of a job are answers: mapping fails
//! never, and ends within the job's budget.

mod error;

// What a program that maps jobs needs.
pub use artifact::Rules;
pub use error::Error;
pub use mapper::{Hooks, Mapper};
pub use tpv_galaxy::{Answer, Error as InputError, Input, Job, JobBuilder, Json, World};

// What the compiler writes, the analyses read and Galaxy's package connects to.
pub mod artifact;
pub mod decision;
pub mod first_line;
pub mod mapper;
pub mod patterns;
pub mod pools;
pub mod resubmit;
pub mod stream;
