//! The machine on codes written by hand; the compiler's tests run Python source.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::rc::Rc;
use std::sync::Arc;

use super::{BinaryOp, CodeKind, CompareOp, Environment, NoEnvironment, Vm};
use crate::args::Args;
use crate::exception::{PyResult, Raised};
use crate::program::Program;
use crate::value::Value;
use tpv_bytecode::listing::listing;
use tpv_bytecode::verify::verify;
use tpv_bytecode::{Code, Const, Conversion, Instr, Parameters, ProgramData};

/// Codes under construction: strings, names and constants are added where they are first used.
#[derive(Default)]
struct Builder {
    data: ProgramData,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self::default();
        builder.code(CodeKind::Block, "<module>");
        builder
    }

    fn code(&mut self, kind: CodeKind, name: &str) -> u32 {
        let name = self.string(name);
        self.data.codes.push(Code { max_stack: 16, places: vec![(0, 1, 1)], ..Code::empty(kind, name, 0) });
        u32::try_from(self.data.codes.len() - 1).unwrap()
    }

    fn function(&mut self, name: &str, locals: &[&str], parameters: Parameters, instrs: Vec<Instr>) -> u32 {
        let code = self.code(CodeKind::Function, name);
        let locals = locals.iter().map(|local| self.string(local)).collect();
        let code_data = &mut self.data.codes[code as usize];
        code_data.locals = locals;
        code_data.parameters = parameters;
        code_data.instrs = instrs;
        code
    }

    fn string(&mut self, text: &str) -> u32 {
        let strings = &mut self.data.strings;
        let index = strings.iter().position(|known| known == text).unwrap_or_else(|| {
            strings.push(text.to_owned());
            strings.len() - 1
        });
        u32::try_from(index).unwrap()
    }

    fn name(&mut self, text: &str) -> u32 {
        let names = &mut self.data.names;
        let index = names.iter().position(|known| known == text).unwrap_or_else(|| {
            names.push(text.to_owned());
            names.len() - 1
        });
        let index = u32::try_from(index).unwrap();
        let names = &mut self.data.codes[0].names;
        let position = names.iter().position(|known| *known == index).unwrap_or_else(|| {
            names.push(index);
            names.len() - 1
        });
        u32::try_from(position).unwrap()
    }

    fn load(&mut self, name: &str) -> Instr {
        Instr::LoadName { name: self.name(name) }
    }

    fn store(&mut self, name: &str) -> Instr {
        Instr::StoreName { name: self.name(name) }
    }

    fn constant_of(&mut self, code: u32, value: Const) -> Instr {
        let consts = &mut self.data.codes[code as usize].consts;
        consts.push(value);
        Instr::Const { index: u32::try_from(consts.len() - 1).unwrap() }
    }

    fn int(&mut self, value: i64) -> Instr {
        self.constant_of(0, Const::Int(value))
    }

    fn none(&mut self) -> Instr {
        self.constant_of(0, Const::None)
    }

    /// `name = function` without defaults.
    fn define(&mut self, code: u32, name: &str) -> Vec<Instr> {
        let (none, store) = (self.none(), self.store(name));
        vec![none, none, Instr::MakeFunction { code }, store]
    }

    fn program(mut self, instrs: Vec<Instr>) -> ProgramData {
        self.data.codes[0].instrs = instrs;
        verify(&self.data).unwrap_or_else(|reason| panic!("{reason}\n{}", listing(&self.data, 0)));
        self.data
    }

    fn run(self, instrs: Vec<Instr>) -> PyResult<Value> {
        self.run_in(&mut Vm::new(Rc::new(NoEnvironment)), instrs)
    }

    fn run_in(self, vm: &mut Vm, instrs: Vec<Instr>) -> PyResult<Value> {
        let program = vm.load(Arc::new(self.program(instrs)));
        let result = vm.run(&program, 0);
        assert_eq!(vm.depth, 0);
        assert!(vm.handling.is_empty());
        result
    }
}

#[track_caller]
fn assert_int(result: PyResult<Value>, expected: i64) {
    match result {
        Ok(Value::Int(value)) => assert_eq!(value, expected),
        Ok(other) => panic!("a {}", other.type_name().as_str()),
        Err(raised) => panic!("{raised:?}"),
    }
}

#[track_caller]
fn error(result: PyResult<Value>) -> Raised {
    match result {
        Ok(value) => panic!("a {}", value.type_name().as_str()),
        Err(raised) => raised,
    }
}

