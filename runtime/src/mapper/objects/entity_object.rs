//! Entities as code sees them: `entity`, `self`, the candidate destinations.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::mapper::cache::Cache;
use crate::mapper::data::{deep_copy, unchanged};
use crate::mapper::entity::{ENTITY_STEPS, Entity, Identity};
use crate::mapper::inherit;
use crate::mapper::layers::EntityContext;
use crate::mapper::matching;
use crate::mapper::properties::Property;
use crate::mapper::rule_map::RuleMap;
use crate::mapper::tags::{TagNames, Tags};
use tpv_galaxy::errors::host_unavailable;
use tpv_galaxy::signature;
use tpv_galaxy::tpv::version_of;
use tpv_model::{Field, Limit, Resource, Version};
use tpv_python::args::Args;
use tpv_python::dict::{Dict, StrKey};
use tpv_python::exception::{PyResult, attribute_error, type_error};
use tpv_python::iterator::{Items, IteratorObject};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, GENERATOR};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::parts::Parts;
use super::{SchedulingTagsObject, class_of, dump, lacks};

/// The methods of an entity.
pub const METHODS: &[&str] =
    &["__deepcopy__", "combine", "copy", "dict", "inherit", "matches", "model_copy", "model_dump", "score"];

/// The methods that only destinations have.
const OF_DESTINATIONS: [&str; 2] = ["matches", "score"];

/// An entity exposed to code: the base entity, and live copies of the fields that code has read and may have changed.
pub struct EntityObject {
    names: Rc<TagNames>,
    base: RefCell<Rc<Entity>>,
    live: RefCell<Parts>,
    /// `true` while `entity` runs; detects entities that contain themselves.
    is_open: Cell<bool>,
    /// The dict of the entity's own rules that code has read, even if code has replaced it since.
    own_rules: RefCell<Option<Value>>,
    /// The mutable values of the context that code may have read by name.
    context_parts: RefCell<Vec<(Str, Value)>>,
}

impl EntityObject {
    /// The entity as a value.
    pub fn value(names: &Rc<TagNames>, entity: Rc<Entity>) -> Value {
        Value::object(Self {
            names: names.clone(),
            base: RefCell::new(entity),
            live: RefCell::default(),
            is_open: Cell::new(false),
            own_rules: RefCell::default(),
            context_parts: RefCell::default(),
        })
    }

    /// The entity of a value.
    ///
    /// # Errors
    /// `AttributeError`, as in TPV if a rank function returns something else.
    pub fn of(value: &Value) -> PyResult<&Self> {
        value.downcast::<Self>().ok_or_else(|| {
            attribute_error(format!("'{}' object has no attribute 'combine'", value.type_name().as_str()))
        })
    }

    /// The entity that a method takes, which reads `first` of its attributes first.
    fn operand(vm: &mut Vm, value: &Value, first: &str) -> PyResult<Rc<Entity>> {
        match value.downcast::<Self>() {
            Some(object) => object.entity(vm),
            None => Err(lacks(vm, value, first, "an entity")),
        }
    }

    /// A mutable value of the entity's context: the same object as `entity.context[name]`.
    pub(in crate::mapper) fn context_part(&self, vm: &mut Vm, name: &Str, value: &Value) -> PyResult<Value> {
        if let Some((_, part)) = self.context_parts.borrow().iter().find(|(known, _)| known == name) {
            return Ok(part.clone());
        }
        if let Some(Value::Dict(live)) = self.live.borrow().get("context")
            && let Some(part) = live.get_str(name)
        {
            return Ok(part);
        }
        let copy = deep_copy(vm, value)?;
        self.context_parts.borrow_mut().push((name.clone(), copy.clone()));
        Ok(copy)
    }

