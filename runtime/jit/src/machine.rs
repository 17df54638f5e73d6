//! Cranelift, and the memory that its code runs in.
//!
//! `cranelift-jit` writes code to fresh pages that can be read and written, and `finalize_definitions` makes them readable
//! and executable before a pointer into them is given out; it never writes to them again and never makes them writable
//! again. So no page is writable and executable at once.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, TryLockError};

use cranelift_codegen::Context;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::Module;

use super::emit;
use super::host::Host;
use super::kinds::Kind;
use tpv_bytecode::kernel::Kernel;
use tpv_bytecode::{Const, ProgramData};

/// The maximum number of kernel versions compiled or rejected per program. Each compiled one occupies at least a page.
const MAX_COMPILED: usize = 4096;

/// The machine code of a kernel: a function of the host and the payloads of the inputs that returns a tag.
#[derive(Clone, Copy)]
pub(super) struct NativeFn(unsafe extern "C" fn(*mut Host<'_>, *const u64) -> u64);

impl NativeFn {
    /// Runs it.
    ///
    /// # Safety
    /// The [`Shared`] that it is from must outlive the call, and `payloads` must be those of inputs of the kinds that it was
    /// compiled for.
    #[inline]
    pub(super) unsafe fn run(self, host: &mut Host<'_>, payloads: &[u64]) -> u64 {
        // SAFETY: the code was made by `emit` with this signature; it reads only the inputs that the kernel has, of which
        // the caller vouches, and passes the host only to the functions of `host`.
        unsafe { (self.0)(host, payloads.as_ptr()) }
    }
}

/// The result of looking up machine code.
pub(super) enum Lookup {
    /// Compiled.
    Ready(NativeFn),
    /// Cannot be compiled for these kinds, or there are too many versions.
    Rejected,
    /// Not compiled yet, or the lock is taken.
    Later,
}

/// Machine code that threads share.
pub(super) struct Shared {
    program: Arc<ProgramData>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    machine: OnceLock<Option<Machine>>,
    codes: HashMap<(u32, u64), Option<NativeFn>>,
}

impl Shared {
    /// `None` on unsupported architectures.
    pub(super) fn new(program: &Arc<ProgramData>) -> Option<Self> {
        // Cranelift has back ends for more; these have all the instructions that `emit` uses.
        let supported = cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && cfg!(target_pointer_width = "64");
        supported.then(|| Self { program: program.clone(), state: Mutex::default() })
    }

    /// The program.
    pub(super) fn program(&self) -> &ProgramData {
        &self.program
    }

    /// Returns `true` if this is the machine code of that program.
    pub(super) fn is_for(&self, program: &Arc<ProgramData>) -> bool {
        Arc::ptr_eq(&self.program, program)
    }

    pub(super) fn compiled(&self) -> usize {
        self.state.lock().map_or(0, |state| state.codes.values().flatten().count())
    }

    /// Looks up the machine code of a kernel for these kinds.
    pub(super) fn find(&self, code: u32, key: u64) -> Lookup {
        let Ok(state) = self.state.try_lock() else { return Lookup::Later };
        match state.codes.get(&(code, key)) {
            Some(Some(code)) => Lookup::Ready(*code),
            Some(None) => Lookup::Rejected,
            None => Lookup::Later,
        }
    }

    /// Looks up the machine code of a kernel for these kinds, compiling it if necessary. Returns `Later` if another thread holds
    /// the lock and `wait` is false.
    pub(super) fn make(&self, index: u32, key: u64, kinds: &[Option<Kind>], wait: bool) -> Lookup {
        let state = if wait { self.state.lock().map_err(TryLockError::from) } else { self.state.try_lock() };
        let mut state = match state {
            Ok(state) => state,
            Err(TryLockError::WouldBlock) => return Lookup::Later,
            // A thread panicked while it compiled: the state may be inconsistent.
            Err(TryLockError::Poisoned(_)) => return Lookup::Rejected,
        };
        let state = &mut *state;
        if state.codes.len() >= MAX_COMPILED && !state.codes.contains_key(&(index, key)) {
            return Lookup::Rejected;
        }
        let code = state.codes.entry((index, key)).or_insert_with(|| {
            let code = self.program.codes.get(index as usize)?;
            let kernel = code.kernel.as_ref()?;
            state.machine.get_or_init(Machine::new);
            state.machine.get_mut()?.as_mut()?.compile(kernel, &code.consts, kinds)
        });
        code.map_or(Lookup::Rejected, Lookup::Ready)
    }
}

/// Cranelift and the code that it compiled.
struct Machine {
    /// `Some` until the machine is dropped.
    module: Option<JITModule>,
    context: Context,
    builder: FunctionBuilderContext,
    /// `true` if the system refused to make memory executable: it would refuse again.
    refused: bool,
}

impl Machine {
    fn new() -> Option<Self> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("unwind_info", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let module = JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names()));
        let context = module.make_context();
        Some(Self { module: Some(module), context, builder: FunctionBuilderContext::new(), refused: false })
    }

    /// Compiles a kernel. `None` if it would always bail out, or if Cranelift fails.
    fn compile(&mut self, kernel: &Kernel, consts: &[Const], kinds: &[Option<Kind>]) -> Option<NativeFn> {
        let module = self.module.as_mut().filter(|_| !self.refused)?;
        module.clear_context(&mut self.context);
        self.context.func.signature = emit::signature(module.isa().default_call_conv());
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        if emit::kernel(builder, kernel, consts, kinds, module.target_config()).is_none() {
            self.builder = FunctionBuilderContext::new();
            return None;
        }
        let function = module.declare_anonymous_function(&self.context.func.signature).ok()?;
        module.define_function(function, &mut self.context).ok()?;
        self.refused = module.finalize_definitions().is_err();
        if self.refused {
            return None;
        }
        let address = module.get_finalized_function(function);
        // SAFETY: the address is that of a finished function whose signature `emit::signature` gave: two 64-bit pointers
        // in, 64 bits out, in the machine's own calling convention.
        Some(NativeFn(unsafe {
            std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut Host<'_>, *const u64) -> u64>(address)
        }))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: every `NativeFn` pointer is held by a `View`, which also holds an `Arc<Jit>`. The machine is dropped
            // with the last `Arc<Jit>`, so no pointer is left and no code is running.
            unsafe { module.free_memory() };
        }
    }
}
