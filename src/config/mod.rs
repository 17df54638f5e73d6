//! Config texts to entities: YAML, validation, merging of files, inheritance.
pub mod origin;
pub mod value;
pub mod yaml;
