//! Gaps of the native language are known when compiling, not at run time: code that requests a missing feature is
//! reported when compiling, and reported features are missing.
//!
//! Two sources of code: every name that CPython's modules and types and Galaxy's classes have (`src/compiler/src/checker/stubs/names.txt`),
//! each asked for by a program of its own; and programs that use one construct each, with CPython's answers
//! (`tests/closed/constructs.json`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use crate::support::python as machine;
use crate::support::random::{a_fifth, at_least};
use serde_json::{Value as Json, json};
use tpv_bytecode::CodeKind;
use tpv_compiler::checker::RAISING;
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_text::code::Code;
use tpv_text::render::Render;

/// The exceptions for missing names.
const MISSING: [&str; 5] = ["AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "NotImplementedError"];

/// Programs by their number: each is the condition of a rule of a tool of its own.
struct Compiled {
    mapper: Mapper,
    /// The codes that compiling told, by program.
    told: BTreeMap<usize, BTreeSet<Code>>,
}

fn compile(programs: &[String]) -> Compiled {
    let mut config = String::from("destinations:\n  d: {runner: local}\ntools:\n");
    let first = config.lines().count() + 1;
    for (number, program) in programs.iter().enumerate() {
        // A JSON string is a string of YAML, on one line.
        writeln!(config, "  t{number}e: {{rules: [{{if: {}}}]}}", json!(program)).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yml");
    std::fs::write(&path, &config).unwrap();
    let compiled =
        tpv_compiler::compile(&[path.to_str().unwrap().to_owned()], &tpv_compiler::CompileOptions::default());
    let mut told: BTreeMap<usize, BTreeSet<Code>> = BTreeMap::new();
    for diagnostic in compiled.diagnostics.iter() {
        let span = diagnostic.primary.as_ref().expect(&diagnostic.message).span;
        let line = compiled.sources.place(span).line;
        let Some(code) = diagnostic.code.filter(|code| RAISING.contains(code)) else { continue };
        told.entry(line.checked_sub(first).expect("a line of a program")).or_default().insert(code);
    }
    let rules = compiled.rules.unwrap_or_else(|| {
        let texts: Vec<String> = compiled.diagnostics.iter().map(|one| one.render(&compiled.sources, false)).collect();
        panic!("{}", texts.join("\n"))
    });
    Compiled { mapper: Mapper::new(Arc::new(rules)), told }
}

/// A job that has one of everything.
fn job(tool: usize) -> Arc<Job> {
    let line = json!({
        "id": tool,
        "tool": {"id": format!("t{tool}e"), "resource_requirements": {"cores_min": 1}},
        "user": {"id": 1, "email": "u@x", "roles": ["role"]},
        "job": {
            "parameters": {"p": "1"},
            "history": {"id": 1, "name": "h", "tags": ["t"]},
            "input_datasets": [{"name": "i", "id": 1, "size": 1, "extension": "txt"}],
            "param_values": {"c": {"src": "hdca", "ids": [1]}},
        },
        "job_wrapper": {},
    });
    Arc::new(Job::parse(&line.to_string()).unwrap())
}

/// The lists of `names.txt`: kind, name and list.
fn names() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let text = include_str!("../../src/compiler/src/checker/stubs/names.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (head, list) = line.split_once(':').unwrap();
            let (kind, name) = head.split_once(' ').unwrap();
            (kind, name, list.split_whitespace().collect())
        })
        .collect()
}

/// Expressions by which a program obtains an object of a class.
const OBJECTS: [(&str, &str); 31] = [
    ("str", "'a'"),
    ("int", "(1)"),
    ("float", "1.5"),
    ("bool", "True"),
    ("list", "[1]"),
    ("dict", "{1: 2}"),
    ("tuple", "(1, 2)"),
    ("set", "{1}"),
    ("bytes", "b'a'"),
    ("App", "app"),
    ("Model", "app.model"),
    ("Session", "app.model.context"),
    ("Tool", "tool"),
    ("ResourceRequirement", "tool.resource_requirements[0]"),
    ("User", "user"),
    ("Role", "user.all_roles()[0]"),
    ("UserRoleAssociation", "user.roles[0]"),
    ("Job", "job"),
    ("JobParameter", "job.parameters[0]"),
    ("JobToInputDatasetAssociation", "job.input_datasets[0]"),
    ("HistoryDatasetAssociation", "job.input_datasets[0].dataset"),
    ("Dataset", "job.input_datasets[0].dataset.dataset"),
    ("History", "job.history"),
    ("HistoryTagAssociation", "job.history.tags[0]"),
    ("Mapper", "mapper"),
    ("Entity", "entity"),
    ("SchedulingTags", "entity.tpv_tags"),
    ("re.Pattern", "re.compile('a')"),
    ("re.Match", "re.match('a', 'a')"),
    ("datetime.timedelta", "datetime.timedelta(1)"),
    ("logging.Logger", "log"),
];

