//! Which blocks CPython runs where there is one, with something in its place that tells what it is given: it runs the blocks
//! natively, unless it has an answer for one.

use std::sync::{Arc, Mutex};

use crate::support::cases::{self, Case};
use crate::support::random::{a_fifth, at_least};
use crate::support::{stderr, stdout, tpvc_in};
use tpv_bytecode::CodeKind;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::dump;
use tpv_galaxy::objects::{JobObjects, app, stand_in_app};
use tpv_model::Quantity;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::{LogLevel, Vm};
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::cpython::{Origin, hiding_names};
use tpv_runtime::mapper::explain::{Observer, Step, Unobserved};
use tpv_runtime::mapper::{Cpython, Hooks, HostJob, Mapped, Mapper};

/// The value of a block, by a part of its text.
type Answers = &'static [(&'static str, fn(&mut Vm) -> Value)];

/// Something in the place of CPython.
#[derive(Default)]
struct Fake {
    is_live: bool,
    answers: Answers,
    /// The texts that it was given.
    ran: Mutex<Vec<String>>,
}

impl Cpython for Fake {
    fn run(&self, vm: &mut Vm, source: &str, kind: CodeKind, _: Option<Origin<'_>>) -> PyResult<Value> {
        self.ran.lock().unwrap().push(source.trim().to_owned());
        match self.answers.iter().find(|(part, _)| source.contains(part)) {
            Some((_, answer)) => Ok(answer(vm)),
            None => {
                let program = vm.compile(source, kind)?;
                vm.run(&program, 0)
            }
        }
    }

    fn is_live(&self) -> bool {
        self.is_live
    }
}

/// A config whose tool has this `mem`, and a destination for it.
fn with_mem(source: &str) -> Arc<Rules> {
    let indented = source.replace('\n', "\n      ");
    cases::compile_text(&format!(
        "tools:\n  bwa:\n    mem: |\n      {indented}\ndestinations:\n  local:\n    runner: local\n"
    ))
}

/// The reason why CPython runs the `mem` of a config, and whether only where Galaxy's objects are live.
fn mark(source: &str) -> Option<(String, bool)> {
    let rules = with_mem(source);
    let block = tpv_compiler::link::blocks_at(rules.tables(), "tools.bwa.mem")[0];
    rules.program().cpython(block).map(|(reason, only_live)| (reason.to_owned(), only_live))
}

fn hooks(fake: &Arc<Fake>) -> Hooks {
    Hooks { cpython: Some(fake.clone()), ..cases::hooks() }
}

