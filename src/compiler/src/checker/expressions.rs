//! The walk through expressions: their types, and what is wrong with them.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_front::syntax::ast::{BoolOp, CmpOp, Comprehension, Constant, Expr, Operator, Ranged, UnaryOp};
use tpv_front::syntax::text_size::TextRange;

use super::attributes::Use;
use super::block::Checker;
use super::left_out::NOT_IMPLEMENTED_ERROR;
use super::types::Type;
use tpv_front::language;
use tpv_front::walk::{self, Part};

impl<'a> Checker<'a> {
    /// Walks an expression whose value goes where its type is lost.
    pub(super) fn value(&mut self, node: &'a Expr) -> Type {
        let ty = self.expr(node);
        self.escapes(&ty, node.range());
        ty
    }

    /// Walks an expression and gives its type.
    pub(super) fn expr(&mut self, node: &'a Expr) -> Type {
        if self.left_out_expression(node) {
            return Type::Any;
        }
        match node {
            Expr::Constant(node) => {
                self.names_left_out_attribute(node);
                constant(&node.value)
            }
            Expr::Name(name) => self.read(&name.id, name.range),
            Expr::NamedExpr(node) => {
                let ty = self.expr(&node.value);
                if let Expr::Name(name) = &*node.target {
                    self.bind_outside(&name.id, ty.clone());
                }
                ty
            }
            Expr::BoolOp(node) => {
                if matches!(node.op, BoolOp::And) {
                    self.zero_for_none(&node.values);
                }
                let before = self.state.facts.clone();
                let mut ty: Option<Type> = None;
                for value in &node.values {
                    let next = self.expr(value);
                    if ty.as_ref().is_some_and(|ty| *ty != next) {
                        ty.iter().chain([&next]).for_each(|ty| self.escapes(ty, value.range()));
                    }
                    // Of all but the last, only what is false is the result of `and`, and what is true that of `or`.
                    ty = Some(ty.map_or(next.clone(), |ty| match node.op {
                        BoolOp::And => ty.falsy().join(&next),
                        BoolOp::Or => ty.not_none().join(&next),
                    }));
                    if !node.values.last().is_some_and(|last| std::ptr::eq(last, value)) {
                        self.tests(value);
                    }
                    self.narrow(value, matches!(node.op, BoolOp::And));
                }
                self.state.facts = before;
                ty.unwrap_or_default()
            }
            Expr::IfExp(node) => {
                self.test(&node.test);
                let (mut then, mut otherwise) = (Type::Any, Type::Any);
                self.branch(
                    &node.test,
                    |checker| {
                        checker.narrow(&node.test, true);
                        then = checker.expr(&node.body);
                    },
                    |checker| {
                        checker.narrow(&node.test, false);
                        otherwise = checker.expr(&node.orelse);
                    },
                );
                if then != otherwise {
                    [&then, &otherwise].into_iter().for_each(|ty| self.escapes(ty, node.range));
                }
                then.join(&otherwise)
            }
            Expr::UnaryOp(node) => {
                let ty = self.expr(&node.operand);
                match node.op {
                    UnaryOp::Not => self.tests(&node.operand),
                    op => {
                        self.calculates(&node.operand);
                        self.unary(op, &ty, node.range);
                    }
                }
                match node.op {
                    UnaryOp::Not => Type::BOOL,
                    UnaryOp::Invert if ty.is_number() => Type::INT,
                    _ if ty == Type::BOOL => Type::INT,
                    _ if ty.is_number() => ty,
                    _ => Type::Any,
                }
            }
            Expr::BinOp(binary) => {
                let left = self.expr(&binary.left);
                let right = self.expr(&binary.right);
                self.left_out_power(binary);
                self.calculates(&binary.left);
                self.calculates(&binary.right);
                self.arithmetic(binary.op, &left, &right, &binary.right, node.range())
            }
            // It asks for no value of `locals`.
            Expr::Compare(node) if self.in_functions.is_empty() && language::name_in_locals(node).is_some() => {
                Type::BOOL
            }
            Expr::Compare(node) => {
                let (mut left, mut left_node) = (self.expr(&node.left), &*node.left);
                for (op, item) in node.ops.iter().zip(&node.comparators) {
                    let right = self.expr(item);
                    match op {
                        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                            self.ordering([(&left, left_node), (&right, item)], node.range);
                            self.compares_versions(*op, [(&left, left_node), (&right, item)], node.range);
                            self.calculates(left_node);
                            self.calculates(item);
                        }
                        CmpOp::Eq | CmpOp::NotEq | CmpOp::In | CmpOp::NotIn => {
                            self.compares_pattern(*op, [(&left, left_node), (&right, item)]);
                            self.never_equal(*op, [&left, &right], [left_node, item], node.range);
                            if matches!(op, CmpOp::In | CmpOp::NotIn) {
                                self.in_text(item, node.range);
                                self.membership(*op, &left, &right, node.range);
                            }
                            match op {
                                CmpOp::In | CmpOp::NotIn => self.calculates(item),
                                _ => self.not_called(item, "no value equals this"),
                            }
                            self.not_called(left_node, "no value equals this");
                        }
                        CmpOp::Is | CmpOp::IsNot => {}
                    }
                    (left, left_node) = (right, item);
                }
                Type::BOOL
            }
            Expr::Call(node) => self.call(node),
            Expr::Attribute(attribute) => self.attribute(attribute, Use::Value),
            Expr::Subscript(node) => {
                let owner = self.expr(&node.value);
                self.reads_key(node);
                let index = self.expr(&node.slice);
                self.subscripts_class(&owner, node.range);
                self.index(&owner, &index, &node.slice, node.range);
                match (&owner, &*node.slice) {
                    (Type::Class("str"), _) => Type::STR,
                    (Type::List(_), Expr::Slice(_)) => owner,
                    _ => owner.item(),
                }
            }
            Expr::JoinedStr(node) => {
                node.values.iter().for_each(|value| drop(self.expr(value)));
                Type::STR
            }
            Expr::FormattedValue(node) => {
                let ty = self.expr(&node.value);
                self.formats(&ty, node);
                self.not_called(&node.value, "the text gets the function itself, not its result");
                if let Some(spec) = &node.format_spec {
                    self.expr(spec);
                }
                Type::STR
            }
            Expr::List(node) => {
                let items = self.written_items(&node.elts, node.range);
                Type::List(Arc::new(items.into_iter().reduce(|items, item| items.join(&item)).unwrap_or_default()))
            }
            Expr::Tuple(node) => {
                self.written_items(&node.elts, node.range);
                Type::TUPLE
            }
            Expr::Set(node) => {
                node.elts.iter().for_each(|item| drop(self.value(item)));
                self.unhashable(&node.elts);
                Type::SET
            }
            Expr::Dict(node) => {
                node.keys.iter().flatten().chain(&node.values).for_each(|item| drop(self.value(item)));
                Type::DICT
            }
            Expr::ListComp(node) => Type::List(Arc::new(self.comprehension(&node.generators, &[&*node.elt]))),
            Expr::SetComp(node) => {
                self.comprehension(&node.generators, &[&*node.elt]);
                Type::SET
            }
            Expr::GeneratorExp(node) => Type::Items(Arc::new(self.comprehension(&node.generators, &[&*node.elt]))),
            Expr::DictComp(node) => {
                self.comprehension(&node.generators, &[&*node.key, &*node.value]);
                Type::DICT
            }
            Expr::Lambda(node) => {
                self.lambda(node, &Type::Any);
                Type::Def
            }
            other => {
                let _ = walk::expression(other, &mut |part| {
                    if let Part::Expr(node) = part {
                        self.expr(node);
                    }
                    Ok::<(), std::convert::Infallible>(())
                });
                Type::Any
            }
        }
    }

    /// Walks the items of a list or tuple, and gives their types.
    fn written_items(&mut self, items: &'a [Expr], range: TextRange) -> Vec<Type> {
        let types: Vec<Type> = items.iter().map(|item| self.value(item)).collect();
        if !items.iter().any(Expr::is_starred_expr) {
            self.written.insert(range, types.clone());
        }
        types
    }

    /// Items of a set that have no hash: `{[]}` where `{}` is meant.
    fn unhashable(&mut self, items: &'a [Expr]) {
        for item in items {
            let kind = match item {
                Expr::List(_) | Expr::ListComp(_) => "list",
                Expr::Dict(_) | Expr::DictComp(_) => "dict",
                Expr::Set(_) | Expr::SetComp(_) => "set",
                _ => continue,
            };
            let message = format!("a set cannot hold a {kind}");
            self.always_raises(
                item.range(),
                message,
                "TypeError",
                "write `{}` for an empty dict, or a tuple as the item",
            );
        }
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], parts: &[&'a Expr]) -> Type {
        let mut around = None;
        self.state.scopes.push(HashMap::new());
        self.comprehensions += 1;
        for generator in generators {
            let items = self.items(&generator.iter);
            // What the first of them goes through is evaluated at once, so what is known behind it stays known.
            let (facts, tests) = (&self.state.facts, &self.state.tests);
            around.get_or_insert_with(|| (facts.clone(), tests.clone()));
            self.assign(&generator.target, items.item());
            for test in &generator.ifs {
                self.test(test);
                self.narrow(test, true);
            }
        }
        let mut ty = Type::Any;
        for part in parts {
            ty = self.value(part);
        }
        self.comprehensions -= 1;
        self.state.scopes.pop();
        if let Some(around) = around {
            (self.state.facts, self.state.tests) = around;
        }
        ty
    }

    pub(super) fn arithmetic(
        &mut self,
        op: Operator,
        left: &Type,
        right: &Type,
        right_node: &'a Expr,
        range: TextRange,
    ) -> Type {
        let divides = matches!(op, Operator::Div | Operator::FloorDiv)
            || (matches!(op, Operator::Mod) && !matches!(left, Type::Class("str" | "bytes")));
        if divides && is_zero(right_node) {
            self.always_raises(
                range,
                "this divides by zero".to_owned(),
                "ZeroDivisionError",
                "divide by something else",
            );
            return Type::Any;
        }
        if self.operands(op, left, right, range) {
            return Type::Any;
        }
        let either = |ty: Type| *left == ty || *right == ty;
        let numbers = left.is_number() && right.is_number();
        match op {
            Operator::Mod if matches!(left, Type::Class("bytes")) => {
                let message = "tpvc does not format bytes".to_owned();
                self.lacks(range, message, NOT_IMPLEMENTED_ERROR, "format a text, and encode that");
                Type::Any
            }
            Operator::Mod if *left == Type::STR => Type::STR,
            Operator::Add if left == right && matches!(left, Type::List(_) | Type::Class("str" | "tuple")) => {
                left.clone()
            }
            Operator::Mult if either(Type::STR) && (left.is_number() || right.is_number()) => Type::STR,
            Operator::BitAnd | Operator::BitOr | Operator::BitXor if left == right && *left == Type::BOOL => Type::BOOL,
            Operator::LShift | Operator::RShift if numbers => Type::INT,
            Operator::BitAnd | Operator::BitOr | Operator::BitXor if numbers => Type::INT,
            Operator::Div if numbers => Type::FLOAT,
            _ if numbers && either(Type::FLOAT) => Type::FLOAT,
            // A negative power is a fraction.
            Operator::Pow if numbers && !matches!(right_node, Expr::Constant(_)) => Type::NUMBER,
            _ if numbers && either(Type::NUMBER) => Type::NUMBER,
            _ if numbers => Type::INT,
            _ => Type::Any,
        }
    }
}

fn constant(value: &Constant) -> Type {
    match value {
        Constant::None => Type::None,
        Constant::Bool(_) => Type::BOOL,
        Constant::Str(_) => Type::STR,
        Constant::Bytes(_) => Type::Class("bytes"),
        Constant::Int(_) => Type::INT,
        Constant::Float(_) => Type::FLOAT,
        Constant::Tuple(_) => Type::TUPLE,
        Constant::Complex { .. } | Constant::Ellipsis => Type::Any,
    }
}

fn is_zero(expr: &Expr) -> bool {
    let Expr::Constant(node) = expr else { return false };
    match &node.value {
        Constant::Int(value) => *value == 0.into(),
        Constant::Float(value) => *value == 0.0,
        _ => false,
    }
}
