//! `tpvc lint` of configs with errors: the findings that do not depend on what is broken are there, and no others.
//!
//! `TPVC_SEED=7 TPVC_CONFIGS=1000` damages other lines, or more; a failure prints the seed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use tpv_analysis::lint::{Linted, Options, lint};
use tpv_text::code::{Code, Scope};
use tpv_text::finding::Finding;

use crate::support::random::{Random, setting};
use crate::support::{project, run, site};

/// A code, and the file and line of its place.
type Place = (String, String, usize);

fn place(finding: &Finding, linted: &Linted) -> Option<Place> {
    let span = finding.span()?;
    let name = linted.sources.get(span.source)?.name.to_string();
    Some((finding.code.to_string(), name, linted.sources.place(span).line))
}

/// All findings.
fn found(linted: &Linted) -> BTreeSet<Place> {
    linted.findings.iter().filter_map(|finding| place(finding, linted)).collect()
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

/// A line with a slip of those who write YAML by hand (a tab, another indentation, no colon, a quote or bracket that is not closed), with another type,
/// or with code that is not Python. `None` for a line that has no place for the slip.
fn slipped(line: &str, random: &mut Random) -> Option<String> {
    let content = line.trim_start();
    let indent = line.len() - content.len();
    // An anchor that is lost is missed elsewhere, and so is the parent of all.
    let is_needed = content.contains(" &") || content.starts_with("default_inherits");
    if content.is_empty() || content.starts_with('#') || is_needed {
        return None;
    }
    let with_value = |new: &str| {
        let (key, value) = line.split_once(':')?;
        // A value that defines something is missed elsewhere.
        let is_plain = value.is_empty() || value.starts_with(' ');
        (is_plain && !value.contains('{')).then(|| format!("{key}{new}"))
    };
    match random.below(9) {
        0 if indent > 0 => Some(format!("\t{content}")),
        1 if indent > 0 => Some(format!("{}\t{content}", " ".repeat(indent - 1))),
        2 => Some(format!(" {line}")),
        3 if indent > 0 => Some(line.get(1..)?.to_owned()),
        4 => with_value(&line.split_once(':')?.1.replace(':', "")),
        5 => Some(line.replacen(": ", ": \"", 1)).filter(|new| new != line),
        6 => Some(line.replacen(": ", ": [", 1)).filter(|new| new != line),
        7 if line.trim_end().ends_with(':') => with_value(random.pick::<&str>(&[": [", ": \"open", ": [1]"])),
        8 => with_value(random.pick::<&str>(&[": 'open", ": {a: [1]}", ": 1 +", ": }", ": !!int x"])),
        _ => None,
    }
}

/// A text as lines, and the lines, from 0, of its sections' headers and entries.
struct Outline {
    lines: Vec<String>,
    entries: Vec<Range<usize>>,
}

impl Outline {
    fn new(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (mut starts, mut of_entries) = (Vec::new(), None);
        let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_code(line)) {
            if indent(line) == 0 {
                of_entries = None;
            }
            if indent(line) == 0 || indent(line) == *of_entries.get_or_insert(indent(line)) {
                starts.push(at);
            }
        }
        let ends = starts.iter().skip(1).copied().chain([lines.len()]);
        let entries = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
        Self { lines, entries }
    }

    /// The lines that a slip in one may break: its entry; the one before, if it is the first line of one; of a header the section.
    fn broken(&self, line: usize) -> Range<usize> {
        let Some(at) = self.entries.iter().position(|entry| entry.contains(&line)) else { return line..line + 1 };
        let is_header = |entry: &Range<usize>| !self.lines[entry.start].starts_with(' ');
        let first = if self.entries[at].start == line { at.saturating_sub(1) } else { at };
        let next = |entries: &[Range<usize>]| entries.iter().position(is_header).unwrap_or(entries.len());
        let last = if is_header(&self.entries[at]) { at + next(&self.entries[at + 1..]) } else { at };
        self.entries[first].start..self.entries[last].end
    }
}

