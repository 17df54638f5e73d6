//! The texts that a pattern matches, as an automaton.
//!
//! Proofs are over ids without line ends, which no tool, role or user of Galaxy has: there `$` is the end of the text. Patterns
//! that need backtracking have no automaton here, and those that are too large for one give no answer.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use tpv_python::regex::ast::{At, Node, Pattern, flag};
use tpv_python::regex::translate::translate;

use crate::check::budget::Budget;

/// The most bytes of an automaton.
const MOST_MEMORY: usize = 8 << 20;

/// The most pairs of states that a proof goes through.
const MOST_STATES: usize = 50_000;

/// The steps of making an automaton.
const STEPS_OF_MAKING: usize = 2_000;

/// The ids that a key matches: those that begin with what its pattern describes.
pub(super) struct Language<'b> {
    automaton: DFA,
    /// The states made so far, since they are made as they are met.
    cache: RefCell<Cache>,
    /// The bytes that are taken from the budget.
    bytes: Cell<usize>,
    budget: &'b Budget,
}

impl<'b> Language<'b> {
    /// The texts that a pattern matches by `re.match`. `None` if it has no automaton, or the budget is spent.
    pub(super) fn of(pattern: &Pattern, budget: &'b Budget) -> Option<Self> {
        budget.steps(STEPS_OF_MAKING).ok()?;
        let mut pattern = pattern.clone();
        if pattern.flags & flag::MULTILINE != 0 || !end_of_text(&mut pattern.body) {
            return None;
        }
        let translation = translate(&pattern);
        if translation.backtracks {
            return None;
        }
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(MOST_MEMORY)
            .skip_cache_capacity_check(true)
            // A state that was forgotten would be met again as another.
            .minimum_cache_clear_count(Some(0));
        let automaton = DFA::builder()
            .configure(config)
            .thompson(thompson::Config::new().nfa_size_limit(Some(MOST_MEMORY)))
            .build(&format!(r"\A(?:{})[^\n]*\z", translation.source))
            .ok()?;
        let cache = RefCell::new(automaton.create_cache());
        let language = Self { automaton, cache, bytes: Cell::new(0), budget };
        language.account().then_some(language)
    }

    /// Takes the bytes that it has grown by from the budget. Returns `true` if the budget is not spent.
    fn account(&self) -> bool {
        let bytes = self.automaton.memory_usage() + self.cache.borrow().memory_usage();
        let before = self.bytes.replace(bytes);
        self.budget.bytes(bytes.saturating_sub(before)).is_ok()
    }

    /// Returns whether nothing is matched; `None` if that is not known.
    pub(super) fn is_empty(&self) -> Option<bool> {
        Some(self.shortest(None)?.is_none())
    }

    /// Returns whether everything that `other` matches is matched here, too; `None` if that is not known.
    pub(super) fn includes(&self, other: &Self) -> Option<bool> {
        Some(other.shortest(Some(self))?.is_none())
    }

    /// A shortest text that is matched, but not by `without`: `Some(None)` if there is none, which is a proof, and `None` if
    /// the search was given up.
    pub(super) fn shortest(&self, without: Option<&Self>) -> Option<Option<String>> {
        let found = self.search(without);
        let is_left = [Some(self), without].into_iter().flatten().all(|language| language.account());
        found.filter(|_| is_left)
    }

    fn search(&self, without: Option<&Self>) -> Option<Option<String>> {
        let bytes = self.representatives(without);
        let mut found = vec![Step {
            here: self.start()?,
            there: without.map_or(Some(None), |other| other.start().map(Some))?,
            from: None,
        }];
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([0]);
        while let Some(index) = waiting.pop_front() {
            let Step { here, there, .. } = *found.get(index)?;
            let excluded = match (without, there) {
                (Some(other), Some(state)) => other.accepts(state)?,
                _ => false,
            };
            if self.accepts(here)? && !excluded {
                return Some(Some(text(&found, index)));
            }
            self.budget.steps(bytes.len()).ok()?;
            for byte in &bytes {
                let next = self.next(here, *byte)?;
                if next.is_dead() {
                    continue;
                }
                let other = match (without, there) {
                    (Some(other), Some(state)) => Some(other.next(state, *byte)?),
                    _ => None,
                };
                if seen.insert((next, other)) {
                    if found.len() >= MOST_STATES {
                        return None;
                    }
                    waiting.push_back(found.len());
                    found.push(Step { here: next, there: other, from: Some((index, *byte)) });
                }
            }
        }
        Some(None)
    }

    fn start(&self) -> Option<LazyStateID> {
        let input = Input::new("").anchored(Anchored::Yes);
        self.automaton.start_state_forward(&mut self.cache.borrow_mut(), &input).ok()
    }

    fn next(&self, state: LazyStateID, byte: u8) -> Option<LazyStateID> {
        let next = self.automaton.next_state(&mut self.cache.borrow_mut(), state, byte).ok()?;
        (!next.is_quit()).then_some(next)
    }

    /// Returns whether a text that ends in this state is matched; `None` if that is not known.
    fn accepts(&self, state: LazyStateID) -> Option<bool> {
        Some(self.automaton.next_eoi_state(&mut self.cache.borrow_mut(), state).ok()?.is_match())
    }

    /// One byte of each class that neither automaton tells apart, a dot and letters first.
    fn representatives(&self, other: Option<&Self>) -> Vec<u8> {
        let class =
            |byte| (self.automaton.byte_classes().get(byte), other.map(|it| it.automaton.byte_classes().get(byte)));
        let mut seen = HashSet::new();
        let readable = b".xabcdefghijklmnopqrstuvwyz0123456789".iter().copied();
        let all = readable.chain((0..=u8::MAX).filter(|byte| *byte != b'\n'));
        all.filter(|byte| seen.insert(class(*byte))).collect()
    }
}

