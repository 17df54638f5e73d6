//! The end of a job, as its line in the job file tells it: `outcome`, which no rule sees.
//!
//! Mapping leaves it as text; whoever learns from a history reads it with [`Outcome::of`].

use tpv_python::value::Value;

use crate::Error;
use crate::job::Job;
use crate::json::{Fault, Kind, Reader};
use crate::world::microseconds;

/// The end of a job, and what it used. Every field may be unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// `state`: `ok`, `error`, ... of Galaxy.
    pub state: Option<String>,
    /// `destination_id`: where the last attempt went.
    pub destination_id: Option<String>,
    /// `running_time`: when the last attempt began to run, in seconds since 1970 UTC.
    pub running_time: Option<i64>,
    /// `queue_seconds`: how long the last attempt was queued before it ran.
    pub queue_seconds: Option<f64>,
    /// `end_time`, or `update_time` without it, in seconds since 1970 UTC.
    pub end_time: Option<i64>,
    /// `slots`: the cores that the last attempt was given.
    pub slots: Option<f64>,
    /// `cpu_seconds` of all processes of the last attempt.
    pub cpu_seconds: Option<f64>,
    /// `resubmitted`: true if an attempt came before the last one.
    pub is_resubmitted: bool,
    /// The last attempt.
    pub last: Attempt,
    /// `attempts`: those before the last one, in order.
    pub earlier: Vec<Attempt>,
}

/// One time that a job ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attempt {
    /// `memory_bytes`: the most memory that it used, in bytes.
    pub memory_bytes: Option<f64>,
    /// `allocated_memory_bytes`: the memory that it was given, in bytes.
    pub allocated_memory_bytes: Option<f64>,
    /// `runtime_seconds`
    pub runtime_seconds: Option<f64>,
    /// `oom`: true if it was killed because its memory was short.
    pub oom: Option<bool>,
}

/// The most bytes that memory can have: 64 PiB. More is a slip of units.
const MOST_BYTES: f64 = (1_u64 << 56) as f64;

impl Outcome {
    /// The outcome of a job; `None` if its line has none.
    ///
    /// # Errors
    /// [`Error::Job`] names the first field that is of the wrong type or cannot be: `outcome.memory_bytes: must not be negative`.
    pub fn of(job: &Job) -> Result<Option<Self>, Error> {
        let Some(raw) = job.outcome else { return Ok(None) };
        let text = raw.text(job);
        let mut reader = Reader::new(text);
        let read = read_outcome(&mut reader).map_err(|fault| Error::Job(fault.under("outcome").describe(text)))?;
        Ok(Some(read))
    }
}

fn read_outcome(reader: &mut Reader<'_>) -> Result<Outcome, Fault> {
    let (mut outcome, mut updated) = (Outcome::default(), None);
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"state" => outcome.state = text(reader)?,
            b"destination_id" => outcome.destination_id = text(reader)?,
            b"running_time" => outcome.running_time = time(reader)?,
            b"queue_seconds" => outcome.queue_seconds = amount(reader, "seconds")?,
            b"end_time" => outcome.end_time = time(reader)?,
            b"update_time" => updated = time(reader)?,
            b"slots" => outcome.slots = amount(reader, "cores")?,
            b"cpu_seconds" => outcome.cpu_seconds = amount(reader, "seconds")?,
            b"resubmitted" => outcome.is_resubmitted = flag(reader)?.unwrap_or(false),
            b"attempts" => outcome.earlier = attempts(reader)?,
            b"memory_bytes" => outcome.last.memory_bytes = bytes(reader)?,
            b"allocated_memory_bytes" => outcome.last.allocated_memory_bytes = bytes(reader)?,
            b"runtime_seconds" => outcome.last.runtime_seconds = amount(reader, "seconds")?,
            b"oom" => outcome.last.oom = flag(reader)?,
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    outcome.end_time = outcome.end_time.or(updated);
    Ok(outcome)
}

fn read_attempt(reader: &mut Reader<'_>) -> Result<Attempt, Fault> {
    let mut attempt = Attempt::default();
    if !reader.is_at(b'{') {
        return Err(reader.unexpected("must be an object"));
    }
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"memory_bytes" => attempt.memory_bytes = bytes(reader)?,
            b"allocated_memory_bytes" => attempt.allocated_memory_bytes = bytes(reader)?,
            b"runtime_seconds" => attempt.runtime_seconds = amount(reader, "seconds")?,
            b"oom" => attempt.oom = flag(reader)?,
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    Ok(attempt)
}

fn attempts(reader: &mut Reader<'_>) -> Result<Vec<Attempt>, Fault> {
    if reader.null()? { Ok(Vec::new()) } else { reader.items(read_attempt) }
}

fn text(reader: &mut Reader<'_>) -> Result<Option<String>, Fault> {
    if reader.null()? { Ok(None) } else { reader.string().map(|text| Some(text.into_owned())) }
}

fn flag(reader: &mut Reader<'_>) -> Result<Option<bool>, Fault> {
    if reader.null()? { Ok(None) } else { reader.bool().map(Some) }
}

