//! The builtins that only their caller's frame can answer: `globals()`, `locals()`, `eval()` and their like.
//!
//! A block's namespace is spread over slots (the context's and the block's own), so `globals()` is a dict made when it is
//! asked for. DIFFERENCE: changing that dict changes no name.

use super::frame::Frame;
use super::interpreter::Running;
use super::members::{self, plain};
use super::{Binding, CodeKind, Vm};
use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, Raised, SYNTAX_ERROR, raise, type_error};
use crate::python::string::Str;
use crate::python::value::{Builtin, Value};

/// The builtins of this file. Called otherwise than from a frame (`map(eval, ...)`), they refuse.
pub static CALLER_BUILTINS: [Builtin; 6] = [
    Builtin { name: "globals", call: |_, _| Err(only_called("globals")) },
    Builtin { name: "locals", call: |_, _| Err(only_called("locals")) },
    Builtin { name: "vars", call: crate::python::builtins::attributes::vars },
    Builtin { name: "dir", call: crate::python::builtins::attributes::dir },
    Builtin { name: "eval", call: |_, _| Err(only_called("eval")) },
    Builtin { name: "exec", call: |_, _| Err(only_called("exec")) },
];

fn only_called(name: &str) -> crate::python::exception::Raised {
    crate::python::exception::not_implemented_error(format!("{name}() can only be called directly"))
}

/// Whether a builtin is one of these.
#[inline]
pub(super) fn is_caller_builtin(builtin: &'static Builtin) -> bool {
    CALLER_BUILTINS.as_ptr_range().contains(&std::ptr::from_ref(builtin))
}

impl Vm {
    /// Calls one of these builtins from a frame.
    #[inline(never)]
    pub(super) fn call_caller_builtin(
        &mut self,
        builtin: &'static Builtin,
        frame: &mut Frame,
        running: &Running,
        args: Args,
    ) -> PyResult<Value> {
        match builtin.name {
            "globals" => {
                let [] = args.exactly("globals")?;
                self.globals_dict(frame, running)
            }
            "locals" => {
                let [] = args.exactly("locals")?;
                self.locals_dict(frame, running)
            }
            "vars" if args.pos.is_empty() && args.kw.is_empty() => self.locals_dict(frame, running),
            "dir" if args.pos.is_empty() && args.kw.is_empty() => {
                let locals = self.locals_dict(frame, running)?;
                let keys = self.collect(&locals)?;
                let mut names: Vec<Str> = keys.iter().filter_map(|key| key.as_str().cloned()).collect();
                names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
                Ok(Value::list(names.into_iter().map(Value::Str).collect()))
            }
            "eval" => self.eval(frame, running, args, CodeKind::Block),
            "exec" => self.eval(frame, running, args, CodeKind::Exec),
            _ => members::call(self, args, builtin.call),
        }
    }

    /// The namespace of the block as a dict: the loader's globals, the context, what hides it, the block's own names.
    fn globals_dict(&mut self, frame: &Frame, running: &Running) -> PyResult<Value> {
        let dict = Dict::new();
        let environment = self.environment.clone();
        for name in environment.global_names() {
            if let Some(value) = environment.global(self, name)? {
                dict.set_str(Str::from(*name), value);
            }
        }
        let context: Vec<(Str, Value)> = self
            .slot_names()
            .iter()
            .zip(&self.context)
            .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
            .collect();
        for (name, value) in context {
            dict.set_str(name, value);
        }
        for name in environment.overriding_names() {
            if let Some(value) = environment.overriding(self, name)? {
                dict.set_str(Str::from(*name), value);
            }
        }
        let size = match running.root.computed.is_empty() {
            false => environment.computed_name(self, "input_size")?,
            true => Value::Int(0),
        };
        dict.set_str(Str::from("input_size"), size);
        for (name, binding) in own_bindings(frame, running) {
            match binding {
                Binding::Value(value) => dict.set_str(name, value),
                Binding::Deleted => {
                    dict.table.borrow_mut().shift_remove(&crate::python::dict::StrKey(name.as_str()));
                }
                Binding::Outer => {}
            }
        }
        self.charge(dict.len().saturating_mul(3))?;
        Ok(Value::dict(dict))
    }

    /// The local variables: of a function its own and those it closes over, of a block its namespace.
    fn locals_dict(&mut self, frame: &Frame, running: &Running) -> PyResult<Value> {
        if frame.function.is_none() {
            return self.globals_dict(frame, running);
        }
        let dict = Dict::new();
        for (name, value) in running.code.locals.iter().zip(&frame.locals) {
            if let Some(value) = value {
                dict.set_str(running.program.string(*name), value.clone());
            }
        }
        for (name, cell) in running.code.cells.iter().chain(&running.code.free).zip(&frame.cells) {
            if let Some(value) = &*cell.borrow() {
                dict.set_str(running.program.string(*name), value.clone());
            }
        }
        self.charge(dict.len().saturating_mul(3))?;
        Ok(Value::dict(dict))
    }

