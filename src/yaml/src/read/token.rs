//! Tokens.

use std::borrow::Cow;
use std::ops::Range;

use super::comment::{CommentId, Slots};
use super::reader::Mark;
use crate::style::ScalarStyle;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    StreamStart,
    StreamEnd,
    /// `%TAG`, `%YAML` or another directive.
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowMappingEnd,
    Key,
    Value,
    BlockEntry,
    FlowEntry,
    Alias,
    Anchor,
    Tag,
    Scalar,
    Comment,
}

impl Kind {
    /// The name a user knows it by.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::StreamStart => "the start of the text",
            Self::StreamEnd => "the end of the text",
            Self::Directive => "a directive",
            Self::DocumentStart => "`---`",
            Self::DocumentEnd => "`...`",
            Self::BlockSequenceStart => "a sequence",
            Self::BlockMappingStart => "a mapping",
            Self::BlockEnd => "the end of a block",
            Self::FlowSequenceStart => "`[`",
            Self::FlowMappingStart => "`{`",
            Self::FlowSequenceEnd => "`]`",
            Self::FlowMappingEnd => "`}`",
            Self::Key => "a key",
            Self::Value => "`:`",
            Self::BlockEntry => "`-`",
            Self::FlowEntry => "`,`",
            Self::Alias => "an alias",
            Self::Anchor => "an anchor",
            Self::Tag => "a tag",
            Self::Scalar => "a scalar",
            Self::Comment => "a comment",
        }
    }
}

/// A token and its comments.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub start: Mark,
    pub end: Mark,
    /// Its bytes; of a block scalar those of its lines.
    pub span: Range<usize>,
    /// The comments attached so far.
    pub slots: Option<Box<Slots>>,
    /// The value of a scalar, the name of an anchor or alias, the suffix of a tag, the prefix of a `%TAG`, a version.
    pub text: Cow<'t, str>,
    /// The handle of a tag or of a `%TAG`.
    pub handle: Option<&'t str>,
    /// The style of a scalar.
    pub style: ScalarStyle,
    /// The comment of a comment token.
    pub comment: CommentId,
}

impl<'t> Token<'t> {
    pub(super) fn new(kind: Kind, start: Mark, end: Mark) -> Self {
        let (text, handle, style) = (Cow::Borrowed(""), None, ScalarStyle::Plain);
        let span = start.offset..end.offset;
        Self { kind, start, end, span, slots: None, text, handle, style, comment: 0 }
    }

    pub(super) fn with_text(mut self, text: impl Into<Cow<'t, str>>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets the comment after this token.
    pub(super) fn add_after(&mut self, comment: CommentId) {
        self.slots.get_or_insert_default().after = Some(comment);
    }
}
