//! The modules that code can import besides Python's own: Galaxy's, TPV's, SQLAlchemy's and packaging's.

pub mod galaxy;
pub mod model;
pub mod outside;
pub mod packaging;
pub mod sqlalchemy;
pub mod tools;
pub mod tpv;

use std::sync::LazyLock;

use tpv_python::module::ModuleDef;

/// The modules of this folder, by dotted name. The mapper adds `tpv.core.helpers`, and `tpv.core.entities` and its like, whose
/// classes it implements.
pub static MODULES: &[&ModuleDef] = &[
    &galaxy::GALAXY,
    &galaxy::JOBS,
    &galaxy::JOBS_MAPPER,
    &galaxy::JOBS_RULE_HELPER,
    &galaxy::MODEL,
    &galaxy::TOOL_UTIL,
    &galaxy::TOOL_UTIL_VERSION,
    &tools::TOOLS,
    &packaging::PACKAGING,
    &packaging::PACKAGING_VERSION,
    &sqlalchemy::SQLALCHEMY,
    &sqlalchemy::SQL,
    &sqlalchemy::EXPRESSION,
    &sqlalchemy::EXC,
    &sqlalchemy::ORM,
    &sqlalchemy::ORM_EXC,
    &tpv::TPV,
    &tpv::CORE,
    &tpv::RESOURCE_REQUIREMENTS,
];

/// Python's own modules and these.
pub fn with_python() -> &'static [&'static ModuleDef] {
    static ALL: LazyLock<Vec<&'static ModuleDef>> =
        LazyLock::new(|| tpv_python::modules::MODULES.iter().chain(MODULES).copied().collect());
    &ALL
}
