//! Blocks and f-strings to kernels: the second form of those that compute numbers, conditions and text.
//!
//! A block of one expression is lowered where every part of it is something that
//! [`tpv_bytecode::kernel`] knows. A part that is not makes the whole block one for the interpreter only: a
//! kernel that always leaves would cost and give nothing.

mod text;

use rustpython_parser::ast::{self, CmpOp, Constant, Expr, Stmt};
use tpv_bytecode::kernel::{Function, Kernel, MAX_DEPTH, MAX_INPUTS, MAX_NODES, Node, Relation, covers};
use tpv_bytecode::{BinaryOp, CompareOp, UnaryOp};

use super::{fold, language};

/// The tables of the code that the kernel belongs to.
pub(super) trait Tables {
    /// The index of a constant in the code's constants; `None` for one that no code can hold.
    fn constant(&mut self, value: &Constant) -> Option<u32>;
    /// The index of a name in the code's names.
    fn name(&mut self, name: &str) -> u32;
    /// The instruction's operator.
    fn operator(&self, op: ast::Operator) -> BinaryOp;
}

/// The kernel of a block, where it has one. The block is folded.
pub(super) fn lower(body: &[Stmt], tables: &mut impl Tables) -> Option<Kernel> {
    let [Stmt::Expr(statement)] = body else { return None };
    let mut lowerer = Lowerer { tables, kernel: Kernel::default(), depth: 0 };
    lowerer.expression(&statement.value)?;
    let kernel = lowerer.kernel;
    // A name or a constant alone is as fast without.
    (kernel.nodes.len() > 1).then_some(kernel)
}

struct Lowerer<'t, T> {
    tables: &'t mut T,
    kernel: Kernel,
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

    /// Adds the nodes of an expression; gives the one with its value.
    fn expression(&mut self, expression: &Expr) -> Option<u32> {
        self.depth += 1;
        // A chain of names is one level deeper than its expressions nest.
        let node = if self.depth < MAX_DEPTH { self.node(expression)? } else { return None };
        self.depth -= 1;
        self.add(node)
    }

    fn node(&mut self, expression: &Expr) -> Option<Node> {
        Some(match expression {
            Expr::Constant(node) => self.constant(&node.value)?,
            Expr::Name(node) => self.input(&node.id)?,
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
                    return None;
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
            Expr::Call(node) => self.call(node)?,
            Expr::JoinedStr(node) => self.text(&node.values)?,
            Expr::Attribute(node) if !language::is_left_out_attribute(&node.attr) => {
                Node::Attribute { object: self.expression(&node.value)?, name: self.tables.name(&node.attr) }
            }
            _ => return None,
        })
    }

    fn expressions(&mut self, expressions: &[Expr]) -> Option<Vec<u32>> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    fn constant(&mut self, value: &Constant) -> Option<Node> {
        Some(Node::Const { index: self.tables.constant(value)? })
    }

    fn input(&mut self, name: &str) -> Option<Node> {
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
        Some(Node::Input { index: u32::try_from(index).ok()? })
    }

    fn comparison(&mut self, node: &ast::ExprCompare) -> Option<Node> {
        let first = self.expression(&node.left)?;
        let mut links = Vec::with_capacity(node.ops.len());
        for (op, right) in node.ops.iter().zip(&node.comparators) {
            let relation = relation(*op);
            let operand = match (relation, right) {
                // A list of constants after `in` may as well be a tuple.
                (Relation::Contains { .. }, Expr::List(list)) => {
                    let items = list.elts.iter().map(|item| fold::constant(item).cloned()).collect::<Option<_>>()?;
                    let items = self.constant(&Constant::Tuple(items))?;
                    self.add(items)?
                }
                _ => self.expression(right)?,
            };
            links.push((relation, operand));
        }
        Some(Node::Compare { first, links })
    }

    fn call(&mut self, node: &ast::ExprCall) -> Option<Node> {
        if !node.keywords.is_empty() || node.args.iter().any(Expr::is_starred_expr) {
            return None;
        }
        match &*node.func {
            Expr::Name(callee) => {
                let function = Function::ALL.into_iter().find(|function| function.name() == callee.id.as_str())?;
                if !function.takes(node.args.len()) {
                    return None;
                }
                let arguments = self.expressions(&node.args)?;
                Some(Node::Call { function, name: self.tables.name(&callee.id), arguments })
            }
            Expr::Attribute(method) => {
                let end = match method.attr.as_str() {
                    "startswith" => false,
                    "endswith" => true,
                    _ => return None,
                };
                let [affix] = node.args.as_slice() else { return None };
                Some(Node::Affix { text: self.expression(&method.value)?, affix: self.expression(affix)?, end })
            }
            _ => None,
        }
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
