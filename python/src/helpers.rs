//! `tpv.core.helpers` for code that CPython runs, as the rules' version of TPV has it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tpv_model::{Change, Version};

/// The functions that a change of TPV changed: the helper, and that of `tpvc.core.older_helpers` in its place before. Of two for one
/// helper the later row is the earlier version's.
const BEFORE: [(Change, &str, &str); 10] = [
    (Change::RamInGib, "extract_resource_requirements_from_tool", "extract_in_mib"),
    (Change::RamInGib, "get_tool_resource_field", "field_in_mib"),
    (Change::ClampedWeights, "weighted_random_sampling", "drawn_by_own_weight"),
    (Change::UnweightedSample, "weighted_random_sampling", "drawn_by_weight"),
    (Change::JobsById, "concurrent_job_count_for_tool", "count_by_pattern"),
    (Change::NoVersion, "tool_version_eq", "version_eq"),
    (Change::NoVersion, "tool_version_gt", "version_gt"),
    (Change::NoVersion, "tool_version_gte", "version_gte"),
    (Change::NoVersion, "tool_version_lt", "version_lt"),
    (Change::NoVersion, "tool_version_lte", "version_lte"),
];

/// The helpers that query Galaxy's database. For jobs of a job file they are the machine's.
const OF_DATABASE: [&str; 2] = ["concurrent_job_count_for_tool", "model"];

/// The module: the package's Python functions, which accept live and native objects alike.
pub fn namespace(py: Python<'_>, is_live: bool, version: Version) -> PyResult<Bound<'_, PyAny>> {
    static OF_FILES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if version.has(Change::InputHelpers) {
        return match is_live {
            true => Ok(py.import("tpvc.core.helpers")?.into_any()),
            false => {
                OF_FILES.get_or_try_init(py, || Ok(made(py, false, version)?.unbind())).map(|one| one.bind(py).clone())
            }
        };
    }
    made(py, is_live, version)
}

fn made(py: Python<'_>, is_live: bool, version: Version) -> PyResult<Bound<'_, PyAny>> {
    // A module, so that a name that it lacks raises what TPV's module raises.
    let module = PyModule::new(py, "tpv.core.helpers")?;
    let names = module.dict();
    for (name, value) in py.import("tpvc.core.helpers")?.dict() {
        if version.has_helper(name.extract()?) {
            names.set_item(name, value)?;
        }
    }
    for (change, helper, older) in BEFORE {
        if !version.has(change) && version.has_helper(helper) {
            names.set_item(helper, py.import("tpvc.core.older_helpers")?.getattr(older)?)?;
        }
    }
    if !is_live {
        let native = crate::module::native_module(py, "tpv.core.helpers")?;
        for name in OF_DATABASE {
            names.set_item(name, native.getattr(name)?)?;
        }
    }
    Ok(module.into_any())
}
