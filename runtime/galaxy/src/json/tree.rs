//! JSON that owns itself and may cross threads: what answers and the world hold.

use std::hash::Hash;

use indexmap::IndexMap;
use num_bigint::BigInt;

use super::{Fault, Kind, Reader};
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, value_error};
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// A JSON value, as Python's `json` understands it.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An int that fits 64 bits
    Int(i64),
    /// A larger int
    BigInt(BigInt),
    /// A float; infinities and NaN included
    Float(f64),
    /// A string
    Str(Box<str>),
    /// A list
    List(Vec<Json>),
    /// An object in its order. Python can write a key twice (`{1: .., "1": ..}`).
    Object(Vec<(Box<str>, Json)>),
}

/// The items of an object in the order of their keys' first places, with the last value of each, as Python's dict has them.
pub fn last_of_equal_keys<K: Eq + Hash, V>(items: Vec<(K, V)>) -> Vec<(K, V)> {
    /// Objects of fewer keys are looked through without a table.
    const FEW: usize = 16;
    let mut rest = items.as_slice();
    let mut repeated = items.len() > FEW;
    while let (false, [(key, _), others @ ..]) = (repeated, rest) {
        repeated = others.iter().any(|(other, _)| other == key);
        rest = others;
    }
    if repeated { items.into_iter().collect::<IndexMap<_, _>>().into_iter().collect() } else { items }
}

impl Json {
    /// A string.
    pub fn str(text: impl Into<Box<str>>) -> Self {
        Self::Str(text.into())
    }

    /// The value under a key, where this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Object(items) => items.iter().find(|(name, _)| &**name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Reads the next value.
    ///
    /// # Errors
    /// A syntax fault.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(match reader.kind()? {
            Kind::Null => {
                reader.null()?;
                Self::Null
            }
            Kind::Bool => Self::Bool(reader.bool()?),
            Kind::Number => match reader.number()? {
                Value::Int(small) => Self::Int(small),
                Value::BigInt(big) => Self::BigInt((*big).clone()),
                Value::Float(float) => Self::Float(float),
                _ => Self::Null,
            },
            Kind::String => Self::Str(reader.string()?.into()),
            Kind::List => Self::List(reader.items(Self::read)?),
            Kind::Object => {
                let mut items = Vec::new();
                reader.object(|reader, key| {
                    items.push((Box::from(key), Self::read(reader)?));
                    Ok(())
                })?;
                Self::Object(last_of_equal_keys(items))
            }
        })
    }

    /// A new Python value of this content.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::None,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::BigInt(value) => Value::from_bigint(value.clone()),
            Self::Float(value) => Value::Float(*value),
            Self::Str(text) => Value::str(text.clone()),
            Self::List(items) => Value::list(items.iter().map(Self::to_value).collect()),
            Self::Object(items) => {
                Value::dict(Dict::from_strs(items.iter().map(|(key, value)| (Str::new(key.clone()), value.to_value()))))
            }
        }
    }

    /// Converts a value as `json.dumps(value, default=repr)` does: tuples become lists, keys become strings, and values
    /// unknown to JSON become their `repr`.
    ///
    /// # Errors
    /// As [`super::dump()`].
    pub fn from_value(vm: &mut Vm, value: &Value) -> PyResult<Self> {
        let mut text = String::new();
        super::dump(vm, &mut text, value)?;
        Self::read(&mut Reader::new(&text)).map_err(|fault| value_error(fault.message()))
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Json {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::str(text)
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::str(text)
    }
}

impl<V: Into<Json>> From<Option<V>> for Json {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<Json>> From<Vec<V>> for Json {
    fn from(items: Vec<V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// An object.
impl<K: Into<Box<str>>, V: Into<Json>> From<Vec<(K, V)>> for Json {
    fn from(items: Vec<(K, V)>) -> Self {
        Self::Object(items.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}
