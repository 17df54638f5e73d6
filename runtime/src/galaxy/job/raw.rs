//! JSON of the job file that stays text until code asks for it.

use super::fields::expect;
use crate::galaxy::json::{Fault, Kind, Reader};
use tpv_python::dict::Dict;
use tpv_python::modules::datetime::naive_utc;
use tpv_python::modules::json::read_checked;
use tpv_python::value::Value;

/// The text of a JSON value that was checked when its line was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawJson(Box<str>);

impl RawJson {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(Self(reader.raw()?.into()))
    }

    pub(super) fn object(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        expect(reader, Kind::Object, "must be an object")?;
        Self::read(reader)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// A new Python value of this content.
    pub fn to_value(&self) -> Value {
        read_checked(&self.0, &mut |table| Value::dict(Dict::from_table(table)))
    }
}

/// The keys that the format does not name, with their values: attributes of these names, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Further(Vec<(Box<str>, RawJson)>);

impl Further {
    /// Takes the value of a key, the last of equal ones.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, key: &str) -> Result<(), Fault> {
        let value = RawJson::read(reader)?;
        match self.0.iter_mut().find(|(known, _)| **known == *key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key.into(), value)),
        }
        Ok(())
    }

    /// The names and the texts of their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, value.text()))
    }

    /// Whether there is such a key.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| **known == *name)
    }

    /// The value of an attribute, made anew. Text in ISO 8601 under a name that ends in `_time` is a date and time in UTC
    /// without zone, as Galaxy's columns are.
    pub fn value(&self, name: &str) -> Option<Value> {
        let (_, raw) = self.0.iter().find(|(known, _)| **known == *name)?;
        let value = raw.to_value();
        let time = value.as_str().filter(|_| name.ends_with("_time")).and_then(|text| naive_utc(text.as_str()));
        Some(time.unwrap_or(value))
    }
}
