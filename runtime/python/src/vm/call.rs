//! Calls.

use std::cell::RefCell;
use std::rc::Rc;

use super::Vm;
use super::frame::Frame;
use super::generator::{Completion, new_generator};
use crate::args::Args;
use crate::exception::{PyResult, Raised, system_error, type_error};
use crate::function::Function;
use crate::program::Name;
use crate::types::BuiltinType;
use crate::value::{BoundMethod, Method, MethodTarget, Value};
use tpv_bytecode::Code;

impl Vm {
    /// `callee(*args, **kw)`
    ///
    /// # Errors
    /// `TypeError` where it cannot be called so, or what it raises.
    pub fn call(&mut self, callee: &Value, args: Args) -> PyResult<Value> {
        match callee {
            Value::Function(function) => self.call_function(function, args),
            Value::Builtin(builtin) => {
                self.charge(1)?;
                (builtin.call)(self, args)
            }
            Value::BoundMethod(method) => self.call_bound(method, args),
            Value::Type(class) => self.instantiate(class, args),
            Value::Object(object) => {
                self.charge(1)?;
                object.call(self, callee, args)
            }
            _ => Err(not_callable(callee)),
        }
    }

    fn call_bound(&mut self, method: &BoundMethod, args: Args) -> PyResult<Value> {
        match &method.target {
            MethodTarget::Native(target) => {
                self.charge_receiver(&method.receiver)?;
                (target.call)(self, &method.receiver, args)
            }
            MethodTarget::Host(name) => self.call_method(&method.receiver, name, args),
        }
    }

    /// `class(*args, **kw)`
    pub(super) fn instantiate(&mut self, class: &'static BuiltinType, args: Args) -> PyResult<Value> {
        self.charge(1)?;
        if let Some(construct) = self.library.members(class).construct {
            return construct(self, args);
        }
        let singles = [Value::None, Value::NotImplemented, Value::Ellipsis];
        match singles.into_iter().find(|value| value.class().is(class)) {
            Some(value) if args.pos.is_empty() && args.kw.is_empty() => Ok(value),
            Some(Value::Ellipsis) => Err(type_error("EllipsisType takes no arguments")),
            Some(_) => Err(type_error(format!("{} takes no arguments", class.name))),
            None => Err(type_error(format!("cannot create '{}{}' instances", class.module_prefix(), class.name))),
        }
    }

    /// Calls a function of the config's code.
    pub(super) fn call_function(&mut self, function: &Rc<Function>, args: Args) -> PyResult<Value> {
        let program = function.program.clone();
        let code = program.code(function.code).ok_or_else(|| system_error("a function without code"))?;
        let mut frame = self.new_frame(&program, function.code);
        if let Err(raised) = self.bind_arguments(function, code, &mut frame.locals, args) {
            self.recycle(frame);
            return Err(raised);
        }
        self.enter_function(function, code, frame)
    }

    /// Calls a function with the top `argc` values of the caller's stack, which it takes.
    pub(super) fn call_function_on_stack(
        &mut self,
        function: &Rc<Function>,
        caller: &mut Frame,
        argc: u32,
    ) -> PyResult<Value> {
        let program = function.program.clone();
        let code = program.code(function.code).ok_or_else(|| system_error("a function without code"))?;
        let parameters = &code.parameters;
        let base = caller.base(argc);
        let simple = parameters.positional_only + parameters.positional == argc
            && parameters.keyword_only == 0
            && !parameters.var_positional
            && !parameters.var_keyword;
        let mut frame = self.new_frame(&program, function.code);
        if simple {
            frame.locals.extend(caller.stack.drain(base..).map(Some));
            frame.locals.resize(code.locals.len(), None);
        } else {
            let args = Args { pos: caller.pop_args(argc), kw: Vec::new() };
            if let Err(raised) = self.bind_arguments(function, code, &mut frame.locals, args) {
                self.recycle(frame);
                return Err(raised);
            }
        }
        self.enter_function(function, code, frame)
    }

