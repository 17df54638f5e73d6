//! f-strings to kernels.

use rustpython_parser::ast::{Constant, ConversionFlag, Expr};
use tpv_bytecode::kernel::{Node, TextPart};

use super::super::fold;
use super::{Lowerer, Tables};

impl<T: Tables> Lowerer<'_, T> {
    /// The text of an f-string; nothing where a field has a conversion that changes it, or a format with fields of its own.
    pub(super) fn text(&mut self, values: &[Expr]) -> Option<Node> {
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            parts.push(match value {
                Expr::FormattedValue(field) => {
                    let spec = match field.format_spec.as_deref() {
                        Some(spec) => constant_text(spec)?,
                        None => "",
                    };
                    match field.conversion {
                        ConversionFlag::None => {}
                        // What has a kernel is formatted by its `str` where nothing else is asked for.
                        ConversionFlag::Str if spec.is_empty() => {}
                        _ => return None,
                    }
                    let spec = match spec {
                        "" => None,
                        spec => Some(self.tables.constant(&Constant::Str(spec.to_owned()))?),
                    };
                    TextPart { node: self.expression(&field.value)?, spec }
                }
                literal => TextPart { node: self.expression(literal)?, spec: None },
            });
        }
        Some(Node::Text { parts })
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