    /// Returns `true` if code changed a part of the context that it received by name.
    fn changed_parts(&self, vm: &mut Vm, base: &Entity) -> PyResult<bool> {
        let parts = self.context_parts.borrow();
        for (name, part) in parts.iter() {
            if let Some(value) = base.context.get(name)
                && !unchanged(vm, &value, part)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The entity as it is now, including changes made by code.
    ///
    /// # Errors
    /// Exceptions raised by reading the changed values.
    pub fn entity(&self, vm: &mut Vm) -> PyResult<Rc<Entity>> {
        if self.live.borrow().get("context").is_none() && self.changed_parts(vm, &self.base.borrow())? {
            self.live(vm, "context")?;
        }
        if self.live.borrow().is_empty() {
            return Ok(self.base.borrow().clone());
        }
        let is_within_itself = self.is_open.replace(true);
        let entity = vm.deeper(|vm| self.with_live_parts(vm, is_within_itself));
        self.is_open.set(is_within_itself);
        let entity = entity?;
        // Until code changes it again, it is this one. The rules are those that TPV iterates over.
        if self.live.borrow().get("rules").is_none() {
            self.base.borrow_mut().clone_from(&entity);
        }
        Ok(entity)
    }

    /// The entity with the fields that code has read. The rules of an entity that contains itself are not expanded.
    fn with_live_parts(&self, vm: &mut Vm, is_within_itself: bool) -> PyResult<Rc<Entity>> {
        let live = self.live.borrow().to_vec();
        let base = self.base.borrow().clone();
        let mut changed: Option<Entity> = None;
        for (name, value) in live {
            let same = match (name, value.downcast::<SchedulingTagsObject>()) {
                ("tpv_tags", Some(tags)) => tags.tags_by(vm, &self.names)?.same_lists(&base.tags),
                ("tpv_dest_tags", Some(tags)) => tags.tags_by(vm, &self.names)?.same_lists(&base.dest_tags()),
                _ => match container(&base, name) {
                    Some(original) => unchanged(vm, &original, &value)?,
                    None => false,
                },
            };
            if !same {
                vm.charge(ENTITY_STEPS)?;
                let mut entity = changed.take().unwrap_or_else(|| Entity::clone(&base));
                if name == "rules" && is_within_itself {
                    entity.rules = Rc::new(RuleMap::endless());
                } else {
                    put(vm, &self.names, &mut entity, name, &value)?;
                }
                changed = Some(entity);
            }
        }
        Ok(changed.map_or(base, Rc::new))
    }

    /// Returns whether the entity has a tag of this value, of any kind; `None` if code holds the lists of the tags, or
    /// replaced them. The empty value finds every tag, as in TPV.
    pub fn has_tag(&self, value: &str) -> Option<bool> {
        match self.live.borrow().get("tpv_tags") {
            Some(tags) => tags.downcast::<SchedulingTagsObject>()?.has(value),
            None => Some(self.base.borrow().tags.has_value(&self.names, value)),
        }
    }

    /// Changes fields of the base entity in place.
    pub fn update(&self, change: impl FnOnce(&mut Entity)) {
        let mut base = self.base.borrow_mut();
        let entity = Rc::make_mut(&mut base);
        // The changed entity is no longer the shared one, so it loses its number and is not cached.
        entity.identity = Identity::default();
        change(entity);
    }

    /// Returns `true` if code added rules to or removed rules from the dict that TPV iterates over.
    pub(in crate::mapper) fn rules_changed_size(&self) -> bool {
        let base = self.base.borrow();
        matches!(&*self.own_rules.borrow(), Some(Value::Dict(rules)) if rules.len() != base.rules.len())
    }

    /// Removes the rules.
    pub(in crate::mapper) fn clear_rules(&self, cache: &Cache) {
        self.live.borrow_mut().remove("rules");
        let without = cache.without_rules(&self.base.borrow());
        match without {
            Some(without) => *self.base.borrow_mut() = without,
            None => self.update(|entity| entity.rules = Rc::default()),
        }
    }

    /// The value of a field that is not a container.
    fn plain(&self, name: &str, version: Version) -> Option<Value> {
        let entity = self.base.borrow();
        if let Some(resource) = Resource::from_name(name) {
            return Some(entity.resource(resource).clone());
        }
        if let Some(limit) = Limit::from_name(name) {
            let accepted = name.contains("accepted");
            let own = || entity.limit(limit).clone();
            if !version.has_field(Field::Amount(limit.into())) {
                let unknown = entity.extras.iter().find(|(key, _)| key.as_str() == name);
                return unknown.map(|(_, value)| value.clone());
            }
            return (!accepted || entity.dest_tags.is_some()).then(own);
        }
        if name == "merge_order" {
            return Some(Value::Int(entity.class.merge_order().into()));
        }
        match plain_field(&entity, name) {
            Some(field) => entity.value(field),
            None => entity.extras.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value.clone()),
        }
    }

    /// A field that code may change in place, copied on first access.
    fn live(&self, vm: &mut Vm, name: &'static str) -> PyResult<Option<Value>> {
        if let Some(value) = self.live.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        let base = self.base.borrow().clone();
        let value = match name {
            "tpv_tags" => SchedulingTagsObject::value(&self.names, base.tags.clone()),
            "tpv_dest_tags" => match &base.dest_tags {
                Some(tags) => SchedulingTagsObject::value(&self.names, tags.clone()),
                None => return Ok(None),
            },
            "rules" => {
                if base.is_rule() {
                    return Ok(None);
                }
                let rules = base.rules.all()?;
                vm.charge(rules.len())?;
                let objects = rules.iter().map(|(key, rule)| (key.clone(), Self::value(&self.names, rule.clone())));
                let rules = Value::dict(Dict::from_strs(objects));
                self.own_rules.replace(Some(rules.clone()));
                rules
            }
            _ => match container(&base, name) {
                Some(original) => {
                    let copy = deep_copy(vm, &original)?;
                    if name == "context"
                        && let Value::Dict(context) = &copy
                    {
                        for (name, part) in self.context_parts.borrow().iter() {
                            if let Some(value) = context.table.borrow_mut().get_mut(&StrKey(name)) {
                                *value = part.clone();
                            }
                        }
                    }
                    copy
                }
                None => return Ok(None),
            },
        };
        if !value.is_none() {
            self.live.borrow_mut().insert(name, value.clone());
        }
        Ok(Some(value))
    }

    /// The static name of a field that code may change in place.
    fn container_name(&self, name: &str) -> Option<&'static str> {
        let base = self.base.borrow();
        let own: &[&str] = match (&base.dest_tags, base.is_rule()) {
            (Some(_), _) => &["tpv_dest_tags", "handler_tags", "rules"],
            (None, true) => &[],
            (None, false) => &["rules"],
        };
        ["params", "env", "tpv_tags", "context", "resubmit"].iter().chain(own).copied().find(|field| *field == name)
    }

