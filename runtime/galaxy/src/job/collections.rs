//! Collections among the parameter values, whose datasets must be inputs of the job.

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::records::{DatasetId, InputDataset};
use crate::json::{Fault, Kind, Reader, last_of_equal_keys};
use tpv_python::value::Value;

/// The inputs of a job by dataset id, where the first of equal ids counts.
pub struct InputsById<'a> {
    inputs: &'a [InputDataset],
    /// Of more than a few inputs, their places.
    places: Option<HashMap<&'a DatasetId, usize>>,
}

impl<'a> InputsById<'a> {
    /// Of these inputs.
    pub fn new(inputs: &'a [InputDataset]) -> Self {
        /// So many are looked through without a table.
        const FEW: usize = 16;
        let places = (inputs.len() > FEW).then(|| {
            let last_first = inputs.iter().enumerate().rev();
            last_first.map(|(place, input)| (&input.id, place)).collect()
        });
        Self { inputs, places }
    }

    /// The place of an input.
    pub fn find(&self, id: &DatasetId) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(id).copied(),
            None => self.inputs.iter().position(|input| input.id == *id),
        }
    }

    /// Returns `true` if the next value is the id of an input.
    fn knows(&self, reader: &mut Reader<'_>) -> Result<bool, Fault> {
        let id = match reader.kind()? {
            Kind::Number => match reader.small_int() {
                Some(id) => Some(DatasetId::Int(id)),
                None => match reader.number()? {
                    Value::Int(id) => Some(DatasetId::Int(id)),
                    _ => None,
                },
            },
            Kind::String => Some(DatasetId::Str(reader.string()?.into())),
            _ => reader.raw().map(|_| None)?,
        };
        Ok(id.is_some_and(|id| self.find(&id).is_some()))
    }
}

/// The source of a collection.
const SOURCE: &str = "hdca";

static SOURCES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(SOURCE));

/// The source of a collection may be written with escapes.
static ESCAPES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u"));

/// Returns `true` if a text may contain a collection.
fn may_hold_collection(text: &str) -> bool {
    [&SOURCES, &ESCAPES].iter().any(|part| part.find(text.as_bytes()).is_some())
}

/// Returns `true` if each collection of a checked text is written as they mostly are, `{"src": "hdca", "ids": [1, 2]}`, and all its
/// datasets are inputs: no collection then names another dataset. `false` if only parsing the text can tell.
pub(super) fn are_plainly_inputs(text: &str, inputs: &[InputDataset]) -> bool {
    let text = text.as_bytes();
    if ESCAPES.find(text).is_some() {
        return false;
    }
    let mut sources = SOURCES.find_iter(text).peekable();
    if sources.peek().is_none() {
        return true;
    }
    let inputs = InputsById::new(inputs);
    sources.all(|at| is_plainly_of_inputs(text, at, &inputs).unwrap_or(false))
}

