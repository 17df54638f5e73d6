//! Findings that jobs show: for each tool, ordinary jobs of several sizes are made and mapped.
//!
//! A finding here is a fact about a job, which it carries as flags of `tpvc dry-run`. What a proof or `tpvc lint` has told is not told again.

mod attempts;
mod each;
mod falls;
mod gpus;
mod grows;
mod limited;
mod nowhere;
mod ordinary;
mod people;
mod raises;
mod refused;
mod replaced;
mod sizes;
mod tool;
mod trial;
mod words;

use std::sync::Arc;

use tpv_analysis::check::reach::Tried;
use tpv_analysis::check::{Linter, Told, Unproved};
use tpv_analysis::lint::Blocks;
use tpv_config::Config;
use tpv_runtime::World;
use tpv_runtime::artifact::Rules;
use tpv_text::figures::count;

use trial::Trial;
pub use words::with_rules;

/// Tries jobs of all tools of a config that loads, in this world. Returns the ends of ordinary jobs, and what was not tried.
pub fn check(linter: &mut Linter<'_>, blocks: &Blocks, told: &Told, world: &Arc<World>) -> (Tried, Vec<Unproved>) {
    let config = linter.config;
    let has_destinations = config.destinations.values().any(|destination| !destination.common.is_abstract);
    // Files with tools or destinations alone are a part of a whole.
    if !has_destinations || config.tools.is_empty() {
        return Default::default();
    }
    let Some(trial) = Trial::of(blocks, world) else { return Default::default() };
    let tools = tool::all(config, &trial, &|tool| sizes::sizes(config, tool));
    let (each, left_out) = each::all(linter, &trial, &tools);
    let (mut raising, mut untried) = raises::check(linter, &trial, &tools, &each);
    nowhere::check(linter, &trial, &tools, told);
    people::check(linter, &trial, &tools, &mut raising);
    raises::report_new(linter, raising);
    attempts::check(linter, &trial, &tools);
    falls::check(linter, &trial, &tools);
    limited::check(linter, &tools);
    grows::check(linter, &trial, &tools);
    refused::check(linter, &each);
    gpus::check(linter, &tools);
    replaced::check(linter, &tools);
    if left_out > 0 {
        let message = format!(
            "jobs at {} that others come before; T302 and T304 were not looked for there",
            count(left_out as u64, "destination")
        );
        untried.push(Unproved { message, span: None });
    }
    if trial.is_spent() {
        let message = "too many tools, roles and users for all of their jobs to be tried; T301 to T308 may have more";
        untried.push(Unproved { message: message.to_owned(), span: None });
    }
    (ordinary::of(&tools), untried)
}

/// Maps ordinary jobs of all tools of a config in this world. Returns their ends.
pub fn ordinary(config: &Config, rules: &Arc<Rules>, world: &Arc<World>) -> Tried {
    let trial = Trial::by(rules.clone(), world);
    ordinary::of(&tool::all(config, &trial, &|_| ordinary::SHOWN.to_vec()))
}
