//! `itertools` that give items as they come.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::exception::runtime_error;
use crate::iterator::PyIterator;

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

struct Islice {
    source: Value,
    /// The index of the next item to give.
    next: usize,
    /// The number of items taken.
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

/// The state shared by `groupby` and its groups.
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

    /// Returns `true` if the pending item belongs to the current group.
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
