//! `tpv.core.entities` and its neighbours, and the names that TPV's loader has for every block.

use std::sync::LazyLock;

use tpv_galaxy::tpv::version_of;
use tpv_python::exception::EXCEPTION;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::modules::logging;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::helpers;
use super::objects::{
    DESTINATION, ENTITY, ENTITY_WITH_RULES, INCOMPATIBLE_TAGS_EXCEPTION, POOL_ENTITY, ROLE, RULE, SCHEDULING_TAGS, TAG,
    TAG_SET_MANAGER, TOOL, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT, TagTypeClass, USER,
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
        "TagSetManager",
        "TagType",
        "Tool",
        "TryNextDestinationOrFail",
        "TryNextDestinationOrWait",
        "User",
        "log",
    ],
};

fn entities(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let version = version_of(vm);
    let class: &'static BuiltinType = match name {
        "Destination" => &DESTINATION,
        "Entity" => &ENTITY,
        "EntityWithRules" => &ENTITY_WITH_RULES,
        "IncompatibleTagsException" => &INCOMPATIBLE_TAGS_EXCEPTION,
        "PoolEntity" if version.has_pools() => &POOL_ENTITY,
        "Role" => &ROLE,
        "Rule" => &RULE,
        "SchedulingTags" if version.has_models() => &SCHEDULING_TAGS,
        "Tag" => &TAG,
        "TagSetManager" if !version.has_models() => &TAG_SET_MANAGER,
        "Tool" => &TOOL,
        "TryNextDestinationOrFail" => &TRY_NEXT_DESTINATION_OR_FAIL,
        "TryNextDestinationOrWait" => &TRY_NEXT_DESTINATION_OR_WAIT,
        "User" => &USER,
        "TagType" => return Ok(Some(Value::object(TagTypeClass))),
        "log" => return Ok(Some(logging::logger(vm, "tpv.core.loader"))),
        _ => return Ok(None),
    };
    Ok(Some(Value::Type(class)))
}

/// All modules: Python's own, Galaxy's, SQLAlchemy's and TPV's, and those that reach outside.
pub(super) static MODULES: LazyLock<Vec<&'static ModuleDef>> = LazyLock::new(|| {
    let outside = tpv_galaxy::modules::outside::MODULES.iter().map(|outside| &outside.module);
    tpv_galaxy::modules::with_python().iter().copied().chain([&helpers::MODULE, &ENTITIES]).chain(outside).collect()
});

/// The modules that code can import, of Python's own and of the host.
pub fn modules() -> &'static [&'static ModuleDef] {
    &MODULES
}

/// The module of that dotted name, of Python's own or of the host.
pub fn find_module(name: &str) -> Option<&'static ModuleDef> {
    MODULES.iter().copied().find(|module| module.name == name)
}

/// Declares classes that code can name but not make.
macro_rules! named_classes {
    ($($id:ident = $name:literal in $module:literal ($base:expr);)*) => {
        $(static $id: BuiltinType = BuiltinType::new($name, $module, $base);)*
    };
}

named_classes! {
    CODE_TYPE = "code" in "" (&OBJECT);
    GLOBAL_CONFIG = "GlobalConfig" in "tpv.core.entities" (&OBJECT);
    TPV_CONFIG = "TPVConfig" in "tpv.core.entities" (&OBJECT);
    CODE_EVALUATOR = "TPVCodeEvaluator" in "tpv.core.evaluator" (&OBJECT);
    CONFIG_LOADER = "TPVConfigLoader" in "tpv.core.loader" (&CODE_EVALUATOR);
    INVALID_PARENT = "InvalidParentException" in "tpv.core.loader" (&EXCEPTION);
    FEATURE = "_Feature" in "__future__" (&OBJECT);
}

/// `ast`: of it only its name, which TPV's loader imports.
static AST: ModuleDef = ModuleDef { name: "ast", get: |_, _| Ok(None), names: &[] };

/// `tpv.core.util`
static UTIL: ModuleDef = ModuleDef { name: "tpv.core.util", get: |_, _| Ok(None), names: &[] };

/// The globals of `tpv.core.loader`: TPV evaluates blocks in a copy of them.
pub(super) fn loader_global(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let class = |class: &'static BuiltinType| Ok(Some(Value::Type(class)));
    if !version_of(vm).has_models() {
        // The loader of TPV 2.5 imports these, and none of the names of types.
        match name {
            "re" if !version_of(vm).evaluates_early() => return Ok(find_module(name).map(Value::Module)),
            "Tool" => return class(&TOOL),
            "User" => return class(&USER),
            "Role" => return class(&ROLE),
            "Destination" => return class(&DESTINATION),
            "Any" | "cast" | "Callable" | "CodeType" | "GlobalConfig" | "TPVConfig" | "TPVCodeEvaluator" => {
                return Ok(None);
            }
            _ => {}
        }
    }
    let typing = find_module("typing");
    match name {
        "log" => Ok(Some(logging::logger(vm, "tpv.core.loader"))),
        "functools" | "logging" => Ok(find_module(name).map(Value::Module)),
        "helpers" => Ok(Some(Value::Module(&helpers::MODULE))),
        "ast" => Ok(Some(Value::Module(&AST))),
        "util" => Ok(Some(Value::Module(&UTIL))),
        "Any" | "cast" | "Callable" => typing.map_or(Ok(None), |typing| (typing.get)(vm, name)),
        "Entity" => class(&ENTITY),
        "CodeType" => class(&CODE_TYPE),
        "GlobalConfig" => class(&GLOBAL_CONFIG),
        "TPVConfig" => class(&TPV_CONFIG),
        "TPVCodeEvaluator" => class(&CODE_EVALUATOR),
        "TPVConfigLoader" => class(&CONFIG_LOADER),
        "InvalidParentException" => class(&INVALID_PARENT),
        "annotations" => class(&FEATURE),
        "__name__" => Ok(Some(Value::str("tpv.core.loader"))),
        "__package__" => Ok(Some(Value::str("tpv.core"))),
        _ => Ok(None),
    }
}
