//! Blocks and f-strings to kernels: the second form of those that compute numbers, conditions and text.
//!
//! Operations that a kernel lacks appear in it as [`Node::Leave`]: a run that reaches one leaves the block to the
//! interpreter. A block that always reaches one has no kernel, which would only cost.

mod calls;
mod comprehensions;
mod statements;

mod text;

use crate::syntax::ast::{self, CmpOp, Constant, Expr, Ranged, Stmt};
use crate::syntax::text_size::TextRange;
use tpv_bytecode::kernel::{Container, Kernel, MAX_DEPTH, MAX_INPUTS, MAX_LOCALS, MAX_NODES, Node, Relation, covers};
use tpv_bytecode::{BinaryOp, CompareOp, UnaryOp};

use super::{fold, language};

/// The tables of the code that the kernel belongs to.
pub(super) trait Tables {
    /// The index of a constant in the code's constants; `None` for one that no code can hold.
    fn constant(&mut self, value: &Constant) -> Option<u32>;
    /// The index of a name in the code's names.
    fn name(&mut self, name: &str) -> u32;
    /// The index of a string in the program's.
    fn string(&mut self, text: &str) -> u32;
    /// The index of a part of the block's text in the program's strings.
    fn text(&mut self, range: TextRange) -> Option<u32>;
    /// Returns `true` if the block binds a name.
    fn binds(&self, name: &str) -> bool;
    /// The instruction's operator.
    fn operator(&self, op: ast::Operator) -> BinaryOp;
}

/// The kernel of a block, where it has one. The block is folded.
pub(super) fn lower(body: &[Stmt], tables: &mut impl Tables) -> Option<Kernel> {
    let (Stmt::Expr(last), statements) = body.split_last()? else { return None };
    let mut lowerer =
        Lowerer { tables, kernel: Kernel::default(), variables: Vec::new(), assigned: Vec::new(), depth: 0 };
    if statements.is_empty() {
        lowerer.expression(&last.value)?;
    } else {
        let statements = lowerer.statements(statements)?;
        let value = lowerer.expression(&last.value)?;
        lowerer.add(Node::Block { statements, value })?;
    }
    let kernel = lowerer.kernel;
    let last = u32::try_from(kernel.nodes.len()).ok()?.checked_sub(1)?;
    // A name or a constant alone is as fast without.
    (kernel.nodes.len() > 1 && !always_leaves(&kernel, last)).then_some(kernel)
}

/// Returns `true` if a node leaves in each run, as far as its form shows.
fn always_leaves(kernel: &Kernel, node: u32) -> bool {
    let leaves = |node: &u32| always_leaves(kernel, *node);
    match kernel.nodes.get(node as usize) {
        None | Some(Node::Leave) => true,
        Some(Node::Bool { operands, .. }) => operands.first().is_some_and(leaves),
        Some(Node::Compare { first, links }) => {
            leaves(first) || links.first().is_some_and(|(_, operand)| leaves(operand))
        }
        Some(Node::If { test, body, orelse }) => leaves(test) || (leaves(body) && leaves(orelse)),
        Some(Node::When { test, then, orelse }) => {
            leaves(test) || (then.iter().any(leaves) && orelse.iter().any(leaves))
        }
        Some(Node::Comprehension { iterable, .. }) => leaves(iterable),
        Some(node) => node.operands().iter().any(leaves),
    }
}

/// A variable of the block or of a comprehension.
struct Variable {
    name: String,
    slot: u32,
    /// `true` for a comprehension's variable, which hides the block's and ends with it.
    inner: bool,
}

struct Lowerer<'t, T> {
    tables: &'t mut T,
    kernel: Kernel,
    /// Those that can be read here, the innermost last.
    variables: Vec<Variable>,
    /// The slots that are set on each way to here.
    assigned: Vec<u32>,
    depth: usize,
}

