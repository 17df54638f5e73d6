//! Galaxy's objects as code sees them, and the files that describe jobs, the world and answers.

pub mod answer;
pub mod errors;
pub mod helpers;
pub mod job;
pub mod job_table;
pub mod json;
pub mod modules;
mod name_index;
pub mod objects;
pub mod outcome;
pub mod query;
pub mod reads;
pub mod resource_requirements;
pub mod shape;
pub mod signature;
pub mod sql_text;
mod standard;
pub mod tpv;
pub mod version;
pub mod world;
