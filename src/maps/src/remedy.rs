//! Remedies of reasons that mean the same on every engine.

use super::state::State;

/// More time.
pub(crate) const TIME: &str = "give it more time: `tpvc maps edit --time`, then `tpvc maps rerun`";
/// More memory.
pub(crate) const MEMORY: &str = "give it more memory: `tpvc maps edit --memory`, then `tpvc maps rerun`";
/// More disk of the execute node.
pub(crate) const DISK: &str = "give it more disk: `tpvc maps edit --disk`, then `tpvc maps rerun`";
/// More room on the disk of the map.
pub(crate) const ROOM: &str =
    "make room (`tpvc maps clean` takes maps without a tag of their own), then `tpvc maps rerun`";
/// The end of a hold.
pub(crate) const RELEASE: &str = "`tpvc maps release` lets it go on";
/// The end of a hold of a component whose files are no longer where they were when it was submitted.
pub(crate) const MOVED: &str =
    "its files were moved or deleted since it was submitted: `tpvc maps rerun components` submits it anew";
/// Another run.
pub(crate) const RERUN: &str = "`tpvc maps rerun` runs it again";

/// The meaning of an exit status of a component's script, if it has one. See `component.sh`.
pub(crate) fn of_status(status: u32) -> Option<&'static str> {
    match status {
        28 => Some("neither its answers nor a report could be written: the disk is full"),
        74 => {
            Some("neither its answers nor a report could be written: the disk may be full, over its quota or read-only")
        }
        _ => None,
    }
}

/// The remedy of a reason by its words, or by the state alone.
pub(crate) fn of(state: State, reason: &str) -> &'static str {
    let lower = reason.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let released = state == State::Held;
    match state {
        State::Removed => RERUN,
        State::Suspended => "`tpvc maps resume` lets it go on",
        _ if has(&["longer than its limit", "time limit", "timelimit"]) => match released {
            true => "give it more time: `tpvc maps edit --time`, then `tpvc maps release`",
            false => TIME,
        },
        _ if has(&["no space left", "quota", "disk is full", "disk may be full"]) => match released {
            true => "make room on the disk that is named, then `tpvc maps release`",
            false => ROOM,
        },
        _ if has(&["memory", "out-of-resources", "oom"]) => match released {
            true => "give it more memory: `tpvc maps edit --memory`, then `tpvc maps release`",
            false => MEMORY,
        },
        _ if has(&["disk usage", "requestdisk", "request_disk", "allocated disk"]) => match released {
            true => "give it more disk: `tpvc maps edit --disk`, then `tpvc maps release`",
            false => DISK,
        },
        State::Held if has(&["no such file or directory", "initial working directory"]) => MOVED,
        State::Held => RELEASE,
        State::Idle => "wait; `tpvc maps edit` changes what it asks for",
        _ => "its node may have failed, or its files were deleted: `tpvc maps rerun` runs it again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_own_remedy() {
        for (state, reason, remedy) in [
            (State::Errored, "it ran longer than its limit of time (TimeLimit)", TIME),
            (State::Errored, "it used more memory than its limit (OutOfMemory)", MEMORY),
            (State::Errored, "its node failed (NodeFail)", of(State::Errored, "")),
            (State::Removed, "via condor_rm (by user anna)", RERUN),
            (State::Held, "via condor_hold (by user anna)", RELEASE),
            (State::Held, "Cannot access initial working directory /maps/1: No such file or directory", MOVED),
        ] {
            assert_eq!(of(state, reason), remedy, "{reason}");
        }
        let held = of(State::Held, "it ran longer than its limit of 5 s");
        assert!(held.contains("edit --time") && held.contains("release"), "{held}");
        let full = of(State::Held, "Transfer output files failure: No space left on device");
        assert!(full.contains("make room") && full.contains("release"), "{full}");
    }
}
