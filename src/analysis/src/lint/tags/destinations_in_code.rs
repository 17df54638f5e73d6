//! Code that may change destinations, through whatever names it gives to their parts.
//!
//! Each name of a block has a [`Tie`] to the destinations: the greatest that any of its assignments gives, wherever they are. A block that
//! stores into something that may be a destination's, or that hides such a part where other code finds it, may change destinations.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use tpv_compiler::python::syntax::ast::{Arguments, Comprehension, ExceptHandler, Expr, ExprCall, Stmt};

use tpv_compiler::python::walk::{self, Part};
use tpv_model::Limit;

/// The relation of a value to the destinations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    /// Neither it nor anything in it is a destination's.
    #[default]
    None,
    /// A new object, such as a list, that may hold parts of destinations.
    Holds,
    /// It may be a destination, or a part of one.
    Part,
}

impl Tie {
    /// The tie of a part of a value: an item, an attribute.
    fn of_part(self) -> Self {
        if self == Self::None { Self::None } else { Self::Part }
    }

    /// The tie of a new container of a value.
    fn in_new(self) -> Self {
        self.min(Self::Holds)
    }
}

/// Names and attributes that lead to the destinations.
const WAYS: [&str; 6] =
    ["mapper", "loader", "evaluator", "tpv_dest_tags", "ACTIVE_DESTINATION_MAPPER", "ACTIVE_DESTINATION_MAPPERS"];

/// The list that `rank` gets: a new one for each job, of the destinations themselves.
const CANDIDATES: &str = "candidate_destinations";

/// Methods that change their object.
const CHANGING: [&str; 23] = [
    "append",
    "appendleft",
    "extend",
    "extendleft",
    "insert",
    "add",
    "update",
    "difference_update",
    "intersection_update",
    "symmetric_difference_update",
    "subtract",
    "remove",
    "pop",
    "popleft",
    "popitem",
    "clear",
    "discard",
    "setdefault",
    "sort",
    "reverse",
    "add_tag_override",
    "override",
    "propagate_parent_properties",
];

/// Attributes of destinations that are texts or truth values. Those of limits are numbers.
const PLAIN: [&str; 6] = ["id", "name", "value", "runner", "dest_name", "abstract"];

/// Functions whose results are no part of their arguments.
const PLAIN_CALLS: [&str; 17] = [
    "str",
    "int",
    "float",
    "bool",
    "len",
    "round",
    "abs",
    "hash",
    "id",
    "isinstance",
    "hasattr",
    "any",
    "all",
    "repr",
    "range",
    "print",
    "deepcopy",
];

/// Methods whose results are no part of their object and arguments.
const PLAIN_METHODS: [&str; 17] = [
    "startswith",
    "endswith",
    "lower",
    "upper",
    "strip",
    "lstrip",
    "rstrip",
    "split",
    "rsplit",
    "splitlines",
    "join",
    "format",
    "replace",
    "count",
    "index",
    "find",
    "deepcopy",
];

/// Methods that keep none of their arguments.
const LOOKING: [&str; 2] = ["get", "sort"];

/// Functions that make a new container of their arguments' items.
const NEW: [&str; 11] =
    ["list", "set", "tuple", "dict", "frozenset", "sorted", "enumerate", "zip", "reversed", "filter", "map"];

/// Methods that make a new container of what their object holds.
const NEW_METHODS: [&str; 6] = ["values", "items", "keys", "copy", "filter", "all_tag_values"];

/// Modules that code has without importing them.
const MODULES: [&str; 2] = ["helpers", "log"];

/// Names of functions and modules that change what they are given.
const CHANGERS: [&str; 7] = ["setattr", "delattr", "operator", "bisect", "heapq", "object", "super"];

/// Classes by which a changing method can be called with its object as an argument: `list.append(x, 1)`.
const CLASSES: [&str; 7] = ["list", "set", "dict", "deque", "defaultdict", "OrderedDict", "Counter"];

