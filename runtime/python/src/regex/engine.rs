//! Compiled patterns and how they search.

use std::sync::OnceLock;

use fancy_regex::{CompileError as EngineCompileError, Error as EngineError, RegexBuilder, RegexInput};

use super::ast::Pattern;
use super::compiling;
use super::effort::{self, Effort, Watched};
use super::error::CompileError;
use super::parser::parse;
use super::translate::translate;
use super::width;

/// Steps of backtracking that one search may take: well under 100 ms of work.
const BACKTRACK_LIMIT: usize = 100_000;

/// Bytes that the compiled form of a pattern may take, and the tables that the linear engine builds while it searches.
const SIZE_LIMIT: usize = 8 << 20;
const TABLE_LIMIT: usize = 1 << 20;

/// Instructions that the backtracking form of a pattern may have.
const PROGRAM_LIMIT: usize = 100_000;

/// The range that a group matched, in bytes of the text; `None` if it took no part.
pub type Span = Option<(usize, usize)>;

/// The ranges of all groups, the whole match first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans(Vec<Span>);

impl Spans {
    /// The whole match.
    pub fn whole(&self) -> (usize, usize) {
        self.get(0).unwrap_or((0, 0))
    }

    /// The range that a group matched.
    pub fn get(&self, group: usize) -> Span {
        self.0.get(group).copied().flatten()
    }

    /// The spans, the whole match first.
    pub fn iter(&self) -> impl Iterator<Item = Span> {
        self.0.iter().copied()
    }
}

/// The error of a search.
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
            Self::Budget => write!(f, "the regular expression took too many steps of backtracking"),
            Self::Unsupported(why) => write!(f, "the regular expression cannot be run: {why}"),
        }
    }
}

/// Builds the engine for a translated pattern.
///
/// # Errors
/// The engine's message about a pattern that is too large or too deep for it.
pub fn build(source: &str) -> Result<fancy_regex::Regex, String> {
    builder(source, BACKTRACK_LIMIT).build().map_err(|error| error.to_string())
}

fn builder(source: &str, backtrack_limit: usize) -> RegexBuilder {
    let mut builder = RegexBuilder::new(source);
    // The engine's search for places where a match could begin is experimental, and loses matches of conditionals.
    builder
        .seek(false)
        .backtrack_limit(backtrack_limit)
        .max_prog_size(PROGRAM_LIMIT)
        .delegate_size_limit(SIZE_LIMIT)
        .delegate_dfa_size_limit(TABLE_LIMIT);
    builder
}

/// Returns `true` if a built engine finds a match at the start of the text.
///
/// # Errors
/// An error if the search took too many steps.
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
    can_be_empty: bool,
    /// The cost of a byte of text beyond that of most patterns.
    breadth: usize,
    /// The maximum cost of tracking groups, for each byte of text.
    copies: usize,
    /// The distance that one step of the engine may look.
    reach: effort::Reach,
    engines: Engines,
    /// For `fullmatch`: the pattern and the end of the text.
    full: Engines,
    /// For the match after an empty one: the same pattern, which must not match the empty text.
    not_empty: Engines,
}

/// The engines of one pattern by the length of the text: if a step looks at all of the text, the longer it is the fewer
/// may be taken.
struct Engines {
    source: String,
    not_empty: bool,
    /// By [`effort::length_class`]; `None` if the pattern matches nothing but the empty text, which it must not.
    by_length: [OnceLock<Result<Option<fancy_regex::Regex>, String>>; effort::CLASSES],
}

impl Engines {
    fn new(source: String, not_empty: bool) -> Self {
        Self { source, not_empty, by_length: Default::default() }
    }

