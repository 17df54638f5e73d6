//! The version of TPV that code meets.

use tpv_model::Version;
use tpv_python::vm::Vm;

/// The version whose helpers and objects a machine gives to code.
pub fn version_of(vm: &Vm) -> Version {
    vm.host_version.map_or_else(Version::default, Version::from_bits)
}
