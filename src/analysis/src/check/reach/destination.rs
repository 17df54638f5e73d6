//! The reasons that a destination takes none of a set of jobs.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use tpv_bytecode::CodeKind;

use crate::check::domain::{Kinds, Value};
use tpv_config::entity::Entity;
use tpv_config::scheduling::SchedulingTags;
use tpv_model::{Limit, Quantity, TagType, Version};
use tpv_runtime::mapper::explain;
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

use super::code::{Code, constant};
use super::job::Asked;

/// A destination with the defaults that TPV gives it.
pub(super) struct Destination {
    /// The destination.
    pub entity: Entity,
    /// The rule that fails every job here.
    fails: Option<Span>,
}

/// A reason why a destination takes none of some jobs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reason {
    /// The reason that keeps the jobs out.
    pub why: Why,
    /// The reason's location in the config.
    pub at: Option<Span>,
}

/// An amount of a resource; no NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount(f64);

impl Eq for Amount {}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 + 0.0).to_bits().hash(state);
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A reason that keeps jobs out of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// It is abstract.
    Abstract,
    /// It requires a tag that none of them has.
    Requires(String),
    /// All of them require a tag that it has not.
    Lacks(String),
    /// It rejects a tag that all of them have.
    Rejects(String),
    /// All of them reject a tag that it has.
    Rejected(String),
    /// It accepts less than they ask for.
    AtMost {
        /// `cores`, `mem` or `gpus`.
        resource: &'static str,
        /// The limit of the destination.
        accepted: String,
        /// The least that each of them requests.
        asked: Amount,
    },
    /// It accepts more than they ask for.
    AtLeast {
        /// `cores`, `mem` or `gpus`.
        resource: &'static str,
        /// The limit of the destination.
        accepted: String,
        /// The most that each of them requests.
        asked: Amount,
    },
    /// A rule of its own fails every job.
    Fails,
}

impl From<&explain::Reason> for Why {
    fn from(reason: &explain::Reason) -> Self {
        match reason {
            explain::Reason::Abstract => Self::Abstract,
            explain::Reason::Limit { limit, bound, resource, wanted } => {
                let asked = format!("{wanted:.4e}").parse().map_or(Amount(*wanted), Amount);
                let (resource, accepted) = (resource.name(), bound.to_string());
                match limit.is_upper() {
                    true => Self::AtMost { resource, accepted, asked },
                    false => Self::AtLeast { resource, accepted, asked },
                }
            }
            explain::Reason::DestinationLacks(tag) => Self::Lacks(tag.clone()),
            explain::Reason::EntityLacks(tag) => Self::Requires(tag.clone()),
            explain::Reason::EntityRejects(tag) => Self::Rejected(tag.clone()),
            explain::Reason::DestinationRejects(tag) => Self::Rejects(tag.clone()),
        }
    }
}

impl Why {
    /// The quantity of which the jobs ask for too much or too little.
    pub fn quantity(&self) -> Option<Quantity> {
        match self {
            Self::AtMost { resource, .. } | Self::AtLeast { resource, .. } => {
                Quantity::ALL.into_iter().find(|quantity| quantity.name() == *resource)
            }
            _ => None,
        }
    }

    /// Without what the jobs ask for: equal for all jobs that the same tag, limit or rule keeps out.
    pub fn cause(&self) -> Self {
        let mut cause = self.clone();
        if let Self::AtMost { asked, .. } | Self::AtLeast { asked, .. } = &mut cause {
            *asked = Amount(0.0);
        }
        cause
    }

    /// Lets it hold for the jobs of another reason of the same cause, too.
    pub fn widen(&mut self, other: &Self) {
        match (self, other) {
            (Self::AtMost { asked, .. }, Self::AtMost { asked: other, .. }) => asked.0 = asked.0.min(other.0),
            (Self::AtLeast { asked, .. }, Self::AtLeast { asked: other, .. }) => asked.0 = asked.0.max(other.0),
            _ => {}
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Abstract => write!(f, "`abstract: true`"),
            Self::Requires(tag) => write!(f, "requires `{tag}`, which none of these jobs has"),
            Self::Lacks(tag) => write!(f, "has no tag `{tag}`, which all of these jobs require"),
            Self::Rejects(tag) => write!(f, "rejects `{tag}`, which all of these jobs have"),
            Self::Rejected(tag) => write!(f, "has the tag `{tag}`, which all of these jobs reject"),
            Self::AtMost { resource, accepted, asked } => {
                write!(
                    f,
                    "accepts {} at most, and all of these jobs ask for {asked} or more",
                    with_unit(accepted, resource)
                )
            }
            Self::AtLeast { resource, accepted, asked } => {
                write!(
                    f,
                    "accepts {} at least, and all of these jobs ask for {asked} or less",
                    with_unit(accepted, resource)
                )
            }
            Self::Fails => write!(f, "fails every job by a rule of its own"),
        }
    }
}

