//! A text read with its comments and written again, as ruamel.yaml's round-trip loader and dumper do it with TPV's settings.
//!
//! The output depends on both in every detail: where comments are attached, which of them a changed value loses, which
//! quotes are needed, where lines are folded. The stages here are those of ruamel.yaml, so that each can be compared
//! with its model: [`scan`] (with [`reader`]) makes tokens, [`parse`] nodes, [`construct`] values; [`represent`] makes
//! nodes again, and [`emit`] text.
//!
//! The other loader ([`crate::yaml::load`]) knows values and places, but neither tokens nor which token a comment belongs
//! to.

mod attach;
mod base64;
mod comment;
mod construct;
mod emit;
mod error;
mod node;
mod parse;
mod reader;
mod represent;
mod scan;
mod token;
mod value;
mod written_number;

pub(crate) use error::Result;
pub use error::RoundTripError;
pub(crate) use value::{Key, Mapping, Pair, Sequence, Value, ValueId, Values};

use scan::Scanner;

/// A text that was read.
pub(crate) struct Document {
    /// All its values.
    pub(crate) values: Values,
    /// The value of the whole; `None` for a text without content.
    pub(crate) root: Option<ValueId>,
    scanner: Scanner,
}

/// Reads a text that holds one YAML document.
///
/// # Errors
/// Errors that ruamel.yaml reports as well.
pub(crate) fn read(text: &str) -> Result<Document> {
    let mut scanner = Scanner::new(text)?;
    let tree = parse::Parser::new(&mut scanner).document()?;
    let (values, root) = construct::construct(tree, &scanner.reader)?;
    Ok(Document { values, root, scanner })
}

impl Document {
    /// The text of one of the values.
    ///
    /// # Errors
    /// An error for a value that ruamel.yaml cannot write.
    pub(crate) fn write(&mut self, value: ValueId) -> Result<String> {
        let events = represent::represent(&self.values, value, &self.scanner.comments)?;
        emit::emit(&events, &mut self.scanner.comments)
    }

    /// The starts of the comments that [`Self::write`] has not written, in bytes of the text that was read; blank lines
    /// may precede the `#` there.
    pub(crate) fn lost_comments(&self) -> impl Iterator<Item = usize> {
        self.scanner.comments.lost().map(|mark| self.scanner.reader.offset(mark))
    }
}
