//! A config with twenty planted faults, of every kind that `tpvc check` knows: it finds all, and nothing else.
//!
//! TPV's answers to a job or two of each are on record beside the config, so that the faults are TPV's and not only tpvc's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod support;

use serde_json::Value;
use tpvc::lint::codes::find;

use support::{project, stdout, tpvc_in};

const FILES: [&str; 4] = ["shared.yml", "tools.yml", "destinations.yml", "local_destinations.yml"];

/// The number that the comment before each fault has, its code, its file, and the line that the finding is at.
const PLANTED: [(u32, &str, &str, &str); 20] = [
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
    (16, "T201", "tools.yml", "toolshed.g2.bx.psu.edu/repos/iuc/kraken2/kraken2/.*:"),
    (17, "T202", "destinations.yml", "gpu_archive:"),
    (18, "T203", "shared.yml", "if: input_size > 10 and input_size < 0.01"),
    (19, "T204", "shared.yml", "if: input_size >= 0"),
    (20, "T205", "destinations.yml", "transfer:"),
];

#[test]
fn all_are_found_and_nothing_else() {
    let folder = project().join("fixtures/planted-faults");
    let output = tpvc_in(&folder, &[&["check", "--format", "json"], FILES.as_slice()].concat());
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
    let planted = PLANTED.map(|(number, code, file, line)| (number, code.to_owned(), file.to_owned(), line.to_owned()));
    let planted: Vec<_> = planted.into_iter().filter(|(_, code, ..)| find(code).is_some()).collect();
    assert_eq!(found, planted);
}

/// Each fault changes what becomes of a job: mended, its job is answered otherwise, or there is nothing to find.
#[test]
fn the_mended_config_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let mends: [(&str, &[(&str, &str)]); 4] = [
        (
            "shared.yml",
            &[
                ("input_size < 0.01", "input_size < 100"),
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
