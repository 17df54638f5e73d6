//! Properties of `tpvc test`: planted violations are refuted and true promises are not, what is proved stands random jobs, and slips have errors.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tpv_analysis::cases::property::{Judged, Property, Verdict};
use tpv_analysis::cases::read::{Defaults, read};
use tpv_analysis::cases::run::Tested;
use tpv_analysis::check::promises::prove;
use tpv_compiler::{CompileOptions, compile};
use tpv_galaxy::job::Job;
use tpv_runtime::{Hooks, Mapper};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;

use crate::check_reach::{configs, job};
use crate::support::random::{Random, rounds, setting};
use crate::support::{project, site, stderr, stdout, tpvc_in};

/// The rules of config files.
fn tested(names: &[String]) -> Tested {
    let compiled = compile(names, &CompileOptions::default());
    Tested { rules: compiled.rules.unwrap().into(), config: compiled.config, sources: compiled.sources }
}

/// The properties of a text.
fn properties(text: &str) -> Vec<Property> {
    let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
    let id = sources.add("tests.yml", &format!("config: config.yml\nproperties:\n{text}"));
    let file = read(&mut sources, id, &Defaults::default(), &mut problems);
    file.unwrap_or_else(|| panic!("{}\n{text}", problems.iter().map(|one| one.message.clone()).collect::<String>()))
        .properties
}

fn judged(tested: &Tested, properties: &[Property]) -> Vec<Judged> {
    tpv_prove::promises::judge(tested, &Hooks::default(), &properties.iter().collect::<Vec<_>>())
}

fn verdicts(tested: &Tested, text: &str) -> Vec<(String, &'static str)> {
    let properties = properties(text);
    let word = |judged: Judged| match judged.verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted { .. } => "refuted",
        Verdict::Unknown(_) => "unknown",
    };
    let judged = judged(tested, &properties).into_iter().map(word);
    properties.iter().map(|property| property.name.clone()).zip(judged).collect()
}

const RULES: &str = r#"global:
  default_inherits: default
  context: {limit: 250}
tools:
  default:
    abstract: true
    cores: 1
    mem: cores * 3.8
  small: {cores: 2}
  assembler:
    cores: 16
    mem: min(input_size * 8, limit)
    rules:
      - {id: large, if: input_size > 10, scheduling: {require: [highmem]}}
      - {id: too_large, if: input_size > 500, fail: "{tool.id} takes at most 500 GiB"}
  by_param:
    rules:
      - id: gpu
        if: job.get_param_values(app).get('device') == 'gpu'
        gpus: 1
        params: {gpu: "true"}
        env: {DEVICE: gpu}
        scheduling: {require: [gpu]}
  by_version:
    rules:
      - {id: old, if: "helpers.tool_version_lt(tool, '2.0')", mem: 300, scheduling: {require: [highmem]}}
  by_tag:
    rules:
      - {id: urgent, if: "job.history and 'urgent' in [tag.user_tname for tag in job.history.tags]", scheduling: {require: [fast]}}
  by_code:
    rules:
      - id: coded
        if: input_size > 100
        execute: entity.tpv_tags.require.append('highmem')
  secret: {scheduling: {require: [gdpr]}}
roles:
  training.*: {max_cores: 2, max_mem: 8, params: {queue: training}}
  big: {context: {limit: 900}}
users:
  boss@example.org: {scheduling: {require: [fast]}}
destinations:
  normal: {runner: slurm, max_accepted_cores: 8, max_mem: 64}
  big: {runner: slurm, scheduling: {accept: [highmem]}}
  gpu: {runner: slurm, scheduling: {require: [gpu]}, params: {native: "--gres=gpu:{gpus}"}}
  fast: {runner: local, scheduling: {require: [fast]}}
  protected: {runner: pulsar, scheduling: {require: [gdpr]}}
  sandbox: {runner: kubernetes, scheduling: {accept: [tool_type_user_defined]}}
"#;

