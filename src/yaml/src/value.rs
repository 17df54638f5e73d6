//! Config values as Python would see them after loading, each with its place.

use std::fmt::Write;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use tpv_literal::float_text;
use tpv_literal::quoted::str_repr;

use crate::style::ScalarStyle;
use crate::timestamp::{Date, DateTime};
use tpv_text::source::Span;

/// A text with the place it was written at.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The text after unquoting, folding and unescaping.
    pub value: Arc<str>,
    /// The whole scalar, with quotes or block header.
    pub span: Span,
    /// The style of the scalar, which finding a place inside it needs.
    pub style: ScalarStyle,
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.value
    }
}

impl Text {
    /// A text that stands for the whole of `span`.
    pub fn new(value: impl Into<Arc<str>>, span: Span) -> Self {
        Self { value: value.into(), span, style: ScalarStyle::Plain }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.value
    }
}

/// A value with its place.
#[derive(Clone, Debug)]
pub struct ConfigValue {
    /// The value.
    pub kind: ValueKind,
    /// The location: that of an alias is its anchor's value.
    pub span: Span,
}

/// A value that ruamel.yaml's round-trip loader builds from a node.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// `None`
    Null,
    /// `bool`
    Bool(bool),
    /// `int` that fits into 64 bits.
    Int(i64),
    /// Any other `int`.
    BigInt(Arc<BigInt>),
    /// `float`
    Float(f64),
    /// `str`
    Str(Text),
    /// `datetime.date`
    Date(Date),
    /// `datetime.datetime`
    DateTime(DateTime),
    /// `list`
    List(Arc<Vec<ConfigValue>>),
    /// `!!set`: no `list`, but pydantic takes it where one may stand.
    Set(Arc<Vec<ConfigValue>>),
    /// `dict`
    Map(Arc<Map>),
    /// `OrderedDict`: never in a config, but what TPV's dump has for some of its mappings, see `tpv_analysis::dump`.
    OrderedMap(Arc<Map>),
    /// A boolean with an anchor: ruamel.yaml's class for it is a subclass of `int`, so that it prints as `1`.
    AnchoredBool(bool),
    /// A scalar with a tag that names no type (`!foo bar`, and with ruamel.yaml's round-trip loader `!!str 5`
    /// too): an object that is none of the types above, whose `str()` is the text.
    Tagged(Arc<TaggedScalar>),
}

impl ValueKind {
    /// The narrowest kind that holds an integer.
    pub fn int(value: BigInt) -> Self {
        value.to_i64().map_or_else(|| Self::BigInt(Arc::new(value)), Self::Int)
    }
}

/// A scalar whose tag names no type.
#[derive(Clone, Debug)]
pub struct TaggedScalar {
    /// The whole tag.
    pub tag: Arc<str>,
    /// The scalar.
    pub text: Text,
}

/// A mapping in the order Python iterates it.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The entries; keys are distinct by Python's `==`.
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, a string in most places.
    pub key: ConfigValue,
    /// The value.
    pub value: ConfigValue,
    /// The codes of a `# noqa` comment between the key and its mapping; empty if there are only other comments.
    pub noqa: Option<Arc<[Arc<str>]>>,
}

impl Map {
    /// The value under a string key.
    pub fn get(&self, key: &str) -> Option<&ConfigValue> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry with a string key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.as_str() == Some(key))
    }
}