#[track_caller]
fn assert_error(result: PyResult<Value>, expected: &str) {
    assert_eq!(format!("{:?}", error(result)), expected);
}

struct Surroundings;

impl Environment for Surroundings {
    fn overriding(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "helpers").then_some(Value::Int(1)))
    }

    fn global(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok(matches!(name, "log" | "max").then_some(Value::Int(2)))
    }

    fn computed_name(&self, _: &mut Vm, _: &str) -> PyResult<Value> {
        Ok(Value::Int(7))
    }
}

/// Looks `name` up in a block whose context holds 10 under `context`, `helpers`, `log` and `size`.
fn lookup(name: &str, is_computed: bool, before: impl FnOnce(&mut Builder) -> Vec<Instr>) -> PyResult<Value> {
    let mut vm = Vm::new(Rc::new(Surroundings));
    for name in ["context", "helpers", "log", "size"] {
        let slot = vm.slot(name);
        vm.set_context(slot, Value::Int(10));
    }
    let mut b = Builder::new();
    if is_computed {
        let text = b.string("size");
        b.data.codes[0].computed.push(text);
    }
    let mut instrs = before(&mut b);
    instrs.extend([b.load(name), Instr::Return]);
    b.run_in(&mut vm, instrs)
}

#[test]
fn names_resolve_in_their_order() {
    let nothing = |_: &mut Builder| Vec::new();
    assert_int(lookup("context", false, nothing), 10);
    assert_int(lookup("helpers", false, nothing), 1);
    assert_int(lookup("log", false, nothing), 10);
    assert_int(lookup("max", false, nothing), 2);
    assert_int(lookup("size", false, nothing), 10);
    assert_int(lookup("size", true, nothing), 7);
    assert_int(lookup("helpers", false, |b| vec![b.int(3), b.store("helpers")]), 3);
    assert_error(lookup("nothing", false, nothing), "NameError: name 'nothing' is not defined");
    let deleted = |b: &mut Builder| vec![Instr::DeleteName { name: b.name("context") }];
    assert_error(lookup("context", false, deleted), "NameError: name 'context' is not defined");
    let absent = |b: &mut Builder| vec![Instr::DeleteName { name: b.name("absent") }];
    assert_error(lookup("context", false, absent), "NameError: name 'absent' is not defined");
}

#[test]
fn a_namespace_ends_with_its_block() {
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let mut b = Builder::new();
    let instrs = vec![b.int(1), b.store("x"), b.load("x"), Instr::Return];
    assert_int(b.run_in(&mut vm, instrs), 1);
    let mut b = Builder::new();
    let instrs = vec![b.load("x"), Instr::Return];
    assert_error(b.run_in(&mut vm, instrs), "NameError: name 'x' is not defined");
}

/// Calls `def f(a, /, b, c=<int>, *, k, **kw)`, or without the parts that are not asked for, and gives what it returns: 5.
fn call(parameters: Parameters, locals: &[&str], defaults: Vec<Value>, args: Args) -> PyResult<Value> {
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let mut b = Builder::new();
    let f = b.function("f", locals, parameters, Vec::new());
    let five = b.constant_of(f, Const::Int(5));
    b.data.codes[f as usize].instrs = vec![five, Instr::Return];
    let mut instrs = b.define(f, "f");
    instrs.extend([b.load("f"), Instr::Return]);
    let Value::Function(function) = b.run_in(&mut vm, instrs)? else { panic!("no function") };
    let function = crate::function::Function {
        name: function.name.clone(),
        program: function.program.clone(),
        code: function.code,
        globals: function.globals.clone(),
        defaults,
        keyword_defaults: Vec::new(),
        closure: Vec::new(),
    };
    vm.call(&Value::Function(Rc::new(function)), args)
}

fn ints(count: i64) -> Args {
    Args::positional((0..count).map(Value::Int))
}

fn with_keyword(mut args: Args, name: &str) -> Args {
    args.kw.push((name.into(), Value::Int(0)));
    args
}

