//! Measures blocks and f-strings as kernels against the interpreter, and the time to compile a kernel. The blocks are
//! those of production configs, or the lines of the file that `TPVC_BENCH_BLOCKS` names.
//!
//! The last rows say after how many runs machine code has saved what making it took: `jit::run`'s threshold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tpv_bytecode::{CodeKind, ProgramData};
use tpv_compiler::python::program::ProgramBuilder;
use tpv_jit::{Mode, Native};
use tpv_python::exception::PyResult;
use tpv_python::program::Program;
use tpv_python::value::Value;
use tpv_python::vm::{Environment, Vm};

/// Runs of a block in one measurement: so few that most measurements are not interrupted on a busy machine.
const RUNS: u32 = 1_000;

/// Measurements for each of `TPVC_BENCH_RUNS`.
const MEASUREMENTS: usize = 51;

/// Blocks of the community's and of usegalaxy.org.au's configs, and two that use what those do not.
const BLOCKS: [&str; 22] = [
    "cores * 3.8",
    "cores * 3.1",
    "max_cores * 2.9",
    "mem / 4",
    "input_size < 0.25",
    "input_size >= 60",
    "0.25 <= input_size < 1",
    "0.02 <= input_size < 2",
    "32 <= input_size",
    "4 + input_size * 10",
    "input_size*15",
    "min(2 + input_size * 4, 24)",
    "min((25.3 + 13.3 * input_size),350)",
    "min(max(input_size * 20, 28), 58)",
    "min(max(input_size * 1.2, 3.8), 256)",
    "min(max(int(input_size * 32), 14), 240)",
    "min(max(int(input_size * 7), 5.6), 64)",
    "min(16, max(8, 4 * round((8 + 0.4 * input_size) / 4)))",
    "max(cores, 8) * 4 if input_size > 10 else 4",
    "max(min(2 ** (cores - 1), mem // 3, 16), 1)",
    "gpus and gpus > 0",
    "cores if gpus is None else cores + 2 * gpus",
];

/// F-strings of usegalaxy.org.au's `env` and `params`, and one with a format.
const FSTRINGS: [&str; 5] = [
    "{cores}",
    "{mem}",
    "-Xmx{int(mem)}G -Xms1G",
    "--ntasks={cores} --mem={round(mem*1024)} --partition={partition}",
    "{mem:.1f}G",
];

/// The size of the inputs.
struct Surroundings;

impl Environment for Surroundings {
    fn computed_name(&self, _: &mut Vm, _: &str) -> PyResult<Value> {
        Ok(Value::Float(1.5))
    }
}

struct Machine {
    vm: Vm,
    program: Rc<Program>,
}

impl Machine {
    fn new(data: &Arc<ProgramData>, mode: Mode) -> Self {
        let mut vm = Vm::new(Rc::new(Surroundings));
        vm.limits.steps = u64::MAX;
        vm.reset();
        let program = vm.load_native(data.clone(), Native::new(data, mode).as_ref().map(Native::view));
        let values = [
            ("cores", Value::Int(4)),
            ("mem", Value::Float(15.2)),
            ("gpus", Value::Int(1)),
            ("max_cores", Value::Int(8)),
            ("partition", Value::str("main")),
        ];
        for (name, value) in values {
            let slot = vm.slot(name);
            vm.set_context(slot, value);
        }
        Self { vm, program }
    }

    fn kernel_runs(&self) -> u64 {
        self.program.native.as_ref().map_or(0, |native| native.runs())
    }

    fn answer(&mut self, root: u32) -> String {
        let value = self.vm.run(&self.program, root).unwrap_or_else(|raised| panic!("{raised:?}"));
        format!("{} {}", value.type_name().as_str(), self.vm.repr(&value).expect("a repr").as_str())
    }

    fn nanoseconds(&mut self, root: u32) -> f64 {
        let timing = tpv_bench::time(support::runs() * MEASUREMENTS, || {
            for _ in 0..RUNS {
                std::hint::black_box(self.vm.run(&self.program, root).is_ok());
            }
        });
        timing.median.as_secs_f64() * 1e9 / f64::from(RUNS)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The time to generate a block's machine code, once Cranelift is set up.
fn making(data: &Arc<ProgramData>, first: u32, root: u32) -> Duration {
    let mut machine = Machine::new(data, Mode::Eager);
    machine.answer(first);
    let started = Instant::now();
    machine.vm.run(&machine.program, root).expect("a value");
    started.elapsed()
}

fn main() {
    let given =
        std::env::var("TPVC_BENCH_BLOCKS").ok().map(|path| std::fs::read_to_string(path).expect("a file of blocks"));
    let blocks: Vec<(&str, CodeKind)> = match &given {
        Some(text) => text.lines().filter(|line| !line.trim().is_empty()).map(|line| (line, CodeKind::Block)).collect(),
        None => {
            let blocks = BLOCKS.into_iter().map(|source| (source, CodeKind::Block));
            blocks.chain(FSTRINGS.into_iter().map(|source| (source, CodeKind::FString))).collect()
        }
    };
    let mut builder = ProgramBuilder::new();
    let setup = builder.compile("1.5 * cores * cores", CodeKind::Block).expect("Python");
    let roots: Vec<u32> = blocks.iter().map(|(block, kind)| builder.compile(block, *kind).expect("Python")).collect();
    let data = Arc::new(builder.finish());
    let (mut plain, mut native) = (Machine::new(&data, Mode::Off), Machine::new(&data, Mode::Eager));
    let (mut ratios, mut pays, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    println!("{:<56} {:>11} {:>9} {:>7} {:>9}", "block", "interpreter", "kernel", "ratio", "making");
    for ((block, _), root) in blocks.iter().zip(roots) {
        let before = native.kernel_runs();
        assert_eq!(plain.answer(root), native.answer(root), "{block}");
        assert_eq!(native.kernel_runs(), before + 1, "{block} is not computed by a kernel");
        let (interpreted, kernel) = (plain.nanoseconds(root), native.nanoseconds(root));
        let made = median((0..25).map(|_| making(&data, setup, root).as_secs_f64() * 1e9).collect());
        println!(
            "{block:<56} {interpreted:>8.1} ns {kernel:>6.1} ns {:>6.1}x {:>6.0} us",
            interpreted / kernel,
            made / 1000.0
        );
        ratios.push(interpreted / kernel);
        pays.push(made / (interpreted - kernel));
        costs.push(made / 1000.0);
    }
    println!("median ratio {:.1}", median(ratios));
    println!("median cost of making {:.0} us", median(costs));
    println!("median runs after which it is paid for {:.0}", median(pays));
}
