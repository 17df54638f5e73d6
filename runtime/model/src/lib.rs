//! The domain model of TPV 3.3.0: the classes of entities, their fields, amounts and tags, and how two entities merge.
//!
//! The compiler, the artifact, the mapper and the checks take names, orders and merging from here. What a value is differs
//! between them: text with a place, a row of the artifact, a Python value. So merging is generic over it.
//!
//! ```
//! use tpv_model::{Amounts, Quantity, Resource};
//!
//! let parent = Amounts::from([(Resource::Cores, 4), (Resource::MaxMem, 64)]);
//! let child = Amounts::from([(Resource::Cores, 8)]);
//! let merged = child.inherit(&parent);
//! assert_eq!(merged.get(Resource::Cores), Some(&8));
//! assert_eq!(merged.get(Quantity::Mem.most()), Some(&64));
//! ```
//!
//! # Invariants
//!
//! No YAML, no Python values, no files: nothing here knows where a value comes from or what runs it.

mod amount;
mod change;
mod class;
mod entity;
pub mod field;
mod field_map;
pub mod merge;
mod release;
mod tag;
mod version;

pub use amount::{Amount, Amounts, Limit, Quantity, Resource};
pub use change::Change;
pub use class::{EntityClass, Matched};
pub use entity::{Common, Merge, Values};
pub use field::Field;
pub use field_map::FieldMap;
pub use release::{Asked, releases};
pub use tag::TagType;
pub use version::{TagNumbers, UnknownVersion, Version};