    /// The engine for a text of this length.
    fn get(&self, reach: effort::Reach, length: usize) -> Result<Option<&fancy_regex::Regex>, String> {
        let (class, limit) = reach.limit(length, BACKTRACK_LIMIT);
        let Some(engine) = self.by_length.get(class) else { return Ok(None) };
        let built = engine.get_or_init(|| match builder(&self.source, limit).find_not_empty(self.not_empty).build() {
            Ok(regex) => Ok(Some(regex)),
            Err(EngineError::CompileError(error))
                if self.not_empty && matches!(*error, EngineCompileError::PatternCanNeverMatch) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        });
        built.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn run(
        &self,
        reach: effort::Reach,
        text: &str,
        start: usize,
        anchored: bool,
        effort: &Effort,
    ) -> Result<Option<Spans>, SearchError> {
        let Some(engine) = self.get(reach, text.len()).map_err(SearchError::Unsupported)? else { return Ok(None) };
        let watched = Watched::new(text, reach, effort);
        let found = engine.captures_input(RegexInput::new(&watched).from_pos(start).anchored(anchored));
        match found {
            Ok(None) => Ok(None),
            Ok(Some(captures)) => Ok(Some(Spans(captures.iter().collect()))),
            Err(error) => Err(search_error(&error)),
        }
    }
}

impl Regex {
    /// Compiles a pattern: `re.compile(text, flags)`.
    ///
    /// # Errors
    /// The exception of `re.compile`; `Unsupported` if CPython would accept the pattern.
    pub fn new(text: &str, flags: u32) -> Result<Self, CompileError> {
        let pattern = parse(text, flags)?;
        let source = translate(&pattern).source;
        let (reach, breadth) = (effort::Reach::of(&pattern.body), effort::breadth(&pattern.body));
        let copies = effort::copies(&pattern.body, pattern.groups as usize);
        let engines = Engines::new(source, false);
        engines
            .get(reach, 0)
            .map_err(|why| CompileError::Unsupported(format!("the regular expression cannot be compiled: {why}")))?;
        let can_be_empty = width::of_sequence(&pattern.body, &[]).0 == 0;
        let full = Engines::new(format!(r"(?:{})\z", engines.source), false);
        let not_empty = Engines::new(engines.source.clone(), true);
        Ok(Self { pattern, can_be_empty, breadth, copies, reach, engines, full, not_empty })
    }

    /// The steps that compiling it takes, once it is read.
    pub fn compiling(&self) -> usize {
        compiling::of_pattern(&self.pattern)
    }

    /// The steps, beyond one or two, that a search in a text of this length may take if the pattern is so large that
    /// its states are tried one by one, or has groups and repeats.
    pub fn cost(&self, length: usize) -> usize {
        let groups = self.copies.saturating_mul(length) / effort::COPIES_A_STEP;
        self.breadth.saturating_mul(length).saturating_add(groups)
    }

    /// All global flags: `p.flags`.
    pub fn flags(&self) -> u32 {
        self.pattern.flags
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
    /// that end alike the one whose parenthesis closes last. CPython differs if a group inside a look-around ends
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
    /// An error if the search took too many steps.
    pub fn match_at(&self, text: &str, start: usize, effort: &Effort) -> Result<Option<Spans>, SearchError> {
        self.engines.run(self.reach, text, start, true, effort)
    }

    /// The first match at or after `start`: `p.search(text, start)`.
    ///
    /// # Errors
    /// As [`Regex::match_at`].
    pub fn search(&self, text: &str, start: usize, effort: &Effort) -> Result<Option<Spans>, SearchError> {
        self.engines.run(self.reach, text, start, false, effort)
    }

    /// A match from `start` to the end: `p.fullmatch(text, start)`.
    ///
    /// # Errors
    /// As [`Regex::match_at`].
    pub fn full_match(&self, text: &str, start: usize, effort: &Effort) -> Result<Option<Spans>, SearchError> {
        self.full.run(self.reach, text, start, true, effort)
    }

    /// All matches from `start` on, one after another, as `finditer`, `sub` and `split` find them.
    pub fn scan(&self, start: usize) -> Scan {
        Scan { position: Some(start), must_advance: false }
    }

    /// A match that begins at `start` and is not empty.
    fn match_not_empty(&self, text: &str, start: usize, effort: &Effort) -> Result<Option<Spans>, SearchError> {
        self.not_empty.run(self.reach, text, start, true, effort)
    }
}

/// A walk over all matches. CPython's rule: the search goes on where the last match ended; after an empty match there
/// must be a match that is not empty at that place, or one further on.
pub struct Scan {
    /// The position at which the search continues; `None` at the end.
    position: Option<usize>,
    must_advance: bool,
}

impl Scan {
    /// The position at which the search continues, in bytes; `None` at the end.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// The next match in the text, which must be the same at each call.
    ///
    /// # Errors
    /// As [`Regex::match_at`].
    pub fn next(&mut self, regex: &Regex, text: &str, effort: &Effort) -> Result<Option<Spans>, SearchError> {
        let Some(position) = self.position else { return Ok(None) };
        let found = if self.must_advance && regex.can_be_empty {
            match regex.match_not_empty(text, position, effort)? {
                Some(spans) => Some(spans),
                None => match text.get(position..).and_then(|rest| rest.chars().next()) {
                    Some(c) => regex.search(text, position + c.len_utf8(), effort)?,
                    None => None,
                },
            }
        } else {
            regex.search(text, position, effort)?
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
