//! Functions of the config's code.

use std::cell::{OnceCell, RefCell};
use std::rc::{Rc, Weak};

use super::release::release;
use super::string::Str;
use super::types::Class;
use super::value::{Value, VarCell};
use super::vm::Namespace;
use crate::python::program::Program;

/// A function, lambda or generator function.
pub struct Function {
    /// `__name__`
    pub name: Str,
    /// The program that holds the code.
    pub program: Rc<Program>,
    /// The index of the code in the program.
    pub code: u32,
    /// The namespace of the block that defined it: its globals.
    pub globals: Rc<Namespace>,
    /// Defaults of the last positional parameters.
    pub defaults: Vec<Value>,
    /// Defaults of keyword-only parameters.
    pub keyword_defaults: Vec<(Str, Value)>,
    /// The variables it closes over, in the order of the code's free variables.
    pub closure: Vec<VarCell>,
    /// The class that it is a method of, for messages and for `super()`.
    pub owner: OnceCell<Weak<Class>>,
    /// What `functools.wraps` gave it.
    pub guise: RefCell<Option<Rc<Guise>>>,
}

/// The attributes that a function takes over from one that it wraps; `None` where that has none.
pub struct Guise {
    /// `__name__`
    pub name: Option<Value>,
    /// `__qualname__`
    pub qualified: Option<Value>,
    /// `__module__`
    pub module: Option<Value>,
    /// `__wrapped__`
    pub wrapped: Value,
}

impl Function {
    /// The attribute that `functools.wraps` gave it.
    pub fn borrowed(&self, name: &str) -> Option<Value> {
        let guise = self.guise.borrow().clone()?;
        match name {
            "__name__" => guise.name.clone(),
            "__qualname__" => guise.qualified.clone(),
            "__module__" => guise.module.clone(),
            "__wrapped__" => Some(guise.wrapped.clone()),
            _ => None,
        }
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if let Some(guise) = self.guise.take() {
            release(guise.wrapped.clone());
        }
        if !self.closure.is_empty() || !self.defaults.is_empty() {
            release((std::mem::take(&mut self.closure), std::mem::take(&mut self.defaults)));
        }
    }
}
