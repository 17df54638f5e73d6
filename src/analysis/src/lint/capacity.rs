//! T122: resources that no destination accepts; and T113, where they look like another unit.
//!
//! Only what is constant counts, after TPV's own clamping, and only where nothing else in the config may change it.

use std::collections::HashSet;
use std::sync::Arc;

use super::Linter;
use super::matching::beside;
use super::tags::{Tags, default, having};
use super::units::{self, amount};
use tpv_config::Config;
use tpv_config::entity::{Amounts, Common, Entity, Rule};
use tpv_model::{EntityClass, Limit, Quantity, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

/// Names that match an id only if it is a pattern for everyone.
const SOMEONE: [(EntityClass, &str); 2] =
    [(EntityClass::User, "zq.someone@nowhere.example"), (EntityClass::Role, "zq someone")];

/// The field of a resource with its limits.
type Field<'a> = Option<&'a ConfigValue>;

/// An amount in words: `128 cores`, `64 GiB of memory`.
fn describe(quantity: Quantity, number: f64, written: &str) -> String {
    let (noun, (_, many)) = (quantity.noun(number), quantity.words());
    if quantity.unit().is_some() { format!("{written} {noun} of {many}") } else { format!("{written} {noun}") }
}

/// The value, the minimum and the maximum.
fn of(quantity: Quantity, own: &Amounts) -> [Field<'_>; 3] {
    quantity.resources().map(|resource| own.get(resource).map(Arc::as_ref))
}

/// Returns `true` if the code of a rule may set an amount.
fn is_in_code(quantity: Quantity, rule: &Rule) -> bool {
    let name = quantity.name();
    let execute = rule.execute().map_or("", |code| code.as_str());
    let condition = rule.condition().as_str().unwrap_or("");
    execute.contains(name)
        || [execute, condition].iter().any(|code| code.contains("setattr"))
        || condition.contains(&format!("{name} = "))
}

/// The least and the most that a destination accepts.
fn accepted(quantity: Quantity, destination: &Entity) -> [Field<'_>; 2] {
    let limit = |limit: Limit| destination.common.amounts.get(limit).map(Arc::as_ref);
    [limit(quantity.least_accepted()), limit(quantity.most_accepted())]
}

/// Looks at what tools, roles, users and their rules ask for.
pub(super) fn check<'a>(linter: &mut Linter<'a>, tags: &Tags<'a>) {
    let config = linter.config;
    if !tags.is_whole || tags.code.changes_destinations {
        return;
    }
    let capacity = Capacity { config, tags, common: of_everyone(config) };
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        let default = default(config, kind);
        for entity in config.section(kind).values() {
            let is_default = default.is_some_and(|default| default.id == entity.id);
            if entity.common.is_abstract && !is_default {
                continue;
            }
            for quantity in Quantity::ALL {
                let found = capacity.entity(entity, quantity);
                let rules = entity.rules.values().filter_map(|rule| capacity.rule(entity, rule, quantity));
                for finding in found.into_iter().chain(rules) {
                    // Entities that inherit a value share its place.
                    if seen.insert(finding.span()) {
                        // This finding takes the place of the one about the number alone.
                        linter.findings.retain(|other| other.code != Code::WrongUnit || other.span() != finding.span());
                        linter.report(finding.of(&entity.common.no_qa_codes));
                    }
                }
            }
        }
    }
}

/// Returns `true` if other rules of an entity may set the requested quantity, for all of its jobs.
fn own_rules_may_change(entity: &Entity, but: Option<&Rule>, quantity: Quantity) -> bool {
    let mut setting = 0;
    for rule in entity.rules.values().filter(|rule| but.is_none_or(|but| but.span != rule.span)) {
        let [value, least, most] = of(quantity, &rule.common.amounts);
        if is_in_code(quantity, rule) || most.is_some() {
            return true;
        }
        if value.is_none() && least.is_none() {
            continue;
        }
        let is_for_some = rule.condition().as_str().is_some_and(|code| {
            !code.contains("entity") && !code.contains(quantity.name()) && !matches!(code.trim(), "True" | "true" | "1")
        });
        if !is_for_some && rule.condition().python_bool() {
            return true;
        }
        setting += usize::from(is_for_some);
    }
    // Several such rules may together apply to all jobs.
    but.is_none() && setting > 1
}

/// A requested amount, and its location.
struct Asked<'a> {
    amount: f64,
    /// `true` if exactly this is requested, rather than at least this.
    is_exact: bool,
    written: String,
    span: Span,
    owner: &'a Entity,
}

/// The roles and users of a config whose fields all jobs get: those of which anyone has the name, and the default.
pub(crate) fn of_everyone(config: &Config) -> Vec<&Entity> {
    let mut out: Vec<&Entity> = Vec::new();
    for (kind, name) in SOMEONE {
        out.extend(config.matching(kind, name).map(|entity| &**entity));
        out.extend(default(config, kind));
    }
    out
}

