//! The readers of params, by the names of these.
//!
//! Sources: `galaxy/jobs/runners/` of Galaxy 26.1.1 (`drmaa.py`: `queue_job`; `condor.py` and `util/condor`: `submission_params`, which passes on all
//! params; `kubernetes.py`: `__get_resources`; `cli.py` with `util/cli`: `split_params`; `pbs.py`: `PBS_ARGMAP`), and of Pulsar 0.15
//! `pulsar/client/destination.py` (`SUBMIT_PREFIX`), `managers/base/base_drmaa.py` and `managers/queued_condor.py`.

/// The schedulers that the id of a runner, or the class of its plugin, names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Runner {
    pub slurm: bool,
    /// Another scheduler with DRMAA, or any.
    pub drmaa: bool,
    pub pbs: bool,
    pub grid_engine: bool,
    pub condor: bool,
    /// The class `HTCondorJobRunner` of Galaxy 26.1, which reads requests itself.
    pub is_htcondor_class: bool,
    pub kubernetes: bool,
    pub pulsar: bool,
    /// A runner without a scheduler.
    pub local: bool,
}

impl Runner {
    /// The runner of an id such as `pulsar_eu_fr01`, or of a class such as `galaxy.jobs.runners.slurm:SlurmJobRunner`.
    pub(super) fn of(id: &str) -> Self {
        let mut runner = Self::default();
        for word in id.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase) {
            let begins = |names: &[&str]| names.iter().any(|name| word.starts_with(name));
            runner.slurm |= begins(&["slurm"]);
            runner.drmaa |= begins(&["drmaa", "lsf"]);
            runner.pbs |= begins(&["pbs", "openpbs", "torque"]);
            runner.grid_engine |= begins(&["sge", "uge", "univa", "gridengine"]);
            runner.condor |= begins(&["condor", "htcondor"]);
            runner.is_htcondor_class |= word == "htcondorjobrunner";
            runner.kubernetes |= begins(&["k8s", "kubernetes"]);
            runner.pulsar |= begins(&["pulsar"]);
            runner.local |= begins(&["local"]);
        }
        runner
    }

    /// Returns `true` if it names no scheduler.
    fn is_open(self) -> bool {
        self == Self::default()
    }

    /// Returns `true` if it may have a text of options.
    fn has_options(self) -> bool {
        self.is_open() || self.slurm || self.drmaa || self.pbs || self.grid_engine
    }
}

/// A param with its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param<'a> {
    /// Options of a scheduler with DRMAA.
    Native,
    /// An option of `sbatch`, without dashes: Galaxy's runner with a command line writes it into the script.
    Sbatch(&'a str),
    /// The resources of `qsub -l`.
    Resources,
    /// A command of HTCondor's submit file.
    Condor(&'a str),
    /// A resource of a Kubernetes container.
    Kubernetes(&'a str),
    /// A setting of a container.
    Container(&'a str),
    /// A setting of Galaxy's that is on or off.
    Switch(&'a str),
    /// A setting of Pulsar's client.
    Pulsar(&'a str),
}

/// The reader of a param among all of a job, if a table has it.
pub(super) fn of<'a>(name: &'a str, runner: Runner, params: &[(&str, String)]) -> Option<Param<'a>> {
    if let Some(sent) = name.strip_prefix("submit_") {
        // Pulsar passes these on to the scheduler of its server.
        return if runner.is_open() || runner.pulsar { submitted(sent) } else { None };
    }
    if let Some(option) = name.strip_prefix("job_") {
        let plugin = params.iter().find(|(name, _)| *name == "job_plugin").map(|(_, plugin)| plugin.as_str());
        return match plugin {
            Some("Slurm") => sbatch(option).map(Param::Sbatch),
            Some("Torque" | "OpenPBS" | "SlurmTorque") if matches!(option, "Resource_List" | "-l") => {
                Some(Param::Resources)
            }
            _ => None,
        };
    }
    match name {
        "Resource_List" | "-l" if runner.pbs => Some(Param::Resources),
        "requests_memory" | "limits_memory" | "requests_cpu" | "limits_cpu" => {
            (runner.is_open() || runner.kubernetes).then_some(Param::Kubernetes(name))
        }
        "dependency_resolution" | "default_file_action" => {
            (runner.is_open() || runner.pulsar).then_some(Param::Pulsar(name))
        }
        _ if super::switches::is_switch(name) => Some(Param::Switch(name)),
        _ if name.starts_with("docker_") => (!is_off("docker_enabled", params)).then_some(Param::Container(name)),
        _ if name.starts_with("singularity_") => {
            (!is_off("singularity_enabled", params)).then_some(Param::Container(name))
        }
        _ => match submitted(name)? {
            Param::Native => runner.has_options().then_some(Param::Native),
            param => (runner.condor || (runner.is_open() && name.starts_with("request_"))).then_some(param),
        },
    }
}

/// Returns `true` if a param is there and is off.
fn is_off(name: &str, params: &[(&str, String)]) -> bool {
    params.iter().any(|(known, value)| *known == name && !super::switches::is_on(value))
}

/// The reader of a param without the prefix for Pulsar.
fn submitted(name: &str) -> Option<Param<'_>> {
    match name {
        "nativeSpecification" | "native_specification" => Some(Param::Native),
        _ => super::condor::is_judged(name).then_some(Param::Condor(name)),
    }
}

/// The option that Galaxy's plugin for `sbatch` makes of a param: `argmap` of `util/cli/job/slurm.py`.
fn sbatch(param: &str) -> Option<&str> {
    match param {
        "time" | "partition" => Some(param),
        "ncpus" => Some("cpus-per-task"),
        _ => param.strip_prefix("--").or_else(|| param.strip_prefix('-')),
    }
}

/// Returns `true` if a param becomes a line of HTCondor's submit file, whatever its name.
pub(super) fn is_line_of_condor(name: &str, runner: Runner) -> bool {
    if runner.pulsar { name.starts_with("submit_") && runner.condor } else { runner.condor }
}
