//! Comments, and the slots in which they hang on tokens, nodes and values.
//!
//! Blank lines are comments to ruamel.yaml, too. A comment belongs to what stands before it on its line, together with
//! all lines up to the next token; only comments that follow no such thing belong to what stands after them.

use std::ops::Range;
use std::rc::Rc;

use super::reader::Mark;

/// The number of a comment in [`Comments`].
pub type CommentId = usize;

/// One comment: text from a `#` or a line break on, over any number of lines.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// The text, with its line breaks and the indents of its later lines.
    pub value: String,
    /// The start.
    pub start: Mark,
    /// The column it is to start in; -1 for one that was moved out of the margin of a block scalar.
    pub column: isize,
    /// `true` if it was written as the comment before a collection.
    pub done: bool,
    /// `true` if it was written, or became a part of another comment.
    pub kept: bool,
}

/// All comments of a text. They are shared: a comment may hang on a node and on the key of that node.
#[derive(Debug, Default)]
pub(crate) struct Comments {
    items: Vec<Comment>,
    /// The bytes of each comment, from its `#` to the end of its line.
    pub places: Vec<Range<usize>>,
}

impl Comments {
    pub(crate) fn add(&mut self, value: String, start: Mark) -> CommentId {
        let column = isize::try_from(start.column).unwrap_or(isize::MAX);
        self.items.push(Comment { value, start, column, done: false, kept: false });
        self.items.len() - 1
    }

    /// The starts of comments that were not written; blank lines are no loss.
    pub(crate) fn lost(&self) -> impl Iterator<Item = Mark> {
        self.items.iter().filter(|comment| !comment.kept && comment.value.contains('#')).map(|comment| comment.start)
    }

    pub(crate) fn get(&self, id: CommentId) -> Option<&Comment> {
        self.items.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: CommentId) -> Option<&mut Comment> {
        self.items.get_mut(id)
    }

    /// Returns `true` if two comments have the same text and place.
    pub(crate) fn same(&self, a: CommentId, b: CommentId) -> bool {
        a == b || matches!((self.get(a), self.get(b)), (Some(a), Some(b)) if (a.start, &a.value) == (b.start, &b.value))
    }
}

/// The comments before a node.
#[derive(Clone, Debug)]
pub enum Before {
    /// A comment on lines of its own.
    Comment(CommentId),
    /// The comment in the first line of a block scalar, with the white space before its `#`.
    Header(Rc<str>),
}

/// The comments of a token or of the node that was made of it.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// On the same line, after it, and the lines that follow.
    pub after: Option<CommentId>,
    /// On the lines before it.
    pub before: Option<Vec<Before>>,
    /// At the end of a collection.
    pub end: Option<Vec<Before>>,
    /// Set where these are the comments of a `:` that were moved to the value: the one after the `:` once more.
    pub moved: Option<Option<CommentId>>,
}

impl Slots {
    /// Returns `true` if ruamel.yaml's list of these comments has its form with five elements.
    pub(crate) fn is_moved(&self) -> bool {
        self.moved.is_some()
    }
}

/// The comments of an item of a collection, kept by its key or index.
#[derive(Clone, Debug, Default)]
pub struct ItemSlots {
    /// After the key (or the item of a sequence).
    pub key_after: Option<CommentId>,
    /// Before the key (or the item of a sequence).
    pub key_before: Option<Vec<Before>>,
    /// After the value.
    pub value_after: Option<CommentId>,
    /// Before the value.
    pub value_before: Option<Vec<Before>>,
}
