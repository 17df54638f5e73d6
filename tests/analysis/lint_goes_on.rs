//! `tpvc lint` of configs with errors: the findings that do not depend on what is broken are there, and no others.
//!
//! `TPVC_SEED=7 TPVC_CONFIGS=1000` damages other lines, or more; a failure prints the seed.

use std::collections::BTreeSet;
use std::path::Path;

use tpv_analysis::lint::{Linted, Options, lint};

use crate::support::random::{Random, setting};
use crate::support::{project, run, site};

/// Codes with the lines of their places, of all findings; of those of loading apart.
fn found(linted: &Linted) -> BTreeSet<(String, String, usize)> {
    let place = |finding: &tpv_compiler::finding::Finding| {
        let span = finding.span()?;
        let name = linted.sources.get(span.source)?.name.to_string();
        Some((finding.code.to_owned(), name, linted.sources.place(span).line))
    };
    linted.findings.iter().filter_map(place).collect()
}

fn lint_files(folder: &Path, names: &[String]) -> Linted {
    let names: Vec<String> = names.iter().map(|name| folder.join(name).to_str().unwrap().to_owned()).collect();
    lint(&names, &Options::default())
}

/// Configs that load and have findings: those of the linter's own tests, and those with planted faults, several files each.
fn configs() -> Vec<Vec<(String, String)>> {
    let read = |folder: &str, names: &[&str]| -> Vec<(String, String)> {
        let text = |name: &&str| std::fs::read_to_string(project().join(folder).join(name)).unwrap();
        names.iter().map(|name| ((*name).to_owned(), text(name))).collect()
    };
    let mut configs = vec![
        read("fixtures/planted-faults", &["shared.yml", "tools.yml", "destinations.yml", "local_destinations.yml"]),
        read("fixtures/planted-slips", &["tpv.yml"]),
    ];
    for name in ["code", "destinations", "order", "rules", "slips", "tpv-warnings"] {
        configs.push(read("tests/lint", &[&format!("{name}.yml")]));
    }
    configs
}

/// A line that is no YAML, or has another type, or code that is not Python, at the same place; `None` for lines that are none of these.
fn damaged(line: &str, random: &mut Random) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    if key.trim().is_empty() || key.contains(['#', '"', '\'']) {
        return None;
    }
    let new = if value.trim().is_empty() {
        *random.pick(&[": [", ": \"open", " no colon", ": [1]"])
    } else {
        *random.pick(&[": [", ": 'open", ": {a: [1]}", ": 1 +", ": }", ": !!int x"])
    };
    Some(format!("{key}{new}"))
}

/// Lint says nothing of a damaged config that it does not say of the whole one, but for what is in the entity that is broken.
#[test]
fn no_finding_comes_from_what_is_missing() {
    let (seed, count) = (setting("TPVC_SEED", 1), setting("TPVC_CONFIGS", 60));
    println!("seed {seed}, {count} configs");
    let mut random = Random::new(seed);
    let (mut kept, mut all) = (0, 0);
    let configs = configs();
    for _ in 0..count {
        let mut files = random.pick(&configs).clone();
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let folder = site(&files.iter().map(|(name, text)| (&**name, &**text)).collect::<Vec<_>>());
        let whole = found(&lint_files(folder.path(), &names));
        let at = random.below(u32::try_from(files.len()).unwrap()) as usize;
        let (name, text) = &mut files[at];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let number = random.below(u32::try_from(lines.len()).unwrap()) as usize;
        let Some(new) = damaged(&lines[number], &mut random) else { continue };
        let shown = format!("{name}:{}: {} -> {new}", number + 1, lines[number]);
        lines[number] = new;
        std::fs::write(folder.path().join(&*name), lines.join("\n") + "\n").unwrap();
        let linted = lint_files(folder.path(), &names);
        if linted.errors() == 0 {
            continue;
        }
        let broken = folder.path().join(&*name).to_str().unwrap().to_owned();
        let part = found(&linted);
        let is_near = |line: usize| line.abs_diff(number + 1) < 40;
        for finding in part.difference(&whole) {
            assert!(finding.1 == broken && is_near(finding.2), "seed {seed}: {shown}\n{finding:?} is new");
        }
        kept += part.intersection(&whole).count();
        all += whole.len();
    }
    println!("{kept} of {all} findings are kept");
    assert!(kept * 2 > all && all > 100, "{kept} of {all}");
}