/// A limit with the unit of its resource.
fn with_unit(limit: &str, resource: &str) -> String {
    let unit = match (resource, limit) {
        ("mem", _) => "GiB of `mem`",
        ("cores", "1") => "core",
        ("cores", _) => "cores",
        (_, "1") => "GPU",
        _ => "GPUs",
    };
    format!("{limit} {unit}")
}

/// The kinds that offer a tag or refuse it, in which [`SchedulingTags`] are searched.
fn find<'t>(tags: &'t SchedulingTags, tag: &str) -> Option<&'t tpv_yaml::value::Text> {
    TagType::APPLICATION.into_iter().flat_map(|kind| tags.get(kind)).find(|own| own.as_str() == tag)
}

impl Destination {
    pub(super) fn new(own: &Entity, defaults: Option<&Entity>, version: Version, code: &Code<'_>) -> Self {
        let entity = defaults.map_or_else(|| own.clone(), |defaults| own.inherit(defaults, version));
        let fails = entity.rules.values().find(|rule| {
            let fails = rule.fail().is_some_and(|fail| !fail.value.is_empty());
            let always = match rule.condition().as_text() {
                // Such a rule is a switch; what else its names may hold here is not followed.
                Some(text) => code.block(text, CodeKind::Block).is_some() && text.as_str().trim() == "True",
                None => rule.condition().python_bool(),
            };
            fails && always
        });
        let fails = fails.map(|rule| rule.span);
        Self { entity, fails }
    }

    /// The reasons that none of the jobs reaches the destination. Empty if one may.
    pub(super) fn refuses(&self, asked: &Asked) -> Vec<Reason> {
        let mut out = Vec::new();
        let mut add = |why, at| out.push(Reason { why, at });
        if self.entity.common.is_abstract {
            add(Why::Abstract, Some(self.entity.span));
            return out;
        }
        if let Some(at) = self.fails {
            add(Why::Fails, Some(at));
        }
        let Some(tags) = &self.entity.dest_tags else { return out };
        if !asked.is_known {
            return out;
        }
        let mut refuse = |why, at: Span| {
            // What TPV adds has no place in a file.
            add(why, Some(at).filter(|at| *at != Span::default()));
        };
        for tag in tags.get(TagType::Require) {
            if !asked.tags.get(tag.as_str()).may_be() {
                refuse(Why::Requires(tag.as_str().to_owned()), tag.span);
            }
        }
        for tag in tags.get(TagType::Reject) {
            if asked.tags.get(tag.as_str()).must_be() {
                refuse(Why::Rejects(tag.as_str().to_owned()), tag.span);
            }
        }
        for tag in asked.tags.surely(TagType::Require) {
            if find(tags, tag).is_none() {
                refuse(Why::Lacks(tag.to_owned()), self.entity.span);
            }
        }
        for tag in asked.tags.surely(TagType::Reject) {
            if let Some(own) = find(tags, tag) {
                refuse(Why::Rejected(tag.to_owned()), own.span);
            }
        }
        for (quantity, wanted) in Quantity::ALL.into_iter().zip(&asked.wanted) {
            let accepted = |limit: Limit| self.entity.common.amounts.get(limit).map(Arc::as_ref);
            let (least, most) = (accepted(quantity.least_accepted()), accepted(quantity.most_accepted()));
            let resource = quantity.name();
            let (value, may_be_unset) = wanted;
            // What is not set is not compared, NaN compares as false, and other values may be anything as a float.
            let plain = value.kinds().within(Kinds::NUMBER) && !value.may_be_nan() && !may_be_unset;
            let Some((low, high)) = value.bounds().filter(|_| plain) else { continue };
            if let Some((limit, (_, top))) = limit(most)
                && top < low
            {
                let why = Why::AtMost { resource, accepted: limit.python_str(), asked: Amount(low) };
                refuse(why, limit.span);
            }
            if let Some((limit, (bottom, _))) = limit(least)
                && bottom > high
            {
                let why = Why::AtLeast { resource, accepted: limit.python_str(), asked: Amount(high) };
                refuse(why, limit.span);
            }
        }
        out
    }
}

/// A limit, and the bounds that its number lies between.
fn limit(limit: Option<&ConfigValue>) -> Option<(&ConfigValue, (f64, f64))> {
    let limit = limit?;
    let value: Value = constant(limit);
    let plain = value.kinds().within(Kinds::NUMBER) && !value.may_be_nan();
    value.bounds().filter(|_| plain).map(|bounds| (limit, bounds))
}
