//! T151: versions compared as texts, of which `'1.10'` comes before `'1.9'`, or as numbers, of which 1.10 is 1.1.

use tpv_front::syntax::ast::{BoolOp, CmpOp, Constant, Expr, ExprCall};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;
use super::types::Type;
use tpv_model::Version;
use tpv_text::code::Code;

/// The most names that are followed to what they were assigned.
const MOST_NAMES: usize = 8;

/// The help for a version that a context has as a number.
pub(super) const QUOTED_CONTEXT: &str = "put the version in quotes under `context`: YAML reads 1.10 as the number 1.1";

/// A version as code has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The version of the tool that runs.
    OfTool,
    /// A text made from it.
    Text,
    /// One of its parts, or all of them as a list.
    Part,
}

impl<'a> Checker<'a> {
    /// `tool.version >= '1.10'`
    pub(super) fn compares_versions(&mut self, op: CmpOp, sides: [(&Type, &'a Expr); 2], range: TextRange) {
        let [(left, left_node), (right, right_node)] = sides;
        let forms = [self.version(left_node, MOST_NAMES), self.version(right_node, MOST_NAMES)];
        let is_text = |ty: &Type| matches!(ty.not_none(), Type::Class("str") | Type::List(_));
        let (form, other, of_right) = match forms {
            [Some(form), _] if is_text(right) => (form, right_node, true),
            [_, Some(form)] if is_text(left) => (form, left_node, false),
            _ => return,
        };
        let is_year = |text: &str| {
            let digits = text.trim_matches(['\'', '"']);
            digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let other_text = self.text(other);
        // Texts of one width compare as numbers do, and any text is more than an empty one.
        if form == Form::Part && is_year(other_text) || ["''", "\"\""].contains(&other_text) {
            return;
        }
        // `op` as it is with the version on the left.
        let name = match (op, of_right) {
            (CmpOp::Lt, true) | (CmpOp::Gt, false) => "lt",
            (CmpOp::LtE, true) | (CmpOp::GtE, false) => "lte",
            (CmpOp::Gt, true) | (CmpOp::Lt, false) => "gt",
            _ => "gte",
        };
        let other = self.text(other);
        let message = "versions are compared as texts".to_owned();
        self.fault(Code::VersionAsText, range, message, "compares characters: `'1.10'` is before `'1.9'`");
        let helper = format!("tool_version_{name}");
        self.help(match form {
            Form::Part => "compare the parts as numbers: `int(...)`".to_owned(),
            _ if !self.surroundings.version.has_helper(&helper) => {
                format!(
                    "TPV {} has `helpers.{helper}`: upgrade TPV, or compare the parts as numbers",
                    Version::default()
                )
            }
            Form::OfTool => format!("write `helpers.{helper}(tool, {other})`"),
            Form::Text => format!("write `helpers.{helper}(tool, {other})` if it is the tool's version"),
        });
    }

    /// `float(tool.version)`
    pub(super) fn version_as_number(&mut self, node: &'a ExprCall) {
        let ([argument], []) = (node.args.as_slice(), node.keywords.as_slice()) else { return };
        if !matches!(self.version(argument, MOST_NAMES), Some(Form::OfTool))
            || !self.expected.is_empty()
            || self.guarded > 0
            || ["isdigit", "isdecimal", "isnumeric"].iter().any(|test| self.source.contains(test))
        {
            return;
        }
        let message = format!("`{}` as a number", self.text(argument));
        self.fault(Code::VersionAsText, node.range, message, "1.10 is 1.1, and `1.2.3` raises `ValueError`");
        self.help(match self.surroundings.version.has_helper("tool_version_gte") {
            true => "compare versions: `helpers.tool_version_gte(tool, '1.10')`",
            false => "compare the parts as numbers: `int(...)`",
        });
    }

    /// The help for a version beside a number.
    pub(super) fn help_for_version(&self, node: &'a Expr, number: &'a Expr) -> Option<String> {
        self.version(node, MOST_NAMES)?;
        Some(match number {
            Expr::Name(_) => QUOTED_CONTEXT.to_owned(),
            _ => format!(
                "write the version as a text: `'{}'`, and compare with `helpers.tool_version_gte` and the like",
                self.text(number)
            ),
        })
    }

    /// A version of a tool, or a text that is made from one.
    fn version(&self, node: &'a Expr, names: usize) -> Option<Form> {
        match node {
            Expr::Attribute(node) if node.attr.as_str() == "version" && is_name(&node.value, "tool") => {
                Some(Form::OfTool)
            }
            Expr::Attribute(node) if node.attr.as_str() == "tool_version" && is_name(&node.value, "job") => {
                Some(Form::OfTool)
            }
            Expr::Name(name) if names > 0 => {
                self.state.tests.get(name.id.as_str()).and_then(|value| self.version(value, names - 1))
            }
            Expr::BoolOp(node) if matches!(node.op, BoolOp::Or) => self.version(node.values.first()?, names),
            Expr::Call(call) => match &*call.func {
                Expr::Name(function) if function.id.as_str() == "str" => self.version(call.args.first()?, names),
                Expr::Attribute(method) => {
                    let form = self.version(&method.value, names)?;
                    match method.attr.as_str() {
                        "split" | "rsplit" => Some(Form::Part),
                        "strip" | "lstrip" | "rstrip" | "replace" | "removeprefix" | "removesuffix" => {
                            Some(if form == Form::Part { form } else { Form::Text })
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            // The last part of the id of a tool of the tool shed.
            Expr::Subscript(node)
                if self.text(&*node.slice) == "-1" && self.text(&*node.value).starts_with("tool.id.split('/'") =>
            {
                Some(Form::OfTool)
            }
            Expr::Subscript(node) => match (self.version(&node.value, names)?, &*node.slice) {
                // The version without what follows `+`.
                (Form::Part, Expr::Constant(index))
                    if is_zero(&index.value) && !self.text(&*node.value).contains("'.'") =>
                {
                    Some(Form::Text)
                }
                (_, _) => Some(Form::Part),
            },
            _ => None,
        }
    }
}

fn is_name(node: &Expr, name: &str) -> bool {
    matches!(node, Expr::Name(node) if node.id.as_str() == name)
}

fn is_zero(value: &Constant) -> bool {
    matches!(value, Constant::Int(value) if *value == 0.into())
}
