//! T128: rules that count for no job, because a later rule of the same list applies wherever they do, and sets all that they set.
//!
//! TPV applies all rules whose conditions hold, in order; of two that set a field the later one counts. Rules that another file or an entity
//! that inherits adds are meant to override.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tpv_bytecode::CodeKind;
use tpv_compiler::python::syntax::ast::{BoolOp, CmpOp, Expr, Ranged, Stmt};

use super::Linter;
use crate::parts::{Name, parts};
use tpv_compiler::checker::constant;
use tpv_compiler::python::{parse, validate};
use tpv_config::entity::{Entity, Rule};
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::{SourceId, Span};

/// With more rules than this an entity's are not compared: each is, with each.
const MOST_RULES: usize = 200;

/// Looks at the rules of all entities.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let entities = || EntityClass::COMBINED.into_iter().flat_map(|kind| config.section(kind).values());
    // Where another entity has a rule of the same id, the order of a job's rules is not that of this one.
    let mut places: HashMap<&str, HashSet<Span>> = HashMap::new();
    for rule in entities().flat_map(|entity| entity.rules.values()) {
        places.entry(&rule.id).or_default().insert(rule.span);
    }
    let is_alone = |rule: &Rule| places.get(&*rule.id).is_some_and(|places| places.len() == 1);
    let mut starts: Vec<Span> = entities().map(|entity| entity.span).collect();
    starts.sort_unstable();
    let list_of = |rule: &Rule| (rule.span.source, starts.partition_point(|start| *start < rule.span));
    let mut known: HashMap<Span, Rc<Read<'_>>> = HashMap::new();
    let mut found = HashSet::new();
    for entity in entities().filter(|entity| entity.rules.len() <= MOST_RULES) {
        // Rules that two entities inherit are compared once.
        let rules = entity.rules.values().map(|rule| match known.get(&rule.span) {
            Some(read) => (read.clone(), false),
            None => (Rc::new(Read::new(rule, list_of(rule), is_alone(rule))), true),
        });
        let rules: Vec<(Rc<Read<'_>>, bool)> = rules.collect();
        for (at, (earlier, is_new)) in rules.iter().enumerate() {
            known.insert(earlier.rule.span, earlier.clone());
            // Code that looks at the entity sees what the earlier rule has set.
            let after = rules.iter().skip(at + 1).take_while(|(rule, _)| !rule.reads_entity);
            let later =
                after.filter(|(_, is_new_too)| *is_new || *is_new_too).find(|(later, _)| later.outdoes(earlier));
            if let Some((later, _)) = later
                && found.insert(earlier.rule.span)
            {
                linter.report(
                    Finding::new(Code::UselessRule, finding(entity, earlier.rule, later.rule))
                        .of(&entity.common.no_qa_codes),
                );
            }
        }
    }
}

fn finding(entity: &Entity, earlier: &Rule, later: &Rule) -> Diagnostic {
    let name = |rule: &Rule| if rule.id.starts_with("tpv_rule_") { String::new() } else { format!(" `{}`", rule.id) };
    let (message, help) = if later.fail().is_some() {
        (
            format!("the rule{} has no effect: a later rule fails them all", name(earlier)),
            "correct one of the conditions",
        )
    } else {
        (
            format!("the rule{} has no effect: a later rule sets the same fields for all of them", name(earlier)),
            "put the rule that applies to more jobs first, or bound its condition",
        )
    };
    Diagnostic::warning(message)
        .at(earlier.condition().span, "if this is true")
        .also(later.condition().span, format!("this is true as well, and the rule{} comes later", name(later)))
        .also(entity.span, format!("in the {} `{}`", entity.class.noun(), entity.id))
        .note("TPV applies all matching rules in order")
        .help(help)
}

/// A rule with what it says.
struct Read<'a> {
    rule: &'a Rule,
    /// The list that it is in: its file, and the number of entities that begin before it.
    list: (SourceId, usize),
    /// The parts of its condition, all of which must hold. Empty where nothing is known of it.
    atoms: Vec<Atom>,
    /// The parts that it sets.
    sets: HashSet<Name<'a>>,
    /// `true` if it sets nothing else.
    is_plain: bool,
    /// `true` if no other rule has its id.
    is_alone: bool,
    /// `true` if its code may look at what rules before it have set.
    reads_entity: bool,
}

