//! Running kernels: collects a block's inputs, calls its machine code and converts the result.

#![allow(unsafe_code)]

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use super::host::{FIXED, Host, SLOT, SharedTests, TEXT, payload, reference};
use super::kinds::Kind;
use super::machine::{Lookup, NativeFn};
use super::{Mode, Native};
use tpv_bytecode::ProgramData;
use tpv_bytecode::kernel::{Kernel, MAX_INPUTS, Node};
use tpv_python::library;
use tpv_python::native_code::{Computed, NativeCode};
use tpv_python::program::Program;
use tpv_python::value::Value;
use tpv_python::vm::{OutsideContext, Vm};

/// The number of runs of a kernel, on one thread with the same kinds of inputs, before it is compiled in [`Mode::Lazy`]: about
/// as many as it takes for machine code to save the time spent on compiling it (`docs/performance.md` has the measurements).
const PAYS_AFTER: u32 = 600;

/// The maximum number of combinations of input kinds for which a kernel has machine code.
const MAX_VERSIONS: usize = 8;

/// The key entry of an input without a value.
const ABSENT: u64 = 7;

/// A kernel that bailed out more often than this, and more often than it completed, is no longer run.
const MAX_BAILOUTS: u32 = 256;

/// The source of an input.
#[derive(Clone, Copy)]
enum Source {
    /// A slot of the context.
    Slot(usize),
    /// A slot of the context, with the fallback in `fixed` that is used if the slot is empty.
    SlotOrFixed(usize, usize),
    /// A value that the kernel was loaded with, by its index in `fixed`.
    Fixed(usize),
    /// A name that the host computes.
    Computed(usize),
}

/// The state of a kernel for some kinds of inputs.
#[derive(Clone, Copy)]
enum State {
    /// A free entry.
    Free,
    /// The number of runs so far.
    Counting(u32),
    Ready(NativeFn),
    /// It cannot be compiled for these kinds.
    Rejected,
}

/// One thread's view of a kernel.
struct LoadedKernel {
    inputs: Vec<Source>,
    /// The slots of builtins that the kernel uses. It does not run if the context shadows one of them.
    builtins: Vec<usize>,
    /// The kernel's imports, then the names that the context cannot change or may shadow.
    fixed: Vec<Value>,
    /// The number of completed runs.
    done: Cell<u32>,
    /// The number of runs that bailed out to the interpreter.
    bailouts: Cell<u32>,
    /// The kinds of the inputs of the last run, with the machine code for them.
    last: Cell<(u64, Option<NativeFn>)>,
    /// The states of the kernel by the kinds of its inputs.
    versions: [Cell<(u64, State)>; MAX_VERSIONS],
}

/// Machine code as one thread sees it.
pub(super) struct View {
    native: Native,
    /// This thread's kernels by code index, loaded on first use. `None` if a kernel cannot be used.
    kernels: Box<[OnceCell<Option<Box<LoadedKernel>>>]>,
    /// The values that a running kernel holds by reference.
    references: RefCell<Vec<Value>>,
    /// The tests that kernels share.
    shared: RefCell<SharedTests>,
    /// The number of blocks computed.
    runs: Cell<u64>,
}

impl View {
    pub(super) fn new(native: Native) -> Self {
        let kernels = native.jit.shared.program().codes.iter().map(|_| OnceCell::new()).collect();
        Self { native, kernels, references: RefCell::default(), shared: RefCell::default(), runs: Cell::new(0) }
    }
}

impl NativeCode for View {
    fn is_for(&self, program: &Arc<ProgramData>) -> bool {
        self.native.jit.is_for(program)
    }

