//! Code without end, or of more than its budget, stops in an exception that the code can see, after at most [`FACTOR`] times the time of a
//! plain loop that spends the same budget, and the same mapper maps the next job right.
//!
//! The attacks are in `tests/budgets/`, one a line: the class of the exception that ends the job, or `-` where there is none, the
//! job is mapped, and what looks endless only must not take long; then the code of a `cores` field (in `rules.txt` of an `execute`), with
//! `⏎` for a line break. The exception is one of a budget, or what CPython raises too. An unoptimized build runs one of some:
//!
//!     cargo test --release --test budgets
//!
//! `BUDGET_TIMES=1` prints what each attack takes, in milliseconds and in times of the loop, and which class ends it; `BUDGET_ALL=1` runs them
//! all in an unoptimized build, too.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "budgets/programs.rs"]
mod programs;
#[allow(dead_code, reason = "each test uses a part")]
#[path = "support/random.rs"]
mod random;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tpv_bytecode::CodeKind;
use tpv_compiler::python::program::ProgramBuilder;
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_python::vm::{NoEnvironment, Vm};
use tpv_runtime::mapper::{Hooks, Mapper};

/// Unoptimized code would take a quarter of an hour for all attacks: it runs one of some.
const STRIDE: usize = if cfg!(debug_assertions) { 12 } else { 1 };

/// The longest that a job may take, in times of [`PLAIN`]. The measure needs no clock that every machine shares: a slow or busy machine runs both
/// alike. `docs/verification.md` has the figures that it was chosen by.
/// Unoptimized code of libraries is slower still beside the interpreter: there the tests only tell a hang.
const FACTOR: f64 = if cfg!(debug_assertions) { 200.0 } else { 60.0 };

/// A plain loop that spends a budget.
const PLAIN: &str = "x = 0\nwhile True:\n    try:\n        x = [x][0] + 1\n    except Exception:\n        pass\nx";

/// The time that this thread has had a core, where the system tells: what else the machine does says nothing about a job.
fn busy() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A mapper of one tool for each attack, and one that works.
struct Attacked {
    mapper: Mapper,
    world: Arc<World>,
}

/// The field of a config that has the code of attacks.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// `cores` of a tool.
    Cores,
    /// `execute` of a rule, which can change the entity.
    Execute,
}

