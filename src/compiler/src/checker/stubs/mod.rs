//! The checker's knowledge of types: two tables as text, read once.
//!
//! `types.txt` gives types and signatures of what is there natively; `names.txt` gives all names that CPython's, Galaxy's and
//! TPV's own have. What exists natively is in neither: the runtime is asked ([`Inventory`]). So a name that the runtime lacks
//! is either a misspelling or one that only CPython or Galaxy has.
//!
//! [`Inventory`]: tpv_runtime::mapper::inventory::Inventory

use std::collections::HashMap;
use std::sync::LazyLock;

use super::kinds::Kinds;
use super::types::Type;

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub name: &'static str,
    pub optional: bool,
    /// May be given by position.
    pub positional: bool,
    /// May be given by name.
    pub keyword: bool,
    /// The type that it takes, as far as it matters.
    pub ty: Type,
    /// The kinds of values without which a builtin raises `TypeError`.
    pub takes: Kinds,
}

/// A function or method.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub name: &'static str,
    pub parameters: Vec<Parameter>,
    /// `*args`
    pub any_positional: bool,
    /// `**kwargs`
    pub any_keyword: bool,
    pub result: Type,
}

/// An entry under a name of a class or a module.
#[derive(Clone, Debug)]
pub(super) enum Member {
    /// A value of a type.
    Value(Type),
    /// A function or method.
    Function(Signature),
}

/// A list of names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names(&'static str);

impl Names {
    /// The names, by the alphabet.
    pub(super) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|name| !name.is_empty())
    }

    /// Returns `true` if a name is among them.
    pub(super) fn contains(self, name: &str) -> bool {
        !name.is_empty() && self.0.as_bytes().split(|byte| *byte == b' ').any(|known| known == name.as_bytes())
    }

    /// Returns `true` if nothing was recorded.
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// A class or module of the tables.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// The members whose types are known.
    pub known: HashMap<&'static str, Member>,
    /// All names that the real class or module has.
    pub names: Names,
}

/// Both tables.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub classes: HashMap<&'static str, Members>,
    pub modules: HashMap<&'static str, Members>,
    /// The names that the mapper gives to code.
    pub mapper: HashMap<&'static str, Member>,
    /// The constructors of TPV's classes, by the version and the path of the class.
    constructors: HashMap<(&'static str, &'static str), Signature>,
    /// Other lists: Python's builtins, the globals of TPV's loader, the modules of the standard library, those that come with
    /// Galaxy, others that sites install, and the modules in packages, by the name of the package.
    lists: HashMap<&'static str, Names>,
}

impl Model {
    /// Python's builtins.
    pub(super) fn builtins(&self) -> Names {
        self.list("builtins")
    }

    /// The globals of TPV's loader.
    pub(super) fn loader(&self) -> Names {
        self.list("loader")
    }

    /// The constructor of a class of TPV, by the path of the class. `has_models` is the version's.
    pub(super) fn constructor<'a>(&'a self, path: &'a str, has_models: bool) -> Option<&'a Signature> {
        self.constructors.get(&(if has_models { "of TPV 3" } else { "of TPV 2" }, path))
    }

    /// A list by its name.
    pub(super) fn list(&self, name: &str) -> Names {
        self.lists.get(name).copied().unwrap_or_default()
    }
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let mut model = Model::default();
    names(&mut model, include_str!("names.txt"));
    types(&mut model, include_str!("types.txt"));
    model
});

/// The model.
pub(super) fn model() -> &'static Model {
    &MODEL
}

fn names(model: &mut Model, text: &'static str) {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((head, list)) = line.split_once(':') else { continue };
        let names = Names(list.trim_start());
        match head.split_once(' ') {
            Some(("class", name)) => model.classes.entry(name).or_default().names = names,
            Some(("module", name)) => model.modules.entry(name).or_default().names = names,
            Some((_, name)) => drop(model.lists.insert(name, names)),
            None => {}
        }
    }
}

fn types(model: &mut Model, text: &'static str) {
    let mut section = ("", "");
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((kind @ ("class" | "module" | "names" | "constructors"), name)) = line.split_once(' ') {
            section = (kind, name);
            continue;
        }
        let Some((name, member)) = member(line) else { continue };
        match section {
            ("class", class) => drop(model.classes.entry(class).or_default().known.insert(name, member)),
            ("module", module) => drop(model.modules.entry(module).or_default().known.insert(name, member)),
            ("constructors", version) => {
                if let Member::Function(mut signature) = member {
                    signature.name = name.rsplit_once(':').map_or(name, |(_, class)| class);
                    model.constructors.insert((version, name), signature);
                }
            }
            _ => drop(model.mapper.insert(name, member)),
        }
    }
}

