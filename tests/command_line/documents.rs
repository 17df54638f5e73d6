//! The documents say what the code does: their commands are run, their messages and tables are compared with tpvc's own.
//!
//! - A block ```` ```console ```` holds commands, each after `$ `, with what they print. They run one after the other in a folder that has the
//!   document's last ```` ```yaml ```` block before them as `config.yml`, and its last ```` ```json ```` block as `jobs.jsonl`. A block of YAML
//!   that begins with `# NAME.yml` is that file instead, a block of TOML is `tpvc.toml`.
//! - Every other command `tpvc ...` in a document, or among the examples of a verb's help, is a command line that tpvc takes.
//! - What stands between `<!-- name -->` and `<!-- /name -->` is a table of the code.
//!
//! With `UPDATE_EXPECT=1` in the environment the documents are rewritten; review the change before committing it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::support::{expect_file, project, site, small_program};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use tpv_analysis::cases::keys::{ATTEMPT, EXPECT, FILE, JOB, Kind, PROPERTY, TEST, WHEN};
use tpv_galaxy::shape::Object;
use tpv_model::{Change, Version};
use tpv_python::builtins::BUILTINS;
use tpv_python::module::ModuleDef;
use tpv_runtime::artifact::format::{FORMAT_VERSION, SECTIONS};
use tpv_runtime::mapper::modules;
use tpvc::cli::Cli;

/// Held by the test that rewrites documents, since another may rewrite other parts of the same.
static REWRITING: Mutex<()> = Mutex::new(());

/// All documents: those at the top, those of a folder `docs`, and those beside benches.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/lint", "examples", "runtime", "benches/against_tpv"] {
        let entries = std::fs::read_dir(project().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        found.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    found.sort();
    assert!(found.len() > 25);
    found
}

/// The files that a document shows, by name.
type Files = BTreeMap<String, String>;

/// The output of a command as a terminal shows it.
fn printed(command: &str, folder: &Path) -> String {
    let args = command.strip_prefix("tpvc ").expect(command).split(' ');
    let mut tpvc = Command::new(env!("CARGO_BIN_EXE_tpvc"));
    tpvc.args(args).current_dir(folder).stdin(Stdio::null()).env("NO_COLOR", "1");
    let program = small_program(folder);
    tpvc.env("TPVC_MAPS_DIR", folder.join("maps")).env("TPVC_MAPS_PROGRAM", program).env_remove("TPVC_MAPS_ENGINE");
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = tpvc.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    // It holds the ends that are written to.
    drop(tpvc);
    let printed = std::io::read_to_string(&mut reader).unwrap();
    child.wait().unwrap();
    printed
}

/// The document with what its commands really print.
fn run(document: &str) -> String {
    let (mut out, mut files, mut block) = (String::new(), Files::new(), "");
    let mut file = None;
    let mut folder = site(&[]);
    for line in document.lines() {
        let fence = line.strip_prefix("```");
        if let Some(name) = fence {
            block = if block.is_empty() { if name.is_empty() { "text" } else { name } } else { "" };
            if block == "console" {
                folder = site(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
            }
            file = match block {
                "yaml" => Some("config.yml"),
                "json" => Some("jobs.jsonl"),
                "toml" => Some("tpvc.toml"),
                _ => None,
            }
            .map(|name| (name.to_owned(), true));
        } else if let Some((name, is_first)) = &mut file {
            if std::mem::take(is_first) {
                if let Some(other) = line.strip_prefix("# ").filter(|other| other.ends_with(".yml")) {
                    *name = other.to_owned();
                }
                files.insert(name.clone(), String::new());
            }
            let text = files.get_mut(name).unwrap();
            text.push_str(line);
            text.push('\n');
        }
        let command = line.strip_prefix("$ ").filter(|_| block == "console");
        if block != "console" || fence.is_some() || command.is_some() {
            out += line;
            out.push('\n');
        }
        if let Some(command) = command {
            out += &printed(command, folder.path());
        }
    }
    out
}

#[test]
fn commands_print_what_is_shown() {
    let _rewriting = REWRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut shown = 0;
    for path in documents() {
        let document = std::fs::read_to_string(&path).unwrap();
        shown += document.matches("```console\n").count();
        expect_file(&path, &run(&document));
    }
    assert!(shown > 20);
}

/// Messages stand in blocks that are run, and nowhere else.
#[test]
fn every_message_is_run() {
    for path in documents() {
        let mut block = "";
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            if let Some(name) = line.strip_prefix("```") {
                block = if block.is_empty() { if name.is_empty() { "text" } else { name } } else { "" };
            }
            let message = ["error", "warning", "-->"].iter().any(|start| {
                line.trim_start()
                    .strip_prefix(start)
                    .is_some_and(|rest| rest.starts_with([':', '[']) || *start == "-->")
            });
            let of_commands = block == "console" || block == "rust";
            assert!(!message || of_commands, "{}: put this into a block of `console`: {line}", path.display());
        }
    }
}

