//! Kernels to Cranelift's instructions, for one choice of the inputs' kinds.
//!
//! A node whose kind is known is one machine value; one that may be of several kinds is a tag and 64 bits. An operation
//! on the latter is written once for each kind that it is good for, behind a test of the tag. All that it is not good for
//! goes to one block that leaves the kernel.

mod arithmetic;
mod functions;
mod objects;
mod relations;
mod statements;
mod text;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, Signature, Type, Value};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::FunctionBuilder;

use super::host::{self, CONSTANT, LEAVE};
use super::kinds::{Kind, Kinds, infer, unary};
use objects::Comprehension;
use statements::Local;
use tpv_bytecode::kernel::{Function, Kernel, Node};
use tpv_bytecode::{Const, UnaryOp};

/// A value in the making.
#[derive(Clone, Copy)]
struct Operand {
    /// The kinds that it may have.
    kinds: Kinds,
    /// Its tag, if there are several kinds.
    tag: Option<Value>,
    /// A float if its one kind is float, else 64 bits.
    payload: Value,
}

impl Operand {
    fn new(kind: Kind, payload: Value) -> Self {
        Self { kinds: kind.into(), tag: None, payload }
    }
}

/// A join point of several paths, each with a value.
struct Join {
    block: Block,
    kinds: Kinds,
    reached: bool,
}

/// One kernel on its way to machine code.
struct Emitter<'f, 'k> {
    builder: FunctionBuilder<'f>,
    kernel: &'k Kernel,
    consts: &'k [Const],
    inputs: &'k [Option<Kind>],
    /// The possible kinds of each node.
    kinds: Vec<Kinds>,
    locals: Vec<Local>,
    call_conv: CallConv,
    /// The pointer to the host.
    host: Value,
    /// The pointer to the inputs' payloads.
    arguments: Value,
    /// The block that leaves the kernel.
    leave: Block,
}

/// The signature of kernels: the host and the inputs' payloads; the tag of the result, whose payload is in the host, or
/// [`LEAVE`].
pub(super) fn signature(call_conv: CallConv) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params.extend([AbiParam::new(I64), AbiParam::new(I64)]);
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// Writes a kernel. `None` if it would always bail out.
pub(super) fn kernel(
    builder: FunctionBuilder<'_>,
    kernel: &Kernel,
    consts: &[Const],
    inputs: &[Option<Kind>],
    target: TargetFrontendConfig,
) -> Option<()> {
    let kinds = infer(kernel, consts, inputs);
    if kinds.last().is_none_or(|kinds| kinds.is_empty()) {
        return None;
    }
    let mut builder = builder;
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let &[host, arguments] = builder.block_params(entry) else { return None };
    let leave = builder.create_block();
    builder.set_cold_block(leave);
    let call_conv = target.default_call_conv;
    let locals = Vec::new();
    Emitter { builder, kernel, consts, inputs, kinds, locals, call_conv, host, arguments, leave }.body(target)
}

impl Emitter<'_, '_> {
    fn body(mut self, target: TargetFrontendConfig) -> Option<()> {
        self.declare_locals();
        let last = u32::try_from(self.kernel.nodes.len()).ok()?.checked_sub(1)?;
        if let Some(result) = self.node(last) {
            let (tag, bits) = (self.tag(result), self.bits(result));
            self.builder.ins().store(MemFlagsData::trusted(), bits, self.host, 0);
            self.builder.ins().return_(&[tag]);
        }
        self.builder.switch_to_block(self.leave);
        let left = self.builder.ins().iconst(I64, LEAVE.cast_signed());
        self.builder.ins().return_(&[left]);
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
        Some(())
    }

    /// The possible kinds of a node.
    fn kinds_of(&self, node: u32) -> Kinds {
        self.kinds.get(node as usize).copied().unwrap_or(Kinds::NONE)
    }

