//! `SchedulingTags` of `tpv.core.entities`, as code sees it.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use crate::mapper::data::deep_copy;
use crate::mapper::inherit::incompatible;
use crate::mapper::tags::{Lists, TagNames, Tags};
use tpv_galaxy::signature;
use tpv_galaxy::tpv::version_of;
use tpv_model::merge::override_tag;
use tpv_model::{Change, TagType};
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, attribute_error, type_error, value_error};
use tpv_python::iterator::{Items, IteratorObject};
use tpv_python::modules::itertools::CHAIN;
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, GENERATOR};
use tpv_python::value::Value;
use tpv_python::vm::{BYTES_A_STEP, Vm};

use super::tag_filter::TagFilter;
use super::{SCHEDULING_TAGS, TagTypeMember, dump, lacks, tag_set_manager};

/// The methods of tags.
pub const METHODS: &[&str] = &[
    "add_tag_override",
    "all_tag_values",
    "can_combine",
    "combine",
    "dict",
    "filter",
    "inherit",
    "match",
    "model_dump",
    "score",
];

/// The methods that take another set, by the names in messages and in code.
const TWO_SETS: [(&str, &str); 5] = [
    ("SchedulingTags.score", "score"),
    ("SchedulingTags.inherit", "inherit"),
    ("SchedulingTags.can_combine", "can_combine"),
    ("SchedulingTags.combine", "combine"),
    ("SchedulingTags.match", "match"),
];

/// The tags of an entity in the hands of code. They stay the shared set until code asks for a list, which it may change.
pub struct SchedulingTagsObject {
    /// The numbers of tags; a set that code made has none until it meets one of the mapper's.
    names: Rc<TagNames>,
    state: RefCell<State>,
    /// `true` if an iterator reads a frozen set.
    is_iterated: Cell<bool>,
    /// The lists that such a set became.
    iterated: OnceCell<Box<[Value; 4]>>,
}

enum State {
    Frozen(Rc<Tags>),
    /// The lists, in the order of [`TagType::ALL`]; `None` or a list each.
    Live([Value; 4]),
}

impl SchedulingTagsObject {
    fn new(names: Rc<TagNames>, state: State) -> Self {
        Self { names, state: RefCell::new(state), is_iterated: Cell::new(false), iterated: OnceCell::new() }
    }

    /// The tags as a value.
    pub fn value(names: &Rc<TagNames>, tags: Rc<Tags>) -> Value {
        Value::object(Self::new(names.clone(), State::Frozen(tags)))
    }

    /// Tags with these lists, in the order of [`TagType::ALL`]; each is a list or `None`.
    pub fn of_lists(lists: [Value; 4]) -> Self {
        Self::new(Rc::default(), State::Live(lists))
    }

    /// The lists, in the order of [`TagType::ALL`], which code may change from now on; each is a list or `None`.
    pub fn lists(&self) -> [Value; 4] {
        TagType::ALL.map(|kind| self.live_list(kind))
    }

    /// Replaces the lists, which are in the order of [`TagType::ALL`].
    pub fn set_lists(&self, lists: [Value; 4]) {
        let old = self.state.replace(State::Live(lists));
        drop(old);
    }

    /// The set as it is now.
    ///
    /// # Errors
    /// `TypeError` where code put something other than strings in a list.
    pub fn tags(&self, vm: &mut Vm) -> PyResult<Rc<Tags>> {
        self.tags_by(vm, &self.names)
    }

    /// The set as it is now, its tags numbered by `names`: two sets are compared in the numbers of one of them.
    pub fn tags_by(&self, vm: &mut Vm, names: &Rc<TagNames>) -> PyResult<Rc<Tags>> {
        let lists = match &*self.state.borrow() {
            State::Frozen(tags) if Rc::ptr_eq(names, &self.names) => return Ok(tags.clone()),
            State::Frozen(tags) => {
                vm.charge(Tags::effort(tags, &Tags::default()))?;
                TagType::ALL.map(|kind| self.list_value(tags, kind))
            }
            State::Live(lists) => lists.clone(),
        };
        let none = lists.each_ref().map(Value::is_none);
        let mut ids = Lists::default();
        for (ids, list) in ids.0.iter_mut().zip(&lists) {
            if list.is_none() {
                continue;
            }
            for tag in vm.collect(list)? {
                let name = tag_name(&tag)?;
                vm.visit(name.len(), BYTES_A_STEP)?;
                ids.push(names.id(name.as_str()));
            }
        }
        Ok(Rc::new(Tags::new(ids).with_none(none)))
    }

    /// Returns whether there is a tag of this value, of any kind; `None` if code holds the lists.
    pub(super) fn has(&self, value: &str) -> Option<bool> {
        match &*self.state.borrow() {
            State::Frozen(tags) => Some(tags.has_value(&self.names, value)),
            State::Live(_) => None,
        }
    }

