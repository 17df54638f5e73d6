//! T145: users and roles that the server does not have, beside one of nearly the same name.

use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;

use tpv_compiler::python::syntax::ast::{Constant, Expr};

use super::Linter;
use tpv_compiler::checker::{parse, place, sites};
use tpv_compiler::python::walk::{self, Part};
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};

/// Looks at the ids of users and roles, at the addresses in code, and at the texts in code about roles.
pub(super) fn check(linter: &mut Linter<'_>) {
    let server = linter.server();
    for (kind, known) in [(EntityClass::User, &server.users), (EntityClass::Role, &server.roles)] {
        for entity in linter.config.section(kind).values().filter(|entity| !entity.common.is_abstract) {
            let Some(name) = plain(&entity.id) else { continue };
            if let Some(near) = near(&name, known) {
                let diagnostic = diagnostic(kind, &name, entity.span, near);
                linter.report(Finding::new(Code::UnknownPerson, diagnostic).of(&entity.common.no_qa_codes));
            }
        }
    }
    let of_config: BTreeSet<String> = linter.config.users.keys().filter_map(|id| plain(id)).collect();
    let mut seen = HashSet::new();
    for site in sites::collect(linter.config) {
        let names_roles = !server.roles.is_empty() && site.text.as_str().contains("role");
        if !site.text.as_str().contains('@') && !names_roles {
            continue;
        }
        let Some(parsed) = parse(&site) else { continue };
        let mut texts = Vec::new();
        parsed.body.iter().for_each(|statement| texts_of(Part::Stmt(statement), &mut texts));
        for (text, range) in texts {
            let (kind, known) = match is_address(text) {
                true => (EntityClass::User, &server.users),
                false => (EntityClass::Role, &server.roles),
            };
            // Of other texts only those are names of roles that are so long that nothing else is as near.
            let is_name = kind == EntityClass::User || (names_roles && text.len() >= 6);
            let of_server = Some(text).filter(|_| is_name).and_then(|text| near(text, known));
            let twin = || {
                Some(text).filter(|text| is_address(text) && known.is_empty()).and_then(|text| twin(text, &of_config))
            };
            let Some(near) = of_server.or_else(twin) else { continue };
            let span = place(linter.sources, site.text, site.kind, range);
            if let (true, Some(owner)) = (seen.insert(span), site.owners.first()) {
                let diagnostic = match of_server {
                    Some(near) => diagnostic(kind, text, span, near),
                    None => Diagnostic::warning(format!("no user of this config has the address `{text}`"))
                        .at(span, format!("one has `{near}`"))
                        .help(did_you_mean(near)),
                };
                linter.report(Finding::new(Code::UnknownPerson, diagnostic).of(&owner.common.no_qa_codes));
            }
        }
    }
}

/// The only known address of the same name at another host.
fn twin<'a>(address: &str, known: &'a BTreeSet<String>) -> Option<&'a str> {
    if known.contains(address) {
        return None;
    }
    let (local, _) = address.split_once('@')?;
    let mut same = known.iter().filter(|known| known.split_once('@').is_some_and(|(other, _)| other == local));
    same.next().filter(|_| same.next().is_none()).map(String::as_str)
}

fn diagnostic(kind: EntityClass, name: &str, span: Span, near: &str) -> Diagnostic {
    Diagnostic::warning(format!("the server has no {} `{name}`", kind.noun()))
        .at(span, format!("it has `{near}`"))
        .help(did_you_mean(near))
}

/// The name that an id matches, if it matches one only.
fn plain(id: &str) -> Option<String> {
    let text = id.trim_end_matches('$').replace("\\.", ".").replace("\\+", "+");
    (!text.contains(['*', '\\', '[', '(', '|', '?', '^', '{', '$'])).then_some(text)
}

/// The known name nearest to one that is not known.
fn near<'a>(name: &str, known: &'a BTreeSet<String>) -> Option<&'a str> {
    if known.contains(name) {
        return None;
    }
    // An id matches from the start, so it may be the beginning of a name.
    if known.iter().any(|known| known.starts_with(name)) {
        return None;
    }
    let local = |address: &str| address.split_once('@').map(|(local, _)| local.to_owned());
    let of_another_host = || known.iter().find(|known| local(known).is_some() && local(known) == local(name));
    closest(name, known.iter().map(String::as_str)).or_else(|| of_another_host().map(String::as_str))
}

fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, host)| {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        !local.is_empty() && local.chars().all(is_word) && host.contains('.') && host.chars().all(is_word)
    }) && !text.ends_with('.')
}

/// The texts that code writes out.
fn texts_of<'a>(part: Part<'a>, out: &mut Vec<(&'a str, tpv_compiler::python::syntax::text_size::TextRange)>) {
    let mut next = |part: Part<'a>| {
        texts_of(part, out);
        Ok::<(), Infallible>(())
    };
    match part {
        Part::Expr(Expr::Constant(node)) => {
            if let Constant::Str(text) = &node.value {
                out.push((text, node.range));
            }
        }
        Part::Expr(node) => {
            let Ok(()) = walk::expression(node, &mut next);
        }
        Part::Stmt(node) => {
            let Ok(()) = walk::statement(node, &mut next);
        }
        Part::Pattern(_) => {}
    }
}
