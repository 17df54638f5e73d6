//! Lookup: the entities that match a job's tool, roles and user. TPV's `_find_matching_entities`.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::patterns::InvalidPattern;
use tpv_galaxy::errors::job_mapping_exception;
use tpv_model::{EntityClass, Resource, TagType};
use tpv_python::exception::{PyResult, Raised, raise};
use tpv_python::string::Str;
use tpv_python::value::Value;

use super::cache::Matches;
use super::entity::Entity;
use super::explain::{Because, Found, Observer, Step};
use super::job_source::{Declared, JobSource, Name, UNKNOWN_TOOL};
use super::layers::EntityContext;
use super::provided::{Number, Provided};
use super::tags::Tags;
use super::worker::Worker;

/// The entities of the role and the user of a job: at most one each.
type Others = SmallVec<[Rc<Entity>; 2]>;

impl Worker {
    /// The entity of the job's tool, and those of its user's first role that has one and of its user, where there are.
    ///
    /// # Errors
    /// `JobMappingException` where an abstract entity matches; what Python raises for a key that is no regular expression, or
    /// for a user without email.
    pub(super) fn find_matching_entities(
        &mut self,
        job: JobSource<'_>,
        observer: &mut dyn Observer,
    ) -> PyResult<(Rc<Entity>, Others)> {
        let tool = self.tool_entity(job, observer)?;
        let mut others = SmallVec::new();
        if let Some(mut roles) = job.roles(&mut self.vm)? {
            while let Some(role) = roles.next(&mut self.vm)? {
                if let Some(entity) = self.entity_of(EntityClass::Role, &role, observer)? {
                    others.push(entity);
                    break;
                }
            }
            let email = job.email(&mut self.vm)?;
            others.extend(self.entity_of(EntityClass::User, &email, observer)?);
        }
        if observer.watches() {
            let entities: Vec<_> = std::iter::once(&tool).chain(&others).cloned().collect();
            observer.step(Step::Matched { entities: &entities });
        }
        Ok((tool, others))
    }

    /// The entity of the job's tool: the default, what the tool's wrapper declares, and all that match, each inheriting from the
    /// one before.
    fn tool_entity(&mut self, job: JobSource<'_>, observer: &mut dyn Observer) -> PyResult<Rc<Entity>> {
        let version = self.version();
        let tool = job.tool(&mut self.vm, version)?;
        let matches = self.matches(EntityClass::Tool, &tool.name)?;
        let default = self.default_of(EntityClass::Tool, &matches);
        // Every match has an id that hides that of what the tool declares.
        let provided = tool.declared.map(|declared| self.provided(declared, matches.is_empty() || observer.watches()));
        observe(observer, EntityClass::Tool, &tool.name, default.as_ref(), provided.as_ref(), &matches);
        let mut entities = default.into_iter().chain(provided).chain(matches.iter().cloned());
        match entities.next() {
            Some(first) => entities.try_fold(first, |parent, child| self.inherit(&child, &parent)),
            None => {
                let name = tool.name.text().filter(|name| !name.is_empty()).unwrap_or(UNKNOWN_TOOL);
                let mut entity = Entity::new(EntityClass::Tool, name);
                if !version.has_models() {
                    entity.context = EntityContext::of(Value::None);
                }
                Ok(Rc::new(entity))
            }
        }
    }

