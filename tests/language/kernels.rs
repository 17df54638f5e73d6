//! Kernels answer as the interpreter does: the same random blocks and f-strings on the same random values, with machine
//! code off and on.
//!
//! `TPVC_SEED=7 TPVC_BLOCKS=100000` runs other blocks, or more; a failure prints the seed.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::support::blocks::{block, condition, fstring, number};
use crate::support::random::{Random, rounds, setting};
use num_bigint::BigInt;
use tpv_bytecode::CompareOp;
use tpv_bytecode::verify::verify;
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_compiler::python::program::ProgramBuilder;
use tpv_jit::{Mode, Native};
use tpv_python::args::Args;
use tpv_python::dict::{Dict, Key};
use tpv_python::exception::PyResult;
use tpv_python::native_code::Computed;
use tpv_python::object::Object;
use tpv_python::program::Program;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::{Method, Value};
use tpv_python::vm::{Environment, Vm};

/// The names that blocks read. The last is never in the context.
const NAMES: [&str; 9] = ["cores", "mem", "gpus", "name", "thing", "things", "table", "input_size", "absent"];

thread_local! {
    /// The number of requests for attributes.
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

/// A host object, one of a few.
struct Thing(i64);

fn label(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("Thing.shown")?;
    vm.get_attr(this, "label")
}

/// The class of things, whose methods are pure but for one.
static THING: BuiltinType = BuiltinType {
    methods: &[Method { name: "get", call: label }, Method { name: "clear", call: label }],
    pure: &["get"],
    ..BuiltinType::new("Thing", "", &OBJECT)
};

impl Object for Thing {
    fn class(&self) -> &'static BuiltinType {
        &THING
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        ASKED.set(ASKED.get() + 1);
        Ok(match name {
            "label" => Some(Value::str(["abcdef", "a", "", "abc"][self.0 as usize % 4])),
            "size" => Some(Value::Int(self.0 * 5 + 2)),
            "share" => Some(Value::Float(self.0 as f64 * 0.25)),
            "nothing" => Some(Value::None),
            "shared" => Some(Value::list(vec![Value::Int(1)])),
            "rare" if self.0 == 2 => Some(Value::Int(1)),
            _ => None,
        })
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        // Without the address, which differs from machine to machine.
        Ok("<thing>".to_owned())
    }
}

/// The values of a name while a block runs several times.
#[derive(Clone, Copy)]
enum Shape {
    Absent,
    None,
    Bool,
    Int,
    Float,
    Text,
    Thing,
    Huge,
    List,
    Things,
    Table,
}

/// Mostly what the name has in production, else anything.
fn shape(random: &mut Random, name: &str) -> Shape {
    use Shape::{Absent, Bool, Huge, List, None, Table, Text, Things};
    let all = [Absent, None, Bool, Text, Shape::Thing, Huge, List, Things, Table];
    match name {
        "absent" => Shape::Absent,
        _ if random.one_in(8) => *random.pick(&all),
        "thing" => Shape::Thing,
        "name" => Shape::Text,
        "things" => Shape::Things,
        "table" => Shape::Table,
        _ => *random.pick(&[Shape::Int, Shape::Float]),
    }
}

fn value(random: &mut Random, shape: Shape) -> Option<Value> {
    let edge = random.one_in(6);
    Some(match shape {
        Shape::Absent => return None,
        Shape::None => Value::None,
        Shape::Bool => Value::Bool(random.one_in(2)),
        Shape::Int if edge => {
            let edges = [i64::MAX, i64::MIN, i64::MAX - 1, (1 << 53) + 1, -(1 << 53) - 1, 1 << 53, 3_037_000_500, -1];
            Value::Int(*random.pick(&edges))
        }
        Shape::Int => Value::Int(i64::from(random.below(64)) - 8),
        Shape::Float if edge => {
            let edges =
                [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, 0.0, 9.3e18, -9.223_372_036_854_776e18, 1e-320];
            Value::Float(*random.pick(&edges))
        }
        Shape::Float => Value::Float(f64::from(random.below(4000)) / 64.0 - 4.0),
        Shape::Text => Value::str(*random.pick(&["", "a", "abc", "abcd", "x\u{e9}"])),
        Shape::Thing => Value::object(Thing(i64::from(random.below(4)))),
        Shape::Huge => Value::from_bigint(BigInt::from(1) << 70),
        Shape::List => Value::list(vec![Value::Int(1), Value::str("abc")]),
        Shape::Things => {
            let things = (0..random.below(4)).map(|_| Value::object(Thing(i64::from(random.below(4)))));
            if edge { Value::tuple(things.collect()) } else { Value::list(things.collect()) }
        }
        Shape::Table => {
            let table = Dict::new();
            for (key, value) in [("a", Value::Int(3)), ("abc", Value::str("x")), ("n", Value::None)] {
                if !random.one_in(3) {
                    table.table.borrow_mut().insert(Key::str(key.into()), value);
                }
            }
            Value::dict(table)
        }
    })
}

