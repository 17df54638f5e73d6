//! `Specifier` and `SpecifierSet` as code holds them.

use std::cell::{Cell, RefCell};

use super::object::{INVALID_VERSION, VersionObject, strict};
use super::pep440::{Pep440, is_space};
use super::specifier::{Operator, Specifier};
use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::builtins::construct;
use crate::python::exception::{PyResult, VALUE_ERROR, raise, type_error, value_error};
use crate::python::hash;
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, GENERATOR, OBJECT, TUPLE_ITERATOR};
use crate::python::value::{Method, Value};
use crate::python::vm::members::plain;
use crate::python::vm::{CompareOp, Vm};

/// `packaging.specifiers.InvalidSpecifier`
pub static INVALID_SPECIFIER: BuiltinType = BuiltinType {
    construct: Some(|vm, args| construct::exception(vm, &INVALID_SPECIFIER, args)),
    ..BuiltinType::new("InvalidSpecifier", "packaging.specifiers", &VALUE_ERROR)
};

static BASE_SPECIFIER: BuiltinType = BuiltinType {
    methods: &[Method { name: "contains", call: contains }, Method { name: "filter", call: filter }],
    ..BuiltinType::new("BaseSpecifier", "packaging.specifiers", &OBJECT)
};

/// `packaging.specifiers.Specifier`
pub static SPECIFIER: BuiltinType =
    BuiltinType { construct: Some(one), ..BuiltinType::new("Specifier", "packaging.specifiers", &BASE_SPECIFIER) };

/// `packaging.specifiers.SpecifierSet`
pub static SPECIFIER_SET: BuiltinType =
    BuiltinType { construct: Some(set), ..BuiltinType::new("SpecifierSet", "packaging.specifiers", &BASE_SPECIFIER) };

/// Specifiers that must all hold.
struct Specifiers {
    /// A `Specifier` rather than a set of them.
    single: bool,
    all: RefCell<Vec<Specifier>>,
    /// What code said of pre-releases.
    prereleases: Cell<Option<bool>>,
}

fn parse(vm: &mut Vm, text: &Str) -> PyResult<Specifier> {
    vm.charge(text.len() / 8 + 1)?;
    match Specifier::parse(text) {
        Some(specifier) => Ok(specifier),
        None => {
            let shown = vm.repr(&Value::Str(text.clone()))?;
            Err(raise(&INVALID_SPECIFIER, format!("Invalid specifier: {shown}")))
        }
    }
}

fn optional_bool(vm: &mut Vm, value: Option<Value>) -> PyResult<Option<bool>> {
    match value {
        None | Some(Value::None) => Ok(None),
        Some(value) => vm.truthy(&value).map(Some),
    }
}

/// `Specifier(spec="", prereleases=None)`
fn one(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, prereleases] = signature::bind_method(args, "Specifier.__init__", ["spec", "prereleases"], 0)?;
    let text = text.unwrap_or_else(|| Value::str(""));
    let Value::Str(text) = &text else {
        let found = text.type_name();
        return Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())));
    };
    let all = vec![parse(vm, text)?];
    let prereleases = optional_bool(vm, prereleases)?;
    Ok(Value::object(Specifiers { single: true, all: RefCell::new(all), prereleases: Cell::new(prereleases) }))
}

fn read_set(vm: &mut Vm, text: &Str) -> PyResult<Vec<Specifier>> {
    let parts = text.split(',').map(|part| part.trim_matches(is_space)).filter(|part| !part.is_empty());
    parts.map(|part| parse(vm, &Str::from(part))).collect()
}

/// `SpecifierSet(specifiers="", prereleases=None)`
fn set(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [given, prereleases] = signature::bind_method(args, "SpecifierSet.__init__", ["specifiers", "prereleases"], 0)?;
    let all = match given.map(|given| plain(&given)) {
        None => Vec::new(),
        Some(Value::Str(text)) => read_set(vm, &text)?,
        Some(other) => {
            let mut all = Vec::new();
            for item in vm.collect(&other)? {
                // DIFFERENCE: packaging keeps whatever it is given and fails later.
                let Some(specifier) = item.downcast::<Specifiers>() else {
                    return Err(type_error("SpecifierSet() takes a str or Specifier objects"));
                };
                all.extend(specifier.all.borrow().iter().cloned());
            }
            all
        }
    };
    let prereleases = optional_bool(vm, prereleases)?;
    Ok(Value::object(Specifiers { single: false, all: RefCell::new(all), prereleases: Cell::new(prereleases) }))
}

