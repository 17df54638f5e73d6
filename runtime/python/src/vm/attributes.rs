//! Attributes: `object.name`.

use std::rc::Rc;

use super::Vm;
use super::lookup::Member;
use super::unbound_method::UnboundMethod;
use crate::exception::{
    ATTRIBUTE_ERROR, ExceptionObject, IMPORT_ERROR, OS_ERROR, PyResult, Raised, STOP_ITERATION, SYSTEM_EXIT,
    attribute_error, not_implemented_error, type_error,
};
use crate::lacking;
use crate::string::Str;
use crate::types::{BUILTIN_FUNCTION, BuiltinType};
use crate::value::{BoundMethod, MethodTarget, Value};

impl Vm {
    /// `object.name`
    ///
    /// # Errors
    /// `AttributeError` with CPython's text.
    pub fn get_attr(&mut self, object: &Value, name: &str) -> PyResult<Value> {
        match self.attribute(object, name)? {
            Some(value) => Ok(value),
            None if is_special(name) => Err(no_special_attribute(name)),
            None => {
                lacking::note_attribute(object, name);
                Err(no_attribute(object, name))
            }
        }
    }

    /// `getattr(object, name, None)` as an option: only `AttributeError` counts as absent.
    ///
    /// # Errors
    /// Any other exception.
    pub fn find_attr(&mut self, object: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.get_attr(object, name) {
            Ok(value) => Ok(Some(value)),
            Err(raised) if raised.is(&ATTRIBUTE_ERROR) => Ok(None),
            Err(raised) => Err(raised),
        }
    }

    fn attribute(&mut self, object: &Value, name: &str) -> PyResult<Option<Value>> {
        match object {
            Value::Object(handle) => {
                if let Some(value) = handle.get_attr(self, object, name)? {
                    return Ok(Some(value));
                }
                if handle.has_method(name) {
                    let target = MethodTarget::Host(Str::from(name));
                    return Ok(Some(Value::BoundMethod(Rc::new(BoundMethod { receiver: object.clone(), target }))));
                }
            }
            Value::Exception(exception) => {
                let host = exception.host.borrow().clone();
                if let Some(host) = host {
                    return self.attribute(&host, name);
                }
                if let Some(value) = exception_attribute(exception, name) {
                    return Ok(Some(value));
                }
            }
            Value::Module(module) => {
                if let Some(value) = (module.get)(self, name)? {
                    return Ok(Some(value));
                }
                if let Some(value) = self.submodule(module.name, name) {
                    return Ok(Some(value));
                }
                match name {
                    "__name__" => return Ok(Some(Value::str(module.name))),
                    "__class__" => {}
                    _ => return Ok(None),
                }
            }
            Value::Type(class) => return self.class_attribute(class, name),
            Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_) => {
                if let Some(value) = number_attribute(object, name) {
                    return Ok(Some(value));
                }
            }
            Value::Slice(slice) => match name {
                "start" => return Ok(Some(slice.start.clone())),
                "stop" => return Ok(Some(slice.stop.clone())),
                "step" => return Ok(Some(slice.step.clone())),
                _ => {}
            },
            Value::Range(range) => match name {
                "start" => return Ok(Some(Value::Int(range.start))),
                "stop" => return Ok(Some(Value::Int(range.stop))),
                "step" => return Ok(Some(Value::Int(range.step))),
                _ => {}
            },
            Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) if name == "__name__" => {
                return Ok(function_name(object).map(Value::Str));
            }
            _ => {}
        }
        Ok(match self.library.member(object.class(), name) {
            Some(Member::Method(_, method)) => {
                let target = MethodTarget::Native(method);
                Some(Value::BoundMethod(Rc::new(BoundMethod { receiver: object.clone(), target })))
            }
            Some(Member::Static(function)) => Some(Value::Builtin(function)),
            Some(Member::Constant(value)) => Some(value),
            None => (name == "__class__").then(|| Value::Type(object.class())),
        })
    }

    fn class_attribute(&mut self, class: &'static BuiltinType, name: &str) -> PyResult<Option<Value>> {
        match self.library.member(class, name) {
            Some(Member::Constant(value)) => return Ok(Some(value)),
            Some(Member::Method(owner, method)) => {
                return Ok(Some(Value::object(UnboundMethod { class: owner, method })));
            }
            Some(Member::Static(function)) => return Ok(Some(Value::Builtin(function))),
            None => {}
        }
        Ok(match name {
            "__name__" => Some(Value::str(class.name)),
            "__class__" => Some(Value::Type(Value::Type(class).class())),
            _ => {
                let environment = self.environment.clone();
                environment.class_attribute(self, class, name)?
            }
        })
    }

    /// `__name__` of the module that the config's code seems to be in.
    pub(super) fn module_name(&mut self) -> Value {
        let environment = self.environment.clone();
        match environment.global(self, "__name__") {
            Ok(Some(name)) => name,
            _ => Value::str("__main__"),
        }
    }

    /// `object.name = value`
    ///
    /// # Errors
    /// `AttributeError` where it cannot be set.
    pub fn set_attr(&mut self, object: &Value, name: &Str, value: Value) -> PyResult<()> {
        match object {
            Value::Object(handle) => handle.set_attr(self, name, value),
            Value::Exception(exception) => self.set_exception_attribute(exception, name, value),
            Value::Type(class) => Err(immutable_type("set", class, name)),
            // DIFFERENCE: CPython's functions and modules take new attributes; here a config's code cannot change what
            // outlives its block.
            Value::Function(_) | Value::Module(_) => {
                let class = object.type_name();
                lacking::note(format!("tpvc sets no attributes of a {}", class.as_str()));
                Err(self.cannot_set(object, name))
            }
            _ => Err(self.cannot_set(object, name)),
        }
    }

    fn cannot_set(&mut self, object: &Value, name: &Str) -> Raised {
        if matches!(object, Value::Range(_) | Value::Slice(_)) && matches!(name.as_str(), "start" | "stop" | "step") {
            return attribute_error("readonly attribute");
        }
        if object.class().is(&BUILTIN_FUNCTION) && name.as_str() == "__name__" {
            let name = name.as_str();
            return attribute_error(format!(
                "attribute '{name}' of 'builtin_function_or_method' objects is not writable"
            ));
        }
        if matches!(self.attribute(object, name), Ok(Some(_))) {
            return attribute_error(format!(
                "'{}' object attribute '{}' is read-only",
                object.type_name().as_str(),
                name.as_str()
            ));
        }
        no_attribute(object, name)
    }

    fn set_exception_attribute(&mut self, exception: &Rc<ExceptionObject>, name: &Str, value: Value) -> PyResult<()> {
        let host = exception.host.borrow().clone();
        if let Some(host) = host {
            return self.set_attr(&host, name, value);
        }
        if name.as_str() == "args" {
            let items = self.collect(&value)?;
            exception.args.replace(items);
        } else {
            let old = exception.attributes.borrow_mut().insert(name.to_string(), value);
            drop(old);
        }
        Ok(())
    }

    /// `del object.name`
    ///
    /// # Errors
    /// `AttributeError` where it is not there.
    pub fn del_attr(&mut self, object: &Value, name: &Str) -> PyResult<()> {
        match object {
            Value::Object(handle) => handle.del_attr(self, name),
            Value::Exception(_) if name.as_str() == "args" => {
                Err(type_error(format!("{} may not be deleted", name.as_str())))
            }
            Value::Exception(exception) => match exception.attributes.borrow_mut().shift_remove(name.as_str()) {
                Some(_) => Ok(()),
                None => Err(no_attribute(object, name)),
            },
            Value::Type(class) => Err(immutable_type("delete", class, name)),
            _ => Err(self.cannot_set(object, name)),
        }
    }
}

