//! TPV's order of the keys of a config.
//!
//! A sorted mapping is a new one that takes over nothing but the pairs and the comments of its items: the comments before
//! the mapping and at its end, its anchor, tag and brackets are gone, and what was merged into it becomes its own.

use std::cmp::Ordering;
use std::rc::Rc;

use indexmap::IndexMap;
use tpv_model::Resource;

pub use tpv_yaml::roundtrip::{Key, Mapping, Pair, Result, RoundTripError, Sequence, Value, ValueId, Values};

/// The keys to place first, and the orders of what stands below them; `*` is every other key or item.
#[derive(Clone, Debug, Default)]
struct Order {
    below: IndexMap<Key, Rc<Order>>,
}

fn name(text: &str) -> Key {
    Key::Str(text.into())
}

impl Order {
    fn of(below: impl IntoIterator<Item = (Key, Rc<Self>)>) -> Rc<Self> {
        Rc::new(Self { below: below.into_iter().collect() })
    }

    /// An order that names keys and nothing below them.
    fn names(names: &[&str]) -> Rc<Self> {
        Self::of(names.iter().map(|text| (name(text), Rc::default())))
    }

    fn config(default_inherits: Key) -> Rc<Self> {
        let mut entity = Vec::from(["id", "inherits", "if", "context"].map(|text| (name(text), Rc::<Self>::default())));
        // In the order of evaluation, which TPV's formatter has, too.
        let amounts = Resource::ALL.into_iter().filter(|resource| resource.clamped_by().is_some());
        entity.extend(amounts.map(|amount| (name(amount.name()), Rc::default())));
        entity.push((name("env"), Self::names(&["*"])));
        entity.push((name("params"), Self::names(&["*"])));
        entity.push((name("scheduling"), Self::names(&["require", "prefer", "accept", "reject"])));
        let rule = Self::of(entity.clone());
        entity.push((name("rules"), Self::of([(name("*"), rule)])));
        let entities = Self::of([(default_inherits, Rc::default()), (name("*"), Self::of(entity))]);
        let mut sections = vec![(name("global"), Rc::default())];
        sections.extend(["tools", "roles", "users", "destinations"].map(|text| (name(text), Rc::clone(&entities))));
        Self::of(sections)
    }

    /// The order below a key.
    fn under(&self, key: &Key) -> Rc<Self> {
        let own = self.below.get(key).filter(|order| !order.below.is_empty());
        own.or_else(|| self.below.get(&name("*"))).cloned().unwrap_or_default()
    }
}

fn refused<T>(message: &str) -> Result<T> {
    Err(RoundTripError::new(message).help("change the config: `tpv format` fails on it, too"))
}

/// Sorts a config. The root is `None` for a config without content, which is written as `{}`.
pub(super) fn sort(values: &mut Values, root: Option<ValueId>) -> Result<ValueId> {
    let Some(root) = root.filter(|&root| values.is_true(root)) else {
        return Ok(values.add(Value::Mapping(Mapping::default())));
    };
    let Some(config) = values.mapping(root) else { return refused("a config must be a mapping") };
    let inherits = match values.lookup(config, &name("global")) {
        None => None,
        Some(global) => match values.mapping(global) {
            None => return refused("`global` must be a mapping"),
            Some(global) => values.lookup(global, &name("default_inherits")),
        },
    };
    let inherits = match inherits.filter(|&value| values.is_true(value)) {
        None => name("default"),
        Some(value) => match values.key(value) {
            Some(key) => key,
            None => return refused("`default_inherits` must be the name of an entity"),
        },
    };
    let room = values.count() + MOST_REPEATED;
    Sorter { values, room }.sorted(root, &Order::config(inherits))
}

/// The limit of additional pairs and items: sorting writes out aliases and `<<`, so that a text of some lines can
/// become one of millions.
const MOST_REPEATED: usize = 250_000;

struct Sorter<'a> {
    values: &'a mut Values,
    /// The number of pairs and items that may still be written.
    room: usize,
}

impl Sorter<'_> {
    fn take_room(&mut self, count: usize) -> Result<()> {
        match self.room.checked_sub(count) {
            Some(room) => self.room = room,
            None => {
                let message = format!("aliases and `<<` expand to more than {MOST_REPEATED} keys and items");
                let help = "merge less into entities, which are written out whole: let them inherit from one another";
                return Err(RoundTripError::new(message).help(help));
            }
        }
        Ok(())
    }

    fn sorted(&mut self, id: ValueId, order: &Order) -> Result<ValueId> {
        if order.below.is_empty() {
            return Ok(id);
        }
        match self.values.get(id) {
            Some(Value::Mapping(mapping) | Value::OrderedMap(mapping)) => {
                let mut new = Mapping { slots: mapping.slots.clone(), ..Mapping::default() };
                let mut pairs = Vec::new();
                for (key, pair) in self.values.all_pairs(mapping) {
                    let first = order.below.get_index_of(&key).unwrap_or(order.below.len());
                    pairs.push(((first, !has_slash(&key)?), key, pair));
                }
                self.take_room(pairs.len())?;
                let mut mixed = false;
                pairs.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(&a.1, &b.1, &mut mixed)));
                if mixed {
                    return refused("the keys of a mapping must be strings to be sorted");
                }
                for (_, key, pair) in pairs {
                    let value = self.sorted(pair.value, &order.under(&key))?;
                    new.pairs.insert(key, Pair { value, ..pair });
                }
                Ok(self.values.add(Value::Mapping(new)))
            }
            Some(Value::Sequence(sequence)) => {
                let mut new = Sequence { slots: sequence.slots.clone(), ..Sequence::default() };
                let below = order.below.get(&name("*")).cloned().unwrap_or_default();
                let items = sequence.items.clone();
                self.take_room(items.len())?;
                for item in items {
                    new.items.push(self.sorted(item, &below)?);
                }
                Ok(self.values.add(Value::Sequence(new)))
            }
            _ => Ok(id),
        }
    }
}

/// Python's `"/" in key`.
fn has_slash(key: &Key) -> Result<bool> {
    match key {
        Key::Str(text) | Key::Tagged(_, text) => Ok(text.contains('/')),
        Key::Tuple(items) => Ok(items.contains(&name("/"))),
        Key::Mapping(pairs) => Ok(pairs.iter().any(|(key, _)| *key == name("/"))),
        _ => refused("the keys of a config must be strings to be sorted"),
    }
}

fn compare(a: &Key, b: &Key, mixed: &mut bool) -> Ordering {
    match (a, b) {
        (Key::Str(a), Key::Str(b)) => a.cmp(b),
        _ => {
            *mixed = true;
            Ordering::Equal
        }
    }
}