/// The number of rounds in which ties spread; code with longer chains of names may change anything.
const ROUNDS: usize = 24;

/// Returns `true` if a block may change destinations.
pub(super) fn changes_destinations(body: &[Stmt]) -> bool {
    let mut names = Names::default();
    body.iter().for_each(|statement| names.statement(statement));
    if names.patches {
        return true;
    }
    if !names.leads_there {
        return false;
    }
    if names.imports_changers {
        return true;
    }
    for _ in 0..ROUNDS {
        if !names.spread() {
            let mut check = Check { names: &names, changes: false };
            body.iter().for_each(|statement| check.statement(statement));
            return check.changes || names.hides;
        }
        let mut stores = Stores { names: &names, filled: HashSet::new() };
        body.iter().for_each(|statement| stores.statement(statement));
        let filled = stores.filled;
        names.filled.extend(filled);
    }
    // Not settled: the names hang together in too long a chain.
    true
}

/// The value of a name.
#[derive(Clone, Copy)]
enum Assigned<'a> {
    /// An expression.
    Value(&'a Expr),
    /// An item of an expression.
    Item(&'a Expr),
    /// The result of a function of the block, as one of its `return` gives it.
    Returned(&'a Expr),
    /// Something else.
    Unknown,
}

/// The names of a block.
#[derive(Default)]
struct Names<'a> {
    assigned: HashMap<&'a str, Vec<Assigned<'a>>>,
    functions: HashSet<&'a str>,
    ties: HashMap<&'a str, Tie>,
    /// The names of containers that got parts of destinations after they were made.
    filled: HashSet<&'a str>,
    /// Names imported from TPV: changing its classes changes how destinations are matched.
    of_tpv: HashSet<&'a str>,
    /// Names of imported modules and their items.
    imports: HashSet<&'a str>,
    imports_changers: bool,
    /// `true` if a part of a destination is stored where other code finds it.
    hides: bool,
    leads_there: bool,
    /// `true` if code changes TPV itself.
    patches: bool,
}

impl<'a> Names<'a> {
    fn set(&mut self, name: &'a str, value: Assigned<'a>) {
        self.assigned.entry(name).or_default().push(value);
    }

    fn assign(&mut self, target: &'a Expr, value: Assigned<'a>) {
        match (target, value) {
            (Expr::Name(node), _) => self.set(node.id.as_str(), value),
            (Expr::Starred(node), _) => self.assign(&node.value, value),
            (Expr::Tuple(_) | Expr::List(_), _) => {
                let parts = items(target);
                let values = match value {
                    Assigned::Value(value) => items(value),
                    _ => &[],
                };
                let is_each = values.len() == parts.len()
                    && !parts.iter().chain(values).any(|part| matches!(part, Expr::Starred(_)));
                for (index, part) in parts.iter().enumerate() {
                    let value = match (value, values.get(index)) {
                        (_, Some(value)) if is_each => Assigned::Value(value),
                        (Assigned::Value(value) | Assigned::Item(value), _) => Assigned::Item(value),
                        (other, _) => other,
                    };
                    self.assign(part, value);
                }
            }
            (Expr::Attribute(_) | Expr::Subscript(_), _) => {
                self.patches |= root(target).is_some_and(|name| name == "type" || self.of_tpv.contains(name));
            }
            _ => {}
        }
    }

    fn parameters(&mut self, arguments: &'a Arguments) {
        let listed = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
        let named = listed.map(|argument| argument.def.arg.as_str());
        let rest = arguments.vararg.iter().chain(&arguments.kwarg).map(|argument| argument.arg.as_str());
        named.chain(rest).for_each(|name| self.set(name, Assigned::Unknown));
    }

    fn statement(&mut self, node: &'a Stmt) {
        match node {
            Stmt::Assign(node) => {
                node.targets.iter().for_each(|target| self.assign(target, Assigned::Value(&node.value)));
            }
            Stmt::AnnAssign(node) => {
                if let Some(value) = &node.value {
                    self.assign(&node.target, Assigned::Value(value));
                }
            }
            // The object stays, or is a new one: `Stores` sees to what it holds.
            Stmt::AugAssign(node) if !matches!(&*node.target, Expr::Name(_)) => {
                self.assign(&node.target, Assigned::Unknown);
            }
            Stmt::For(node) => self.assign(&node.target, Assigned::Item(&node.iter)),
            Stmt::With(node) => {
                for item in &node.items {
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, Assigned::Item(&item.context_expr));
                    }
                }
            }
            Stmt::Try(node) => self.handlers(&node.handlers),
            Stmt::TryStar(node) => self.handlers(&node.handlers),
            Stmt::FunctionDef(node) => {
                self.parameters(&node.args);
                let mut returned = Vec::new();
                node.body.iter().for_each(|statement| returns(statement, &mut returned));
                let name = node.name.as_str();
                self.functions.insert(name);
                self.assigned.entry(name).or_default().extend(returned.into_iter().map(Assigned::Returned));
            }
            Stmt::Import(node) => {
                for alias in &node.names {
                    let name = alias.asname.as_ref().map_or_else(
                        || alias.name.as_str().split('.').next().unwrap_or_default(),
                        |name| name.as_str(),
                    );
                    self.import(alias.name.as_str(), "", name);
                }
            }
            Stmt::ImportFrom(node) => {
                let module = node.module.as_ref().map_or("", |name| name.as_str());
                for alias in &node.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.import(module, alias.name.as_str(), name.as_str());
                }
            }
            _ => {}
        }
        let Ok(()) = walk::statement(node, &mut |part| {
            self.part(part);
            Ok::<(), Infallible>(())
        });
    }

    fn handlers(&mut self, handlers: &'a [ExceptHandler]) {
        for ExceptHandler::ExceptHandler(handler) in handlers {
            if let Some(name) = &handler.name {
                self.set(name.as_str(), Assigned::Unknown);
            }
        }
    }

    fn import(&mut self, module: &str, item: &str, name: &'a str) {
        if module == "tpv" || module.starts_with("tpv.") {
            self.of_tpv.insert(name);
        }
        let is_way = module == "tpv.rules.gateway" || (module == "tpv.rules" && item == "gateway");
        if is_way {
            self.leads_there = true;
            self.set(name, Assigned::Unknown);
        }
        self.imports.insert(name);
        // Their functions by other names.
        self.imports_changers |= CHANGERS.contains(&module);
    }

    fn part(&mut self, part: Part<'a>) {
        match part {
            Part::Stmt(node) => self.statement(node),
            Part::Pattern(_) => {}
            Part::Expr(node) => {
                match node {
                    Expr::Name(node) => {
                        let name = node.id.as_str();
                        self.leads_there |= name == CANDIDATES || WAYS.contains(&name);
                    }
                    Expr::Attribute(node) => self.leads_there |= WAYS.contains(&node.attr.as_str()),
                    Expr::NamedExpr(node) => self.assign(&node.target, Assigned::Value(&node.value)),
                    Expr::Lambda(node) => self.parameters(&node.args),
                    Expr::Call(node) => {
                        let sets = matches!(&*node.func, Expr::Name(name) if CHANGERS.contains(&name.id.as_str()));
                        let of_tpv = node.args.first().and_then(root).is_some_and(|name| self.of_tpv.contains(name));
                        self.patches |= sets && of_tpv;
                    }
                    _ => {}
                }
                generators(node)
                    .iter()
                    .for_each(|generator| self.assign(&generator.target, Assigned::Item(&generator.iter)));
                let Ok(()) = walk::expression(node, &mut |part| {
                    self.part(part);
                    Ok::<(), Infallible>(())
                });
            }
        }
    }

    /// Finds the ties of names anew. Returns `true` if any has changed.
    fn spread(&mut self) -> bool {
        // A container that was filled may be known by the names that it was made of, too.
        let mut filled = Vec::new();
        for name in &self.filled {
            for value in self.assigned.get(name).into_iter().flatten() {
                if let Assigned::Value(value) | Assigned::Item(value) | Assigned::Returned(value) = value {
                    carriers(value, &mut filled);
                }
            }
        }
        for name in filled {
            if self.assigned.contains_key(name) {
                self.filled.insert(name);
            } else {
                let is_known = name == CANDIDATES || WAYS.contains(&name) || MODULES.contains(&name);
                self.hides |= !is_known && !self.imports.contains(name);
            }
        }
        let found: HashMap<&'a str, Tie> = self
            .assigned
            .iter()
            .map(|(name, values)| {
                let least = if self.filled.contains(name) { Tie::Holds } else { Tie::None };
                let ties = values.iter().map(|value| match value {
                    Assigned::Value(value) | Assigned::Returned(value) => self.tie(value),
                    Assigned::Item(value) => self.tie(value).of_part(),
                    Assigned::Unknown => Tie::Part,
                });
                (*name, ties.fold(least, Tie::max))
            })
            .collect();
        let has_changed = found != self.ties;
        self.ties = found;
        has_changed
    }

    fn all<'b>(&self, nodes: impl IntoIterator<Item = &'b Expr>) -> Tie {
        nodes.into_iter().map(|node| self.tie(node)).max().unwrap_or_default()
    }

    fn name(&self, name: &str) -> Tie {
        let own = match name {
            CANDIDATES => Tie::Holds,
            _ if WAYS.contains(&name) => Tie::Part,
            _ => Tie::None,
        };
        self.ties.get(name).copied().unwrap_or_default().max(own)
    }

    fn tie(&self, node: &Expr) -> Tie {
        match node {
            Expr::Name(node) => self.name(node.id.as_str()),
            Expr::Attribute(node) => match node.attr.as_str() {
                way if WAYS.contains(&way) => Tie::Part,
                plain if PLAIN.contains(&plain) || Limit::from_name(plain).is_some() => Tie::None,
                _ => self.tie(&node.value).of_part(),
            },
            Expr::Subscript(node) => self.tie(&node.value).of_part(),
            Expr::Starred(node) => self.tie(&node.value),
            Expr::NamedExpr(node) => self.tie(&node.value),
            Expr::BoolOp(node) => self.all(&node.values),
            Expr::IfExp(node) => self.tie(&node.body).max(self.tie(&node.orelse)),
            Expr::BinOp(node) => self.tie(&node.left).max(self.tie(&node.right)).in_new(),
            Expr::List(node) => self.all(&node.elts).in_new(),
            Expr::Tuple(node) => self.all(&node.elts).in_new(),
            Expr::Set(node) => self.all(&node.elts).in_new(),
            Expr::Dict(node) => self.all(node.keys.iter().flatten().chain(&node.values)).in_new(),
            Expr::ListComp(node) => self.tie(&node.elt).in_new(),
            Expr::SetComp(node) => self.tie(&node.elt).in_new(),
            Expr::GeneratorExp(node) => self.tie(&node.elt).in_new(),
            Expr::DictComp(node) => self.tie(&node.key).max(self.tie(&node.value)).in_new(),
            Expr::Lambda(node) => self.tie(&node.body),
            Expr::Call(node) => self.call(node),
            Expr::Constant(_)
            | Expr::JoinedStr(_)
            | Expr::FormattedValue(_)
            | Expr::Compare(_)
            | Expr::UnaryOp(_)
            | Expr::Slice(_) => Tie::None,
            Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => Tie::Part,
        }
    }

    fn call(&self, node: &ExprCall) -> Tie {
        let arguments = || self.all(arguments(node));
        match &*node.func {
            Expr::Name(function) => {
                let name = function.id.as_str();
                let values = self.assigned.get(name);
                match values {
                    None if PLAIN_CALLS.contains(&name) => return Tie::None,
                    None if NEW.contains(&name) => return arguments().in_new(),
                    // Parameters may be anything, so the arguments are considered already.
                    Some(values) if self.functions.contains(name) => {
                        let is_function = values.iter().all(|value| matches!(value, Assigned::Returned(_)));
                        if is_function {
                            return self.name(name);
                        }
                    }
                    _ => {}
                }
            }
            Expr::Attribute(method) => match method.attr.as_str() {
                name if PLAIN_METHODS.contains(&name) => return Tie::None,
                name if NEW_METHODS.contains(&name) => return self.tie(&method.value).max(arguments()).in_new(),
                _ => {}
            },
            _ => {}
        }
        self.tie(&node.func).max(arguments()).of_part()
    }
}

