//! Calls: arguments against signatures, and the types of results.

use std::sync::Arc;

use tpv_front::syntax::ast::{Constant, Expr, ExprCall, ExprConstant, Ranged};
use tpv_front::syntax::text_size::TextRange;

use super::attributes::{ATTRIBUTE_ERROR, Use};
use super::block::Checker;
use super::kinds::Kinds;
use super::types::Type;
use crate::checker::stubs::{Signature, model};
use tpv_front::language;
use tpv_text::code::Code;
use tpv_text::suggest::closest;

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, node: &'a ExprCall) -> Type {
        let function = match &*node.func {
            Expr::Attribute(attribute) if !language::is_left_out_attribute(&attribute.attr) => {
                self.attribute(attribute, Use::Call)
            }
            other => self.expr(other),
        };
        let receiver = std::mem::take(&mut self.receiver);
        // Lambdas last: the types of their parameters follow from the other arguments.
        let arguments: Vec<Type> = node
            .args
            .iter()
            .map(|argument| if argument.is_lambda_expr() { Type::Def } else { self.expr(argument) })
            .collect();
        let items = items_of(&function, &receiver, &arguments);
        for argument in &node.args {
            if let Expr::Lambda(lambda) = argument {
                self.lambda(lambda, &items);
            }
        }
        let keywords = node.keywords.iter().map(|keyword| match &keyword.value {
            Expr::Lambda(lambda) => {
                self.lambda(lambda, &items);
                Type::Def
            }
            value => self.value(value),
        });
        let keywords: Vec<Type> = keywords.collect();
        self.orders_by(node, &function);
        self.looks_for_pattern(node, &receiver);
        self.sql_placeholders(node);
        if !keeps_arguments_private(&function, &receiver) {
            let values = node.args.iter().zip(&arguments);
            values.for_each(|(value, ty)| self.escapes(ty, value.range()));
        }
        if matches!(&function, Type::Function("builtins", "type")) {
            self.makes_class(node);
        }
        if matches!(&function, Type::Function("builtins", "range")) {
            self.left_out_range(node);
        }
        self.calls_annotation(node, &function, &arguments);
        if let Type::Object(path) = &function {
            if let Some((module, name)) = path.split_once(':') {
                self.left_out_arguments(node, module, name, &arguments);
            }
            if let Some(signature) = model().constructor(path, self.surroundings.version.has_models()) {
                self.arguments(node, signature);
            }
            let class = model().classes.get_key_value(path.replace(':', ".").as_str());
            return class.map_or(Type::Any, |(class, _)| Type::Class(class));
        }
        if let Type::Function("builtins", lookup @ ("getattr" | "hasattr")) = &function
            && let ([object, _, ..], [value, name, ..]) = (arguments.as_slice(), node.args.as_slice())
        {
            if let Some(signature) = function.signature() {
                self.argument_kinds(node, signature, &arguments, &keywords);
            }
            let has_default = *lookup == "hasattr" || node.args.len() > 2;
            let found = self.attribute_by_name(object, value, name, has_default, node.range);
            return if *lookup == "hasattr" { Type::BOOL } else { found };
        }
        match (&function, &receiver, &*node.func) {
            (Type::Function(module, name), ..) => self.left_out_arguments(node, module, name, &arguments),
            (_, Type::Module(module), Expr::Attribute(callee)) => {
                self.left_out_arguments(node, module, &callee.attr, &arguments);
            }
            _ => {}
        }
        if let Some(signature) = function.signature() {
            self.arguments(node, signature);
            self.argument_types(node, signature, &arguments, &keywords);
            self.argument_kinds(node, signature, &arguments, &keywords);
            return result(signature, &function, &arguments, self, node);
        }
        if Kinds::of(&function).cannot_be_called() {
            let message = format!("{} cannot be called", function.describe());
            self.always_raises(node.range, message, "TypeError", "remove the `(...)`");
        }
        Type::Any
    }

    /// `getattr` and `hasattr`; with a default, a missing attribute is not an error.
    fn attribute_by_name(
        &mut self,
        object: &Type,
        value: &'a Expr,
        name: &'a Expr,
        has_default: bool,
        range: TextRange,
    ) -> Type {
        let expected = self.expected.len();
        if has_default {
            self.expected.push(ATTRIBUTE_ERROR.to_owned());
        }
        let found = match name {
            Expr::Constant(ExprConstant { value: Constant::Str(name), .. }) => {
                // Dunder names are reported where the string literal is checked.
                let is_left_out = language::is_left_out_attribute(name);
                if is_left_out { Type::Any } else { self.member(object, value, name, range, Use::Value) }
            }
            _ => {
                self.unknown_attribute(object, range);
                Type::Any
            }
        };
        self.expected.truncate(expected);
        if has_default { Type::Any } else { found }
    }

    fn arguments(&mut self, node: &'a ExprCall, signature: &Signature) {
        let unknown = node.args.iter().any(|argument| matches!(argument, Expr::Starred(_)))
            || node.keywords.iter().any(|keyword| keyword.arg.is_none());
        let name = signature.name;
        let slots = signature.parameters.iter().filter(|parameter| parameter.positional).count();
        if let Some(extra) = node.args.get(slots)
            && !signature.any_positional
            && !matches!(extra, Expr::Starred(_))
        {
            let message = match slots {
                0 => format!("`{name}` takes arguments by name only"),
                1 => format!("`{name}` takes at most 1 argument, got {}", node.args.len()),
                _ => format!("`{name}` takes at most {slots} arguments, got {}", node.args.len()),
            };
            self.fault(Code::UnknownName, node.range, message, "raises `TypeError`");
            self.help(usage(signature));
            return;
        }
        let mut given: Vec<&str> =
            signature.parameters.iter().filter(|p| p.positional).take(node.args.len()).map(|p| p.name).collect();
        for keyword in &node.keywords {
            let Some(word) = &keyword.arg else { continue };
            let known = signature.parameters.iter().find(|parameter| parameter.name == word.as_str());
            match known {
                Some(parameter) if given.contains(&parameter.name) && !unknown => {
                    let message = format!("`{name}` got multiple values for argument `{word}`");
                    self.fault(Code::UnknownName, keyword.range, message, "raises `TypeError`");
                    self.help(usage(signature));
                }
                Some(parameter) if parameter.keyword => given.push(parameter.name),
                _ if signature.any_keyword => {}
                _ => {
                    let message = format!("`{name}` has no argument `{word}`");
                    self.fault(Code::UnknownName, keyword.range, message, "raises `TypeError`");
                    let keywords = signature.parameters.iter().filter(|p| p.keyword).map(|p| p.name);
                    match closest(word, keywords) {
                        Some(near) => self.help(format!("did you mean `{near}`?")),
                        None => self.help(usage(signature)),
                    }
                }
            }
        }
        let missing: Vec<String> = signature
            .parameters
            .iter()
            .filter(|parameter| !parameter.optional && !given.contains(&parameter.name))
            .map(|parameter| format!("`{}`", parameter.name))
            .collect();
        if !missing.is_empty() && !unknown {
            let noun = if missing.len() == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` is missing the {noun} {}", missing.join(" and "));
            self.fault(Code::UnknownName, node.range, message, "raises `TypeError`");
            self.help(usage(signature));
        }
    }

    /// `int('x')`, `float('x')`
    fn conversion(&mut self, node: &'a ExprCall, name: &str) {
        let ([Expr::Constant(text)], []) = (node.args.as_slice(), node.keywords.as_slice()) else { return };
        let Constant::Str(text) = &text.value else { return };
        let digits = text.trim().replace('_', "");
        let is_number = match name {
            "int" => {
                digits.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty()
            }
            _ => digits.parse::<f64>().is_ok(),
        };
        if !is_number && text.is_ascii() {
            let message = format!("`{name}` cannot parse `'{text}'`");
            self.always_raises(node.range, message, "ValueError", "write the number itself");
        }
    }
}

/// Returns `true` for functions that neither store nor pass on their arguments.
fn keeps_arguments_private(function: &Type, receiver: &Type) -> bool {
    const NON_ESCAPING: [&str; 13] = [
        "bytes",
        "callable",
        "getattr",
        "hasattr",
        "hash",
        "id",
        "int",
        "isinstance",
        "len",
        "print",
        "repr",
        "str",
        "type",
    ];
    match (function, receiver) {
        (Type::Function("builtins", name), _) => NON_ESCAPING.contains(name),
        (_, Type::Module(module)) => matches!(&**module, "json" | "re"),
        (Type::Object(path), _) => NON_ESCAPING.contains(&&**path),
        _ => false,
    }
}

/// The argument type of a lambda in a call, for the functions known to call one with items.
fn items_of(function: &Type, receiver: &Type, arguments: &[Type]) -> Type {
    let Type::Function(owner, name) = function else { return Type::Any };
    let items = match (*owner, *name) {
        ("list", "sort") => Some(receiver),
        ("builtins", "sorted" | "min" | "max") | ("itertools", "groupby") if arguments.len() == 1 => arguments.first(),
        ("builtins", "map" | "filter") if arguments.len() == 2 => arguments.get(1),
        _ => None,
    };
    items.map(Type::item).unwrap_or_default()
}

fn result<'a>(
    signature: &Signature,
    function: &Type,
    arguments: &[Type],
    checker: &mut Checker<'a>,
    node: &'a ExprCall,
) -> Type {
    let Type::Function("builtins", name) = function else { return signature.result.clone() };
    match (*name, arguments) {
        ("int" | "float", _) => {
            checker.conversion(node, name);
            checker.version_as_number(node);
            signature.result.clone()
        }
        ("sorted" | "list", [items]) => Type::List(Arc::new(items.item())),
        ("reversed" | "iter", [items]) | ("filter", [_, items]) => Type::Items(Arc::new(items.item())),
        ("min" | "max" | "next", [items]) => items.item(),
        ("type", [_]) => Type::SomeClass,
        ("abs", [Type::Class("bool")]) => Type::INT,
        ("abs", [number]) if number.is_number() => number.clone(),
        ("round", [_]) if node.keywords.is_empty() => Type::INT,
        ("round", [number, digits]) if number.is_number() && digits.is_number() => match number {
            Type::Class("bool") => Type::INT,
            number => number.clone(),
        },
        // The sum of no items is a whole number.
        ("sum", [items]) if items.item().is_number() && node.keywords.is_empty() => match items.item() {
            Type::Class("int" | "bool") => Type::INT,
            _ => Type::NUMBER,
        },
        ("min" | "max", [first, rest @ ..]) if !rest.is_empty() => {
            rest.iter().fold(first.clone(), |ty, next| ty.join(next))
        }
        _ => signature.result.clone(),
    }
}

/// The help that shows the call of a function: `write `helpers.f(a, b=...)``.
pub(super) fn usage(signature: &Signature) -> String {
    let mut parts: Vec<String> = signature
        .parameters
        .iter()
        .map(|parameter| if parameter.optional { format!("{}=...", parameter.name) } else { parameter.name.to_owned() })
        .collect();
    if signature.any_positional {
        parts.insert(0, "...".to_owned());
    }
    format!("write `{}({})`", signature.name, parts.join(", "))
}
