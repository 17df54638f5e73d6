//! One text of code: which names it takes from outside, and what is wrong in it whatever the names hold.
//!
//! The walk follows the order of evaluation. It keeps the types and the bindings of names on each way through the code,
//! and joins them where ways meet; loops are taken to run once, since the mistake that is looked for is rarely an empty
//! list.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tpv_front::syntax::ast::{Expr, Ranged, Stmt};
use tpv_front::syntax::text_size::TextRange;

use super::bindings::Bindings;
use super::cpython::{is_left_out_name, strongest};
use super::keys::Key;
use super::types::{Type, Variable};
use crate::checker::stubs::{Member, model};
use crate::link::Need;
use tpv_model::Version;
use tpv_runtime::mapper::inventory::Inventory;
use tpv_text::code::Code;

/// The surroundings shared by the blocks of a config.
pub(super) struct Surroundings {
    /// The version of TPV that the config is for.
    pub version: Version,
    /// The names that exist natively.
    pub native: RefCell<Inventory>,
    /// The names of every context of the config: one of them may hide what the mapper or Python has.
    pub contexts: HashSet<String>,
    /// The types of names that only contexts of the config have.
    pub context_types: HashMap<String, Type>,
    /// Attributes that entities get from fields TPV does not know, or from code.
    pub attributes: HashSet<String>,
}

/// A fault in the text, with its place in the source that Python reads.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub code: Code,
    pub range: TextRange,
    pub message: String,
    pub label: String,
    pub help: Option<String>,
    pub note: Option<String>,
    /// Another place, and what is there.
    pub also: Option<(TextRange, String)>,
}

/// A name that the text reads and does not bind for certain.
#[derive(Clone, Debug)]
pub(super) struct Free {
    pub name: String,
    pub range: TextRange,
    /// `true` if an exception is caught around it.
    pub guarded: bool,
    /// The text's other bindings of it, on another path or later.
    pub bound: Bound,
}

/// The text's own handling of a name it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is not bound.
    Never,
    /// Binds it only under a condition.
    Maybe,
    /// Binds it only if the entity does not have the field of this name: `if not entity.gpus: gpus = 0`.
    UnlessField,
    /// Binds it further down.
    Later,
    /// Does not bind it for certain, and CPython has it.
    LeftOut {
        /// `true` if a handler catches its absence.
        is_caught: bool,
    },
}

/// The knowledge at one point of the code.
#[derive(Clone, Debug, Default)]
pub(super) struct State<'a> {
    pub scopes: Vec<HashMap<String, Variable>>,
    /// Types of paths such as `user` or `job.history` that a test has narrowed.
    pub facts: HashMap<String, Type>,
    /// The tests that names stand for: `known = user is not None`.
    pub tests: HashMap<String, &'a Expr>,
    /// `true` if this point is never reached.
    pub dead: bool,
}

/// The walk.
pub(super) struct Checker<'a> {
    pub source: &'a str,
    pub surroundings: &'a Surroundings,
    pub state: State<'a>,
    pub faults: Vec<Fault>,
    pub free: Vec<Free>,
    /// The number of enclosing handlers that catch everything.
    pub guarded: usize,
    /// The number of enclosing handlers, in which names of their `try` may be bound.
    pub in_handler: usize,
    /// The names that the block binds and sets.
    pub bindings: Bindings,
    /// The names that the loops around bind: an earlier turn may have bound them.
    pub in_loops: Vec<HashSet<String>>,
    /// The names that the functions around bind: what is called later may find them bound.
    pub in_functions: Vec<HashSet<String>>,
    /// The exceptions that handlers around name: whoever catches a `NameError` expects it.
    pub expected: Vec<String>,
    /// The number of innermost scopes that belong to comprehensions.
    pub comprehensions: usize,
    /// The type that the last walked attribute was taken of: the receiver of a call.
    pub receiver: Type,
    /// `true` if names come from `import *`, so that names cannot be judged.
    pub opaque: bool,
    /// The reasons that CPython runs the text, if the host has it.
    pub needs: Vec<Need>,
    /// `true` if bytes went where their type is lost.
    pub bytes_escaped: bool,
    /// The attributes of values of unknown type that CPython's bytes have and native ones lack.
    pub maybe_of_bytes: Vec<(String, TextRange)>,
    /// The fields that the entity has if a condition of the text is false, by the text of the condition.
    pub fields_unless: HashMap<String, Vec<&'a str>>,
    /// The methods and functions that the text takes as values, by their places.
    pub uncalled: HashMap<TextRange, Type>,
    /// The types of the items of lists and tuples that are written out, by their places.
    pub written: HashMap<TextRange, Vec<Type>>,
    /// The keys of the entity's dicts that the text reads.
    pub keys: Vec<Key>,
}

