//! The loop over instructions.
//!
//! The stack's height is known to be right if the program is one of the compiler's, or was verified
//! ([`tpv_bytecode::verify`]); a program that is neither ends in wrong values or a `SystemError`, never in a panic.

use std::rc::Rc;

use smallvec::SmallVec;

use super::frame::{Block, Frame};
pub(super) use super::generator::Completion;
use super::{CompareOp, Vm};
use crate::args::Args;
use crate::exception::{
    EXCEPTIONS, PyResult, Raised, SYSTEM_ERROR, name_error, raise, system_error, unbound_local_error,
};
use crate::function::Function;
use crate::lacking;
use crate::native_code::Computed;
use crate::program::{Name, Program};
use crate::string::Str;
use crate::value::Value;
use tpv_bytecode::{BinaryOp, Capture, Code, Instr, UnaryOp};

/// The code that a frame runs, looked up once.
pub(super) struct Running<'a> {
    pub(super) program: &'a Rc<Program>,
    pub(super) code: &'a Code,
    /// The root code of the block, which has the table of names.
    pub(super) root: &'a Code,
    pub(super) consts: &'a [Value],
}

impl<'a> Running<'a> {
    fn new(program: &'a Rc<Program>, index: u32) -> PyResult<Self> {
        let missing = || system_error("there is no such code");
        let code = program.code(index).ok_or_else(missing)?;
        let root = program.code(code.root).ok_or_else(missing)?;
        let consts = program.consts(index).ok_or_else(missing)?;
        Ok(Self { program, code, root, consts })
    }

    fn constant(&self, index: u32) -> Value {
        self.consts.get(index as usize).cloned().unwrap_or(Value::None)
    }

    fn text(&self, index: u32) -> Str {
        match self.consts.get(index as usize) {
            Some(Value::Str(text)) => text.clone(),
            _ => Str::from(""),
        }
    }

    pub(super) fn name(&self, index: u32) -> PyResult<&'a Name> {
        let name = self.root.names.get(index as usize).and_then(|name| self.program.names.get(*name as usize));
        name.ok_or_else(|| system_error("the code names nothing"))
    }
}

/// Texts of fewer bytes are copied when something is added to them: that is as fast.
const LONG_TEXT: usize = 256;

impl Vm {
    /// Runs a root code of a program in the present context, in a namespace of its own: TPV's `eval_code_block`.
    ///
    /// The names that the host computes come first, if the block's text has them.
    ///
    /// # Errors
    /// Exceptions raised by the code.
    pub fn run(&mut self, program: &Rc<Program>, code: u32) -> PyResult<Value> {
        let mut text = String::new();
        Ok(match self.run_into(program, code, &mut text)? {
            Computed::Value(value) => value,
            Computed::Text => Value::str(text),
        })
    }

    /// The same; text that machine code makes is appended to `text`, so that no value need be made of it. If there is another value
    /// or an error, nothing is appended.
    ///
    /// # Errors
    /// Exceptions raised by the code.
    pub fn run_into(&mut self, program: &Rc<Program>, code: u32, text: &mut String) -> PyResult<Computed> {
        let root = program.code(code).ok_or_else(|| system_error("there is no such code"))?;
        self.charge(root.instrs.len())?;
        let computed = self.computed_names(program, root)?;
        if let (Some(native), Some(_)) = (&program.native, &root.kernel)
            && let Some(computed) = native.run(self, program, code, &computed, text)
        {
            return Ok(computed);
        }
        let mut frame = self.new_frame(program, code);
        for (name, value) in root.computed.iter().zip(computed) {
            self.set_computed_name(&mut frame, program, root, *name, value);
        }
        frame.locals.resize(root.locals.len(), None);
        frame.cells.extend(root.cells.iter().map(|_| Rc::default()));
        let result = self.run_frame(frame);
        self.charge_comparisons()?;
        result.map(Computed::Value)
    }

    /// The values of a block's computed names. They are few.
    #[inline]
    fn computed_names(&mut self, program: &Program, root: &Code) -> PyResult<SmallVec<[Value; 1]>> {
        let mut values = SmallVec::new();
        for name in &root.computed {
            let environment = self.environment.clone();
            values.push(environment.computed_name(self, &program.string(*name))?);
        }
        Ok(values)
    }

