//! The names that a block binds in its own namespace, and the attributes it sets.

use std::collections::HashSet;
use std::convert::Infallible;

use rustpython_parser::ast::{ExceptHandler, Expr, ExprContext, Pattern, Stmt};

use crate::python::walk::{self, Part};

/// Collects both. Names of functions inside are taken too: that can only hide a finding.
pub(super) fn collect(body: &[Stmt], names: &mut HashSet<String>, attributes: &mut HashSet<String>) {
    for statement in body {
        stmt(statement, names, attributes);
    }
}

fn part(part: Part<'_>, names: &mut HashSet<String>, attributes: &mut HashSet<String>) {
    match part {
        Part::Expr(node) => expr(node, names, attributes),
        Part::Stmt(node) => stmt(node, names, attributes),
        Part::Pattern(node) => pattern(node, names, attributes),
    }
}

fn stmt(node: &Stmt, names: &mut HashSet<String>, attributes: &mut HashSet<String>) {
    match node {
        Stmt::FunctionDef(node) => drop(names.insert(node.name.to_string())),
        Stmt::AsyncFunctionDef(node) => drop(names.insert(node.name.to_string())),
        Stmt::ClassDef(node) => drop(names.insert(node.name.to_string())),
        Stmt::Import(node) => {
            for alias in &node.names {
                let name = alias.asname.as_ref().map_or_else(|| first(&alias.name), |name| name.as_str());
                names.insert(name.to_owned());
            }
        }
        Stmt::ImportFrom(node) => {
            for alias in &node.names {
                names.insert(alias.asname.as_ref().unwrap_or(&alias.name).to_string());
            }
        }
        Stmt::Try(node) => {
            for ExceptHandler::ExceptHandler(handler) in &node.handlers {
                names.extend(handler.name.iter().map(ToString::to_string));
            }
        }
        _ => {}
    }
    let _ = walk::statement(node, &mut |inner| {
        part(inner, names, attributes);
        Ok::<(), Infallible>(())
    });
}

fn expr(node: &Expr, names: &mut HashSet<String>, attributes: &mut HashSet<String>) {
    match node {
        Expr::Name(name) if matches!(name.ctx, ExprContext::Store) => drop(names.insert(name.id.to_string())),
        Expr::Attribute(node) if matches!(node.ctx, ExprContext::Store) => {
            attributes.insert(node.attr.to_string());
        }
        // The variables of a comprehension are its own.
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::GeneratorExp(_) => return,
        _ => {}
    }
    let _ = walk::expression(node, &mut |inner| {
        part(inner, names, attributes);
        Ok::<(), Infallible>(())
    });
}

fn pattern(node: &Pattern, names: &mut HashSet<String>, attributes: &mut HashSet<String>) {
    match node {
        Pattern::MatchAs(node) => names.extend(node.name.iter().map(ToString::to_string)),
        Pattern::MatchStar(node) => names.extend(node.name.iter().map(ToString::to_string)),
        Pattern::MatchMapping(node) => names.extend(node.rest.iter().map(ToString::to_string)),
        _ => {}
    }
    let _ = walk::pattern(node, &mut |inner| {
        part(inner, names, attributes);
        Ok::<(), Infallible>(())
    });
}

/// The first part of a dotted name, which `import` binds.
pub(super) fn first(dotted: &str) -> &str {
    dotted.split('.').next().unwrap_or(dotted)
}