fn immutable_type(verb: &str, class: &BuiltinType, name: &str) -> Raised {
    type_error(format!("cannot {verb} '{name}' attribute of immutable type '{}{}'", class.module_prefix(), class.name))
}

/// `__name__` of a function or method.
fn function_name(function: &Value) -> Option<Str> {
    Some(match function {
        Value::Function(function) => function.name.clone(),
        Value::Builtin(builtin) => Str::from(builtin.name),
        Value::BoundMethod(method) => match &method.target {
            MethodTarget::Native(native) => Str::from(native.name),
            MethodTarget::Host(name) => name.clone(),
        },
        _ => return None,
    })
}

/// Returns `true` if the native language omits a meaning that Python gives the name: `__len__`. Natively, everything
/// that has a `__name__` in CPython has it.
fn is_special(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__") && name != "__name__"
}

/// The exception for a special attribute that the native language omits. CPython has many of them, so reporting it as
/// absent could be wrong.
fn no_special_attribute(name: &str) -> Raised {
    not_implemented_error(format!("tpvc doesn't have the attribute `{name}`"))
}

/// `AttributeError` as CPython words it for what `object` is.
pub(crate) fn no_attribute(object: &Value, name: &str) -> Raised {
    attribute_error(match object {
        Value::Type(class) => format!("type object '{}' has no attribute '{name}'", class.shown_name().as_str()),
        Value::Module(module) => format!("module '{}' has no attribute '{name}'", module.name),
        _ => match super::import::package_name(object) {
            Some(package) => format!("module '{package}' has no attribute '{name}'"),
            None => format!("'{}' object has no attribute '{name}'", object.type_name().as_str()),
        },
    })
}

/// An attribute of a number; `None` if there is none of that name.
fn number_attribute(number: &Value, name: &str) -> Option<Value> {
    if !matches!(number, Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_)) {
        return None;
    }
    let whole = match number {
        Value::Bool(value) => Value::Int(i64::from(*value)),
        other => other.clone(),
    };
    match (number, name) {
        (_, "real") => Some(whole),
        (Value::Float(_), "imag") => Some(Value::Float(0.0)),
        (_, "imag") => Some(Value::Int(0)),
        (Value::Float(_), _) => None,
        (_, "numerator") => Some(whole),
        (_, "denominator") => Some(Value::Int(1)),
        _ => None,
    }
}

fn exception_attribute(exception: &ExceptionObject, name: &str) -> Option<Value> {
    if let Some(value) = exception.attributes.borrow().get(name) {
        return Some(value.clone());
    }
    let argument = |index: usize| exception.args.borrow().get(index).cloned().unwrap_or(Value::None);
    match name {
        "args" => Some(Value::tuple(exception.args.borrow().clone())),
        "value" if exception.is(&STOP_ITERATION) => Some(argument(0)),
        "code" if exception.is(&SYSTEM_EXIT) => {
            let count = exception.args.borrow().len();
            Some(if count > 1 { Value::tuple(exception.args.borrow().clone()) } else { argument(0) })
        }
        "errno" | "strerror" | "filename" if exception.is(&OS_ERROR) => {
            // `OSError` takes its arguments apart only where there are two or more.
            let index = match name {
                "errno" => 0,
                "strerror" => 1,
                _ => 2,
            };
            let count = exception.args.borrow().len();
            Some(if count >= 2 { argument(index) } else { Value::None })
        }
        "msg" if exception.is(&IMPORT_ERROR) => Some(argument(0)),
        "name" | "path" if exception.is(&IMPORT_ERROR) => Some(Value::None),
        _ => None,
    }
}