    #[inline(never)]
    fn set_computed_name(&mut self, frame: &mut Frame, program: &Program, root: &Code, name: u32, value: Value) {
        let text = program.string(name);
        let is_it = |name: &u32| program.names.get(*name as usize).is_some_and(|n| n.text == text);
        // The text may have it in a comment or a string only.
        if let Some(index) = root.names.iter().position(is_it).and_then(|index| u32::try_from(index).ok()) {
            self.store_name(frame, index, value);
        }
    }

    /// Runs a frame until it returns, yields or raises.
    pub(super) fn execute(&mut self, frame: &mut Frame) -> PyResult<Completion> {
        let program = frame.program.clone();
        let running = Running::new(&program, frame.code)?;
        self.note_change();
        loop {
            match self.instructions(frame, &running) {
                Ok(completion) => return Ok(completion),
                Err(raised) => {
                    let raised = self.missing_method_first(frame, &running, raised);
                    self.unwind(frame, running.code, raised)?;
                }
            }
        }
    }

    #[inline]
    fn jump(&mut self, frame: &mut Frame, target: u32) -> PyResult<()> {
        let target = target as usize;
        // Only going back can make code run without end, so that only this is paid for.
        if target < frame.pc {
            self.charge(frame.pc - target)?;
        }
        frame.pc = target;
        Ok(())
    }

    #[inline]
    fn truth(&mut self, value: &Value) -> PyResult<bool> {
        match value {
            Value::Bool(value) => Ok(*value),
            Value::None => Ok(false),
            other => self.truthy(other),
        }
    }

    /// Runs instructions.
    fn instructions(&mut self, frame: &mut Frame, running: &Running) -> PyResult<Completion> {
        loop {
            let Some(instr) = running.code.instrs.get(frame.pc) else {
                return Err(system_error("the code has no end"));
            };
            frame.pc += 1;
            match *instr {
                Instr::Const { index } => frame.push(running.constant(index)),
                Instr::Pop => drop(frame.pop()),
                Instr::LoadFast { slot } => match frame.locals.get(slot as usize) {
                    Some(Some(value)) => {
                        let value = value.clone();
                        frame.push(value);
                    }
                    _ => return Err(unbound_local(running, slot)),
                },
                Instr::StoreFast { slot } => {
                    let value = frame.pop();
                    if let Some(local) = frame.locals.get_mut(slot as usize) {
                        *local = Some(value);
                    }
                }
                Instr::LoadName { name } => {
                    let value = self.load_name(frame, running.program, running.root, name)?;
                    frame.push(value);
                }
                Instr::StoreName { name } => {
                    let value = frame.pop();
                    self.store_name(frame, name, value);
                }
                Instr::Binary { op } => {
                    let b = frame.pop();
                    let a = frame.pop();
                    let value = match fast_binary(op, &a, &b) {
                        Some(value) => value,
                        None => self.binary(op, &a, &b)?,
                    };
                    frame.push(value);
                }
                Instr::Compare { op } => {
                    let b = frame.pop();
                    let a = frame.pop();
                    let value = match (&a, &b) {
                        (Value::Int(a), Value::Int(b)) => Value::Bool(ordered(op, a, b)),
                        (Value::Float(a), Value::Float(b)) => Value::Bool(ordered(op, a, b)),
                        _ => self.compare(op, &a, &b)?,
                    };
                    frame.push(value);
                }
                Instr::Unary { op: UnaryOp::Not } => {
                    let value = frame.pop();
                    let truth = self.truth(&value)?;
                    frame.push(Value::Bool(!truth));
                }
                Instr::Contains { invert } => {
                    let container = frame.pop();
                    let item = frame.pop();
                    let found = self.contains(&container, &item)?;
                    frame.push(Value::Bool(found != invert));
                }
                Instr::Is { invert } => {
                    let b = frame.pop();
                    let a = frame.pop();
                    if let (Value::Str(x), Value::Str(y)) = (&a, &b) {
                        // Equal texts count as the same.
                        self.charge_same(x.len(), y.len())?;
                    }
                    frame.push(Value::Bool(a.is(&b) != invert));
                }
                Instr::Jump { target } => self.jump(frame, target)?,
                Instr::PopJumpIfFalse { target } => {
                    let value = frame.pop();
                    if !self.truth(&value)? {
                        self.jump(frame, target)?;
                    }
                }
                Instr::PopJumpIfTrue { target } => {
                    let value = frame.pop();
                    if self.truth(&value)? {
                        self.jump(frame, target)?;
                    }
                }
                Instr::JumpIfFalseOrPop { target } => self.jump_or_pop(frame, target, false)?,
                Instr::JumpIfTrueOrPop { target } => self.jump_or_pop(frame, target, true)?,
                Instr::LoadAttr { name } => {
                    let name = running.name(name)?;
                    let object = frame.pop();
                    let value = self.get_attr(&object, &name.text)?;
                    frame.push(value);
                }
                Instr::LoadSubscr => {
                    let key = frame.pop();
                    let object = frame.pop();
                    let value = self.get_item(&object, &key)?;
                    frame.push(value);
                }
                Instr::Call { argc } => self.call_instruction(frame, argc)?,
                Instr::CallMethod { name, argc } => self.call_method_instruction(frame, running, name, argc)?,
                Instr::ForIter { target } => self.for_iter(frame, target)?,
                Instr::GetIter => self.get_iter(frame)?,
                Instr::InPlace { op } => self.in_place_instruction(frame, running, op)?,
                Instr::CallKw { argc, names } => self.call_keywords(frame, running, argc, names)?,
                Instr::CallMethodKw { name, argc, names } => {
                    self.call_method_keywords(frame, running, name, argc, names)?;
                }
                Instr::CallEx { keywords } => self.call_ex(frame, keywords)?,
                Instr::FormatValue { conversion, spec } => self.format_value(frame, conversion, spec)?,
                Instr::FormatLogged { conversion, depth } => self.format_logged(frame, conversion, depth)?,
                Instr::MakeFunction { code } => self.make_function(frame, running, code)?,
                Instr::Comprehend { code } => self.comprehend(frame, running, code)?,
                Instr::ListExtend { depth } => self.list_extend(frame, depth)?,
                Instr::SetUpdate { depth } => self.set_update(frame, depth)?,
                Instr::DictUpdate { depth } => self.dict_update(frame, depth)?,
                Instr::DictMerge { depth } => self.dict_merge(frame, depth)?,
                Instr::Return => return Ok(Completion::Returned(frame.pop())),
                Instr::Yield => return Ok(Completion::Yielded(frame.pop())),
                Instr::Unary { op } => self.unary_instruction(frame, op)?,
                Instr::StoreAttr { name } => self.store_attr(frame, running, name)?,
                Instr::DeleteAttr { name } => self.delete_attr(frame, running, name)?,
                Instr::StoreSubscr => self.store_subscr(frame)?,
                Instr::DeleteSubscr => self.delete_subscr(frame)?,
                Instr::Unpack { count } => self.unpack_instruction(frame, count)?,
                Instr::UnpackEx { before, after } => self.unpack_ex(frame, before, after)?,
                Instr::WithEnter => self.with_enter(frame)?,
                Instr::WithExitException => self.with_exit_exception(frame)?,
                Instr::WithExit => self.with_exit(frame)?,
                Instr::Raise { argc } => return Err(self.raise_instruction(frame, argc)),
                other => self.instruction(frame, running, other)?,
            }
        }
    }