/// The answer to a job of `bwa`.
fn answer(rules: &Arc<Rules>, hooks: Hooks) -> Answer {
    let job = Job::parse(r#"{"id": 1, "tool": {"id": "bwa"}, "user": {"email": "jo@example.org"}}"#).unwrap();
    Mapper::with_hooks(rules.clone(), hooks, false).map(&Arc::new(job), &Arc::default())
}

fn mem(answer: &Answer) -> String {
    answer.text(Field::Mem).map_or_else(|| answer.error_text().unwrap(), str::to_owned)
}

#[test]
fn the_compiler_marks_what_the_native_language_lacks() {
    for (source, reason) in [
        ("from decimal import Decimal\nfloat(Decimal('1.5'))", "it imports `decimal`"),
        ("import site_tools\nsite_tools.mem(job)", "it imports `site_tools`"),
        ("import requests\nrequests.get('http://x').json()['mem']", "it imports `requests`"),
        // What is caught natively may be there in CPython.
        ("try:\n    import pandas\n    x = 1\nexcept ImportError:\n    x = 2\nx", "it imports `pandas`"),
        ("class A: pass\n4", "tpvc has no classes"),
        ("def f():\n    yield 4\nnext(f())", "tpvc has no generator functions"),
        ("eval('4')", "it uses `eval`"),
        ("try:\n    x = globals()\nexcept NameError:\n    x = {}\nlen(x)", "it uses `globals`"),
        ("try:\n    x = (4.0).hex()\nexcept AttributeError:\n    x = 4\nx", "tpvc has no `hex` of `float` objects"),
        ("import math\nmath.comb(4, 2)", "tpvc's module `math` has no `comb`"),
        ("import json\nlen(json.dumps({}, default=str))", ""),
        ("import json\nlen(json.dumps({}, allow_nan=False))", "tpvc's `json.dumps` has no `allow_nan`"),
        ("from tpv.core.explain import ExplainCollector\n4", "it imports `tpv.core.explain`"),
    ] {
        let expected = (!reason.is_empty()).then(|| (reason.to_owned(), false));
        assert_eq!(mark(source), expected, "{source}");
    }
}

/// A rule's code that is not Python fails the jobs that come to it; a later Python may read it.
#[test]
fn the_compiler_marks_what_it_does_not_read() {
    let rules = cases::compile_text(
        "tools:\n  bwa:\n    rules:\n      - id: newer\n        if: \"True\"\n        mem: |\n          type X = int\n          8\n\
         destinations:\n  local:\n    runner: local\n",
    );
    let block = tpv_compiler::link::blocks_at(rules.tables(), "tools.bwa.rules.newer.mem")[0];
    assert_eq!(rules.program().cpython(block), Some(("tpvc does not read it", false)));
    let fake = Arc::new(Fake { answers: &[("type X", |_| Value::Int(8))], ..Fake::default() });
    assert_eq!(mem(&answer(&rules, hooks(&fake))), "8");
}

#[test]
fn the_compiler_marks_what_stands_in_for_the_live_server() {
    for (source, reason) in [
        ("from sqlalchemy import select\n4", "it imports `sqlalchemy`"),
        ("from galaxy.model import Job\n4", "it imports `galaxy.model`"),
        ("from galaxy import model\n4", "it imports `galaxy.model`"),
        ("helpers.concurrent_job_count_for_tool(app, tool)", "it uses `helpers.concurrent_job_count_for_tool`"),
        ("import datetime\ndatetime.datetime.now().hour", "it asks for the time"),
        ("from datetime import datetime\ndatetime.now().hour", "it asks for the time"),
        ("import time\nint(time.time())", "it asks for the time"),
        ("import os\nint(os.environ.get('MEM', 4))", "it asks for the environment"),
        ("import os\n4 if os.path.exists('/x') else 2", "it asks for files"),
    ] {
        assert_eq!(mark(source), Some((reason.to_owned(), true)), "{source}");
    }
    for source in [
        "from galaxy.jobs.mapper import JobMappingException\n4",
        "import re\n4 if re.match('a', tool.id) else 2",
        "import random\nrandom.choice([4])",
        "from datetime import datetime\ndatetime(2024, 1, 1).hour",
        "input_size * 2 + len(job.input_datasets)",
        "from tpv.core.entities import Tag, TagType\n4",
    ] {
        assert_eq!(mark(source), None, "{source}");
    }
}

#[test]
fn what_is_left_to_cpython_whatever_the_server_comes_before_the_rest() {
    let reason = mark("from sqlalchemy import select\nimport requests\n4").unwrap();
    assert_eq!(reason, ("it imports `requests`".to_owned(), false));
}

#[test]
fn cpython_runs_marked_blocks_and_no_others() {
    let rules = cases::compile_text(
        "tools:\n  bwa:\n    cores: 2 + 2\n    mem: |\n      import site_tools\n      site_tools.mem\n    env:\n      A: '{cores}'\n\
         destinations:\n  local:\n    runner: local\n    params:\n      native: '{mem}'\n",
    );
    let fake = Arc::new(Fake { answers: &[("site_tools", |_| Value::Int(7))], ..Fake::default() });
    let mapped = answer(&rules, hooks(&fake));
    assert_eq!(mem(&mapped), "7");
    assert_eq!(mapped.text(Field::Params), Some(r#"{"native": "7"}"#));
    // Once for matching destinations, once for the destination.
    let ran = fake.ran.lock().unwrap().clone();
    assert_eq!(ran, ["import site_tools\nsite_tools.mem"; 2]);
    // Without CPython it is as it was.
    let alone = answer(&rules, Hooks::default());
    assert_eq!(mem(&alone), "ModuleNotFoundError: No module named 'site_tools'");
    // The marks are in the artifact.
    let loaded = Arc::new(Rules::load(&rules.to_bytes().unwrap()).unwrap());
    assert_eq!(mem(&answer(&loaded, hooks(&fake))), "7");
}

#[test]
fn what_stands_in_for_the_server_is_cpythons_where_it_is_live() {
    let rules = with_mem("from datetime import datetime\ndatetime.now().year");
    let answers: Answers = &[("now", |_| Value::Int(2031))];
    let fake = Arc::new(Fake { answers, ..Fake::default() });
    assert!(mem(&answer(&rules, hooks(&fake))).starts_with("HostUnavailable"));
    let live = Arc::new(Fake { is_live: true, answers, ..Fake::default() });
    assert_eq!(mem(&answer(&rules, hooks(&live))), "2031");
    // What only running code shows: the mapping is done once more.
    let rules = with_mem("import datetime\ngetattr(datetime.datetime, 'n' + 'ow')().year");
    let live = Arc::new(Fake { is_live: true, answers: &[("'ow'", |_| Value::Int(2032))], ..Fake::default() });
    assert_eq!(mem(&answer(&rules, hooks(&live))), "2032");
}

/// The steps reported while a job is mapped.
#[derive(Default)]
struct Steps(Vec<String>);

impl Observer for Steps {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { reason, spent } => {
                self.0.push(format!("once more: {reason}"));
                self.0.extend(spent.map(|spent| {
                    let place = spent.place.as_ref().map(|place| (place.line, place.column));
                    format!("spent by {:?} at {place:?}", spent.site.is_some())
                }));
            }
            Step::InCpython { blocks } => self.0.extend(blocks.iter().map(|block| format!("ran: {}", block.reason))),
            _ => {}
        }
    }

    fn watches(&self) -> bool {
        true
    }
}

#[test]
fn what_native_code_lacks_maps_the_job_once_more() {
    // The first rule is applied again; the handler cannot hide what was lacking.
    let rules = cases::compile_text(
        "tools:\n  bwa:\n    cores: 1\n    rules:\n      - id: a\n        if: 'True'\n        cores: cores_of(entity)\n        context:\n          word: hex\n      \
         - id: b\n        if: |\n          def ask(value):\n              return getattr(value, word)()\n          try:\n              x = ask(size)\n          except AttributeError:\n              x = ''\n          x != ''\n        mem: 9\n\
         global:\n  context:\n    word: hex\n    size: 4.0\ndestinations:\n  local:\n    runner: local\n",
    );
    let fake = Arc::new(Fake {
        answers: &[("getattr", |_| Value::Bool(true)), ("cores_of", |_| Value::Int(3))],
        ..Fake::default()
    });
    let log = Arc::new(Mutex::new(Vec::new()));
    let told = log.clone();
    let take: tpv_runtime::mapper::Log =
        Arc::new(move |level, text: &str| told.lock().unwrap().push((level, text.to_owned())));
    let hooks = Hooks { log: Some(take), log_level: Some(LogLevel::Info), ..hooks(&fake) };
    let mapper = Mapper::with_hooks(rules, hooks, false);
    let job = Arc::new(Job::parse(r#"{"id": 1, "tool": {"id": "bwa"}}"#).unwrap());
    let mut steps = Steps::default();
    let answer = mapper.map_observed(&job, &Arc::default(), &mut steps);
    assert_eq!(mem(&answer), "9");
    assert_eq!(answer.text(Field::Cores), Some("3"));
    let lacked = "tpvc has no `hex` of `float`";
    assert_eq!(steps.0[0], format!("once more: {lacked}"));
    assert!(steps.0[1..].iter().all(|step| step == "ran: the job is mapped once more"), "{:?}", steps.0);
    let log = log.lock().unwrap().clone();
    let line = format!("the job is mapped once more with all code in CPython: {lacked}");
    assert_eq!(log, [(LogLevel::Info, line)]);
    // The next job starts natively.
    let before = fake.ran.lock().unwrap().len();
    mapper.map(&job, &Arc::default());
    assert!(fake.ran.lock().unwrap().len() > before);
}

#[test]
fn a_spent_budget_is_told_with_its_place() {
    let job = Arc::new(Job::parse(r#"{"id": 1, "tool": {"id": "bwa"}}"#).unwrap());
    for (source, first) in [
        ("n = 0\nwhile True:\n    n += 1\nn", "once more: the evaluation took more than 500000 steps"),
        ("def f():\n    return f()\nf() + 1", "once more: the evaluation took more than"),
    ] {
        let fake = Arc::new(Fake { answers: &[("n", |_| Value::Int(4))], ..Fake::default() });
        let mut steps = Steps::default();
        let answer =
            Mapper::with_hooks(with_mem(source), hooks(&fake), false).map_observed(&job, &Arc::default(), &mut steps);
        assert_eq!(mem(&answer), "4");
        assert!(steps.0[0].starts_with(first), "{:?}", steps.0);
        // The block begins in line 4, column 7.
        let place = steps.0[1].strip_prefix("spent by true at Some((").unwrap_or_else(|| panic!("{:?}", steps.0));
        assert!((4..=7).any(|line| place.starts_with(&format!("{line}, "))), "{place}");
    }
    // Where native code lacks something else, no budget is spent.
    let fake = Arc::new(Fake { answers: &[("getattr", |_| Value::Int(4))], ..Fake::default() });
    let mut steps = Steps::default();
    let rules = cases::compile_text(
        "global:\n  context: {word: hex, size: 4.0}\ntools:\n  bwa:\n    mem: getattr(size, word)()\n\
         destinations:\n  local:\n    runner: local\n",
    );
    Mapper::with_hooks(rules, hooks(&fake), false).map_observed(&job, &Arc::default(), &mut steps);
    assert!(!steps.0.is_empty() && steps.0.iter().all(|step| !step.starts_with("spent")), "{:?}", steps.0);
}

#[test]
fn blocks_have_the_name_of_what_they_are_written_in() {
    let rules = cases::compile_text(
        "tools:\n  default:\n    cores: 1 + 1\n    env:\n      A: \"{cores}\"\n  bwa:\n    inherits: default\n    params: {p: \"{mem}\"}\n    \
         rules:\n      - id: large\n        if: input_size > 1\n        mem: cores * 2\n\
         destinations:\n  local:\n    runner: local\n    rank: \"1\"\n    params: {nested: {deep: ['{cores}']}}\n",
    );
    let mut names: Vec<String> =
        rules.texts().all_sites().filter_map(|site| rules.texts().name(rules.tables(), site)).collect();
    names.sort();
    // The name of a variable is a text that is evaluated, too.
    names.dedup();
    let expected = [
        "destination local: destination_name_override",
        "destination local: params.nested.deep",
        "destination local: rank",
        "tool bwa, rule large: if",
        "tool bwa, rule large: mem",
        "tool bwa: params.p",
        "tool default: cores",
        "tool default: env.A",
    ];
    assert_eq!(names, expected);
}

#[test]
fn everything_that_tpvc_lacks_is_noted_when_it_is_met() {
    for source in [
        "getattr(4, 'bit' + '_count')()",
        "getattr(b'x', 'up' + 'per')()",
        "import math\ngetattr(math, 'c' + 'omb')(4, 2)",
        "import re\ngetattr(re.match('a', 'a'), 'ex' + 'pand')('x')",
        "hasattr(4, '__in' + 'dex__')",
        "(-8) ** (1 / 2)",
        "len(range(0, 10 ** 30))",
        "x = 0\nwhile True:\n    x += 1\nx",
        "def f(n):\n    return f(n + 1)\nf(0)",
        "'a' * 10 ** 9",
        "'x'.encode('cp' + '437')",
        "import json\nlen(json.loads('[\"\\\\ud800\"]'))",
        "import re\n4 if re.match(r'(a|aa)+\\1c', 'a' * 60) else 2",
        "from datetime import datetime\ngetattr(datetime, 'strp' + 'time')('2024', '%Y').year",
        "import json\njson.loads((lambda x: x)(b'4'))",
        "try:\n    x = len\n    x.y = 4\nexcept AttributeError:\n    pass\n4",
        "(lambda: 4).__class__.__name__.nothing",
    ] {
        let fake = Arc::new(Fake { answers: &[("", |_| Value::Int(5))], ..Fake::default() });
        let rules = with_mem(source);
        let mapped = answer(&rules, hooks(&fake));
        let expected_natively =
            source.ends_with("x.y = 4\nexcept AttributeError:\n    pass\n4") || source.ends_with("nothing");
        if expected_natively {
            assert!(fake.ran.lock().unwrap().is_empty(), "{source}");
        } else {
            assert_eq!(mem(&mapped), "5", "{source}");
        }
    }
}

#[test]
fn what_code_makes_at_run_time_and_tpvc_cannot_read_is_cpythons() {
    let rules = cases::compile_text(
        "tools:\n  bwa:\n    rules:\n      - if: 'True'\n        execute: |\n          entity.mem = 'type X = int\\n8'\n\
         destinations:\n  local:\n    runner: local\n",
    );
    let fake = Arc::new(Fake { answers: &[("type X", |_| Value::Int(8))], ..Fake::default() });
    assert_eq!(mem(&answer(&rules, hooks(&fake))), "8");
    assert!(mem(&answer(&rules, Hooks { cpython: None, ..hooks(&fake) })).starts_with("SyntaxError"));
}

#[test]
fn cpython_sees_the_context_and_what_hides_it() {
    fn see(vm: &mut Vm) -> Value {
        assert_eq!(
            vm.context_value("word").and_then(Value::as_str).map(|word| word.to_string()).as_deref(),
            Some("hello")
        );
        assert!(vm.context_value("nothing").is_none());
        let names: Vec<String> = vm.context_entries().map(|(name, _)| name.to_string()).collect();
        let start = [
            "word",
            "app",
            "tool",
            "user",
            "job",
            "job_wrapper",
            "resource_params",
            "workflow_invocation_uuid",
            "mapper",
        ];
        assert_eq!(names[..9], start);
        assert!(names.contains(&"entity".to_owned()));
        let hiding = hiding_names(vm, "word, input_size").unwrap();
        assert_eq!(hiding.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["helpers", "input_size"]);
        assert!(matches!(hiding[1].1, Value::Float(size) if size == 0.0));
        let hiding = hiding_names(vm, "word").unwrap();
        assert!(matches!(hiding[1].1, Value::Int(0)));
        Value::Int(6)
    }
    let rules = cases::compile_text(
        "global:\n  context:\n    word: hello\ntools:\n  bwa:\n    mem: |\n      import site_tools\n      word, input_size\n\
         destinations:\n  local:\n    runner: local\n",
    );
    let fake = Arc::new(Fake { answers: &[("site_tools", see)], ..Fake::default() });
    assert_eq!(mem(&answer(&rules, hooks(&fake))), "6");
}

#[test]
fn inspect_lists_the_blocks_that_cpython_runs() {
    let folder = tempfile::tempdir().unwrap();
    let config = "tools:\n  default:\n    abstract: true\n    rank: |\n      import requests\n      candidate_destinations\n  \
                  bwa:\n    inherits: default\n    mem: helpers.concurrent_job_count_for_tool(app, tool)\n    cores: 2\n";
    std::fs::write(folder.path().join("config.yml"), config).unwrap();
    let run = tpvc_in(folder.path(), &["compile", "config.yml", "-o", "rules.bin"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let text = stdout(&tpvc_in(folder.path(), &["inspect", "rules.bin"]));
    let list = "\nrun by CPython, in the Python package of tpvc\n  \
                tools.default.rank and in one other place: it imports `requests`\n  \
                tools.bwa.mem, inside Galaxy only: it uses `helpers.concurrent_job_count_for_tool`\n";
    assert!(text.ends_with(list), "{text}");
    let code = stdout(&tpvc_in(folder.path(), &["inspect", "rules.bin", "--code", "tools.bwa.rank"]));
    assert!(code.contains("\n  runs in CPython if available, because it imports `requests`\n"), "{code}");
}

/// The half that a seed takes is run by something else, with the same answers; two seeds take different halves.
#[test]
fn a_forced_half_of_the_blocks_gives_the_same_answers() {
    let mut halves = Vec::new();
    let cases = a_fifth(Case::fixtures(), 0);
    let cases: Vec<_> = cases.map(|case| (case.rules(), case.world(), case.jobs())).collect();
    for seed in [None, Some(1), Some(2)] {
        let mut answers = String::new();
        let mut ran = Vec::new();
        for (rules, world, jobs) in &cases {
            let fake = Arc::new(Fake::default());
            let hooks = match seed {
                Some(_) => Hooks { force_cpython: seed, ..hooks(&fake) },
                None => Hooks { cpython: None, ..hooks(&fake) },
            };
            let mapper = Mapper::with_hooks(rules.clone(), hooks, true);
            for job in jobs {
                mapper.map(job, world).write_line(&mut answers);
            }
            ran.append(&mut fake.ran.lock().unwrap());
        }
        ran.sort();
        ran.dedup();
        halves.push((answers, ran));
    }
    let [(alone, none), (first, one), (second, other)] = halves.try_into().unwrap();
    assert!(
        none.is_empty() && one.len() > at_least(500) && other.len() > at_least(500),
        "{} {}",
        one.len(),
        other.len()
    );
    assert!(one.iter().any(|text| !other.contains(text)));
    for (alone, (first, second)) in alone.lines().zip(first.lines().zip(second.lines())) {
        assert_eq!(alone, first);
        assert_eq!(alone, second);
    }
}

/// The objects of the job file, handed to the mapper as a host's: the same destinations and errors.
#[test]
fn objects_are_mapped_as_records_are() {
    let mut count = 0;
    for case in a_fifth(Case::fixtures(), 1) {
        let mapper = Mapper::with_hooks(case.rules(), cases::hooks(), false);
        let world = case.world();
        for job in case.jobs() {
            let expected = mapper.map(&job, &world);
            let start = |_: &mut Vm| {
                let JobObjects { tool, user, job: object, job_wrapper, resource_params, workflow_invocation_uuid } =
                    JobObjects::new(&job);
                let app = if job.stand_in { stand_in_app(&world) } else { app(&world) };
                let (world, seed) = (world.clone(), job.seed.clone());
                let host = HostJob::new(app, tool, user, object);
                Ok(HostJob { job_wrapper, resource_params, workflow_invocation_uuid, world, seed, ..host })
            };
            let finish = |vm: &mut Vm, mapped: PyResult<&Mapped>| match mapped {
                Ok(mapped) => {
                    let fields = [
                        (Field::Id, &mapped.dest_name),
                        (Field::Runner, &mapped.runner),
                        (Field::Tags, &mapped.tags),
                        (Field::Params, &mapped.params),
                        (Field::Env, &mapped.env),
                        (Field::Resubmit, &mapped.resubmit),
                    ];
                    let amounts = Quantity::ALL.into_iter().map(Field::from).zip(&mapped.amounts);
                    for (field, value) in fields.into_iter().chain(amounts) {
                        let mut text = String::new();
                        dump(vm, &mut text, value).unwrap();
                        assert_eq!(Some(text.as_str()), expected.text(field), "{field:?} {}", expected.line());
                    }
                }
                Err(raised) => {
                    let answer = Answer::failed(vm, &job.id, &raised).unwrap();
                    assert_eq!(answer.line(), expected.line());
                }
            };
            mapper.map_objects(start, &mut Unobserved, finish);
            count += 1;
        }
    }
    assert!(count > at_least(1000), "{count} jobs");
}