#[test]
fn arguments_are_bound_as_in_cpython() {
    let plain = |positional| Parameters { positional, ..Parameters::default() };
    let locals = &["a", "b", "c", "d"];
    assert_int(call(plain(2), locals, vec![], ints(2)), 5);
    assert_int(call(plain(2), locals, vec![], with_keyword(ints(1), "b")), 5);
    assert_int(call(plain(2), locals, vec![Value::None], ints(1)), 5);
    let cases = [
        (call(plain(0), locals, vec![], ints(1)), "takes 0 positional arguments but 1 was given"),
        (call(plain(1), locals, vec![], ints(2)), "takes 1 positional argument but 2 were given"),
        (call(plain(2), locals, vec![Value::None], ints(3)), "takes from 1 to 2 positional arguments but 3 were given"),
        (call(plain(1), locals, vec![], ints(0)), "missing 1 required positional argument: 'a'"),
        (call(plain(2), locals, vec![], ints(0)), "missing 2 required positional arguments: 'a' and 'b'"),
        (call(plain(3), locals, vec![], ints(0)), "missing 3 required positional arguments: 'a', 'b', and 'c'"),
        (call(plain(1), locals, vec![], with_keyword(ints(1), "y")), "got an unexpected keyword argument 'y'"),
        (call(plain(1), locals, vec![], with_keyword(ints(1), "a")), "got multiple values for argument 'a'"),
    ];
    for (result, expected) in cases {
        assert_error(result, &format!("TypeError: f() {expected}"));
    }
    let keyword_only = Parameters { positional: 1, keyword_only: 1, ..Parameters::default() };
    assert_error(
        call(keyword_only.clone(), locals, vec![], ints(1)),
        "TypeError: f() missing 1 required keyword-only argument: 'b'",
    );
    assert_error(
        call(keyword_only, locals, vec![], with_keyword(ints(2), "b")),
        "TypeError: f() takes 1 positional argument but 2 positional arguments (and 1 keyword-only argument) were given",
    );
    let positional_only = Parameters { positional_only: 1, ..Parameters::default() };
    assert_error(
        call(positional_only, locals, vec![], with_keyword(ints(0), "a")),
        "TypeError: f() got some positional-only arguments passed as keyword arguments: 'a'",
    );
    let any = Parameters { var_positional: true, var_keyword: true, ..Parameters::default() };
    assert_int(call(any, locals, vec![], with_keyword(ints(3), "y")), 5);
}

#[test]
fn what_is_no_function_cannot_be_called() {
    let mut b = Builder::new();
    let instrs = vec![b.int(1), Instr::Call { argc: 0 }, Instr::Return];
    assert_error(b.run(instrs), "TypeError: 'int' object is not callable");
}

#[test]
fn a_loop_without_end_runs_out_of_steps() {
    let b = Builder::new();
    assert_error(b.run(vec![Instr::Jump { target: 0 }]), "TimeoutError: the evaluation took more than 500000 steps");
}

#[test]
fn a_recursion_without_end_is_a_recursion_error() {
    // Through `vm.call` from a builtin, the deepest way: here as a function that calls itself.
    let mut b = Builder::new();
    let f = b.function("f", &[], Parameters::default(), Vec::new());
    let load = b.load("f");
    b.data.codes[f as usize].instrs = vec![load, Instr::Call { argc: 0 }, Instr::Return];
    let mut instrs = b.define(f, "f");
    instrs.extend([load, Instr::Call { argc: 0 }, Instr::Return]);
    let raised = error(b.run(instrs));
    assert_eq!(format!("{raised:?}"), "RecursionError: maximum recursion depth exceeded");
    assert!(raised.0.places.borrow().len() > 10);
}

#[test]
fn a_handler_catches_what_it_names_and_chains_the_context() {
    // try: raise-1 except: raise-2, with the first as the context of the second.
    let mut b = Builder::new();
    let class = b.string("ValueError");
    let other = b.string("KeyError");
    let message = b.string("first");
    let mut constant = |value| match b.constant_of(0, value) {
        Instr::Const { index } => index,
        _ => 0,
    };
    let (class, other, message) =
        (constant(Const::Str(class)), constant(Const::Str(other)), constant(Const::Str(message)));
    let raised = error(b.run(vec![
        Instr::SetupTry { handler: 2 },
        Instr::RaiseError { class, message },
        Instr::EnterHandler,
        Instr::RaiseError { class: other, message },
    ]));
    assert_eq!(raised.class_name(), "KeyError");
    let context = raised.0.context.borrow().clone();
    let Some(Value::Exception(context)) = context else { panic!("no context") };
    assert_eq!(context.class.name, "ValueError");
    assert_eq!(raised.0.places.borrow().len(), 1);
}

