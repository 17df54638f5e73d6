//! A tool that no entity of the rules names.

use tpv_runtime::artifact::Rules;
use tpv_text::suggest::{closest, is_slip};

use crate::cli::common::Common;

/// Says that only the default is behind the answer about a tool, and which ids may have been meant.
pub(in crate::cli) fn note_unmatched(tool: &str, rules: &Rules, common: &Common) {
    let tables = rules.tables();
    let ids: Vec<&str> =
        tables.tools.rows.iter().filter_map(|row| tables.strings.get(row.id as usize)).map(String::as_str).collect();
    let near = near(tool, &ids);
    let meant = if near.is_empty() { String::new() } else { format!("; did you mean `{}`?", near.join("` or `")) };
    common.note(&format!("no tool of the config matches `{tool}`, so its jobs get the default{meant}"));
}

/// The ids that may be meant by another one: those that contain it, else the nearest.
fn near<'a>(tool: &str, ids: &[&'a str]) -> Vec<&'a str> {
    // Of an id of a tool shed, the repository tells most.
    let repository = tool.split('/').rev().nth(2).map(|name| format!("/{name}/"));
    let word = repository.as_deref().unwrap_or(tool);
    let near: Vec<&str> = ids.iter().copied().filter(|id| id.contains(word)).take(3).collect();
    if !near.is_empty() {
        return near;
    }
    // In a tool shed, the id stands before the version.
    let names = || ids.iter().flat_map(|id| [Some(*id), id.rsplit('/').nth(1).filter(|_| id.contains("/repos/"))]);
    let name = names().flatten().find(|name| is_slip(tool, name)).or_else(|| closest(tool, names().flatten()));
    let is_of = |id: &&&str| name.is_some_and(|name| **id == name || id.rsplit('/').nth(1) == Some(name));
    ids.iter().find(is_of).copied().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_that_may_be_meant() {
        let ids = ["default", "bwa_mem", "shed.org/repos/iuc/hisat2/hisat2/.*", "shed.org/repos/iuc/bwa/bwa/.*"];
        assert_eq!(near("bwa_men", &ids), ["bwa_mem"]);
        assert_eq!(near("hisat", &ids), ["shed.org/repos/iuc/hisat2/hisat2/.*"]);
        assert_eq!(near("hista2", &ids), ["shed.org/repos/iuc/hisat2/hisat2/.*"]);
        assert_eq!(near("other.org/repos/iuc/bwa/bwa/0.7", &ids), ["shed.org/repos/iuc/bwa/bwa/.*"]);
        assert_eq!(near("bw_mem", &ids), ["bwa_mem"]);
        assert_eq!(near("upload1", &ids), Vec::<&str>::new());
    }
}
