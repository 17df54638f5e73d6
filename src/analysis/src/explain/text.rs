//! An explanation as text: the result first, short lines, columns that line up.

use std::fmt::Write;

use tpv_runtime::first_line::first_line;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::mapper::trace::Trace;

use super::{
    Candidate, Explanation, InCpython, Property, RuleState, Verdict, show_json, shown_fields, with_unit, with_unit_of,
};
use tpv_text::figures::count;
use tpv_text::printable::put_line;

/// The first column of facts.
const MARGIN: usize = 2;
/// The widest a column grows for its longest cell.
const WIDEST: usize = 36;

/// The text so far, and the widest that its columns grow.
struct Out {
    text: String,
    widest: usize,
}

/// The explanation as text, whose columns leave room for each other in lines of this width, if it has one.
pub(super) fn text(explanation: &Explanation, width: Option<usize>) -> String {
    let widest = width.map_or(WIDEST, |width| (width / 4).min(WIDEST));
    let mut out = Out { text: String::new(), widest };
    result(&mut out, explanation);
    section(
        &mut out,
        "JOB",
        explanation.job.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect(),
    );
    entities(&mut out, explanation);
    rules(&mut out, explanation);
    values(&mut out, &explanation.values);
    destinations(&mut out, explanation);
    tried(&mut out, explanation);
    pools(&mut out, explanation);
    in_cpython(&mut out, explanation);
    out.text
}

fn at(place: Option<&ConfigPlace>) -> String {
    place.map_or_else(String::new, |place| format!("{}:{}", place.file, place.line))
}

fn heading(out: &mut Out, title: &str) {
    out.text.push('\n');
    put_line!(out.text, "{title}");
}

/// Rows in columns; the last column is as long as it needs to be.
fn rows(out: &mut Out, indent: usize, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| row.len() > column + 1).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).filter(|width| *width <= out.widest).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = " ".repeat(indent);
        for (index, cell) in row.iter().enumerate() {
            let width = if index + 1 < row.len() { widths.get(index).copied().unwrap_or(0) } else { 0 };
            let _ = write!(line, "{cell:width$}");
            if index + 1 < row.len() {
                line.push_str("  ");
            }
        }
        put_line!(out.text, "{}", line.trim_end());
    }
}

fn section(out: &mut Out, title: &str, cells: Vec<Vec<String>>) {
    if !cells.is_empty() {
        heading(out, title);
        rows(out, MARGIN, &cells);
    }
}

fn result(out: &mut Out, explanation: &Explanation) {
    match &explanation.outcome {
        Verdict::Open => {}
        Verdict::Mapped(fields) => {
            let field = |name: &str| {
                let found = fields.iter().find(|(known, _)| *known == name);
                found.map_or_else(|| "none".to_owned(), |(_, value)| show_json(value))
            };
            put_line!(out.text, "MAPPED to {}", field("id"));
            let cells = shown_fields().map(|name| vec![name.to_owned(), with_unit_of(name, &field(name))]);
            rows(out, MARGIN, &cells.collect::<Vec<_>>());
        }
        Verdict::Failed { kind, message, trace } => {
            put_line!(out.text, "NOT MAPPED: {kind}");
            for line in message.lines() {
                put_line!(out.text, "  {line}");
            }
            if let Some(place) = trace.as_ref().and_then(Trace::place) {
                put_line!(out.text, "  raised at {place}");
            }
        }
    }
}

fn entities(out: &mut Out, explanation: &Explanation) {
    let mut cells = Vec::new();
    for lookup in &explanation.lookups {
        if lookup.found.is_empty() {
            cells.push(vec![lookup.section.to_owned(), "-".to_owned(), format!("no entry for {}", lookup.name)]);
        }
        for found in &lookup.found {
            cells.push(vec![
                lookup.section.to_owned(),
                found.id.clone(),
                found.because.to_owned(),
                at(found.place.as_ref()),
            ]);
        }
    }
    section(out, "ENTITIES (later over earlier)", cells);
}

fn rules(out: &mut Out, explanation: &Explanation) {
    if explanation.rules.is_empty() {
        return;
    }
    heading(out, "RULES");
    for rule in &explanation.rules {
        let state = match rule.state {
            RuleState::NotFired => format!("{:6}", "no"),
            state => format!("{:6}", state.word().to_uppercase()),
        };
        let whose = rule.destination.as_ref().map_or_else(String::new, |id| format!(" of destination {id}"));
        put_line!(out.text, "  {state}  {}{whose}  {}", rule.id, at(rule.place.as_ref()));
        let lines = rule.condition.lines().count();
        for (index, line) in rule.condition.lines().take(CONDITION_LINES).enumerate() {
            let start = if index == 0 { "if" } else { "" };
            put_line!(out.text, "          {start:2}  {line}");
        }
        if lines > CONDITION_LINES {
            put_line!(out.text, "              ... {}", count((lines - CONDITION_LINES) as u64, "more line"));
        }
        let reads: Vec<Vec<String>> =
            rule.reads.iter().map(|read| vec![read.name.clone(), format!("= {}", read.value)]).collect();
        rows(out, 14, &reads);
    }
}

