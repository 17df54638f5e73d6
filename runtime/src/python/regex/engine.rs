//! Compiled patterns and how they search.

use std::sync::OnceLock;

use fancy_regex::{CompileError as EngineCompileError, Error as EngineError, RegexBuilder, RegexInput};

use super::ast::Pattern;
use super::error::CompileError;
use super::parser::parse;
use super::translate::translate;
use super::width;

/// Steps of backtracking that one search may take: well under 100 ms of work.
const BACKTRACK_LIMIT: usize = 200_000;

/// Bytes that the compiled form of a pattern may take, and the tables that the linear engine builds while it searches.
const SIZE_LIMIT: usize = 8 << 20;
const TABLE_LIMIT: usize = 1 << 20;

/// Instructions that the backtracking form of a pattern may have.
const PROGRAM_LIMIT: usize = 100_000;

/// What a group matched, in bytes of the text; `None` where it took no part.
pub type Span = Option<(usize, usize)>;

/// What all groups matched, the whole match first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans(Vec<Span>);

impl Spans {
    /// The whole match.
    pub fn whole(&self) -> (usize, usize) {
        self.get(0).unwrap_or((0, 0))
    }

    /// What a group matched.
    pub fn get(&self, group: usize) -> Span {
        self.0.get(group).copied().flatten()
    }

    /// The spans, the whole match first.
    pub fn iter(&self) -> impl Iterator<Item = Span> {
        self.0.iter().copied()
    }
}

/// Why a search gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// It took too many steps.
    Budget,
    /// The engine cannot build what this kind of search needs.
    Unsupported(String),
}

impl std::fmt::Display for SearchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Budget => write!(f, "the regular expression took more than {BACKTRACK_LIMIT} steps of backtracking"),
            Self::Unsupported(why) => write!(f, "the regular expression cannot be run: {why}"),
        }
    }
}

/// Builds the engine for a translated pattern.
///
/// # Errors
/// What the engine says of a pattern that is too large or too deep for it.
pub fn build(source: &str) -> Result<fancy_regex::Regex, String> {
    builder(source).build().map_err(|error| error.to_string())
}

fn builder(source: &str) -> RegexBuilder {
    let mut builder = RegexBuilder::new(source);
    // The engine's search for places where a match could begin is experimental, and loses matches of conditionals.
    builder
        .seek(false)
        .backtrack_limit(BACKTRACK_LIMIT)
        .max_prog_size(PROGRAM_LIMIT)
        .delegate_size_limit(SIZE_LIMIT)
        .delegate_dfa_size_limit(TABLE_LIMIT);
    builder
}

/// Whether a built engine finds a match at the start of the text.
///
/// # Errors
/// Where the search took too many steps.
pub fn matches_at_start(engine: &fancy_regex::Regex, text: &str) -> Result<bool, SearchError> {
    // Not `is_match_input`, which ignores `anchored` where it delegates to the linear engine.
    match engine.find_input(RegexInput::new(text).anchored(true)) {
        Ok(found) => Ok(found.is_some()),
        Err(error) => Err(search_error(&error)),
    }
}

fn search_error(error: &EngineError) -> SearchError {
    match error {
        EngineError::RuntimeError(_) => SearchError::Budget,
        error => SearchError::Unsupported(error.to_string()),
    }
}

/// A compiled pattern: what a `re.Pattern` holds.
pub struct Regex {
    pattern: Pattern,
    source: String,
    can_be_empty: bool,
    engine: fancy_regex::Regex,
    /// For `fullmatch`: the pattern and the end of the text.
    full: OnceLock<Result<fancy_regex::Regex, String>>,
    /// For the match after an empty one: the same pattern, which must not match the empty text. `None` where it
    /// always does.
    not_empty: OnceLock<Result<Option<fancy_regex::Regex>, String>>,
}

impl Regex {
    /// Compiles a pattern: `re.compile(text, flags)`.
    ///
    /// # Errors
    /// What `re.compile` raises; `Unsupported` where CPython would take it.
    pub fn new(text: &str, flags: u32) -> Result<Self, CompileError> {
        Self::of_kind(text, flags, false)
    }

    /// [`Regex::new`], or a pattern of bytes, each written as the character of its number, for texts of the same kind.
    ///
    /// # Errors
    /// As [`Regex::new`].
    pub fn of_kind(text: &str, flags: u32, bytes: bool) -> Result<Self, CompileError> {
        let pattern = parse(text, flags, bytes).map_err(|error| if bytes { error.in_ascii() } else { error })?;
        let source = translate(&pattern).source;
        let engine = build(&source)
            .map_err(|why| CompileError::Unsupported(format!("the regular expression cannot be compiled: {why}")))?;
        let can_be_empty = width::of_sequence(&pattern.body, &[]).0 == 0;
        Ok(Self { pattern, source, can_be_empty, engine, full: OnceLock::new(), not_empty: OnceLock::new() })
    }

