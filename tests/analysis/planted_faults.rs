//! Configs with planted faults: twenty of every kind that `tpvc check` knows, of which `tpvc lint` finds one, and slips that `tpvc lint` finds.
//! All are found, and nothing else.
//!
//! TPV's answers to a job or two of each are on record beside the configs, so that the faults are TPV's and not only tpvc's.

use serde_json::Value;
use tpv_text::code::Code;

use crate::support::{project, stdout, tpvc_in};

const FILES: [&str; 4] = ["shared.yml", "tools.yml", "destinations.yml", "local_destinations.yml"];

/// The number that the comment before each fault has, its code, its file, and the line that the finding is at.
const PLANTED: [(u32, &str, &str, &str); 19] = [
    (1, "T217", "tools.yml", "mem: 80"),
    (2, "T218", "tools.yml", "inherits: default"),
    (3, "T216", "tools.yml", "if: user is not None and user.email.endswith('@example.org')"),
    (4, "T211", "tools.yml", r"bowtie$/2\..*:"),
    (5, "T212", "tools.yml", "cores: 8"),
    (6, "T213", "tools.yml", "trinity_stats:"),
    (7, "T214", "tools.yml", "toolshed.g2.bx.psu.edu/repos/iuc/sra_tools/fastq_dump/3.1.1+galaxy0:"),
    (8, "T214", "tools.yml", "hisat*:"),
    (9, "T214", "tools.yml", "c++_demangle:"),
    (10, "T215", "tools.yml", "sortmerna:"),
    (11, "T216", "tools.yml", "if: len(job.input_datasets) > 20"),
    (12, "T219", "local_destinations.yml", "runner: htcondor"),
    (13, "T201", "tools.yml", "toolshed.g2.bx.psu.edu/repos/galaxy-australia/alphafold2/alphafold/.*:"),
    (14, "T201", "tools.yml", "toolshed.g2.bx.psu.edu/repos/bgruening/cellpose/cellpose/.*:"),
    (15, "T201", "tools.yml", "toolshed.g2.bx.psu.edu/repos/iuc/flye/flye/.*:"),
    (17, "T202", "destinations.yml", "gpu_archive:"),
    (18, "T203", "shared.yml", "if: input_size > 10 and input_size < 0.01"),
    (19, "T204", "shared.yml", "if: input_size >= 0"),
    (20, "T205", "destinations.yml", "transfer:"),
];

/// The slips that `tpvc lint` finds, in the same form.
const SLIPS: [(u32, &str, &str); 24] = [
    (1, "T127", "tool: none"),
    (2, "T125", "docker_enabled: \"true\""),
    (3, "T125", "params: \"-A course\""),
    (4, "T125", "rules:"),
    (5, "T125", "scheduling:"),
    (6, "T126", "- OMP_NUM_THREADS: \"4\""),
    (7, "T126", "- name: LC_ALL"),
    (8, "T127", "user: nobody"),
    (9, "T127", "job: short"),
    (10, "T128", "if: input_size > 50"),
    (11, "T128", "- if: user and 1 < input_size <= 2"),
    (12, "T128", "if: input_size >= 20"),
    (13, "T111", "- if: helpers.tool_version_gte('1.0', tool)"),
    (14, "T132", "- if: helpers.tool_version_lt(tool, 2.1)"),
    (15, "T111", "- if: helpers.concurrent_job_count_for_tool(tool, app, user) > 2"),
    (16, "T132", "- if: helpers.tag_values_match(entity, match_tag_values='highmem')"),
    (17, "T132", "- if: helpers.job_args_match(job, app, 'mode')"),
    (18, "T133", "sorted(candidate_destinations, key=lambda d: d.score)"),
    (19, "T111", "sorted(candidate_destinations, key=lambda d: -d.score)"),
    (20, "T133", "- if: entity.tpv_tags.all_tag_values"),
    (21, "T113", "- if: input_size > 1000000000"),
    (22, "T113", "mem: max(2, input_size / 1024**3 * 2)"),
    (23, "T103", "- if: yes"),
    (24, "T104", "max_allowed_mem: 64"),
];

/// The findings of a verb in a case: the number of the fault, the code, the file, and the line.
fn found(case: &str, verb: &str, files: &[&str]) -> Vec<(u32, String, String, String)> {
    let folder = project().join("fixtures").join(case);
    let output = tpvc_in(&folder, &[&[verb, "--format", "json"], files].concat());
    let findings: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap();
    let found = findings.iter().map(|finding| {
        let (file, line) = (finding["file"].as_str().unwrap(), finding["line"].as_u64().unwrap());
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        // The comment above says which fault it is.
        let lines: Vec<&str> = text.lines().take(usize::try_from(line).unwrap()).collect();
        let number =
            lines.iter().rev().find_map(|line| line.trim().strip_prefix("# ")?.split_once(':')?.0.parse().ok());
        (
            number.unwrap(),
            finding["code"].as_str().unwrap().to_owned(),
            file.to_owned(),
            lines.last().unwrap().trim().to_owned(),
        )
    });
    let mut found: Vec<(u32, String, String, String)> = found.collect();
    found.sort();
    found
}

