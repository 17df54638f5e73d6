//! Constructs that the native language omits (T130), and attributes that code requests by a text.

use num_traits::ToPrimitive;
use tpv_front::syntax::ast::{Constant, Expr, ExprBinOp, ExprCall, ExprConstant, Operator, Ranged, Stmt};
use tpv_front::syntax::text_size::TextRange;
use tpv_runtime::mapper::inventory::Inventory;

use super::bindings;
use super::block::Checker;
use super::cpython::WITH_CPYTHON;
use super::types::Type;
use tpv_front::fold;
use tpv_front::language::{self, INSTEAD_OF_CLASS, LeftOut};
use tpv_text::code::Code;

/// The exception for an omitted construct.
pub(super) const NOT_IMPLEMENTED_ERROR: &str = "NotImplementedError";

impl<'a> Checker<'a> {
    /// Tells a statement that is left out, and binds the names that it would bind.
    pub(super) fn left_out_statement(&mut self, node: &'a Stmt) -> bool {
        let Some(construct) = language::statement(node) else { return false };
        self.left_out(&construct);
        for name in bindings::collect(std::slice::from_ref(node)).names {
            self.bind(&name, Type::Any);
        }
        true
    }

    /// Tells an expression that is left out; what it is made of is walked nevertheless where that is evaluated first.
    pub(super) fn left_out_expression(&mut self, node: &'a Expr) -> bool {
        let Some(construct) = language::expression(node) else { return false };
        if let Expr::Attribute(attribute) = node {
            self.expr(&attribute.value);
        }
        self.left_out(&construct);
        true
    }

    fn left_out(&mut self, construct: &LeftOut) {
        self.lacks(construct.range, construct.message(), NOT_IMPLEMENTED_ERROR, construct.help);
    }

    /// `type(name, bases, namespace)` makes a class.
    pub(super) fn makes_class(&mut self, node: &ExprCall) {
        let is_plain = |argument: &Expr| !argument.is_starred_expr();
        if node.args.len() > 1 || !node.args.iter().all(is_plain) || !node.keywords.is_empty() {
            self.lacks(node.range, "tpvc has no classes".to_owned(), "TypeError", INSTEAD_OF_CLASS);
        }
    }

    /// Reports arguments that functions of modules accept in CPython and not natively: options, and bytes for text.
    pub(super) fn left_out_arguments(&mut self, node: &ExprCall, module: &str, name: &str, arguments: &[Type]) {
        for keyword in &node.keywords {
            let Some(option) = &keyword.arg else { continue };
            if Inventory::is_left_out_option(module, name, option) {
                let message = format!("tpvc's `{module}.{name}` has no `{option}`");
                let help = "write it another way, or let CPython run it";
                self.lacks(keyword.range, message, NOT_IMPLEMENTED_ERROR, help);
            }
        }
        let is_text_only = matches!((module, name), ("re" | "os.path", _) | ("json", "loads"));
        if is_text_only && arguments.contains(&Type::Class("bytes")) {
            let message = format!("tpvc's `{module}` works on text only, not on bytes");
            self.lacks(node.range, message, NOT_IMPLEMENTED_ERROR, "decode the bytes: `value.decode()`");
        }
    }

    /// `range(2 ** 64)`
    pub(super) fn left_out_range(&mut self, node: &ExprCall) {
        let is_long = |bound: &&Expr| {
            let is_plain = matches!(bound, Expr::Constant(_) | Expr::BinOp(_) | Expr::UnaryOp(_));
            is_plain && matches!(fold::value(bound), Some(Constant::Int(bound)) if bound.to_i64().is_none())
        };
        if let Some(bound) = node.args.iter().find(is_long) {
            let message = "tpvc has no ranges beyond 64 bits".to_owned();
            self.lacks(bound.range(), message, NOT_IMPLEMENTED_ERROR, "use smaller bounds, or let CPython run it");
        }
    }

    /// `(-8) ** 0.5`
    pub(super) fn left_out_power(&mut self, node: &ExprBinOp) {
        let is_negative = |value: Constant| match value {
            Constant::Int(value) => value < 0.into(),
            Constant::Float(value) => value < 0.0,
            _ => false,
        };
        if matches!(node.op, Operator::Pow)
            && matches!(fold::value(&node.right), Some(Constant::Float(power)) if power.fract() != 0.0)
            && fold::value(&node.left).is_some_and(is_negative)
        {
            let message = "tpvc has no complex numbers".to_owned();
            self.lacks(node.range, message, NOT_IMPLEMENTED_ERROR, language::INSTEAD_OF_COMPLEX);
        }
    }

    /// Names of `typing` that are called or given to a function.
    pub(super) fn calls_annotation(&mut self, node: &ExprCall, function: &Type, arguments: &[Type]) {
        let is_annotation = |ty: &Type| matches!(ty, Type::Object(path) if path.starts_with("typing:"));
        if is_annotation(function) || arguments.iter().any(is_annotation) && *function != Type::Any {
            self.only_annotates(node.range);
        }
    }

    /// `list[int]` and `Optional[int]` outside of annotations.
    pub(super) fn subscripts_class(&mut self, owner: &Type, range: TextRange) {
        let has_parameters = match owner {
            Type::Function("builtins", class) => self.native(|native| native.is_generic(&[class])),
            Type::Object(path) => {
                let parts: Vec<&str> = path.split(':').collect();
                path.starts_with("typing:") || self.native(|native| native.is_generic(&parts))
            }
            _ => false,
        };
        if has_parameters {
            self.only_annotates(range);
        }
    }

    fn only_annotates(&mut self, range: TextRange) {
        let message = "tpvc takes names of `typing`, and parameters of classes, in annotations only".to_owned();
        self.lacks(range, message, NOT_IMPLEMENTED_ERROR, "name the class itself: `list`, `dict`, `str`");
    }

    /// A text that names an attribute that no object has natively, in code that asks for attributes by their names.
    pub(super) fn names_left_out_attribute(&mut self, node: &ExprConstant) {
        let Some(text) = node.value.as_str() else { return };
        let asks = ["getattr", "hasattr"].iter().any(|name| self.source.contains(name));
        if asks && language::is_left_out_attribute(text) {
            self.no_such_attribute(text, node.range);
        }
        // `'{0.__dict__}'.format(x)`
        if self.source.contains("format") {
            let fields = text.split('{').skip(1).filter_map(|rest| rest.split(['}', ':', '!']).next());
            for name in fields.flat_map(|field| field.split(['.', '[']).skip(1)) {
                if language::is_left_out_attribute(name) {
                    self.no_such_attribute(name, node.range);
                }
            }
        }
    }

    fn no_such_attribute(&mut self, name: &str, range: TextRange) {
        let message = format!("tpvc doesn't have the attribute `{name}`");
        self.needs_cpython(message.clone());
        let label = "raises `NotImplementedError` where an attribute is asked for by this name, unless CPython runs it";
        self.fault(Code::NeedsCPython, range, message, label);
        self.note(WITH_CPYTHON);
        self.help("write it another way, or let CPython run it");
    }
}
