//! Which things changed places, and which ids are looked up in another order.

use std::collections::{BTreeMap, HashMap};

use tpv_runtime::artifact::tables::EntityTable;
use tpv_runtime::patterns::Matcher;

/// The fewest of the `new` places that must move so that the others ascend.
pub(super) fn moved(places: &[usize]) -> Vec<usize> {
    // The longest run that ascends: for each length the place that ends the best run so far, and the way back.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        let length = ends.partition_point(|end| places.get(*end).is_some_and(|end| end < place));
        before.push(length.checked_sub(1).and_then(|last| ends.get(last).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut stays = vec![false; places.len()];
    let mut at = ends.last().copied();
    while let Some(index) = at {
        if let Some(stay) = stays.get_mut(index) {
            *stay = true;
        }
        at = before.get(index).copied().flatten();
    }
    stays.iter().enumerate().filter(|(_, stays)| !**stays).map(|(index, _)| index).collect()
}

/// Ids that both rule sets look up by the same entities, but in another order: by the entities in the old order and in the new one.
///
/// The ids that are tried are those that the entities' own keys would name if they were no patterns.
pub(super) fn lookups(
    old: &EntityTable,
    new: &EntityTable,
    ids: [&[&str]; 2],
) -> BTreeMap<(Vec<String>, Vec<String>), Vec<String>> {
    let matchers = [Matcher::new(&*old.patterns), Matcher::new(&*new.patterns)];
    let [old_ids, new_ids] = ids;
    let place = |ids: &[&str]| -> HashMap<String, usize> {
        ids.iter().enumerate().map(|(index, id)| ((*id).to_owned(), index)).collect()
    };
    let in_new = place(new_ids);
    let mut changed: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for id in old_ids.iter().filter(|id| in_new.contains_key(**id)) {
        let name = literal(id);
        let matches = |matcher: &Matcher<_>, ids: &[&str]| -> Vec<String> {
            let mut found = Vec::new();
            // What cannot be tried ends a lookup, and the checks of a config tell it.
            let _ = matcher.matches(&name, &mut found);
            found.iter().filter_map(|index| ids.get(*index as usize)).map(|id| (*id).to_owned()).collect()
        };
        let [first, second] = &matchers;
        let (mut before, mut after) = (matches(first, old_ids), matches(second, new_ids));
        before.retain(|id| after.contains(id));
        after.retain(|id| before.contains(id));
        if before != after {
            changed.entry((before, after)).or_default().push(name);
        }
    }
    changed
}

/// The id that a key names if it is no pattern: without the backslashes before characters.
pub(super) fn literal(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut chars = key.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some(next)) if !next.is_alphanumeric() => {}
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn as_few_as_possible_moved() {
        for (places, expected) in [
            (vec![], vec![]),
            (vec![0, 1, 2], vec![]),
            (vec![3, 0, 1, 2], vec![0]),
            (vec![1, 2, 3, 0], vec![3]),
            (vec![0, 5, 2, 3, 4], vec![1]),
        ] {
            assert_eq!(moved(&places), expected, "{places:?}");
        }
    }

    #[test]
    fn keys_name_ids() {
        assert_eq!(literal(r"toolshed\.g2\.bx\.psu\.edu/repos/.*"), "toolshed.g2.bx.psu.edu/repos/.*");
        assert_eq!(literal(r"a\d\"), r"a\d\");
    }
}
