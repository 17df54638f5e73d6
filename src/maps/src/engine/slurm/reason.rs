//! Slurm's reasons in words, each with its remedy.

use crate::remedy;
use crate::state::State;
use crate::why::Why;

/// The reasons for which Slurm lets a job wait: the beginning of Slurm's name, what it means, and the remedy.
const WAITS: [(&str, &str, &str); 25] = [
    ("Resources", "it waits for free nodes", "wait; `sinfo` shows the nodes"),
    ("Priority", "jobs of higher priority are before it", "wait; `sprio` shows the priorities"),
    ("JobArrayTaskLimit", "as many of the array run as may at once", "wait; the option `slots` is the number"),
    ("BeginTime", "it was requeued, and Slurm lets it wait some two minutes", "wait"),
    ("Dependency", "it waits for another job", "wait; `scontrol show job` names the other"),
    ("None", "Slurm has not looked for a node yet", "wait"),
    ("Prolog", "its node is being prepared", "wait"),
    ("ReqNodeNotAvail", "the nodes that it needs are not available", NODES),
    ("Nodes required for job are DOWN", "the nodes that it needs are down, drained or reserved", NODES),
    ("NodeDown", "the node that it needs is down", NODES),
    ("PartitionDown", "its partition is down", PARTITION),
    ("PartitionInactive", "its partition is not active", PARTITION),
    ("PartitionNodeLimit", "its partition has not so many nodes, or none for it", PARTITION),
    (
        "PartitionTimeLimit",
        "its limit of time is longer than its partition allows",
        "`tpvc maps edit --time` shortens it; `sinfo -o '%P %l'` shows what is allowed",
    ),
    ("BadConstraints", "no node has the memory or the features that it asks for", ASKS_LESS),
    ("MaxMemPerLimit", "it asks for more memory than its partition allows", ASKS_LESS),
    ("Reservation", "its reservation has not begun or has no place", "`scontrol show reservation` shows it"),
    ("Licenses", "it waits for a license", "wait; `scontrol show licenses` shows them"),
    ("AccountNotAllowed", "its account may not use the partition", ACCOUNT),
    ("InvalidAccount", "its account is not valid", ACCOUNT),
    ("InvalidQOS", "its quality of service is not valid", ACCOUNT),
    ("QOSNotAllowed", "its quality of service may not be used here", ACCOUNT),
    ("QOS", "a limit of its quality of service is reached", LIMIT),
    ("Assoc", "a limit of its account is reached", LIMIT),
    ("Cleaning", "its last run is being cleaned up", "wait"),
];

const NODES: &str = "`sinfo -R` shows why; an administrator brings them back";
const PARTITION: &str = "`sinfo` shows the partitions; make the map again with `--option partition=NAME`";
const ASKS_LESS: &str = "ask for less: `tpvc maps edit --memory`; `sinfo -o '%n %m %f'` shows what nodes have";
const ACCOUNT: &str = "make the map again with another `--option account=NAME`, `qos` or `partition`";
const LIMIT: &str = "wait until others of your jobs have ended; `scontrol show assoc_mgr` shows the limits";

/// Explains a reason.
pub(super) fn explain(state: State, reason: &str) -> Why {
    let why = |message: &str, help: &str| Why::new(format!("{message} ({reason})"), help);
    match state {
        State::Idle => match WAITS.iter().find(|(name, ..)| reason.starts_with(name)) {
            Some((_, message, help)) => why(message, help),
            None => Why::new(reason, "`squeue --me --start` shows when Slurm expects it to run"),
        },
        State::Suspended => Why::new(
            "suspended by Slurm or an administrator",
            "wait; an administrator's `scontrol resume` lets it go on",
        ),
        State::Removed => why("taken from the queue", remedy::RERUN),
        State::Errored if reason.is_empty() => Why::new(
            "",
            "Slurm forgets a job soon after its end, and nobody looked before (`tpvc maps wait` does): `tpvc maps rerun` runs it again",
        ),
        State::Errored if reason.contains("BadConstraints") => Why::new(reason, ASKS_LESS),
        _ => Why::new(reason, remedy::of(state, reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_fitting_name_is_first() {
        for (at, (name, ..)) in WAITS.iter().enumerate() {
            let shadowed = WAITS.iter().take(at).any(|(before, ..)| name.starts_with(before));
            assert!(!shadowed, "{name}");
        }
    }

    #[test]
    fn slurm_s_name_stays_beside_the_words() {
        let down = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions";
        let why = explain(State::Idle, down);
        assert_eq!(why.message, format!("the nodes that it needs are down, drained or reserved ({down})"));
        assert!(why.help.contains("sinfo -R"));
        assert!(explain(State::Idle, "QOSMaxCpuPerUserLimit").message.contains("quality of service"));
        assert_eq!(explain(State::Idle, "NewReason").message, "NewReason");
        assert!(
            explain(State::Errored, "it ran longer than its limit of time (TimeLimit)").help.contains("edit --time")
        );
    }
}
