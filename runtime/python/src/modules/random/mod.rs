//! `random`: CPython's Mersenne Twister.
//!
//! Every function serves twice: as a function of the module, on the machine's generator, and as a method of the class
//! `Random`, on the instance's own.

pub mod integers;
pub mod selection;

use std::cell::RefCell;

use num_bigint::BigUint;
use sha2::{Digest, Sha512};

use super::signature::Signature;
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, not_implemented_error, type_error};
use crate::mersenne_twister::MersenneTwister;
use crate::number::int_ops::words;
use crate::object::Object;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Builtin, Method, Value};
use crate::vm::{BinaryOp, Vm};

/// The source of a function's random numbers.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// The machine's generator.
    Shared,
    /// The generator of a `Random` instance.
    Own(&'a RefCell<MersenneTwister>),
}

impl Source<'_> {
    /// Uses the generator.
    pub fn with<T>(self, vm: &mut Vm, f: impl FnOnce(&mut MersenneTwister) -> T) -> T {
        match self {
            Self::Shared => f(&mut vm.random),
            Self::Own(cell) => f(&mut cell.borrow_mut()),
        }
    }

    /// `random()`
    pub fn random(self, vm: &mut Vm) -> f64 {
        self.with(vm, MersenneTwister::random)
    }
}

/// `random.Random`
pub static RANDOM: BuiltinType =
    BuiltinType { construct: Some(construct), methods: METHODS, ..BuiltinType::new("Random", "random", &OBJECT) };

/// An instance of `random.Random`.
pub struct Random {
    generator: RefCell<MersenneTwister>,
}

impl Object for Random {
    fn class(&self) -> &'static BuiltinType {
        &RANDOM
    }

    fn deepcopy(&self, _: &mut Vm, _: &Value) -> PyResult<Value> {
        Ok(Value::object(Self { generator: RefCell::new(self.generator.borrow().clone()) }))
    }
}

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let random = Random { generator: RefCell::default() };
    let [source] = Signature::method("Random.__init__", ["x"], 0).bind(args)?;
    seed(vm, Source::Own(&random.generator), Args::positional(source))?;
    Ok(Value::object(random))
}

macro_rules! functions {
    ($($name:literal => $function:path),* $(,)?) => {
        static FUNCTIONS: &[Builtin] =
            &[$(Builtin::new("random", $name, |vm, args| $function(vm, Source::Shared, args))),*];

        static METHODS: &[Method] = &[$(Method { name: $name, call: |vm, this, args| {
            match this.downcast::<Random>() {
                Some(random) => $function(vm, Source::Own(&random.generator), args),
                None => Err(crate::methods::wrong_receiver("Random", this)),
            }
        } }),*];

        static NAMES: &[&str] = &["Random", "SystemRandom", $($name),*];
    };
}

functions! {
    "seed" => seed,
    "random" => random,
    "randrange" => integers::randrange,
    "randint" => integers::randint,
    "choice" => selection::choice,
    "choices" => selection::choices,
    "sample" => selection::sample,
    "shuffle" => selection::shuffle,
    "uniform" => uniform,
}

/// `random`
pub static MODULE: crate::module::ModuleDef = crate::module::ModuleDef {
    name: "random",
    get: |_, name| {
        if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
            return Ok(Some(Value::Builtin(function)));
        }
        // DIFFERENCE: SystemRandom has no entropy of the system to read; it is an ordinary generator.
        Ok(matches!(name, "Random" | "SystemRandom").then(|| Value::Type(&RANDOM)))
    },
    names: NAMES,
};

fn random(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [] = args.exactly("Random.random")?;
    Ok(Value::Float(source.random(vm)))
}

/// `random.seed(a=None)`
///
/// DIFFERENCE: how Python 2 seeded (`version=1`) is left out.
fn seed(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [seed, version] = Signature::method("Random.seed", ["a", "version"], 0).bind(args)?;
    if version.is_some() {
        return Err(not_implemented_error("tpvc's `random.seed` has no `version`"));
    }
    let seed = seed.unwrap_or_default();
    if let Value::Str(_) | Value::Bytes(_) = &seed {
        // The text is digested, and all of it goes into the state.
        let length = vm.len(&seed)?;
        vm.visit(length, 16)?;
    }
    match &seed {
        Value::None => source.with(vm, |generator| *generator = MersenneTwister::default()),
        Value::Str(text) => seed_bytes(vm, source, text.as_bytes()),
        Value::Bytes(bytes) => seed_bytes(vm, source, bytes),
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => {
            let seed = convert::bigint(vm, &seed)?;
            vm.charge(words(&seed).saturating_mul(2))?;
            source.with(vm, |generator| generator.set_big_seed(&seed));
        }
        Value::Float(_) => {
            let hash = crate::hash::hash(vm, &seed)?.cast_unsigned();
            source.with(vm, |generator| generator.set_magnitude(&BigUint::from(hash)));
        }
        _ => {
            return Err(type_error("The only supported seed types are: None,\nint, float, str, bytes, and bytearray."));
        }
    }
    Ok(Value::None)
}

/// Version 2: the text and its SHA-512 as one big-endian number.
fn seed_bytes(vm: &mut Vm, source: Source<'_>, bytes: &[u8]) {
    let mut whole = bytes.to_vec();
    whole.extend_from_slice(&Sha512::digest(bytes));
    let number = BigUint::from_bytes_be(&whole);
    source.with(vm, |generator| generator.set_magnitude(&number));
}

/// `uniform(a, b)`
fn uniform(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [a, b] = Signature::method("Random.uniform", ["a", "b"], 2).bind(args)?.map(Option::unwrap_or_default);
    let width = vm.binary(BinaryOp::Subtract, &b, &a)?;
    let part = Value::Float(source.random(vm));
    let offset = vm.binary(BinaryOp::Multiply, &width, &part)?;
    vm.binary(BinaryOp::Add, &a, &offset)
}
