//! Collects the uses of each name in each scope.

use std::collections::HashMap;

use crate::syntax::ast::{self, Expr, ExprContext, Pattern, Ranged, Stmt};
use crate::syntax::text_size::TextSize;
use indexmap::{IndexMap, IndexSet};

use super::{Scope, ScopeId, ScopeKind, Scopes, TreeNode, Uses, refuse};
use crate::error::PythonError;
use crate::parse::Text;
use crate::walk::{self, Part};

type Done = Result<(), PythonError>;

/// Notes the uses of names in all scopes of a block.
pub(super) fn collect<'t>(body: &'t [Stmt], text: &Text) -> Result<Scopes<'t>, PythonError> {
    let scopes = Scopes { scopes: Vec::new(), by_node: HashMap::new() };
    let mut collector = Collector { scopes, text, current: Scopes::ROOT };
    collector.open(ScopeKind::Module);
    collector.statements(body)?;
    Ok(collector.scopes)
}

struct Collector<'a, 't> {
    scopes: Scopes<'t>,
    text: &'a Text,
    current: ScopeId,
}

impl<'t> Collector<'_, 't> {
    fn open(&mut self, kind: ScopeKind) {
        let id = self.scopes.scopes.len();
        let parent = (id > 0).then_some(self.current);
        // What is nested in an iterable expression is part of it.
        let in_iterable = parent.and_then(|parent| self.scopes.get(parent)).map_or(0, |parent| parent.in_iterable);
        self.scopes.scopes.push(Scope {
            kind,
            parent,
            parameters: IndexSet::new(),
            cells: IndexSet::new(),
            free: IndexSet::new(),
            symbols: IndexMap::new(),
            meanings: HashMap::new(),
            children: Vec::new(),
            in_iterable,
        });
        if let Some(parent) = parent.and_then(|parent| self.scopes.scopes.get_mut(parent)) {
            parent.children.push(id);
        }
        self.current = id;
    }

    /// Runs `f` in a new scope that `node` makes.
    fn within<T>(&mut self, kind: ScopeKind, node: &'t T, f: impl FnOnce(&mut Self) -> Done) -> Done {
        let outer = self.current;
        self.open(kind);
        self.scopes.by_node.insert(TreeNode::from(node), self.current);
        let result = f(self);
        self.current = outer;
        result
    }

    fn kind(&self, id: ScopeId) -> ScopeKind {
        self.scopes.get(id).map_or(ScopeKind::Module, |scope| scope.kind)
    }

    fn uses_in(&mut self, id: ScopeId, name: &str) -> Option<&mut Uses> {
        let scope = self.scopes.scopes.get_mut(id)?;
        Some(scope.symbols.entry(name.to_owned()).or_default())
    }

    fn note(&mut self, name: &str, note: impl FnOnce(&mut Uses)) {
        if let Some(uses) = self.uses_in(self.current, name) {
            note(uses);
        }
    }

    fn bind(&mut self, name: &str, at: TextSize) -> Done {
        let comprehension = self.kind(self.current).is_comprehension();
        let text = self.text;
        let Some(uses) = self.uses_in(self.current, name) else { return Ok(()) };
        if comprehension {
            if uses.nonlocal || uses.global {
                return Err(refuse(
                    text,
                    at,
                    format!("comprehension inner loop cannot rebind assignment expression target '{name}'"),
                ));
            }
            uses.iteration = true;
        }
        uses.bound = true;
        Ok(())
    }

    fn parameters(&mut self, arguments: &'t ast::Arguments) -> Done {
        let listed = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
        let named = listed.map(|argument| &argument.def);
        for argument in named.chain(arguments.vararg.as_deref()).chain(arguments.kwarg.as_deref()) {
            if let Some(scope) = self.scopes.scopes.get_mut(self.current)
                && !scope.parameters.insert(argument.arg.to_string())
            {
                let message = format!("duplicate argument '{}' in function definition", argument.arg);
                return Err(refuse(self.text, argument.range.start(), message));
            }
            self.note(&argument.arg, |uses| uses.parameter = true);
        }
        Ok(())
    }

    fn defaults(&mut self, arguments: &'t ast::Arguments) -> Done {
        let listed = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
        listed.filter_map(|argument| argument.default.as_deref()).try_for_each(|default| self.expression(default))
    }

    fn statements(&mut self, body: &'t [Stmt]) -> Done {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn function(&mut self, def: &'t ast::StmtFunctionDef) -> Done {
        self.expressions(&def.decorator_list)?;
        self.bind(&def.name, def.start())?;
        self.defaults(&def.args)?;
        self.within(ScopeKind::Function, def, |this| {
            this.parameters(&def.args)?;
            this.statements(&def.body)
        })
    }

    fn statement(&mut self, statement: &'t Stmt) -> Done {
        match statement {
            Stmt::FunctionDef(def) => self.function(def),
            // What the native language leaves out is not compiled, and binds its name.
            Stmt::AsyncFunctionDef(def) => self.bind(&def.name, def.range.start()),
            Stmt::ClassDef(def) => self.bind(&def.name, def.range.start()),
            Stmt::Return(node) => self.optional(node.value.as_deref()),
            Stmt::Delete(node) => self.expressions(&node.targets),
            Stmt::Assign(node) => {
                self.expression(&node.value)?;
                self.expressions(&node.targets)
            }
            Stmt::TypeAlias(_) => Ok(()),
            Stmt::AugAssign(node) => {
                self.expression(&node.target)?;
                if let Expr::Name(name) = &*node.target {
                    self.note(&name.id, |uses| uses.used = true);
                }
                self.expression(&node.value)
            }
            Stmt::AnnAssign(node) => self.annotated(node),
            Stmt::For(node) => self.loop_over(&node.target, &node.iter, &node.body, &node.orelse),
            Stmt::AsyncFor(node) => self.loop_over(&node.target, &node.iter, &node.body, &node.orelse),
            Stmt::While(node) => {
                self.expression(&node.test)?;
                self.statements(&node.body)?;
                self.statements(&node.orelse)
            }
            Stmt::If(node) => {
                self.expression(&node.test)?;
                self.statements(&node.body)?;
                self.statements(&node.orelse)
            }
            Stmt::With(node) => self.with(&node.items, &node.body),
            Stmt::AsyncWith(node) => self.with(&node.items, &node.body),
            Stmt::Match(node) => {
                self.expression(&node.subject)?;
                for case in &node.cases {
                    self.pattern(&case.pattern)?;
                    self.optional(case.guard.as_deref())?;
                    self.statements(&case.body)?;
                }
                Ok(())
            }
            Stmt::Raise(node) => {
                self.optional(node.exc.as_deref())?;
                self.optional(node.cause.as_deref())
            }
            Stmt::Try(node) => self.attempt(&node.body, &node.handlers, &node.orelse, &node.finalbody),
            Stmt::TryStar(node) => self.attempt(&node.body, &node.handlers, &node.orelse, &node.finalbody),
            Stmt::Assert(node) => {
                self.expression(&node.test)?;
                self.optional(node.msg.as_deref())
            }
            Stmt::Import(node) => node.names.iter().try_for_each(|alias| {
                let bound = alias.asname.as_ref().unwrap_or(&alias.name);
                let top = bound.split('.').next().unwrap_or(bound);
                self.bind(top, alias.range.start())
            }),
            Stmt::ImportFrom(node) => node.names.iter().try_for_each(|alias| {
                if alias.name.as_str() == "*" {
                    if self.current != Scopes::ROOT {
                        return Err(refuse(self.text, node.range.start(), "import * only allowed at module level"));
                    }
                    return Ok(());
                }
                self.bind(alias.asname.as_ref().unwrap_or(&alias.name), alias.range.start())
            }),
            Stmt::Global(node) => {
                node.names.iter().try_for_each(|name| self.declare(name, node.range.start(), "global"))
            }
            Stmt::Nonlocal(node) => {
                if self.current == Scopes::ROOT {
                    let message = "nonlocal declaration not allowed at module level";
                    return Err(refuse(self.text, node.range.start(), message));
                }
                node.names.iter().try_for_each(|name| self.declare(name, node.range.start(), "nonlocal"))
            }
            Stmt::Expr(node) => self.expression(&node.value),
            Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) => Ok(()),
        }
    }

    fn declare(&mut self, name: &str, at: TextSize, word: &str) -> Done {
        let text = self.text;
        let Some(uses) = self.uses_in(self.current, name) else { return Ok(()) };
        let message = if uses.parameter {
            Some(format!("name '{name}' is parameter and {word}"))
        } else if (word == "global" && uses.nonlocal) || (word == "nonlocal" && uses.global) {
            Some(format!("name '{name}' is nonlocal and global"))
        } else if uses.used && !uses.bound {
            Some(format!("name '{name}' is used prior to {word} declaration"))
        } else if uses.annotated {
            Some(format!("annotated name '{name}' can't be {word}"))
        } else if uses.bound {
            Some(format!("name '{name}' is assigned to before {word} declaration"))
        } else {
            None
        };
        if let Some(message) = message {
            // CPython names the first of two declarations that contradict each other.
            let at = if message.ends_with("nonlocal and global") { uses.declared_at } else { at };
            return Err(refuse(text, at, message));
        }
        uses.global |= word == "global";
        uses.nonlocal |= word == "nonlocal";
        uses.declared_at = at;
        Ok(())
    }

    fn annotated(&mut self, node: &'t ast::StmtAnnAssign) -> Done {
        if let Expr::Name(name) = &*node.target {
            let text = self.text;
            if node.simple && self.current != Scopes::ROOT {
                let word = match self.uses_in(self.current, &name.id) {
                    Some(uses) if uses.global => "global",
                    Some(uses) if uses.nonlocal => "nonlocal",
                    _ => "",
                };
                if !word.is_empty() {
                    let message = format!("annotated name '{}' can't be {word}", name.id);
                    return Err(refuse(text, node.range.start(), message));
                }
            }
            if node.simple {
                self.note(&name.id, |uses| {
                    uses.bound = true;
                    uses.annotated = true;
                });
            } else if node.value.is_some() {
                self.note(&name.id, |uses| uses.bound = true);
            }
        } else {
            self.expression(&node.target)?;
        }
        self.optional(node.value.as_deref())
    }

    fn loop_over(&mut self, target: &'t Expr, iter: &'t Expr, body: &'t [Stmt], orelse: &'t [Stmt]) -> Done {
        self.expression(target)?;
        self.expression(iter)?;
        self.statements(body)?;
        self.statements(orelse)
    }

    fn with(&mut self, items: &'t [ast::WithItem], body: &'t [Stmt]) -> Done {
        for item in items {
            self.expression(&item.context_expr)?;
            self.optional(item.optional_vars.as_deref())?;
        }
        self.statements(body)
    }

    fn attempt(
        &mut self,
        body: &'t [Stmt],
        handlers: &'t [ast::ExceptHandler],
        orelse: &'t [Stmt],
        finalbody: &'t [Stmt],
    ) -> Done {
        self.statements(body)?;
        self.statements(orelse)?;
        for ast::ExceptHandler::ExceptHandler(handler) in handlers {
            self.optional(handler.type_.as_deref())?;
            if let Some(name) = &handler.name {
                self.bind(name, handler.range.start())?;
            }
            self.statements(&handler.body)?;
        }
        self.statements(finalbody)
    }

    /// The names that a pattern binds. A `match` is not compiled, but in a function its names are local variables.
    fn pattern(&mut self, pattern: &'t Pattern) -> Done {
        let name = match pattern {
            Pattern::MatchAs(node) => node.name.as_ref(),
            Pattern::MatchStar(node) => node.name.as_ref(),
            Pattern::MatchMapping(node) => node.rest.as_ref(),
            _ => None,
        };
        name.map_or(Ok(()), |name| self.bind(name, pattern.start()))?;
        walk::pattern(pattern, &mut |part| match part {
            Part::Pattern(node) => self.pattern(node),
            Part::Expr(node) => self.expression(node),
            Part::Stmt(node) => self.statement(node),
        })
    }

    fn optional(&mut self, expression: Option<&'t Expr>) -> Done {
        expression.map_or(Ok(()), |expression| self.expression(expression))
    }

    fn expressions(&mut self, expressions: &'t [Expr]) -> Done {
        expressions.iter().try_for_each(|expression| self.expression(expression))
    }

    fn expression(&mut self, expression: &'t Expr) -> Done {
        match expression {
            Expr::Name(node) => match node.ctx {
                ExprContext::Load => {
                    self.note(&node.id, |uses| uses.used = true);
                    Ok(())
                }
                ExprContext::Store | ExprContext::Del => self.bind(&node.id, node.range.start()),
            },
            Expr::NamedExpr(node) => self.walrus(node),
            Expr::Lambda(node) => {
                self.defaults(&node.args)?;
                self.within(ScopeKind::Lambda, node, |this| {
                    this.parameters(&node.args)?;
                    this.expression(&node.body)
                })
            }
            Expr::ListComp(node) => {
                self.comprehension(ScopeKind::Comprehension("list comprehension"), node, &node.generators, &[&node.elt])
            }
            Expr::SetComp(node) => {
                self.comprehension(ScopeKind::Comprehension("set comprehension"), node, &node.generators, &[&node.elt])
            }
            Expr::DictComp(node) => self.comprehension(
                ScopeKind::Comprehension("dict comprehension"),
                node,
                &node.generators,
                &[&node.key, &node.value],
            ),
            Expr::GeneratorExp(node) => self.comprehension(ScopeKind::Generator, node, &node.generators, &[&node.elt]),
            Expr::Yield(node) => {
                self.refuse_yield(node.range.start())?;
                self.optional(node.value.as_deref())
            }
            Expr::YieldFrom(node) => {
                self.refuse_yield(node.range.start())?;
                self.expression(&node.value)
            }
            Expr::Await(node) => self.expression(&node.value),
            Expr::BoolOp(node) => self.expressions(&node.values),
            Expr::BinOp(node) => {
                self.expression(&node.left)?;
                self.expression(&node.right)
            }
            Expr::UnaryOp(node) => self.expression(&node.operand),
            Expr::IfExp(node) => {
                self.expression(&node.test)?;
                self.expression(&node.body)?;
                self.expression(&node.orelse)
            }
            Expr::Dict(node) => {
                node.keys.iter().flatten().try_for_each(|key| self.expression(key))?;
                self.expressions(&node.values)
            }
            Expr::Set(node) => self.expressions(&node.elts),
            Expr::Compare(node) => {
                self.expression(&node.left)?;
                self.expressions(&node.comparators)
            }
            Expr::Call(node) => {
                self.expression(&node.func)?;
                self.expressions(&node.args)?;
                node.keywords.iter().try_for_each(|keyword| self.expression(&keyword.value))
            }
            Expr::FormattedValue(node) => {
                self.expression(&node.value)?;
                self.optional(node.format_spec.as_deref())
            }
            Expr::JoinedStr(node) => self.expressions(&node.values),
            Expr::Constant(_) => Ok(()),
            Expr::Attribute(node) => self.expression(&node.value),
            Expr::Subscript(node) => {
                self.expression(&node.value)?;
                self.expression(&node.slice)
            }
            Expr::Starred(node) => self.expression(&node.value),
            Expr::List(node) => self.expressions(&node.elts),
            Expr::Tuple(node) => self.expressions(&node.elts),
            Expr::Slice(node) => {
                self.optional(node.lower.as_deref())?;
                self.optional(node.upper.as_deref())?;
                self.optional(node.step.as_deref())
            }
        }
    }

    fn refuse_yield(&self, at: TextSize) -> Done {
        let place = match self.kind(self.current) {
            ScopeKind::Comprehension(name) => name,
            ScopeKind::Generator => "generator expression",
            _ => return Ok(()),
        };
        Err(refuse(self.text, at, format!("'yield' inside {place}")))
    }

    fn comprehension<T>(
        &mut self,
        kind: ScopeKind,
        node: &'t T,
        generators: &'t [ast::Comprehension],
        elements: &[&'t Expr],
    ) -> Done {
        let Some((first, rest)) = generators.split_first() else { return Ok(()) };
        // The outermost iterable belongs to the scope around the comprehension.
        self.iterable(&first.iter)?;
        self.within(kind, node, |this| {
            if let Some(scope) = this.scopes.scopes.get_mut(this.current) {
                scope.parameters.insert(".0".to_owned());
            }
            this.note(".0", |uses| uses.parameter = true);
            this.expression(&first.target)?;
            this.expressions(&first.ifs)?;
            for generator in rest {
                this.expression(&generator.target)?;
                this.iterable(&generator.iter)?;
                this.expressions(&generator.ifs)?;
            }
            elements.iter().rev().try_for_each(|element| this.expression(element))
        })
    }

    fn iterable(&mut self, iter: &'t Expr) -> Done {
        let id = self.current;
        self.count_iterable(id, 1);
        let result = self.expression(iter);
        self.count_iterable(id, -1);
        result
    }

    fn count_iterable(&mut self, id: ScopeId, change: isize) {
        if let Some(scope) = self.scopes.scopes.get_mut(id) {
            scope.in_iterable = scope.in_iterable.saturating_add_signed(change);
        }
    }

    /// `name := value`: inside comprehensions it binds in the scope around them.
    fn walrus(&mut self, node: &'t ast::ExprNamedExpr) -> Done {
        let at = node.range.start();
        if self.scopes.get(self.current).is_some_and(|scope| scope.in_iterable > 0) {
            let message = "assignment expression cannot be used in a comprehension iterable expression";
            return Err(refuse(self.text, at, message));
        }
        let Expr::Name(name) = &*node.target else { return self.expression(&node.value) };
        let mut id = self.current;
        if !self.kind(id).is_comprehension() {
            self.expression(&node.value)?;
            return self.bind(&name.id, at);
        }
        let mut between = Vec::new();
        while self.kind(id).is_comprehension() {
            let text = self.text;
            if self.uses_in(id, &name.id).is_some_and(|uses| uses.iteration) {
                let message =
                    format!("assignment expression cannot rebind comprehension iteration variable '{}'", name.id);
                return Err(refuse(text, at, message));
            }
            between.push(id);
            id = self.scopes.get(id).and_then(|scope| scope.parent).unwrap_or(Scopes::ROOT);
        }
        let global = match self.kind(id) {
            ScopeKind::Module => true,
            _ => {
                let uses = self.uses_in(id, &name.id);
                let global = uses.as_ref().is_some_and(|uses| uses.global);
                if let Some(uses) = uses {
                    uses.bound = true;
                }
                global
            }
        };
        for id in between {
            if let Some(uses) = self.uses_in(id, &name.id) {
                uses.global = global;
                uses.nonlocal = !global;
                uses.declared_at = at;
            }
        }
        self.expression(&node.value)
    }
}
