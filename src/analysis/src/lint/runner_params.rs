//! T144: params that the runner of a destination does not read. T148: params without which it fails each job.
//!
//! The tables are those of Galaxy 26.1.1 and Pulsar 0.16.0; of a site's own runners nothing is known.

use std::collections::{HashMap, HashSet};

use super::Linter;
use super::fields::key_span;
use super::server::JobConf;
use tpv_compiler::checker::sites;
use tpv_config::entity::{Dict, Entity};
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::did_you_mean;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// Who reads params for the scheduler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Galaxy's runners for Slurm, Univa and others with DRMAA.
    Drmaa,
    Condor,
    Kubernetes,
    Pulsar,
}

impl Reader {
    /// The reader, by the name of the class that a runner plugin loads.
    fn of(class: &str) -> Option<Self> {
        match class {
            _ if class.starts_with("Pulsar") && class.ends_with("JobRunner") => Some(Self::Pulsar),
            "SlurmJobRunner" | "DRMAAJobRunner" | "UnivaJobRunner" => Some(Self::Drmaa),
            "CondorJobRunner" => Some(Self::Condor),
            "KubernetesJobRunner" => Some(Self::Kubernetes),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pulsar => "Pulsar",
            Self::Condor => "the runner for HTCondor",
            Self::Kubernetes => "the runner for Kubernetes",
            Self::Drmaa => "this runner",
        }
    }
}

/// Params for the scheduler that Galaxy's own runners read (`galaxy/jobs/runners/drmaa.py`, and `condor.py`, which passes on all). Pulsar passes on
/// those with `submit_` before the name, without it (`pulsar/client/destination.py`, `SUBMIT_PREFIX`).
const SUBMITTED: [(&[&str], &[Reader]); 5] = [
    (&["native_specification", "nativeSpecification"], &[Reader::Drmaa, Reader::Condor]),
    (&["request_cpus"], &[Reader::Drmaa, Reader::Condor]),
    (&["request_memory"], &[Reader::Drmaa, Reader::Condor]),
    (&["request_gpus"], &[Reader::Condor]),
    (&["requirements"], &[Reader::Condor]),
];

/// Params that the runner for Kubernetes reads from its plugin in `job_conf` only: `runner_params` of `galaxy/jobs/runners/kubernetes.py`.
const OF_PLUGIN: [&str; 24] = [
    "k8s_config_path",
    "k8s_use_service_account",
    "k8s_persistent_volume_claims",
    "k8s_working_volume_claim",
    "k8s_data_volume_claim",
    "k8s_namespace",
    "k8s_pod_priority_class",
    "k8s_tolerations",
    "k8s_galaxy_instance_id",
    "k8s_timeout_seconds_job_deletion",
    "k8s_job_api_version",
    "k8s_job_ttl_secs_after_finished",
    "k8s_job_metadata",
    "k8s_pull_policy",
    "k8s_cleanup_job",
    "k8s_pod_retries",
    "k8s_job_spec_back_off_limit",
    "k8s_walltime_limit",
    "k8s_unschedulable_walltime_limit",
    "k8s_interactivetools_use_ssl",
    "k8s_interactivetools_ingress_annotations",
    "k8s_interactivetools_ingress_class",
    "k8s_interactivetools_tls_secret",
    "k8s_ingress_api_version",
];

/// Names that other runners read, and what the one for Kubernetes reads: `__get_resources` of the same file.
const KUBERNETES: [(&str, &str); 6] = [
    ("request_memory", "requests_memory"),
    ("request_cpu", "requests_cpu"),
    ("request_cpus", "requests_cpu"),
    ("requests_cpus", "requests_cpu"),
    ("limit_memory", "limits_memory"),
    ("limit_cpu", "limits_cpu"),
];

/// Params that these runners ignore: `PARAMETER_SPECIFICATION_IGNORED` of `galaxy/jobs/runners/pulsar.py`.
const IGNORED: [(&[&str], [&str; 2]); 1] = [(
    &[
        "PulsarMQJobRunner",
        "PulsarEmbeddedMQJobRunner",
        "PulsarKubernetesJobRunner",
        "PulsarTesJobRunner",
        "PulsarGcpBatchJobRunner",
    ],
    ["url", "private_token"],
)];

