//! An explanation as one page: styles inside, no scripts, nothing to fetch.

use std::fmt::Write;

use tpv_galaxy::json::Json;
use tpv_runtime::mapper::places::ConfigPlace;

use crate::page::{Page, code, escape, facts, prose, section};

use super::{
    Candidate, Explanation, Property, Rule, RuleState, Verdict, show_json, shown_fields, with_unit, with_unit_of,
};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(explanation: &Explanation) -> String {
    let title = match &explanation.outcome {
        Verdict::Mapped(fields) => format!("Mapped to {}", field(fields, "id")),
        Verdict::Failed { kind, .. } => format!("Not mapped: {kind}"),
        Verdict::Open => "A mapping".to_owned(),
    };
    let mut page = Page::new(title.as_str());
    page.style(STYLE);
    let out = page.body();
    result(out, explanation, &title);
    job(out, explanation);
    destinations(out, explanation);
    tried(out, explanation);
    pools(out, explanation);
    in_cpython(out, explanation);
    values(out, &explanation.values);
    rules(out, explanation);
    entities(out, explanation);
    page.render()
}

/// The number of lines of code shown by default.
const LINES: usize = 6;

/// Code of any length: one line as it is, more in a box, many behind their first line.
fn block(text: &str) -> String {
    let text = text.trim_end();
    match text.lines().count() {
        0 | 1 => code(text),
        2..=LINES => format!("<pre>{}</pre>", escape(text)),
        lines => format!(
            "<details><summary>{} <small>{lines} lines</small></summary><pre>{}</pre></details>",
            code(text.trim_start().lines().next().unwrap_or_default()),
            escape(text)
        ),
    }
}

/// A place: its file's name, the line, and the whole of it as a tip.
fn at(place: Option<&ConfigPlace>) -> String {
    place.map_or_else(String::new, |place| {
        let name = place.file.rsplit('/').next().unwrap_or_default();
        format!("<span class=\"at\" title=\"{}\">{}:{}</span>", escape(&place.to_string()), escape(name), place.line)
    })
}

fn field(fields: &[(&str, Json)], name: &str) -> String {
    fields.iter().find(|(known, _)| *known == name).map_or_else(String::new, |(_, value)| show_json(value))
}

fn result(out: &mut String, explanation: &Explanation, title: &str) {
    match &explanation.outcome {
        Verdict::Mapped(fields) => {
            let _ = writeln!(out, "<header class=\"good\">\n<h1>{}</h1>", escape(title));
            let names = shown_fields();
            facts(out, names.map(|name| (name, with_unit_of(name, &field(fields, name)))));
            let _ = writeln!(out, "</header>");
        }
        Verdict::Failed { message, trace, .. } => {
            let _ = writeln!(
                out,
                "<header class=\"bad\">\n<h1>{}</h1>\n<p class=\"message\">{}</p>",
                escape(title),
                escape(message)
            );
            for (index, call) in trace.iter().flat_map(|trace| &trace.calls).enumerate() {
                let word = if index == 0 { "raised" } else { "called" };
                let function = call.function.as_ref().map_or_else(String::new, |name| format!(", in {}", escape(name)));
                let _ = writeln!(out, "<p>{word} at {}{function}</p>", at(Some(&call.place)));
            }
            let _ = writeln!(out, "</header>");
        }
        Verdict::Open => {}
    }
}

fn job(out: &mut String, explanation: &Explanation) {
    let job = || explanation.job.iter().map(|(name, value)| (*name, value.clone()));
    section(out, "The job", |out| facts(out, job()));
}

