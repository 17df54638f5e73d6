//! Templates are filled in as Ansible does, and what is wrong with what they give is shown in the template.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{expect_file, project, run, site, stderr, stdout, tpvc_in};
use serde_json::Value;
use tpv_config::template::{Site, Templates};
use tpv_settings::Settings;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::{Limits, SourceMap};

/// The value that a template gives for `params.value` of a destination, as JSON.
fn given(template: &str, variables: &str) -> Result<Value, String> {
    let rules = format!("destinations:\n  local:\n    runner: local\n    params:\n      value: {template}\n");
    let site = site(&[("a.yml.j2", &rules), ("vars.yml", variables), ("jobs.jsonl", "{\"tool\": {\"id\": \"x\"}}\n")]);
    let args = ["map", "-q", "--vars", "vars.yml", "--config", "a.yml.j2", "jobs.jsonl"];
    let (status, said) = run(site.path(), &args);
    if status != 0 {
        return Err(said);
    }
    let answer: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    Ok(answer["destination"]["params"]["value"].clone())
}

#[test]
fn findings_are_shown_in_the_template() {
    let folder = project().join("tests/templates");
    let output = tpvc_in(&folder, &["lint", "rules.yml.j2", "--vars", "vars.yml"]);
    expect_file(&folder.join("rules.txt"), &format!("{}{}", stdout(&output), stderr(&output)));
    // The annotations of a code host have the same places.
    let output = tpvc_in(&folder, &["lint", "rules.yml.j2", "--vars", "vars.yml", "--format", "json"]);
    let findings: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let text = std::fs::read_to_string(folder.join("rules.yml.j2")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = 0;
    for finding in findings.as_array().unwrap() {
        let number = |name: &str| usize::try_from(finding[name].as_u64().unwrap()).unwrap();
        let line = lines[number("line") - 1];
        let name = finding["message"].as_str().unwrap().split('`').nth(1).unwrap();
        let shown: String =
            line.chars().skip(number("column") - 1).take(number("end_column") - number("column")).collect();
        found += usize::from(shown == name);
    }
    assert!(found >= 4, "{findings:#}");
}

#[test]
fn an_exception_of_a_job_is_led_back_to_the_template() {
    let rules = "\
tools:
  bwa:
    rules:
    - if: true
      execute: |
{% for step in [1, 2, 3] %}
        log.info('{{ step }}')
{% endfor %}
        entity.cores = missing_name
destinations:
  local:
    runner: local
";
    let site = site(&[("a.yml.j2", rules)]);
    let (status, said) = run(site.path(), &["dry-run", "a.yml.j2", "--tool", "bwa"]);
    assert!(
        status == 1 && said.contains("a.yml.j2:9:24") && said.contains("9 |         entity.cores = missing_name"),
        "{said}"
    );
}

#[test]
fn values_are_those_of_ansible() {
    let variables = "\
number: 4
truth: true
none: null
no: 'no'
name: main
queue: \"{{ name }}-{{ number }}\"
list: [b, a]
same: \"{{ list }}\"
map: {a: 1, b: {c: 2}}
disks: {5: {path: /data/5}, '6': {path: /data/6}}
";
    let cases = [
        ("\"{{ number }}\"", serde_json::json!("4")),
        ("\"{{ truth }} {{ none }} {{ [none] }}\"", serde_json::json!("True  [None]")),
        ("\"{{ queue }}\"", serde_json::json!("main-4")),
        ("\"{{ same | sort | join('+') }}\"", serde_json::json!("a+b")),
        ("\"{{ missing | default('x') }}\"", serde_json::json!("x")),
        ("\"{{ 'y' if no | bool else 'n' }}\"", serde_json::json!("n")),
        ("\"{{ truth | ternary('y', 'n') }}\"", serde_json::json!("y")),
        ("{{ map | to_json }}", serde_json::json!({"a": 1, "b": {"c": 2}})),
        ("{{ map | combine({'b': {'d': 3}}) | to_json }}", serde_json::json!({"a": 1, "b": {"d": 3}})),
        (
            "{{ map | combine({'b': {'d': 3}}, recursive=true) | to_json }}",
            serde_json::json!({"a": 1, "b": {"c": 2, "d": 3}}),
        ),
        ("{{ map | dict2items | map(attribute='key') | list | to_json }}", serde_json::json!(["a", "b"])),
        ("\n        {{ map | to_nice_yaml(indent=2) | indent(8) }}", serde_json::json!({"a": 1, "b": {"c": 2}})),
        ("\"{{ '/a/b.sif' | basename | regex_replace('\\\\.(\\\\w+)$', '-\\\\1') }}\"", serde_json::json!("b-sif")),
        ("\"{% for key, value in map.items() %}{{ key }}{% endfor %}\"", serde_json::json!("ab")),
        ("\"{{ 'a b'.split(' ')[1].upper() }}\"", serde_json::json!("B")),
        (
            "\"{{ disks.5.path }} {{ disks[5].path }} {{ disks['6'].path }}\"",
            serde_json::json!("/data/5 /data/5 /data/6"),
        ),
    ];
    for (template, expected) in cases {
        assert_eq!(given(template, variables).unwrap(), expected, "{template}");
    }
}

#[test]
fn what_is_wrong_is_shown_at_its_place() {
    let cases = [
        ("\"{{ nmae }}\"", "a.yml.j2:5:18", "`nmae` is not among the variables", "did you mean `name`?"),
        (
            "\"{{ entity.mem }}\"",
            "a.yml.j2:5:18",
            "`entity` is not among the variables",
            "single braces: `{entity...}`",
        ),
        ("\"{{ name | to_uuid }}\"", "a.yml.j2:5:25", "tpvc does not have the filter `to_uuid`", "docs/settings.md"),
        ("\"{{ lookup('env', 'HOME') }}\"", "a.yml.j2:5:18", "tpvc does not read the environment", "[variables]"),
        ("\"{{ lookup('pipe', 'id') }}\"", "a.yml.j2:5:18", "tpvc does not have the lookup `pipe`", "variables"),
        (
            "\"{{ lookup('file', 'vars.yml') }}\"",
            "a.yml.j2:5:18",
            "`vars.yml` is not read",
            "below the folder of a `tpvc.toml`",
        ),
        ("\"{% block a %}{% endblock %}\"", "a.yml.j2:5:18", "templates with `block` are not available", "include"),
        ("\"{% if %}\"", "a.yml.j2:5:21", "the template is not Jinja", "braces"),
        ("\"{{ ring }}\"", "a.yml.j2", "the variable `ring` cannot be filled in: it is made of itself", "vars.yml:2:1"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{{ name }}{% endfor %}{% endfor %}",
            "a.yml.j2",
            "more than 1000000 steps",
            "loops",
        ),
    ];
    for (template, place, message, help) in cases {
        let said = given(template, "name: main\nring: \"{{ ring2 }}\"\nring2: \"{{ ring }}\"\n").unwrap_err();
        assert!(said.contains(place) && said.contains(message) && said.contains(help), "{template}: {said}");
    }
    let said = given("\"{{ one }} {{ name }} {{ two.part }}\"", "name: main\n").unwrap_err();
    assert!(
        said.contains("`one` is not") && said.contains("uses 2 names that no file of `--vars` has: `one`, `two`"),
        "{said}"
    );
    // A missing part of a part is the fault, with what has no such part.
    for (template, missing) in [
        ("\"{{ map.b.c }}\"", "map.b"),
        ("\"{{ map['b'].c.d }}\"", "map['b']"),
        ("{% if map.b.c %}x{% endif %}", "map.b"),
        ("{% for key in map.b.c %}x{% endfor %}", "map.b"),
    ] {
        let said = given(template, "map: {a: 1}\n").unwrap_err();
        let message = format!("`{missing}` is not among the variables");
        assert!(said.contains(&message) && said.contains(" a.yml.j2:5:"), "{template}: {said}");
    }
    let said = given("x", "- a\n").unwrap_err();
    assert!(said.contains("vars.yml:1:1") && said.contains("variables are a mapping, and this is a list"), "{said}");
}

/// Ansible warns of a key that a file of variables has twice, and takes the last.
#[test]
fn the_last_of_two_equal_variables_counts() {
    let rules = "tools:\n  bwa:\n    cores: {{ cores }}\n    mem: {{ map.mem }}\n";
    let vars = "cores: 1\nmap: {mem: 2, mem: 3}\ncores: 4\n";
    let site = site(&[("a.yml.j2", rules), ("vars.yml", vars), ("tpvc.toml", "vars = [\"vars.yml\"]\n")]);
    let (status, said) = run(site.path(), &["lint", "a.yml.j2"]);
    assert_eq!(status, 0, "{said}");
    for place in ["warning: the key `cores` occurs twice in this mapping\n --> vars.yml:3:1", "vars.yml:2:15"] {
        assert_eq!(said.matches(place).count(), 1, "{said}");
    }
    let (_, said) = run(site.path(), &["dump", "-q", "a.yml.j2"]);
    assert!(said.contains("cores: 4\n") && said.contains("mem: 3\n") && !said.contains("twice"), "{said}");
}

#[test]
fn blanks_are_treated_as_the_first_line_says() {
    let rules = "{% if true %}\ntools:\n{% endif %}\n  bwa:\n    cores: 2\n    mem: 4\n";
    let site = site(&[("a.yml.j2", rules), ("b.yml.j2", &format!("#jinja2: lstrip_blocks: Yes\n{rules}"))]);
    assert_eq!(run(site.path(), &["lint", "a.yml.j2"]), (0, "no findings in 1 file\n".to_owned()));
    let (status, said) = run(site.path(), &["lint", "b.yml.j2"]);
    assert!(status == 1 && said.contains("`lstrip_blocks` cannot be set"), "{said}");
    std::fs::write(site.path().join("b.yml.j2"), format!("#jinja2: trim_blocks: False\n{rules}    mme: 3\n")).unwrap();
    assert!(run(site.path(), &["lint", "b.yml.j2"]).1.contains("b.yml.j2:8:5"));
}

#[test]
fn without_variables_only_templates_by_name_are_filled_in() {
    let rules = "destinations:\n  local:\n    runner: local\n    params:\n      a: \"{{x}}\"\n";
    let site = site(&[("a.yml", rules), ("vars.json", "{\"x\": 5}"), ("tpvc.toml", "")]);
    let job = ["dry-run", "a.yml", "--tool", "x"];
    // An f-string with doubled braces.
    assert!(run(site.path(), &job).1.contains("a: '{x}'"), "{}", run(site.path(), &job).1);
    std::fs::write(site.path().join("tpvc.toml"), "vars = [\"vars.json\"]\n").unwrap();
    assert!(run(site.path(), &job).1.contains("a: '5'"), "{}", run(site.path(), &job).1);
}

#[test]
fn templates_are_not_written() {
    let rules = "tools:\n  bwa:\n    coers: {{ 2 }}\n    mem: 4\n";
    let site = site(&[("a.yml.j2", rules)]);
    assert!(run(site.path(), &["lint", "--fix", "a.yml.j2"]).1.contains("warning[T104]"));
    let (status, said) = run(site.path(), &["format", "--write", "a.yml.j2"]);
    assert!(status == 1 && said.contains("error: `a.yml.j2` is a template, which cannot be formatted"), "{said}");
    // With variables all files are templates, of which those without Jinja are formatted.
    let plain = "tools:\n  b:\n    cores: 1\n  a:\n    cores: 1\n";
    for (name, text) in [("b.yml", rules), ("c.yml", plain), ("vars.yml", "x: 1\n")] {
        std::fs::write(site.path().join(name), text).unwrap();
    }
    let settings = "files = [\"a.yml.j2\", \"b.yml\", \"c.yml\"]\nvars = [\"vars.yml\"]\n";
    std::fs::write(site.path().join("tpvc.toml"), settings).unwrap();
    let (status, said) = run(site.path(), &["format", "--write"]);
    assert!(status == 0 && said.contains("formatted 1 file"), "{said}");
    let read = |name: &str| std::fs::read_to_string(site.path().join(name)).unwrap();
    assert_eq!((read("a.yml.j2"), read("b.yml")), (rules.to_owned(), rules.to_owned()));
    assert_ne!(read("c.yml"), plain);
}

/// The text that a template gives, and the settings' environment for it.
fn rendered(path: &Path, site: Site) -> Result<String, String> {
    let mut sources = SourceMap::filling(Arc::new(Templates::new(site).map_err(|problem| problem.diagnostic.message)?));
    let id = sources.load(&path.to_string_lossy(), &Limits::default()).map_err(|error| error.to_string())?;
    Ok(sources.get(id).unwrap().text.to_string())
}

/// The value of a YAML text, as Python prints it.
fn value_of(text: &str) -> String {
    let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
    let id = sources.add("", text);
    let document = tpv_yaml::load(&sources, id, &mut problems);
    assert!(!problems.has_errors(), "{problems:?}\n{text}");
    document.map_or_else(String::new, |document| document.root.python_repr())
}

#[test]
fn templates_are_rendered_as_ansible_renders_them() {
    let folder = project().join("tests/templates/ansible");
    let site = Site { vars: vec![folder.join("vars.yml")], root: Some(folder.clone()), ..Site::default() };
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "j2") {
            continue;
        }
        count += 1;
        let expected = std::fs::read_to_string(path.with_extension("rendered")).unwrap();
        let actual = rendered(&path, site.clone()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // How YAML is laid out makes no difference to TPV.
        if path.ends_with("yaml.yml.j2") {
            assert_eq!(value_of(&actual), value_of(&expected), "{}", path.display());
        } else {
            assert_eq!(actual, expected, "{}", path.display());
        }
    }
    assert!(count >= 8, "{count}");
}

/// Renders the config files of a repository with its `tpvc.toml`, to be compared with `tests/record/record_ansible.py --folder`:
/// `TPVC_REPOSITORY=FOLDER TPVC_RENDERED=OUT cargo test --test compiler -- --ignored renders_a_repository`.
#[test]
#[ignore = "needs a repository"]
fn renders_a_repository() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let (root, out) = (PathBuf::from(variable("TPVC_REPOSITORY")), PathBuf::from(variable("TPVC_RENDERED")));
    let environment = std::env::var("TPVC_ENVIRONMENT").ok();
    let settings = Settings::of_file(&root.join("tpvc.toml"), environment.as_deref()).map_err(|_| "settings").unwrap();
    std::fs::create_dir_all(&out).unwrap();
    for file in settings.files.iter().filter(|file| file.ends_with(".j2")) {
        let path = Path::new(file);
        let text = rendered(path, settings.site.clone()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let name = format!("{}.rendered", path.file_name().unwrap().to_string_lossy());
        std::fs::write(out.join(name), text).unwrap();
    }
}
