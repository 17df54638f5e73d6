//! Errors that CPython's parser reports and ours does not: invalid targets, and unlimited nesting.

use crate::syntax::ast::{Constant, Expr, Pattern, Ranged, Stmt};

use super::error::{ErrorKind, PythonError, Stage};
use super::parse::Text;
use super::walk::{self, Part};

/// The maximum nesting of expressions and statements. CPython's own limit is near 3000.
pub const MAX_DEPTH: usize = 2900;

type Done = Result<(), PythonError>;

/// Checks a block.
///
/// # Errors
/// The first thing, in the order of the text, that `ast.parse` refuses.
pub fn validate(body: &[Stmt], text: &Text) -> Done {
    let mut checker = Checker { text, depth: 0 };
    body.iter().try_for_each(|statement| checker.statement(statement))
}

struct Checker<'a> {
    text: &'a Text,
    depth: usize,
}

impl Checker<'_> {
    fn part(&mut self, part: Part<'_>) -> Done {
        match part {
            Part::Expr(node) => self.expression(node),
            Part::Stmt(node) => self.statement(node),
            Part::Pattern(node) => self.pattern(node),
        }
    }

    fn deeper(&mut self, node: &impl Ranged, check: impl FnOnce(&mut Self) -> Done) -> Done {
        if self.depth >= MAX_DEPTH {
            let at = node.start().to_usize();
            let message = "maximum recursion depth exceeded during compilation";
            return Err(self.text.error(ErrorKind::RecursionError, Stage::Compile, at, message));
        }
        self.depth += 1;
        let result = check(self);
        self.depth -= 1;
        result
    }

    fn refuse(&self, node: &impl Ranged, message: String) -> Done {
        Err(self.text.syntax(node.start(), message))
    }

    fn pattern(&mut self, node: &Pattern) -> Done {
        self.deeper(node, |this| walk::pattern(node, &mut |part| this.part(part)))
    }

    fn statement(&mut self, node: &Stmt) -> Done {
        match node {
            Stmt::Assign(assign) => {
                // With one target only, CPython guesses that a comparison was meant.
                let guess = assign.targets.len() == 1;
                for target in &assign.targets {
                    if let Some(bad) = bad_target(target) {
                        return self.refuse(bad, self.cannot_assign(bad, target, guess));
                    }
                }
            }
            Stmt::AugAssign(assign) => match &*assign.target {
                Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => {}
                bad => {
                    let message = format!("'{}' is an illegal expression for augmented assignment", name_of(bad));
                    return self.refuse(bad, message);
                }
            },
            Stmt::AnnAssign(assign) => match &*assign.target {
                Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => {}
                bad @ (Expr::Tuple(_) | Expr::List(_)) => {
                    return self.refuse(bad, format!("only single target (not {}) can be annotated", name_of(bad)));
                }
                bad => return self.refuse(bad, "illegal target for annotation".to_owned()),
            },
            Stmt::Delete(delete) => {
                if let Some(bad) = delete.targets.iter().find_map(bad_deletion) {
                    return self.refuse(bad, format!("cannot delete {}", name_of(bad)));
                }
            }
            Stmt::For(node) => self.target(&node.target)?,
            Stmt::AsyncFor(node) => self.target(&node.target)?,
            Stmt::With(node) => {
                node.items.iter().filter_map(|item| item.optional_vars.as_deref()).try_for_each(|t| self.target(t))?;
            }
            Stmt::AsyncWith(node) => {
                node.items.iter().filter_map(|item| item.optional_vars.as_deref()).try_for_each(|t| self.target(t))?;
            }
            _ => {}
        }
        self.deeper(node, |this| walk::statement(node, &mut |part| this.part(part)))
    }

    fn expression(&mut self, node: &Expr) -> Done {
        match node {
            Expr::NamedExpr(named) if !named.target.is_name_expr() => {
                let message = format!("cannot use assignment expressions with {}", name_of(&named.target));
                return self.refuse(&*named.target, message);
            }
            Expr::Call(call) if call.args.len() + call.keywords.len() > 1 => {
                if let Some(bare) = call.args.iter().find(|argument| self.is_bare_generator(argument)) {
                    return self.refuse(bare, "Generator expression must be parenthesized".to_owned());
                }
            }
            Expr::ListComp(comp) => self.generators(&comp.elt, &comp.generators)?,
            Expr::SetComp(comp) => self.generators(&comp.elt, &comp.generators)?,
            Expr::GeneratorExp(comp) => self.generators(&comp.elt, &comp.generators)?,
            Expr::DictComp(comp) => self.generators(&comp.key, &comp.generators)?,
            _ => {}
        }
        self.deeper(node, |this| walk::expression(node, &mut |part| this.part(part)))
    }

    fn generators(&mut self, element: &Expr, generators: &[crate::syntax::ast::Comprehension]) -> Done {
        if element.is_starred_expr() {
            return self.refuse(element, "iterable unpacking cannot be used in comprehension".to_owned());
        }
        generators.iter().try_for_each(|generator| self.target(&generator.target))
    }

    fn is_bare_generator(&self, argument: &Expr) -> bool {
        argument.is_generator_exp_expr()
            && !self.text.source.get(argument.start().to_usize()..).unwrap_or("").starts_with('(')
    }

    fn target(&self, target: &Expr) -> Done {
        match bad_target(target) {
            Some(bad) => self.refuse(bad, format!("cannot assign to {}", name_of(bad))),
            None => Ok(()),
        }
    }

    fn cannot_assign(&self, bad: &Expr, target: &Expr, guess: bool) -> String {
        let whole = std::ptr::eq(bad, target);
        let tight = !matches!(
            bad,
            Expr::Compare(_)
                | Expr::BoolOp(_)
                | Expr::Lambda(_)
                | Expr::IfExp(_)
                | Expr::GeneratorExp(_)
                | Expr::NamedExpr(_)
        ) && !matches!(bad, Expr::UnaryOp(node) if node.op == crate::syntax::ast::UnaryOp::Not)
            && !matches!(bad, Expr::Constant(node) if matches!(node.value, Constant::None | Constant::Bool(_)));
        if guess && whole && tight {
            format!("cannot assign to {} here. Maybe you meant '==' instead of '='?", name_of(bad))
        } else {
            format!("cannot assign to {}", name_of(bad))
        }
    }
}

