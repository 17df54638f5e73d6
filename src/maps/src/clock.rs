//! The time of the machine, which the runtime never reads itself.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tpv_runtime::World;

/// The present time in microseconds since 1970 UTC.
pub fn microseconds() -> i64 {
    i64::try_from(since_1970().as_micros()).unwrap_or(i64::MAX)
}

/// Sets the time of a world to the present unless it has one.
#[must_use]
pub fn at_this_moment(mut world: World) -> World {
    world.now.get_or_insert_with(microseconds);
    world
}

/// The present time in seconds since 1970 UTC.
pub fn seconds() -> u64 {
    since_1970().as_secs()
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
