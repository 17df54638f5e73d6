//! Expressions.

use crate::syntax::ast::{self, CmpOp, Constant, Expr, Operator, Ranged};
use tpv_bytecode::{BinaryOp, CodeKind, CompareOp, Const, Instr, UnaryOp};

use super::{Compiler, Done, fstring};
use crate::assemble::Label;
use crate::program::ProgramBuilder;
use crate::{fold, language};

/// Displays with more items than this are built step by step, so that the stack stays low.
const STEPWISE: usize = 30;

impl<'a> Compiler<'a> {
    /// Leaves the value of an expression on the stack.
    pub(super) fn expression(&mut self, expression: &'a Expr) -> Done {
        if let Some(construct) = language::expression(expression) {
            return self.left_out(&construct);
        }
        self.at(expression.start());
        match expression {
            Expr::Constant(node) => constant(self.program, &node.value).map_or(Ok(()), |value| self.constant(value)),
            Expr::Name(node) => self.load_name(&node.id),
            Expr::Attribute(node) => {
                self.expression(&node.value)?;
                self.at(node.range.start());
                let name = self.name_index(&node.attr);
                self.emit(Instr::LoadAttr { name })
            }
            Expr::Subscript(node) => {
                self.expression(&node.value)?;
                self.index(&node.slice)?;
                self.at(node.range.start());
                self.emit(Instr::LoadSubscr)
            }
            Expr::Slice(node) => {
                self.optional(node.lower.as_deref())?;
                self.optional(node.upper.as_deref())?;
                self.optional(node.step.as_deref())?;
                self.emit(Instr::BuildSlice)
            }
            Expr::Call(node) => self.call(node),
            Expr::BinOp(node) => {
                if let Some((parts, items)) = fstring::percent_parts(node) {
                    return self.percent(parts, items);
                }
                self.expression(&node.left)?;
                self.expression(&node.right)?;
                self.at(node.range.start());
                self.emit(Instr::Binary { op: binary_op(node.op) })
            }
            Expr::UnaryOp(node) => self.unary(node),
            Expr::BoolOp(node) => self.bool_op(node),
            Expr::Compare(node) => self.compare(node),
            Expr::IfExp(node) => {
                let (orelse, end) = (self.label(), self.label());
                self.jump_if(&node.test, false, orelse)?;
                self.expression(&node.body)?;
                self.jump(end)?;
                self.place_label(orelse);
                self.expression(&node.orelse)?;
                self.place_label(end);
                Ok(())
            }
            Expr::NamedExpr(node) => {
                self.expression(&node.value)?;
                self.emit(Instr::Dup)?;
                self.assign(&node.target)
            }
            Expr::Tuple(node) => self.tuple(&node.elts),
            Expr::List(node) => self.list(&node.elts),
            Expr::Set(node) => self.set(&node.elts),
            Expr::Dict(node) => self.dict(node),
            Expr::JoinedStr(node) => self.joined_string(&node.values),
            Expr::FormattedValue(node) => self.formatted_value(node),
            Expr::Lambda(node) => self.lambda(node),
            Expr::ListComp(node) => self.list_comprehension(node),
            Expr::SetComp(node) => self.set_comprehension(node),
            Expr::DictComp(node) => self.dict_comprehension(node),
            Expr::GeneratorExp(node) => self.generator_expression(node),
            // Generator functions are not compiled.
            Expr::Yield(_) | Expr::YieldFrom(_) => self.refuse(expression.start(), "'yield' outside function"),
            Expr::Await(node) => {
                self.in_function(node.range.start(), "'await' outside function")?;
                // Asynchronous functions are not compiled, so that this one is in a plain function.
                self.refuse(node.range.start(), "'await' outside async function")
            }
            Expr::Starred(node) => self.refuse(node.range.start(), "can't use starred expression here"),
        }
    }

    /// The key of a subscript: `a[*b]` has a tuple.
    pub(super) fn index(&mut self, key: &'a Expr) -> Done {
        match key {
            Expr::Starred(_) => self.tuple(std::slice::from_ref(key)),
            _ => self.expression(key),
        }
    }

