//! Data with comments, to be written as YAML.

use tpv_literal::float_text;

use crate::tag::prepare_tag;
use crate::value::{ConfigValue, Entry, Map, ValueKind};

/// A node of a YAML document.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The kind.
    pub kind: Kind,
    /// The text after it, behind a `#`.
    pub comment: Option<String>,
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// A number, a boolean or a date: as it is written.
    Plain(String),
    /// A string.
    Str(String),
    /// A list.
    List(Vec<Node>),
    /// A set.
    Set(Vec<Node>),
    /// A mapping, in order.
    Map(Vec<(Node, Node)>),
    /// An `OrderedDict`.
    OrderedMap(Vec<(Node, Node)>),
    /// A scalar with a tag of its own: the tag and the text.
    Tagged(String, String),
}

impl From<Kind> for Node {
    fn from(kind: Kind) -> Self {
        Self { kind, comment: None }
    }
}

impl Node {
    /// A string.
    pub fn str(text: impl Into<String>) -> Self {
        Kind::Str(text.into()).into()
    }

    /// The text of a scalar; nothing for collections.
    pub(super) fn text(&self) -> &str {
        match &self.kind {
            Kind::Plain(text) | Kind::Str(text) | Kind::Tagged(_, text) => text,
            Kind::Null => "null",
            Kind::List(_) | Kind::Set(_) | Kind::Map(_) | Kind::OrderedMap(_) => "",
        }
    }

    /// Returns `true` for a collection that takes lines of its own.
    pub(super) fn is_block(&self) -> bool {
        match &self.kind {
            Kind::List(items) => !items.is_empty(),
            Kind::Map(items) | Kind::OrderedMap(items) => !items.is_empty(),
            _ => false,
        }
    }

    /// A value of a config; `comment` gives what is to stand behind each value in it.
    pub fn of_config(value: &ConfigValue, comment: &dyn Fn(&ConfigValue) -> Option<String>) -> Self {
        let kind = match &value.kind {
            ValueKind::Null => Kind::Null,
            ValueKind::Bool(true) | ValueKind::AnchoredBool(true) => Kind::Plain("true".to_owned()),
            ValueKind::Bool(false) | ValueKind::AnchoredBool(false) => Kind::Plain("false".to_owned()),
            ValueKind::Int(number) => Kind::Plain(number.to_string()),
            ValueKind::BigInt(number) => Kind::Plain(number.to_string()),
            ValueKind::Float(number) => Kind::Plain(float(*number)),
            ValueKind::Date(date) => Kind::Plain(date.to_string()),
            ValueKind::DateTime(time) => Kind::Plain(time.to_string()),
            ValueKind::Str(text) => Kind::Str(text.value.to_string()),
            ValueKind::Tagged(tagged) => Kind::Tagged(prepare_tag(&tagged.tag), tagged.text.value.to_string()),
            ValueKind::List(items) => Kind::List(items.iter().map(|item| Self::of_config(item, comment)).collect()),
            ValueKind::Set(items) => Kind::Set(items.iter().map(|item| Self::of_config(item, &|_| None)).collect()),
            ValueKind::Map(map) => Kind::Map(Self::entries(map, comment)),
            ValueKind::OrderedMap(map) => Kind::OrderedMap(Self::entries(map, comment)),
        };
        Self { kind, comment: comment(value) }
    }

    fn entries(map: &Map, comment: &dyn Fn(&ConfigValue) -> Option<String>) -> Vec<(Self, Self)> {
        let entry = |entry: &Entry| (Self::of_config(&entry.key, &|_| None), Self::of_config(&entry.value, comment));
        map.entries.iter().map(entry).collect()
    }
}

/// The text of a float, as YAML has it.
pub fn float(number: f64) -> String {
    if number.is_nan() {
        ".nan".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        float_text::repr(number)
    }
}
