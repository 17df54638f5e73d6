//! Code without end, or of more than its budget, stops within 100 ms in an exception that the code can see, and the same
//! mapper maps the next job right.
//!
//! The attacks are in `tests/budgets/`, one a line: the class of the exception that ends the job, or `-` where there is none, the
//! job is mapped, and what looks endless only must not take long; then the code of a `cores` field, with `⏎` for a line
//! break. The exception is one of a budget, or what CPython raises too. The limit holds for optimized builds:
//!
//!     cargo test --release --test budgets
//!
//! `BUDGET_TIMES=1` prints what each attack takes, and which class ends it; `BUDGET_ALL=1` runs them all in an unoptimized build, too.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tpv_bytecode::CodeKind;
use tpv_compiler::python::program::ProgramBuilder;
use tpv_python::vm::{NoEnvironment, Vm};
use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};

/// Unoptimized code would take a quarter of an hour for all attacks: it runs one of some.
const STRIDE: usize = if cfg!(debug_assertions) { 12 } else { 1 };

/// The longest that a job may take. Unoptimized code is slower by this factor, with which the tests only tell a hang.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 40 * 100 } else { 100 });

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

impl Attacked {
    fn new(attacks: &[(&str, String)]) -> Self {
        let mut config = "tools:\n  fine:\n    cores: sum(range(4)) - 2\n".to_owned();
        for (number, (_, code)) in attacks.iter().enumerate() {
            let code = code.replace('\n', "\n      ");
            config += &format!("  attack{number}:\n    cores: |\n      {code}\n");
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
        let took = busy().zip(before).map_or_else(|| clock.elapsed(), |(after, before)| after - before);
        (answer.error().map_or("-", |(class, _)| class).to_owned(), took)
    }

    /// Returns `true` if the tool that works still does, and gets its right answer.
    fn works(&self) -> bool {
        let job = Arc::new(Job::parse(r#"{"tool": {"id": "fine"}}"#).unwrap());
        self.mapper.map(&job, &self.world).line().contains(r#""cores": "4""#)
    }
}

/// Runs the attacks of a file.
fn run_all(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/budgets").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let attacks: Vec<(&str, String)> = text
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(class, code)| (class, code.trim_start().replace(" ⏎ ", "\n")))
        .step_by(if std::env::var_os("BUDGET_ALL").is_some() { 1 } else { STRIDE })
        .collect();
    assert!(attacks.len() * STRIDE > 25);
    let attacked = Attacked::new(&attacks);
    assert!(attacked.works());
    let print = std::env::var_os("BUDGET_TIMES").is_some();
    let (mut late, mut wrong) = (Vec::new(), Vec::new());
    for (number, (expected, code)) in attacks.iter().enumerate() {
        let tool = format!("attack{number}");
        let (class, mut took) = attacked.map(&tool);
        // Other programs, and the tests beside this one, share caches and memory with this thread, and only ever make a run
        // slower: the quickest of three tells most about the attack.
        for _ in 1..3 {
            if took > LIMIT {
                took = took.min(attacked.map(&tool).1);
            }
        }
        if print {
            println!("{:8.1} {class:<15} {}", took.as_secs_f64() * 1000.0, code.replace('\n', " ⏎ "));
        }
        if class != *expected {
            wrong.push(format!("{class}, not {expected}: {code}"));
        }
        if took > LIMIT {
            late.push(format!("{took:?}: {code}"));
        }
        assert!(attacked.works(), "after {code}");
    }
    assert!(wrong.is_empty(), "{} of {} end otherwise:\n{}", wrong.len(), attacks.len(), wrong.join("\n"));
    assert!(late.is_empty(), "{} of {} take more than {LIMIT:?}:\n{}", late.len(), attacks.len(), late.join("\n"));
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
