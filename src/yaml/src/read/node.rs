//! The nodes of a text: scalars, sequences and mappings with their tags, anchors, styles and comments.

use std::borrow::Cow;
use std::ops::Range;

use super::comment::{Comments, Slots};
use super::reader::Mark;
use crate::style::ScalarStyle;
use crate::tag::YAML_TAGS;

/// The number of a node in the composed tree. An alias is the number of the node it stands for.
pub(crate) type NodeId = usize;

/// The nodes of a document.
pub(crate) struct NodeTree<'t> {
    /// All nodes.
    pub nodes: Vec<Node<'t>>,
    /// The root; `None` for a text without a document.
    pub root: Option<NodeId>,
    /// All comments of the text.
    pub comments: Comments,
}

/// The tag of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tag {
    /// One of YAML's own types by its name, not written in the text.
    Implicit(&'static str),
    /// A tag that is written in the text.
    Written(Box<WrittenTag>),
}

/// A tag that is written in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTag {
    /// `!`, `!!` or a named handle; `None` for a tag that is written in full.
    pub handle: Option<String>,
    /// The suffix as it is written.
    pub suffix: String,
    /// The whole tag, escapes resolved.
    pub name: String,
}

impl Tag {
    /// The name of one of YAML's own types.
    pub(crate) fn kind(&self) -> Option<&str> {
        match self {
            Self::Implicit(kind) => Some(kind),
            Self::Written(tag) => tag.name.strip_prefix(YAML_TAGS),
        }
    }

    /// The type of a scalar with this tag. `None` for `!!str`, which makes an object of no known type, unlike
    /// `!<tag:yaml.org,2002:str>`.
    pub(crate) fn scalar_kind(&self) -> Option<&str> {
        self.kind().filter(|&kind| kind != "str" || self.handle().is_none())
    }

    /// The whole tag.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Implicit(kind) => format!("{YAML_TAGS}{kind}").into(),
            Self::Written(tag) => tag.name.as_str().into(),
        }
    }

    /// The handle, if the tag is written with one.
    pub(crate) fn handle(&self) -> Option<&str> {
        match self {
            Self::Implicit(_) => None,
            Self::Written(tag) => tag.handle.as_deref(),
        }
    }
}

/// A node as an item, key or value of a collection.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// The node.
    pub id: NodeId,
    /// The bytes of the alias, if this is one to the node.
    pub alias: Option<Range<usize>>,
}

/// The content of a node.
#[derive(Clone, Debug)]
pub(crate) enum Content<'t> {
    Scalar(Cow<'t, str>, ScalarStyle),
    Sequence(Vec<Child>),
    Mapping(Vec<(Child, Child)>),
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub content: Content<'t>,
    pub tag: Tag,
    /// `true` if a collection is written with brackets.
    pub flow: bool,
    pub anchor: Option<Cow<'t, str>>,
    pub slots: Option<Box<Slots>>,
    /// The start of the node with its properties.
    pub start: Mark,
    /// The bytes of its content; of a block collection the start alone.
    pub span: Range<usize>,
}
