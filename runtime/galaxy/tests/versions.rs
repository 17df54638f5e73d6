//! Versions compare as Galaxy's do: see `record/versions.py`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::rc::Rc;

use tpv_galaxy::version;
use tpv_python::args::Args;
use tpv_python::value::Value;
use tpv_python::vm::{NoEnvironment, Vm};

fn recorded() -> serde_json::Value {
    serde_json::from_str(include_str!("recorded/versions.json")).expect("the record is JSON")
}

#[test]
fn every_pair_compares_as_in_galaxy() {
    let recorded = recorded();
    let groups = recorded["groups"].as_array().expect("groups");
    let mut versions = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        versions.extend(group.as_array().expect("a group").iter().map(|text| (place, text.as_str().expect("text"))));
    }
    assert!(versions.len() > 600);
    for (place, text) in &versions {
        for (other_place, other) in &versions {
            assert_eq!(version::compare(text, other), place.cmp(other_place), "{text:?} and {other:?}");
        }
    }
}

#[test]
fn versions_show_as_in_galaxy() {
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    for (text, shown) in recorded()["repr"].as_object().expect("repr") {
        let object = version::parse_version(&mut vm, Args::one(Value::str(text.as_str()))).expect("a version");
        assert_eq!(vm.repr(&object).expect("repr"), shown.as_str().expect("text"), "{text:?}");
    }
}
