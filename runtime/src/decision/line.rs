//! A decision as a line of the log.

use tpv_galaxy::json::{Json, escape_into, write_text};
use tpv_model::Quantity;

use super::{Amount, Candidate, Decision, Fired, Head, MAX_LINE, Outcome, Passed, Rejected, VERSION, Wait};
use crate::mapper::explain::Reason;

/// The room in a line: entries of a list, and characters of a text.
#[derive(Clone, Copy)]
struct Room {
    entries: usize,
    text: usize,
}

/// The room that is tried, from the widest. The narrowest fits any decision.
const ROOMS: [Room; 5] = [
    Room { entries: 8, text: 240 },
    Room { entries: 6, text: 120 },
    Room { entries: 4, text: 64 },
    Room { entries: 2, text: 40 },
    Room { entries: 0, text: 16 },
];

impl Decision {
    /// The line with its line feed, of at most [`MAX_LINE`] bytes: long lists and texts are cut, which the line says.
    pub fn line(&self) -> String {
        self.line_of(&self.head)
    }

    /// The line with these circumstances.
    pub fn line_of(&self, head: &Head) -> String {
        let mut out = String::new();
        for room in ROOMS {
            let mut writer = Writer { room, out: String::with_capacity(2048), cut: self.cut.clone() };
            writer.decision(head, self);
            out = writer.out;
            if out.len() < MAX_LINE {
                break;
            }
        }
        out.push('\n');
        out
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

/// Writes a line, and counts what it leaves out.
struct Writer {
    room: Room,
    out: String,
    cut: Vec<(String, i64)>,
}

impl Writer {
    fn decision(&mut self, head: &Head, decision: &Decision) {
        self.out.push_str("{\"tpvc\": ");
        self.integer(VERSION);
        self.text_field("time", Some(&head.time));
        self.key("job");
        self.data(&head.job, 1);
        self.text_field("dispatcher", head.dispatcher.as_deref());
        self.key("attempt");
        self.integer(head.attempt);
        self.count_field("again", head.again);
        self.text_field("rules", head.rules.as_deref());
        self.text_field("seed", head.seed.as_deref());
        self.text_field("tool", Some(&head.tool));
        self.text_field("version", head.version.as_deref());
        self.number_field("input_size", head.input_size);
        self.key("user");
        match head.user {
            Some(user) => self.integer(user),
            None => self.out.push_str("null"),
        }
        self.outcome(&decision.outcome);
        self.wait(head.wait.as_ref());
        for (quantity, amount) in Quantity::ALL.into_iter().zip(&decision.amounts) {
            self.amount(quantity.name(), amount);
        }
        self.list("entities", &decision.entities, |writer, name| writer.text(name));
        self.list("fired", &decision.fired, Self::fired);
        self.list("candidates", &decision.candidates, Self::candidate);
        self.list("rejected", &decision.rejected, Self::rejected);
        self.list("passed", &decision.passed, Self::passed);
        self.list("pools", &decision.pools, |writer, step| writer.text(step));
        self.text_field("tier", Some(decision.tier()));
        self.list("cpython", &decision.cpython, |writer, place| writer.text(place));
        self.text_field("once_more", decision.once_more.as_deref());
        self.number_field("ms", head.ms);
        if !head.read.is_empty() {
            self.key("read");
            self.object(head.read.iter().map(|(key, value)| (key.as_str(), value)), head.read.len(), 0);
        }
        self.count_field("dropped", head.dropped);
        if !self.cut.is_empty() {
            self.key("cut");
            self.out.push('{');
            for (index, (name, count)) in std::mem::take(&mut self.cut).iter().take(24).enumerate() {
                self.comma(index);
                escape_into(&mut self.out, clipped(name, 16).0);
                self.out.push_str(": ");
                self.integer(*count);
            }
            self.out.push('}');
        }
        self.out.push('}');
    }

    fn outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Open => {}
            Outcome::Destination(name) => self.text_field("destination", Some(name)),
            Outcome::Error { kind, message, at } => {
                self.out.push_str(", \"error\": {\"type\": ");
                self.text(kind);
                self.text_field("message", Some(message));
                self.text_field("at", at.as_deref());
                self.out.push('}');
            }
        }
    }