    /// Computes a node. `None` if that always bails out: nothing can be added after it.
    fn node(&mut self, index: u32) -> Option<Operand> {
        let out = self.kinds_of(index);
        let kernel = self.kernel;
        let node = kernel.nodes.get(index as usize);
        let (Some(node), false) = (node, out.is_empty()) else { return self.leave() };
        match node {
            Node::Const { index } => self.constant(*index),
            Node::Input { index } => self.input(*index),
            Node::Unary { op: UnaryOp::Not, operand } => {
                let truth = self.condition(*operand)?;
                let not = self.builder.ins().icmp_imm_s(IntCC::Equal, truth, 0);
                Some(self.bool(not))
            }
            Node::Unary { op, operand } => {
                let operand = self.node(*operand)?;
                let takes = |kind| unary(*op, kind).is_some();
                self.each_kind(operand, out, takes, &mut |this, kind, payload| this.unary(*op, kind, payload))
            }
            Node::Binary { op, left, right } => {
                let left = self.node(*left)?;
                let right = self.node(*right)?;
                self.binary(*op, left, right, out)
            }
            Node::Compare { first, links } => self.comparison(*first, links),
            Node::Bool { all, operands } => self.bool_value(*all, operands, out),
            Node::If { test, body, orelse } => {
                let test = self.condition(*test)?;
                let (then, other) = (self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(test, then, &[], other, &[]);
                let mut join = self.join(out);
                for (block, node) in [(then, *body), (other, *orelse)] {
                    self.builder.switch_to_block(block);
                    if let Some(value) = self.node(node) {
                        self.jump(&mut join, value);
                    }
                }
                self.enter(&join)
            }
            Node::Call { function: function @ (Function::Min | Function::Max), arguments, .. } => {
                self.extreme(*function, arguments)
            }
            Node::Call { function, arguments, .. } => self.call_function(*function, arguments, out),
            Node::Attribute { object, name } => {
                let object = self.node(*object)?;
                self.each_kind(object, out, |kind| kind == Kind::Other, &mut |this, _, object| {
                    Some(this.attribute(object, *name))
                })
            }
            Node::Affix { text, affix, end } => {
                let text = self.node(*text)?;
                let affix = self.node(*affix)?;
                self.each_kind(text, out, |kind| kind == Kind::Str, &mut |this, _, text| {
                    this.each_kind(affix, out, Kind::is_reference, &mut |this, _, affix| {
                        let end = this.builder.ins().iconst(I64, i64::from(*end));
                        let truth = this.ask(host::affix as *const () as usize, &[text, affix, end]);
                        Some(Operand::new(Kind::Bool, truth))
                    })
                })
            }
            Node::Text { parts } => self.text(index, parts),
            Node::Import { index } => Some(self.import(*index)),
            Node::Local { slot, outer } => self.local(*slot, *outer, out),
            Node::Build { items, .. } => self.build(index, items),
            Node::Invoke { callee, arguments, .. } => self.invoke(index, *callee, arguments, out),
            Node::Method { object, arguments, .. } => self.method(index, *object, arguments, out),
            Node::Comprehension { iterable, slot, condition, element, gives } => {
                let (iterable, slot, condition, element) = (*iterable, *slot, *condition, *element);
                self.comprehension(&Comprehension { iterable, slot, condition, element, gives })
            }
            Node::Shared { key, value } => self.shared(*key, *value),
            Node::Block { statements, value } => {
                self.statements(statements)?;
                self.node(*value)
            }
            Node::Set { .. } | Node::When { .. } | Node::Leave => self.leave(),
        }
    }

    fn input(&mut self, index: u32) -> Option<Operand> {
        let Some(kind) = self.inputs.get(index as usize).copied().flatten() else { return self.leave() };
        let offset = i32::try_from(index).unwrap_or_default() * 8;
        let payload = self.builder.ins().load(machine_type(kind), MemFlagsData::trusted(), self.arguments, offset);
        Some(Operand::new(kind, payload))
    }

    fn constant(&mut self, index: u32) -> Option<Operand> {
        let (kind, payload) = match self.consts.get(index as usize) {
            Some(Const::Float(value)) => (Kind::Float, self.builder.ins().f64const(*value)),
            Some(other) => {
                let (kind, bits) = match other {
                    Const::None => (Kind::None, 0),
                    Const::Bool(truth) => (Kind::Bool, i64::from(*truth)),
                    Const::Int(value) => (Kind::Int, *value),
                    Const::Str(_) => (Kind::Str, (CONSTANT | u64::from(index)).cast_signed()),
                    _ => (Kind::Other, (CONSTANT | u64::from(index)).cast_signed()),
                };
                (kind, self.builder.ins().iconst(I64, bits))
            }
            None => return self.leave(),
        };
        Some(Operand::new(kind, payload))
    }

    /// `a and b`, `a or b`: the value of the operand that decides.
    fn bool_value(&mut self, all: bool, operands: &[u32], out: Kinds) -> Option<Operand> {
        let mut join = self.join(out);
        for (index, operand) in operands.iter().enumerate() {
            let Some(value) = self.node(*operand) else { break };
            if index + 1 == operands.len() {
                self.jump(&mut join, value);
                break;
            }
            let Some(truth) = self.truth(value) else { break };
            let arguments = self.arguments_of(&mut join, value);
            self.decide(all, truth, &join, &arguments);
        }
        self.enter(&join)
    }

    /// Continues if the truth does not decide an `and` (`all`) or `or`; otherwise jumps to the join.
    fn decide(&mut self, all: bool, truth: Value, join: &Join, arguments: &[BlockArg]) {
        let next = self.builder.create_block();
        if all {
            self.builder.ins().brif(truth, next, &[], join.block, arguments);
        } else {
            self.builder.ins().brif(truth, join.block, arguments, next, &[]);
        }
        self.builder.switch_to_block(next);
    }

    /// The truth of a node, if its value is not needed: not zero if it is true.
    fn condition(&mut self, index: u32) -> Option<Value> {
        let kernel = self.kernel;
        let Some(Node::Bool { all, operands }) = kernel.nodes.get(index as usize) else {
            let value = self.node(index)?;
            return self.truth(value);
        };
        let mut join = self.join(Kind::Bool.into());
        for (index, operand) in operands.iter().enumerate() {
            let Some(truth) = self.condition(*operand) else { break };
            if index + 1 == operands.len() {
                self.jump(&mut join, Operand::new(Kind::Bool, truth));
                break;
            }
            let decided = self.builder.ins().iconst(I64, i64::from(!all));
            let arguments = self.arguments_of(&mut join, Operand::new(Kind::Bool, decided));
            self.decide(*all, truth, &join, &arguments);
        }
        self.enter(&join).map(|truth| truth.payload)
    }

    /// The truth of a value: not zero if it is true.
    fn truth(&mut self, value: Operand) -> Option<Value> {
        let truth = self.each_kind(value, Kind::Bool.into(), |_| true, &mut |this, kind, payload| {
            Some(match kind {
                Kind::None => this.known(false),
                Kind::Bool => Operand::new(Kind::Bool, payload),
                Kind::Int => {
                    let truth = this.builder.ins().icmp_imm_s(IntCC::NotEqual, payload, 0);
                    this.bool(truth)
                }
                Kind::Float => {
                    let zero = this.builder.ins().f64const(0.0);
                    let truth = this.builder.ins().fcmp(FloatCC::NotEqual, payload, zero);
                    this.bool(truth)
                }
                Kind::Str | Kind::Other => {
                    Operand::new(Kind::Bool, this.ask(host::truth as *const () as usize, &[payload]))
                }
            })
        })?;
        Some(truth.payload)
    }

    /// Does the operation for each kind that a value may be and that the operation takes; leaves for all others.
    fn each_kind(
        &mut self,
        value: Operand,
        out: Kinds,
        takes: impl Fn(Kind) -> bool,
        operation: &mut dyn FnMut(&mut Self, Kind, Value) -> Option<Operand>,
    ) -> Option<Operand> {
        if let (Some(kind), None) = (value.kinds.single(), value.tag) {
            return if takes(kind) { operation(self, kind, value.payload) } else { self.leave() };
        }
        let tag = self.tag(value);
        let mut join = self.join(out);
        let mut rest = value.kinds.iter().filter(|kind| takes(*kind)).count();
        let complete = rest == value.kinds.iter().count();
        for kind in value.kinds.iter().filter(|kind| takes(*kind)) {
            rest -= 1;
            let next = if rest == 0 && complete {
                None
            } else {
                let (block, next) = (self.builder.create_block(), self.builder.create_block());
                let is_it = self.builder.ins().icmp_imm_s(IntCC::Equal, tag, kind as i64);
                self.builder.ins().brif(is_it, block, &[], next, &[]);
                self.builder.switch_to_block(block);
                Some(next)
            };
            let payload = self.of_bits(kind, value.payload);
            if let Some(result) = operation(self, kind, payload) {
                self.jump(&mut join, result);
            }
            if let Some(next) = next {
                self.builder.switch_to_block(next);
            }
        }
        if !complete {
            self.leave();
        }
        self.enter(&join)
    }

    /// Leaves the kernel.
    fn leave(&mut self) -> Option<Operand> {
        let leave = self.leave;
        self.builder.ins().jump(leave, &[]);
        None
    }

    /// Bails out if the condition is true.
    fn leave_if(&mut self, condition: Value) {
        let (leave, next) = (self.leave, self.builder.create_block());
        self.builder.ins().brif(condition, leave, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Calls a function of [`host`] that takes the host; bails out if the function does.
    fn ask(&mut self, function: usize, arguments: &[Value]) -> Value {
        let mut all = vec![self.host];
        all.extend_from_slice(arguments);
        let answer = self.call(function, &all, I64);
        let left = self.builder.ins().icmp_imm_s(IntCC::Equal, answer, LEAVE.cast_signed());
        self.leave_if(left);
        answer
    }

    /// Calls a function by its address.
    fn call(&mut self, function: usize, arguments: &[Value], result: Type) -> Value {
        let mut signature = Signature::new(self.call_conv);
        for argument in arguments {
            let kind = self.builder.func.dfg.value_type(*argument);
            signature.params.push(AbiParam::new(kind));
        }
        signature.returns.push(AbiParam::new(result));
        let signature = self.builder.import_signature(signature);
        let address = self.builder.ins().iconst(I64, (function as u64).cast_signed());
        let call = self.builder.ins().call_indirect(signature, address, arguments);
        // Every signature here has one result.
        self.builder.inst_results(call).first().copied().unwrap_or(address)
    }

    /// The payload that a function left in the host.
    fn out(&mut self) -> Value {
        self.builder.ins().load(I64, MemFlagsData::trusted(), self.host, 0)
    }

    fn join(&mut self, kinds: Kinds) -> Join {
        let block = self.builder.create_block();
        match kinds.single() {
            Some(kind) => {
                self.builder.append_block_param(block, machine_type(kind));
            }
            None => {
                self.builder.append_block_param(block, I64);
                self.builder.append_block_param(block, I64);
            }
        }
        Join { block, kinds, reached: false }
    }

    /// The arguments that a value passes to a join.
    fn arguments_of(&mut self, join: &mut Join, value: Operand) -> Vec<BlockArg> {
        join.reached = true;
        match join.kinds.single() {
            Some(kind) => {
                let payload = match value.tag {
                    Some(_) => self.of_bits(kind, value.payload),
                    None => value.payload,
                };
                vec![payload.into()]
            }
            None => vec![self.tag(value).into(), self.bits(value).into()],
        }
    }

    fn jump(&mut self, join: &mut Join, value: Operand) {
        let arguments = self.arguments_of(join, value);
        self.builder.ins().jump(join.block, &arguments);
    }

    /// Continues after a join. `None` if it is unreachable.
    fn enter(&mut self, join: &Join) -> Option<Operand> {
        if !join.reached {
            return None;
        }
        self.builder.switch_to_block(join.block);
        match (join.kinds.single(), self.builder.block_params(join.block)) {
            (Some(kind), &[payload]) => Some(Operand::new(kind, payload)),
            (None, &[tag, payload]) => Some(Operand { kinds: join.kinds, tag: Some(tag), payload }),
            _ => self.leave(),
        }
    }

    fn tag(&mut self, value: Operand) -> Value {
        match (value.tag, value.kinds.single()) {
            (Some(tag), _) => tag,
            (None, kind) => self.builder.ins().iconst(I64, kind.map_or(LEAVE.cast_signed(), |kind| kind as i64)),
        }
    }

    /// A value as 64 bits.
    fn bits(&mut self, value: Operand) -> Value {
        match value.tag {
            None if value.kinds.has(Kind::Float) => self.builder.ins().bitcast(I64, MemFlagsData::new(), value.payload),
            _ => value.payload,
        }
    }

    /// 64 bits as the machine value of a kind.
    fn of_bits(&mut self, kind: Kind, bits: Value) -> Value {
        match kind {
            Kind::Float => self.builder.ins().bitcast(F64, MemFlagsData::new(), bits),
            _ => bits,
        }
    }

    /// The result of a comparison as a `bool`.
    fn bool(&mut self, flag: Value) -> Operand {
        let payload = self.builder.ins().uextend(I64, flag);
        Operand::new(Kind::Bool, payload)
    }

    /// A `bool` that is known.
    fn known(&mut self, truth: bool) -> Operand {
        let payload = self.builder.ins().iconst(I64, i64::from(truth));
        Operand::new(Kind::Bool, payload)
    }

    /// A number as a float.
    fn float(&mut self, kind: Kind, payload: Value) -> Value {
        match kind {
            Kind::Float => payload,
            _ => self.builder.ins().fcvt_from_sint(F64, payload),
        }
    }
}

fn machine_type(kind: Kind) -> Type {
    match kind {
        Kind::Float => F64,
        _ => I64,
    }
}
