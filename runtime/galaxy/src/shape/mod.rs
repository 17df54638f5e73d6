//! The shapes of files: which fields there are, what each takes, and what it means.
//!
//! The readers of configs know their fields from such tables; those of jobs and worlds, which are read by the million, are tested
//! against them. JSON Schemas are made of them.

pub mod answer;
pub mod job;
pub mod outcome;
pub mod world;

/// The values allowed in a place of a file.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// No value: everything is refused.
    Never,
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A whole number.
    Integer,
    /// A whole number of at least 0.
    Count,
    /// A number.
    Number,
    /// One of these numbers.
    Numbers(&'static [i64]),
    /// A text.
    Text,
    /// A text in which this regular expression matches; Rust, Python and ECMAScript read it alike.
    Pattern(&'static str),
    /// One of these texts.
    Words(&'static [&'static str]),
    /// A list of items.
    List(&'static Shape),
    /// A list of one item or more.
    Filled(&'static Shape),
    /// A list of items of which no two are equal.
    Distinct(&'static Shape),
    /// `[]`
    EmptyList,
    /// A mapping of any names to values.
    Map(&'static Shape),
    /// A mapping of some of these names to values.
    Keys(&'static [&'static str], &'static Shape),
    /// A mapping with fields.
    Object(&'static Object),
    /// Any of these.
    Union(&'static [Shape]),
}

/// A field of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The allowed values.
    pub shape: Shape,
    /// The meaning.
    pub doc: &'static str,
    /// The unit of its numbers, unless `doc` names it or it is a count.
    pub unit: Option<&'static str>,
    /// The value if the field is missing, unless `doc` names it.
    pub default: Option<bool>,
    /// `true` if it is required.
    pub is_required: bool,
}

impl Field {
    /// This field with the value that it has if it is missing.
    #[must_use]
    pub const fn otherwise(self, default: bool) -> Self {
        Self { default: Some(default), ..self }
    }

    /// The meaning, with unit and default.
    pub fn description(&self) -> String {
        let unit = self.unit.map_or_else(String::new, |unit| format!(" Unit: {unit}."));
        let default = self.default.map_or_else(String::new, |default| format!(" Default: {default}."));
        format!("{}{unit}{default}", self.doc)
    }
}

/// A mapping with fields.
#[derive(Debug)]
pub struct Object {
    /// The name, unique in its file.
    pub name: &'static str,
    /// The meaning.
    pub doc: &'static str,
    /// The fields, in lists that other objects may have, too.
    pub fields: &'static [&'static [Field]],
    /// The meaning of other names.
    pub others: Others,
}

/// The meaning of names that are not fields of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Errors.
    Refused,
    /// Likely slips, since nothing reads them.
    Ignored,
    /// Likely slips but for those that this regular expression matches.
    IgnoredBut(&'static str),
    /// Names of the user's own.
    Own,
}

/// A field that may be missing.
pub const fn field(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, shape, doc, unit: None, default: None, is_required: false }
}

/// A field that has to be there.
pub const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { is_required: true, ..field(name, shape, doc) }
}

impl Object {
    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().copied().flatten()
    }

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields().find(|field| field.name == name)
    }

    /// The names of the fields that may be there.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.fields().filter(|field| !matches!(field.shape, Shape::Never)).map(|field| field.name)
    }
}

impl Shape {
    /// The alternatives that it is made of: itself where it is none.
    pub fn alternatives(&self) -> &[Self] {
        match self {
            Self::Union(shapes) => shapes,
            _ => std::slice::from_ref(self),
        }
    }

    /// The object that it may be.
    pub fn object(&self) -> Option<&'static Object> {
        self.alternatives().iter().find_map(|shape| match shape {
            Self::Object(object) => Some(*object),
            _ => None,
        })
    }

    /// The shape below it under a name, or under a number in a list.
    pub fn below(&self, name: &str) -> Option<Self> {
        self.alternatives().iter().find_map(|shape| match shape {
            Self::List(item) | Self::Filled(item) | Self::Distinct(item) | Self::Map(item) | Self::Keys(_, item) => {
                Some(**item)
            }
            Self::Object(object) => object.field(name).map(|field| field.shape),
            _ => None,
        })
    }

    /// Returns `true` if it is a text or null.
    pub fn is_text(&self) -> bool {
        self.alternatives().iter().all(|shape| matches!(shape, Self::Text | Self::Null))
    }
}

/// The names that a reader's functions compare keys with, by the function: `" => "` in its source.
#[cfg(test)]
fn names_in_source<'a>(source: &'a str, quote: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let after = |word| code.split(word).skip(1);
    let functions = after("\nfn ").chain(after("\npub(super) fn ")).filter_map(|text| {
        let body = text.split("\n}\n").next()?;
        let name = body.split_once(['(', '<'])?.0;
        let arm = |line: &'a str| {
            let (patterns, _) = line.trim().split_once(" => ")?;
            let name = patterns.strip_prefix(quote)?.strip_suffix('"')?;
            Some(name)
        };
        let names: Vec<&str> = body.lines().filter_map(arm).collect();
        (!names.is_empty()).then_some((name, names))
    });
    functions.collect()
}

/// Demands that a reader's functions take the fields of these objects, and no other.
#[cfg(test)]
fn assert_same_names(source: &str, quote: &str, expected: &[(&str, &Object)]) {
    let sorted = |mut names: Vec<&str>| {
        names.sort_unstable();
        names.join(" ")
    };
    let mut found: Vec<_> = names_in_source(source, quote)
        .into_iter()
        .map(|(function, names)| (function.to_owned(), sorted(names)))
        .collect();
    found.sort();
    found.dedup();
    let mut expected: Vec<_> = expected
        .iter()
        .map(|(function, object)| ((*function).to_owned(), sorted(object.fields().map(|field| field.name).collect())))
        .collect();
    expected.sort();
    assert_eq!(found, expected);
}