#[test]
fn a_file_that_fails_hides_neither_the_findings_of_others_nor_its_own() {
    let good = "tools:\n  bwa:\n    cores: 2\n    rules:\n      - if: input_sise > 2\n        cores: 4\n  star:\n    inherits: _base\n    mem: 3\n";
    let (memory, name, parent) = ("`bwa` sets `cores`, but not `mem`", "`input_sise` is not", "the parent `_base`");
    let twice = "tools:\n  a: {mem: 1}\n  a: {mem: 2}\n  b:\n    mem: 1\n    mem: 2\n    coers: 3\n";
    for (bad, errors, shown, hidden) in [
        // A file that says nothing of the other's tools.
        ("tools:\n  x:\n    mem: [\n  y:\n    coers: 2\n", 2, &[memory, name, parent, "`coers`"][..], &[][..]),
        // One that may define the memory and the parent.
        ("tools:\n  bwa:\n    mem: 5\n    cores: [\n  _base:\n    mem: {}\n", 2, &[], &[memory, name, parent]),
        ("tools:\n  _base no colon\n    mem: 2\n", 1, &[memory, name], &[parent]),
        // One that may define the name.
        ("global:\n  context:\n    input_sise: [\n", 2, &[memory, parent], &[name]),
        (twice, 3, &[memory, name, parent, "`a` occurs twice", "`mem` occurs twice", "`coers`"], &[]),
        // Two mistakes of which neither is YAML.
        ("tools:\n  x:\n    mem: \"4\n  y:\n    mem: 2\n  z: [\n", 3, &[memory, name, parent], &[]),
        // Code that is not Python.
        ("tools:\n  x:\n    mem: 4 +\n    coers: 1\n", 2, &[memory, name, parent, "`coers`"], &[]),
        // Of a broken entity the other fields and rules are judged, and not whether it lacks something.
        (
            "tools:\n  x:\n    cores: 2\n    mem: [\n    coers: 1\n    rules:\n      - if: tool.id in ('x')\n        memm: 2\n",
            2,
            &[memory, name, parent, "`coers`", "`memm`", "is a text, not a tuple"],
            &["`x` sets `cores`"],
        ),
        (
            "tools:\n  x:\n    coers: 1\n    rules:\n      - if: tool.id: 4\n        mem: 1\n      - if: tool.id in ('x')\n        mem: 2\n",
            2,
            &[memory, name, parent, "`coers`", "is a text, not a tuple"],
            &[],
        ),
        // A template that lacks a variable.
        ("tools:\n  x:\n    mem: {{ memory }}\n", 2, &[memory, name, parent], &[]),
        // What is in the file is not known.
        ("tools: \u{0}{% include 'x' %}\n", 1, &[], &[memory, name, parent]),
    ] {
        let folder = site(&[("good.yml", good), ("bad.yml.j2", bad)]);
        let (code, text) = run(folder.path(), &["lint", "bad.yml.j2", "good.yml"]);
        assert_eq!((code, text.matches("error[T001]").count()), (1, errors), "{bad}\n{text}");
        for wanted in shown {
            assert!(text.contains(wanted), "{wanted}:\n{bad}\n{text}");
        }
        for unwanted in hidden {
            assert!(!text.contains(unwanted), "{unwanted}:\n{bad}\n{text}");
        }
        assert_eq!(
            text.contains("more may come from what could not be read"),
            hidden.iter().any(|one| *one != parent),
            "{text}"
        );
    }
}
