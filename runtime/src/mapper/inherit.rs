//! Inherit and combine: two entities made one.
//!
//! TPV's `Entity.override`, `inherit` and `combine`. The first entity wins; what it leaves unset comes from the second.

use std::rc::Rc;

use tpv_literal::quoted::str_repr;
use tpv_model::merge::{self, RuleList};
use tpv_model::{EntityClass, Field, FieldMap, Merge, TagType};
use tpv_python::exception::{PyResult, Raised, raise};
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use tpv_galaxy::tpv::version_of;

use super::cache::{Cache, unpaid};
use super::data::{merge_dicts, merge_env};
use super::entity::{ENTITY_STEPS, Entity, Identity, LiveAmounts, LiveValues, OwnParts};
use super::layers::EntityContext;
use super::objects::INCOMPATIBLE_TAGS_EXCEPTION;
use super::properties::Property;
use super::rule_map::{RuleMap, Rules};
use super::tags::{TagNames, Tags};

/// `child.inherit(parent)`: the child's fields over the parent's, and its tags over the parent's tags. Values that jobs share are
/// merged once, with `cache`.
///
/// # Errors
/// Exceptions raised by merging values that code changed.
pub(super) fn inherit(vm: &mut Vm, cache: Option<&Cache>, child: &Rc<Entity>, parent: &Rc<Entity>) -> PyResult<Entity> {
    let mut entity = override_(vm, cache, child, parent)?;
    vm.charge(Tags::effort(&child.tags, &parent.tags))?;
    entity.tags = Tags::inherit(&child.tags, &parent.tags);
    if child.class.offers_tags() {
        entity.dest_tags = Some(Tags::inherit(&child.dest_tags(), &parent.dest_tags()));
    }
    Ok(entity)
}

/// `high.combine(low)`: the fields of the entity of higher priority over those of the lower; the tags of both together. Values
/// that jobs share are merged once, with `cache`.
///
/// # Errors
/// `IncompatibleTagsException` where one requires what the other rejects.
pub(super) fn combine(
    vm: &mut Vm,
    cache: Option<&Cache>,
    names: &TagNames,
    high: &Rc<Entity>,
    low: &Rc<Entity>,
) -> PyResult<Entity> {
    let mut entity = override_(vm, cache, high, low)?;
    let (high_id, low_id) = (vm.str(&high.id)?, vm.str(&low.id)?);
    let (high_class, low_class) = (high.class.name(), low.class.name());
    let id = [high_class, ": ", high_id.as_str(), ", ", low_class, ": ", low_id.as_str()];
    // Code can combine entities again and again, whose ids become longer each time.
    vm.charge_bytes(id.iter().map(|part| part.len()).sum())?;
    entity.id = Value::str(id.concat());
    vm.charge(Tags::effort(&low.tags, &high.tags))?;
    entity.tags = Tags::combine(&low.tags, &high.tags).ok_or_else(|| incompatible(names, &low.tags, &high.tags))?;
    Ok(entity)
}

/// `IncompatibleTagsException(first, second)`
pub(super) fn incompatible(names: &TagNames, first: &Tags, second: &Tags) -> Raised {
    let list = |tags: &Tags, kind: TagType| -> String {
        if tags.none().get(kind as usize) == Some(&true) {
            return "None".to_owned();
        }
        let items: Vec<String> = tags.list(kind).iter().map(|id| str_repr(names.name(*id).as_str())).collect();
        format!("[{}]", items.join(", "))
    };
    raise(
        &INCOMPATIBLE_TAGS_EXCEPTION,
        format!(
            "Cannot combine tag sets because require and reject tags mismatch. First tag set requires: {} and rejects: \
             {}. Second tag set requires: {} and rejects: {}.",
            list(first, TagType::Require),
            list(first, TagType::Reject),
            list(second, TagType::Require),
            list(second, TagType::Reject)
        ),
    )
}

/// The first value unless it is unset.
fn pick(first: &Value, second: &Value) -> Value {
    if first.is_none() { second.clone() } else { first.clone() }
}

/// Puts the first value over the second unless it is unset.
fn put(first: &Value, second: &mut Value) {
    if !first.is_none() {
        second.clone_from(first);
    }
}

