//! The native language: which constructs of Python it leaves out, and what to write instead.
//!
//! Compiled rules run the subset of Python that public TPV configs use (`docs/python.md`). Where a job comes to a construct that
//! is left out, `NotImplementedError` is raised, and compiling tells it (T130): the compiler and the checker both ask here.

use crate::syntax::ast::{CmpOp, Constant, ExceptHandler, Expr, ExprCompare, Ranged, Stmt};
use crate::syntax::text_size::{TextRange, TextSize};

use super::walk::{self, Part};

/// A construct that the native language leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name, after "tpvc has no": `generator functions`.
    pub what: String,
    /// The range in the source for the caret, within one line if possible.
    pub range: TextRange,
    /// The text to write instead.
    pub help: &'static str,
}

impl LeftOut {
    fn new(what: impl Into<String>, range: TextRange, help: &'static str) -> Option<Self> {
        Some(Self { what: what.into(), range, help })
    }

    /// The message of the finding, and of the exception where a job comes to it.
    pub fn message(&self) -> String {
        format!("tpvc has no {}", self.what)
    }
}

/// The advice for a class, however it is created.
pub const INSTEAD_OF_CLASS: &str = "write functions, and keep values that belong together in a dict";
/// The help for complex numbers.
pub const INSTEAD_OF_COMPLEX: &str = "no resource of a job is complex: compute with real numbers";
const INSTEAD_OF_GENERATOR: &str = "return a list, or write a generator expression: `(f(x) for x in items)`";

/// The attributes with two underscores on each side that objects have natively; nothing sets them.
const DUNDERS: [&str; 2] = ["__class__", "__name__"];

/// The statement itself, if it is left out; not its parts.
pub fn statement(node: &Stmt) -> Option<LeftOut> {
    match node {
        Stmt::ClassDef(node) => LeftOut::new("classes", head(node.range, "class ", &node.name), INSTEAD_OF_CLASS),
        Stmt::FunctionDef(node) => {
            let range = node.body.iter().find_map(yield_in_statement)?;
            LeftOut::new("generator functions", range, INSTEAD_OF_GENERATOR)
        }
        Stmt::AsyncFunctionDef(node) => {
            LeftOut::new("async functions", head(node.range, "async def ", &node.name), "write a plain `def`")
        }
        Stmt::Match(node) => {
            let range = TextRange::new(node.range.start(), node.subject.end());
            LeftOut::new("`match` statements", range, "write `if` and `elif`")
        }
        Stmt::TryStar(node) => {
            let ExceptHandler::ExceptHandler(first) = node.handlers.first()?;
            LeftOut::new("`except*` clauses", head(first.range, "except", ""), "write `except`")
        }
        Stmt::ImportFrom(node) if node.level.is_some_and(|level| level.to_u32() > 0) => {
            LeftOut::new("relative imports", node.range, "write the full name of the module")
        }
        Stmt::ImportFrom(node) if node.names.iter().any(|alias| alias.name.as_str() == "*") => {
            LeftOut::new("`import *`", node.range, "import the names that the code uses")
        }
        _ => None,
    }
}

/// The expression itself, if it is left out; not its parts.
pub fn expression(node: &Expr) -> Option<LeftOut> {
    match node {
        Expr::Constant(constant) if matches!(constant.value, Constant::Complex { .. }) => {
            LeftOut::new("complex numbers", node.range(), INSTEAD_OF_COMPLEX)
        }
        Expr::Attribute(attribute) if attribute.ctx.is_load() && is_left_out_attribute(&attribute.attr) => {
            LeftOut::new(
                format!("attributes such as `{}`", attribute.attr),
                node.range(),
                "write the operator, or call the function, that Python has for it",
            )
        }
        Expr::Attribute(attribute) if !attribute.ctx.is_load() && is_dunder(&attribute.attr) => LeftOut::new(
            format!("attributes such as `{}` that code sets", attribute.attr),
            node.range(),
            "use a variable or a dict",
        ),
        Expr::Lambda(lambda) => {
            LeftOut::new("generator functions", yield_in_expression(&lambda.body)?, INSTEAD_OF_GENERATOR)
        }
        Expr::GeneratorExp(comprehension) => {
            let generator = comprehension.generators.iter().find(|generator| generator.is_async)?;
            LeftOut::new("asynchronous generator expressions", generator.target.range(), "leave out `async`")
        }
        _ => None,
    }
}

/// Returns `true` if no object has an attribute of this name natively, because it belongs to Python's object model.
pub fn is_left_out_attribute(name: &str) -> bool {
    is_dunder(name) && !DUNDERS.contains(&name)
}

/// Returns `true` if a name has two underscores on each side.
fn is_dunder(name: &str) -> bool {
    let inner = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    inner.is_some_and(|inner| !inner.is_empty())
}