fn arguments(node: &ExprCall) -> impl Iterator<Item = &Expr> {
    node.args.iter().chain(node.keywords.iter().map(|keyword| &keyword.value))
}

fn items(node: &Expr) -> &[Expr] {
    match node {
        Expr::Tuple(node) => &node.elts,
        Expr::List(node) => &node.elts,
        _ => &[],
    }
}

fn generators(node: &Expr) -> &[Comprehension] {
    match node {
        Expr::ListComp(node) => &node.generators,
        Expr::SetComp(node) => &node.generators,
        Expr::DictComp(node) => &node.generators,
        Expr::GeneratorExp(node) => &node.generators,
        _ => &[],
    }
}

/// The name that a path of attributes, items and calls begins with.
fn root(node: &Expr) -> Option<&str> {
    match node {
        Expr::Name(node) => Some(node.id.as_str()),
        Expr::Attribute(node) => root(&node.value),
        Expr::Subscript(node) => root(&node.value),
        Expr::Call(node) => root(&node.func),
        _ => None,
    }
}

/// Collects the values that a function returns.
fn returns<'a>(node: &'a Stmt, out: &mut Vec<&'a Expr>) {
    if let Stmt::Return(node) = node {
        out.extend(node.value.as_deref());
    }
    let Ok(()) = walk::statement(node, &mut |part| {
        match part {
            Part::Stmt(node) => returns(node, out),
            // What a generator yields, wherever that is in an expression.
            Part::Expr(node) => yields(node, out),
            Part::Pattern(_) => {}
        }
        Ok::<(), Infallible>(())
    });
}

