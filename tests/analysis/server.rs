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
  toolshed.g2.bx.psu.edu/repos/iuc/rnpxl/rnpxl/.*: {mem: 4}
  Cut1: {mem: 4}
";

#[test]
fn ids_are_compared_with_the_installed_repositories() {
    let list = "tools:
- {name: flexynesis, owner: bgruening}
- {name: flexynesis_plot, owner: bgruening}
- {name: rnbeads, owner: iuc}
- {name: rnpxlsearch, owner: iuc}
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

/// A variable without a value stands in names of `job_conf`, or of the config.
#[test]
fn names_that_are_not_known_are_left_alone() {
    let config = "tools:
  bwa:
    mem: 4
    resubmit:
      one: {condition: memory_limit_reached, destination: pulsar_small}
      two: {condition: memory_limit_reached, destination: slurm_small}
destinations:
  a: {runner: pulsar_eu}
  b: {runner: slrum}
";
    let job_conf = "runners:
  slurm: {load: galaxy.jobs.runners.slurm:SlurmJobRunner}
  pulsar_{{ site }}: {load: galaxy.jobs.runners.pulsar:PulsarMQJobRunner}
execution:
  environments:
    pulsar_{{ site }}_small: {runner: slurm}
";
    let settings = "placeholders = [\"site\"]\n[server]\njob_conf = \"job_conf.yml.j2\"\n";
    let found_with = |config: &str| found(config, &[("job_conf.yml.j2", job_conf), ("tpvc.toml", settings)]);
    let expected = [("T143", 6), ("T142", 9)].map(|(code, line)| (code.to_owned(), line));
    assert_eq!(found_with(config), expected);
    // It may be any if nothing of its name is known.
    assert_eq!(
        found(
            "destinations: {a: {runner: bridges}}",
            &[("job_conf.yml.j2", "runners: {'{{ site }}': {}}"), ("tpvc.toml", settings)]
        ),
        []
    );
    let open = config.replace("slrum", "placeholder_runner").replace("slurm_small", "placeholder_site");
    assert_eq!(found_with(&open), []);
}

#[test]
fn files_of_the_server_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("config.yml", IDS);
    write("faulty.yml", "tools: {bwa: {memory: 1}}\n");
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
        // What does not depend on that file is found all the same.
        let output = tpvc_in(folder.path(), &["lint", "faulty.yml"]);
        assert!(stdout(&output).contains("T104"), "{}", stdout(&output));
    }
}

const NO_FINDINGS: &str = "no findings in 1 file\n";

/// Galaxy's API answers `[]` if there are no tools, roles or users.
#[test]
fn files_without_entries_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("config.yml", "tools: {bwa: {mem: 4}}\n");
    for (key, others) in [("tools", "roles"), ("roles", "tools"), ("users", "roles")] {
        write("tpvc.toml", &format!("[server]\n{key} = [\"list\"]\n"));
        let lint = |text: &str| {
            write("list", text);
            stderr(&tpvc_in(folder.path(), &["lint", "config.yml"]))
        };
        for text in ["", "[]", "{}", &format!("{{\"{key}\": []}}"), &format!("install: true\n{key}: {{}}\n")] {
            assert_eq!(lint(text), NO_FINDINGS, "{key}: {text}");
        }
        for text in [&format!("{{\"{others}\": []}}"), "[1]", "{\"err_msg\": \"not allowed\"}", "<job_conf/>"] {
            assert!(lint(text).contains(&format!("no {key} are in this file")), "{key}: {text}");
        }
    }
    write("tpvc.toml", "[server]\ntools = [\"list\"]\nroles = [\"groups\"]\n");
    write("list", "<toolbox tool_path=\"../shed_tools\">\n</toolbox>\n");
    write("groups", "groups: []\n");
    assert_eq!(stderr(&tpvc_in(folder.path(), &["lint", "config.yml"])), NO_FINDINGS);
}

#[test]
fn a_tool_may_be_in_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("config.yml", "tools: {Cut1: {mem: 4}}\n");
    write("tpvc.toml", "[server]\ntools = [\"a.json\", \"b.xml\", \"c.yml\", \"d.yml\"]\n");
    write("a.json", r#"[{"id": "Cut1", "model_class": "Tool"}]"#);
    write("b.xml", r#"<toolbox><tool id="Cut1"/></toolbox>"#);
    write("c.yml", "tools: [{name: bwa, owner: iuc}]\n");
    write("d.yml", "tools: [{name: bwa, owner: iuc}]\n");
    assert_eq!(stderr(&tpvc_in(folder.path(), &["lint", "config.yml"])), NO_FINDINGS);
}

/// The parser's column counts characters.
#[test]
fn errors_of_xml_point_behind_other_alphabets() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("config.yml", "tools: {Cut1: {mem: 4}}\n");
    write("tpvc.toml", "[server]\ntools = [\"b.xml\"]\n");
    write("b.xml", "<toolbox>\n<section name=\"Übersicht für höhere Töne\"></label>\n</toolbox>\n");
    let said = stderr(&tpvc_in(folder.path(), &["lint", "config.yml"]));
    assert!(said.contains("--> b.xml:2:43"), "{said}");
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
  fastqc:
    mem: 8
    rules:
      - {id: d, if: input_size < 0.1, mem: 2}
      - {id: e, if: 0.1 <= input_size < 2, mem: 4}
      - {id: f, if: input_size > 20, scheduling: {require: [pulsar-qld]}}
destinations:
  condor:
    runner: condor
    params: {request_gpus: '1', requests_memory: 4Gi, container_resolver: x, request_memory: '{mem}G', docker_run_extra_arguments: --env A}
    scheduling: {accept: [pulsar-qld]}
";
    assert_eq!(found(config, &[]), []);
}

