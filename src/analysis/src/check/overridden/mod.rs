//! Overrides that their author does not see.
//!
//! A later file that sets fields of an earlier one's entity does what TPV's files are for, and is no finding.

mod children;
mod rules;
mod runners;

use super::files::Files;
use crate::lint::Linter;

/// Looks for all of it.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files<'_>) {
    rules::check(linter, files);
    children::check(linter, files);
    runners::check(linter, files);
}
