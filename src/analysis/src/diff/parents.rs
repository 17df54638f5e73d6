//! Changes that no job feels unless it is named as an abstract entity is: parents that came, went or have another name.

use tpv_model::EntityClass;
use tpv_runtime::artifact::Rules;

use super::Side;
use super::entities::{Change, Changes, Kind};

/// Names by which code may find entities that its job does not match.
const ALL_ENTITIES: [&str; 9] =
    ["mapper", "loader", "evaluator", "gateway", "getattr", "vars", "attrgetter", "globals", "locals"];

/// The ids of the abstract tools, roles and users that only one of two rule sets has, if nothing else differs: jobs whose tool, role or user begins with
/// one fail there, and all others get the same answer. `None` if more differs, or more may.
pub fn only_parents<'c>(changes: &'c Changes, sides: [&Side; 2]) -> Option<Vec<&'c str>> {
    let rules = sides.map(|side| &*side.rules);
    if rules.iter().any(|rules| rules.program().strings.iter().any(|name| ALL_ENTITIES.contains(&&**name))) {
        return None;
    }
    let mut out = Vec::new();
    for group in &changes.groups {
        let class = EntityClass::MATCHED.into_iter().find(|class| class.section() == group.section)?;
        for change in &group.changes {
            let ids: Vec<&str> = match change {
                Change { kind: Kind::Added | Kind::Removed, .. } => group.entities.iter().map(String::as_str).collect(),
                Change { kind: Kind::Renamed, old: Some(old), new: Some(new), .. } => vec![old, new],
                _ => return None,
            };
            if !ids.iter().all(|id| is_plain(id) && rules.iter().any(|rules| is_abstract(rules, class, id))) {
                return None;
            }
            out.extend(ids);
        }
    }
    Some(out)
}

/// Returns `true` if an id matches the names that begin with it, and no others.
fn is_plain(id: &str) -> bool {
    id.chars().all(|c| c.is_alphanumeric() || "_-/@".contains(c))
}

fn is_abstract(rules: &Rules, class: EntityClass, id: &str) -> bool {
    let tables = rules.tables();
    let is_it = |text: Option<&String>| text.is_some_and(|text| text == id);
    let rows = tables.table(class).into_iter().flat_map(|table| &table.rows);
    rows.filter(|row| row.abstract_).any(|row| is_it(tables.strings.get(row.id as usize)))
}