/// The longest value on one line.
const LONGEST: usize = 72;
/// The number of lines shown of a condition.
const CONDITION_LINES: usize = 4;

/// A value on one short line.
fn clip(text: &str) -> String {
    let line = first_line(text, usize::MAX);
    if line.chars().count() <= LONGEST { line } else { line.chars().take(LONGEST - 3).collect::<String>() + "..." }
}

fn values(out: &mut Out, properties: &[Property]) {
    if properties.is_empty() {
        return;
    }
    heading(out, "VALUES (who set them; below, what they replaced)");
    let mut cells = Vec::new();
    for property in properties {
        let name = match &*property.name {
            "" => property.field.group().to_owned(),
            name => format!("{} {name}", property.field.group()),
        };
        let value = format!("= {}", clip(&with_unit(property.field, &property.value)));
        let Some((last, replaced)) = property.history.split_last() else { continue };
        cells.push(vec![name, value, last.by.clone(), at(last.place.as_ref())]);
        if last.is_code && last.value != property.value {
            cells.push(vec![String::new(), format!("  from {}", clip(&last.value))]);
        }
        if let Some(note) = &property.note {
            cells.push(vec![String::new(), format!("  {note}")]);
        }
        for change in replaced.iter().rev() {
            let value = format!("  not  {}", clip(&with_unit(property.field, &change.value)));
            cells.push(vec![String::new(), value, change.by.clone(), at(change.place.as_ref())]);
        }
    }
    rows(out, MARGIN, &cells);
}

fn destinations(out: &mut Out, explanation: &Explanation) {
    if explanation.destinations.is_empty() {
        return;
    }
    heading(out, "DESTINATIONS");
    let (refused, matched): (Vec<&Candidate>, Vec<&Candidate>) =
        explanation.ordered_destinations().into_iter().partition(|candidate| !candidate.reasons.is_empty());
    let cells: Vec<Vec<String>> = matched
        .iter()
        .map(|candidate| {
            let rank = candidate.rank.map_or_else(|| "-".to_owned(), |rank| format!("#{rank}"));
            let score = candidate.score.map_or_else(String::new, |score| format!("score {score}"));
            vec![rank, candidate.id.clone(), score, at(candidate.place.as_ref())]
        })
        .collect();
    rows(out, MARGIN, &cells);
    if let Some((code, place)) = &explanation.ranked_by {
        put_line!(out.text, "  ranked by the expression at {}: {}", at(place.as_ref()), clip(code));
    }
    for candidate in refused {
        put_line!(out.text, "  no  {}  {}", candidate.id, at(candidate.place.as_ref()));
        for reason in &candidate.reasons {
            put_line!(out.text, "        {reason}");
        }
    }
    let abstract_ids = explanation.abstract_destinations();
    if !abstract_ids.is_empty() {
        put_line!(out.text, "  abstract, never taken: {}", abstract_ids.join(", "));
    }
}

/// Appends the blocks that CPython ran, with the reasons.
fn in_cpython(out: &mut Out, explanation: &Explanation) {
    let block = |block: &InCpython| vec![at(block.place.as_ref()), format!("because {}", block.reason)];
    section(out, "IN CPYTHON", explanation.in_cpython.iter().map(block).collect());
    if let Some(reason) = &explanation.once_more {
        put_line!(out.text, "  native code could not go on: {reason}");
    }
}

fn tried(out: &mut Out, explanation: &Explanation) {
    let cells = explanation
        .tried
        .iter()
        .map(|tried| vec![tried.id.clone(), tried.what.clone(), at(tried.place.as_ref())])
        .collect();
    section(out, "TRIED", cells);
}

fn pools(out: &mut Out, explanation: &Explanation) {
    if explanation.pools.is_empty() {
        return;
    }
    heading(out, "RESOURCE POOLS");
    for pool in &explanation.pools {
        let line = format!("  {}  {}", pool.what, at(pool.place.as_ref()));
        put_line!(out.text, "{}", line.trim_end());
        for line in pool.detail.iter().flat_map(|detail| detail.lines()) {
            put_line!(out.text, "      {line}");
        }
    }
}
