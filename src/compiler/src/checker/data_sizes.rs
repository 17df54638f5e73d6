//! T113: bytes where GiB belong, and the reverse: the units of amounts of data on their way through a text of code.
//!
//! The walk follows assignments, branches and loops, and functions that the text defines. A loop's body is walked twice, so that a
//! sum has what it has after a turn. All that is not known to be an amount of data is [`Quantity::Unknown`], of which nothing is reported.

use std::collections::{HashMap, HashSet};

use num_traits::ToPrimitive;
use tpv_front::syntax::ast::{
    self, BoolOp, CmpOp, Comprehension, Constant, ExceptHandler, Expr, ExprBinOp, ExprCall, ExprName, Operator, Stmt,
    StmtFunctionDef, UnaryOp,
};
use tpv_front::syntax::text_size::TextRange;

use super::block::{Checker, Fault};
use super::quantity::{Quantity, Unit};
use tpv_front::walk::{self, Part};

/// The memories of entities, which are in GiB.
const MEMORIES: [&str; 5] = ["mem", "min_mem", "max_mem", "max_accepted_mem", "min_accepted_mem"];

/// The most expressions that are walked in one text.
const MOST_STEPS: usize = 50_000;

/// The most calls of the text's own functions in one another.
const MOST_CALLS: usize = 4;

/// The faults of a text. `memory` is the field that its last expression becomes, if that is a memory.
pub(super) fn check(body: &[Stmt], source: &str, memory: Option<&str>, contexts: &HashSet<String>) -> Vec<Fault> {
    let mut walk = Walk {
        source,
        contexts,
        state: State::default(),
        functions: HashMap::new(),
        returned: None,
        calls: 0,
        steps: 0,
        faults: Vec::new(),
    };
    let (statements, last) = match (memory, body.split_last()) {
        (Some(memory), Some((Stmt::Expr(last), statements))) => (statements, Some((memory, &*last.value))),
        _ => (body, None),
    };
    walk.body(statements);
    if let Some((memory, last)) = last {
        let quantity = walk.expr(last);
        walk.becomes_memory(memory, last, quantity);
    }
    walk.faults
}

/// Returns `true` for the names that TPV's entities have in code: others may have fields in other units.
fn is_of_tpv(owner: &Expr) -> bool {
    matches!(owner, Expr::Name(name) if matches!(name.id.as_str(), "entity" | "self" | "destination" | "dest" | "d"))
}

/// Returns `true` if the texts of a field become a memory.
pub(super) fn is_memory(field: &str) -> bool {
    MEMORIES.contains(&field)
}

/// The knowledge at one point of the code.
#[derive(Clone, Default)]
pub(super) struct State<'a> {
    names: HashMap<&'a str, Quantity>,
    /// `true` if this point is never reached.
    pub(super) dead: bool,
}

impl State<'_> {
    /// The knowledge where two ways meet.
    fn join(mut self, other: Self) -> Self {
        if self.dead || other.dead {
            return if self.dead { other } else { self };
        }
        for (name, quantity) in other.names {
            let mine = self.names.entry(name).or_insert(quantity);
            *mine = mine.join(quantity);
        }
        self
    }
}

pub(super) struct Walk<'a> {
    pub(super) source: &'a str,
    pub(super) state: State<'a>,
    functions: HashMap<&'a str, &'a StmtFunctionDef>,
    /// The results of the function that is walked.
    returned: Option<Quantity>,
    calls: usize,
    steps: usize,
    /// Names that a context hides.
    contexts: &'a HashSet<String>,
    pub(super) faults: Vec<Fault>,
}

impl<'a> Walk<'a> {
    fn body(&mut self, statements: &'a [Stmt]) {
        statements.iter().for_each(|statement| self.stmt(statement));
    }