/// The name that `'name' in locals()` asks for, and whether it is asked with `not in`: of `locals` it is all that is native, and in a
/// block only, since it asks for no dict.
pub fn name_in_locals(node: &ExprCompare) -> Option<(&str, bool)> {
    let (Expr::Constant(name), [op], [Expr::Call(call)]) = (&*node.left, &*node.ops, &*node.comparators) else {
        return None;
    };
    let is_locals = matches!(&*call.func, Expr::Name(function) if function.id.as_str() == "locals");
    let (Constant::Str(name), true, true, true) =
        (&name.value, is_locals, call.args.is_empty(), call.keywords.is_empty())
    else {
        return None;
    };
    match op {
        CmpOp::In => Some((name, false)),
        CmpOp::NotIn => Some((name, true)),
        _ => None,
    }
}

/// The text to write instead of a builtin that does not exist natively, if it is short.
pub fn instead_of_builtin(name: &str) -> Option<&'static str> {
    Some(match name {
        "super" | "property" | "staticmethod" | "classmethod" => INSTEAD_OF_CLASS,
        "setattr" => "write `x.name = value`",
        "delattr" => "write `del x.name`",
        "eval" | "exec" | "compile" => "write the code itself in the config",
        "locals" => "write `'name' in locals()` outside of functions, or keep the values in a dict",
        "globals" | "vars" => "keep the values in a dict",
        "__import__" => "write an `import` statement",
        "open" => "use what the job and world files give",
        "complex" => INSTEAD_OF_COMPLEX,
        "bytearray" | "memoryview" => "use `bytes`",
        _ => return None,
    })
}

/// The range of a definition's head: `class Name`.
fn head(range: TextRange, keyword: &str, name: &str) -> TextRange {
    let length = TextSize::try_from(keyword.len() + name.len()).unwrap_or_default();
    TextRange::at(range.start(), length.min(range.len()))
}

/// The first `yield` that makes a generator of the function around the statement.
fn yield_in_statement(node: &Stmt) -> Option<TextRange> {
    match node {
        // A function inside has its own; its decorators and defaults belong to the function around it.
        Stmt::FunctionDef(def) => {
            let defaults = walk::arguments(&def.args, &mut no_yield).err();
            def.decorator_list.iter().find_map(yield_in_expression).or(defaults)
        }
        Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_) => None,
        _ => walk::statement(node, &mut no_yield).err(),
    }
}

fn yield_in_expression(node: &Expr) -> Option<TextRange> {
    match node {
        Expr::Yield(_) | Expr::YieldFrom(_) => Some(node.range()),
        Expr::Lambda(lambda) => walk::arguments(&lambda.args, &mut no_yield).err(),
        _ => walk::expression(node, &mut no_yield).err(),
    }
}

/// An error with the range of a `yield` in a part of a function, which ends the walk.
fn no_yield(part: Part<'_>) -> Result<(), TextRange> {
    let found = match part {
        Part::Expr(node) => yield_in_expression(node),
        Part::Stmt(node) => yield_in_statement(node),
        Part::Pattern(_) => None,
    };
    found.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

    use crate::syntax::{Parse, ast};

    use super::*;

    /// The first construct that a source's statement leaves out, with the text that it points at.
    fn first(source: &str) -> Option<(String, &str)> {
        let body = ast::Suite::parse(source, "").unwrap();
        let left_out = match &body[0] {
            Stmt::Expr(node) => expression(&node.value),
            node => statement(node),
        }?;
        Some((left_out.what.clone(), &source[left_out.range]))
    }

    #[test]
    fn constructs_point_at_what_is_left_out() {
        for (source, what, range) in [
            ("class A(B):\n    x = 1", "classes", "class A"),
            ("@d\nclass A: pass", "classes", "class A"),
            ("def f():\n    if x:\n        y = yield 3", "generator functions", "yield 3"),
            ("def f():\n    def g(x=(yield)): pass", "generator functions", "yield"),
            ("lambda: (yield from x)", "generator functions", "yield from x"),
            ("async def f(): pass", "async functions", "async def f"),
            ("match x + 1:\n    case 1: pass", "`match` statements", "match x + 1"),
            ("try:\n    pass\nexcept* E:\n    pass", "`except*` clauses", "except"),
            ("from a import *", "`import *`", "from a import *"),
            ("from . import a", "relative imports", "from . import a"),
            ("x.__dict__", "attributes such as `__dict__`", "x.__dict__"),
            ("2j", "complex numbers", "2j"),
            ("(x async for x in y)", "asynchronous generator expressions", "x"),
        ] {
            assert_eq!(first(source), Some((what.to_owned(), range)), "{source}");
        }
    }

    #[test]
    fn what_is_in_is_not_told() {
        for source in [
            "def f():\n    def g():\n        yield",
            "def f():\n    return lambda: (yield)",
            "lambda: 1",
            "x.__class__",
            "x.__name__",
            "x.__private",
            "x.____",
            "(x for x in y)",
            "from a import b",
            "try:\n    pass\nexcept E:\n    pass",
        ] {
            assert_eq!(first(source), None, "{source}");
        }
    }
}