/// Values for all names.
fn values(random: &mut Random, shapes: &[Shape]) -> Vec<(&'static str, Option<Value>)> {
    NAMES.iter().zip(shapes).map(|(name, shape)| (*name, value(random, *shape))).collect()
}

fn shapes(random: &mut Random) -> Vec<Shape> {
    NAMES.iter().map(|name| shape(random, name)).collect()
}

/// The surroundings: an input size that is in the context, so that both machines have the same.
struct Surroundings;

impl Environment for Surroundings {
    fn computed_name(&self, vm: &mut Vm, _: &str) -> PyResult<Value> {
        let slot = vm.slot("size of inputs");
        Ok(vm.context[slot].clone().unwrap_or(Value::Int(0)))
    }
}

/// A machine with machine code in some mode.
struct Machine {
    vm: Vm,
    program: Rc<Program>,
    native: Option<Native>,
}

impl Machine {
    fn new(data: &Arc<ProgramData>, mode: Mode) -> Self {
        let mut vm = Vm::new(Rc::new(Surroundings));
        let native = Native::new(data, mode);
        let program = vm.load_native(data.clone(), native.as_ref().map(Native::view));
        Self { vm, program, native }
    }

    fn kernel_runs(&self) -> u64 {
        self.program.native.as_ref().map_or(0, |native| native.runs())
    }

    fn set(&mut self, values: &[(&str, Option<Value>)]) {
        self.vm.reset();
        for (name, value) in values {
            let slot = self.vm.slot(if *name == "input_size" { "size of inputs" } else { name });
            self.vm.context[slot] = value.clone();
        }
    }

    /// The value with its class, or the exception's class and message.
    fn answer(&mut self, root: u32) -> Result<(String, String), (String, String)> {
        match self.vm.run(&self.program, root) {
            Ok(value) => Ok((value.type_name().to_string(), self.vm.repr(&value).unwrap().to_string())),
            Err(raised) => {
                let message = self.vm.str(&Value::Exception(raised.0.clone())).unwrap().to_string();
                Err((raised.class_name().to_string(), message))
            }
        }
    }
}

impl Machine {
    /// A value that a block could have changed.
    fn changeable(&mut self) -> String {
        let values = ["table", "things", "thing"].map(|name| self.vm.context_value(name).cloned());
        let shown = values.iter().flatten().map(|value| self.vm.repr(value).unwrap().to_string());
        shown.collect::<Vec<_>>().join(" ")
    }
}

/// Compiles the blocks: the program, the blocks that have a kernel, and their number.
fn compile(blocks: &[String], kind: CodeKind) -> (Arc<ProgramData>, Vec<u32>, usize) {
    let mut builder = ProgramBuilder::new();
    let roots: Vec<u32> = blocks.iter().map(|block| builder.compile_lenient(block, kind).0).collect();
    let data = builder.finish();
    verify(&data).unwrap();
    let kernels = data.codes.iter().filter(|code| code.kernel.is_some()).count();
    (Arc::new(data), roots, kernels)
}

#[test]
fn kernels_answer_as_the_interpreter_on_random_blocks() {
    let (seed, count) = (setting("TPVC_SEED", 1), rounds("TPVC_BLOCKS", 900) as usize);
    println!("seed {seed}, {count} blocks");
    let mut random = Random::new(seed);
    let blocks: Vec<String> = (0..count)
        .map(|_| {
            let depth = 1 + random.below(4) as usize;
            match random.below(6) {
                0 | 1 => condition(&mut random, depth),
                2 | 3 => number(&mut random, depth),
                _ => block(&mut random, depth),
            }
        })
        .collect();
    compare(&mut random, &blocks, CodeKind::Block, seed);
}

