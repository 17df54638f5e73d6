//! Proofs about merged rules without a job: destinations that no job can reach, rules that never or always apply.
//!
//! One file or folder a check, as in [`crate::lint`], whose findings and reports these are. A finding that says "never" or "always"
//! is a proof over every job, user, role and world; if code could change what the proof stands on, there is no finding, or it
//! names the code.

mod budget;
mod conditions;
pub mod domain;
pub(crate) mod files;
mod nowhere;
mod overridden;
mod parents;
mod patterns;
pub mod promises;
pub mod reach;
mod resubmission;
mod sizes;
mod user_defined;

use std::collections::HashSet;

pub use crate::lint::Linter;
pub use budget::Unproved;
pub use nowhere::listed;
pub use patterns::{sample_id, sample_ids};
pub use reach::Why;

use crate::lint::{Blocks, Extent, Linted, Options, run};
use files::Files;
use reach::{Matrix, Reach, Tried, Users};
use tpv_compiler::python::stack::on_roomy_thread;
use tpv_config::{Config, ConfigTexts, Input};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;

/// The result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// The findings.
    pub linted: Linted,
    /// The destinations that each tool can reach. `None` if the config does not load, code may change destinations, or an id is
    /// not a valid pattern.
    pub matrix: Option<Matrix>,
    /// The analyses that exceeded their budgets.
    pub unproved: Vec<Unproved>,
    /// The jobs that were not tried.
    pub untried: Vec<Unproved>,
}

/// Checks config files and URLs, merged in the order given. What linting finds is not repeated, but for what keeps the config from
/// loading.
pub fn check(names: &[String], options: &Options) -> Checked {
    check_inputs(&Input::named(names), &ConfigTexts::default(), options, true, &|_, _, _| Default::default())
}

/// The tools of which it is told that no destination takes their jobs, or those of some sizes: by their places in the config, `None` being the tools that
/// it does not name.
pub type Told = HashSet<Option<usize>>;

/// Looks for more than proofs, once these are there, by mapping jobs. Returns the ordinary ones, and what it did not look at.
pub type Further<'f> = &'f (dyn Fn(&mut Linter<'_>, &Blocks, &Told) -> (Tried, Vec<Unproved>) + Sync);

/// As [`check`], for configs of all sorts, with what `further` finds, and with a matrix if it is wanted. `texts` holds those that are read already.
pub fn check_inputs(
    inputs: &[Input],
    texts: &ConfigTexts,
    options: &Options,
    wants_matrix: bool,
    further: Further<'_>,
) -> Checked {
    let look = |linter: &mut Linter<'_>, blocks: &Blocks| {
        let (reach, unproved, told) = all(linter, blocks);
        let (tried, untried) = further(linter, blocks, &told);
        let (config, sources) = (linter.config, linter.sources);
        let matrix = reach.filter(|_| wants_matrix).map(|reach| {
            let mut matrix = reach.matrix(config, sources);
            matrix.add_tried(tried);
            if let Ok(ordinary) = Reach::of(config, blocks, Users::Ordinary) {
                matrix.add_ordinary(&ordinary.matrix(config, sources));
            }
            matrix
        });
        (matrix, unproved, untried)
    };
    let (linted, found) = run(inputs, texts, options, Extent::Whole, look);
    let (matrix, unproved, untried) = found.unwrap_or_default();
    Checked { linted, matrix, unproved, untried }
}

/// The destinations that each tool can reach by a config that loads.
///
/// # Errors
/// This is not known: code may change destinations, an id is not a valid pattern, or it is a config for TPV before 3.1.
pub fn matrix(config: &Config, sources: &SourceMap, users: Users) -> Result<Matrix, Unproved> {
    matrices(config, sources, &[users]).map(|mut matrices| matrices.pop().unwrap_or_default())
}

/// As [`matrix`], one for each of these users.
///
/// # Errors
/// Those of [`matrix`].
pub fn matrices(config: &Config, sources: &SourceMap, users: &[Users]) -> Result<Vec<Matrix>, Unproved> {
    let make = || {
        let blocks = Blocks::of(config, sources, &mut Diagnostics::new());
        users.iter().map(|users| Ok(Reach::of(config, &blocks, *users)?.matrix(config, sources))).collect()
    };
    on_roomy_thread(make).unwrap_or_else(make)
}

/// All checks, over a config that loads: what jobs can reach, what is not proved, and the tools that are told to have no destination.
fn all(linter: &mut Linter<'_>, blocks: &Blocks) -> (Option<Reach>, Vec<Unproved>, Told) {
    // The warnings of loading are those of `tpvc lint`.
    linter.forget();
    let mut unproved = patterns::check(linter);
    let files = Files::of(linter.config);
    overridden::check(linter, &files);
    parents::check(linter, &files);
    resubmission::check(linter);
    let reach = match Reach::of(linter.config, blocks, Users::All) {
        Ok(reach) => reach,
        Err(unknown) => {
            unproved.push(unknown);
            return (None, unproved, Told::new());
        }
    };
    let mut told = nowhere::check(linter, &reach);
    let (lost, unfollowed) = reach::lost_sizes(linter.config, blocks);
    sizes::check(linter, &reach, &lost);
    told.extend(lost.iter().filter_map(|sizes| sizes.reached.jobs_of.tool()));
    unproved.extend(unfollowed);
    match &reach.unproved {
        Some(reason) => unproved.push(reason.clone()),
        // These hold for all jobs only.
        None => {
            conditions::check(linter, &reach);
            if linter.config.version.tags_tool_types() {
                user_defined::check(linter, &reach);
            }
        }
    }
    (Some(reach), unproved, told)
}
