//! Entities while a job is mapped.
//!
//! An [`Entity`] never changes once it is made: inheriting, combining and evaluating make new ones, which share what they
//! did not change. What code sees is an [`super::objects::EntityObject`], which keeps the code's changes beside the entity
//! and makes a new entity of both when the mapper goes on with it. Nothing shared between jobs can so be changed by one.

use std::num::NonZeroU32;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use tpv_model::{Amount, Common, EntityClass, Field, Limit, Resource, Values};
use tpv_python::dict::Dict;
use tpv_python::string::Str;
use tpv_python::value::Value;

use super::layers::EntityContext;
use super::properties::Property;
use super::rule_map::Rules;
use super::tags::Tags;

/// The steps that making an entity of others takes.
pub(super) const ENTITY_STEPS: usize = 8;

/// A tool, role, user, destination, rule or pool.
#[derive(Clone)]
pub struct Entity {
    /// The class.
    pub class: EntityClass,
    /// `id`, a string unless code set another.
    pub id: Value,
    /// The fields that all classes have.
    pub common: Common<LiveValues>,
    /// `rules`, by key.
    pub rules: Rules,
    /// The fields of destinations.
    pub destination: Option<Rc<DestinationFields>>,
    /// The fields of rules.
    pub rule: Option<Rc<RuleFields>>,
    /// Identifies an entity that jobs share; empty for one that belongs to a job.
    pub identity: Identity,
    /// The parts that belong to a job. An entity that code changed shares the others with the entity that it was.
    pub own: OwnParts,
    /// The location in the config: an index in the artifact's table of sites, or past its end if the config does not
    /// have it.
    pub site: u32,
}

impl Deref for Entity {
    type Target = Common<LiveValues>;

    fn deref(&self) -> &Self::Target {
        &self.common
    }
}

impl DerefMut for Entity {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.common
    }
}

/// The field types of entities while a job is mapped: Python values, which code may have set to anything.
#[derive(Clone, Copy)]
pub struct LiveValues;

impl Values for LiveValues {
    /// A boolean.
    type Flag = Value;
    /// `None`, an id, or code.
    type Word = Value;
    type Amounts = LiveAmounts;
    /// `None` or a list of dicts.
    type Env = Value;
    /// `None` or a dict.
    type Params = Value;
    /// A dict of dicts.
    type Resubmit = Value;
    type Context = EntityContext;
    type Tags = Rc<Tags>;
    /// Only checks ask for it.
    type NoQaCodes = ();
    /// With attributes that code made.
    type Extras = Rc<Vec<(Str, Value)>>;

    fn unset() -> Common<Self> {
        Common {
            is_abstract: Value::Bool(false),
            inherits: Value::None,
            amounts: LiveAmounts {
                resources: std::array::from_fn(|_| Value::None),
                limits: Rc::new(std::array::from_fn(|_| Value::None)),
            },
            env: Value::None,
            params: Value::None,
            resubmit: Value::dict(Dict::new()),
            rank: Value::None,
            context: EntityContext::of(Value::dict(Dict::new())),
            tags: Rc::default(),
            no_qa_codes: (),
            extras: Rc::default(),
        }
    }
}

/// The resources and limits of an entity while a job is mapped.
#[derive(Clone)]
pub struct LiveAmounts {
    /// The resources by [`Resource`]: `None`, a number, or a string that is code.
    pub resources: [Value; Resource::COUNT],
    /// The plain limits by [`Limit`]. Most entities have none.
    pub limits: Rc<[Value; Limit::COUNT]>,
}

/// The number of an entity that jobs share; none for one that belongs to a job. A copy of an entity is another entity, and begins
/// without a number.
#[derive(Default)]
pub struct Identity(Option<NonZeroU32>);

impl Identity {
    /// The identity with this number, which no other entity has.
    pub(super) fn new(number: u32) -> Self {
        Self(NonZeroU32::new(number))
    }