    fn wait(&mut self, wait: Option<&Wait>) {
        match wait {
            None => {}
            Some(Wait::Begins) => self.text_field("wait", Some("begins")),
            Some(Wait::Ended { mappings, since }) => {
                self.out.push_str(", \"wait\": {\"mappings\": ");
                self.integer(*mappings);
                self.text_field("since", Some(since));
                self.out.push('}');
            }
        }
    }

    fn amount(&mut self, name: &str, amount: &Amount) {
        let Amount { asked, got, by, at } = amount;
        if (asked, got, by, at) == (&None, &None, &None, &None) {
            return;
        }
        self.key(name);
        let start = self.out.len();
        self.number_field("got", *got);
        self.number_field("asked", asked.filter(|_| asked != got));
        self.text_field("by", by.as_deref());
        self.text_field("at", at.as_deref());
        self.close(start);
    }

    fn fired(&mut self, fired: &Fired) {
        self.out.push_str("{\"rule\": ");
        self.text(&fired.rule);
        self.text_field("at", fired.at.as_deref());
        self.text_field("destination", fired.destination.as_deref());
        self.out.push_str(if fired.failed { ", \"failed\": true}" } else { "}" });
    }

    fn candidate(&mut self, candidate: &Candidate) {
        self.out.push('[');
        self.text(&candidate.id);
        if let Some(score) = candidate.score {
            self.out.push_str(", ");
            self.integer(score);
        }
        self.out.push(']');
    }

    fn rejected(&mut self, rejected: &Rejected) {
        self.out.push('[');
        self.text(&rejected.id);
        let most = self.room.entries.max(1);
        for reason in rejected.reasons.iter().take(most) {
            self.out.push_str(", ");
            self.reason(reason);
        }
        self.leave_out("reasons", rejected.reasons.len().saturating_sub(most));
        self.out.push(']');
    }

    fn reason(&mut self, reason: &Reason) {
        let (code, tag) = match reason {
            Reason::Abstract => (ABSTRACT, None),
            Reason::Limit { limit, bound, wanted, .. } => {
                self.out.push_str("[\"");
                self.out.push_str(limit.name());
                self.out.push_str("\", ");
                self.number(*bound);
                self.out.push_str(", ");
                self.number(*wanted);
                self.out.push(']');
                return;
            }
            Reason::DestinationLacks(tag) => (LACKS, Some(tag)),
            Reason::EntityLacks(tag) => (REQUIRES, Some(tag)),
            Reason::EntityRejects(tag) => (REJECTED, Some(tag)),
            Reason::DestinationRejects(tag) => (REJECTS, Some(tag)),
        };
        self.out.push_str("[\"");
        self.out.push_str(code);
        self.out.push('"');
        if let Some(tag) = tag {
            self.out.push_str(", ");
            self.text(tag);
        }
        self.out.push(']');
    }

    fn passed(&mut self, passed: &Passed) {
        self.out.push('[');
        self.text(&passed.id);
        for text in [Some(&passed.what), passed.at.as_ref()].into_iter().flatten() {
            self.out.push_str(", ");
            self.text(text);
        }
        self.out.push(']');
    }

    /// Writes a list, cut to the room that there is, unless it is empty.
    fn list<T>(&mut self, key: &str, items: &[T], each: impl Fn(&mut Self, &T)) {
        let shown = items.len().min(self.room.entries);
        self.leave_out(key, items.len() - shown);
        if shown == 0 {
            return;
        }
        self.key(key);
        self.out.push('[');
        for (index, item) in items.iter().take(shown).enumerate() {
            self.comma(index);
            each(self, item);
        }
        self.out.push(']');
    }

