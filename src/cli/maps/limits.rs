//! The flags for what components may use.

use clap::Args;

use tpv_maps::resources::{Resources, mib};

/// The flags.
#[derive(Args)]
pub(super) struct Limits {
    /// Resident memory that a component may use: `2G`, `512M`, or a number of MiB [default: the engine's]
    #[arg(long, value_name = "SIZE", value_parser = mib)]
    memory: Option<u64>,
    /// Seconds that a component may take [default: the engine's]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Disk that a component's program, inputs and answers may take: `2G`, `512M`, or a number of MiB [default: what they need]
    #[arg(long, value_name = "SIZE", value_parser = mib)]
    disk: Option<u64>,
}

impl Limits {
    /// The limits that are given.
    pub(super) fn resources(&self) -> Resources {
        Resources { memory_mib: self.memory, time_s: self.time, disk_mib: self.disk }
    }
}
