//! Lookup: the entities that match a job's tool, roles and user. TPV's `_find_matching_entities`.

use std::rc::Rc;

use crate::artifact::tables::{EntityClass, EntityTable, Resource, Tables};
use crate::galaxy::errors::job_mapping_exception;
use crate::galaxy::job::Job;
use crate::galaxy::resource_requirements::extract;
use crate::patterns::InvalidPattern;
use crate::python::exception::{PyResult, Raised, raise, type_error};
use crate::python::string::Str;
use crate::python::value::Value;

use super::entity::Entity;
use super::explain::{Because, Found, Observer, Step};
use super::inherit::inherit;
use super::tags::{TagType, Tags};
use super::worker::Worker;

/// A section of the config whose entities are found by pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Section {
    /// `tools:`
    Tools,
    /// `roles:`
    Roles,
    /// `users:`
    Users,
}

impl Section {
    /// The section's key in the config.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Roles => "roles",
            Self::Users => "users",
        }
    }

    pub(super) fn table(self, tables: &Tables) -> &EntityTable {
        match self {
            Self::Tools => &tables.tools,
            Self::Roles => &tables.roles,
            Self::Users => &tables.users,
        }
    }
}

impl Worker {
    /// The entities of the job's tool, of its user's first role that has one, and of its user.
    pub(super) fn find_matching_entities(
        &mut self,
        job: &Job,
        observer: &mut dyn Observer,
    ) -> PyResult<Vec<Rc<Entity>>> {
        // A tool with a uuid of its own is looked up by that: it must not take another tool's rules by its id.
        let tool_id = match &job.tool.dynamic_tool_uuid {
            Some(uuid) => format!("{}-{uuid}", job.tool.tool_type()),
            None if job.tool.id.is_empty() => "unknown_tool_id".to_owned(),
            None => job.tool.id.to_string(),
        };
        let provided = self.tool_provided(job);
        let mut found = Vec::new();
        found.extend(self.inherit_matching(Section::Tools, Some(provided), &tool_id, observer)?);
        if let Some(user) = &job.user {
            for role in user.roles.iter().filter(|role| !role.deleted) {
                if let Some(entity) = self.inherit_matching(Section::Roles, None, &role.name, observer)? {
                    found.push(entity);
                    break;
                }
            }
            match &user.email {
                Some(email) => found.extend(self.inherit_matching(Section::Users, None, email, observer)?),
                None if !self.rules.tables().users.rows.is_empty() => {
                    return Err(type_error("expected string or bytes-like object, got 'NoneType'"));
                }
                None => found.extend(self.inherit_matching(Section::Users, None, "", observer)?),
            }
        }
        Ok(found)
    }

    /// What the tool's wrapper declares, as an entity that all matches override: its type as a tag, its resource
    /// requirements.
    fn tool_provided(&mut self, job: &Job) -> Rc<Entity> {
        let id = job.tool.dynamic_tool_uuid.as_ref().unwrap_or(&job.tool.id);
        let mut entity = Entity::new(EntityClass::Tool, format!("tool_provided_resources_{id}"));
        let tag = self.names.id(&format!("tool_type_{}", job.tool.tool_type()));
        entity.tags = Rc::new(Tags::single(TagType::Accept, tag));
        for (field, number) in extract(&job.tool.resource_requirements) {
            if let Some(resource) = Resource::from_name(field) {
                entity.set_resource(resource, Value::Float(number));
            }
        }
        Rc::new(entity)
    }

    /// The default entity, what the job provides, and all entities whose pattern matches, each inheriting from the one
    /// before; nothing where there is none.
    fn inherit_matching(
        &mut self,
        section: Section,
        provided: Option<Rc<Entity>>,
        name: &str,
        observer: &mut dyn Observer,
    ) -> PyResult<Option<Rc<Entity>>> {
        let rules = self.rules.clone();
        let table = section.table(rules.tables());
        let mut matched = Vec::new();
        let outcome = rules.matcher(section).matches(name, &mut matched);
        let mut result = table.default.and_then(|index| self.store.entity(section, index));
        let watches = observer.watches();
        let mut found: Vec<Found> = Vec::new();
        let mut note = |entity: &Rc<Entity>, because: Because| {
            if watches {
                found.push(Found { entity: entity.clone(), because });
            }
        };
        if let Some(default) = &result {
            note(default, Because::Default);
        }
        if let Some(provided) = provided {
            note(&provided, Because::Wrapper);
            result = Some(self.inherit_onto(provided, result)?);
        }
        let mut matches = Vec::with_capacity(matched.len());
        for index in matched {
            let Some(entity) = self.store.entity(section, index) else { continue };
            note(&entity, Because::Pattern);
            if self.vm.truthy(&entity.abstract_)? {
                // DIFFERENCE: TPV's message shows every field of the entity and the address of its loader.
                let id = self.vm.str(&entity.id)?;
                let message =
                    format!("This entity is abstract and cannot be mapped : id='{}' abstract=True", id.as_str());
                return Err(job_mapping_exception(Value::str(message)));
            }
            matches.push(entity);
        }
        observer.step(Step::Lookup { section: section.name(), name, found: &found });
        if let Err(invalid) = outcome {
            return Err(invalid_pattern(&invalid));
        }
        for entity in matches {
            result = Some(self.inherit_onto(entity, result)?);
        }
        Ok(result)
    }

    fn inherit_onto(&mut self, child: Rc<Entity>, parent: Option<Rc<Entity>>) -> PyResult<Rc<Entity>> {
        match parent {
            Some(parent) => Ok(Rc::new(inherit(&mut self.vm, &child, &parent)?)),
            None => Ok(child),
        }
    }
}

/// The exception that Python raises for a key that is no regular expression.
fn invalid_pattern(invalid: &InvalidPattern) -> Raised {
    let class = crate::python::exception::EXCEPTIONS.iter().find(|class| class.name == invalid.class);
    raise(class.copied().unwrap_or(&crate::python::modules::re::ERROR), invalid.message.as_str())
}

/// The id of an entity as text.
pub(super) fn id_of(entity: &Entity) -> Str {
    match &entity.id {
        Value::Str(id) => id.clone(),
        _ => Str::from(""),
    }
}