/// Params without which these runners fail each job: `PARAMETER_SPECIFICATION_REQUIRED` of `galaxy/jobs/runners/pulsar.py`, `queue_job` of `chronos.py`,
/// and `__get_k8s_containers` of `kubernetes.py`, which takes the image of a container that must be there.
const NEEDED: [(&str, &str); 7] = [
    ("PulsarMQJobRunner", "jobs_directory"),
    ("PulsarEmbeddedMQJobRunner", "jobs_directory"),
    ("PulsarRESTJobRunner", "url"),
    ("PulsarTesJobRunner", "tes_url"),
    ("PulsarGcpBatchJobRunner", "project_id"),
    ("KubernetesJobRunner", "docker_enabled"),
    ("ChronosJobRunner", "docker_enabled"),
];

/// Looks at the params of all destinations that jobs can come to.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    let of_jobs = of_jobs(linter);
    unread(linter, job_conf, &of_jobs);
    needed(linter, job_conf, &of_jobs);
}

/// The params that a destination may get besides its own: those of tools, roles, users and of any rules.
fn of_jobs(linter: &Linter<'_>) -> HashSet<String> {
    let mut names = HashSet::new();
    for kind in EntityClass::SECTIONS {
        for entity in linter.config.section(kind).values() {
            let own = usize::from(kind == EntityClass::Destination);
            for common in entity.commons().skip(own) {
                names.extend(common.params.iter().flat_map(|params| params.keys()).map(|name| name.to_string()));
            }
        }
    }
    names
}

/// The destinations that jobs can come to.
pub(super) fn destinations<'a>(linter: &Linter<'a>) -> impl Iterator<Item = &'a Entity> + use<'a> {
    let all = linter.config.destinations.values().map(|destination| &**destination);
    all.filter(|destination| !destination.common.is_abstract)
}

/// The name of the class that a destination's runner plugin loads, if `job_conf` has the runner.
pub(super) fn runner_class<'a>(destination: &Entity, job_conf: &'a JobConf) -> Option<&'a str> {
    loaded(destination, job_conf)?.rsplit([':', '.']).next()
}

/// The same for a class of Galaxy itself; a site's own may have the name of one.
pub(super) fn galaxys_class<'a>(destination: &Entity, job_conf: &'a JobConf) -> Option<&'a str> {
    let (_, class) = loaded(destination, job_conf)?.trim().strip_prefix("galaxy.jobs.runners.")?.split_once(':')?;
    Some(class)
}

/// The module and class that a destination's runner plugin loads.
fn loaded<'a>(destination: &Entity, job_conf: &'a JobConf) -> Option<&'a str> {
    let runner = destination.runner()?;
    job_conf.runners.get(runner.as_str()).map(String::as_str)
}

/// A param that is not read.
struct Unread<'a> {
    name: String,
    value: &'a ConfigValue,
    /// The name that is read.
    meant: Option<String>,
    help: String,
}

/// Params of destinations that their runner does not read.
fn unread(linter: &mut Linter<'_>, job_conf: &JobConf, of_jobs: &HashSet<String>) {
    // A param may be inherited by destinations of several runners: it is wrong if no one reads it.
    let mut wrong: HashMap<Span, (Diagnostic, &Entity)> = HashMap::new();
    let mut right = HashSet::new();
    for destination in destinations(linter) {
        let class = runner_class(destination, job_conf);
        let Some(params) = destination.common.params.as_deref() else { continue };
        let reader = class.and_then(Reader::of);
        let found = match (reader, class) {
            (Some(reader), Some(class)) => unread_by(reader, class, params),
            _ => Vec::new(),
        };
        // What the destination names for another runner, the job may bring for this one.
        let is_brought = |unread: &Unread<'_>| unread.meant.as_ref().is_some_and(|meant| of_jobs.contains(meant));
        let found: Vec<Unread<'_>> = found.into_iter().filter(|unread| !is_brought(unread)).collect();
        let is_found = |span: &Span| found.iter().any(|unread| unread.value.span == *span);
        right.extend(params.values().map(|value| value.span).filter(|span| !is_found(span)));
        for unread in found {
            let who = reader.map_or("this runner", Reader::name);
            let span = key_span(linter, &unread.name, unread.value);
            let diagnostic = Diagnostic::warning(format!("{who} does not read `{}`", unread.name))
                .at(span, "jobs are submitted without this")
                .also(destination.span, format!("the destination `{}`", destination.id))
                .help(unread.help);
            let diagnostic = match unread.meant {
                Some(meant) => diagnostic.fix(span, meant),
                None => diagnostic,
            };
            wrong.entry(unread.value.span).or_insert((diagnostic, destination));
        }
    }
    wrong.retain(|span, _| !right.contains(span));
    let mut wrong: Vec<_> = wrong.into_iter().collect();
    wrong.sort_by_key(|(span, _)| *span);
    for (_, (diagnostic, destination)) in wrong {
        linter.report(Finding::new(Code::UnreadParam, diagnostic).of(&destination.common.no_qa_codes));
    }
}