    /// All fields as tuples of name and value.
    fn fields(&self, vm: &mut Vm, this: &Value) -> PyResult<Vec<Value>> {
        vm.charge(ENTITY_STEPS)?;
        let (class, extras) = {
            let base = self.base.borrow();
            (base.class, base.extras.clone())
        };
        let mut fields = Vec::new();
        let mut names: Vec<&str> = Field::of(class).map(Field::name).collect();
        names.extend(extras.iter().map(|(name, _)| name.as_str()));
        for name in names {
            vm.charge(1)?;
            if let Some(value) = self.get_attr(vm, this, name)? {
                fields.push(Value::tuple(vec![Value::str(name), value]));
            }
        }
        Ok(fields)
    }

    fn method(&self, vm: &mut Vm, this: &Value, name: &str, args: Args) -> PyResult<Value> {
        vm.charge(ENTITY_STEPS)?;
        let other = |args: Args, parameter: &'static str| -> PyResult<Value> {
            let method = match name {
                "score" => "Destination.score",
                "inherit" => "Entity.inherit",
                _ => "Entity.combine",
            };
            let [other] = signature::bind_method(args, method, [parameter], 1)?;
            Ok(other.unwrap_or(Value::None))
        };
        match name {
            "score" => {
                let other = other(args, "entity")?;
                let other = Self::operand(vm, &other, "tpv_tags")?;
                let mine = self.entity(vm)?;
                vm.charge(Tags::effort(&mine.dest_tags(), &other.tags))?;
                Ok(Value::Int(mine.dest_tags().score(&other.tags, version_of(vm))))
            }
            "matches" => {
                let [entity, _context] = signature::bind_method(args, "Destination.matches", ["entity", "context"], 2)?;
                let mine = self.entity(vm)?;
                if vm.truthy(&mine.is_abstract)? {
                    return Ok(Value::Bool(false));
                }
                let limit = Limit::ACCEPTED.into_iter().find(|limit| !mine.limit(*limit).is_none());
                let first = limit.map_or("tpv_tags", |limit| limit.quantity().resource().name());
                let other = Self::operand(vm, &entity.unwrap_or(Value::None), first)?;
                Ok(Value::Bool(matching::matches(vm, &mine, &other)?))
            }
            "inherit" | "combine" => {
                let other = other(args, "entity")?;
                if name == "inherit" && !vm.truthy(&other)? {
                    return self.deepcopy(vm, this);
                }
                let other = Self::operand(vm, &other, "merge_order")?;
                let mine = self.entity(vm)?;
                let entity = if name == "inherit" {
                    inherit::inherit(vm, None, &mine, &other)?
                } else {
                    inherit::combine(vm, None, &self.names, &mine, &other)?
                };
                Ok(Self::value(&self.names, Rc::new(entity)))
            }
            "dict" | "model_dump" => {
                let entity = self.entity(vm)?;
                dump::entity(vm, &self.names, &entity, name, &args)
            }
            "copy" | "model_copy" => self.copied(vm, this, name, args),
            _ => self.deepcopy(vm, this),
        }
    }

    /// `entity.copy(...)`, `entity.model_copy(...)`
    fn copied(&self, vm: &mut Vm, this: &Value, method: &str, args: Args) -> PyResult<Value> {
        if !args.pos.is_empty() {
            let given = args.pos.len() + 1;
            return Err(type_error(format!("BaseModel.{method}() takes 1 positional argument but {given} were given")));
        }
        let copy = self.deepcopy(vm, this)?;
        for (name, value) in args.kw {
            match name.as_str() {
                "deep" => {}
                "update" if !vm.truthy(&value)? => {}
                "update" => {
                    let Value::Dict(update) = &value else {
                        return Err(lacks(vm, &value, "items", "a dict"));
                    };
                    for (name, value) in update.items() {
                        vm.charge(1)?;
                        let name = vm.str(&name)?;
                        vm.set_attr(&copy, &name, value)?;
                    }
                }
                "include" | "exclude" if method == "copy" => {
                    return Err(host_unavailable(format!("`{method}({}=...)` of an entity", name.as_str())));
                }
                name => {
                    let message = format!("BaseModel.{method}() got an unexpected keyword argument '{name}'");
                    return Err(type_error(message));
                }
            }
        }
        Ok(copy)
    }
}