    fn stmt(&mut self, node: &'a Stmt) {
        if self.steps > MOST_STEPS {
            return;
        }
        match node {
            Stmt::Assign(node) => {
                let quantity = self.expr(&node.value);
                node.targets.iter().for_each(|target| self.assign(target, Some(&node.value), quantity));
            }
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => {
                let quantity = self.expr(value);
                self.assign(target, Some(value), quantity);
            }
            Stmt::AugAssign(node) => {
                let before = self.expr(&node.target);
                let value = self.expr(&node.value);
                let quantity = self.arithmetic(node.op, (&node.target, before), (&node.value, value), node.range);
                self.assign(&node.target, None, quantity);
            }
            Stmt::If(node) => {
                self.expr(&node.test);
                self.branches(|walk| walk.body(&node.body), |walk| walk.body(&node.orelse));
            }
            Stmt::For(node) => {
                let items = self.expr(&node.iter);
                self.looped(|walk| {
                    walk.assign(&node.target, None, items);
                    walk.body(&node.body);
                });
                self.body(&node.orelse);
            }
            Stmt::While(node) => {
                self.looped(|walk| {
                    walk.expr(&node.test);
                    walk.body(&node.body);
                });
                self.body(&node.orelse);
            }
            Stmt::Try(node) => {
                let before = self.state.clone();
                self.body(&node.body);
                let failed = before.join(State { dead: false, ..self.state.clone() });
                self.body(&node.orelse);
                for ExceptHandler::ExceptHandler(handler) in &node.handlers {
                    let so_far = std::mem::replace(&mut self.state, failed.clone());
                    self.body(&handler.body);
                    self.state = so_far.join(std::mem::take(&mut self.state));
                }
                self.body(&node.finalbody);
            }
            Stmt::FunctionDef(node) => {
                self.functions.insert(node.name.as_str(), node);
                self.state.names.remove(node.name.as_str());
            }
            Stmt::Return(node) => {
                let quantity = node.value.as_deref().map_or(Quantity::Unknown, |value| self.expr(value));
                if !self.state.dead {
                    self.returned = Some(self.returned.map_or(quantity, |returned| returned.join(quantity)));
                }
                self.state.dead = true;
            }
            Stmt::Raise(_) => self.state.dead = true,
            other => {
                let _ = walk::statement(other, &mut |part| {
                    match part {
                        Part::Expr(node) => _ = self.expr(node),
                        Part::Stmt(node) => self.stmt(node),
                        Part::Pattern(_) => {}
                    }
                    Ok::<(), std::convert::Infallible>(())
                });
            }
        }
    }

    fn branches(&mut self, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        then(self);
        let first = std::mem::replace(&mut self.state, before);
        otherwise(self);
        self.state = first.join(std::mem::take(&mut self.state));
    }

    /// A body that runs any number of times.
    fn looped(&mut self, mut run: impl FnMut(&mut Self)) {
        for _ in 0..2 {
            let before = self.state.clone();
            run(self);
            self.state = before.join(std::mem::take(&mut self.state));
        }
    }

