//! `tpvc lint`: its findings, their forms, and that it finds what the real `tpv lint` finds.
//!
//! With `UPDATE_EXPECT=1` in the environment the expectations are rewritten; review the change before committing it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;
use tpv_analysis::lint::{Linted, Options, lint, lint_inputs, report};
use tpv_compiler::checker::RAISING;
use tpv_config::{ConfigTexts, Input};
use tpv_model::{Change, Version};
use tpv_text::code::Code;
use tpv_text::source::SourceMap;

use crate::support::random::rounds;
use crate::support::{expect_file, project, stderr, stdout, tpvc_in};

fn folder() -> PathBuf {
    project().join("tests/lint")
}

/// The cases: every YAML file of the folder.
fn cases() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|name| name == "yml")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Lints a text as a file of the name `config.yml`.
fn lint_text(text: &str) -> Linted {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yml");
    std::fs::write(&path, text).unwrap();
    lint(&[path.to_str().unwrap().to_owned()], &Options { limits: true, ..Options::default() })
}

#[test]
fn findings_are_as_expected() {
    for case in cases() {
        let name = case.file_name().unwrap().to_str().unwrap();
        let output = tpvc_in(&folder(), &["lint", "--limits", name]);
        let errors = stdout(&output).lines().any(|line| line.starts_with("error["));
        assert_eq!(output.status.code(), Some(i32::from(errors)), "{name}");
        expect_file(&case.with_extension("txt"), &format!("{}{}", stdout(&output), stderr(&output)));
    }
}

/// TPV's linter runs on Python 3.11 here, which refuses them; so there is no record to compare with.
#[test]
fn newer_f_strings_are_warned_of() {
    let folder = folder().join("newer");
    let output = tpvc_in(&folder, &["lint", "python-3-12.yml"]);
    assert!(output.status.success());
    expect_file(&folder.join("python-3-12.txt"), &format!("{}{}", stdout(&output), stderr(&output)));
    let compile = |more: &[&str]| {
        let target = tempfile::tempdir().unwrap();
        let path = target.path().join("rules.bin");
        let output = tpvc_in(&folder, &[&["compile", "python-3-12.yml", "-o", path.to_str().unwrap()], more].concat());
        (output.status.code(), stderr(&output).matches("[T120]: this f-string needs Python 3.12").count())
    };
    assert_eq!(compile(&[]), (Some(0), 3));
    assert_eq!(compile(&["--strict"]), (Some(1), 3));
}

#[test]
fn absences_are_reported_whatever_the_code_does_about_them() {
    // Of the second tool code sets names that are not known, so that most names could be there.
    let config = r#"
destinations:
  local: {runner: local}
tools:
  bwa:
    rules:
      - if: "True"
        execute: |
          try:
              import heapq
              entity.cores = 5
          except Exception:
              entity.cores = 7
  bowtie:
    rules:
      - if: "True"
        execute: |
          entity.context.update(dict(zip(tool.id, tool.id)))
          try:
              entity.cores = len(vars())
          except NameError:
              entity.cores = 7
"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), config).unwrap();
    for (more, status) in [(&[][..], 0), (&["--strict"][..], 1)] {
        let arguments = [&["compile", "config.yml", "-o", "rules.bin"], more].concat();
        let output = tpvc_in(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(status));
        for message in ["[T130]: tpvc has no module `heapq`", "[T130]: tpvc has no builtin `vars`"] {
            assert!(stderr(&output).contains(message), "{}", stderr(&output));
        }
    }
}

#[test]
fn other_forms_are_as_expected() {
    for (format, extension) in [("json", "json"), ("sarif", "sarif"), ("github", "github")] {
        let output = tpvc_in(&folder(), &["lint", "--limits", "--format", format, "code.yml", "destinations.yml"]);
        let text = stdout(&output);
        let mut text = text;
        if format != "github" {
            let mut value: Value = serde_json::from_str(&text).expect(format);
            if let Some(driver) = value.pointer_mut("/runs/0/tool/driver") {
                // The pages and the version change by themselves.
                assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
                driver["version"] = "...".into();
                for (rule, code) in driver["rules"].as_array_mut().unwrap().iter_mut().zip(Code::ALL) {
                    assert_eq!(rule["help"]["markdown"], code.page());
                    rule["help"] = "...".into();
                }
            }
            text = format!("{value:#}\n");
        }
        expect_file(&folder().join(format!("forms.{extension}")), &text);
    }
}