/// Programs that ask for one name each: modules, names of modules, builtins, attributes of objects and classes.
fn programs() -> Vec<String> {
    let mut out = Vec::new();
    for (kind, name, list) in names() {
        match (kind, name) {
            ("names", "stdlib" | "installed" | "others") => {
                out.extend(list.iter().map(|module| format!("import {module}\nTrue")));
            }
            ("names", "builtins" | "loader") => out.extend(list.iter().map(|name| format!("{name}\nTrue"))),
            ("names", package) => {
                out.extend(list.iter().map(|module| format!("import {package}.{module}\nTrue")));
            }
            ("module", module) => {
                for name in &list {
                    out.push(format!("from {module} import {name}\nTrue"));
                    out.push(format!("import {module}\n{module}.{name}\nTrue"));
                }
            }
            ("class", class) => {
                let object = OBJECTS.iter().find(|(known, _)| *known == class).map(|(_, object)| *object);
                for name in &list {
                    if let Some(object) = object {
                        out.push(format!("import re, datetime\n{object}.{name}\nTrue"));
                    }
                    match class.rsplit_once('.') {
                        Some((module, _)) => out.push(format!("import {module}\n{class}.{name}\nTrue")),
                        None if class.starts_with(|c: char| c.is_lowercase()) => {
                            out.push(format!("{class}.{name}\nTrue"))
                        }
                        None => {}
                    }
                }
            }
            _ => {}
        }
    }
    out
}

