//! `itertools` that give items as they come.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::builtins::sequences;
use crate::exception::runtime_error;
use crate::iterator::PyIterator;
use crate::vm::BinaryOp;

struct Chain {
    /// An iterator over the iterables.
    sources: Value,
    current: Option<Value>,
}

impl PyIterator for Chain {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        loop {
            vm.charge(1)?;
            if let Some(current) = &self.current {
                if let Some(item) = vm.next(current)? {
                    return Ok(Some(item));
                }
                self.current = None;
            }
            match vm.next(&self.sources)? {
                Some(source) => self.current = Some(vm.iter(&source)?),
                None => return Ok(None),
            }
        }
    }
}

pub(super) fn chain(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("chain")?;
    let sources = vm.iter(&Value::tuple(args.pos.into_vec()))?;
    made(&CHAIN, Chain { sources, current: None })
}

pub(super) fn chain_from_iterable(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [sources] = args.exactly("itertools.chain.from_iterable")?;
    let sources = vm.iter(&sources)?;
    made(&CHAIN, Chain { sources, current: None })
}

struct Count {
    next: Value,
    step: Value,
}

impl PyIterator for Count {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1)?;
        let following = sequences::add(vm, &self.next, &self.step)?;
        Ok(Some(std::mem::replace(&mut self.next, following)))
    }

    fn repr(&self, vm: &mut Vm, _: usize) -> Option<PyResult<String>> {
        let next = vm.repr(&self.next);
        Some(match self.step {
            Value::Int(1) | Value::Bool(true) => next.map(|next| format!("count({next})")),
            _ => next.and_then(|next| Ok(format!("count({next}, {})", vm.repr(&self.step)?))),
        })
    }
}

pub(super) fn count(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [start, step] = args.bind("count", ["start", "step"], 0)?;
    let (next, step) = (start.unwrap_or(Value::Int(0)), step.unwrap_or(Value::Int(1)));
    // Where both are ints and the step is 1, CPython counts in C, from a plain int.
    let next = match (next, &step) {
        (Value::Bool(start), Value::Int(1) | Value::Bool(true)) => Value::Int(i64::from(start)),
        (next, _) => next,
    };
    let mut is_number = |value: &Value| match value {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_) => true,
        Value::Object(object) => ["int", "float", "index"].iter().any(|method| object.number(vm, method).is_some()),
        _ => false,
    };
    if !is_number(&next) || !is_number(&step) {
        return Err(type_error("a number is required"));
    }
    made(&COUNT, Count { next, step })
}

struct Cycle {
    source: Option<Value>,
    seen: Vec<Value>,
    index: usize,
}

impl PyIterator for Cycle {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1)?;
        if let Some(source) = &self.source {
            if let Some(item) = vm.next(source)? {
                self.seen.push(item.clone());
                return Ok(Some(item));
            }
            self.source = None;
        }
        let item = self.seen.get(self.index).cloned();
        self.index += 1;
        if self.index >= self.seen.len() {
            self.index = 0;
        }
        Ok(item)
    }
}

pub(super) fn cycle(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let source = one(args, "cycle")?;
    let source = vm.iter(&source)?;
    made(&CYCLE, Cycle { source: Some(source), seen: Vec::new(), index: 0 })
}

struct Repeat {
    value: Value,
    left: Option<usize>,
}

impl PyIterator for Repeat {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1)?;
        if let Some(left) = &mut self.left {
            match left.checked_sub(1) {
                Some(less) => *left = less,
                None => return Ok(None),
            }
        }
        Ok(Some(self.value.clone()))
    }

    fn size_hint(&self) -> usize {
        self.left.unwrap_or(0)
    }

    fn repr(&self, vm: &mut Vm, _: usize) -> Option<PyResult<String>> {
        let value = vm.repr(&self.value);
        Some(value.map(|value| match self.left {
            Some(left) => format!("repeat({value}, {left})"),
            None => format!("repeat({value})"),
        }))
    }
}

pub(super) fn repeat(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value, times] = args.bind("repeat", ["object", "times"], 1)?;
    let left = match times {
        Some(times) => Some(usize::try_from(convert::index_i64(vm, &times)?).unwrap_or(0)),
        None => None,
    };
    made(&REPEAT, Repeat { value: value.unwrap_or_default(), left })
}

struct Accumulate {
    source: Value,
    function: Option<Value>,
    total: Option<Value>,
    initial: Option<Value>,
}