/// A finding is a failed test if it makes the exit status 1; files without findings are listed, too.
#[test]
fn junit_is_as_expected() {
    let texts = tempfile::tempdir().unwrap();
    let mut files = vec!["missing.yml"];
    for (name, text) in [
        ("clean.yml", "tools:\n  bwa:\n    mem: 8\n"),
        ("error.yml", "destinations:\n  \"a&b\":\n    max_accepted_cores: 8\n"),
        ("warning.yml", "tools:\n  bwa:\n    cors: 8\n"),
    ] {
        std::fs::write(texts.path().join(name), text).unwrap();
        files.push(name);
    }
    let junit = |more: &[&str]| {
        let output =
            tpvc_in(texts.path(), &[&["lint", "--each", "--format", "junit"], files.as_slice(), more].concat());
        assert_eq!(output.status.code(), Some(1));
        stdout(&output)
    };
    let (text, strict) = (junit(&[]), junit(&["--strict"]));
    expect_file(&folder().join("forms.junit"), &text);
    let count = |text: &str, name: &str| -> Vec<usize> {
        let document = roxmltree::Document::parse(text).expect(text);
        let suites = document.descendants().filter(|node| node.has_tag_name("testsuite"));
        suites.map(|suite| suite.descendants().filter(|node| node.has_tag_name(name)).count()).collect()
    };
    assert_eq!(count(&text, "testcase"), [1, 1, 1, 1]);
    assert_eq!(count(&text, "failure"), [1, 0, 1, 0]);
    assert_eq!(count(&strict, "failure"), [1, 0, 1, 1]);
}

/// A slip in `--ignore` would show findings that are meant not to be seen, so it is an error of the command line.
#[test]
fn unknown_codes_to_ignore_are_refused() {
    for (codes, help) in [
        ("T103,t105", "did you mean `T105`?"),
        ("T1055", "did you mean `T105`?"),
        ("unknown", "`tpvc explain-code` lists all codes"),
    ] {
        let output = tpvc_in(&folder(), &["lint", "code.yml", "--ignore", codes]);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{codes}");
        let wrong = codes.rsplit(',').next().unwrap();
        let said = stderr(&output);
        assert!(said.contains(&format!("`--ignore {codes}`: unknown code `{wrong}`")) && said.contains(help), "{said}");
    }
}

/// The codes that a config gets.
fn codes_of(text: &str) -> BTreeSet<&'static str> {
    lint_text(text).findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// Behind a rule that ends the jobs of those who are not logged in, there is a user.
#[test]
fn rules_that_fail_leave_the_others() {
    let config = |rules: &str| {
        format!(
            "global: {{default_inherits: default}}\ntools:\n  default: {{abstract: true, mem: 1}}\n  bwa:\n    mem: 1\n    rules:\n{rules}"
        )
    };
    let fails = "      - {if: user is None, fail: Log in}\n";
    let asks = "      - {if: user.email == 'a', mem: 2}\n";
    assert!(codes_of(&config(asks)).contains("T107"));
    assert!(codes_of(&config(&[asks, fails].concat())).contains("T107"));
    assert!(!codes_of(&config(&[fails, asks].concat())).contains("T107"));
    assert!(codes_of(&config(&["      - {if: user is None, mem: 4}\n", asks].concat())).contains("T107"));
    assert!(
        codes_of(&config(&["      - {if: user is None and input_size > 1, fail: no}\n", asks].concat()))
            .contains("T107")
    );
    assert!(
        !codes_of(&config(&["      - {if: not user or input_size > 1, fail: no}\n", asks].concat())).contains("T107")
    );
    let of_default =
        config(asks).replace("abstract: true, mem: 1", "abstract: true, mem: 1, rules: [{if: not user, fail: no}]");
    assert!(!codes_of(&of_default).contains("T107"));
    // The first attribute that is not there ends the code.
    let twice = "      - if: |\n          names = [role.name for role in user.all_roles()]\n          user.username in names\n        mem: 2\n";
    let found = lint_text(&config(twice)).findings.iter().filter(|finding| finding.code.as_str() == "T107").count();
    assert_eq!(found, 1);
    // A field is evaluated after all rules of its entity.
    let field = config(fails).replace("    mem: 1\n    rules", "    mem: len(user.email)\n    rules");
    assert!(!codes_of(&field).contains("T107"));
}

