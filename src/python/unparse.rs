//! The text of an annotation as `ast.unparse` writes it: `dict[str,int]` becomes `dict[str, int]`.

use rustpython_parser::ast::{self, Constant, Expr, Operator};
use tpv_runtime::python::vm::text::str_repr;

/// The text of an expression of the forms that annotations have; `None` for others.
pub fn annotation(node: &Expr) -> Option<String> {
    Some(match node {
        Expr::Name(name) => name.id.to_string(),
        Expr::Constant(constant) => of_constant(&constant.value)?,
        Expr::Attribute(node) if !matches!(*node.value, Expr::Constant(_)) => {
            format!("{}.{}", annotation(&node.value)?, node.attr)
        }
        Expr::Subscript(node) => {
            let key = match &*node.slice {
                Expr::Tuple(tuple) if !tuple.elts.is_empty() => items(&tuple.elts)?,
                other => annotation(other)?,
            };
            format!("{}[{key}]", annotation(&node.value)?)
        }
        Expr::Tuple(node) => match node.elts.as_slice() {
            [only] => format!("({},)", annotation(only)?),
            elements => format!("({})", items(elements)?),
        },
        Expr::List(node) => format!("[{}]", items(&node.elts)?),
        Expr::Call(node) => call(node)?,
        Expr::BinOp(node) if node.op == Operator::BitOr => {
            // It binds less than all else here but itself.
            let right = annotation(&node.right)?;
            let right = if node.right.is_bin_op_expr() { format!("({right})") } else { right };
            format!("{} | {right}", annotation(&node.left)?)
        }
        _ => return None,
    })
}

fn items(nodes: &[Expr]) -> Option<String> {
    Some(nodes.iter().map(annotation).collect::<Option<Vec<_>>>()?.join(", "))
}

fn call(node: &ast::ExprCall) -> Option<String> {
    let mut arguments = node.args.iter().map(annotation).collect::<Option<Vec<_>>>()?;
    for keyword in &node.keywords {
        let value = annotation(&keyword.value)?;
        arguments.push(match &keyword.arg {
            Some(name) => format!("{name}={value}"),
            None => format!("**{value}"),
        });
    }
    Some(format!("{}({})", annotation(&node.func)?, arguments.join(", ")))
}

fn of_constant(value: &Constant) -> Option<String> {
    Some(match value {
        Constant::None => "None".to_owned(),
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Str(text) => str_repr(text),
        Constant::Int(number) => number.to_string(),
        Constant::Ellipsis => "...".to_owned(),
        _ => return None,
    })
}
