//! Attributes: whether they are there natively, only in CPython or Galaxy (T112, T130, T131), or nowhere (T103).

use std::collections::HashSet;

use rustpython_parser::ast::{Expr, ExprAttribute};
use rustpython_parser::text_size::TextRange;

use super::checker::Checker;
use super::types::Type;
use crate::config::suggest::closest;
use crate::lint::model::{Member, Names, model};
use tpv_runtime::mapper::inventory::Inventory;

/// What code does with an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Takes its value.
    Value,
    /// Calls it.
    Call,
}

/// What running code raises for an attribute that is not there.
pub(super) const ATTRIBUTE_ERROR: &str = "AttributeError";

impl<'a> Checker<'a> {
    /// Walks `object.name` and gives its type.
    pub(super) fn attribute(&mut self, node: &'a ExprAttribute, usage: Use) -> Type {
        let owner = self.expr(&node.value);
        let path = Self::path(&node.value).map(|path| format!("{path}.{}", node.attr));
        if let Some(fact) = path.and_then(|path| self.state.facts.get(&path)) {
            return fact.clone();
        }
        let ty = self.member(&owner, &node.value, node.attr.as_str(), node.range, usage);
        self.receiver = owner;
        ty
    }

    /// The attribute of a value of a type.
    pub(super) fn member(&mut self, owner: &Type, value: &'a Expr, name: &str, range: TextRange, usage: Use) -> Type {
        match owner {
            Type::Optional(inner) => {
                self.may_be_none(value, name, range);
                self.member(&(**inner).clone(), value, name, range, usage)
            }
            Type::None => {
                if Self::path(value).as_deref() == Some("user") {
                    let message = format!("`user` is `None` here, which has no `{name}`");
                    self.fault("T107", range, message, "raises `AttributeError`");
                    self.help("this way is taken for jobs of users that are not logged in: swap the branches, or use `user` only where it is set");
                }
                Type::Any
            }
            Type::Module(module) => self.module_member(&module.clone(), name, range),
            Type::Class(_) | Type::List(_) => {
                owner.class().map_or(Type::Any, |class| self.instance_member(class, name, range, usage))
            }
            Type::Function("builtins", builtin) => self.object_member(builtin, name, range),
            Type::Object(path) => self.object_member(&path.clone(), name, range),
            Type::Def => self.instance_member("function", name, range, usage),
            Type::Items(_) if matches!(name, "send" | "throw" | "close") => {
                self.instance_member("generator", name, range, usage)
            }
            _ => {
                self.machinery(name, range);
                Type::Any
            }
        }
    }

    /// An attribute of something unknown: one that only CPython's types or its machinery (`tb_lineno`) have.
    fn machinery(&mut self, name: &str, range: TextRange) {
        let own = |names: &HashSet<String>| names.contains(name);
        // Objects of a module's classes are there only where the code names the module.
        let is_of_cpython = |class: &str| match class.split_once('.') {
            Some((module, _)) => self.source.contains(module),
            None => class.starts_with(|c: char| c.is_ascii_lowercase()),
        };
        let mut classes = model().classes.iter().filter(|(class, _)| is_of_cpython(class));
        if !(model().list("machinery").contains(name) || classes.any(|(_, class)| class.names.contains(name)))
            || own(&self.bindings.defined)
            || own(&self.bindings.attributes)
            || own(&self.surroundings.attributes)
            || self.native(|native| native.has_anywhere(name))
        {
            return;
        }
        let help = "write it another way, or let CPython run it";
        self.lacks(range, format!("tpvc has no `{name}` of any object"), ATTRIBUTE_ERROR, help);
    }

