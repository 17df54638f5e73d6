//! The errors of a pattern.

/// The error of compiling a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// `re.error`
    Syntax {
        /// `e.msg`
        message: String,
        /// `e.pos` in code points; the rule about fixed-width look-behinds has none.
        position: Option<usize>,
    },
    /// `OverflowError`: a repeat count beyond CPython's.
    Overflow(String),
    /// `ValueError`: flags that exclude each other.
    Value(String),
    /// `RecursionError`: groups nested too deeply.
    Recursion,
    /// A pattern that CPython takes and the engine does not, because of its size or depth: `RuntimeError`.
    Unsupported(String),
}

impl CompileError {
    /// The name of Python's exception class.
    pub fn class_name(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "error",
            Self::Overflow(_) => "OverflowError",
            Self::Value(_) => "ValueError",
            Self::Recursion => "RecursionError",
            Self::Unsupported(_) => "RuntimeError",
        }
    }

    /// The exception's text: `str(e)` in Python, which for `re.error` names the position in `pattern`.
    pub fn text(&self, pattern: &str) -> String {
        match self {
            Self::Syntax { message, position: Some(position) } => {
                let mut text = format!("{message} at position {position}");
                if pattern.contains('\n') {
                    let (line, column) = line_and_column(pattern, *position);
                    text.push_str(&format!(" (line {line}, column {column})"));
                }
                text
            }
            Self::Syntax { message, position: None } => message.clone(),
            Self::Overflow(message) | Self::Value(message) | Self::Unsupported(message) => message.clone(),
            Self::Recursion => "maximum recursion depth exceeded".to_owned(),
        }
    }
}

/// `e.lineno` and `e.colno`, both from 1, of a position in code points.
pub fn line_and_column(pattern: &str, position: usize) -> (usize, usize) {
    let (mut line, mut column) = (1, 1);
    for c in pattern.chars().take(position) {
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    (line, column)
}
