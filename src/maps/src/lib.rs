#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! The model is that of HTMap (<https://htmap.readthedocs.io>, "HTMap Innards"): a *component* is one rule set on one slice of jobs, a
//! *cluster* some components that were submitted together, a *tag* all that a user needs to know of a map. docs/maps-format.md describes the files.
//!
//! [`store`] does all reading and writing of a map's files, [`engine`] runs components on this machine, on HTCondor or on Slurm,
//! [`component`] is what runs there. [`Map`] has the verbs.
//!
//! # Invariants
//!
//! All state in memory was on disk before. A file of a map is whole or absent. The disk is the truth: an engine's
//! report of a component counts only if the component has left neither an answer nor an error.

pub mod clock;
pub mod cluster;
pub mod component;
pub mod create;
pub mod damage;
pub mod engine;
mod error;
pub mod history;
pub mod item;
mod map;
mod reasons;
mod remedy;
pub mod resources;
pub mod results;
pub mod settings;
mod shipped;
pub mod slice_size;
pub mod slices;
pub mod state;
pub mod status;
pub mod store;
pub mod submit;
pub mod why;
mod words;

pub use error::Error;
pub use map::Map;

#[cfg(test)]
#[allow(dead_code, clippy::indexing_slicing, reason = "integration tests use the rest")]
#[path = "../../../tests/support/random.rs"]
mod random;