    /// The value is made last: most blocks take less time than a copy of a value just written, which the processor cannot
    /// forward from two stores to one load.
    fn run(
        &self,
        vm: &mut Vm,
        program: &Program,
        code_index: u32,
        computed: &[Value],
        text: &mut String,
    ) -> Option<Computed> {
        let entry = self.kernels.get(code_index as usize)?;
        let kernel = match entry.get() {
            Some(kernel) => kernel.as_ref()?,
            None => entry.get_or_init(|| load(vm, program, code_index)).as_ref()?,
        };
        if kernel.builtins.iter().any(|slot| vm.context.get(*slot).is_none_or(Option::is_some)) {
            return None;
        }
        if self.native.mode == Mode::Lazy && kernel.mostly_bails_out() {
            return None;
        }
        // Never fails: kernels call no config code, so `run` is not re-entered.
        let Ok(mut references) = self.references.try_borrow_mut() else { return None };
        let Ok(mut shared) = self.shared.try_borrow_mut() else { return None };
        let (steps, start) = (vm.steps_left(), text.len());
        let mut payloads = [0; MAX_INPUTS];
        let key = gather(vm, kernel, computed, &mut references, &mut payloads);
        let consts = program.consts(code_index)?;
        let Some(native_fn) = kernel.native_fn(&self.native, code_index, key) else {
            references.clear();
            return None;
        };
        let code = program.code(code_index)?;
        let mut host = Host {
            out: 0,
            vm,
            references: &mut references,
            text: &mut *text,
            start,
            consts,
            program,
            code,
            shared: &mut shared,
            fixed: &kernel.fixed,
        };
        // SAFETY: `self` holds the `Jit` that the code is from, and the payloads are of the kinds in the key, by which
        // the code was chosen; there are as many as the kernel has inputs, of which there are at most `MAX_INPUTS`.
        let tag = unsafe { native_fn.run(&mut host, &payloads) };
        let out = host.out;
        let kind = Kind::of_tag(tag);
        if !host.references.is_empty() || kind.is_none_or(Kind::is_reference) {
            let result = kind.and_then(|kind| match kind.is_reference() {
                true if reference(out) == TEXT => Some(Computed::Text),
                true => host.result(reference(out)).map(Computed::Value),
                false => kind.plain(out).map(Computed::Value),
            });
            references.clear();
            match result {
                Some(_) => kernel.done.update(|done| done.saturating_add(1)),
                None => {
                    kernel.bailouts.update(|bailouts| bailouts.saturating_add(1));
                    text.truncate(start);
                    // The interpreter charges for the whole block.
                    vm.restore_steps(steps);
                }
            }
            self.runs.update(|runs| runs + u64::from(result.is_some()));
            return result;
        }
        kernel.done.update(|done| done.saturating_add(1));
        self.runs.update(|runs| runs + 1);
        kind?.plain(out).map(Computed::Value)
    }

    fn runs(&self) -> u64 {
        self.runs.get()
    }
}

/// Writes the inputs' payloads and returns the key of their kinds.
#[inline]
fn gather(
    vm: &Vm,
    kernel: &LoadedKernel,
    computed: &[Value],
    references: &mut Vec<Value>,
    payloads: &mut [u64; MAX_INPUTS],
) -> u64 {
    let mut key = 0;
    for (index, (source, entry)) in kernel.inputs.iter().zip(payloads).enumerate() {
        let (value, reference) = match source {
            Source::Slot(slot) => (vm.context.get(*slot).and_then(Option::as_ref), SLOT | *slot as u64),
            Source::SlotOrFixed(slot, fallback) => match vm.context.get(*slot).and_then(Option::as_ref) {
                Some(value) => (Some(value), SLOT | *slot as u64),
                None => (kernel.fixed.get(*fallback), FIXED | *fallback as u64),
            },
            Source::Fixed(index) => (kernel.fixed.get(*index), FIXED | *index as u64),
            Source::Computed(index) => match computed.get(*index) {
                Some(value) if Kind::of(value).is_reference() => (Some(value), payload(references, value.clone())),
                value => (value, 0),
            },
        };
        let Some(value) = value else {
            key |= ABSENT << (3 * index);
            continue;
        };
        let kind = match value {
            Value::Int(int) => {
                *entry = int.cast_unsigned();
                Kind::Int
            }
            Value::Float(float) => {
                *entry = float.to_bits();
                Kind::Float
            }
            Value::None => Kind::None,
            Value::Bool(truth) => {
                *entry = u64::from(*truth);
                Kind::Bool
            }
            other => {
                *entry = reference;
                Kind::of(other)
            }
        };
        key |= (kind as u64) << (3 * index);
    }
    key
}

impl LoadedKernel {
    /// Returns `true` if the kernel is not worth running: the interpreter repeats every block that bails out.
    fn mostly_bails_out(&self) -> bool {
        let bailouts = self.bailouts.get();
        bailouts > MAX_BAILOUTS && bailouts > self.done.get()
    }

    /// The machine code for the kinds of inputs in `key`.
    #[inline]
    fn native_fn(&self, native: &Native, code_index: u32, key: u64) -> Option<NativeFn> {
        match self.last.get() {
            (known, Some(native_fn)) if known == key => Some(native_fn),
            _ => self.other_version(native, code_index, key),
        }
    }

