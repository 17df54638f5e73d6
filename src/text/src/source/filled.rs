//! Texts that are made of other texts: what a template gives, and the way back from it to the template.

use std::fmt;
use std::ops::Range;

use super::{Limits, SourceError};

/// Fills templates in.
pub trait Fill: fmt::Debug + Send + Sync {
    /// Fills in a template; `None` for a text that is not one. `name` is a path or a URL.
    ///
    /// # Errors
    /// The template is wrong, or a variable that it asks for is not there.
    fn fill(&self, name: &str, text: &str) -> Option<Result<Filled, Box<Unfilled>>>;

    /// The bytes that are read in place of what a URL gives. `None` if the URL is fetched.
    ///
    /// # Errors
    /// They cannot be read, or are not those that are expected.
    fn in_place_of(&self, _url: &str, _limits: &Limits) -> Option<Result<Vec<u8>, SourceError>> {
        None
    }
}

/// The output of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// The parts of the text in order, without overlaps.
    pub parts: Vec<Part>,
}

/// A part of a text that a template gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The bytes of the text.
    pub filled: Range<usize>,
    /// The bytes of the template: the same text, or the expression that gave it.
    pub written: Range<usize>,
    /// `true` if the template contains the text as it is.
    pub is_verbatim: bool,
}

/// The error of rendering a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfilled {
    /// The message.
    pub message: String,
    /// The place in the template.
    pub at: Option<Range<usize>>,
    /// The text to write.
    pub help: String,
    /// Further notes.
    pub notes: Vec<String>,
}

impl Filled {
    /// The byte of the template that a byte of the text comes from. Of what an expression gave, it is where that starts.
    pub(super) fn start(&self, offset: usize) -> usize {
        match self.around(offset) {
            (Some(part), _) if part.is_verbatim => {
                (part.written.start + (offset - part.filled.start)).min(part.written.end)
            }
            (Some(part), _) => part.written.start,
            // Between two parts is what was taken away, blanks mostly.
            (None, Some(next)) => next.written.start,
            (None, None) => self.parts.last().map_or(0, |part| part.written.end),
        }
    }

    /// The bytes of the template that a range of the text comes from.
    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.start(range.start);
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { return start..start };
        let end = match self.around(last) {
            (Some(part), _) if part.is_verbatim => self.start(last) + 1,
            (Some(part), _) => part.written.end,
            _ => self.start(last),
        };
        // What a loop gave may end before it starts.
        if end > start { start..end } else { start..start + 1 }
    }

    /// The part that holds a byte, or else that which comes next.
    fn around(&self, offset: usize) -> (Option<&Part>, Option<&Part>) {
        let next = self.parts.partition_point(|part| part.filled.end <= offset);
        let part = self.parts.get(next);
        if part.is_some_and(|part| part.filled.start <= offset) { (part, None) } else { (None, part) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_led_back() {
        // `a: {{ x }}!` with `x` being `12345`.
        let parts = vec![
            Part { filled: 0..3, written: 0..3, is_verbatim: true },
            Part { filled: 3..8, written: 6..7, is_verbatim: false },
            Part { filled: 8..9, written: 10..11, is_verbatim: true },
        ];
        let filled = Filled { text: "a: 12345!".to_owned(), parts };
        assert_eq!([0, 2, 3, 7, 8, 9].map(|offset| filled.start(offset)), [0, 2, 6, 6, 10, 11]);
        assert_eq!(filled.range(&(3..8)), 6..7);
        assert_eq!(filled.range(&(3..9)), 6..11);
        assert_eq!(filled.range(&(0..5)), 0..7);
        assert_eq!(filled.range(&(8..8)), 10..10);
    }
}