#[test]
fn environments_are_those_of_job_conf() {
    let config = "tools:
  bwa:
    mem: 4
    resubmit:
      a: {condition: any_failure, environment: tpv}
      b: {condition: any_failure, destination: tvp}
      c: {condition: any_failure, environment: '{tool.id}'}
destinations:
  a: {runner: slurm}
";
    let settings = "[server]\njob_conf = \"job_conf\"\n";
    for job_conf in [
        "runners: {slurm: {}}\nexecution: {environments: {tpv: {}, local: {}}}\n",
        "galaxy_jobconf: {plugins: [{id: slurm}], destinations: [{id: tpv}]}\n",
        r#"<job_conf><plugins><plugin id="slurm"/></plugins><destinations><destination id="tpv"/></destinations></job_conf>"#,
    ] {
        assert_eq!(found(config, &[("job_conf", job_conf), ("tpvc.toml", settings)]), [("T143".to_owned(), 6)]);
    }
    // Nothing is known of environments that are not listed.
    assert_eq!(found(config, &[("job_conf", "runners: {slurm: {}}\n"), ("tpvc.toml", settings)]), []);
}

#[test]
fn params_are_those_that_the_runner_reads() {
    let config = "destinations:
  _parent:
    abstract: true
    params: {native_specification: -n 1}
  slurm: {runner: slurm, inherits: _parent}
  pulsar: {runner: pulsar, inherits: _parent}
  both: {runner: pulsar, params: {nativeSpecification: -n 1, submit_native_specification: -n 1}}
  remote: {runner: pulsar, params: {request_memory: 1G}}
  here: {runner: slurm, params: {submit_native_specification: -n 1}}
  other: {runner: own, params: {submit_native_specification: -n 1}}
";
    let job_conf = "runners:
  slurm: {load: 'galaxy.jobs.runners.slurm:SlurmJobRunner'}
  pulsar: {load: 'galaxy.jobs.runners.pulsar:PulsarEmbeddedJobRunner'}
  own: {load: 'own.runners:Runner'}
";
    let settings = "[server]\njob_conf = \"job_conf\"\n";
    let expected = [8, 9].map(|line| ("T144".to_owned(), line));
    assert_eq!(found(config, &[("job_conf", job_conf), ("tpvc.toml", settings)]), expected);
}

#[test]
fn params_are_those_of_the_runner_for_kubernetes() {
    let config = "destinations:
  k8s:
    runner: k8s
    params:
      docker_enabled: true
      requests_cpu: '{cores}'
      request_memory: '{mem}G'
      k8s_walltime_limit: 10
      k8s_node_selector: 'disk: ssd'
  bare: {runner: k8s, params: {requests_memory: 4Gi}}
";
    let job_conf = "runners:\n  k8s: {load: 'galaxy.jobs.runners.kubernetes:KubernetesJobRunner'}\n";
    let settings = "[server]\njob_conf = \"job_conf\"\n";
    let files = [("job_conf", job_conf), ("tpvc.toml", settings)];
    let expected = [("T144", 7), ("T144", 8), ("T148", 10)].map(|(code, line)| (code.to_owned(), line));
    assert_eq!(found(config, &files), expected);
    // A tool may enable containers.
    let tools = format!("tools:\n  bwa: {{cores: 1, mem: 4, params: {{docker_enabled: true}}}}\n{config}");
    assert_eq!(found(&tools, &files), [("T144", 9), ("T144", 10)].map(|(code, line)| (code.to_owned(), line)));
}

#[test]
fn params_of_pulsar_and_htcondor() {
    let config = "destinations:
  queue: {runner: queue, params: {url: 'https://pulsar', submit_requirements: gpu}}
  code: {runner: queue, rules: [{id: a, if: 'True', execute: 'entity.params[\"jobs_directory\"] = 1'}]}
  embedded: {runner: embedded, params: {requirements: gpu}}
  condor: {runner: condor, params: {submit_requirements: gpu}}
  slurm: {runner: slurm, params: {submit_requirements: gpu, url: x}}
  own: {runner: own, params: {requirements: gpu}}
";
    let class = |class: &str| format!("{{load: 'galaxy.jobs.runners.some:{class}'}}");
    let job_conf = format!(
        "runners:\n  queue: {}\n  embedded: {}\n  condor: {}\n  slurm: {}\n  own: {}\n",
        class("PulsarMQJobRunner"),
        class("PulsarEmbeddedJobRunner"),
        class("CondorJobRunner"),
        class("SlurmJobRunner"),
        class("OwnRunner")
    );
    let settings = "[server]\njob_conf = \"job_conf\"\n";
    let expected = [("T144", 2), ("T144", 4), ("T144", 5)].map(|(code, line)| (code.to_owned(), line));
    assert_eq!(found(config, &[("job_conf", &job_conf), ("tpvc.toml", settings)]), expected);
    let without_code = config.replace("jobs_directory", "other");
    let expected =
        [("T148", 2), ("T144", 2), ("T148", 3), ("T144", 4), ("T144", 5)].map(|(code, line)| (code.to_owned(), line));
    assert_eq!(found(&without_code, &[("job_conf", &job_conf), ("tpvc.toml", settings)]), expected);
}