/// The commands in a text: lines that start with `tpvc`, and pieces of code in a line.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let mut found = Vec::new();
    let mut block = false;
    for line in joined.lines() {
        block ^= line.starts_with("```");
        let code = block || line.starts_with("  ");
        let line = line.trim_start().trim_start_matches("$ ");
        let line = line.strip_prefix("cargo run -- ").map_or(line.to_owned(), |rest| format!("tpvc {rest}"));
        if code && line.starts_with("tpvc ") {
            let line = line.split("  #").next().unwrap();
            let parts = line.split(" && ").filter(|part| part.starts_with("tpvc "));
            found.extend(parts.map(|part| part.split(['>', '|']).next().unwrap().trim().to_owned()));
        } else {
            let code = line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("tpvc "));
            found.extend(code.map(str::to_owned));
        }
    }
    found
}

/// The words of a command line; quotes hold together what a space would part.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for letter in command.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    // `N` stands for a number.
    words.iter_mut().filter(|word| *word == "N").for_each(|word| *word = "1".to_owned());
    words
}

#[test]
fn every_command_line_is_one_that_tpvc_takes() {
    let mut texts: Vec<(String, String)> =
        documents().iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect();
    let cli = Cli::command();
    for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(examples.contains("tpvc "), "`{}` has no example", command.get_name());
        texts.push((format!("the help of {}", command.get_name()), examples));
        for verb in command.get_subcommands() {
            let examples = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            texts.push((format!("the help of {} {}", command.get_name(), verb.get_name()), examples));
        }
    }
    let mut seen = 0;
    for (name, text) in &texts {
        for command in commands(text) {
            seen += 1;
            // A verb may be named without what it needs.
            let named = [
                ErrorKind::MissingRequiredArgument,
                ErrorKind::DisplayHelp,
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                ErrorKind::DisplayVersion,
            ];
            if let Err(error) = Cli::try_parse_from(words(&command)) {
                assert!(named.contains(&error.kind()), "{name}: `{command}`: {error}");
            }
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn the_readme_lists_every_verb() {
    let readme = std::fs::read_to_string(project().join("README.md")).unwrap();
    let (_, after) = readme.split_once("## All commands").unwrap();
    let listed = after.split("```").nth(1).unwrap();
    let cli = Cli::command();
    let verbs = cli.get_subcommands().map(clap::Command::get_name);
    let missing: Vec<&str> = verbs.filter(|verb| !listed.contains(&format!("\ntpvc {verb} "))).collect();
    assert!(missing.is_empty(), "add a line to \"All commands\" of README.md for each: {missing:?}");
}

/// Replaces what stands between `<!-- name -->` and `<!-- /name -->`.
fn fill(document: &str, name: &str, content: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = document.find(&open).unwrap_or_else(|| panic!("{open} is missing")) + open.len();
    let end = document[start..].find(&close).unwrap_or_else(|| panic!("{close} is missing")) + start;
    format!("{}{content}{}", &document[..start], &document[end..])
}

/// Compares parts of a document with what they must be.
pub(crate) fn expect_parts(path: &Path, parts: &[(&str, String)]) {
    let _rewriting = REWRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut document = std::fs::read_to_string(path).unwrap();
    for (name, content) in parts {
        document = fill(&document, name, content);
    }
    expect_file(path, &document);
}

/// The doc tests of `tpv-runtime` load it: that crate has no compiler.
#[test]
fn the_artifact_of_the_doc_tests_is_what_compiling_gives() {
    let compiled =
        tpv_compiler::compile(&["examples/site/tpv.yml".to_owned()], &tpv_compiler::CompileOptions::default());
    let bytes = compiled.rules.unwrap().to_bytes().unwrap();
    let path = project().join("runtime/tests/rules.bin");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &bytes).unwrap();
    }
    assert!(std::fs::read(&path).unwrap() == bytes, "{} differs (UPDATE_EXPECT=1 accepts it)", path.display());
}