#[test]
fn matching_wants_exception_classes() {
    let mut b = Builder::new();
    let instrs = vec![
        Instr::SetupTry { handler: 2 },
        Instr::Raise { argc: 0 },
        Instr::EnterHandler,
        b.int(1),
        Instr::MatchException,
        Instr::Return,
    ];
    assert_error(b.run(instrs), "TypeError: catching classes that do not inherit from BaseException is not allowed");
    let mut b = Builder::new();
    let instrs = vec![b.int(1), Instr::Raise { argc: 1 }];
    assert_error(b.run(instrs), "TypeError: exceptions must derive from BaseException");
    assert_error(Builder::new().run(vec![Instr::Raise { argc: 0 }]), "RuntimeError: No active exception to reraise");
}

#[test]
fn a_generator_yields_and_ends() {
    let mut b = Builder::new();
    let g = b.function("g", &[], Parameters::default(), Vec::new());
    let one = b.constant_of(g, Const::Int(1));
    // A `yield` leaves a value, which is `None`.
    b.data.codes[g as usize].instrs = vec![one, Instr::Yield, Instr::Yield, one, Instr::Return];
    b.data.codes[g as usize].generator = true;
    let mut instrs = b.define(g, "g");
    instrs.extend([b.load("g"), Instr::Call { argc: 0 }, Instr::Return]);
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let generator = b.run_in(&mut vm, instrs).unwrap();
    assert!(matches!(vm.next(&generator), Ok(Some(Value::Int(1)))));
    assert!(matches!(vm.next(&generator), Ok(Some(Value::None))));
    assert!(matches!(vm.next(&generator), Ok(None)));
    assert!(matches!(vm.next(&generator), Ok(None)));
}

#[test]
fn unpacking_counts() {
    let unpack = |items: u32, count: u32| {
        let mut b = Builder::new();
        let mut instrs: Vec<Instr> = (0..items).map(|item| b.int(i64::from(item))).collect();
        instrs.extend([Instr::BuildTuple { count: items }, Instr::Unpack { count }]);
        instrs.extend((1..count).map(|_| Instr::Pop));
        instrs.push(Instr::Return);
        b.run(instrs)
    };
    assert_int(unpack(2, 2), 1);
    assert_error(unpack(1, 2), "ValueError: not enough values to unpack (expected 2, got 1)");
    assert_error(unpack(3, 2), "ValueError: too many values to unpack (expected 2)");
    let mut b = Builder::new();
    let instrs = vec![b.int(1), Instr::Unpack { count: 2 }, Instr::Pop, Instr::Return];
    assert_error(b.run(instrs), "TypeError: cannot unpack non-iterable int object");
}

#[test]
fn a_list_is_iterated_as_it_grows() {
    // total = 0; for x in l: if x < 3: l.append(x + 1)   with l = [0]; the item last seen is 3.
    let mut b = Builder::new();
    let (l, x) = (b.store("l"), b.store("x"));
    let (load_l, load_x) = (b.load("l"), b.load("x"));
    let instrs = vec![
        b.int(0),
        Instr::BuildList { count: 1 },
        l,
        load_l,
        Instr::GetIter,
        Instr::ForIter { target: 18 },
        x,
        load_x,
        b.int(3),
        Instr::Compare { op: CompareOp::Lt },
        Instr::PopJumpIfFalse { target: 5 },
        load_l,
        load_x,
        b.int(1),
        Instr::Binary { op: BinaryOp::Add },
        Instr::ListAppend { depth: 1 },
        Instr::Pop,
        Instr::Jump { target: 5 },
        load_x,
        Instr::Return,
    ];
    assert_int(b.run(instrs), 3);
}

#[test]
fn a_missing_module_is_not_found() {
    let mut b = Builder::new();
    let text = b.string("absent.inner");
    let Instr::Const { index } = b.constant_of(0, Const::Str(text)) else { panic!() };
    let instrs = vec![Instr::ImportName { name: index, leaf: false }, Instr::Return];
    assert_error(b.run(instrs), "ModuleNotFoundError: No module named 'absent'");
}

