//! Modules that reach outside: networks, databases, processes, the server that Galaxy runs on.
//!
//! They can be imported, and whatever is called of them raises `HostUnavailable`: evaluating reaches nothing but the world.
//! An `except` clause with the exception that a server without network would meet catches it, since what is raised derives
//! from that exception, too. [`table`] says what each module has.

mod table;

pub use table::MODULES;

use tpv_python::args::Args;
use tpv_python::exception::{ExceptionObject, PyResult, Raised};
use tpv_python::lacking;
use tpv_python::module::ModuleDef;
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BUILTIN_FUNCTION, BuiltinType};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// A module that reaches outside.
pub struct Outside {
    /// The module. Of its names, all that are neither exceptions nor constants are what reaches outside.
    pub module: ModuleDef,
    /// Its exceptions, by the names it has for them.
    pub exceptions: &'static [(&'static str, &'static BuiltinType)],
    /// Numbers that are handed to its functions.
    pub constants: &'static [(&'static str, i64)],
    /// The exception for calling any of it.
    pub failure: &'static Failure,
}

/// The exception for everything that reaches outside: `HostUnavailable`, as on a server whose network is down or that
/// lacks the program.
pub struct Failure {
    /// Its class.
    pub class: BuiltinType,
    /// The attributes of that server's exception beyond those of others: `None` here.
    pub attributes: &'static [&'static str],
}

impl Outside {
    /// The module of this dotted name.
    pub fn named(name: &str) -> Option<&'static Self> {
        MODULES.iter().copied().find(|outside| outside.module.name == name)
    }

    /// Returns `true` if one of these names of the module reaches outside; without names, if any does.
    pub fn reaches(&self, names: &[String]) -> bool {
        let harmless = |name: &str| {
            self.exceptions.iter().any(|(known, _)| *known == name)
                || self.constants.iter().any(|(known, _)| *known == name)
        };
        let of_module = || self.module.names.iter().any(|name| !harmless(name));
        let mut imported = names.iter().filter(|name| self.module.names.contains(&name.as_str())).peekable();
        if imported.peek().is_none() { of_module() } else { imported.any(|name| !harmless(name)) }
    }

    fn get(&'static self, name: &str) -> Option<Value> {
        if let Some((_, class)) = self.exceptions.iter().find(|(known, _)| *known == name) {
            return Some(Value::Type(class));
        }
        if let Some((_, number)) = self.constants.iter().find(|(known, _)| *known == name) {
            return Some(Value::Int(*number));
        }
        let known = self.module.names.contains(&name);
        known.then(|| Value::object(Name { outside: self, path: format!("{}.{name}", self.module.name).into() }))
    }

    /// The exception for calling something in the module.
    fn unavailable(&self, path: &str) -> Raised {
        lacking::note(format!("`{path}` reaches outside"));
        let message = format!("`{path}` reaches outside of the world");
        let exception = ExceptionObject::new(&self.failure.class, vec![Value::str(message)]);
        let attributes = self.failure.attributes.iter().map(|name| ((*name).to_owned(), Value::None));
        exception.attributes.borrow_mut().extend(attributes);
        Raised(exception)
    }
}

/// A function or class of such a module, or something of it in turn: `redis.Redis.from_url`.
struct Name {
    outside: &'static Outside,
    path: Str,
}

impl Object for Name {
    fn class(&self) -> &'static BuiltinType {
        &BUILTIN_FUNCTION
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" => self.path.rsplit('.').next().map(Value::str),
            _ if name.starts_with("__") => None,
            _ => Some(Value::object(Self { outside: self.outside, path: format!("{}.{name}", &*self.path).into() })),
        })
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
        Err(self.outside.unavailable(&self.path))
    }

    fn call_method(&self, _: &mut Vm, _: &Value, name: &str, _: &mut Args) -> Option<PyResult<Value>> {
        (!name.starts_with("__")).then(|| Err(self.outside.unavailable(&format!("{}.{name}", &*self.path))))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<{}>", &*self.path))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn what_fails_is_an_exception_that_code_can_name() {
        for outside in MODULES {
            let names = outside.module.names;
            for (name, class) in outside.exceptions {
                assert!(class.is_exception(), "{}.{name}", outside.module.name);
            }
            for (index, name) in names.iter().enumerate() {
                assert!(!names[..index].contains(name), "{}.{name} is there twice", outside.module.name);
            }
            let top = outside.module.name.split('.').next().unwrap_or_default();
            let family = MODULES.iter().filter(|other| other.module.name.split('.').next() == Some(top));
            let nameable: Vec<_> = family.flat_map(|other| other.exceptions).map(|(_, class)| *class).collect();
            let caught = nameable.iter().any(|class| outside.failure.class.is_subclass(class));
            assert!(caught || nameable.is_empty(), "{}", outside.module.name);
        }
    }
}
