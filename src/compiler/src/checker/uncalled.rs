//! T133: methods and functions that are meant to be called. Where that raises whatever the names hold, it is T111.

use tpv_front::syntax::ast::{Expr, ExprAttribute, ExprCall, UnaryOp};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;
use super::types::Type;
use crate::checker::stubs::model;
use tpv_text::code::Code;

impl<'a> Checker<'a> {
    /// Walks a condition.
    pub(super) fn test(&mut self, node: &'a Expr) -> Type {
        let ty = self.expr(node);
        self.tests(node);
        ty
    }

    /// Looks at what decides the truth of an expression that has been walked.
    pub(super) fn tests(&mut self, node: &'a Expr) {
        match node {
            Expr::BoolOp(node) => node.values.iter().for_each(|value| self.tests(value)),
            Expr::UnaryOp(node) if matches!(node.op, UnaryOp::Not) => self.tests(&node.operand),
            Expr::IfExp(node) => {
                self.tests(&node.body);
                self.tests(&node.orelse);
            }
            _ => self.not_called(node, "this is always true"),
        }
    }

    /// Walks what is iterated.
    pub(super) fn items(&mut self, node: &'a Expr) -> Type {
        let ty = self.expr(node);
        self.calculates(node);
        self.items_of_none(&ty, node);
        self.iterated(&ty, node);
        ty
    }

    /// The functions by which a call orders items: `key=lambda d: d.score`.
    pub(super) fn orders_by(&mut self, node: &'a ExprCall, function: &Type) {
        let orders =
            matches!(function, Type::Function("builtins", "sorted" | "min" | "max") | Type::Function("list", "sort"));
        let key = node.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some("key"));
        let Some(Expr::Lambda(key)) = key.map(|key| &key.value).filter(|_| orders) else { return };
        let parts = match &*key.body {
            Expr::Tuple(node) => node.elts.as_slice(),
            Expr::List(node) => node.elts.as_slice(),
            body => std::slice::from_ref(body),
        };
        for part in parts {
            self.not_called(part, "raises `TypeError` where there are two to compare");
        }
    }

    /// Looks at the value of an f-string, at one side of `==`, or at another value that is wanted and not called.
    pub(super) fn not_called(&mut self, node: &'a Expr, label: &str) {
        for (range, message, help) in self.uncalled(node) {
            self.fault(Code::UncalledFunction, range, message, label);
            self.help(help);
        }
    }

    /// Looks at an operand that must have a value to calculate with, an order, or items.
    pub(super) fn calculates(&mut self, node: &'a Expr) {
        for (range, message, help) in self.uncalled(node) {
            self.always_raises(range, message, "TypeError", &help);
        }
    }

    /// Notes that a method or function is taken as a value.
    pub(super) fn takes_function(&mut self, node: &'a ExprAttribute, ty: &Type) {
        if matches!(ty, Type::Function(owner, _) if *owner != "builtins") {
            self.uncalled.insert(node.range, ty.clone());
        }
    }

    /// The functions that an expression may give: place, message and help. Each is reported once.
    fn uncalled(&mut self, node: &'a Expr) -> Vec<(TextRange, String, String)> {
        let attribute = match node {
            Expr::Attribute(attribute) => attribute,
            Expr::IfExp(node) => return [self.uncalled(&node.body), self.uncalled(&node.orelse)].concat(),
            Expr::BoolOp(node) => return node.values.last().map_or_else(Vec::new, |last| self.uncalled(last)),
            _ => return Vec::new(),
        };
        let Some(function) = self.uncalled.remove(&attribute.range) else { return Vec::new() };
        let (Type::Function(owner, _), Some(signature)) = (&function, function.signature()) else { return Vec::new() };
        let what = if model().modules.contains_key(owner) { "function" } else { "method" };
        let message = format!("`{}` is a {what}, and is not called", signature.name);
        let required = signature.parameters.iter().filter(|parameter| !parameter.optional);
        let arguments: Vec<&str> = required.map(|parameter| parameter.name).collect();
        vec![(attribute.range, message, format!("write `{}({})`", self.text(node), arguments.join(", ")))]
    }
}
