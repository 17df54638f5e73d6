//! The GitHub Action runs as GitHub's runner runs it: the steps of `action.yml`, in a clean clone of a repository with the example site, with its
//! inputs, files and contexts. `gh` is a recorder.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::project;
use tempfile::TempDir;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::render::Render;
use tpv_text::source::SourceMap;
use tpv_yaml::value::{ConfigValue, Map};

/// The contexts of a workflow, each value by its path, such as `inputs.jobs`.
type Contexts = BTreeMap<String, String>;

/// The result of a run of the action.
struct Run {
    is_success: bool,
    /// The output of the steps, annotations included.
    log: String,
    /// The summary of the run.
    summary: String,
    /// The calls of `gh`, one a line.
    calls: String,
    temp: TempDir,
}

impl Run {
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.temp.path().join(name)).unwrap_or_default()
    }
}

fn git(folder: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A repository with the example on `main`, and a branch `topic` where `change` was made.
struct Repository {
    folder: TempDir,
    base: String,
}

impl Repository {
    fn new(change: impl Fn(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = folder.path().join("origin");
        copy(&project().join("examples/pipeline"), &origin);
        git(&origin, &["init", "--quiet", "--initial-branch=main"]);
        // As GitHub does.
        git(&origin, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        git(&origin, &["add", "--all"]);
        git(&origin, &["commit", "--quiet", "--message=rules"]);
        let base = git(&origin, &["rev-parse", "HEAD"]);
        git(&origin, &["switch", "--quiet", "--create", "topic"]);
        change(&origin);
        git(&origin, &["commit", "--quiet", "--all", "--allow-empty", "--message=change"]);
        Self { folder, base }
    }

    /// Runs the action for a pull request of the branch, with inputs besides the defaults. `comments` are those that `gh` finds its own.
    fn run(&self, inputs: &[(&str, &str)], comments: &str) -> Run {
        let install = |bin: &Path| std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tpvc"), bin.join("tpvc")).unwrap();
        self.run_with(install, inputs, comments)
    }

    /// The same on a machine with the programs that `install` puts into a folder.
    fn run_with(&self, install: impl Fn(&Path), inputs: &[(&str, &str)], comments: &str) -> Run {
        let clone = tempfile::tempdir_in(self.folder.path()).unwrap().keep();
        let origin = format!("file://{}", self.folder.path().join("origin").display());
        git(self.folder.path(), &["clone", "--quiet", "--depth=1", "--branch=topic", &origin, clone.to_str().unwrap()]);
        let mut contexts: Contexts = [
            ("github.token", "secret"),
            ("github.action_path", "/the/action"),
            ("github.server_url", "https://github.com"),
            ("github.event_name", "pull_request"),
            ("github.event.pull_request.base.sha", &self.base),
            ("github.event.pull_request.number", "7"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let temp = tempfile::tempdir().unwrap();
        let bin = temp.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        install(&bin);
        let gh = bin.join("gh");
        std::fs::write(
            &gh,
            format!(
                "#!/bin/sh\necho \"$GH_TOKEN gh $*\" >> {0}/calls\ncase \"$*\" in *--paginate*) printf '{comments}' ;; esac\n",
                temp.path().display()
            ),
        )
        .unwrap();
        std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
        let action = Action::read();
        for (name, default) in action.inputs() {
            let given = inputs.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
            let value = given.unwrap_or_else(|| filled(&default, &contexts));
            contexts.insert(format!("inputs.{name}"), value);
        }
        for (name, _) in inputs {
            assert!(contexts.contains_key(&format!("inputs.{name}")), "there is no input `{name}`");
        }
        let (is_success, log) = action.run(&clone, temp.path(), &bin, &mut contexts);
        let mut run = Run { is_success, log, summary: String::new(), calls: String::new(), temp };
        (run.summary, run.calls) = (run.read("summary"), run.read("calls"));
        run
    }
}

/// `action.yml`.
struct Action {
    root: ConfigValue,
}

fn map(value: &ConfigValue) -> &Map {
    value.as_map().unwrap()
}

fn text(map: &Map, key: &str) -> String {
    map.get(key).map_or_else(String::new, ConfigValue::python_str)
}

impl Action {
    fn read() -> Self {
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let id = sources.add("action.yml", &std::fs::read_to_string(project().join("action.yml")).unwrap());
        let document = tpv_yaml::load(&sources, id, &mut problems);
        assert!(problems.is_empty(), "{}", problems.render(&sources, false));
        Self { root: document.unwrap().root }
    }

    /// The inputs with their defaults.
    fn inputs(&self) -> Vec<(String, String)> {
        let inputs = map(map(&self.root).get("inputs").unwrap());
        let input = |entry: &tpv_yaml::value::Entry| (entry.key.python_str(), text(map(&entry.value), "default"));
        inputs.entries.iter().map(input).collect()
    }

    /// Runs the steps one after the other: whether all succeeded, and what they printed.
    fn run(&self, folder: &Path, temp: &Path, bin: &Path, contexts: &mut Contexts) -> (bool, String) {
        let runs = map(map(&self.root).get("runs").unwrap());
        assert_eq!(text(runs, "using"), "composite");
        let tpv_yaml::value::ValueKind::List(steps) = &runs.get("steps").unwrap().kind else { panic!("no steps") };
        let mut log = String::new();
        let mut path = vec![bin.to_owned()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
        for step in steps.iter().map(map) {
            if !holds(&text(step, "if"), contexts) {
                continue;
            }
            assert_eq!(text(step, "shell"), "bash");
            let script = temp.join("step.sh");
            std::fs::write(&script, filled(&text(step, "run"), contexts)).unwrap();
            let outputs = temp.join("outputs");
            std::fs::write(&outputs, "").unwrap();
            std::fs::write(temp.join("path"), "").unwrap();
            let mut command = Command::new("bash");
            command
                .args(["--noprofile", "--norc", "-eo", "pipefail"])
                .arg(&script)
                .current_dir(folder.join(filled(&text(step, "working-directory"), contexts)))
                .env("PATH", std::env::join_paths(&path).unwrap())
                .env("RUNNER_TEMP", temp)
                .env("GITHUB_OUTPUT", &outputs)
                .env("GITHUB_PATH", temp.join("path"))
                .env("GITHUB_STEP_SUMMARY", temp.join("summary"))
                .env("GITHUB_REPOSITORY", "galaxy/rules")
                .env("NO_COLOR", "1")
                .stdin(Stdio::null());
            for entry in step.get("env").map(map).into_iter().flat_map(|env| &env.entries) {
                command.env(entry.key.python_str(), filled(&entry.value.python_str(), contexts));
            }
            let output = command.output().unwrap();
            log += &String::from_utf8(output.stdout).unwrap();
            log += &String::from_utf8(output.stderr).unwrap();
            let id = text(step, "id");
            for line in std::fs::read_to_string(&outputs).unwrap().lines() {
                let (name, value) = line.split_once('=').unwrap();
                contexts.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
            let added = std::fs::read_to_string(temp.join("path")).unwrap();
            path.splice(0..0, added.lines().map(PathBuf::from));
            if !output.status.success() {
                return (false, log);
            }
        }
        (true, log)
    }
}

/// A text with its `${{ ... }}`.
fn filled(text: &str, contexts: &Contexts) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${{") {
        let (expression, after) = after.split_once("}}").unwrap();
        out += before;
        out += &value(expression.trim(), contexts);
        rest = after;
    }
    out + rest
}

/// The value of a context's path or of a quoted text; a value that no step gave is empty.
fn value(expression: &str, contexts: &Contexts) -> String {
    if let Some(text) = expression.strip_prefix('\'') {
        return text.strip_suffix('\'').unwrap().to_owned();
    }
    let is_known = contexts.contains_key(expression) || expression.starts_with("steps.");
    assert!(is_known, "the expression `{expression}` is none that this runner knows");
    contexts.get(expression).cloned().unwrap_or_default()
}

/// Returns `true` if the condition of a step holds.
fn holds(condition: &str, contexts: &Contexts) -> bool {
    condition.is_empty()
        || condition.split(" && ").all(|part| match (part.split_once(" == "), part.split_once(" != ")) {
            (Some((a, b)), _) => value(a, contexts) == value(b, contexts),
            (_, Some((a, b))) => value(a, contexts) != value(b, contexts),
            _ => panic!("the condition `{part}` is none that this runner knows"),
        })
}

fn replace(folder: &Path, file: &str, old: &str, new: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{text}");
    std::fs::write(path, text.replace(old, new)).unwrap();
}

#[test]
fn a_good_change_is_told_on_the_pull_request() {
    let repository = Repository::new(|site| replace(site, "rules/1-tools.yml", "cores: 2", "cores: 4"));
    let run = repository.run(&[("jobs", "jobs.jsonl")], "");
    assert!(run.is_success, "{}", run.log);
    assert!(
        run.log.contains("4 passed, of 4 tests") && run.read("tpvc-test.xml").contains("<testsuites"),
        "{}",
        run.log
    );
    let diff = run.read("tpvc-diff.md");
    assert!(diff.starts_with("<!-- tpvc diff -->") && diff.contains("fastqc"), "{diff}");
    assert!(run.summary.contains("4 passed") && run.summary.contains(&diff), "{}", run.summary);
    let calls: Vec<&str> = run.calls.lines().collect();
    assert!(calls[0].starts_with("secret gh api repos/galaxy/rules/issues/7/comments --paginate"), "{}", run.calls);
    let post = "secret gh api --method POST repos/galaxy/rules/issues/7/comments -F body=@";
    assert!(calls.len() == 2 && calls[1].starts_with(post) && calls[1].contains("tpvc-diff.md"), "{}", run.calls);
}

#[test]
fn an_earlier_comment_is_replaced() {
    let repository = Repository::new(|_| ());
    let run = repository.run(&[], "41\\n42\\n");
    assert!(run.is_success, "{}", run.log);
    let last = run.calls.lines().last().unwrap();
    assert!(last.contains("--method PATCH repos/galaxy/rules/issues/comments/42 -F body=@"), "{}", run.calls);
}

#[test]
fn what_is_bad_is_annotated_and_fails_after_all_has_run() {
    let repository = Repository::new(|site| {
        replace(site, "rules/1-tools.yml", "require: [highmem]", "require: [himem]");
        replace(site, "rules/1-tools.yml", "cores: 2", "coers: 2");
    });
    let run = repository.run(&[("comment", "false")], "");
    assert!(!run.is_success);
    assert!(run.log.contains("::warning file=rules/1-tools.yml") && run.log.contains("title=T104"), "{}", run.log);
    assert!(run.log.contains("::error file=rules/1-tools.yml") && run.log.contains("title=T114"), "{}", run.log);
    assert!(
        run.log.contains("big alignments go to big") && run.log.contains("::error title=tpvc::failed: lint"),
        "{}",
        run.log
    );
    assert!(run.summary.contains("<!-- tpvc diff -->") && run.calls.is_empty(), "{}{}", run.summary, run.calls);
}

#[test]
fn annotations_in_a_folder_have_the_path_from_the_top() {
    let repository = Repository::new(|site| {
        replace(site, "rules/1-tools.yml", "require: [highmem]", "require: [himem]");
        std::fs::create_dir(site.join("tpv & co")).unwrap();
        git(site, &["mv", "rules", "tests", "tpvc.toml", "world.json", "jobs.jsonl", "tpv & co"]);
    });
    let run = repository.run(&[("working-directory", "tpv & co"), ("diff", "false")], "");
    assert!(!run.is_success);
    assert!(run.log.contains("::error file=tpv & co/rules/1-tools.yml,line="), "{}", run.log);
}

/// A program that records its arguments and then runs a line of shell.
fn recorder(bin: &Path, name: &str, then: &str) {
    let log = bin.join(format!("{name}.log"));
    std::fs::write(bin.join(name), format!("#!/bin/sh\necho \"$*\" >> '{}'\n{then}\n", log.display())).unwrap();
    std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_tests_are_no_failure() {
    let repository = Repository::new(|site| {
        let settings = std::fs::read_to_string(site.join("tpvc.toml")).unwrap();
        let without: String =
            settings.lines().filter(|line| !line.contains("tests/")).map(|line| format!("{line}\n")).collect();
        assert_ne!(settings, without);
        std::fs::write(site.join("tpvc.toml"), without).unwrap();
    });
    let run = repository.run(&[], "");
    assert!(run.is_success, "{}", run.log);
    assert!(run.log.contains("no tests: `tpvc.toml` names no test files"), "{}", run.log);
    assert!(run.summary.contains("no tests:") && run.read("tpvc-test.xml").contains("<testsuites"), "{}", run.summary);
}

/// Without an installed program the action's own commit is built; no package is installed by its name.
#[test]
fn the_program_is_built_or_named_by_the_workflow() {
    let steps = [("lint", "false"), ("check", "false"), ("test", "false"), ("diff", "false")];
    let program = env!("CARGO_BIN_EXE_tpvc");
    let builds = format!("mkdir -p \"$5/bin\" && ln -s {program} \"$5/bin/tpvc\"");
    let repository = Repository::new(|_| ());
    let run = repository.run_with(|bin| recorder(bin, "cargo", &builds), &steps, "");
    assert!(run.is_success && run.log.starts_with("tpvc "), "{}", run.log);
    let built = run.read("bin/cargo.log");
    assert!(
        built.starts_with("install --quiet --locked --root ") && built.trim().ends_with(" --path /the/action"),
        "{built}"
    );
    // A program, by its path and by a URL.
    let from = |from, sha256| [&steps[..], &[("from", from), ("sha256", sha256)]].concat();
    let run = repository.run_with(|_| (), &from(program, ""), "");
    assert!(run.is_success && run.log.starts_with("tpvc "), "{}", run.log);
    let fetches = format!("cp {program} \"$6\"");
    let url = "https://example.org/tpvc-x86_64?x=1";
    let run = repository.run_with(|bin| recorder(bin, "curl", &fetches), &from(url, ""), "");
    assert!(run.is_success && run.read("bin/curl.log").contains(url), "{}", run.log);
    let run = repository.run_with(|bin| recorder(bin, "curl", &fetches), &from(url, "00"), "");
    assert!(!run.is_success && run.log.contains("has another checksum"), "{}", run.log);
    let run = repository.run_with(|_| (), &from("/not/there", ""), "");
    assert!(!run.is_success && run.log.contains("::error title=tpvc::/not/there"), "{}", run.log);
    let text = std::fs::read_to_string(project().join("action.yml")).unwrap();
    for line in text.lines().filter(|line| line.contains("pip\" install") || line.contains("pip install")) {
        assert!(line.contains("--no-index --no-deps"), "{line}");
    }
}

#[test]
fn steps_can_be_left_out() {
    let repository = Repository::new(|_| ());
    let inputs = [("lint", "false"), ("check", "false"), ("test", "false"), ("diff", "false")];
    let run = repository.run(&inputs, "");
    assert!(run.is_success && run.log.lines().count() == 1 && run.calls.is_empty(), "{}", run.log);
}

#[test]
fn the_token_is_where_no_rule_is_read() {
    let text = std::fs::read_to_string(project().join("action.yml")).unwrap();
    for step in text.split("    - name: ").skip(1) {
        let has_token = step.contains("github-token");
        assert!(!has_token || !step.contains("$TPVC"), "{step}");
    }
    assert!(
        !text.contains("GITHUB_PATH") && !text.contains("GITHUB_ENV"),
        "later steps run what this action put there"
    );
}

#[test]
fn workflows_name_actions_by_commit_and_have_few_rights() {
    let workflows = std::fs::read_dir(project().join(".github/workflows")).unwrap().map(|entry| entry.unwrap().path());
    let others = ["action.yml", "docs/ci.md"].map(|name| project().join(name));
    for path in workflows.chain(others) {
        let (text, name) = (std::fs::read_to_string(&path).unwrap(), path.display());
        let uses = text.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("uses: "));
        for action in uses.clone().filter(|action| !action.starts_with("tpvc/tpvc@")) {
            let (_, version) = action.split_once('@').unwrap();
            let (commit, comment) = version.split_once(" # ").unwrap_or((version, ""));
            let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit && !comment.is_empty(), "{name}: `{action}` is not a commit with its version");
        }
        let checkouts = uses.filter(|action| action.starts_with("actions/checkout@")).count();
        assert_eq!(checkouts, text.matches("persist-credentials: false").count(), "{name}: credentials are kept");
        let is_workflow = text.contains("runs-on:");
        assert!(!is_workflow || text.contains("\npermissions:\n  contents: read\n"), "{name}: rights are not bounded");
    }
}