#[test]
fn kernels_answer_as_the_interpreter_on_random_fstrings() {
    let (seed, count) = (setting("TPVC_SEED", 1), rounds("TPVC_BLOCKS", 900) as usize);
    println!("seed {seed}, {count} f-strings");
    let mut random = Random::new(seed);
    let sources: Vec<String> = (0..count).map(|_| fstring(&mut random)).collect();
    compare(&mut random, &sources, CodeKind::FString, seed);
}

/// Runs all blocks without and with machine code; most have kernels, and machine code computes much of them.
fn compare(random: &mut Random, blocks: &[String], kind: CodeKind, seed: u64) {
    let count = blocks.len();
    let (data, roots, kernels) = compile(blocks, kind);
    let least = if kind == CodeKind::FString { count / 3 } else { count * 2 / 3 };
    assert!(kernels > least, "only {kernels} of {count} blocks have kernels");
    let (mut plain, mut native) = (Machine::new(&data, Mode::Off), Machine::new(&data, Mode::Eager));
    let (mut evaluations, mut errors) = (0, 0);
    for (block, root) in blocks.iter().zip(&roots) {
        // A few kinds of inputs, each with several values, so that machine code is used again.
        let choices: Vec<Vec<Shape>> = (0..4).map(|_| shapes(random)).collect();
        for round in 0..120 {
            // Each machine has its own, since blocks may change them.
            let of_values = u64::from(random.below(u32::MAX));
            let values = || values(&mut Random::new(of_values), &choices[round % choices.len()]);
            plain.set(&values());
            native.set(&values());
            let values = values();
            let (expected, found) = (plain.answer(*root), native.answer(*root));
            let (expected, found) = ((expected, plain.changeable()), (found, native.changeable()));
            if expected != found {
                let shown: Vec<String> = values
                    .iter()
                    .filter(|(name, _)| block.contains(name))
                    .map(|(name, value)| {
                        let text = value.as_ref().map(|value| plain.vm.repr(value).unwrap().to_string());
                        format!("{name} = {}", text.unwrap_or_else(|| "(not set)".to_owned()))
                    })
                    .collect();
                panic!("seed {seed}:\n{block}\n{}\ninterpreter {expected:?}\nkernel {found:?}", shown.join("\n"));
            }
            errors += usize::from(expected.0.is_err());
            evaluations += 1;
        }
    }
    let by_kernels = native.kernel_runs();
    println!("{evaluations} evaluations, {errors} of them errors, {by_kernels} by machine code");
    if let Some(native) = native.native {
        assert!(by_kernels * 8 > evaluations as u64, "only {by_kernels} of {evaluations} by machine code");
        assert!(native.jit.compiled() > count / 2, "only {} pieces of machine code were made", native.jit.compiled());
    }
    assert!(evaluations >= count * 120);
}

/// The blocks of the fixtures' configs: every `if`, resource and rank.
fn fixture_blocks() -> Vec<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut blocks = Vec::new();
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let folder = entry.unwrap().path();
        for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            if file.extension().is_none_or(|extension| extension != "yml" && extension != "yaml") {
                continue;
            }
            for line in std::fs::read_to_string(&file).unwrap().lines() {
                let line = line.trim().trim_start_matches("- ");
                let Some((key, text)) = line.split_once(": ") else { continue };
                let text = text.trim().trim_matches(['"', '\'']);
                let keys = ["if", "cores", "mem", "gpus", "max_cores", "min_mem", "max_mem", "min_cores", "max_gpus"];
                if keys.contains(&key) && text.parse::<f64>().is_err() && !text.starts_with(['|', '>']) {
                    blocks.push(text.to_owned());
                }
            }
        }
    }
    blocks.sort();
    blocks.dedup();
    blocks
}

