//! What can be proved of merged rules without a job: what no job can reach, what never or always applies.
//!
//! One file or folder a check, as in [`crate::lint`], whose findings and reports these are. A finding that says "never" or "always"
//! is a proof over every job, user, role and world; where code could change what the proof stands on, there is no finding, or it
//! names the code.

pub mod domain;
mod files;
mod overridden;
mod parents;
mod parts;
mod patterns;

use files::Files;

use crate::config::Input;
use crate::lint::{Linted, Linter, Options, run};
use crate::source::SourceMap;

/// Checks config files and URLs, merged in the order given. What linting finds is not repeated, but for what keeps the config from
/// loading.
pub fn check(names: &[String], options: &Options) -> Linted {
    check_inputs(&Input::named(names), &SourceMap::new(), options)
}

/// As [`check`], for configs of all sorts. `sources` holds the texts of those that are read already.
pub fn check_inputs(inputs: &[Input], sources: &SourceMap, options: &Options) -> Linted {
    run(inputs, sources, options, all)
}

/// All checks, over a config that loads.
fn all(linter: &mut Linter<'_>) {
    // The warnings of loading are those of `tpvc lint`.
    linter.forget();
    patterns::check(linter);
    let files = Files::read(linter.sources);
    overridden::check(linter, &files);
    parents::check(linter, &files);
}
