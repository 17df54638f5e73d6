//! The parts of an entity: each is replaced as a whole by inheriting.

use std::borrow::Cow;

use tpv_compiler::config::entity::{Common, env_value};
use tpv_compiler::source::Span;
use tpv_model::TagType;

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
    Field(&'a str),
    /// An entry of `env`, `params`, `resubmit` or `context`.
    Entry(&'static str, &'a str),
    /// A tag, in whichever of the four lists.
    Tag(&'a str),
}

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(name) => write!(f, "`{name}`"),
            Self::Entry(field, key) => write!(f, "`{field}.{key}`"),
            Self::Tag(tag) => write!(f, "the tag `{tag}`"),
        }
    }
}

/// The parts of an entity or a rule, rules left out.
pub(crate) fn parts(common: &Common) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    for (amount, value) in common.amounts.common() {
        out.push(Part { name: Name::Field(amount.name()), value: value.python_str().into(), span: value.span });
    }
    for (field, code) in common.code() {
        if let Some(code) = code {
            out.push(Part { name: Name::Field(field.alias()), value: code.as_str().into(), span: code.span });
        }
    }
    for entry in common.env.iter().flat_map(|env| env.iter()) {
        if let (Some(name), Some(value)) = (env_value(entry, "name"), env_value(entry, "value")) {
            out.push(Part { name: Name::Entry("env", name.as_str()), value: value.as_str().into(), span: value.span });
        }
    }
    let dicts = [
        ("params", common.params.as_ref()),
        ("resubmit", Some(&common.resubmit)),
        ("context", common.context.as_ref()),
    ];
    for (field, dict) in dicts {
        for (key, value) in dict.into_iter().flat_map(|dict| dict.iter()) {
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
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}
