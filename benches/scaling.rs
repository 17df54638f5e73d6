//! Measures how costs grow with the number of tools, destinations and rules, on generated configs.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

use tpv_bench::{Shape, time};

fn measure(name: &str, shape: Shape) -> (f64, f64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let workload = shape.generate().workload(folder.path()).expect("generated configs compile");
    let mapper = workload.mapper();
    let answers = workload.answers(&mapper);
    let mapped = answers.lines().filter(|line| line.contains("\"destination\"")).count();
    assert!(mapped * 2 > shape.jobs, "most jobs of a generated set find a destination");
    let runs = if shape.tools > 10_000 { 3 } else { support::runs() };
    let compiled = time(runs, || tpv_bench::compile(&workload.configs));
    // Once for the first time, when nothing is known of any id, and then again and again.
    let cold = time(runs, || workload.map(&workload.mapper()));
    let warm = time(runs, || workload.map(&mapper));
    println!(
        "{name:<28} compile {:>9.3} us a tool, map {:>7.3} us a job, with a new mapper {:>8.3} us a job",
        compiled.per(shape.tools) * 1e6,
        warm.per(shape.jobs) * 1e6,
        cold.per(shape.jobs) * 1e6,
    );
    (compiled.per(shape.tools), warm.per(shape.jobs))
}

/// Compiles a chain of tools, each of which inherits from the one before it.
fn chain(name: &str, tools: usize, own: impl Fn(usize) -> String) {
    let tool = |tool: usize| match tool {
        0 => format!("  t0:\n{}", own(0)),
        _ => format!("  t{tool}:\n    inherits: t{}\n{}", tool - 1, own(tool)),
    };
    let text = format!("tools:\n{}", (0..tools).map(tool).collect::<String>());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("chain.yml");
    std::fs::write(&path, text).expect("a config is written");
    let configs = [path.to_string_lossy().into_owned()];
    let compiled = time(3, || tpv_bench::compile(&configs));
    println!("{name:<28} compile {:>9.3} ms, {:>9.3} us a tool", compiled.per(1) * 1e3, compiled.per(tools) * 1e6);
}

fn chains() {
    let cores = |tool| format!("    cores: {}\n", tool % 64);
    let rule = |tool| format!("    rules:\n      - id: r{tool}\n        if: input_size > {tool}\n        cores: 2\n");
    for tools in [1000, 4000, 16_000] {
        chain(&format!("chain of {tools}"), tools, cores);
    }
    for tools in [800, 1600, 4000] {
        chain(&format!("chain of {tools}, a rule each"), tools, rule);
    }
}

fn main() {
    if std::env::args().any(|arg| arg == "chains") {
        return chains();
    }
    chains();
    let base = Shape::default();
    let small = measure("1,000 tools", base);
    let large = measure("100,000 tools", Shape { tools: 100_000, ..base });
    println!(
        "{:<28} compile {:.2} times, map {:.2} times",
        "100,000 against 1,000",
        large.0 / small.0,
        large.1 / small.1
    );
    for destinations in [10, 100, 1000] {
        measure(&format!("{destinations} destinations"), Shape { destinations, ..base });
    }
    for rules in [0, 10, 50] {
        measure(&format!("{rules} rules a tool"), Shape { rules, ..base });
    }
}