    fn list_value(&self, tags: &Tags, kind: TagType) -> Value {
        if tags.none().get(kind as usize) == Some(&true) {
            return Value::None;
        }
        Value::list(tags.list(kind).iter().map(|id| Value::Str(self.names.name(*id))).collect())
    }

    /// The list of a kind, which code may change from now on.
    fn live_list(&self, kind: TagType) -> Value {
        let frozen = match &*self.state.borrow() {
            State::Frozen(tags) => Some(tags.clone()),
            State::Live(_) => None,
        };
        if let Some(tags) = frozen {
            let lists = TagType::ALL.map(|kind| self.list_value(&tags, kind));
            if self.is_iterated.get() {
                self.iterated.get_or_init(|| Box::new(lists.clone()));
            }
            *self.state.borrow_mut() = State::Live(lists);
        }
        match &*self.state.borrow() {
            State::Live(lists) => lists.get(kind as usize).cloned().unwrap_or(Value::None),
            State::Frozen(_) => Value::None,
        }
    }

    fn set_list(&self, kind: TagType, value: Value) {
        self.live_list(kind);
        if let State::Live(lists) = &mut *self.state.borrow_mut()
            && let Some(slot) = lists.get_mut(kind as usize)
        {
            *slot = value;
        }
    }

    /// `add_tag_override(tag_type, tag_value)`
    fn add_tag_override(&self, vm: &mut Vm, kind: TagType, name: &Str) -> PyResult<()> {
        let frozen = match &*self.state.borrow() {
            State::Frozen(tags) if !self.is_iterated.get() => Some(tags.clone()),
            _ => None,
        };
        vm.visit(name.len(), BYTES_A_STEP)?;
        if let Some(tags) = frozen {
            vm.charge(Tags::effort(&tags, &Tags::default()))?;
            let mut lists = tags.lists().clone();
            override_tag(&mut lists, kind, &self.names.id(name.as_str()));
            *self.state.borrow_mut() = State::Frozen(Rc::new(Tags::new(lists).with_none(tags.none())));
            return Ok(());
        }
        let tag = Value::Str(name.clone());
        self.remove(vm, &tag)?;
        let current = self.live_list(kind);
        let mut items = if current.is_none() { Vec::new() } else { vm.collect(&current)? };
        items.push(tag);
        self.set_list(kind, Value::list(items));
        Ok(())
    }

    /// Takes a tag out of the list of each kind.
    fn remove(&self, vm: &mut Vm, tag: &Value) -> PyResult<()> {
        for kind in TagType::ALL {
            let list = self.live_list(kind);
            if vm.truthy(&list)? && vm.contains(&list, tag)? {
                vm.call_method(&list, "remove", Args::one(tag.clone()))?;
            }
        }
        Ok(())
    }

    /// `filter(tag_type=None, tag_value=None)`: the matching tags, in order.
    fn filter(&self, vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
        let [tag_type, tag_value] = match version_of(vm).has_models() {
            true => signature::bind_method(args, "SchedulingTags.filter", ["tag_type", "tag_value"], 0)?,
            false => {
                let names = ["tag_type", "tag_name", "tag_value"];
                let [tag_type, tag_name, tag_value] = signature::bind_method(args, "TagSetManager.filter", names, 0)?;
                // All tags are named `scheduling`.
                if let Some(name) = tag_name
                    && vm.truthy(&name)?
                    && name.as_str().is_none_or(|name| name.as_str() != "scheduling")
                {
                    return Ok(lazily(Vec::new()));
                }
                [tag_type, tag_value]
            }
        };
        // Pull request 186 takes all that is not `None`.
        let takes_empty = version_of(vm).has(Change::Scores);
        let mut given = [tag_type, tag_value].map(|value| value.filter(|value| !value.is_none()));
        for value in &mut given {
            if let Some(filter) = value
                && !takes_empty
                && !vm.truthy(filter)?
            {
                *value = None;
            }
        }
        TagFilter::value(vm, this, &self.names, given)
    }

    /// The set of an object whose lists no code has, for an iterator: from now on changes keep [`SchedulingTagsObject::iterated`].
    pub(super) fn iterate(&self) -> Option<Rc<Tags>> {
        match &*self.state.borrow() {
            State::Frozen(tags) => {
                self.is_iterated.set(true);
                Some(tags.clone())
            }
            State::Live(_) => None,
        }
    }

    /// The lists that the set of iterators became, if code got them meanwhile.
    pub(super) fn iterated(&self) -> Option<&[Value; 4]> {
        self.iterated.get().map(|lists| &**lists)
    }

