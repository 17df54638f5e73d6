//! Measuring: what `tpvc bench` and the programs in `benches/` share.

mod errors;
mod generate;
mod measure;
mod workload;

pub use generate::{Generated, Shape};
pub use measure::{Timing, time};
pub use workload::{Workload, WorkloadError, compile};
