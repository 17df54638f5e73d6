//! `TagSetManager` of TPV before 3.0: the class from which code makes what later versions call `SchedulingTags`.

use tpv_model::TagType;
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::{Builtin, Value};
use tpv_python::vm::Vm;

use super::tags_object::SchedulingTagsObject;
use super::{SCHEDULING_TAGS, TagTypeMember};

/// `TagSetManager`
pub static TAG_SET_MANAGER: BuiltinType = BuiltinType {
    construct: Some(construct),
    statics: &[Builtin::new("TagSetManager", "from_dict", from_dict)],
    registered: &[&SCHEDULING_TAGS],
    ..BuiltinType::new("TagSetManager", "tpv.core.entities", &OBJECT)
};

/// `TagSetManager(tags=[])`, of objects of the class `Tag`.
fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [tags] = args.bind("TagSetManager.__init__", ["tags"], 0)?;
    Ok(Value::object(SchedulingTagsObject::of_lists(lists_of(vm, &tags.unwrap_or(Value::None))?)))
}

/// The lists of tags of each kind, in the order of [`TagType::ALL`], from one list of objects of the class `Tag`.
pub(super) fn lists_of(vm: &mut Vm, tags: &Value) -> PyResult<[Value; 4]> {
    let mut lists: [Vec<Value>; 4] = Default::default();
    if vm.truthy(tags)? {
        for tag in vm.collect(tags)? {
            let (kind, value) = (vm.get_attr(&tag, "tag_type")?, vm.get_attr(&tag, "value")?);
            // A tag of another type is never asked for.
            if let Some(list) = TagTypeMember::kind(&kind).and_then(|kind| lists.get_mut(kind as usize)) {
                list.push(value);
            }
        }
    }
    Ok(lists.map(Value::list))
}

/// `TagSetManager.from_dict({"require": [...], ...})`
fn from_dict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [tags] = args.exactly("TagSetManager.from_dict")?;
    let mut lists: [Vec<Value>; 4] = Default::default();
    for (kind, list) in TagType::ALL.into_iter().zip(&mut lists) {
        let given = vm.call_method(&tags, "get", Args::one(Value::str(kind.field())))?;
        if vm.truthy(&given)? {
            *list = vm.collect(&given)?;
        }
    }
    Ok(Value::object(SchedulingTagsObject::of_lists(lists.map(Value::list))))
}
