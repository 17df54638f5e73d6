#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! [`job`], [`world`] and [`answer`] are the files, read and written by [`json`]; [`objects`], [`helpers`] and [`modules`] what code sees of them;
//! [`query`] runs queries of the job table ([`job_table`]). [`shape`] describes the files for schemas.

pub mod answer;
mod error;
pub mod errors;
pub mod helpers;
pub mod job;
pub mod job_table;
pub mod json;
pub mod lacks;
pub mod modules;
mod name_index;
pub mod notes;
pub mod objects;
pub mod outcome;
pub mod query;
pub mod reads;
pub mod resource_requirements;
pub mod shape;
pub mod signature;
pub mod sql_text;
mod standard;
pub mod tpv;
pub mod version;
pub mod world;

pub use answer::Answer;
pub use error::Error;
pub use job::{Input, Job, JobBuilder};
pub use json::Json;
pub use world::World;