    /// The value, or `None` if there is no expression.
    pub(super) fn optional(&mut self, expression: Option<&'a Expr>) -> Done {
        match expression {
            Some(expression) => self.expression(expression),
            None => self.constant(Const::None),
        }
    }

    fn unary(&mut self, node: &'a ast::ExprUnaryOp) -> Done {
        if node.op == ast::UnaryOp::Not
            && let Expr::Compare(compare) = &*node.operand
            && let ([op], [right]) = (compare.ops.as_slice(), compare.comparators.as_slice())
            && let Some(op) = negated(*op)
        {
            // `not a in b` is `a not in b`, which never differs.
            self.expression(&compare.left)?;
            self.operand(op, right)?;
            self.at(compare.range.start());
            return self.comparison(op);
        }
        self.expression(&node.operand)?;
        self.at(node.range.start());
        self.emit(Instr::Unary {
            op: match node.op {
                ast::UnaryOp::Invert => UnaryOp::Invert,
                ast::UnaryOp::Not => UnaryOp::Not,
                ast::UnaryOp::UAdd => UnaryOp::Positive,
                ast::UnaryOp::USub => UnaryOp::Negative,
            },
        })
    }

    fn bool_op(&mut self, node: &'a ast::ExprBoolOp) -> Done {
        let end = self.label();
        let Some((last, values)) = node.values.split_last() else { return Ok(()) };
        for value in values {
            self.expression(value)?;
            let target = end.target();
            self.emit(match node.op {
                ast::BoolOp::And => Instr::JumpIfFalseOrPop { target },
                ast::BoolOp::Or => Instr::JumpIfTrueOrPop { target },
            })?;
        }
        self.expression(last)?;
        self.place_label(end);
        Ok(())
    }

    fn compare(&mut self, node: &'a ast::ExprCompare) -> Done {
        if self.unit.kind != CodeKind::Function
            && let Some((name, inverted)) = language::name_in_locals(node)
        {
            let name = self.name_index(name);
            self.at(node.range.start());
            self.emit(Instr::HasName { name })?;
            return if inverted { self.emit(Instr::Unary { op: UnaryOp::Not }) } else { Ok(()) };
        }
        self.expression(&node.left)?;
        let Some(((last_op, last), links)) = links(node) else { return Ok(()) };
        if links.is_empty() {
            self.operand(last_op, last)?;
            self.at(node.range.start());
            return self.comparison(last_op);
        }
        let (cleanup, end) = (self.label(), self.label());
        for (op, right) in links {
            self.expression(right)?;
            self.at(node.range.start());
            self.emit(Instr::Dup)?;
            self.emit(Instr::RotThree)?;
            self.comparison(op)?;
            self.emit(Instr::JumpIfFalseOrPop { target: cleanup.target() })?;
        }
        self.operand(last_op, last)?;
        self.at(node.range.start());
        self.comparison(last_op)?;
        self.jump(end)?;
        self.place_label(cleanup);
        self.emit(Instr::Swap)?;
        self.emit(Instr::Pop)?;
        self.place_label(end);
        Ok(())
    }

    /// The right operand of a comparison. A display of constants after `in` is a constant.
    fn operand(&mut self, op: CmpOp, right: &'a Expr) -> Done {
        if matches!(op, CmpOp::In | CmpOp::NotIn) {
            let built = match right {
                Expr::List(node) => constants(self.program, &node.elts).map(Const::Tuple),
                Expr::Set(node) => constants(self.program, &node.elts).map(Const::FrozenSet),
                _ => None,
            };
            if let Some(built) = built {
                return self.constant(built);
            }
        }
        self.expression(right)
    }

    fn comparison(&mut self, op: CmpOp) -> Done {
        self.emit(match op {
            CmpOp::Eq => Instr::Compare { op: CompareOp::Eq },
            CmpOp::NotEq => Instr::Compare { op: CompareOp::Ne },
            CmpOp::Lt => Instr::Compare { op: CompareOp::Lt },
            CmpOp::LtE => Instr::Compare { op: CompareOp::Le },
            CmpOp::Gt => Instr::Compare { op: CompareOp::Gt },
            CmpOp::GtE => Instr::Compare { op: CompareOp::Ge },
            CmpOp::Is => Instr::Is { invert: false },
            CmpOp::IsNot => Instr::Is { invert: true },
            CmpOp::In => Instr::Contains { invert: false },
            CmpOp::NotIn => Instr::Contains { invert: true },
        })
    }

