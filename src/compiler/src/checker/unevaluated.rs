//! T105: params of `entity` in the texts of others. TPV evaluates the params of a job all at once and keeps the result beside the entity, so that
//! `entity.params['walltime']` is what the config writes, braces and all; for jobs without the param it raises, and `.get` gives `None`.

use std::convert::Infallible;
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_front::parse::Tree;
use tpv_front::syntax::ast::{Constant, Expr, Ranged, Stmt};
use tpv_front::syntax::text_size::TextRange;
use tpv_front::walk::{self, Part};
use tpv_model::{EntityClass, Field, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_yaml::value::ConfigValue;

use super::arrivals::Need;
use super::found::Found;
use super::names::Names;
use super::place::place;
use super::sites::Site;

/// Calls by which code evaluates or fills in a text.
const FILLING: [&str; 5] = ["eval(", "exec(", ".format(", "format_map(", "Template("];

/// Judges the params of `entity` that a text shows.
pub(super) fn judge<'a>(found: &mut Found<'_>, site: &Site<'a>, tree: &Tree, names: &Names<'a>) {
    let text = site.text.as_str();
    if site.kind != CodeKind::FString
        || !text.contains("entity.params")
        || FILLING.iter().any(|call| text.contains(call))
    {
        return;
    }
    let mut reads = Vec::new();
    for statement in &tree.body {
        if let Stmt::Expr(node) = statement {
            shown(&node.value, &mut reads);
        }
    }
    for read in reads {
        let span = place(found.sources, site.text, site.kind, read.range);
        let key = read.key;
        let finding = if let Some(value) = values(found.config, key).find(|value| is_code(value)) {
            let written = value.as_str().unwrap_or_default();
            Diagnostic::warning(format!("`{key}` of `entity.params` is not evaluated"))
                .at(span, format!("this is the text `{written}`"))
                .also(value.span, "")
                .note("TPV evaluates the params of a job all at once, and leaves `entity` as it was")
                .help(instead(written, "this"))
        } else if site.kind_of_owner() == EntityClass::Destination
            && site.rule.is_none()
            && read.is_certain
            // A key that nothing sets has a finding of its own.
            && (read.has_default || values(found.config, key).next().is_some())
            && let Some(tools) = site.owners.iter().find_map(|owner| names.tools_without(Need::Param(key), owner))
        {
            let label = if read.has_default {
                format!("`None` for jobs of {tools}")
            } else {
                format!("raises `KeyError` for jobs of {tools}")
            };
            let message = format!("not each job that comes here has the param `{key}`");
            Diagnostic::warning(message)
                .at(span, label)
                .help(format!("write `entity.params.get('{key}', ...)` with a default"))
        } else {
            continue;
        };
        found.report(Finding::new(Code::UnsetName, finding).within(site.no_qa()));
    }
}

/// The help for a property that is read before it is evaluated: `params['walltime']` in `params`.
pub(super) fn help(config: &Config, name: &str, text: &str) -> String {
    let reads =
        text.split(name).skip(1).filter_map(|rest| rest.strip_prefix('[').or_else(|| rest.strip_prefix(".get(")));
    let keys = reads.filter_map(|rest| rest.strip_prefix(['\'', '"'])?.split(['\'', '"']).next());
    if name == Field::Params.name() {
        for key in keys {
            if let Some(written) = values(config, key).find(|value| is_code(value)).and_then(ConfigValue::as_str) {
                return format!(
                    "{}; `entity.{name}` has the text, braces and all",
                    instead(written, &format!("`{name}[...]`"))
                );
            }
        }
    }
    format!("use `entity.{name}`, which is the value as the config writes it")
}

