//! Blocks on sets of values.

use tpv_bytecode::kernel::{Gives, Kernel, Node, Relation};
use tpv_bytecode::{Code, CompareOp, Const, Instr, ProgramData, UnaryOp};

use super::arithmetic;
use super::compare::relate;
use super::value::{Kinds, Truth, Value};

/// The possible results of an evaluation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The values that it may give.
    pub value: Value,
    /// `true` if it may raise.
    pub raises: bool,
}

impl Outcome {
    /// An outcome about which nothing is known.
    pub fn unknown() -> Self {
        Self { value: Value::any(), raises: true }
    }

    /// A value.
    pub fn of(value: Value) -> Self {
        Self { value, raises: false }
    }

    /// Either outcome.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self { value: self.value.or(&other.value), raises: self.raises || other.raises }
    }
}

/// The values of names.
pub trait Names {
    /// The value of a name of the context; `None` if the context has no such name, so that it is Python's own.
    fn get(&self, name: &str) -> Option<Outcome>;
}

/// A block of a program.
#[derive(Clone, Copy)]
pub struct Block<'p> {
    /// The program.
    pub program: &'p ProgramData,
    /// The block's root code.
    pub code: &'p Code,
    /// The block's text.
    pub source: &'p str,
}

impl<'p> Block<'p> {
    /// The names that the block has, of the context and of attributes.
    pub fn names(&self) -> impl Iterator<Item = &'p str> {
        let names = &self.program.names;
        self.code.names.iter().filter_map(|name| names.get(*name as usize)).map(String::as_str)
    }

    fn name(&self, index: u32) -> Option<&str> {
        let name = self.code.names.get(index as usize)?;
        self.program.names.get(*name as usize).map(String::as_str)
    }

    fn constant(&self, index: u32) -> Value {
        match self.code.consts.get(index as usize) {
            Some(Const::None) => Value::none(),
            Some(Const::Bool(value)) => Value::bool(Truth { yes: *value, no: !*value }),
            Some(Const::Int(value)) => Value::int(*value),
            Some(Const::BigInt(_)) => Value::of_kinds(Kinds::INT),
            Some(Const::Float(value)) => Value::float(*value),
            Some(Const::Str(index)) => match self.program.strings.get(*index as usize) {
                Some(text) => Value::text(text),
                None => Value::of_kinds(Kinds::TEXT),
            },
            _ => Value::of_kinds(Kinds::OTHER),
        }
    }

    /// Returns `true` if the block does only what its tree says: it changes nothing outside itself.
    pub fn is_pure(&self) -> bool {
        match &self.code.kernel {
            Some(kernel) => !kernel.nodes.contains(&Node::Leave),
            None => {
                matches!(self.code.instrs.as_slice(), [Instr::Const { .. } | Instr::LoadName { .. }, Instr::Return])
            }
        }
    }
}

/// The possible results of a block, given the values of names.
pub fn evaluate(block: Block<'_>, names: &dyn Names) -> Outcome {
    let Some(kernel) = &block.code.kernel else {
        return match block.code.instrs.as_slice() {
            [Instr::Const { index }, Instr::Return] => Outcome::of(block.constant(*index)),
            [Instr::LoadName { name }, Instr::Return] => of_name(block, names, *name),
            _ => Outcome::unknown(),
        };
    };
    let leaves = kernel.nodes.contains(&Node::Leave);
    let has_statements = kernel.locals > 0 || kernel.nodes.iter().any(|node| matches!(node, Node::Block { .. }));
    // What the tree leaves out may set variables; the handlers of a `try` are not in it.
    if has_statements && (leaves || block.source.contains("try")) {
        return Outcome::unknown();
    }
    let mut evaluator = Evaluator::new(block, kernel, names);
    match u32::try_from(kernel.nodes.len()).ok().and_then(|count| count.checked_sub(1)) {
        Some(last) => evaluator.node(last),
        None => Outcome::unknown(),
    }
}

/// The values of names if a block's value is true, or false: those that the block bounds by comparing them.
pub fn assume(block: Block<'_>, names: &dyn Names, is_true: bool) -> Vec<(String, Value)> {
    let Some(kernel) = &block.code.kernel else { return Vec::new() };
    if kernel.locals > 0 {
        return Vec::new();
    }
    let mut evaluator = Evaluator::new(block, kernel, names);
    let Some(last) = u32::try_from(kernel.nodes.len()).ok().and_then(|count| count.checked_sub(1)) else {
        return Vec::new();
    };
    evaluator.assume(last, is_true);
    let named = evaluator.assumed.into_iter().filter_map(|(input, value)| {
        let name = kernel.inputs.get(input as usize)?;
        Some((block.name(*name)?.to_owned(), value))
    });
    named.collect()
}

