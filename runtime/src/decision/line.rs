//! A decision as a line of the log.

use tpv_galaxy::json::{Json, text_of};
use tpv_model::Quantity;

use super::{Amount, Candidate, Decision, Fired, MAX_LINE, Outcome, Passed, Rejected, VERSION, Wait};
use crate::mapper::explain::Reason;

/// The room in a line: entries of a list, and characters of a text.
#[derive(Clone, Copy)]
struct Room {
    entries: usize,
    text: usize,
}

/// The room that is tried, from the widest. The narrowest fits any decision.
const ROOMS: [Room; 6] = [
    Room { entries: 16, text: 240 },
    Room { entries: 12, text: 160 },
    Room { entries: 8, text: 96 },
    Room { entries: 4, text: 64 },
    Room { entries: 2, text: 40 },
    Room { entries: 0, text: 16 },
];

impl Decision {
    /// The line with its line feed, of at most [`MAX_LINE`] bytes: long lists and texts are cut, which the line says.
    pub fn line(&self) -> String {
        let mut line = String::new();
        for room in ROOMS {
            line = text_of(&Writer { room, cut: self.cut.clone() }.decision(self));
            if line.len() < MAX_LINE {
                break;
            }
        }
        line.push('\n');
        line
    }

    /// The share of the mapping that CPython had: `native` for none, `mixed` for some blocks, `cpython` for all.
    pub fn tier(&self) -> &'static str {
        match (&self.once_more, self.cpython.is_empty()) {
            (Some(_), _) => "cpython",
            (None, false) => "mixed",
            (None, true) => "native",
        }
    }
}

/// Makes the parts of a line, and counts what it leaves out.
struct Writer {
    room: Room,
    cut: Vec<(String, i64)>,
}

type Items = Vec<(Box<str>, Json)>;

impl Writer {
    fn decision(mut self, decision: &Decision) -> Json {
        let head = &decision.head;
        let mut items: Items = Vec::with_capacity(32);
        let mut put = |key: &str, value: Json| items.push((key.into(), value));
        put("tpvc", Json::Int(VERSION));
        put("time", self.text(&head.time));
        put("job", self.data(&head.job, 1));
        self.option(head.dispatcher.as_ref()).into_iter().for_each(|value| put("dispatcher", value));
        put("attempt", Json::Int(head.attempt));
        if head.again > 0 {
            put("again", Json::Int(head.again));
        }
        self.option(head.rules.as_ref()).into_iter().for_each(|value| put("rules", value));
        self.option(head.seed.as_ref()).into_iter().for_each(|value| put("seed", value));
        put("tool", self.text(&head.tool));
        self.option(head.version.as_ref()).into_iter().for_each(|value| put("version", value));
        number(head.input_size).into_iter().for_each(|value| put("input_size", value));
        put("user", head.user.map_or(Json::Null, Json::Int));
        match &decision.outcome {
            Outcome::Open => {}
            Outcome::Destination(name) => put("destination", self.text(name)),
            Outcome::Error { kind, message, at } => {
                let mut error = vec![("type".into(), self.text(kind)), ("message".into(), self.text(message))];
                error.extend(self.option(at.as_ref()).map(|at| ("at".into(), at)));
                put("error", Json::Object(error));
            }
        }
        match &head.wait {
            None => {}
            Some(Wait::Begins) => put("wait", Json::str("begins")),
            Some(Wait::Ended { mappings, since }) => {
                let since = self.text(since);
                put("wait", Json::Object(vec![("mappings".into(), Json::Int(*mappings)), ("since".into(), since)]));
            }
        }
        for (quantity, amount) in Quantity::ALL.into_iter().zip(&decision.amounts) {
            self.amount(amount).into_iter().for_each(|value| put(quantity.name(), value));
        }
        self.list("entities", &decision.entities, |writer, name| writer.text(name), &mut put);
        self.list("fired", &decision.fired, Self::fired, &mut put);
        self.list("candidates", &decision.candidates, Self::candidate, &mut put);
        self.list("rejected", &decision.rejected, Self::rejected, &mut put);
        self.list("passed", &decision.passed, Self::passed, &mut put);
        self.list("pools", &decision.pools, |writer, step| writer.text(step), &mut put);
        put("tier", Json::str(decision.tier()));
        self.list("cpython", &decision.cpython, |writer, place| writer.text(place), &mut put);
        self.option(decision.once_more.as_ref()).into_iter().for_each(|value| put("once_more", value));
        number(head.ms).into_iter().for_each(|value| put("ms", value));
        let read: Items = head.read.iter().map(|(key, value)| (key.as_str().into(), value.clone())).collect();
        if !read.is_empty() {
            put("read", self.data(&Json::Object(read), 0));
        }
        if head.dropped > 0 {
            put("dropped", Json::Int(head.dropped));
        }
        if !self.cut.is_empty() {
            let cut = self.cut.iter().take(24).map(|(name, count)| (clipped(name, 16).into(), Json::Int(*count)));
            put("cut", Json::Object(cut.collect()));
        }
        Json::Object(items)
    }

    fn amount(&self, amount: &Amount) -> Option<Json> {
        let Amount { asked, got, by, at } = amount;
        let mut items: Items = Vec::new();
        items.extend(number(*got).map(|got| ("got".into(), got)));
        items.extend(number(*asked).filter(|_| asked != got).map(|asked| ("asked".into(), asked)));
        items.extend(self.option(by.as_ref()).map(|by| ("by".into(), by)));
        items.extend(self.option(at.as_ref()).map(|at| ("at".into(), at)));
        (!items.is_empty()).then_some(Json::Object(items))
    }

