//! Frames: one a running code. They are recycled, so that a block that only computes allocates nothing.

use std::rc::Rc;

use smallvec::SmallVec;

use super::{Namespace, Vm};
use crate::function::Function;
use crate::program::Program;
use crate::value::{Value, VarCell};

/// One code that runs, or a generator that waits.
pub(super) struct Frame {
    pub(super) program: Rc<Program>,
    /// The index of the code in the program.
    pub(super) code: u32,
    /// The index of the next instruction.
    pub(super) pc: usize,
    pub(super) stack: Vec<Value>,
    pub(super) locals: Vec<Option<Value>>,
    /// The cell variables, then the free variables.
    pub(super) cells: Vec<VarCell>,
    pub(super) blocks: Vec<Block>,
    /// The namespace; a block makes it when it first needs it.
    pub(super) globals: Option<Rc<Namespace>>,
    /// The function that was called; none for a block.
    pub(super) function: Option<Rc<Function>>,
    /// The height of [`Vm::handling`] when the frame was entered.
    pub(super) handling_base: usize,
}

/// An open `try`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) handler: usize,
    pub(super) stack_height: usize,
    /// The number of exceptions that the frame itself was handling.
    pub(super) handling_height: usize,
}

impl Frame {
    /// Drops the top of the stack. A verified program's stack is never empty where this is asked.
    #[inline]
    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::None)
    }

    /// Adds a value on top of the stack.
    #[inline]
    pub(super) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    /// The value `depth` below the top; 1 is the top.
    #[inline]
    pub(super) fn peek(&self, depth: usize) -> Option<&Value> {
        self.stack.len().checked_sub(depth).and_then(|index| self.stack.get(index))
    }

    /// Takes the top `count` values for arguments.
    #[inline]
    pub(super) fn pop_args(&mut self, count: u32) -> SmallVec<[Value; 3]> {
        match count {
            0 => SmallVec::new(),
            1 => SmallVec::from_iter(self.stack.pop()),
            _ => {
                let base = self.base(count);
                self.stack.drain(base..).collect()
            }
        }
    }

    /// Takes the top `count` values for a container.
    #[inline]
    pub(super) fn pop_items(&mut self, count: u32) -> Vec<Value> {
        // A comprehension begins with an empty one.
        if count == 0 { Vec::new() } else { self.stack.split_off(self.base(count)) }
    }

    /// The index of the lowest of the top `count` values.
    #[inline]
    pub(super) fn base(&self, count: u32) -> usize {
        self.stack.len().saturating_sub(count as usize)
    }
}

/// Frames and namespaces kept for reuse; more are dropped.
const KEPT: usize = 32;

/// A frame whose stack grew past this is dropped, so that one deep call does not keep its memory.
const KEPT_STACK: usize = 4096;

/// Frames and namespaces that wait for reuse.
#[derive(Default)]
pub(super) struct FramePool {
    // Boxed: a frame moves between the pool, the running call and a generator.
    #[allow(clippy::vec_box)]
    frames: Vec<Box<Frame>>,
    namespaces: Vec<Rc<Namespace>>,
}

impl Vm {
    /// A frame for a code, with empty stack, locals and cells.
    pub(super) fn new_frame(&mut self, program: &Rc<Program>, code: u32) -> Box<Frame> {
        if let Some(mut frame) = self.pool.frames.pop() {
            if !Rc::ptr_eq(&frame.program, program) {
                frame.program = program.clone();
            }
            frame.code = code;
            frame.pc = 0;
            return frame;
        }
        Box::new(Frame {
            program: program.clone(),
            code,
            pc: 0,
            stack: Vec::new(),
            locals: Vec::new(),
            cells: Vec::new(),
            blocks: Vec::new(),
            globals: None,
            function: None,
            handling_base: 0,
        })
    }

    /// Takes back a frame that has ended.
    pub(super) fn recycle(&mut self, mut frame: Box<Frame>) {
        // A block's namespace that someone else has, too, is its functions'. A function's frame only borrows it.
        if frame.function.is_none()
            && let Some(namespace) = &frame.globals
            && Rc::strong_count(namespace) > 1
        {
            self.cycles.add_namespace(namespace);
        }
        if self.pool.frames.len() >= KEPT || frame.stack.capacity() > KEPT_STACK {
            return;
        }
        frame.stack.clear();
        frame.locals.clear();
        frame.cells.clear();
        frame.blocks.clear();
        frame.function = None;
        if let Some(mut namespace) = frame.globals.take()
            && self.pool.namespaces.len() < KEPT
            && let Some(unique) = Rc::get_mut(&mut namespace)
        {
            unique.slots.get_mut().clear();
            self.pool.namespaces.push(namespace);
        }
        self.pool.frames.push(frame);
    }

    /// The namespace of the frame's block, made where there is none yet.
    pub(super) fn namespace<'a>(&mut self, frame: &'a mut Frame) -> &'a Rc<Namespace> {
        frame.globals.get_or_insert_with(|| self.pool.namespaces.pop().unwrap_or_default())
    }
}
