//! Collections among the parameter values, whose datasets must be inputs of the job.

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::records::DatasetId;
use crate::galaxy::json::{Fault, Json, Kind, Reader, last_of_equal_keys};

/// Whether a collection can be somewhere in a text; its `hdca` may be written with escapes.
pub(super) fn may_hold_collection(text: &str) -> bool {
    static PARTS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["hdca", "\\u"].map(Finder::new));
    PARTS.iter().any(|part| part.find(text.as_bytes()).is_some())
}

/// Looks for collections in the text of a value, and only where there can be one.
pub(super) fn check_collections(text: &str, datasets: &HashMap<&DatasetId, usize>) -> Result<(), Fault> {
    let mut reader = Reader::new(text);
    match reader.kind()? {
        Kind::List => reader.list(|reader, _| {
            let item = reader.raw()?;
            if may_hold_collection(item) { check_collections(item, datasets) } else { Ok(()) }
        }),
        Kind::Object => {
            let mut items = Vec::new();
            reader.object(|reader, key| {
                items.push((key, reader.raw()?));
                Ok(())
            })?;
            let items = last_of_equal_keys(items);
            let get = |key| -> Result<Option<Json>, Fault> {
                let text = items.iter().find(|(name, _)| name == key).map(|(_, text)| *text);
                text.map(|text| Json::read(&mut Reader::new(text))).transpose()
            };
            let source = get("src")?;
            if source == Some(Json::str("hda")) && get("id")?.is_some_and(|id| find_dataset(&id, datasets)) {
                return Ok(());
            }
            if source == Some(Json::str("hdca"))
                && let Some(ids) = get("ids")?
            {
                let Json::List(ids) = ids else { return Err(Fault::new("must be a list", 0).under("ids")) };
                return match ids.iter().position(|id| !find_dataset(id, datasets)) {
                    None => Ok(()),
                    Some(at) => Err(Fault::new("names no input dataset", 0).under(&format!("ids[{at}]"))),
                };
            }
            let mut inside = items.iter().filter(|(_, text)| may_hold_collection(text));
            inside.try_for_each(|(key, text)| check_collections(text, datasets).map_err(|fault| fault.under(key)))
        }
        _ => Ok(()),
    }
}

fn find_dataset(id: &Json, datasets: &HashMap<&DatasetId, usize>) -> bool {
    match id {
        Json::Int(id) => datasets.contains_key(&DatasetId::Int(*id)),
        Json::Str(id) => datasets.contains_key(&DatasetId::Str(id.clone())),
        _ => false,
    }
}
