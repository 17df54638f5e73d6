//! Collections among the parameter values, whose datasets must be inputs of the job.

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::records::{DatasetId, InputDataset};
use crate::galaxy::json::{Fault, Kind, Reader, last_of_equal_keys};
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

/// Returns `true` if a text may contain a collection; its `hdca` may be written with escapes.
pub(super) fn may_hold_collection(text: &str) -> bool {
    static PARTS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["hdca", "\\u"].map(Finder::new));
    PARTS.iter().any(|part| part.find(text.as_bytes()).is_some())
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
            if source.as_deref() == Some("hdca")
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