impl PyIterator for Accumulate {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1)?;
        if let Some(initial) = self.initial.take() {
            self.total = Some(initial.clone());
            return Ok(Some(initial));
        }
        let Some(item) = vm.next(&self.source)? else { return Ok(None) };
        let total = match (&self.total, &self.function) {
            (None, _) => item,
            (Some(total), None) => vm.binary(BinaryOp::Add, total, &item)?,
            (Some(total), Some(function)) => vm.call(function, Args::positional([total.clone(), item]))?,
        };
        self.total = Some(total.clone());
        Ok(Some(total))
    }
}

pub(super) fn accumulate(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [source, function, initial] = args.bind("accumulate", ["iterable", "func", "initial"], 1)?;
    let source = vm.iter(&source.unwrap_or_default())?;
    let given = |value: Option<Value>| value.filter(|value| !value.is_none());
    made(&ACCUMULATE, Accumulate { source, function: given(function), total: None, initial: given(initial) })
}

/// `takewhile`, `dropwhile`, `filterfalse`
struct While {
    predicate: Value,
    source: Value,
    kind: WhileKind,
}

#[derive(PartialEq)]
enum WhileKind {
    Take,
    Drop,
    /// What `Drop` becomes once it has met the first item to keep, and `Take` once it has met the first not to keep.
    Rest,
    End,
    Not,
}

impl PyIterator for While {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        if self.kind == WhileKind::End {
            return Ok(None);
        }
        while let Some(item) = vm.next(&self.source)? {
            vm.charge(1)?;
            if self.kind == WhileKind::Rest {
                return Ok(Some(item));
            }
            let verdict = match &self.predicate {
                Value::None if self.kind == WhileKind::Not => item.clone(),
                predicate => vm.call(predicate, Args::one(item.clone()))?,
            };
            match (vm.truthy(&verdict)?, &self.kind) {
                (true, WhileKind::Take) | (false, WhileKind::Not) => return Ok(Some(item)),
                (false, WhileKind::Take) => {
                    self.kind = WhileKind::End;
                    return Ok(None);
                }
                (false, WhileKind::Drop) => {
                    self.kind = WhileKind::Rest;
                    return Ok(Some(item));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

fn while_iterator(vm: &mut Vm, args: Args, class: &'static BuiltinType, kind: WhileKind) -> PyResult<Value> {
    let [predicate, source] = args.between(class.name, 2)?.map(Option::unwrap_or_default);
    let source = vm.iter(&source)?;
    made(class, While { predicate, source, kind })
}

pub(super) fn takewhile(vm: &mut Vm, args: Args) -> PyResult<Value> {
    while_iterator(vm, args, &TAKEWHILE, WhileKind::Take)
}

pub(super) fn dropwhile(vm: &mut Vm, args: Args) -> PyResult<Value> {
    while_iterator(vm, args, &DROPWHILE, WhileKind::Drop)
}

pub(super) fn filterfalse(vm: &mut Vm, args: Args) -> PyResult<Value> {
    while_iterator(vm, args, &FILTERFALSE, WhileKind::Not)
}

struct Starmap {
    function: Value,
    source: Value,
}

impl PyIterator for Starmap {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1)?;
        let Some(arguments) = vm.next(&self.source)? else { return Ok(None) };
        let arguments = vm.collect(&arguments)?;
        vm.call(&self.function, Args::positional(arguments)).map(Some)
    }
}

pub(super) fn starmap(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [function, source] = args.between("starmap", 2)?.map(Option::unwrap_or_default);
    let source = vm.iter(&source)?;
    made(&STARMAP, Starmap { function, source })
}

struct Islice {
    source: Value,
    /// The index of the next item to give.
    next: usize,
    /// How many items were taken.
    taken: usize,
    stop: usize,
    step: usize,
}

impl Islice {
    /// Asks its source no more.
    fn ended(&mut self) -> Option<Value> {
        (self.next, self.stop) = (self.taken, 0);
        None
    }
}

impl PyIterator for Islice {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        // A start behind the end is gone to, too.
        while self.taken < self.next {
            vm.charge(1)?;
            if vm.next(&self.source)?.is_none() {
                return Ok(self.ended());
            }
            self.taken += 1;
        }
        if self.taken >= self.stop {
            return Ok(self.ended());
        }
        vm.charge(1)?;
        let item = vm.next(&self.source)?;
        if item.is_none() {
            return Ok(self.ended());
        }
        self.taken += 1;
        self.next = self.next.saturating_add(self.step).min(self.stop);
        Ok(item)
    }
}

pub(super) fn islice(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [source, first, second, step] = args.between("islice", 2)?;
    const STOP: &str = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
    const INDICES: &str = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
    let mut bound = |value: Option<Value>, default: usize, message: &str| match value {
        None | Some(Value::None) => Ok(default),
        Some(Value::Int(negative)) if negative < -1 && message == STOP => Err(value_error(INDICES)),
        Some(value @ (Value::Int(_) | Value::Bool(_))) => size(vm, &value, message),
        Some(_) => Err(value_error(message)),
    };
    let (start, stop) = match second {
        None => (0, bound(first, usize::MAX, STOP)?),
        Some(second) => {
            let stop = bound(Some(second), usize::MAX, STOP)?;
            (bound(first, 0, INDICES)?, stop)
        }
    };
    const STEP: &str = "Step for islice() must be a positive integer or None.";
    let step = bound(step, 1, STEP)?;
    if step == 0 {
        return Err(value_error(STEP));
    }
    let source = vm.iter(&source.unwrap_or_default())?;
    made(&ISLICE, Islice { source, next: start, taken: 0, stop, step })
}

struct ZipLongest {
    sources: Vec<Option<Value>>,
    fill: Value,
}

impl PyIterator for ZipLongest {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(3 + self.sources.len())?;
        let mut items = Vec::with_capacity(self.sources.len());
        for source in &mut self.sources {
            let item = match source {
                Some(iterator) => vm.next(iterator)?,
                None => None,
            };
            if item.is_none() {
                *source = None;
            }
            items.push(item.unwrap_or_else(|| self.fill.clone()));
        }
        if self.sources.iter().all(Option::is_none) { Ok(None) } else { Ok(Some(Value::tuple(items))) }
    }
}

