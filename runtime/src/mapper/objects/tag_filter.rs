//! `SchedulingTags.tags` and `filter`: tags that are looked at when code asks for them, as TPV's generators do.

use std::rc::Rc;

use crate::mapper::tags::{TagId, TagNames, Tags};
use tpv_galaxy::tpv::version_of;
use tpv_model::TagType;
use tpv_python::exception::PyResult;
use tpv_python::iterator::{IteratorObject, PyIterator};
use tpv_python::modules::itertools::CHAIN;
use tpv_python::types::GENERATOR;
use tpv_python::value::Value;
use tpv_python::vm::{BYTES_A_STEP, Vm};

use super::{SchedulingTagsObject, TagObject, TagTypeMember};

/// The tags of an object that pass a filter.
pub(super) struct TagFilter {
    names: Rc<TagNames>,
    source: Source,
    /// The index of the current kind in [`TagType::ALL`].
    kind: usize,
    /// The wanted type: a member of `TagType`, or a container that has it.
    tag_type: Option<Value>,
    /// The wanted value.
    value: Option<Value>,
    /// The number of the wanted value, if it is a text: `Some(None)` if it has none.
    number: Option<Option<TagId>>,
}

/// The lists that are gone through.
enum Source {
    /// Those of the object, as long as no code has seen them.
    Set { owner: Value, tags: Rc<Tags>, position: usize },
    /// Python's iterators; `None` for a list that is not there.
    Iterators([Option<Value>; 4]),
}

/// A tag by number or, in a list that code has, as a value.
enum Tag {
    Number(TagId),
    Value(Value),
}

impl TagFilter {
    /// The iterator over the tags of `owner` that have this type and this value, as far as they are given.
    ///
    /// # Errors
    /// `TypeError` if code put something that cannot be iterated in place of a list.
    pub(super) fn value(
        vm: &mut Vm,
        owner: &Value,
        names: &Rc<TagNames>,
        [tag_type, value]: [Option<Value>; 2],
    ) -> PyResult<Value> {
        let object = owner.downcast::<SchedulingTagsObject>();
        let source = match object.and_then(SchedulingTagsObject::iterate) {
            Some(tags) => Source::Set { owner: owner.clone(), tags, position: 0 },
            None => Source::Iterators(iterators(vm, &object.map(SchedulingTagsObject::lists).unwrap_or_default())?),
        };
        let is_chain = tag_type.is_none() && value.is_none() && version_of(vm).has_models();
        let class = if is_chain { &CHAIN } else { &GENERATOR };
        let text = value.as_ref().and_then(Value::as_str);
        vm.visit(text.map_or(0, |text| text.len()), BYTES_A_STEP)?;
        let number = text.map(|text| names.find(text.as_str()));
        let filter = Self { names: names.clone(), source, kind: 0, tag_type, value, number };
        Ok(IteratorObject::new(class, filter))
    }

    /// The next tag of the current kind.
    fn next_of_kind(&mut self, vm: &mut Vm, kind: TagType) -> PyResult<Option<Tag>> {
        if let Source::Set { owner, tags, position } = &mut self.source {
            let Some(lists) = owner.downcast::<SchedulingTagsObject>().and_then(SchedulingTagsObject::iterated) else {
                let tag = tags.list(kind).get(*position).copied();
                *position += 1;
                return Ok(tag.map(Tag::Number));
            };
            // Code has got the lists meanwhile, and may have changed them.
            let position = *position;
            let iterators = iterators(vm, lists)?;
            if let Some(Some(current)) = iterators.get(self.kind) {
                for _ in 0..position {
                    vm.charge(1)?;
                    vm.next(current)?;
                }
            }
            self.source = Source::Iterators(iterators);
        }
        let Source::Iterators(iterators) = &self.source else { return Ok(None) };
        let current = iterators.get(self.kind).and_then(Option::as_ref);
        current.map_or(Ok(None), |current| vm.next(current)).map(|tag| tag.map(Tag::Value))
    }

    /// Returns `true` if a tag passes.
    fn passes(&self, vm: &mut Vm, kind: TagType, tag: &Tag) -> PyResult<bool> {
        let is_of_type = match &self.tag_type {
            None => true,
            Some(wanted) => match TagTypeMember::kind(wanted) {
                Some(wanted) => wanted == kind,
                None => vm.contains(wanted, &TagTypeMember::value(kind))?,
            },
        };
        let Some(wanted) = self.value.as_ref().filter(|_| is_of_type) else { return Ok(is_of_type) };
        match (tag, self.number) {
            (Tag::Number(id), Some(number)) => Ok(number == Some(*id)),
            (Tag::Number(id), None) => vm.equal(&Value::Str(self.names.name(*id)), wanted),
            (Tag::Value(value), _) => vm.equal(value, wanted),
        }
    }
}

impl TagFilter {
    fn next_passing(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        while let Some(kind) = TagType::ALL.get(self.kind).copied() {
            vm.charge(1)?;
            let Some(tag) = self.next_of_kind(vm, kind)? else {
                self.kind += 1;
                if let Source::Set { position, .. } = &mut self.source {
                    *position = 0;
                }
                continue;
            };
            if self.passes(vm, kind, &tag)? {
                let value = match tag {
                    Tag::Number(id) => Value::Str(self.names.name(id)),
                    Tag::Value(value) => value,
                };
                return Ok(Some(TagObject::of_fields(value, TagTypeMember::value(kind))));
            }
        }
        Ok(None)
    }
}

impl PyIterator for TagFilter {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let next = self.next_passing(vm);
        if next.is_err() {
            // A generator that raised has ended.
            self.kind = TagType::ALL.len();
        }
        next
    }
}

/// `iter(list or [])` for each.
fn iterators(vm: &mut Vm, lists: &[Value; 4]) -> PyResult<[Option<Value>; 4]> {
    let mut iterators = [const { None }; 4];
    for (iterator, list) in iterators.iter_mut().zip(lists) {
        if vm.truthy(list)? {
            *iterator = Some(vm.iter(list)?);
        }
    }
    Ok(iterators)
}