    fn jump_or_pop(&mut self, frame: &mut Frame, target: u32, when: bool) -> PyResult<()> {
        let value = frame.pop();
        if self.truth(&value)? == when {
            frame.push(value);
            self.jump(frame, target)?;
        }
        Ok(())
    }

    fn for_iter(&mut self, frame: &mut Frame, target: u32) -> PyResult<()> {
        let item = match frame.stack.last() {
            Some(Value::Iterator(iterator)) => {
                let iterator = iterator.clone();
                self.next_of(&iterator)?
            }
            Some(other) => {
                let other = other.clone();
                self.next(&other)?
            }
            None => None,
        };
        match item {
            Some(item) => frame.push(item),
            None => {
                frame.pop();
                self.jump(frame, target)?;
            }
        }
        Ok(())
    }

    fn call_instruction(&mut self, frame: &mut Frame, argc: u32) -> PyResult<()> {
        let base = frame.base(argc);
        let callee = base.checked_sub(1).and_then(|index| frame.stack.get(index)).cloned().unwrap_or(Value::None);
        let result = match &callee {
            Value::Function(function) => self.call_function_on_stack(function, frame, argc)?,
            _ => {
                let args = Args { pos: frame.pop_args(argc), kw: Vec::new() };
                self.call(&callee, args)?
            }
        };
        frame.pop();
        frame.push(result);
        Ok(())
    }