    /// `eval(source)` and `exec(source)`, in the block's namespace or in dicts of names.
    ///
    /// DIFFERENCE: names that dicts do not have are still found in the context, and `eval` takes statements before its
    /// expression, as blocks do.
    fn eval(&mut self, frame: &mut Frame, running: &Running, args: Args, kind: CodeKind) -> PyResult<Value> {
        let function = if kind == CodeKind::Exec { "exec" } else { "eval" };
        let [source, globals, locals] = args.between(function, 1)?;
        let Some(Value::Str(source)) = source.as_ref().map(plain) else {
            return Err(type_error(format!("{function}() arg 1 must be a string, bytes or code object")));
        };
        let text = if kind == CodeKind::Block { source.trim_start_matches([' ', '\t']) } else { source.as_str() };
        if kind == CodeKind::Block && text.trim().is_empty() {
            return Err(raise(&SYNTAX_ERROR, "invalid syntax (<string>, line 0)"));
        }
        let program = self.compile(text, kind).map_err(named_string)?;
        let names: Vec<Str> = match program.code(0) {
            Some(root) => {
                root.names.iter().filter_map(|name| Some(program.names.get(*name as usize)?.text.clone())).collect()
            }
            None => Vec::new(),
        };
        let given = [globals, locals].into_iter().flatten().filter(|dict| !dict.is_none());
        let mut bindings: Vec<(Str, Binding)> = Vec::new();
        let mut dicts = Vec::new();
        for dict in given {
            let Value::Dict(dict) = dict else {
                return Err(type_error(format!(
                    "{function}() arg 2 must be a dict, not {}",
                    dict.type_name().as_str()
                )));
            };
            bindings.extend(
                dict.items()
                    .into_iter()
                    .filter_map(|(key, value)| Some((key.as_str()?.clone(), Binding::Value(value)))),
            );
            dicts.push(dict);
        }
        if dicts.is_empty() {
            bindings = own_bindings(frame, running);
            if frame.function.is_some()
                && let Value::Dict(locals) = self.locals_dict(frame, running)?
            {
                let locals = locals.items().into_iter();
                bindings.extend(locals.filter_map(|(key, value)| Some((key.as_str()?.clone(), Binding::Value(value)))));
            }
        }
        let mut inner = self.new_frame(&program, 0);
        let namespace = self.namespace(&mut inner, names.len()).clone();
        for (name, binding) in bindings {
            if let Some(index) = names.iter().position(|known| *known == name)
                && let Some(slot) = namespace.slots.borrow_mut().get_mut(index)
            {
                *slot = binding;
            }
        }
        let result = self.run_frame(inner)?;
        if kind == CodeKind::Exec {
            let set: Vec<Binding> = namespace.slots.borrow().clone();
            for (name, binding) in names.into_iter().zip(set) {
                let Binding::Value(value) = binding else { continue };
                match dicts.last() {
                    Some(dict) => dict.set_str(name, value),
                    None => self.bind_in_block(frame, running, &name, value),
                }
            }
        }
        Ok(result)
    }

    /// Sets a name of the running block from outside its code, where the block knows the name.
    fn bind_in_block(&mut self, frame: &mut Frame, running: &Running, name: &Str, value: Value) {
        let known = running
            .root
            .names
            .iter()
            .position(|index| running.program.names.get(*index as usize).is_some_and(|known| known.text == *name));
        if let Some(index) = known.and_then(|index| u32::try_from(index).ok()) {
            self.store_name(frame, running.root, index, value);
        }
    }
}

/// The error with the name that `eval` and `exec` give their text, where TPV's loader gives another.
fn named_string(raised: Raised) -> Raised {
    let args = raised.0.args.borrow().clone();
    match args.as_slice() {
        [Value::Str(text)] if raised.is(&SYNTAX_ERROR) && text.as_str().contains("(<unknown>, line ") => {
            let class = raised.0.class.builtin_base();
            raise(class, text.as_str().replace("(<unknown>, line ", "(<string>, line "))
        }
        _ => raised,
    }
}

/// What the block itself has set or deleted.
fn own_bindings(frame: &Frame, running: &Running) -> Vec<(Str, Binding)> {
    let Some(namespace) = &frame.globals else { return Vec::new() };
    let slots = namespace.slots.borrow();
    let names = running.root.names.iter().filter_map(|name| running.program.names.get(*name as usize));
    names
        .zip(slots.iter())
        .filter(|(_, binding)| !matches!(binding, Binding::Outer))
        .map(|(name, binding)| (name.text.clone(), binding.clone()))
        .collect()
}