#[test]
fn tools_in_use_have_an_entry() {
    let config = "global: {default_inherits: default}
tools:
  default: {abstract: true, mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/bwa/.*: {mem: 4}
  Cut1: {mem: 1}
";
    let job = |id: &str| format!("{{\"tool\": {{\"id\": \"{id}\"}}, \"seed\": 1}}\n");
    let flye = "toolshed.g2.bx.psu.edu/repos/iuc/flye/flye";
    let jobs =
        [&*format!("{flye}/2.9"), &format!("{flye}/2.8"), "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/1", "Cut1", "Old1"]
            .map(job);
    let jobs = jobs.concat() + "not a job\n";
    let settings = "[server]\nhistory = [\"jobs.jsonl\"]\n";
    let text = |files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files.iter().chain(&[("config.yml", config), ("jobs.jsonl", &jobs)]) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        stdout(&tpvc_in(folder.path(), &["lint", "config.yml"]))
    };
    let said = text(&[("tpvc.toml", settings)]);
    assert!(said.contains("warning[T149]: 2 tools of the job history have no entry\n --> config.yml:3:3"), "{said}");
    assert!(said.contains("iuc/flye/flye with 2 jobs, Old1 with 1 job"), "{said}");
    // With a list of all tools those that are gone are left out.
    let panel = format!("<toolbox><tool id=\"Cut1\"/><tool id=\"{flye}/2.9\"/></toolbox>");
    let said = text(&[("tpvc.toml", &format!("{settings}tools = [\"panel.xml\"]\n")), ("panel.xml", &panel)]);
    assert!(said.contains("1 tool of the job history has no entry") && !said.contains("Old1"), "{said}");
    // A file without jobs is an error.
    let said = found(config, &[("tpvc.toml", settings), ("jobs.jsonl", "x\n")]);
    assert_eq!(said, []);
}

/// TPV's braces that were written twice are no variables, though `tpvc init` takes them for some.
#[test]
fn code_of_tpv_in_braces_of_jinja_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "config.yml.j2",
        "destinations:\n  a:\n    runner: x\n    params:\n      native: \"{{ entity.params.get('a') or '' }} {{ volumes }}\"\n",
    );
    write("tpvc.toml", "placeholders = [\"entity\", \"vol*\"]\n");
    let output = tpvc_in(folder.path(), &["lint", "config.yml.j2"]);
    let said = stdout(&output);
    assert!(said.contains("`entity` is not among the variables\n --> config.yml.j2:5:19"), "{said}");
    assert!(said.contains("single braces") && !said.contains("volumes` "), "{said}");
}

/// Tools may bring the param for the runner that a destination's own is not for.
#[test]
fn params_of_jobs_count() {
    let config = "destinations:
  condor: {runner: condor, params: {submit_request_cpus: '1', submit_request_memory: 1G}}
";
    let job_conf = "runners: {condor: {load: 'galaxy.jobs.runners.condor:CondorJobRunner'}}\n";
    let files = [("job_conf", job_conf), ("tpvc.toml", "[server]\njob_conf = \"job_conf\"\n")];
    assert_eq!(found(config, &files), [("T144".to_owned(), 2), ("T144".to_owned(), 2)]);
    let config = format!("tools:\n  default: {{abstract: true, params: {{request_cpus: '{{cores}}'}}}}\n{config}");
    assert_eq!(found(&config, &files), [("T144".to_owned(), 4)]);
}

/// Of a broken `job_conf` the rest counts, and every name that its text has.
#[test]
fn a_broken_job_conf_is_read_as_far_as_it_goes() {
    let config = "destinations:
  a: {runner: slurm}
  b: {runner: bridges}
  c: {runner: condor}
";
    let settings = "[server]\njob_conf = \"job_conf.yml.j2\"\n";
    for job_conf in [
        "runners:\n  slurm: {}\n  bridges2: [\n  condor: {}\n",
        "runners:\n  slurm: {}\n  own: {load: \"{{ nothing_of_this_name }}\"}\n  condor: {}\n",
        "<job_conf><plugins><plugin id=\"slurm\"/><plugin id=\"condor\"></plugins></job_conf>",
    ] {
        let files = [("job_conf.yml.j2", job_conf), ("tpvc.toml", settings)];
        assert_eq!(found(config, &files), [("T142".to_owned(), 3)], "{job_conf}");
    }
}

