//! Attributes: whether they are there natively, only in CPython or Galaxy (T112, T130, T131), or nowhere (T103).

use std::collections::HashSet;
use std::sync::Arc;

use tpv_front::syntax::ast::{Expr, ExprAttribute};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;
use super::cpython::WITH_CPYTHON;
use super::older;
use super::types::Type;
use crate::checker::stubs::{Member, Names, model};
use tpv_model::Version;
use tpv_python::lacking;
use tpv_runtime::mapper::inventory::Inventory;
use tpv_text::code::Code;
use tpv_text::suggest::closest;

/// The use of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Takes its value.
    Value,
    /// Calls it.
    Call,
}

/// The exception for an attribute that does not exist.
pub(super) const ATTRIBUTE_ERROR: &str = "AttributeError";

/// The classes of builtin values.
const BUILTIN_CLASSES: [&str; 13] = [
    "BaseException",
    "bool",
    "bytes",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
];

impl<'a> Checker<'a> {
    /// Walks `object.name` and gives its type.
    pub(super) fn attribute(&mut self, node: &'a ExprAttribute, usage: Use) -> Type {
        let owner = self.expr(&node.value);
        let path = Self::path(&node.value).map(|path| format!("{path}.{}", node.attr));
        if let Some(fact) = path.and_then(|path| self.state.facts.get(&path)) {
            return fact.clone();
        }
        let ty = self.member(&owner, &node.value, node.attr.as_str(), node.range, usage);
        if usage == Use::Value {
            self.takes_function(node, &ty);
        }
        self.receiver = owner;
        ty
    }

    /// The attribute of a value of a type.
    pub(super) fn member(&mut self, owner: &Type, value: &'a Expr, name: &str, range: TextRange, usage: Use) -> Type {
        match owner {
            Type::Optional(inner) => {
                self.may_be_none(inner, value, name, range);
                self.member(&(**inner).clone(), value, name, range, usage)
            }
            Type::None => {
                if Self::path(value).as_deref() == Some("user") && !self.catches(ATTRIBUTE_ERROR) {
                    let message = format!("`user` is `None` here, which has no `{name}`");
                    self.fault(Code::MaybeNone, range, message, "raises `AttributeError`");
                    self.help("this way is taken for jobs of users that are not logged in: swap the branches, or use `user` only where it is set");
                }
                Type::Any
            }
            Type::SomeModule => self.member_of_some_module(name, range),
            Type::Module(module) => self.module_member(&module.clone(), name, range),
            Type::Class(_) | Type::List(_) => {
                owner.class().map_or(Type::Any, |class| self.instance_member(class, name, range, usage))
            }
            Type::Function("builtins", builtin) => self.object_member(builtin, name, range),
            Type::Object(path) => self.object_member(&path.clone(), name, range),
            Type::Def => self.instance_member("function", name, range, usage),
            Type::SomeClass => self.member_of_some_class(name, range),
            Type::Items(_) if matches!(name, "send" | "throw" | "close") => {
                self.instance_member("generator", name, range, usage)
            }
            _ => {
                self.machinery(name, range);
                Type::Any
            }
        }
    }

