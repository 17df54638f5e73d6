//! `tpv.core.entities` and its neighbours, and the names that TPV's loader has for every block.

use std::sync::LazyLock;

use crate::galaxy;
use crate::python::exception::PyResult;
use crate::python::module::ModuleDef;
use crate::python::modules::{self as python_modules, logging};
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::objects::{
    DESTINATION, ENTITY, ENTITY_WITH_RULES, INCOMPATIBLE_TAGS_EXCEPTION, POOL_ENTITY, ROLE, RULE, SCHEDULING_TAGS, TAG,
    TOOL, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT, TagTypeClass, USER,
};

/// `tpv.core.entities`
static ENTITIES: ModuleDef = ModuleDef {
    name: "tpv.core.entities",
    get: entities,
    names: &[
        "Destination",
        "Entity",
        "EntityWithRules",
        "IncompatibleTagsException",
        "PoolEntity",
        "Role",
        "Rule",
        "SchedulingTags",
        "Tag",
        "TagType",
        "Tool",
        "TryNextDestinationOrFail",
        "TryNextDestinationOrWait",
        "User",
        "log",
    ],
};

fn entities(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let class: &'static BuiltinType = match name {
        "Destination" => &DESTINATION,
        "Entity" => &ENTITY,
        "EntityWithRules" => &ENTITY_WITH_RULES,
        "IncompatibleTagsException" => &INCOMPATIBLE_TAGS_EXCEPTION,
        "PoolEntity" => &POOL_ENTITY,
        "Role" => &ROLE,
        "Rule" => &RULE,
        "SchedulingTags" => &SCHEDULING_TAGS,
        "Tag" => &TAG,
        "Tool" => &TOOL,
        "TryNextDestinationOrFail" => &TRY_NEXT_DESTINATION_OR_FAIL,
        "TryNextDestinationOrWait" => &TRY_NEXT_DESTINATION_OR_WAIT,
        "User" => &USER,
        "TagType" => return Ok(Some(Value::object(TagTypeClass))),
        "log" => return Ok(Some(logging::logger(vm))),
        _ => return Ok(None),
    };
    Ok(Some(Value::Type(class.into())))
}

/// All modules of the host: Galaxy's, SQLAlchemy's and TPV's.
pub(super) static MODULES: LazyLock<Vec<&'static ModuleDef>> =
    LazyLock::new(|| galaxy::modules::MODULES.iter().copied().chain([&ENTITIES]).collect());

/// The module of that dotted name, of Python's own or of the host.
pub fn find_module(name: &str) -> Option<&'static ModuleDef> {
    python_modules::MODULES.iter().chain(MODULES.iter()).copied().find(|module| module.name == name)
}

/// What the globals of `tpv.core.loader` hold besides `helpers`: TPV evaluates blocks in a copy of them.
pub(super) fn loader_global(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let module = |name: &str| Ok(find_module(name).map(Value::Module));
    match name {
        "log" => Ok(Some(logging::logger(vm))),
        "functools" | "logging" | "ast" => module(name),
        "Any" | "TypeVar" | "cast" | "Callable" => match find_module("typing") {
            Some(typing) => (typing.get)(vm, name),
            None => Ok(None),
        },
        "Entity" => Ok(Some(Value::Type((&ENTITY).into()))),
        "__name__" => Ok(Some(Value::str("tpv.core.loader"))),
        "__package__" => Ok(Some(Value::str("tpv.core"))),
        _ => Ok(None),
    }
}
