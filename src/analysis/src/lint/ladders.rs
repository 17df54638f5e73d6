//! T156: rules for sizes of inputs that give less than they seem to: a later rule with less replaces one with more where both ranges overlap, the last range
//! has an upper end, or no rule is for sizes in between.
//!
//! Ranges that meet are believed: what is for larger inputs may need less. So are a later rule for a part of an earlier one's sizes, rules that another
//! entity or file adds, and ends that no input comes to. Only plain numbers are compared, and no GPUs: they are not a matter of size.

use std::collections::HashSet;

use super::Linter;
use super::matching::beside;
use super::size_steps::{Step, steps};
use super::tags::default;
use super::units::amount;
use tpv_config::Config;
use tpv_config::entity::{Common, Entity, Rule};
use tpv_model::{EntityClass, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_yaml::value::ConfigValue;

/// An upper end in GiB that only says where sizes are no longer believed.
const NO_END: f64 = 1_000.0;

/// Looks at the rules of all entities.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        for entity in config.section(kind).values() {
            let Some(steps) = steps(entity).filter(|steps| steps.len() > 1) else { continue };
            let others: Vec<&Entity> = others(config, entity).collect();
            for resource in [Resource::Mem, Resource::Cores] {
                let Some(ladder) = Ladder::of(config, entity, &steps, resource, &others) else { continue };
                let Some(diagnostic) = ladder.falls(config, entity, &others) else { continue };
                let span = diagnostic.primary.as_ref().map_or(entity.span, |label| label.span);
                // A gap that its neighbours show, and a rule of which nothing is left, have findings of their own; rules that are inherited have one.
                let is_told = linter.findings.iter().any(|other| match other.code {
                    Code::SizeGap => other.span() == Some(span),
                    Code::UselessRule => other.points_to(span),
                    _ => false,
                });
                if !is_told && seen.insert(span) {
                    linter.report(Finding::new(Code::FallingSteps, diagnostic).of(&entity.common.no_qa_codes));
                }
            }
        }
    }
}

/// The rules for sizes that set one resource of an entity.
struct Ladder<'a> {
    resource: Resource,
    /// All rules for sizes, in the order of the list, each with the amount that it sets if it sets one.
    steps: Vec<(&'a Step<'a>, Option<f64>)>,
    /// The amount without a rule, if it is a plain number.
    base: Option<(f64, &'a ConfigValue)>,
}