fn yields<'a>(node: &'a Expr, out: &mut Vec<&'a Expr>) {
    if matches!(node, Expr::Yield(_) | Expr::YieldFrom(_)) {
        out.push(node);
    }
    let Ok(()) = walk::expression(node, &mut |part| {
        if let Part::Expr(node) = part {
            yields(node, out);
        }
        Ok::<(), Infallible>(())
    });
}

/// The names whose objects a value may be, or hold.
fn carriers<'a>(node: &'a Expr, out: &mut Vec<&'a str>) {
    match node {
        Expr::Name(node) => out.push(node.id.as_str()),
        Expr::Compare(_) | Expr::JoinedStr(_) | Expr::UnaryOp(_) => {}
        Expr::Call(node) => {
            match &*node.func {
                Expr::Name(name) if PLAIN_CALLS.contains(&name.id.as_str()) => return,
                Expr::Name(_) => {}
                other => carriers(other, out),
            }
            arguments(node).for_each(|argument| carriers(argument, out));
        }
        _ => {
            let Ok(()) = walk::expression(node, &mut |part| {
                if let Part::Expr(node) = part {
                    carriers(node, out);
                }
                Ok::<(), Infallible>(())
            });
        }
    }
}

/// The stores of a node: the place, and the tie of what is put there.
fn stores<'a>(part: &Part<'a>, names: &Names<'_>, out: &mut impl FnMut(&'a Expr, Tie)) {
    match part {
        Part::Stmt(Stmt::Assign(node)) => {
            node.targets.iter().for_each(|target| places(target, names.tie(&node.value), out));
        }
        Part::Stmt(Stmt::AnnAssign(node)) => {
            places(&node.target, node.value.as_deref().map_or(Tie::None, |value| names.tie(value)), out);
        }
        Part::Stmt(Stmt::For(node)) => places(&node.target, names.tie(&node.iter).of_part(), out),
        Part::Stmt(Stmt::With(node)) => {
            for item in &node.items {
                if let Some(target) = item.optional_vars.as_deref() {
                    places(target, names.tie(&item.context_expr).of_part(), out);
                }
            }
        }
        Part::Expr(node) => {
            for generator in generators(node) {
                places(&generator.target, names.tie(&generator.iter).of_part(), out);
            }
        }
        _ => {}
    }
}

