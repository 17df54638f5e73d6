//! Sums by name, for a bounded number of names.

use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The maximum number of names in a table. A config can name a destination for each job.
pub const MOST_NAMES: usize = 10_000;

/// The most bytes of a name. The rest of a longer one is left out.
const MOST_NAME: usize = 300;

/// Sums by name. Of more than [`MOST_NAMES`] names those are kept whose hashes are smallest; what the rest come to is in one sum.
///
/// A table's contents depend only on what was added to it, not on the order, nor on how the additions were spread over
/// tables that were merged. For let K be the names kept of all names that were added anywhere. A name of K has fewer
/// than `MOST_NAMES` names with smaller hashes in all, and so in each part: no part has ever put any of its sum among
/// the rest. A name outside K is not kept in the end, so its whole sum is among the rest, whether it was put there in a
/// part or at last. Sums are of whole numbers, so their order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Table<T> {
    /// Up to twice as many names as are kept, so that choosing costs little for each.
    rows: HashMap<Box<str>, T>,
    others: T,
}

/// The contents of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rows<'a, T> {
    /// The sums by name.
    pub rows: BTreeMap<&'a str, T>,
    /// The sum of the names that are not kept; `None` if all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<T>,
}

impl<T> Rows<'_, T> {
    /// The names and sums, those with the highest counts first and equal ones by name; at the end the names that are not kept, as `(others)`.
    pub fn most_first(&self, count: impl Fn(&T) -> u64) -> Vec<(&str, &T)> {
        let mut rows: Vec<(&str, &T)> = self.rows.iter().map(|(name, value)| (*name, value)).collect();
        rows.sort_by_key(|(name, value)| (std::cmp::Reverse(count(value)), *name));
        rows.extend(self.others.iter().map(|value| ("(others)", value)));
        rows
    }
}

/// A sum: each `+=` is exact, and none depends on the order.
pub trait Sum: Clone + Default + PartialEq + for<'a> AddAssign<&'a Self> {}

impl<T: Clone + Default + PartialEq + for<'a> AddAssign<&'a T>> Sum for T {}

impl<T: Sum> Table<T> {
    /// Adds to the sum of a name.
    pub fn add(&mut self, name: &str, value: &T) {
        let name = shortened(name);
        if let Some(sum) = self.rows.get_mut(name) {
            *sum += value;
            return;
        }
        self.rows.insert(name.into(), value.clone());
        if self.rows.len() >= 2 * MOST_NAMES {
            self.choose();
        }
    }

    /// The sum of a name so far, unless it is among the rest.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.rows.get(shortened(name))
    }

    /// Adds all that another table has.
    pub fn merge(&mut self, other: &Self) {
        for (name, value) in &other.rows {
            self.add(name, value);
        }
        self.others += &other.others;
    }

    /// The sums, by name.
    pub fn rows(&self) -> Rows<'_, T> {
        let mut rows: Vec<(&str, &T)> = self.rows.iter().map(|(name, value)| (&**name, value)).collect();
        let mut others = self.others.clone();
        for (_, value) in split(&mut rows, |(name, _)| name) {
            others += value;
        }
        let rows = rows.into_iter().map(|(name, value)| (name, value.clone())).collect();
        Rows { rows, others: (others != T::default()).then_some(others) }
    }

    /// Puts the names that are not kept among the rest.
    fn choose(&mut self) {
        let mut rows: Vec<(Box<str>, T)> = self.rows.drain().collect();
        for (_, value) in split(&mut rows, |(name, _)| name) {
            self.others += &value;
        }
        self.rows.extend(rows);
    }
}

impl<T: Sum> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rows() == other.rows()
    }
}

impl<T: Sum + Serialize> Serialize for Table<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}

impl<'de, T: Sum + Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(bound(deserialize = "T: Deserialize<'de>"))]
        struct Stored<T> {
            rows: HashMap<Box<str>, T>,
            others: Option<T>,
        }
        let Stored { rows, others } = Stored::deserialize(deserializer)?;
        Ok(Self { rows, others: others.unwrap_or_default() })
    }
}

/// Leaves those rows that are kept, and gives the others.
fn split<R>(rows: &mut Vec<R>, name: impl Fn(&R) -> &str) -> Vec<R> {
    if rows.len() <= MOST_NAMES {
        return Vec::new();
    }
    rows.sort_by_cached_key(|row| (hash(name(row)), Box::<str>::from(name(row))));
    rows.split_off(MOST_NAMES)
}

/// The first 8 bytes of a name's SHA-256: the same on every machine.
fn hash(name: &str) -> [u8; 8] {
    let digest = Sha256::digest(name);
    digest.first_chunk().copied().unwrap_or_default()
}

/// The beginning of a name, where it is too long.
fn shortened(name: &str) -> &str {
    let mut end = name.len().min(MOST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use crate::random::{Random, setting};

    /// Names at random, some of them often, spread over tables that are merged in any order and grouping, some of them written and read in
    /// between: each way tells the same as one table, and the same as the definition.
    #[test]
    fn merging_tells_the_same_in_any_order() {
        let seed = setting("TPVC_SEED", 20_261_122);
        println!("seed {seed} (TPVC_SEED)");
        let mut random = Random::new(seed);
        for (names, count) in [(10, 100), (MOST_NAMES as u32, 30_000), (35_000, 80_000)] {
            let added: Vec<(String, u64)> = (0..count)
                .map(|_| {
                    let bound = if random.one_in(2) { names } else { names / 10 };
                    (format!("name {}", random.below(bound)), u64::from(random.below(1000)))
                })
                .collect();
            let mut one = Table::default();
            let mut sums = BTreeMap::new();
            for (name, value) in &added {
                one.add(name, value);
                *sums.entry(name.as_str()).or_insert(0) += value;
            }
            let mut by_hash: Vec<_> =
                sums.iter().map(|(name, sum)| (Sha256::digest(name)[..8].to_vec(), *name, *sum)).collect();
            by_hash.sort();
            let (kept, rest) = by_hash.split_at(by_hash.len().min(MOST_NAMES));
            let rows = kept.iter().map(|(_, name, sum)| (*name, *sum)).collect();
            let others = rest.iter().map(|(.., sum)| *sum).sum();
            assert!(one.rows() == Rows { rows, others: (others > 0).then_some(others) });

            let parts = 2 + random.below(6);
            let mut tables = vec![Table::default(); parts as usize];
            for (name, value) in &added {
                tables[random.below(parts) as usize].add(name, value);
            }
            while tables.len() > 1 {
                let other = tables.swap_remove(random.below(tables.len() as u32) as usize);
                let other = match random.one_in(2) {
                    true => serde_json::from_str(&serde_json::to_string(&other).unwrap()).unwrap(),
                    false => other,
                };
                let at = random.below(tables.len() as u32) as usize;
                tables[at].merge(&other);
            }
            assert!(tables[0] == one);
            assert_eq!(serde_json::to_string(&tables[0]).unwrap(), serde_json::to_string(&one).unwrap());
        }
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        let mut table = Table::default();
        table.add(&"é".repeat(1000), &1);
        table.add(&("é".repeat(150) + "x"), &2);
        table.add("(others)", &4);
        let name = "é".repeat(150);
        assert_eq!(table.rows().rows, BTreeMap::from([("(others)", 4), (name.as_str(), 3)]));
    }
}
