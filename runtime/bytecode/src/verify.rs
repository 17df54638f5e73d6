//! Checks a program that was read from a file, so that the interpreter cannot misbehave on it: every index leads
//! somewhere, every jump stays inside, and the stack has one height at each instruction however it is reached.

use std::collections::HashMap;

use super::code::{Capture, Code, CodeKind, Const, Parameters, ProgramData};
use super::instruction::{Instr, Operand, StackEffect};
use super::kernel;

/// The heights of a stack; more than any compiler writes, less than what could be asked to exhaust the memory.
const MAX_STACK: u32 = 1 << 20;

/// The maximum nesting of constants, which are read and dropped recursively.
const MAX_CONST_DEPTH: usize = 64;

/// The state of the machine at an instruction, as far as it is known before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    height: u64,
    /// The innermost open `try` block, in [`Blocks`].
    blocks: Option<u32>,
    handling: u32,
}

/// An open `try` block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Block {
    /// The height of the stack where it was opened.
    height: u64,
    /// The number of exceptions that were being handled.
    handling: u32,
    /// The block around it.
    outer: Option<u32>,
}

/// All blocks that a code opens. Equal ones are one, so that two stacks of blocks are equal where their innermost are the same,
/// and a stack takes no room of its own however deep it is.
#[derive(Default)]
struct Blocks {
    all: Vec<Block>,
    known: HashMap<Block, u32>,
}

impl Blocks {
    fn open(&mut self, block: Block) -> Result<u32, String> {
        let next = u32::try_from(self.all.len()).map_err(|_| "too many blocks")?;
        Ok(*self.known.entry(block).or_insert_with(|| {
            self.all.push(block);
            next
        }))
    }

    fn get(&self, block: Option<u32>) -> Option<&Block> {
        self.all.get(block? as usize)
    }
}

/// Checks a whole program.
///
/// # Errors
/// A short English reason why the program must not run.
pub fn verify(data: &ProgramData) -> Result<(), String> {
    let closed_over: Vec<Option<u32>> =
        data.codes.iter().map(|code| code.closure.iter().map(|Capture::Cell(cell)| *cell).max()).collect();
    for (index, code) in data.codes.iter().enumerate() {
        check_code(data, &closed_over, index, code).map_err(|reason| format!("code {index}: {reason}"))?;
    }
    check_acyclic(data)
}

/// Checks a code. `closed_over` has the last cell that each code takes from the one around it.
fn check_code(data: &ProgramData, closed_over: &[Option<u32>], index: usize, code: &Code) -> Result<(), String> {
    let strings = data.strings.len();
    let is_string = |string: &u32| (*string as usize) < strings;
    if !is_string(&code.name) {
        return Err("its name is not among the strings".to_owned());
    }
    let mut names = code.locals.iter().chain(&code.cells).chain(&code.free).chain(&code.computed);
    if !names.all(is_string) {
        return Err("a variable's name is not among the strings".to_owned());
    }
    if code.names.iter().any(|name| *name as usize >= data.names.len()) {
        return Err("a name is not among the names".to_owned());
    }
    for constant in &code.consts {
        check_const(constant, strings, MAX_CONST_DEPTH)?;
    }
    if code.cpython.is_some_and(|needs| !is_string(&needs.reason)) {
        return Err("the reason why CPython runs it is not among the strings".to_owned());
    }
    check_tree(data, closed_over, index, code)?;
    check_parameters(code)?;
    if let Some(kernel) = &code.kernel {
        kernel::verify(kernel, code)?;
        let keys = kernel.nodes.iter().filter_map(|node| match node {
            kernel::Node::Shared { key, .. } => Some(*key),
            _ => None,
        });
        if !kernel.imports.iter().map(|import| import.module).chain(keys).all(|string| is_string(&string)) {
            return Err("its kernel names what is not among the strings".to_owned());
        }
    }
    if code.max_stack > MAX_STACK {
        return Err(format!("a stack of {} values", code.max_stack));
    }
    let mut last = None;
    for (first, _, _) in &code.places {
        if last.is_some_and(|last| last >= *first) {
            return Err("the places do not ascend".to_owned());
        }
        last = Some(*first);
    }
    Flow { data, code, keywords: vec![None; code.consts.len()], blocks: Blocks::default() }.check()
}

fn check_const(constant: &Const, strings: usize, depth: usize) -> Result<(), String> {
    match constant {
        Const::Str(index) if *index as usize >= strings => Err("a constant is not among the strings".to_owned()),
        Const::Tuple(items) | Const::FrozenSet(items) => {
            let Some(depth) = depth.checked_sub(1) else { return Err("constants nested too deeply".to_owned()) };
            items.iter().try_for_each(|item| check_const(item, strings, depth))
        }
        _ => Ok(()),
    }
}

