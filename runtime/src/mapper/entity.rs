//! Entities while a job is mapped.
//!
//! An [`Entity`] never changes once it is made: inheriting, combining and evaluating make new ones, which share what they
//! did not change. What code sees is an [`super::objects::EntityObject`], which keeps the code's changes beside the entity
//! and makes a new entity of both when the mapper goes on with it. Nothing shared between jobs can so be changed by one.

use std::num::NonZeroU32;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use tpv_model::field::Unset;
use tpv_model::{Amount, Common, EntityClass, Field, FieldMap, Limit, Resource, Values};
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
    /// `tpv_dest_tags` of destinations and pools.
    pub dest_tags: Option<Rc<Tags>>,
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
    type Singles = Rc<FieldMap<Value>>;
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
            singles: Rc::default(),
            env: Value::None,
            params: Value::None,
            resubmit: Value::dict(Dict::new()),
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

impl Entity {
    /// An entity of this class with TPV's defaults for everything else.
    pub fn new(class: EntityClass, id: impl Into<Str>) -> Self {
        let id = Value::Str(id.into());
        let mut common = Common::<LiveValues>::default();
        if class.offers_tags() {
            common.singles = Rc::new(FieldMap::from_iter([
                (Field::DestName, id.clone()),
                (Field::HandlerTags, Value::list(Vec::new())),
            ]));
        }
        Self {
            class,
            common,
            rules: Rc::default(),
            dest_tags: class.offers_tags().then(Rc::default),
            identity: Identity::default(),
            own: OwnParts::default(),
            site: u32::MAX,
            id,
        }
    }

    /// Returns `true` if it is a rule.
    pub fn is_rule(&self) -> bool {
        self.class == EntityClass::Rule
    }

    /// One of [`Field::singles`].
    pub fn single(&self, field: Field) -> &Value {
        let unset = || if field.unset() == Unset::False { &Value::Bool(false) } else { &Value::None };
        self.singles.get(field).unwrap_or_else(unset)
    }

    /// Returns `true` if one of [`Field::singles`] is a field of the entity's class.
    pub fn has_single(&self, field: Field) -> bool {
        let is_own = |class| Field::own(class).contains(&field);
        field.is_common() || is_own(self.class) || self.dest_tags.is_some() && is_own(EntityClass::Destination)
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
            single => {
                (Field::singles().contains(&single) && self.has_single(single)).then(|| self.single(single).clone())
            }
        }
    }

    /// Sets a field that is held as one value.
    pub fn set(&mut self, field: Field, value: Value) {
        match field {
            Field::Id => self.id = value,
            Field::Abstract => self.is_abstract = value,
            Field::Inherits => self.inherits = value,
            Field::Amount(Amount::Resource(resource)) => self.set_resource(resource, value),
            Field::Amount(Amount::Limit(limit)) => self.set_limit(limit, value),
            Field::Env => self.env = value,
            Field::Params => self.params = value,
            Field::Resubmit => self.resubmit = value,
            Field::Context => self.context = EntityContext::of(value),
            single => Rc::make_mut(&mut self.singles).set(single, value),
        }
    }

    /// Returns `true` if these tags fit those that the destination offers.
    pub(crate) fn fits(&self, tags: &Tags) -> bool {
        match &self.dest_tags {
            Some(offered) => tags.matches(offered),
            None => tags.matches(&Tags::default()),
        }
    }

    /// The tags a destination offers; the empty set for other classes.
    pub fn dest_tags(&self) -> Rc<Tags> {
        self.dest_tags.clone().unwrap_or_default()
    }
}
