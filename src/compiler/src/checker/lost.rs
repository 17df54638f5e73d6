//! T119: what `execute` sets and nobody reads: a variable of a field's name, an attribute that is no field.

use tpv_front::syntax::ast::{ExceptHandler, Expr, Ranged, Stmt};
use tpv_front::syntax::text_size::TextRange;
use tpv_model::Resource;

use super::block::Surroundings;
use super::found::Found;
use super::place::place;
use super::sites::Site;
use crate::checker::stubs::model;
use tpv_config::validate::unknown::synonym;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::suggest::closest;

/// The fields that `execute` is there to set.
fn fields() -> impl Iterator<Item = &'static str> + Clone {
    Resource::DEFINITION.into_iter().map(Resource::name).chain(["env", "params", "rank", "resubmit", "tpv_tags"])
}

/// A target of an assignment.
enum Target<'a> {
    Variable(&'a str),
    /// An attribute of `entity`.
    Attribute(&'a str),
}

/// Looks at the assignments of an `execute`.
pub(super) fn judge(found: &mut Found<'_>, site: &Site<'_>, body: &[Stmt], surroundings: &Surroundings) {
    if site.property != "execute" {
        return;
    }
    let mut targets = Vec::new();
    body.iter().for_each(|statement| collect(statement, &mut targets));
    for (target, range) in &targets {
        let diagnostic = match target {
            Target::Variable(name) => {
                let set = targets.iter().filter(|(other, _)| matches!(other, Target::Variable(other) if other == name));
                if !fields().any(|field| field == *name) || occurrences(site.text.as_str(), name) > set.count() {
                    continue;
                }
                Diagnostic::warning(format!("this sets a variable `{name}`, not the `{name}` of the entity"))
                    .at(place(found.sources, site.text, site.kind, *range), "nothing reads it")
                    .help(format!("write `entity.{name} = ...`"))
            }
            Target::Attribute(name) => {
                if surroundings.contexts.contains("entity") || is_known(found, name) {
                    continue;
                }
                let near = closest(name, fields()).or_else(|| synonym(name, fields()));
                let Some(near) = near else { continue };
                Diagnostic::warning(format!("`{name}` isn't a field of an entity"))
                    .at(place(found.sources, site.text, site.kind, *range), "TPV ignores it")
                    .help(format!("did you mean `entity.{near}`?"))
            }
        };
        found.report(Finding::new(Code::VariableForField, diagnostic).within(site.no_qa()));
    }
}

/// Returns `true` if entities have the attribute, from TPV or from a field that the config gives them.
fn is_known(found: &Found<'_>, name: &str) -> bool {
    let of_class = model()
        .classes
        .get("Entity")
        .is_some_and(|members| members.names.contains(name) || members.known.contains_key(name));
    of_class || found.extra_fields().contains(name)
}

/// The number of occurrences of a word in a text that are not attributes.
fn occurrences(text: &str, word: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .filter(|(at, _)| {
            let before = text.get(..*at).and_then(|text| text.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
        })
        .count()
}

fn collect<'a>(statement: &'a Stmt, out: &mut Vec<(Target<'a>, TextRange)>) {
    let mut all = |body: &'a [Stmt]| body.iter().for_each(|statement| collect(statement, out));
    match statement {
        Stmt::If(node) => {
            all(&node.body);
            all(&node.orelse);
        }
        Stmt::For(node) => {
            all(&node.body);
            all(&node.orelse);
        }
        Stmt::While(node) => all(&node.body),
        Stmt::With(node) => all(&node.body),
        Stmt::Try(node) => {
            all(&node.body);
            node.handlers.iter().for_each(|ExceptHandler::ExceptHandler(handler)| all(&handler.body));
            all(&node.orelse);
            all(&node.finalbody);
        }
        Stmt::Assign(node) => node.targets.iter().for_each(|node| target(node, out)),
        Stmt::AnnAssign(node) => target(&node.target, out),
        Stmt::AugAssign(node) => target(&node.target, out),
        _ => {}
    }
}

fn target<'a>(node: &'a Expr, out: &mut Vec<(Target<'a>, TextRange)>) {
    match node {
        Expr::Name(name) => out.push((Target::Variable(&name.id), node.range())),
        Expr::Attribute(attribute) if matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "entity") => {
            out.push((Target::Attribute(&attribute.attr), node.range()));
        }
        _ => {}
    }
}