pub(super) fn zip_longest(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let mut fill = Value::None;
    for (name, value) in args.kw {
        if name.as_str() != "fillvalue" {
            return Err(type_error("zip_longest() got an unexpected keyword argument"));
        }
        fill = value;
    }
    let sources = args.pos.iter().map(|source| vm.iter(source).map(Some)).collect::<PyResult<_>>()?;
    made(&ZIP_LONGEST, ZipLongest { sources, fill })
}

/// What `groupby` and the groups it gives share.
struct Groups {
    source: Value,
    key: Option<Value>,
    /// The item that was read but not yet given, with its key.
    pending: Option<(Value, Value)>,
    /// The key of the present group.
    current: Option<Value>,
    /// Counts the groups, so that an old group knows that it has ended.
    number: u64,
    ended: bool,
}

impl Groups {
    /// Reads the next item, if none is pending.
    fn read(&mut self, vm: &mut Vm) -> PyResult<()> {
        if self.pending.is_some() || self.ended {
            return Ok(());
        }
        vm.charge(1)?;
        match vm.next(&self.source)? {
            Some(item) => {
                let key = match &self.key {
                    Some(function) => vm.call(function, Args::one(item.clone()))?,
                    None => item.clone(),
                };
                self.pending = Some((key, item));
            }
            None => self.ended = true,
        }
        Ok(())
    }

    /// Whether the pending item belongs to the present group.
    fn belongs(&self, vm: &mut Vm) -> PyResult<bool> {
        match (&self.pending, &self.current) {
            (Some((key, _)), Some(current)) => vm.equal(current, key),
            _ => Ok(false),
        }
    }
}

struct GroupBy(Rc<RefCell<Groups>>);

struct Group {
    groups: Rc<RefCell<Groups>>,
    number: u64,
}

fn groups_busy<T>(_: T) -> crate::exception::Raised {
    runtime_error("groupby is being advanced already")
}

impl PyIterator for GroupBy {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let mut groups = self.0.try_borrow_mut().map_err(groups_busy)?;
        groups.read(vm)?;
        while groups.belongs(vm)? {
            groups.pending = None;
            groups.read(vm)?;
        }
        let Some((key, _)) = &groups.pending else { return Ok(None) };
        let key = key.clone();
        groups.current = Some(key.clone());
        groups.number += 1;
        let group = Group { groups: self.0.clone(), number: groups.number };
        Ok(Some(Value::tuple(vec![key, IteratorObject::new(&GROUPER, group)])))
    }
}

impl PyIterator for Group {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let mut groups = self.groups.try_borrow_mut().map_err(groups_busy)?;
        if groups.number != self.number {
            return Ok(None);
        }
        groups.read(vm)?;
        if groups.belongs(vm)? { Ok(groups.pending.take().map(|(_, item)| item)) } else { Ok(None) }
    }
}

pub(super) fn groupby(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [source, key] = args.bind("groupby", ["iterable", "key"], 1)?;
    let source = vm.iter(&source.unwrap_or_default())?;
    let groups =
        Groups { source, key: key.filter(|key| !key.is_none()), pending: None, current: None, number: 0, ended: false };
    made(&GROUPBY, GroupBy(Rc::new(RefCell::new(groups))))
}
