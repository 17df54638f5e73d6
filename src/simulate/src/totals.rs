//! Totals of the jobs of a run, of all and by what they have in common.

use tpv_analysis::summary::table::Table;

use crate::measure::Stats;

/// Totals of some jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// All of them.
    pub all: Stats,
    /// By destination.
    pub destinations: Table<Stats>,
    /// By tool.
    pub tools: Table<Stats>,
    /// By user.
    pub users: Table<Stats>,
    /// By role.
    pub roles: Table<Stats>,
}

/// The names of a job.
pub struct Names<'a> {
    /// The destination that it was sent to last.
    pub destination: &'a str,
    /// The tool, without its version.
    pub tool: &'a str,
    /// The user's name in reports.
    pub user: &'a str,
    /// The names of the user's roles in reports.
    pub roles: Vec<&'a str>,
}

impl Totals {
    /// Adds a job.
    pub fn add(&mut self, names: &Names<'_>, stats: &Stats) {
        self.all += stats;
        self.destinations.add(names.destination, stats);
        self.tools.add(names.tool, stats);
        self.users.add(names.user, stats);
        for role in &names.roles {
            self.roles.add(role, stats);
        }
    }
}