/// The result of checking a text.
pub(super) struct Checked<'a> {
    pub faults: Vec<Fault>,
    pub free: Vec<Free>,
    /// The type and the place of the result.
    pub result: Option<(Type, &'a Expr)>,
    /// The facts if the result is true.
    pub facts_if_true: HashMap<String, Type>,
    /// The facts if it is false.
    pub facts_if_false: HashMap<String, Type>,
    /// The reason that CPython runs it, if the host has it.
    pub need: Option<Need>,
    /// The keys of the entity's dicts that it reads.
    pub keys: Vec<Key>,
}

/// The condition under which the names of a `try` are bound.
pub(super) const IN_TRY: &str = "\0try";

/// The use of a text's last expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// It is a statement like others.
    Statement,
    /// Its value counts.
    Value,
    /// Its truth counts.
    Test,
}

/// Checks a text.
pub(super) fn check<'a>(
    body: &'a [Stmt],
    source: &'a str,
    ends: Ends,
    facts: HashMap<String, Type>,
    surroundings: &'a Surroundings,
) -> Checked<'a> {
    let bindings = super::bindings::collect(body);
    let state = State { scopes: vec![HashMap::new()], facts, ..State::default() };
    let mut checker = Checker {
        source,
        surroundings,
        state,
        faults: Vec::new(),
        free: Vec::new(),
        guarded: 0,
        in_handler: 0,
        in_loops: Vec::new(),
        in_functions: Vec::new(),
        comprehensions: 0,
        receiver: Type::Any,
        expected: Vec::new(),
        opaque: bindings.star,
        bindings,
        needs: Vec::new(),
        bytes_escaped: false,
        maybe_of_bytes: Vec::new(),
        fields_unless: HashMap::new(),
        uncalled: HashMap::new(),
        written: HashMap::new(),
        keys: Vec::new(),
    };
    let (statements, last) = match body.split_last() {
        Some((Stmt::Expr(last), statements)) if ends != Ends::Statement => (statements, Some(&*last.value)),
        _ => (body, None),
    };
    checker.body(statements);
    let mut result = None;
    let (mut facts_if_true, mut facts_if_false) = (HashMap::new(), HashMap::new());
    if let Some(last) = last {
        let ty = checker.expr(last);
        if ends == Ends::Test {
            checker.tests(last);
        }
        result = Some((ty, last));
        let before = checker.state.facts.clone();
        checker.narrow(last, true);
        facts_if_true = std::mem::replace(&mut checker.state.facts, before);
        checker.narrow(last, false);
        facts_if_false = std::mem::take(&mut checker.state.facts);
        // The block's own names end with it.
        let is_own = |path: &str| checker.bindings.names.contains(super::bindings::first(path));
        facts_if_true.retain(|path, _| !is_own(path));
        facts_if_false.retain(|path, _| !is_own(path));
    }
    checker.judge_bytes();
    let free = if checker.opaque { Vec::new() } else { checker.free };
    let need = strongest(checker.needs);
    Checked { faults: checker.faults, free, result, facts_if_true, facts_if_false, need, keys: checker.keys }
}

impl<'a> Checker<'a> {
    pub(super) fn fault(&mut self, code: Code, at: TextRange, message: String, label: impl Into<String>) {
        if self.state.dead {
            return;
        }
        self.faults.push(Fault { code, range: at, message, label: label.into(), help: None, note: None, also: None });
    }

    /// Adds a fault of code that raises an exception whatever the names hold, unless a handler is around it: then it may be meant.
    pub(super) fn always_raises(&mut self, at: TextRange, message: String, exception: &str, help: &str) {
        if self.guarded > 0 || !self.expected.is_empty() {
            return;
        }
        self.fault(Code::AlwaysRaises, at, message, format!("raises `{exception}`, here and in Galaxy"));
        self.help(help);
    }