fn destinations(out: &mut String, explanation: &Explanation) {
    if explanation.destinations.is_empty() {
        return;
    }
    let ordered = explanation.ordered_destinations();
    let matched = ordered.iter().filter(|candidate| candidate.reasons.is_empty()).count();
    section(out, "Destinations", |out| {
        let _ = writeln!(out, "<p class=\"note\">{matched} of {} can take the job.</p>", ordered.len());
        if let Some((expression, place)) = &explanation.ranked_by {
            let _ = writeln!(out, "<div class=\"note\">Ranked by {} {}</div>", block(expression), at(place.as_ref()));
        }
        let (able, unable): (Vec<&Candidate>, Vec<&Candidate>) =
            ordered.iter().partition(|candidate| candidate.reasons.is_empty());
        cards(out, &able);
        if !unable.is_empty() {
            let ids: Vec<&str> = unable.iter().map(|candidate| candidate.id.as_str()).collect();
            // Where nothing can take the job, the reasons are what the reader came for.
            let open = if able.is_empty() { " open" } else { "" };
            let _ = writeln!(
                out,
                "<details{open}>\n<summary>{} cannot take the job <small>{}</small></summary>",
                unable.len(),
                escape(&ids.join(", "))
            );
            cards(out, &unable);
            let _ = writeln!(out, "</details>");
        }
        let abstract_ids = explanation.abstract_destinations();
        if !abstract_ids.is_empty() {
            let _ = writeln!(out, "<p class=\"note\">Abstract, never taken: {}</p>", escape(&abstract_ids.join(", ")));
        }
    });
}

fn cards(out: &mut String, candidates: &[&Candidate]) {
    let _ = writeln!(out, "<ul class=\"cards\">");
    candidates.iter().for_each(|candidate| destination(out, candidate));
    let _ = writeln!(out, "</ul>");
}

fn destination(out: &mut String, candidate: &Candidate) {
    let (class, badge) = match candidate.rank {
        Some(rank) => ("good", format!("#{rank}")),
        None if candidate.reasons.is_empty() => ("good", "matched".to_owned()),
        None => ("bad", "no".to_owned()),
    };
    let _ = write!(
        out,
        "<li><div class=\"head\"><span class=\"badge {class}\">{badge}</span><b>{}</b>",
        escape(&candidate.id)
    );
    if let Some(score) = candidate.score {
        let _ = write!(out, "<span class=\"score\">score {score}</span>");
    }
    let _ = writeln!(out, "{}</div>", at(candidate.place.as_ref()));
    if !candidate.reasons.is_empty() {
        let _ = writeln!(out, "<ul class=\"reasons\">");
        for reason in &candidate.reasons {
            let _ = writeln!(out, "<li>{}</li>", prose(reason));
        }
        let _ = writeln!(out, "</ul>");
    }
    let _ = writeln!(out, "</li>");
}

fn tried(out: &mut String, explanation: &Explanation) {
    if explanation.tried.is_empty() {
        return;
    }
    section(out, "Tried in this order", |out| {
        let _ = writeln!(out, "<ol class=\"plain\">");
        for tried in &explanation.tried {
            let place = at(tried.place.as_ref());
            let _ = writeln!(out, "<li><b>{}</b> {} {place}</li>", escape(&tried.id), prose(&tried.what));
        }
        let _ = writeln!(out, "</ol>");
    });
}

fn pools(out: &mut String, explanation: &Explanation) {
    if explanation.pools.is_empty() {
        return;
    }
    section(out, "Resource pools", |out| {
        let _ = writeln!(out, "<ol class=\"plain\">");
        for pool in &explanation.pools {
            let detail = pool.detail.as_deref().map_or_else(String::new, block);
            let _ = writeln!(out, "<li>{} {}{detail}</li>", escape(&pool.what), at(pool.place.as_ref()));
        }
        let _ = writeln!(out, "</ol>");
    });
}

fn in_cpython(out: &mut String, explanation: &Explanation) {
    if explanation.in_cpython.is_empty() {
        return;
    }
    section(out, "Run in CPython", |out| {
        let _ = writeln!(out, "<ol>");
        for block in &explanation.in_cpython {
            let _ = writeln!(out, "<li>{} because {}</li>", at(block.place.as_ref()), prose(&block.reason));
        }
        let _ = writeln!(out, "</ol>");
        if let Some(reason) = &explanation.once_more {
            let _ = writeln!(out, "<p>Native code could not go on: {}</p>", prose(reason));
        }
    });
}