    /// An attribute of something unknown: one that only CPython's types, its machinery (`tb_lineno`) or modules that the code
    /// imports have.
    pub(super) fn machinery(&mut self, name: &str, range: TextRange) {
        if !self.state.dead && lacks_natively("bytes", name) {
            self.maybe_of_bytes.push((name.to_owned(), range));
        }
        let own = |names: &HashSet<String>| names.contains(name);
        // Objects of a module's classes are there only where the code names the module.
        let is_of_cpython = |class: &str| match class.split_once('.') {
            Some((module, _)) => self.source.contains(module),
            None => class.starts_with(|c: char| c.is_ascii_lowercase()) || class == "BaseException",
        };
        let of_classes = model().classes.iter().filter(|(class, _)| is_of_cpython(class));
        let of_modules = model().modules.iter().filter(|(module, _)| self.bindings.modules.contains(**module));
        if !(model().list("machinery").contains(name)
            || of_classes.chain(of_modules).any(|(_, members)| members.names.contains(name)))
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
            // Since TPV 2 it is a list of dicts, unless code puts something else there.
            Some((&"env", Member::Value(_))) => {
                let is_known =
                    !self.surroundings.version.evaluates_early() && !self.surroundings.attributes.contains(name);
                return if is_known { Type::Optional(Arc::new(Type::List(Arc::new(Type::DICT)))) } else { Type::Any };
            }
            Some((_, Member::Value(ty))) => return ty.clone(),
            None => {}
        }
        // Where a destination is evaluated, the entity is one.
        let also = if *class == "Entity" { "Destination" } else { class };
        let is_of_tpv = matches!(*class, "Entity" | "Destination" | "SchedulingTags" | "Tag" | "Mapper");
        let is_of_galaxy =
            class.starts_with(|c: char| c.is_ascii_uppercase()) && *class != "BaseException" && !is_of_tpv;
        let set_by_config = is_of_tpv && self.surroundings.attributes.contains(name);
        let set_by_code = (is_of_tpv || is_of_galaxy) && self.bindings.attributes.contains(name);
        if set_by_config || set_by_code {
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
        let is_older = older::has(self.surroundings.version, class, name);
        if members.names.contains(name) || is_private || is_model_class || is_older {
            match *class {
                "Session" => self.needs_server(name, range),
                _ if is_of_galaxy => self.only_galaxy(class, name, range, usage),
                // What CPython sees of TPV's objects is tpvc's as well.
                _ if is_of_tpv => self.limit(
                    Code::NeedsCPython,
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

    /// An attribute of one of several modules: one that an imported module of CPython has, and the native one lacks.
    fn member_of_some_module(&mut self, name: &str, range: TextRange) -> Type {
        let modules = self.bindings.modules.iter().filter(|module| names_in(module).contains(name));
        let lacks = |module: &&String| self.native(|native| native.has_at(&[module.as_str()], name)) == Some(false);
        if let Some(module) = modules.min_by_key(|module| (!lacks(module), *module)).filter(lacks).cloned() {
            let message = format!("tpvc's module `{module}` has no `{name}`");
            self.lacks(range, message, ATTRIBUTE_ERROR, "write it another way, or let CPython run it");
        }
        Type::Any
    }

    /// An attribute of a class that only running code knows: one that builtin classes of CPython have, and native ones lack. They are
    /// mostly the data of their objects (`int.real`).
    fn member_of_some_class(&mut self, name: &str, range: TextRange) -> Type {
        let has_data = |class: &str| match class {
            "range" | "slice" => matches!(name, "start" | "stop" | "step"),
            class => model().classes.get(class).is_some_and(|members| members.names.contains(name)),
        };
        let mut classes = BUILTIN_CLASSES.into_iter().filter(|class| has_data(class));
        if classes.any(|class| self.native(|native| native.has_at(&[class], name)) == Some(false)) {
            let help = "ask for it of an object, or let CPython run it";
            self.lacks(range, format!("tpvc has no `{name}` of classes"), ATTRIBUTE_ERROR, help);
        } else {
            self.machinery(name, range);
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
        if self.native(|native| native.has_at(&parts, name)) != Some(false) {
            return Type::Any;
        }
        let shown = path.replace(':', ".");
        let of_model = path.strip_prefix("app:model:");
        let class = of_model.unwrap_or(shown.as_str());
        let names = model().classes.get(class).map(|members| members.names).unwrap_or_default();
        if of_model.is_some() && names.contains(name) {
            let message = format!("compiled rules cannot ask for the `{name}` of Galaxy's jobs");
            self.limit(
                Code::AsksLiveServer,
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
        let version = self.surroundings.version;
        if module == HELPERS && !version.has_helper(name) {
            if !self.catches(ATTRIBUTE_ERROR) {
                let message = format!("`helpers` of TPV {version} has no attribute `{name}`");
                self.fault(Code::UnknownName, range, message, "raises `AttributeError`, here and in Galaxy");
                self.help(format!("TPV {} has it: upgrade TPV before using it", Version::default()));
            }
            return Type::Any;
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
        if names.contains(name) || names.is_empty() || name.starts_with('_') || model().list(module).contains(name) {
            let message = format!("tpvc's module `{module}` has no `{name}`");
            self.lacks(range, message, ATTRIBUTE_ERROR, "write it another way, or let CPython run it");
        } else {
            self.no_attribute(&format!("the module `{module}` has"), name, range, || nearest(name, names.iter()));
        }
        Type::Any
    }

    /// Returns `true` if a name of a module is a class, or a name of `typing` that stands for one.
    pub(super) fn is_class(&mut self, module: &str, name: &str) -> bool {
        let annotates = module == "typing" && !matches!(name, "cast" | "TYPE_CHECKING");
        annotates || self.native(|native| native.is_class(&[module, name]))
    }

    /// `owner.name = value`
    pub(super) fn sets_attribute(&mut self, owner: &Type, name: &str, range: TextRange) {
        let is_computed =
            self.surroundings.version.has_models() && (owner, name) == (&Type::Class("SchedulingTags"), "tags");
        if is_computed {
            let help = "set `require`, `prefer`, `accept` or `reject`, which are lists of names";
            self.always_raises(range, "`tags` of scheduling tags cannot be set".to_owned(), ATTRIBUTE_ERROR, help);
        }
        let what = match owner {
            Type::Def => "functions".to_owned(),
            Type::Module(module) if self.native(|native| native.has_module(module)) => "modules".to_owned(),
            Type::Class("Mapper") => "the mapper".to_owned(),
            _ => return,
        };
        let message = format!("tpvc cannot set the attribute `{name}` of {what}");
        let help = "use a variable or a dict, or let CPython run it";
        match owner {
            Type::Class(_) => self.limit(Code::NeedsCPython, range, message, ATTRIBUTE_ERROR, help),
            _ => self.lacks(range, message, ATTRIBUTE_ERROR, help),
        }
    }

    /// An attribute of a name that only running code knows, of something that lacks attributes natively.
    pub(super) fn unknown_attribute(&mut self, owner: &Type, range: TextRange) {
        let of = match owner {
            Type::Module(name) => format!("the module `{name}`"),
            Type::SomeModule => "a module".to_owned(),
            Type::Object(path) => format!("`{}`", path.replace(':', ".")),
            Type::Function("builtins", name) if self.native(|native| native.is_class(&[name])) => format!("`{name}`"),
            Type::Items(_) => "generators".to_owned(),
            Type::Class(class) if lacking::LEFT_OUT_ATTRIBUTES.iter().any(|(of, _)| of == class) => display(class),
            _ => return,
        };
        let message = format!("which attribute of {of} this asks for is not known when compiling");
        self.cannot_tell(range, message, "write the name itself: `x.name`".to_owned());
    }

    /// A value that goes where its type is lost: of a module it is then not known which names the code asks for.
    pub(super) fn escapes(&mut self, ty: &Type, range: TextRange) {
        self.bytes_escaped |= *ty == Type::Class("bytes");
        let module = match ty {
            Type::Module(module) => module,
            Type::SomeModule => "module",
            _ => return,
        };
        let message = format!("which names of the module `{module}` this asks for is not known when compiling");
        self.cannot_tell(range, message, format!("write `{module}.name` where the name is used"));
    }

    /// Attributes of values that may be bytes, since some went where their type is lost.
    pub(super) fn judge_bytes(&mut self) {
        let asked = std::mem::take(&mut self.maybe_of_bytes);
        if !self.bytes_escaped {
            return;
        }
        self.state.dead = false;
        for (name, range) in asked {
            let help = "decode the bytes where they are made: `value.decode()`";
            self.cannot_tell(range, format!("tpvc has no `{name}` of bytes, which this may be"), help.to_owned());
        }
    }

    /// Code that may ask for something that native code lacks, which nobody knows before it runs.
    fn cannot_tell(&mut self, range: TextRange, message: String, help: String) {
        self.needs_cpython(message.clone());
        let label = "is without what native code lacks, unless CPython runs it";
        self.fault(Code::NeedsCPython, range, message, label);
        self.note(WITH_CPYTHON);
        self.help(help);
    }

    /// Something that is nowhere: not natively, and not in CPython or Galaxy.
    fn no_attribute(&mut self, whose: &str, name: &str, range: TextRange, near: impl FnOnce() -> Option<&'static str>) {
        if self.catches(ATTRIBUTE_ERROR) {
            return;
        }
        self.fault(
            Code::UnknownName,
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
    pub(super) fn limit(&mut self, code: Code, range: TextRange, message: String, exception: &str, help: &str) {
        let label = match self.catches(exception) {
            true => format!("raises `{exception}`, which the code catches"),
            false => format!("raises `{exception}` for each job that comes here"),
        };
        self.fault(code, range, message, label);
        self.note("works under TPV inside Galaxy");
        self.help(help);
    }

    fn only_galaxy(&mut self, class: &str, name: &str, range: TextRange, usage: Use) {
        let whose = display(class);
        if usage == Use::Value && self.native(|native| native.is_open(class)) {
            let message = format!("the `{name}` of {whose} is there only where the job file gives it");
            let label = match self.catches(ATTRIBUTE_ERROR) {
                true => "raises `AttributeError`, which the code catches, for each job whose line does not give it",
                false => "raises `AttributeError` for each job whose line does not give it",
            };
            self.fault(Code::LiveAttribute, range, message, label);
            self.note("works under TPV inside Galaxy");
            let key = key_of(class);
            self.help(format!("give `{name}` beside the other keys of `{key}` in the job file"));
            return;
        }
        let message = format!("the `{name}` of {whose} is there only inside a Galaxy process");
        let help = "use what the job and world files give, or keep this rule on TPV";
        self.limit(Code::LiveAttribute, range, message, ATTRIBUTE_ERROR, help);
    }

    /// `app.model.context.execute(...)`
    fn asks_world(&mut self, range: TextRange) {
        if self.expects("HostUnavailable") {
            return;
        }
        let label = "raises `HostUnavailable` for each job whose world has no answer to it";
        self.fault(Code::AsksLiveServer, range, "this asks Galaxy's database".to_owned(), label);
        self.note("works under TPV inside Galaxy");
        self.help("give the rows under `queries` in the world file, or keep this rule on TPV");
    }

    /// Reports a name that exists only to say that the world has no answer.
    fn unanswered(&mut self, message: String, range: TextRange) {
        if self.expects("HostUnavailable") {
            return;
        }
        let label = "raises `HostUnavailable` for each job that comes here";
        self.fault(Code::AsksLiveServer, range, message, label);
        self.note("works under TPV inside Galaxy");
        self.help("ask for what the world file's `jobs` have, or keep this rule on TPV");
    }

    fn needs_server(&mut self, name: &str, range: TextRange) {
        let message = format!("the `{name}` of a session is there only inside a Galaxy process");
        self.limit(Code::AsksLiveServer, range, message, ATTRIBUTE_ERROR, "keep this rule on TPV");
    }

    /// Returns `true` if the last fault is about this range.
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

/// Returns `true` if objects of CPython's builtin class have a public attribute that native ones lack.
fn lacks_natively(class: &str, name: &str) -> bool {
    lacking::LEFT_OUT_ATTRIBUTES.iter().any(|(of, names)| *of == class && names.contains(&name))
}

/// The name of a class's instance in messages.
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

/// Returns `true` if other languages use this name for the number of items.
fn is_length(name: &str) -> bool {
    closest(name, ["length", "len", "size"]).is_some()
}

/// The module of TPV's helpers.
const HELPERS: &str = "tpv.core.helpers";

/// The names that CPython or Galaxy have in a module or package; empty if that is not known.
pub(super) fn names_in(module: &str) -> Names {
    model().modules.get(module).map(|members| members.names).unwrap_or_default()
}
