//! The options of Slurm, and the values that they take.
//!
//! Sources: `sbatch`'s options are those of Slurm's `src/common/slurm_opt.c` (`slurm_cli_opt_t`, the ones with `set_func` or `set_func_sbatch`), which
//! reads their values by `parse_int`, `str_to_mbytes` and `verify_node_count` of `src/common/proc_args.c` and by `time_str2mins` of `parse_time.c`. What
//! Galaxy's Slurm runner and Pulsar submit goes through slurm-drmaa, which has a parser of its own: `slurmdrmaa_parse_native` of `slurm_drmaa/util.c`
//! in 1.1.6, with `fsd_atoi` of drmaa-utils for numbers and `datetime_tab.y` for times.

use Kind::{Account, Count, Flag, Free, Gres, Memory, Name, Nodes, Time};

/// The kind of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// None, or one that does not matter.
    Flag,
    /// A whole number above zero.
    Count,
    /// An amount of memory.
    Memory,
    /// A limit of time.
    Time,
    /// A number of nodes, or a range.
    Nodes,
    /// Generic resources: `gpu:a100:1`.
    Gres,
    /// The name of something that the cluster must have.
    Name,
    /// A name that only a cluster with accounting checks.
    Account,
    /// Any text.
    Free,
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opt {
    /// The name after `--`.
    pub name: &'static str,
    /// The letter after `-`, or a blank.
    pub letter: char,
    pub kind: Kind,
    /// `sbatch` knows the name.
    pub in_sbatch: bool,
    /// slurm-drmaa knows the name.
    pub in_drmaa: bool,
}

/// Options that `sbatch` and slurm-drmaa have.
const BOTH: [(&str, char, Kind); 30] = [
    ("account", 'A', Account),
    ("acctg-freq", ' ', Free),
    ("clusters", 'M', Name),
    ("comment", ' ', Free),
    ("constraint", 'C', Name),
    ("contiguous", ' ', Flag),
    ("cpus-per-task", 'c', Count),
    ("dependency", 'd', Free),
    ("error", 'e', Free),
    ("exclude", 'x', Name),
    ("exclusive", ' ', Flag),
    ("gres", ' ', Gres),
    ("licenses", 'L', Name),
    ("mail-type", ' ', Free),
    ("mem", ' ', Memory),
    ("mem-per-cpu", ' ', Memory),
    ("mincpus", ' ', Count),
    ("no-kill", 'k', Flag),
    ("no-requeue", ' ', Flag),
    ("nodelist", 'w', Name),
    ("nodes", 'N', Nodes),
    ("ntasks", 'n', Count),
    ("ntasks-per-node", ' ', Count),
    ("output", 'o', Free),
    ("partition", 'p', Name),
    ("qos", 'q', Account),
    ("requeue", ' ', Flag),
    ("reservation", ' ', Name),
    ("time", 't', Time),
    ("tmp", ' ', Memory),
];

/// Options of slurm-drmaa alone.
const OF_DRMAA: [(&str, char, Kind); 3] = [("job_name", ' ', Free), ("share", ' ', Flag), ("time_limit", ' ', Time)];