    fn all_values(&self, vm: &mut Vm) -> PyResult<Vec<Value>> {
        let tags = self.tags(vm)?;
        vm.charge(Tags::effort(&tags, &Tags::default()))?;
        let values = TagType::ALL.into_iter().flat_map(|kind| tags.list(kind).to_vec());
        Ok(values.map(|id| Value::Str(self.names.name(id))).collect())
    }

    /// The tags of the other operand of a method; `None` if it is something else.
    fn operand(&self, vm: &mut Vm, other: &Value) -> PyResult<Option<Rc<Tags>>> {
        let Some(tags) = other.downcast::<Self>() else { return Ok(None) };
        let (mine, other) = (self.tags(vm)?, tags.tags_by(vm, &self.names)?);
        vm.charge(Tags::effort(&mine, &other))?;
        Ok(Some(other))
    }

    /// The result of a method of two sets whose other operand is none: TPV's methods find that when they first use it, those that go
    /// through their own tags only if there are any.
    fn without_tags(&self, vm: &mut Vm, method: &str, other: &Value) -> PyResult<Value> {
        let (used, unused) = match method {
            "inherit" => ("add_tag_override", Some(other)),
            "score" => ("filter", Some(&Value::Int(0))),
            _ if version_of(vm).has_models() => ("require", None),
            _ => ("filter", None),
        };
        match unused {
            Some(unused) if self.tags(vm)?.is_empty() => deep_copy(vm, unused),
            _ => Err(lacks(vm, other, used, "scheduling tags")),
        }
    }
}

/// `SchedulingTags(require=[...], ...)`. Its tags get numbers of the mapper when it meets one of the mapper's sets.
///
/// # Errors
/// `ValueError` where a tag stands twice, as TPV's validation of the class raises.
pub(super) fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let fields = ["require", "prefer", "accept", "reject"];
    if !args.pos.is_empty() && version_of(vm).has_models() {
        let given = args.pos.len() + 1;
        return Err(type_error(format!("BaseModel.__init__() takes 1 positional argument but {given} were given")));
    }
    let lists = args.bind("SchedulingTags.__init__", fields, 0)?;
    let mut seen: Vec<(Value, Vec<&str>)> = Vec::new();
    for (field, list) in fields.into_iter().zip(&lists) {
        let Some(list) = list else { continue };
        if list.is_none() {
            continue;
        }
        for tag in vm.collect(list)? {
            vm.visit(seen.len(), 2)?;
            let mut known = None;
            for (index, (other, _)) in seen.iter().enumerate() {
                if vm.equal(other, &tag)? {
                    known = Some(index);
                    break;
                }
            }
            match known.and_then(|index| seen.get_mut(index)) {
                Some((_, places)) => places.push(field),
                None => seen.push((tag, vec![field])),
            }
        }
    }
    if let Some((tag, places)) = seen.iter().find(|(_, places)| places.len() > 1) {
        let places: Vec<String> = places.iter().map(|place| format!("'{place}'")).collect();
        let tag = vm.str(tag)?;
        return Err(value_error(format!("Duplicate tags found: '{}' in [{}]", tag.as_str(), places.join(", "))));
    }
    let lists = lists.map(|list| list.unwrap_or_else(|| Value::list(Vec::new())));
    Ok(Value::object(SchedulingTagsObject::of_lists(lists)))
}

fn lazily(items: Vec<Value>) -> Value {
    IteratorObject::new(&GENERATOR, Items(items.into_iter()))
}

