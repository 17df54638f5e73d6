//! Constant folding, within the limits of CPython's.
//!
//! Only what cannot raise and gives the very value of run time is folded, so that the first error of a block stays the
//! first.

mod arithmetic;

use std::convert::Infallible;

use crate::syntax::ast::{self, Constant, Expr, Pattern, Ranged, Stmt};

use super::walk::{self, PartMut};

/// The most items of a tuple that is folded to a constant by repetition or concatenation, as in CPython.
const MAX_ITEMS: usize = 256;

/// Folds the constants of a block in place.
pub fn fold(body: &mut [Stmt]) {
    body.iter_mut().for_each(statement);
}

/// The value of an expression that is made of constants, within the same limits.
pub fn value(node: &Expr) -> Option<Constant> {
    let mut node = node.clone();
    expression(&mut node);
    match node {
        Expr::Constant(node) => Some(node.value),
        _ => None,
    }
}

fn part(part: PartMut<'_>) -> Result<(), Infallible> {
    match part {
        PartMut::Expr(node) => expression(node),
        PartMut::Stmt(node) => statement(node),
        PartMut::Pattern(node) => pattern(node),
    }
    Ok(())
}

fn statement(node: &mut Stmt) {
    let _ = walk::statement_mut(node, &mut part);
}

fn pattern(node: &mut Pattern) {
    let _ = walk::pattern_mut(node, &mut part);
}

fn expression(node: &mut Expr) {
    let _ = walk::expression_mut(node, &mut part);
    if let Some(value) = folded(node) {
        let range = node.range();
        *node = Expr::Constant(ast::ExprConstant { range, value, kind: None });
    }
}

/// The value of an expression whose parts are folded already, where it is constant but no constant yet.
fn folded(node: &Expr) -> Option<Constant> {
    match node {
        Expr::UnaryOp(node) => arithmetic::unary(node.op, constant(&node.operand)?),
        Expr::BinOp(node) => arithmetic::binary(node.op, constant(&node.left)?, constant(&node.right)?),
        Expr::Tuple(node) if matches!(node.ctx, ast::ExprContext::Load) => {
            node.elts.iter().map(|item| constant(item).cloned()).collect::<Option<_>>().map(Constant::Tuple)
        }
        Expr::Name(node) if node.id.as_str() == "__debug__" && matches!(node.ctx, ast::ExprContext::Load) => {
            Some(Constant::Bool(true))
        }
        _ => None,
    }
}

/// The value of a constant expression; `None` where it is not constant.
pub fn constant(expression: &Expr) -> Option<&Constant> {
    match expression {
        Expr::Constant(node) => Some(&node.value),
        _ => None,
    }
}

/// The truth of a constant.
pub fn truth(constant: &Constant) -> bool {
    match constant {
        Constant::None => false,
        Constant::Bool(value) => *value,
        Constant::Str(text) => !text.is_empty(),
        Constant::Bytes(bytes) => !bytes.is_empty(),
        Constant::Int(value) => *value != ast::bigint::BigInt::ZERO,
        Constant::Tuple(items) => !items.is_empty(),
        Constant::Float(value) => *value != 0.0,
        Constant::Complex { real, imag } => *real != 0.0 || *imag != 0.0,
        Constant::Ellipsis => true,
    }
}
