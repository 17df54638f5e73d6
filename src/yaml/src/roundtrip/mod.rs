//! Nodes to values with their comments, and back to text, as ruamel.yaml's round-trip loader and dumper do it with TPV's settings.
//!
//! The output depends on both in every detail: where comments are attached, which of them a changed value loses, which
//! quotes are needed, where lines are folded. The stages here are those of ruamel.yaml, so that each can be compared
//! with its model: [`construct`] makes values of the nodes of [`crate::read`], [`represent`] makes nodes again, and
//! [`emit`] text.

mod base64;
mod construct;
mod emit;
mod error;
mod represent;
mod value;
mod written_number;

pub use error::Result;
pub use error::RoundTripError;
pub use value::{Key, Mapping, Pair, Sequence, Value, ValueId, Values};

use super::read::comment::Comments;
use super::read::{self, MAX_DEPTH};

/// A text that was read.
pub struct Document {
    /// All its values.
    pub values: Values,
    /// The value of the whole; `None` for a text without content.
    pub root: Option<ValueId>,
    comments: Comments,
}

/// Reads a text that holds one YAML document.
///
/// # Errors
/// Errors that ruamel.yaml reports as well.
pub fn read(text: &str) -> Result<Document> {
    let (values, root, comments) = construct::construct(read::read(text, MAX_DEPTH)?)?;
    Ok(Document { values, root, comments })
}

impl Document {
    /// The text of one of the values.
    ///
    /// # Errors
    /// An error for a value that ruamel.yaml cannot write.
    pub fn write(&mut self, value: ValueId) -> Result<String> {
        let events = represent::represent(&self.values, value, &self.comments)?;
        emit::emit(&events, &mut self.comments)
    }

    /// The starts of the comments that [`Self::write`] has not written, in bytes of the text that was read; blank lines
    /// may precede the `#` there.
    pub fn lost_comments(&self) -> impl Iterator<Item = usize> {
        self.comments.lost().map(|mark| mark.offset)
    }
}