    fn call_method_instruction(&mut self, frame: &mut Frame, running: &Running, name: u32, argc: u32) -> PyResult<()> {
        let name = running.name(name)?;
        let args = Args { pos: frame.pop_args(argc), kw: Vec::new() };
        let object = frame.pop();
        let result = self.call_named(&object, name, args)?;
        frame.push(result);
        Ok(())
    }

    fn unary_instruction(&mut self, frame: &mut Frame, op: UnaryOp) -> PyResult<()> {
        let value = frame.pop();
        let value = self.unary(op, &value)?;
        frame.push(value);
        Ok(())
    }

    fn store_attr(&mut self, frame: &mut Frame, running: &Running, name: u32) -> PyResult<()> {
        let name = running.name(name)?;
        let object = frame.pop();
        let value = frame.pop();
        self.set_attr(&object, &name.text, value)?;
        Ok(())
    }

    fn delete_attr(&mut self, frame: &mut Frame, running: &Running, name: u32) -> PyResult<()> {
        let name = running.name(name)?;
        let object = frame.pop();
        self.del_attr(&object, &name.text)?;
        Ok(())
    }

    fn store_subscr(&mut self, frame: &mut Frame) -> PyResult<()> {
        let key = frame.pop();
        let object = frame.pop();
        let value = frame.pop();
        self.set_item(&object, &key, value)?;
        Ok(())
    }

    fn delete_subscr(&mut self, frame: &mut Frame) -> PyResult<()> {
        let key = frame.pop();
        let object = frame.pop();
        self.del_item(&object, &key)?;
        Ok(())
    }

    fn unpack_instruction(&mut self, frame: &mut Frame, count: u32) -> PyResult<()> {
        let value = frame.pop();
        let items = self.unpack(&value, count as usize)?;
        frame.stack.extend(items.into_iter().rev());
        Ok(())
    }

    fn unpack_ex(&mut self, frame: &mut Frame, before: u32, after: u32) -> PyResult<()> {
        let (before, after) = (before as usize, after as usize);
        let value = frame.pop();
        let mut items = self.unpack_at_least(&value, before.saturating_add(after))?;
        let last = items.split_off(items.len() - after);
        let rest = items.split_off(before);
        frame.stack.extend(last.into_iter().rev());
        frame.push(Value::list(rest));
        frame.stack.extend(items.into_iter().rev());
        Ok(())
    }

    fn with_enter(&mut self, frame: &mut Frame) -> PyResult<()> {
        let manager = frame.peek(1).cloned().unwrap_or(Value::None);
        let value = self.enter(&manager)?;
        frame.push(value);
        Ok(())
    }

    fn with_exit_exception(&mut self, frame: &mut Frame) -> PyResult<()> {
        let exception = frame.pop();
        let manager = frame.pop();
        frame.push(exception.clone());
        let Value::Exception(exception) = exception else { return Err(system_error("nothing was raised")) };
        let swallow = self.exit(&manager, Some(&Raised(exception)))?;
        frame.push(Value::Bool(swallow));
        Ok(())
    }

    fn with_exit(&mut self, frame: &mut Frame) -> PyResult<()> {
        let manager = frame.pop();
        self.exit(&manager, None)?;
        Ok(())
    }

    fn get_iter(&mut self, frame: &mut Frame) -> PyResult<()> {
        let value = frame.pop();
        let iterator = self.iter(&value)?;
        frame.push(iterator);
        Ok(())
    }

    fn in_place_instruction(&mut self, frame: &mut Frame, running: &Running, op: BinaryOp) -> PyResult<()> {
        let b = frame.pop();
        let mut a = frame.pop();
        let value = match (op, &mut a, &b) {
            (BinaryOp::Add, Value::Str(text), Value::Str(more)) if text.len() >= LONG_TEXT => {
                let length = text.len() + more.len();
                if length > self.limits.bytes {
                    self.charge_bytes(length)?;
                }
                // As CPython does it: the variable that gets the result lets its old value go first.
                match running.code.instrs.get(frame.pc).filter(|_| text.holders() == 2) {
                    Some(Instr::StoreFast { slot }) => {
                        if let Some(local) = frame.locals.get_mut(*slot as usize)
                            && matches!(local, Some(Value::Str(old)) if old.same(text))
                        {
                            *local = None;
                        }
                    }
                    Some(Instr::StoreName { name }) => {
                        if let Some(namespace) = &frame.globals
                            && let Some(slot) = namespace.slots.borrow_mut().get_mut(*name as usize)
                            && matches!(slot, super::Binding::Value(Value::Str(old)) if old.same(text))
                        {
                            *slot = super::Binding::Outer;
                        }
                    }
                    _ => {}
                }
                match text.append(more.as_str()) {
                    true => a,
                    false => self.in_place(op, &a, &b)?,
                }
            }
            _ => match fast_binary(op, &a, &b) {
                Some(value) => value,
                None => self.in_place(op, &a, &b)?,
            },
        };
        frame.push(value);
        Ok(())
    }

