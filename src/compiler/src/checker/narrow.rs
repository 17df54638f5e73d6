//! The facts that a test establishes about the paths in it: `if user`, `user is not None`, `not user`, `hasattr(user,
//! ...)`, `and`, `or`.

use tpv_front::syntax::ast::{BoolOp, CmpOp, Constant, Expr, ExprConstant, UnaryOp};

use super::block::Checker;
use super::types::Type;

impl<'a> Checker<'a> {
    /// Takes the test to be true or false.
    pub(super) fn narrow(&mut self, test: &'a Expr, truth: bool) {
        self.narrow_within(test, truth, 8);
    }

    /// `depth` bounds how many names that stand for tests are followed.
    fn narrow_within(&mut self, test: &'a Expr, truth: bool, depth: usize) {
        match test {
            Expr::Name(node) => {
                if let Some(named) = self.state.tests.get(node.id.as_str()).copied()
                    && depth > 0
                {
                    self.narrow_within(named, truth, depth - 1);
                }
                self.is_none(test, !truth);
            }
            Expr::Attribute(_) => self.is_none(test, !truth),
            Expr::NamedExpr(node) => {
                self.narrow_within(&node.value, truth, depth);
                self.is_none(&node.target, !truth);
            }
            Expr::UnaryOp(node) if matches!(node.op, UnaryOp::Not) => self.narrow_within(&node.operand, !truth, depth),
            Expr::BoolOp(node) => {
                let all = matches!((node.op, truth), (BoolOp::And, true) | (BoolOp::Or, false));
                if all {
                    node.values.iter().for_each(|value| self.narrow_within(value, truth, depth));
                }
            }
            Expr::Compare(node) => {
                let ([op], [right]) = (node.ops.as_slice(), node.comparators.as_slice()) else { return };
                if !is_none(right) {
                    if truth && matches!(op, CmpOp::Eq | CmpOp::In | CmpOp::Gt | CmpOp::GtE) {
                        // What equals a value, or is greater, is not None.
                        self.is_none(&node.left, false);
                    }
                    return;
                }
                match op {
                    CmpOp::Is | CmpOp::Eq => self.is_none(&node.left, truth),
                    CmpOp::IsNot | CmpOp::NotEq => self.is_none(&node.left, !truth),
                    _ => {}
                }
            }
            Expr::Call(node) => {
                let Expr::Name(function) = &*node.func else { return };
                let Some(first) = node.args.first() else { return };
                match function.id.as_str() {
                    "bool" => self.narrow_within(first, truth, depth),
                    "hasattr" | "getattr" if truth => {
                        self.is_none(first, false);
                        // The attribute has been judged where it was asked for.
                        if let (Some(path), Some(Expr::Constant(ExprConstant { value: Constant::Str(name), .. }))) =
                            (Self::path(first), node.args.get(1))
                        {
                            self.state.facts.insert(format!("{path}.{name}"), Type::Any);
                        }
                    }
                    "isinstance" if truth => {
                        if let Some(path) = Self::path(first) {
                            self.state.facts.insert(path, Type::Any);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Takes a path to be `None`, or not to be. What merely is false may be empty rather than `None`.
    fn is_none(&mut self, expr: &'a Expr, none: bool) {
        let Some(path) = Self::path(expr) else { return };
        let faults = self.faults.len();
        let free = self.free.len();
        let ty = self.expr(expr);
        // The test itself was walked already.
        self.faults.truncate(faults);
        self.free.truncate(free);
        match (&ty, none) {
            (Type::Optional(_), true) => drop(self.state.facts.insert(path, Type::None)),
            (Type::Optional(_) | Type::None, false) => drop(self.state.facts.insert(path, ty.not_none())),
            _ => {}
        }
    }
}

fn is_none(expr: &Expr) -> bool {
    matches!(expr, Expr::Constant(node) if matches!(node.value, Constant::None))
}

/// The fields of `entity` that are set where a test is true, or is false.
pub(super) fn fields_of_entity(test: &Expr, holds: bool) -> Vec<&str> {
    match test {
        Expr::Attribute(node) if holds && matches!(&*node.value, Expr::Name(name) if name.id.as_str() == "entity") => {
            vec![node.attr.as_str()]
        }
        Expr::UnaryOp(node) if matches!(node.op, UnaryOp::Not) => fields_of_entity(&node.operand, !holds),
        Expr::BoolOp(node) if matches!(node.op, BoolOp::And) == holds => {
            node.values.iter().flat_map(|value| fields_of_entity(value, holds)).collect()
        }
        Expr::Compare(node) => match (node.ops.as_slice(), node.comparators.as_slice()) {
            ([CmpOp::Is | CmpOp::Eq], [right]) if is_none(right) => fields_of_entity(&node.left, !holds),
            ([CmpOp::IsNot | CmpOp::NotEq], [right]) if is_none(right) => fields_of_entity(&node.left, holds),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
