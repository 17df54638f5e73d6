//! Merging of the parts of two entities: tags, the variables of `env`, and rules.

use std::collections::HashMap;
use std::hash::Hash;

use crate::TagType;

/// Four lists of tags.
pub trait TagLists {
    /// A tag.
    type Tag: Clone;

    /// The tags of one type, in order.
    fn list(&self, kind: TagType) -> &[Self::Tag];

    /// Removes the first occurrence of a tag from the list of one type.
    fn remove(&mut self, kind: TagType, tag: &Self::Tag);

    /// Appends a tag to the list of one type.
    fn push(&mut self, kind: TagType, tag: Self::Tag);
}

/// TPV's `add_tag_override`: the tag leaves every list (one occurrence each) and joins the end of one.
pub fn override_tag<T: TagLists>(tags: &mut T, kind: TagType, tag: &T::Tag) {
    for other in TagType::ALL {
        tags.remove(other, tag);
    }
    tags.push(kind, tag.clone());
}

/// TPV's `SchedulingTags.inherit`: puts the child's tags over the parent's.
pub fn inherit_tags<T: TagLists>(child: &T, mut parent: T) -> T {
    for kind in TagType::APPLICATION {
        for tag in child.list(kind) {
            override_tag(&mut parent, kind, tag);
        }
    }
    parent
}

/// TPV's `SchedulingTags.combine` of tags that do not conflict: the types are applied from the weakest to the strongest, in
/// each first the tags of `high` and then those of `low`.
pub fn combine_tags<T: TagLists + Default>(low: &T, high: &T) -> T {
    let mut tags = T::default();
    for kind in TagType::APPLICATION {
        for tag in high.list(kind).iter().chain(low.list(kind)) {
            override_tag(&mut tags, kind, tag);
        }
    }
    tags
}

/// The item that identifies an element of `env`: that of the key `name`, or else the first one (`file`, `execute`).
pub fn env_subject<T>(items: &[T], is_name: impl Fn(&T) -> bool) -> Option<&T> {
    items.iter().find(|item| is_name(item)).or_else(|| items.first())
}

/// Access to the elements of `env` for [`merge_env`].
pub trait Env {
    /// An element.
    type Entry;
    /// The name of a variable.
    type Name: Hash + Eq;
    /// The error of reading an element.
    type Error;

    /// The name of the variable that the element sets, if any. Equal elements have the same name.
    ///
    /// # Errors
    /// An error if the element cannot be read.
    fn name(&mut self, entry: &Self::Entry) -> Result<Option<Self::Name>, Self::Error>;

    /// Returns `true` if an element without a name equals another.
    ///
    /// # Errors
    /// An error if the two cannot be compared.
    fn equal(&mut self, entry: &Self::Entry, other: &Self::Entry) -> Result<bool, Self::Error>;

    /// Called before each step of the search for an equal element.
    ///
    /// # Errors
    /// An error if the budget is spent.
    fn step(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// TPV's `merge_env_list`: the parent's elements, each replaced in place by the first of the child's that has the same name or
/// is equal, then the rest of the child's.
///
/// # Errors
/// Returns the errors of [`Env`].
pub fn merge_env<E: Env>(env: &mut E, child: Vec<E::Entry>, parent: Vec<E::Entry>) -> Result<Vec<E::Entry>, E::Error> {
    let mut merged = parent;
    let mut replacements = Replacements::new(env, child)?;
    for entry in &mut merged {
        if let Some(replacement) = replacements.take(env, entry)? {
            *entry = replacement;
        }
    }
    merged.extend(replacements.entries.into_iter().flatten());
    Ok(merged)
}

/// The child's elements that have replaced none yet.
struct Replacements<E: Env> {
    entries: Vec<Option<E::Entry>>,
    /// The indices of the elements of a name, the last first.
    by_name: HashMap<E::Name, Vec<usize>>,
}

impl<E: Env> Replacements<E> {
    fn new(env: &mut E, entries: Vec<E::Entry>) -> Result<Self, E::Error> {
        let mut by_name: HashMap<E::Name, Vec<usize>> = HashMap::new();
        for (index, entry) in entries.iter().enumerate().rev() {
            if let Some(name) = env.name(entry)? {
                by_name.entry(name).or_default().push(index);
            }
        }
        Ok(Self { entries: entries.into_iter().map(Some).collect(), by_name })
    }

    /// Takes out the first element that replaces this one.
    fn take(&mut self, env: &mut E, entry: &E::Entry) -> Result<Option<E::Entry>, E::Error> {
        if let Some(name) = env.name(entry)? {
            let index = self.by_name.get_mut(&name).and_then(Vec::pop);
            return Ok(index.and_then(|index| self.entries.get_mut(index)?.take()));
        }
        for slot in &mut self.entries {
            env.step()?;
            if let Some(candidate) = slot
                && env.equal(entry, candidate)?
            {
                return Ok(slot.take());
            }
        }
        Ok(None)
    }
}

/// Access to rules for [`merge_rules`].
pub trait RuleList {
    /// A rule with its key.
    type Rule: Clone;
    /// An id as text.
    type Id: AsRef<str>;
    /// The error of merging two rules.
    type Error;

    /// The key under which an entity has the rule.
    fn key<'r>(&self, rule: &'r Self::Rule) -> &'r str;

    /// The id of the rule, which may differ from its key.
    ///
    /// # Errors
    /// An error if the id cannot be converted to text.
    fn id(&mut self, rule: &Self::Rule) -> Result<Self::Id, Self::Error>;

    /// The child over the parent, under the child's id.
    ///
    /// # Errors
    /// An error if their fields cannot be merged.
    fn inherit(&mut self, child: &Self::Rule, parent: &Self::Rule, id: Self::Id) -> Result<Self::Rule, Self::Error>;
}

/// The rules of an entity over those of its parent: the parent's in their places, each replaced by the child's of the same key,
/// then the child's others. A rule of the child inherits from the parent's rule whose key is its id.
///
/// # Errors
/// Returns the errors of [`RuleList`].
pub fn merge_rules<R: RuleList>(
    rules: &mut R,
    child: &[R::Rule],
    parent: &[R::Rule],
) -> Result<Vec<R::Rule>, R::Error> {
    let mut merged = Vec::with_capacity(parent.len() + child.len());
    merged.extend_from_slice(parent);
    let mut places = Places::new(parent.iter().map(|rule| rules.key(rule)).collect());
    for (index, rule) in child.iter().enumerate() {
        let place = places.find(rules.key(rule), index);
        match place.and_then(|place| merged.get_mut(place)) {
            Some(slot) => *slot = rule.clone(),
            None => merged.push(rule.clone()),
        }
    }
    for (index, rule) in child.iter().enumerate() {
        let id = rules.id(rule)?;
        let Some(place) = places.find(id.as_ref(), index) else { continue };
        if let (Some(slot), Some(inherited)) = (merged.get_mut(place), parent.get(place)) {
            *slot = rules.inherit(rule, inherited, id)?;
        }
    }
    Ok(merged)
}

/// The number of keys searched linearly before all are put in a table.
const FEW: usize = 8;

/// Finds rules by their keys.
struct Places<'a> {
    keys: Vec<&'a str>,
    by_key: Option<HashMap<&'a str, usize>>,
    lookups: usize,
}

