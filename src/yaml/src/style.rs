//! The styles that a scalar can be written in.

/// The style of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScalarStyle {
    /// Without quotes.
    #[default]
    Plain,
    /// In `'`, where `''` is a quote.
    SingleQuoted,
    /// In `"`, with escapes.
    DoubleQuoted,
    /// A `|` block: lines as they are.
    Literal,
    /// A `>` block: lines joined by blanks.
    Folded,
}