/// The numbers at which comparisons of a name may change their outcome, anywhere in a block: the least number of what lies above each.
pub fn borders(block: Block<'_>, names: &dyn Names, name: &str) -> Vec<f64> {
    let Some(kernel) = &block.code.kernel else { return Vec::new() };
    let mut evaluator = Evaluator::new(block, kernel, names);
    let is_asked = |input: u32| kernel.inputs.get(input as usize).and_then(|own| block.name(*own)) == Some(name);
    let compares = (0_u32..).zip(&kernel.nodes).filter(|(_, node)| matches!(node, Node::Compare { .. }));
    let mut out = Vec::new();
    for (index, is_true) in compares.flat_map(|(index, _)| [(index, true), (index, false)]) {
        evaluator.assume(index, is_true);
        let assumed = std::mem::take(&mut evaluator.assumed).into_iter().filter(|(input, _)| is_asked(*input));
        out.extend(assumed.filter_map(|(_, value)| value.bounds()).flat_map(|(low, high)| [low, high.next_up()]));
    }
    out
}

fn of_name(block: Block<'_>, names: &dyn Names, index: u32) -> Outcome {
    block.name(index).and_then(|name| names.get(name)).unwrap_or_else(Outcome::unknown)
}

/// The possible values of a variable.
#[derive(Clone, Default)]
struct Variable {
    value: Option<Value>,
    /// `true` if it may be unset.
    unset: bool,
}

struct Evaluator<'b> {
    block: Block<'b>,
    kernel: &'b Kernel,
    names: &'b dyn Names,
    variables: Vec<Variable>,
    /// The values of inputs if this part of the block runs, by the conditions that led to it.
    assumed: Vec<(u32, Value)>,
}

impl<'b> Evaluator<'b> {
    fn new(block: Block<'b>, kernel: &'b Kernel, names: &'b dyn Names) -> Self {
        let variables = vec![Variable::default(); kernel.locals as usize];
        Self { block, kernel, names, variables, assumed: Vec::new() }
    }

    /// Notes what must hold of inputs for a node to be true, or to be false.
    fn assume(&mut self, index: u32, is_true: bool) {
        let kernel = self.kernel;
        match kernel.nodes.get(index as usize) {
            Some(Node::Shared { value, .. }) => self.assume(*value, is_true),
            Some(Node::Unary { op: UnaryOp::Not, operand }) => self.assume(*operand, !is_true),
            Some(Node::Bool { all, operands }) if *all == is_true => {
                for operand in operands {
                    self.assume(*operand, is_true);
                }
            }
            Some(Node::Input { index }) => {
                let value = self.input(*index).value;
                self.assumed.push((*index, if is_true { value.truthy() } else { value.falsy() }));
            }
            Some(Node::Compare { first, links }) => {
                // Of a longer chain that is false, any link may be.
                if !is_true && links.len() > 1 {
                    return;
                }
                let mut left = *first;
                for (relation, right) in links {
                    let Relation::Compare(op) = *relation else { return };
                    let op = if is_true { op } else { op.negated() };
                    self.assume_related(left, op, *right, is_true);
                    self.assume_related(*right, op.swapped(), left, is_true);
                    left = *right;
                }
            }
            _ => {}
        }
    }

    /// Notes that `input op other` holds; where `is_sure` is false, only that its opposite does not, as of NaN.
    fn assume_related(&mut self, input: u32, op: CompareOp, other: u32, is_sure: bool) {
        let Some(Node::Input { index }) = self.kernel.nodes.get(input as usize) else { return };
        let index = *index;
        let (value, other) = (self.input(index).value, self.node(other).value);
        // Other objects compare as they like.
        if !value.kinds().or(other.kinds()).within(Kinds::NUMBER) {
            return;
        }
        let (Some((low, high)), Some((least, most))) = (value.bounds(), other.bounds()) else { return };
        let (low, high) = match op {
            CompareOp::Lt => (low, high.min(if is_exact(most) { most.next_down() } else { most })),
            CompareOp::Le => (low, high.min(most)),
            CompareOp::Gt => (low.max(if is_exact(least) { least.next_up() } else { least }), high),
            CompareOp::Ge => (low.max(least), high),
            CompareOp::Eq => (low.max(least), high.min(most)),
            CompareOp::Ne => return,
        };
        // Where the other may be NaN, nothing is known of the one.
        if !is_sure && other.may_be_nan() {
            return;
        }
        let nan = value.may_be_nan() && !is_sure;
        self.assumed.push((index, Value::number(value.kinds(), low, high, nan)));
    }

