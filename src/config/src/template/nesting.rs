//! Templates whose variables nest a bounded number of values.
//!
//! The engine prints, compares, hashes and drops values by recursion, so that a value of a hundred thousand nested lists or a namespace
//! that holds itself would end the process. Only `{% set %}` carries a value from one step of a loop to the next, so each value
//! that it stores passes a filter which refuses such values.

use std::ops::Range;

use minijinja::machinery::{Span, Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, State, Value};

use super::cost::VALUES_A_STEP;
use super::filters::wrong;
use super::parts;

/// The levels that a stored value may nest.
const MAX_DEPTH: usize = 100;

/// The values that a stored value may hold in all.
const MAX_VALUES: usize = 100_000;

/// The names of the filters for variables and for attributes of namespaces, and what applies them to an expression in parentheses.
const VARIABLE: (&str, &str) = ("tpvc_variable", ") | tpvc_variable");
const ATTRIBUTE: (&str, &str) = ("tpvc_attribute", ") | tpvc_attribute");

/// Adds the filters.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter(VARIABLE.0, |state: &State, value: Value| stored(state, value, true));
    environment.add_filter(ATTRIBUTE.0, |state: &State, value: Value| stored(state, value, false));
}

/// The value, if it is one that can be stored. A lazy sequence is read, since one can be made of another without end.
fn stored(state: &State, value: Value, may_hold_namespaces: bool) -> Result<Value, Error> {
    let value = match value.kind() {
        ValueKind::Iterable => {
            let length = value.len().unwrap_or(0);
            state.consume_fuel((length / VALUES_A_STEP) as u64)?;
            value.try_iter()?.take(MAX_VALUES + 1).collect::<Vec<Value>>().into()
        }
        ValueKind::Seq if !is_list(&value) => value.try_iter()?.take(MAX_VALUES + 1).collect::<Vec<Value>>().into(),
        ValueKind::Seq | ValueKind::Map => value,
        _ => return Ok(value),
    };
    let mut walk = Walk { left: MAX_VALUES, may_hold_namespaces };
    let walked = walk.value(&value, 0);
    state.consume_fuel(((MAX_VALUES - walk.left) / VALUES_A_STEP) as u64)?;
    walked.map(|()| value)
}

/// Returns `true` for a sequence that holds its items itself, and is not made of others when it is read.
fn is_list(value: &Value) -> bool {
    let name = value.as_object().map_or("", |object| object.type_name());
    name.starts_with("alloc::vec::Vec<") || name.ends_with("::Tuple")
}

/// A walk through a value that ends where there is too much of it.
struct Walk {
    left: usize,
    may_hold_namespaces: bool,
}

impl Walk {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        self.left = self.left.checked_sub(1).ok_or_else(|| wrong("a variable holds more than 100,000 values"))?;
        if !matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Iterable) {
            return Ok(());
        }
        if depth >= MAX_DEPTH {
            return Err(wrong(format!("a variable nests more than {MAX_DEPTH} lists or mappings")));
        }
        let is_namespace = value.as_object().is_some_and(|object| object.type_name().ends_with("::Namespace"));
        if is_namespace && !self.may_hold_namespaces {
            return Err(wrong("a namespace cannot hold a namespace"));
        }
        let is_map = value.kind() == ValueKind::Map;
        for item in value.try_iter()? {
            if is_map {
                self.value(&value.get_item(&item)?, depth + 1)?;
            }
            self.value(&item, depth + 1)?;
        }
        Ok(())
    }
}

/// The text of a template with a filter behind each value that it stores, and behind each that has a part asked of it (`parts.rs`).
pub(super) struct Guarded {
    /// The text.
    pub(super) text: String,
    /// The places of the insertions in the text, their lengths, and the length of all before each.
    insertions: Vec<(usize, usize, usize)>,
}

impl Guarded {
    /// The guarded form of a template. A text that is no template is left as it is: the engine says what is wrong.
    pub(super) fn new(template: &str, syntax: &SyntaxConfig) -> Self {
        let mut guarded = Self { text: String::with_capacity(template.len()), insertions: Vec::new() };
        let stored = stored_expressions(template, syntax)
            .into_iter()
            .flat_map(|(expression, filter)| [(expression.start, "(".to_owned()), (expression.end, filter.to_owned())]);
        // Of what is stored, the parts come first.
        let mut insertions = parts::insertions(template, syntax);
        insertions.extend(stored);
        insertions.sort_by_key(|(place, _)| *place);
        let (mut copied, mut all) = (0, 0);
        for (place, insertion) in insertions {
            guarded.text.push_str(template.get(copied..place).unwrap_or_default());
            copied = place;
            guarded.insertions.push((guarded.text.len(), insertion.len(), all));
            all += insertion.len();
            guarded.text.push_str(&insertion);
        }
        guarded.text.push_str(template.get(copied..).unwrap_or_default());
        guarded
    }

    /// The range of the template that a range of the text was.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let before = |place: usize| {
            let next = self.insertions.partition_point(|(at, ..)| *at < place);
            let last = next.checked_sub(1).and_then(|last| self.insertions.get(last));
            // The place may be within the last of them.
            last.map_or(place, |(at, length, earlier)| place - earlier - (*length).min(place - at))
        };
        before(range.start)..before(range.end)
    }
}

/// Progress in reading a tag that may be `set`.
enum Tag {
    Started,
    Target { is_dotted: bool },
    Assigned { is_dotted: bool, expression: Option<Range<usize>> },
}

/// The expressions of `{% set name = expression %}` and of `{% set namespace.name = expression %}`, each with what goes behind it.
fn stored_expressions(template: &str, syntax: &SyntaxConfig) -> Vec<(Range<usize>, &'static str)> {
    let place = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
    let mut expressions = Vec::new();
    let mut tag: Option<Tag> = None;
    for token in tokenize(template, false, syntax.clone()) {
        let Ok((token, span)) = token else { break };
        let Span { start_offset, end_offset, .. } = span;
        tag = match (tag, token) {
            (_, Token::BlockStart) => Some(Tag::Started),
            (Some(Tag::Started), Token::Ident("set")) => Some(Tag::Target { is_dotted: false }),
            (Some(Tag::Target { .. }), Token::Dot) => Some(Tag::Target { is_dotted: true }),
            (Some(Tag::Target { is_dotted }), Token::Assign) => Some(Tag::Assigned { is_dotted, expression: None }),
            (
                Some(Tag::Target { is_dotted }),
                Token::Ident(_) | Token::Comma | Token::ParenOpen | Token::ParenClose,
            ) => Some(Tag::Target { is_dotted }),
            (Some(Tag::Assigned { is_dotted, expression: Some(expression) }), Token::BlockEnd) => {
                expressions.push((expression, if is_dotted { ATTRIBUTE.1 } else { VARIABLE.1 }));
                None
            }
            (Some(Tag::Assigned { is_dotted, expression }), _) => {
                let start = expression.map_or(place(start_offset), |expression| expression.start);
                Some(Tag::Assigned { is_dotted, expression: Some(start..place(end_offset)) })
            }
            _ => None,
        };
    }
    expressions
}