/// A root code names itself; an inner code names a root, and is made by codes of that root only.
fn check_tree(data: &ProgramData, closed_over: &[Option<u32>], index: usize, code: &Code) -> Result<(), String> {
    let root_index = code.root as usize;
    let Some(root) = data.codes.get(root_index) else { return Err("its root is not there".to_owned()) };
    if root.root as usize != root_index {
        return Err("its root isn't a root".to_owned());
    }
    let is_root = root_index == index;
    if is_root == (code.kind == CodeKind::Function) {
        return Err("functions are inside a block, and only they are".to_owned());
    }
    if is_root && (!code.free.is_empty() || !code.closure.is_empty() || code.generator) {
        return Err("a block that closes over variables or is a generator".to_owned());
    }
    if code.closure.len() != code.free.len() {
        return Err("the closure does not fit the free variables".to_owned());
    }
    for instr in &code.instrs {
        let Some(inner_index) = instr.inner_code() else { continue };
        let Some(inner) = data.codes.get(inner_index as usize) else {
            return Err("makes a function whose code is not there".to_owned());
        };
        if inner.root != code.root || inner.kind != CodeKind::Function {
            return Err("makes a function of another block's code".to_owned());
        }
        let cells = code.cells.len() + code.free.len();
        let last = closed_over.get(inner_index as usize).copied().flatten();
        if last.is_some_and(|cell| cell as usize >= cells) {
            return Err("closes over a variable that is not there".to_owned());
        }
        let takes_iterator = Parameters { positional_only: 1, ..Parameters::default() };
        if matches!(instr, Instr::Comprehend { .. }) && inner.parameters != takes_iterator {
            return Err("a comprehension whose one parameter is not its iterator".to_owned());
        }
    }
    Ok(())
}

/// The codes that a code makes functions of.
fn made_by(code: &Code) -> impl Iterator<Item = usize> {
    code.instrs.iter().filter_map(Instr::inner_code).map(|code| code as usize)
}

/// No code makes functions that make functions of itself: so no walk over the tree of codes is without end.
fn check_acyclic(data: &ProgramData) -> Result<(), String> {
    let mut makers = vec![0usize; data.codes.len()];
    for inner in data.codes.iter().flat_map(made_by) {
        if let Some(count) = makers.get_mut(inner) {
            *count += 1;
        }
    }
    let mut free: Vec<usize> =
        makers.iter().enumerate().filter(|(_, count)| **count == 0).map(|(index, _)| index).collect();
    let mut sorted = 0;
    while let Some(index) = free.pop() {
        sorted += 1;
        for inner in data.codes.get(index).into_iter().flat_map(made_by) {
            if let Some(count) = makers.get_mut(inner) {
                *count -= 1;
                if *count == 0 {
                    free.push(inner);
                }
            }
        }
    }
    if sorted == data.codes.len() { Ok(()) } else { Err("a code makes functions that make it".to_owned()) }
}

fn check_parameters(code: &Code) -> Result<(), String> {
    let parameters = &code.parameters;
    let counts = [
        parameters.positional_only,
        parameters.positional,
        parameters.keyword_only,
        u32::from(parameters.var_positional),
        u32::from(parameters.var_keyword),
    ];
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if total > code.locals.len() as u64 {
        return Err("more parameters than local variables".to_owned());
    }
    if code.kind != CodeKind::Function && total > 0 {
        return Err("a block with parameters".to_owned());
    }
    Ok(())
}

/// The walk over the instructions of one code.
struct Flow<'a> {
    data: &'a ProgramData,
    code: &'a Code,
    /// For constants that were looked at: how many names of keyword arguments they are, where they are such names. Many calls may
    /// share a long list of them.
    keywords: Vec<Option<Option<usize>>>,
    blocks: Blocks,
}