    /// Adds what to do about the last fault.
    pub(super) fn help(&mut self, help: impl Into<String>) {
        if let (Some(fault), false) = (self.faults.last_mut(), self.state.dead) {
            fault.help = Some(help.into());
        }
    }

    /// Adds what else is to be known of the last fault.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        if let (Some(fault), false) = (self.faults.last_mut(), self.state.dead) {
            fault.note = Some(note.into());
        }
    }

    /// Returns `true` if an enclosing handler names this exception.
    pub(super) fn expects(&self, exception: &str) -> bool {
        self.expected.iter().any(|name| name == exception)
    }

    /// Returns `true` if a handler around names this exception or one that it derives from.
    pub(super) fn catches(&self, exception: &str) -> bool {
        let bases: &[&str] = match exception {
            "ModuleNotFoundError" => &["ImportError", "Exception", "BaseException"],
            "NotImplementedError" => &["RuntimeError", "Exception", "BaseException"],
            _ => &["Exception", "BaseException"],
        };
        self.expected.iter().any(|name| name == exception || bases.contains(&name.as_str()))
    }

    /// Asks what exists natively.
    pub(super) fn native<T>(&self, ask: impl FnOnce(&mut Inventory) -> T) -> T {
        ask(&mut self.surroundings.native.borrow_mut())
    }

    /// The text of a node.
    pub(super) fn text(&self, node: &impl Ranged) -> &'a str {
        let range = node.range();
        self.source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or("")
    }

    /// Binds a name in the innermost scope.
    pub(super) fn bind(&mut self, name: &str, ty: Type) {
        self.forget(name);
        if let Some(scope) = self.state.scopes.last_mut() {
            scope.insert(name.to_owned(), Variable { ty, maybe: None });
        }
    }

    /// Binds the name of a walrus: comprehensions pass it on to what is around them.
    pub(super) fn bind_outside(&mut self, name: &str, ty: Type) {
        self.forget(name);
        let depth = self.comprehensions;
        let at = self.state.scopes.len().saturating_sub(depth + 1);
        if let Some(scope) = self.state.scopes.get_mut(at) {
            scope.insert(name.to_owned(), Variable { ty, maybe: None });
        }
    }

    /// Drops what was known of a name's value.
    pub(super) fn forget(&mut self, name: &str) {
        self.state.tests.remove(name);
        let inner =
            |path: &String| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.state.facts.retain(|path, _| !inner(path));
    }

    /// The type of a name that is read.
    pub(super) fn read(&mut self, name: &str, range: TextRange) -> Type {
        let mut found = self.state.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned();
        if let Some(variable) = found.as_mut().filter(|_| self.bindings.globals.contains(name)) {
            variable.ty = Type::Any;
        }
        if found.as_ref().is_none_or(|variable| variable.maybe.is_some())
            && self.native(|native| is_left_out_name(native, name))
        {
            // Whatever else the code does about the name, CPython has it where the code has not bound it.
            self.reads_left_out_name(name);
            if !self.state.dead {
                let bound = Bound::LeftOut { is_caught: self.catches("NameError") };
                self.free.push(Free { name: name.to_owned(), range, guarded: true, bound });
            }
            return found.map(|variable| variable.ty).unwrap_or_default();
        }
        let in_loop = self.in_loops.iter().any(|names| names.contains(name));
        if in_loop && found.as_ref().is_none_or(|variable| variable.maybe.is_some()) {
            return found.map(|variable| variable.ty).unwrap_or_default();
        }
        if let Some(variable) = &found {
            match &variable.maybe {
                None => return self.state.facts.get(name).cloned().unwrap_or_else(|| variable.ty.clone()),
                Some(condition) if &**condition == IN_TRY && self.in_handler > 0 => return variable.ty.clone(),
                Some(_) => {}
            }
        } else if self.bindings.globals.contains(name)
            || self.in_functions.iter().any(|names| names.contains(name))
            || (self.state.scopes.len() > 1 && self.bindings.names.contains(name))
        {
            // A function or comprehension runs when the block may have bound it.
            return Type::Any;
        }
        if !self.state.dead && !self.expects("NameError") {
            let has_field_else =
                |condition: &str| self.fields_unless.get(condition).is_some_and(|fields| fields.contains(&name));
            let bound = match &found {
                Some(variable) if variable.maybe.as_deref().is_some_and(has_field_else) => Bound::UnlessField,
                Some(_) => Bound::Maybe,
                None if self.bindings.names.contains(name) => Bound::Later,
                None => Bound::Never,
            };
            self.free.push(Free { name: name.to_owned(), range, guarded: self.guarded > 0, bound });
        }
        match found {
            Some(variable) => variable.ty,
            None => self.state.facts.get(name).cloned().unwrap_or_else(|| self.outer(name)),
        }
    }

    /// The type of a name from outside.
    fn outer(&self, name: &str) -> Type {
        if self.surroundings.contexts.contains(name) {
            return self.surroundings.context_types.get(name).cloned().unwrap_or_default();
        }
        if let Some(Member::Value(ty)) = model().mapper.get(name) {
            return ty.clone();
        }
        match name {
            "helpers" => Type::Module("tpv.core.helpers".into()),
            "functools" | "logging" | "ast" => Type::Module(name.into()),
            "log" => Type::Class("logging.Logger"),
            _ => match model().modules.get("builtins").and_then(|module| module.known.get_key_value(name)) {
                Some((name, Member::Function(_))) => Type::Function("builtins", name),
                _ if model().loader().contains(name) || self.native(|native| native.is_class(&[name])) => {
                    Type::Object(name.into())
                }
                _ => Type::Any,
            },
        }
    }

    /// Runs `then` and `otherwise` from the present state, each on its own, and joins what they come to.
    pub(super) fn branch(&mut self, test: &'a Expr, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let condition = self.text(test);
        let negated = format!("not {condition}");
        for (condition, holds) in [(condition, false), (&negated, true)] {
            let fields = super::narrow::fields_of_entity(test, holds);
            self.fields_unless.insert(condition.to_owned(), fields);
        }
        let before = self.state.clone();
        self.promote(condition);
        then(self);
        let first = std::mem::replace(&mut self.state, before);
        self.promote(&negated);
        otherwise(self);
        let second = std::mem::take(&mut self.state);
        self.state = join(first, second, condition, &negated);
    }

    /// Under the same condition names are bound that were bound under it before.
    fn promote(&mut self, condition: &str) {
        for variable in self.state.scopes.iter_mut().flat_map(HashMap::values_mut) {
            if variable.maybe.as_deref() == Some(condition) {
                variable.maybe = None;
            }
        }
    }

    /// The dotted path of an expression such as `user` or `job.history`.
    pub(super) fn path(expr: &Expr) -> Option<String> {
        match expr {
            Expr::Name(node) => Some(node.id.to_string()),
            Expr::Attribute(node) => Some(format!("{}.{}", Self::path(&node.value)?, node.attr)),
            _ => None,
        }
    }
}

/// The knowledge after two paths join: names that only one of them binds are bound under its condition.
pub(super) fn join<'a>(first: State<'a>, second: State<'a>, condition: &str, negated: &str) -> State<'a> {
    if first.dead {
        return second;
    }
    if second.dead {
        return first;
    }
    let mut out = first;
    for (mine, theirs) in out.scopes.iter_mut().zip(second.scopes) {
        for (name, variable) in mine.iter_mut() {
            match theirs.get(name) {
                Some(other) => {
                    variable.ty = variable.ty.join(&other.ty);
                    variable.maybe = variable.maybe.take().or_else(|| other.maybe.clone());
                }
                None => {
                    variable.maybe.get_or_insert_with(|| Rc::from(condition));
                }
            }
        }
        for (name, mut variable) in theirs {
            mine.entry(name).or_insert_with(|| {
                variable.maybe.get_or_insert_with(|| Rc::from(negated));
                variable
            });
        }
    }
    out.facts.retain(|path, ty| second.facts.get(path) == Some(ty));
    out.tests.retain(|name, test| second.tests.get(name).is_some_and(|other| std::ptr::eq(*test, *other)));
    out
}