/// Each of these is broken by a job.
const BROKEN: &str = r"
- {name: default, never: {cores: 1}}
- {name: size, when: {tool: assembler}, never: {mem: '> 200'}}
- {name: far size, when: {tool: assembler}, never: {error: at most 500 GiB}}
- {name: size within bounds, when: {tool: assembler, input_size: '< 20'}, never: {destination: big, mem: '> 150'}}
- {name: exact size, when: {tool: assembler, input_size: 20}, always: {mem: 159}}
- {name: rule, when: {tool: assembler}, never: {rules: large}}
- {name: rule within bounds, when: {tool: assembler, input_size: '> 10, < 10.5'}, never: {rules: large}}
- {name: parameter, when: {tool: by_param}, never: {destination: gpu}}
- {name: env, never: {env: {DEVICE: gpu}}}
- {name: params, never: {params: {gpu: 'true'}}}
- {name: written params, never: {params: {native: '~ gpu:1'}}}
- {name: version, when: {tool: by_version}, never: {mem: '>= 300'}}
- {name: tag, when: {tool: by_tag, history_tags: urgent}, never: {destination: fast}}
- {name: tag found, when: {tool: by_tag}, never: {destination: fast}}
- {name: code, when: {tool: by_code}, always: {not_on: big}}
- {name: user, when: {user: boss@example.org, tool: small}, never: {destination: fast}}
- {name: user pattern, when: {user: '.*@example\.org', tool: small}, never: {runner: local}}
- {name: user found, when: {tool: small}, always: {runner: slurm}}
- {name: role, when: {roles: big, tool: assembler}, never: {mem: '> 250'}}
- {name: role found, when: {tool: assembler}, never: {mem: '> 800'}}
- {name: role pattern, when: {roles: ['~ ^training']}, always: {cores: '> 2'}}
- {name: role params, when: {roles: training-x, tool: small}, never: {params: {queue: training}}}
- {name: not without role, when: {without_roles: big, tool: assembler}, never: {mem: '> 249'}}
- {name: secrets, when: {tool: secret}, never: {destination: protected}}
- {name: user-defined, when: {user_defined: true}, always: {destination: normal}}
- {name: others, when: {user_defined: false, tool: small}, never: {destination: normal}}
- {name: anonymous, when: {user: null, tool: small}, never: {runner: slurm}}
- {name: training has a place, when: {tool: [small, secret], roles: training-x, user: boss@example.org}, never: {error: No destinations}}
- {name: bounds of cores, always: {cores: '<= 8'}}
- {name: several, when: {tool: [small, assembler]}, never: {destination: big, cores: '>= 16', mem: '> 100'}}
";

/// Each of these holds for every job, and those of the second list are proved.
const TRUE: [&str; 2] = [
    r"
- {name: size, when: {tool: assembler, without_roles: big}, never: {mem: '> 250.5'}}
- {name: size with role, when: {tool: assembler}, never: {mem: '> 900'}}
- {name: small sizes, when: {tool: assembler, input_size: '<= 10'}, never: {rules: large}}
- {name: large sizes, when: {tool: assembler, input_size: '> 10'}, always: {rules: large}}
- {name: too large, when: {tool: assembler, input_size: '> 500'}, always: {error: at most 500 GiB}}
- {name: not too large, when: {tool: assembler, input_size: '<= 500'}, never: {error: at most 500 GiB}}
- {name: parameter, when: {tool: by_param}, never: {destination: normal, gpus: '> 0'}}
- {name: gpus, never: {gpus: '> 1'}}
- {name: env, when: {tool: small}, always: {env: {DEVICE: null}}}
- {name: params at gpu, always: {params: {absent: null}}}
- {name: tag, when: {tool: by_tag, history_tags: urgent}, always: {destination: fast}}
- {name: code below, when: {tool: by_code, input_size: '<= 100', user: null}, never: {rules: coded}}
- {name: training, when: {roles: training-x, without_roles: ['~ ^(?!training-x$)'], user_defined: false}, always: {cores: '<= 2'}}
- {name: boss, when: {user: boss@example.org$, user_defined: false}, always: {destination: fast}}
- {name: small has a place, when: {tool: small, user: null}, never: {error: No destinations}}
",
    r"
- {name: user-defined, when: {user_defined: true}, always: {destination: sandbox}}
- {name: user-defined by runner, when: {user_defined: true}, always: {runner: ~ ^kube}}
- {name: user-defined tool by name, when: {user_defined: true, tool: user_defined-1}, never: {destination: normal}}
- {name: user-defined not, when: {user_defined: true}, always: {not_on: [normal, big]}}
- {name: secrets, when: {tool: secret}, always: {destination: protected}}
- {name: secrets by runner, when: {tool: secret}, never: {runner: slurm}}
- {name: secrets of somebody, when: {tool: secret, user: a@b, roles: x, input_size: '> 3'}, always: {runner: pulsar}}
- {name: secrets and others, when: {tool: [secret, secret_]}, never: {destination: big}}
- {name: nothing else, when: {tool: [small, assembler, by_tag]}, never: {destination: protected}}
- {name: unnamed tools, when: {tool: another}, never: {destination: protected}}
- {name: expression, when: {tool: '(small|another).*'}, never: {runner: pulsar}}
- {name: bound, never: {destination: normal, mem: '> 64'}}
- {name: bound of others, when: {tool: small}, never: {destination: normal, mem: '>= 64.5'}}
- {name: two at once, when: {tool: small}, never: {destination: protected, rules: large}}
- {name: large tool, when: {tool: assembler}, never: {destination: protected, cores: 16}}
",
];