fn values(out: &mut String, properties: &[Property]) {
    if properties.is_empty() {
        return;
    }
    section(out, "Where the values come from", |out| {
        let _ = writeln!(out, "<p class=\"note\">Of each value, the last one that is not struck out counts.</p>");
        let _ = writeln!(out, "<div class=\"values\">");
        for property in properties {
            value(out, property);
        }
        let _ = writeln!(out, "</div>");
    });
}

fn value(out: &mut String, property: &Property) {
    let (group, name) = match &*property.name {
        "" => (String::new(), property.field.group()),
        name => (format!("<small>{}</small> ", property.field.group()), name),
    };
    let _ = writeln!(
        out,
        "<article>\n<h3>{group}{}</h3>\n<div class=\"value\">{}</div>\n<ol class=\"history\">",
        escape(name),
        block(&with_unit(property.field, &property.value))
    );
    let last = property.history.len().saturating_sub(1);
    for (index, change) in property.history.iter().enumerate() {
        // The value stands above already.
        let shown = if index == last && change.value == property.value {
            String::new()
        } else {
            block(&with_unit(property.field, &change.value))
        };
        let class = if index == last { "" } else { " class=\"over\"" };
        let _ = writeln!(
            out,
            "<li{class}>{shown}<span class=\"by\">{} {}</span></li>",
            escape(&change.by),
            at(change.place.as_ref())
        );
    }
    let _ = writeln!(out, "</ol>");
    if let Some(note) = &property.note {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", prose(note));
    }
    let _ = writeln!(out, "</article>");
}

fn rules(out: &mut String, explanation: &Explanation) {
    if explanation.rules.is_empty() {
        return;
    }
    let fired = explanation.rules.iter().filter(|rule| rule.state == RuleState::Fired).count();
    section(out, "Rules", |out| {
        let _ = writeln!(out, "<p class=\"note\">{fired} of {} fired.</p>", explanation.rules.len());
        let _ = writeln!(out, "<ul class=\"cards\">");
        explanation.rules.iter().for_each(|item| rule(out, item));
        let _ = writeln!(out, "</ul>");
    });
}

fn rule(out: &mut String, rule: &Rule) {
    let class = match rule.state {
        RuleState::Fired => "good",
        RuleState::NotFired => "idle",
        RuleState::Raised | RuleState::Failed => "bad",
    };
    let badge = rule.state.word();
    let whose = rule.destination.as_ref().map_or_else(String::new, |id| format!(" of destination {}", escape(id)));
    let _ = writeln!(
        out,
        "<li><div class=\"head\"><span class=\"badge {class}\">{badge}</span><b>{}</b>{whose}{}</div>\n{}",
        escape(&rule.id),
        at(rule.place.as_ref()),
        block(&rule.condition)
    );
    if !rule.reads.is_empty() {
        let _ = writeln!(out, "<dl class=\"reads\">");
        for read in &rule.reads {
            let _ = writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", code(&read.name), code(&read.value));
        }
        let _ = writeln!(out, "</dl>");
    }
    let _ = writeln!(out, "</li>");
}

fn entities(out: &mut String, explanation: &Explanation) {
    section(out, "Entities", |out| {
        let _ = writeln!(out, "<p class=\"note\">Later ones count over earlier ones.</p>");
        for lookup in &explanation.lookups {
            let _ = writeln!(out, "<h3><small>{}</small> {}</h3>", lookup.section, escape(&lookup.name));
            if lookup.found.is_empty() {
                let _ = writeln!(out, "<p class=\"note\">no match</p>");
                continue;
            }
            let _ = writeln!(out, "<ol class=\"plain\">");
            for found in &lookup.found {
                let _ = writeln!(
                    out,
                    "<li><b>{}</b> <span class=\"by\">{} {}</span></li>",
                    escape(&found.id),
                    escape(found.because),
                    at(found.place.as_ref())
                );
            }
            let _ = writeln!(out, "</ol>");
        }
    });
}
