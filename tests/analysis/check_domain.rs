//! The values that `tpvc check` computes for blocks are sound: random blocks on random values, run by the interpreter,
//! whose results must lie in the computed sets.
//!
//! `TPVC_SEED=7 TPVC_BLOCKS=100000` runs other blocks, or more; a failure prints the seed.

#[allow(dead_code, reason = "f-strings are text, of which nothing is computed here")]
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::support::blocks::{block, condition, number};
use crate::support::random::{Random, rounds, setting};
use num_bigint::BigInt;
use tpv_analysis::check::domain::{Block, Kinds, Names, Outcome, Truth, Value, evaluate};
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_compiler::python::program::ProgramBuilder;
use tpv_python::exception::PyResult;
use tpv_python::program::Program;
use tpv_python::value::Value as Concrete;
use tpv_python::vm::{Environment, Vm};

/// The names that blocks read.
const NAMES: [&str; 6] = ["cores", "mem", "gpus", "name", "thing", "input_size"];

struct Surroundings;

impl Environment for Surroundings {
    fn computed_name(&self, vm: &mut Vm, _: &str) -> PyResult<Concrete> {
        let slot = vm.slot("size of inputs");
        Ok(vm.context[slot].clone().unwrap_or(Concrete::Int(0)))
    }
}

/// The values of names, as sets.
struct Sets(HashMap<&'static str, Value>);

impl Names for Sets {
    fn get(&self, name: &str) -> Option<Outcome> {
        self.0.get(name).cloned().map(Outcome::of)
    }
}

fn concrete(random: &mut Random) -> Concrete {
    match random.below(16) {
        0 => Concrete::None,
        1 => Concrete::Bool(random.one_in(2)),
        2 => Concrete::str(*random.pick(&["", "a", "abc"])),
        3 => Concrete::from_bigint(BigInt::from(1) << (60 + random.below(20))),
        4 => Concrete::Int(*random.pick(&[i64::MAX, i64::MIN, (1 << 53) + 1, -(1 << 53) - 1, 3_037_000_500, -1, 0])),
        5 => Concrete::Float(*random.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, 0.0, 1e308, 1e-320])),
        6..=10 => Concrete::Int(i64::from(random.below(64)) - 8),
        _ => Concrete::Float(f64::from(random.below(4000)) / 64.0 - 4.0),
    }
}

/// The smallest set that has a value.
fn of(value: &Concrete) -> Value {
    match value {
        Concrete::None => Value::none(),
        Concrete::Bool(value) => Value::bool(Truth { yes: *value, no: !*value }),
        Concrete::Int(value) => Value::int(*value),
        Concrete::BigInt(_) => Value::of_kinds(Kinds::INT),
        Concrete::Float(value) => Value::float(*value),
        Concrete::Str(text) => Value::text(text),
        _ => Value::of_kinds(Kinds::OTHER),
    }
}

/// Returns `true` if a set has a value.
fn has(set: &Value, value: &Concrete) -> bool {
    let one = of(value);
    if !one.kinds().within(set.kinds()) {
        return false;
    }
    // Of a large int, its truth and order are known by comparing.
    let numbers = match value {
        Concrete::BigInt(big) => {
            let near: f64 = big.to_string().parse().unwrap();
            set.bounds().is_some_and(|(low, high)| low <= near && near <= high)
        }
        Concrete::Float(value) if value.is_nan() => set.may_be_nan(),
        Concrete::Int(value) => set.bounds().is_some_and(|(low, high)| {
            // Compared exactly: a double that is an int of that size is one of 128 bits.
            (low <= -1e30 || low.ceil() as i128 <= i128::from(*value))
                && (high >= 1e30 || high.floor() as i128 >= i128::from(*value))
        }),
        Concrete::Float(value) => set.bounds().is_some_and(|(low, high)| low <= *value && *value <= high),
        Concrete::Str(text) => set.known_text().is_none_or(|known| **known == **text),
        _ => true,
    };
    let truth = one.truth();
    numbers
        && (matches!(value, Concrete::BigInt(_)) || (set.truth().yes || !truth.yes) && (set.truth().no || !truth.no))
}

#[test]
fn the_interpreters_results_lie_in_the_sets() {
    let (seed, count) = (setting("TPVC_SEED", 1), rounds("TPVC_BLOCKS", 3000) as usize);
    println!("seed {seed}, {count} blocks");
    let mut random = Random::new(seed);
    let sources: Vec<String> = (0..count)
        .map(|_| {
            let depth = 1 + random.below(4) as usize;
            match random.below(6) {
                0 | 1 => condition(&mut random, depth),
                2..=4 => number(&mut random, depth),
                _ => block(&mut random, depth),
            }
        })
        .collect();
    let mut builder = ProgramBuilder::new();
    let roots: Vec<u32> = sources.iter().map(|source| builder.compile_lenient(source, CodeKind::Block).0).collect();
    let data: Arc<ProgramData> = Arc::new(builder.finish());
    let mut vm = Vm::new(Rc::new(Surroundings));
    let program: Rc<Program> = vm.load(data.clone());
    let (mut bounded, mut decided, mut safe) = (0, 0, 0);
    for (source, root) in sources.iter().zip(&roots) {
        for _ in 0..4 {
            let samples: Vec<Vec<Concrete>> =
                NAMES.iter().map(|_| (0..1 + random.below(3)).map(|_| concrete(&mut random)).collect()).collect();
            let set = |samples: &Vec<Concrete>| samples.iter().map(of).fold(Value::nothing(), |all, one| all.or(&one));
            let sets = Sets(NAMES.into_iter().zip(samples.iter().map(set)).collect());
            let block = Block { program: &data, code: &data.codes[*root as usize], source };
            let outcome = evaluate(block, &sets);
            let truth = outcome.value.truth();
            bounded += usize::from(outcome.value != Value::any());
            decided += usize::from(truth.yes != truth.no);
            safe += usize::from(!outcome.raises);
            for _ in 0..6 {
                vm.reset();
                let values: Vec<Concrete> = samples.iter().map(|samples| random.pick(samples).clone()).collect();
                for (name, value) in NAMES.iter().zip(&values) {
                    let slot = vm.slot(if *name == "input_size" { "size of inputs" } else { name });
                    vm.context[slot] = Some(value.clone());
                }
                let shown = |vm: &mut Vm, value: &Concrete| vm.repr(value).unwrap().to_string();
                let result = vm.run(&program, *root);
                let names: Vec<String> = NAMES
                    .iter()
                    .zip(&values)
                    .map(|(name, value)| format!("{name} = {}", shown(&mut vm, value)))
                    .collect();
                let names = names.join("\n");
                match result {
                    Ok(value) => assert!(
                        has(&outcome.value, &value),
                        "seed {seed}:\n{source}\n{names}\ngives {}, which is not in {:?}",
                        shown(&mut vm, &value),
                        outcome.value
                    ),
                    Err(raised) => assert!(
                        outcome.raises,
                        "seed {seed}:\n{source}\n{names}\nraises {}, which {outcome:?} does not say",
                        raised.class_name()
                    ),
                }
            }
        }
    }
    println!("{bounded} of {} outcomes are bounded, {decided} decided, {safe} never raise", 4 * count);
    // Sets that hold everything would prove nothing.
    assert!(bounded > count && decided * 20 > count && safe * 20 > count);
}
