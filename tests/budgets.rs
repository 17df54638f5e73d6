//! Code without end ends in an exception that the code can see, and the mapper maps the next job right.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};
use tpv_runtime::python::code::CodeKind;
use tpv_runtime::python::vm::{NoEnvironment, Vm};
use tpvc::python::program::ProgramBuilder;

/// What a block gives: `Ok(repr)`, or class and message of the exception.
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

/// Runs code that must end in an exception of this class, soon.
fn ends(source: &str, class: &str) {
    let started = Instant::now();
    let (found, message) = run(source).expect_err(source);
    let took = started.elapsed();
    assert_eq!(found, class, "{source}: {message}");
    if std::env::var_os("BUDGET_TIMES").is_some() {
        println!("{took:?} {source}");
        return;
    }
    // Unoptimized code is some thirty times slower, and tests share their cores.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 300 });
    assert!(took < limit, "{source}: {took:?}");
}

#[test]
fn steps() {
    ends("while True: pass\n1", "TimeoutError");
    ends("for i in iter(int, 1): pass\n1", "TimeoutError");
    ends("import itertools\nlist(itertools.count())", "TimeoutError");
    ends("sum(range(10 ** 12))", "TimeoutError");
    ends("def g():\n    while True: yield 1\nlist(g())", "TimeoutError");
    ends("[x for x in range(10 ** 12) if x < 0]", "TimeoutError");
    ends("max(range(10 ** 15))", "TimeoutError");
}

#[test]
fn memory() {
    ends("'x' * 10 ** 12", "MemoryError");
    ends("[0] * 10 ** 12", "MemoryError");
    ends("bytes(10 ** 12)", "MemoryError");
    // Growing to that size takes more steps than there are.
    ends("s = 'x'\nwhile True: s += s\n1", "TimeoutError");
    // Filling a list of that size takes more steps than there are.
    ends("x = [1]\nwhile True: x += x\n1", "TimeoutError");
    ends("x = [1]\nwhile True: x.extend(x)\n1", "TimeoutError");
    ends("'{:1000000000000}'.format(1)", "MemoryError");
    ends("'%1000000000d' % 1", "MemoryError");
    ends("'a'.ljust(10 ** 12)", "MemoryError");
    ends("'a' .join(['x' * 10 ** 6] * 10 ** 6)", "MemoryError");
    ends("('a' * 10 ** 6).replace('a', 'b' * 10 ** 6)", "MemoryError");
}

#[test]
fn large_ints() {
    ends("10 ** 10 ** 10", "MemoryError");
    ends("1 << 10 ** 12", "MemoryError");
    ends("import math\nmath.factorial(10 ** 9)", "MemoryError");
    ends("x = 3\nwhile True: x *= x\n1", "TimeoutError");
    ends("str(10 ** 5000)", "ValueError");
    ends("int('9' * 5000)", "ValueError");
}

#[test]
fn depth() {
    // Tests run on threads of 2 MB.
    ends("def f(): return f()\nf()", "RecursionError");
    ends("f = lambda n: sorted([1], key=f)\nf(1)", "RecursionError");
    ends("class A:\n    def __add__(self, other): return self + other\nA() + 1", "RecursionError");
    ends("class A:\n    def __getattr__(self, name): return self.other\nA().x", "RecursionError");
    ends("x = []\nfor i in range(5000): x = [x]\nrepr(x)", "RecursionError");
    ends("x = []\ny = []\nfor i in range(5000): x, y = [x], [y]\nx == y", "RecursionError");
    ends("import copy\nx = []\nfor i in range(5000): x = [x]\ncopy.deepcopy(x)", "RecursionError");
    ends("import json\nx = []\nfor i in range(5000): x = [x]\njson.dumps(x)", "RecursionError");
    ends("import json\njson.loads('[' * 100000)", "RecursionError");
    let deep = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nf(900)";
    assert_eq!(run(deep), Ok("900".to_owned()));
    let message = "maximum recursion depth exceeded".to_owned();
    assert_eq!(run("def f(): return f()\nf()"), Err(("RecursionError".to_owned(), message)));
}

#[test]
fn regular_expressions() {
    for source in ["import re\nre.match(r'(a+)+b', 'a' * 60)", "import re\nre.match(r'(a|a)*\\1b', 'a' * 60)"] {
        let started = Instant::now();
        // Either the engine needs no search that explodes, or it is stopped.
        let result = run(source);
        assert!(result == Ok("None".to_owned()) || result.is_err(), "{result:?}");
        assert!(started.elapsed() < Duration::from_secs(10), "{source}");
    }
}

