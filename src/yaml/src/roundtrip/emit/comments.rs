//! Writing comments.

use super::Emitter;
use crate::read::comment::{Before, CommentId};
use crate::roundtrip::error::{Result, RoundTripError};

impl Emitter<'_> {
    /// Writes a comment; `before` is one on lines of its own, which ends with its line breaks.
    fn write_comment(&mut self, id: CommentId, before: bool) -> Result<()> {
        let Some(comment) = self.comments.get_mut(id) else { return Ok(()) };
        comment.kept = true;
        let mut value = comment.value.as_str();
        if !before {
            if value.is_empty() {
                return Err(RoundTripError::new("a comment is empty"));
            }
            value = value.strip_suffix('\n').unwrap_or(value);
        }
        let mut spaces = 0;
        if !comment.value.starts_with('\n') {
            let column = isize::try_from(self.writer.column).unwrap_or(isize::MAX);
            spaces = usize::try_from(comment.column.saturating_sub(column)).unwrap_or(0);
        }
        // A comment must not touch what stands before it.
        if self.writer.column > 0 && spaces < 1 && !value.trim().is_empty() && !value.starts_with('\n') {
            spaces = 1;
        }
        self.writer.out.extend(std::iter::repeat_n(' ', spaces));
        self.writer.out += value;
        if !before {
            self.writer.write_line_break('\n');
        }
        Ok(())
    }

    /// Writes the comment after something and ends the line; gives whether there is one.
    pub(super) fn write_after(&mut self, comment: Option<CommentId>) -> Result<bool> {
        match comment {
            None => Ok(false),
            Some(comment) => self.write_comment(comment, false).map(|()| true),
        }
    }

    /// Writes comments on lines of their own; says whether there is a list of them. Those before a collection (which
    /// `starts`) hang on its key as well, and are written once.
    pub(super) fn write_before(&mut self, comments: Option<&[Before]>, starts: bool) -> Result<bool> {
        let Some(comments) = comments else { return Ok(false) };
        for comment in comments {
            let Before::Comment(id) = comment else {
                return Err(RoundTripError::new(
                    "the comment behind the `|` or `>` of a sequence item has no place to be kept",
                )
                .help("move the comment to a line of its own: `tpv format` stops here too"));
            };
            if starts && self.comments.get(*id).is_some_and(|comment| comment.done) {
                continue;
            }
            if self.writer.column != 0 {
                self.writer.write_line_break('\n');
            }
            self.write_comment(*id, true)?;
            if starts && let Some(comment) = self.comments.get_mut(*id) {
                comment.done = true;
            }
        }
        Ok(true)
    }
}