#[test]
fn rejected_tags_are_those_of_something() {
    let config = "tools:
  _base: {abstract: true, scheduling: {reject: [down]}}
  bwa:
    mem: 4
    scheduling: {reject: [offline, gone, training, pulsar-qld]}
roles:
  training.*: {scheduling: {require: [training]}}
destinations:
  a: {runner: slurm, scheduling: {accept: [offline, qld-pulsar, training]}}
";
    assert_eq!(found(config, &[]), [("T147".to_owned(), 5), ("T141".to_owned(), 5)]);
    // A part of a config says nothing of the other parts, and code may add any tag.
    assert_eq!(found(config.split_once("destinations").unwrap().0, &[]), []);
    let code = config.replace(
        "    mem: 4\n",
        "    mem: 4\n    rules: [{id: a, if: user, execute: 'entity.tpv_tags.accept.append(user.email)'}]\n",
    );
    assert!(found(&code, &[]).iter().all(|(code, _)| code != "T147"));
}

#[test]
fn ids_of_another_form_than_that_of_the_server() {
    let config = "tools:
  toolshed.g2.bx.psu.edu/repos/bgruening/deeptools/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/galaxy-tools/braker3/braker3/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/pick_value/pick_value/0.2.0/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/.*/pick_value/0.2.0/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/omark/omark/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/old/omark/omark/.*: {mem: 4}
  interactivetool_cellxgene: {mem: 4}
  interactive_tool_ml: {mem: 4}
  keras_train: {mem: 4}
  Cutt1: {mem: 4}
";
    let list = "tools:
- {name: deeptools_bam_compare, owner: bgruening}
- {name: deeptools_bam_coverage, owner: bgruening}
- {name: braker3, owner: genouest}
- {name: omark, owner: iuc}
- {name: keras_train, owner: bgruening}
";
    let settings = "[server]\ntools = [\"tools.yml\"]\n";
    let expected = [2, 3, 4, 8].map(|line| ("T136".to_owned(), line));
    assert_eq!(found(config, &[("tools.yml", list), ("tpvc.toml", settings)]), expected);
    // With the ids of all tools of the server more is known.
    let panel = r#"<toolbox><tool id="Cut1"/><tool id="toolshed.g2.bx.psu.edu/repos/bgruening/keras_train/keras_train/1.0"/></toolbox>"#;
    let settings = "[server]\ntools = [\"tools.yml\", \"panel.xml\"]\n";
    let expected = [2, 3, 4, 8, 10, 11].map(|line| ("T136".to_owned(), line));
    assert_eq!(found(config, &[("tools.yml", list), ("panel.xml", panel), ("tpvc.toml", settings)]), expected);
}

#[test]
fn quotes_of_options_are_closed() {
    let config = "destinations:
  a:
    runner: x
    params:
      singularity_run_extra_arguments: '--env _JAVA_OPTIONS=\\\"-Xmx{int(mem)}g'
      docker_run_extra_arguments: --env A='b
      native_specification: --comment \"it's {tool.id.split('/')[0]}\"
";
    assert_eq!(found(config, &[]), [5, 6].map(|line| ("T139".to_owned(), line)));
}

#[test]
fn names_of_people_are_compared_with_those_of_the_server() {
    let config = "users:
  sue@example.com: {max_cores: 1}
  sue@example.org: {max_cores: 1}
  .*@example.com: {max_cores: 1}
  stranger@elsewhere.net: {max_cores: 1}
roles:
  training-asembly: {max_cores: 1}
  training-.*: {max_cores: 1}
tools:
  bwa:
    mem: 4
    rules:
      - id: a
        if: user and user.email == 'sue@exmaple.org'
        cores: 1
      - id: b
        if: user and 'Training-Assembly' in [role.name for role in user.all_roles() if role.name != 'other']
        cores: 2
";
    let json = r#"{"users": [{"email": "sue@example.org", "username": "sue", "id": "1"}]}"#;
    let settings = "[server]\nusers = [\"users\"]\nroles = [\"roles\"]\n";
    let files = [("users", json), ("roles", "- training-assembly\n"), ("tpvc.toml", settings)];
    assert_eq!(found(config, &files), [2, 7, 14, 17].map(|line| ("T145".to_owned(), line)));
    assert_eq!(found(config, &[]), []);
    // The users of the config say as much of an address at another host.
    let config =
        config.replace("sue@example.com", "sue@exmaple.net").replace("  sue@example.org: {max_cores: 1}\n", "");
    assert_eq!(found(&config, &[]), [("T145".to_owned(), 13)]);
}

/// Only the address and name of a user are names, not the texts of the other fields.
#[test]
fn other_fields_of_users_are_no_names() {
    let config = "users:\n  sue@example.com: {max_cores: 1}\n";
    let settings = "[server]\nusers = [\"users\"]\n";
    let with = |users: &str| found(config, &[("users", users), ("tpvc.toml", settings)]);
    let entry = r#"{"email": "sue@example.org", "id": "1", "tags_used": ["sue@example.com"], "more": {"a": ["sue@example.com"]}}"#;
    let mistake = [("T145".to_owned(), 2)];
    for users in [entry.to_owned(), format!("[{entry}]"), format!("{{\"users\": [{entry}]}}")] {
        assert_eq!(with(&users), mistake, "{users}");
    }
    // Names may be nested lists, or under a key of another name.
    for users in
        ["- [sue@example.org]", "people: [sue@example.org]", "galaxy: {users: {sue: {email: sue@example.org}}}"]
    {
        assert_eq!(with(users), mistake, "{users}");
    }
}

