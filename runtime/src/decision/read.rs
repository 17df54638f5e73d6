//! A decision from a line of the log.

use tpv_galaxy::json::{Json, Reader};
use tpv_model::{Limit, Quantity};

use super::line::{ABSTRACT, LACKS, REJECTED, REJECTS, REQUIRES};
use super::{Amount, Candidate, Decision, Fired, Head, Outcome, Passed, Rejected, Wait};
use crate::mapper::explain::Reason;

impl Decision {
    /// The decision of a line. `None` if it is none, such as the half of one that a full disk left, or text of another program. A logger may
    /// have put a prefix before it.
    pub fn read(line: &str) -> Option<Self> {
        let start = line.find("{\"tpvc\": ")?;
        let mut reader = Reader::new(line.get(start..)?);
        let line = Json::read(&mut reader).ok()?;
        let text = |key: &str| string(line.get(key));
        let list = |key: &str| items(line.get(key));
        let head = Head {
            time: text("time")?,
            job: line.get("job")?.clone(),
            dispatcher: text("dispatcher"),
            attempt: line.get("attempt").and_then(integer).unwrap_or(1),
            again: line.get("again").and_then(integer).unwrap_or(0),
            rules: text("rules"),
            seed: text("seed"),
            tool: text("tool")?,
            version: text("version"),
            input_size: line.get("input_size").and_then(float),
            user: line.get("user").and_then(integer),
            read: entries(line.get("read")).map(|(key, value)| (key.to_string(), value.clone())).collect(),
            ms: line.get("ms").and_then(float),
            wait: line.get("wait").and_then(wait),
            dropped: line.get("dropped").and_then(integer).unwrap_or(0),
        };
        let outcome = match (text("destination"), line.get("error")) {
            (Some(name), _) => Outcome::Destination(name),
            (None, Some(error)) => Outcome::Error {
                kind: string(error.get("type"))?,
                message: string(error.get("message")).unwrap_or_default(),
                at: string(error.get("at")),
            },
            (None, None) => Outcome::Open,
        };
        let texts = |key: &str| list(key).filter_map(|item| string(Some(item))).collect();
        Some(Self {
            head,
            entities: texts("entities"),
            fired: list("fired").filter_map(fired).collect(),
            amounts: Quantity::ALL.map(|quantity| amount(line.get(quantity.name()))),
            candidates: list("candidates").filter_map(candidate).collect(),
            rejected: list("rejected").filter_map(rejected).collect(),
            passed: list("passed").filter_map(passed).collect(),
            pools: texts("pools"),
            outcome,
            cpython: texts("cpython"),
            once_more: text("once_more"),
            cut: entries(line.get("cut")).filter_map(|(key, count)| Some((key.to_string(), integer(count)?))).collect(),
        })
    }
}

fn wait(value: &Json) -> Option<Wait> {
    match value {
        Json::Str(_) => Some(Wait::Begins),
        other => Some(Wait::Ended { mappings: integer(other.get("mappings")?)?, since: string(other.get("since"))? }),
    }
}

fn fired(value: &Json) -> Option<Fired> {
    Some(Fired {
        rule: string(value.get("rule"))?,
        at: string(value.get("at")),
        destination: string(value.get("destination")),
        failed: value.get("failed") == Some(&Json::Bool(true)),
    })
}

fn amount(value: Option<&Json>) -> Amount {
    let Some(value) = value else { return Amount::default() };
    let got = value.get("got").and_then(float);
    let asked = value.get("asked").and_then(float).or(got);
    Amount { asked, got, by: string(value.get("by")), at: string(value.get("at")) }
}

fn candidate(value: &Json) -> Option<Candidate> {
    let mut parts = items(Some(value));
    Some(Candidate { id: string(parts.next())?, score: parts.next().and_then(integer) })
}

fn rejected(value: &Json) -> Option<Rejected> {
    let mut parts = items(Some(value));
    Some(Rejected { id: string(parts.next())?, reasons: parts.filter_map(reason).collect() })
}

fn reason(value: &Json) -> Option<Reason> {
    let mut parts = items(Some(value));
    let (code, first, second) = (string(parts.next())?, parts.next(), parts.next());
    let tag = || string(first);
    Some(match code.as_str() {
        ABSTRACT => Reason::Abstract,
        LACKS => Reason::DestinationLacks(tag()?),
        REQUIRES => Reason::EntityLacks(tag()?),
        REJECTED => Reason::EntityRejects(tag()?),
        REJECTS => Reason::DestinationRejects(tag()?),
        name => {
            let limit = Limit::ACCEPTED.into_iter().find(|limit| limit.name() == name)?;
            let (bound, wanted) = (first.and_then(float)?, second.and_then(float)?);
            Reason::Limit { limit, bound, resource: limit.quantity().resource(), wanted }
        }
    })
}

fn passed(value: &Json) -> Option<Passed> {
    let mut parts = items(Some(value));
    Some(Passed { id: string(parts.next())?, what: string(parts.next())?, at: string(parts.next()) })
}

fn string(value: Option<&Json>) -> Option<String> {
    match value? {
        Json::Str(text) => Some(text.to_string()),
        _ => None,
    }
}

fn integer(value: &Json) -> Option<i64> {
    match value {
        Json::Int(number) => Some(*number),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "amounts are far below 2**53")]
fn float(value: &Json) -> Option<f64> {
    match value {
        Json::Int(number) => Some(*number as f64),
        Json::Float(number) => Some(*number),
        _ => None,
    }
}

fn items(value: Option<&Json>) -> impl Iterator<Item = &Json> {
    let items = match value {
        Some(Json::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter()
}

fn entries(value: Option<&Json>) -> impl Iterator<Item = (&Box<str>, &Json)> {
    let entries = match value {
        Some(Json::Object(entries)) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|(key, value)| (key, value))
}
