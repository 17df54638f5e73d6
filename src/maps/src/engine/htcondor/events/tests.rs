#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use EngineState::{Gone, Held, Idle, Removed, Running, Suspended};

use super::*;

/// Recorded from HTCondor 23.9.6: six components, four at once. Jobs were suspended, held, released, removed and killed by signals, a
/// starter and the schedd were killed.
const RECORDED: &str = include_str!("recorded.log");

fn read(text: &str, components: usize) -> EventLog {
    let mut log = EventLog::new(12, components);
    log.read(text.as_bytes());
    log
}

/// The log up to an event that has this line, which is its first.
fn until(line: &str) -> &'static str {
    let (before, after) = RECORDED.split_once(&format!("\n{line}")).expect(line);
    let rest = after.find("\n...\n").unwrap() + "\n...\n".len();
    &RECORDED[..before.len() + 1 + line.len() + rest]
}

fn states(text: &str) -> Vec<Option<EngineState>> {
    read(text, 6).states
}

#[test]
fn a_recorded_log_tells_each_state_on_the_way() {
    let gone = |signal: u32| Some(Gone(format!("killed by signal {signal}")));
    let held = || Some(Held("via condor_hold (by user anna)".to_owned()));
    let removed = || Some(Removed("via condor_rm (by user anna)".to_owned()));
    let well = || Some(Gone(String::new()));
    let (idle, running) = (|| Some(Idle(String::new())), || Some(Running));
    let steps = [
        ("000 (012.001.000)", vec![idle(), idle(), None, None, None, None]),
        ("005 (012.000.000)", vec![well(), running(), running(), running(), None, None]),
        ("010 (012.002.000)", vec![well(), running(), Some(Suspended), running(), running(), None]),
        ("011 (012.002.000)", vec![well(), running(), running(), running(), running(), None]),
        ("005 (012.001.000)", vec![well(), gone(9), running(), running(), running(), None]),
        ("024 (012.003.000)", vec![well(), gone(9), running(), idle(), running(), running()]),
        ("023 (012.005.000)", vec![well(), gone(9), running(), running(), running(), running()]),
        ("012 (012.002.000)", vec![well(), gone(9), held(), running(), running(), running()]),
        ("012 (012.005.000)", vec![well(), gone(9), held(), held(), held(), held()]),
        ("013 (012.005.000)", vec![well(), gone(9), idle(), idle(), idle(), idle()]),
        ("009 (012.002.000)", vec![well(), gone(9), removed(), running(), running(), running()]),
        ("036 (012.-01.000)", vec![well(), gone(9), removed(), gone(15), gone(15), gone(15)]),
    ];
    for (event, expected) in steps {
        assert_eq!(states(until(event)), expected, "up to {event}");
    }
}

#[test]
fn events_of_the_whole_cluster_concern_no_component() {
    assert_eq!(read(until("012 (012.005.000)"), 6).paused(), Some("via condor_hold (by user anna)"));
    assert_eq!(read(until("038 (012.-01.000)"), 6).paused(), None);
    assert!(!read(until("005 (012.003.000)"), 6).is_over());
    assert!(read(RECORDED, 6).is_over());
    assert_eq!(states(RECORDED.split_inclusive("...\n").next().unwrap()), vec![None; 6]);
}

#[test]
fn what_is_not_of_this_cluster_is_passed_over() {
    let mut log = EventLog::new(13, 6);
    log.read(RECORDED.as_bytes());
    assert_eq!(log.states, vec![None; 6]);
    // A position that the cluster does not have.
    assert_eq!(read(RECORDED, 2).states, states(RECORDED)[..2]);
}

#[test]
fn a_job_that_ended_with_a_status_says_it() {
    let text =
        "005 (012.000.000) 2026-11-22 22:17:42 Job terminated.\n\t(1) Normal termination (return value 126)\n...\n";
    assert_eq!(states(text)[0], Some(Gone("ended with status 126".to_owned())));
}

/// A disk that is full cuts an event off; HTCondor goes on behind it when there is room again.
#[test]
fn an_event_that_was_cut_off_takes_no_other_with_it() {
    let cut = "000 (012.000.000) 2026-11-22 22:17:41 Job submitted\n...\n001 (012.000.000) 2026-11-22 22:17:42 Job exe\n\
        012 (012.000.000) 2026-11-22 22:17:43 Job was held.\n\tdisk full\n\tCode 12 Subcode 28\n...\n";
    assert_eq!(states(cut)[0], Some(Held("disk full".to_owned())));
    let garbage = "\0\0\n7 of them\n...\n99999999999 (012.000.000) \n...\n001 (012.000.000) x\n...\n001 (012\n...\n";
    assert_eq!(states(garbage)[0], Some(Running));
}

