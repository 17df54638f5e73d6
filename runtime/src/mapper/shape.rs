//! Shapes: what entities are but for their ids.
//!
//! Thousands of tools differ in nothing but the id: they have the same cores, tags, rules and context. What is made of an
//! entity mostly does not tell its id, so it is kept by the shape and serves all of them. Where code looks at an entity as
//! a whole, and so may see the id, the entity itself is what it read ([`super::words`]).

use std::cell::OnceCell;
use std::rc::Rc;

use crate::artifact::tables::EntityClass;
use crate::bytecode::CodeRef;
use crate::python::string::Str;
use crate::python::value::Value;

use super::entity::Entity;
use super::matching::Fits;
use super::shared::Context;
use super::tags::{TagType, Tags};
use super::words::Words;

/// What entities have in common that differ in their ids alone.
pub(super) struct Shape {
    /// A number of its own, never used again.
    pub(super) number: u32,
    /// The context, by slot of the thread's machine.
    pub(super) context: OnceCell<Rc<Context>>,
    /// The destinations whose tags fit.
    pub(super) fits: OnceCell<Rc<Fits>>,
    /// What the words of the shape point to.
    _pointed_to: PointedTo,
}

/// What words point to. It is held, so that nothing else gets its address: not by one of the entities, which hold their shape,
/// so that the two would never be freed.
#[derive(Default)]
pub(super) struct PointedTo {
    values: Vec<Value>,
    rules: Vec<Rc<Entity>>,
    extras: Option<Rc<Vec<(Str, Value)>>>,
}

impl PointedTo {
    /// The bytes that it takes on the heap.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Value>() * self.values.capacity() + size_of::<Rc<Entity>>() * self.rules.capacity()
    }
}

impl Shape {
    /// A shape with words that point to this.
    pub(super) fn new(number: u32, pointed_to: PointedTo) -> Self {
        Self { number, context: OnceCell::new(), fits: OnceCell::new(), _pointed_to: pointed_to }
    }
}

/// Appends what an entity is but for its id: equal words, equal shapes. Lists, dicts and rules stand for themselves by where
/// they are, since entities that jobs share never change: what the words point to is given. Nothing for what has no such words.
pub(super) fn push_entity(words: &mut Words, entity: &Entity) -> Option<PointedTo> {
    let mut held = PointedTo::default();
    let class = [EntityClass::Tool, EntityClass::Role, EntityClass::User, EntityClass::Destination]
        .iter()
        .position(|class| *class == entity.class)?;
    words.push(class as u64);
    let plain = [&entity.abstract_, &entity.inherits, &entity.rank];
    plain.into_iter().chain(&entity.resources).try_for_each(|value| push_config(words, &mut held, value))?;
    for value in [&entity.env, &entity.params, &entity.resubmit, &entity.context] {
        push_config(words, &mut held, value)?;
    }
    push_tags(words, &entity.tags);
    words.push(entity.rules.len() as u64);
    for (key, rule) in entity.rules.iter() {
        words.push_text(key.as_str());
        words.push(address(rule));
        held.rules.push(rule.clone());
    }
    match entity.extras.is_empty() {
        true => words.push(0),
        false => {
            words.push(address(&entity.extras));
            held.extras = Some(entity.extras.clone());
        }
    }
    if let Some(fields) = &entity.destination {
        entity.limits.iter().try_for_each(|limit| push_config(words, &mut held, limit))?;
        for value in [&fields.runner, &fields.dest_name, &fields.handler_tags] {
            push_config(words, &mut held, value)?;
        }
        push_tags(words, &fields.dest_tags);
    }
    Some(held)
}

/// Says that a string is the source of this code.
const CODE: u64 = 32;
/// Says where a list or dict is.
const AT: u64 = 33;
const EMPTY_LIST: u64 = 34;
const EMPTY_DICT: u64 = 35;

fn push_config(words: &mut Words, held: &mut PointedTo, value: &Value) -> Option<()> {
    match value {
        Value::Str(text) => match text.code() {
            Some(CodeRef { code, .. }) if code != CodeRef::PLAIN => words.push(CODE | u64::from(code) << 8),
            _ => words.push_plain(value)?,
        },
        Value::List(list) if list.items.borrow().is_empty() => words.push(EMPTY_LIST),
        Value::List(list) => {
            words.extend(&[AT, address(list)]);
            held.values.push(value.clone());
        }
        Value::Dict(dict) if dict.is_empty() => words.push(EMPTY_DICT),
        Value::Dict(dict) => {
            words.extend(&[AT, address(dict)]);
            held.values.push(value.clone());
        }
        plain => words.push_plain(plain)?,
    }
    Some(())
}

fn push_tags(words: &mut Words, tags: &Tags) {
    for (kind, is_none) in TagType::ALL.into_iter().zip(tags.none()) {
        let list = tags.list(kind);
        words.push(u64::from(is_none) | (list.len() as u64) << 8);
        list.iter().for_each(|tag| words.push(u64::from(*tag)));
    }
}

/// Where something is that the shape holds.
fn address<T>(held: &Rc<T>) -> u64 {
    Rc::as_ptr(held).cast::<u8>() as usize as u64
}