/// The shared value of a container field. `None` if the class has no such field.
fn container(entity: &Entity, name: &str) -> Option<Value> {
    Some(match name {
        "env" => entity.env.clone(),
        "params" => entity.params.clone(),
        "resubmit" => entity.resubmit.clone(),
        "context" => entity.context.value(),
        "handler_tags" => entity.value(Field::HandlerTags)?,
        _ => return None,
    })
}

/// Stores a changed field in an entity. The entity gets its own copy because code may still hold the value.
fn put(vm: &mut Vm, names: &Rc<TagNames>, entity: &mut Entity, name: &str, value: &Value) -> PyResult<()> {
    match name {
        "tpv_tags" | "tpv_dest_tags" => {
            let Some(tags) = value.downcast::<SchedulingTagsObject>() else {
                return Err(lacks(vm, value, "inherit", "scheduling tags"));
            };
            let tags = tags.tags_by(vm, names)?;
            if name == "tpv_tags" {
                entity.tags = tags;
            } else if entity.dest_tags.is_some() {
                entity.dest_tags = Some(tags);
            }
        }
        "rules" => {
            let Value::Dict(dict) = value else {
                if vm.truthy(value)? {
                    vm.call_method(&Value::dict(Dict::new()), "update", Args::one(value.clone()))?;
                }
                return Err(lacks(vm, value, "values", "a dict"));
            };
            vm.charge(dict.len())?;
            let mut rules = Vec::new();
            for (key, rule) in dict.items() {
                let Some(object) = rule.downcast::<EntityObject>() else {
                    let class = rule.type_name();
                    return Err(attribute_error(format!("'{}' object has no attribute 'id'", class.as_str())));
                };
                rules.push((vm.str(&key)?, object.entity(vm)?));
            }
            entity.rules = Rc::new(RuleMap::new(rules));
            entity.own.has_rules = true;
        }
        _ => {
            let copy = deep_copy(vm, value)?;
            let property = match name {
                "env" => {
                    entity.env = copy;
                    Property::Env
                }
                "params" => {
                    entity.params = copy;
                    Property::Params
                }
                "resubmit" => {
                    entity.resubmit = copy;
                    Property::Resubmit
                }
                "context" => {
                    entity.context = EntityContext::of(copy);
                    return Ok(());
                }
                _ => {
                    if entity.has_single(Field::HandlerTags) {
                        entity.set(Field::HandlerTags, copy);
                    }
                    Property::HandlerTags
                }
            };
            entity.own.add(property);
        }
    }
    Ok(())
}

