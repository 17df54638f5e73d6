//! `hashlib`

mod algorithm;
mod blake2;
mod pbkdf2;

use std::cell::RefCell;

use algorithm::{Algorithm, GUARANTEED, OTHERS};

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::attributes::identity;
use crate::python::builtins::convert;
use crate::python::dict::Key;
use crate::python::exception::{MEMORY_ERROR, PyResult, raise_with, system_error, type_error, value_error};
use crate::python::methods::{set, wrong_receiver};
use crate::python::object::Object;
use crate::python::set::SetTable;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

module! {
    /// `hashlib`
    MODULE = "hashlib";
    functions {
        "md5" => |vm, args| simple(vm, args, "md5"),
        "new" => new,
        "pbkdf2_hmac" => pbkdf2::pbkdf2_hmac,
        "sha1" => |vm, args| simple(vm, args, "sha1"),
        "sha224" => |vm, args| simple(vm, args, "sha224"),
        "sha256" => |vm, args| simple(vm, args, "sha256"),
        "sha384" => |vm, args| simple(vm, args, "sha384"),
        "sha3_224" => |vm, args| simple(vm, args, "sha3_224"),
        "sha3_256" => |vm, args| simple(vm, args, "sha3_256"),
        "sha3_384" => |vm, args| simple(vm, args, "sha3_384"),
        "sha3_512" => |vm, args| simple(vm, args, "sha3_512"),
        "sha512" => |vm, args| simple(vm, args, "sha512"),
        "shake_128" => |vm, args| simple(vm, args, "shake_128"),
        "shake_256" => |vm, args| simple(vm, args, "shake_256"),
    }
    values(_vm) {
        "algorithms_available" => names(&[GUARANTEED.as_slice(), OTHERS.as_slice()]),
        "algorithms_guaranteed" => names(&[GUARANTEED.as_slice()]),
        "blake2b" => super::class(&BLAKE2B),
        "blake2s" => super::class(&BLAKE2S),
    }
}

pub(super) static HASH: BuiltinType = BuiltinType { methods: METHODS, ..BuiltinType::new("HASH", "_hashlib", &OBJECT) };
static HASHXOF: BuiltinType = BuiltinType { methods: XOF_METHODS, ..BuiltinType::new("HASHXOF", "_hashlib", &HASH) };
pub(super) static BLAKE2B: BuiltinType = BuiltinType {
    construct: Some(blake2::blake2b),
    methods: METHODS,
    ..BuiltinType::new("blake2b", "_blake2", &OBJECT)
};
pub(super) static BLAKE2S: BuiltinType = BuiltinType {
    construct: Some(blake2::blake2s),
    methods: METHODS,
    ..BuiltinType::new("blake2s", "_blake2", &OBJECT)
};

fn names(lists: &[&[&str]]) -> Value {
    let mut table = SetTable::default();
    for name in lists.iter().copied().flatten() {
        table.insert(Key::str(Str::from(*name)));
    }
    set::set_value(table, false)
}

/// The bytes of an argument.
///
/// # Errors
/// `TypeError`, as hashes word it.
fn buffer(value: &Value) -> PyResult<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        Value::Str(_) => Err(type_error("Strings must be encoded before hashing")),
        _ => Err(type_error("object supporting the buffer API required")),
    }
}

/// The steps that the last block takes, and the copy of the state that it is made in.
const FINISHING: usize = 8;

/// A hash object.
struct Hash(RefCell<Algorithm>);

impl Hash {
    /// A hash of this algorithm, with the first data where there are some.
    fn begin(vm: &mut Vm, mut algorithm: Algorithm, data: Option<Value>) -> PyResult<Value> {
        if let Some(data) = data {
            let bytes = buffer(&data)?;
            vm.charge(algorithm.cost(bytes.len()))?;
            algorithm.update(bytes);
        }
        Ok(Value::object(Self(RefCell::new(algorithm))))
    }
}

fn simple(vm: &mut Vm, args: Args, name: &'static str) -> PyResult<Value> {
    let function = format!("openssl_{name}");
    if args.pos.len() > 1 {
        let given = args.pos.len();
        return Err(type_error(format!("{function}() takes at most 1 positional argument ({given} given)")));
    }
    let [data, _] = args.bind(&function, ["string", "usedforsecurity"], 0)?;
    match Algorithm::named(name) {
        Some(algorithm) => Hash::begin(vm, algorithm, data),
        None => Err(unsupported(name)),
    }
}

/// The algorithm that a name given by code means: in any case of its letters, and with the dash of standards.
///
/// # Errors
/// `ValueError: unsupported hash type x`
fn named(name: &str) -> PyResult<Algorithm> {
    let lower = name.to_ascii_lowercase();
    let known = match lower.as_str() {
        "sha-1" => "sha1",
        "sha-224" | "sha2-224" => "sha224",
        "sha-256" | "sha2-256" => "sha256",
        "sha-384" | "sha2-384" => "sha384",
        "sha-512" | "sha2-512" => "sha512",
        "sha512-224" | "sha-512/224" | "sha2-512/224" => "sha512_224",
        "sha512-256" | "sha-512/256" | "sha2-512/256" => "sha512_256",
        "sha3-224" => "sha3_224",
        "sha3-256" => "sha3_256",
        "sha3-384" => "sha3_384",
        "sha3-512" => "sha3_512",
        "shake128" | "shake-128" => "shake_128",
        "shake256" | "shake-256" => "shake_256",
        other => other,
    };
    Algorithm::named(known).ok_or_else(|| unsupported(name))
}