/// A field that the entity has is in the context once it has been evaluated.
#[test]
fn a_test_of_the_field_says_whether_its_name_is_set() {
    let found = |field: &str, code: &str| {
        let code = code.replace('\n', "\n      ");
        let rest = if field == "mem" { "" } else { "    mem: 8\n" };
        codes_of(&format!("tools:\n  bwa:\n{rest}    {field}: |\n      {code}\n")).contains("T106")
    };
    for test in [
        "if not entity.gpus:",
        "if entity.gpus is None:",
        "if entity.gpus == None or user:",
        "if not (entity.gpus and user):",
        "if entity.gpus:\n    pass\nelse:",
        "if entity.gpus is not None:\n    pass\nelse:",
    ] {
        let code = format!("{test}\n    gpus = 0\ngpus + 4");
        assert!(!found("mem", &code) && !found("cores", &code), "{test}");
        // Before `gpus` is evaluated, it is not there.
        assert!(found("gpus", &code) && found("max_mem", &code), "{test}");
    }
    for test in ["if not entity.cores:", "if not entity.gpus and user:", "if entity.gpus:", "if not user:"] {
        assert!(found("mem", &format!("{test}\n    gpus = 0\ngpus + 4")), "{test}");
    }
    assert!(found("mem", "if not entity.size:\n    size = 0\nsize + 4"));
}

/// Of the findings that most entities of a file have there is one a file, in every form.
#[test]
fn cores_without_mem_are_one_finding_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let tools = |names: &[&str]| -> String {
        let tools = names.iter().map(|name| format!("  {name}:\n    cores: 2\n"));
        format!("tools:\n{}", tools.collect::<String>())
    };
    std::fs::write(folder.path().join("a.yml"), tools(&["bwa", "star", "hisat2"])).unwrap();
    std::fs::write(folder.path().join("b.yml"), tools(&["bowtie2"])).unwrap();
    let run = |args: &[&str]| stdout(&tpvc_in(folder.path(), &[&["lint", "a.yml", "b.yml"], args].concat()));
    let text = run(&[]);
    assert_eq!(text.matches("warning[T102]").count(), 2, "{text}");
    assert!(text.contains("`bwa`") && text.contains("note: 2 more in this file: `--all` shows each"), "{text}");
    assert_eq!(run(&["--all"]).matches("warning[T102]").count(), 4);
    assert!(!run(&["--all"]).contains("more in this file"));
    for format in ["json", "sarif", "github", "junit"] {
        let count = |text: String| ["`bwa` sets", "`star` sets", "`hisat2` sets"].map(|name| text.contains(name));
        assert_eq!(count(run(&["--format", format])), [true, false, false], "{format}");
        assert_eq!(count(run(&["--format", format, "--all"])), [true; 3], "{format}");
    }
    let findings: Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    assert_eq!((&findings[0]["more"], &findings[1]["more"]), (&Value::from(2), &Value::Null));
    // A baseline knows each: one more is new.
    let write = tpvc_in(folder.path(), &["lint", "a.yml", "b.yml", "--baseline", "known.json", "--update-baseline"]);
    assert!(write.status.success(), "{}", stderr(&write));
    assert_eq!(run(&["--baseline", "known.json"]), "");
    std::fs::write(folder.path().join("a.yml"), tools(&["star", "hisat2", "bwa", "salmon"])).unwrap();
    let new = run(&["--baseline", "known.json"]);
    assert!(new.contains("`salmon`") && new.matches("warning[T102]").count() == 1 && !new.contains("more in"), "{new}");
}