#[test]
fn kernels_answer_as_the_interpreter_on_the_blocks_of_the_fixtures() {
    let blocks = fixture_blocks();
    let (data, roots, kernels) = compile(&blocks, CodeKind::Block);
    assert!(kernels > 20, "only {kernels} of {} blocks have kernels", blocks.len());
    let (mut plain, mut native) = (Machine::new(&data, Mode::Off), Machine::new(&data, Mode::Eager));
    let mut random = Random::new(3);
    for (block, root) in blocks.iter().zip(&roots) {
        for _ in 0..100 {
            let shapes = shapes(&mut random);
            let values = values(&mut random, &shapes);
            plain.set(&values);
            native.set(&values);
            assert_eq!(plain.answer(*root), native.answer(*root), "{block}");
        }
    }
}

#[test]
fn lazy_machine_code_is_made_after_many_runs_and_eager_at_once() {
    let (data, roots, _) = compile(&["cores * 3.8".to_owned()], CodeKind::Block);
    for (mode, runs, expected) in
        [(Mode::Eager, 1, 1), (Mode::Lazy, 10, 0), (Mode::Lazy, 5_000, 1), (Mode::Off, 5_000, 0)]
    {
        let mut machine = Machine::new(&data, mode);
        machine.set(&[("cores", Some(Value::Int(4)))]);
        for _ in 0..runs {
            assert_eq!(machine.answer(roots[0]), Ok(("float".to_owned(), "15.2".to_owned())));
        }
        let supported = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        let compiled = machine.native.map_or(0, |native| native.jit.compiled());
        assert_eq!(compiled, if supported { expected } else { 0 }, "{mode:?} after {runs} runs");
    }
}

#[test]
fn what_the_context_hides_is_not_the_builtin() {
    let (data, roots, _) = compile(&["max(cores, 8) if cores else 0".to_owned()], CodeKind::Block);
    let mut machine = Machine::new(&data, Mode::Eager);
    machine.set(&[("cores", Some(Value::Int(4)))]);
    assert_eq!(machine.answer(roots[0]), Ok(("int".to_owned(), "8".to_owned())));
    machine.set(&[("cores", Some(Value::Int(4))), ("max", Some(Value::Int(1)))]);
    assert_eq!(machine.answer(roots[0]), Err(("TypeError".to_owned(), "'int' object is not callable".to_owned())));
}

#[test]
fn a_kernel_that_leaves_has_paid_nothing() {
    let (data, roots, _) = compile(&["cores * cores * cores".to_owned()], CodeKind::Block);
    let left = |mode| {
        let mut machine = Machine::new(&data, mode);
        machine.vm.limits.steps = 7;
        machine.set(&[("cores", Some(Value::Int(i64::MAX)))]);
        // The text of the value would cost steps, too.
        let mut run = || {
            let result = machine.vm.run(&machine.program, roots[0]);
            result.map(drop).map_err(|raised| raised.class_name().to_string())
        };
        (run(), run())
    };
    assert_eq!(left(Mode::Off), left(Mode::Eager));
}

#[test]
fn a_text_that_is_too_long_is_the_interpreters() {
    let (data, roots, _) = compile(&["{name}{name}-{cores}".to_owned()], CodeKind::FString);
    for (bytes, steps, expected) in [
        (40, 1_000, Ok(())),
        (39, 1_000, Err("MemoryError")),
        (40, 8, Err("TimeoutError")),
        (40, 0, Err("TimeoutError")),
    ] {
        for mode in [Mode::Off, Mode::Eager] {
            let mut machine = Machine::new(&data, mode);
            machine.vm.limits.bytes = bytes;
            machine.vm.limits.steps = steps;
            machine.set(&[("name", Some(Value::str("x".repeat(19)))), ("cores", Some(Value::Int(4)))]);
            let result = machine.vm.run(&machine.program, roots[0]);
            let result = result.map(drop).map_err(|raised| raised.class_name().to_string());
            assert_eq!(result, expected.map_err(str::to_owned), "{mode:?}, {bytes} bytes, {steps} steps");
        }
    }
}

