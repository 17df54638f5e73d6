//! The walk through expressions: their types, and what is wrong with them.

use std::collections::HashMap;
use std::sync::Arc;

use rustpython_parser::ast::{BoolOp, CmpOp, Comprehension, Constant, Expr, Operator, Ranged, UnaryOp};
use rustpython_parser::text_size::TextRange;

use super::checker::Checker;
use super::types::Type;
use crate::config::suggest::closest;
use crate::lint::model::{Member, model};
use crate::python::walk::{self, Part};

impl<'a> Checker<'a> {
    /// Walks an expression and gives its type.
    pub(super) fn expr(&mut self, node: &'a Expr) -> Type {
        match node {
            Expr::Constant(node) => constant(&node.value),
            Expr::Name(name) => self.read(&name.id, name.range),
            Expr::NamedExpr(node) => {
                let ty = self.expr(&node.value);
                if let Expr::Name(name) = &*node.target {
                    self.bind_outside(&name.id, ty.clone());
                }
                ty
            }
            Expr::BoolOp(node) => {
                let before = self.state.facts.clone();
                let mut ty: Option<Type> = None;
                for value in &node.values {
                    let next = self.expr(value);
                    ty = Some(ty.map_or(next.clone(), |ty| ty.join(&next)));
                    self.narrow(value, matches!(node.op, BoolOp::And));
                }
                self.state.facts = before;
                ty.unwrap_or_default()
            }
            Expr::IfExp(node) => {
                self.expr(&node.test);
                let (mut then, mut otherwise) = (Type::Any, Type::Any);
                let condition = self.text(&*node.test);
                self.branch(
                    condition,
                    |checker| {
                        checker.narrow(&node.test, true);
                        then = checker.expr(&node.body);
                    },
                    |checker| {
                        checker.narrow(&node.test, false);
                        otherwise = checker.expr(&node.orelse);
                    },
                );
                then.join(&otherwise)
            }
            Expr::UnaryOp(node) => {
                let ty = self.expr(&node.operand);
                match node.op {
                    UnaryOp::Not => Type::BOOL,
                    _ if ty.is_number() => ty,
                    _ => Type::Any,
                }
            }
            Expr::BinOp(binary) => {
                let left = self.expr(&binary.left);
                let right = self.expr(&binary.right);
                self.arithmetic(binary.op, &left, &right, &binary.right, node.range())
            }
            Expr::Compare(node) => {
                let mut left = self.expr(&node.left);
                for (op, item) in node.ops.iter().zip(&node.comparators) {
                    let right = self.expr(item);
                    if matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE) {
                        self.ordering(&left, &right, node.range);
                    }
                    left = right;
                }
                Type::BOOL
            }
            Expr::Call(node) => self.call(node),
            Expr::Attribute(attribute) => {
                let owner = self.expr(&attribute.value);
                if let Some(fact) = Self::path(node).and_then(|path| self.state.facts.get(&path)) {
                    return fact.clone();
                }
                self.attribute(&owner, &attribute.value, attribute.attr.as_str(), attribute.range)
            }
            Expr::Subscript(node) => {
                let owner = self.expr(&node.value);
                self.expr(&node.slice);
                if matches!(owner, Type::Class("int" | "float" | "bool")) {
                    let message = format!("{} cannot be indexed", owner.describe());
                    self.fault("T111", node.range, message, "raises `TypeError`");
                }
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
                self.expr(&node.value);
                if let Some(spec) = &node.format_spec {
                    self.expr(spec);
                }
                Type::STR
            }
            Expr::List(node) => {
                let mut items: Option<Type> = None;
                for item in &node.elts {
                    let ty = self.expr(item);
                    items = Some(items.map_or(ty.clone(), |items| items.join(&ty)));
                }
                Type::List(Arc::new(items.unwrap_or_default()))
            }
            Expr::Tuple(node) => {
                node.elts.iter().for_each(|item| drop(self.expr(item)));
                Type::TUPLE
            }
            Expr::Set(node) => {
                node.elts.iter().for_each(|item| drop(self.expr(item)));
                Type::SET
            }
            Expr::Dict(node) => {
                node.keys.iter().flatten().chain(&node.values).for_each(|item| drop(self.expr(item)));
                Type::DICT
            }
            Expr::ListComp(node) => Type::List(Arc::new(self.comprehension(&node.generators, &[&*node.elt]))),
            Expr::SetComp(node) => {
                self.comprehension(&node.generators, &[&*node.elt]);
                Type::SET
            }
            Expr::GeneratorExp(node) => {
                self.comprehension(&node.generators, &[&*node.elt]);
                Type::Any
            }
            Expr::DictComp(node) => {
                self.comprehension(&node.generators, &[&*node.key, &*node.value]);
                Type::DICT
            }
            Expr::Lambda(node) => {
                self.function(&node.args, |checker| drop(checker.expr(&node.body)));
                Type::Any
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

    fn comprehension(&mut self, generators: &'a [Comprehension], parts: &[&'a Expr]) -> Type {
        let (facts, tests) = (self.state.facts.clone(), self.state.tests.clone());
        self.state.scopes.push(HashMap::new());
        self.comprehensions += 1;
        for generator in generators {
            let items = self.expr(&generator.iter);
            self.assign(&generator.target, items.item());
            for test in &generator.ifs {
                self.expr(test);
                self.narrow(test, true);
            }
        }
        let mut ty = Type::Any;
        for part in parts {
            ty = self.expr(part);
        }
        self.comprehensions -= 1;
        self.state.scopes.pop();
        (self.state.facts, self.state.tests) = (facts, tests);
        ty
    }

    /// `owner.name`
    fn attribute(&mut self, owner: &Type, value: &'a Expr, name: &str, range: TextRange) -> Type {
        match owner {
            Type::Optional(inner) => {
                self.may_be_none(value, name, range);
                self.attribute(&(**inner).clone(), value, name, range)
            }
            Type::None => {
                if Self::path(value).as_deref() == Some("user") {
                    let message = format!("`user` is `None` here, which has no `{name}`");
                    self.fault("T107", range, message, "raises `AttributeError`");
                    self.help("this way is taken for jobs of users that are not logged in: swap the branches, or use `user` only where it is set");
                }
                Type::Any
            }
            Type::Module(module) => self.module_attribute(&module.clone(), name, range),
            Type::Class(_) | Type::List(_) => {
                let Some((class, members)) = owner.class().and_then(|class| model().classes.get_key_value(class))
                else {
                    return Type::Any;
                };
                match members.known.get_key_value(name) {
                    Some((name, Member::Function(_))) => return Type::Function(class, name),
                    Some((_, Member::Value(ty))) => return ty.clone(),
                    None => {}
                }
                // Where a destination is evaluated, the entity is one.
                let destination = model().classes.get("Destination").filter(|_| *class == "Entity");
                if destination.is_some_and(|members| members.known.contains_key(name)) {
                    return Type::Any;
                }
                let is_own = matches!(*class, "Entity" | "Destination" | "SchedulingTags")
                    && self.surroundings.attributes.contains(name);
                if name.starts_with("__")
                    || is_own
                    || self.bindings.attributes.contains(name)
                    || members.names.is_empty()
                {
                    return Type::Any;
                }
                if members.names.contains(name) {
                    let is_galaxy = !matches!(
                        *class,
                        "str" | "int" | "float" | "bool" | "list" | "dict" | "set" | "tuple" | "bytes"
                    );
                    if is_galaxy {
                        self.only_galaxy(class, name, range);
                    }
                    return Type::Any;
                }
                self.no_attribute(&format!("`{class}` objects have"), name, range, || {
                    nearest(name, members.known.keys().chain(&members.names).copied())
                });
                Type::Any
            }
            _ => Type::Any,
        }
    }

    fn no_attribute(&mut self, whose: &str, name: &str, range: TextRange, near: impl FnOnce() -> Option<&'static str>) {
        if self.expects("AttributeError") {
            return;
        }
        self.fault("T103", range, format!("{whose} no attribute `{name}`"), "raises `AttributeError`");
        match near() {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self.help("check the name against Galaxy's and TPV's documentation"),
        }
    }

    fn only_galaxy(&mut self, class: &str, name: &str, range: TextRange) {
        let message =
            format!("the `{name}` of {} is there only inside a Galaxy process", display(class).to_lowercase());
        self.fault("T112", range, message, "tpvc's job and world files have no such field");
        self.help("use what a job file gives, or keep this rule on TPV");
    }

    fn module_attribute(&mut self, module: &str, name: &str, range: TextRange) -> Type {
        let full = format!("{module}.{name}");
        if model().modules.contains_key(full.as_str()) {
            return Type::Module(full.into());
        }
        let table = model().modules.get_key_value(module);
        if let Some((module, members)) = table {
            match members.known.get_key_value(name) {
                Some((name, Member::Function(_))) => return Type::Function(module, name),
                Some((_, Member::Value(ty))) => return ty.clone(),
                None => {}
            }
        }
        let Some(own) = tpv_runtime::mapper::find_module(module) else { return Type::Any };
        if own.names.contains(&name) || name.starts_with('_') || self.bindings.attributes.contains(name) {
            return Type::Any;
        }
        if tpv_runtime::mapper::find_module(&full).is_some() {
            return Type::Module(full.into());
        }
        match table {
            Some((_, members)) if members.names.contains(name) => {
                self.fault(
                    "T112",
                    range,
                    format!("tpvc's module `{module}` has no `{name}`"),
                    "raises `AttributeError`",
                );
                self.help("docs/python.md lists what the modules hold; or keep this rule on TPV");
            }
            Some((_, members)) if !members.names.is_empty() => {
                let whose = format!("the module `{module}` has");
                self.no_attribute(&whose, name, range, || {
                    nearest(name, own.names.iter().copied().chain(members.names.iter().copied()))
                });
            }
            _ => {}
        }
        Type::Any
    }

    /// An attribute of what may be `None`: of `user` only, which is the trap; other objects are seldom missing.
    fn may_be_none(&mut self, value: &'a Expr, name: &str, range: TextRange) {
        let Some(path) = Self::path(value) else { return };
        if path != "user" || self.guarded > 0 {
            return;
        }
        self.fault(
            "T107",
            range,
            format!("`user` may be `None`, which has no `{name}`"),
            "raises `AttributeError` where nobody is logged in",
        );
        self.help(format!("test it first: `user and user.{name}`, or `user.{name} if user else ...`"));
        // Once in a block is enough.
        let ty = self.state.facts.get(&path).map_or(Type::Class("User"), Type::not_none);
        self.state.facts.insert(path, ty);
    }

    fn arithmetic(&mut self, op: Operator, left: &Type, right: &Type, divisor: &'a Expr, range: TextRange) -> Type {
        let divides = matches!(op, Operator::Div | Operator::FloorDiv)
            || (matches!(op, Operator::Mod) && !matches!(left, Type::Class("str" | "bytes")));
        if divides && is_zero(divisor) {
            self.fault("T111", range, "this divides by zero".to_owned(), "raises `ZeroDivisionError`");
            self.help("divide by something else");
            return Type::Any;
        }
        let text = |ty: &Type| matches!(ty, Type::Class("str"));
        let other = |ty: &Type| ty.is_number() || matches!(ty, Type::List(_) | Type::Class("dict" | "list" | "tuple"));
        match op {
            Operator::Add if (text(left) && other(right)) || (other(left) && text(right)) => {
                let message = format!("{} and {} cannot be added", left.describe(), right.describe());
                self.fault("T111", range, message, "raises `TypeError`");
                self.help("convert one side: `str(...)` for text, `float(...)` for a number");
                Type::Any
            }
            Operator::Add if text(left) && text(right) => Type::STR,
            Operator::Add if matches!(left, Type::List(_)) && left == right => left.clone(),
            Operator::Sub | Operator::Div if text(left) && right.is_number() || left.is_number() && text(right) => {
                let message = format!("{} and {} cannot be calculated with", left.describe(), right.describe());
                self.fault("T111", range, message, "raises `TypeError`");
                self.help("convert the text: `float(...)`");
                Type::Any
            }
            Operator::Mod if text(left) => Type::STR,
            Operator::Mult if text(left) && right.is_number() || left.is_number() && text(right) => Type::STR,
            Operator::Div if left.is_number() && right.is_number() => Type::FLOAT,
            _ if left.is_number() && right.is_number() => {
                if [left, right].contains(&&Type::FLOAT) {
                    Type::FLOAT
                } else {
                    Type::INT
                }
            }
            _ => Type::Any,
        }
    }

    fn ordering(&mut self, left: &Type, right: &Type, range: TextRange) {
        // Neither text nor `None` has an order with a number.
        let text = |ty: &Type| match ty {
            Type::Optional(inner) => **inner == Type::STR,
            ty => *ty == Type::STR,
        };
        if (text(left) && right.is_number()) || (left.is_number() && text(right)) {
            let message = format!("{} and {} have no order", left.describe(), right.describe());
            self.fault("T111", range, message, "raises `TypeError`");
            self.help("convert one side: `float(...)`, or `helpers.tool_version_gte` for versions");
        }
    }
}

/// The nearest name; of two as near the first by the alphabet, so that it is the same each time.
fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let mut names: Vec<&'static str> = names.collect();
    names.sort_unstable();
    closest(name, names)
}

/// What to call an instance of a class in messages.
fn display(class: &str) -> String {
    match class {
        "Entity" => "an entity".to_owned(),
        "SchedulingTags" => "scheduling tags".to_owned(),
        "App" => "the app".to_owned(),
        "Mapper" => "the mapper".to_owned(),
        "Tool" | "User" | "Job" | "Role" | "Destination" => format!("a {}", class.to_lowercase()),
        other => format!("a `{other}`"),
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
