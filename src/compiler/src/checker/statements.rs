//! The walk through statements.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tpv_front::syntax::ast::{Arguments, ExceptHandler, Expr, ExprLambda, Ranged, Stmt};

use super::bindings;
use super::block::{Checker, IN_TRY, join};
use super::kinds::Kinds;
use super::types::{Type, Variable};
use tpv_front::walk::{self, Part};

impl<'a> Checker<'a> {
    pub(super) fn body(&mut self, statements: &'a [Stmt]) {
        for statement in statements {
            self.stmt(statement);
        }
    }

    fn stmt(&mut self, node: &'a Stmt) {
        if self.left_out_statement(node) {
            return;
        }
        match node {
            Stmt::Expr(node) => drop(self.expr(&node.value)),
            Stmt::Assign(node) => {
                let ty = self.expr(&node.value);
                for target in &node.targets {
                    self.assign(target, ty.clone());
                    if let Expr::Name(name) = target {
                        self.state.tests.insert(name.id.to_string(), &node.value);
                    }
                }
            }
            Stmt::AnnAssign(node) => {
                let Some(value) = &node.value else { return };
                let ty = self.expr(value);
                self.assign(&node.target, ty);
            }
            Stmt::AugAssign(node) => {
                let before = match &*node.target {
                    Expr::Name(name) => self.read(&name.id, name.range),
                    _ => Type::Any,
                };
                let value = self.expr(&node.value);
                // A list takes whatever has items, and a dict pairs.
                let ty = match before {
                    Type::List(_) | Type::Class("list" | "dict" | "set") => Type::Any,
                    before => self.arithmetic(node.op, &before, &value, &node.value, node.range),
                };
                self.assign(&node.target, ty);
            }
            Stmt::If(node) => {
                self.test(&node.test);
                if let Expr::Constant(constant) = &*node.test {
                    // `if True:` is no condition.
                    let body = if constant.value.clone().is_true() { &node.body } else { &node.orelse };
                    self.body(body);
                    return;
                }
                self.branch(
                    &node.test,
                    |checker| {
                        checker.narrow(&node.test, true);
                        checker.body(&node.body);
                    },
                    |checker| {
                        checker.narrow(&node.test, false);
                        checker.body(&node.orelse);
                    },
                );
            }
            Stmt::For(node) => {
                let items = self.items(&node.iter);
                self.looped(&node.body, |checker| {
                    checker.assign(&node.target, items.item());
                    checker.body(&node.body);
                });
                self.body(&node.orelse);
            }
            Stmt::While(node) => {
                self.looped(&node.body, |checker| {
                    checker.test(&node.test);
                    checker.narrow(&node.test, true);
                    checker.body(&node.body);
                });
                self.body(&node.orelse);
            }
            Stmt::With(node) => {
                let expected = self.expected.len();
                for item in &node.items {
                    self.expr(&item.context_expr);
                    // It may swallow exceptions.
                    self.expected.push(String::new());
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, Type::Any);
                    }
                }
                let dead = self.state.dead;
                self.body(&node.body);
                self.state.dead = dead;
                self.expected.truncate(expected);
            }
            Stmt::Try(node) => self.attempt(&node.body, &node.handlers, &node.orelse, &node.finalbody),
            Stmt::FunctionDef(node) => {
                node.decorator_list.iter().for_each(|decorator| drop(self.expr(decorator)));
                // A decorator may make anything of it.
                self.bind(&node.name, if node.decorator_list.is_empty() { Type::Def } else { Type::Any });
                self.in_functions.push(bindings::collect(&node.body).names);
                self.function(&node.args, |checker| checker.body(&node.body));
                self.in_functions.pop();
            }
            Stmt::Import(node) => self.import(node),
            Stmt::ImportFrom(node) => self.import_from(node),
            Stmt::Return(node) => {
                if let Some(value) = &node.value {
                    self.value(value);
                }
                self.state.dead = true;
            }
            Stmt::Raise(node) => {
                node.exc.iter().chain(&node.cause).for_each(|part| drop(self.expr(part)));
                self.state.dead = true;
            }
            Stmt::Break(_) | Stmt::Continue(_) => self.state.dead = true,
            Stmt::Assert(node) => {
                self.expr(&node.test);
                self.narrow(&node.test, true);
                if let Some(message) = &node.msg {
                    self.expr(message);
                }
            }
            Stmt::Delete(node) => {
                for target in &node.targets {
                    self.delete(target);
                }
            }
            other => {
                let _ = walk::statement(other, &mut |part| {
                    match part {
                        Part::Expr(node) => drop(self.expr(node)),
                        Part::Stmt(node) => self.stmt(node),
                        Part::Pattern(_) => {}
                    }
                    Ok::<(), std::convert::Infallible>(())
                });
                self.unsettle(&bindings::collect(std::slice::from_ref(node)).names);
            }
        }
    }

    /// Forgets the types of values that names got on ways of which some may not have been taken.
    fn unsettle(&mut self, names: &HashSet<String>) {
        for scope in &mut self.state.scopes {
            for (_, variable) in scope.iter_mut().filter(|(name, _)| names.contains(*name)) {
                if !matches!(variable.ty, Type::Module(_) | Type::SomeModule | Type::Function(..) | Type::Def) {
                    variable.ty = Type::Any;
                }
            }
        }
    }

    /// Binds the names of a target, and reads what it takes to find it.
    pub(super) fn assign(&mut self, target: &'a Expr, ty: Type) {
        match target {
            Expr::Name(node) => self.bind(&node.id, ty),
            Expr::Tuple(_) | Expr::List(_) if Kinds::of(&ty).cannot_be_iterated() => {
                let message = format!("{} has no items to unpack", ty.describe());
                self.always_raises(target.range(), message, "TypeError", "give it as many values as there are names");
                self.assign(target, Type::Any);
            }
            Expr::Tuple(node) => node.elts.iter().for_each(|item| self.assign(item, ty.item())),
            Expr::List(node) => node.elts.iter().for_each(|item| self.assign(item, ty.item())),
            Expr::Starred(node) => self.assign(&node.value, Type::Any),
            Expr::Attribute(_) if self.left_out_expression(target) => {}
            Expr::Attribute(node) => {
                self.escapes(&ty, node.range);
                let owner = self.expr(&node.value);
                self.sets_attribute(&owner, &node.attr, node.range);
                if let Some(path) = Self::path(target) {
                    self.forget(&path);
                }
            }
            Expr::Subscript(node) => {
                self.escapes(&ty, node.range);
                self.expr(&node.value);
                self.expr(&node.slice);
            }
            _ => {}
        }
    }

    /// Reads what it takes to find the target of a `del`, and forgets it.
    fn delete(&mut self, target: &'a Expr) {
        if self.left_out_expression(target) {
            return;
        }
        match target {
            Expr::Name(name) => {
                self.read(&name.id, name.range);
            }
            Expr::Attribute(node) => {
                self.expr(&node.value);
            }
            Expr::Subscript(node) => {
                self.expr(&node.value);
                self.expr(&node.slice);
            }
            Expr::Tuple(node) => node.elts.iter().for_each(|item| self.delete(item)),
            Expr::List(node) => node.elts.iter().for_each(|item| self.delete(item)),
            _ => {}
        }
        if let Some(path) = Self::path(target) {
            self.forget(&path);
        }
        if let (Expr::Name(name), Some(scope)) = (target, self.state.scopes.last_mut()) {
            scope.remove(name.id.as_str());
        }
    }

    /// The body of a loop, run once: names it binds may hold what an earlier turn gave them.
    fn looped(&mut self, body: &'a [Stmt], run: impl FnOnce(&mut Self)) {
        let names = bindings::collect(body).names;
        for name in &names {
            self.forget(name);
            for scope in &mut self.state.scopes {
                if let Some(variable) = scope.get_mut(name) {
                    variable.ty = Type::Any;
                }
            }
        }
        let before = self.state.clone();
        self.in_loops.push(names.clone());
        run(self);
        self.in_loops.pop();
        self.unsettle(&names);
        if self.state.dead {
            // `break`, `continue` or `return`: what came before them is bound all the same.
            self.state.dead = false;
        }
        self.state.facts.retain(|path, ty| before.facts.get(path) == Some(ty));
    }

    fn attempt(&mut self, body: &'a [Stmt], handlers: &'a [ExceptHandler], otherwise: &'a [Stmt], finally: &'a [Stmt]) {
        let before = self.state.clone();
        let broad = handlers.iter().any(|ExceptHandler::ExceptHandler(handler)| match handler.type_.as_deref() {
            None => true,
            Some(class) => catches_faults(class),
        });
        let expected = self.expected.len();
        for ExceptHandler::ExceptHandler(handler) in handlers {
            match &handler.type_ {
                Some(class) => self.expected.extend(names(class)),
                None => self.expected.push("BaseException".to_owned()),
            }
        }
        self.guarded += usize::from(broad);
        self.body(body);
        self.guarded -= usize::from(broad);
        self.expected.truncate(expected);
        let after = self.state.clone();
        self.body(otherwise);
        let mut ended = std::mem::take(&mut self.state);
        for ExceptHandler::ExceptHandler(handler) in handlers {
            let mut start = before.clone();
            for (mine, theirs) in start.scopes.iter_mut().zip(&after.scopes) {
                for (name, variable) in theirs {
                    let maybe = || Variable { ty: Type::Any, maybe: Some(Rc::from(IN_TRY)) };
                    mine.entry(name.clone())
                        .and_modify(|mine| mine.ty = mine.ty.join(&variable.ty))
                        .or_insert_with(maybe);
                }
            }
            self.state = start;
            self.in_handler += 1;
            if let Some(class) = &handler.type_ {
                self.expr(class);
            }
            if let Some(name) = &handler.name {
                self.bind(name, Type::Any);
            }
            self.body(&handler.body);
            if let (Some(name), Some(scope)) = (&handler.name, self.state.scopes.last_mut()) {
                // Python unbinds it at the end of the handler.
                scope.remove(name.as_str());
            }
            self.in_handler -= 1;
            ended = join(ended, std::mem::take(&mut self.state), IN_TRY, IN_TRY);
        }
        // It runs on every way out, those by `return` and `raise` included.
        let ends = std::mem::replace(&mut ended.dead, false);
        self.state = ended;
        self.body(finally);
        self.state.dead |= ends;
    }

    /// A function's body, which runs later: it sees the block's names, whatever they hold by then.
    pub(super) fn function(&mut self, arguments: &'a Arguments, run: impl FnOnce(&mut Self)) {
        let listed = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
        let mut scope = HashMap::new();
        let any = || Variable { ty: Type::Any, maybe: None };
        for argument in listed {
            if let Some(default) = &argument.default {
                self.value(default);
            }
            scope.insert(argument.def.arg.to_string(), any());
        }
        for argument in arguments.vararg.iter().chain(&arguments.kwarg) {
            scope.insert(argument.arg.to_string(), any());
        }
        self.inner(scope, run);
    }

    /// A lambda whose first parameter gets values of a type.
    pub(super) fn lambda(&mut self, node: &'a ExprLambda, items: &Type) {
        let first = node.args.posonlyargs.iter().chain(&node.args.args).next();
        let first = first.filter(|first| first.default.is_none()).map(|first| first.def.arg.as_str());
        self.function(&node.args, |checker| {
            if let Some(first) = first {
                checker.bind(first, items.clone());
            }
            checker.value(&node.body);
        });
    }

    /// Code with a scope of its own.
    pub(super) fn inner(&mut self, scope: HashMap<String, Variable>, run: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        for (depth, scope) in self.state.scopes.iter_mut().enumerate() {
            for (name, variable) in scope {
                // A function or module that nothing else takes the name of is still the same.
                let is_rebound = self.bindings.rebound.contains(name) || self.bindings.globals.contains(name);
                let is_the_same = match &variable.ty {
                    Type::Module(_) => !is_rebound,
                    Type::Def | Type::Function(..) | Type::Object(_) => depth == 0 && !is_rebound,
                    _ => false,
                };
                let ty = match &variable.ty {
                    ty if is_the_same => ty.clone(),
                    Type::Module(_) | Type::SomeModule => Type::SomeModule,
                    _ => Type::Any,
                };
                *variable = Variable { ty, maybe: None };
            }
        }
        self.state.scopes.push(scope);
        let (comprehensions, loops) = (std::mem::take(&mut self.comprehensions), std::mem::take(&mut self.in_loops));
        run(self);
        (self.comprehensions, self.in_loops) = (comprehensions, loops);
        self.state = before;
    }
}

/// Returns `true` if a handler of this class catches a missing name or attribute.
fn catches_faults(class: &Expr) -> bool {
    const BROAD: [&str; 5] = ["Exception", "BaseException", "NameError", "AttributeError", "TypeError"];
    names(class).iter().any(|name| BROAD.contains(&name.as_str()))
}

/// The names of the classes that a handler catches.
fn names(class: &Expr) -> Vec<String> {
    match class {
        Expr::Name(node) => vec![node.id.to_string()],
        Expr::Tuple(node) => node.elts.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}