fn member(line: &'static str) -> Option<(&'static str, Member)> {
    let (head, result) = line.rsplit_once(": ")?;
    let result = Type::read(result);
    let Some((name, list)) = head.split_once('(') else { return Some((head, Member::Value(result))) };
    let mut signature = Signature { name, result, ..Signature::default() };
    let mut keyword_only = false;
    for part in list.trim_end_matches(')').split(", ").filter(|part| !part.is_empty()) {
        match part {
            "/" => signature.parameters.iter_mut().for_each(|parameter| parameter.keyword = false),
            "*" => keyword_only = true,
            "**" => signature.any_keyword = true,
            _ if part.starts_with('*') => {
                signature.any_positional = true;
                keyword_only = true;
            }
            _ => {
                let written = part.trim_end_matches('=');
                let (written, takes) = match written.split_once('{') {
                    Some((written, kinds)) => (written, Kinds::read(kinds.trim_end_matches('}'))),
                    None => (written, Kinds::ANY),
                };
                let (name, ty) = written.split_once('<').unwrap_or((written, "Any"));
                signature.parameters.push(Parameter {
                    name,
                    optional: part.ends_with('='),
                    positional: !keyword_only,
                    keyword: true,
                    ty: Type::read(ty.trim_end_matches('>')),
                    takes,
                });
            }
        }
    }
    Some((name, Member::Function(signature)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use tpv_python::lacking::{LEFT_OUT_ATTRIBUTES, LEFT_OUT_BUILTINS};
    use tpv_runtime::mapper::inventory::{self, Inventory};

    fn inventory() -> Inventory {
        Inventory::new(std::sync::Arc::new(tpv_front::run_time::compile), tpv_model::Version::default()).unwrap()
    }

    #[test]
    fn the_tables_are_read() {
        let model = model();
        assert!(model.classes["Job"].names.contains("create_time"));
        let Member::Function(helper) = &model.modules["tpv.core.helpers"].known["get_input_size"] else { panic!() };
        assert_eq!(helper.parameters.len(), 4);
        assert!(helper.parameters[1].optional && helper.parameters[1].keyword);
        assert!(model.builtins().contains("len") && model.loader().contains("functools"));
        assert!(model.list("stdlib").contains("decimal") && model.list("galaxy").contains("jobs"));
    }

    /// The types are of what is there: each name is known to the runtime, and to what the table of names was recorded from.
    #[test]
    fn the_table_of_types_names_only_what_is_there() {
        let mut inventory = inventory();
        let model = model();
        let mut missing: Vec<String> = Vec::new();
        for (class, members) in &model.classes {
            for name in members.known.keys() {
                if inventory.has(class, name) != Some(true) {
                    missing.push(format!("the runtime has no {class}.{name}"));
                }
                // What is the contract's alone: Galaxy's `user.roles` are other objects, and its collections have another name
                // for it.
                let of_contract = *class == "UserRoleAssociation" || *name == "first_dataset_instance";
                let of_model = *class == "Model" && model.modules["galaxy.model"].names.contains(name);
                if !members.names.contains(name) && !of_contract && !of_model {
                    missing.push(format!("names.txt has no {class}.{name}"));
                }
            }
        }
        for (module, members) in &model.modules {
            for name in members.known.keys() {
                let is_builtin = *module == "builtins";
                if !inventory.has_module(module) && !is_builtin || is_builtin && !inventory.has_name(name) {
                    missing.push(format!("the runtime has no {module}.{name}"));
                }
                if !is_builtin && inventory.has_at(&[module], name) != Some(true) {
                    missing.push(format!("the runtime has no {module}.{name}"));
                }
                if !is_builtin && !members.names.contains(name) {
                    missing.push(format!("names.txt has no {module}.{name}"));
                }
            }
        }
        missing.sort();
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// Every native name is among the recorded ones, since misspellings are found by those. `TagSetManager` is of versions before 3.0, which
    /// `checker/imports.rs` tells apart.
    #[test]
    fn the_table_of_names_has_all_that_is_there() {
        let model = model();
        let mut missing: Vec<String> = Vec::new();
        let is_outside = |module: &&str| tpv_galaxy::modules::outside::Outside::named(module).is_some();
        for module in inventory::module_names().filter(|module| !is_outside(module)) {
            let Some(members) = model.modules.get(module) else {
                missing.push(format!("module {module}"));
                continue;
            };
            let own = tpv_runtime::mapper::find_module(module).unwrap();
            let is_new = |name: &&&str| !members.names.contains(name) && **name != "TagSetManager";
            for name in own.names.iter().filter(is_new) {
                missing.push(format!("{module}.{name}"));
            }
        }
        for class in Inventory::classes().filter(|class| model.classes.get(class).is_none_or(|c| c.names.is_empty())) {
            missing.push(format!("class {class}"));
        }
        for name in tpv_python::library::builtin_names().filter(|name| !name.starts_with(['.', '_'])) {
            if !model.builtins().contains(name) {
                missing.push(format!("builtin {name}"));
            }
        }
        missing.sort();
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// Of what CPython's own types have, the list of what the runtime lacks: each gives T130 where code asks.
    #[test]
    fn what_the_builtin_types_lack() {
        let mut inventory = inventory();
        // `from_number` and `is_integer` of ints are of later versions than 3.11; the others no public config uses.
        let listed = LEFT_OUT_ATTRIBUTES.iter().filter(|(class, _)| !matches!(*class, "slice" | "generator"));
        let expected: Vec<String> = listed.map(|(class, names)| format!("{class}: {}", names.join(" "))).collect();
        let mut lacking = Vec::new();
        for class in ["str", "int", "float", "bool", "list", "dict", "tuple", "set", "frozenset", "bytes"] {
            let names = model().classes[class].names.iter().filter(|name| !name.starts_with('_'));
            let lacks: Vec<&str> =
                names.filter(|name| inventory.has(class, name) == Some(false)).map(|name| -> &str { name }).collect();
            if !lacks.is_empty() {
                lacking.push(format!("{class}: {}", lacks.join(" ")));
            }
        }
        assert_eq!(lacking, expected);
    }

    /// Of CPython's builtins, the list of what the runtime lacks; those with two underscores need no list.
    #[test]
    fn what_the_builtins_lack() {
        let mut inventory = inventory();
        let names = model().builtins().iter().filter(|name| !name.starts_with("__"));
        let is_keyword = |name: &&str| matches!(*name, "False" | "None" | "True");
        let lacking: Vec<&str> =
            names.filter(|name| !is_keyword(name)).filter(|name| !inventory.has_name(name)).collect();
        assert_eq!(lacking, LEFT_OUT_BUILTINS);
    }
}
