//! Lookup: the entities that match a job's tool, roles and user. TPV's `_find_matching_entities`.
//!
//! What an id matches, and the matches folded into one entity, depend on nothing else. So both are kept, as long as the thread
//! has room ([`super::memory`]).

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::artifact::tables::{EntityClass, EntityTable, Resource, Tables};
use crate::galaxy::errors::job_mapping_exception;
use crate::galaxy::job::Job;
use crate::galaxy::resource_requirements::extract;
use crate::patterns::InvalidPattern;
use crate::python::exception::{PyResult, Raised, raise, type_error};
use crate::python::string::Str;
use crate::python::value::Value;
use crate::word_hash::WordMap;

use super::entity::Entity;
use super::explain::{Because, Found, Observer, Step};
use super::memory::{ALLOCATION, Held, entry};
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

/// How many roles with users are kept with a tool.
const MAX_COMBINED: usize = 8;

/// What the lookups of a thread found.
#[derive(Default)]
pub(super) struct Lookups {
    /// By section and id.
    ids: [WordMap<Box<str>, Rc<Matched>>; 3],
    /// Equal sets are one.
    sets: WordMap<(Section, Box<[u32]>), Rc<Matched>>,
    /// By the set of matches (0 for none of them) and what the tool declares: the entities folded into one.
    folded: WordMap<(u64, Box<[u64]>), Rc<Entity>>,
    /// By the tool's own id: the entities of tools that nothing matches and that declare nothing.
    unmatched: WordMap<Box<str>, Plain>,
    tool_types: WordMap<Box<str>, u64>,
    next: u64,
    /// The bytes of all that.
    bytes: usize,
}

/// The entities of a section that match an id.
struct Matched {
    /// A number of its own.
    number: u64,
    /// In the order of lookup.
    entities: Vec<Rc<Entity>>,
    /// The entities folded into one, for tools that declare nothing; `None` where there is none, which no tool has.
    plain: OnceCell<Option<Plain>>,
}

/// The entity of an id.
struct Plain {
    entity: Rc<Entity>,
    /// Of a tool: what it was combined to for the last jobs.
    combined: RefCell<SmallVec<[Combined; 1]>>,
}

/// What a tool, a role and a user were combined to.
struct Combined {
    /// The numbers of what the role and the user matched, 0 for none.
    with: [u64; 2],
    entity: Rc<Entity>,
}

impl From<Rc<Entity>> for Plain {
    fn from(entity: Rc<Entity>) -> Self {
        Self { entity, combined: RefCell::default() }
    }
}

impl Matched {
    fn plain(&self) -> Option<&Rc<Entity>> {
        self.plain.get()?.as_ref().map(|plain| &plain.entity)
    }
}

impl Lookups {
    /// The bytes of what is kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The entity of the job's tool, which declares nothing, and the numbers of what its role and user matched; nothing where
    /// one of them was not looked up before.
    fn known(&self, job: &Job) -> Option<(&Plain, [u64; 2])> {
        let [tools, roles, users] = &self.ids;
        let tool = &job.tool;
        if tool.id.is_empty() || tool.dynamic_tool_uuid.is_some() || !declares_nothing(job) {
            return None;
        }
        let plain = match tools.get(&*tool.id)?.plain.get() {
            Some(plain) => plain.as_ref()?,
            None => self.unmatched.get(&*tool.id)?,
        };
        let mut with = [0; 2];
        if let Some(user) = &job.user {
            for role in user.roles.iter().filter(|role| !role.deleted) {
                let matched = roles.get(&*role.name)?;
                if matched.plain.get()?.is_some() {
                    with[0] = matched.number;
                    break;
                }
            }
            with[1] = users.get(user.email.as_deref()?)?.number;
        }
        Some((plain, with))
    }

    /// What the entities of a job with the same matches were combined to, where one came before.
    pub(super) fn combined(&self, job: &Job) -> Option<Rc<Entity>> {
        let (plain, with) = self.known(job)?;
        let combined = plain.combined.borrow();
        combined.iter().find(|known| known.with == with).map(|known| known.entity.clone())
    }

    /// Keeps what the entities of a job were combined to.
    pub(super) fn keep_combined(&self, job: &Job, combined: &Rc<Entity>) {
        if let Some((plain, with)) = self.known(job) {
            let mut all = plain.combined.borrow_mut();
            if all.len() >= MAX_COMBINED {
                all.remove(0);
            }
            all.push(Combined { with, entity: combined.clone() });
        }
    }
}

fn declares_nothing(job: &Job) -> bool {
    job.tool.resource_requirements.is_empty() && job.tool.tool_type.is_none()
}

