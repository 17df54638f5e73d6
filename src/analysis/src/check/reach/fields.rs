//! The fields of entities and rules that destinations are matched by, each with all that it may be over many jobs.
//!
//! They merge as the mapper's do ([`Common::inherit`]), value by value as sets: the child's, or the parent's where the child's is
//! unset, or both where only some jobs have the child.

use std::convert::Infallible;
use std::sync::Arc;

use tpv_config::entity;
use tpv_model::{Common, Merge, Resource, Values};

use tpv_yaml::value::{ConfigValue, ValueKind};

use super::names::Context;
use super::tags::Tags;

/// The possible values of a resource field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The distinct values that the config sets.
    pub sources: Vec<Arc<ConfigValue>>,
    /// `true` if it may be unset.
    pub unset: bool,
    /// `true` if a tool's wrapper may set it.
    pub declared: bool,
    /// `true` if code may have set it.
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

/// The field types of this analysis. Destinations are matched by none of the fields that it omits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sets;

impl Values for Sets {
    type Flag = ();
    type Word = ();
    /// The resources, in their order.
    type Amounts = [Field; Resource::COUNT];
    type Singles = ();
    type Env = ();
    type Params = ();
    type Resubmit = ();
    type Context = Context;
    type Tags = Tags;
    type NoQaCodes = ();
    type Extras = ();

    fn unset() -> Fields {
        Common {
            is_abstract: (),
            inherits: (),
            amounts: Default::default(),
            singles: (),
            env: (),
            params: (),
            resubmit: (),
            context: Context::default(),
            tags: Tags::default(),
            no_qa_codes: (),
            extras: (),
        }
    }
}

/// The fields that many jobs have.
pub(super) type Fields = Common<Sets>;

/// The fields that a config sets.
pub(super) fn fields_of(common: &entity::Common) -> Fields {
    let mut out = Fields { tags: Tags::of(&common.tags), ..Fields::default() };
    if let Some(names) = &common.context {
        out.context.enter(names);
    }
    for (resource, source) in common.amounts.resources() {
        if let Some(field) = out.amounts.get_mut(resource as usize) {
            *field = Field { sources: vec![source.clone()], unset: false, ..Field::default() };
        }
    }
    out
}

/// Puts the fields of a child over these, for all jobs or for some. Returns the steps that it took.
pub(super) fn inherit(child: &Fields, parent: &mut Fields, always: bool) -> usize {
    let mut merging = Merging { always, steps: 1 };
    let Ok(()) = child.inherit(parent, &mut merging);
    merging.steps
}

/// Merging of sets: of a child that only some jobs have, both its values and its parent's are possible.
struct Merging {
    always: bool,
    steps: usize,
}

impl Merge<Sets> for Merging {
    type Error = Infallible;

    fn flag(&mut self, (): &(), (): &mut ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn word(&mut self, (): &(), (): &mut ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn amounts(
        &mut self,
        child: &[Field; Resource::COUNT],
        parent: &mut [Field; Resource::COUNT],
    ) -> Result<(), Infallible> {
        for (child, parent) in child.iter().zip(parent) {
            self.steps += parent.inherit(child, self.always);
        }
        Ok(())
    }

    fn singles(&mut self, (): &(), (): &mut ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn params(&mut self, (): &(), (): &mut ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn resubmit(&mut self, (): &(), (): &mut ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn context(&mut self, child: &Context, parent: &mut Context) -> Result<(), Infallible> {
        self.steps += parent.inherit(child, self.always);
        Ok(())
    }

    fn env(&mut self, (): &(), (): &mut ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn tags(&mut self, child: &Tags, parent: &mut Tags) -> Result<(), Infallible> {
        self.steps += parent.inherit(child, self.always);
        Ok(())
    }
}