/// Merging of Python's values. Those that jobs share are merged once, with `cache`.
struct Merging<'a> {
    vm: &'a mut Vm,
    cache: Option<&'a Cache>,
    /// The properties that belong to the job.
    own: OwnParts,
    /// `true` if the first has fields of its class to put over the second's.
    with_class: bool,
}

impl<'a> Merging<'a> {
    /// The cache for the values of a property. Without one, the result belongs to the job.
    fn cache(&mut self, property: Property) -> Option<&'a Cache> {
        let cache = self.cache.filter(|_| !self.own.has(property));
        if cache.is_none() {
            self.own.add(property);
        }
        cache
    }

    fn dicts(&mut self, property: Property, first: &Value, second: &mut Value) -> PyResult<()> {
        *second = match self.cache(property) {
            Some(cache) => cache.dicts(first, second, || unpaid(self.vm, |vm| merge_dicts(vm, first, second)))?,
            None => merge_dicts(self.vm, first, second)?,
        };
        Ok(())
    }
}

impl Merge<LiveValues> for Merging<'_> {
    type Error = Raised;

    fn flag(&mut self, first: &Value, second: &mut Value) -> PyResult<()> {
        if version_of(self.vm).keeps_abstract() || !self.vm.truthy(first)? {
            put(first, second);
        }
        Ok(())
    }

    fn word(&mut self, first: &Value, second: &mut Value) -> PyResult<()> {
        put(first, second);
        Ok(())
    }

    /// Only destinations override the accepted limits; no other class has them.
    fn amounts(&mut self, first: &LiveAmounts, second: &mut LiveAmounts) -> PyResult<()> {
        if version_of(self.vm).evaluates_early() {
            // `first or second`
            for (first, second) in first.resources.iter().zip(&mut second.resources) {
                if self.vm.truthy(first)? {
                    second.clone_from(first);
                }
            }
            return Ok(());
        }
        for (first, second) in first.resources.iter().zip(&mut second.resources) {
            put(first, second);
        }
        if second.limits.iter().all(Value::is_none) {
            second.limits.clone_from(&first.limits);
        } else if !first.limits.iter().all(Value::is_none) {
            for (first, second) in first.limits.iter().zip(Rc::make_mut(&mut second.limits)) {
                put(first, second);
            }
        }
        Ok(())
    }

    fn singles(&mut self, first: &Rc<FieldMap<Value>>, second: &mut Rc<FieldMap<Value>>) -> PyResult<()> {
        for (field, value) in first.iter() {
            let is_unset = value.is_none()
                || field == Field::HandlerTags
                    && !version_of(self.vm).keeps_handler_tags()
                    && !self.vm.truthy(value)?;
            if !is_unset && (self.with_class || field.is_common()) {
                Rc::make_mut(second).set(field, value.clone());
            }
        }
        Ok(())
    }

    fn params(&mut self, first: &Value, second: &mut Value) -> PyResult<()> {
        self.dicts(Property::Params, first, second)
    }

    fn resubmit(&mut self, first: &Value, second: &mut Value) -> PyResult<()> {
        self.dicts(Property::Resubmit, first, second)
    }

    fn context(&mut self, first: &EntityContext, second: &mut EntityContext) -> PyResult<()> {
        *second = EntityContext::merge(self.vm, first, second)?;
        Ok(())
    }

    fn env(&mut self, first: &Value, second: &mut Value) -> PyResult<()> {
        if version_of(self.vm).evaluates_early() {
            return self.dicts(Property::Env, first, second);
        }
        *second = match self.cache(Property::Env) {
            Some(cache) => cache.lists(first, second, || unpaid(self.vm, |vm| merge_env(vm, first, second)))?,
            None => merge_env(self.vm, first, second)?,
        };
        Ok(())
    }

    fn tags(&mut self, child: &Rc<Tags>, parent: &mut Rc<Tags>) -> PyResult<()> {
        self.vm.charge(Tags::effort(child, parent))?;
        *parent = Tags::inherit(child, parent);
        Ok(())
    }
}

