//! Texts for schedulers, and what the judge says of them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

use tpv_galaxy::json::Json;
use tpv_prove::texts::{Amounts, Effect, Fault, Submission, judge};

/// The rows of a table: its columns.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn amounts(text: &str) -> Amounts {
    let (cores, mem) = text.split_once(',').unwrap();
    Amounts { cores: cores.parse().ok(), mem: mem.parse().ok() }
}

fn faults(runner: &str, amounts: Amounts, params: &[(&str, &str)]) -> Vec<Fault> {
    let params = params.iter().map(|(name, value)| ((*name).into(), Json::str(*value))).collect();
    judge(&Submission { runner, params: &Json::Object(params), env: &Json::List(Vec::new()), amounts })
}

/// Compares each row with what is said of it. All rows are looked at before it fails.
fn compare(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn shown(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("\n    {}: {}; {}", fault.message(), fault.why, fault.help)).collect()
}

/// Each fault names a part of its text, and says what to write.
fn check_form(faults: &[Fault], wrong: &mut Vec<String>) {
    for fault in faults {
        let is_whole = [&fault.param, &fault.part, &fault.why, &fault.help].iter().all(|text| !text.trim().is_empty());
        if !is_whole || fault.why.ends_with('.') || fault.help.ends_with('.') {
            wrong.push(format!("{fault:?}"));
        }
    }
}

#[test]
fn options_for_slurm() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("texts/slurm.txt")) {
        let [verdict, job, text] = *row else { panic!("{row:?}") };
        let text = text.replace("\\n", "\n");
        let found = faults("slurm", amounts(job), &[("native_specification", &text)]);
        let worst = found.iter().min_by_key(|fault| (fault.effect, fault.by != "Slurm"));
        let said = match worst.map(|fault| (fault.effect, fault.by)) {
            None => "fine",
            Some((Effect::Refused, "Slurm")) => "slurm",
            Some((Effect::Refused, "slurm-drmaa")) => "drmaa",
            Some((Effect::Stuck, _)) => "stuck",
            Some((Effect::Misread, _)) => "misread",
            Some((Effect::Refused, by)) => by,
        };
        if said != verdict {
            wrong.push(format!("{text}: {said} for {verdict}{}", shown(&found)));
        }
        check_form(&found, &mut wrong);
    }
    compare(&wrong);
}

#[test]
fn options_that_no_test_cluster_shows() {
    let job = amounts("1,1");
    let effect = |text: &str| faults("slurm", job, &[("native_specification", text)]).first().map(|fault| fault.effect);
    // slurm-drmaa takes it and `sbatch` does not.
    assert_eq!(effect("--ntasks=0"), Some(Effect::Misread));
    // Without GPUs, Slurm refuses any.
    assert_eq!(effect("--gres=gpu:None"), Some(Effect::Refused));
    assert_eq!(effect("--gres=gpu:"), Some(Effect::Refused));
    assert_eq!(effect("--gres=gpu:a100:1,tmpfs:10G"), None);
    // The name of a cluster needs a database.
    assert_eq!(effect("--clusters=None"), Some(Effect::Refused));
    assert_eq!(effect("--mem=1024\n"), None);
    assert_eq!(effect("--mem=1024 \n"), Some(Effect::Refused));
    // A variable of a template that has no value.
    assert_eq!(effect("--mem=placeholder_memory"), None);
}

#[test]
fn commands_for_htcondor() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("texts/condor.txt")) {
        let [verdict, job, command] = *row else { panic!("{row:?}") };
        let (name, value) = command.split_once('=').unwrap();
        let value = value.trim().replace("\\n", "\n");
        let found = faults("condor", amounts(job), &[(name.trim(), &value)]);
        let said = match found.first().map(|fault| fault.effect) {
            None => "fine",
            Some(Effect::Refused) => "refused",
            Some(Effect::Stuck) => "stuck",
            Some(Effect::Misread) => "misread",
        };
        if said != verdict {
            wrong.push(format!("{command}: {said} for {verdict}{}", shown(&found)));
        }
        check_form(&found, &mut wrong);
    }
    compare(&wrong);
}

#[test]
fn params_of_other_readers() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("texts/others.txt")) {
        let [verdict, runner, job, name, value] = *row else { panic!("{row:?}") };
        let found = faults(runner, amounts(job), &[(name, value)]);
        let said = found.first().map_or_else(
            || "fine".to_owned(),
            |fault| format!("{} {}", format!("{:?}", fault.effect).to_lowercase(), fault.by),
        );
        if said != verdict {
            wrong.push(format!("{runner} {name} {value}: {said} for {verdict}{}", shown(&found)));
        }
        check_form(&found, &mut wrong);
    }
    compare(&wrong);
}

