//! The parts of an entity: each is replaced as a whole by inheriting.

use std::borrow::Cow;

use tpv_config::entity::{Common, entries, env_value, whole};
use tpv_model::field::Parts;
use tpv_model::{Field, TagType};
use tpv_text::source::Span;

use tpv_text::listed;

/// A field, or an entry of one, that a child's own takes the place of.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// The name used in messages: `mem`, `params.docker_enabled`, `the tag highmem`.
    pub name: Name<'a>,
    /// Its value as text, to tell whether two are alike.
    pub value: Cow<'a, str>,
    /// The value in its file.
    pub span: Span,
}

/// The name of a part; equal where one replaces the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name<'a> {
    /// A field that is replaced as a whole.
    Field(Field),
    /// An entry of `env`, `params`, `resubmit` or `context`; a rule.
    Entry(Field, &'a str),
    /// A tag, in whichever of the four lists.
    Tag(&'a str),
}

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(field) => write!(f, "`{}`", field.group()),
            Self::Entry(field, key) => write!(f, "`{}.{key}`", field.group()),
            Self::Tag(tag) => write!(f, "the tag `{tag}`"),
        }
    }
}

/// The parts of an entity or a rule, rules left out.
pub(crate) fn parts(common: &Common) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    for field in Field::common_in(Parts::Whole) {
        out.extend(whole(common, field).map(|(value, span)| Part { name: Name::Field(field), value, span }));
    }
    for entry in common.env.iter().flat_map(|env| env.iter()) {
        if let (Some(name), Some(value)) = (env_value(entry, "name"), env_value(entry, "value")) {
            let name = Name::Entry(Field::Env, name.as_str());
            out.push(Part { name, value: value.as_str().into(), span: value.span });
        }
    }
    for field in Field::common_in(Parts::Entries) {
        for (key, value) in entries(common, field).into_iter().flatten() {
            out.push(Part { name: Name::Entry(field, key), value: value.python_str().into(), span: value.span });
        }
    }
    for kind in TagType::APPLICATION {
        for tag in common.tags.get(kind) {
            out.push(Part { name: Name::Tag(tag.as_str()), value: kind.field().into(), span: tag.span });
        }
    }
    out
}

/// Names joined for a message: "`mem`", "`mem` and `cores`", "`mem`, `cores` and 3 more".
pub(crate) fn joined<T: std::fmt::Display>(names: &[T]) -> String {
    listed::counted(names, 2, "more")
}