/// `first.override(second)`. The class, and all that is not merged here, comes from `first` where its `merge_order` is not
/// lower.
fn override_(vm: &mut Vm, cache: Option<&Cache>, first: &Rc<Entity>, second: &Rc<Entity>) -> PyResult<Entity> {
    vm.charge(ENTITY_STEPS)?;
    let is_first = second.class.merge_order() <= first.class.merge_order() && !version_of(vm).evaluates_early();
    let base = if is_first { first } else { second };
    let mut common = second.common.clone();
    let with_class = first.class == EntityClass::Destination || first.class == second.class;
    let mut merging = Merging { vm, cache, own: OwnParts::of_both(first.own, second.own), with_class };
    first.common.override_fields(&mut common, &mut merging)?;
    let own = merging.own;
    common.tags.clone_from(&base.tags);
    common.extras.clone_from(&base.extras);
    let mut entity = Entity {
        class: base.class,
        id: pick(&first.id, &second.id),
        common,
        rules: base.rules.clone(),
        dest_tags: base.dest_tags.clone(),
        identity: Identity::default(),
        own,
        site: base.site,
    };
    if !first.is_rule() {
        (entity.rules, entity.own.has_rules) = merge_rules(vm, cache, [first, second])?;
    }
    if first.class == EntityClass::Destination {
        entity.dest_tags = Some(entity.dest_tags());
    }
    Ok(entity)
}

/// The keys of rules that are compared in about the time of a step.
const RULES_A_STEP: usize = 16;

/// The second's rules, updated with the first's; a rule of the first whose id the second has inherits from that one. Jobs share the
/// rules of entities that they share, and rules over themselves: then code changed another part of the entity. `true` if the result
/// belongs to the job.
fn merge_rules(vm: &mut Vm, cache: Option<&Cache>, [first, second]: [&Entity; 2]) -> PyResult<(Rules, bool)> {
    let (high, low) = (&first.rules, &second.rules);
    if high.is_empty() {
        return Ok((low.clone(), second.own.has_rules));
    }
    if low.is_empty() {
        return Ok((high.clone(), first.own.has_rules));
    }
    let (rules, others) = (high.all()?, low.all()?);
    let merge = |vm: &mut Vm, cache| {
        let merged = merge::merge_rules(&mut Inheriting { vm, cache }, rules, others)?;
        Ok(Rc::new(RuleMap::new(merged)))
    };
    if let Some(cache) = cache
        && Rc::ptr_eq(high, low)
    {
        vm.visit(rules.len(), RULES_A_STEP)?;
        let is_own = first.own.has_rules || second.own.has_rules;
        if high.merges_to_itself() {
            return Ok((high.clone(), is_own));
        }
        if !is_own {
            let merged = cache.rules_over_themselves(high, || unpaid(vm, |vm| merge(vm, Some(cache))))?;
            return Ok((merged, false));
        }
    }
    if cache.is_some() && [first, second].iter().all(|entity| entity.identity.number().is_some()) {
        return Ok((merge(vm, cache)?, false));
    }
    vm.visit(rules.len().saturating_mul(others.len()).saturating_add(others.len()), RULES_A_STEP)?;
    Ok((merge(vm, None)?, true))
}

/// Rules that inherit as entities.
struct Inheriting<'a> {
    vm: &'a mut Vm,
    cache: Option<&'a Cache>,
}

impl RuleList for Inheriting<'_> {
    type Rule = (Str, Rc<Entity>);
    type Id = Key;
    type Error = Raised;

    fn key<'r>(&self, (key, _): &'r Self::Rule) -> &'r str {
        key.as_str()
    }

    fn id(&mut self, (_, rule): &Self::Rule) -> PyResult<Key> {
        self.vm.str(&rule.id).map(Key)
    }

    fn inherit(&mut self, (_, child): &Self::Rule, (_, parent): &Self::Rule, id: Key) -> PyResult<Self::Rule> {
        let cache = self.cache;
        let merged = self.vm.deeper(|vm| inherit(vm, cache, child, parent))?;
        Ok((id.0, if let Some(cache) = cache { cache.share_counted(merged) } else { Rc::new(merged) }))
    }
}

/// The id of a rule, which becomes its key.
struct Key(Str);

impl AsRef<str> for Key {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}