    /// The number.
    pub(super) fn number(&self) -> Option<NonZeroU32> {
        self.0
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The parts of an entity that a job made: results of merging or writing them are the job's, too, and not kept.
#[derive(Clone, Copy, Default)]
pub struct OwnParts {
    properties: [bool; Property::COUNT],
    /// `true` if the job made the map of the rules.
    pub has_rules: bool,
}

impl OwnParts {
    /// All parts.
    pub(super) const ALL: Self = Self { properties: [true; Property::COUNT], has_rules: true };

    /// The parts that belong to the job in one of two entities.
    pub(super) fn of_both(first: Self, second: Self) -> Self {
        let mut both = first;
        for (own, other) in both.properties.iter_mut().zip(second.properties) {
            *own |= other;
        }
        both.has_rules |= second.has_rules;
        both
    }

    /// Returns `true` if the value of a property belongs to the job.
    pub(super) fn has(self, property: Property) -> bool {
        self.properties.get(property as usize) == Some(&true)
    }

    /// Makes the value of a property one that belongs to the job.
    pub(super) fn add(&mut self, property: Property) {
        if let Some(is_own) = self.properties.get_mut(property as usize) {
            *is_own = true;
        }
    }
}

/// The fields of destinations.
#[derive(Clone)]
pub struct DestinationFields {
    /// `runner`
    pub runner: Value,
    /// `dest_name`: an f-string.
    pub dest_name: Value,
    /// `tpv_dest_tags`
    pub dest_tags: Rc<Tags>,
    /// `handler_tags`: a list of f-strings.
    pub handler_tags: Value,
}

/// The fields of rules.
#[derive(Clone)]
pub struct RuleFields {
    /// `if_condition`: code or a boolean.
    pub if_condition: Value,
    /// `execute`
    pub execute: Value,
    /// `fail`
    pub fail: Value,
}

impl Entity {
    /// An entity of this class with TPV's defaults for everything else.
    pub fn new(class: EntityClass, id: impl Into<Str>) -> Self {
        let id = Value::Str(id.into());
        let is_destination = matches!(class, EntityClass::Destination | EntityClass::PoolEntity);
        Self {
            class,
            common: Common::default(),
            rules: Rc::default(),
            destination: is_destination.then(|| {
                Rc::new(DestinationFields {
                    runner: Value::None,
                    dest_name: id.clone(),
                    dest_tags: Rc::default(),
                    handler_tags: Value::list(Vec::new()),
                })
            }),
            rule: None,
            identity: Identity::default(),
            own: OwnParts::default(),
            site: u32::MAX,
            id,
        }
    }

    /// A resource.
    pub fn resource(&self, resource: Resource) -> &Value {
        self.amounts.resources.get(resource as usize).unwrap_or(&Value::None)
    }

    /// Sets a resource.
    pub fn set_resource(&mut self, resource: Resource, value: Value) {
        if let Some(slot) = self.amounts.resources.get_mut(resource as usize) {
            *slot = value;
        }
    }

    /// A limit.
    pub fn limit(&self, limit: Limit) -> &Value {
        self.amounts.limits.get(limit as usize).unwrap_or(&Value::None)
    }

    /// Sets a limit.
    pub fn set_limit(&mut self, limit: Limit, value: Value) {
        if let Some(slot) = Rc::make_mut(&mut self.amounts.limits).get_mut(limit as usize) {
            *slot = value;
        }
    }

    /// The value of a field. `None` if the entity has no such field, or does not hold it as one value.
    pub fn value(&self, field: Field) -> Option<Value> {
        let (rule, destination) = (self.rule.as_ref(), self.destination.as_ref());
        match field {
            Field::Id => Some(self.id.clone()),
            Field::Abstract => Some(self.is_abstract.clone()),
            Field::Inherits => Some(self.inherits.clone()),
            Field::Amount(Amount::Resource(resource)) => Some(self.resource(resource).clone()),
            Field::Amount(Amount::Limit(limit)) => Some(self.limit(limit).clone()),
            Field::Env => Some(self.env.clone()),
            Field::Params => Some(self.params.clone()),
            Field::Resubmit => Some(self.resubmit.clone()),
            Field::Context => Some(self.context.value()),
            Field::If => rule.map(|fields| fields.if_condition.clone()),
            Field::Execute => rule.map(|fields| fields.execute.clone()),
            Field::Fail => rule.map(|fields| fields.fail.clone()),
            Field::Runner => destination.map(|fields| fields.runner.clone()),
            Field::DestName => destination.map(|fields| fields.dest_name.clone()),
            Field::HandlerTags => destination.map(|fields| fields.handler_tags.clone()),
            _ => self.code().into_iter().find(|(known, _)| *known == field).map(|(_, code)| code.clone()),
        }
    }

    /// Returns `true` if these tags fit those that the destination offers.
    pub(crate) fn fits(&self, tags: &Tags) -> bool {
        match &self.destination {
            Some(fields) => tags.matches(&fields.dest_tags),
            None => tags.matches(&Tags::default()),
        }
    }

    /// The tags a destination offers; the empty set for other classes.
    pub fn dest_tags(&self) -> Rc<Tags> {
        self.destination.as_ref().map(|fields| fields.dest_tags.clone()).unwrap_or_default()
    }
}
