//! The parsed form of a pattern.

/// `re`'s flags as one int.
pub mod flag {
    /// `re.TEMPLATE`, without effect.
    pub const TEMPLATE: u32 = 1;
    /// `re.IGNORECASE`
    pub const IGNORECASE: u32 = 2;
    /// `re.LOCALE`, which patterns of text refuse.
    pub const LOCALE: u32 = 4;
    /// `re.MULTILINE`
    pub const MULTILINE: u32 = 8;
    /// `re.DOTALL`
    pub const DOTALL: u32 = 16;
    /// `re.UNICODE`
    pub const UNICODE: u32 = 32;
    /// `re.VERBOSE`
    pub const VERBOSE: u32 = 64;
    /// `re.DEBUG`
    pub const DEBUG: u32 = 128;
    /// `re.ASCII`
    pub const ASCII: u32 = 256;
    /// The flags that exclude each other.
    pub const TYPES: u32 = ASCII | LOCALE | UNICODE;
    /// The flags that a group cannot change.
    pub const GLOBAL: u32 = DEBUG | TEMPLATE;

    /// The flags inside a group that adds and removes some.
    pub fn combine(flags: u32, add: u32, remove: u32) -> u32 {
        let kept = if add & TYPES != 0 { flags & !TYPES } else { flags };
        (kept | add) & !remove
    }

    /// The flag of an inline letter.
    pub fn of(letter: char) -> Option<u32> {
        Some(match letter {
            'i' => IGNORECASE,
            'L' => LOCALE,
            'm' => MULTILINE,
            's' => DOTALL,
            'x' => VERBOSE,
            'a' => ASCII,
            't' => TEMPLATE,
            'u' => UNICODE,
            _ => return None,
        })
    }
}

/// One item after another.
pub type Sequence = Vec<Node>;

/// One item of a pattern. Characters are code points, which may be lone surrogates (those match nothing).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A character.
    Literal(u32),
    /// `.`
    Any,
    /// `[...]`, `\d` and its like.
    Set {
        /// `[^...]`
        negated: bool,
        /// The items.
        items: Vec<SetItem>,
    },
    /// A place.
    At(At),
    /// `a|b`
    Branch(Vec<Sequence>),
    /// `(...)`, `(?:...)`, `(?i:...)`
    Group {
        /// The group's number, if it captures.
        index: Option<u32>,
        /// Flags turned on.
        add: u32,
        /// Flags turned off.
        remove: u32,
        /// The body.
        body: Sequence,
    },
    /// `(?>...)`
    Atomic(Sequence),
    /// `x*` and its like.
    Repeat {
        /// The fewest times.
        min: u32,
        /// The most times; `None` is without bound.
        max: Option<u32>,
        /// The alternative that is tried first.
        kind: RepeatKind,
        /// The repeated part.
        body: Box<Node>,
    },
    /// `(?=...)`, `(?!...)`, `(?<=...)`, `(?<!...)`
    Look {
        /// Looks at the text before.
        behind: bool,
        /// Must not match.
        negated: bool,
        /// The part to look for.
        body: Sequence,
    },
    /// `\1`, `(?P=name)`
    Backreference(u32),
    /// `(?(1)yes|no)`
    Conditional {
        /// The group that decides.
        group: u32,
        /// The branch after a match.
        yes: Sequence,
        /// The branch after a failed match.
        no: Option<Sequence>,
    },
}

/// Which number of repeats is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatKind {
    /// The most.
    Greedy,
    /// The fewest.
    Lazy,
    /// The most, and no other.
    Possessive,
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// `^`
    Beginning,
    /// `$`
    End,
    /// `\A`
    BeginningOfText,
    /// `\Z`
    EndOfText,
    /// `\b`
    Boundary,
    /// `\B`
    NonBoundary,
}

/// One item of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetItem {
    /// A character.
    Literal(u32),
    /// From a character to another, inclusive.
    Range(u32, u32),
    /// `\d`, `\W` ...
    Category {
        /// Which.
        kind: Category,
        /// `\D`, `\W`, `\S`
        negated: bool,
    },
}

/// A category of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// `\d`
    Digit,
    /// `\s`
    Space,
    /// `\w`
    Word,
}

/// A parsed pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The top level.
    pub body: Sequence,
    /// All global flags: those given, those in the pattern, and `UNICODE` where `ASCII` is not set.
    pub flags: u32,
    /// The number of groups, the whole match not counted.
    pub groups: u32,
    /// Named groups in the order they open.
    pub names: Vec<(String, u32)>,
    /// The groups in the order they close, for `lastindex`.
    pub closing_order: Vec<u32>,
}