/// A destination is reported as unreachable only if the tags of all jobs are known.
#[test]
fn tags_that_code_adds_count() {
    let config = |field: &str, code: &str| {
        let code = code.replace('\n', "\n          ");
        format!(
            "tools:\n  bwa:\n    mem: 8\n    rules:\n      - id: tags\n        if: true\n        {field}: |\n          {code}\n\
             destinations:\n  slurm: {{runner: slurm}}\n  remote:\n    runner: pulsar\n    scheduling: {{require: [remote]}}\n"
        )
    };
    let known = [
        "entity.params['a'] = 'b'",
        "entity.tpv_tags.require.append('other')",
        "entity.tpv_tags.require.extend(['other', 'another'])",
        "entity.tpv_tags.require += ['other']",
        "entity.tpv_tags.add_tag_override(TagType.REQUIRE, 'other')",
        "entity.tpv_tags.require = [tag for tag in (entity.tpv_tags.require or []) if tag != user.email]",
        "names = {1: 'other'}\nentity.tpv_tags.prefer.append(names[1] if user else 'none')",
        "if 'remote' in {tag.value for tag in entity.tpv_tags.tags}:\n    entity.gpus = 1",
        "setattr(entity, 'mem', 4)",
        "import random\nentity.mem = random.choice([1, 2])",
    ];
    for code in known {
        assert!(codes_of(&config("execute", code)).contains("T115"), "{code}");
    }
    let added = [
        "entity.tpv_tags.require.append('remote')",
        "from tpv.core.entities import SchedulingTags\nentity.tpv_tags = entity.tpv_tags.combine(SchedulingTags(require=['remote']))",
        "entity.tpv_tags.require.append(user.username)",
        "tag = user.extra_preferences.get('where', 'None')\nentity.tpv_tags.require.append(tag)",
        "for role in user.all_roles():\n    entity.tpv_tags.accept.append(role.name)",
        "entity.tpv_tags.require += [f'{user.username}']",
        "entity.tpv_tags.require += ['re' + 'mote']",
        "tags = entity.tpv_tags.require\ntags.append(job.tool_id)",
        "entity.tpv_tags.require = [d.tpv_dest_tags.require[0] for d in mapper.destinations.values()]",
        "setattr(entity.tpv_tags, 'require', [tool.id])",
        "for name in ['require']:\n    setattr(entity.tpv_tags, name, [tool.id])",
        "def add(entity, tag):\n    entity.tpv_tags.require.append(tag)\nadd(entity, 'remote')",
        "add = lambda tag: entity.tpv_tags.add_tag_override(TagType.REQUIRE, tag)\nadd('x')",
        "exec('entity.tpv_tags.require.append(1)')",
        "from our_rules import add_tags\nadd_tags(entity)",
    ];
    for code in added {
        assert!(!codes_of(&config("execute", code)).contains("T115"), "{code}");
    }
    // A condition runs before destinations are looked at, too; a rank only after.
    let writes = "entity.tpv_tags.require.append(user.username)\nTrue";
    assert!(!codes_of(&config("cores", writes)).contains("T115"));
    assert!(codes_of(&config("rank", writes)).contains("T115"));
}

