//! T216: rules that share an id by chance though they concern different things.

use std::collections::{HashMap, HashSet};

use crate::check::files::Files;
use crate::lint::Linter;
use crate::parts::{Name, parts};
use tpv_config::entity::{Entity, Rule};
use tpv_model::{EntityClass, Field};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// A rule with the entity that it is written in.
#[derive(Clone, Copy)]
struct Written<'a> {
    rule: &'a Rule,
    entity: &'a Entity,
}

/// Looks at the ids of all rules.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files<'_>) {
    let mut by_id: HashMap<&str, Vec<Written<'_>>> = HashMap::new();
    for kind in EntityClass::COMBINED {
        for (_, section) in files.sections(kind) {
            for entity in section.values() {
                for rule in entity.rules.values() {
                    by_id.entry(&rule.id).or_default().push(Written { rule, entity });
                }
            }
        }
    }
    let mut reported: HashSet<(&str, EntityClass, EntityClass)> = HashSet::new();
    for (id, written) in by_id.iter().filter(|(_, written)| written.len() > 1) {
        let mut met = Met::default();
        for (place, later) in written.iter().enumerate() {
            let earlier = met.by_chance(later).and_then(|place| written.get(place));
            if let Some(earlier) = earlier
                && reported.insert((*id, earlier.entity.class, later.entity.class))
            {
                linter.report(meet(earlier, later));
            }
            met.add(place, *later);
        }
    }
}

/// The rules of one id so far, as far as later ones may meet them by chance.
#[derive(Default)]
struct Met<'a> {
    /// The first rule of each kind of entity, and the first whose condition is another.
    by_kind: HashMap<EntityClass, Vec<(usize, Written<'a>)>>,
    /// The rules of each entity, one a file.
    by_entity: HashMap<(EntityClass, &'a str), Vec<(usize, Written<'a>)>>,
}

impl<'a> Met<'a> {
    fn add(&mut self, place: usize, written: Written<'a>) {
        let entity = written.entity;
        self.by_entity.entry((entity.class, &entity.id)).or_default().push((place, written));
        let of_kind = self.by_kind.entry(entity.class).or_default();
        if of_kind.len() < 2 && of_kind.iter().all(|(_, known)| known.condition() != written.condition()) {
            of_kind.push((place, written));
        }
    }

    /// The place of the first rule that comes together with a later one in jobs, and is likely not meant to.
    fn by_chance(&self, later: &Written<'a>) -> Option<usize> {
        let others = self.by_kind.iter().filter(|(kind, _)| **kind != later.entity.class).flat_map(|(_, known)| known);
        // A later file changes a rule of an earlier one on purpose, unless it does something else altogether.
        let own = self.by_entity.get(&(later.entity.class, &*later.entity.id)).into_iter().flatten();
        let own = own.filter(|(_, known)| {
            let (one, other) = (fields(known.rule), fields(later.rule));
            known.entity.span.source != later.entity.span.source
                && !one.is_empty()
                && !other.is_empty()
                && one.iter().all(|name| !other.contains(name))
        });
        let differs = |(_, known): &&(usize, Written<'a>)| known.condition() != later.condition();
        others.chain(own).filter(differs).map(|(place, _)| *place).min()
    }
}

impl Written<'_> {
    fn condition(&self) -> String {
        self.rule.condition().python_str().trim().to_owned()
    }
}

/// The fields that a rule sets.
fn fields(rule: &Rule) -> Vec<Name<'_>> {
    let mut names: Vec<Name<'_>> = parts(&rule.common).into_iter().map(|part| part.name).collect();
    let own = [Field::Execute, Field::Fail].into_iter();
    names.extend(own.filter(|field| rule.common.singles.get(*field).is_some()).map(Name::Field));
    names
}

fn meet(earlier: &Written<'_>, later: &Written<'_>) -> Finding {
    let id = &later.rule.id;
    let place = |written: &Written<'_>| format!("the {} `{}`", written.entity.class.noun(), written.entity.id);
    let condition = |written: &Written<'_>| -> Span { written.rule.condition().span };
    let (message, why) = if earlier.entity.class == later.entity.class {
        (format!("the rule `{id}` of {} replaces another in an earlier file", place(later)), "alone")
    } else {
        (format!("the rule `{id}` of {} replaces that of {}", place(later), place(earlier)), "for jobs that have both")
    };
    let diagnostic = Diagnostic::warning(message)
        .at(condition(later), format!("this decides {why}"))
        .also(condition(earlier), "this condition is ignored")
        .note("TPV merges two rules with the same id: the `if` of the later, and the fields of both")
        .help("give one of them another `id`");
    Finding::new(Code::RepeatedRule, diagnostic)
        .within([&**earlier.entity.common.no_qa_codes, &**later.entity.common.no_qa_codes])
}
