//! The parts of a node of the tree, in the order of the text.

use crate::syntax::ast::{ExceptHandler, Expr, Pattern, Stmt};

/// A part of a node.
pub enum Part<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A statement.
    Stmt(&'a Stmt),
    /// A pattern of a `match`.
    Pattern(&'a Pattern),
}

/// A part of a node, to change.
pub enum PartMut<'a> {
    /// An expression.
    Expr(&'a mut Expr),
    /// A statement.
    Stmt(&'a mut Stmt),
    /// A pattern of a `match`.
    Pattern(&'a mut Pattern),
}

/// Writes the walkers for shared and for changing access.
macro_rules! walkers {
    ($part:ident, $expr:ident, $stmt:ident, $pattern:ident, $arguments:ident, $as_deref:ident, $iter:ident $(, $mutable:tt)?) => {
        /// Calls `f` with each default of a function's parameters.
        ///
        /// # Errors
        /// The first that `f` gives.
        pub fn $arguments<'a, E>(
            arguments: &'a $($mutable)? crate::syntax::ast::Arguments,
            f: &mut impl FnMut($part<'a>) -> Result<(), E>,
        ) -> Result<(), E> {
            let listed = arguments.posonlyargs.$iter().chain(arguments.args.$iter()).chain(arguments.kwonlyargs.$iter());
            for default in listed.filter_map(|argument| argument.default.$as_deref()) {
                f($part::Expr(default))?;
            }
            Ok(())
        }

        /// Calls `f` with each part of an expression.
        ///
        /// # Errors
        /// The first that `f` gives.
        pub fn $expr<'a, E>(
            node: &'a $($mutable)? Expr,
            f: &mut impl FnMut($part<'a>) -> Result<(), E>,
        ) -> Result<(), E> {
            macro_rules! each {
                ($items:expr) => { for item in $items.$iter() { f($part::Expr(item))?; } };
            }
            macro_rules! maybe {
                ($item:expr) => { if let Some(item) = $item.$as_deref() { f($part::Expr(item))?; } };
            }
            macro_rules! generators {
                ($items:expr) => {
                    for generator in $items.$iter() {
                        f($part::Expr(&$($mutable)? generator.target))?;
                        f($part::Expr(&$($mutable)? generator.iter))?;
                        each!(generator.ifs);
                    }
                };
            }
            match node {
                Expr::BoolOp(node) => each!(node.values),
                Expr::NamedExpr(node) => {
                    f($part::Expr(&$($mutable)? node.target))?;
                    f($part::Expr(&$($mutable)? node.value))?;
                }
                Expr::BinOp(node) => {
                    f($part::Expr(&$($mutable)? node.left))?;
                    f($part::Expr(&$($mutable)? node.right))?;
                }
                Expr::UnaryOp(node) => f($part::Expr(&$($mutable)? node.operand))?,
                Expr::Lambda(node) => {
                    $arguments(&$($mutable)? node.args, f)?;
                    f($part::Expr(&$($mutable)? node.body))?;
                }
                Expr::IfExp(node) => {
                    f($part::Expr(&$($mutable)? node.body))?;
                    f($part::Expr(&$($mutable)? node.test))?;
                    f($part::Expr(&$($mutable)? node.orelse))?;
                }
                Expr::Dict(node) => {
                    for (key, value) in node.keys.$iter().zip(node.values.$iter()) {
                        if let Some(key) = key {
                            f($part::Expr(key))?;
                        }
                        f($part::Expr(value))?;
                    }
                }
                Expr::Set(node) => each!(node.elts),
                Expr::ListComp(node) => {
                    f($part::Expr(&$($mutable)? node.elt))?;
                    generators!(node.generators);
                }
                Expr::SetComp(node) => {
                    f($part::Expr(&$($mutable)? node.elt))?;
                    generators!(node.generators);
                }
                Expr::DictComp(node) => {
                    f($part::Expr(&$($mutable)? node.key))?;
                    f($part::Expr(&$($mutable)? node.value))?;
                    generators!(node.generators);
                }
                Expr::GeneratorExp(node) => {
                    f($part::Expr(&$($mutable)? node.elt))?;
                    generators!(node.generators);
                }
                Expr::Await(node) => f($part::Expr(&$($mutable)? node.value))?,
                Expr::Yield(node) => maybe!(node.value),
                Expr::YieldFrom(node) => f($part::Expr(&$($mutable)? node.value))?,
                Expr::Compare(node) => {
                    f($part::Expr(&$($mutable)? node.left))?;
                    each!(node.comparators);
                }
                Expr::Call(node) => {
                    f($part::Expr(&$($mutable)? node.func))?;
                    each!(node.args);
                    for keyword in node.keywords.$iter() {
                        f($part::Expr(&$($mutable)? keyword.value))?;
                    }
                }
                Expr::FormattedValue(node) => {
                    f($part::Expr(&$($mutable)? node.value))?;
                    maybe!(node.format_spec);
                }
                Expr::JoinedStr(node) => each!(node.values),
                Expr::Constant(_) | Expr::Name(_) => {}
                Expr::Attribute(node) => f($part::Expr(&$($mutable)? node.value))?,
                Expr::Subscript(node) => {
                    f($part::Expr(&$($mutable)? node.value))?;
                    f($part::Expr(&$($mutable)? node.slice))?;
                }
                Expr::Starred(node) => f($part::Expr(&$($mutable)? node.value))?,
                Expr::List(node) => each!(node.elts),
                Expr::Tuple(node) => each!(node.elts),
                Expr::Slice(node) => {
                    maybe!(node.lower);
                    maybe!(node.upper);
                    maybe!(node.step);
                }
            }
            Ok(())
        }

        /// Calls `f` with each part of a statement. Annotations are no parts: they are never evaluated.
        ///
        /// # Errors
        /// The first that `f` gives.
        pub fn $stmt<'a, E>(
            node: &'a $($mutable)? Stmt,
            f: &mut impl FnMut($part<'a>) -> Result<(), E>,
        ) -> Result<(), E> {
            macro_rules! each {
                ($items:expr) => { for item in $items.$iter() { f($part::Expr(item))?; } };
            }
            macro_rules! body {
                ($items:expr) => { for item in $items.$iter() { f($part::Stmt(item))?; } };
            }
            macro_rules! maybe {
                ($item:expr) => { if let Some(item) = $item.$as_deref() { f($part::Expr(item))?; } };
            }
            macro_rules! function {
                ($node:expr) => {{
                    each!($node.decorator_list);
                    $arguments(&$($mutable)? $node.args, f)?;
                    body!($node.body);
                }};
            }
            macro_rules! for_loop {
                ($node:expr) => {{
                    f($part::Expr(&$($mutable)? $node.target))?;
                    f($part::Expr(&$($mutable)? $node.iter))?;
                    body!($node.body);
                    body!($node.orelse);
                }};
            }
            macro_rules! with {
                ($node:expr) => {{
                    for item in $node.items.$iter() {
                        f($part::Expr(&$($mutable)? item.context_expr))?;
                        maybe!(item.optional_vars);
                    }
                    body!($node.body);
                }};
            }
            macro_rules! attempt {
                ($node:expr) => {{
                    body!($node.body);
                    for ExceptHandler::ExceptHandler(handler) in $node.handlers.$iter() {
                        maybe!(handler.type_);
                        body!(handler.body);
                    }
                    body!($node.orelse);
                    body!($node.finalbody);
                }};
            }
            match node {
                Stmt::FunctionDef(node) => function!(node),
                Stmt::AsyncFunctionDef(node) => function!(node),
                Stmt::ClassDef(node) => {
                    each!(node.decorator_list);
                    each!(node.bases);
                    for keyword in node.keywords.$iter() {
                        f($part::Expr(&$($mutable)? keyword.value))?;
                    }
                    body!(node.body);
                }
                Stmt::Return(node) => maybe!(node.value),
                Stmt::Delete(node) => each!(node.targets),
                Stmt::Assign(node) => {
                    each!(node.targets);
                    f($part::Expr(&$($mutable)? node.value))?;
                }
                Stmt::AugAssign(node) => {
                    f($part::Expr(&$($mutable)? node.target))?;
                    f($part::Expr(&$($mutable)? node.value))?;
                }
                Stmt::AnnAssign(node) => {
                    f($part::Expr(&$($mutable)? node.target))?;
                    maybe!(node.value);
                }
                Stmt::For(node) => for_loop!(node),
                Stmt::AsyncFor(node) => for_loop!(node),
                Stmt::While(node) => {
                    f($part::Expr(&$($mutable)? node.test))?;
                    body!(node.body);
                    body!(node.orelse);
                }
                Stmt::If(node) => {
                    f($part::Expr(&$($mutable)? node.test))?;
                    body!(node.body);
                    body!(node.orelse);
                }
                Stmt::With(node) => with!(node),
                Stmt::AsyncWith(node) => with!(node),
                Stmt::Match(node) => {
                    f($part::Expr(&$($mutable)? node.subject))?;
                    for case in node.cases.$iter() {
                        f($part::Pattern(&$($mutable)? case.pattern))?;
                        maybe!(case.guard);
                        body!(case.body);
                    }
                }
                Stmt::Raise(node) => {
                    maybe!(node.exc);
                    maybe!(node.cause);
                }
                Stmt::Try(node) => attempt!(node),
                Stmt::TryStar(node) => attempt!(node),
                Stmt::Assert(node) => {
                    f($part::Expr(&$($mutable)? node.test))?;
                    maybe!(node.msg);
                }
                Stmt::Expr(node) => f($part::Expr(&$($mutable)? node.value))?,
                Stmt::TypeAlias(_)
                | Stmt::Import(_)
                | Stmt::ImportFrom(_)
                | Stmt::Global(_)
                | Stmt::Nonlocal(_)
                | Stmt::Pass(_)
                | Stmt::Break(_)
                | Stmt::Continue(_) => {}
            }
            Ok(())
        }

        /// Calls `f` with each part of a pattern.
        ///
        /// # Errors
        /// The first that `f` gives.
        pub fn $pattern<'a, E>(
            node: &'a $($mutable)? Pattern,
            f: &mut impl FnMut($part<'a>) -> Result<(), E>,
        ) -> Result<(), E> {
            macro_rules! each {
                ($items:expr) => { for item in $items.$iter() { f($part::Pattern(item))?; } };
            }
            match node {
                Pattern::MatchValue(node) => f($part::Expr(&$($mutable)? node.value))?,
                Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {}
                Pattern::MatchSequence(node) => each!(node.patterns),
                Pattern::MatchMapping(node) => {
                    for key in node.keys.$iter() {
                        f($part::Expr(key))?;
                    }
                    each!(node.patterns);
                }
                Pattern::MatchClass(node) => {
                    f($part::Expr(&$($mutable)? node.cls))?;
                    each!(node.patterns);
                    each!(node.kwd_patterns);
                }
                Pattern::MatchAs(node) => {
                    if let Some(pattern) = node.pattern.$as_deref() {
                        f($part::Pattern(pattern))?;
                    }
                }
                Pattern::MatchOr(node) => each!(node.patterns),
            }
            Ok(())
        }
    };
}

walkers!(Part, expression, statement, pattern, arguments, as_deref, iter);
walkers!(PartMut, expression_mut, statement_mut, pattern_mut, arguments_mut, as_deref_mut, iter_mut, mut);