    /// Runs a frame whose parameters are set, or makes a generator of it.
    fn enter_function(&mut self, function: &Rc<Function>, code: &Code, mut frame: Box<Frame>) -> PyResult<Value> {
        frame.globals = Some(function.globals.clone());
        frame.function = Some(function.clone());
        make_cells(&mut frame, code, function);
        // Its instructions once; going back in them is paid for by the jump.
        if let Err(raised) = self.charge(code.instrs.len()) {
            self.recycle(frame);
            return Err(raised);
        }
        if code.generator {
            return Ok(new_generator(frame, function.name.clone()));
        }
        self.run_frame(frame)
    }

    /// `object.name(*args, **kw)` without making a bound method.
    ///
    /// # Errors
    /// `AttributeError`, `TypeError` or what the method raises.
    pub fn call_method(&mut self, object: &Value, name: &str, args: Args) -> PyResult<Value> {
        let method = match plain_builtin(object) {
            true => self.library.method(object.class(), name),
            false => None,
        };
        self.call_method_with(object, name, method, args)
    }

    /// [`Vm::call_method`] by a name of a program.
    pub(super) fn call_named(&mut self, object: &Value, name: &Name, args: Args) -> PyResult<Value> {
        let method = match plain_builtin(object) {
            true => self.cached_method(object.class(), name),
            false => None,
        };
        self.call_method_with(object, &name.text, method, args)
    }

    fn call_method_with(
        &mut self,
        object: &Value,
        name: &str,
        method: Option<&'static Method>,
        mut args: Args,
    ) -> PyResult<Value> {
        self.charge_receiver(object)?;
        if let Some(method) = method {
            return (method.call)(self, object, args);
        }
        if let Value::Object(handle) = object
            && let Some(result) = handle.call_method(self, object, name, &mut args)
        {
            return result;
        }
        let callee = self.get_attr(object, name)?;
        self.call(&callee, args)
    }

    /// Runs a frame to its end, one call deeper, and takes it back.
    pub(super) fn run_frame(&mut self, mut frame: Box<Frame>) -> PyResult<Value> {
        let result = self.execute_deeper(&mut frame);
        self.recycle(frame);
        // A frame that is no generator ends by returning only.
        Ok(result?.into_value())
    }

    /// Runs a frame until it returns, yields or raises, one call deeper.
    pub(super) fn execute_deeper(&mut self, frame: &mut Frame) -> PyResult<Completion> {
        let base = self.handling.len();
        frame.handling_base = base;
        let result = self.deeper(|vm| vm.execute(frame));
        self.handling.truncate(base);
        result
    }
}

/// Returns `true` if a value has only the attributes of its builtin class, so that the table of methods decides.
fn plain_builtin(value: &Value) -> bool {
    !matches!(
        value,
        Value::Object(_)
            | Value::Exception(_)
            | Value::Type(_)
            | Value::Module(_)
            | Value::Function(_)
            | Value::BoundMethod(_)
            | Value::Builtin(_)
    )
}

fn not_callable(value: &Value) -> Raised {
    type_error(format!("'{}' object is not callable", value.type_name().as_str()))
}

/// The cells of a function: new ones, with the parameters that inner functions share, then those it closes over.
fn make_cells(frame: &mut Frame, code: &Code, function: &Function) {
    let parameters = &code.parameters;
    let count = parameters.positional_only
        + parameters.positional
        + parameters.keyword_only
        + u32::from(parameters.var_positional)
        + u32::from(parameters.var_keyword);
    let strings = &function.program.data.strings;
    let text = |index: &u32| strings.get(*index as usize);
    for cell in &code.cells {
        let is_it = |local: &u32| local == cell || text(local) == text(cell);
        let parameter = code.locals.iter().take(count as usize).position(is_it);
        let value = parameter.and_then(|index| frame.locals.get(index).cloned().flatten());
        frame.cells.push(Rc::new(RefCell::new(value)));
    }
    frame.cells.extend(function.closure.iter().cloned());
}
