//! Coverage as a page: the configs' texts with the lines that were used and those that were not, one file at a time. What colours say stands beside
//! each line as a number, too.

use std::collections::HashMap;
use std::fmt::Write;

use super::text::{Unused, percent, unused};
use super::{Coverage, FileCoverage, Share, Totals};
use crate::page::{Page, escape, prose, section};
use tpv_text::figures::{count, grouped};

pub(super) fn page(all: &[Coverage]) -> String {
    let mut page = Page::new("Coverage of the rules");
    page.style(include_str!("coverage.css"));
    page.script(include_str!("coverage.js"));
    let out = page.body();
    out.push_str("<header>\n<h1>Coverage of the rules</h1>\n");
    for (set, coverage) in all.iter().enumerate() {
        summary(out, coverage, set);
    }
    out.push_str("</header>\n");
    for (set, coverage) in all.iter().enumerate() {
        for (index, file) in own_first(coverage) {
            section(out, &file.file, |out| folded(out, &format!("{set}-{index}"), file));
        }
    }
    page.render()
}

/// The files with their indexes, the last loaded first: a site's own files are loaded after those that they build on.
fn own_first(coverage: &Coverage) -> impl Iterator<Item = (usize, &FileCoverage)> {
    coverage.files.iter().enumerate().rev()
}

/// The table of one set of configs, whose number tells its places from those of others.
fn summary(out: &mut String, coverage: &Coverage, set: usize) {
    let cases = match coverage.cases {
        1 => "1 test case".to_owned(),
        cases => format!("{cases} test cases"),
    };
    out.push_str("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Coverage by file\">\n<table>\n");
    let _ = writeln!(out, "<caption>What {cases} used</caption>");
    out.push_str("<thead><tr><th scope=\"col\">File</th>");
    for title in ["Entities", "Rules that fired", "Rules that did not fire", "Code", "Destinations", "Lines"] {
        let _ = write!(out, "<th scope=\"col\" class=\"number\">{title}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (index, file) in own_first(coverage) {
        let name = format!("<a href=\"#file-{set}-{index}\">{}</a>", escape(&file.file));
        row(out, &name, file.totals);
    }
    if coverage.files.len() > 1 {
        row(out, "all", coverage.totals);
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

fn row(out: &mut String, name: &str, totals: Totals) {
    let _ = write!(out, "<tr><th scope=\"row\">{name}</th>");
    let shares = [totals.entities, totals.rules_fired, totals.rules_not_fired, totals.code, totals.destinations];
    for Share { used, all } in shares {
        let class = if used == all { "number" } else { "number missing" };
        let _ = write!(out, "<td class=\"{class}\">{} of {}</td>", grouped(used as u64), grouped(all as u64));
    }
    let _ = writeln!(out, "<td class=\"number\">{}</td></tr>", percent(totals.lines));
}

/// A file behind its figures: what was not used of it, and its text. A link to a line or to the file opens it.
fn folded(out: &mut String, id: &str, file: &FileCoverage) {
    let Share { used, all } = file.totals.lines;
    let parts = count(unused(file).len() as u64, "part");
    let _ = writeln!(
        out,
        "<details class=\"file\">\n<summary>{} of {} used, {parts} not used</summary>",
        grouped(used as u64),
        count(all as u64, "line")
    );
    source(out, id, file);
    out.push_str("</details>\n");
}

/// The text of a file, with what was not used of it listed before.
fn source(out: &mut String, id: &str, file: &FileCoverage) {
    let unused = unused(file);
    if !unused.is_empty() {
        let _ = writeln!(out, "<details>\n<summary>{} not used</summary>\n<ul>", unused.len());
        for Unused { line, what, is_reachable } in unused {
            let note = if is_reachable { " (a made job reaches it)" } else { "" };
            let _ = writeln!(out, "<li><a href=\"#line-{id}-{line}\">{line}</a> {}{note}</li>", prose(&what));
        }
        out.push_str("</ul>\n</details>\n");
    }
    let counts: HashMap<usize, (u64, bool)> =
        file.lines.iter().map(|line| (line.line, (line.hits, line.partly))).collect();
    let _ = writeln!(out, "<table class=\"source\" id=\"file-{id}\">");
    let _ = writeln!(out, "<caption>Cases that used each line of {}</caption>", escape(&file.file));
    out.push_str(
        "<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Cases</th><th scope=\"col\">Text</th></tr></thead>\n",
    );
    out.push_str("<tbody>\n");
    for (number, text) in (1..).zip(file.text.trim_end().lines()) {
        let (class, count) = match counts.get(&number) {
            None => ("", String::new()),
            Some((0, _)) => (" class=\"missed\"", "0".to_owned()),
            Some((hits, true)) => (" class=\"partly\"", format!("{hits}, partly")),
            Some((hits, false)) => (" class=\"hit\"", hits.to_string()),
        };
        let text = escape(text.trim_end());
        let _ =
            writeln!(out, "<tr{class} id=\"line-{id}-{number}\"><td>{number}</td><td>{count}</td><td>{text}</td></tr>");
    }
    out.push_str("</tbody>\n</table>\n");
}
