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

    /// The state's name; for those that conditions ask about, the name of their variable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MemoryLimitReached => "memory_limit_reached",
            Self::WalltimeReached => "walltime_reached",
            Self::ToolDetectedFailure => "tool_detected_failure",
            Self::ToolTimelimitReached => "tool_timelimit_reached",
            Self::UnknownError => "unknown_error",
            Self::GlobalWalltimeReached => "global_walltime_reached",
            Self::OutputSizeLimit => "output_size_limit",
            Self::OutputNotReturned => "output_not_returned",
        }
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
