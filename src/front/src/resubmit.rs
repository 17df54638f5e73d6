//! The Python that Galaxy allows in conditions and delays of `resubmit`: `_check_expression` of
//! `galaxy/jobs/runners/state_handlers/_safe_eval.py`.

use std::borrow::Cow;

use crate::syntax::ast::{Expr, Operator, Stmt, UnaryOp};
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_runtime::resubmit::expression::VARIABLES;

use super::walk::{self, Part};
use super::{parse, run_time, stack};

/// `BUILTIN_AND_MATH_FUNCTIONS`: what may be called by its name. Some are not defined where Galaxy evaluates (`ceil`, `long`): there
/// calling them raises `NameError`, as it does in tpvc.
const FUNCTIONS: [&str; 32] = [
    "abs", "all", "any", "bin", "chr", "cmp", "complex", "divmod", "float", "hex", "int", "len", "long", "max", "min",
    "oct", "ord", "pow", "range", "reversed", "round", "sorted", "str", "sum", "type", "unichr", "unicode", "log",
    "exp", "sqrt", "ceil", "floor",
];

/// `STRING_AND_LIST_METHODS`: `dir("") + dir([])` of Python 3.11 without names that begin with `_`.
const METHODS: [&str; 56] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
    "append",
    "clear",
    "copy",
    "extend",
    "insert",
    "pop",
    "remove",
    "reverse",
    "sort",
];

/// Compiles a condition or a delay of `resubmit`, for [`tpv_runtime::resubmit::Resubmitter`]. The root is code 0 of the program.
///
/// # Errors
/// The name and the text of the exception that Galaxy logs for it: one for all that it does not allow.
pub fn compile(source: &str, kind: CodeKind) -> Result<ProgramData, (String, String)> {
    match refused(source) {
        None => run_time::compile(source, kind),
        Some(_) => Err((
            "Exception".to_owned(),
            format!("Invalid expression [{source}], only a very simple subset of Python is allowed."),
        )),
    }
}

/// The part of a condition or delay that Galaxy refuses, in words: `` `ceiling` ``, `a conditional expression`. `None` if it takes
/// all of it.
pub fn refused(source: &str) -> Option<Cow<'static, str>> {
    let refused = stack::with_room(source.len(), || {
        let Ok(parsed) = parse::parse(source, CodeKind::Exec) else { return Some("what is not Python".into()) };
        match parsed.body.as_slice() {
            [Stmt::Expr(only)] => refused_in(&only.value).err(),
            _ => Some("more or less than one expression".into()),
        }
    });
    refused.unwrap_or_else(|| Some("so long an expression".into()))
}

fn refused_in(expression: &Expr) -> Result<(), Cow<'static, str>> {
    let refuse = |what: &'static str| Err(Cow::from(what));
    match expression {
        Expr::BoolOp(_) | Expr::Compare(_) | Expr::List(_) | Expr::Subscript(_) | Expr::Constant(_) => {}
        Expr::BinOp(node) => match node.op {
            Operator::FloorDiv => return refuse("`//`"),
            Operator::RShift => return refuse("`>>`"),
            Operator::MatMult => return refuse("`@`"),
            _ => {}
        },
        Expr::UnaryOp(node) => match node.op {
            UnaryOp::USub => return refuse("a sign: `-`"),
            UnaryOp::UAdd => return refuse("a sign: `+`"),
            UnaryOp::Not | UnaryOp::Invert => {}
        },
        Expr::Name(node) => {
            let name = node.id.as_str();
            if !FUNCTIONS.contains(&name) && !METHODS.contains(&name) && !VARIABLES.contains(&name) {
                return Err(format!("`{name}`").into());
            }
        }
        Expr::Attribute(node) => {
            if !METHODS.contains(&node.attr.as_str()) {
                return Err(format!("`.{}`", node.attr).into());
            }
        }
        Expr::Call(node) => {
            match &*node.func {
                Expr::Name(name) if FUNCTIONS.contains(&name.id.as_str()) => {}
                Expr::Name(name) => return Err(format!("a call of `{}`", name.id).into()),
                Expr::Attribute(_) => {}
                _ => return refuse("a call of what has no name"),
            }
            if !node.keywords.is_empty() {
                return refuse("an argument by name");
            }
        }
        Expr::IfExp(_) => return refuse("a conditional expression"),
        Expr::Tuple(_) => return refuse("a tuple"),
        Expr::Slice(_) => return refuse("a slice"),
        Expr::JoinedStr(_) => return refuse("an f-string"),
        _ => return refuse("this kind of expression"),
    }
    walk::expression(expression, &mut |part| match part {
        Part::Expr(part) => refused_in(part),
        Part::Stmt(_) | Part::Pattern(_) => refuse("this kind of expression"),
    })
}
