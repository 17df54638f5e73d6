//! Test cases for the parts of a config that no case uses, and a made job does.

mod reach;
mod written;

pub use reach::Reach;
pub use written::{Suggested, suggest};
