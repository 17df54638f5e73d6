//! Problems of a config: their place, and the remedy.
//!
//! Every stage adds [`Diagnostic`]s to one [`Diagnostics`] and goes on, so that one run reports everything it can see.
//! Messages are lower-case sentences without a full stop, names stand in backticks, help says what to write.

use crate::code::Code;
use crate::printable;
use crate::source::{SourceMap, Span};

/// The help of an error that is a fault of tpvc itself.
pub const REPORT_BUG: &str = "report this as a bug";

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The config is refused.
    Error,
    /// The config is accepted, but likely does not mean what its author wanted.
    Warning,
}

/// A place in the text and what the message says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words next to the underline; may be empty.
    pub text: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The kind of problem, where it has one.
    pub code: Option<Code>,
    /// The message.
    pub message: String,
    /// The place; `None` for a problem without one, such as a missing file.
    pub primary: Option<Label>,
    /// Other places that explain the problem.
    pub secondary: Vec<Label>,
    /// The calls that led to the problem, each with an excerpt of its own, in this order.
    pub trace: Vec<Label>,
    /// The problem that led to this one.
    pub behind: Option<Box<Diagnostic>>,
    /// Facts that explain the problem.
    pub notes: Vec<String>,
    /// The text to write instead.
    pub help: Option<String>,
    /// The exception that TPV raises for it, if code that calls TPV may catch it by its class.
    pub raises: Option<Raises>,
    /// The edits that mend it, where there is one way to; all of them or none.
    pub fix: Vec<Edit>,
    /// The config that could not be read, as the caller named it: a URL may have secrets, so this is not for messages.
    pub unread: Option<String>,
}

/// A text in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced text; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
    /// The effect on what jobs get.
    pub applicability: Applicability,
}

/// The effect of an edit, after ruff's applicability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// It changes no answer.
    Safe,
    /// Jobs may get something else: whoever applies it looks at it.
    NeedsLook,
}

/// An exception of Python: its class and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raises {
    /// The name of the class.
    pub class: &'static str,
    /// The text.
    pub message: String,
}

impl Diagnostic {
    /// An error, so far without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message.into())
    }

    /// A warning, so far without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message.into())
    }

    fn new(severity: Severity, message: String) -> Self {
        Self {
            severity,
            code: None,
            message,
            primary: None,
            secondary: Vec::new(),
            trace: Vec::new(),
            behind: None,
            notes: Vec::new(),
            help: None,
            raises: None,
            fix: Vec::new(),
            unread: None,
        }
    }

    /// Says where the problem is.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Points to a further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds the call that led to the last place of the trace so far.
    pub fn called(mut self, span: Span, text: impl Into<String>) -> Self {
        self.trace.push(Label { span, text: text.into() });
        self
    }

    /// Adds the problem that led to this one; its severity does not show.
    pub fn behind(mut self, other: Self) -> Self {
        self.behind = Some(Box::new(other));
        self
    }

    /// Names the kind of problem.
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// Names the config that could not be read.
    pub fn unread(mut self, name: impl Into<String>) -> Self {
        self.unread = Some(name.into());
        self
    }

    /// Adds a fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Gives an edit that mends it, and after which jobs may get something else.
    pub fn fix(self, span: Span, text: impl Into<String>) -> Self {
        self.edit(span, text.into(), Applicability::NeedsLook)
    }

    /// Gives an edit that mends it and changes no answer.
    pub fn safe_fix(self, span: Span, text: impl Into<String>) -> Self {
        self.edit(span, text.into(), Applicability::Safe)
    }

    fn edit(mut self, span: Span, text: String, applicability: Applicability) -> Self {
        self.fix.push(Edit { span, text, applicability });
        self
    }

    /// Says which exception TPV raises.
    pub fn raises(mut self, class: &'static str, message: impl Into<String>) -> Self {
        self.raises = Some(Raises { class, message: message.into() });
        self
    }

    /// The problem in one line, `tpv.yml:3:5: error: ...`, without the parts that only an excerpt shows.
    pub fn line(&self, sources: &SourceMap) -> String {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = self.primary.as_ref().map(|label| sources.locate(label.span) + ": ");
        printable::line(&format!("{}{word}: {}", place.unwrap_or_default(), self.message)).into_owned()
    }
}

/// One problem with the texts that it points into.
#[derive(Debug)]
pub struct Problem {
    /// The diagnostic. Boxed, because a result is as large as its error.
    pub diagnostic: Box<Diagnostic>,
    /// The texts.
    pub sources: SourceMap,
}

impl Problem {
    /// A problem with its texts.
    pub fn new(diagnostic: Diagnostic, sources: SourceMap) -> Self {
        Self { diagnostic: Box::new(diagnostic), sources }
    }
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(diagnostic, SourceMap::new())
    }
}

/// All problems of a run.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No problems yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Adds one problem before all others.
    pub fn push_front(&mut self, diagnostic: Diagnostic) {
        self.items.insert(0, diagnostic);
    }

    /// The errors, to add to them.
    pub fn errors_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.items.iter_mut().filter(|item| item.severity == Severity::Error)
    }

    /// Adds all problems of `other`.
    pub fn extend(&mut self, other: Self) {
        self.items.extend(other.items);
    }

    /// Returns `true` if an error makes the config unusable.
    pub fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.items.iter().filter(|item| item.severity == Severity::Error).count()
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.items.len() - self.errors()
    }

    /// Returns `true` if there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The problems in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    /// Orders the problems by place: those without one first, then by source, position and severity; equal ones once.
    pub fn sort(&mut self) {
        self.items.sort_by_key(|item| (item.primary.as_ref().map(|label| label.span), item.severity));
        self.items.dedup();
    }
}
