//! Styles of text on a terminal, for what tpvc itself lays out. User text in it is escaped before ([`crate::printable`]).

/// A style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Headings.
    Bold,
    /// Less important text.
    Dim,
    /// Code, names and values of a config.
    Code,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
}

impl Style {
    /// The text in this style.
    pub fn paint(self, text: &str) -> String {
        let code = match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Code => "36",
            Self::Good => "32",
            Self::Bad => "1;31",
        };
        if text.is_empty() { String::new() } else { format!("\x1b[{code}m{text}\x1b[0m") }
    }
}