#[test]
fn names_that_are_not_there_are_told() {
    let programs = programs();
    assert!(programs.len() > 8_000, "{}", programs.len());
    let programs: Vec<String> = a_fifth(programs, 0).collect();
    let compiled = compile(&programs);
    let world = Arc::new(World::default());
    let mut wrong = Vec::new();
    let mut classes: BTreeMap<Option<String>, usize> = BTreeMap::new();
    let (mut missing, mut there) = (0, 0);
    for (number, program) in programs.iter().enumerate() {
        let answer = compiled.mapper.map(&job(number), &world);
        let raised = answer.error().map(|(class, _)| class.to_owned());
        *classes.entry(raised.clone()).or_default() += 1;
        let is_missing = raised.as_deref().is_some_and(|class| MISSING.contains(&class));
        let told = compiled.told.get(&number);
        if is_missing {
            missing += 1
        } else {
            there += 1
        }
        // Of what reaches outside the calls raise, which these programs do not make.
        let harmless =
            raised.is_none() && told.is_some_and(|codes| codes.iter().all(|code| *code == Code::AsksLiveServer));
        if is_missing != told.is_some() && !harmless {
            wrong.push(format!("{program:?}: raises {raised:?}, told {told:?}"));
        }
    }
    assert!(missing > at_least(3_000) && there > at_least(1_000), "{missing} {there} {classes:?}");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

/// Code that goes on without what is not there is told as code is that does not: CPython takes the other way.
#[test]
fn handlers_hide_no_absence() {
    const CAUGHT: [&str; 4] =
        ["except Exception", "except (NameError, AttributeError, ImportError)", "except", "except BaseException as e"];
    let guarded = |(number, program): (usize, &String)| {
        let lines: Vec<&str> = program.lines().collect();
        let (_, asks) = lines.split_last().unwrap();
        format!("try:\n    {}\n    r = 1\n{}:\n    r = 0\nr", asks.join("\n    "), CAUGHT[number % CAUGHT.len()])
    };
    let by_name = |program: &String| {
        let (before, asks) = program.strip_suffix("\nTrue")?.rsplit_once('\n')?;
        let (object, name) = asks.rsplit_once('.').filter(|_| !asks.contains("import"))?;
        Some(format!("{before}\nhasattr({object}, '{name}')"))
    };
    // Every third name of each list is enough.
    let plain: Vec<String> = a_fifth(programs().into_iter().step_by(3), 1).collect();
    let told = compile(&plain).told;
    let limits = |told: &BTreeMap<usize, BTreeSet<Code>>, number: usize| -> BTreeSet<Code> {
        let codes = told.get(&number).into_iter().flatten().copied();
        codes.filter(|code| Code::LIMITS.contains(code)).collect()
    };
    let mut wrong = Vec::new();
    let guarded: Vec<Option<String>> = plain.iter().enumerate().map(guarded).map(Some).collect();
    for changed in [guarded, plain.iter().map(by_name).collect()] {
        let texts: Vec<String> = changed.iter().map(|text| text.clone().unwrap_or_default()).collect();
        let changed_told = compile(&texts).told;
        let numbers = (0..plain.len()).filter(|number| changed[*number].is_some());
        for number in numbers {
            let (before, after) = (limits(&told, number), limits(&changed_told, number));
            if before != after {
                wrong.push(format!("{:?}: told {after:?}, without a handler {before:?}", texts[number]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), plain.len(), wrong.join("\n"));
}

/// No handler hides a refusal of native code that compiling cannot foresee: the job ends with it.
#[test]
fn no_handler_hides_what_native_code_refuses() {
    let attempts = [
        ("n ** 0.5", "n = -8", Some("NotImplementedError")),
        ("range(n)", "n = 2 ** 64", Some("NotImplementedError")),
        ("range(5)[::n]", "n = 2 ** 64", Some("NotImplementedError")),
        ("'a' * n", "n = 10 ** 9", Some("MemoryError")),
        ("[i for i in range(n)]", "n = 10 ** 9", Some("TimeoutError")),
        ("getattr(n[0], n[1] + 'doc__')", "n = (1, '__')", Some("NotImplementedError")),
        // What CPython refuses, too, is the code's.
        ("n / 0", "n = 1", None),
        ("'a' * n", "n = 10 ** 12", None),
        ("(lambda f: f(f))(lambda f: f(f))", "n = 1", None),
        ("n.no_such_name", "n = 1", None),
    ];
    let program = |(asks, before, _): &(&str, &str, Option<&str>)| {
        format!("{before}\ntry:\n    r = {asks}\nexcept Exception:\n    r = True\nTrue")
    };
    let programs: Vec<String> = attempts.iter().map(program).collect();
    let compiled = compile(&programs);
    let world = Arc::new(World::default());
    for (number, (asks, _, expected)) in attempts.iter().enumerate() {
        let limits = compiled.told.get(&number).filter(|codes| codes.iter().any(|code| Code::LIMITS.contains(code)));
        assert_eq!(limits, None, "{asks}");
        let answer = compiled.mapper.map(&job(number), &world);
        assert_eq!(answer.error().map(|(class, _)| class), *expected, "{asks}");
    }
}

/// Modules that neither CPython nor tpvc has, and a site may have installed: importing one is told, even if the code is ready for its absence.
const OF_SITES: [&str; 1] = ["nothing_like_it"];

/// Each program uses one construct. tpvc's answer is CPython's, or compiling tells that it is not.
#[test]
fn constructs_do_what_they_do_or_are_told() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("../closed/constructs.json")).unwrap();
    let programs: Vec<String> = cases.iter().map(|case| case["source"].as_str().unwrap().to_owned()).collect();
    assert!(programs.len() > 120, "{}", programs.len());
    let compiled = compile(&programs);
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let expected = match case["result"].as_str() {
            Some(result) => Ok(result.to_owned()),
            None => Err((case["error"].as_str().unwrap().to_owned(), case["message"].as_str().unwrap().to_owned())),
        };
        let actual = machine::answer(&programs[number], CodeKind::Block, &Json::Null);
        let told = compiled.told.get(&number).filter(|codes| codes.iter().any(|code| Code::LIMITS.contains(code)));
        let is_left = OF_SITES.iter().any(|left| programs[number].contains(left));
        if (actual != expected) != told.is_some() && !is_left {
            wrong.push(format!("{}\n  CPython {expected:?}\n  tpvc {actual:?}, told {told:?}", programs[number]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}