/// Options of `sbatch` alone.
const OF_SBATCH: [(&str, char, Kind); 74] = [
    ("array", 'a', Free),
    ("batch", ' ', Free),
    ("bb", ' ', Free),
    ("bbf", ' ', Free),
    ("begin", 'b', Free),
    ("chdir", 'D', Free),
    ("cluster", ' ', Name),
    ("cluster-constraint", ' ', Free),
    ("container", ' ', Free),
    ("container-id", ' ', Free),
    ("context", ' ', Free),
    ("core-spec", 'S', Free),
    ("cores-per-socket", ' ', Free),
    ("cpu-freq", ' ', Free),
    ("cpus-per-gpu", ' ', Count),
    ("deadline", ' ', Free),
    ("delay-boot", ' ', Free),
    ("distribution", 'm', Free),
    ("export", ' ', Free),
    ("export-file", ' ', Free),
    ("extra", ' ', Free),
    ("extra-node-info", 'B', Free),
    ("get-user-env", ' ', Flag),
    ("gid", ' ', Free),
    ("gpu-bind", ' ', Free),
    ("gpu-freq", ' ', Free),
    ("gpus", 'G', Gres),
    ("gpus-per-node", ' ', Gres),
    ("gpus-per-socket", ' ', Gres),
    ("gpus-per-task", ' ', Gres),
    ("gres-flags", ' ', Free),
    ("help", 'h', Flag),
    ("hint", ' ', Free),
    ("hold", 'H', Flag),
    ("ignore-pbs", ' ', Flag),
    ("input", 'i', Free),
    ("job-name", 'J', Free),
    ("kill-on-invalid-dep", ' ', Free),
    ("mail-user", ' ', Free),
    ("mcs-label", ' ', Free),
    ("mem-bind", ' ', Free),
    ("mem-per-gpu", ' ', Memory),
    ("network", ' ', Free),
    ("nice", ' ', Flag),
    ("nodefile", 'F', Free),
    ("ntasks-per-core", ' ', Count),
    ("ntasks-per-gpu", ' ', Count),
    ("ntasks-per-socket", ' ', Count),
    ("open-mode", ' ', Free),
    ("overcommit", 'O', Flag),
    ("oversubscribe", 's', Flag),
    ("parsable", ' ', Flag),
    ("prefer", ' ', Free),
    ("priority", ' ', Free),
    ("profile", ' ', Free),
    ("propagate", ' ', Flag),
    ("quiet", 'Q', Flag),
    ("reboot", ' ', Flag),
    ("signal", ' ', Free),
    ("sockets-per-node", ' ', Free),
    ("spread-job", ' ', Flag),
    ("switches", ' ', Free),
    ("tasks-per-node", ' ', Count),
    ("test-only", ' ', Flag),
    ("thread-spec", ' ', Free),
    ("threads-per-core", ' ', Count),
    ("time-min", ' ', Time),
    ("tres-per-task", ' ', Free),
    ("uid", ' ', Free),
    ("use-min-nodes", ' ', Flag),
    ("verbose", 'v', Flag),
    ("wait", 'W', Flag),
    ("wckey", ' ', Free),
    ("wrap", ' ', Free),
];

/// The letters of slurm-drmaa's options.
const LETTERS: &str = "ACcdeJkLMnNopstwx";

/// All options.
pub(super) fn all() -> impl Iterator<Item = Opt> {
    let row = |in_sbatch, in_drmaa| move |(name, letter, kind)| Opt { name, letter, kind, in_sbatch, in_drmaa };
    let both = BOTH.into_iter().map(row(true, true));
    both.chain(OF_DRMAA.into_iter().map(row(false, true))).chain(OF_SBATCH.into_iter().map(row(true, false)))
}

/// The option of a name.
pub(super) fn named(name: &str) -> Option<Opt> {
    all().find(|option| option.name == name)
}

/// The option of a letter.
pub(super) fn lettered(letter: char) -> Option<Opt> {
    all().find(|option| option.letter == letter && letter != ' ')
}

/// Returns `true` if slurm-drmaa knows a letter.
pub(super) fn is_letter_of_drmaa(letter: char) -> bool {
    LETTERS.contains(letter)
}

#[cfg(test)]
mod tests {
    use super::{LETTERS, all, lettered};

    #[test]
    fn each_option_stands_once() {
        let mut names: Vec<_> = all().map(|option| option.name).collect();
        let mut letters: Vec<_> = all().map(|option| option.letter).filter(|letter| *letter != ' ').collect();
        let (names_before, letters_before) = (names.len(), letters.len());
        names.sort_unstable();
        names.dedup();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!((names.len(), letters.len()), (names_before, letters_before));
        assert!(LETTERS.chars().all(|letter| lettered(letter).is_some()));
    }
}
