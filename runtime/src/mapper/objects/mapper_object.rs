//! `mapper`: TPV's mapper and its config, as code sees them.

use std::rc::Rc;

use crate::mapper::entity::Entity;
use crate::mapper::store::Store;
use crate::mapper::tags::TagNames;
use tpv_model::EntityClass;
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, not_implemented_error};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::EntityObject;

/// Declares the classes of this file.
macro_rules! classes {
    ($($(#[$doc:meta])* $id:ident = $name:literal in $module:literal;)*) => {
        $($(#[$doc])* static $id: BuiltinType = BuiltinType::new($name, $module, &OBJECT);)*
    };
}

classes! {
    /// The mapper.
    MAPPER = "EntityToDestinationMapper" in "tpv.core.mapper";
    /// The loader.
    LOADER = "TPVConfigLoader" in "tpv.core.loader";
    /// The merged config.
    CONFIG = "TPVConfig" in "tpv.core.entities";
    /// Its section `global`.
    GLOBAL = "GlobalConfig" in "tpv.core.entities";
}

/// Which object it is.
#[derive(Clone, Copy)]
enum Part {
    Mapper,
    Loader,
    Config,
    Global,
}

/// The mapper, its loader, its config or the config's `global`, in the hands of code.
///
/// The entities that code finds here are its own: DIFFERENCE: what code changes of them is gone with the attribute access,
/// where TPV's mapper keeps it for all jobs to come.
pub struct MapperObject {
    names: Rc<TagNames>,
    store: Rc<Store>,
    part: Part,
}

impl MapperObject {
    /// The mapper as a value.
    pub(crate) fn value(names: &Rc<TagNames>, store: &Rc<Store>) -> Value {
        Value::object(Self { names: names.clone(), store: store.clone(), part: Part::Mapper })
    }

    fn part(&self, part: Part) -> Value {
        Value::object(Self { names: self.names.clone(), store: self.store.clone(), part })
    }

    fn entities(&self, entities: Vec<Rc<Entity>>) -> Value {
        Value::dict(Dict::from_strs(
            entities
                .into_iter()
                .filter_map(|entity| Some((entity.id.as_str()?.clone(), EntityObject::value(&self.names, entity)))),
        ))
    }

    fn pools(&self) -> Value {
        let mut pools: Vec<Rc<Entity>> = self.store.pools.iter().map(|pool| pool.entity.clone()).collect();
        // Code finds them in the order of the config.
        pools.sort_by_key(|pool| pool.site);
        self.entities(pools)
    }

    fn default_inherits(&self) -> Value {
        let tables = self.store.rules.tables();
        tables.global.default_inherits.map_or(Value::None, |id| Value::Str(self.store.rows.string(tables, id)))
    }

    fn global_context(&self) -> Value {
        let tables = self.store.rules.tables();
        let rows = &self.store.rows;
        let items = tables.global.context.iter();
        Value::dict(Dict::from_strs(items.map(|(name, value)| (rows.string(tables, *name), rows.value(tables, value)))))
    }

    fn mapper_attr(&self, name: &str) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "default_inherits" => self.default_inherits(),
            "global_context" => self.global_context(),
            "destinations" => self.entities(self.store.configured_destinations()),
            "pools" => self.pools(),
            "config" => self.part(Part::Config),
            "loader" => self.part(Part::Loader),
            "resource_pools" => return self.of_store("resource_pools"),
            _ => return Ok(None),
        }))
    }

    fn config_attr(&self, name: &str) -> Option<Value> {
        Some(match name {
            "tools" => self.entities(self.store.section(EntityClass::Tool)),
            "roles" => self.entities(self.store.section(EntityClass::Role)),
            "users" => self.entities(self.store.section(EntityClass::User)),
            "destinations" => self.entities(self.store.configured_destinations()),
            "pools" => self.pools(),
            "global_config" => self.part(Part::Global),
            _ => return None,
        })
    }

    /// An attribute of the store of resource pools; `None` if the config names no store.
    fn of_store(&self, name: &str) -> PyResult<Option<Value>> {
        if self.store.rules.tables().global.resource_pool_store.is_none() {
            return Ok(Some(Value::None));
        }
        Err(not_implemented_error(format!("`{name}`: code cannot look into the store of resource pools")))
    }

    fn global_attr(&self, name: &str) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "default_inherits" => self.default_inherits(),
            "context" => self.global_context(),
            "resource_pool_store" => return self.of_store("resource_pool_store"),
            _ => return Ok(None),
        }))
    }
}

impl Object for MapperObject {
    fn class(&self) -> &'static BuiltinType {
        match self.part {
            Part::Mapper => &MAPPER,
            Part::Loader => &LOADER,
            Part::Config => &CONFIG,
            Part::Global => &GLOBAL,
        }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.part {
            Part::Mapper => self.mapper_attr(name),
            Part::Loader => Ok((name == "config").then(|| self.part(Part::Config))),
            Part::Config => Ok(self.config_attr(name)),
            Part::Global => self.global_attr(name),
        }
    }
}