/// [`are_plainly_inputs`] for the collection whose source is at one place.
fn is_plainly_of_inputs(text: &[u8], at: usize, inputs: &InputsById<'_>) -> Option<bool> {
    let before = text.get(..at)?;
    if ![&br#""src": ""#[..], br#""src":""#].iter().any(|key| before.ends_with(key)) {
        return None;
    }
    let after = text.get(at + SOURCE.len()..)?;
    let mut ids = after.strip_prefix(br#"", "ids": ["#).or_else(|| after.strip_prefix(br#"","ids":["#))?;
    loop {
        let (digits, rest) = ids.split_at_checked(ids.iter().position(|byte| !byte.is_ascii_digit())?)?;
        // Longer numbers may not fit, and one that leads with a zero is none.
        if !(1..=18).contains(&digits.len()) || (digits.len() > 1 && digits.first() == Some(&b'0')) {
            return None;
        }
        let id = digits.iter().fold(0, |id, digit| id * 10 + i64::from(digit - b'0'));
        if inputs.find(&DatasetId::Int(id)).is_none() {
            return Some(false);
        }
        ids = match rest {
            [b']', b'}', ..] => return Some(true),
            [b',', b' ', rest @ ..] | [b',', rest @ ..] => rest,
            _ => return None,
        };
    }
}

/// Looks for collections in the text of a value, and only where there can be one.
pub(super) fn check_collections(text: &str, inputs: &InputsById<'_>) -> Result<(), Fault> {
    let mut reader = Reader::new(text);
    match reader.kind()? {
        Kind::List => reader.list(|reader, _| {
            let item = reader.raw()?;
            if may_hold_collection(item) { check_collections(item, inputs) } else { Ok(()) }
        }),
        Kind::Object => {
            let mut items = Vec::new();
            reader.object(|reader, key| {
                items.push((key, reader.raw()?));
                Ok(())
            })?;
            let items = last_of_equal_keys(items);
            let get = |key| items.iter().find(|(name, _)| name == key).map(|(_, text)| Reader::new(text));
            let source = get("src").and_then(|mut source| source.string().ok());
            if source.as_deref() == Some("hda")
                && let Some(mut id) = get("id")
                && inputs.knows(&mut id)?
            {
                return Ok(());
            }
            if source.as_deref() == Some(SOURCE)
                && let Some(mut ids) = get("ids")
            {
                let check =
                    ids.list(
                        |id, _| {
                            if inputs.knows(id)? { Ok(()) } else { Err(Fault::new("names no input dataset", 0)) }
                        },
                    );
                return check.map_err(|fault| fault.under("ids"));
            }
            let mut inside = items.iter().filter(|(_, text)| may_hold_collection(text));
            inside.try_for_each(|(key, text)| check_collections(text, inputs).map_err(|fault| fault.under(key)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    /// Values from pieces of JSON: what is plain parsing finds no fault with.
    #[test]
    fn what_is_plain_is_right() {
        const PIECES: [&str; 24] = [
            r#"{"src": "hdca", "ids": [1]}"#,
            r#"{"src":"hdca","ids":[1,2]}"#,
            r#"{"src": "hdca", "ids": [1, 9]}"#,
            r#"{"src": "hdca", "ids": [1], "ids": [9]}"#,
            r#"{"ids": [9], "src": "hdca", "ids": [2]}"#,
            r#"{"src": "hda", "src": "hdca", "ids": [2, 1]}"#,
            r#"{"src": "hdca", "ids": []}"#,
            r#"{"src": "hdca", "ids": [01]}"#,
            r#"{"src": "hdca", "ids": [1.0]}"#,
            r#"{"src": "hdca", "ids": ["1"]}"#,
            r#"{"src": "\u0068dca", "ids": [9]}"#,
            r#"{"src": "hda", "id": 9}"#,
            r#"{"x\"src": "hdca", "ids": [1]}"#,
            r#"{"src": "hdca"}"#,
            r#""hdca""#,
            r#""\"src\": \"hdca\", \"ids\": [9]""#,
            "{",
            "}",
            "[",
            "]",
            ",",
            r#""src":"#,
            r#""ids":"#,
            "1",
        ];
        let seed = std::env::var("TPVC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_127_u64);
        println!("seed {seed} (TPVC_SEED)");
        let mut state = seed | 1;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % below as u64).unwrap()
        };
        let inputs = [1, 2].map(|id| InputDataset { id: DatasetId::Int(id), ..InputDataset::default() });
        let (mut plain, mut others) = (0, 0);
        for _ in 0..200_000 {
            let mut text = String::from("[");
            for piece in 0..=next(5) {
                let separator = if piece > 0 && next(3) > 0 { "," } else { "" };
                text += separator;
                text += PIECES[next(PIECES.len())];
            }
            text.push(']');
            // Only texts that are JSON come here.
            let mut reader = Reader::new(&text);
            if reader.raw().and_then(|_| reader.end()).is_err() {
                continue;
            }
            let exact = check_collections(&text, &InputsById::new(&inputs));
            if are_plainly_inputs(&text, &inputs) {
                plain += 1;
                assert_eq!(exact, Ok(()), "{text}");
            } else {
                others += 1;
            }
        }
        assert!(plain > 1_000 && others > 1_000, "{plain} {others}");
    }
}
