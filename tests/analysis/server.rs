//! Findings about a config beside the Galaxy server that it is for: `[server]` of `tpvc.toml`.

use serde_json::Value;

use crate::support::{stderr, stdout, tpvc_in};

/// The codes and lines of what `tpvc lint` finds in a config, with files beside it.
fn found(config: &str, files: &[(&str, &str)]) -> Vec<(String, u64)> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files.iter().chain(&[("config.yml", config)]) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let output = tpvc_in(folder.path(), &["lint", "--format", "json", "config.yml"]);
    let findings: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let place = |finding: &Value| (finding["code"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap());
    findings.iter().map(place).collect()
}

const IDS: &str = "tools:
  toolshed.g2.bx.psu.edu/repos/bgruening/flexynesis/flexynesis_plot/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/bgruening/flexynesis/flexynesis/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/rnds/rnbeads/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/rnbead/rnbeads/.*: {mem: 4}
  Cut1: {mem: 4}
";

#[test]
fn ids_are_compared_with_the_installed_repositories() {
    let list = "tools:
- {name: flexynesis, owner: bgruening}
- {name: flexynesis_plot, owner: bgruening}
- {name: rnbeads, owner: iuc}
";
    assert_eq!(found(IDS, &[]), []);
    let settings = "[server]\ntools = [\"tools.yml.lock\"]\n";
    let expected: Vec<(String, u64)> = [2, 4, 5].map(|line| ("T136".to_owned(), line)).into();
    assert_eq!(found(IDS, &[("tools.yml.lock", list), ("tpvc.toml", settings)]), expected);
    // An id that is installed is right, whatever it looks like.
    let xml = r#"<toolbox><tool guid="toolshed.g2.bx.psu.edu/repos/bgruening/flexynesis/flexynesis_plot/1.0"/>
        <tool guid="toolshed.g2.bx.psu.edu/repos/bgruening/flexynesis_plot/other/1.0"/></toolbox>"#;
    let settings = "[server]\ntools = [\"shed_tool_conf.xml\"]\n";
    assert_eq!(found(IDS, &[("shed_tool_conf.xml", xml), ("tpvc.toml", settings)]), []);
}

#[test]
fn runners_are_those_of_job_conf() {
    let config = "destinations:\n  a: {runner: bridges}\n  b: {runner: slurm}\n";
    let settings = "[server]\njob_conf = \"job_conf\"\n";
    for job_conf in [
        "runners: {slurm: {}, bridges2: {}}\n",
        "galaxy_jobconf: {plugins: [{id: slurm}, {id: bridges2}]}\n",
        r#"<job_conf><plugins><plugin id="slurm"/></plugins></job_conf>"#,
    ] {
        assert_eq!(found(config, &[("job_conf", job_conf), ("tpvc.toml", settings)]), [("T142".to_owned(), 2)]);
    }
}

#[test]
fn files_of_the_server_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("config.yml", IDS);
    write("tpvc.toml", "[server]\ntools = [\"list\"]\n");
    for (text, words) in [
        (None, "cannot be read"),
        (Some("a: 1\n"), "no tools are in this file"),
        (Some("<toolbox>\n  <tool\n"), "the XML is wrong"),
        (Some("tools: [\n"), "--> list:"),
    ] {
        if let Some(text) = text {
            write("list", text);
        }
        let output = tpvc_in(folder.path(), &["lint", "config.yml"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}

/// Configs that look like the faults and are none.
#[test]
fn neighbours_of_faults_are_left_alone() {
    let config = "tools:
  .*/cutadapt/.*: {mem: 4}
  localhost/repos/me/tool/tool/.*: {mem: 4}
  bwa:
    mem: 4
    scheduling: {reject: [pulsar-qld]}
    rules:
      - {id: a, if: input_size < 1, mem: 8}
      - {id: b, if: input_size >= 10, mem: 16}
      - {id: c, if: \"tool.id in ('bwa',)\", params: {universe: x}}
destinations:
  condor:
    runner: condor
    params: {request_gpus: '1', requests_memory: 4Gi, container_resolver: x, request_memory: '{mem}G', docker_run_extra_arguments: --env A}
    scheduling: {accept: [pulsar-qld]}
";
    assert_eq!(found(config, &[]), []);
}
