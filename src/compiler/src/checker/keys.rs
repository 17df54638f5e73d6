//! T105: keys of `entity.params` and `entity.context` that an entity may lack, which raises `KeyError`.

use std::sync::Arc;

use tpv_front::syntax::ast::{Constant, Expr, ExprContext, ExprSubscript};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;
use super::found::Found;
use super::names::Names;
use super::place::place;
use super::sites::Site;
use tpv_config::entity::{Common, Entity};
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// A dict of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Params,
    Context,
}

/// A key that a text reads, and must find.
#[derive(Clone, Debug)]
pub(super) struct Key {
    field: Field,
    name: String,
    range: TextRange,
}

impl Field {
    const fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Context => "context",
        }
    }

    fn is_set(self, common: &Common, key: &str) -> bool {
        match self {
            Self::Params => common.params.as_ref().is_some_and(|params| params.contains_key(key)),
            Self::Context => common.context.as_ref().is_some_and(|context| context.contains_key(key)),
        }
    }
}

impl<'a> Checker<'a> {
    /// `entity.params['key']`
    pub(super) fn reads_key(&mut self, node: &'a ExprSubscript) {
        let field = match Self::path(&node.value).as_deref() {
            Some("entity.params") => Field::Params,
            Some("entity.context") => Field::Context,
            _ => return,
        };
        let Expr::Constant(key) = &*node.slice else { return };
        let Constant::Str(name) = &key.value else { return };
        if !matches!(node.ctx, ExprContext::Load) || self.state.dead || self.guarded > 0 || !self.expected.is_empty() {
            return;
        }
        self.keys.push(Key { field, name: name.clone(), range: node.range });
    }
}

/// Reports keys that an entity lacks. Where destinations read them, only those that no tool has are known to be missing: which tools come there is a
/// matter of tags.
pub(super) fn check<'a>(found: &mut Found<'_>, site: &Site<'a>, keys: &[Key], sites: &[Site<'a>], names: &Names<'a>) {
    let mut seen: Vec<&str> = Vec::new();
    for key in keys {
        if seen.contains(&&*key.name) || may_be_tested(site, &key.name) || is_stored(sites, key) {
            continue;
        }
        seen.push(&key.name);
        let lacking = lacking(found, site, key, names);
        let Some(first) = lacking.first() else { continue };
        let (name, field) = (&key.name, key.field.name());
        let message = match lacking.len() - 1 {
            _ if first.class == EntityClass::Destination => format!("nothing sets `{name}` under `{field}`"),
            0 => format!("`{name}` is not among the `{field}` of the tool `{}`", first.id),
            1 => format!("`{name}` is not among the `{field}` of the tool `{}` and one other", first.id),
            count => format!("`{name}` is not among the `{field}` of the tool `{}` and {count} others", first.id),
        };
        let is_global = key.field == Field::Context && found.config.global.context.contains_key(&**name);
        let help = match is_global {
            true => format!("read the name itself, `{name}`: `entity.context` lacks the global context"),
            false => format!("give it a default: `entity.{field}.get('{name}', ...)`"),
        };
        let span = place(found.sources, site.text, site.kind, key.range);
        let diagnostic = Diagnostic::warning(message).at(span, "raises `KeyError`").help(help);
        found.report(Finding::new(Code::UnsetName, diagnostic).within(site.no_qa()));
    }
}

/// The entities with the code that lack a key.
fn lacking<'a>(found: &Found<'_>, site: &Site<'a>, key: &Key, names: &Names<'a>) -> Vec<&'a Arc<Entity>> {
    let has = |entity: &Entity| entity.commons().any(|common| key.field.is_set(common, &key.name));
    let config = found.config;
    if config.users.values().chain(config.roles.values()).any(|entity| has(entity)) {
        return Vec::new();
    }
    let concrete = names.concrete(site);
    let is_default = |kind| names.default_of(kind).is_some_and(|default| has(default));
    match site.kind_of_owner() {
        EntityClass::Tool if is_default(EntityClass::Tool) => Vec::new(),
        EntityClass::Tool => {
            let shares = |owner: &Arc<Entity>| key.field == Field::Context && names.shares(owner, &key.name);
            concrete.into_iter().filter(|owner| !has(owner) && !shares(owner)).collect()
        }
        EntityClass::Destination if !config.tools.is_empty() && !config.tools.values().any(|tool| has(tool)) => {
            let lacks = |owner: &&Arc<Entity>| !has(owner) && !is_default(EntityClass::Destination);
            concrete.into_iter().filter(lacks).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns `true` if the text, or the condition of its rule, may look for a key before it reads it.
fn may_be_tested(site: &Site<'_>, key: &str) -> bool {
    let tests = |text: &str| {
        ["'", "\""].iter().any(|quote| {
            let quoted = format!("{quote}{key}{quote}");
            [format!("{quoted} in "), format!("{quoted} not in "), format!("get({quoted}")]
                .iter()
                .any(|test| text.contains(test))
        })
    };
    let rules = site.owners.iter().flat_map(|owner| owner.rules.values());
    let mut conditions = rules
        .filter(|rule| Some(rule.span) == site.rule && site.property != "if")
        .filter_map(|rule| rule.condition().as_str());
    tests(site.text.as_str()) || conditions.any(|condition| condition.contains(key))
}

/// Returns `true` if code may store a key.
fn is_stored(sites: &[Site<'_>], key: &Key) -> bool {
    sites.iter().filter(|site| site.property == "execute").any(|site| {
        let text = site.text.as_str();
        let field = key.field.name();
        text.contains(&*key.name) || text.contains(&format!("{field}.update")) || text.contains(&format!("{field} ="))
    })
}
