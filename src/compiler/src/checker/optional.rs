//! T107: the use of `None` where nobody is logged in, or a job has no history. T110: `score and score < 5`, where `None` is meant and 0 is
//! left out as well.

use tpv_front::syntax::ast::{CmpOp, Expr, Ranged};
use tpv_front::syntax::text_size::TextRange;

use super::attributes::ATTRIBUTE_ERROR;
use super::block::Checker;
use super::types::Type;
use tpv_text::code::Code;

impl<'a> Checker<'a> {
    /// An attribute of what may be `None`: of `user` and histories, which are the traps; other objects are seldom missing.
    pub(super) fn may_be_none(&mut self, inner: &Type, value: &'a Expr, name: &str, range: TextRange) {
        let Some(path) = Self::path(value) else { return };
        let label = match inner {
            Type::Class("History") => "raises `AttributeError` for a job without a history",
            _ if path == "user" => "raises `AttributeError` where nobody is logged in",
            _ => return,
        };
        if self.guarded > 0 || self.catches(ATTRIBUTE_ERROR) {
            return;
        }
        self.fault(Code::MaybeNone, range, format!("`{path}` may be `None`, which has no `{name}`"), label);
        self.help(format!("test it first: `{path} and {path}.{name}`, or `{path}.{name} if {path} else ...`"));
        // Once in a block is enough.
        let ty = self.state.facts.get(&path).map_or_else(|| inner.clone(), Type::not_none);
        self.state.facts.insert(path, ty);
    }

    /// Items of what may be `None`: `tags = history and history.tags`, then `for tag in tags`.
    pub(super) fn items_of_none(&mut self, ty: &Type, node: &'a Expr) {
        let (Type::Optional(inner), Some(path)) = (ty, Self::path(node)) else { return };
        if !matches!(&**inner, Type::List(_)) || self.guarded > 0 || self.catches("TypeError") {
            return;
        }
        let message = format!("`{path}` may be `None`, which has no items");
        self.fault(Code::MaybeNone, node.range(), message, "raises `TypeError` then");
        self.help(format!("write `{path} or []`"));
    }

    /// `score and score < limit`: a 0 is below the limit, too.
    pub(super) fn zero_for_none(&mut self, values: &'a [Expr]) {
        for (index, value) in values.iter().enumerate() {
            let Expr::Name(name) = value else { continue };
            let rest = values.iter().skip(index + 1);
            // An input of 0 bytes is none.
            if name.id.as_str() == "input_size" || !rest.clone().any(|part| is_below(part, name.id.as_str())) {
                continue;
            }
            let message = format!("`{0} and ... {0} < ...` is false where `{0}` is 0", name.id);
            self.fault(Code::MisleadingZero, name.range, message, "0 counts as unset here");
            self.help(format!("write `{} is not None` if only `None` is meant", name.id));
            return;
        }
    }
}

/// Returns `true` if a name is compared to be below something in a part of a condition that must hold.
fn is_below(node: &Expr, name: &str) -> bool {
    let is_name = |side: &Expr| matches!(side, Expr::Name(side) if side.id.as_str() == name);
    match node {
        Expr::BoolOp(node) => node.values.iter().any(|value| is_below(value, name)),
        Expr::Compare(node) => {
            let mut left = &*node.left;
            node.ops.iter().zip(&node.comparators).any(|(op, right)| {
                let found = match op {
                    CmpOp::Lt | CmpOp::LtE => is_name(left),
                    CmpOp::Gt | CmpOp::GtE => is_name(right),
                    _ => false,
                };
                left = right;
                found
            })
        }
        _ => false,
    }
}
