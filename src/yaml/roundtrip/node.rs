//! The nodes of a text: scalars, sequences and mappings with their tags, anchors, styles and comments.

use super::comment::Slots;
use super::reader::Mark;
use crate::yaml::style::ScalarStyle;
use crate::yaml::tag::YAML_TAGS;

/// The number of a node in the composed tree. An alias is the number of the node it stands for.
pub(super) type NodeId = usize;

/// The tag of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// `!`, `!!` or a named handle; `None` for a tag that is written in full or not at all.
    pub handle: Option<String>,
    /// The suffix as it is written.
    pub suffix: String,
    /// The whole tag, escapes resolved.
    pub name: String,
}

impl Tag {
    /// One of YAML's own tags, not written in the text.
    pub(super) fn implicit(kind: &str) -> Self {
        let name = format!("{YAML_TAGS}{kind}");
        Self { handle: None, suffix: name.clone(), name }
    }

    /// The name of one of YAML's own types.
    pub(super) fn kind(&self) -> Option<&str> {
        self.name.strip_prefix(YAML_TAGS)
    }
}

/// The content of a node.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Scalar(String, ScalarStyle),
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub content: Content,
    pub tag: Tag,
    /// `true` if a collection is written with brackets.
    pub flow: bool,
    pub anchor: Option<String>,
    pub slots: Option<Slots>,
    pub start: Mark,
}
