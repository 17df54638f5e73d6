//! Where a job is mapped to, in values: the arguments of Galaxy's `JobDestination`.

use tpv_python::value::Value;

/// The destination that a job is mapped to.
#[derive(Clone)]
pub struct Mapped {
    /// `id`: the evaluated destination name.
    pub dest_name: Value,
    /// `runner`
    pub runner: Value,
    /// `tags`: the evaluated handler tags.
    pub tags: Value,
    /// `params`; an empty dict where there are none.
    pub params: Value,
    /// `env`; an empty list where there is none.
    pub env: Value,
    /// `resubmit`: a list of definitions, with the target under `environment` as Galaxy reads it.
    pub resubmit: Value,
    /// The cores of the mapped entity.
    pub cores: Value,
    /// Its memory in GiB.
    pub mem: Value,
    /// Its GPUs.
    pub gpus: Value,
}