fn unsupported(name: &str) -> crate::python::exception::Raised {
    value_error(format!("unsupported hash type {name}"))
}

/// `hashlib.new(name, data=b"", **options)`
fn new(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let options = args.kw.iter().position(|(name, _)| name.as_str() == "usedforsecurity");
    if let Some(index) = options {
        args.kw.remove(index);
    }
    let name_first = args.pos.first().cloned();
    if let Some(Value::Str(name)) = &name_first
        && matches!(name.as_str(), "blake2b" | "blake2s")
    {
        args.pos.remove(0);
        return if name.as_str() == "blake2b" { blake2::blake2b(vm, args) } else { blake2::blake2s(vm, args) };
    }
    let [name, data] = Signature::function("__hash_new", ["name", "data"], 1).bind(args)?;
    let name = name.unwrap_or_default();
    // It is looked up in a set first.
    crate::python::hash::hash(vm, &name)?;
    let Value::Str(name) = name else { return Err(type_error("name must be a string")) };
    // A C string ends at a NUL.
    if name.contains('\0') {
        return Err(type_error("name must be a string"));
    }
    // The data is looked at before the name's meaning.
    if let Some(data) = &data {
        buffer(data)?;
    }
    Hash::begin(vm, named(&name)?, data)
}

fn receiver(this: &Value) -> PyResult<&Hash> {
    this.downcast::<Hash>().ok_or_else(|| wrong_receiver("HASH", this))
}

static METHODS: &[Method] = &[
    Method {
        name: "copy",
        call: |_, this, args| {
            let [] = args.exactly("HASH.copy")?;
            Ok(Value::object(Hash(receiver(this)?.0.clone())))
        },
    },
    Method {
        name: "digest",
        call: |vm, this, args| {
            let [] = args.exactly("HASH.digest")?;
            vm.charge(FINISHING)?;
            Ok(Value::bytes(receiver(this)?.0.borrow().digest(0)))
        },
    },
    Method {
        name: "hexdigest",
        call: |vm, this, args| {
            let [] = args.exactly("HASH.hexdigest")?;
            vm.charge(FINISHING)?;
            Ok(Value::str(hex(&receiver(this)?.0.borrow().digest(0))))
        },
    },
    Method {
        name: "update",
        call: |vm, this, args| {
            let [data] = args.exactly("HASH.update")?;
            let bytes = buffer(&data)?;
            let mut algorithm = receiver(this)?.0.borrow_mut();
            vm.charge(algorithm.cost(bytes.len()))?;
            algorithm.update(bytes);
            Ok(Value::None)
        },
    },
];

static XOF_METHODS: &[Method] = &[
    Method { name: "digest", call: |vm, this, args| Ok(Value::bytes(extended(vm, this, args, "digest")?)) },
    Method { name: "hexdigest", call: |vm, this, args| Ok(Value::str(hex(&extended(vm, this, args, "hexdigest")?))) },
];

fn extended(vm: &mut Vm, this: &Value, args: Args, name: &str) -> PyResult<Vec<u8>> {
    let [length] = args.bind(name, ["length"], 1)?.map(Option::unwrap_or_default);
    let length = convert::index_i64(vm, &length)?;
    let length = usize::try_from(length).map_err(|_| match name {
        "digest" => system_error("Negative size passed to PyBytes_FromStringAndSize"),
        _ => raise_with(&MEMORY_ERROR, Vec::new()),
    })?;
    vm.charge_bytes(length)?;
    let algorithm = receiver(this)?.0.borrow();
    // Two digits for each byte.
    let digits = if name == "hexdigest" { length / 4 } else { 0 };
    vm.charge(FINISHING.saturating_add(algorithm.cost(length)).saturating_add(digits))?;
    Ok(algorithm.digest(length))
}

/// The bytes as lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Object for Hash {
    fn class(&self) -> &'static BuiltinType {
        match &*self.0.borrow() {
            Algorithm::Blake2b(_) => &BLAKE2B,
            Algorithm::Blake2s(_) => &BLAKE2S,
            Algorithm::Shake128(_) | Algorithm::Shake256(_) => &HASHXOF,
            _ => &HASH,
        }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let algorithm = self.0.borrow();
        Ok(match name {
            "name" => Some(Value::str(algorithm.name())),
            "digest_size" => Some(Value::from_usize(algorithm.digest_size())),
            "block_size" => Some(Value::from_usize(algorithm.block_size())),
            _ => None,
        })
    }

    fn repr(&self, _: &mut Vm, this: &Value) -> PyResult<String> {
        let class = self.class();
        let address = identity(this);
        Ok(if class.module == "_blake2" {
            format!("<_blake2.{} object at {address:#x}>", class.name)
        } else {
            format!("<{} _hashlib.{} object @ {address:#x}>", self.0.borrow().name(), class.name)
        })
    }

    fn attributes(&self) -> &'static [&'static str] {
        &["block_size", "digest_size", "name"]
    }
}

/// The digest of bytes by one of the algorithms that are always there.
pub(super) fn digest_of(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut algorithm = Algorithm::named(name);
    if let Some(algorithm) = &mut algorithm {
        algorithm.update(bytes);
    }
    algorithm.map(|algorithm| algorithm.digest(0)).unwrap_or_default()
}
