//! Galaxy's objects as code sees them, and the answers of TPV's helpers, against the reference implementation
//! (`tests/galaxy/record.py`).

use std::rc::Rc;
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_compiler::python::program::ProgramBuilder;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_galaxy::json::Json;
use tpv_galaxy::objects::{JobObjects, app};
use tpv_galaxy::world::World;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::value::Value;
use tpv_python::vm::{Environment, Vm};
use tpv_runtime::mapper::{find_module, modules};

struct Galaxy;

impl Environment for Galaxy {
    fn modules(&self) -> &'static [&'static ModuleDef] {
        modules()
    }

    fn computed_name(&self, _: &mut Vm, _: &str) -> PyResult<Value> {
        Ok(Value::Int(0))
    }
}

/// Addresses differ in every run.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("0x");
        out.push_str(part.trim_start_matches(|char: char| char.is_ascii_hexdigit()));
    }
    out
}

fn answer(source: &str, job: &Arc<Job>, world: &Arc<World>) -> String {
    let mut builder = ProgramBuilder::new();
    let root = match builder.compile(source, CodeKind::Block) {
        Ok(root) => root,
        Err(errors) => return format!("does not compile: {errors:?}"),
    };
    let mut vm = Vm::new(Rc::new(Galaxy));
    let program = vm.load(Arc::new(builder.finish()));
    vm.program = Some(program.clone());
    let objects = JobObjects::new(job);
    let names = [
        ("app", app(world)),
        ("tool", objects.tool),
        ("user", objects.user),
        ("job", objects.job),
        ("job_wrapper", objects.job_wrapper),
        ("resource_params", objects.resource_params),
        ("workflow_invocation_uuid", objects.workflow_invocation_uuid),
        ("helpers", find_module("tpv.core.helpers").map_or(Value::None, Value::Module)),
    ];
    for (name, value) in names {
        let slot = vm.slot(name);
        vm.set_context(slot, value);
    }
    let text = match vm.run(&program, root) {
        Ok(value) => vm.repr(&value).unwrap_or_else(|raised| format!("repr failed: {raised:?}")),
        Err(raised) => {
            let answer = Answer::failed(&mut vm, &"1".into(), &raised).unwrap();
            match answer.error() {
                Some((kind, Json::Str(message))) => format!("{kind}: {message}"),
                other => format!("{other:?}"),
            }
        }
    };
    without_addresses(&text)
}

#[test]
fn code_sees_what_it_sees_in_the_reference_implementation() {
    let recorded: serde_json::Value = serde_json::from_str(include_str!("../galaxy/cases.json")).unwrap();
    // Worlds and jobs are texts that Python wrote: serde_json would change their order and their numbers.
    let world = Arc::new(World::parse(recorded["world"].as_str().unwrap()).unwrap());
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, job) in recorded["jobs"].as_object().unwrap() {
        let job = Arc::new(Job::parse(job.as_str().unwrap()).unwrap());
        for case in recorded["cases"].as_array().unwrap().iter().filter(|case| case["job"] == name.as_str()) {
            count += 1;
            let source = case["source"].as_str().unwrap();
            let expected = case["answer"].as_str().unwrap();
            let found = answer(source, &job, &world);
            if found != expected {
                wrong.push(format!("{name}: {source}\n   expected {expected}\n      found {found}"));
            }
        }
    }
    assert!(count > 400);
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

/// Attributes of Galaxy's objects that the reference implementation lacks: `galaxy.model.Job.raw_param_dict`, `Tool.name`.
#[test]
fn code_sees_what_live_jobs_have() {
    let job = r#"{"tool": {"id": "bwa", "name": "Map with BWA"}, "job": {"parameters": {"a": "\"x\"", "b": "4", "a": "null"}}}"#;
    let (job, world) = (Arc::new(Job::parse(job).unwrap()), Arc::new(World::default()));
    for (source, expected) in [
        ("job.raw_param_dict()", "{'a': 'null', 'b': '4'}"),
        (
            "d = job.raw_param_dict()\nd['c'] = 1\n(sorted(d), sorted(job.raw_param_dict()))",
            "(['a', 'b', 'c'], ['a', 'b'])",
        ),
        ("import json\n{k: json.loads(v) for k, v in job.raw_param_dict().items()}", "{'a': None, 'b': 4}"),
        ("job.parameters = []\njob.raw_param_dict()", "{}"),
        ("job.raw_param_dict(1)", "TypeError: Job.raw_param_dict() takes 1 positional argument but 2 were given"),
        ("tool.name", "'Map with BWA'"),
    ] {
        assert_eq!(answer(source, &job, &world), expected, "{source}");
    }
    let mut job = Job::clone(&job);
    job.stand_in = true;
    let expected = "AttributeError: 'Job' object has no attribute 'raw_param_dict'";
    assert_eq!(answer("job.raw_param_dict()", &Arc::new(job), &world), expected);
}