impl Object for SchedulingTagsObject {
    fn class(&self) -> &'static BuiltinType {
        &SCHEDULING_TAGS
    }

    fn get_attr(&self, vm: &mut Vm, this: &Value, name: &str) -> PyResult<Option<Value>> {
        let has_lists = version_of(vm).has_models();
        if let Some(kind) = TagType::from_field(name).filter(|_| has_lists) {
            return Ok(Some(self.live_list(kind)));
        }
        match name {
            "tags" => TagFilter::value(vm, this, &self.names, [None, None]).map(Some),
            _ => Ok(None),
        }
    }

    /// The fields with their names, as pydantic's models are iterated.
    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let item = |kind: TagType| Value::tuple(vec![Value::str(kind.field()), self.live_list(kind)]);
        version_of(vm).has_models().then(|| Ok(lazily(TagType::ALL.map(item).into())))
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        if name.as_str() == "tags" && !version_of(vm).has_models() {
            self.set_lists(tag_set_manager::lists_of(vm, &value)?);
            return Ok(());
        }
        match TagType::from_field(name.as_str()) {
            Some(kind) => {
                self.set_list(kind, value);
                Ok(())
            }
            // DIFFERENCE: TPV's class takes any attribute and never reads it; a misspelt list is better refused.
            None => Err(attribute_error(format!("'SchedulingTags' object has no attribute '{}'", name.as_str()))),
        }
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        if matches!(name, "all_tag_values" | "dict" | "model_dump") && !version_of(vm).has_models() {
            return Some(Err(attribute_error(format!("'TagSetManager' object has no attribute '{name}'"))));
        }
        let args = std::mem::take(args);
        Some(self.method(vm, this, name, args))
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        Ok(format!("SchedulingTags({})", self.fields(vm, this)?.join(", ")))
    }

    fn str(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        Ok(self.fields(vm, this)?.join(" "))
    }

    fn compare(&self, vm: &mut Vm, op: tpv_python::vm::CompareOp, other: &Value) -> Option<PyResult<Value>> {
        use tpv_python::vm::CompareOp;
        let other = other.downcast::<Self>()?;
        let negate = match op {
            CompareOp::Eq => false,
            CompareOp::Ne => true,
            _ => return None,
        };
        let same = self.tags(vm).and_then(|mine| Ok(mine.same_lists(&*other.tags_by(vm, &self.names)?)));
        Some(same.map(|same| Value::Bool(same != negate)))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error(format!("unhashable type: '{}'", self.class().name))))
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        Ok(Self::value(&self.names, self.tags(vm)?))
    }
}

/// The text of a tag that code sets.
///
/// DIFFERENCE: TPV takes a value of any class, which then equals no tag that a config file can name.
fn tag_name(tag: &Value) -> PyResult<&Str> {
    match tag {
        Value::Str(name) => Ok(name),
        other => Err(type_error(format!("a scheduling tag must be a string, not '{}'", other.type_name().as_str()))),
    }
}

impl SchedulingTagsObject {
    fn method(&self, vm: &mut Vm, this: &Value, name: &str, args: Args) -> PyResult<Value> {
        let wrap = |tags: Rc<Tags>| Self::value(&self.names, tags);
        match name {
            "dict" | "model_dump" => {
                let tags = self.tags(vm)?;
                dump::tags(vm, &self.names, &tags, name, &args)
            }
            "filter" => self.filter(vm, this, args),
            "all_tag_values" => {
                let [] = signature::bind_method(args, "SchedulingTags.all_tag_values", [], 0)?;
                Ok(IteratorObject::new(&CHAIN, Items(self.all_values(vm)?.into_iter())))
            }
            "add_tag_override" => {
                let [kind, tag] = match version_of(vm).has_models() {
                    true => {
                        signature::bind_method(args, "SchedulingTags.add_tag_override", ["tag_type", "tag_value"], 2)?
                    }
                    false => {
                        let [tag] = signature::bind_method(args, "TagSetManager.add_tag_override", ["tag"], 1)?;
                        let tag = tag.unwrap_or(Value::None);
                        [Some(vm.get_attr(&tag, "tag_type")?), Some(vm.get_attr(&tag, "value")?)]
                    }
                };
                let (kind, tag) = (kind.unwrap_or(Value::None), tag.unwrap_or(Value::None));
                let Some(kind) = TagTypeMember::kind(&kind) else {
                    // TPV takes the tag out of all lists before it looks at the type.
                    self.remove(vm, &tag)?;
                    return Err(lacks(vm, &kind, "name", "a TagType"));
                };
                self.add_tag_override(vm, kind, tag_name(&tag)?)?;
                Ok(Value::None)
            }
            name => {
                let (method, name) = TWO_SETS.into_iter().find(|(_, short)| *short == name).unwrap_or(TWO_SETS[0]);
                let [other] = signature::bind_method(args, method, ["other"], 1)?;
                let other = other.unwrap_or(Value::None);
                let Some(other) = self.operand(vm, &other)? else { return self.without_tags(vm, name, &other) };
                let mine = self.tags(vm)?;
                match name {
                    "inherit" => Ok(wrap(Tags::inherit(&mine, &other))),
                    "combine" => {
                        let combined = Tags::combine(&mine, &other);
                        combined.map(wrap).ok_or_else(|| incompatible(&self.names, &mine, &other))
                    }
                    "can_combine" => Ok(Value::Bool(mine.can_combine(&other))),
                    "match" => Ok(Value::Bool(mine.matches(&other))),
                    _ => Ok(Value::Int(mine.score(&other, version_of(vm)))),
                }
            }
        }
    }

    fn fields(&self, vm: &mut Vm, _: &Value) -> PyResult<Vec<String>> {
        let tags = self.tags(vm)?;
        TagType::ALL
            .into_iter()
            .map(|kind| {
                let list = self.list_value(&tags, kind);
                Ok(format!("{}={}", kind.field(), vm.repr(&list)?))
            })
            .collect()
    }
}
