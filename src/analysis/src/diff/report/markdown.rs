//! The report as Markdown, for a comment of a pull request.

use std::fmt::Write;

use super::{Cause, Jobs, MOST_NAMES, Pair, Report, about_totals, arrow, caption, changed, left_out, names, one_line};
use tpv_model::Quantity;
use tpv_text::figures::{amount, count, grouped};
use tpv_text::markdown_text::{code, escaped};

/// The most characters of a comment, by GitHub's rule.
const MOST: usize = 65_536;

/// Begins each comment, so that a program can find the last one and replace it.
pub const MARKER: &str = "<!-- tpvc diff -->";

/// The maximum number of rows in a table.
const MOST_ROWS: usize = 25;

/// The report as Markdown of at most 65,536 characters.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("{MARKER}\n### What {} changes\n\n", code(&report.new));
    if report.is_empty() {
        let _ = writeln!(out, "Nothing: the rules say the same as {}.", code(&report.old));
        return out;
    }
    let mut parts = Vec::new();
    if let Some(jobs) = &report.jobs {
        out.push_str(&summary(jobs));
        parts.extend(jobs_parts(jobs));
    }
    let groups = &report.changes.groups;
    if groups.is_empty() {
        out.push_str("The rules say the same.\n\n");
    } else {
        let counts = report.changes.counts.iter().filter(|count| count.changed > 0 || count.old != count.new);
        let counts: Vec<String> = counts
            .map(|count| match count.old == count.new {
                true => format!("{} of {} {}", count.changed, count.new, count.section),
                false => format!("{} of {} {} (there were {})", count.changed, count.new, count.section, count.old),
            })
            .collect();
        let counts = if counts.is_empty() { "order or defaults".to_owned() } else { counts.join(", ") };
        parts.push(format!("Changed in the config compared with {}: {counts}.\n\n", code(&report.old)));
        let mut list = String::new();
        for group in groups {
            let all =
                if group.entities.len() > 1 { format!(" ({} in all)", group.entities.len()) } else { String::new() };
            let _ = writeln!(list, "- {} {}{all}", group.section, escaped(&names(&group.entities, MOST_NAMES)));
            for change in &group.changes {
                let _ = writeln!(list, "  - {}", escaped(&one_line(change)));
            }
        }
        if groups.len() > 10 {
            parts.push("<details><summary>Entity by entity</summary>\n\n".to_owned());
            parts.extend(list.split_inclusive('\n').map(str::to_owned));
            parts.push("\n</details>\n".to_owned());
        } else {
            parts.extend(list.split_inclusive('\n').map(str::to_owned));
        }
    }
    bounded(out, &parts)
}

/// As many parts as there is room for. What is opened is closed.
fn bounded(mut out: String, parts: &[String]) -> String {
    const LEFT_OUT: &str = "\n</details>\n\nThe rest has no room in a comment: `tpvc diff` shows all.\n";
    // Characters are never more than bytes.
    let most = MOST - LEFT_OUT.len() - "\n</details>".len();
    let mut open = 0_usize;
    for part in parts {
        if out.len() + part.len() > most {
            let rest = LEFT_OUT.trim_start_matches("\n</details>\n");
            out.push_str(&"\n</details>\n".repeat(open));
            out.push_str(rest);
            return out;
        }
        out.push_str(part);
        open = (open + part.matches("<details>").count()).saturating_sub(part.matches("</details>").count());
    }
    out
}