    /// The same if the kinds differ from those of the previous run.
    #[inline(never)]
    fn other_version(&self, native: &Native, code_index: u32, key: u64) -> Option<NativeFn> {
        let mut versions = self.versions.iter().map(Cell::get);
        let native_fn = match versions.find(|(known, state)| *known == key && !matches!(state, State::Free)) {
            Some((_, State::Ready(native_fn))) => Some(native_fn),
            Some((_, State::Rejected)) => None,
            _ => self.version(native, code_index, key),
        };
        self.last.set((key, native_fn));
        native_fn
    }

    /// Looks up or compiles the version for new kinds, if it is due.
    #[cold]
    fn version(&self, native: &Native, code_index: u32, key: u64) -> Option<NativeFn> {
        let matching = |entry: &&Cell<(u64, State)>| matches!(entry.get(), (known, state) if known == key || matches!(state, State::Free));
        let entry = self.versions.iter().find(matching)?;
        let shared = &native.jit.shared;
        let (lookup, runs) = match entry.get().1 {
            State::Counting(runs) if native.mode == Mode::Eager || runs >= PAYS_AFTER => {
                (shared.make(code_index, key, &self.kinds(key), native.mode == Mode::Eager), runs)
            }
            State::Counting(runs) => (Lookup::Later, runs + 1),
            _ if native.mode == Mode::Eager => (shared.make(code_index, key, &self.kinds(key), true), 0),
            // Another thread may have compiled it.
            _ => (shared.find(code_index, key), 1),
        };
        entry.set((
            key,
            match lookup {
                Lookup::Ready(native_fn) => State::Ready(native_fn),
                Lookup::Rejected => State::Rejected,
                Lookup::Later => State::Counting(runs),
            },
        ));
        match lookup {
            Lookup::Ready(native_fn) => Some(native_fn),
            _ => None,
        }
    }

    /// The input kinds that a key encodes. `None` for an unset input.
    fn kinds(&self, key: u64) -> Vec<Option<Kind>> {
        let kind = |index| Kind::ALL.get((key >> (3 * index) & 7) as usize).copied();
        (0..self.inputs.len()).map(kind).collect()
    }
}

/// Prepares a code's kernel for this machine's context. `None` if a name is bound to something other than the kernel assumes.
#[cold]
fn load(vm: &mut Vm, program: &Program, code_index: u32) -> Option<Box<LoadedKernel>> {
    let code = program.code(code_index)?;
    let kernel: &Kernel = code.kernel.as_ref()?;
    let name = |index: u32| program.names.get(*code.names.get(index as usize)? as usize);
    let mut fixed = Vec::new();
    for import in &kernel.imports {
        let attribute = match import.name {
            Some(index) => Some(name(index)?.text.clone()),
            None => None,
        };
        let value = vm.imported(&program.string(import.module), attribute.as_deref())?;
        fixed.push(Some(value).filter(|value| Kind::of(value) == Kind::Other)?);
    }
    let mut inputs = Vec::with_capacity(kernel.inputs.len());
    for input in &kernel.inputs {
        let name = name(*input)?;
        let computed = code.computed.iter().position(|computed| program.string(*computed) == name.text);
        inputs.push(match computed {
            Some(index) => Source::Computed(index),
            None => match vm.outside_context(name).ok()? {
                OutsideContext::Absent => Source::Slot(name.slot),
                OutsideContext::Below(value) => {
                    fixed.push(value);
                    Source::SlotOrFixed(name.slot, fixed.len() - 1)
                }
                OutsideContext::Overriding(value) => {
                    fixed.push(value);
                    Source::Fixed(fixed.len() - 1)
                }
            },
        });
    }
    let called = kernel.nodes.iter().filter_map(|node| match node {
        Node::Call { name, .. } => Some(*name),
        _ => None,
    });
    let mut builtins_used = Vec::new();
    for callee in called.chain(kernel.builtins.iter().copied()) {
        let name = name(callee)?;
        let builtin = library::builtin(&name.text)?;
        let OutsideContext::Below(value) = vm.outside_context(name).ok()? else { return None };
        if !value.is(&builtin) {
            return None;
        }
        if !builtins_used.contains(&name.slot) {
            builtins_used.push(name.slot);
        }
    }
    let versions = std::array::from_fn(|_| Cell::new((0, State::Free)));
    let (done, bailouts, last) = (Cell::new(0), Cell::new(0), Cell::new((0, None)));
    Some(Box::new(LoadedKernel { inputs, builtins: builtins_used, fixed, done, bailouts, last, versions }))
}