    fn instance_member(&mut self, class: &str, name: &str, range: TextRange, usage: Use) -> Type {
        let Some((class, members)) = model().classes.get_key_value(class) else { return Type::Any };
        match members.known.get_key_value(name) {
            Some((name, Member::Function(_))) => {
                if (*class, *name) == ("Session", "execute") && usage == Use::Call {
                    self.asks_world(range);
                }
                return Type::Function(class, name);
            }
            Some((_, Member::Value(ty))) => return ty.clone(),
            None => {}
        }
        // Where a destination is evaluated, the entity is one.
        let also = if *class == "Entity" { "Destination" } else { class };
        let is_of_tpv = matches!(*class, "Entity" | "Destination" | "SchedulingTags" | "Tag" | "Mapper");
        let set_by_config = is_of_tpv && self.surroundings.attributes.contains(name);
        if set_by_config || self.bindings.attributes.contains(name) {
            return Type::Any;
        }
        match self.native(|native| native.has(also, name)) {
            Some(true) => return Type::Any,
            Some(false) => {}
            None => {
                self.machinery(name, range);
                return Type::Any;
            }
        }
        let is_private = name.starts_with('_') && !class.starts_with(|c: char| c.is_ascii_lowercase());
        // What the model has beside its own attributes are Galaxy's classes.
        let is_model_class = *class == "Model" && names_in("galaxy.model").contains(name);
        if members.names.contains(name) || is_private || is_model_class {
            let is_of_galaxy =
                class.starts_with(|c: char| c.is_ascii_uppercase()) && *class != "BaseException" && !is_of_tpv;
            match *class {
                "Session" => self.needs_server(name, range),
                _ if is_of_galaxy => self.only_galaxy(class, name, range, usage),
                // What CPython sees of TPV's objects is tpvc's as well.
                _ if is_of_tpv => self.limit(
                    "T130",
                    range,
                    format!("tpvc has no `{name}` of {}", display(class)),
                    ATTRIBUTE_ERROR,
                    "write it another way, or keep this rule on TPV",
                ),
                _ => self.lacks(
                    range,
                    format!("tpvc has no `{name}` of {}", display(class)),
                    ATTRIBUTE_ERROR,
                    "write it another way, or let CPython run it",
                ),
            }
            return Type::Any;
        }
        let classes = if *class == "Model" { names_in("galaxy.model") } else { Names::default() };
        let near = || nearest(name, members.known.keys().copied().chain(members.names.iter()).chain(classes.iter()));
        self.no_attribute(&format!("`{class}` objects have"), name, range, near);
        if *class == "list" && self.last_is(range) && near().is_none() && is_length(name) {
            self.help("write `len(...)` around it");
        }
        Type::Any
    }

    /// An attribute of a class or another object of the runtime.
    fn object_member(&mut self, path: &str, name: &str, range: TextRange) -> Type {
        self.uses_live_name(path, name);
        let parts: Vec<&str> = path.split(':').collect();
        if matches!(path, "app:model:Job" | "galaxy.model:Job") && Inventory::is_unknown_column(name) {
            self.unanswered(format!("the world does not know the `{name}` of Galaxy's jobs"), range);
            return Type::Any;
        }
        if self.native(|native| native.has_at(&parts, name)) != Some(false) || self.bindings.attributes.contains(name) {
            return Type::Any;
        }
        let shown = path.replace(':', ".");
        let of_model = path.strip_prefix("app:model:");
        let class = of_model.unwrap_or(shown.as_str());
        let names = model().classes.get(class).map(|members| members.names).unwrap_or_default();
        if of_model.is_some() && names.contains(name) {
            let message = format!("compiled rules cannot ask for the `{name}` of Galaxy's jobs");
            self.limit(
                "T131",
                range,
                message,
                ATTRIBUTE_ERROR,
                "ask for what the world file's `jobs` have, or keep this rule on TPV",
            );
        } else if names.is_empty() || names.contains(name) || name.starts_with('_') {
            let message = format!("tpvc's `{shown}` has no `{name}`");
            self.lacks(range, message, ATTRIBUTE_ERROR, "write it another way, or let CPython run it");
        } else {
            self.no_attribute(&format!("`{shown}` has"), name, range, || nearest(name, names.iter()));
        }
        Type::Any
    }

    fn module_member(&mut self, module: &str, name: &str, range: TextRange) -> Type {
        self.uses_live_name(module, name);
        let full = format!("{module}.{name}");
        if self.native(|native| native.has_module(&full)) {
            return Type::Module(full.into());
        }
        let names = model().modules.get(module).map(|members| members.names).unwrap_or_default();
        if let Some((module, members)) = model().modules.get_key_value(module) {
            match members.known.get_key_value(name) {
                Some((name, Member::Function(_))) => return Type::Function(module, name),
                Some((_, Member::Value(ty))) => return ty.clone(),
                None => {}
            }
        }
        match self.native(|native| native.has_at(&[module], name)) {
            // The import has been judged.
            None => return Type::Any,
            Some(true) => {
                return if self.is_class(module, name) {
                    Type::Object(format!("{module}:{name}").into())
                } else {
                    Type::Any
                };
            }
            Some(false) => {}
        }
        if self.bindings.attributes.contains(name) {
            return Type::Any;
        }
        if names.contains(name) || names.is_empty() || name.starts_with('_') || model().list(module).contains(name) {
            let message = format!("tpvc's module `{module}` has no `{name}`");
            self.lacks(range, message, ATTRIBUTE_ERROR, "write it another way, or let CPython run it");
        } else {
            self.no_attribute(&format!("the module `{module}` has"), name, range, || nearest(name, names.iter()));
        }
        Type::Any
    }

    /// Whether a name of a module is a class, or a name of `typing` that stands for one.
    pub(super) fn is_class(&mut self, module: &str, name: &str) -> bool {
        let annotates = module == "typing" && !matches!(name, "cast" | "TYPE_CHECKING");
        annotates || self.native(|native| native.is_class(&[module, name]))
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
        let help = "use a variable or a dict, or let CPython run it";
        match owner {
            Type::Class(_) => self.limit("T130", range, message, ATTRIBUTE_ERROR, help),
            _ => self.lacks(range, message, ATTRIBUTE_ERROR, help),
        }
    }

