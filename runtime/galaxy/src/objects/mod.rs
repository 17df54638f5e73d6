//! The host objects that code sees: `app`, `tool`, `user`, `job` and what hangs on them.
//!
//! Each class has the name, the attributes and the methods that the contract of the job file gives it. An attribute is
//! made when code first asks for it and kept, so that `job.input_datasets` is the same list each time.

mod app;
mod asked_tables;
mod dataset;
mod host_object;
mod job;
mod rule_helper;
mod session;
mod simple_namespace;
mod stand_in;
mod tool;
mod user;

use std::sync::Arc;

pub use app::{AppFields, app, stand_in_app};
pub use host_object::HostObject;
pub use job::JobFields;
pub use rule_helper::RULE_HELPER;
pub use session::world_of_session;
use simple_namespace::{JOB_WRAPPER, SimpleNamespace};

use super::job::Job;
use super::json::Place;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;

/// The classes of host objects that have methods.
const CLASSES: [&BuiltinType; 9] = [
    &app::TABULAR_TOOL_DATA_TABLE,
    &dataset::DATASET,
    &dataset::HISTORY_DATASET_ASSOCIATION,
    &dataset::HISTORY_DATASET_COLLECTION_ASSOCIATION,
    &job::JOB,
    &simple_namespace::METADATA_COLLECTION,
    &tool::RESOURCE_REQUIREMENT,
    &tool::TOOL,
    &user::USER,
];

/// Returns `true` if a host object has a method of this name that only looks at it.
pub fn has_pure_method(name: &str) -> bool {
    CLASSES.iter().any(|class| class.pure.contains(&name))
}

/// The arguments of Galaxy's call of TPV for one job, except for `app`: see [`app()`].
pub struct JobObjects {
    /// `tool`
    pub tool: Value,
    /// `user`
    pub user: Value,
    /// `job`
    pub job: Value,
    /// `job_wrapper`
    pub job_wrapper: Value,
    /// `resource_params`
    pub resource_params: Value,
    /// `workflow_invocation_uuid`
    pub workflow_invocation_uuid: Value,
}

impl JobObjects {
    /// The objects of one job. What is inside them is made when code asks.
    pub fn new(record: &Arc<Job>) -> Self {
        let job_wrapper = match record.job_wrapper {
            None => Value::None,
            Some(wrapper) => {
                let record = record.clone();
                SimpleNamespace::value(&JOB_WRAPPER, move || wrapper.to_value(&record))
            }
        };
        let user = user::user(record);
        Self {
            tool: tool::tool(record),
            job: job::job(record, &user),
            user,
            job_wrapper,
            resource_params: record.resource_params.map_or(Value::None, |params| params.to_value(record)),
            workflow_invocation_uuid: text_or_none(record, record.workflow_invocation_uuid),
        }
    }
}

/// A string of the job, or `None`.
fn text_or_none(job: &Job, text: Option<Place>) -> Value {
    text.map_or(Value::None, |text| Value::str(job.text(text)))
}
