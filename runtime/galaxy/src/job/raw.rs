//! JSON of the job file that stays text until code asks for it.

use super::Job;
use crate::json::{Fault, Place, Reader};
use crate::name_index::NameIndex;
use tpv_python::dict::Dict;
use tpv_python::modules::datetime::naive_utc;
use tpv_python::modules::json::read_checked;
use tpv_python::value::Value;

/// A JSON value that was checked when its line was read: where its text is in the [line](Job::line).
#[derive(Clone, Copy, Debug)]
pub struct RawJson(Place);

impl RawJson {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.raw_place().map(Self)
    }

    /// A value that was appended to the line of a job as Python's `json` writes it.
    pub(super) fn written(place: Place) -> Self {
        Self(place)
    }

    /// The text.
    pub fn text(self, job: &Job) -> &str {
        job.text(self.0)
    }

    /// A new Python value of this content.
    pub fn to_value(self, job: &Job) -> Value {
        read_checked(self.text(job), &mut |table| Value::dict(Dict::from_table(table)))
    }
}

/// The keys that the format does not name, with their values: attributes of these names, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Further {
    entries: Vec<(Place, RawJson)>,
    index: NameIndex,
}

impl Further {
    /// Takes the value of a key, the last of equal ones.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, key: Place) -> Result<(), Fault> {
        let value = RawJson::read(reader)?;
        let names = self.entries.iter().map(|(known, _)| reader.at_place(*known));
        let known = self.index.find(reader.at_place(key), names);
        match known.and_then(|position| self.entries.get_mut(position)) {
            Some((_, known)) => *known = value,
            None => {
                self.entries.push((key, value));
                let name = |position: usize| self.entries.get(position).map(|(name, _)| reader.at_place(*name));
                self.index.update(self.entries.len(), name);
            }
        }
        Ok(())
    }

    /// The names and the texts of their values.
    pub fn iter<'a>(&'a self, job: &'a Job) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.entries.iter().map(|(name, value)| (job.text(*name), value.text(job)))
    }

    /// Returns `true` if there is such a key.
    pub fn contains(&self, job: &Job, name: &str) -> bool {
        self.find(job, name).is_some()
    }

    /// The value of an attribute, made anew. Text in ISO 8601 under a name that ends in `_time` is a date and time in UTC
    /// without zone, as Galaxy's columns are.
    pub fn value(&self, job: &Job, name: &str) -> Option<Value> {
        let value = self.find(job, name)?.to_value(job);
        let time = value.as_str().filter(|_| name.ends_with("_time")).and_then(|text| naive_utc(text.as_str()));
        Some(time.unwrap_or(value))
    }

    fn find(&self, job: &Job, name: &str) -> Option<RawJson> {
        let position = self.index.find(name, self.entries.iter().map(|(known, _)| job.text(*known)))?;
        self.entries.get(position).map(|(_, value)| *value)
    }
}