/// A value above all limits is reported only if nothing may lower it.
#[test]
fn resources_that_may_change_are_not_judged() {
    let config = |tool: &str, rest: &str| {
        format!(
            "global: {{default_inherits: default}}\ntools:\n  default:\n    abstract: true\n    mem: 1\n{rest}  bwa/.*:\n    mem: 1\n{tool}\
             destinations:\n  slurm: {{runner: slurm, max_accepted_cores: 32}}\n  big:\n    runner: slurm\n    \
             max_accepted_cores: 64\n    scheduling: {{require: [big]}}\n"
        )
    };
    let of = |tool: &str, rest: &str| codes_of(&config(tool, rest)).contains("T122");
    assert!(of("    cores: 128\n", ""));
    assert!(of("    cores: '128'\n", ""));
    assert!(of("    cores: 48\n", ""));
    assert!(of("    cores: input_size\n    min_cores: 48\n", ""));
    assert!(of("    cores: 128\n    max_cores: 48\n", ""));
    assert!(of("    rules: [{id: a, if: true, cores: 48}]\n", ""));
    assert!(!of("    cores: 32\n", ""));
    assert!(!of("    cores: input_size\n", ""));
    assert!(!of("    cores: 128\n    max_cores: 16\n", ""));
    assert!(!of("    cores: 128\n    max_cores: int(input_size)\n", ""));
    assert!(!of("    cores: 128\n", "    max_cores: 16\n"));
    assert!(!of("    cores: 48\n    scheduling: {accept: [big]}\n", ""));
    assert!(!of("    cores: 48\n    rules: [{id: a, if: true, scheduling: {accept: [big]}}]\n", ""));
    assert!(!of("    cores: 48\n    rules: [{id: a, if: true, cores: 2}]\n", ""));
    assert!(of("    cores: 48\n    rules: [{id: a, if: input_size < 1, cores: 2}]\n", ""));
    let both = "    rules: [{id: a, if: input_size < 1, cores: 2}, {id: b, if: input_size >= 1, cores: 4}]\n";
    assert!(!of(&format!("    cores: 48\n{both}"), ""));
    assert!(of(&format!("    cores: 2\n{}", both.replace("cores: 4", "cores: 64")), ""));
    assert!(!of("    cores: 48\n    rules: [{id: a, if: entity.cores > 32, cores: 32}]\n", ""));
    assert!(!of("    cores: 48\n    rules: [{id: a, if: true, execute: 'entity.cores = 2'}]\n", ""));
    assert!(!of("    cores: 48\n", "  b.*:\n    mem: 1\n    max_cores: 8\n"));
    let least =
        |text: String| codes_of(&text.replace("max_accepted_cores: 32", "min_accepted_cores: 8")).contains("T122");
    assert!(least(config("    cores: 1\n", "")));
    assert!(!least(config("    cores: 8\n", "")) && !least(config("    cores: input_size\n    min_cores: 1\n", "")));
    let users = "users:\n  .*:\n    max_cores: 8\n";
    assert!(!codes_of(&(config("    cores: 48\n", "") + users)).contains("T122"));
    let users = "users:\n  default:\n    max_cores: 8\n";
    assert!(!codes_of(&(config("    cores: 48\n", "") + users)).contains("T122"));
    let unbounded = "  cloud: {runner: slurm}\n";
    assert!(!codes_of(&(config("    cores: 48\n", "") + unbounded)).contains("T122"));
}

/// The findings that show a change, or why no config can show it.
type Shown = Result<&'static [&'static str], &'static str>;

/// The findings of `--from`: for each change a version before it, and a config on which it bears, or the reason that only jobs show it.
const UPGRADES: [(Change, Version, Shown); 25] = [
    (Change::CombineFirst, Version::V1_4, Ok(&["users: {a: {cores: 2}}"])),
    (Change::ParentsAcrossFiles, Version::V2_5, Ok(&["tools: {a: {}, b: {}}", "tools: {a: {}, b: {inherits: a}}"])),
    (Change::OwnAbstract, Version::V2_5, Ok(&["tools: {a: {}, b: {inherits: a, abstract: true}}"])),
    (Change::OwnHandlerTags, Version::V2_5, Ok(&["destinations: {a: {tags: [x]}, b: {inherits: a}}"])),
    (Change::Models, Version::V2_5, Ok(&["tools: {a: {params: {p: \"{re.match('a', tool.id)}\"}}}"])),
    (Change::JobsById, Version::V2_5, Ok(&["tools: {a: {mem: 'helpers.concurrent_job_count_for_tool(app, tool)'}}"])),
    (Change::NoVersion, Version::V2_5, Ok(&["tools: {a: {mem: 'helpers.tool_version_lt(tool, \"2\") or 1'}}"])),
    (Change::ClampByBounds, Version::V3_0, Ok(&["tools: {a: {mem: input_size - 4}}"])),
    (Change::Wrappers, Version::V3_0, Ok(&["tools: {a: {}}"])),
    (Change::FractionalGpus, Version::V3_0, Err("a config with a fraction does not load in TPV 3.0")),
    (Change::ParentsFirst, Version::V3_0, Ok(&["tools: {a: {}, b: {}}", "tools: {a: {}, b: {inherits: a}}"])),
    (Change::NoqaOnly, Version::V3_0, Ok(&["tools:\n  a:\n    params:\n      # Of the queue.\n      queue: x\n"])),
    (
        Change::ResourceHelpers,
        Version::V3_0,
        Ok(&["tools: {a: {mem: \"helpers.get_tool_resource_field(tool, 'cores')\"}}"]),
    ),
    (Change::TagNumbers, Version::V3_1, Ok(&["tools: {a: {}}\ndestinations: {a: {scheduling: {prefer: [x]}}}"])),
    (Change::ToolTypeTags, Version::V3_1, Ok(&["destinations: {a: {}}"])),
    (Change::ResourcesOnce, Version::V3_1, Ok(&["tools: {a: {cores: \"import random\\nrandom.randint(1, 4)\"}}"])),
    (
        Change::UnweightedSample,
        Version::V3_1,
        Ok(&["tools: {a: {rank: helpers.weighted_random_sampling(candidate_destinations)}}"]),
    ),
    (Change::ResubmitMappings, Version::V3_1, Err("a config with texts in `resubmit` does not load in TPV 3.2")),
    (Change::DumpedNames, Version::V3_1, Ok(&["tools: {a: {params: {p: \"{entity.dict()['id']}\"}}}"])),
    (Change::Pools, Version::V3_2, Ok(&["tools: {a: {max_concurrent_cores: 4}}"])),
    (
        Change::ResubmitEnvironment,
        Version::V3_2,
        Ok(&["tools: {a: {resubmit: {r: {condition: any_failure, destination: a}}}}"]),
    ),
    (Change::RamInGib, Version::V3_2, Ok(&["tools: {a: {}}"])),
    (
        Change::ClampedWeights,
        Version::V3_2,
        Ok(&["tools: {a: {rank: helpers.weighted_random_sampling(candidate_destinations)}}"]),
    ),
    (Change::InputHelpers, Version::V3_2, Ok(&["tools: {a: {mem: helpers.get_input_size(job)}}"])),
    (Change::Scores, Version::V3_3, Ok(&["tools: {a: {}}\ndestinations: {a: {scheduling: {prefer: [x]}}}"])),
];

