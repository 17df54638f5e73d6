//! What the documents say of the runtime's tables is what the tables hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use tpv_runtime::galaxy;
use tpv_runtime::python::builtins::BUILTINS;
use tpv_runtime::python::modules::MODULES;

/// The public names, sorted, as code.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.filter(|name| !name.starts_with(['_', '.'])).collect();
    names.sort_unstable();
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The parts of `docs/python.md` that the runtime's tables say, each under the name of its mark.
fn parts() -> [(&'static str, String); 2] {
    let hosts = galaxy::modules::MODULES.iter().filter(|module| !module.names.is_empty());
    let all = MODULES.iter().chain(hosts);
    let mut rows: Vec<_> = all.map(|module| (module.name, listed(module.names.iter().copied()))).collect();
    rows.sort_unstable();
    let rows: String = rows.iter().map(|(module, names)| format!("| `{module}` | {names} |\n")).collect();
    [
        ("builtins", format!("Beside the classes of the values: {}.\n", listed(BUILTINS.iter().map(|one| one.name)))),
        ("modules", format!("| module | what is there |\n| --- | --- |\n{rows}")),
    ]
}

#[test]
fn builtins_and_modules_are_all_named() {
    let path = format!("{}/docs/python.md", env!("CARGO_MANIFEST_DIR"));
    let mut document = std::fs::read_to_string(&path).unwrap();
    for (name, part) in parts() {
        let mark = format!("<!-- {name}: checked by tests/documents.rs -->\n\n");
        let (before, rest) = document.split_once(&mark).unwrap();
        let after = rest.get(rest.find("## ").unwrap()..).unwrap();
        let wanted = format!("{before}{mark}{part}\n{after}");
        if std::env::var_os("TPVC_WRITE").is_none() {
            assert_eq!(document, wanted, "run this test with TPVC_WRITE=1 to write the page anew");
        }
        document = wanted;
    }
    if std::env::var_os("TPVC_WRITE").is_some() {
        std::fs::write(path, document).unwrap();
    }
}
