//! `packaging`: versions.

use super::galaxy::none;
use crate::version::{INVALID_VERSION, VERSION};
use crate::{signature, version};
use tpv_python::module::ModuleDef;
use tpv_python::types::BuiltinType;
use tpv_python::value::{Builtin, Value};

/// `packaging`
pub static PACKAGING: ModuleDef = ModuleDef { name: "packaging", get: none, names: &[] };

/// `packaging.version`
pub static PACKAGING_VERSION: ModuleDef = ModuleDef {
    name: "packaging.version",
    get: |_, name| {
        let classes: [&'static BuiltinType; 2] = [&INVALID_VERSION, &VERSION];
        let class = classes.into_iter().find(|class| class.name == name);
        Ok(class.map(Value::Type).or((name == "parse").then_some(Value::Builtin(&PARSE))))
    },
    names: &["InvalidVersion", "Version", "parse"],
};

static PARSE: Builtin = Builtin {
    pure: false,
    owner: "packaging.version",
    name: "parse",
    call: |vm, args| {
        let [version] = signature::bind(args, "parse", ["version"], 1)?;
        version::strict(vm, &version.unwrap_or_default())
    },
};