    fn node(&mut self, index: u32) -> Outcome {
        let Some(node) = self.kernel.nodes.get(index as usize) else { return Outcome::unknown() };
        match node {
            Node::Const { index } => Outcome::of(self.block.constant(*index)),
            Node::Input { index } => self.input(*index),
            Node::Unary { op: UnaryOp::Not, operand } => {
                let operand = self.node(*operand);
                let Truth { yes, no } = operand.value.truth();
                let raises = operand.raises || operand.value.kinds().has(Kinds::OTHER);
                Outcome { value: Value::bool(Truth { yes: no, no: yes }), raises }
            }
            Node::Unary { op, operand } => {
                let operand = self.node(*operand);
                raising(arithmetic::unary(*op, &operand.value), operand.raises)
            }
            Node::Binary { op, left, right } => {
                let (left, right) = (self.node(*left), self.node(*right));
                raising(arithmetic::binary(*op, &left.value, &right.value), left.raises || right.raises)
            }
            Node::Compare { first, links } => {
                let mut left = self.node(*first);
                let mut out = Outcome { value: Value::nothing(), raises: left.raises };
                let (mut node_of_left, assumed) = (*first, self.assumed.len());
                for (place, (relation, node_of_right)) in links.iter().enumerate() {
                    let right = self.node(*node_of_right);
                    let link = relate(*relation, &left.value, &right.value);
                    out.raises |= right.raises || link.raises;
                    if link.other {
                        self.assumed.truncate(assumed);
                        return Outcome::unknown();
                    }
                    let last = place + 1 == links.len();
                    let truth = Truth { yes: link.truth.yes && last, no: link.truth.no };
                    out.value = out.value.or(&Value::bool(truth));
                    if !link.truth.yes {
                        break;
                    }
                    if let Relation::Compare(op) = *relation {
                        self.assume_related(node_of_left, op, *node_of_right, true);
                        self.assume_related(*node_of_right, op.swapped(), node_of_left, true);
                    }
                    // What is known of an operand now that the link holds.
                    left = if last { right } else { self.node(*node_of_right) };
                    node_of_left = *node_of_right;
                }
                self.assumed.truncate(assumed);
                out
            }
            Node::Bool { all, operands } => {
                let mut out = Outcome::of(Value::nothing());
                let assumed = self.assumed.len();
                for (place, node) in operands.iter().enumerate() {
                    let operand = self.node(*node);
                    out.raises |= operand.raises;
                    if place + 1 == operands.len() {
                        out.value = out.value.or(&operand.value);
                        break;
                    }
                    out.raises |= operand.value.kinds().has(Kinds::OTHER);
                    let decides = if *all { operand.value.falsy() } else { operand.value.truthy() };
                    out.value = out.value.or(&decides);
                    let truth = operand.value.truth();
                    if !(if *all { truth.yes } else { truth.no }) {
                        break;
                    }
                    self.assume(*node, *all);
                }
                self.assumed.truncate(assumed);
                out
            }
            Node::If { test: node_of_test, body, orelse } => {
                let test = self.node(*node_of_test);
                let truth = test.value.truth();
                let mut out = Outcome { value: Value::nothing(), raises: may_raise_in_test(&test) };
                for (is_true, branch) in [(true, body), (false, orelse)] {
                    if !(if is_true { truth.yes } else { truth.no }) {
                        continue;
                    }
                    let assumed = self.assumed.len();
                    self.assume(*node_of_test, is_true);
                    out = out.or(&self.node(*branch));
                    self.assumed.truncate(assumed);
                }
                out
            }
            Node::Call { function, name, arguments } => {
                // Where the context has such a name, it is not the builtin that is called.
                if self.block.name(*name).is_none_or(|name| self.names.get(name).is_some()) {
                    return Outcome::unknown();
                }
                let arguments: Vec<Outcome> = arguments.iter().map(|argument| self.node(*argument)).collect();
                let raises = arguments.iter().any(|argument| argument.raises);
                if arguments.iter().any(|argument| argument.value.is_nothing()) {
                    return Outcome { value: Value::nothing(), raises };
                }
                let values: Vec<Value> = arguments.into_iter().map(|argument| argument.value).collect();
                raising(arithmetic::call(*function, &values), raises)
            }
            Node::Local { slot, outer } => {
                let variable = self.variables.get(*slot as usize).cloned().unwrap_or_default();
                let outer = match (&variable.value, variable.unset, outer) {
                    (Some(_), false, _) => None,
                    (_, _, Some(outer)) => Some(self.input(*outer)),
                    (_, _, None) => Some(Outcome::unknown()),
                };
                let own = Outcome::of(variable.value.unwrap_or_else(Value::nothing));
                outer.map_or(own.clone(), |outer| own.or(&outer))
            }
            Node::Block { statements, value } => {
                let mut raises = false;
                for statement in statements {
                    let (ends, raised) = self.statement(*statement);
                    raises |= raised;
                    if ends {
                        return Outcome { value: Value::nothing(), raises: true };
                    }
                }
                raising(self.node(*value), raises)
            }
            Node::Shared { value, .. } => self.node(*value),
            Node::Text { .. } => Outcome { value: Value::of_kinds(Kinds::TEXT), raises: true },
            Node::Affix { .. } => Outcome { value: Value::any(), raises: true },
            Node::Comprehension { gives: Gives::Any { .. } | Gives::All { .. }, .. } => {
                Outcome { value: Value::of_kinds(Kinds::BOOL), raises: true }
            }
            Node::Build { .. } | Node::Comprehension { .. } => {
                Outcome { value: Value::of_kinds(Kinds::OTHER), raises: true }
            }
            Node::Attribute { .. }
            | Node::Import { .. }
            | Node::Invoke { .. }
            | Node::Method { .. }
            | Node::Leave
            | Node::Set { .. }
            | Node::When { .. } => Outcome::unknown(),
        }
    }

