//! The types that the checker tells apart. What it cannot tell is `Any`, of which nothing is ever reported.

use std::rc::Rc;
use std::sync::Arc;

use crate::checker::stubs::{Member, Signature, model};

/// The type of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// Any type.
    #[default]
    Any,
    /// `None`
    None,
    /// A value of a class of the model, `str` and the like among them.
    Class(&'static str),
    /// A list with items of a type.
    List(Arc<Type>),
    /// A value of that type, or `None`.
    Optional(Arc<Type>),
    /// A module.
    Module(Arc<str>),
    /// One of several modules, which only running code knows.
    SomeModule,
    /// A function of a module or a method: owner and name.
    Function(&'static str, &'static str),
    /// A class or other object of the runtime by its path: `datetime:datetime`, or the name of a builtin or of a global of TPV's
    /// loader.
    Object(Arc<str>),
    /// A function that the code defines.
    Def,
    /// A class that only running code knows: `type(x)`.
    SomeClass,
    /// An iterable of these items about which nothing else is known.
    Items(Arc<Type>),
}

impl Type {
    pub(super) const STR: Self = Self::Class("str");
    pub(super) const INT: Self = Self::Class("int");
    pub(super) const FLOAT: Self = Self::Class("float");
    /// An `int`, a `float` or a `bool`.
    pub(super) const NUMBER: Self = Self::Class("number");
    pub(super) const BOOL: Self = Self::Class("bool");
    pub(super) const DICT: Self = Self::Class("dict");
    pub(super) const TUPLE: Self = Self::Class("tuple");
    pub(super) const SET: Self = Self::Class("set");

    /// Reads a type as the table writes it.
    pub fn read(text: &'static str) -> Self {
        if let Some(inner) = text.strip_suffix('?') {
            return Self::Optional(Arc::new(Self::read(inner)));
        }
        if let Some(item) = text.strip_prefix("list[").and_then(|rest| rest.strip_suffix(']')) {
            return Self::List(Arc::new(Self::read(item)));
        }
        if let Some(item) = text.strip_prefix("iter[").and_then(|rest| rest.strip_suffix(']')) {
            return Self::Items(Arc::new(Self::read(item)));
        }
        if let Some(path) = text.strip_prefix('@') {
            return Self::Object(path.into());
        }
        match text {
            "Any" => Self::Any,
            "None" => Self::None,
            name => Self::Class(name),
        }
    }

    /// The class, for those that are instances of one.
    pub(super) fn class(&self) -> Option<&'static str> {
        match self {
            Self::Class(name) => Some(name),
            Self::List(_) => Some("list"),
            _ => None,
        }
    }

    /// The union of both types.
    pub(super) fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        match (self, other) {
            (Self::None, Self::Any) | (Self::Any, Self::None) => Self::Any,
            (Self::None, Self::Optional(_)) => other.clone(),
            (Self::Optional(_), Self::None) => self.clone(),
            (Self::Module(_) | Self::SomeModule, Self::Module(_) | Self::SomeModule) => Self::SomeModule,
            _ if self.is_number() && other.is_number() => Self::NUMBER,
            (Self::None, other) | (other, Self::None) => Self::Optional(Arc::new(other.clone())),
            _ => Self::Any,
        }
    }

    /// The type without `None`.
    pub(super) fn not_none(&self) -> Self {
        match self {
            Self::Optional(inner) => (**inner).clone(),
            Self::None => Self::Any,
            other => other.clone(),
        }
    }

    /// The type of those values that are false. Objects of Galaxy are always true.
    pub(super) fn falsy(&self) -> Self {
        match self {
            Self::Optional(inner) if matches!(&**inner, Self::Class(name) if name.starts_with(|c: char| c.is_ascii_uppercase())) => {
                Self::None
            }
            other => other.clone(),
        }
    }

    /// The type of the items.
    pub(super) fn item(&self) -> Self {
        match self {
            Self::List(item) | Self::Items(item) => (**item).clone(),
            Self::Class("str") => Self::STR,
            _ => Self::Any,
        }
    }

    /// Returns `true` for `int`, `float` and `bool`.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Class("int" | "float" | "bool" | "number"))
    }

    /// The signature, where it is a function of the model.
    pub(super) fn signature(&self) -> Option<&'static Signature> {
        let Self::Function(owner, name) = self else { return None };
        let members = model().modules.get(owner).or_else(|| model().classes.get(owner))?;
        match members.known.get(name)? {
            Member::Function(signature) => Some(signature),
            Member::Value(_) => None,
        }
    }

    /// The word for messages: `a string`.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Any => "a value".to_owned(),
            Self::None => "`None`".to_owned(),
            Self::Class("str") => "a string".to_owned(),
            Self::Class("int" | "float" | "number") => "a number".to_owned(),
            Self::Class("bool") => "a boolean".to_owned(),
            Self::Class(name @ ("App" | "Entity")) => format!("an `{name}`"),
            Self::Class(name) => format!("a `{name}`"),
            Self::List(_) => "a `list`".to_owned(),
            Self::Optional(inner) => format!("{} or `None`", inner.describe()),
            Self::Module(name) => format!("the module `{name}`"),
            Self::SomeModule => "a module".to_owned(),
            Self::Function(_, name) => format!("the function `{name}`"),
            Self::Object(path) => format!("`{}`", path.replace(':', ".")),
            Self::Def => "a function".to_owned(),
            Self::SomeClass => "a class".to_owned(),
            Self::Items(_) => "an iterator".to_owned(),
        }
    }
}

/// A name of the block with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub ty: Type,
    /// `None` where it is bound for certain, else the text of the condition under which it is.
    pub maybe: Option<Rc<str>>,
}