fn summary(jobs: &Jobs) -> String {
    let Pair { old, new } = jobs.all;
    let mark = if jobs.fail_now > 0 { ":x: " } else { "" };
    let mut out: String = jobs.failing().iter().map(|line| format!("{}.\n\n", escaped(line))).collect();
    out.insert_str(0, mark);
    let _ = write!(out, "**{} of {}** get another answer.", grouped(jobs.differing.new.jobs), jobs.counted());
    if jobs.invalid > 0 {
        let _ = write!(out, " {}.", left_out(jobs.invalid));
    }
    if jobs.made {
        out.push_str("\n\n");
        return out;
    }
    if let Some(about) = about_totals(jobs) {
        let _ = write!(out, " Below: {about}.");
    }
    out.push_str("\n\n| | before | after | |\n| --- | ---: | ---: | ---: |\n");
    #[expect(clippy::cast_precision_loss, reason = "a count for people")]
    let errors = (old.errors as f64, new.errors as f64);
    let quantities = jobs.all.quantities().map(|(quantity, old, new)| (caption(quantity), old, new));
    let rows = std::iter::once(("errors".to_owned(), errors.0, errors.1)).chain(quantities);
    for (name, old, new) in rows.filter(|(_, old, new)| *old > 0.0 || *new > 0.0) {
        let difference = if old == new { "=".to_owned() } else { sign(new - old) };
        let _ = writeln!(out, "| {name} | {} | {} | {difference} |", amount(old), amount(new));
    }
    out.push('\n');
    out
}

fn sign(difference: f64) -> String {
    if difference > 0.0 { format!("+{}", amount(difference)) } else { amount(difference) }
}

fn jobs_parts(jobs: &Jobs) -> Vec<String> {
    let mut parts = Vec::new();
    if jobs.causes.is_empty() {
        return parts;
    }
    parts.push("| jobs | what | because |\n| ---: | --- | --- |\n".to_owned());
    for cause in jobs.causes.iter().take(MOST_ROWS) {
        let mark = if is_new_error(cause) { ":x: " } else { "" };
        let because =
            cause.reasons.iter().take(3).map(|reason| escaped(&reason.because)).collect::<Vec<_>>().join("<br>");
        parts.push(format!("| {} | {mark}{} | {because} |\n", grouped(cause.amounts.new.jobs), escaped(&cause.cause)));
    }
    if jobs.causes.len() > MOST_ROWS {
        let rest = jobs.causes.iter().skip(MOST_ROWS).map(|cause| cause.amounts.new.jobs).sum();
        parts.push(format!(
            "| {} | {} | |\n",
            grouped(rest),
            count((jobs.causes.len() - MOST_ROWS) as u64, "more cause")
        ));
    }
    parts.push("\n".to_owned());
    let moved: Vec<_> = jobs.moved().collect();
    if !moved.is_empty() {
        let columns: String = Quantity::ALL.map(|quantity| format!(" {} |", caption(quantity))).concat();
        let numbers = " ---: |".repeat(Quantity::COUNT);
        parts.push(format!(
            "<details><summary>Destinations</summary>\n\n| destination | jobs |{columns}\n| --- | ---: |{numbers}\n"
        ));
        for row in moved.iter().take(MOST_ROWS) {
            let Pair { old, new } = row.amounts;
            #[expect(clippy::cast_precision_loss, reason = "a count for people")]
            let jobs = changed(old.jobs as f64, new.jobs as f64).replace("->", "→");
            let given = row.amounts.quantities().map(|(_, old, new)| format!(" {} |", changed(old, new))).concat();
            parts.push(format!("| {} | {jobs} |{}\n", code(&row.id), given.replace("->", "→")));
        }
        parts.push("\n</details>\n\n".to_owned());
    }
    if jobs.causes.iter().any(|cause| !cause.examples.is_empty()) {
        parts.push("<details><summary>Examples</summary>\n\n| line | tool | what |\n| ---: | --- | --- |\n".to_owned());
        for example in jobs.causes.iter().take(MOST_ROWS).flat_map(|cause| cause.examples.iter().take(1)) {
            let details = example.differ.iter().take(4);
            let details: Vec<String> =
                details.map(|detail| format!("{}: {}", detail.field, arrow(&detail.old, &detail.new))).collect();
            parts.push(format!("| {} | {} | {} |\n", example.line, code(&example.tool), escaped(&details.join("; "))));
        }
        parts.push("\n</details>\n\n".to_owned());
    }
    parts
}

fn is_new_error(cause: &Cause) -> bool {
    cause.amounts.new.errors > cause.amounts.old.errors
}
