//! The parts of a world that a mapping read and that change while time runs: a job that waits need not be mapped again before they do.

use std::sync::Arc;

use crate::job::DatasetId;
use crate::job_table::{JobTable, ToolFilter, UserFilter};
use crate::notes::Notes;
use crate::query::like::Like;
use crate::sql_text::GroupTotals;

/// A part of a world that changes with time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Read {
    /// The number of queued or running jobs of these tools and users.
    Count(Tools, Users),
    /// Totals of the queued or running jobs, which a query in SQL text asks for.
    Totals(Arc<GroupTotals>),
    /// The resource pools of this user.
    Pools(i64),
    /// Anything else: another query, the clock, a random number.
    Other,
}

impl Read {
    /// A count of [`JobTable::count`].
    pub(super) fn of_count(tool: &ToolFilter<'_>, user: &UserFilter<'_>) -> Self {
        let tools = match tool {
            ToolFilter::Like(pattern) => Tools::Like(pattern.text().into()),
            ToolFilter::Equal(id) => Tools::Equal(id.map(Into::into)),
        };
        let users = match user {
            UserFilter::Any => Users::Any,
            UserFilter::Anonymous => Users::One(None),
            UserFilter::Id(DatasetId::Int(id)) => Users::One(Some(*id)),
            UserFilter::Id(DatasetId::Str(_)) => return Self::Other,
        };
        Self::Count(tools, users)
    }
}

/// The tools of a [`Read::Count`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tools {
    /// `tool_id LIKE '...'`
    Like(Box<str>),
    /// `tool_id = '...'`; `None` is `IS NULL`
    Equal(Option<Box<str>>),
}

/// The users of a [`Read::Count`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Users {
    /// All of them.
    Any,
    /// One; `None` are jobs without a user.
    One(Option<i64>),
}

impl Tools {
    /// The filter that asks a job table for them.
    pub fn filter(&self) -> ToolFilter<'_> {
        match self {
            Self::Like(pattern) => ToolFilter::Like(Like::new(pattern)),
            Self::Equal(id) => ToolFilter::Equal(id.as_deref()),
        }
    }
}

impl Users {
    /// The number of queued or running jobs that these users have of some tools.
    pub fn count(self, tools: &Tools, jobs: &JobTable) -> usize {
        match self {
            Self::Any => jobs.count(&tools.filter(), &UserFilter::Any),
            Self::One(None) => jobs.count(&tools.filter(), &UserFilter::Anonymous),
            Self::One(Some(id)) => jobs.count(&tools.filter(), &UserFilter::Id(&DatasetId::Int(id))),
        }
    }
}

/// The recorder of a world's reads.
pub type Reads = Notes<Read>;