/// The objects that setting a target changes. A variable is none.
fn places<'a>(target: &'a Expr, tie: Tie, out: &mut impl FnMut(&'a Expr, Tie)) {
    match target {
        Expr::Name(_) => {}
        Expr::Tuple(node) => node.elts.iter().for_each(|part| places(part, tie, out)),
        Expr::List(node) => node.elts.iter().for_each(|part| places(part, tie, out)),
        Expr::Starred(node) => places(&node.value, tie, out),
        Expr::Attribute(node) => out(&node.value, tie),
        Expr::Subscript(node) => out(&node.value, tie),
        other => out(other, Tie::Part),
    }
}

/// The object that a call of a method changes, and the tie of what it puts there.
fn changed<'a>(node: &'a ExprCall, names: &Names<'_>) -> Option<(&'a Expr, Tie)> {
    let Expr::Attribute(method) = &*node.func else { return None };
    let name = method.attr.as_str();
    // The key of `sort` is not kept.
    let given = || if name == "sort" { Tie::None } else { names.all(arguments(node)) };
    CHANGING.contains(&name).then(|| (&*method.value, given()))
}

/// Finds the containers that parts of destinations are put into.
struct Stores<'b, 'a> {
    names: &'b Names<'a>,
    filled: HashSet<&'a str>,
}

