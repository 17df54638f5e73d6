//! A resource pool of the config: which jobs it governs, and with which budget.

use std::rc::Rc;

use crate::artifact::tables::{EntityRow, OversizeRow, Tables, ValueRow};
use crate::pools::{Budget, Kind, Usage};
use tpv_model::{Field, Limit, TagType};
use tpv_python::string::Str;
use tpv_python::value::Value;

use super::entity::Entity;

/// A pool of the config.
pub(super) struct Pool {
    /// The entity, whose limits are the budget.
    pub entity: Rc<Entity>,
    /// Its name.
    pub name: Str,
    /// The policy for requests that are larger than its budget.
    pub policy: OversizeRow,
    /// `fail_open`: whether jobs are admitted while the store is away.
    pub fail_open: bool,
}

impl Pool {
    /// The pools, in the order in which TPV looks at them: by name.
    pub(super) fn all(tables: &Tables, entity: impl Fn(&EntityRow) -> Rc<Entity>) -> Vec<Self> {
        let pool = |row: &EntityRow| {
            let entity = entity(row);
            let name = entity.id.as_str()?.clone();
            let fail_open = row.value(Field::FailOpen) == Some(&ValueRow::Bool(true));
            Some(Self { entity, name, policy: row.oversize.as_deref().cloned().unwrap_or_default(), fail_open })
        };
        let mut pools: Vec<Self> = tables.pools.iter().filter_map(pool).collect();
        pools.sort_by(|a, b| a.name.as_str().cmp(b.name.as_str()));
        pools
    }

    /// `PoolEntity.matches`: whether the pool governs a job with these tags. Rejected tags of the job do not count.
    pub(super) fn governs(&self, job: &Entity) -> bool {
        if !matches!(self.entity.is_abstract, Value::Bool(false)) {
            return false;
        }
        let has = |id: &u32| {
            [TagType::Require, TagType::Prefer, TagType::Accept].iter().any(|kind| job.tags.list(*kind).contains(id))
        };
        let selects = self.entity.dest_tags();
        selects.list(TagType::Require).iter().all(has) && !selects.list(TagType::Reject).iter().any(has)
    }

    /// `PoolEntity.budget_for`: what the job's user, role or tool sets, or else the pool's own.
    pub(super) fn budget_for(&self, job: &Entity) -> [Value; 3] {
        [Limit::MaxConcurrentCores, Limit::MaxConcurrentMem, Limit::MaxConcurrentGpus].map(|limit| {
            let own = job.limit(limit);
            if own.is_none() { self.entity.limit(limit).clone() } else { own.clone() }
        })
    }

    /// Classifies a request as normal or oversize; `None` if it can never be admitted.
    pub(super) fn classify(&self, usage: &Usage, budget: &Budget) -> Option<Kind> {
        if !budget.is_exceeded_by(usage) {
            return Some(Kind::Normal);
        }
        let [cores, mem, gpus] = self.policy.hard_max;
        let ceiling = Budget { cores, mem, gpus };
        let allowed = self.policy.max_concurrent > 0 && !ceiling.is_exceeded_by(usage);
        allowed.then_some(Kind::Oversize)
    }
}
