//! Findings: what is likely wrong in a config that loads.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// One finding: a code, a severity, a place, and what to do.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind, as `docs/lint/` lists them.
    pub code: Code,
    /// Severity, place, message, notes and help.
    pub diagnostic: Diagnostic,
    /// The number of other findings of its file that it stands for; the linter's reports fill it in.
    pub more: usize,
    /// `true` if a `# noqa` comment turns it off.
    pub silenced: bool,
    /// `true` if most entities of a file tend to have it: reports give the first, with the number of the others.
    pub once_a_file: bool,
}

impl Finding {
    /// A finding without a file's entity.
    pub fn new(code: Code, diagnostic: Diagnostic) -> Self {
        Self { code, diagnostic: diagnostic.code(code), more: 0, silenced: false, once_a_file: false }
    }

    /// Marks a finding that most entities of a file tend to have: reports give the first, with the number of the others.
    pub fn once_a_file(mut self) -> Self {
        self.once_a_file = true;
        self
    }

    /// Sets the `# noqa` comment of the finding's entity, which may turn it off.
    pub fn of(self, comment: &[impl AsRef<str>]) -> Self {
        self.within([comment])
    }

    /// As [`Finding::of`], for what several entities share: any of them may turn it off.
    pub fn within<'t, T: AsRef<str> + 't>(mut self, comments: impl IntoIterator<Item = &'t [T]>) -> Self {
        self.silenced = comments.into_iter().any(|comment| silences(comment, self.code));
        self
    }

    /// Returns `true` if the finding points to a place.
    pub fn points_to(&self, span: Span) -> bool {
        self.diagnostic.primary.iter().chain(&self.diagnostic.secondary).any(|label| label.span == span)
    }

    /// The location.
    pub fn span(&self) -> Option<Span> {
        self.diagnostic.primary.as_ref().map(|label| label.span)
    }

    /// Returns `true` if the config cannot be used as it is.
    pub fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

/// Returns `true` if the words of an entity's `# noqa` comment turn findings of a kind off.
pub fn silences(comment: &[impl AsRef<str>], code: Code) -> bool {
    comment.iter().any(|word| matches!(word.as_ref(), word if word == "noqa" || word == code.as_str()))
}