/// Lint finds a broken place, and says nothing of a damaged config that it does not say of the whole one, but for what is in the entity that is broken.
#[test]
fn no_finding_comes_from_what_is_missing() {
    let (seed, count) = (setting("TPVC_SEED", 1), setting("TPVC_CONFIGS", 60));
    println!("seed {seed}, {count} configs");
    let mut random = Random::new(seed);
    let (mut kept, mut all) = (BTreeMap::new(), BTreeMap::new());
    let configs = configs();
    for _ in 0..count {
        let mut files = random.pick(&configs).clone();
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let folder = site(&files.iter().map(|(name, text)| (&**name, &**text)).collect::<Vec<_>>());
        let whole = found(&lint_files(folder.path(), &names));
        let at = random.below(u32::try_from(files.len()).unwrap()) as usize;
        let (name, text) = &mut files[at];
        let outline = Outline::new(text);
        let (mut lines, mut broken, mut shown) = (outline.lines.clone(), Vec::new(), format!("seed {seed}, {name}:\n"));
        let mut last = None;
        for _ in 0..1 + random.below(2) {
            let number = random.below(u32::try_from(lines.len()).unwrap()) as usize;
            let Some(new) = slipped(&lines[number], &mut random) else { continue };
            // Two that adjoin may be one that is meant.
            if last.replace(number).is_some_and(|last: usize| last.abs_diff(number) < 2) {
                continue;
            }
            shown += &format!("{}: {:?} -> {new:?}\n", number + 1, lines[number]);
            lines[number] = new;
            broken.push(outline.broken(number));
        }
        std::fs::write(folder.path().join(&*name), lines.join("\n") + "\n").unwrap();
        let linted = lint_files(folder.path(), &names);
        if !linted.findings.iter().any(|finding| finding.code.as_str() == "T001") {
            continue;
        }
        let is_broken = |label: &tpv_text::diagnostic::Label| {
            linted.sources.get(label.span.source).is_some_and(|source| source.name.ends_with(&**name))
                && broken.iter().any(|lines| lines.contains(&(linted.sources.place(label.span).line - 1)))
        };
        let (mut near, mut reported) = (BTreeSet::new(), false);
        for finding in &linted.findings {
            let labels = finding.diagnostic.primary.iter().chain(&finding.diagnostic.secondary);
            if labels.into_iter().any(is_broken) {
                reported |= finding.code.as_str() == "T001";
                near.extend(place(finding, &linted));
            }
        }
        let part = found(&linted);
        assert!(reported, "not reported: {shown}{part:?}");
        for finding in part.difference(&whole) {
            assert!(near.contains(finding), "{shown}{finding:?} is new");
        }
        let path = folder.path().join(&*name).to_str().unwrap().to_owned();
        let far = |(_, file, line): &&Place| *file != path || !broken.iter().any(|lines| lines.contains(&(line - 1)));
        for finding in whole.iter().filter(far) {
            let is_kept = usize::from(part.contains(finding));
            let scope = Code::find(&finding.0).map(|code| format!("{:?}", code.scope()));
            *kept.entry(scope.clone()).or_insert(0) += is_kept;
            *all.entry(scope).or_insert(0) += 1;
        }
    }
    println!("kept {kept:?} of {all:?}");
    let place = Some(format!("{:?}", Scope::Place));
    assert!(kept[&place] * 100 >= all[&place] * 95 && all[&place] > 50, "{kept:?} of {all:?}");
    assert!(kept.values().sum::<usize>() * 2 > all.values().sum::<usize>(), "{kept:?} of {all:?}");
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
        // Text in which the name is a shell's variable, with its default, defines nothing.
        ("tools:\n  x:\n    env:\n      V: \"{ ${input_sise:-C}\"\n", 2, &[memory, name, parent], &[]),
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
            text.contains("which may only come from what could not be read"),
            hidden.iter().any(|one| *one != parent),
            "{text}"
        );
    }
}