#[test]
fn planted_violations_are_refuted_and_true_promises_are_not() {
    let folder = site(&[("config.yml", RULES)]);
    let config = folder.path().join("config.yml").display().to_string();
    let tested = tested(&[config]);
    let broken = verdicts(&tested, BROKEN);
    assert_eq!(broken.len(), 30);
    let missed: Vec<_> = broken.iter().filter(|(_, word)| *word != "refuted").collect();
    assert!(missed.is_empty(), "{missed:?}");
    let [tried, proved] = TRUE.map(|text| verdicts(&tested, text));
    assert_eq!(tried.len() + proved.len(), 30);
    let wrong: Vec<_> = tried.iter().filter(|(_, word)| *word != "unknown").collect();
    let unproved: Vec<_> = proved.iter().filter(|(_, word)| *word != "proved").collect();
    assert!(wrong.is_empty() && unproved.is_empty(), "{wrong:?}, not proved: {unproved:?}");
}

/// A random property of the random configs.
fn property(random: &mut Random) -> Value {
    let destinations = ["d0", "d1", "d2", "~ ^d[12]", "~ ^d", "o1", "o2"];
    let mut answer = json!({});
    if !random.one_in(4) {
        answer["destination"] = json!(*random.pick(&destinations));
    }
    if random.one_in(4) {
        answer["runner"] = json!(*random.pick(&["slurm", "pulsar", "~ ^s"]));
    }
    if random.one_in(3) || answer == json!({}) {
        let quantity = *random.pick(&["cores", "mem"]);
        answer[quantity] = json!(format!("{} {}", random.pick(&["<", "<=", ">", ">="]), random.below(40)));
    }
    if random.one_in(10) {
        answer["not_on"] = json!(*random.pick(&destinations));
    }
    let mut when = json!({});
    let ids =
        ["bwa", "bwa_mem", "bwa$", "star", "hisat2", "samtools", "other", "(bwa|star).*", ".*mem", "user_defined-"];
    match random.below(4) {
        0 => {}
        1 => when["tool"] = json!([random.pick(&ids), random.pick(&ids)]),
        _ => when["tool"] = json!(random.pick(&ids)),
    }
    if random.one_in(4) {
        when["user_defined"] = json!(random.one_in(2));
    }
    if random.one_in(6) {
        when["without_roles"] = json!("staff");
    }
    if random.one_in(6) {
        when["input_size"] = json!(*random.pick(&["> 10", "<= 10"]));
    }
    let promise = *random.pick(&["never", "never", "always"]);
    json!({"name": "p", "when": when, promise: answer})
}

