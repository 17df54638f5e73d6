//! The fields of entities and rules that destinations are matched by, each with all that it may be over many jobs.
//!
//! [`Fields::inherit`] is `Entity.inherit` of TPV on such sets: the child's field, or the parent's where the child's is unset.

use std::sync::Arc;

use crate::config::entity::Common;
use crate::yaml::value::{ConfigValue, ValueKind};

use super::names::Context;
use super::tags::Tags;

/// What a field of a resource may be.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// What the config sets, each value once.
    pub sources: Vec<Arc<ConfigValue>>,
    /// Whether it may be unset.
    pub unset: bool,
    /// Whether a tool's wrapper may set it.
    pub declared: bool,
    /// Whether code may have set it.
    pub unknown: bool,
}

impl Default for Field {
    fn default() -> Self {
        Self { sources: Vec::new(), unset: true, declared: false, unknown: false }
    }
}

impl Field {
    /// Puts the child's field over this one, for all jobs or for some. Returns the steps that it took.
    fn inherit(&mut self, child: &Self, always: bool) -> usize {
        if always && !child.unset {
            self.clone_from(child);
            return child.sources.len();
        }
        let steps = self.sources.len() * child.sources.len() / COMPARISONS_IN_STEP;
        for source in &child.sources {
            if !self.sources.iter().any(|own| is_same(own, source)) {
                self.sources.push(source.clone());
            }
        }
        self.declared |= child.declared;
        self.unknown |= child.unknown;
        steps
    }
}

/// The comparisons of values that are as much work as a step.
const COMPARISONS_IN_STEP: usize = 8;

/// Returns `true` if two values give the same wherever they stand; `false` if that is not clear at once.
fn is_same(one: &Arc<ConfigValue>, other: &Arc<ConfigValue>) -> bool {
    Arc::ptr_eq(one, other)
        || match (&one.kind, &other.kind) {
            (ValueKind::Int(one), ValueKind::Int(other)) => one == other,
            (ValueKind::Float(one), ValueKind::Float(other)) => one.to_bits() == other.to_bits(),
            (ValueKind::Str(one), ValueKind::Str(other)) => one.value == other.value,
            _ => false,
        }
}

/// The fields that many jobs have.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    /// The tags.
    pub tags: Tags,
    /// The resources, in their order.
    pub resources: [Field; 9],
    /// The names that code sees.
    pub context: Context,
}

impl Fields {
    /// The fields that a config sets.
    pub(super) fn of(common: &Common) -> Self {
        let mut out = Self { tags: Tags::of(&common.tags), ..Self::default() };
        if let Some(names) = &common.context {
            out.context.enter(names);
        }
        for (resource, source) in common.amounts.resources() {
            if let Some(field) = out.resources.get_mut(resource as usize) {
                *field = Field { sources: vec![source.clone()], unset: false, ..Field::default() };
            }
        }
        out
    }

    /// Puts the fields of a child over these, for all jobs or for some. Returns the steps that it took.
    pub(super) fn inherit(&mut self, child: &Self, always: bool) -> usize {
        let tags = self.tags.inherit(&child.tags, always);
        let context = self.context.inherit(&child.context, always);
        let fields = self.resources.iter_mut().zip(&child.resources);
        let resources: usize = fields.map(|(field, child)| field.inherit(child, always)).sum();
        1 + tags + context + resources
    }
}
