//! Coverage as text: a table by file, then what no case used.

use std::fmt::Write;

use super::{Coverage, FileCoverage, Share, Totals};
use tpv_text::printable::put_line;

/// The most places of a file that are listed.
const MOST: usize = 30;

pub(super) fn text(coverage: &Coverage) -> String {
    let mut rows =
        vec![["", "entities", "rules fired", "not fired", "code", "destinations", "lines"].map(str::to_owned).to_vec()];
    rows.extend(coverage.files.iter().map(|file| row(&file.file, file.totals)));
    if coverage.files.len() > 1 {
        rows.push(row("all", coverage.totals));
    }
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..7).map(|column| width(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if index == 0 { write!(line, "{cell:width$}") } else { write!(line, "  {cell:>width$}") };
        }
        put_line!(out, "{}", line.trim_end());
    }
    let mut any_reachable = false;
    for file in &coverage.files {
        let unused = unused(file);
        if unused.is_empty() {
            continue;
        }
        out.push('\n');
        put_line!(out, "not used in {}:", file.file);
        for part in unused.iter().take(MOST) {
            let mark = if part.is_reachable { '*' } else { ' ' };
            put_line!(out, "  {:>5}{mark} {}", part.line, part.what);
            any_reachable |= part.is_reachable;
        }
        if let Some(more) = unused.len().checked_sub(MOST).filter(|more| *more > 0) {
            put_line!(out, "         and {more} more: `--coverage=FILE.html` shows all");
        }
    }
    if any_reachable {
        out.push('\n');
        put_line!(out, "`*`: a made job reaches it, so `tpvc test --suggest` writes a case for it");
    }
    out
}

fn row(name: &str, totals: Totals) -> Vec<String> {
    let shares = [totals.entities, totals.rules_fired, totals.rules_not_fired, totals.code, totals.destinations];
    let mut row = vec![name.to_owned()];
    row.extend(shares.iter().map(|share| format!("{}/{}", share.used, share.all)));
    row.push(percent(totals.lines));
    row
}

/// `71 %`, rounded down, so that 100 % is all.
pub(super) fn percent(share: Share) -> String {
    (share.used * 100).checked_div(share.all).map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"))
}

/// A part that no case used.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unused {
    /// Its line.
    pub(super) line: usize,
    /// Its name, and what never happened.
    pub(super) what: String,
    /// `true` if a made job uses it.
    pub(super) is_reachable: bool,
}

/// The parts that no case used, by line.
pub(super) fn unused(file: &FileCoverage) -> Vec<Unused> {
    let mut out = Vec::new();
    let mut add = |line: usize, name: &str, what: &str| {
        let is_reachable = file.reachable.iter().any(|one| one.line == line && one.part == name);
        out.push(Unused { line, what: format!("{name} {what}"), is_reachable });
    };
    for one in file.entities.iter().filter(|one| !one.is_used()) {
        add(one.line, &one.name, "was never matched");
    }
    for one in &file.rules {
        match (one.looked_at.is_empty(), one.fired.is_empty(), one.not_fired.is_empty()) {
            (true, true, true) => add(one.line, &one.name, "was never looked at"),
            (_, true, _) => add(one.line, &one.name, "never fired"),
            (_, _, true) if one.both_ways => add(one.line, &one.name, "always fired"),
            _ => {}
        }
    }
    for one in file.code.iter().filter(|one| one.ran.is_empty()) {
        add(one.line, &one.name, "never ran");
    }
    for one in file.destinations.iter().filter(|one| one.chosen.is_empty()) {
        let what = if one.matched.is_empty() { "never matched" } else { "matched, and was never chosen" };
        add(one.line, &one.name, what);
    }
    out.sort();
    out
}
