//! `random`: CPython's Mersenne Twister.
//!
//! Every function serves twice: as a function of the module, on the machine's generator, and as a method of the class
//! `Random`, on the instance's own.

pub mod distributions;
pub(super) mod entropy;
pub mod integers;
pub mod mersenne;
pub mod selection;

use std::cell::RefCell;

use num_bigint::BigUint;
use sha2::{Digest, Sha512};

pub use mersenne::MersenneTwister;

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, overflow_error, type_error, value_error};
use crate::python::number::Num;
use crate::python::number::int_ops::words;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::{BinaryOp, Vm};

/// Where a function takes its numbers from.
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
            &[$(Builtin { name: $name, call: |vm, args| $function(vm, Source::Shared, args) }),*];

        static METHODS: &[Method] = &[$(Method { name: $name, call: |vm, this, args| {
            match this.downcast::<Random>() {
                Some(random) => $function(vm, Source::Own(&random.generator), args),
                None => Err(crate::python::methods::wrong_receiver("Random", this)),
            }
        } }),*];

        static NAMES: &[&str] = &["Random", "SystemRandom", $($name),*];
    };
}

functions! {
    "seed" => seed,
    "getstate" => getstate,
    "setstate" => setstate,
    "random" => random,
    "getrandbits" => integers::getrandbits,
    "randbytes" => integers::randbytes,
    "randrange" => integers::randrange,
    "randint" => integers::randint,
    "choice" => selection::choice,
    "choices" => selection::choices,
    "sample" => selection::sample,
    "shuffle" => selection::shuffle,
    "uniform" => distributions::uniform,
    "triangular" => distributions::triangular,
    "gauss" => distributions::gauss,
    "normalvariate" => distributions::normalvariate,
    "lognormvariate" => distributions::lognormvariate,
    "expovariate" => distributions::expovariate,
    "vonmisesvariate" => distributions::vonmisesvariate,
    "gammavariate" => distributions::gammavariate,
    "betavariate" => distributions::betavariate,
    "paretovariate" => distributions::paretovariate,
    "weibullvariate" => distributions::weibullvariate,
}

/// `random`
pub static MODULE: crate::python::module::ModuleDef = crate::python::module::ModuleDef {
    name: "random",
    get: |_, name| {
        if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
            return Ok(Some(Value::Builtin(function)));
        }
        // DIFFERENCE: SystemRandom has no entropy of the system to read; it is an ordinary generator.
        Ok(matches!(name, "Random" | "SystemRandom").then(|| super::class(&RANDOM)))
    },
    names: NAMES,
};

fn random(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [] = args.exactly("Random.random")?;
    Ok(Value::Float(source.random(vm)))
}

/// `random.seed(a=None, version=2)`
fn seed(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [seed, version] = Signature::method("Random.seed", ["a", "version"], 0).bind(args)?;
    let seed = seed.unwrap_or_default();
    let version_one = matches!(version, Some(Value::Int(1)));
    if let Value::Str(_) | Value::Bytes(_) = &seed {
        // The text is digested, and all of it goes into the state.
        let length = vm.len(&seed)?;
        vm.charge(length / 16)?;
    }
    match &seed {
        Value::None => source.with(vm, |generator| *generator = MersenneTwister::default()),
        Value::Str(text) if version_one => {
            let characters: Vec<u64> = text.chars().map(|c| u64::from(u32::from(c))).collect();
            source.with(vm, |generator| generator.set_magnitude(&BigUint::from(version_one_seed(&characters))));
        }
        Value::Bytes(bytes) if version_one => {
            let characters: Vec<u64> = bytes.iter().map(|byte| u64::from(*byte)).collect();
            source.with(vm, |generator| generator.set_magnitude(&BigUint::from(version_one_seed(&characters))));
        }
        Value::Str(text) => seed_bytes(vm, source, text.as_bytes()),
        Value::Bytes(bytes) => seed_bytes(vm, source, bytes),
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => {
            let seed = convert::bigint(vm, &seed)?;
            vm.charge(words(&seed).saturating_mul(2))?;
            source.with(vm, |generator| generator.set_big_seed(&seed));
        }
        Value::Float(_) => {
            let hash = crate::python::hash::hash(vm, &seed)?.cast_unsigned();
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

/// Version 1: the string hash of Python 2.
fn version_one_seed(characters: &[u64]) -> u64 {
    let mut hash = characters.first().map_or(0, |first| first << 7);
    for character in characters {
        hash = hash.wrapping_mul(1_000_003) ^ character;
    }
    hash ^ u64::try_from(characters.len()).unwrap_or_default()
}

const STATE_VERSION: i64 = 3;

fn getstate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [] = Signature::method("Random.getstate", [], 0).bind(args)?;
    vm.charge(mersenne::STATE_LENGTH)?;
    let (words, index, gauss) = source.with(vm, |generator| {
        let (words, index) = generator.state();
        (words, index, generator.gauss_next)
    });
    let mut internal: Vec<Value> = words.into_iter().map(|word| Value::Int(i64::from(word))).collect();
    internal.push(Value::from_usize(index));
    let gauss = gauss.map_or(Value::None, Value::Float);
    Ok(Value::tuple(vec![Value::Int(STATE_VERSION), Value::tuple(internal), gauss]))
}

/// The words of an old state, each modulo `2**32`.
fn unsigned(vm: &mut Vm, words: &Value) -> PyResult<Value> {
    let mut all = Vec::new();
    for word in vm.collect(words)? {
        all.push(vm.binary(BinaryOp::Remainder, &word, &Value::Int(1 << 32))?);
    }
    Ok(Value::tuple(all))
}

fn setstate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [state] = Signature::method("Random.setstate", ["state"], 1).bind(args)?;
    let state = state.unwrap_or_default();
    let version = vm.get_item(&state, &Value::Int(0))?;
    let current = vm.equal(&version, &Value::Int(STATE_VERSION))?;
    if !current && !vm.equal(&version, &Value::Int(2))? {
        let version = vm.str(&version)?;
        let message = "passed to Random.setstate() of version";
        return Err(value_error(format!("state with version {} {message} {STATE_VERSION}", version.as_str())));
    }
    let parts = vm.unpack(&state, 3)?;
    let [_, internal, gauss] = parts.as_slice() else { return Err(value_error("invalid state")) };
    // Version 2, which Python 2.6 wrote, has signed words.
    let internal = if current { internal.clone() } else { unsigned(vm, internal)? };
    let Value::Tuple(internal) = &internal else { return Err(type_error("state vector must be a tuple")) };
    if internal.items.len() != mersenne::STATE_LENGTH {
        return Err(value_error("state vector is the wrong size"));
    }
    vm.charge(internal.items.len())?;
    let mut numbers = Vec::with_capacity(internal.items.len());
    for value in &internal.items {
        let number = Num::int_of(value).ok_or_else(|| type_error("an integer is required"))?;
        let number = u32::try_from(number.to_big());
        // The last number is no word but a place.
        numbers.push(number.map_err(|_| match numbers.len() + 1 {
            mersenne::STATE_LENGTH => value_error("invalid state"),
            _ => overflow_error("can't convert negative value to unsigned int"),
        })?);
    }
    let index = numbers.pop().and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX);
    let gauss = match gauss {
        Value::Float(value) => Some(*value),
        _ => None,
    };
    let restored = source.with(vm, |generator| {
        generator.gauss_next = gauss;
        generator.set_state(numbers, index)
    });
    if restored { Ok(Value::None) } else { Err(value_error("invalid state")) }
}