/// Lets destinations bound amounts, have other names and runners, and rules.
fn bound(random: &mut Random, configs: &mut [Value]) {
    let destinations = configs[0]["destinations"].as_object_mut().unwrap();
    for destination in destinations.values_mut() {
        for field in ["max_cores", "max_mem", "min_cores", "cores", "mem"] {
            if random.one_in(if field.starts_with("max") { 2 } else { 8 }) {
                destination[field] = json!(random.below(30));
            }
        }
        if random.one_in(4) {
            destination["destination_name_override"] = json!(*random.pick(&["o1", "o{1 + 1}", "d1"]));
        }
        if random.one_in(3) {
            destination["runner"] = json!("pulsar");
        }
        if random.one_in(5) {
            destination["rules"] = json!([{"id": "own", "if": "input_size > 3", "max_cores": 60, "max_mem": 200}]);
        }
    }
}

/// The names that are proved are those of the answers: of random configs, whose destinations bound amounts and go by other names.
#[test]
fn no_random_job_breaks_what_is_proved() {
    let (seed, count) = (setting("TPVC_SEED", 1), rounds("TPVC_CONFIGS", 150));
    println!("seed {seed}, {count} configs");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let (mut all, mut proved, mut asked) = (0, 0, 0);
    for index in 0..count {
        let mut configs = configs(&mut random);
        bound(&mut random, &mut configs);
        let write = |(at, config): (usize, &Value)| {
            let path = folder.path().join(format!("{index}-{at}.yml"));
            std::fs::write(&path, config.to_string()).unwrap();
            path.display().to_string()
        };
        let names: Vec<String> = configs.iter().enumerate().map(write).collect();
        let tested = tested(&names);
        let list: Vec<Value> = (0..60).map(|_| property(&mut random)).collect();
        let properties = properties(&list.iter().map(|one| format!("- {one}\n")).collect::<String>());
        let proofs = prove(&tested.config, &tested.sources, &properties.iter().collect::<Vec<_>>());
        let sure: Vec<usize> = (0..properties.len()).filter(|at| proofs[*at].is_ok()).collect();
        (all, proved) = (all + properties.len(), proved + sure.len());
        let mapper = Mapper::new(tested.rules.clone());
        for _ in 0..400 {
            let line = job(&mut random).to_string();
            let job = Arc::new(Job::parse(&line).unwrap());
            let answer = mapper.map(&job, &properties[0].world);
            for at in sure.iter().filter(|at| properties[**at].when.describes(&job)) {
                asked += 1;
                // Rules are not among these expectations.
                let broken = properties[*at].broken_by(&answer, &[]);
                let shown = || configs.iter().map(|config| format!("{config:#}")).collect::<Vec<_>>().join("\n---\n");
                assert!(
                    broken.is_empty(),
                    "seed {seed}, config {index}: {}\n{}\n{line}\n{}",
                    shown(),
                    list[*at],
                    answer.line()
                );
            }
        }
    }
    println!("{proved} of {all} properties proved, and asked of a job {asked} times");
    assert!(proved as u64 > count && asked as u64 > 100 * count);
}

/// A test file with one property.
fn file_of(property: &str) -> String {
    format!("config: config.yml\nproperties:\n  - {property}\n")
}

#[test]
fn slips_have_errors_with_places() {
    for (property, line, message) in [
        ("{never: {destination: big}}", 3, "the property has no name"),
        ("{name: a}", 3, "the property promises nothing"),
        ("{name: a, never: {destination: big}, always: {destination: big}}", 3, "`never` conflicts with `always`"),
        ("{name: a, never: {}}", 3, "`never` names nothing"),
        ("{name: a, never: {destnation: big}}", 3, "`destnation` is not a field of an expectation"),
        ("{name: a, when: {tools: bwa}, never: {destination: big}}", 3, "`tools` is not a field of `when`"),
        ("{name: a, when: {tool: '('}, never: {destination: big}}", 3, "this is not a regular expression"),
        ("{name: a, when: {tool: [5]}, never: {destination: big}}", 3, "an item of `tool` must be a text"),
        ("{name: a, when: {input_size: large}, never: {destination: big}}", 3, "`input_size` must be a size in GiB"),
        ("{name: a, never: {mem: '> big'}}", 3, "`> big` does not bound a number"),
        ("{name: a, when: {user: null, roles: x}, never: {mem: 1}}", 3, "an anonymous job cannot have roles"),
    ] {
        let folder = site(&[("config.yml", RULES), ("tests.yml", &file_of(property))]);
        let run = tpvc_in(folder.path(), &["test", "tests.yml"]);
        let text = stderr(&run);
        assert!(text.contains(message) && text.contains(&format!("tests.yml:{line}:")), "{property}: {text}");
        assert!(text.contains("help: ") && run.status.code() == Some(1), "{property}: {text}");
    }
}