/// The findings of T134 in files of the version `from`, by that of `to`.
fn upgraded(files: &[&str], from: Version, to: Version) -> Vec<String> {
    let mut sources = SourceMap::new();
    let inputs: Vec<Input> = files.iter().map(|text| Input::Text(sources.add("tpv.yml", text))).collect();
    let linted = lint_inputs(
        &inputs,
        &ConfigTexts { sources, version: to },
        &Options { from: Some(from), ..Options::default() },
    );
    linted
        .findings
        .iter()
        .filter(|finding| finding.code.as_str() == "T134")
        .map(|one| format!("{:?}", one.diagnostic))
        .collect()
}

#[test]
fn each_change_of_tpv_is_found_without_jobs() {
    for (change, (of, from, shown)) in Change::all().zip(UPGRADES) {
        assert!(change == of && !from.has(change), "{change:?}");
        let since = change.since();
        // Each is looked for alone, so that no other finds it.
        let to = from.with(change);
        let message = format!("TPV {since} changed this: {}", change.about());
        match shown {
            Ok(files) => {
                let found = upgraded(files, from, to);
                assert!(found.iter().any(|one| one.contains(&message)), "{change:?}: {found:?}");
                assert!(upgraded(&["tools: {}"], from, to).is_empty(), "{change:?}");
            }
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
}

#[test]
fn two_entities_that_combine_are_found_where_the_other_one_counts() {
    let config = "tools:\n  a:\n    params: {queue: long, same: x}\n    env: {OPTIONS: '-d $SCRATCH', A: x}\n\
        destinations:\n  b:\n    params: {queue: short, same: x, own: y}\n    env: {SCRATCH: /tmp, B: '${A}/b', C: c}\n";
    let found = upgraded(&[config], Version::V1_4, Version::V2_5);
    let with = |text: &str| found.iter().filter(|one| one.contains(text)).count();
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(with("the same parameter of the tool `a`"), 1, "{found:#?}");
    assert_eq!(with("remove `queue` here"), 1, "{found:#?}");
    assert_eq!((with("set by the destination `b`"), with("set by the tool `a`")), (1, 1), "{found:#?}");
    assert!(upgraded(&[config], Version::V2_5, Version::V3_3).iter().all(|one| !one.contains("the same parameter")));
}

#[test]
fn explain_code_prints_the_page() {
    let output = tpvc_in(&project(), &["explain-code", "t105"]);
    assert!(output.status.success());
    assert_eq!(stdout(&output), std::fs::read_to_string(project().join("docs/lint/T105.md")).unwrap());
    let list = stdout(&tpvc_in(&project(), &["explain-code"]));
    assert_eq!(list.lines().count(), Code::ALL.len());
    let unknown = tpvc_in(&project(), &["explain-code", "T999"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains("unknown code `T999`"), "{}", stderr(&unknown));
}

/// The findings of the real `tpv lint` for a file, by code: its errors have none.
fn recorded(record: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    if record.get("load_error").is_some() {
        counts.insert("T001".to_owned(), 1);
        return counts;
    }
    for error in record["errors"].as_array().unwrap() {
        let text = error.as_str().unwrap();
        let code = match text {
            _ if text.starts_with("Failed to compile regex") => "T002",
            _ if text.contains("does not define the runner") => "T003",
            _ => "T004",
        };
        *counts.entry(code.to_owned()).or_default() += 1;
    }
    for warning in record["warnings"].as_array().unwrap() {
        *counts.entry(warning[0].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

/// Everything that TPV's linter finds is found with the same code, and its own codes as often; so is the exit status.
fn compare(name: &str, record: &Value, linted: &Linted) {
    let mut own: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &linted.findings {
        *own.entry(finding.code.to_string()).or_default() += 1;
    }
    let recorded = recorded(record);
    for code in ["T001", "T002", "T003", "T004", "T101", "T102", "T104"] {
        let (expected, found) = (recorded.get(code).copied().unwrap_or(0), own.get(code).copied().unwrap_or(0));
        if code == "T001" {
            assert_eq!(expected > 0, found > 0, "{name}: {code}");
        } else if !recorded.contains_key("T001") {
            assert_eq!(found, expected, "{name}: {code}");
        }
    }
    let status = if recorded.contains_key("T001") { 1 } else { record["status"].as_u64().unwrap() };
    assert_eq!(u64::from(linted.errors() > 0), status, "{name}");
}

#[test]
fn everything_that_tpv_finds_is_found() {
    let text = std::fs::read_to_string(folder().join("recorded.json")).unwrap();
    let records: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    for (group, record) in &records {
        let files: Vec<String> =
            group.split(',').map(|file| folder().join(file).to_str().unwrap().to_owned()).collect();
        compare(group, record, &lint(&files, &Options::default()));
    }
    for case in cases() {
        let name = case.file_name().unwrap().to_str().unwrap();
        assert!(records.contains_key(name), "tests/record/record_lint.py was not run for {name}");
    }
}

#[test]
fn ignoring_quiet_and_strict() {
    let run = |args: &[&str]| tpvc_in(&folder(), args);
    let all = run(&["lint", "tpv-warnings.yml"]);
    assert!(all.status.success() && stdout(&all).contains("warning[T102]"));
    let some = run(&["lint", "--ignore", "T102, T104", "tpv-warnings.yml"]);
    assert!(!stdout(&some).contains("T102") && !stdout(&some).contains("T104") && stdout(&some).contains("T101"));
    assert_eq!(run(&["lint", "--strict", "tpv-warnings.yml"]).status.code(), Some(1));
    // What is found, how it is printed and how the run ends is the same; only the summary is left out.
    for options in [&[][..], &["--strict"], &["--format", "json"], &["--format", "sarif"], &["--format", "github"]] {
        for file in ["tpv-warnings.yml", "destinations.yml"] {
            let loud = run(&[&["lint", file], options].concat());
            let quiet = run(&[&["lint", "--quiet", file], options].concat());
            assert!(!stdout(&loud).is_empty() && !stderr(&loud).is_empty(), "{file} {options:?}");
            assert_eq!(
                (stdout(&quiet), quiet.status.code()),
                (stdout(&loud), loud.status.code()),
                "{file} {options:?}"
            );
            assert!(stderr(&quiet).is_empty(), "{file} {options:?}: {}", stderr(&quiet));
        }
    }
    let error = run(&["lint", "--ignore", "T003", "destinations.yml"]);
    assert_eq!(error.status.code(), Some(1));
    assert!(stderr(&error).contains("T003 is an error, which cannot be ignored"));
}

/// Compiling tells what raises as linting does, whatever is turned off; with `--strict` nothing is written.
#[test]
fn compiling_tells_what_raises() {
    let target = tempfile::tempdir().unwrap();
    let path = target.path().join("rules.bin");
    let compile = |more: &[&str]| {
        let output = tpvc_in(&folder(), &[&["compile", "closed.yml", "-o", path.to_str().unwrap()], more].concat());
        (output.status.code(), stderr(&output))
    };
    let heads = |text: &str, severity: &str| -> Vec<String> {
        let codes = RAISING.map(|code| format!("{severity}[{code}]: "));
        let is_head = |line: &&str| codes.iter().any(|code| line.starts_with(code));
        text.lines().filter(is_head).map(|line| line.split_once(": ").unwrap().1.to_owned()).collect()
    };
    let linted = heads(&stdout(&tpvc_in(&folder(), &["lint", "--limits", "closed.yml"])), "warning");
    assert!(linted.len() > 40);
    let (status, told) = compile(&[]);
    assert_eq!((status, heads(&told, "warning")), (Some(0), linted.clone()));
    std::fs::remove_file(&path).unwrap();
    let (status, told) = compile(&["--strict"]);
    assert_eq!((status, heads(&told, "error")), (Some(1), linted));
    assert!(!path.exists());
}

/// Limits of compiled rules alone are no fault of the config.
#[test]
fn limits_are_quiet_in_every_form() {
    for format in ["text", "json", "sarif", "github", "junit"] {
        let count = |more: &[&str]| {
            let output = tpvc_in(&folder(), &[&["lint", "--format", format, "closed.yml"], more].concat());
            let is_said = stderr(&output).contains("`--limits` shows it");
            assert_eq!(is_said, more.is_empty(), "{format}: {}", stderr(&output));
            let mut results = stdout(&output);
            if format == "sarif" {
                // All codes are listed there as rules.
                let log: Value = serde_json::from_str(&results).unwrap();
                results = log["runs"][0]["results"].to_string();
            }
            ["T112", "T130", "T131"].map(|code| results.matches(code).count() > 0)
        };
        assert_eq!(count(&[]), [false; 3], "{format}");
        assert_eq!(count(&["--limits"]), [true; 3], "{format}");
    }
}

#[test]
fn several_files_together_and_each() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yml"), "tools:\n  a: {mem: 2, inherits: b}\n").unwrap();
    std::fs::write(folder.path().join("0.yml"), "tools:\n  b: {mem: 1}\n").unwrap();
    let together = tpvc_in(folder.path(), &["lint", "*.yml"]);
    assert_eq!(together.status.code(), Some(0), "{}", stdout(&together));
    let each = tpvc_in(folder.path(), &["lint", "--each", "."]);
    assert_eq!(each.status.code(), Some(1));
    assert!(stdout(&each).contains("the parent `b` of the tool `a` does not exist"));
    let missing = tpvc_in(folder.path(), &["lint", "none*.yml"]);
    assert!(stderr(&missing).contains("no file matches `none*.yml`"), "{}", stderr(&missing));
}

/// Configs with pieces cut out or doubled: whatever is left, linting ends and every place is in the text.
#[test]
fn damaged_configs_are_linted_without_panic() {
    let mut seed = 1u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    for case in cases() {
        let text: Vec<char> = std::fs::read_to_string(case).unwrap().chars().collect();
        for _ in 0..rounds("TPVC_ROUNDS", 60) {
            let start = random(text.len());
            let end = (start + 1 + random(12)).min(text.len());
            let mut damaged: Vec<char> = text[..start].to_vec();
            match random(3) {
                0 => {}
                1 => damaged.extend([text[start..end].to_vec(), text[start..end].to_vec()].concat()),
                _ => damaged.push(['"', '{', '}', ':', '(', '\\', '\'', 'é'][random(8)]),
            }
            damaged.extend(&text[end..]);
            let linted = lint_text(&damaged.iter().collect::<String>());
            let _ = (report::text(&linted, false), report::github(&linted), report::json(&[linted]));
        }
    }
}

#[test]
fn deep_and_long_code_is_linted() {
    let deep = "-".repeat(20_000);
    let long = "1 + ".repeat(20_000);
    let nested = "not ".repeat(2_000);
    let text = format!(
        "tools:\n  t:\n    mem: 1\n    rules:\n      - {{if: \"{deep}1\", mem: 1}}\n      - {{if: \"{long}1\", mem: 1}}\n      - {{if: \"{nested}1\", mem: 1}}\n"
    );
    let linted = lint_text(&text);
    assert!(linted.findings.iter().all(|finding| finding.code.as_str() == "T111"), "{}", report::text(&linted, false));
}
