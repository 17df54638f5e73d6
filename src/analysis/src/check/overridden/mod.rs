//! Overrides that their author probably does not know about.
//!
//! A later file that sets fields of an earlier file's entity is no finding, because that is the purpose of several files.

mod children;
mod rules;
mod runners;

use super::files::Files;
use crate::lint::Linter;

/// Runs the checks of this folder.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files<'_>) {
    rules::check(linter, files);
    children::check(linter, files);
    runners::check(linter, files);
}
