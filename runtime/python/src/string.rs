//! Python's `str`: shared, immutable text.
//!
//! Text is UTF-8 with a note whether it is plain ASCII, so that indexing and slicing by code point (which is what
//! Python counts) costs nothing extra for the strings that configs hold.
//!
//! DIFFERENCE: a lone surrogate cannot be held; CPython can. Galaxy's ids, paths and tags have none.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use tpv_bytecode::CodeRef;

/// A Python string. Cloning is a reference count.
#[derive(Clone)]
pub struct Str(Rc<StrObject>);

struct StrObject {
    text: String,
    ascii: bool,
    /// The code that the text compiles to, if it came from the config as an expression or f-string.
    code: Option<CodeRef>,
}

impl Str {
    /// A string with this text.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let ascii = text.is_ascii();
        Self(Rc::new(StrObject { text, ascii, code: None }))
    }

    /// A string that came from the config, with the code it was compiled to.
    pub fn with_code(text: impl Into<String>, code: CodeRef) -> Self {
        let text = text.into();
        let ascii = text.is_ascii();
        Self(Rc::new(StrObject { text, ascii, code: Some(code) }))
    }

    /// Appends in place where nobody else holds the string, so that a text that grows in a loop costs its length only;
    /// false where somebody does.
    pub(crate) fn append(&mut self, more: &str) -> bool {
        let Some(object) = Rc::get_mut(&mut self.0) else { return false };
        object.text.push_str(more);
        object.ascii &= more.is_ascii();
        object.code = None;
        true
    }

    /// The number of holders of the string.
    pub(crate) fn holders(&self) -> usize {
        Rc::strong_count(&self.0)
    }

    /// The code that was compiled from this string, if the config held it as an expression.
    pub fn code(&self) -> Option<CodeRef> {
        self.0.code
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Returns `true` if every character is ASCII, so that byte offsets are character offsets.
    pub fn is_ascii(&self) -> bool {
        self.0.ascii
    }

    /// `len(s)`: the number of code points.
    pub fn char_len(&self) -> usize {
        if self.0.ascii { self.0.text.len() } else { self.0.text.chars().count() }
    }

    /// Returns `true` if both are the same object (`is`).
    pub fn same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The address of the object, for `id()`.
    pub fn address(&self) -> usize {
        Rc::as_ptr(&self.0).cast::<u8>() as usize
    }
}

impl Deref for Str {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || self.as_str() == other.as_str()
    }
}

impl Eq for Str {}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