struct Capacity<'a> {
    config: &'a Config,
    tags: &'a Tags<'a>,
    /// Tools, users and roles whose fields all jobs get.
    common: Vec<&'a Entity>,
}

impl<'a> Capacity<'a> {
    /// The other entities that set fields for the jobs of an entity: the default, other tools of the same pattern, users and roles.
    fn others(&self, entity: &Entity) -> Vec<&'a Entity> {
        let mut out = self.common.clone();
        if entity.class == EntityClass::Tool {
            out.extend(default(self.config, EntityClass::Tool));
            out.extend(beside(self.config, entity));
        } else {
            // The jobs of a role or user may be those of any tool.
            out.extend(self.config.tools.values().map(|tool| &**tool));
            out.extend(self.config.roles.values().map(|role| &**role));
        }
        out.retain(|other| other.class != entity.class || other.id != entity.id);
        out
    }

    /// Returns `true` if an entity's request may be changed elsewhere: by its rules, or by other entities that set
    /// fields for its jobs. The rule `but` is the one that makes the request.
    fn may_change(&self, entity: &Entity, but: Option<&Rule>, quantity: Quantity) -> bool {
        let sets = |common: &Common| of(quantity, &common.amounts).iter().any(Option::is_some);
        // The fields of the default are taken into account already.
        let default = default(self.config, entity.class).map(|default| &default.id);
        let is_default = |other: &Entity| other.class == entity.class && Some(&other.id) == default;
        let fields = |other: &&Entity| !is_default(other) && sets(&other.common);
        let acts = |rule: &Rule| sets(&rule.common) || is_in_code(quantity, rule);
        own_rules_may_change(entity, but, quantity)
            || self.others(entity).iter().any(|other| fields(other) || other.rules.values().any(|rule| acts(rule)))
    }

    fn entity(&self, entity: &'a Entity, quantity: Quantity) -> Option<Finding> {
        let own = of(quantity, &entity.common.amounts);
        let asked = self.asked(entity, [own, self.inherited(entity, quantity), [None; 3]])?;
        let finding = self.judge(&asked, None, quantity)?;
        (!self.may_change(entity, None, quantity)).then_some(finding)
    }

    fn rule(&self, entity: &'a Entity, rule: &Rule, quantity: Quantity) -> Option<Finding> {
        if rule.fail().is_some() || rule.execute().is_some() {
            return None;
        }
        let own = of(quantity, &rule.common.amounts);
        own.first().copied().flatten()?;
        let asked =
            self.asked(entity, [own, of(quantity, &entity.common.amounts), self.inherited(entity, quantity)])?;
        let finding = self.judge(&asked, Some(rule), quantity)?;
        (!self.may_change(entity, Some(rule), quantity)).then_some(finding)
    }

    fn inherited(&self, entity: &Entity, quantity: Quantity) -> [Field<'a>; 3] {
        let default = default(self.config, entity.class).filter(|default| default.id != entity.id);
        default.map_or([None; 3], |default| of(quantity, &default.common.amounts))
    }

    /// The least that jobs request, if it is known: the first of the levels sets the value, each its limits.
    fn asked(&self, owner: &'a Entity, levels: [[Field<'_>; 3]; 3]) -> Option<Asked<'a>> {
        let limit = |index: usize| levels.iter().find_map(|level| level.get(index).copied().flatten());
        let [value, own_least, _] = *levels.first()?;
        let constant = value.and_then(amount);
        let (mut asked, mut at) = match (constant, value.or(own_least)) {
            (Some(constant), Some(value)) => (constant, value),
            // Code may give anything, but not less than its minimum.
            (None, Some(value)) => (0.0, value),
            (_, None) => return None,
        };
        if let Some(least) = limit(1) {
            match amount(least) {
                Some(number) if number > asked => (asked, at) = (number, least),
                Some(_) => {}
                None if constant.is_none() => return None,
                None => {}
            }
        }
        if let Some(most) = limit(2) {
            let number = amount(most)?;
            if number != 0.0 && number < asked {
                (asked, at) = (number, most);
            }
        }
        (asked > 0.0 && asked.is_finite()).then(|| Asked {
            amount: asked,
            is_exact: constant.is_some() && limit(1).is_none_or(|least| amount(least).is_some()),
            written: at.python_str(),
            span: at.span,
            owner,
        })
    }

    /// Returns `true` if the tags may allow a destination for jobs of an entity.
    fn may_go(&self, entity: &Entity, rule: Option<&Rule>, destination: &Entity) -> bool {
        let Some(offered) = &destination.dest_tags else { return true };
        let required = offered.get(TagType::Require).iter();
        if !required.clone().all(|tag| self.tags.may_be_asked(tag.as_str())) {
            return false;
        }
        if self.tags.code.changes {
            return true;
        }
        let inherited = default(self.config, EntityClass::Destination).and_then(|default| default.dest_tags.as_ref());
        let offers = |tag: &str| {
            let own = having(offered).chain(inherited.into_iter().flat_map(|tags| having(tags)));
            own.into_iter().any(|offered| offered.as_str() == tag)
        };
        let own = &entity.common.tags;
        let tags = rule.map_or_else(|| own.clone(), |rule| rule.common.tags.inherit(own));
        tags.get(TagType::Require).iter().all(|tag| offers(tag.as_str()))
            && tags.get(TagType::Reject).iter().all(|tag| !having(offered).any(|offered| offered.value == tag.value))
    }

    fn judge(&self, asked: &Asked<'a>, rule: Option<&Rule>, quantity: Quantity) -> Option<Finding> {
        let inherited = default(self.config, EntityClass::Destination);
        // The highest maximum and the lowest minimum that keep the job out.
        let mut most: Option<(f64, &Entity, &ConfigValue)> = None;
        let mut least: Option<(f64, &Entity, &ConfigValue)> = None;
        let mut is_limited = false;
        for destination in self.config.destinations.values().filter(|destination| !destination.common.is_abstract) {
            if !self.may_go(asked.owner, rule, destination) {
                is_limited = true;
                continue;
            }
            let [own_least, own_most] = accepted(quantity, destination);
            let [default_least, default_most] = inherited.map_or([None; 2], |default| accepted(quantity, default));
            let limit =
                |own: Field<'a>, default: Field<'a>| own.or(default).and_then(|value| Some((amount(value)?, value)));
            match (limit(own_least, default_least), limit(own_most, default_most)) {
                (_, Some((number, value))) if number < asked.amount => {
                    if most.is_none_or(|(best, ..)| number > best) {
                        most = Some((number, destination, value));
                    }
                }
                (Some((number, value)), _) if asked.is_exact && number > asked.amount => {
                    if least.is_none_or(|(best, ..)| number < best) {
                        least = Some((number, destination, value));
                    }
                }
                _ => return None,
            }
        }
        let name = quantity.name();
        let whose = if is_limited { "no destination that the tags allow" } else { "no destination" };
        let message = format!("{whose} accepts {}", describe(quantity, asked.amount, &asked.written));
        let lost = "jobs that request this are not mapped";
        let (code, diagnostic) = match (most, least) {
            (Some((_, destination, value)), None) => {
                let shown = value.python_str();
                let diagnostic = if quantity == Quantity::Mem && units::looks_like_mib(asked.amount) {
                    let help = format!("write `{name}: {}` for {} MiB", units::in_gib(asked.amount), asked.written);
                    let message = format!("`{name}` is in GiB, and `{}` looks like MiB", asked.written.trim());
                    (
                        Code::WrongUnit,
                        Diagnostic::warning(message).at(asked.span, format!("{whose} accepts so many GiB")).help(help),
                    )
                } else {
                    let help = format!("ask for {shown} at most, or raise a `max_accepted_{name}`");
                    (Code::UnacceptedAmount, Diagnostic::warning(message).at(asked.span, lost).help(help))
                };
                let (code, diagnostic) = diagnostic;
                (code, diagnostic.also(value.span, format!("`{}` accepts the most, {shown}", destination.id)))
            }
            (None, Some((_, destination, value))) => {
                let shown = value.python_str();
                let help = format!("ask for {shown} at least, or lower a `min_accepted_{name}`");
                let label = format!("`{}` accepts the least, {shown}", destination.id);
                (
                    Code::UnacceptedAmount,
                    Diagnostic::warning(message).at(asked.span, lost).also(value.span, label).help(help),
                )
            }
            (Some((_, low, most)), Some((_, high, least))) => {
                let (below, above) = (most.python_str(), least.python_str());
                let help = format!("ask for {below} at most, or for {above} at least");
                let diagnostic = Diagnostic::warning(message).at(asked.span, lost).help(help);
                let diagnostic = diagnostic.also(most.span, format!("`{}` accepts up to {below}", low.id));
                (Code::UnacceptedAmount, diagnostic.also(least.span, format!("`{}` accepts {above} and more", high.id)))
            }
            (None, None) => return None,
        };
        let noun = format!("in the {} `{}`", asked.owner.class.noun(), asked.owner.id);
        Some(Finding::new(code, diagnostic.also(asked.owner.span, noun)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Quantity, describe};

    #[test]
    fn one_is_not_several() {
        let of = |quantity, number: f64| describe(quantity, number, &number.to_string());
        assert_eq!([of(Quantity::Gpus, 1.0), of(Quantity::Gpus, 2.0)], ["1 GPU", "2 GPUs"]);
        assert_eq!([of(Quantity::Cores, 1.0), of(Quantity::Cores, 1.5)], ["1 core", "1.5 cores"]);
        assert_eq!(of(Quantity::Mem, 1.0), "1 GiB of memory");
    }
}
