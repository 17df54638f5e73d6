//! `tpv.core.helpers` as code sees it: Galaxy's helpers, and the one that asks an entity for its tags.

use tpv_galaxy::tpv::version_of;
use tpv_galaxy::{helpers, signature};
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::value::{Builtin, Value};
use tpv_python::vm::{BYTES_A_STEP, Vm};

use super::objects::EntityObject;

/// `tpv.core.helpers`
pub(super) static MODULE: ModuleDef = ModuleDef { name: "tpv.core.helpers", get, names: helpers::NAMES };

/// `helpers.tag_values_match`
static TAG_VALUES_MATCH: Builtin = Builtin::pure("tpv.core.helpers", "tag_values_match", tag_values_match);

/// Returns `true` if there is a helper of this name that only looks at its arguments.
pub(super) fn is_pure(name: &str) -> bool {
    name == TAG_VALUES_MATCH.name || helpers::is_pure(name)
}

fn get(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    match name {
        _ if !version_of(vm).has_helper(name) => Ok(None),
        "tag_values_match" => Ok(Some(Value::Builtin(&TAG_VALUES_MATCH))),
        _ => helpers::get(vm, name),
    }
}

/// `tag_values_match(entity, match_tag_values=None, exclude_tag_values=None)`: whether the entity has all of the first and
/// none of the second, of whatever kind the tags are.
fn tag_values_match(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["entity", "match_tag_values", "exclude_tag_values"];
    let [entity, wanted, excluded] = signature::bind(args, "tag_values_match", names, 1)?;
    let entity = entity.unwrap_or(Value::None);
    let mut lists = [Vec::new(), Vec::new()];
    for (list, values) in lists.iter_mut().zip([wanted, excluded]) {
        if let Some(values) = values
            && vm.truthy(&values)?
        {
            *list = vm.collect(&values)?;
        }
    }
    let [wanted, excluded] = lists;
    // Both lists are looked at whole, but the second only where the first is there: an entity without tags raises.
    let mut all = true;
    for value in wanted {
        all &= has_tag(vm, &entity, value)?;
    }
    if !all {
        return Ok(Value::Bool(false));
    }
    let mut any = false;
    for value in excluded {
        any |= has_tag(vm, &entity, value)?;
    }
    Ok(Value::Bool(!any))
}

/// `any(entity.tpv_tags.filter(tag_value=value))`
fn has_tag(vm: &mut Vm, entity: &Value, value: Value) -> PyResult<bool> {
    vm.visit(value.as_str().map_or(0, |text| text.len()), BYTES_A_STEP)?;
    if let (Some(entity), Value::Str(text)) = (entity.downcast::<EntityObject>(), &value)
        && let Some(has) = entity.has_tag(text.as_str())
    {
        return Ok(has);
    }
    let tags = vm.get_attr(entity, "tpv_tags")?;
    let found = vm.call_method(&tags, "filter", Args::positional([Value::None, value]))?;
    let iterator = vm.iter(&found)?;
    while let Some(tag) = vm.next(&iterator)? {
        if vm.truthy(&tag)? {
            return Ok(true);
        }
    }
    Ok(false)
}