    /// Something that is nowhere: not natively, and not in CPython or Galaxy.
    fn no_attribute(&mut self, whose: &str, name: &str, range: TextRange, near: impl FnOnce() -> Option<&'static str>) {
        if self.expects(ATTRIBUTE_ERROR) {
            return;
        }
        self.fault(
            "T103",
            range,
            format!("{whose} no attribute `{name}`"),
            "raises `AttributeError`, here and in Galaxy",
        );
        match near() {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self.help("check the name against Galaxy's and TPV's documentation"),
        }
    }

    /// Something that works under TPV inside Galaxy, and raises `exception` in compiled rules.
    pub(super) fn limit(&mut self, code: &'static str, range: TextRange, message: String, exception: &str, help: &str) {
        if self.expects(exception) {
            return;
        }
        self.fault(code, range, message, format!("raises `{exception}` for each job that comes here"));
        self.note("works under TPV inside Galaxy");
        self.help(help);
    }

    fn only_galaxy(&mut self, class: &str, name: &str, range: TextRange, usage: Use) {
        if self.expects(ATTRIBUTE_ERROR) {
            return;
        }
        let whose = display(class);
        if usage == Use::Value && self.native(|native| native.is_open(class)) {
            let message = format!("the `{name}` of {whose} is there only where the job file gives it");
            let label = "raises `AttributeError` for each job whose line does not give it";
            self.fault("T112", range, message, label);
            self.note("works under TPV inside Galaxy");
            let key = key_of(class);
            self.help(format!("give `{name}` beside the other keys of `{key}` in the job file"));
            return;
        }
        let message = format!("the `{name}` of {whose} is there only inside a Galaxy process");
        let help = "use what the job and world files give, or keep this rule on TPV";
        self.limit("T112", range, message, ATTRIBUTE_ERROR, help);
    }

    /// `app.model.context.execute(...)`
    fn asks_world(&mut self, range: TextRange) {
        if self.expects("HostUnavailable") {
            return;
        }
        let label = "raises `HostUnavailable` for each job whose world has no answer to it";
        self.fault("T131", range, "this asks Galaxy's database".to_owned(), label);
        self.note("works under TPV inside Galaxy");
        self.help("give the rows under `queries` in the world file, or keep this rule on TPV");
    }

    /// What is there only to say that the world has no answer.
    fn unanswered(&mut self, message: String, range: TextRange) {
        if self.expects("HostUnavailable") {
            return;
        }
        let label = "raises `HostUnavailable` for each job that comes here";
        self.fault("T131", range, message, label);
        self.note("works under TPV inside Galaxy");
        self.help("ask for what the world file's `jobs` have, or keep this rule on TPV");
    }

    fn needs_server(&mut self, name: &str, range: TextRange) {
        let message = format!("the `{name}` of a session is there only inside a Galaxy process");
        self.limit("T131", range, message, ATTRIBUTE_ERROR, "keep this rule on TPV");
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

    /// Whether the last fault is about this range.
    fn last_is(&self, range: TextRange) -> bool {
        self.faults.last().is_some_and(|fault| fault.range == range)
    }
}

/// The nearest name; of two as near the first by the alphabet, so that it is the same each time.
pub(super) fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let mut names: Vec<&'static str> = names.filter(|name| !name.starts_with("__")).collect();
    names.sort_unstable();
    closest(name, names)
}

/// What to call an instance of a class in messages.
fn display(class: &str) -> String {
    match class {
        "Entity" => "an entity".to_owned(),
        "SchedulingTags" => "scheduling tags".to_owned(),
        "App" => "the app".to_owned(),
        "Model" => "the app's model".to_owned(),
        "Mapper" => "the mapper".to_owned(),
        "UserRoleAssociation" => "an item of `user.roles`".to_owned(),
        "Tool" | "User" | "Job" | "Role" | "Destination" | "History" | "Dataset" => {
            format!("a {}", class.to_lowercase())
        }
        other => format!("`{other}` objects"),
    }
}

/// The key of the job file that describes an object of a class.
fn key_of(class: &str) -> &'static str {
    match class {
        "Tool" => "tool",
        "User" => "user",
        "History" => "job.history",
        "Job" => "job",
        _ => "job.input_datasets[]",
    }
}

/// Whether a name is what other languages call the number of items.
fn is_length(name: &str) -> bool {
    closest(name, ["length", "len", "size"]).is_some()
}

/// The names that CPython or Galaxy have in a module or package; empty where that is not known.
pub(super) fn names_in(module: &str) -> Names {
    model().modules.get(module).map(|members| members.names).unwrap_or_default()
}