#[test]
fn text_is_appended_to_what_the_caller_gives_or_nothing_is() {
    let (data, roots, kernels) = compile(&["{cores}G of {name}".to_owned()], CodeKind::FString);
    assert_eq!(kernels, 1);
    let mut machine = Machine::new(&data, Mode::Eager);
    let supported = machine.native.is_some();
    let mut text = "mem: ".to_owned();
    machine.set(&[("cores", Some(Value::Int(4))), ("name", Some(Value::str("all")))]);
    let computed = machine.vm.run_into(&machine.program, roots[0], &mut text).ok().unwrap();
    match computed {
        Computed::Text => assert_eq!(text, "mem: 4G of all"),
        Computed::Value(value) => {
            assert!(!supported);
            assert_eq!(machine.vm.repr(&value).unwrap(), "'4G of all'");
        }
    }
    // A list is the interpreter's to show; the part before it is taken back.
    let mut text = "mem: ".to_owned();
    machine.set(&[("cores", Some(Value::Int(4))), ("name", Some(Value::list(Vec::new())))]);
    let computed = machine.vm.run_into(&machine.program, roots[0], &mut text).ok().unwrap();
    assert!(matches!(computed, Computed::Value(value) if machine.vm.repr(&value).unwrap() == "'4G of []'"));
    assert_eq!(text, "mem: ");
}

#[test]
fn threads_share_machine_code_and_it_outlives_them() {
    let (data, roots, _) = compile(&["min(max(int(input_size * 32), 14), 240)".to_owned()], CodeKind::Block);
    let Some(native) = Native::new(&data, Mode::Lazy) else { return };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut vm = Vm::new(Rc::new(Surroundings));
                let program = vm.load_native(data.clone(), Some(native.view()));
                let slot = vm.slot("size of inputs");
                for size in 0..5_000 {
                    vm.reset();
                    vm.set_context(slot, Value::Float(f64::from(size) / 1000.0));
                    let Ok(Value::Int(mem)) = vm.run(&program, roots[0]) else { panic!("no int") };
                    assert_eq!(mem, (f64::from(size) / 1000.0 * 32.0).clamp(14.0, 240.0) as i64);
                }
            });
        }
    });
    assert_eq!(native.jit.compiled(), 1);
}

#[test]
fn a_kernel_that_is_always_left_is_not_tried_for_ever() {
    let (data, roots, _) = compile(&["thing.rare > 1".to_owned()], CodeKind::Block);
    let mut machine = Machine::new(&data, Mode::Lazy);
    if machine.native.is_none() {
        return;
    }
    let mut asked = |runs: u32| {
        ASKED.set(0);
        for _ in 0..runs {
            machine.set(&[("thing", Some(Value::object(Thing(1))))]);
            assert!(machine.vm.run(&machine.program, roots[0]).is_err());
        }
        ASKED.get()
    };
    // First the interpreter alone, then both, then the interpreter alone again.
    assert_eq!(asked(500), 500);
    assert!(asked(500) > 700);
    assert_eq!(asked(500), 500);
}

#[test]
fn what_objects_share_does_not_leave_a_kernel() {
    let blocks = ["a = thing.shared\na if name else len(a)", "table if name else 1", "(name, (thing.shared, 1))"];
    let (data, roots, kernels) = compile(&blocks.map(str::to_owned), CodeKind::Block);
    assert_eq!(kernels, 3);
    let mut machine = Machine::new(&data, Mode::Eager);
    let table = Value::dict(Dict::new());
    // A list that the object holds leaves; what a name stands for does not.
    for (root, name, runs) in [(0, "x", 0), (0, "", 1), (1, "x", 2), (2, "x", 2)] {
        let thing = Value::object(Thing(1));
        machine.set(&[("table", Some(table.clone())), ("thing", Some(thing)), ("name", Some(Value::str(name)))]);
        let value = machine.vm.run(&machine.program, roots[root]).unwrap();
        assert_eq!(value.is(&table), root == 1);
        assert_eq!(machine.kernel_runs(), if machine.native.is_some() { runs } else { 0 });
    }
}

