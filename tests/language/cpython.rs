//! Replays the questions of CPython's own test suite (tests/record/record_cpython.py) through compiler and machine.
//! Kept differences are marked in tests/python/cpython_different.json.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::python as machine;
use serde_json::Value as Json;
use tpv_bytecode::CodeKind;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/cpython")
}

/// The sources of those chosen cases of a file whose answer is not CPython's, with the difference.
fn different(path: &Path, is_chosen: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let cases: Vec<Vec<String>> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| is_chosen(&case[0])) {
        let expected = match &case[1..] {
            [result] => Ok(result.clone()),
            [class, message] => Err((class.clone(), message.clone())),
            other => panic!("{other:?}"),
        };
        let actual = std::panic::catch_unwind(|| machine::answer(&case[0], CodeKind::Block, &Json::Null))
            .unwrap_or_else(|_| Err(("panic".to_owned(), String::new())));
        if actual != expected {
            wrong.push((case[0].clone(), format!("{}\n  CPython: {expected:?}\n  tpvc:    {actual:?}\n", case[0])));
        }
    }
    wrong
}

/// The sources that differ on purpose, by their row of docs/differences.md.
fn kept() -> BTreeMap<String, BTreeSet<String>> {
    let path = folder().with_file_name("cpython_different.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn replay(module: &str) {
    let kept: BTreeSet<String> = kept().into_values().flatten().collect();
    let wrong = different(&folder().join(format!("{module}.json")), |_| true);
    let new: String =
        wrong.iter().filter(|(source, _)| !kept.contains(source)).map(|(_, text)| text.as_str()).collect();
    assert!(new.is_empty(), "{new}");
}

macro_rules! modules {
    ($($module:ident)*) => {
        $(#[test]
        fn $module() {
            replay(stringify!($module));
        })*

        #[test]
        fn every_recorded_module_is_replayed() {
            let listed = BTreeSet::from([$(stringify!($module).to_owned()),*]);
            let entries = std::fs::read_dir(folder()).unwrap();
            let recorded = entries.filter_map(|entry| {
                let path = entry.unwrap().path();
                path.extension().is_some_and(|name| name == "json").then(|| path.file_stem().unwrap().to_str().unwrap().to_owned())
            });
            assert_eq!(recorded.collect::<BTreeSet<_>>(), listed);
        }
    };
}

modules! {
    datetimetester
    test_augassign
    test_binop
    test_bool
    test_builtin
    test_bytes
    test_cmath
    test_compare
    test_contains
    test_decorators
    test_dict
    test_dictcomps
    test_enumerate
    test_exceptions
    test_float
    test_format
    test_fstring
    test_functools
    test_grammar
    test_hash
    test_index
    test_int
    test_iter
    test_itertools
    test_json
    test_keywordonlyarg
    test_list
    test_long
    test_math
    test_named_expressions
    test_numeric_tower
    test_opcodes
    test_positional_only_arg
    test_posixpath
    test_pow
    test_raise
    test_random
    test_range
    test_re
    test_reprlib
    test_scope
    test_set
    test_slice
    test_sort
    test_string
    test_string_literals
    test_strtod
    test_time
    test_tuple
    test_types
    test_unary
    test_unicode
    test_unpack
    test_userstring
    test_with
}

/// Every kept difference exists, is recorded, and is in the document.
#[test]
fn every_kept_difference_is_one() {
    let listed: BTreeSet<String> = kept().into_values().flatten().collect();
    let lists_anew = std::env::var_os("CPYTHON_DIFFERENT");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|name| name == "json") {
            let wrong = different(&path, |source| lists_anew.is_some() || listed.contains(source));
            found.extend(wrong.into_iter().map(|(source, _)| source));
        }
    }
    if let Some(path) = lists_anew {
        std::fs::write(path, serde_json::to_string(&found).unwrap()).unwrap();
        return;
    }
    let document = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/differences.md")).unwrap();
    for (row, sources) in kept() {
        assert!(document.contains(&row), "docs/differences.md has no `{row}`");
        for source in sources {
            assert!(found.contains(&source), "no longer different, or no longer recorded: {source}");
        }
    }
}

/// `CPYTHON_CASES=FILE` replays another file of the same form.
#[test]
fn other_cases() {
    if let Some(path) = std::env::var_os("CPYTHON_CASES") {
        let wrong: String = different(Path::new(&path), |_| true).into_iter().map(|(_, text)| text).collect();
        assert!(wrong.is_empty(), "{wrong}");
    }
}