impl Object for EntityObject {
    fn class(&self) -> &'static BuiltinType {
        class_of(self.base.borrow().class)
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let name = match name {
            "tags" if version_of(vm).evaluates_early() => "tpv_tags",
            name if version_of(vm).has_attribute(name) => name,
            _ => return Ok(None),
        };
        match self.container_name(name) {
            Some(name) => self.live(vm, name),
            None => Ok(self.plain(name, version_of(vm))),
        }
    }

    fn peek(&self, name: &str) -> Option<Value> {
        // Code may have changed a value of the context that it read by name.
        if name == "context" && !self.context_parts.borrow().is_empty() {
            return None;
        }
        let live = self.live.borrow().get(name).cloned();
        let base = self.base.borrow();
        live.or_else(|| match name {
            "context" => base.context.merged().cloned(),
            _ => container(&base, name),
        })
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        let text = match name.as_str() {
            "tags" if version_of(vm).evaluates_early() => "tpv_tags",
            text => text,
        };
        if text == "merge_order" && version_of(vm).has_models() {
            let class = self.class().name;
            return Err(attribute_error(format!(
                "'merge_order' is a ClassVar of `{class}` and cannot be set on an instance. If you want to set a value on the class, \
                 use `{class}.merge_order = value`."
            )));
        }
        if let Some(field) = self.container_name(text) {
            if value.is_none() {
                // `None` has no live copy, so it is stored in the base entity.
                self.live.borrow_mut().remove(field);
                self.update(|entity| match field {
                    "env" => entity.env = Value::None,
                    "params" => entity.params = Value::None,
                    "resubmit" => entity.resubmit = Value::None,
                    "context" => entity.context = EntityContext::of(Value::None),
                    _ => {}
                });
                if !matches!(field, "env" | "params" | "resubmit" | "context") {
                    self.live.borrow_mut().insert(field, value);
                }
            } else {
                self.live.borrow_mut().insert(field, value);
            }
            return Ok(());
        }
        // Further names are looked for one by one.
        let extras = self.base.borrow().extras.len();
        vm.charge(extras)?;
        self.update(|entity| set_plain(entity, name, value));
        Ok(())
    }

    /// The fields with their names, as pydantic's models are iterated.
    ///
    /// DIFFERENCE: without `evaluator`, which is TPV's loader.
    fn iter(&self, vm: &mut Vm, this: &Value) -> Option<PyResult<Value>> {
        if !version_of(vm).has_models() {
            return None;
        }
        let fields = self.fields(vm, this);
        Some(fields.map(|fields| IteratorObject::new(&GENERATOR, Items(fields.into_iter()))))
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name) && (!OF_DESTINATIONS.contains(&name) || self.base.borrow().dest_tags.is_some())
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        if matches!(name, "copy" | "dict" | "model_copy" | "model_dump") && !version_of(vm).has_models() {
            let class = self.class().name;
            return Some(Err(attribute_error(format!("'{class}' object has no attribute '{name}'"))));
        }
        let args = std::mem::take(args);
        Some(self.method(vm, this, name, args))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let id = self.base.borrow().id.clone();
        Ok(format!("{}(id={})", self.class().name, vm.repr(&id)?))
    }

    fn str(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        // DIFFERENCE: TPV's text shows every field and the address of its loader; the id is what a reader needs.
        let id = self.base.borrow().id.clone();
        Ok(format!("id={}", vm.repr(&id)?))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error(format!("unhashable type: '{}'", self.class().name))))
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let entity = self.entity(vm)?;
        vm.charge(entity.extras.len())?;
        Ok(Self::value(&self.names, entity))
    }
}

/// The field of an entity that has this name and is no container, besides amounts.
fn plain_field(entity: &Entity, name: &str) -> Option<Field> {
    let field = Field::plain(name)?;
    (!Field::singles().contains(&field) || entity.has_single(field)).then_some(field)
}

fn set_plain(entity: &mut Entity, name: &Str, value: Value) {
    let text = name.as_str();
    if let Some(resource) = Resource::from_name(text) {
        return entity.set_resource(resource, value);
    }
    if let Some(limit) = Limit::from_name(text) {
        return entity.set_limit(limit, value);
    }
    match plain_field(entity, text) {
        Some(field) => entity.set(field, value),
        None => {
            let extras = Rc::make_mut(&mut entity.extras);
            match extras.iter_mut().find(|(key, _)| key == name) {
                Some((_, slot)) => *slot = value,
                None => extras.push((name.clone(), value)),
            }
        }
    }
}
