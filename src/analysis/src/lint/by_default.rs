//! T149: tools in use for which there is only the default.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Linter;
use super::tags::default;
use crate::tool_id::{short, split_version};
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::figures::count;
use tpv_text::finding::Finding;

/// The most tools that a finding names.
const MOST_NAMED: usize = 10;

/// Looks at the tools of the job history, by their use. Those that are not installed any more are left out.
pub(super) fn check(linter: &mut Linter<'_>) {
    let (config, server) = (linter.config, linter.server());
    let Some(default) = default(config, EntityClass::Tool).filter(|_| !server.used.is_empty()) else { return };
    let is_entry = |tool: &Entity| !tool.common.is_abstract && tool.id != default.id;
    let has_entry = |id: &str| config.matching(EntityClass::Tool, id).any(|tool| is_entry(tool));
    let mut left: BTreeMap<&str, u64> = BTreeMap::new();
    for (id, jobs) in server.used.iter().filter(|(id, _)| server.may_have(id) && !has_entry(id)) {
        *left.entry(split_version(id).0).or_default() += jobs;
    }
    let jobs: u64 = left.values().sum();
    let mut left: Vec<(&str, u64)> = left.into_iter().collect();
    left.sort_by_key(|(id, jobs)| (Reverse(*jobs), *id));
    if left.is_empty() {
        return;
    }
    let named = left.iter().take(MOST_NAMED).map(|(id, jobs)| format!("{} with {}", short(id), count(*jobs, "job")));
    let more = left.len().saturating_sub(MOST_NAMED) as u64;
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let have = if left.len() == 1 { "has" } else { "have" };
    let message = format!("{} of the job history {have} no entry", count(left.len() as u64, "tool"));
    let diagnostic = Diagnostic::warning(message)
        .at(default.span, format!("this is all that {} got", count(jobs, "job")))
        .note(format!("{}{more}", named.collect::<Vec<_>>().join(", ")))
        .help("give the tools that need more an entry; `tpvc fit` proposes cores and memory from the history");
    linter.report(Finding::new(Code::OnlyDefault, diagnostic).of(&default.common.no_qa_codes));
}