impl Flow<'_> {
    fn check(&mut self) -> Result<(), String> {
        let code = self.code;
        if code.instrs.is_empty() {
            return Err("no instructions".to_owned());
        }
        let mut states: Vec<Option<State>> = vec![None; code.instrs.len()];
        let mut work = vec![(0usize, State { height: 0, blocks: None, handling: 0 })];
        while let Some((at, state)) = work.pop() {
            let (Some(entry), Some(instr)) = (states.get_mut(at), code.instrs.get(at)) else {
                return Err(format!("instruction {at} is not there"));
            };
            match entry {
                Some(known) if *known == state => continue,
                Some(known) => {
                    return Err(format!(
                        "instruction {at} is reached with stacks of {} and {} values, or with different open blocks",
                        known.height, state.height
                    ));
                }
                None => *entry = Some(state),
            }
            self.step(at, instr, state, &mut work).map_err(|reason| {
                let name = instr.name();
                format!("instruction {at} ({name}): {reason}")
            })?;
        }
        Ok(())
    }

    /// Checks one instruction, and adds what may follow it to the work.
    fn step(&mut self, at: usize, instr: &Instr, before: State, work: &mut Vec<(usize, State)>) -> Result<(), String> {
        let flow = instr.flow();
        instr.operands(|_, operand| self.operand(operand, flow.effect, before))?;
        match instr {
            Instr::Yield if !self.code.generator => return Err("this isn't a generator".to_owned()),
            Instr::Raise { argc } if *argc > 2 => return Err(format!("{argc} values")),
            _ => {}
        }
        if let Some((target, effect)) = flow.jump {
            let state = self.after(before, effect)?;
            self.keeps_open_block(state)?;
            work.push((target as usize, state));
        }
        let mut state = self.after(before, flow.effect)?;
        if !flow.falls_through {
            return Ok(());
        }
        match instr {
            Instr::SetupTry { .. } => {
                let block = Block { height: state.height, handling: state.handling, outer: state.blocks };
                state.blocks = Some(self.blocks.open(block)?);
            }
            Instr::PopTry => {
                let block = self.blocks.get(state.blocks).ok_or("no open block")?;
                state.blocks = block.outer;
                if block.height > state.height {
                    return Err("the stack is lower than where the block was opened".to_owned());
                }
            }
            Instr::EnterHandler => state.handling += 1,
            Instr::LeaveHandler => {
                state.handling = state.handling.checked_sub(1).ok_or("no exception is being handled")?;
            }
            _ => {}
        }
        self.keeps_open_block(state)?;
        work.push((at + 1, state));
        Ok(())
    }

    /// The state once an instruction has done this to the stack.
    fn after(&self, mut state: State, effect: StackEffect) -> Result<State, String> {
        state.height = state.height.checked_sub(effect.takes).ok_or("too few values on the stack")?;
        state.height = state.height.checked_add(effect.leaves).ok_or("too many values on the stack")?;
        if state.height > self.code.max_stack.into() {
            return Err(format!("the stack grows over its {} values", self.code.max_stack));
        }
        Ok(state)
    }

    /// The values of an open block must stay: its handler starts with them.
    fn keeps_open_block(&self, state: State) -> Result<(), String> {
        let open = self.blocks.get(state.blocks);
        if open.is_some_and(|block| block.height > state.height || block.handling > state.handling) {
            return Err("the stack is lower than where the open block starts".to_owned());
        }
        Ok(())
    }

    /// Checks that an operand names something.
    fn operand(&mut self, operand: Operand, effect: StackEffect, state: State) -> Result<(), String> {
        let code = self.code;
        let within = |index: u32, len: usize, what: &str| {
            if (index as usize) < len { Ok(()) } else { Err(format!("{what} {index} of {len}")) }
        };
        match operand {
            Operand::Constant(index) => within(index, code.consts.len(), "constant"),
            Operand::Text(index) => match code.consts.get(index as usize) {
                Some(Const::Str(_)) => Ok(()),
                _ => Err(format!("constant {index} isn't a string")),
            },
            // All of the instructions that have such names take as many arguments and the callee.
            Operand::KeywordNames(index) => self.keyword_names(index, effect.takes.saturating_sub(1)),
            Operand::Local(slot) => within(slot, code.locals.len(), "local variable"),
            Operand::Cell(index) => within(index, code.cells.len() + code.free.len(), "cell"),
            Operand::Name(name) => within(name, self.names(), "name"),
            Operand::Target(target) => within(target, code.instrs.len(), "jumps to instruction"),
            Operand::Function(code) => within(code, self.data.codes.len(), "code"),
            Operand::Depth(depth) => {
                // The container must be there once the values on top of it are taken.
                let left = state.height.checked_sub(effect.takes);
                let fits = depth > 0 && left.is_some_and(|left| u64::from(depth) <= left);
                if fits { Ok(()) } else { Err(format!("nothing is {depth} below")) }
            }
            Operand::Count(_)
            | Operand::Flag(_)
            | Operand::UnaryOp(_)
            | Operand::BinaryOp(_)
            | Operand::CompareOp(_)
            | Operand::Conversion(_) => Ok(()),
        }
    }

    /// The number of names of the block.
    fn names(&self) -> usize {
        self.data.codes.get(self.code.root as usize).map_or(0, |root| root.names.len())
    }

    fn keyword_names(&mut self, index: u32, argc: u64) -> Result<(), String> {
        let count = match (self.keywords.get_mut(index as usize), self.code.consts.get(index as usize)) {
            (Some(known), Some(constant)) => *known.get_or_insert_with(|| match constant {
                Const::Tuple(names) if names.iter().all(|name| matches!(name, Const::Str(_))) => Some(names.len()),
                _ => None,
            }),
            _ => None,
        };
        match count {
            Some(count) if count as u64 <= argc => Ok(()),
            _ => Err(format!("constant {index} names no keyword arguments")),
        }
    }
}
