//! The native substitutes for the live side of Galaxy: its database, the clock, files, the environment, the tools of its version. If
//! Galaxy's objects are live, CPython runs the blocks that use them.

/// The classes and functions of `tpv.core.helpers` that are the database's, or ask it.
const HELPERS: [&str; 7] = [
    "Dataset",
    "GalaxyUser",
    "HistoryDatasetAssociation",
    "Job",
    "JobToInputDatasetAssociation",
    "concurrent_job_count_for_tool",
    "model",
];

/// The reason (to follow "because") that CPython runs a block that imports this module if Galaxy's objects are live. `None` if native
/// code runs it.
pub fn module(module: &str) -> Option<String> {
    let top = module.split('.').next().unwrap_or(module);
    let stands_in =
        top == "sqlalchemy" || matches!(module, "galaxy" | "galaxy.jobs.rule_helper" | "galaxy.model" | "galaxy.tools");
    stands_in.then(|| format!("it imports `{module}`"))
}

/// The reason (to follow "because") that CPython runs a block that uses this name of a module or class (`datetime:datetime`) if
/// Galaxy's objects are live. `None` if native code runs it.
pub fn name(owner: &str, name: &str) -> Option<String> {
    let asks_for = match (owner, name) {
        ("tpv.core.helpers", name) if HELPERS.contains(&name) => return Some(format!("it uses `helpers.{name}`")),
        ("galaxy" | "galaxy.model", _) => {
            return module("galaxy.model").filter(|_| owner != "galaxy" || name == "model");
        }
        ("time", "time" | "monotonic" | "perf_counter")
        | ("datetime:datetime", "now" | "utcnow" | "today")
        | ("datetime:date", "today") => "the time",
        ("os", "environ" | "getenv") => "the environment",
        ("os.path", "exists" | "getsize" | "isdir" | "isfile") => "files",
        _ => return None,
    };
    Some(format!("it asks for {asks_for}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_computes_is_no_stand_in() {
        assert_eq!(module("sqlalchemy.sql").as_deref(), Some("it imports `sqlalchemy.sql`"));
        assert_eq!(name("datetime:datetime", "now").as_deref(), Some("it asks for the time"));
        assert_eq!(name("galaxy", "model").as_deref(), Some("it imports `galaxy.model`"));
        assert!(module("galaxy.jobs.rule_helper").is_some());
        assert_eq!(name("tpv.core.helpers", "Job").as_deref(), Some("it uses `helpers.Job`"));
        for pure in ["galaxy.jobs.mapper", "galaxy.tool_util.version", "math", "sqlalchemy_json"] {
            assert_eq!(module(pure), None);
        }
        for (owner, of) in
            [("datetime:datetime", "fromisoformat"), ("galaxy", "jobs"), ("os.path", "join"), ("random", "random")]
        {
            assert_eq!(name(owner, of), None);
        }
    }
}
