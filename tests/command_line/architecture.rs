//! ARCHITECTURE.md lists the crates, their folders and what they depend on as Cargo knows them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::project;

/// Packages with the folders that none of their users may be below, and those that may not use them.
const WALLS: [(&str, &[&str]); 8] = [
    ("annotate-snippets", &["runtime", "src/compiler", "src/config"]),
    (
        "clap",
        &[
            "runtime",
            "src/compiler",
            "src/config",
            "src/analysis",
            "src/bench",
            "src/fit",
            "src/maps",
            "src/init",
            "src/settings",
            "src/simulate",
            "src/text",
            "src/yaml",
        ],
    ),
    (
        "indicatif",
        &[
            "runtime",
            "src/compiler",
            "src/config",
            "src/analysis",
            "src/bench",
            "src/fit",
            "src/maps",
            "src/init",
            "src/settings",
            "src/simulate",
            "src/text",
            "src/yaml",
        ],
    ),
    ("minijinja", &["runtime", "src/compiler", "src/text", "src/yaml"]),
    ("rustpython-parser", &["runtime", "src/analysis", "src/config", "src/text", "src/yaml"]),
    ("tempfile", &["runtime", "src/compiler", "src/config", "src/fit", "src/simulate", "src/yaml"]),
    ("ureq", &["runtime", "src/analysis", "src/compiler", "src/config", "src/fit", "src/maps", "src/simulate"]),
    ("zstd", &["runtime", "src/compiler", "src/config"]),
];

/// A crate of the workspace.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    /// The folder, relative to the project's.
    folder: String,
    /// The names of the crates of the workspace that it depends on, sorted.
    depends_on: Vec<String>,
}

/// The packages of the workspace as `cargo metadata` describes them.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The names of the packages that one needs when it is built, sorted.
fn dependencies(package: &Value) -> Vec<String> {
    let all = package["dependencies"].as_array().unwrap().iter();
    let built = all.filter(|dependency| dependency["kind"].is_null());
    let mut names: Vec<String> = built.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// The folder of a package, relative to the project's.
fn folder(package: &Value) -> String {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let folder = manifest.parent().unwrap().strip_prefix(project()).unwrap().display().to_string();
    // The sources of the package at the top are in `src`.
    if folder.is_empty() { "src".to_owned() } else { folder }
}

/// The crates by Cargo's word.
fn by_cargo(packages: &[Value]) -> Vec<Crate> {
    let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut crates: Vec<Crate> = packages
        .iter()
        .zip(&names)
        .map(|(package, name)| {
            let mut depends_on = dependencies(package);
            depends_on.retain(|dependency| names.contains(&dependency.as_str()));
            Crate { name: (*name).to_owned(), folder: folder(package), depends_on }
        })
        .collect();
    crates.sort();
    crates
}

/// The names in backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The crates by ARCHITECTURE.md's table.
fn by_document() -> Vec<Crate> {
    let document = std::fs::read_to_string(project().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = document.split_once("\n## Crates\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut crates: Vec<Crate> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split(" | ").collect();
            let mut depends_on: Vec<String> = quoted(cells[2]).map(str::to_owned).collect();
            depends_on.sort();
            Crate {
                name: quoted(cells[0]).next().unwrap().to_owned(),
                folder: quoted(cells[1]).next().unwrap().trim_end_matches('/').to_owned(),
                depends_on,
            }
        })
        .collect();
    crates.sort();
    crates
}

/// The packages that cargo builds for a command, each with its features.
fn built(args: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} {f}"])
        .args(args)
        .current_dir(project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).filter(|line| !line.is_empty()).collect()
}

/// With other features `cargo test` would build again most of what `cargo run` has built.
#[test]
fn tests_use_what_the_program_was_built_with() {
    let (program, tests) = (built(&["--edges", "normal,build"]), built(&["--workspace"]));
    let other: Vec<_> = program.difference(&tests).collect();
    assert!(
        other.is_empty(),
        "`cargo test` builds these with more features: name the features for the program, too: {other:#?}"
    );
}

#[test]
fn the_crates_are_those_of_the_document() {
    assert_eq!(by_document(), by_cargo(&packages()));
}

#[test]
fn no_crate_uses_what_is_above_it() {
    for package in packages() {
        let folder = folder(&package);
        for dependency in dependencies(&package) {
            let walls = WALLS.iter().find(|(name, _)| *name == dependency).map_or(&[][..], |(_, walls)| walls);
            assert!(!walls.iter().any(|wall| folder.starts_with(wall)), "{folder} depends on {dependency}");
        }
    }
}

/// Optional packages are features, which nobody who only compiles has to take.
#[test]
fn compiling_needs_no_http_client() {
    let packages = packages();
    let needs = |package: &str, name: &str| -> Value {
        let package = packages.iter().find(|one| one["name"] == package).unwrap();
        package["dependencies"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
    };
    assert_eq!(needs("tpv-text", "ureq")["optional"], true);
    assert_eq!(needs("tpv-compiler", "tpv-text")["uses_default_features"], false);
}

/// The files below a folder, without those of other crates.
fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            if !entry.join("Cargo.toml").exists() {
                sources(&entry, all);
            }
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            all.push(entry);
        }
    }
}

/// Returns `true` for a file of tests, or one in a folder of tests.
fn is_test(file: &Path) -> bool {
    file.with_extension("").iter().any(|name| name == "tests" || name.to_string_lossy().ends_with("_tests"))
}

/// The most lines of a crate, and those that are larger: the Python machine, and what is said about rules.
const MOST_LINES: usize = 15_000;
const LARGER: [&str; 2] = ["tpv-analysis", "tpv-python"];

#[test]
fn crates_are_of_a_size_that_one_person_knows() {
    for package in packages() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let mut files = Vec::new();
        let folder = manifest.parent().unwrap().join("src");
        sources(&folder, &mut files);
        files.retain(|file| !is_test(file.strip_prefix(&folder).unwrap()));
        let lines: usize = files.iter().map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum();
        assert!(lines > 400, "{manifest:?}: {lines} lines");
        let is_larger = LARGER.contains(&package["name"].as_str().unwrap());
        assert!(lines <= MOST_LINES || is_larger, "{manifest:?}: {lines} lines, and {MOST_LINES} are allowed");
    }
}

/// Rooms of `tpv-analysis`: findings by reading rules stand below proofs, which stand below what shows both.
#[test]
fn lint_asks_nothing_of_check() {
    let mut files = Vec::new();
    sources(&project().join("src/analysis/src/lint"), &mut files);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(!text.contains("crate::check"), "{} uses `check`", file.display());
    }
    assert!(files.len() > 40, "{} files", files.len());
}
