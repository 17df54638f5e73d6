//! The pages of `docs/lint` are tests: their examples have the findings that comments in them expect, and no others.
//!
//! A comment `# T103` at the end of a line expects that finding there; on a line of its own it speaks of the next line, for lines that cannot have
//! one. Each section of a page with blocks of YAML is an example, which is checked with the page's first command. The blocks are its files, under
//! the names that `documents` in `tests/command_line` gives them; those of sections before are there, too. What stands under "How to fix it" has
//! no finding.
//!
//! With `UPDATE_EXPECT=1` in the environment the comments are written; review the change before committing it. Then do the same for `documents`,
//! which runs the commands of the pages as they stand.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tpv_text::code::Code;

use crate::support::{expect_file, project, site, stderr, stdout, tpvc_in};

/// Findings: file, line from 1, code.
type Findings = BTreeSet<(String, usize, String)>;

/// A block of a page: its language and its text, without fences.
struct Block<'t> {
    language: &'t str,
    text: &'t str,
}

impl Block<'_> {
    /// The file that it is. `None` for a block that is none.
    fn file(&self) -> Option<&str> {
        let first = self.text.lines().next().and_then(|line| line.strip_prefix("# "));
        match self.language {
            "yaml" => Some(first.filter(|name| name.ends_with(".yml")).unwrap_or("config.yml")),
            "json" => Some("jobs.jsonl"),
            "toml" => Some("tpvc.toml"),
            _ => None,
        }
    }
}

/// The sections of a page, from heading to heading.
fn sections(page: &str) -> Vec<&str> {
    let (mut starts, mut is_block, mut at) = (vec![0], false, 0);
    for line in page.split_inclusive('\n') {
        is_block ^= line.starts_with("```");
        if !is_block && (line.starts_with("## ") || line.starts_with("### ")) {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(page.len());
    starts.windows(2).map(|ends| &page[ends[0]..ends[1]]).collect()
}

/// The blocks of a section.
fn blocks(section: &str) -> impl Iterator<Item = Block<'_>> {
    section.split("```").skip(1).step_by(2).filter_map(|block| {
        let (language, text) = block.split_once('\n')?;
        Some(Block { language, text })
    })
}

/// The codes of a comment that expects findings.
fn expectation(line: &str) -> Option<&str> {
    let codes = &line[line.rfind("# ")? + 2..];
    codes.split(", ").all(|code| Code::named(code).is_some()).then_some(codes)
}

/// The findings that the comments of files expect.
fn expected(files: &BTreeMap<&str, &str>) -> Findings {
    let mut out = Findings::new();
    for (name, text) in files {
        for (line, number) in text.lines().zip(1..) {
            let Some(codes) = expectation(line) else { continue };
            let number = if line.trim_start().starts_with('#') { number + 1 } else { number };
            out.extend(codes.split(", ").map(|code| ((*name).to_owned(), number, code.to_owned())));
        }
    }
    out
}

/// The findings that the page's command reports.
fn found(command: &str, files: &BTreeMap<&str, &str>) -> Findings {
    let folder = site(&files.iter().map(|(name, text)| (*name, *text)).collect::<Vec<_>>());
    let args: Vec<&str> = command.split(' ').chain(["--format", "json"]).collect();
    let output = tpvc_in(folder.path(), &args);
    let findings: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let place = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        (text("file"), usize::try_from(finding["line"].as_u64().unwrap_or_default()).unwrap(), text("code"))
    };
    findings.as_array().unwrap_or_else(|| panic!("{}", stdout(&output))).iter().map(place).collect()
}

/// A section whose comments expect what was found.
fn rewritten(section: &str, found: &Findings) -> String {
    let (mut out, mut number, mut file) = (String::new(), 0, None);
    let mut blocks = blocks(section);
    for line in section.lines() {
        let codes: Vec<&str> = match (&mut file, line.starts_with("```")) {
            (Some(_), true) => {
                file = None;
                Vec::new()
            }
            (None, true) => {
                file = Some(blocks.next().and_then(|block| block.file().map(str::to_owned)));
                number = 0;
                Vec::new()
            }
            (Some(Some(name)), false) => {
                number += 1;
                found.iter().filter(|one| one.0 == *name && one.1 == number).map(|one| one.2.as_str()).collect()
            }
            _ => Vec::new(),
        };
        if codes.is_empty() {
            out += line;
        } else {
            let bare = expectation(line).map_or(line, |codes| line[..line.len() - codes.len() - 2].trim_end());
            out += &format!("{bare}  # {}", codes.join(", "));
        }
        out.push('\n');
    }
    out
}

#[test]
fn examples_have_the_findings_that_their_comments_expect() {
    let is_writing = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = String::new();
    for code in Code::ALL.iter().copied() {
        let page = code.page();
        assert!(page.starts_with(&format!("# {code}: {}\n", code.title())), "{code}");
        let command = page.lines().find_map(|line| line.strip_prefix("$ tpvc "));
        let command = command.unwrap_or_else(|| panic!("{code}: the page shows no command"));
        let (mut files, mut is_shown, mut is_fixed, mut written) = (BTreeMap::new(), false, false, String::new());
        for section in sections(page) {
            files.extend(blocks(section).filter_map(|block| Some((block.file()?.to_owned(), block.text))));
            if !blocks(section).any(|block| block.language == "yaml") {
                written += section;
                continue;
            }
            let all: BTreeMap<&str, &str> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
            let is_fix = section.starts_with("## How to fix it");
            let found = found(command, &all);
            let expected = if is_fix { Findings::new() } else { expected(&all) };
            is_shown |= found.iter().any(|(_, _, shown)| shown == code.as_str());
            is_fixed |= is_fix;
            written += &rewritten(section, &found);
            if found != expected && (is_fix || !is_writing) {
                wrong += &format!("docs/lint/{code}.md expects {expected:?}, and there is {found:?}\n");
            }
        }
        assert!(is_shown, "docs/lint/{code}.md: no block of YAML has a line with this finding");
        assert!(
            is_fixed,
            "docs/lint/{code}.md: add a section `## How to fix it` with a block of YAML without findings"
        );
        if is_writing {
            expect_file(&project().join(format!("docs/lint/{code}.md")), &written);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_table_lists_every_code() {
    let table = std::fs::read_to_string(project().join("docs/lint/README.md")).unwrap();
    let mut rows = table.lines().filter(|line| line.starts_with("| ["));
    for code in Code::ALL {
        let severity = format!("{:?}", code.severity()).to_lowercase();
        let row = format!("| [{code}]({code}.md) | {severity} | {} |", code.title());
        assert_eq!(rows.next(), Some(row.as_str()), "the next row of docs/lint/README.md");
    }
    assert_eq!(rows.next(), None, "a row of docs/lint/README.md that is no code");
}
