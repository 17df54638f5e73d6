//! ARCHITECTURE.md lists the crates, their folders and what they depend on as Cargo knows them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::project;

/// Packages that only the command line and the compiler may use.
const ABOVE_THE_RUNTIME: [&str; 4] = ["annotate-snippets", "clap", "indicatif", "rustpython-parser"];

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

/// The crates by Cargo's word.
fn by_cargo(packages: &[Value]) -> Vec<Crate> {
    let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut crates: Vec<Crate> = packages
        .iter()
        .zip(&names)
        .map(|(package, name)| {
            let manifest = Path::new(package["manifest_path"].as_str().unwrap());
            let folder = manifest.parent().unwrap().strip_prefix(project()).unwrap().display().to_string();
            let mut depends_on = dependencies(package);
            depends_on.retain(|dependency| names.contains(&dependency.as_str()));
            // The sources of the package at the top are in `src`.
            let folder = if folder.is_empty() { "src".to_owned() } else { folder };
            Crate { name: (*name).to_owned(), folder, depends_on }
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

#[test]
fn the_crates_are_those_of_the_document() {
    assert_eq!(by_document(), by_cargo(&packages()));
}

#[test]
fn the_runtime_knows_no_parser_and_no_terminal() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let above: Vec<String> = dependencies(&package)
            .into_iter()
            .filter(|dependency| ABOVE_THE_RUNTIME.contains(&dependency.as_str()))
            .collect();
        assert!(name == "tpvc" || above.is_empty(), "{name} depends on {above:?}");
    }
}