    fn fired(&mut self, fired: &Fired) -> Json {
        let mut items: Items = vec![("rule".into(), self.text(&fired.rule))];
        items.extend(self.option(fired.at.as_ref()).map(|at| ("at".into(), at)));
        items.extend(self.option(fired.destination.as_ref()).map(|id| ("destination".into(), id)));
        items.extend(fired.failed.then_some(("failed".into(), Json::Bool(true))));
        Json::Object(items)
    }

    fn candidate(&mut self, candidate: &Candidate) -> Json {
        let score = candidate.score.map(Json::Int);
        Json::List([Some(self.text(&candidate.id)), score].into_iter().flatten().collect())
    }

    fn rejected(&mut self, rejected: &Rejected) -> Json {
        let mut items = vec![self.text(&rejected.id)];
        items.extend(rejected.reasons.iter().take(self.room.entries.max(1)).map(|reason| self.reason(reason)));
        let more = rejected.reasons.len() + 1 - items.len();
        self.leave_out("reasons", more);
        Json::List(items)
    }

    fn reason(&self, reason: &Reason) -> Json {
        let of = |code: &str, tag: &str| Json::List(vec![Json::str(code), self.text(tag)]);
        match reason {
            Reason::Abstract => Json::List(vec![Json::str(ABSTRACT)]),
            Reason::Limit { limit, bound, wanted, .. } => {
                let numbers = [*bound, *wanted].map(|value| number(Some(value)).unwrap_or(Json::Null));
                Json::List([Json::str(limit.name())].into_iter().chain(numbers).collect())
            }
            Reason::DestinationLacks(tag) => of(LACKS, tag),
            Reason::EntityLacks(tag) => of(REQUIRES, tag),
            Reason::EntityRejects(tag) => of(REJECTED, tag),
            Reason::DestinationRejects(tag) => of(REJECTS, tag),
        }
    }

    fn passed(&mut self, passed: &Passed) -> Json {
        let at = self.option(passed.at.as_ref());
        Json::List([Some(self.text(&passed.id)), Some(self.text(&passed.what)), at].into_iter().flatten().collect())
    }

    /// Puts a list, cut to the room that there is, unless it is empty.
    fn list<T>(
        &mut self,
        key: &str,
        items: &[T],
        each: impl Fn(&mut Self, &T) -> Json,
        put: &mut impl FnMut(&str, Json),
    ) {
        let shown: Vec<Json> = items.iter().take(self.room.entries).map(|item| each(self, item)).collect();
        self.leave_out(key, items.len() - shown.len());
        if !shown.is_empty() {
            put(key, Json::List(shown));
        }
    }

    fn leave_out(&mut self, key: &str, entries: usize) {
        let entries = i64::try_from(entries).unwrap_or(i64::MAX);
        match self.cut.iter_mut().find(|(name, _)| name == key) {
            _ if entries == 0 => {}
            Some((_, count)) => *count = count.saturating_add(entries),
            None => self.cut.push((key.to_owned(), entries)),
        }
    }

    fn option(&self, text: Option<&String>) -> Option<Json> {
        text.map(|text| self.text(text))
    }

    fn text(&self, text: &str) -> Json {
        Json::str(clipped(text, self.room.text))
    }

    /// A value that came from outside, cut at any depth.
    fn data(&mut self, value: &Json, depth: usize) -> Json {
        match value {
            Json::Str(text) => self.text(text),
            Json::List(items) if depth < MAX_DEPTH => {
                let shown = items.iter().take(self.room.entries).map(|item| self.data(item, depth + 1)).collect();
                self.leave_out("read", items.len().saturating_sub(self.room.entries));
                Json::List(shown)
            }
            Json::Object(items) if depth < MAX_DEPTH => {
                let entries = self.room.entries;
                self.leave_out("read", items.len().saturating_sub(entries));
                let shown = items.iter().take(entries);
                let shown =
                    shown.map(|(key, value)| (clipped(key, self.room.text).into(), self.data(value, depth + 1)));
                Json::Object(shown.collect())
            }
            Json::List(_) | Json::Object(_) => Json::str(text_of_part(value)),
            Json::BigInt(number) if number.bits() > 256 => Json::str("..."),
            Json::Float(value) => number(Some(*value)).unwrap_or(Json::Null),
            other => other.clone(),
        }
    }
}

/// The depth to which values are shown.
const MAX_DEPTH: usize = 3;

/// A mark for a value that lies too deep.
fn text_of_part(value: &Json) -> &'static str {
    if matches!(value, Json::List(_)) { "[...]" } else { "{...}" }
}

/// The code of a destination that is abstract.
pub(super) const ABSTRACT: &str = "abstract";
/// The code of a tag that the job requires and the destination has not.
pub(super) const LACKS: &str = "lacks";
/// The code of a tag that the destination requires and the job has not.
pub(super) const REQUIRES: &str = "requires";
/// The code of a tag of the destination that the job rejects.
pub(super) const REJECTED: &str = "rejected";
/// The code of a tag of the job that the destination rejects.
pub(super) const REJECTS: &str = "rejects";

/// A number as people write it: 64, not 64.0. `None` for what JSON cannot hold.
fn number(value: Option<f64>) -> Option<Json> {
    /// The integers below are exact.
    const EXACT: f64 = 9e15;
    let value = value.filter(|value| value.is_finite())?;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
    let whole = value as i64;
    Some(if value.fract() == 0.0 && value.abs() < EXACT { Json::Int(whole) } else { Json::Float(value) })
}

/// A text cut to so many characters, `...` included.
fn clipped(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    kept + "..."
}