/// A time in ISO 8601, in UTC without an offset, in seconds since 1970.
fn time(reader: &mut Reader<'_>) -> Result<Option<i64>, Fault> {
    Ok(precise_time(reader)?.map(|time| time.div_euclid(1_000_000)))
}

/// As [`time`], in microseconds.
fn precise_time(reader: &mut Reader<'_>) -> Result<Option<i64>, Fault> {
    let at = reader.offset();
    let Some(text) = text(reader)? else { return Ok(None) };
    microseconds(&text).map(Some).ok_or_else(|| Fault::new("must be a time such as 2026-01-31T12:00:00", at))
}

impl Job {
    /// `job.create_time`, in microseconds since 1970 UTC; `None` if the line does not tell it.
    ///
    /// # Errors
    /// [`Error::Job`] if it is no time.
    pub fn create_time(&self) -> Result<Option<i64>, Error> {
        let Some((_, text)) = self.further.iter(self).find(|(name, _)| *name == "create_time") else { return Ok(None) };
        let wrong = |fault: Fault| Error::Job(fault.under("create_time").under("job").describe(text));
        precise_time(&mut Reader::new(text)).map_err(wrong)
    }
}

/// A number of at least 0.
fn amount(reader: &mut Reader<'_>, unit: &str) -> Result<Option<f64>, Fault> {
    if reader.null()? {
        return Ok(None);
    }
    let at = reader.offset();
    let wrong = |what: &str| Fault::new(format!("must be a number of {unit}{what}"), at);
    if reader.kind()? != Kind::Number {
        return Err(wrong(""));
    }
    let number = match reader.number()? {
        #[expect(clippy::cast_precision_loss, reason = "an amount")]
        Value::Int(number) => number as f64,
        Value::Float(number) => number,
        _ => return Err(wrong(" that fits 64 bits")),
    };
    match number {
        _ if !number.is_finite() => Err(wrong(", which NaN and Infinity are not")),
        _ if number < 0.0 => Err(wrong(": it is negative")),
        _ => Ok(Some(number)),
    }
}

fn bytes(reader: &mut Reader<'_>) -> Result<Option<f64>, Fault> {
    let at = reader.offset();
    match amount(reader, "bytes")? {
        Some(bytes) if bytes > MOST_BYTES => Err(Fault::new("must be a number of bytes: it is more than 64 PiB", at)),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn outcome(fields: &str) -> Result<Option<Outcome>, String> {
        let job = Job::parse(&format!(r#"{{"tool": {{"id": "t"}}{fields}}}"#)).map_err(|error| error.to_string())?;
        Outcome::of(&job).map_err(|error| error.to_string())
    }

    #[test]
    fn outcomes_are_read() {
        assert_eq!(outcome("").unwrap(), None);
        assert_eq!(outcome(r#", "outcome": null"#).unwrap(), None);
        assert_eq!(outcome(r#", "outcome": {"runner": "slurm"}"#).unwrap(), Some(Outcome::default()));
        let all = outcome(
            r#", "outcome": {"state": "ok", "update_time": "2026-01-01T00:00:10", "end_time": "1970-01-01T01:00:01+01:00",
            "slots": 4, "cpu_seconds": 1.5, "memory_bytes": 7, "oom": false, "attempts": [{"oom": true, "runtime_seconds": 2}]}"#,
        );
        let all = all.unwrap().unwrap();
        assert_eq!(
            (all.state.as_deref(), all.end_time, all.slots, all.cpu_seconds),
            (Some("ok"), Some(1), Some(4.0), Some(1.5))
        );
        assert_eq!((all.last.memory_bytes, all.last.oom), (Some(7.0), Some(false)));
        let earlier = Attempt { oom: Some(true), runtime_seconds: Some(2.0), ..Attempt::default() };
        assert_eq!(all.earlier, [earlier]);
    }

    #[test]
    fn faults_are_named_by_path() {
        let of = |fields: &str| outcome(&format!(r#", "outcome": {{{fields}}}"#)).unwrap_err();
        assert_eq!(outcome(r#", "outcome": 1"#).unwrap_err(), "outcome: must be an object or null");
        assert_eq!(of(r#""memory_bytes": -1"#), "outcome.memory_bytes: must be a number of bytes: it is negative");
        assert_eq!(of(r#""memory_bytes": "4G""#), "outcome.memory_bytes: must be a number of bytes");
        assert_eq!(
            of(r#""memory_bytes": 1e18"#),
            "outcome.memory_bytes: must be a number of bytes: it is more than 64 PiB"
        );
        assert_eq!(of(r#""slots": NaN"#), "outcome.slots: must be a number of cores, which NaN and Infinity are not");
        assert_eq!(of(r#""attempts": [{}, {"oom": 1}]"#), "outcome.attempts[1].oom: must be true or false");
        assert_eq!(of(r#""end_time": "soon""#), "outcome.end_time: must be a time such as 2026-01-31T12:00:00");
    }
}