#[test]
fn all_reports_have_the_verdicts() {
    let list = "config: config.yml
properties:
  - {name: first, when: {tool: secret}, always: {destination: protected}}
  - {name: second, when: {tool: assembler}, never: {destination: big}}
  - {name: third, when: {tool: small}, never: {mem: '> 900'}}
";
    let folder = site(&[("config.yml", RULES), ("tests.yml", list)]);
    let run = |args: &[&str]| tpvc_in(folder.path(), &[&["test", "tests.yml"], args].concat());
    let all = run(&["--format", "json", "--junit", "out.xml"]);
    assert_eq!(all.status.code(), Some(1));
    let found: Value = serde_json::from_str(&stdout(&all)).unwrap();
    let words: Vec<&Value> = found["properties"].as_array().unwrap().iter().map(|one| &one["verdict"]).collect();
    assert_eq!(words, ["proved", "refuted", "unknown"]);
    assert!(found["properties"][2]["at"].as_str().unwrap().starts_with("config.yml:"), "{found:#}");
    // The job is one that `dry-run` takes, and that goes where the report says.
    let second = &found["properties"][1];
    assert_eq!(second["mismatches"][0]["came"], "big");
    std::fs::write(folder.path().join("job.json"), second["job"].to_string()).unwrap();
    let dry = tpvc_in(folder.path(), &["dry-run", "config.yml", "--job", "job.json"]);
    assert!(stdout(&dry).contains("id: big"), "{}{}", stdout(&dry), stderr(&dry));
    let xml = std::fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"1\"") && xml.contains("type=\"refuted\""), "{xml}");
    assert!(xml.contains("<system-out>") && xml.contains("not proved: "), "{xml}");
    for (args, status) in [
        (&["-k", "first"][..], 0),
        (&["-k", "third"], 0),
        (&["-k", "third", "--strict"], 1),
        (&["-k", "first", "--strict"], 0),
        (&["-k", "second"], 1),
        (&["-k", "none"], 1),
    ] {
        let done = run(args);
        assert_eq!(done.status.code() == Some(0), status == 0, "{args:?}: {}", stderr(&done));
    }
}

/// A rank function may give destinations that refuse the job: nothing is proved then.
#[test]
fn nothing_is_proved_beside_ranks_of_other_destinations() {
    let ranked =
        |rank: &str| RULES.replace("    mem: cores * 3.8\n", &format!("    mem: cores * 3.8\n    rank: {rank}\n"));
    for (rank, expected) in [
        ("\"sorted(candidate_destinations, key=lambda d: d.id)\"", "proved"),
        ("\"[d for d in mapper.destinations.values() if d.id != 'protected']\"", "refuted"),
        ("\"[mapper.destinations['protected']] if 0 else candidate_destinations\"", "unknown"),
    ] {
        let folder = site(&[("config.yml", &ranked(rank))]);
        let tested = tested(&[folder.path().join("config.yml").display().to_string()]);
        let found = verdicts(&tested, "- {name: a, when: {tool: secret}, always: {destination: protected}}");
        assert_eq!(found, [("a".to_owned(), expected)], "{rank}");
    }
}

/// The rules of a site as large as a server's.
#[test]
fn the_rules_of_a_site_keep_their_promises() {
    let names = ["1-shared.yml", "2-site.yml", "3-people.yml"]
        .map(|name| project().join("fixtures/production").join(name).display().to_string());
    assert!(names.iter().all(|name| Path::new(name).exists()));
    let tested = tested(&names);
    let found = verdicts(
        &tested,
        "- {name: user-defined, when: {user_defined: true}, never: {destination: offline}}
- {name: all, never: {error: no such error}}
- {name: upload, when: {tool: upload1}, never: {mem: '> 1'}}
",
    );
    let words: Vec<&str> = found.iter().map(|(_, word)| *word).collect();
    assert_eq!(words, ["proved", "unknown", "refuted"]);
}