    /// The entity of a role or user: the default and all that match its name. `None` if there is none.
    fn entity_of(
        &mut self,
        class: EntityClass,
        name: &Name<'_>,
        observer: &mut dyn Observer,
    ) -> PyResult<Option<Rc<Entity>>> {
        let matches = self.matches(class, name)?;
        let default = self.default_of(class, &matches);
        observe(observer, class, name, default.as_ref(), None, &matches);
        match (default, matches.split_first()) {
            (Some(default), _) => self.inherit_entities(default, &matches).map(Some),
            (None, Some((first, rest))) => self.inherit_entities(first.clone(), rest).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// `global.default_inherits` of a section. In TPV 1 what matches has inherited from it when it was loaded.
    fn default_of(&self, class: EntityClass, matches: &[Rc<Entity>]) -> Option<Rc<Entity>> {
        if self.version().evaluates_early() && !matches.is_empty() {
            return None;
        }
        let default = self.rules.tables().table(class)?.default?;
        self.store.entity(class, default)
    }

    /// Each entity inherits from the one before.
    fn inherit_entities(&mut self, first: Rc<Entity>, rest: &[Rc<Entity>]) -> PyResult<Rc<Entity>> {
        rest.iter().try_fold(first, |parent, child| self.inherit(child, &parent))
    }

    /// The tool wrapper's declarations, as an entity that all matches override: its type as a tag, its resource
    /// requirements.
    fn provided(&self, declared: Declared<'_>, has_id: bool) -> Rc<Entity> {
        let Declared { id, tool_type, resources } = declared;
        let make = |tool_type: Option<&str>, resources: &mut dyn Iterator<Item = (Resource, Value)>| {
            let mut entity = Entity::new(EntityClass::Tool, format!("tool_provided_resources_{id}"));
            if self.version().tags_tool_types() {
                let tag = self.names.id(&format!("tool_type_{}", tool_type.unwrap_or("default")));
                entity.tags = Rc::new(Tags::single(TagType::Accept, tag));
            }
            for (resource, value) in resources {
                entity.set_resource(resource, value);
            }
            entity
        };
        let numbers = resources.iter().map(|(resource, value)| Some((*resource, Number::of(value)?))).collect();
        let Some(numbers) = numbers else {
            return Rc::new(make(tool_type.as_deref(), &mut resources.into_iter()));
        };
        let provided = Provided {
            id: has_id.then(|| Box::from(&*id)),
            tool_type: tool_type.as_deref().map(Box::from),
            resources: numbers,
        };
        self.cache.provided(provided, |provided| {
            let resources = provided.resources.iter();
            make(provided.tool_type.as_deref(), &mut resources.map(|(resource, number)| (*resource, number.value())))
        })
    }

    /// The entities of a section whose pattern matches a name.
    fn matches(&mut self, class: EntityClass, name: &Name<'_>) -> PyResult<Matches> {
        let Some(name) = name.text() else {
            return match self.rules.tables().table(class).is_none_or(|table| table.rows.is_empty()) {
                true => Ok(Matches::default()),
                false => Err(name.not_text()),
            };
        };
        let cache = self.cache.clone();
        cache.matches(class, name, || {
            let mut indexes = Vec::new();
            let outcome = self.rules.matcher(class).map_or(Ok(()), |matcher| matcher.matches(name, &mut indexes));
            let mut entities = Vec::with_capacity(indexes.len());
            for index in indexes {
                let Some(entity) = self.store.entity(class, index) else { continue };
                if self.vm.truthy(&entity.is_abstract)? {
                    // DIFFERENCE: TPV's message shows every field of the entity and the address of its loader.
                    let id = self.vm.str(&entity.id)?;
                    let message =
                        format!("This entity is abstract and cannot be mapped : id='{}' abstract=True", id.as_str());
                    return Err(job_mapping_exception(Value::str(message)));
                }
                entities.push(entity);
            }
            match outcome {
                Ok(()) => Ok(entities.into()),
                Err(invalid) => Err(invalid_pattern(&invalid)),
            }
        })
    }
}

/// Tells an observer which entities of a section count for a name, and why.
fn observe(
    observer: &mut dyn Observer,
    class: EntityClass,
    name: &Name<'_>,
    default: Option<&Rc<Entity>>,
    provided: Option<&Rc<Entity>>,
    matches: &[Rc<Entity>],
) {
    let Some(name) = name.text().filter(|_| observer.watches()) else { return };
    let default = default.map(|entity| (entity, Because::Default));
    let provided = provided.map(|entity| (entity, Because::Wrapper));
    let matches = matches.iter().map(|entity| (entity, Because::Pattern));
    let all = default.into_iter().chain(provided).chain(matches);
    let found: Vec<Found> = all.map(|(entity, because)| Found { entity: entity.clone(), because }).collect();
    observer.step(Step::Lookup { section: class.section(), name, found: &found });
}

/// The exception that Python raises for a key that is no regular expression.
fn invalid_pattern(invalid: &InvalidPattern) -> Raised {
    let class = tpv_python::exception::EXCEPTIONS.iter().find(|class| class.name == invalid.class);
    raise(class.copied().unwrap_or(&tpv_python::modules::re::ERROR), invalid.message.as_str())
}

/// The id of an entity as text.
pub(super) fn id_of(entity: &Entity) -> Str {
    match &entity.id {
        Value::Str(id) => id.clone(),
        _ => Str::from(""),
    }
}
