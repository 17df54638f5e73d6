//! The checker of code, in place of TPV's mypy: T103, T105 to T108, T111 to T113, T119, T130 to T133, T151 and T152.
//!
//! Every text is parsed once and walked once ([`block`]); the names it takes from outside are then looked for in the
//! surroundings of each entity that the text has come to by inheriting ([`names`]).

mod argument_types;
mod arrivals;
mod attributes;
mod bindings;
mod block;
mod calls;
mod cpython;
mod data_sizes;
mod equality;
mod expressions;
mod failing;
mod for_some;
mod found;
mod guess;
mod imports;
mod keys;
mod kinds;
mod left_out;
mod lost;
mod names;
mod narrow;
mod older;
mod operands;
mod optional;
mod order;
mod patterns;
mod place;
mod quantity;
pub mod sites;
mod sql_placeholders;
mod statements;
mod stubs;
pub mod types;
mod uncalled;
mod unevaluated;
pub mod units;
mod values;
mod versions;
mod wrong_units;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_front::syntax::ast::Stmt;
use tpv_runtime::mapper::inventory::Inventory;

use crate::link::{Need, python_3_12};
use tpv_config::Config;
use tpv_config::origin::TextOrigin;
use tpv_front::parse::{self, Tree};
use tpv_front::program::Trees;
use tpv_front::run_time;
use tpv_front::stack::on_roomy_thread;
use tpv_front::validate;
use tpv_model::EntityClass;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::{SourceMap, Span};

pub use names::GIVEN;
pub use place::place;
pub use values::constant;

use block::{Checked, Ends, Fault, Surroundings};
use found::Found;
use sites::Site;
use tpv_text::code::Code;

/// The codes of code that raises when a job runs it, in compiled rules at least: compiling reports them, too.
pub const RAISING: [Code; 5] =
    [Code::UnknownName, Code::AlwaysRaises, Code::LiveAttribute, Code::NeedsCPython, Code::AsksLiveServer];

/// The checker's results for the compiler.
pub(crate) struct Raising {
    /// The diagnostics of code that raises.
    pub diagnostics: Vec<Diagnostic>,
    /// The root codes of the blocks that CPython runs where there is one, with the reasons.
    pub needs: HashMap<u32, Need>,
}

/// The findings about all code of a config.
pub fn check(config: &Config, sources: &SourceMap) -> Vec<Finding> {
    let mut found = Found::new(config, sources);
    look(&mut found, None);
    found.findings
}

/// The findings about code that compiles and raises ([`RAISING`]), unless `# noqa` turns them off, and the blocks that need CPython.
///
/// `trees` is what the code was compiled from, so that nothing is parsed again.
pub(crate) fn raising(config: &Config, sources: &SourceMap, trees: &Trees) -> Raising {
    let check = || {
        let mut found = Found::new(config, sources);
        look(&mut found, Some(trees));
        found.findings.retain(|finding| RAISING.contains(&finding.code));
        (found.findings, found.needs)
    };
    let (findings, needs) = on_roomy_thread(check).unwrap_or_else(check);
    Raising { diagnostics: findings.into_iter().map(|finding| finding.diagnostic).collect(), needs }
}

/// Looks at all code. Where the trees of the compiler are given, only what raises is looked for ([`RAISING`]).
fn look(found: &mut Found<'_>, trees: Option<&Trees>) {
    let raising = trees.is_some();
    let Some(native) = Inventory::new(Arc::new(run_time::compile), found.config.version) else { return };
    let sites = sites::collect(found.config);
    let mut surroundings = Surroundings {
        native: RefCell::new(native),
        version: found.config.version,
        contexts: names::context_names(found.config),
        context_types: HashMap::new(),
        attributes: found.extra_fields(),
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
    if !unknown {
        let mut types = names::context_types(found.config);
        // Where an entity lacks a name, Python or TPV may have it.
        let is_elsewhere = |name: &str| {
            let lists = [stubs::model().builtins(), stubs::model().loader()];
            lists.iter().any(|names| names.contains(name)) || surroundings.native.borrow_mut().has_name(name)
        };
        types.retain(|name, _| !set_by_code.contains(name) && !is_elsewhere(name));
        surroundings.context_types = types;
    }
    surroundings.contexts.extend(set_by_code.iter().cloned());
    let mut names = names::Names::new(found.config, set_by_code);
    // What a rule's condition says of `user` holds in everything that the rule sets.
    let mut facts: HashMap<Span, HashMap<String, types::Type>> = HashMap::new();
    let failing = (!raising).then(|| failing::Failing::new(found.config, &sites, &parsed, &surroundings));
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
            let span = TextOrigin::new(site.text, found.sources).place(newer.line as usize, newer.column as usize);
            let diagnostic = python_3_12(span, newer);
            found.report(Finding::new(Code::NewFString, diagnostic).within(site.no_qa()));
        }
        let checked = check_one(site, parsed, start, &surroundings);
        if let (Some(rule), "if") = (site.rule, site.property) {
            facts.insert(rule, checked.facts_if_true.clone());
        }
        if let Some(need) = &checked.need
            && let Some(root) = trees.and_then(|trees| trees.root(site.text.as_str(), site.kind))
        {
            found.needs_cpython(root, need.clone());
        }
        report(found, site, &checked.faults);
        // Where contexts get names that are not known, of all others none can be said to be missing.
        let is_judged = |free: &&block::Free| !unknown || matches!(free.bound, block::Bound::LeftOut { .. });
        names.check_names(found, site, checked.free.iter().filter(is_judged), &surroundings, parsed, raising);
        if raising {
            continue;
        }
        let memory = Some(site.property).filter(|field| site.kind != CodeKind::Exec && data_sizes::is_memory(field));
        report(found, site, &data_sizes::check(&parsed.body, &parsed.source, memory, &surroundings.contexts));
        keys::check(found, site, &checked.keys, &sites, &names);
        lost::judge(found, site, &parsed.body, &surroundings);
        unevaluated::judge(found, site, parsed, &names);
        if let Some((ty, expr)) = &checked.result {
            values::judge(found, site, ty, expr);
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
pub fn parse(site: &Site<'_>) -> Option<Tree> {
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
    block::check(body, &parsed.source, ends, facts, surroundings)
}

fn report(found: &mut Found<'_>, site: &Site<'_>, faults: &[Fault]) {
    for fault in faults {
        let span = place(found.sources, site.text, site.kind, fault.range);
        let mut diagnostic = Diagnostic::warning(fault.message.clone()).at(span, fault.label.clone());
        diagnostic.help.clone_from(&fault.help);
        diagnostic.notes.extend(fault.note.clone());
        if let Some((range, text)) = &fault.also {
            diagnostic = diagnostic.also(place(found.sources, site.text, site.kind, *range), text);
        }
        found.report(Finding::new(fault.code, diagnostic).within(site.no_qa()));
    }
}
