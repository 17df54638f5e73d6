//! What the checker knows of types: two tables as text, read once.
//!
//! `types.txt` gives attributes and signatures by hand, as far as tpvc's job and world files go; `names.txt` gives all
//! names that CPython's, Galaxy's and TPV's own have, so that an attribute can be told to be a slip, or to be one that
//! only a Galaxy process has.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::code::types::Type;

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub name: &'static str,
    pub optional: bool,
    /// May be given by position.
    pub positional: bool,
    /// May be given by name.
    pub keyword: bool,
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

/// What stands under a name of a class or a module.
#[derive(Clone, Debug)]
pub(super) enum Member {
    /// A value of a type.
    Value(Type),
    /// A function or method.
    Function(Signature),
}

/// A class or module of the table.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// What tpvc has, as far as the table says.
    pub known: HashMap<&'static str, Member>,
    /// All names that the real class or module has.
    pub names: HashSet<&'static str>,
}

/// Both tables.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub classes: HashMap<&'static str, Members>,
    pub modules: HashMap<&'static str, Members>,
    /// The names that the mapper gives to code.
    pub mapper: HashMap<&'static str, Member>,
    /// Python's builtins.
    pub builtins: HashSet<&'static str>,
    /// The globals of TPV's loader.
    pub loader: HashSet<&'static str>,
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
        let Some((head, list)) = line.split_once(": ") else { continue };
        let names: HashSet<&'static str> = list.split(' ').collect();
        match head.split_once(' ') {
            Some(("class", name)) => model.classes.entry(name).or_default().names = names,
            Some(("module", name)) => model.modules.entry(name).or_default().names = names,
            Some(("names", "builtins")) => model.builtins = names,
            Some(("names", _)) => model.loader = names,
            _ => {}
        }
    }
}

fn types(model: &mut Model, text: &'static str) {
    let mut section = ("", "");
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((kind @ ("class" | "module" | "names"), name)) = line.split_once(' ') {
            section = (kind, name);
            continue;
        }
        let Some((name, member)) = member(line) else { continue };
        match section {
            ("class", class) => drop(model.classes.entry(class).or_default().known.insert(name, member)),
            ("module", module) => drop(model.modules.entry(module).or_default().known.insert(name, member)),
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
            _ => signature.parameters.push(Parameter {
                name: part.trim_end_matches('='),
                optional: part.ends_with('='),
                positional: !keyword_only,
                keyword: true,
            }),
        }
    }
    Some((name, Member::Function(signature)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn the_tables_are_read() {
        let model = model();
        assert!(model.classes["Job"].names.contains("create_time"));
        let Member::Function(helper) = &model.modules["tpv.core.helpers"].known["get_input_size"] else { panic!() };
        assert_eq!(helper.parameters.len(), 4);
        assert!(helper.parameters[1].optional && helper.parameters[1].keyword);
        assert!(model.builtins.contains("len") && model.loader.contains("functools"));
    }

    #[test]
    fn the_table_of_types_names_only_what_is_there() {
        for (class, members) in &model().classes {
            for name in members.known.keys().filter(|_| !members.names.is_empty()) {
                assert!(members.names.contains(name), "{class} has no {name}");
            }
        }
    }
}