/// The params among these that a runner of this class does not read.
fn unread_by<'a>(reader: Reader, class: &str, params: &'a Dict) -> Vec<Unread<'a>> {
    let mut out = Vec::new();
    let mut add = |name: &str, value: &'a ConfigValue, meant: String| {
        let meant = Some(meant).filter(|meant| !params.contains_key(meant.as_str()));
        let help = match &meant {
            Some(meant) => did_you_mean(meant),
            None => "leave it out".to_owned(),
        };
        out.push(Unread { name: name.to_owned(), value, meant, help });
    };
    for (names, readers) in SUBMITTED {
        let own = names.iter().find_map(|name| Some((*name, params.get(*name)?)));
        let remote = names.iter().find_map(|name| {
            let name = format!("submit_{name}");
            params.get(name.as_str()).map(|value| (name, value))
        });
        match (own, remote) {
            (Some((name, value)), None) if reader == Reader::Pulsar => add(name, value, format!("submit_{name}")),
            (None, Some((name, value))) if readers.contains(&reader) => {
                let meant = name.replacen("submit_", "", 1);
                add(&name, value, meant);
            }
            _ => {}
        }
    }
    if reader == Reader::Kubernetes {
        for (name, meant) in KUBERNETES {
            if let Some(value) = params.get(name).filter(|_| !params.contains_key(meant)) {
                add(name, value, meant.to_owned());
            }
        }
        for name in OF_PLUGIN {
            if let Some(value) = params.get(name) {
                let help = "set it on the runner in `job_conf`, which is where it is read from".to_owned();
                out.push(Unread { name: name.to_owned(), value, meant: None, help });
            }
        }
    }
    for (classes, names) in IGNORED {
        for name in names.iter().filter(|_| classes.contains(&class)) {
            if let Some(value) = params.get(*name) {
                let help = "leave it out: this runner sends jobs by a message queue or an API of its own".to_owned();
                out.push(Unread { name: (*name).to_owned(), value, meant: None, help });
            }
        }
    }
    out
}

/// Params that a runner needs and nothing of the config may set.
fn needed(linter: &mut Linter<'_>, job_conf: &JobConf, of_jobs: &HashSet<String>) {
    let code = sites::collect(linter.config);
    let in_code = |name: &str| code.iter().any(|site| site.text.as_str().contains(name));
    let default = super::tags::default(linter.config, EntityClass::Destination);
    let mut missing = Vec::new();
    for destination in destinations(linter) {
        let Some(class) = runner_class(destination, job_conf) else { continue };
        for (_, name) in NEEDED.into_iter().filter(|(of, _)| *of == class) {
            let holders = std::iter::once(destination).chain(default);
            let mut values = holders.filter_map(|holder| holder.common.params.as_deref()?.get(name));
            let is_set = values.next().is_some_and(|value| !is_off(value));
            if !is_set && !of_jobs.contains(name) && !in_code(name) {
                missing.push((destination, class, name));
            }
        }
    }
    for (destination, class, name) in missing {
        let runner = destination.runner();
        let at = runner.map_or(destination.span, |runner| runner.span);
        let value = if name == "docker_enabled" { "true" } else { "..." };
        let diagnostic = Diagnostic::warning(format!("the destination `{}` has no `{name}`", destination.id))
            .at(at, format!("`{class}` fails each job without it"))
            .also(destination.span, "")
            .help(format!("add `{name}: {value}` to its `params`"));
        linter.report(Finding::new(Code::MissingParam, diagnostic).of(&destination.common.no_qa_codes));
    }
}

fn is_off(value: &ConfigValue) -> bool {
    matches!(value.kind, ValueKind::Bool(false) | ValueKind::Null)
}