/// A pair of states that a text leads to, and the last byte of the text with the pair before it.
struct Step {
    here: LazyStateID,
    there: Option<LazyStateID>,
    from: Option<(usize, u8)>,
}

fn text(steps: &[Step], last: usize) -> String {
    let mut bytes = Vec::new();
    let mut at = last;
    while let Some((before, byte)) = steps.get(at).and_then(|step| step.from) {
        bytes.push(byte);
        at = before;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Makes each `$` the end of the text. False if a group has other flags, by which it may be the end of a line.
fn end_of_text(nodes: &mut [Node]) -> bool {
    nodes.iter_mut().all(|node| match node {
        Node::At(at @ At::End) => {
            *at = At::EndOfText;
            true
        }
        Node::Branch(branches) => branches.iter_mut().all(|branch| end_of_text(branch)),
        Node::Group { add, body, .. } => *add & flag::MULTILINE == 0 && end_of_text(body),
        Node::Repeat { body, .. } => end_of_text(std::slice::from_mut(body)),
        Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) => true,
        Node::Atomic(_) | Node::Look { .. } | Node::Backreference(_) | Node::Conditional { .. } => false,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use tpv_python::regex::parser::parse;
    use tpv_runtime::patterns::{Matcher, PatternSet};

    fn language(key: &str) -> Option<Language<'static>> {
        Language::of(&parse(key, 0).unwrap(), Box::leak(Box::new(Budget::new())))
    }

    fn includes(one: &str, other: &str) -> Option<bool> {
        language(one)?.includes(&language(other)?)
    }

    #[test]
    fn what_matches_nothing() {
        for key in ["^$x", "a$b", "x^", "(a$|b$)c", "a\nb", "a\\Zb", "[^\\s\\S]"] {
            assert_eq!(language(key).unwrap().is_empty(), Some(true), "{key}");
        }
        for key in ["", "^$", "a$", "a$$", "^^a", "(^a|b^)c", "a.*b$", "é[^/]", "\\d+"] {
            assert_eq!(language(key).unwrap().is_empty(), Some(false), "{key}");
        }
    }

    #[test]
    fn what_is_part_of_another() {
        let inside = [
            ("bwa", "bwa_mem"),
            ("bwa", "bwa.*"),
            ("bwa.*", "bwa"),
            ("^bwa", "bwa"),
            ("tool.g2/.*", "tool.g2/bwa/0\\.7"),
            (".*", "é"),
            (".*mem", "bwa_mem/.*"),
            ("bwa", "bwa$"),
            ("b(wa|ow)", "bow"),
            ("[a-z]+/", "bwa/0"),
            ("(?i)BWA", "bwa"),
        ];
        for (one, other) in inside {
            assert_eq!(includes(one, other), Some(true), "{one} {other}");
        }
        for (one, other) in
            [("bwa_mem", "bwa"), ("bwa$", "bwa"), ("bwa/.+", "bwa/.*"), (".*mem", "bwa.*"), ("a.c", "a")]
        {
            assert_eq!(includes(one, other), Some(false), "{one} {other}");
        }
        assert!(language("(?=a)b").is_none() && language("(a)\\1").is_none());
    }

    #[test]
    fn the_shortest_text_of_a_difference() {
        let shortest = |one: &str, without: &str| language(one).unwrap().shortest(language(without).as_ref()).unwrap();
        assert_eq!(shortest("hisat*", "hisat").as_deref(), Some("hisa"));
        assert_eq!(shortest("bwa", "bwa/.*").as_deref(), Some("bwa"));
        assert_eq!(shortest("bwa", "bwa|bwb"), None);
        assert_eq!(language("c.+d").unwrap().shortest(None).unwrap().as_deref(), Some("c.d"));
    }

    /// Random patterns: what is proved holds for the engine that looks ids up, and each text that is given is a witness.
    #[test]
    fn proofs_hold_for_the_matcher() {
        let mut state = 7_u32;
        let mut below = move |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % bound
        };
        let pieces =
            ["a", "b", "ab", ".", ".*", "a*", "b+", "[ab]", "[^a]", "(a|b)", "(ab)?", "$", "^", "/", "\\.", "a{2}"];
        let texts: Vec<String> =
            (0..400).map(|_| (0..below(7)).map(|_| ["a", "b", "/", ".", "é"][below(5)]).collect()).collect();
        let (mut inclusions, mut empty) = (0, 0);
        for _ in 0..600 {
            let mut key = || (0..1 + below(4)).map(|_| pieces[below(pieces.len())]).collect::<String>();
            let keys = [key(), key()];
            let matcher = Matcher::new(PatternSet::build(&keys));
            let matches = |text: &str, place: u32| {
                let mut found = Vec::new();
                matcher.matches(text, &mut found).unwrap();
                found.contains(&place)
            };
            let (Some(one), Some(other)) = (language(&keys[0]), language(&keys[1])) else { panic!("{keys:?}") };
            match one.shortest(None).unwrap() {
                Some(text) => assert!(matches(&text, 0), "{keys:?} {text:?}"),
                None => {
                    empty += 1;
                    assert!(!texts.iter().any(|text| matches(text, 0)), "{keys:?}");
                }
            }
            match one.shortest(Some(&other)).unwrap() {
                Some(text) => assert!(matches(&text, 0) && !matches(&text, 1), "{keys:?} {text:?}"),
                None => {
                    inclusions += 1;
                    assert!(!texts.iter().any(|text| matches(text, 0) && !matches(text, 1)), "{keys:?}");
                }
            }
        }
        assert!(inclusions > 50 && empty > 20, "{inclusions} {empty}");
    }
}