#[test]
fn the_code_can_see_them() {
    assert_eq!(run("try:\n    x = 'x' * 10 ** 12\nexcept MemoryError:\n    x = 1\nx"), Ok("1".to_owned()));
    let recursion = "def f(): return f()\ntry:\n    x = f()\nexcept RecursionError:\n    x = 2\nx";
    assert_eq!(run(recursion), Ok("2".to_owned()));
}

#[test]
fn honest_code_stays_within_them() {
    assert_eq!(run("s = ''\nfor i in range(100000): s += 'x'\nlen(s)"), Ok("100000".to_owned()));
    let in_function = "def f():\n    s = ''\n    for i in range(100000): s += 'xé'\n    return len(s)\nf()";
    assert_eq!(run(in_function), Ok("200000".to_owned()));
    assert_eq!(run("sum(i * i for i in range(100000))"), Ok("333328333350000".to_owned()));
    // Who holds the text as it was keeps it.
    let held = "s = 'x' * 1000\nt = s\ns += 'y'\n(len(s), len(t), t[-1])";
    assert_eq!(run(held), Ok("(1001, 1000, 'x')".to_owned()));
    let listed =
        "s = 'x' * 1000\nall = [s]\nfor i in range(3):\n    s += 'y'\n    all.append(s)\n[len(s) for s in all]";
    assert_eq!(run(listed), Ok("[1000, 1001, 1002, 1003]".to_owned()));
}

#[test]
fn the_next_job_is_mapped() {
    let config = r#"
tools:
  default:
    cores: 2
  "steps.*":
    cores: |
      while True: pass
      1
  "memory.*":
    cores: len('x' * 10 ** 12)
  "depth.*":
    cores: |
      def f(): return f()
      f()
  "caught.*":
    cores: |
      try:
          while True: pass
      except TimeoutError:
          pass
      1
destinations:
  local:
    runner: local
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tpv.yml");
    std::fs::write(&path, config).unwrap();
    let compiled = tpvc::compile(&[path.display().to_string()], &tpvc::CompileOptions::default());
    let mapper = Mapper::with_hooks(Arc::new(compiled.rules.unwrap()), Hooks::default(), false);
    let world = Arc::new(World::default());
    let map = |tool: &str| {
        let job = Job::parse(&format!(r#"{{"tool": {{"id": "{tool}"}}}}"#)).unwrap();
        let answer = mapper.map(&Arc::new(job), &world);
        answer.error().map_or_else(|| format!("{:?}", answer.destination_id()), |(kind, _)| kind.to_owned())
    };
    let fine = map("other");
    for (tool, error) in
        [("steps", "TimeoutError"), ("memory", "MemoryError"), ("depth", "RecursionError"), ("caught", "TimeoutError")]
    {
        assert_eq!(map(tool), error);
        assert_eq!(map("other"), fine);
    }
}

#[test]
fn modules_pay() {
    ends("import hashlib\nhashlib.pbkdf2_hmac('md5', b'', b'', 10 ** 9)", "TimeoutError");
    ends("import heapq\nlist(heapq.merge(iter(int, 1)))", "TimeoutError");
    ends("import statistics\nstatistics.quantiles([1, 2], n=10 ** 9)", "TimeoutError");
    ends("import textwrap\ntextwrap.wrap('a ' * 10 ** 6, 3)", "TimeoutError");
    ends("import uuid\nwhile True: uuid.uuid4()\n1", "TimeoutError");
    ends("import os\nos.urandom(10 ** 10)", "MemoryError");
    ends("import time\ntime.strftime('%1000Y' * 70_000, time.gmtime(0))", "MemoryError");
    ends("import time\ntime.strftime('%c' * 10 ** 6, time.gmtime(0))", "TimeoutError");
    ends("from string import Template\nTemplate('$a' * 10 ** 6).substitute(a='x' * 1000)", "MemoryError");
    ends("import hashlib\nhashlib.shake_128().hexdigest(10 ** 9)", "MemoryError");
    ends("import base64\nx = b'a' * 3 * 10 ** 7\nwhile True: x = base64.b64encode(x)\n1", "MemoryError");
}
