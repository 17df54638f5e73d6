//! T135: `in` with one text in parentheses, which is no tuple. T132: comparisons that are never true: of an object with a text,
//! because a role is no text, and of a text with a number.

use tpv_front::syntax::ast::{CmpOp, Constant, Expr, Ranged};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;
use super::types::Type;
use tpv_text::code::Code;

/// An object that code tends to take for its name.
struct Named {
    class: &'static str,
    /// The plural of its noun.
    plural: &'static str,
    /// The attribute that is meant.
    attribute: &'static str,
}

const NAMED: [Named; 8] = [
    Named { class: "Role", plural: "roles", attribute: "name" },
    Named { class: "UserRoleAssociation", plural: "roles", attribute: "name" },
    Named { class: "User", plural: "users", attribute: "username" },
    Named { class: "Tool", plural: "tools", attribute: "id" },
    Named { class: "HistoryTagAssociation", plural: "tags", attribute: "user_tname" },
    Named { class: "JobParameter", plural: "parameters", attribute: "name" },
    Named { class: "JobToInputDatasetAssociation", plural: "inputs", attribute: "name" },
    Named { class: "Tag", plural: "tags", attribute: "value" },
];

impl<'a> Checker<'a> {
    /// `x in ("text")`: the parentheses make no tuple.
    pub(super) fn in_text(&mut self, right: &'a Expr, range: TextRange) {
        let Expr::Constant(node) = right else { return };
        let Constant::Str(value) = &node.value else { return };
        let (start, end) = (right.range().start().to_usize(), right.range().end().to_usize());
        let before = self.source.get(..start).unwrap_or("").trim_end();
        let after = self.source.get(end..).unwrap_or("").trim_start();
        // Long texts are written in parentheses to break their lines.
        let text = self.text(right).to_owned();
        if !before.ends_with('(')
            || !after.starts_with(')')
            || text.contains('\n')
            || value.contains(char::is_whitespace)
        {
            return;
        }
        let message = format!("`({text})` is a text, not a tuple");
        self.fault(Code::TextAsTuple, range, message, "this looks for a part of the text");
        self.help(format!("write `({text},)` or `[{text}]`, or `==`"));
    }

    /// `left == right`, `left in right` and their negations.
    pub(super) fn never_equal(
        &mut self,
        op: CmpOp,
        [left, right]: [&Type; 2],
        [left_node, right_node]: [&'a Expr; 2],
        range: TextRange,
    ) {
        let always = match op {
            CmpOp::Eq | CmpOp::In => "this is never true",
            _ => "this is always true",
        };
        match op {
            CmpOp::Eq | CmpOp::NotEq => {
                let named = match (left, right) {
                    (object, text) | (text, object) if *text == Type::STR => named(object),
                    _ => None,
                };
                let Some(named) = named else {
                    self.text_and_number([(left, left_node), (right, right_node)], always, range);
                    return;
                };
                let noun = noun(named);
                self.fault(Code::NeverEqual, range, format!("a {noun} isn't text"), always);
                self.help(format!("compare its `.{}`", named.attribute));
            }
            CmpOp::In | CmpOp::NotIn if *left == Type::STR => {
                let item = match right {
                    Type::List(item) | Type::Items(item) => named(item),
                    _ => None,
                };
                let Some(named) = item else { return };
                let (noun, plural, attribute) = (noun(named), named.plural, named.attribute);
                self.fault(
                    Code::NeverEqual,
                    range,
                    format!("this looks for text among {plural}, and a {noun} isn't text"),
                    always,
                );
                let items = self.text(right_node);
                let word = if op == CmpOp::In { "in" } else { "not in" };
                self.help(if plural == "roles" {
                    format!("write `... {word} [role.name for role in user.all_roles() if not role.deleted]`")
                } else {
                    format!("write `... {word} [{noun}.{attribute} for {noun} in {items}]`")
                });
            }
            _ => {}
        }
    }

    /// `tool.id == 5`
    fn text_and_number(&mut self, sides: [(&Type, &'a Expr); 2], always: &str, range: TextRange) {
        let is_text = |ty: &Type| ty.not_none() == Type::STR;
        let (text, number) = match sides {
            [(text, left), (number, right)] if is_text(text) && number.is_number() => (left, right),
            [(number, left), (text, right)] if is_text(text) && number.is_number() => (right, left),
            _ => return,
        };
        self.fault(Code::NeverEqual, range, "a text isn't a number".to_owned(), always);
        let written = self.text(number);
        if let (Some(help), Expr::Name(_)) = (self.help_for_version(text, number), number) {
            self.help(help);
            return;
        }
        self.help(match (number, text) {
            (Expr::Constant(_) | Expr::UnaryOp(_), _) => format!("put it in quotes: `'{written}'`"),
            (_, Expr::Constant(_)) => "leave the quotes out".to_owned(),
            _ => format!("compare texts: `str({written})`"),
        });
    }
}

fn named(object: &Type) -> Option<&'static Named> {
    let Type::Class(class) = object.not_none() else { return None };
    NAMED.iter().find(|named| named.class == class)
}

fn noun(named: &Named) -> &'static str {
    named.plural.strip_suffix('s').unwrap_or(named.plural)
}