#[test]
fn a_test_that_blocks_share_is_computed_once_until_something_changes() {
    let test = "any([x.size > 2 and x.rare for x in things])";
    let blocks = [format!("{test} or cores"), format!("not {test}"), "things.append(thing)\nNone".to_owned()];
    let (data, roots, kernels) = compile(&blocks, CodeKind::Block);
    assert_eq!(kernels, 2);
    let mut machine = Machine::new(&data, Mode::Eager);
    if machine.native.is_none() {
        return;
    }
    let things = Value::list(vec![Value::object(Thing(2))]);
    machine.set(&[
        ("things", Some(things.clone())),
        ("thing", Some(Value::object(Thing(1)))),
        ("cores", Some(Value::None)),
    ]);
    let mut asked = |root: usize| {
        ASKED.set(0);
        let answer = machine.answer(roots[root]).map(|(_, text)| text);
        (answer.ok(), ASKED.get())
    };
    assert_eq!(asked(0), (Some("True".to_owned()), 2));
    assert_eq!(asked(1), (Some("False".to_owned()), 0));
    // The interpreter changes the list: the new thing has no such attribute, for either block.
    assert_eq!(asked(2), (Some("None".to_owned()), 0));
    assert_eq!(asked(1).0, None);
    assert_eq!(asked(0).0, None);
}

/// An object of a live host, which is asked for its truth and its order.
struct Live;

impl Object for Live {
    fn class(&self) -> &'static BuiltinType {
        &THING
    }

    fn identity(&self) -> Option<usize> {
        Some(1)
    }

    fn truthy(&self, _: &mut Vm) -> PyResult<bool> {
        ASKED.set(ASKED.get() + 1);
        Ok(true)
    }

    fn compare(&self, _: &mut Vm, _: CompareOp, _: &Value) -> Option<PyResult<Value>> {
        ASKED.set(ASKED.get() + 1);
        Some(Ok(Value::Bool(true)))
    }

    fn binary(&self, _: &mut Vm, _: &str, _: &Value) -> Option<PyResult<Value>> {
        ASKED.set(ASKED.get() + 1);
        Some(Ok(Value::Int(1)))
    }
}

#[test]
fn a_kernel_that_leaves_has_not_called_code_of_a_hosts_items() {
    let calls = [
        "any(things)",
        "all(things)",
        "max(things)",
        "min(things)",
        "sorted(things)",
        "sum(things)",
        "things.count(1)",
    ];
    // The kernel leaves at the attribute, which only a thing has that is rare.
    let blocks: Vec<String> = calls.iter().map(|call| format!("x = {call}\nthing.rare")).collect();
    let (data, roots, kernels) = compile(&blocks, CodeKind::Block);
    assert_eq!(kernels, calls.len());
    let live = || Value::object(Live);
    let nested = |depth| (0..depth).fold(live(), |value, _| Value::tuple(vec![value]));
    let many = || [vec![Value::Int(1); 2000], vec![live()]].concat();
    let containers = [
        Value::list(vec![live(), live()]),
        Value::tuple(vec![live(), live()]),
        Value::list(vec![nested(2), nested(2)]),
        Value::list(vec![nested(9), nested(9)]),
        Value::list(many()),
    ];
    for (index, things) in containers.iter().enumerate() {
        for (root, call) in roots.iter().zip(calls) {
            let asked = [Mode::Off, Mode::Eager].map(|mode| {
                let mut machine = Machine::new(&data, mode);
                machine.set(&[("things", Some(things.clone())), ("thing", Some(Value::object(Thing(1))))]);
                ASKED.set(0);
                let answer = machine.answer(*root);
                (ASKED.get(), answer)
            });
            // The attribute may be asked for twice: that changes nothing.
            let [(off, answer), (eager, other)] = asked;
            assert!(eager <= off + 1 && other == answer, "{call} of {index}: {off} times, then {eager}");
        }
    }
}

#[test]
fn kernels_count_and_copy_the_items_of_a_host() {
    let blocks = ["len(things)", "len(list(things))", "bool(things)", "max([1, 2, cores])"].map(str::to_owned);
    let (data, roots, _) = compile(&blocks, CodeKind::Block);
    let mut machine = Machine::new(&data, Mode::Eager);
    for (done, root) in roots.iter().enumerate() {
        let things = Value::list(vec![Value::object(Live)]);
        machine.set(&[("things", Some(things)), ("cores", Some(Value::Int(3)))]);
        machine.answer(*root).unwrap();
        assert_eq!(machine.kernel_runs(), if machine.native.is_some() { done as u64 + 1 } else { 0 });
    }
}