impl<'a> Stores<'_, 'a> {
    fn statement(&mut self, node: &'a Stmt) {
        self.part(Part::Stmt(node));
    }

    fn fill(&mut self, place: &'a Expr, tie: Tie) {
        if tie > Tie::None
            && let Some(name) = root(place)
            && self.names.assigned.contains_key(name)
        {
            self.filled.insert(name);
        }
    }

    fn part(&mut self, part: Part<'a>) {
        let names = self.names;
        stores(&part, names, &mut |place, tie| self.fill(place, tie));
        match part {
            Part::Stmt(Stmt::AugAssign(node)) => self.fill(&node.target, names.tie(&node.value)),
            Part::Expr(Expr::Call(node)) => {
                // A method that is not known may keep its arguments, too.
                if let Expr::Attribute(method) = &*node.func
                    && !LOOKING.contains(&method.attr.as_str())
                    && !PLAIN_METHODS.contains(&method.attr.as_str())
                    && !NEW_METHODS.contains(&method.attr.as_str())
                {
                    self.fill(&method.value, names.all(arguments(node)));
                }
            }
            _ => {}
        }
        let mut each = |part| {
            self.part(part);
            Ok::<(), Infallible>(())
        };
        let Ok(()) = match part {
            Part::Stmt(node) => walk::statement(node, &mut each),
            Part::Expr(node) => walk::expression(node, &mut each),
            Part::Pattern(_) => Ok(()),
        };
    }
}

/// Looks for what changes destinations.
struct Check<'b, 'a> {
    names: &'b Names<'a>,
    changes: bool,
}