#[test]
fn the_verifier_refuses_what_the_machine_must_not_meet() {
    let refuse = |instrs: Vec<Instr>, reason: &str| {
        let mut b = Builder::new();
        b.data.codes[0].instrs = instrs;
        b.data.codes[0].consts = vec![Const::Int(1)];
        let found = verify(&b.data).unwrap_err();
        assert!(found.contains(reason), "{found}");
    };
    let one = Instr::Const { index: 0 };
    refuse(vec![], "no instructions");
    refuse(vec![Instr::Pop], "too few values");
    refuse(vec![one], "instruction 1 is not there");
    refuse(vec![Instr::Const { index: 1 }, Instr::Return], "constant 1 of 1");
    refuse(vec![Instr::Jump { target: 9 }], "jumps to instruction 9");
    refuse(vec![one, Instr::Jump { target: 0 }], "reached with stacks of 0 and 1");
    refuse(vec![Instr::LoadName { name: 0 }, Instr::Return], "name 0 of 0");
    refuse(vec![one, one, Instr::MakeFunction { code: 0 }, Instr::Return], "another block's code");
    refuse(vec![one, Instr::Comprehend { code: 0 }, Instr::Return], "another block's code");
    refuse(vec![one, Instr::ListAppend { depth: 1 }, Instr::Return], "nothing is 1 below");
    refuse(
        vec![one, Instr::SetupTry { handler: 0 }, Instr::Pop, one, Instr::Return],
        "lower than where the open block",
    );
    refuse(vec![one, Instr::Yield, Instr::Return], "this isn't a generator");
    refuse(vec![one; 17], "grows over its 16 values");
    refuse(vec![Instr::PopTry, one, Instr::Return], "no open block");
}

#[test]
fn values_stay_small() {
    assert_eq!(size_of::<Value>(), 16);
    assert_eq!(size_of::<PyResult<Value>>(), 16);
    assert_eq!(size_of::<Instr>(), 16);
}

#[test]
fn a_comprehension_takes_its_iterator_only() {
    let mut b = Builder::new();
    let f = b.function("<listcomp>", &[], Parameters::default(), Vec::new());
    let five = b.constant_of(f, Const::Int(5));
    b.data.codes[f as usize].instrs = vec![five, Instr::Return];
    b.data.codes[0].instrs = vec![b.int(1), Instr::Comprehend { code: f }, Instr::Return];
    assert!(verify(&b.data).unwrap_err().contains("whose one parameter is not its iterator"));
    let iterator = b.string(".0");
    b.data.codes[f as usize].locals = vec![iterator];
    b.data.codes[f as usize].parameters.positional_only = 1;
    let instrs = b.data.codes[0].instrs.clone();
    assert_int(b.run(instrs), 5);
}

/// A program keeps what it was made from.
#[test]
fn a_program_shares_its_data() {
    let data = Arc::new(ProgramData::default());
    let program = Program::new(data.clone(), None, |_| 0);
    assert!(Arc::ptr_eq(&program.data, &data));
}

#[test]
fn a_function_that_its_block_holds_is_freed_between_jobs() {
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let mut b = Builder::new();
    let f = b.function("f", &[], Parameters::default(), Vec::new());
    let five = b.constant_of(f, Const::Int(5));
    b.data.codes[f as usize].instrs = vec![five, Instr::Return];
    let mut instrs = b.define(f, "f");
    instrs.extend([b.load("f"), Instr::Return]);
    let Ok(Value::Function(function)) = b.run_in(&mut vm, instrs) else { panic!("no function") };
    let globals = Rc::downgrade(&function.globals);
    assert_int(vm.call(&Value::Function(function), Args::none()), 5);
    assert_eq!(globals.strong_count(), 1, "the function in the namespace keeps it");
    vm.reset();
    assert_eq!(globals.strong_count(), 0);
}

struct NobodyReads(bool);

impl Environment for NobodyReads {
    fn is_unread(&self, _: &crate::types::BuiltinType, method: &str) -> bool {
        self.0 && method == "upper"
    }
}

#[test]
fn what_nobody_reads_is_not_shown() {
    let shown = |unread: bool, method: &str, value: fn(&mut Builder) -> Vec<Instr>| {
        let mut b = Builder::new();
        let text = Const::Str(b.string("text"));
        let callee = vec![b.constant_of(0, text), Instr::LoadAttr { name: b.name(method) }];
        let text = Instr::FormatLogged { conversion: Conversion::Repr, depth: 1 };
        let instrs = [callee, value(&mut b), vec![text, Instr::Swap, Instr::Pop, Instr::Return]].concat();
        match b.run_in(&mut Vm::new(Rc::new(NobodyReads(unread))), instrs) {
            Ok(Value::Str(text)) => text.to_string(),
            _ => panic!("no text"),
        }
    };
    let list: fn(&mut Builder) -> Vec<Instr> = |b| vec![b.int(7), Instr::BuildList { count: 1 }];
    assert_eq!(shown(false, "upper", list), "[7]");
    assert_eq!(shown(true, "lower", list), "[7]");
    assert_eq!(shown(true, "upper", list), "");
    // Showing a set hashes nothing, but it is no plain value.
    assert_eq!(shown(true, "upper", |b| vec![b.int(7), Instr::BuildSet { count: 1 }]), "{7}");
}
