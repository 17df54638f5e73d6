//! Config values to rows.

use tpv_runtime::artifact::tables::{StringId, TagsRow, ValueRow};

use tpv_bytecode::CodeKind;
use tpv_config::entity::Dict;
use tpv_config::scheduling::SchedulingTags;
use tpv_model::TagType;
use tpv_yaml::timestamp::DateTime;
use tpv_yaml::value::{ConfigValue, ValueKind};

use super::Linker;

impl Linker<'_> {
    /// A value that is never evaluated.
    pub(super) fn value(&mut self, value: &ConfigValue) -> ValueRow {
        self.value_as(value, None)
    }

    /// The items of a dict with string keys, not evaluated.
    pub(super) fn dict(&mut self, dict: &Dict) -> Vec<(StringId, ValueRow)> {
        dict.iter().map(|(key, value)| (self.strings.id(key), self.value(value))).collect()
    }

    /// A dict with string keys; its strings are f-strings of `property` where that is given.
    pub(super) fn dict_row(&mut self, dict: &Dict, property: Option<&'static str>) -> ValueRow {
        ValueRow::Dict(
            dict.iter()
                .map(|(key, value)| (ValueRow::Str(self.strings.id(key)), self.value_as(value, property)))
                .collect(),
        )
    }

    pub(super) fn value_as(&mut self, value: &ConfigValue, property: Option<&'static str>) -> ValueRow {
        match &value.kind {
            ValueKind::Null => ValueRow::None,
            ValueKind::Bool(value) => ValueRow::Bool(*value),
            ValueKind::Int(value) => ValueRow::Int(*value),
            // DIFFERENCE: code that asks for the class of these gets `int`, `str` and `list`, not ruamel.yaml's own.
            ValueKind::AnchoredBool(value) => ValueRow::Int(i64::from(*value)),
            ValueKind::BigInt(value) => ValueRow::BigInt(value.to_signed_bytes_le()),
            ValueKind::Float(value) => ValueRow::Float(*value),
            ValueKind::Str(text) => match property {
                Some(property) => self.code(text, CodeKind::FString, property),
                None => ValueRow::Str(self.strings.id(text.as_str())),
            },
            ValueKind::Tagged(tagged) => ValueRow::Str(self.strings.id(tagged.text.as_str())),
            ValueKind::Date(date) => ValueRow::Date(i16::try_from(date.year).unwrap_or(i16::MAX), date.month, date.day),
            ValueKind::DateTime(time) => {
                ValueRow::DateTime(microseconds(time), time.offset.map(|minutes| minutes * 60))
            }
            ValueKind::List(items) | ValueKind::Set(items) => {
                ValueRow::List(items.iter().map(|item| self.value_as(item, property)).collect())
            }
            ValueKind::Map(map) | ValueKind::OrderedMap(map) => ValueRow::Dict(
                map.entries
                    .iter()
                    .map(|entry| (self.value(&entry.key), self.value_as(&entry.value, property)))
                    .collect(),
            ),
        }
    }

    /// The tags of an entity.
    pub(super) fn tags(&mut self, tags: &SchedulingTags) -> TagsRow {
        TagsRow {
            lists: TagType::ALL.map(|kind| tags.list(kind).map(|list| list.iter().map(|tag| self.tag(tag)).collect())),
        }
    }
}

/// Microseconds from 1970-01-01 to a local reading, in the proleptic Gregorian calendar.
fn microseconds(time: &DateTime) -> i64 {
    let (year, month, day) = (i64::from(time.date.year), i64::from(time.date.month), i64::from(time.date.day));
    // Days of the civil calendar, with years that begin in March so that a leap day comes last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    let seconds = ((days * 24 + i64::from(time.hour)) * 60 + i64::from(time.minute)) * 60 + i64::from(time.second);
    seconds * 1_000_000 + i64::from(time.microsecond)
}