impl<'a> Ladder<'a> {
    /// The ladder of a resource. `None` if anything else may decide about it.
    fn of(
        config: &'a Config,
        entity: &'a Entity,
        steps: &'a [Step<'a>],
        resource: Resource,
        others: &[&Entity],
    ) -> Option<Self> {
        let sets = |common: &'a Common| common.amounts.get(resource).map(|value| &**value);
        let is_step = |common: &Common| steps.iter().any(|step| std::ptr::eq(&raw const step.rule.common, common));
        let rules = || entity.rules.values();
        if rules().any(|rule| rule.execute().is_some())
            || rules().any(|rule| sets(&rule.common).is_some() && !is_step(&rule.common))
            || entity.commons().any(|common| bounds(common, resource))
        {
            return None;
        }
        let mut known = Vec::new();
        for step in steps {
            known.push((
                step,
                match sets(&step.rule.common) {
                    Some(value) => Some(amount(value)?),
                    None => None,
                },
            ));
        }
        if known.iter().filter(|(_, amount)| amount.is_some()).count() < 2 || is_decided_elsewhere(others, resource) {
            return None;
        }
        let default = default(config, entity.class).filter(|default| default.id != entity.id);
        let base = sets(&entity.common).or_else(|| default.and_then(|default| sets(&default.common)));
        let base = base.and_then(|value| Some((amount(value)?, value)));
        Some(Self { resource, steps: known, base })
    }

    /// The last rule for a size that sets the resource, and what it sets. `Err` for a size that a rule refuses.
    fn at(&self, size: f64) -> Result<Option<(usize, f64)>, ()> {
        let mut last = None;
        for (index, (step, amount)) in self.steps.iter().enumerate().filter(|(_, (step, _))| step.has(size)) {
            if step.rule.fail().is_some() {
                return Err(());
            }
            last = amount.map(|amount| (index, amount)).or(last);
        }
        Ok(last)
    }

    /// Two rules for some sizes of which the one with less counts, or else the first size from which on no rule is for inputs, and they get less.
    fn falls(&self, config: &Config, entity: &Entity, others: &[&Entity]) -> Option<Diagnostic> {
        let end = || self.end(entity).filter(|_| !is_bounded_elsewhere(config, entity, self.resource, others));
        self.overlap(config, entity).or_else(end)
    }

    fn overlap(&self, config: &Config, entity: &Entity) -> Option<Diagnostic> {
        for (index, (later, less)) in self.steps.iter().enumerate() {
            for (earlier, more) in self.steps.iter().take(index) {
                let (Some(less), Some(more)) = (*less, *more) else { continue };
                let (low, high) = (later.low.max(earlier.low), later.high.min(earlier.high));
                // A rule for some of these inputs may come later. No size is below 0.
                let is_refined = later.low.max(0.0) >= earlier.low.max(0.0)
                    && (later.high <= earlier.high || earlier.high >= NO_END);
                let counts =
                    || self.at(between(low, high)).is_ok_and(|last| last.is_some_and(|(last, _)| last == index));
                let are_own = || are_together(config, entity, earlier.rule, later.rule);
                if less < more && low < high && !is_refined && counts() && are_own() {
                    return Some(self.replaced(entity, (earlier, more), (later, less), (low, high)));
                }
            }
        }
        None
    }

    fn replaced(
        &self,
        entity: &Entity,
        by: (&Step<'_>, f64),
        later: (&Step<'_>, f64),
        range: (f64, f64),
    ) -> Diagnostic {
        let (name, unit) = (self.resource.name(), self.unit());
        let sizes = match range {
            (low, high) if high.is_infinite() => format!("more than {low}"),
            (low, high) if low.is_infinite() => format!("less than {high}"),
            (low, high) => format!("{low} to {high}"),
        };
        let (less, more) = (later.1, by.1);
        Diagnostic::warning(format!(
            "inputs of {sizes} GiB get {less}{unit} of `{name}`, not {more}: the later of two rules counts"
        ))
        .at(later.0.rule.condition().span, format!("this comes later in the list, and sets {less}"))
        .also(by.0.rule.condition().span, format!("such inputs match this, too, which sets {more}"))
        .also(entity.span, format!("in the {} `{}`", entity.class.noun(), entity.id))
        .note("TPV applies all matching rules in order: the last one that sets a field counts")
        .help("put the rules in the order of their sizes, or end one range where the next begins")
    }

    fn end(&self, entity: &Entity) -> Option<Diagnostic> {
        let ends = self.steps.iter().flat_map(|(step, _)| [step.low, step.high]);
        let mut ends: Vec<f64> = ends.filter(|end| end.is_finite() && *end >= 0.0).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let uppers = ends.iter().skip(1).copied().chain([f64::INFINITY]);
        let mut low = 0.0;
        for (end, high) in ends.iter().copied().zip(uppers).take_while(|(end, _)| *end < NO_END) {
            let (below, above) = (self.at(between(low, end)), self.at(between(end, high)));
            low = end;
            let (Ok(Some((last, more))), Ok(None)) = (below, above) else { continue };
            if self.base.is_some_and(|(base, _)| base < more) {
                let next = self.steps.iter().map(|(step, _)| *step).filter(|step| step.low >= high);
                let next = next.min_by(|a, b| a.low.total_cmp(&b.low));
                // Two rules for small and large inputs may mean what they say.
                if next.is_some() && self.steps.iter().filter(|(_, amount)| amount.is_some()).count() < 3 {
                    continue;
                }
                return self.left_out(entity, (self.steps.get(last)?.0, more), next, end);
            }
        }
        None
    }

    fn unit(&self) -> &'static str {
        if self.resource == Resource::Mem { " GiB" } else { "" }
    }

    fn left_out(
        &self,
        entity: &Entity,
        last: (&Step<'_>, f64),
        next: Option<&Step<'_>>,
        size: f64,
    ) -> Option<Diagnostic> {
        let (less, value) = self.base?;
        let (name, unit, more) = (self.resource.name(), self.unit(), last.1);
        let diagnostic = Diagnostic::warning(format!(
            "larger inputs get less `{name}`: {more}{unit} up to {size} GiB of inputs, {less}{unit} from there on"
        ));
        let diagnostic = match next {
            Some(next) => diagnostic
                .at(next.rule.condition().span, format!("this begins at {}", next.low))
                .also(last.0.rule.condition().span, format!("and the rule below ends at {}", last.0.high))
                .help(format!("begin the one where the other ends: {} or {}", last.0.high, next.low)),
            None => diagnostic
                .at(last.0.rule.condition().span, format!("the ranges end here, at {}", last.0.high))
                .help("leave the upper end of the last range out, or refuse larger inputs by a rule with `fail`"),
        };
        let diagnostic = diagnostic.also(value.span, "this counts for inputs without a rule");
        Some(diagnostic.also(entity.span, format!("in the {} `{}`", entity.class.noun(), entity.id)))
    }
}

/// A size within a range.
fn between(low: f64, high: f64) -> f64 {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => f64::midpoint(low, high),
        (true, false) => low * 2.0 + 1.0,
        (false, _) => high / 2.0,
    }
}

