//! `import`: the modules that the environment lists.

use super::Vm;
use crate::exception::{IMPORT_ERROR, MODULE_NOT_FOUND_ERROR, PyResult, Raised, import_error, module_not_found_error};
use crate::lacking;
use crate::module::ModuleDef;
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, MODULE};
use crate::value::Value;

/// A package that is there only because modules inside it are: `galaxy`, where `galaxy.jobs.mapper` is a module.
struct Package {
    name: Str,
}

impl Object for Package {
    fn class(&self) -> &'static BuiltinType {
        &MODULE
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::Str(self.name.clone())),
            _ => vm.submodule(&self.name, name),
        })
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<module '{}' (namespace)>", self.name.as_str()))
    }

    fn compare(&self, _: &mut Vm, op: super::CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let same = other.downcast::<Self>().is_some_and(|other| other.name == self.name);
        match op {
            super::CompareOp::Eq => Some(Ok(Value::Bool(same))),
            super::CompareOp::Ne => Some(Ok(Value::Bool(!same))),
            _ => None,
        }
    }
}

/// The dotted name of a package object.
pub(super) fn package_name(value: &Value) -> Option<String> {
    value.downcast::<Package>().map(|package| package.name.to_string())
}

impl Vm {
    fn modules(&self) -> impl Iterator<Item = &'static ModuleDef> + use<> {
        self.environment.modules().iter().copied()
    }

    /// The module of this dotted name, kept: rank code imports the same few for each job.
    fn find_module(&mut self, name: &str) -> Option<&'static ModuleDef> {
        if let Some(module) = self.imported.get(name) {
            return Some(module);
        }
        let module = self.modules().find(|module| module.name == name)?;
        self.imported.insert(module.name, module);
        Some(module)
    }

    /// The module of this dotted name, or the package that other modules are in.
    pub(super) fn module(&mut self, name: &str) -> Option<Value> {
        if let Some(module) = self.find_module(name) {
            return Some(Value::Module(module));
        }
        self.has_submodules(name).then(|| Value::object(Package { name: Str::from(name) }))
    }

    fn has_submodules(&self, name: &str) -> bool {
        self.modules().any(|module| module.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }

    /// The module `name` inside the package `package`.
    pub(super) fn submodule(&mut self, package: &str, name: &str) -> Option<Value> {
        self.module(&format!("{package}.{name}"))
    }

    /// `import name`, giving the module itself where `leaf`, else its top package.
    ///
    /// # Errors
    /// `ModuleNotFoundError`
    pub fn import(&mut self, name: &str, leaf: bool) -> PyResult<Value> {
        self.charge(1)?;
        let mut end = name.find('.').unwrap_or(name.len());
        // The packages that a module is in are there because it is.
        if let Some(module) = self.find_module(name).filter(|_| leaf || end == name.len()) {
            return Ok(Value::Module(module));
        }
        let mut parent = "";
        loop {
            let prefix = name.get(..end).unwrap_or(name);
            if self.module(prefix).is_none() {
                return Err(self.not_found(prefix, parent));
            }
            if end >= name.len() {
                break;
            }
            parent = prefix;
            let rest = name.get(end + 1..).unwrap_or_default();
            end = rest.find('.').map_or(name.len(), |dot| end + 1 + dot);
        }
        let wanted = if leaf { name } else { name.split('.').next().unwrap_or(name) };
        self.module(wanted).ok_or_else(|| self.not_found(wanted, ""))
    }

    /// The result of `import module` or `from module import name` for a module of this name or a value in it; `None` if
    /// finding out takes more work.
    pub fn imported(&mut self, module: &str, name: Option<&str>) -> Option<Value> {
        let module = self.find_module(module)?;
        match name {
            None => Some(Value::Module(module)),
            Some(name) => (module.get)(self, name).ok().flatten(),
        }
    }

    fn not_found(&self, name: &str, parent: &str) -> Raised {
        // `os` is no package, though `os.path` is a module.
        let no_package = !parent.is_empty() && (parent == "os" || !self.has_submodules(parent));
        let message = if no_package {
            format!("No module named '{name}'; '{parent}' is not a package")
        } else {
            format!("No module named '{name}'")
        };
        lacking::note(format!("it imports `{name}`"));
        lacking::note_refusal(&MODULE_NOT_FOUND_ERROR, &message);
        let raised = module_not_found_error(message);
        raised.0.attributes.borrow_mut().insert("name".to_owned(), Value::str(name));
        raised
    }

    /// `from module import name`
    ///
    /// # Errors
    /// `ImportError`
    pub(super) fn import_from(&mut self, module: &Value, name: &Str) -> PyResult<Value> {
        if let Some(value) = self.find_attr(module, name)? {
            return Ok(value);
        }
        let module_name = match module {
            Value::Module(module) => module.name.to_owned(),
            other => package_name(other).unwrap_or_else(|| "<unknown module name>".to_owned()),
        };
        lacking::note(format!("it imports `{module_name}.{}`", name.as_str()));
        let message = format!("cannot import name '{}' from '{module_name}' (unknown location)", name.as_str());
        lacking::note_refusal(&IMPORT_ERROR, &message);
        let raised = import_error(message);
        raised.0.attributes.borrow_mut().insert("name".to_owned(), Value::str(module_name));
        Err(raised)
    }
}