#[test]
fn the_newer_runner_for_htcondor_computes_with_cores() {
    let params = [("request_memory", "70.5G"), ("request_cpus", "8.0")];
    let count = |runner: &str| faults(runner, amounts("8,70.5"), &params).len();
    assert_eq!((count("condor"), count("galaxy.jobs.runners.htcondor:HTCondorJobRunner")), (0, 1));
}

#[test]
fn containers_that_are_off_read_nothing() {
    let volumes = ("docker_volumes", ":rw,/data");
    let count = |params: &[(&str, &str)]| faults("slurm", amounts("1,1"), params).len();
    assert_eq!(count(&[volumes]), 1);
    assert_eq!(count(&[("docker_enabled", "true"), volumes]), 1);
    assert_eq!(count(&[("docker_enabled", "False"), volumes]), 0);
}

#[test]
fn a_limit_below_the_request_is_refused() {
    let job = amounts("8,70.5");
    let said = |params: &[(&str, &str)]| {
        faults("k8s", job, params).into_iter().map(|fault| (fault.effect, fault.param)).collect::<Vec<_>>()
    };
    let below = said(&[("requests_memory", "70.5Gi"), ("limits_memory", "70.5G")]);
    assert_eq!(below, [(Effect::Refused, "limits_memory".to_owned())]);
    assert_eq!(said(&[("requests_cpu", "8"), ("limits_cpu", "4")]), [(Effect::Refused, "limits_cpu".to_owned())]);
    assert_eq!(
        said(&[
            ("requests_memory", "70.5G"),
            ("limits_memory", "70.5Gi"),
            ("requests_cpu", "8"),
            ("limits_cpu", "8000m")
        ]),
        []
    );
}

#[test]
fn options_of_sbatch_stand_in_params_of_their_own() {
    let plugin = ("job_plugin", "Slurm");
    let job = amounts("8,16");
    let said =
        |params: &[(&str, &str)]| faults("cli", job, params).into_iter().map(|fault| fault.part).collect::<Vec<_>>();
    let right = [plugin, ("job_--mem", "16G"), ("job_time", "1-00:00:00"), ("job_ncpus", "8"), ("job_-p", "main")];
    assert_eq!(said(&right), Vec::<String>::new());
    let wrong =
        [plugin, ("job_--mem", "16.5G"), ("job_time", "None"), ("job_ncpus", "8.0"), ("job_--mem-per-cpu", "16")];
    assert_eq!(said(&wrong), ["--mem 16.5G", "--time None", "--cpus-per-task 8.0", "--mem-per-cpu 16"]);
    assert_eq!(said(&[("job_plugin", "Torque"), ("job_Resource_List", "nodes=1:ppn=8.0")]), ["ppn=8.0"]);
}

#[test]
fn variables_that_are_computed_with() {
    let variable = |name: &str, value: &str| {
        Json::Object(vec![("name".into(), Json::str(name)), ("value".into(), Json::str(value))])
    };
    let env = Json::List(vec![
        variable("GALAXY_SLOTS", "8"),
        variable("GALAXY_SLOTS", "$SLURM_NTASKS"),
        variable("GALAXY_SLOTS", "None"),
        variable("GALAXY_MEMORY_MB", "3891.2"),
        variable("_JAVA_OPTIONS", "-Xmx6G -Xms256m -Djava.io.tmpdir=/tmp"),
        variable("_JAVA_OPTIONS", "-Xms1G -Xmx3.8G"),
        variable("OTHER", "None"),
    ]);
    let params = Json::Object(Vec::new());
    let found = judge(&Submission { runner: "slurm", params: &params, env: &env, amounts: Amounts::default() });
    let parts: Vec<_> = found.iter().map(|fault| (fault.by, fault.part.as_str())).collect();
    assert_eq!(
        parts,
        [("the shell", "GALAXY_SLOTS=None"), ("the shell", "GALAXY_MEMORY_MB=3891.2"), ("Java", "-Xmx3.8G")]
    );
}

#[test]
fn each_text_of_a_job_is_told() {
    let params = [
        ("submit_native_specification", "--cpus-per-task=4 --mem-per-cpu=4"),
        ("docker_volumes", "$job_directory:rw,,$tool_directory:ro"),
    ];
    let found = faults("pulsar", amounts("4,16"), &params);
    let told: Vec<_> = found.iter().map(|fault| (fault.param.as_str(), fault.part.as_str())).collect();
    assert_eq!(told, [("submit_native_specification", "--mem-per-cpu=4"), ("docker_volumes", ",,")]);
}
