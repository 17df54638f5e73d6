//! The algorithms: what is hashed so far, by each.

use sha3::digest::{ExtendableOutput, XofReader};

use super::blake2::{Blake2b, Blake2s};

/// Declares the algorithms of a fixed output.
macro_rules! fixed {
    ($($variant:ident = $name:literal ($hasher:ty, $block:literal);)*) => {
        /// A hash that is being computed.
        #[derive(Clone)]
        pub enum Algorithm {
            $(#[doc = concat!("`", $name, "`")] $variant($hasher),)*
            /// `shake_128`
            Shake128(sha3::Shake128),
            /// `shake_256`
            Shake256(sha3::Shake256),
            /// `blake2b`
            Blake2b(Blake2b),
            /// `blake2s`
            Blake2s(Blake2s),
        }

        impl Algorithm {
            /// The algorithm of this name, with nothing hashed yet.
            pub fn named(name: &str) -> Option<Self> {
                Some(match name {
                    $($name => Self::$variant(<$hasher as sha2::Digest>::new()),)*
                    "shake_128" => Self::Shake128(sha3::Shake128::default()),
                    "shake_256" => Self::Shake256(sha3::Shake256::default()),
                    "blake2b" => Self::Blake2b(Blake2b::default()),
                    "blake2s" => Self::Blake2s(Blake2s::default()),
                    // DIFFERENCE: OpenSSL has more of them than Python guarantees.
                    _ => return None,
                })
            }

            /// `hash.name`
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Shake128(_) => "shake_128",
                    Self::Shake256(_) => "shake_256",
                    Self::Blake2b(_) => "blake2b",
                    Self::Blake2s(_) => "blake2s",
                }
            }

            /// The steps that hashing so many bytes takes. A block of SHA-3 takes as long whatever its size is.
            pub fn cost(&self, length: usize) -> usize {
                let bytes_a_step = match self {
                    Self::Sha3Of512(_) | Self::Sha3Of384(_) => 16,
                    Self::Sha3Of224(_) | Self::Sha3Of256(_) | Self::Shake128(_) | Self::Shake256(_) => 24,
                    _ => 32,
                };
                length / bytes_a_step
            }

            /// `hash.block_size`, in bytes.
            pub fn block_size(&self) -> usize {
                match self {
                    $(Self::$variant(_) => $block,)*
                    Self::Shake128(_) => 168,
                    Self::Shake256(_) => 136,
                    Self::Blake2b(_) => 128,
                    Self::Blake2s(_) => 64,
                }
            }

            /// Hashes more.
            pub fn update(&mut self, bytes: &[u8]) {
                match self {
                    $(Self::$variant(hasher) => sha2::Digest::update(hasher, bytes),)*
                    Self::Shake128(hasher) => sha3::digest::Update::update(hasher, bytes),
                    Self::Shake256(hasher) => sha3::digest::Update::update(hasher, bytes),
                    Self::Blake2b(hasher) => hasher.update(bytes),
                    Self::Blake2s(hasher) => hasher.update(bytes),
                }
            }

            /// `hash.digest()`; `length` is for algorithms whose output has any length.
            pub fn digest(&self, length: usize) -> Vec<u8> {
                match self.clone() {
                    $(Self::$variant(hasher) => sha2::Digest::finalize(hasher).to_vec(),)*
                    Self::Shake128(hasher) => extended(hasher, length),
                    Self::Shake256(hasher) => extended(hasher, length),
                    Self::Blake2b(hasher) => hasher.digest(),
                    Self::Blake2s(hasher) => hasher.digest(),
                }
            }

            /// `hash.digest_size`, in bytes; 0 where any length can be asked for.
            pub fn digest_size(&self) -> usize {
                match self {
                    $(Self::$variant(_) => <$hasher as sha2::Digest>::output_size(),)*
                    Self::Shake128(_) | Self::Shake256(_) => 0,
                    Self::Blake2b(hasher) => hasher.digest_size(),
                    Self::Blake2s(hasher) => hasher.digest_size(),
                }
            }
        }
    };
}

fixed! {
    Md5 = "md5" (md5::Md5, 64);
    Sha1 = "sha1" (sha1::Sha1, 64);
    Sha224 = "sha224" (sha2::Sha224, 64);
    Sha256 = "sha256" (sha2::Sha256, 64);
    Sha384 = "sha384" (sha2::Sha384, 128);
    Sha512 = "sha512" (sha2::Sha512, 128);
    Sha512Of224 = "sha512_224" (sha2::Sha512_224, 128);
    Sha512Of256 = "sha512_256" (sha2::Sha512_256, 128);
    Sha3Of224 = "sha3_224" (sha3::Sha3_224, 144);
    Sha3Of256 = "sha3_256" (sha3::Sha3_256, 136);
    Sha3Of384 = "sha3_384" (sha3::Sha3_384, 104);
    Sha3Of512 = "sha3_512" (sha3::Sha3_512, 72);
}

fn extended(hasher: impl ExtendableOutput, length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    hasher.finalize_xof().read(&mut out);
    out
}

/// The names that are always there: `hashlib.algorithms_guaranteed`.
pub const GUARANTEED: [&str; 14] = [
    "blake2b",
    "blake2s",
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha3_224",
    "sha3_256",
    "sha3_384",
    "sha3_512",
    "sha512",
    "shake_128",
    "shake_256",
];

/// What else `hashlib.new` knows.
pub const OTHERS: [&str; 2] = ["sha512_224", "sha512_256"];
