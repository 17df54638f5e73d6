//! What a source reads now, as words: equal words, equal reads.
//!
//! The words of a value are the value and no hash of it. Each value begins with a word that says its kind, and its length
//! where it has one, so that no two sequences of values have the same words. What has changed since the mapper made it (an
//! entity, a list of roles in the hands of code) is read as it is now, or has no words.

use smallvec::SmallVec;

use crate::galaxy::job::{Further, RawJson};
use crate::galaxy::json::Json;
use crate::galaxy::objects::{
    AppFields, Bag, Fields, HistoryFields, JobFields, ModelFields, RoleFields, TagFields, ToolFields, UserFields,
};
use crate::python::dict::StrKey;
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::objects::EntityObject;
use super::reads::Source;
use super::tags::TagType;
use super::worker::Slots;

/// The most words of one key: what is longer has none.
const MAX_WORDS: usize = 128;

/// A sequence of words.
#[derive(Default)]
pub(super) struct Words {
    words: SmallVec<[u64; MAX_WORDS]>,
    /// Whether there were more.
    is_cut: bool,
}

impl Words {
    /// Takes all words away.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.is_cut = false;
    }

    /// Adds a word. Past the end nothing is added, and the sequence is too long.
    pub(super) fn push(&mut self, word: u64) {
        if self.words.len() < MAX_WORDS {
            self.words.push(word);
        } else {
            self.is_cut = true;
        }
    }

    /// Adds a text.
    pub(super) fn push_text(&mut self, text: &str) {
        self.push(TEXT | (text.len() as u64) << 8);
        let (chunks, rest) = text.as_bytes().as_chunks::<8>();
        for chunk in chunks {
            self.push(u64::from_le_bytes(*chunk));
        }
        if !rest.is_empty() {
            self.push(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    /// Adds a value that nobody can change; nothing is added of any other.
    pub(super) fn push_plain(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::None => self.push(NONE),
            Value::Bool(truth) => self.push(if *truth { TRUE } else { FALSE }),
            Value::Int(int) => {
                self.push(INT);
                self.push(int.cast_unsigned());
            }
            Value::Float(float) => {
                self.push(FLOAT);
                self.push(float.to_bits());
            }
            Value::Str(text) => self.push_text(text.as_str()),
            _ => return None,
        }
        Some(())
    }

    /// Adds a truth value; nothing is added of any other.
    pub(super) fn push_truth(&mut self, value: &Value) -> Option<()> {
        matches!(value, Value::Bool(_)).then(|| self.push_plain(value))?
    }

    /// Adds words.
    pub(super) fn extend(&mut self, words: &[u64]) {
        words.iter().for_each(|word| self.push(*word));
    }

    /// The words; nothing where they are too many.
    pub(super) fn words(&self) -> Option<&[u64]> {
        (!self.is_cut).then_some(&self.words)
    }
}

/// Appends the words of what `source` reads now: nothing where it has none. A condition is evaluated, which the job pays for.
pub(super) fn push(words: &mut Words, vm: &mut Vm, slots: &Slots, source: Source) -> Option<()> {
    if let Source::Condition(code) = source {
        let program = vm.program.clone()?;
        return words.push_truth(&vm.run(&program, code).ok()?);
    }
    match vm.context.get(slot_of(source, slots)?)?.as_ref()? {
        Value::List(list) if source == Source::Candidates => {
            let list = list.clone();
            let candidates = list.items.borrow();
            words.push(OBJECT | (candidates.len() as u64) << 8);
            candidates.iter().try_for_each(|candidate| {
                let number = candidate.downcast::<EntityObject>()?.shared_identity(vm)?;
                words.push(number.into());
                Some(())
            })
        }
        object @ Value::Object(_) => {
            let object = object.clone();
            push_object(words, vm, slots, source, &object)
        }
        plain => words.push_plain(plain),
    }
}

/// The slot of the context through which a source is read.
pub(super) fn slot_of(source: Source, slots: &Slots) -> Option<usize> {
    Some(match source {
        Source::Slot(slot) => slot,
        Source::HasUser | Source::UserRoles | Source::User => slots.user,
        Source::HistoryTags => slots.job,
        Source::ToolId | Source::Tool => slots.tool,
        Source::App => slots.app,
        Source::EntityTags | Source::EntityParam(_) | Source::EntityResource(_) => slots.entity,
        Source::Candidates => slots.candidate_destinations,
        Source::Unknown | Source::Condition(_) => return None,
    })
}

const ABSENT: u64 = 0;
const NONE: u64 = 1;
const FALSE: u64 = 2;
const TRUE: u64 = 3;
const INT: u64 = 4;
const FLOAT: u64 = 5;
const OBJECT: u64 = 6;
const ENTITY: u64 = 7;
/// The tag of texts; their length stands above it.
const TEXT: u64 = 8;

fn push_optional(words: &mut Words, text: Option<&str>) {
    match text {
        Some(text) => words.push_text(text),
        None => words.push(NONE),
    }
}

/// Appends what a source reads of an object.
fn push_object(words: &mut Words, vm: &mut Vm, slots: &Slots, source: Source, value: &Value) -> Option<()> {
    match source {
        Source::Slot(_) => {
            let identity = value.downcast::<EntityObject>()?.shared_identity(vm)?;
            words.push(ENTITY | u64::from(identity) << 8);
        }
        Source::Unknown | Source::Candidates | Source::Condition(_) => return None,
        // The world is the same for all that is kept.
        Source::App => {
            let app = as_made::<AppFields>(value)?;
            if let Some(model) = app.made("model") {
                as_made::<ModelFields>(&model)?;
            }
            // Code may have changed what these hold.
            if !app.untouched("config") || !app.untouched("tool_data_tables") {
                return None;
            }
            words.push(OBJECT);
        }
        Source::EntityTags => {
            let tags = EntityObject::of(value).ok()?.tags_now(vm)?;
            for (kind, is_none) in TagType::ALL.into_iter().zip(tags.none()) {
                let list = tags.list(kind);
                words.push(OBJECT | u64::from(is_none) << 7 | (list.len() as u64) << 8);
                list.iter().for_each(|tag| words.push(u64::from(*tag)));
            }
        }
        Source::EntityParam(name) => {
            let Value::Dict(params) = EntityObject::of(value).ok()?.part_now("params")? else { return None };
            let name = vm.program.as_ref()?.string(name);
            match params.table.borrow().get(&StrKey(name.as_str())) {
                Some(value) => words.push_plain(value)?,
                None => words.push(ABSENT),
            }
        }
        Source::EntityResource(resource) => {
            words.push_plain(&EntityObject::of(value).ok()?.resource_now(resource))?;
        }
        Source::HasUser => words.push(OBJECT),
        // The objects of a dry run are others.
        _ if vm.context.get(slots.job).is_some_and(is_stand_in) => return None,
        Source::UserRoles => push_roles(words, as_made::<UserFields>(value)?)?,
        Source::User => {
            let bag = as_made::<UserFields>(value)?;
            let job = bag.fields().record();
            let user = job.user.as_ref()?;
            words.push(OBJECT);
            words.push(user.id.cast_unsigned());
            words.push_text(user.username());
            push_optional(words, user.email.as_deref());
            push_optional(words, user.extra_preferences.as_ref().map(RawJson::text));
            if !bag.untouched("extra_preferences") {
                return None;
            }
            push_further(words, bag, &user.further)?;
            push_roles(words, bag)?;
        }
        Source::HistoryTags => {
            let bag = as_made::<JobFields>(value)?;
            let job = bag.fields().record();
            let Some(history) = &job.history else {
                words.push(NONE);
                return Some(());
            };
            match bag.made("history") {
                None => {}
                Some(history) => match as_made::<HistoryFields>(&history)?.made("tags") {
                    None => {}
                    Some(tags) => {
                        return push_list::<TagFields>(words, &tags, |words, tag| {
                            words.push_text(tag.user_tname.as_str()?);
                            push_optional(words, tag.value.as_str().map(|text| text.as_str()));
                            Some(())
                        });
                    }
                },
            }
            words.push(OBJECT | (history.tags.len() as u64) << 8);
            for (name, value) in &history.tags {
                words.push_text(name);
                push_optional(words, value.as_deref());
            }
        }
        Source::ToolId => words.push_text(&as_made::<ToolFields>(value)?.fields().record().tool.id),
        Source::Tool => {
            let bag = as_made::<ToolFields>(value)?;
            let job = bag.fields().record();
            let tool = &job.tool;
            let lists = ["installed_tool_dependencies", "resource_requirements", "dynamic_tool"];
            if !lists.iter().all(|name| bag.untouched(name)) {
                return None;
            }
            words.push(OBJECT | u64::from(tool.requires_galaxy_python_environment) << 8);
            words.push_text(&tool.id);
            words.push_text(tool.old_id());
            push_optional(words, tool.version.as_deref());
            words.push_text(tool.tool_type());
            push_optional(words, tool.dynamic_tool_uuid.as_deref());
            push_further(words, bag, &tool.further)?;
            for requirement in &tool.resource_requirements {
                words.push_text(requirement.resource_type());
                match requirement.value() {
                    Json::Int(int) => words.push_plain(&Value::Int(*int))?,
                    Json::Float(float) => words.push_plain(&Value::Float(*float))?,
                    Json::Str(text) => words.push_text(text),
                    _ => return None,
                }
            }
        }
    }
    Some(())
}

/// What the job file gives beyond the names, where no code got to see it.
fn push_further<F: Fields>(words: &mut Words, bag: &Bag<F>, further: &Further) -> Option<()> {
    words.push(OBJECT | (further.iter().count() as u64) << 8);
    for (name, text) in further.iter() {
        if !bag.untouched(name) {
            return None;
        }
        words.push_text(name);
        words.push_text(text);
    }
    Some(())
}

/// Whether a job is one of a dry run.
fn is_stand_in(job: &Option<Value>) -> bool {
    let job = job.as_ref().and_then(|job| job.downcast::<Bag<JobFields>>());
    job.is_none_or(|job| job.fields().record().stand_in)
}

fn push_roles(words: &mut Words, user: &Bag<UserFields>) -> Option<()> {
    if let Some(roles) = user.made("roles") {
        return push_list::<RoleFields>(words, &roles, |words, role| {
            words.push_text(role.name.as_str()?);
            words.push(u64::from(role.deleted.is(&Value::Bool(true))));
            Some(())
        });
    }
    let roles = &user.fields().record().user.as_ref()?.roles;
    words.push(OBJECT | (roles.len() as u64) << 8);
    for role in roles {
        words.push_text(&role.name);
        words.push(u64::from(role.deleted));
    }
    Some(())
}

/// A list that code may have changed: its items as they are now, all of which must be as they were made.
fn push_list<F: Fields>(words: &mut Words, list: &Value, push: impl Fn(&mut Words, &F) -> Option<()>) -> Option<()> {
    let Value::List(list) = list else { return None };
    let items = list.items.borrow();
    words.push(OBJECT | (items.len() as u64) << 8);
    items.iter().try_for_each(|item| push(words, as_made::<F>(item)?.fields()))
}

/// The object, where no code has set or deleted an attribute of it.
fn as_made<F: Fields>(value: &Value) -> Option<&Bag<F>> {
    value.downcast::<Bag<F>>().filter(|bag| !bag.is_changed())
}
