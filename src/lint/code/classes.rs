//! Classes and functions of the config's code: what of them compiled rules do not do (T130).

use std::collections::HashMap;

use rustpython_parser::ast::{Constant, Expr, Keyword, Ranged, Stmt, StmtClassDef};
use rustpython_parser::text_size::TextRange;

use super::checker::Checker;
use super::types::Type;

/// The special methods of classes that are never called natively, where Python calls them by itself. All others are called, or
/// are called by no rule.
const NEVER_CALLED: [&str; 23] = [
    "__init_subclass__",
    "__getattribute__",
    "__set_name__",
    "__class_getitem__",
    "__instancecheck__",
    "__subclasscheck__",
    "__subclasshook__",
    "__mro_entries__",
    "__del__",
    "__dir__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__length_hint__",
    "__get__",
    "__set__",
    "__delete__",
    "__rdivmod__",
    "__bytes__",
    "__fspath__",
    "__class__",
    "__buffer__",
];

impl<'a> Checker<'a> {
    pub(super) fn class(&mut self, node: &'a StmtClassDef) {
        for decorator in &node.decorator_list {
            self.expr(decorator);
            let Expr::Call(call) = decorator else { continue };
            let is_slots = |name: &str| matches!(name, "slots" | "weakref_slot");
            let asks =
                |keyword: &&Keyword| keyword.arg.as_ref().is_some_and(|name| is_slots(name)) && is_true(&keyword.value);
            if let Some(keyword) = call.keywords.iter().find(asks) {
                self.without_effect("tpvc has no `__slots__`".to_owned(), keyword.range);
            }
        }
        let bases: Vec<Type> = node.bases.iter().map(|base| self.expr(base)).collect();
        let forms: Vec<Option<&str>> = bases.iter().map(|base| self.form(base)).collect();
        let is_enumeration = bases.iter().any(|base| matches!(base, Type::Object(path) if path.starts_with("enum:")));
        for ((base, form), ty) in node.bases.iter().zip(forms).zip(&bases) {
            let Some(form) = form else {
                if path(ty).is_some_and(|path| self.native(|native| native.derives_nothing(&path))) {
                    let what = ty.describe();
                    self.without_effect(
                        format!("a class derived from {what} gets nothing from it in tpvc"),
                        base.range(),
                    );
                }
                continue;
            };
            if !(is_enumeration && matches!(form, "int" | "str")) {
                let message = format!("tpvc has no classes derived from `{form}`");
                let help = "keep the value in an attribute of the object, or write functions in place of the class";
                self.limit("T130", base.range(), message, "NotImplementedError", help);
            }
        }
        node.keywords.iter().for_each(|keyword| drop(self.expr(&keyword.value)));
        self.bind(&node.name, Type::Any);
        self.inner(HashMap::new(), |checker| {
            node.body.iter().for_each(|statement| checker.class_statement(statement));
            checker.body(&node.body);
        });
    }

    /// The builtin class that instances of a base take their form from, where it is one that code cannot derive from.
    fn form(&self, base: &Type) -> Option<&'static str> {
        let path = path(base)?;
        self.native(|native| native.own_form(&path))
    }

    fn class_statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(node) if NEVER_CALLED.contains(&node.name.as_str()) => {
                self.without_effect(format!("tpvc never calls `{}`", node.name), head(node.range, &node.name));
            }
            Stmt::Assign(node) if node.targets.iter().any(is_slots) => {
                self.without_effect("tpvc has no `__slots__`".to_owned(), node.range);
            }
            Stmt::AnnAssign(node) if is_slots(&node.target) => {
                self.without_effect("tpvc has no `__slots__`".to_owned(), node.range);
            }
            _ => {}
        }
    }

    /// Something that Python obeys and compiled rules pass over.
    fn without_effect(&mut self, message: String, range: TextRange) {
        self.fault("T130", range, message, "has no effect: jobs that come here may get another answer");
        self.note("works under TPV inside Galaxy");
        self.help("write it another way, or keep this rule on TPV");
    }

    /// `owner[key] = value`: names of the block do not follow the dict that `globals()` gives.
    pub(super) fn sets_item(&mut self, owner: &'a Expr, range: TextRange) {
        let Expr::Call(call) = owner else { return };
        let Expr::Name(function) = &*call.func else { return };
        let is_namespace = call.args.is_empty() && matches!(function.id.as_str(), "globals" | "locals" | "vars");
        if is_namespace && !self.bindings.names.contains(function.id.as_str()) {
            self.without_effect(format!("tpvc's `{}()` gives a copy", function.id), range);
        }
    }

    /// `owner.name = value`
    pub(super) fn sets_attribute(&mut self, owner: &Type, name: &str, range: TextRange) {
        let what = match owner {
            Type::Def => "functions".to_owned(),
            Type::Module(module) if self.native(|native| native.has_module(module)) => "modules".to_owned(),
            Type::Class("Mapper") => "the mapper".to_owned(),
            _ => return,
        };
        let message = format!("tpvc cannot set attributes of {what}, such as `{name}`");
        let help = "use a variable or a dict; or keep this rule on TPV";
        self.limit("T130", range, message, "AttributeError", help);
    }
}

/// The path of a class of the runtime.
fn path(class: &Type) -> Option<Vec<&str>> {
    match class {
        Type::Function("builtins", name) => Some(vec![name]),
        Type::Function(module, name) => Some(vec![module, name]),
        Type::Object(path) => Some(path.split(':').collect()),
        _ => None,
    }
}

fn is_true(value: &Expr) -> bool {
    matches!(value, Expr::Constant(node) if node.value == Constant::Bool(true))
}

/// The head of a function: `def name`.
fn head(range: TextRange, name: &str) -> TextRange {
    let length = u32::try_from("def ".len() + name.len()).unwrap_or(u32::MAX);
    TextRange::at(range.start(), length.into())
}

fn is_slots(target: &Expr) -> bool {
    matches!(target, Expr::Name(name) if name.id.as_str() == "__slots__")
}
