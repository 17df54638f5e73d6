//! BLAKE2 with its options: the size of the digest, a key, a salt and a personal string.

use blake2::digest::core_api::{Buffer, UpdateCore, VariableOutputCore};
use blake2::{Blake2bVarCore, Blake2sVarCore};

use super::Hash;
use super::algorithm::Algorithm;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, not_implemented_error, type_error, value_error};
use crate::python::methods::bytes::bytes_argument;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// The options of a hash that is begun.
#[derive(Default)]
struct Options {
    /// Bytes of the digest.
    size: usize,
    key: Vec<u8>,
    salt: Vec<u8>,
    person: Vec<u8>,
}

macro_rules! variant {
    ($(#[$meta:meta])* $name:ident, $core:ty, $most:literal) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name {
            core: $core,
            buffer: Buffer<$core>,
            size: usize,
        }

        impl $name {
            /// Bytes of the longest digest and of the longest key.
            const MOST: usize = $most;
            /// Bytes of a salt and of a personal string.
            const SALT: usize = $most / 4;

            fn with(options: &Options) -> Self {
                let core = <$core>::new_with_params(&options.salt, &options.person, options.key.len(), options.size);
                let mut this = Self { core, buffer: Default::default(), size: options.size };
                if !options.key.is_empty() {
                    // A key is hashed as a block of its own.
                    let mut block = options.key.clone();
                    block.resize(2 * $most, 0);
                    this.update(&block);
                }
                this
            }

            /// Hashes more.
            pub(super) fn update(&mut self, bytes: &[u8]) {
                let core = &mut self.core;
                self.buffer.digest_blocks(bytes, |blocks| core.update_blocks(blocks));
            }

            /// The digest of what was hashed.
            pub(super) fn digest(mut self) -> Vec<u8> {
                let mut whole = Default::default();
                self.core.finalize_variable_core(&mut self.buffer, &mut whole);
                whole.iter().copied().take(self.size).collect()
            }

            /// Bytes of the digest.
            pub(super) fn digest_size(&self) -> usize {
                self.size
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::with(&Options { size: Self::MOST, ..Options::default() })
            }
        }
    };
}

variant! {
    /// A `blake2b` hash that is being computed.
    Blake2b, Blake2bVarCore, 64
}
variant! {
    /// A `blake2s` hash that is being computed.
    Blake2s, Blake2sVarCore, 32
}

/// `blake2b(data, *, digest_size, key, salt, person, ...)`
pub(super) fn blake2b(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (data, options) = bind(vm, args, "blake2b", Blake2b::MOST, Blake2b::SALT)?;
    Hash::begin(vm, Algorithm::Blake2b(Blake2b::with(&options)), data)
}

/// `blake2s(data, *, digest_size, key, salt, person, ...)`
pub(super) fn blake2s(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (data, options) = bind(vm, args, "blake2s", Blake2s::MOST, Blake2s::SALT)?;
    Hash::begin(vm, Algorithm::Blake2s(Blake2s::with(&options)), data)
}

fn bind(vm: &mut Vm, args: Args, name: &str, most: usize, salt: usize) -> PyResult<(Option<Value>, Options)> {
    if args.pos.len() > 1 {
        let given = args.pos.len();
        return Err(type_error(format!("{name}() takes at most 1 positional argument ({given} given)")));
    }
    let data = args.pos.into_iter().next();
    let mut options = Options { size: most, ..Options::default() };
    for (keyword, value) in &args.kw {
        if matches!(keyword.as_str(), "key" | "salt" | "person") {
            bytes_argument(value)?;
        }
    }
    for (keyword, value) in args.kw {
        match keyword.as_str() {
            "digest_size" => {
                options.size = usize::try_from(convert::index_i32(vm, &value)?).unwrap_or(0);
                if options.size == 0 || options.size > most {
                    return Err(value_error(format!("digest_size must be between 1 and {most} bytes")));
                }
            }
            "key" => options.key = limited(&value, "key", most)?,
            "salt" => options.salt = limited(&value, "salt", salt)?,
            "person" => options.person = limited(&value, "person", salt)?,
            "usedforsecurity" => {}
            "fanout" | "depth" | "leaf_size" | "node_offset" | "node_depth" | "inner_size" | "last_node" => {
                return Err(not_implemented_error(format!("{name}({}=...)", keyword.as_str())));
            }
            other => return Err(type_error(format!("'{other}' is an invalid keyword argument for {name}()"))),
        }
    }
    Ok((data, options))
}

fn limited(value: &Value, what: &str, most: usize) -> PyResult<Vec<u8>> {
    let bytes = bytes_argument(value)?;
    if bytes.len() > most {
        return Err(value_error(format!("maximum {what} length is {most} bytes")));
    }
    Ok(bytes.to_vec())
}
