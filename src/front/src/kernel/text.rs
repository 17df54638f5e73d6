//! f-strings to kernels.

use crate::syntax::ast::{Constant, ConversionFlag, Expr};
use tpv_bytecode::kernel::{Node, TextPart};

use super::super::fold;
use super::{Lowerer, Tables};

impl<T: Tables> Lowerer<'_, T> {
    /// The text of an f-string; [`Node::Leave`] where a field has a conversion that changes it, or a format with fields of its own.
    pub(super) fn text(&mut self, values: &[Expr]) -> Option<Node> {
        let Some(specs) = values.iter().map(spec).collect::<Option<Vec<_>>>() else { return Some(Node::Leave) };
        let mut parts = Vec::with_capacity(values.len());
        for (value, spec) in values.iter().zip(specs) {
            let value = match value {
                Expr::FormattedValue(field) => &field.value,
                literal => literal,
            };
            let spec = match spec {
                "" => None,
                spec => Some(self.tables.constant(&Constant::Str(spec.to_owned()))?),
            };
            parts.push(TextPart { node: self.expression(value)?, spec });
        }
        Some(Node::Text { parts })
    }
}

/// The format of a part, which kernels know.
fn spec(value: &Expr) -> Option<&str> {
    let Expr::FormattedValue(field) = value else { return Some("") };
    let spec = match field.format_spec.as_deref() {
        Some(spec) => constant_text(spec)?,
        None => "",
    };
    match field.conversion {
        ConversionFlag::None => Some(spec),
        // What has a kernel is formatted by its `str` where nothing else is asked for.
        ConversionFlag::Str if spec.is_empty() => Some(spec),
        _ => None,
    }
}

/// The text of a format that has no fields.
fn constant_text(spec: &Expr) -> Option<&str> {
    let text = match spec {
        Expr::JoinedStr(node) => match node.values.as_slice() {
            [] => return Some(""),
            [only] => only,
            _ => return None,
        },
        other => other,
    };
    match fold::constant(text)? {
        Constant::Str(text) => Some(text),
        _ => None,
    }
}