/// A version to check: its text as given, and whether it was a `Version`.
fn candidate(vm: &mut Vm, specifiers: &Specifiers, item: &Value) -> PyResult<(Str, bool)> {
    Ok(match &plain(item) {
        Value::Str(text) => (text.clone(), true),
        other if other.downcast::<VersionObject>().is_some() => (vm.str(other)?, true),
        // Who compares texts asks no more.
        other if specifiers.single && specifiers.compares_texts() => (vm.str(other)?, false),
        other => match strict(vm, other) {
            // What no version can be made of fits nothing but its text.
            Err(raised) if !raised.is(&INVALID_VERSION) => return Err(raised),
            _ => (vm.str(other)?, false),
        },
    })
}

impl Specifiers {
    /// Whether all specifiers are `===`.
    fn compares_texts(&self) -> bool {
        self.all.borrow().iter().all(|specifier| specifier.operator == Operator::Identical)
    }

    /// Puts the specifiers of a set in their order, each once, as showing and comparing them does.
    fn canonicalize(&self) {
        if self.single {
            return;
        }
        let mut all = self.all.borrow_mut();
        all.sort_by_key(text);
        let mut seen = std::collections::HashSet::new();
        all.retain(|specifier| seen.insert(specifier.canonical()));
    }

    fn shown(&self) -> String {
        self.canonicalize();
        self.all.borrow().iter().map(text).collect::<Vec<_>>().join(",")
    }

    fn canonical(&self) -> Vec<(&'static str, String)> {
        self.canonicalize();
        self.all.borrow().iter().map(Specifier::canonical).collect()
    }

    /// `prereleases`
    fn wants_prereleases(&self) -> Option<bool> {
        let all = self.all.borrow();
        let of_one = if self.single { all.first().and_then(Specifier::prereleases) } else { None };
        let any = || all.iter().any(|specifier| specifier.prereleases() == Some(true)).then_some(true);
        self.prereleases.get().or(of_one).or_else(any)
    }

    /// Whether all specifiers allow a version, whatever it is.
    fn allow(&self, text: &str, is_version: bool) -> bool {
        let version = if is_version { Pep440::parse(text) } else { None };
        self.all.borrow().iter().all(|specifier| match (specifier.operator, &version) {
            (Operator::Identical, _) => text.to_lowercase() == specifier.version.to_lowercase(),
            (_, Some(version)) => specifier.allows(version),
            (_, None) => false,
        })
    }

    fn contains(&self, text: &str, is_version: bool, prereleases: Option<bool>) -> bool {
        let excluded = prereleases.or(self.prereleases.get()) == Some(false);
        let is_prerelease = is_version && Pep440::parse(text).is_some_and(|version| version.is_prerelease());
        !(excluded && is_prerelease) && self.allow(text, is_version)
    }
}

fn text(specifier: &Specifier) -> String {
    format!("{}{}", specifier.operator.text(), specifier.version)
}

fn receiver(this: &Value) -> PyResult<&Specifiers> {
    this.downcast::<Specifiers>().ok_or_else(|| crate::python::methods::wrong_receiver("BaseSpecifier", this))
}

/// `contains(item, prereleases=None, installed=None)`
fn contains(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let specifiers = receiver(this)?;
    let (item, prereleases, installed) = if specifiers.single {
        let [item, prereleases] = signature::bind_method(args, "Specifier.contains", ["item", "prereleases"], 1)?;
        (item, prereleases, None)
    } else {
        let names = ["item", "prereleases", "installed"];
        let [item, prereleases, installed] = signature::bind_method(args, "SpecifierSet.contains", names, 1)?;
        (item, prereleases, installed)
    };
    let (text, is_version) = candidate(vm, specifiers, &item.unwrap_or_default())?;
    vm.charge(specifiers.all.borrow().len())?;
    let mut prereleases = optional_bool(vm, prereleases)?;
    let is_prerelease = is_version && Pep440::parse(&text).is_some_and(|version| version.is_prerelease());
    if is_prerelease && optional_bool(vm, installed)? == Some(true) {
        prereleases = Some(true);
    }
    Ok(Value::Bool(specifiers.contains(&text, is_version, prereleases)))
}

/// `filter(iterable, prereleases=None, key=None)`: pre-releases only where they are asked for, or where nothing else is left.
fn filter(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let specifiers = receiver(this)?;
    let function = if specifiers.single { "Specifier.filter" } else { "SpecifierSet.filter" };
    let [iterable, prereleases, key] = signature::bind_method(args, function, ["iterable", "prereleases", "key"], 1)?;
    let key = key.filter(|key| !key.is_none());
    let explicit = optional_bool(vm, prereleases)?;
    let own = specifiers.wants_prereleases();
    // A specifier that names no pre-release does not refuse them.
    let own = if specifiers.single && specifiers.prereleases.get().is_none() { own.filter(|own| *own) } else { own };
    let prereleases = explicit.or(own);
    let any_text = specifiers.compares_texts();
    // With each whether it is a pre-release; texts that are no versions are neither that nor a final release.
    let mut kept: Vec<(Value, Option<bool>)> = Vec::new();
    for item in vm.collect(&iterable.unwrap_or_default())? {
        vm.charge(specifiers.all.borrow().len() + 1)?;
        let keyed = match &key {
            Some(key) => vm.call(key, Args::one(item.clone()))?,
            None => item.clone(),
        };
        let (text, is_version) = candidate(vm, specifiers, &keyed)?;
        let version = if is_version { Pep440::parse(&text) } else { None };
        if !specifiers.allow(&text, is_version) || (version.is_none() && !any_text) {
            continue;
        }
        kept.push((item, version.map(|version| version.is_prerelease())));
    }
    let drop = match prereleases {
        Some(true) => false,
        Some(false) => true,
        None => kept.iter().any(|(_, is_prerelease)| *is_prerelease == Some(false)),
    };
    kept.retain(|(_, is_prerelease)| !drop || *is_prerelease != Some(true));
    let items: Vec<Value> = kept.into_iter().map(|(item, _)| item).collect();
    Ok(IteratorObject::new(&GENERATOR, Items(items.into_iter())))
}