#[test]
fn the_cluster_is_known_from_the_first_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.log");
    assert_eq!(cluster_of(&path).unwrap(), None);
    std::fs::write(&path, "").unwrap();
    assert_eq!(cluster_of(&path).unwrap(), None);
    std::fs::write(&path, RECORDED).unwrap();
    assert_eq!(cluster_of(&path).unwrap(), Some(12));
}

/// Numbers by xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// The possible transitions from a state: the event's code, its title, the line below, and the next state.
fn moves(state: Option<&EngineState>) -> Vec<(u32, &'static str, &'static str, EngineState)> {
    let held = || Held("Transfer output files failure: (errno 28) No space left on device".to_owned());
    let hold = (12, "Job was held.", "Transfer output files failure: (errno 28) No space left on device", held());
    let removed = || Removed("via condor_rm (by user anna)".to_owned());
    let abort = (9, "Job was aborted.", "via condor_rm (by user anna)", removed());
    let idle = || Idle(String::new());
    match state {
        None => vec![(0, "Job submitted from host: <192.0.2.7:9618>", "component 5 of q3", idle())],
        Some(Idle(_)) => {
            vec![(1, "Job executing on host: <192.0.2.8:9618>", "SlotName: slot1_1@a", Running), hold, abort]
        }
        Some(Running) => vec![
            (4, "Job was evicted.", "(0) CPU times", idle()),
            (5, "Job terminated.", "(1) Normal termination (return value 0)", Gone(String::new())),
            (5, "Job terminated.", "(0) Abnormal termination (signal 9)", Gone("killed by signal 9".to_owned())),
            (6, "Image size of job updated: 2588", "2  -  MemoryUsage of job (MB)", Running),
            (7, "Shadow exception!", "Assertion ERROR", idle()),
            (10, "Job was suspended.", "Number of processes actually suspended: 1", Suspended),
            (22, "Job disconnected, attempting to reconnect", "Socket closed", Running),
            (24, "Job reconnection failed", "Job not found at execution machine", idle()),
            (40, "Started transferring output files", "", Running),
            hold,
            abort,
        ],
        Some(Suspended) => vec![(11, "Job was unsuspended.", "", Running), hold, abort],
        Some(Held(_)) => vec![(13, "Job was released.", "via condor_release (by user anna)", idle()), abort],
        // A schedd that is killed before it noted the end runs the job again.
        Some(Gone(_)) => vec![(1, "Job executing on host: <192.0.2.8:9618>", "SlotName: slot1_1@a", Running)],
        Some(_) => Vec::new(),
    }
}

/// Logs whose true states are known, written in pieces that end anywhere.
#[test]
fn random_logs_tell_the_state_of_each_component() {
    let seed = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64 | 1;
    println!("seed {seed}");
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..50 {
        let path = folder.path().join(format!("{round}.log"));
        let mut file = File::create(&path).unwrap();
        let components = 1 + random.below(30);
        let cluster = 1 + random.below(2000) as u32;
        let mut log = EventLog::new(cluster, components);
        let mut truth: Vec<Option<EngineState>> = vec![None; components];
        let mut pending = Vec::new();
        for _ in 0..random.below(600) {
            let position = random.below(components);
            let moves = moves(truth[position].as_ref());
            if moves.is_empty() {
                continue;
            }
            let (code, title, detail, state) = moves[random.below(moves.len())].clone();
            let mut text = format!("{code:03} ({cluster:03}.{position:03}.000) 2026-11-22 22:17:42 {title}\n");
            if !detail.is_empty() {
                writeln!(text, "\t{detail}\n\tmore of it").unwrap();
            }
            pending.extend_from_slice(text.as_bytes());
            pending.extend_from_slice(b"...\n");
            truth[position] = Some(state);
            if random.below(10) == 0 {
                let piece = random.below(pending.len() + 1);
                file.write_all(&pending[..piece]).unwrap();
                pending.drain(..piece);
                log.follow(&path).unwrap();
            }
        }
        file.write_all(&pending).unwrap();
        log.follow(&path).unwrap();
        assert_eq!(log.states, truth, "seed {seed}, round {round}");
    }
}
