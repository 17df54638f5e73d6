//! The changes between two rule sets.
//!
//! [`facts`] says of each rule set what its entities come to, and [`entities`] compares that, [`reachability`] what is
//! proved of both: no job is needed. [`jobs`] maps jobs by both and
//! compares the answers ([`answers`]); [`reasons`] leads a job whose answers differ back to the changes that concern it,
//! and [`upgrade`], of two versions of TPV, to what TPV changed. [`report`] tells all of it.
//! [`revision`] reads configs of git revisions.

pub mod answers;
pub mod entities;
mod facts;
pub mod jobs;
mod order;
pub mod parents;
mod reachability;
pub mod reasons;
pub mod report;
pub mod revision;
pub mod upgrade;

use std::sync::Arc;

use tpv_runtime::artifact::Rules;

use tpv_config::Config;
use tpv_text::source::SourceMap;

/// A rule set to compare.
pub struct Side {
    /// The name it was given.
    pub name: String,
    /// The rules.
    pub rules: Arc<Rules>,
    /// The merged config and its texts, where the rules were compiled from them just now: they tell where each value stands.
    pub origin: Option<(Config, SourceMap)>,
}