impl Object for Specifiers {
    fn class(&self) -> &'static BuiltinType {
        if self.single { &SPECIFIER } else { &SPECIFIER_SET }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let all = self.all.borrow();
        Ok(match (name, all.first()) {
            ("prereleases", _) => Some(self.wants_prereleases().map_or(Value::None, Value::Bool)),
            ("operator", Some(specifier)) if self.single => Some(Value::str(specifier.operator.text())),
            ("version", Some(specifier)) if self.single => Some(Value::str(specifier.version.as_str())),
            _ => None,
        })
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        if name.as_str() != "prereleases" {
            let class = self.class().name;
            let message = format!("'{class}' object has no attribute '{}'", name.as_str());
            return Err(crate::python::exception::attribute_error(message));
        }
        self.prereleases.set(optional_bool(vm, Some(value))?);
        Ok(())
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(self.shown())
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let shown = vm.repr(&Value::str(self.shown()))?;
        let prereleases = match self.prereleases.get() {
            Some(true) => ", prereleases=True",
            Some(false) => ", prereleases=False",
            None => "",
        };
        Ok(format!("<{}({shown}{prereleases})>", self.class().name))
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(candidate(vm, self, item).map(|(text, is_version)| self.contains(&text, is_version, None)))
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        if self.single {
            return None;
        }
        let one = |specifier: &Specifier| {
            let all = RefCell::new(vec![specifier.clone()]);
            Value::object(Self { single: true, all, prereleases: Cell::new(None) })
        };
        let items: Vec<Value> = self.all.borrow().iter().map(one).collect();
        Some(Ok(IteratorObject::new(&TUPLE_ITERATOR, Items(items.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        (!self.single).then(|| Ok(self.all.borrow().len()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return None;
        }
        let other = match other {
            Value::Str(text) if self.single => vec![Specifier::parse(text)?.canonical()],
            Value::Str(_) | Value::Instance(_) if plain(other).as_str().is_some() => {
                match vm.str(other).and_then(|text| read_set(vm, &text)) {
                    Ok(all) => {
                        let set = Self { single: false, all: RefCell::new(all), prereleases: Cell::new(None) };
                        set.canonical()
                    }
                    Err(raised) => return Some(Err(raised)),
                }
            }
            other => {
                let other = other.downcast::<Self>()?;
                if self.single && !other.single {
                    return None;
                }
                other.canonical()
            }
        };
        Some(Ok(Value::Bool((self.canonical() == other) == (op == CompareOp::Eq))))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        if self.single || method != "and" {
            return None;
        }
        let (more, theirs) = match &plain(other) {
            Value::Str(text) => match read_set(vm, text) {
                Ok(more) => (more, None),
                Err(raised) => return Some(Err(raised)),
            },
            other => {
                let other = other.downcast::<Self>().filter(|other| !other.single)?;
                (other.all.borrow().clone(), other.prereleases.get())
            }
        };
        let prereleases = match (self.prereleases.get(), theirs) {
            (Some(a), Some(b)) if a != b => {
                let message = "Cannot combine SpecifierSets with True and False prerelease overrides.";
                return Some(Err(value_error(message)));
            }
            (own, theirs) => own.or(theirs),
        };
        let mut all = self.all.borrow().clone();
        all.extend(more);
        Some(Ok(Value::object(Self { single: false, all: RefCell::new(all), prereleases: Cell::new(prereleases) })))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        let hashes: Vec<i64> = self
            .canonical()
            .iter()
            .map(|(operator, version)| hash::hash_tuple(&[hash::hash_str(operator), hash::hash_str(version)]))
            .collect();
        Some(Ok(match hashes.as_slice() {
            [hash] if self.single => *hash,
            all => hash::hash_tuple(all),
        }))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other
            .downcast::<Self>()
            .is_some_and(|other| self.single == other.single && self.canonical() == other.canonical())
    }
}
