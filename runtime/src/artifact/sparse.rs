//! The binary form of entities: what is set.
//!
//! A production config has thousands of entities with a few of all fields each. So an entity begins with a number that has a
//! bit for each field that is not as in [`EntityRow::unset`], and only those fields follow. Loading an artifact is mostly reading
//! entities.

use bincode::de::Decoder;
use bincode::enc::Encoder;
use bincode::error::{DecodeError, EncodeError};
use bincode::{Decode, Encode};

use super::tables::{EntityRow, TagsRow};
use tpv_model::{EntityClass, FieldMap};

impl EntityRow {
    /// A tool with nothing set.
    fn unset() -> Self {
        Self {
            class: EntityClass::Tool,
            id: 0,
            abstract_: false,
            inherits: None,
            values: FieldMap::default(),
            tags: TagsRow::default(),
            rules: Vec::new(),
            extras: Vec::new(),
            dest_tags: None,
            oversize: None,
            site: 0,
        }
    }
}

/// Encodes and decodes a row by the fields that are not as in `unset()`. The bits are those of the format: a field that is new
/// gets the next one.
macro_rules! sparse {
    ($row:ident { $($bit:literal $field:ident),* $(,)? }) => {
        impl Encode for $row {
            fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
                // All fields: one that is left out here would be lost.
                let Self { $($field),* } = self;
                let unset = Self::unset();
                let set = 0_u32 $(| u32::from(*$field != unset.$field) << $bit)*;
                set.encode(encoder)?;
                $(if set >> $bit & 1 == 1 {
                    $field.encode(encoder)?;
                })*
                Ok(())
            }
        }

        bincode::impl_borrow_decode!($row);

        impl<Context> Decode<Context> for $row {
            fn decode<D: Decoder<Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
                let set = u32::decode(decoder)?;
                let known = 0_u32 $(| 1 << $bit)*;
                if set & !known != 0 {
                    return Err(DecodeError::OtherString("an entity has a field that is not known".to_owned()));
                }
                let mut row = Self::unset();
                $(if set >> $bit & 1 == 1 {
                    row.$field = Decode::decode(decoder)?;
                })*
                Ok(row)
            }
        }
    };
}

sparse!(EntityRow {
    0 id,
    1 site,
    2 class,
    3 values,
    4 tags,
    5 rules,
    6 inherits,
    7 dest_tags,
    8 abstract_,
    9 extras,
    10 oversize,
});

/// The notation of a list of tags, two bits each: empty, `null`, or with the tags.
const NULL: u8 = 1;
const TAGS: u8 = 2;

impl Encode for TagsRow {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        let kind = |list: &Option<Box<[u32]>>| match list {
            None => NULL,
            Some(list) if list.is_empty() => 0,
            Some(_) => TAGS,
        };
        self.lists.iter().rev().fold(0, |kinds, list| kinds << 2 | kind(list)).encode(encoder)?;
        self.lists.iter().flatten().filter(|list| !list.is_empty()).try_for_each(|list| list.encode(encoder))
    }
}

bincode::impl_borrow_decode!(TagsRow);

impl<Context> Decode<Context> for TagsRow {
    fn decode<D: Decoder<Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        let mut kinds = u8::decode(decoder)?;
        let mut row = Self::default();
        for list in &mut row.lists {
            match kinds & 3 {
                0 => {}
                NULL => *list = None,
                TAGS => *list = Some(Decode::decode(decoder)?),
                _ => return Err(DecodeError::OtherString("there is no such list of tags".to_owned())),
            }
            kinds >>= 2;
        }
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tables::{OversizeRow, ValueRow};
    use super::*;
    use tpv_model::{Field, Limit, Resource};

    fn read(bytes: &[u8]) -> Result<EntityRow, DecodeError> {
        bincode::decode_from_slice(bytes, bincode::config::standard()).map(|(row, _)| row)
    }

    fn again(row: &EntityRow) -> EntityRow {
        read(&bincode::encode_to_vec(row, bincode::config::standard()).unwrap()).unwrap()
    }

    fn tags(lists: [Option<&[u32]>; 4]) -> TagsRow {
        TagsRow { lists: lists.map(|list| list.map(Box::from)) }
    }

    /// One way to set each field.
    const SET: [fn(&mut EntityRow); 17] = [
        |row| row.id = 300,
        |row| row.site = 1,
        |row| row.class = EntityClass::Rule,
        |row| row.values.set(Field::Amount(Resource::MinGpus.into()), ValueRow::Int(0)),
        |row| row.values.set(Field::Amount(Limit::MaxAcceptedMem.into()), ValueRow::Int(-1)),
        |row| row.values.set(Field::Params, ValueRow::Dict(vec![(ValueRow::Str(1), ValueRow::None)])),
        |row| row.values.set(Field::Env, ValueRow::List(Vec::new())),
        |row| row.values.set(Field::Context, ValueRow::None),
        |row| row.values.set(Field::If, ValueRow::Bool(true)),
        |row| row.values.set(Field::FailOpen, ValueRow::Bool(true)),
        |row| row.tags = tags([None, Some(&[]), Some(&[0, 9]), Some(&[1])]),
        |row| row.rules = vec![(1, 2)],
        |row| row.inherits = Some(0),
        |row| row.dest_tags = Some(Box::new(tags([Some(&[5]), None, None, Some(&[])]))),
        |row| row.abstract_ = true,
        |row| row.extras = vec![(4, ValueRow::Bool(false))],
        |row| {
            let hard_max = [Some(0.5), None, None];
            row.oversize = Some(Box::new(OversizeRow { hard_max, ..OversizeRow::default() }));
        },
    ];

    #[test]
    fn rows_are_read_as_they_were_written() {
        assert_eq!(again(&EntityRow::unset()), EntityRow::unset());
        for first in SET {
            for second in SET {
                let mut row = EntityRow::unset();
                first(&mut row);
                second(&mut row);
                assert_ne!(row, EntityRow::unset());
                assert_eq!(again(&row), row);
            }
        }
        let mut row = EntityRow::unset();
        SET.iter().for_each(|set| set(&mut row));
        assert_eq!(again(&row), row);
    }

    #[test]
    fn fields_and_tags_that_are_not_known_are_refused() {
        let encoded = |bits: u32| bincode::encode_to_vec(bits, bincode::config::standard()).unwrap();
        assert!(read(&encoded(1 << 11)).is_err());
        let tags = encoded(1 << 4);
        assert!(read(&[&tags[..], &[3]].concat()).is_err());
        assert_eq!(read(&[&tags[..], &[0]].concat()).unwrap(), EntityRow::unset());
    }
}
