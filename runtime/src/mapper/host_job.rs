//! A job whose objects the host gives, in place of a line of a job file.

use std::sync::Arc;

use num_bigint::BigInt;

use tpv_galaxy::world::World;
use tpv_python::value::Value;

/// The arguments of Galaxy's call of TPV for one job. The values may be live objects: they are asked for attributes as
/// TPV asks, in TPV's order and only where it asks.
#[derive(Clone)]
pub struct HostJob {
    /// `app`
    pub app: Value,
    /// `tool`
    pub tool: Value,
    /// `user`; `None` for an anonymous job.
    pub user: Value,
    /// `job`
    pub job: Value,
    /// `job_wrapper`
    pub job_wrapper: Value,
    /// `resource_params`
    pub resource_params: Value,
    /// `workflow_invocation_uuid`
    pub workflow_invocation_uuid: Value,
    /// The time and files as native code knows them.
    pub world: Arc<World>,
    /// The state of `random` before this job; without it always the same.
    pub seed: Option<BigInt>,
}

impl HostJob {
    /// A job of these objects, without the optional ones, in an empty world.
    pub fn new(app: Value, tool: Value, user: Value, job: Value) -> Self {
        Self {
            app,
            tool,
            user,
            job,
            job_wrapper: Value::None,
            resource_params: Value::None,
            workflow_invocation_uuid: Value::None,
            world: Arc::default(),
            seed: None,
        }
    }
}