#[test]
fn all_are_found_and_nothing_else() {
    let found = found("planted-faults", "check", &FILES);
    let planted = PLANTED.map(|(number, code, file, line)| (number, code.to_owned(), file.to_owned(), line.to_owned()));
    let planted: Vec<_> = planted.into_iter().filter(|(_, code, ..)| Code::find(code).is_some()).collect();
    assert_eq!(found, planted);
    // No destination accepts the tool of the sixteenth, because none has a tag: what one verb says, the other does not repeat.
    let folder = project().join("fixtures/planted-faults");
    let output = tpvc_in(&folder, &[&["lint", "--format", "json"], FILES.as_slice()].concat());
    let findings: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap();
    let is_told = |finding: &&Value| finding["message"] == "no destination has the tag `bigdisk`";
    assert_eq!(findings.iter().filter(is_told).count(), 1);
}

/// Each fault changes what becomes of a job: mended, its job is answered otherwise, or there is nothing to find.
#[test]
fn the_mended_config_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let mends: [(&str, &[(&str, &str)]); 4] = [
        (
            "shared.yml",
            &[
                (" and input_size < 0.01", ""),
                ("input_size >= 0\n", "input_size < small_input\n"),
                (
                    "mem: 60\n  toolshed.g2.bx.psu.edu/repos/iuc/megahit",
                    "mem: 80\n  toolshed.g2.bx.psu.edu/repos/iuc/megahit",
                ),
            ],
        ),
        (
            "tools.yml",
            &[
                ("  _assembler:\n    abstract: true\n    cores: 8\n    mem: 80\n", ""),
                ("    inherits: default\n", ""),
                ("id: large\n", "id: bwa_of_example_org\n"),
                (r"bowtie$/2\..*", r"bowtie/2\..*"),
                ("  data_manager_.*:\n    cores: 2\n    mem: 8\n", ""),
                ("  trinity:\n", "  _trinity:\n"),
                ("3.1.1+galaxy0", r"3.1.1\+galaxy0"),
                ("hisat*", "hisat.*"),
                ("c++_", r"c\+\+_"),
                ("  sortmerna:\n", "  sortmerna$:\n"),
                ("id: many_inputs", "id: many_inputs_of_a_training"),
                ("require: [gpu, highmem]", "require: [gpu]"),
                ("gpus: 4", "gpus: 2"),
                ("mem: cores * 64", "mem: cores * 16"),
                ("require: [bigdisk]", "accept: [highmem]"),
            ],
        ),
        (
            "destinations.yml",
            &[
                ("require: [gpu, archive]", "require: [gpu]"),
                ("accept: [archive]", "accept: [archive]\n      reject: [tool_type_user_defined]"),
            ],
        ),
        ("local_destinations.yml", &[("  pulsar:\n", "  condor:\n")]),
    ];
    for (file, mends) in mends {
        let mut text = std::fs::read_to_string(project().join("fixtures/planted-faults").join(file)).unwrap();
        for (fault, mended) in mends {
            assert!(text.contains(fault), "{file}: {fault}");
            text = text.replace(fault, mended);
        }
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    let output = tpvc_in(folder.path(), &[&["check", "--strict"], FILES.as_slice()].concat());
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
}

#[test]
fn all_slips_are_found_and_nothing_else() {
    let found = found("planted-slips", "lint", &["tpv.yml"]);
    let planted = SLIPS.map(|(number, code, line)| (number, code.to_owned(), "tpv.yml".to_owned(), line.to_owned()));
    assert_eq!(found, planted);
}

#[test]
fn the_config_without_slips_has_none() {
    let mends = [
        ("tool: none", "kind: none"),
        (
            "    env:\n      docker_enabled: \"true\"\n      OMP",
            "    params:\n      docker_enabled: \"true\"\n    env:\n      OMP",
        ),
        ("    env:\n      params: \"-A course\"", "    params:\n      queue: \"-A course\""),
        (
            "    params:\n      rules:\n        - if: input_size > 1\n          cores: 4",
            "    rules:\n      - if: input_size > 1\n        cores: 4",
        ),
        ("    params:\n      scheduling:\n        require", "    scheduling:\n        require"),
        ("- OMP_NUM_THREADS", "OMP_NUM_THREADS"),
        ("- name: LC_ALL", "- name: LC_ALL\n        value: C"),
        ("user: nobody", "owner: nobody"),
        ("{user}", "{owner}"),
        ("job: short", "kind: short"),
        ("if: input_size > 10\n        cores", "if: 10 < input_size <= 50\n        cores"),
        ("user and input_size < 10", "user and 2 < input_size < 10"),
        ("if: input_size >= 20", "if: 5 < input_size <= 10"),
        ("'1.0', tool", "tool, '1.0'"),
        ("tool, 2.1", "tool, '2.1'"),
        ("tool, app, user", "app, tool, user"),
        ("match_tag_values='highmem'", "match_tag_values=['highmem']"),
        ("app, 'mode'", "app, dict(mode='mode')"),
        ("key=lambda d: d.score)", "key=lambda d: d.score(entity))"),
        ("-d.score", "-d.score(entity)"),
        ("all_tag_values", "require"),
        ("1000000000", "1"),
        (" / 1024**3", ""),
        ("- if: yes", "- if: true"),
        ("max_allowed_mem", "max_accepted_mem"),
    ];
    let mut text = std::fs::read_to_string(project().join("fixtures/planted-slips/tpv.yml")).unwrap();
    for (fault, mended) in mends {
        assert!(text.contains(fault), "{fault}");
        text = text.replace(fault, mended);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tpv.yml"), text).unwrap();
    let output = tpvc_in(folder.path(), &["lint", "--strict", "tpv.yml"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
}
