//! `hashlib`: the algorithms that split users or tools into parts.

use std::cell::RefCell;

use sha2::Digest;
use sha2::digest::DynDigest;

use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::identity::identity;
use crate::methods::wrong_receiver;
use crate::object::Object;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Method, Value};
use crate::vm::Vm;

module! {
    /// `hashlib`
    MODULE = "hashlib";
    functions {
        "md5" => |vm, args| begin::<md5::Md5>(vm, args, "md5", 64),
        "sha1" => |vm, args| begin::<sha1::Sha1>(vm, args, "sha1", 64),
        "sha224" => |vm, args| begin::<sha2::Sha224>(vm, args, "sha224", 64),
        "sha256" => |vm, args| begin::<sha2::Sha256>(vm, args, "sha256", 64),
        "sha384" => |vm, args| begin::<sha2::Sha384>(vm, args, "sha384", 128),
        "sha512" => |vm, args| begin::<sha2::Sha512>(vm, args, "sha512", 128),
    }
    values(_vm) {}
}

/// The class of hash objects.
pub(super) static HASH: BuiltinType =
    BuiltinType { methods: METHODS, ..BuiltinType::new("HASH", "_hashlib", &OBJECT).heap_in_c() };

/// The steps that the last block takes, and the copy of the state that it is made in.
const FINISHING: usize = 12;
/// The bytes that are hashed in the time of a step.
const BYTES_A_STEP: usize = 32;

/// A hash object.
struct Hash {
    name: &'static str,
    /// In bytes.
    block_size: usize,
    state: RefCell<Box<dyn DynDigest>>,
}

/// `hashlib.md5(string=b"", *, usedforsecurity=True)` and its like.
fn begin<D: Digest + DynDigest + 'static>(
    vm: &mut Vm,
    args: Args,
    name: &'static str,
    block_size: usize,
) -> PyResult<Value> {
    let function = format!("openssl_{name}");
    if args.pos.len() > 1 {
        let given = args.pos.len();
        return Err(type_error(format!("{function}() takes at most 1 positional argument ({given} given)")));
    }
    let [data, _] = args.bind(&function, ["string", "usedforsecurity"], 0)?;
    let hash = Hash { name, block_size, state: RefCell::new(Box::new(D::new())) };
    if let Some(data) = data {
        hash.update(vm, &data)?;
    }
    Ok(Value::object(hash))
}

impl Hash {
    fn update(&self, vm: &mut Vm, data: &Value) -> PyResult<()> {
        let bytes = match data {
            Value::Bytes(bytes) => bytes,
            Value::Str(_) => return Err(type_error("Strings must be encoded before hashing")),
            _ => return Err(type_error("object supporting the buffer API required")),
        };
        vm.charge(bytes.len() / BYTES_A_STEP)?;
        self.state.borrow_mut().update(bytes);
        Ok(())
    }

    fn digest(&self, vm: &mut Vm) -> PyResult<Box<[u8]>> {
        vm.charge(FINISHING)?;
        Ok(self.state.borrow().clone().finalize())
    }
}

fn receiver(this: &Value) -> PyResult<&Hash> {
    this.downcast::<Hash>().ok_or_else(|| wrong_receiver("HASH", this))
}

static METHODS: &[Method] = &[
    Method {
        name: "copy",
        call: |_, this, args| {
            let [] = args.exactly("HASH.copy")?;
            let hash = receiver(this)?;
            let state = RefCell::new(hash.state.borrow().clone());
            Ok(Value::object(Hash { name: hash.name, block_size: hash.block_size, state }))
        },
    },
    Method {
        name: "digest",
        call: |vm, this, args| {
            let [] = args.exactly("HASH.digest")?;
            Ok(Value::bytes(receiver(this)?.digest(vm)?.into_vec()))
        },
    },
    Method {
        name: "hexdigest",
        call: |vm, this, args| {
            let [] = args.exactly("HASH.hexdigest")?;
            let digest = receiver(this)?.digest(vm)?;
            Ok(Value::str(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
        },
    },
    Method {
        name: "update",
        call: |vm, this, args| {
            let [data] = args.exactly("HASH.update")?;
            receiver(this)?.update(vm, &data)?;
            Ok(Value::None)
        },
    },
];

impl Object for Hash {
    fn class(&self) -> &'static BuiltinType {
        &HASH
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::str(self.name)),
            "digest_size" => Some(Value::from_usize(self.state.borrow().output_size())),
            "block_size" => Some(Value::from_usize(self.block_size)),
            _ => None,
        })
    }

    fn repr(&self, _: &mut Vm, this: &Value) -> PyResult<String> {
        Ok(format!("<{} _hashlib.HASH object @ {:#x}>", self.name, identity(this)))
    }
}