/// The part of a target that cannot be assigned to.
fn bad_target(target: &Expr) -> Option<&Expr> {
    match target {
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => None,
        Expr::Starred(node) => bad_target(&node.value),
        Expr::Tuple(node) => node.elts.iter().find_map(bad_target),
        Expr::List(node) => node.elts.iter().find_map(bad_target),
        other => Some(other),
    }
}

/// The part of what is deleted that cannot be.
fn bad_deletion(target: &Expr) -> Option<&Expr> {
    match target {
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => None,
        Expr::Tuple(node) => node.elts.iter().find_map(bad_deletion),
        Expr::List(node) => node.elts.iter().find_map(bad_deletion),
        other => Some(other),
    }
}

/// CPython's name for the kind of an expression.
pub fn name_of(node: &Expr) -> &'static str {
    match node {
        Expr::Attribute(_) => "attribute",
        Expr::Subscript(_) | Expr::Slice(_) => "subscript",
        Expr::Starred(_) => "starred",
        Expr::Name(_) => "name",
        Expr::List(_) => "list",
        Expr::Tuple(_) => "tuple",
        Expr::Lambda(_) => "lambda",
        Expr::Call(_) => "function call",
        Expr::BoolOp(_) | Expr::BinOp(_) | Expr::UnaryOp(_) => "expression",
        Expr::GeneratorExp(_) => "generator expression",
        Expr::Yield(_) | Expr::YieldFrom(_) => "yield expression",
        Expr::Await(_) => "await expression",
        Expr::ListComp(_) => "list comprehension",
        Expr::SetComp(_) => "set comprehension",
        Expr::DictComp(_) => "dict comprehension",
        Expr::Dict(_) => "dict literal",
        Expr::Set(_) => "set display",
        Expr::JoinedStr(_) | Expr::FormattedValue(_) => "f-string expression",
        Expr::Constant(node) => match node.value {
            Constant::None => "None",
            Constant::Bool(true) => "True",
            Constant::Bool(false) => "False",
            Constant::Ellipsis => "ellipsis",
            _ => "literal",
        },
        Expr::Compare(_) => "comparison",
        Expr::IfExp(_) => "conditional expression",
        Expr::NamedExpr(_) => "named expression",
    }
}