    /// All global flags: `p.flags`.
    pub fn flags(&self) -> u32 {
        self.pattern.flags
    }

    /// Whether it is a pattern of bytes.
    pub fn is_bytes(&self) -> bool {
        self.pattern.bytes
    }

    /// The number of groups: `p.groups`.
    pub fn groups(&self) -> usize {
        self.pattern.groups as usize
    }

    /// Named groups in the order they open: `p.groupindex`.
    pub fn names(&self) -> &[(String, u32)] {
        &self.pattern.names
    }

    /// The number of a named group.
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.names().iter().find(|(known, _)| known == name).map(|(_, group)| *group as usize)
    }

    /// The group that closed last in a match: `m.lastindex`.
    ///
    /// DIFFERENCE: the engine tells spans only, so the group that ends last counts as the last closed, and of those
    /// that end alike the one whose parenthesis closes last. CPython differs where a group inside a look-around ends
    /// after a later group, or ends alike with one from an earlier repeat.
    pub fn last_index(&self, spans: &Spans) -> Option<usize> {
        let order = self.pattern.closing_order.iter().map(|group| *group as usize);
        order
            .filter_map(|group| spans.get(group).map(|(_, end)| (end, group)))
            .max_by_key(|(end, _)| *end)
            .map(|(_, group)| group)
    }

    /// A match that begins at `start`: `p.match(text, start)`. `start` is a byte offset on a character's border.
    ///
    /// # Errors
    /// Where the search took too many steps.
    pub fn match_at(&self, text: &str, start: usize) -> Result<Option<Spans>, SearchError> {
        run(&self.engine, RegexInput::new(text).from_pos(start).anchored(true))
    }

    /// The first match at or after `start`: `p.search(text, start)`.
    ///
    /// # Errors
    /// As [`Regex::match_at`].
    pub fn search(&self, text: &str, start: usize) -> Result<Option<Spans>, SearchError> {
        run(&self.engine, RegexInput::new(text).from_pos(start))
    }

    /// A match from `start` to the end: `p.fullmatch(text, start)`.
    ///
    /// # Errors
    /// As [`Regex::match_at`].
    pub fn full_match(&self, text: &str, start: usize) -> Result<Option<Spans>, SearchError> {
        let full = self.full.get_or_init(|| build(&format!(r"(?:{})\z", self.source)));
        let full = full.as_ref().map_err(|why| SearchError::Unsupported(why.clone()))?;
        run(full, RegexInput::new(text).from_pos(start).anchored(true))
    }

    /// All matches from `start` on, one after another, as `finditer`, `sub` and `split` find them.
    pub fn scan(&self, start: usize) -> Scan {
        Scan { position: Some(start), must_advance: false }
    }

    /// A match that begins at `start` and is not empty.
    fn match_not_empty(&self, text: &str, start: usize) -> Result<Option<Spans>, SearchError> {
        let not_empty = self.not_empty.get_or_init(|| match builder(&self.source).find_not_empty(true).build() {
            Ok(regex) => Ok(Some(regex)),
            Err(EngineError::CompileError(error)) if matches!(*error, EngineCompileError::PatternCanNeverMatch) => {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        });
        match not_empty {
            Ok(Some(regex)) => run(regex, RegexInput::new(text).from_pos(start).anchored(true)),
            Ok(None) => Ok(None),
            Err(why) => Err(SearchError::Unsupported(why.clone())),
        }
    }
}

fn run(engine: &fancy_regex::Regex, input: RegexInput<'_, str>) -> Result<Option<Spans>, SearchError> {
    match engine.captures_input(input) {
        Ok(None) => Ok(None),
        Ok(Some(captures)) => {
            Ok(Some(Spans(captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect())))
        }
        Err(error) => Err(search_error(&error)),
    }
}

/// A walk over all matches. CPython's rule: the search goes on where the last match ended; after an empty match there
/// must be a match that is not empty at that place, or one further on.
pub struct Scan {
    /// Where the search goes on; `None` at the end.
    position: Option<usize>,
    must_advance: bool,
}

impl Scan {
    /// Where the search goes on, in bytes; `None` at the end.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// The next match in the text, which must be the same at each call.
    ///
    /// # Errors
    /// As [`Regex::match_at`].
    pub fn next(&mut self, regex: &Regex, text: &str) -> Result<Option<Spans>, SearchError> {
        let Some(position) = self.position else { return Ok(None) };
        let found = if self.must_advance && regex.can_be_empty {
            match regex.match_not_empty(text, position)? {
                Some(spans) => Some(spans),
                None => match text.get(position..).and_then(|rest| rest.chars().next()) {
                    Some(c) => regex.search(text, position + c.len_utf8())?,
                    None => None,
                },
            }
        } else {
            regex.search(text, position)?
        };
        match &found {
            Some(spans) => {
                let (start, end) = spans.whole();
                self.position = Some(end);
                self.must_advance = start == end;
            }
            None => self.position = None,
        }
        Ok(found)
    }
}