impl Worker {
    /// The entities of the job's tool, of its user's first role that has one, and of its user.
    pub(super) fn find_matching_entities(
        &mut self,
        job: &Job,
        observer: &mut dyn Observer,
    ) -> PyResult<SmallVec<[Rc<Entity>; 3]>> {
        // A tool with a uuid of its own is looked up by that: it must not take another tool's rules by its id.
        let dynamic;
        let tool_id = match &job.tool.dynamic_tool_uuid {
            Some(uuid) => {
                dynamic = format!("{}-{uuid}", job.tool.tool_type());
                dynamic.as_str()
            }
            None if job.tool.id.is_empty() => "unknown_tool_id",
            None => &job.tool.id,
        };
        let mut found = SmallVec::new();
        if observer.watches() {
            let provided = self.tool_provided(job);
            self.observe_lookup(Section::Tools, tool_id, Some(provided), observer)?;
        }
        found.push(self.tool_entity(job, tool_id)?);
        if let Some(user) = &job.user {
            for role in user.roles.iter().filter(|role| !role.deleted) {
                self.observe_lookup(Section::Roles, &role.name, None, observer)?;
                if let Some(entity) = self.section_entity(Section::Roles, &role.name)? {
                    found.push(entity);
                    break;
                }
            }
            match &user.email {
                Some(email) => {
                    self.observe_lookup(Section::Users, email, None, observer)?;
                    found.extend(self.section_entity(Section::Users, email)?);
                }
                None if !self.rules.tables().users.rows.is_empty() => {
                    return Err(type_error("expected string or bytes-like object, got 'NoneType'"));
                }
                None => found.extend(self.section_entity(Section::Users, "")?),
            }
        }
        Ok(found)
    }

    /// The entity of the job's tool: the default, what the tool declares, and all that match, each inheriting from the one
    /// before.
    fn tool_entity(&mut self, job: &Job, tool_id: &str) -> PyResult<Rc<Entity>> {
        let matched = self.matches(Section::Tools, tool_id)?;
        let plain = declares_nothing(job);
        if plain && let Some(entity) = matched.plain() {
            return Ok(entity.clone());
        }
        // Without a match the entity has an id by the tool's.
        if matched.entities.is_empty() {
            let known_by_id = plain && &*job.tool.id == tool_id;
            if known_by_id && let Some(plain) = self.lookups.unmatched.get(tool_id) {
                return Ok(plain.entity.clone());
            }
            let entity = self.first_of_tool(job)?;
            if known_by_id {
                self.lookups.bytes += keyed::<Box<str>, Plain>(tool_id.len()) + COMBINED;
                self.lookups.unmatched.insert(tool_id.into(), entity.clone().into());
            }
            return Ok(entity);
        }
        let key = (matched.number, self.declared(job));
        if let Some(entity) = self.lookups.folded.get(&key) {
            return Ok(entity.clone());
        }
        // Every match has an id that hides the one by the tool's.
        let declared = (0, key.1.clone());
        let first = match self.lookups.folded.get(&declared) {
            Some(first) => first.clone(),
            None => {
                let first = self.first_of_tool(job)?;
                self.lookups.bytes += keyed::<(u64, Box<[u64]>), Rc<Entity>>(size_of_val(&*declared.1));
                self.lookups.folded.insert(declared, first.clone());
                first
            }
        };
        let entity = self.fold(first, &matched)?;
        if plain {
            let _ = matched.plain.set(Some(entity.clone().into()));
        } else {
            self.lookups.bytes += keyed::<(u64, Box<[u64]>), Rc<Entity>>(size_of_val(&*key.1));
            self.lookups.folded.insert(key, entity.clone());
        }
        Ok(entity)
    }

    /// What a tool declares as words: its type, and the resources with their numbers.
    fn declared(&mut self, job: &Job) -> Box<[u64]> {
        let types = &mut self.lookups.tool_types;
        let tool_type = match types.get(job.tool.tool_type()) {
            Some(number) => *number,
            None => {
                self.lookups.next += 1;
                self.lookups.bytes += keyed::<Box<str>, u64>(job.tool.tool_type().len());
                types.insert(job.tool.tool_type().into(), self.lookups.next);
                self.lookups.next
            }
        };
        let mut words = vec![tool_type];
        for (field, number) in extract(&job.tool.resource_requirements) {
            if let Some(resource) = Resource::from_name(field) {
                words.extend([resource as u64, number.to_bits()]);
            }
        }
        words.into()
    }

