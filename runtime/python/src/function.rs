//! Functions of the config's code.

use std::rc::Rc;

use super::release::release;
use super::string::Str;
use super::value::{Value, VarCell};
use super::vm::Namespace;
use crate::program::Program;

/// A function or lambda.
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
}

impl Drop for Function {
    fn drop(&mut self) {
        if !self.closure.is_empty() || !self.defaults.is_empty() {
            release((std::mem::take(&mut self.closure), std::mem::take(&mut self.defaults)));
        }
    }
}