    /// Goes to `target` if the truth of the expression is `when`; leaves nothing on the stack.
    pub(super) fn jump_if(&mut self, expression: &'a Expr, when: bool, target: Label) -> Done {
        match expression {
            Expr::UnaryOp(node) if node.op == ast::UnaryOp::Not => {
                return self.jump_if(&node.operand, !when, target);
            }
            Expr::BoolOp(node) => {
                let Some((last, values)) = node.values.split_last() else { return Ok(()) };
                // The truth of a value that decides the whole.
                let decides = node.op == ast::BoolOp::Or;
                let skip = self.label();
                let decided = if decides == when { target } else { skip };
                for value in values {
                    self.jump_if(value, decides, decided)?;
                }
                self.jump_if(last, when, target)?;
                self.place_label(skip);
                return Ok(());
            }
            _ => {}
        }
        if let Some(constant) = fold::constant(expression) {
            return if fold::truth(constant) == when { self.jump(target) } else { Ok(()) };
        }
        self.expression(expression)?;
        let target = target.target();
        self.emit(if when { Instr::PopJumpIfTrue { target } } else { Instr::PopJumpIfFalse { target } })
    }

    fn tuple(&mut self, items: &'a [Expr]) -> Done {
        if let Some(items) = constants(self.program, items) {
            return self.constant(Const::Tuple(items));
        }
        if items.len() <= STEPWISE && !items.iter().any(Expr::is_starred_expr) {
            self.each(items)?;
            return self.emit(Instr::BuildTuple { count: count(items) });
        }
        self.list(items)?;
        self.emit(Instr::ListToTuple)
    }

    /// A list of the items, starred ones included.
    pub(super) fn list(&mut self, items: &'a [Expr]) -> Done {
        if items.len() > 2
            && let Some(items) = constants(self.program, items)
        {
            self.emit(Instr::BuildList { count: 0 })?;
            self.constant(Const::Tuple(items))?;
            return self.emit(Instr::ListExtend { depth: 1 });
        }
        self.items(
            items,
            |count| Instr::BuildList { count },
            Instr::ListAppend { depth: 1 },
            Instr::ListExtend { depth: 1 },
        )
    }

    /// A set of constants is copied from a frozenset, as in CPython: its order of iteration shows it.
    fn set(&mut self, items: &'a [Expr]) -> Done {
        if items.len() > 2
            && let Some(items) = constants(self.program, items)
        {
            self.emit(Instr::BuildSet { count: 0 })?;
            self.constant(Const::FrozenSet(items))?;
            return self.emit(Instr::SetUpdate { depth: 1 });
        }
        self.items(items, |count| Instr::BuildSet { count }, Instr::SetAdd { depth: 1 }, Instr::SetUpdate { depth: 1 })
    }

    /// Builds a list or set: up to the first starred item at once, the rest one by one.
    fn items(&mut self, items: &'a [Expr], build: fn(u32) -> Instr, add: Instr, extend: Instr) -> Done {
        let place = self.place;
        let plain = items.iter().position(Expr::is_starred_expr).unwrap_or(items.len());
        let at_once = if plain > STEPWISE { 0 } else { plain };
        for item in items.iter().take(at_once) {
            self.expression(item)?;
        }
        self.place = place;
        self.emit(build(u32::try_from(at_once).unwrap_or(u32::MAX)))?;
        for item in items.iter().skip(at_once) {
            if let Expr::Starred(node) = item {
                self.expression(&node.value)?;
                self.emit(extend)?;
            } else {
                self.expression(item)?;
                self.emit(add)?;
            }
        }
        Ok(())
    }

