//! The tool data tables of a world that notes which of them code asks for in vain.

use std::sync::Arc;

use crate::lacks::Lack;
use crate::world::World;
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, DICT};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// A dict of tables, which answers as the dict does.
struct AskedTables {
    tables: Value,
    world: Arc<World>,
}

/// These tables of a world.
pub(super) fn value(tables: Value, world: &Arc<World>) -> Value {
    Value::object(AskedTables { tables, world: world.clone() })
}

impl AskedTables {
    fn note(&self, vm: &mut Vm, name: &Value) -> PyResult<()> {
        if let Value::Str(text) = name
            && !vm.contains(&self.tables, name)?
        {
            self.world.lack(|| Lack::Table(text.as_str().into()));
        }
        Ok(())
    }
}

impl Object for AskedTables {
    fn class(&self) -> &'static BuiltinType {
        &DICT
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        vm.get_attr(&self.tables, name).map(Some)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if let Some(wanted) = args.pos.first().filter(|_| name == "get")
            && let Err(raised) = self.note(vm, wanted)
        {
            return Some(Err(raised));
        }
        Some(vm.call_method(&self.tables, name, std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        self.note(vm, key)?;
        vm.get_item(&self.tables, key)
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(self.note(vm, item).and_then(|()| vm.contains(&self.tables, item)))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.iter(&self.tables))
    }

    fn len(&self, vm: &mut Vm) -> Option<PyResult<usize>> {
        Some(vm.len(&self.tables))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.repr(&self.tables)
    }
}
