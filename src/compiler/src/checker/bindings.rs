//! The names that a block binds in its own namespace, and the attributes it sets.

use std::collections::HashSet;
use std::convert::Infallible;

use tpv_front::syntax::ast::{Constant, ExceptHandler, Expr, ExprCall, ExprConstant, ExprContext, Pattern, Stmt};

use tpv_front::walk::{self, Part};

/// The names that a block binds and sets.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// Names that the block itself binds.
    pub names: HashSet<String>,
    /// Names that functions inside declare `global` or `nonlocal`: they may be bound whenever one is called, to anything.
    pub globals: HashSet<String>,
    /// Names that the block itself binds more than once.
    pub rebound: HashSet<String>,
    /// Attributes that are set, of whatever object.
    pub attributes: HashSet<String>,
    /// Keys that are set in something called `context`: they become names for what is evaluated later.
    pub contexts: HashSet<String>,
    /// `true` if such a key is not known.
    pub unknown: bool,
    /// The modules that are imported, by their dotted names, with the packages that they are in.
    pub modules: HashSet<String>,
    /// `true` if names come from `import *`.
    pub star: bool,
}

/// Collects from the statements of a block.
pub(super) fn collect(body: &[Stmt]) -> Bindings {
    let mut out = Bindings::default();
    body.iter().for_each(|statement| out.stmt(statement, true));
    out
}

impl Bindings {
    /// `own` is false inside functions, whose names are theirs.
    fn part(&mut self, part: Part<'_>, own: bool) {
        match part {
            Part::Expr(node) => self.expr(node, own),
            Part::Stmt(node) => self.stmt(node, own),
            Part::Pattern(node) => self.pattern(node, own),
        }
    }

    fn bind(&mut self, name: &str, own: bool) {
        if own && !self.names.insert(name.to_owned()) {
            self.rebound.insert(name.to_owned());
        }
    }

    fn module(&mut self, dotted: &str) {
        let ends = dotted.match_indices('.').map(|(at, _)| at).chain([dotted.len()]);
        self.modules.extend(ends.filter_map(|end| dotted.get(..end)).map(str::to_owned));
    }

    fn stmt(&mut self, node: &Stmt, own: bool) {
        let mut inner_own = own;
        match node {
            Stmt::FunctionDef(node) => {
                self.bind(&node.name, own);
                inner_own = false;
            }
            Stmt::AsyncFunctionDef(node) => {
                self.bind(&node.name, own);
                inner_own = false;
            }
            Stmt::ClassDef(node) => {
                self.bind(&node.name, own);
                inner_own = false;
            }
            Stmt::Global(node) => self.globals.extend(node.names.iter().map(ToString::to_string)),
            Stmt::Nonlocal(node) => self.globals.extend(node.names.iter().map(ToString::to_string)),
            Stmt::Import(node) => {
                for alias in &node.names {
                    self.module(&alias.name);
                    let name = alias.asname.as_ref().map_or_else(|| first(&alias.name), |name| name.as_str());
                    self.bind(name, own);
                }
            }
            Stmt::ImportFrom(node) => {
                let module = node.module.as_ref().map_or("", |module| module.as_str());
                self.module(module);
                for alias in &node.names {
                    self.modules.insert(format!("{module}.{}", alias.name));
                    self.star |= alias.name.as_str() == "*";
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name), own);
                }
            }
            Stmt::Try(node) => {
                for ExceptHandler::ExceptHandler(handler) in &node.handlers {
                    handler.name.iter().for_each(|name| self.bind(name, own));
                }
            }
            _ => {}
        }
        let _ = walk::statement(node, &mut |inner| {
            self.part(inner, inner_own);
            Ok::<(), Infallible>(())
        });
    }

    fn expr(&mut self, node: &Expr, own: bool) {
        let mut inner_own = own;
        match node {
            Expr::Name(name) if matches!(name.ctx, ExprContext::Store) => self.bind(&name.id, own),
            Expr::NamedExpr(named) => {
                // A walrus in a comprehension binds outside of it.
                if let Expr::Name(name) = &*named.target {
                    self.names.insert(name.id.to_string());
                }
            }
            Expr::Attribute(node) if matches!(node.ctx, ExprContext::Store) => {
                self.attributes.insert(node.attr.to_string());
                self.unknown |= node.attr.as_str() == "context";
            }
            Expr::Subscript(node) if matches!(node.ctx, ExprContext::Store) && is_context(&node.value) => {
                self.context_key(Some(&node.slice));
            }
            Expr::Call(node) => self.context_call(node),
            // The variables of a comprehension are its own.
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::GeneratorExp(_) | Expr::Lambda(_) => {
                inner_own = false;
            }
            _ => {}
        }
        let _ = walk::expression(node, &mut |inner| {
            self.part(inner, inner_own);
            Ok::<(), Infallible>(())
        });
    }

    /// `entity.context.update(...)`, `entity.context.setdefault(...)`
    fn context_call(&mut self, node: &ExprCall) {
        let Expr::Attribute(function) = &*node.func else { return };
        if !is_context(&function.value) {
            return;
        }
        match function.attr.as_str() {
            "setdefault" => self.context_key(node.args.first()),
            "update" => {
                for argument in &node.args {
                    match argument {
                        Expr::Dict(dict) => dict.keys.iter().for_each(|key| self.context_key(key.as_ref())),
                        _ => self.unknown = true,
                    }
                }
                for keyword in &node.keywords {
                    match &keyword.arg {
                        Some(name) => self.contexts.extend([name.to_string()]),
                        None => self.unknown = true,
                    }
                }
            }
            _ => {}
        }
    }

    fn context_key(&mut self, key: Option<&Expr>) {
        match key {
            Some(Expr::Constant(ExprConstant { value: Constant::Str(key), .. })) => {
                self.contexts.insert(key.clone());
            }
            _ => self.unknown = true,
        }
    }

    fn pattern(&mut self, node: &Pattern, own: bool) {
        let name = match node {
            Pattern::MatchAs(node) => node.name.as_ref(),
            Pattern::MatchStar(node) => node.name.as_ref(),
            Pattern::MatchMapping(node) => node.rest.as_ref(),
            _ => None,
        };
        name.into_iter().for_each(|name| self.bind(name, own));
        let _ = walk::pattern(node, &mut |inner| {
            self.part(inner, own);
            Ok::<(), Infallible>(())
        });
    }
}

/// Returns `true` if it is the `context` of an object.
fn is_context(expr: &Expr) -> bool {
    matches!(expr, Expr::Attribute(node) if node.attr.as_str() == "context")
}

/// The first part of a dotted name, which `import` binds.
pub(super) fn first(dotted: &str) -> &str {
    dotted.split('.').next().unwrap_or(dotted)
}