#[test]
fn a_word_of_ids_is_compared_with_the_names_of_tools() {
    let config = "tools:
  .*data_manager_gtdbtk_installer.*: {mem: 4}
  .*data_manager_gtdbtk.*: {mem: 4}
  .*data_manager_snpeff_installer.*: {mem: 4}
  .*bwa_index_builder_data_manager.*: {mem: 4}
  .*kraken2_build_database.*: {mem: 4}
";
    let list = "tools:
- {name: data_manager_gtdbtk_database_installer, owner: iuc}
- {name: data_manager_bwa_index_builder, owner: devteam}
- {name: data_manager_build_kraken2_database, owner: iuc}
";
    let settings = "[server]\ntools = [\"tools.yml\"]\n";
    assert_eq!(found(config, &[("tools.yml", list), ("tpvc.toml", settings)]), [("T136".to_owned(), 2)]);
}

#[test]
fn slips_of_configs_are_found() {
    let config = "tools:
  toolshed.g2.bx.psu.edu/repos/iuc/a/*/1.0: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/b/b/*: {mem: 4}
  bwa:
    mem: 4
    rules:
      - id: score
        if: score and (tool.id == 'bwa' and score < 5)
        context: {score: 1}
      - id: sql
        if: user is not None
        execute: |
          import psycopg2
          query = 'SELECT a FROM b WHERE c <= %s AND d >= %'
          with psycopg2.connect() as connection:
              connection.cursor().execute(query, (1, 2))
              connection.cursor().execute('SELECT %s', (1, 2))
              connection.cursor().execute('SELECT %s LIKE \"%%\"', (1,))
      - id: tags
        if: input_size > 1
        execute: |
          from tpv.core.entities import SchedulingTags, Tag, TagType
          entity.tpv_tags.tags = [Tag('scheduling', 'a', TagType.REQUIRE)]
          entity.tpv_tags = SchedulingTags(require=['a'])
      - id: history
        if: |
          tags = job.history and job.history.tags
          any(tag.user_tname == 'a' for tag in tags)
        mem: 5
      - id: histories
        if: any(tag.user_tname == 'a' for tag in job.history.tags)
        mem: 6
    context: {score: 0}
";
    let found: Vec<(String, u64)> =
        found(config, &[]).into_iter().filter(|(code, _)| !["T130", "T131", "T112"].contains(&code.as_str())).collect();
    let expected =
        [("T146", 2), ("T110", 8), ("T111", 14), ("T111", 17), ("T111", 23), ("T103", 23), ("T107", 28), ("T107", 31)];
    assert_eq!(found, expected.map(|(code, line)| (code.to_owned(), line)));
}

#[test]
fn a_tag_of_another_form_than_all_others_is_a_slip() {
    let destination = |tag: &str| format!("  {tag}: {{runner: a, scheduling: {{require: [{tag}]}}}}\n");
    let mut config = "tools:\n  bwa:\n    mem: 4\n    rules:\n      - {id: a, if: user, execute: 'entity.tpv_tags.require.append(user.email)'}\ndestinations:\n".to_owned();
    for tag in ["fr-pulsar", "it-pulsar", "be-pulsar", "sk-pulsar", "cz-pulsar"] {
        config += &destination(tag);
    }
    assert_eq!(found(&config, &[]), []);
    config += &destination("pulsar-bsc");
    assert_eq!(found(&config, &[]), [("T141".to_owned(), 12)]);
}

/// The lines of `job_conf` at which limits that limit nothing are reported.
fn dead_limits(config: &str, job_conf: &str) -> Vec<u64> {
    let settings = "variables = {limits = [{type = 'environment_user_concurrent_jobs', id = 'gone', value = 1}]}
[server]
job_conf = \"job_conf.j2\"
";
    let found = found(config, &[("job_conf.j2", job_conf), ("tpvc.toml", settings)]);
    found.into_iter().filter(|(code, _)| code == "T150").map(|(_, line)| line).collect()
}

const LIMITED: &str = "destinations:
  _base: {abstract: true, runner: slurm}
  a: {inherits: _base, tags: [small, big]}
  b: {inherits: _base, destination_name_override: c}
";

#[test]
fn limits_are_those_of_something() {
    let yaml = "runners: {slurm: {}}
execution:
  environments:
    tpv: {runner: dynamic, function: map_tool_to_destination}
    a: {tags: [small]}
limits:
  - {type: environment_user_concurrent_jobs, id: a, value: 1}
  - {type: environment_user_concurrent_jobs, id: b, value: 1}
  - {type: environment_total_concurrent_jobs, id: c, value: 1}
  - {type: destination_user_concurrent_jobs, id: _base, value: 1}
  - {type: destination_total_concurrent_jobs, tag: small, value: 1}
  - {type: destination_total_concurrent_jobs, tag: big, value: 1}
  - {type: destination_total_concurrent_jobs, tag: big, value: 0}
  - {type: destination_total_concurrent_jobs, tag: smal, value: 1}
  - {type: anonymous_user_concurrent_jobs, value: 1}
  - {type: output_size, id: gone, value: 1G}
";
    assert_eq!(dead_limits(LIMITED, yaml), [8, 10, 12, 14]);
    let xml = r#"<job_conf>
  <plugins><plugin id="slurm"/></plugins>
  <destinations>
    <destination id="tpv" runner="dynamic"><param id="function">map_tool_to_destination</param></destination>
    <destination id="a" tags="small, other"/>
  </destinations>
  <limits>
    <limit type="destination_user_concurrent_jobs" id="a">1</limit>
    <limit type="destination_user_concurrent_jobs" id="b">1</limit>
    <limit type="destination_total_concurrent_jobs" tag="big">1</limit>
    <limit type="concurrent_jobs" id="cc">1</limit>
    <limit type="destination_total_concurrent_jobs" tag="other">1</limit>
    <limit type="walltime">24:00:00</limit>
  </limits>
</job_conf>
"#;
    assert_eq!(dead_limits(LIMITED, xml), [9, 10, 11]);
    let template = "runners: {slurm: {}}
execution: {environments: {local: {}}}
limits:
{% for limit in limits %}
  - {{ limit | to_yaml | trim }}
{% endfor %}
";
    assert_eq!(dead_limits(LIMITED, template), [5]);
}

/// The lines at which types and values of limits are reported; those of names are in order.
#[test]
fn limits_have_a_type_and_a_number() {
    let yaml = "runners: {slurm: {}}
execution:
  environments:
    tpv: {runner: dynamic, function: map_tool_to_destination, tags: [asked, small]}
    a: {tags: [small]}
limits:
  - {type: registered_user_concurrent_job, value: 5}
  - {type: registered_user_concurrent_jobs, value: 5}
  - {type: registered_user_concurrent_jobs, value: 0}
  - {type: anonymous_user_concurrent_jobs}
  - {type: environment_total_concurrent_jobs, id: a, value: a few}
  - {type: environment_total_concurrent_jobs, id: a}
  - {type: environment_total_concurrent_jobs, id: tpv, value: 3}
  - {type: environment_total_concurrent_jobs, tag: small, value: 3}
  - {type: environment_total_concurrent_jobs, id: a, value: '{{ missing }}'}
  - {type: walltime, value: '24:00:00'}
  - {type: walltime, value: 24 h}
  - {type: walltime, value: \"'148:00:00'\"}
  - {type: output_size, value: 200G}
";
    assert_eq!(dead_limits(LIMITED, yaml), [7, 9, 10, 11, 12, 13, 17]);
    let xml = r#"<job_conf>
  <plugins><plugin id="slurm"/></plugins>
  <destinations>
    <destination id="tpv" runner="dynamic_tpv"/>
    <destination id="a"/>
  </destinations>
  <limits>
    <limit type="destination_user_concurrent_jobs" id="a">five</limit>
    <limit type="destination_user_concurrent_jobs" id="a"></limit>
    <limit type="destination_user_concurrent_jobs" id="a"> 5 </limit>
    <limit type="destination_user_concurrent_jobs" id="tpv">5</limit>
    <limit type="concurrent_job" id="a">5</limit>
  </limits>
</job_conf>
"#;
    assert_eq!(dead_limits(LIMITED, xml), [8, 9, 11, 12]);
}

/// The codes and lines of findings beside a `job_conf`.
fn beside(config: &str, job_conf: &str) -> Vec<(String, u64)> {
    found(config, &[("job_conf", job_conf), ("tpvc.toml", "[server]\njob_conf = \"job_conf\"\n")])
}

fn at(code: &str, lines: &[u64]) -> Vec<(String, u64)> {
    lines.iter().map(|line| (code.to_owned(), *line)).collect()
}

#[test]
fn tools_that_job_conf_sends_elsewhere_are_told() {
    let config = "global: {default_inherits: default}
tools:
  default: {abstract: true, cores: 1, mem: 4}
  upload1: {mem: 2}
  .*/iuc/bwa/bwa/.*: {mem: 8}
  bwa_mem: {mem: 8}
  .*: {mem: 1}
  star: {mem: 8}
  Cut1: {mem: 8}
  fastqc: {mem: 8}
destinations:
  slurm: {runner: slurm}
";
    let yaml = "runners: {slurm: {}}
execution:
  default: tpv
  environments:
    tpv: {runner: dynamic, rules_module: tpv.rules}
    own: {runner: dynamic, function: choose}
    at_home: {runner: slurm}
tools:
  - {id: upload1, environment: at_home}
  - {id: toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa, environment: at_home}
  - {id: star, environment: tpv}
  - {id: fastqc, environment: own}
  - {id: bwa_mem, environment: at_home, source: trackster}
  - {id: cut1, environment: at_home}
  - {id: unknown, environment: at_home}
";
    assert_eq!(beside(config, yaml), at("T158", &[4, 9]));
    // Jobs that fail there come to TPV all the same.
    let again = "at_home: {runner: slurm, resubmit: [{condition: any_failure, environment: tpv}]}";
    assert_eq!(beside(config, &yaml.replace("at_home: {runner: slurm}", again)), []);
    let xml = r#"<job_conf>
  <plugins><plugin id="slurm"/></plugins>
  <destinations default="tpv">
    <destination id="tpv" runner="dynamic"><param id="rules_module">tpv.rules</param></destination>
    <destination id="at_home" runner="slurm"/>
  </destinations>
  <tools>
    <tool id="upload1" destination="at_home"/>
    <tool id="bwa_mem" destination="at_home"><param id="source">trackster</param></tool>
    <tool id="star" handler="special"/>
  </tools>
</job_conf>
"#;
    assert_eq!(beside(config, xml), at("T158", &[4]));
    let again = r#"<destination id="at_home" runner="slurm"><resubmit condition="any_failure" destination="tpv"/></destination>"#;
    assert_eq!(beside(config, &xml.replace(r#"<destination id="at_home" runner="slurm"/>"#, again)), []);
    // Nothing is known of a server that does not ask TPV, or of which a part is not known.
    for (old, new) in [("rules_module: tpv.rules", "function: other"), ("own:", "'{{ site }}':"), ("at_home:", "home:")]
    {
        assert_eq!(beside(config, &yaml.replace(old, new)), [], "{new}");
    }
}

#[test]
fn a_default_that_is_not_tpv_is_told() {
    let config = "tools:\n  bwa: {cores: 1, mem: 4}\ndestinations:\n  slurm: {runner: slurm}\n";
    let job_conf = "runners: {slurm: {}}
execution:
  default: here
  environments:
    tpv: {runner: dynamic_tpv}
    here: {runner: slurm}
";
    assert_eq!(beside(config, job_conf), at("T158", &[3]));
    let asked = format!("{job_conf}tools:\n  - {{id: bwa, environment: tpv}}\n");
    assert_eq!(beside(config, &asked), []);
    assert_eq!(beside(config, &job_conf.replace("default: here", "default: tpv")), []);
}

#[test]
fn settings_that_no_job_gets_are_told() {
    let config =
        "tools:\n  bwa: {cores: 1, mem: 4}\ndestinations:\n  slurm: {runner: slurm}\n  other: {runner: slurm}\n";
    let job_conf = "runners: {plain: {}}
execution:
  default: tpv
  environments:
    tpv: {runner: dynamic_tpv}
    slurm:
      runner: plain
      tags: [a]
      native_specification: --mem=8000
    other: {runner: plain, tags: [a]}
    third: {runner: plain, native_specification: --mem=8000}
";
    let config = config.replace("runner: slurm", "runner: plain");
    assert_eq!(beside(&config, job_conf), at("T158", &[6]));
    // Something else may send jobs there.
    assert_eq!(beside(&config, &format!("{job_conf}tools: [{{id: x, environment: slurm}}]\n")), []);
}

#[test]
fn states_are_those_that_runners_report() {
    let config = "tools:
  bwa:
    mem: 4
    resubmit:
      never: {condition: walltime_reached, destination: tpv}
      out: {condition: memory_limit_reached, destination: tpv}
destinations:
  _base:
    abstract: true
    resubmit:
      shared: {condition: memory_limit_reached and attempt <= 3, destination: tpv}
  far:
    runner: far
    inherits: _base
    resubmit:
      own: {condition: tool_detected_failure or walltime_reached, destination: tpv}
      both: {condition: memory_limit_reached or unknown_error, destination: tpv}
      again: {condition: attempt <= 2, destination: tpv}
      any: {destination: tpv}
  here:
    runner: here
    inherits: _base
    resubmit:
      time: {condition: walltime_reached, destination: tpv}
      tool: {condition: tool_timelimit_reached, destination: tpv}
";
    let job_conf = "runners:
  far: {load: 'galaxy.jobs.runners.pulsar:PulsarRESTJobRunner'}
  here: {load: 'galaxy.jobs.runners.local:LocalJobRunner'}
execution:
  environments:
    tpv: {runner: dynamic_tpv}
";
    let found = |job_conf: &str| {
        let mut found = beside(config, job_conf);
        found.retain(|(code, _)| code == "T159");
        found
    };
    assert_eq!(found(job_conf), at("T159", &[5, 16, 24, 25]));
    // Pulsar alone reports no memory, Slurm everything; of other runners nothing is known.
    let only_far = job_conf.replace("local:LocalJobRunner", "pulsar:PulsarMQJobRunner");
    assert_eq!(found(&only_far), at("T159", &[5, 6, 11, 16, 24, 25]));
    assert_eq!(found(&job_conf.replace("local:LocalJobRunner", "slurm:SlurmJobRunner")), at("T159", &[16]));
    assert_eq!(found(&job_conf.replace("galaxy.jobs.runners.local:LocalJobRunner", "own:Runner")), at("T159", &[16]));
}

/// Names that are not known may be those of limits.
#[test]
fn limits_are_left_alone_where_names_may_be_hidden() {
    let job_conf = "runners: {slurm: {}}
execution:
  environments:
    tpv: {runner: dynamic, function: map_tool_to_destination}
limits:
  - {type: environment_user_concurrent_jobs, id: gone, value: 1}
";
    assert_eq!(dead_limits(LIMITED, job_conf), [6]);
    for (old, new) in [
        ("{slurm: {}}", "{slurm: [}"),
        ("function: map_tool_to_destination", "function: own"),
        ("    tpv:", "    tpv2: {runner: dynamic, function: map_tool_to_destination}\n    tpv:"),
        ("    tpv:", "    {{ missing }}: {}\n    tpv:"),
        ("gone", "'{{ missing }}'"),
    ] {
        assert_eq!(dead_limits(LIMITED, &job_conf.replace(old, new)), [0; 0], "{new}");
    }
    for (old, new) in [
        ("override: c", "override: '{tool.id}'"),
        ("[small, big]", "['{tool.id}']"),
        ("override: c", "override: c, runner: dynamic"),
        ("override: c", "override: c, rules: [{id: a, if: 'True', execute: 'entity.dest_name = user.email'}]"),
        ("override: c", "override: {"),
        ("destinations", "tools"),
    ] {
        assert_eq!(dead_limits(&LIMITED.replace(old, new), job_conf), [0; 0], "{new}");
    }
}

/// Each line but the first two of a tool or of params has a slip.
#[test]
fn slips_of_ids_params_and_code_are_found() {
    let ids = "tools:
  toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/.*: {mem: 4}
  Remove beginning1: {mem: 4}
  toolshed.g2.bx.psu.edu/iuc/bwa/bwa_mem/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/tools/iuc/bwa/bwa_mem2/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc//bwameth/.*: {mem: 4}
  toolshed.g2.bx.psu.de/repos/iuc/bwameth/bwameth/.*: {mem: 4}
  'Cut1 ': {mem: 4}
";
    assert_eq!(found(ids, &[]), [4, 5, 6, 7, 8].map(|line| ("T136".to_owned(), line)));
    let params = |lines: &str| format!("destinations:\n  slurm:\n    runner: slurm\n    params:\n{lines}");
    let right = "      native_specification: --mem={int(mem*1024)} --ntasks={cores}
      submit_native_specification: --mem={int(mem)}G
      default_file_action: remote_transfer
      docker_volumes: $defaults,/data:ro,/a:/b:rw,$SCRATCH:/tmp,cache:/cache
      singularity_volumes: '$job_directory:rw, /scratch/{cores}'
      requirements: Group == \"compute\"
      native_spec: --mem=4
";
    assert_eq!(found(&params(right), &[]), []);
    let wrong = "      native_specification: --mem={int(mem)} --ntasks={cores}
      default_file_action: remote_transfers
      dependency_resolution: globally
      docker_volumes: $default,/data:ro
      singularity_volumes: /data:or
      requirements: Group == \"compute
";
    assert_eq!(found(&params(wrong), &[]), [5, 6, 7, 8, 9, 10].map(|line| ("T139".to_owned(), line)));
    let short = "      docker_run_extra_args: --gpus all\n      submit_request_mem: 4G\n";
    assert_eq!(found(&params(short), &[]), [5, 6].map(|line| ("T138".to_owned(), line)));
    let code = "tools:
  bwa:
    cores: 2
    mem: min(max(input_size * 4, 8), 60)
    rules:
      - {id: a, if: \"tool.id.endswith(('a', 'b'))\", mem: 'max([input_size])'}
      - {id: b, if: \"tool.id.endswith(['a', 'b'])\", mem: 4}
      - {id: c, if: user, mem: 'min(max(input_size * 4), 60)'}
";
    assert_eq!(found(code, &[]), [7, 8].map(|line| ("T111".to_owned(), line)));
    let rejected = "tools:
  default: {abstract: true, scheduling: {reject: [offline, pulsar-brisbanne]}}
  bwa: {mem: 4}
destinations:
  brisbane: {runner: slurm, scheduling: {accept: [pulsar-brisbane]}}
";
    assert_eq!(found(rejected, &[]), [("T147".to_owned(), 2)]);
}

/// A tool that was moved to a repository of its own has an entry for each; a destination for some jobs only inherits all of another.
#[test]
fn entries_for_older_layouts_and_variants_are_left_alone() {
    let config = "tools:
  toolshed.g2.bx.psu.edu/repos/iuc/maxquant/maxquant_mqpar/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/maxquant_mqpar/maxquant_mqpar/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/online_data/get_pdb/0.1.0: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/get_pdb/get_pdb/0.1.0: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/import_data/export_data/.*: {mem: 4}
  toolshed.g2.bx.psu.edu/repos/iuc/export_data/export_data/.*: {mem: 4}
  one: {mem: 4, scheduling: {require: [training]}}
destinations:
  _cluster: {abstract: true, runner: slurm, params: {native_specification: -p all}}
  cluster: {inherits: _cluster, max_accepted_cores: 16}
  cluster_training: {inherits: cluster, max_accepted_cores: 4, scheduling: {require: [training]}}
  cluster_large: {inherits: cluster, params: {native_specification: -p large}, scheduling: {require: [training]}}
";
    let list = "tools:
- {name: maxquant, owner: iuc}
- {name: maxquant_mqpar, owner: iuc}
- {name: get_pdb, owner: iuc}
- {name: import_data, owner: iuc}
- {name: export_data, owner: iuc}
";
    let files = [("list.yml", list), ("tpvc.toml", "[server]\ntools = [\"list.yml\"]\n")];
    assert_eq!(found(config, &files), [("T136", 6), ("T140", 13)].map(|(code, line)| (code.to_owned(), line)));
}