impl<T: Tables> Lowerer<'_, T> {
    fn add(&mut self, node: Node) -> Option<u32> {
        if self.kernel.nodes.len() >= MAX_NODES {
            return None;
        }
        self.kernel.nodes.push(node);
        u32::try_from(self.kernel.nodes.len() - 1).ok()
    }

    /// Adds the nodes of an expression; gives the one with its value. `None` where the kernel becomes too large.
    fn expression(&mut self, expression: &Expr) -> Option<u32> {
        self.depth += 1;
        let start = self.kernel.nodes.len();
        // A chain of names is one level deeper than its expressions nest.
        let node = if self.depth < MAX_DEPTH { self.node(expression)? } else { return None };
        self.depth -= 1;
        let value = self.add(node)?;
        match self.shared(expression, start) {
            Some(key) => self.add(Node::Shared { key, value }),
            None => Some(value),
        }
    }

    /// The key of a test that is worth to be shared with other kernels: one with a loop, which reads nothing that the block sets. Its
    /// nodes begin at `start`.
    fn shared(&mut self, expression: &Expr, start: usize) -> Option<u32> {
        let is_test = match expression {
            Expr::Compare(node) => matches!(node.ops.as_slice(), [CmpOp::In | CmpOp::NotIn]),
            Expr::Call(_) => true,
            _ => false,
        };
        let nodes = self.kernel.nodes.get(start..)?;
        let loops = || {
            nodes.iter().filter_map(|node| match node {
                Node::Comprehension { slot, .. } => Some(*slot),
                _ => None,
            })
        };
        let is_outer = |node: &Node| match node {
            Node::Local { slot, .. } => !loops().any(|own| own == *slot),
            Node::Shared { .. } => true,
            _ => false,
        };
        if !is_test || loops().next().is_none() || nodes.iter().any(is_outer) {
            return None;
        }
        self.tables.text(expression.range())
    }

    /// The node of an expression: [`Node::Leave`] for what kernels do not do.
    fn node(&mut self, expression: &Expr) -> Option<Node> {
        Some(match expression {
            Expr::Constant(node) => return self.constant(&node.value),
            Expr::Name(node) => return self.name(&node.id),
            Expr::UnaryOp(node) => Node::Unary {
                op: match node.op {
                    ast::UnaryOp::Invert => UnaryOp::Invert,
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::UAdd => UnaryOp::Positive,
                    ast::UnaryOp::USub => UnaryOp::Negative,
                },
                operand: self.expression(&node.operand)?,
            },
            Expr::BinOp(node) => {
                let op = self.tables.operator(node.op);
                if !covers(op) {
                    return Some(Node::Leave);
                }
                Node::Binary { op, left: self.expression(&node.left)?, right: self.expression(&node.right)? }
            }
            Expr::BoolOp(node) => {
                Node::Bool { all: node.op == ast::BoolOp::And, operands: self.expressions(&node.values)? }
            }
            Expr::Compare(node) => self.comparison(node)?,
            Expr::IfExp(node) => Node::If {
                test: self.expression(&node.test)?,
                body: self.expression(&node.body)?,
                orelse: self.expression(&node.orelse)?,
            },
            Expr::Call(node) => return self.call(node),
            Expr::JoinedStr(node) => return self.text(&node.values),
            Expr::Attribute(node) if !language::is_left_out_attribute(&node.attr) => {
                Node::Attribute { object: self.expression(&node.value)?, name: self.tables.name(&node.attr) }
            }
            Expr::List(node) => self.container(Container::List, &node.elts)?,
            Expr::Tuple(node) => self.container(Container::Tuple, &node.elts)?,
            Expr::ListComp(node) => return self.list_comprehension(node),
            _ => Node::Leave,
        })
    }

    fn expressions(&mut self, expressions: &[Expr]) -> Option<Vec<u32>> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    fn container(&mut self, container: Container, items: &[Expr]) -> Option<Node> {
        if items.iter().any(Expr::is_starred_expr) {
            return Some(Node::Leave);
        }
        Some(Node::Build { container, items: self.expressions(items)? })
    }

    fn constant(&mut self, value: &Constant) -> Option<Node> {
        Some(self.tables.constant(value).map_or(Node::Leave, |index| Node::Const { index }))
    }

    /// The value of a name: a variable's, or what the context has.
    fn name(&mut self, name: &str) -> Option<Node> {
        if let Some(variable) = self.variables.iter().rev().find(|variable| variable.inner && variable.name == name) {
            return Some(Node::Local { slot: variable.slot, outer: None });
        }
        if !self.tables.binds(name) {
            return Some(Node::Input { index: self.input(name)? });
        }
        let slot = self.variable(name)?;
        // Until the block sets it, the name is the context's.
        let outer = if self.assigned.contains(&slot) { None } else { Some(self.input(name)?) };
        Some(Node::Local { slot, outer })
    }

    /// The block's variable of this name.
    fn variable(&mut self, name: &str) -> Option<u32> {
        match self.variables.iter().find(|variable| !variable.inner && variable.name == name) {
            Some(variable) => Some(variable.slot),
            None => self.new_variable(name, false),
        }
    }

    fn new_variable(&mut self, name: &str, inner: bool) -> Option<u32> {
        let slot = self.kernel.locals;
        if slot >= MAX_LOCALS {
            return None;
        }
        self.kernel.locals += 1;
        self.variables.push(Variable { name: name.to_owned(), slot, inner });
        Some(slot)
    }

    /// The input of this name.
    fn input(&mut self, name: &str) -> Option<u32> {
        let name = self.tables.name(name);
        let inputs = &mut self.kernel.inputs;
        let index = match inputs.iter().position(|input| *input == name) {
            Some(index) => index,
            None if inputs.len() >= MAX_INPUTS => return None,
            None => {
                inputs.push(name);
                inputs.len() - 1
            }
        };
        u32::try_from(index).ok()
    }

    fn comparison(&mut self, node: &ast::ExprCompare) -> Option<Node> {
        let first = self.expression(&node.left)?;
        let mut links = Vec::with_capacity(node.ops.len());
        for (op, right) in node.ops.iter().zip(&node.comparators) {
            let relation = relation(*op);
            let constants = match (relation, right) {
                // A list of constants after `in` may as well be a tuple.
                (Relation::Contains { .. }, Expr::List(list)) => {
                    list.elts.iter().map(|item| fold::constant(item).cloned()).collect::<Option<_>>()
                }
                _ => None,
            };
            let operand = match constants {
                Some(items) => {
                    let items = self.constant(&Constant::Tuple(items))?;
                    self.add(items)?
                }
                None => self.expression(right)?,
            };
            links.push((relation, operand));
        }
        Some(Node::Compare { first, links })
    }
}

fn relation(op: CmpOp) -> Relation {
    match op {
        CmpOp::Eq => Relation::Compare(CompareOp::Eq),
        CmpOp::NotEq => Relation::Compare(CompareOp::Ne),
        CmpOp::Lt => Relation::Compare(CompareOp::Lt),
        CmpOp::LtE => Relation::Compare(CompareOp::Le),
        CmpOp::Gt => Relation::Compare(CompareOp::Gt),
        CmpOp::GtE => Relation::Compare(CompareOp::Ge),
        CmpOp::Is => Relation::Is { invert: false },
        CmpOp::IsNot => Relation::Is { invert: true },
        CmpOp::In => Relation::Contains { invert: false },
        CmpOp::NotIn => Relation::Contains { invert: true },
    }
}