    /// Ends an object whose fields begin at `start`, with a comma before the first.
    fn close(&mut self, start: usize) {
        if self.out.len() > start {
            self.out.replace_range(start..start + 2, "{");
        } else {
            self.out.push('{');
        }
        self.out.push('}');
    }

    fn leave_out(&mut self, key: &str, entries: usize) {
        if entries == 0 {
            return;
        }
        let entries = i64::try_from(entries).unwrap_or(i64::MAX);
        match self.cut.iter_mut().find(|(name, _)| name == key) {
            Some((_, count)) => *count = count.saturating_add(entries),
            None => self.cut.push((key.to_owned(), entries)),
        }
    }

    /// A comma and a key, which is one of the form.
    fn key(&mut self, key: &str) {
        self.out.push_str(", \"");
        self.out.push_str(key);
        self.out.push_str("\": ");
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn text_field(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.key(key);
            self.text(text);
        }
    }

    fn number_field(&mut self, key: &str, number: Option<f64>) {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            self.key(key);
            self.number(number);
        }
    }

    fn count_field(&mut self, key: &str, count: i64) {
        if count > 0 {
            self.key(key);
            self.integer(count);
        }
    }

    fn text(&mut self, text: &str) {
        let (kept, is_cut) = clipped(text, self.room.text);
        escape_into(&mut self.out, kept);
        if is_cut {
            // Before the quote.
            self.out.pop();
            self.out.push_str("...\"");
        }
    }

    fn integer(&mut self, number: i64) {
        write_text(&mut self.out, &Json::Int(number));
    }

    /// A number as people write it: 64, not 64.0; null for what JSON cannot hold.
    fn number(&mut self, value: f64) {
        /// The integers below are exact.
        const EXACT: f64 = 9e15;
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        let json = match value {
            value if !value.is_finite() => Json::Null,
            value if value.fract() == 0.0 && value.abs() < EXACT => Json::Int(value as i64),
            value => Json::Float(value),
        };
        write_text(&mut self.out, &json);
    }

    /// A value that came from outside, cut at any depth.
    fn data(&mut self, value: &Json, depth: usize) {
        match value {
            Json::Str(text) => self.text(text),
            Json::List(_) if depth >= MAX_DEPTH => self.out.push_str("\"[...]\""),
            Json::Object(_) if depth >= MAX_DEPTH => self.out.push_str("\"{...}\""),
            Json::List(items) => {
                self.leave_out("read", items.len().saturating_sub(self.room.entries));
                self.out.push('[');
                for (index, item) in items.iter().take(self.room.entries).enumerate() {
                    self.comma(index);
                    self.data(item, depth + 1);
                }
                self.out.push(']');
            }
            Json::Object(items) => {
                self.object(items.iter().map(|(key, value)| (&**key, value)), items.len(), depth);
            }
            Json::BigInt(number) if number.bits() > 256 => self.text("..."),
            Json::Float(value) => self.number(*value),
            other => write_text(&mut self.out, other),
        }
    }

    fn object<'a>(&mut self, items: impl Iterator<Item = (&'a str, &'a Json)>, all: usize, depth: usize) {
        self.leave_out("read", all.saturating_sub(self.room.entries));
        self.out.push('{');
        for (index, (key, value)) in items.take(self.room.entries).enumerate() {
            self.comma(index);
            self.text(key);
            self.out.push_str(": ");
            self.data(value, depth + 1);
        }
        self.out.push('}');
    }
}

/// The depth to which values are shown.
const MAX_DEPTH: usize = 3;

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

/// The beginning of a text of more than `most` characters, with `true`: there is room for `...` behind it. A shorter text as it is.
fn clipped(text: &str, most: usize) -> (&str, bool) {
    // No character has less than a byte.
    if text.len() <= most || text.chars().nth(most).is_none() {
        return (text, false);
    }
    let end = text.char_indices().nth(most.saturating_sub(3)).map_or(text.len(), |(end, _)| end);
    (text.get(..end).unwrap_or(text), true)
}
