//! Which destinations the jobs of a tool can reach by one rule set, and by the other never: the proofs of [`crate::check`], compared.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::Side;
use super::entities::{Change, Group, Kind};
use crate::check::matrix;
use crate::check::reach::{Matrix, Row, Users};

/// The section of these groups.
const SECTION: &str = "reachability";

/// A destination of both rule sets: its columns, and its id.
struct Column<'m> {
    old: usize,
    new: usize,
    id: &'m str,
}

/// The destinations that jobs of a tool lose or gain, for tools and destinations that both rule sets have; tools of one change stand
/// together. Nothing for artifacts, of which nothing is proved, and for configs whose code may change destinations.
pub fn compare(old: &Side, new: &Side) -> Vec<Group> {
    let matrix =
        |side: &Side| side.origin.as_ref().and_then(|(config, sources)| matrix(config, sources, Users::All).ok());
    let (Some(old), Some(new)) = (matrix(old), matrix(new)) else { return Vec::new() };
    let columns = columns(&old, &new);
    let before: HashMap<&str, &Row> = rows(&old).collect();
    let mut found: IndexMap<[Vec<&str>; 2], Vec<String>> = IndexMap::new();
    for (id, after) in rows(&new) {
        let Some(before) = before.get(id).filter(|before| !before.unproved && !after.unproved) else { continue };
        let goes = |column: &&Column<'_>| [before.reaches(column.old), after.reaches(column.new)];
        let ids = |wanted: [bool; 2]| -> Vec<&str> {
            columns.iter().filter(|column| goes(column) == wanted).map(|column| column.id).collect()
        };
        let (lost, gained) = (ids([true, false]), ids([false, true]));
        if !lost.is_empty() || !gained.is_empty() {
            found.entry([lost, gained]).or_default().push(id.to_owned());
        }
    }
    let group = |([lost, gained], entities): ([Vec<&str>; 2], Vec<String>)| {
        let changes =
            [(Kind::Unreachable, lost), (Kind::Reachable, gained)].into_iter().filter(|(_, ids)| !ids.is_empty());
        Group { section: SECTION, entities, changes: changes.map(|(kind, ids)| change(kind, &ids)).collect() }
    };
    found.into_iter().map(group).collect()
}

fn columns<'m>(old: &'m Matrix, new: &Matrix) -> Vec<Column<'m>> {
    let places =
        (new.destinations.iter().enumerate()).map(|(at, column)| (column.id.as_str(), (at, column.is_abstract)));
    let places: HashMap<&str, (usize, bool)> = places.collect();
    let both = old.destinations.iter().enumerate().filter_map(|(old, column)| {
        let (new, is_abstract) = *places.get(column.id.as_str())?;
        (!column.is_abstract && !is_abstract).then_some(Column { old, new, id: &column.id })
    });
    both.collect()
}

/// The tools with their rows.
fn rows(matrix: &Matrix) -> impl Iterator<Item = (&str, &Row)> {
    matrix.tools.iter().filter_map(|tool| Some((tool.id.as_str(), matrix.rows.get(tool.row)?)))
}

fn change(kind: Kind, ids: &[&str]) -> Change {
    let names = Some(ids.join(", "));
    let (old, new) = if kind == Kind::Unreachable { (names, None) } else { (None, names) };
    Change { kind, rule: None, field: None, sets: Vec::new(), old, new, old_places: Vec::new(), new_places: Vec::new() }
}