#[test]
fn the_format_of_artifacts_is_documented() {
    let mut sections = String::from("| section | what it holds |\n| --- | --- |\n");
    for (name, about) in SECTIONS {
        writeln!(sections, "| `{name}` | {about} |").unwrap();
    }
    let parts = [("sections", sections), ("version", format!("{FORMAT_VERSION}\n"))];
    expect_parts(&project().join("docs/artifact.md"), &parts);
}

/// The tables of docs/test.md are the lists that the reader of test files reads by.
#[test]
fn the_keys_of_test_files_are_documented() {
    let table = |object: &Object| {
        let mut out = String::from("| key | takes | meaning |\n| --- | --- | --- |\n");
        // An attempt has what can be expected, too.
        let is_own = |name| !std::ptr::eq(object, &ATTEMPT) || EXPECT.field(name).is_none();
        for key in object.fields().filter(|key| is_own(key.name)) {
            let takes: Vec<&str> = Kind::all_of(&key.shape).into_iter().map(Kind::noun).collect();
            writeln!(out, "| `{}` | {} | {} |", key.name, takes.join(", "), key.doc).unwrap();
        }
        out
    };
    let cases = [("file", &FILE), ("test", &TEST), ("job", &JOB), ("expect", &EXPECT), ("attempt", &ATTEMPT)];
    expect_parts(&project().join("docs/test.md"), &cases.map(|(name, keys)| (name, table(keys))));
    let properties = [("property", &PROPERTY), ("when", &WHEN)];
    expect_parts(&project().join("docs/properties.md"), &properties.map(|(name, keys)| (name, table(keys))));
}

/// The jobs of `fixtures/tpv-upgrades` that show each change of TPV, or those of [`fixture_of`] a change; those of `next` have no TPV
/// to record them.
const SHOWN: [(Change, &str); 24] = [
    (Change::CombineFirst, "lower"),
    (Change::ParentsAcrossFiles, "again"),
    (Change::OwnAbstract, "abstract_child"),
    (Change::OwnHandlerTags, "handled"),
    (Change::Models, "without_import"),
    (Change::JobsById, "count"),
    (Change::NoVersion, "no_version"),
    (Change::ClampByBounds, "negative"),
    (Change::Wrappers, "wrapper"),
    (Change::FractionalGpus, "fraction"),
    (Change::ParentsFirst, "again"),
    (Change::NoqaOnly, "comment"),
    (Change::ResourceHelpers, "resource_helper"),
    (Change::TagNumbers, "scored"),
    (Change::ToolTypeTags, "user_tool"),
    (Change::ResourcesOnce, "random_cores"),
    (Change::UnweightedSample, "sampled"),
    (Change::ResubmitMappings, "resubmits_by_mapping"),
    (Change::DumpedNames, "dumped"),
    (Change::Pools, "reads_budget"),
    (Change::ResubmitEnvironment, "resubmits"),
    (Change::RamInGib, "wrapper"),
    (Change::ClampedWeights, "weighted"),
    (Change::InputHelpers, "input_helper"),
];

/// The fixture that shows a change.
fn fixture_of(change: Change) -> &'static str {
    match change {
        Change::ResubmitEnvironment => "tpv-versions",
        Change::FractionalGpus => "gpus-fraction",
        Change::ResubmitMappings => "resubmit-mappings",
        _ => "tpv-upgrades",
    }
}

/// The answers of a fixture to a job, by version, or that it does not load; `None` where there is no record of the version or no such
/// job.
fn recorded(fixture: &str, version: Version, job: &str) -> Option<serde_json::Value> {
    let name =
        if version == Version::default() { "expected.jsonl".to_owned() } else { format!("expected-{version}.jsonl") };
    let text = std::fs::read_to_string(project().join("fixtures").join(fixture).join(name)).ok()?;
    let answers = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    answers.into_iter().find(|answer| answer["id"] == job || answer.get("does_not_load").is_some())
}

