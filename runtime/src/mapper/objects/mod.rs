//! TPV's objects as code sees them: entities, scheduling tags, the mapper.

mod dump;
mod entity_object;
mod exceptions;
mod mapper_object;
mod parts;
mod tag_filter;
mod tag_set_manager;
mod tag_types;
mod tags_object;

pub use entity_object::EntityObject;
pub use exceptions::{INCOMPATIBLE_TAGS_EXCEPTION, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT};
pub use mapper_object::MapperObject;
pub use tag_set_manager::TAG_SET_MANAGER;
pub use tag_types::{TagObject, TagTypeClass, TagTypeMember};
pub use tags_object::SchedulingTagsObject;

use tpv_model::EntityClass;
use tpv_python::exception::{Raised, type_error};
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// Declares the classes of `tpv.core.entities`.
macro_rules! classes {
    ($($(#[$doc:meta])* $id:ident = $name:literal ($base:expr, $construct:expr);)*) => {
        $($(#[$doc])* pub static $id: BuiltinType = BuiltinType {
            construct: $construct,
..BuiltinType::new($name, "tpv.core.entities", $base)
};)*
    };
}

classes! {
    /// `Entity`
    ENTITY = "Entity" (&OBJECT, None);
    /// `EntityWithRules`
    ENTITY_WITH_RULES = "EntityWithRules" (&ENTITY, None);
    /// `Rule`
    RULE = "Rule" (&ENTITY, None);
    /// `Tool`
    TOOL = "Tool" (&ENTITY_WITH_RULES, None);
    /// `Role`
    ROLE = "Role" (&ENTITY_WITH_RULES, None);
    /// `User`
    USER = "User" (&ENTITY_WITH_RULES, None);
    /// `Destination`
    DESTINATION = "Destination" (&ENTITY_WITH_RULES, None);
    /// `PoolEntity`
    POOL_ENTITY = "PoolEntity" (&ENTITY_WITH_RULES, None);
    /// `SchedulingTags`
    SCHEDULING_TAGS = "SchedulingTags" (&OBJECT, Some(tags_object::construct));
    /// `Tag`
    TAG = "Tag" (&OBJECT, Some(tag_types::construct_tag));
    /// `TagType`, an `IntEnum`
    TAG_TYPE = "TagType" (&tpv_python::types::INT, None);
    /// The class of `TagType` itself.
    ENUM_TYPE = "EnumType" (&tpv_python::types::TYPE, None);
}

/// The exception of a method of TPV for an argument that is not `wanted`: the argument lacks the attribute that the method reads first.
fn lacks(vm: &mut Vm, argument: &Value, attribute: &str, wanted: &str) -> Raised {
    match vm.get_attr(argument, attribute) {
        Err(raised) => raised,
        // DIFFERENCE: TPV goes on with anything that has the attributes it reads.
        Ok(_) => type_error(format!("tpvc takes {wanted} here, not '{}'", argument.type_name().as_str())),
    }
}

/// The Python class of an entity.
pub fn class_of(class: EntityClass) -> &'static BuiltinType {
    match class {
        EntityClass::Rule => &RULE,
        EntityClass::PoolEntity => &POOL_ENTITY,
        EntityClass::Tool => &TOOL,
        EntityClass::Role => &ROLE,
        EntityClass::User => &USER,
        EntityClass::Destination => &DESTINATION,
    }
}