    /// Gives a target a value. `value` is its expression, where it is one.
    fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>, quantity: Quantity) {
        match (target, value) {
            (Expr::Name(name), _) => drop(self.state.names.insert(name.id.as_str(), quantity)),
            (Expr::Attribute(node), value) if is_memory(&node.attr) => {
                self.becomes_memory(&node.attr, value.unwrap_or(target), quantity);
            }
            (Expr::Tuple(targets), Some(Expr::Tuple(values))) if targets.elts.len() == values.elts.len() => {
                for (target, value) in targets.elts.iter().zip(&values.elts) {
                    let quantity = self.expr(value);
                    self.assign(target, Some(value), quantity);
                }
            }
            (Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }), _) => {
                elts.iter().for_each(|target| self.assign(target, None, Quantity::Unknown));
            }
            _ => {}
        }
    }

    pub(super) fn expr(&mut self, node: &'a Expr) -> Quantity {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Quantity::Unknown;
        }
        match node {
            Expr::Constant(node) => match &node.value {
                Constant::Int(value) => value.to_f64().map_or(Quantity::Unknown, Quantity::Number),
                Constant::Float(value) => Quantity::Number(*value),
                _ => Quantity::Unknown,
            },
            Expr::Name(name) => self.name(name),
            Expr::Attribute(node) => {
                self.expr(&node.value);
                match node.attr.as_str() {
                    "file_size" | "total_size" | "st_size" => Quantity::data(Unit::BYTES, node.range),
                    memory if is_memory(memory) && is_of_tpv(&node.value) => Quantity::data(Unit::GIB, node.range),
                    _ => Quantity::Unknown,
                }
            }
            Expr::NamedExpr(node) => {
                let quantity = self.expr(&node.value);
                self.assign(&node.target, Some(&node.value), quantity);
                quantity
            }
            Expr::BinOp(node) => self.binary(node),
            Expr::UnaryOp(node) => {
                let quantity = self.expr(&node.operand);
                match node.op {
                    UnaryOp::USub => quantity.times(Quantity::Number(-1.0)),
                    UnaryOp::UAdd => quantity,
                    _ => Quantity::Unknown,
                }
            }
            Expr::BoolOp(node) => {
                let values: Vec<Quantity> = node.values.iter().map(|value| self.expr(value)).collect();
                match node.op {
                    BoolOp::And => values.last().copied().unwrap_or_default(),
                    BoolOp::Or => values.into_iter().reduce(Quantity::join).unwrap_or_default(),
                }
            }
            Expr::IfExp(node) => {
                self.expr(&node.test);
                self.expr(&node.body).join(self.expr(&node.orelse))
            }
            Expr::Compare(node) => {
                let (mut left, mut left_node) = (self.expr(&node.left), &*node.left);
                for (op, item) in node.ops.iter().zip(&node.comparators) {
                    let right = self.expr(item);
                    if !matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn) {
                        self.meet((left_node, left), (item, right), node.range);
                        // A bound from above may be a test for empty files, or so high that it bounds nothing.
                        match op {
                            CmpOp::Gt | CmpOp::GtE => self.compares_number((left_node, left), (item, right)),
                            CmpOp::Lt | CmpOp::LtE => self.compares_number((item, right), (left_node, left)),
                            _ => {}
                        }
                    }
                    (left, left_node) = (right, item);
                }
                Quantity::Unknown
            }
            Expr::Call(node) => self.call(node),
            Expr::Subscript(node) => {
                self.expr(&node.slice);
                self.expr(&node.value)
            }
            Expr::List(ast::ExprList { elts, .. })
            | Expr::Tuple(ast::ExprTuple { elts, .. })
            | Expr::Set(ast::ExprSet { elts, .. }) => {
                // The sum of none is zero.
                elts.iter().map(|item| self.expr(item)).reduce(Quantity::join).unwrap_or(Quantity::Number(0.0))
            }
            Expr::ListComp(node) => self.comprehension(&node.generators, &node.elt),
            Expr::SetComp(node) => self.comprehension(&node.generators, &node.elt),
            Expr::GeneratorExp(node) => self.comprehension(&node.generators, &node.elt),
            Expr::Starred(node) => self.expr(&node.value),
            // Of a dict the values count.
            Expr::DictComp(node) => self.comprehension(&node.generators, &node.value),
            Expr::Dict(node) => {
                node.values.iter().map(|item| self.expr(item)).reduce(Quantity::join).unwrap_or_default()
            }
            // Whoever calls it gives it its values.
            Expr::Lambda(_) => Quantity::Unknown,
            other => {
                let _ = walk::expression(other, &mut |part| {
                    if let Part::Expr(node) = part {
                        self.expr(node);
                    }
                    Ok::<(), std::convert::Infallible>(())
                });
                Quantity::Unknown
            }
        }
    }

    /// The quantity of a name: one that the text binds, or one that TPV gives.
    fn name(&self, node: &'a ExprName) -> Quantity {
        let name = node.id.as_str();
        match self.state.names.get(name) {
            Some(quantity) => *quantity,
            None if self.contexts.contains(name) => Quantity::Unknown,
            None if name == "input_size" || is_memory(name) => Quantity::data(Unit::GIB, node.range),
            None => Quantity::Unknown,
        }
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], item: &'a Expr) -> Quantity {
        let before = self.state.clone();
        for generator in generators {
            let items = self.expr(&generator.iter);
            self.assign(&generator.target, None, items);
            for test in &generator.ifs {
                self.expr(test);
            }
        }
        let quantity = self.expr(item);
        self.state = before;
        quantity
    }

    fn binary(&mut self, node: &'a ExprBinOp) -> Quantity {
        let (left, right) = (self.expr(&node.left), self.expr(&node.right));
        self.arithmetic(node.op, (&node.left, left), (&node.right, right), node.range)
    }

    fn arithmetic(
        &mut self,
        op: Operator,
        left: (&'a Expr, Quantity),
        right: (&'a Expr, Quantity),
        range: TextRange,
    ) -> Quantity {
        let (one, other) = (left.1, right.1);
        if let (Quantity::Number(one), Quantity::Number(other)) = (one, other) {
            let number = match op {
                Operator::Add => one + other,
                Operator::Sub => one - other,
                Operator::Mult => one * other,
                Operator::Div => one / other,
                Operator::Pow => one.powf(other),
                Operator::LShift => one * other.exp2(),
                Operator::RShift => one / other.exp2(),
                _ => return Quantity::Plain,
            };
            return if number.is_finite() { Quantity::Number(number) } else { Quantity::Unknown };
        }
        match op {
            Operator::Add | Operator::Sub => {
                self.meet(left, right, range);
                one.with(other)
            }
            Operator::Mult => one.times(other),
            Operator::Div | Operator::FloorDiv => {
                self.converts_again(left, right);
                one.over(other)
            }
            Operator::LShift => one.shifted(other, 1.0),
            Operator::RShift => one.shifted(other, -1.0),
            _ => Quantity::Unknown,
        }
    }

    fn call(&mut self, node: &'a ExprCall) -> Quantity {
        let receiver = match &*node.func {
            Expr::Attribute(function) => self.expr(&function.value),
            _ => Quantity::Unknown,
        };
        let arguments: Vec<Quantity> = node.args.iter().map(|argument| self.expr(argument)).collect();
        let keywords: Vec<(&str, Quantity)> = node
            .keywords
            .iter()
            .filter_map(|keyword| Some((keyword.arg.as_ref()?.as_str(), self.expr(&keyword.value))))
            .collect();
        let first = arguments.first().copied().unwrap_or_default();
        let path = Checker::path(&node.func).unwrap_or_default();
        if let Expr::Attribute(method) = &*node.func
            && let (Expr::Name(list), "append") = (&*method.value, method.attr.as_str())
            && let Some(items) = self.state.names.get_mut(list.id.as_str())
        {
            *items = items.join(first);
        }
        let data = |unit| Quantity::data(unit, node.range);
        match path.as_str() {
            name if self.functions.contains_key(name) => self.own_call(name, &arguments),
            name if self.state.names.contains_key(name) => Quantity::Unknown,
            "helpers.get_dataset_size" | "helpers.calculate_dataset_total" | "os.path.getsize" | "getsize" => {
                data(Unit::BYTES)
            }
            "helpers.input_size" | "helpers.get_input_size" => data(Unit::GIB),
            "helpers.sum_total" => first.with(arguments.get(1).copied().unwrap_or_default()),
            "abs" | "int" | "float" | "round" | "sum" | "sorted" | "list" | "tuple" | "set" | "reversed" | "iter"
            | "next" | "math.ceil" | "math.floor" | "math.trunc" | "math.fsum" | "ceil" | "floor" => first,
            "len" => Quantity::Plain,
            "min" | "max" => self.extreme(node, &arguments, &keywords),
            path if path.ends_with(".values") => receiver,
            "map" | "reduce" | "functools.reduce" | "filter" => self.applied(node, &arguments),
            _ if path.ends_with(".get_size")
                || matches!(&*node.func, Expr::Attribute(method) if method.attr.as_str() == "get_size") =>
            {
                let is_text =
                    |value: &Expr| !matches!(value, Expr::Constant(value) if value.value == Constant::Bool(false));
                let nice = node.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some("nice_size"));
                let nice = nice.map(|keyword| &keyword.value).or(node.args.first());
                if nice.is_some_and(is_text) { Quantity::Unknown } else { data(Unit::BYTES) }
            }
            _ => Quantity::Unknown,
        }
    }

    /// `map(function, items)`, `filter(function, items)`, `reduce(function, items, start)`
    fn applied(&mut self, node: &'a ExprCall, arguments: &[Quantity]) -> Quantity {
        let items = arguments.get(1).copied().unwrap_or_default();
        let function = node.args.first().and_then(Checker::path).unwrap_or_default();
        let is_filter = matches!(&*node.func, Expr::Name(name) if name.id.as_str() == "filter");
        if let Some(Expr::Lambda(lambda)) = node.args.first() {
            let before = self.state.clone();
            let parameters = lambda.args.posonlyargs.iter().chain(&lambda.args.args);
            self.state.names.extend(parameters.map(|parameter| (parameter.def.arg.as_str(), Quantity::Unknown)));
            let result = self.expr(&lambda.body);
            self.state = before;
            return if is_filter { items } else { result };
        }
        match function.as_str() {
            _ if is_filter => items,
            "helpers.get_dataset_size" | "os.path.getsize" => Quantity::data(Unit::BYTES, node.range),
            "int" | "float" | "round" | "max" | "min" | "helpers.sum_total" | "operator.add" => items,
            _ => Quantity::Unknown,
        }
    }

    /// `max(bytes, 4)`
    fn extreme(&mut self, node: &'a ExprCall, arguments: &[Quantity], keywords: &[(&str, Quantity)]) -> Quantity {
        let mut pairs = node.args.iter().zip(arguments.iter().copied());
        let Some(mut most) = pairs.next() else { return Quantity::Unknown };
        for next in pairs {
            self.meet(most, next, node.range);
            most.1 = most.1.with(next.1);
        }
        let default = keywords.iter().find(|(name, _)| *name == "default");
        default.map_or(most.1, |(_, default)| most.1.with(*default))
    }

    /// A call of a function that the text defines.
    fn own_call(&mut self, name: &str, arguments: &[Quantity]) -> Quantity {
        let Some(function) = self.functions.get(name).copied().filter(|_| self.calls < MOST_CALLS) else {
            return Quantity::Unknown;
        };
        let before = self.state.clone();
        let returned = self.returned.take();
        let parameters = function.args.posonlyargs.iter().chain(&function.args.args);
        let given = arguments.iter().copied().chain(std::iter::repeat(Quantity::Unknown));
        self.state.names.extend(parameters.map(|parameter| parameter.def.arg.as_str()).zip(given));
        self.calls += 1;
        self.body(&function.body);
        self.calls -= 1;
        self.state = before;
        std::mem::replace(&mut self.returned, returned).unwrap_or_default()
    }
}