    fn input(&self, index: u32) -> Outcome {
        if let Some((_, value)) = self.assumed.iter().rev().find(|(input, _)| *input == index) {
            return Outcome::of(value.clone());
        }
        let name = self.kernel.inputs.get(index as usize).copied();
        name.map_or_else(Outcome::unknown, |name| of_name(self.block, self.names, name))
    }

    /// Runs a statement: whether it always raises, and whether it may.
    fn statement(&mut self, index: u32) -> (bool, bool) {
        match self.kernel.nodes.get(index as usize) {
            Some(Node::Set { slot, value }) => {
                let value = self.node(*value);
                let ends = value.value.is_nothing();
                if let Some(variable) = self.variables.get_mut(*slot as usize) {
                    *variable = Variable { value: Some(value.value), unset: false };
                }
                (ends, value.raises)
            }
            Some(Node::When { test, then, orelse }) => {
                let test = self.node(*test);
                let truth = test.value.truth();
                let before = self.variables.clone();
                let mut raises = may_raise_in_test(&test);
                let mut after: Option<Vec<Variable>> = None;
                for (_, branch) in [(truth.yes, then), (truth.no, orelse)].into_iter().filter(|(taken, _)| *taken) {
                    self.variables.clone_from(&before);
                    let mut ends = false;
                    for statement in branch {
                        let (ended, raised) = self.statement(*statement);
                        raises |= raised;
                        ends |= ended;
                        if ends {
                            break;
                        }
                    }
                    if !ends {
                        let found = std::mem::take(&mut self.variables);
                        after = Some(match after {
                            Some(other) => other.into_iter().zip(found).map(|(a, b)| a.or(b)).collect(),
                            None => found,
                        });
                    }
                }
                let ends = after.is_none();
                self.variables = after.unwrap_or(before);
                (ends, raises)
            }
            _ => {
                let value = self.node(index);
                (value.value.is_nothing(), value.raises)
            }
        }
    }
}

impl Variable {
    fn or(self, other: Self) -> Self {
        let unset = self.unset || other.unset || self.value.is_none() || other.value.is_none();
        let value = match (self.value, other.value) {
            (Some(a), Some(b)) => Some(a.or(&b)),
            (a, b) => a.or(b),
        };
        Self { value, unset }
    }
}

/// Returns `true` if no number lies between the double and the next one: further out, there are ints between.
fn is_exact(bound: f64) -> bool {
    bound.abs() <= arithmetic::EXACT
}

/// The truth of an object may be asked of code.
fn may_raise_in_test(test: &Outcome) -> bool {
    test.raises || test.value.kinds().has(Kinds::OTHER)
}

fn raising(outcome: Outcome, raises: bool) -> Outcome {
    Outcome { raises: outcome.raises || raises, ..outcome }
}