    fn dict(&mut self, node: &'a ast::ExprDict) -> Done {
        let place = self.place;
        let plain = node.keys.iter().position(Option::is_none).unwrap_or(node.keys.len());
        let at_once = if plain > STEPWISE / 2 { 0 } else { plain };
        let pairs = || node.keys.iter().zip(&node.values);
        for (key, value) in pairs().take(at_once) {
            self.optional(key.as_ref())?;
            self.expression(value)?;
        }
        self.place = place;
        self.emit(Instr::BuildDict { count: u32::try_from(at_once).unwrap_or(u32::MAX) })?;
        for (key, value) in pairs().skip(at_once) {
            match key {
                Some(key) => {
                    self.expression(key)?;
                    self.expression(value)?;
                    self.emit(Instr::DictInsert { depth: 1 })?;
                }
                None => {
                    self.expression(value)?;
                    self.emit(Instr::DictUpdate { depth: 1 })?;
                }
            }
        }
        Ok(())
    }

    /// The values of several expressions, one above the other.
    pub(super) fn each(&mut self, expressions: &'a [Expr]) -> Done {
        let place = self.place;
        for expression in expressions {
            self.expression(expression)?;
        }
        self.place = place;
        Ok(())
    }
}

/// The number of items as an operand.
pub(super) fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// The last comparison of a chain, and those before it.
#[allow(clippy::type_complexity)]
fn links(node: &ast::ExprCompare) -> Option<((CmpOp, &Expr), Vec<(CmpOp, &Expr)>)> {
    let mut links: Vec<(CmpOp, &Expr)> = node.ops.iter().copied().zip(&node.comparators).collect();
    let last = links.pop()?;
    Some((last, links))
}

/// The comparison that is always the opposite. Only membership and identity have one: `not a < b` may differ from `a >= b`.
fn negated(op: CmpOp) -> Option<CmpOp> {
    match op {
        CmpOp::In => Some(CmpOp::NotIn),
        CmpOp::NotIn => Some(CmpOp::In),
        CmpOp::Is => Some(CmpOp::IsNot),
        CmpOp::IsNot => Some(CmpOp::Is),
        _ => None,
    }
}

/// The items as constants, if all are.
fn constants(program: &mut ProgramBuilder, items: &[Expr]) -> Option<Vec<Const>> {
    items.iter().map(|item| fold::constant(item).and_then(|value| constant(program, value))).collect()
}

/// A constant of the tree as one of the program; `None` for complex numbers.
pub(super) fn constant(program: &mut ProgramBuilder, value: &Constant) -> Option<Const> {
    Some(match value {
        Constant::None => Const::None,
        Constant::Bool(value) => Const::Bool(*value),
        Constant::Str(text) => Const::Str(program.string(text)),
        Constant::Bytes(bytes) => Const::Bytes(bytes.clone()),
        Constant::Int(value) => match i64::try_from(value) {
            Ok(small) => Const::Int(small),
            Err(_) => Const::BigInt(value.to_signed_bytes_le()),
        },
        Constant::Tuple(items) => {
            Const::Tuple(items.iter().map(|item| constant(program, item)).collect::<Option<_>>()?)
        }
        Constant::Float(value) => Const::Float(*value),
        Constant::Ellipsis => Const::Ellipsis,
        Constant::Complex { .. } => return None,
    })
}

/// The instruction's operator for one of the tree.
pub(super) fn binary_op(op: Operator) -> BinaryOp {
    match op {
        Operator::Add => BinaryOp::Add,
        Operator::Sub => BinaryOp::Subtract,
        Operator::Mult => BinaryOp::Multiply,
        Operator::MatMult => BinaryOp::MatMultiply,
        Operator::Div => BinaryOp::TrueDivide,
        Operator::Mod => BinaryOp::Remainder,
        Operator::Pow => BinaryOp::Power,
        Operator::LShift => BinaryOp::LeftShift,
        Operator::RShift => BinaryOp::RightShift,
        Operator::BitOr => BinaryOp::Or,
        Operator::BitXor => BinaryOp::Xor,
        Operator::BitAnd => BinaryOp::And,
        Operator::FloorDiv => BinaryOp::FloorDivide,
    }
}