/// docs/versions.md has a table for each version, and what shows a change has other answers since.
#[test]
fn the_changes_of_tpv_are_documented() {
    let mut out = String::new();
    for version in Version::ALL.into_iter().skip(1) {
        writeln!(out, "\n### TPV {version}\n").unwrap();
        writeln!(out, "| what | before | since | to keep the old answer | tool |\n| --- | --- | --- | --- | --- |")
            .unwrap();
        for change in Change::all().filter(|change| change.since() == version) {
            let shown = SHOWN.iter().find(|(shown, _)| *shown == change).map(|(_, job)| *job);
            if let Some(job) = shown {
                let fixture = fixture_of(change);
                let before = Version::ALL[usize::from(version.number()) - 1];
                let [old, new] = [before, version].map(|version| recorded(fixture, version, job));
                assert!(old.is_some() && new.is_some() && old != new, "{change:?}: {job}");
            }
            let tool = shown.map(|job| format!("`{job}`")).unwrap_or_default();
            let (about, keep) = (change.about(), change.keep().unwrap_or_default());
            writeln!(out, "| {about} | {} | {} | {keep} | {tool} |", change.before(), change.after()).unwrap();
        }
    }
    out.push('\n');
    expect_parts(&project().join("docs/versions.md"), &[("changes", out)]);
}

/// The public names, sorted, as code.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.filter(|name| !name.starts_with(['_', '.'])).collect();
    names.sort_unstable();
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The modules that exist natively, but for those that only say that they are outside.
fn native_modules() -> impl Iterator<Item = &'static ModuleDef> {
    let is_outside = |name| tpv_galaxy::modules::outside::MODULES.iter().any(|outside| outside.module.name == name);
    modules().iter().copied().filter(move |module| !is_outside(module.name))
}

#[test]
fn builtins_and_modules_are_all_named() {
    let all = native_modules().filter(|module| !module.names.is_empty());
    let mut rows: Vec<_> = all.map(|module| (module.name, listed(module.names.iter().copied()))).collect();
    rows.sort_unstable();
    let rows: String = rows.iter().map(|(module, names)| format!("| `{module}` | {names} |\n")).collect();
    let outside = listed(tpv_galaxy::modules::outside::MODULES.iter().map(|outside| outside.module.name));
    let builtins = listed(BUILTINS.iter().map(|one| one.name));
    let parts = [
        ("builtins", format!("\nBeside the classes of the values: {builtins}.\n\n")),
        ("modules", format!("\n| module | what is there |\n| --- | --- |\n{rows}\n")),
        ("outside", format!("\n{outside}.\n\n")),
    ];
    expect_parts(&project().join("docs/python.md"), &parts);
}

/// The page of T130 is what someone sees who has only the installed program.
#[test]
fn the_page_of_limits_names_the_modules() {
    let _rewriting = REWRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = project().join("docs/lint/T130.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = "There are these modules: ";
    let names = listed(native_modules().map(|module| module.name));
    assert_eq!(page.matches(start).count(), 1);
    let lines = page
        .lines()
        .map(|line| if line.starts_with(start) { format!("{start}{names}.\n") } else { format!("{line}\n") });
    expect_file(&path, &lines.collect::<String>());
}

/// Phrases that read as translated, and were in help texts once.
#[test]
fn help_texts_are_plain() {
    const NOT: [&str; 12] = [
        "Tell ",
        "Let time",
        "what came",
        " is told",
        "come to",
        "mend ",
        "Say nothing",
        "all of it as",
        "that is there",
        "only where",
        "goes on",
        "shall have",
    ];
    fn texts(command: &clap::Command, all: &mut Vec<(String, String)>) {
        all.push((command.get_name().to_owned(), command.clone().render_long_help().to_string()));
        command.get_subcommands().for_each(|verb| texts(verb, all));
    }
    let mut all = Vec::new();
    texts(&Cli::command(), &mut all);
    for (verb, text) in &all {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in NOT {
            assert!(!text.contains(words), "`{words}` in the help of {verb}");
        }
    }
    assert!(all.len() > 40, "{}", all.len());
}