impl<'a> Places<'a> {
    fn new(keys: Vec<&'a str>) -> Self {
        Self { keys, by_key: None, lookups: 0 }
    }

    /// The place of a key, which may well be `likely`: the rules that were inherited before come first.
    fn find(&mut self, key: &str, likely: usize) -> Option<usize> {
        if self.keys.get(likely) == Some(&key) {
            return Some(likely);
        }
        self.lookups += 1;
        if self.lookups <= FEW {
            return self.keys.iter().position(|known| *known == key);
        }
        let keys = &self.keys;
        let all = || keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        self.by_key.get_or_insert_with(all).get(key).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Elements as `NAME=value`, or as text without a name.
    struct Texts;

    impl Env for Texts {
        type Entry = &'static str;
        type Name = &'static str;
        type Error = Infallible;

        fn name(&mut self, entry: &&'static str) -> Result<Option<&'static str>, Infallible> {
            Ok(entry.split_once('=').map(|(name, _)| name))
        }

        fn equal(&mut self, entry: &&'static str, other: &&'static str) -> Result<bool, Infallible> {
            Ok(entry == other)
        }
    }

    #[test]
    fn variables_are_replaced_in_place() {
        let merged =
            |child: &[&'static str], parent: &[&'static str]| merge_env(&mut Texts, child.to_vec(), parent.to_vec());
        assert_eq!(merged(&["B=2", "file"], &["A=1", "B=1", "C=1"]), Ok(vec!["A=1", "B=2", "C=1", "file"]));
        assert_eq!(merged(&["file", "file"], &["file", "A=1"]), Ok(vec!["file", "A=1", "file"]));
        assert_eq!(merged(&["A=2", "A=3"], &["A=0", "x", "A=1", "A=1"]), Ok(vec!["A=2", "x", "A=3", "A=1"]));
    }

    /// Rules as key, id and what they were made of.
    struct Triples;

    impl RuleList for Triples {
        type Rule = (String, String, String);
        type Id = String;
        type Error = Infallible;

        fn key<'r>(&self, rule: &'r Self::Rule) -> &'r str {
            &rule.0
        }

        fn id(&mut self, rule: &Self::Rule) -> Result<String, Infallible> {
            Ok(rule.1.clone())
        }

        fn inherit(&mut self, child: &Self::Rule, parent: &Self::Rule, id: String) -> Result<Self::Rule, Infallible> {
            Ok((id.clone(), id, format!("{} over {}", child.2, parent.2)))
        }
    }

    #[test]
    fn rules_are_replaced_in_place_and_inherit_by_their_ids() {
        let rule = |key: &str, id: &str, text: &str| (key.to_owned(), id.to_owned(), text.to_owned());
        let parent = [rule("a", "a", "1"), rule("b", "x", "2")];
        let child = [rule("c", "a", "3"), rule("b", "b", "4"), rule("d", "d", "5")];
        let merged = [rule("a", "a", "3 over 1"), rule("b", "b", "4 over 2"), rule("c", "a", "3"), rule("d", "d", "5")];
        assert_eq!(merge_rules(&mut Triples, &child, &parent), Ok(merged.to_vec()));
        let many: Vec<_> = (0..50).map(|key| rule(&format!("k{key}"), &format!("k{key}"), "p")).collect();
        let few: Vec<_> = (0..25).rev().map(|key| rule(&format!("k{key}"), &format!("k{}", key + 1), "c")).collect();
        let merged = merge_rules(&mut Triples, &few, &many).unwrap_or_default();
        let expected = (0..50).map(|key| match key {
            0 => rule("k0", "k1", "c"),
            1..=25 => rule(&format!("k{key}"), &format!("k{key}"), "c over p"),
            _ => rule(&format!("k{key}"), &format!("k{key}"), "p"),
        });
        assert_eq!(merged, expected.collect::<Vec<_>>());
    }
}
