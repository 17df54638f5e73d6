//! Classes and functions of the config's code: what of them compiled rules do not do (T130).

use std::collections::HashMap;

use rustpython_parser::ast::{Expr, Ranged, Stmt, StmtClassDef};
use rustpython_parser::text_size::TextRange;

use super::checker::Checker;
use super::types::Type;

/// The special methods of classes that are never called natively, where Python calls them by itself. All others are called, or
/// are called by no rule.
const NEVER_CALLED: [&str; 19] = [
    "__init_subclass__",
    "__getattribute__",
    "__set_name__",
    "__class_getitem__",
    "__prepare__",
    "__instancecheck__",
    "__subclasscheck__",
    "__subclasshook__",
    "__mro_entries__",
    "__del__",
    "__dir__",
    "__sizeof__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__buffer__",
    "__missing__",
    "__length_hint__",
];

impl<'a> Checker<'a> {
    pub(super) fn class(&mut self, node: &'a StmtClassDef) {
        node.decorator_list.iter().for_each(|decorator| drop(self.expr(decorator)));
        let bases: Vec<Type> = node.bases.iter().map(|base| self.expr(base)).collect();
        let forms: Vec<Option<&str>> = bases.iter().map(|base| self.form(base)).collect();
        let is_enumeration = bases.iter().any(|base| matches!(base, Type::Object(path) if path.starts_with("enum:")));
        for (base, form) in node.bases.iter().zip(forms) {
            let Some(form) = form else { continue };
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
        match base {
            Type::Function("builtins", name) => self.native(|native| native.own_form(&[name])),
            Type::Function(module, name) => self.native(|native| native.own_form(&[module, name])),
            Type::Object(path) => self.native(|native| native.own_form(&path.split(':').collect::<Vec<_>>())),
            _ => None,
        }
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

/// The head of a function: `def name`.
fn head(range: TextRange, name: &str) -> TextRange {
    let length = u32::try_from("def ".len() + name.len()).unwrap_or(u32::MAX);
    TextRange::at(range.start(), length.into())
}

fn is_slots(target: &Expr) -> bool {
    matches!(target, Expr::Name(name) if name.id.as_str() == "__slots__")
}