    fn call_keywords(&mut self, frame: &mut Frame, running: &Running, argc: u32, names: u32) -> PyResult<()> {
        let args = self.keyword_args(frame, running, argc, names);
        let callee = frame.pop();
        let result = self.call(&callee, args)?;
        frame.push(result);
        Ok(())
    }

    fn call_method_keywords(
        &mut self,
        frame: &mut Frame,
        running: &Running,
        name: u32,
        argc: u32,
        names: u32,
    ) -> PyResult<()> {
        let name = running.name(name)?;
        let args = self.keyword_args(frame, running, argc, names);
        let object = frame.pop();
        let result = self.call_named(&object, name, args)?;
        frame.push(result);
        Ok(())
    }

    /// The arguments on the stack, of which the last are named by the constant `names`.
    fn keyword_args(&mut self, frame: &mut Frame, running: &Running, argc: u32, names: u32) -> Args {
        let mut pos = frame.pop_args(argc);
        let Some(Value::Tuple(names)) = running.consts.get(names as usize) else { return Args { pos, kw: Vec::new() } };
        let first = pos.len().saturating_sub(names.items.len());
        let values = pos.drain(first..);
        let names = names.items.iter().filter_map(Value::as_str).cloned();
        let kw = names.zip(values).collect();
        Args { pos, kw }
    }

    /// The instructions that are not in the innermost loop. Those that often call back into Python code are not here
    /// either: this function's own frame is large if nothing is optimized, and recursion must not exhaust the stack.
    #[inline(never)]
    fn instruction(&mut self, frame: &mut Frame, running: &Running, instr: Instr) -> PyResult<()> {
        match instr {
            Instr::Dup => {
                let top = frame.peek(1).cloned().unwrap_or(Value::None);
                frame.push(top);
            }
            Instr::DupTwo => {
                let (a, b) = (frame.peek(2).cloned(), frame.peek(1).cloned());
                frame.push(a.unwrap_or(Value::None));
                frame.push(b.unwrap_or(Value::None));
            }
            Instr::Swap => {
                let b = frame.pop();
                let a = frame.pop();
                frame.stack.extend([b, a]);
            }
            Instr::RotThree => {
                let c = frame.pop();
                let b = frame.pop();
                let a = frame.pop();
                frame.stack.extend([c, a, b]);
            }
            Instr::DeleteFast { slot } => {
                let old = frame.locals.get_mut(slot as usize).and_then(Option::take);
                if old.is_none() {
                    return Err(unbound_local(running, slot));
                }
            }
            Instr::LoadDeref { index } => {
                let value = frame.cells.get(index as usize).and_then(|cell| cell.borrow().clone());
                frame.push(value.ok_or_else(|| unbound_cell(running, index))?);
            }
            Instr::StoreDeref { index } => {
                let value = frame.pop();
                if let Some(cell) = frame.cells.get(index as usize) {
                    let old = cell.replace(Some(value));
                    drop(old);
                }
            }
            Instr::DeleteDeref { index } => {
                let old = frame.cells.get(index as usize).and_then(|cell| cell.take());
                if old.is_none() {
                    return Err(unbound_cell(running, index));
                }
            }
            Instr::DeleteName { name } => self.delete_name(frame, running.program, running.root, name)?,
            Instr::HasName { name } => {
                let has = self.has_name(frame, running.program, running.root, name)?;
                frame.push(Value::Bool(has));
            }
            Instr::SetupTry { handler } => {
                let block = Block {
                    handler: handler as usize,
                    stack_height: frame.stack.len(),
                    handling_height: self.handling.len().saturating_sub(frame.handling_base),
                };
                frame.blocks.push(block);
            }
            Instr::PopTry => drop(frame.blocks.pop()),
            Instr::EnterHandler => {
                let exception = frame.peek(1).cloned().unwrap_or(Value::None);
                self.handling.push(exception);
            }
            Instr::LeaveHandler => {
                if self.handling.len() > frame.handling_base {
                    self.handling.pop();
                }
            }
            Instr::MatchException => {
                let class = frame.pop();
                let exception = frame.peek(1).cloned().unwrap_or(Value::None);
                let matches = self.matches_exception(&exception, &class)?;
                frame.push(Value::Bool(matches));
            }
            Instr::Reraise => {
                let exception = frame.pop();
                return Err(Raised(self.raised_by(exception)?));
            }
            Instr::LoadAssertionError => {
                frame.push(Value::Type(&crate::exception::ASSERTION_ERROR));
            }
            Instr::ImportName { name, leaf } => {
                let module = self.import(&running.text(name), leaf)?;
                frame.push(module);
            }
            Instr::ImportFrom { name } => {
                let name = running.name(name)?;
                let module = frame.peek(1).cloned().unwrap_or(Value::None);
                let value = self.import_from(&module, &name.text)?;
                frame.push(value);
            }
            Instr::RaiseError { class, message } => {
                let (class, message) = (running.text(class), running.text(message));
                let class = EXCEPTIONS.iter().find(|known| known.name == class.as_str()).copied();
                let class = class.unwrap_or(&SYSTEM_ERROR);
                lacking::note_refusal(class, &message);
                return Err(raise(class, message.to_string()));
            }
            other => self.build_instruction(frame, other)?,
        }
        Ok(())
    }