impl<'a> Read<'a> {
    fn new(rule: &'a Rule, list: (SourceId, usize), is_alone: bool) -> Self {
        let common = &rule.common;
        let executes = rule.execute().is_some_and(|text| !text.value.is_empty());
        let mut env = common.env.iter().flat_map(|env| env.iter());
        let has_names = env.all(|entry| entry.iter().any(|(key, _)| &**key == "name"));
        let condition = rule.condition().as_str().unwrap_or("");
        let looks = |text: &str| ["entity", "self", "mapper"].iter().any(|word| text.contains(word));
        // A condition that is no code is a switch.
        let atoms = if condition.is_empty() { Vec::new() } else { atoms(condition) };
        Self {
            rule,
            list,
            atoms,
            sets: parts(common).into_iter().map(|part| part.name).collect(),
            is_plain: !executes && has_names && common.extras.is_empty() && common.tags.extras.is_empty(),
            is_alone,
            reads_entity: executes || looks(condition) || rule.fail().is_some_and(|text| looks(text.as_str())),
        }
    }

    /// Returns `true` if nothing is left of what an earlier rule does.
    fn outdoes(&self, earlier: &Self) -> bool {
        let fails = |rule: &Self| rule.rule.fail().is_some_and(|text| !text.value.is_empty());
        let takes_all = fails(self) || earlier.sets.is_subset(&self.sets);
        self.list == earlier.list
            && !earlier.atoms.is_empty()
            && !self.atoms.is_empty()
            && earlier.is_plain
            && self.is_plain
            && earlier.is_alone
            && self.is_alone
            && !fails(earlier)
            && !earlier.sets.is_empty()
            && takes_all
            && self.atoms.iter().all(|atom| earlier.atoms.iter().any(|own| own.implies(atom)))
    }
}

/// Words of conditions that may give something else each time.
const CHANGING: [&str; 7] = ["random", "choice", "weighted", "now", "time", "pop", ":="];

/// A part of a condition.
#[derive(Debug, PartialEq)]
enum Atom {
    /// Anything, by its text.
    Text(String),
    /// A text that is compared with a number.
    Bound { what: String, op: CmpOp, number: f64 },
}

impl Atom {
    /// Returns `true` if the other holds wherever this one does.
    fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bound { what, op, number }, Self::Bound { what: same, op: wanted, number: bound })
                if what == same =>
            {
                match (op, wanted) {
                    (CmpOp::Gt, CmpOp::Gt | CmpOp::GtE) | (CmpOp::GtE, CmpOp::GtE) => number >= bound,
                    (CmpOp::GtE, CmpOp::Gt) => number > bound,
                    (CmpOp::Lt, CmpOp::Lt | CmpOp::LtE) | (CmpOp::LtE, CmpOp::LtE) => number <= bound,
                    (CmpOp::LtE, CmpOp::Lt) => number < bound,
                    (CmpOp::Eq, CmpOp::Gt) => number > bound,
                    (CmpOp::Eq, CmpOp::GtE) => number >= bound,
                    (CmpOp::Eq, CmpOp::Lt) => number < bound,
                    (CmpOp::Eq, CmpOp::LtE) => number <= bound,
                    _ => self == other,
                }
            }
            _ => self == other,
        }
    }
}

/// The parts of a condition of one expression that gives the same each time it is asked; none for any other.
fn atoms(condition: &str) -> Vec<Atom> {
    let mut out = Vec::new();
    let changes = CHANGING.iter().any(|part| condition.contains(part));
    if let Ok(parsed) = parse::parse(condition, CodeKind::Block)
        && validate::validate(&parsed.body, &parsed.text).is_ok()
        && let ([Stmt::Expr(node)], false) = (parsed.body.as_slice(), changes)
        // `if: True` is a switch.
        && !node.value.is_constant_expr()
    {
        collect(&node.value, condition, &mut out);
    }
    out
}

fn collect(node: &Expr, source: &str, out: &mut Vec<Atom>) {
    let text = |node: &Expr| {
        source.get(node.range().start().to_usize()..node.range().end().to_usize()).unwrap_or("").to_owned()
    };
    match node {
        Expr::BoolOp(all) if matches!(all.op, BoolOp::And) => {
            all.values.iter().for_each(|value| collect(value, source, out));
        }
        Expr::Compare(compare) => {
            let mut left = &*compare.left;
            for (op, right) in compare.ops.iter().zip(&compare.comparators) {
                out.push(match (constant(left), constant(right)) {
                    (None, Some(number)) => Atom::Bound { what: text(left), op: *op, number },
                    (Some(number), None) => Atom::Bound { what: text(right), op: swapped(*op), number },
                    _ => Atom::Text(format!("{} {op:?} {}", text(left), text(right))),
                });
                left = right;
            }
        }
        node => out.push(Atom::Text(text(node))),
    }
}

/// The comparison with its sides in the place of each other.
fn swapped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::LtE => CmpOp::GtE,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::GtE => CmpOp::LtE,
        other => other,
    }
}
