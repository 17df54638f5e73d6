//! The checker of code, in place of TPV's mypy: T103, T105 to T108, T111 to T113, T119 and T130 to T133.
//!
//! Every text is parsed once and walked once ([`checker`]); the names it takes from outside are then looked for in the
//! surroundings of each entity that the text has come to by inheriting ([`names`]).

mod argument_types;
mod attributes;
mod bindings;
mod calls;
mod checker;
mod cpython;
mod equality;
mod expressions;
mod failing;
mod imports;
mod left_out;
mod lost;
mod names;
mod narrow;
mod order;
pub(super) mod sites;
mod sizes;
mod statements;
pub(super) mod types;
mod uncalled;
mod values;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rustpython_parser::ast::Stmt;
use rustpython_parser::text_size::TextRange;
use tpv_bytecode::CodeKind;
use tpv_runtime::mapper::inventory::Inventory;

use crate::config::origin::TextOrigin;
use crate::diagnostic::Diagnostic;
use crate::link::python_3_12;
use crate::python::parse::{self, Tree};
use crate::python::program::Trees;
use crate::python::run_time;
use crate::python::validate;
use crate::source::Span;
use crate::yaml::value::Text;
use tpv_model::EntityClass;

use super::{Finding, Linter};
pub(super) use values::constant;

use checker::{Checked, Ends, Surroundings};
use sites::Site;

/// The characters that TPV writes before the text of an f-string.
const FSTRING_PREFIX: usize = 4;

/// Checks all code. Where the trees of the compiler are given, only what raises is looked for ([`super::codes::RAISING`]).
pub(super) fn check(linter: &mut Linter<'_>, trees: Option<&Trees>) {
    let raising = trees.is_some();
    let Some(native) = Inventory::new(Arc::new(run_time::compile)) else { return };
    let sites = sites::collect(linter.config);
    let mut surroundings = Surroundings {
        native: RefCell::new(native),
        contexts: names::context_names(linter.config),
        attributes: linter.extra_fields(),
    };
    let own: Vec<Option<Tree>> = if raising { Vec::new() } else { sites.iter().map(parse).collect() };
    let parsed: Vec<Option<&Tree>> = match trees {
        Some(trees) => sites.iter().map(|site| source(site).and_then(|(text, kind)| trees.get(text, kind))).collect(),
        None => own.iter().map(Option::as_ref).collect(),
    };
    // Names that code puts into a context, and whether it puts some there that are not known.
    let mut unknown = false;
    let mut set_by_code = HashSet::new();
    for parsed in parsed.iter().copied().flatten() {
        let bindings = bindings::collect(&parsed.body);
        surroundings.attributes.extend(bindings.attributes);
        set_by_code.extend(bindings.contexts);
        unknown |= bindings.unknown;
    }
    surroundings.contexts.extend(set_by_code.iter().cloned());
    let mut names = names::Names::new(linter.config, set_by_code);
    // What a rule's condition says of `user` holds in everything that the rule sets.
    let mut facts: HashMap<Span, HashMap<String, types::Type>> = HashMap::new();
    let failing = (!raising).then(|| failing::Failing::new(linter.config, &sites, &parsed, &surroundings));
    for (site, parsed) in sites.iter().zip(parsed.iter().copied()) {
        let Some(parsed) = parsed else { continue };
        let start = match site.rule {
            Some(rule) if site.property != "if" => facts.get(&rule).cloned().unwrap_or_default(),
            _ => HashMap::new(),
        };
        let mut start = start;
        start.extend(failing.iter().flat_map(|failing| failing.before(site)));
        if matches!(site.kind_of_owner(), EntityClass::User | EntityClass::Role) {
            // Users and roles are looked up only for a user.
            start.insert("user".to_owned(), types::Type::Class("User"));
        }
        if let Some(newer) = parsed.newer.as_ref().filter(|_| !raising) {
            let span = TextOrigin::new(site.text, linter.sources).place(newer.line as usize, newer.column as usize);
            let diagnostic = python_3_12(span, newer);
            linter.report(Finding::new("T120", diagnostic).within(site.no_qa()));
        }
        let checked = check_one(site, parsed, start, &surroundings);
        if let (Some(rule), "if") = (site.rule, site.property) {
            facts.insert(rule, checked.facts_if_true.clone());
        }
        if let Some(need) = &checked.need
            && let Some(root) = trees.and_then(|trees| trees.root(site.text.as_str(), site.kind))
        {
            linter.needs_cpython(root, need.clone());
        }
        report(linter, site, &checked);
        // Where contexts get names that are not known, of all others none can be said to be missing.
        let is_judged = |free: &&checker::Free| !unknown || matches!(free.bound, checker::Bound::LeftOut { .. });
        names.judge(linter, site, checked.free.iter().filter(is_judged), &surroundings, raising);
        if raising {
            continue;
        }
        lost::judge(linter, site, &parsed.body, &surroundings);
        if let Some((ty, expr)) = &checked.result {
            values::judge(linter, site, ty, expr);
        }
    }
}

/// The text of a site and what it is parsed as, unless it is plain.
fn source<'a>(site: &Site<'a>) -> Option<(&'a str, CodeKind)> {
    match site.kind {
        CodeKind::FString if !site.text.as_str().contains('{') => None,
        kind => Some((site.text.as_str(), kind)),
    }
}

/// Parses a text, unless it is plain or not Python at all, which loading has said already.
pub(super) fn parse(site: &Site<'_>) -> Option<Tree> {
    let (text, kind) = source(site)?;
    let parsed = parse::parse(text, kind).ok()?;
    // This bounds how deep the code nests, and so the recursion of the walk.
    validate::validate(&parsed.body, &parsed.text).ok()?;
    Some(parsed.into_tree())
}

fn check_one<'a>(
    site: &Site<'_>,
    parsed: &'a Tree,
    facts: HashMap<String, types::Type>,
    surroundings: &'a Surroundings,
) -> Checked<'a> {
    let body: &[Stmt] = &parsed.body;
    let ends = match site.property {
        _ if site.kind == CodeKind::Exec => Ends::Statement,
        "if" => Ends::Test,
        _ => Ends::Value,
    };
    checker::check(body, &parsed.source, ends, facts, surroundings)
}

/// The place in the file of a range of the source that Python reads.
pub(super) fn place(linter: &Linter<'_>, text: &Text, kind: CodeKind, range: TextRange) -> Span {
    let added = if kind == CodeKind::FString { FSTRING_PREFIX } else { 0 };
    let start = range.start().to_usize().saturating_sub(added);
    let end = range.end().to_usize().saturating_sub(added);
    TextOrigin::new(text, linter.sources).span(start..end)
}

fn report(linter: &mut Linter<'_>, site: &Site<'_>, checked: &Checked<'_>) {
    for fault in &checked.faults {
        let span = place(linter, site.text, site.kind, fault.range);
        let mut diagnostic = Diagnostic::warning(fault.message.clone()).at(span, fault.label.clone());
        diagnostic.help.clone_from(&fault.help);
        diagnostic.notes.extend(fault.note.clone());
        linter.report(Finding::new(fault.code, diagnostic).within(site.no_qa()));
    }
}