impl<'a> Check<'_, 'a> {
    fn statement(&mut self, node: &'a Stmt) {
        self.part(Part::Stmt(node));
    }

    /// An object is changed, and may hold a value of this tie then.
    fn store(&mut self, object: &Expr, tie: Tie) {
        self.changes |= self.names.tie(object) == Tie::Part;
        // What is not the block's own, such as the job's entity, other code finds.
        let is_own = root(object).is_some_and(|name| name == CANDIDATES || self.names.assigned.contains_key(name));
        self.changes |= tie > Tie::None && !is_own;
    }

    fn call(&mut self, node: &'a ExprCall) {
        let names = self.names;
        match &*node.func {
            Expr::Attribute(method) => {
                if let Some((object, tie)) = changed(node, names) {
                    let class = matches!(object, Expr::Name(name) if CLASSES.contains(&name.id.as_str()));
                    self.changes |= class;
                    self.store(object, tie);
                }
                self.part(Part::Expr(&method.value));
            }
            Expr::Name(name) if matches!(name.id.as_str(), "setattr" | "delattr") => match node.args.first() {
                Some(object) => self.store(object, names.all(node.args.iter().skip(1))),
                None => self.changes = true,
            },
            Expr::Name(name) if name.id.as_str() == "getattr" => {
                // A method by its name.
                let text = |node: &Expr| match node {
                    Expr::Constant(node) => node.value.as_str().cloned(),
                    _ => None,
                };
                let is_known = node.args.get(1).and_then(text).is_some_and(|name| !CHANGING.contains(&name.as_str()));
                let of_others = matches!(node.args.first(), Some(Expr::Name(name))
                    if !names.assigned.contains_key(name.id.as_str()) && names.name(name.id.as_str()) == Tie::None);
                self.changes |= !is_known && !of_others;
            }
            other => self.part(Part::Expr(other)),
        }
        arguments(node).for_each(|argument| self.part(Part::Expr(argument)));
    }

    fn part(&mut self, part: Part<'a>) {
        let names = self.names;
        stores(&part, names, &mut |place, tie| self.store(place, tie));
        match part {
            Part::Stmt(node) => {
                match node {
                    // In place, where the object can: an item, a field, or what a variable refers to.
                    Stmt::AugAssign(node) => {
                        let (target, tie) = (&*node.target, names.tie(&node.value));
                        self.changes |= names.tie(target) == Tie::Part;
                        if let Expr::Name(name) = target {
                            let is_own =
                                name.id.as_str() == CANDIDATES || names.assigned.contains_key(name.id.as_str());
                            self.changes |= tie > Tie::None && !is_own;
                        } else {
                            places(target, tie, &mut |place, tie| self.store(place, tie));
                        }
                    }
                    Stmt::Delete(_) | Stmt::ClassDef(_) | Stmt::AsyncFunctionDef(_) => self.changes = true,
                    Stmt::AsyncFor(_) | Stmt::AsyncWith(_) => self.changes = true,
                    Stmt::FunctionDef(node) => self.changes |= !node.decorator_list.is_empty(),
                    _ => {}
                }
                let Ok(()) = walk::statement(node, &mut |part| {
                    self.part(part);
                    Ok::<(), Infallible>(())
                });
            }
            Part::Pattern(_) => self.changes = true,
            Part::Expr(Expr::Call(node)) => self.call(node),
            Part::Expr(node) => {
                match node {
                    // A changing method or function that is not called here, but maybe later by another name.
                    Expr::Attribute(node) => {
                        let name = node.attr.as_str();
                        self.changes |= CHANGING.contains(&name) || CHANGERS.contains(&name);
                    }
                    Expr::Name(node) => {
                        let name = node.id.as_str();
                        self.changes |= CHANGERS.contains(&name) || name == "getattr";
                    }
                    _ => {}
                }
                let Ok(()) = walk::expression(node, &mut |part| {
                    self.part(part);
                    Ok::<(), Infallible>(())
                });
            }
        }
    }
}