impl Attacked {
    fn new(attacks: &[String], place: Place) -> Self {
        let plain = PLAIN.replace('\n', "\n      ");
        let mut config =
            format!("tools:\n  fine:\n    cores: sum(range(4)) - 2\n  plain:\n    cores: |\n      {plain}\n");
        for (number, code) in attacks.iter().enumerate() {
            let code = code.replace('\n', "\n        ");
            config += &match place {
                Place::Cores => format!("  attack{number}$:\n    cores: |\n        {code}\n"),
                Place::Execute => {
                    format!(
                        "  attack{number}$:\n    cores: 2\n    rules:\n    - if: 'True'\n      execute: |\n        {code}\n"
                    )
                }
            };
        }
        config += "destinations:\n  local:\n    runner: local\n    params: {cores: \"{cores}\"}\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tpv.yml");
        std::fs::write(&path, config).unwrap();
        let compiled = tpv_compiler::compile(&[path.display().to_string()], &tpv_compiler::CompileOptions::default());
        let hooks = Hooks { compile: Some(Arc::new(tpv_compiler::python::run_time::compile)), ..Hooks::default() };
        let mapper = Mapper::with_hooks(Arc::new(compiled.rules.unwrap()), hooks, false);
        Self { mapper, world: Arc::new(World::default()) }
    }

    /// The class of the error that ends a job of this tool, or `-`, and how long it took, on a thread that has kept nothing of
    /// other jobs but what every tool needs.
    fn map(&self, tool: &str) -> (String, Duration) {
        std::thread::scope(|scope| {
            let run = || {
                assert!(self.works());
                self.map_here(tool)
            };
            scope.spawn(run).join().unwrap()
        })
    }

    fn map_here(&self, tool: &str) -> (String, Duration) {
        let job = Arc::new(Job::parse(&format!(r#"{{"tool": {{"id": "{tool}"}}}}"#)).unwrap());
        let (clock, before) = (Instant::now(), busy());
        let answer = self.mapper.map(&job, &self.world);
        // What the code made is written, too.
        std::hint::black_box(answer.line());
        let took = busy().zip(before).map_or_else(|| clock.elapsed(), |(after, before)| after - before);
        (answer.error().map_or("-", |(class, _)| class).to_owned(), took)
    }

    /// The time of an attack in times of the plain loop. Other programs, and the tests beside this one, share caches and memory with this
    /// thread, and only ever make a run slower: of three pairs the one with the least quotient tells most.
    fn map_measured(&self, tool: &str) -> (String, Duration, f64) {
        let mut least = (String::new(), Duration::MAX, f64::MAX);
        for _ in 0..3 {
            let (_, plain) = self.map("plain");
            let (class, took) = self.map(tool);
            let times = took.as_secs_f64() / plain.as_secs_f64();
            if times < least.2 {
                least = (class, took, times);
            }
            if times <= FACTOR {
                break;
            }
        }
        least
    }

    /// Returns `true` if the tool that works still does, and gets its right answer.
    fn works(&self) -> bool {
        let job = Arc::new(Job::parse(r#"{"tool": {"id": "fine"}}"#).unwrap());
        self.mapper.map(&job, &self.world).line().contains(r#""cores": "4""#)
    }
}

/// Runs the attacks of a file.
fn run_all(file: &str) {
    run_in(file, Place::Cores);
}

fn run_in(file: &str, place: Place) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/budgets").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let attacks: Vec<(&str, String)> = text
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(class, code)| (class, code.trim_start().replace(" ⏎ ", "\n")))
        .step_by(if std::env::var_os("BUDGET_ALL").is_some() { 1 } else { STRIDE })
        .collect();
    assert!(attacks.len() * STRIDE > 25);
    let codes: Vec<String> = attacks.iter().map(|(_, code)| code.clone()).collect();
    let attacked = Attacked::new(&codes, place);
    assert!(attacked.works());
    let print = std::env::var_os("BUDGET_TIMES").is_some();
    let (mut late, mut wrong) = (Vec::new(), Vec::new());
    for (number, (expected, code)) in attacks.iter().enumerate() {
        let (class, took, times) = attacked.map_measured(&format!("attack{number}"));
        if print {
            println!("{:8.1} {times:6.1} {class:<15} {}", took.as_secs_f64() * 1000.0, code.replace('\n', " ⏎ "));
        }
        if class != *expected {
            wrong.push(format!("{class}, not {expected}: {code}"));
        }
        if times > FACTOR {
            late.push(format!("{took:?}, {times:.1} times the plain loop: {code}"));
        }
        assert!(attacked.works(), "after {code}");
    }
    assert!(wrong.is_empty(), "{} of {} end otherwise:\n{}", wrong.len(), attacks.len(), wrong.join("\n"));
    let (late, many) = (late.join("\n"), late.len());
    assert!(many == 0, "{many} of {} take more than {FACTOR} times as long as the plain loop:\n{late}", attacks.len());
}

#[test]
fn steps() {
    run_all("steps.txt");
}

#[test]
fn memory() {
    run_all("memory.txt");
}

#[test]
fn depth() {
    run_all("depth.txt");
}

#[test]
fn integers() {
    run_all("integers.txt");
}

#[test]
fn text() {
    run_all("text.txt");
}

/// Attacks with long values, and with code created at run time.
#[test]
fn lengths() {
    run_all("lengths.txt");
}

#[test]
fn builtins() {
    run_all("builtins.txt");
}

#[test]
fn methods() {
    run_all("methods.txt");
}

/// The modules of Python's library.
#[test]
fn library() {
    run_all("library.txt");
}

/// Operations on entities, tags, versions and queries.
#[test]
fn host() {
    run_all("host.txt");
}

/// Objects that hold others, nested deeply: they are dropped, shown, compared and copied.
#[test]
fn objects() {
    run_all("objects.txt");
}

#[test]
fn regular_expressions() {
    run_all("regular_expressions.txt");
}

/// Values that share their parts: each visit costs at least a step.
#[test]
fn shared_parts() {
    run_all("shared.txt");
}

/// Values that an `execute` leaves to be rendered, and messages of exceptions.
#[test]
fn rules() {
    run_in("rules.txt", Place::Execute);
}

/// The result of a block: `Ok(repr)`, or class and message of the exception.
fn run(source: &str) -> Result<String, (String, String)> {
    let mut program = ProgramBuilder::new();
    let root = program.compile(source, CodeKind::Block).unwrap();
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let program = vm.load(Arc::new(program.finish()));
    let result = vm.run(&program, root).and_then(|value| vm.repr(&value).map(|text| text.to_string()));
    result.map_err(|raised| {
        let message = vm.str(&raised.value()).map(|text| text.to_string()).unwrap_or_default();
        (raised.class_name().to_string(), message)
    })
}

#[test]
fn the_code_can_see_them() {
    assert_eq!(run("try:\n    x = 'x' * 10 ** 12\nexcept MemoryError:\n    x = 1\nx"), Ok("1".to_owned()));
    let recursion = "def f(): return f()\ntry:\n    x = f()\nexcept RecursionError:\n    x = 2\nx";
    assert_eq!(run(recursion), Ok("2".to_owned()));
    let message = "maximum recursion depth exceeded".to_owned();
    assert_eq!(run("def f(): return f()\nf()"), Err(("RecursionError".to_owned(), message)));
}

#[test]
fn honest_code_stays_within_them() {
    let deep = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nf(900)";
    assert_eq!(run(deep), Ok("900".to_owned()));
    assert_eq!(run("s = ''\nfor i in range(60000): s += 'x'\nlen(s)"), Ok("60000".to_owned()));
    let in_function = "def f():\n    s = ''\n    for i in range(60000): s += 'xé'\n    return len(s)\nf()";
    assert_eq!(run(in_function), Ok("120000".to_owned()));
    assert_eq!(run("sum(i * i for i in range(20000))"), Ok("2666466670000".to_owned()));
    // Who holds the text as it was keeps it.
    let held = "s = 'x' * 1000\nt = s\ns += 'y'\n(len(s), len(t), t[-1])";
    assert_eq!(run(held), Ok("(1001, 1000, 'x')".to_owned()));
    let listed =
        "s = 'x' * 1000\nall = [s]\nfor i in range(3):\n    s += 'y'\n    all.append(s)\n[len(s) for s in all]";
    assert_eq!(run(listed), Ok("[1000, 1001, 1002, 1003]".to_owned()));
}
