//! Ids that a key matches.

use std::collections::HashMap;

use tpv_model::EntityClass;
use tpv_python::regex::parser::parse;
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::EntityRow;
use tpv_runtime::patterns::Matcher;

use super::language::Language;
use crate::check::budget::Budget;

/// An id that a key matches, as `matches` says: the key as somebody would read it, without the signs of patterns, or else a shortest text of its
/// pattern. `None` if neither is one.
pub fn sample_id(key: &str, matches: impl Fn(&str) -> bool) -> Option<String> {
    let is_id = |id: &String| !id.is_empty() && matches(id);
    let is_plain = |id: &String| !id.contains(['*', '?', '[', ']', '(', ')', '{', '}', '|', '^', '$']);
    Some(readable(key)).filter(is_plain).filter(is_id).or_else(|| shortest(key).filter(is_id))
}

/// Ids that are looked up among rules and get an entity of a section, by the key of this. Abstract ones and those without such an id are left out.
pub fn sample_ids(rules: &Rules, class: EntityClass) -> HashMap<String, String> {
    let Some(table) = rules.tables().table(class) else { return HashMap::new() };
    let matcher = Matcher::new(&*table.patterns);
    let strings = &rules.tables().strings;
    let sample = |(place, row): (u32, &EntityRow)| {
        let key = strings.get(row.id as usize)?;
        let id = sample_id(key, |id| {
            let mut found = Vec::new();
            matcher.matches(id, &mut found).is_ok() && found.contains(&place)
        });
        Some((key.clone(), id?))
    };
    (0..).zip(&table.rows).filter(|(_, row)| !row.abstract_).filter_map(sample).collect()
}

/// The text that a pattern was likely made from.
fn readable(key: &str) -> String {
    let inside = key.trim_start_matches('^').trim_end_matches('$');
    // At the ends, a pattern that matches anything stands for nothing.
    let inside = inside.strip_suffix(".*").filter(|rest| !rest.is_empty() && !rest.ends_with('/')).unwrap_or(inside);
    let inside = inside.strip_prefix(".*").filter(|rest| !rest.is_empty()).unwrap_or(inside);
    inside.replace("\\.", ".").replace(".*", "1").replace("\\+", "+").replace('\\', "")
}

fn shortest(key: &str) -> Option<String> {
    let budget = Budget::new();
    Language::of(&parse(key, 0).ok()?, &budget)?.shortest(None)?
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tpv_runtime::patterns::{Matcher, PatternSet};

    #[test]
    fn samples_are_matched_and_readable() {
        let known = [
            ("bwa_mem", "bwa_mem"),
            (".*bwa_mem.*", "bwa_mem"),
            ("toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/.*", "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/1"),
            ("^abricate$", "abricate"),
            ("tool/1\\.0\\+galaxy0", "tool/1.0+galaxy0"),
            ("interactive_tool_(a|b)", "interactive_tool_a"),
            ("x[0-9]{2}", "x00"),
            (".*", "1"),
            ("iuc/unicycler/*", "iuc/unicycler"),
        ];
        for (key, id) in known {
            let matcher = Matcher::new(PatternSet::build(&[key]));
            let matches = |id: &str| {
                let mut found = Vec::new();
                matcher.matches(id, &mut found).is_ok() && !found.is_empty()
            };
            assert_eq!(sample_id(key, matches).unwrap(), id, "{key}");
        }
        assert_eq!(sample_id("a$b", |_| false), None);
    }
}
