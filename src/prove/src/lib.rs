#![doc = include_str!("../README.md")]

mod answers;
pub mod jobs;
pub mod promises;
pub mod suggest;
pub mod texts;
pub mod tried;

use std::sync::Arc;

use tpv_analysis::check::{Checked, Further, check_inputs};
use tpv_analysis::lint::Options;
use tpv_config::{ConfigTexts, Input};
use tpv_runtime::World;

/// Checks config files and URLs, merged in the order given: what is proved of every job, then what jobs show that are made from the rules, in an empty
/// Galaxy.
pub fn check(names: &[String], options: &Options) -> Checked {
    let world = Arc::new(World::default());
    let further: Further<'_> = &|linter, blocks, told| tried::check(linter, blocks, told, &world);
    check_inputs(&Input::named(names), &ConfigTexts::default(), options, false, further)
}
