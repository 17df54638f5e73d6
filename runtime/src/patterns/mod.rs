//! Many patterns at once: which of TPV's tool, role and user ids match.
//!
//! TPV looks an id up by trying `re.compile(key).match(id)` for every key, in config order; a shared config has thousands
//! of keys. Here the keys become one trie when the config is compiled, so that a lookup takes time that depends on the
//! id, not on the number of keys: [`prefix`] splits a key into literal characters and wildcards that it begins with, and
//! the rest; [`set`] is the trie, plain data that the artifact holds; [`matcher`] looks up.
//!
//! Only a key with a rest that its beginning does not settle (`bwa/\d+`) is run as a regular expression, and only for ids
//! that have its beginning.

mod build;
pub mod matcher;
pub mod prefix;
pub mod set;

pub use matcher::{InvalidPattern, Matcher};
pub use set::{Engine, Invalid, PatternKind, PatternSet};
