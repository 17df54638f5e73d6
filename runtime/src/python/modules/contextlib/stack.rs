//! `ExitStack`: context managers and functions, left in the other order.

use std::cell::RefCell;

use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, TYPE_ERROR, type_error};
use crate::python::methods::wrong_receiver;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

/// `contextlib.ExitStack`
pub(super) static EXIT_STACK: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [] = args.exactly("ExitStack")?;
        Ok(Value::object(ExitStack::default()))
    }),
    methods: &[
        Method { name: "callback", call: callback },
        Method { name: "close", call: close },
        Method { name: "enter_context", call: enter_context },
        Method { name: "pop_all", call: pop_all },
        Method { name: "push", call: push },
    ],
    ..BuiltinType::new("ExitStack", "contextlib", &OBJECT)
};

/// What is done when the stack is left.
enum Exit {
    Manager(Value),
    /// A function that takes the exception as `__exit__` does.
    Function(Value),
    Callback(Value, Vec<Value>, Vec<(crate::python::string::Str, Value)>),
}

#[derive(Default)]
struct ExitStack(RefCell<Vec<Exit>>);

fn receiver(this: &Value) -> PyResult<&ExitStack> {
    this.downcast::<ExitStack>().ok_or_else(|| wrong_receiver("ExitStack", this))
}

fn enter_context(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [manager] = args.exactly("enter_context")?;
    let entered = vm.enter(&manager).map_err(|raised| {
        // Here the class is named with its module.
        let class = manager.type_name();
        let plain = format!("'{}' object does not support the context manager protocol", class.as_str());
        let said = raised.0.args.borrow().first().and_then(|text| text.as_str().cloned());
        if raised.is(&TYPE_ERROR) && said.is_some_and(|said| said.as_str() == plain) {
            let shown = vm.repr(&Value::Type(manager.class())).unwrap_or_default();
            let name = shown.trim_start_matches("<class '").trim_end_matches("'>").to_owned();
            let module = if name.contains('.') { "" } else { "builtins." };
            return type_error(format!("'{module}{name}' object does not support the context manager protocol"));
        }
        raised
    })?;
    receiver(this)?.0.borrow_mut().push(Exit::Manager(manager));
    Ok(entered)
}

fn push(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [exit] = args.exactly("push")?;
    let is_manager = match &exit {
        Value::Object(object) => !object.callable(),
        other => vm.bound_special(other, "__exit__")?.is_some(),
    };
    let entry = if is_manager { Exit::Manager(exit.clone()) } else { Exit::Function(exit.clone()) };
    receiver(this)?.0.borrow_mut().push(entry);
    Ok(exit)
}

fn callback(_: &mut Vm, this: &Value, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        return Err(type_error("ExitStack.callback() missing 1 required positional argument: 'callback'"));
    }
    let function = args.pos.remove(0);
    receiver(this)?.0.borrow_mut().push(Exit::Callback(function.clone(), args.pos.into_vec(), args.kw));
    Ok(function)
}

fn pop_all(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("pop_all")?;
    let exits = receiver(this)?.0.take();
    Ok(Value::object(ExitStack(RefCell::new(exits))))
}

fn close(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("close")?;
    receiver(this)?.exit(vm, None)?;
    Ok(Value::None)
}

impl Object for ExitStack {
    fn class(&self) -> &'static BuiltinType {
        &EXIT_STACK
    }

    fn enter(&self, _: &mut Vm, this: &Value) -> Option<PyResult<Value>> {
        Some(Ok(this.clone()))
    }

    fn exit(&self, vm: &mut Vm, raised: Option<&Raised>) -> PyResult<bool> {
        let mut pending: Option<Raised> = raised.cloned();
        loop {
            let Some(exit) = self.0.borrow_mut().pop() else { break };
            vm.charge(1)?;
            let outcome = match exit {
                Exit::Manager(manager) => vm.exit(&manager, pending.as_ref()),
                Exit::Function(function) => {
                    let args = match &pending {
                        Some(raised) => [Value::Type(raised.0.class.clone()), raised.value(), Value::None],
                        None => [Value::None, Value::None, Value::None],
                    };
                    vm.call(&function, Args::positional(args)).and_then(|answer| vm.truthy(&answer))
                }
                Exit::Callback(function, positional, keywords) => {
                    let mut args = Args::positional(positional);
                    args.kw = keywords;
                    vm.call(&function, args).map(|_| false)
                }
            };
            match outcome {
                Ok(true) => pending = None,
                Ok(false) => {}
                Err(raised) => pending = Some(raised),
            }
        }
        match (raised, pending) {
            (Some(_), None) => Ok(true),
            (None, None) => Ok(false),
            (Some(first), Some(last)) if std::rc::Rc::ptr_eq(&first.0, &last.0) => Ok(false),
            (_, Some(last)) => Err(last),
        }
    }
}