/// The text of a resource of entities that is code, which `entity.mem` is before it is evaluated.
pub(super) fn of_resource<'a>(config: &'a Config, name: &str, owners: &[&'a Arc<Entity>]) -> Option<&'a str> {
    let resource = Resource::from_name(name)?;
    let class = owners.first()?.class;
    let entities = owners.iter().copied().chain(config.default_entity(class));
    let values = entities.filter_map(|entity| entity.common.amounts.get(resource));
    let mut texts = values.filter_map(|value| value.as_str());
    texts.find(|text| text.trim().parse::<f64>().is_err())
}

/// The help to write what a param holds in place of reading it.
fn instead(written: &str, read: &str) -> String {
    let expression = written.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match expression.filter(|expression| !expression.contains(['{', '}'])) {
        Some(expression) => format!("write `{expression}` in place of {read}, and what is right for jobs without it"),
        None => format!("write the text of the param, `{}`, in place of the braces around {read}", written.trim()),
    }
}

/// The values of a param in the entities and rules that `entity` is made of.
fn values<'a>(config: &'a Config, key: &'a str) -> impl Iterator<Item = &'a ConfigValue> {
    let entities = EntityClass::MATCHED.into_iter().flat_map(|kind| config.section(kind).values());
    entities.flat_map(|entity| entity.commons()).filter_map(move |common| common.params.as_ref()?.get(key))
}

fn is_code(value: &ConfigValue) -> bool {
    value.as_str().is_some_and(|text| text.replace("{{", "").contains('{'))
}

/// A read of a param.
struct Read<'t> {
    key: &'t str,
    range: TextRange,
    /// `true` if it is read by `get`.
    has_default: bool,
    /// `true` unless a condition decides about it.
    is_certain: bool,
}

/// Collects the reads whose value an f-string shows, or makes a number of.
fn shown<'t>(node: &'t Expr, out: &mut Vec<Read<'t>>) {
    in_text(node, true, out);
}

fn in_text<'t>(node: &'t Expr, is_certain: bool, out: &mut Vec<Read<'t>>) {
    match node {
        Expr::Subscript(read) if is_params(&read.value) => {
            out.extend(text(&read.slice).map(|key| Read { key, range: node.range(), has_default: false, is_certain }));
        }
        Expr::Call(call) => match (&*call.func, call.args.as_slice()) {
            (Expr::Attribute(get), [key]) if get.attr.as_str() == "get" && is_params(&get.value) => {
                out.extend(text(key).map(|key| Read { key, range: node.range(), has_default: true, is_certain }));
            }
            (Expr::Attribute(get), [key, _]) if get.attr.as_str() == "get" && is_params(&get.value) => {
                // With a default of its own, only what the config writes is wrong.
                out.extend(text(key).map(|key| Read {
                    key,
                    range: node.range(),
                    has_default: true,
                    is_certain: false,
                }));
            }
            (Expr::Name(function), arguments) if ["int", "float", "str"].contains(&function.id.as_str()) => {
                arguments.iter().for_each(|argument| in_text(argument, is_certain, out));
            }
            _ => {}
        },
        Expr::IfExp(node) => [&node.body, &node.orelse].into_iter().for_each(|branch| in_text(branch, false, out)),
        Expr::BoolOp(node) => node.values.iter().for_each(|value| in_text(value, false, out)),
        Expr::Compare(_) | Expr::Lambda(_) => {}
        Expr::JoinedStr(_) | Expr::FormattedValue(_) | Expr::BinOp(_) => {
            let _: Result<(), Infallible> = walk::expression(node, &mut |part| {
                if let Part::Expr(part) = part {
                    in_text(part, is_certain, out);
                }
                Ok(())
            });
        }
        _ => {}
    }
}

fn is_params(node: &Expr) -> bool {
    match node {
        Expr::Attribute(node) => {
            node.attr.as_str() == Field::Params.name()
                && matches!(&*node.value, Expr::Name(of) if ["entity", "self"].contains(&of.id.as_str()))
        }
        _ => false,
    }
}

fn text(node: &Expr) -> Option<&str> {
    match node {
        Expr::Constant(node) => match &node.value {
            Constant::Str(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
