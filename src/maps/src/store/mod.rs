//! All reading and writing of the files of maps. Nothing else in the program knows their names.
//!
//! Each file is written under a temporary name in its folder, made durable and renamed: it is whole or absent, at any kill and on any full disk.

mod digest;
mod directory;
mod lock;
mod outcomes;
pub mod random;
mod reasons;
mod root;
mod runner_note;
mod tags;
mod whole;

pub use digest::{Digest, Digesting};
pub use directory::MapDir;
pub use lock::Lock;
pub use reasons::{Reason, Reasons};
pub use root::{Draft, FORMAT, Root};
pub use runner_note::RunnerNote;
pub use tags::Tagged;
pub use whole::{WholeFile, open, read, write as write_whole};

#[cfg(test)]
mod tests;
