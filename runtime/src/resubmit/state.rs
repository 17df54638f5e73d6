//! The reasons that end jobs.

/// The reason that a runner of Galaxy gives for the end of a job: `runner_states` of `galaxy/jobs/runners/util/__init__.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunnerState {
    /// The cluster killed the job because its memory was short. Also what Galaxy makes of a tool that reports it
    /// (`OUT_OF_MEMORY_ERROR` in `_finish_or_resubmit_job`).
    MemoryLimitReached,
    /// The cluster killed the job because its time was over.
    WalltimeReached,
    /// The tool reported an error: its exit code, or what it printed.
    ToolDetectedFailure,
    /// The time limit of the tool's own definition was over.
    ToolTimelimitReached,
    /// None of the others; a runner that gives no reason.
    UnknownError,
    /// The limit `walltime` of the job configuration was reached.
    GlobalWalltimeReached,
    /// The limit `output_size` of the job configuration was reached.
    OutputSizeLimit,
    /// The job's output did not come back from the cluster.
    OutputNotReturned,
}

impl RunnerState {
    /// All states.
    pub const ALL: [Self; 8] = [
        Self::MemoryLimitReached,
        Self::WalltimeReached,
        Self::ToolDetectedFailure,
        Self::ToolTimelimitReached,
        Self::UnknownError,
        Self::GlobalWalltimeReached,
        Self::OutputSizeLimit,
        Self::OutputNotReturned,
    ];

    /// The states that conditions can tell apart, by variables of their names.
    pub const ASKED: [Self; 5] = [
        Self::MemoryLimitReached,
        Self::WalltimeReached,
        Self::ToolDetectedFailure,
        Self::ToolTimelimitReached,
        Self::UnknownError,
    ];

    /// The names of [`RunnerState::ALL`], in its order; for those that conditions ask about, the names of their variables.
    pub const NAMES: [&str; 8] = [
        "memory_limit_reached",
        "walltime_reached",
        "tool_detected_failure",
        "tool_timelimit_reached",
        "unknown_error",
        "global_walltime_reached",
        "output_size_limit",
        "output_not_returned",
    ];

    /// The state's name.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// The state with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Returns `true` if `failure` looks at the definitions for a job that ended so.
    pub(super) fn is_handled(self) -> bool {
        !matches!(self, Self::GlobalWalltimeReached | Self::OutputSizeLimit)
    }

    /// Returns `true` if Galaxy has words for the state (`MESSAGES` in `resubmit.py`). Without them, a definition that applies ends in a
    /// `KeyError` as it is logged, so that the job fails.
    pub(super) fn has_message(self) -> bool {
        self.is_handled() && self != Self::OutputNotReturned
    }
}
