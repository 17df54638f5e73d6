//! T134: fields of two entities that TPV combines, of which the other one counts since a version of TPV.
//!
//! Before TPV 2 the `params` and `env` of a job were put over those of its destination, and the variables of the destination came first. Since
//! then it is the other way round.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_config::Config;
use tpv_config::entity::{Common, Entity, env_value};
use tpv_model::{Change, EntityClass};
use tpv_text::finding::Finding;
use tpv_text::source::Span;

use super::{Seen, finding};
use crate::lint::Linter;
use tpv_text::code::Code;

/// The classes whose entities are what a job asks for.
const ASKING: [EntityClass; 3] = [EntityClass::Tool, EntityClass::Role, EntityClass::User];

/// A parameter or variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name<'a> {
    Param(&'a str),
    Variable(&'a str),
}

/// The definition of a parameter or variable.
#[derive(Clone, Copy)]
struct Definition<'a> {
    entity: &'a Entity,
    value: &'a str,
    span: Span,
}

/// Looks for parameters and variables that both a destination and what is sent there define, and for variables that refer to one of the other side.
pub(super) fn check(linter: &mut Linter<'_>, seen: &mut Seen) {
    let config = linter.config;
    if !seen.changes.contains(&Change::CombineFirst) {
        return;
    }
    let asked = definitions(config, &ASKING);
    let offered = definitions(config, &[EntityClass::Destination]);
    for (name, own) in &offered {
        let Some(other) = asked.get(name).filter(|other| other.value != own.value || own.value.is_empty()) else {
            continue;
        };
        let (what, text) = match name {
            Name::Param(text) => ("parameter", text),
            Name::Variable(text) => ("variable", text),
        };
        let help = format!("to keep the job's value, remove `{text}` here and set it for the tools that lack it");
        let label = format!("the same {what} of the {} `{}`", other.entity.class.noun(), other.entity.id);
        tell(linter, seen, *own, (other.span, label), &help);
    }
    for (side, others) in [(&offered, &asked), (&asked, &offered)] {
        for own in side.values() {
            let used = references(own.value).find_map(|name| {
                let name = Name::Variable(name);
                others.get(&name).filter(|_| !side.contains_key(&name))
            });
            let Some(other) = used else { continue };
            let label = format!("set by the {} `{}`", other.entity.class.noun(), other.entity.id);
            let help = "write the value in place of the reference: the variables of jobs come before those of destinations now";
            tell(linter, seen, *own, (other.span, label), help);
        }
    }
}

fn tell(linter: &mut Linter<'_>, seen: &mut Seen, own: Definition<'_>, other: (Span, String), help: &str) {
    if seen.is_news(Change::CombineFirst, own.span) {
        let diagnostic = finding(Change::CombineFirst, own.span, own.entity, Some(help)).also(other.0, other.1);
        linter.report(Finding::new(Code::ChangedMeaning, diagnostic).of(&own.entity.common.no_qa_codes));
    }
}

/// The first definition of each parameter and variable by entities of these classes and their rules.
fn definitions<'a>(config: &'a Config, classes: &[EntityClass]) -> HashMap<Name<'a>, Definition<'a>> {
    let mut found = HashMap::new();
    for class in classes {
        for entity in config.section(*class).values() {
            for common in entity.commons() {
                define(entity, common, &mut found);
            }
        }
    }
    found
}

fn define<'a>(entity: &'a Arc<Entity>, common: &'a Common, found: &mut HashMap<Name<'a>, Definition<'a>>) {
    let params = common.params.iter().flat_map(|params| params.iter());
    for (name, value) in params {
        let definition = Definition { entity, value: value.as_str().unwrap_or_default(), span: value.span };
        found.entry(Name::Param(name)).or_insert(definition);
    }
    for entry in common.env.iter().flat_map(|env| env.iter()) {
        if let (Some(name), Some(value)) = (env_value(entry, "name"), env_value(entry, "value")) {
            let definition = Definition { entity, value: value.as_str(), span: value.span };
            found.entry(Name::Variable(name.as_str())).or_insert(definition);
        }
    }
}

/// The variables that a shell finds in a value: `$NAME`, `${NAME}`.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|ch: char| !ch.is_ascii_alphanumeric() && ch != '_').unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_s_variables() {
        let found = |text| references(text).collect::<Vec<_>>();
        assert_eq!(found("-Djava.io.tmpdir=$TMP_1:${B}/$"), ["TMP_1", "B"]);
        assert!(found("plain").is_empty());
    }
}
