//! The results of blocks: T108 (a number is required) and T113 (a number in another unit).

use num_traits::ToPrimitive;
use tpv_front::syntax::ast::{Constant, Expr, Operator, Ranged};

use tpv_model::{Quantity, Resource};

use super::found::Found;
use super::place::place;
use super::sites::Site;
use super::types::Type;
use super::units;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Judges the result of a text.
pub(super) fn judge(found: &mut Found<'_>, site: &Site<'_>, ty: &Type, expr: &Expr) {
    if Resource::from_name(site.property).is_some() {
        number(found, site, ty, expr);
        unit(found, site, expr);
    } else if site.property == "rank" && is_no_list(ty) {
        let span = place(found.sources, site.text, site.kind, expr.range());
        let diagnostic = Diagnostic::warning(format!("`rank` gives {}, not a list of destinations", ty.describe()))
            .at(span, "every job that comes here fails")
            .help("end with a list, such as `candidate_destinations` or `helpers.weighted_random_sampling(candidate_destinations)`");
        found.report(Finding::new(Code::WrongType, diagnostic).within(site.no_qa()));
    }
}

fn is_no_list(ty: &Type) -> bool {
    matches!(ty, Type::None | Type::Class("str" | "int" | "float" | "bool" | "dict" | "set"))
}

fn number(found: &mut Found<'_>, site: &Site<'_>, ty: &Type, expr: &Expr) {
    let wrong = matches!(
        ty,
        Type::Class("str" | "bool" | "list" | "dict" | "set" | "tuple" | "bytes")
            | Type::List(_)
            | Type::Module(_)
            | Type::Function(..)
    );
    if !wrong {
        return;
    }
    let span = place(found.sources, site.text, site.kind, expr.range());
    let property = site.property;
    let help = match expr {
        Expr::Set(_) => format!("`{property}` is code, not an f-string: write it without braces"),
        Expr::Constant(_) => format!("write a number, as in `{property}: 4`, without quotes inside"),
        Expr::JoinedStr(_) => format!("`{property}` is code: write the expression itself, without `f'...'`"),
        _ => format!("end with a number: the last line is what `{property}` becomes"),
    };
    let diagnostic = Diagnostic::warning(format!("`{property}` gives {}, not a number", ty.describe()))
        .at(span, "this is what it becomes")
        .help(help);
    found.report(Finding::new(Code::WrongType, diagnostic).within(site.no_qa()));
}

fn unit(found: &mut Found<'_>, site: &Site<'_>, expr: &Expr) {
    if Resource::from_name(site.property).map(Resource::quantity) != Some(Quantity::Mem) {
        return;
    }
    let suspicious = match expr {
        Expr::BinOp(node) if matches!(node.op, Operator::Mult) => match (&*node.left, &*node.right) {
            (Expr::Name(name), factor) | (factor, Expr::Name(name)) if name.id.as_str() == Resource::Cores.name() => {
                constant(factor).is_some_and(|factor| factor >= units::PER_CORE)
            }
            _ => constant(expr).is_some_and(|value| value > units::MOST_GIB),
        },
        // A plain number is judged with the others, as it is without quotes.
        _ => false,
    };
    if suspicious {
        let span = place(found.sources, site.text, site.kind, expr.range());
        found.report(units::finding(site.property, span, found.sources.text(span)).within(site.no_qa()));
    }
}

/// The value of a product or power of numbers.
pub fn constant(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Constant(node) => match &node.value {
            Constant::Int(value) => value.to_f64(),
            Constant::Float(value) => Some(*value),
            _ => None,
        },
        Expr::BinOp(node) if matches!(node.op, Operator::Mult) => Some(constant(&node.left)? * constant(&node.right)?),
        Expr::BinOp(node) if matches!(node.op, Operator::Pow) => {
            Some(constant(&node.left)?.powf(constant(&node.right)?)).filter(|value| value.is_finite())
        }
        _ => None,
    }
}
