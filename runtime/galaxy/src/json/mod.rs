//! JSON as Python's `json` module reads and writes it: what job, world and answer files are made of.
//!
//! Ints have no bound, `NaN` and `Infinity` are numbers, and of two equal keys the later counts, as in `json.loads`.
//! Parts of a job that most rules never touch stay text: [`Reader::raw`] checks and skips them.

pub mod dump;
mod reader;
mod skip;
mod tree;
mod writer;

pub use dump::{dump, end_string};
pub use reader::{Fault, Kind, Place, Reader};
pub use tpv_python::modules::json::escape_into;
pub use tree::{Json, last_of_equal_keys};
pub use writer::{text_of, write_text};
