//! The documents say what the code does: tables in them are checked against the code's own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod support;

use std::fmt::Write;

use tpv_runtime::artifact::format::{FORMAT_VERSION, SECTIONS};
use tpv_runtime::python::code::Instr;

/// Replaces what stands between `<!-- name -->` and `<!-- /name -->`.
fn fill(document: &str, name: &str, content: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = document.find(&open).unwrap_or_else(|| panic!("{open} is missing")) + open.len();
    let end = document[start..].find(&close).unwrap_or_else(|| panic!("{close} is missing")) + start;
    format!("{}{content}{}", &document[..start], &document[end..])
}

#[test]
fn the_format_and_all_opcodes_are_documented() {
    let path = support::project().join("docs/artifact.md");
    let mut sections = String::from("| section | what it holds |\n| --- | --- |\n");
    for (name, about) in SECTIONS {
        writeln!(sections, "| `{name}` | {about} |").unwrap();
    }
    let mut opcodes = String::from("| opcode | stack and meaning |\n| --- | --- |\n");
    for (name, about) in Instr::TABLE {
        writeln!(opcodes, "| `{name}` | {} |", about.trim().replace('|', "\\|")).unwrap();
    }
    let document = std::fs::read_to_string(&path).unwrap();
    let filled = fill(&document, "sections", &sections);
    let filled = fill(&filled, "opcodes", &opcodes);
    let filled = fill(&filled, "version", &format!("{FORMAT_VERSION}\n"));
    support::expect_file(&path, &filled);
}
