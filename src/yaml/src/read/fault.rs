//! Errors of the scanner and the parser.

use super::reader::Mark;

/// A kind of error, for those that look for the author's mistake behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A character that may not appear in a file.
    Character(char),
    /// A version other than YAML 1.2.
    Version,
    /// Another document after the first.
    SecondDocument,
    /// Collections in collections, too many of them.
    Depth,
    /// Comments that ruamel.yaml has no room for.
    Comments,
    /// An alias without an anchor.
    UnknownAlias,
    /// A tab before a token.
    Tab,
    /// A character that starts no token.
    FirstCharacter,
    /// An anchor or alias without a name.
    AnchorName,
    /// An escape that does not exist.
    Escape,
    /// A quoted scalar without its end.
    OpenQuotes,
    /// Text behind a quoted scalar.
    BehindQuotes,
    /// A closing bracket without an open one.
    Bracket,
    /// Text in the first line of a block scalar.
    BlockHeader,
    /// A `:` where no key precedes it.
    Colon,
    /// A `-` where no item can start.
    Dash,
    /// A key without its `:`.
    MissingColon,
    /// A token other than a key in a block mapping.
    ExpectedKey,
    /// A token other than `-` in a block sequence.
    ExpectedDash,
    /// A token other than `,` or the closing bracket in a flow collection.
    ExpectedComma,
    /// A token that starts no value.
    ExpectedValue,
    /// A token after the end of the document's value.
    ExpectedEnd,
    /// Any other error.
    Other,
}

/// An error of the scanner or the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The kind of error.
    pub problem: Problem,
    /// The message: a lower-case sentence without a full stop.
    pub message: String,
    /// The byte offset of the place.
    pub at: usize,
    /// The byte offset of the innermost open bracket.
    pub bracket: Option<usize>,
}

impl Fault {
    /// An error at a place outside of brackets.
    pub(super) fn new(problem: Problem, message: impl Into<String>, at: Mark) -> Self {
        Self { problem, message: message.into(), at: at.offset, bracket: None }
    }
}

pub(super) type Result<T> = std::result::Result<T, Fault>;
