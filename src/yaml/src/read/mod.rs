//! Text to nodes, as ruamel.yaml's round-trip loader reads it: with the place, the style and the comments of each.
//!
//! The stages are those of ruamel.yaml, so that each can be compared with its model: [`scan`] (with [`reader`]) makes
//! tokens, [`parse`] nodes. [`crate::load`] constructs the values of a config from the nodes,
//! [`crate::roundtrip`] those that `tpvc format` writes again.

mod attach;
pub(super) mod comment;
pub(super) mod fault;
pub(super) mod node;
mod parse;
pub(super) mod reader;
mod scan;
mod token;

use std::borrow::Cow;

pub(super) use fault::Fault;
use node::NodeTree;
use scan::Scanner;
pub(super) use scan::{FOLD, lost};

use crate::style::ScalarStyle;

/// The text of a scalar without the marks of the folds of a folded one.
pub(super) fn unfolded(text: &str, style: ScalarStyle) -> Cow<'_, str> {
    if style == ScalarStyle::Folded { text.replace(FOLD, "").into() } else { text.into() }
}

/// The maximum nesting of collections. CPython's recursion limit stops TPV at about this depth, too.
pub(super) const MAX_DEPTH: usize = 245;

/// Reads a text that holds one YAML document whose collections are nested at most `max_depth` deep.
///
/// # Errors
/// Errors that ruamel.yaml reports as well, and deeper nesting.
pub(super) fn read(text: &str, max_depth: usize) -> Result<NodeTree<'_>, Fault> {
    parse::Parser::new(Scanner::new(text)?, max_depth).document()
}