    /// What a tool declares, over the default.
    fn first_of_tool(&mut self, job: &Job) -> PyResult<Rc<Entity>> {
        let provided = self.tool_provided(job);
        self.store.shared.hold(provided.held());
        match self.default_of(Section::Tools) {
            Some(default) => self.inherit(&provided, &default),
            None => Ok(provided),
        }
    }

    fn default_of(&self, section: Section) -> Option<Rc<Entity>> {
        let default = section.table(self.rules.tables()).default?;
        self.store.entity(section, default)
    }

    fn fold(&mut self, first: Rc<Entity>, matched: &Matched) -> PyResult<Rc<Entity>> {
        matched.entities.iter().try_fold(first, |parent, child| self.inherit(child, &parent))
    }

    /// The default of a section and all that match a name, each inheriting from the one before; nothing where there is none.
    fn section_entity(&mut self, section: Section, name: &str) -> PyResult<Option<Rc<Entity>>> {
        let matched = self.matches(section, name)?;
        if matched.plain.get().is_some() {
            return Ok(matched.plain().cloned());
        }
        let mut rest = matched.entities.iter();
        let first = self.default_of(section).or_else(|| rest.next().cloned());
        let entity =
            first.map(|first| rest.try_fold(first, |parent, child| self.inherit(child, &parent))).transpose()?;
        let _ = matched.plain.set(entity.map(Plain::from));
        Ok(matched.plain().cloned())
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
        self.store.shared.share(entity)
    }

    /// Tells an observer which entities of a section count for a name, and why.
    fn observe_lookup(
        &mut self,
        section: Section,
        name: &str,
        provided: Option<Rc<Entity>>,
        observer: &mut dyn Observer,
    ) -> PyResult<()> {
        if !observer.watches() {
            return Ok(());
        }
        let rules = self.rules.clone();
        let default = section.table(rules.tables()).default.and_then(|index| self.store.entity(section, index));
        let mut found = Vec::new();
        found.extend(default.map(|entity| Found { entity, because: Because::Default }));
        found.extend(provided.map(|entity| Found { entity, because: Because::Wrapper }));
        let matched = self.matches(section, name)?;
        found.extend(matched.entities.iter().map(|entity| Found { entity: entity.clone(), because: Because::Pattern }));
        observer.step(Step::Lookup { section: section.name(), name, found: &found });
        Ok(())
    }

    /// The entities of a section whose pattern matches a name.
    fn matches(&mut self, section: Section, name: &str) -> PyResult<Rc<Matched>> {
        let known = self.lookups.ids.get(section as usize).and_then(|ids| ids.get(name));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let rules = self.rules.clone();
        let mut indexes = Vec::new();
        let outcome = rules.matcher(section).matches(name, &mut indexes);
        let mut entities = Vec::with_capacity(indexes.len());
        for index in &indexes {
            let Some(entity) = self.store.entity(section, *index) else { continue };
            if self.vm.truthy(&entity.abstract_)? {
                // DIFFERENCE: TPV's message shows every field of the entity and the address of its loader.
                let id = self.vm.str(&entity.id)?;
                let message =
                    format!("This entity is abstract and cannot be mapped : id='{}' abstract=True", id.as_str());
                return Err(job_mapping_exception(Value::str(message)));
            }
            entities.push(entity);
        }
        if let Err(invalid) = outcome {
            return Err(invalid_pattern(&invalid));
        }
        let lookups = &mut self.lookups;
        let key = (section, Box::from(indexes));
        let matched = match lookups.sets.get(&key) {
            Some(known) => known.clone(),
            None => {
                lookups.next += 1;
                let held = size_of::<Matched>() + size_of_val(&*entities) + COMBINED;
                lookups.bytes += keyed::<(Section, Box<[u32]>), Rc<Matched>>(size_of_val(&*key.1)) + held;
                let matched = Rc::new(Matched { number: lookups.next, entities, plain: OnceCell::new() });
                lookups.sets.insert(key, matched.clone());
                matched
            }
        };
        if let Some(ids) = lookups.ids.get_mut(section as usize) {
            lookups.bytes += keyed::<Box<str>, Rc<Matched>>(name.len());
            ids.insert(name.into(), matched.clone());
        }
        Ok(matched)
    }
}

/// The bytes of what a tool is combined to, with as many roles and users as are kept.
const COMBINED: usize = ALLOCATION + MAX_COMBINED * size_of::<Combined>();

/// The bytes of an entry of a map with a key of so many bytes on the heap.
fn keyed<K, V>(key: usize) -> usize {
    2 * ALLOCATION + entry::<K, V>() + key
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
