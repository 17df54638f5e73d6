//! The ends of ordinary jobs of all tools, for the matrix.

use std::collections::HashMap;

use tpv_analysis::check::reach::{JobEnd, Tried};
use tpv_analysis::dry_job::gib_of;

use super::sizes::{GIB, ORDINARY};
use super::tool::Tool;

/// The sizes of inputs that are shown, in bytes.
pub(super) const SHOWN: [i64; 4] = [GIB / 10, ORDINARY, 10 * GIB, 100 * GIB];

/// The ends of the ordinary jobs of tools.
pub(super) fn of(tools: &[Tool<'_>]) -> Tried {
    let sizes = SHOWN.map(|bytes| (gib_of(bytes) * 100.0).round() / 100.0).to_vec();
    let mut tried = Tried { sizes, ..Tried::default() };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut place = |end: &JobEnd| {
        *places.entry(format!("{end:?}")).or_insert_with(|| {
            tried.ends.push(end.clone());
            tried.ends.len() - 1
        })
    };
    for tool in tools {
        let ends = SHOWN.map(|bytes| end(tool, bytes).map(&mut place)).to_vec();
        tried.of_tools.insert(tool.index, ends);
    }
    tried
}

/// The end of the job of a size. Where no code looks at inputs, it is that of the ordinary job.
fn end<'t>(tool: &'t Tool<'_>, bytes: i64) -> Option<&'t JobEnd> {
    let tried = tool.points.iter().find(|point| point.bytes == bytes).map(|point| &point.end);
    tried.or_else(|| tool.end().filter(|_| !tool.ordinary.reads_inputs))
}
