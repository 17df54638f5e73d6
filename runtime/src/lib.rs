//! Maps Galaxy jobs by compiled TPV (Total Perspective Vortex) rules, with TPV 3.3.0's answers.
//!
//! [`Rules`] are what `tpvc compile` wrote, a [`Mapper`] maps by them, a [`Job`] is one line of a job file, a [`World`] what Galaxy
//! knows at that moment, an [`Answer`] where the job goes or the error that TPV raises. What cannot be read is an [`Error`].
//!
//! ```
//! use std::sync::Arc;
//! use tpv_runtime::{Error, Job, Mapper, Rules, World};
//!
//! fn destination(artifact: &[u8], line: &str) -> Result<Option<String>, Error> {
//!     let mapper = Mapper::new(Rules::load(artifact)?);
//!     let job = Arc::new(Job::parse(line)?);
//!     let answer = mapper.map(&job, &Arc::new(World::default()));
//!     Ok(answer.destination_id().map(|id| id.into_owned()))
//! }
//!
//! // Made by `tpvc compile examples/site/tpv.yml -o runtime/tests/rules.bin`.
//! let artifact = std::fs::read("tests/rules.bin")?;
//! assert_eq!(destination(&artifact, r#"{"tool": {"id": "bwa_mem"}}"#)?.as_deref(), Some("normal"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! No YAML, no Python source: the compiler has read both. No network, no clock, no file: what a rule asks for stands in the job and in the
//! world. Nothing in an artifact is trusted: it is verified before it is used. All outcomes of a job are answers: mapping fails
//! never, and ends within the job's budget.

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod error;

pub use artifact::Rules;
pub use error::Error;
pub use galaxy::answer::Answer;
pub use galaxy::job::Job;
pub use galaxy::world::World;
pub use mapper::Mapper;

// For the compiler and its tests: their interface changes as they need it.
#[doc(hidden)]
pub mod artifact;
#[doc(hidden)]
pub mod galaxy;
#[doc(hidden)]
pub mod mapper;
#[doc(hidden)]
pub mod patterns;
#[doc(hidden)]
pub mod pools;
#[doc(hidden)]
pub mod stream;
