//! The classes of the objects that `tpv dry-run` puts in the place of Galaxy's.
//!
//! They have fewer attributes and methods than Galaxy's own: rules that ask for more fail in a dry run as they fail in
//! TPV's.

use super::host_object::host_classes;

host_classes! {
    /// `Tool`, without methods.
    TOOL = "Tool" ();
    /// `DatasetAssociation`, in the place of an HDA.
    DATASET_ASSOCIATION = "DatasetAssociation" ();
    /// `HistoryTag`, in the place of an association with a tag.
    HISTORY_TAG = "HistoryTag" ();
}

/// The attributes of `tool`.
pub(super) const TOOL_NAMES: &[&str] =
    &["id", "old_id", "version", "installed_tool_dependencies", "resource_requirements", "dynamic_tool", "tool_type"];
/// The attributes of `user`.
pub(super) const USER_NAMES: &[&str] = &["username", "email", "roles", "id"];
/// The attributes of `job`.
pub(super) const JOB_NAMES: &[&str] =
    &["id", "state", "param_values", "parameters", "input_datasets", "input_library_datasets", "history"];
/// The attributes of `job.history`.
pub(super) const HISTORY_NAMES: &[&str] = &["name", "tags"];
/// The attributes of `job.input_datasets[0].dataset`.
pub(super) const DATASET_ASSOCIATION_NAMES: &[&str] = &["name", "dataset", "extension"];
/// The attributes of `app` that a dry run has answers for.
pub(super) const APP_NAMES: &[&str] = &["config", "model"];