impl ConfigValue {
    /// A value with its place.
    pub fn new(kind: ValueKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Str(text) => Some(&text.value),
            _ => None,
        }
    }

    /// The text of a string with its place.
    pub fn as_text(&self) -> Option<&Text> {
        match &self.kind {
            ValueKind::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    pub fn as_map(&self) -> Option<&Arc<Map>> {
        match &self.kind {
            ValueKind::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns `true` for `None`.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, ValueKind::Null)
    }

    /// The value as messages call it: `a list`, `the string "x"`, `true`.
    pub fn describe(&self) -> String {
        match &self.kind {
            ValueKind::Null => "null".to_owned(),
            ValueKind::Bool(value) => format!("the boolean `{value}`"),
            ValueKind::Int(_) | ValueKind::AnchoredBool(_) | ValueKind::BigInt(_) | ValueKind::Float(_) => {
                format!("the number `{}`", self.python_str())
            }
            ValueKind::Str(text) if text.value.chars().count() > 40 || text.value.contains('\n') => {
                "a string".to_owned()
            }
            ValueKind::Str(text) => format!("the string `{}`", text.value),
            ValueKind::Date(_) => "a date".to_owned(),
            ValueKind::DateTime(_) => "a date and time".to_owned(),
            ValueKind::List(_) => "a list".to_owned(),
            ValueKind::Set(_) => "a set".to_owned(),
            ValueKind::Map(_) | ValueKind::OrderedMap(_) => "a mapping".to_owned(),
            ValueKind::Tagged(..) => "a value with a tag".to_owned(),
        }
    }

    /// Python's `bool()`.
    pub fn python_bool(&self) -> bool {
        match &self.kind {
            ValueKind::Null => false,
            ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => *value,
            ValueKind::Int(value) => *value != 0,
            ValueKind::BigInt(_) | ValueKind::Date(_) | ValueKind::DateTime(_) | ValueKind::Tagged(..) => true,
            ValueKind::Float(value) => *value != 0.0,
            ValueKind::Str(text) => !text.value.is_empty(),
            ValueKind::List(items) | ValueKind::Set(items) => !items.is_empty(),
            ValueKind::Map(map) | ValueKind::OrderedMap(map) => !map.entries.is_empty(),
        }
    }

    /// Python's `str()`, which TPV applies to the values of an `env` mapping.
    pub fn python_str(&self) -> String {
        match &self.kind {
            ValueKind::Str(text) => text.value.to_string(),
            ValueKind::Tagged(tagged) => tagged.text.value.to_string(),
            ValueKind::Date(date) => date.to_string(),
            ValueKind::DateTime(time) => time.to_string(),
            _ => self.python_repr(),
        }
    }

    /// Python's `repr()`.
    ///
    /// DIFFERENCE: a date-time with a zone or a `T` shows here as `datetime.datetime(...)`; ruamel.yaml shows a class of
    /// its own with the name of the zone.
    pub fn python_repr(&self) -> String {
        let mut out = String::new();
        self.write_repr(&mut out);
        out
    }

    fn write_repr(&self, out: &mut String) {
        match &self.kind {
            ValueKind::Null => out.push_str("None"),
            ValueKind::Bool(true) => out.push_str("True"),
            ValueKind::Bool(false) => out.push_str("False"),
            ValueKind::Int(value) => out.push_str(&value.to_string()),
            ValueKind::BigInt(value) => out.push_str(&value.to_string()),
            ValueKind::Float(value) => out.push_str(&float_text::repr(*value)),
            ValueKind::AnchoredBool(value) => out.push(if *value { '1' } else { '0' }),
            ValueKind::Str(text) => out.push_str(&str_repr(&text.value)),
            ValueKind::Tagged(tagged) => {
                let TaggedScalar { tag, text } = &**tagged;
                let style = match text.style {
                    ScalarStyle::Plain => "None",
                    ScalarStyle::SingleQuoted => "\"'\"",
                    ScalarStyle::DoubleQuoted => "'\"'",
                    ScalarStyle::Literal => "'|'",
                    ScalarStyle::Folded => "'>'",
                };
                let (value, tag) = (str_repr(&text.value), str_repr(tag));
                let _ = write!(out, "TaggedScalar(value={value}, style={style}, tag=Tag({tag}))");
            }
            ValueKind::Date(Date { year, month, day }) => {
                let _ = write!(out, "datetime.date({year}, {month}, {day})");
            }
            ValueKind::DateTime(time) => {
                let Date { year, month, day } = time.date;
                let _ = write!(out, "datetime.datetime({year}, {month}, {day}, {}, {}", time.hour, time.minute);
                if time.second != 0 || time.microsecond != 0 {
                    let _ = write!(out, ", {}", time.second);
                }
                if time.microsecond != 0 {
                    let _ = write!(out, ", {}", time.microsecond);
                }
                out.push(')');
            }
            ValueKind::List(items) => write_items(out, ["[", "]"], items.iter(), Self::write_repr),
            ValueKind::Set(items) => write_items(out, ["set(odict_keys([", "]))"], items.iter(), Self::write_repr),
            ValueKind::Map(map) => write_items(out, ["{", "}"], map.entries.iter(), |entry, out| {
                entry.key.write_repr(out);
                out.push_str(": ");
                entry.value.write_repr(out);
            }),
            ValueKind::OrderedMap(map) if map.entries.is_empty() => out.push_str("OrderedDict()"),
            ValueKind::OrderedMap(map) => {
                write_items(out, ["OrderedDict([", "])"], map.entries.iter(), |entry, out| {
                    out.push('(');
                    entry.key.write_repr(out);
                    out.push_str(", ");
                    entry.value.write_repr(out);
                    out.push(')');
                })
            }
        }
    }
}

/// Writes items with commas between and brackets around them.
fn write_items<T>(
    out: &mut String,
    [open, close]: [&str; 2],
    items: impl Iterator<Item = T>,
    write: impl Fn(T, &mut String),
) {
    out.push_str(open);
    for (index, item) in items.enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write(item, out);
    }
    out.push_str(close);
}