/// Returns `true` if two rules are written in one entity: each entity that has one of them has the other, too.
fn are_together(config: &Config, entity: &Entity, earlier: &Rule, later: &Rule) -> bool {
    let is_own = |rule: &Rule| rule.inherited.as_ref().is_some_and(|places| places.iter().all(|at| *at == rule.span));
    let has = |one: &Entity, rule: &Rule| one.rules.values().any(|other| other.span == rule.span);
    earlier.span.source == later.span.source
        && is_own(earlier)
        && is_own(later)
        && config.section(entity.class).values().all(|one| has(one, earlier) == has(one, later))
}

/// Returns `true` if rules of the default, or of another tool for the same ids, set the resource.
fn is_decided_elsewhere(others: &[&Entity], resource: Resource) -> bool {
    let sets = |other: &Entity| {
        other.rules.values().any(|rule| rule.execute().is_some() || rule.common.amounts.get(resource).is_some())
    };
    others.iter().any(|other| sets(other))
}

/// Returns `true` if an entity that the same jobs may have refuses inputs by their size, bounds the resource or sets it.
fn is_bounded_elsewhere(config: &Config, entity: &Entity, resource: Resource, others: &[&Entity]) -> bool {
    let default = default(config, entity.class);
    let sets = |common: &Common| common.amounts.get(resource).is_some();
    let refuses = |rule: &Rule| {
        let is_for_sizes = rule.condition().as_text().is_some_and(|text| text.as_str().contains("input_size"));
        is_for_sizes && (rule.fail().is_some() || rule.execute().is_some())
    };
    EntityClass::MATCHED.into_iter().flat_map(|kind| config.section(kind).values()).any(|other| {
        let is_same_kind = other.class == entity.class;
        let is_met = if is_same_kind && entity.class == EntityClass::Tool {
            others.iter().any(|one| one.id == other.id)
        } else {
            !is_same_kind || other.id != entity.id
        };
        // What the default sets is known, and a role or user counts more than a tool.
        let is_below = if is_same_kind {
            default.is_some_and(|default| default.id == other.id)
        } else {
            other.class == EntityClass::Tool
        };
        is_met
            && (other.rules.values().any(|rule| refuses(rule) || sets(&rule.common))
                || other.commons().any(|common| bounds(common, resource))
                || sets(&other.common) && !is_below)
    })
}

/// Returns `true` if fields bound the quantity of a resource.
fn bounds(common: &Common, resource: Resource) -> bool {
    common.amounts.resources().any(|(other, _)| other != resource && other.quantity() == resource.quantity())
}

/// The default, and the other entities for the same ids.
fn others<'a>(config: &'a Config, entity: &'a Entity) -> impl Iterator<Item = &'a Entity> + use<'a> {
    let all = default(config, entity.class).into_iter().chain(beside(config, entity));
    all.filter(|other| other.id != entity.id)
}
