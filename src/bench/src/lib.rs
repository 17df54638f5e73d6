#![doc = include_str!("../README.md")]

mod errors;
mod generate;
mod measure;
mod workload;

pub use generate::{Generated, Shape};
pub use measure::{Timing, time};
pub use workload::{Workload, WorkloadError, compile};
