//! The shape of artifacts: the types that are encoded, as the sources define them. An artifact of another shape is another format.
//!
//! If a type changes, raise `FORMAT_VERSION` in `runtime/src/artifact/format.rs`, and accept the new shape with `UPDATE_EXPECT=1`.

use std::path::Path;

use tpv_runtime::artifact::FORMAT_VERSION;

use crate::support::project;

/// The folders with types that are encoded.
const FOLDERS: [&str; 3] = ["runtime/model/src", "runtime/bytecode/src", "runtime/src"];

/// The record: the version, then the definitions.
const RECORD: &str = "tests/mapping/artifact_shape.txt";

/// The definitions in a source that the encoding of artifacts depends on: types that derive `Encode`, implementations of it, and the uses of macros
/// that make such types.
fn definitions(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap().trim_end()).collect();
    fn macro_name(line: &str) -> Option<&str> {
        line.strip_prefix("macro_rules! ")?.split([' ', '{']).next()
    }
    let macros: Vec<String> = code
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, macro_name(line)?)))
        .filter(|(at, _)| item(&code[*at..]).contains("Encode"))
        .map(|(_, name)| format!("{name}!"))
        .collect();
    let mut found = Vec::new();
    for (at, line) in code.iter().enumerate() {
        let derives = line.starts_with("#[derive(") && line.contains("Encode");
        let encodes = line.starts_with("impl") && line.contains("Encode for");
        let uses = macros.iter().any(|name| line.starts_with(name.as_str())) || *line == "instructions! {";
        // A row whose fields are written by a macro, `sparse!` in `sparse.rs`.
        let is_row = line.starts_with("pub struct ")
            && line.ends_with("Row {")
            && !code[..at].last().is_some_and(|before| before.contains("Encode"));
        if is_row || derives || encodes || uses {
            let item = item(&code[at..]);
            // The texts of fields are not encoded.
            let without_texts: String = item.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
            let shown = without_texts.lines().filter(|line| !line.trim_start().starts_with("#["));
            found.push(shown.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

/// The item that begins here: the lines up to its last brace, or to a semicolon before any.
fn item(lines: &[&str]) -> String {
    let (mut out, mut depth, mut is_open) = (String::new(), 0, false);
    for line in lines {
        out += line;
        out.push('\n');
        if line.starts_with("#[") {
            continue;
        }
        depth += line.matches(['{', '(']).count();
        depth -= line.matches(['}', ')']).count().min(depth);
        is_open |= line.contains('{');
        if depth == 0 && (is_open || line.ends_with(';')) {
            break;
        }
    }
    out
}

fn shape(folder: &Path, out: &mut String) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            shape(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            for definition in definitions(&std::fs::read_to_string(&path).unwrap()) {
                *out += &format!("\n{definition}\n");
            }
        }
    }
}

#[test]
fn another_shape_is_another_version() {
    let mut actual = String::new();
    for folder in FOLDERS {
        shape(&project().join(folder), &mut actual);
    }
    for name in ["enum EntityClass", "struct Version", "struct EntityRow", "enum Instruction", "Const { index"] {
        assert!(name == "enum Instruction" || actual.contains(name), "{name} is not found: {actual}");
    }
    let path = project().join(RECORD);
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let (version, shape) = recorded.split_once('\n').unwrap_or_default();
    let is_raised = version != format!("format version {FORMAT_VERSION}");
    if std::env::var_os("UPDATE_EXPECT").is_some() && is_raised {
        std::fs::write(path, format!("format version {FORMAT_VERSION}\n{actual}")).unwrap();
        return;
    }
    assert!(!is_raised, "the record is of {version}: run with UPDATE_EXPECT=1");
    let differs = shape.lines().zip(actual.lines()).find(|(old, new)| old != new);
    assert!(
        shape == actual,
        "an encoded type has changed, {differs:?}: raise `FORMAT_VERSION`, then run with UPDATE_EXPECT=1"
    );
}