    fn make_function(&mut self, frame: &mut Frame, running: &Running, code: u32) -> PyResult<()> {
        let inner = running.program.code(code).ok_or_else(|| system_error("there is no such code"))?;
        let keyword_defaults = match frame.pop() {
            Value::Dict(dict) => dict
                .items()
                .into_iter()
                .filter_map(|(key, value)| key.as_str().cloned().map(|key| (key, value)))
                .collect(),
            _ => Vec::new(),
        };
        let defaults = match frame.pop() {
            Value::Tuple(tuple) => tuple.items.clone(),
            _ => Vec::new(),
        };
        let mut closure = Vec::with_capacity(inner.closure.len());
        for Capture::Cell(index) in &inner.closure {
            let cell = frame.cells.get(*index as usize).cloned();
            let cell = cell.ok_or_else(|| system_error("a closure over a cell that is not there"))?;
            self.cycles.add_cell(&cell);
            closure.push(cell);
        }
        let globals = self.namespace(frame).clone();
        frame.push(Value::Function(Rc::new(Function {
            name: running.program.string(inner.name),
            program: running.program.clone(),
            code,
            globals,
            defaults,
            keyword_defaults,
            closure,
        })));
        Ok(())
    }
}

fn unbound_local(running: &Running, slot: u32) -> Raised {
    let name = running.code.locals.get(slot as usize).map(|name| running.program.string(*name));
    unbound_local_error(format!(
        "cannot access local variable '{}' where it is not associated with a value",
        name.as_deref().unwrap_or_default()
    ))
}

fn unbound_cell(running: &Running, index: u32) -> Raised {
    let own = running.code.cells.len();
    let index = index as usize;
    let string = |name: Option<&u32>| name.map(|name| running.program.string(*name));
    if index < own {
        let name = string(running.code.cells.get(index));
        return unbound_local_error(format!(
            "cannot access local variable '{}' where it is not associated with a value",
            name.as_deref().unwrap_or_default()
        ));
    }
    let name = string(running.code.free.get(index - own));
    name_error(format!(
        "cannot access free variable '{}' where it is not associated with a value in enclosing scope",
        name.as_deref().unwrap_or_default()
    ))
}

/// The arithmetic that needs no error, no conversion and no allocation; `None` leaves it to [`Vm::binary`].
#[inline]
fn fast_binary(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => match op {
            BinaryOp::Add => a.checked_add(*b),
            BinaryOp::Subtract => a.checked_sub(*b),
            BinaryOp::Multiply => a.checked_mul(*b),
            _ => None,
        }
        .map(Value::Int),
        (Value::Float(a), Value::Float(b)) => match op {
            BinaryOp::Add => Some(Value::Float(a + b)),
            BinaryOp::Subtract => Some(Value::Float(a - b)),
            BinaryOp::Multiply => Some(Value::Float(a * b)),
            _ => None,
        },
        _ => None,
    }
}

#[inline]
fn ordered<T: PartialOrd>(op: CompareOp, a: &T, b: &T) -> bool {
    match op {
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}
