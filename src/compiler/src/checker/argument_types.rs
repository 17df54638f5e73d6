//! Arguments of another kind than TPV's helpers take: swapped ones raise (T111), a text for a list of tags is never true (T132).

use tpv_front::syntax::ast::{Constant, Expr, ExprCall, Ranged};

use super::block::Checker;
use super::calls::usage;
use super::types::Type;
use super::versions::QUOTED_CONTEXT;
use crate::checker::stubs::{Parameter, Signature};
use tpv_text::code::Code;

/// An argument with its parameter.
struct Given<'a, 's> {
    parameter: &'s Parameter,
    node: &'a Expr,
    ty: Type,
}

impl<'a> Checker<'a> {
    /// Looks at the arguments of a call whose number and names are right. `positional` and `keywords` are their types.
    pub(super) fn argument_types(
        &mut self,
        node: &'a ExprCall,
        signature: &Signature,
        positional: &[Type],
        keywords: &[Type],
    ) {
        if node.args.iter().any(Expr::is_starred_expr) {
            return;
        }
        let by_position = signature.parameters.iter().zip(&node.args).zip(positional);
        let by_name = node.keywords.iter().zip(keywords).filter_map(|(keyword, ty)| {
            let name = keyword.arg.as_ref()?;
            let parameter = signature.parameters.iter().find(|parameter| parameter.name == name.as_str())?;
            Some(((parameter, &keyword.value), ty))
        });
        let given = by_position.chain(by_name);
        let given = given.map(|((parameter, node), ty)| Given { parameter, node, ty: ty.clone() });
        let wrong: Vec<Given<'_, '_>> = given.filter(|given| differs(&given.ty, &given.parameter.ty)).collect();
        let Some(first) = wrong.first() else { return };
        let (function, name) = (signature.name, first.parameter.name);
        let is_text = first.ty == Type::STR
            && matches!(&first.parameter.ty, Type::Optional(list) if **list == Type::List(Type::STR.into()));
        if is_text {
            self.text_for_tags(first);
            return;
        }
        let message = format!("`{function}` gets {} for its argument `{name}`", first.ty.describe());
        let help = match (first.node, &first.parameter.ty) {
            (Expr::Constant(_), Type::Optional(text)) if **text == Type::STR && first.ty.is_number() => {
                format!("put it in quotes: `'{}'`", self.text(first.node))
            }
            (Expr::Name(_), _) if name == "version" && first.ty.is_number() => QUOTED_CONTEXT.to_owned(),
            _ => self.swapped(node, &wrong).unwrap_or_else(|| usage(signature)),
        };
        match (function, name) {
            // Galaxy takes what is no text for a version before all others.
            (_, "version") => {
                let is_always = matches!(function, "tool_version_gt" | "tool_version_gte");
                self.fault(
                    Code::NeverEqual,
                    first.node.range(),
                    message,
                    if is_always { "this is always true" } else { "this is never true" },
                );
                self.help(help);
            }
            ("job_args_match", "args") => {
                self.fault(Code::NeverEqual, first.node.range(), message, "this is never true");
                self.help("write a dict: `{'name': 'value'}`");
            }
            ("concurrent_job_count_for_tool", "user") if first.ty != Type::STR && !first.ty.is_number() => {
                self.fault(Code::NeverEqual, first.node.range(), message, "the users of jobs are compared with this");
                self.help(help);
            }
            ("get_tool_resource_field" | "extract_resource_requirements_from_tool", _) => {
                self.fault(Code::NeverEqual, first.node.range(), message, "no tool: the result is empty");
                self.help(help);
            }
            // Without tags to look for, nothing is asked of the entity.
            ("tag_values_match", "entity") if node.args.len() + node.keywords.len() == 1 => {}
            _ => {
                let exception = exception(function, &first.ty.not_none(), &first.parameter.ty.not_none());
                self.always_raises(first.node.range(), message, exception, &help);
            }
        }
    }

    /// `match_tag_values='text'`
    fn text_for_tags(&mut self, given: &Given<'a, '_>) {
        if let Expr::Constant(node) = given.node
            && let Constant::Str(text) = &node.value
            && text.chars().count() < 2
        {
            return;
        }
        let name = given.parameter.name;
        let label = if name.starts_with("exclude") { "so no tool is excluded" } else { "so this is never true" };
        let message = format!("`{name}` is a list of tags, and a text is a list of its characters");
        self.fault(Code::NeverEqual, given.node.range(), message, label);
        self.help(format!("write a list: `{name}=[{}]`", self.text(given.node)));
    }

    /// The help for two arguments in the place of each other.
    fn swapped(&self, node: &'a ExprCall, wrong: &[Given<'a, '_>]) -> Option<String> {
        let [one, other] = wrong else { return None };
        if differs(&one.ty, &other.parameter.ty) || differs(&other.ty, &one.parameter.ty) || !node.keywords.is_empty() {
            return None;
        }
        let arguments = node.args.iter().map(|argument| match argument {
            argument if std::ptr::eq(argument, one.node) => self.text(other.node),
            argument if std::ptr::eq(argument, other.node) => self.text(one.node),
            argument => self.text(argument),
        });
        let arguments: Vec<&str> = arguments.collect();
        Some(format!("swap the two: `{}({})`", self.text(&*node.func), arguments.join(", ")))
    }
}

/// Names the exception that a helper raises for a value of another type than it takes.
fn exception(function: &str, given: &Type, wanted: &Type) -> &'static str {
    match (given, wanted) {
        // The characters of a text and the keys of a dict are iterated, and have no such attribute.
        (Type::List(_) | Type::Items(_) | Type::Class("str" | "dict"), _) => "AttributeError",
        (_, Type::Class("str") | Type::List(_)) => "TypeError",
        // They have an `id`, and it is no text.
        (Type::Class("Job" | "User"), Type::Class("Tool")) if function == "concurrent_job_count_for_tool" => {
            "TypeError"
        }
        _ => "AttributeError",
    }
}

/// Returns `true` if a value cannot be of the type that is wanted.
fn differs(given: &Type, wanted: &Type) -> bool {
    match (given, wanted) {
        (Type::Optional(given), wanted) => differs(given, wanted),
        (given, Type::Optional(wanted)) => differs(given, wanted),
        (Type::Any | Type::None | Type::Object(_), _) | (_, Type::Any) => false,
        (Type::Module(_) | Type::Function(..) | Type::Def, _) => true,
        (Type::List(given) | Type::Items(given), Type::List(wanted)) => differs(given, wanted),
        (Type::List(_), Type::Class(wanted)) => *wanted != "list",
        (Type::Class("dict"), Type::List(wanted)) => matches!(**wanted, Type::Class(class) if !is_python(class)),
        (Type::Class(class), Type::List(_)) => !matches!(*class, "list" | "tuple" | "set" | "frozenset"),
        (Type::Class("Entity" | "Destination"), Type::Class("Entity" | "Destination")) => false,
        (given, wanted) if given.is_number() && wanted.is_number() => false,
        (Type::Class(given), Type::Class(wanted)) => given != wanted,
        _ => false,
    }
}

/// Returns `true` for Python's own classes.
fn is_python(class: &str) -> bool {
    class.starts_with(|c: char| c.is_ascii_lowercase())
}
