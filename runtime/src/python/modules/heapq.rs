//! `heapq`: lists as heaps.

use std::cell::RefCell;
use std::rc::Rc;

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{ATTRIBUTE_ERROR, PyResult, TYPE_ERROR, index_error, runtime_error, type_error};
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::methods::sort;
use crate::python::value::{List, Value};
use crate::python::vm::{CompareOp, UnaryOp, Vm};

module! {
    /// `heapq`
    MODULE = "heapq";
    functions {
        "heapify" => |vm, args| {
            let [heap] = args.exactly("heapq.heapify")?;
            let heap = list(&heap, "heapify() argument")?;
            heapify(vm, &heap, Order::LeastFirst)?;
            Ok(Value::None)
        },
        "heappop" => |vm, args| {
            let [heap] = args.exactly("heapq.heappop")?;
            let heap = list(&heap, "heappop() argument")?;
            let last = heap.items.borrow_mut().pop().ok_or_else(|| index_error("index out of range"))?;
            if heap.items.borrow().is_empty() {
                return Ok(last);
            }
            replace_first(vm, &heap, last, Order::LeastFirst)
        },
        "heappush" => |vm, args| {
            let [heap, item] = args.exactly("heappush")?;
            let heap = list(&heap, "heappush() argument 1")?;
            heap.items.borrow_mut().push(item);
            let last = heap.items.borrow().len() - 1;
            sift_down(vm, &heap, 0, last, Order::LeastFirst)?;
            Ok(Value::None)
        },
        "heappushpop" => |vm, args| {
            let [heap, item] = args.exactly("heappushpop")?;
            let heap = list(&heap, "heappushpop() argument 1")?;
            let first = heap.items.borrow().first().cloned();
            match first {
                Some(first) if vm.less(&first, &item)? => replace_first(vm, &heap, item, Order::LeastFirst),
                _ => Ok(item),
            }
        },
        "heapreplace" => |vm, args| {
            let [heap, item] = args.exactly("heapreplace")?;
            let heap = list(&heap, "heapreplace() argument 1")?;
            if heap.items.borrow().is_empty() {
                return Err(index_error("index out of range"));
            }
            replace_first(vm, &heap, item, Order::LeastFirst)
        },
        "merge" => merge,
        "nlargest" => nlargest,
        "nsmallest" => |vm, args| extreme(vm, args, "nsmallest", false),
    }
    values(_vm) {}
}

fn list(value: &Value, what: &str) -> PyResult<Rc<List>> {
    match value {
        Value::List(list) => Ok(list.clone()),
        other => Err(type_error(format!("{what} must be list, not {}", other.argument_class().as_str()))),
    }
}

/// Puts an item in the place of the smallest, which it gives.
fn replace_first(vm: &mut Vm, heap: &List, item: Value, order: Order) -> PyResult<Value> {
    let first = match heap.items.borrow_mut().first_mut() {
        Some(slot) => std::mem::replace(slot, item),
        None => return Err(index_error("index out of range")),
    };
    sift_up(vm, heap, 0, order)?;
    Ok(first)
}

/// Which item of a heap is its first.
#[derive(Clone, Copy)]
enum Order {
    LeastFirst,
    GreatestFirst,
}

fn heapify(vm: &mut Vm, heap: &List, order: Order) -> PyResult<()> {
    let parents = heap.items.borrow().len() / 2;
    for place in (0..parents).rev() {
        sift_up(vm, heap, place, order)?;
    }
    Ok(())
}

/// Whether the item at one place comes before that at another.
fn before(vm: &mut Vm, heap: &List, a: usize, b: usize, order: Order) -> PyResult<bool> {
    vm.charge(1)?;
    let (length, pair) = {
        let items = heap.items.borrow();
        (items.len(), items.get(a).cloned().zip(items.get(b).cloned()))
    };
    let changed = || runtime_error("list changed size during iteration");
    let (a, b) = pair.ok_or_else(changed)?;
    let comes_before = match order {
        Order::LeastFirst => vm.less(&a, &b)?,
        Order::GreatestFirst => vm.less(&b, &a)?,
    };
    if heap.items.borrow().len() == length { Ok(comes_before) } else { Err(changed()) }
}

fn swap(heap: &List, a: usize, b: usize) {
    let mut items = heap.items.borrow_mut();
    if a < items.len() && b < items.len() {
        items.swap(a, b);
    }
}

/// Moves the item at a place towards the start until its parent is not greater.
fn sift_down(vm: &mut Vm, heap: &List, start: usize, mut place: usize, order: Order) -> PyResult<()> {
    while place > start {
        let parent = (place - 1) / 2;
        if !before(vm, heap, place, parent, order)? {
            break;
        }
        swap(heap, place, parent);
        place = parent;
    }
    Ok(())
}

/// Moves the item at a place to a leaf, the smaller children up, and from there back to where it belongs.
fn sift_up(vm: &mut Vm, heap: &List, start: usize, order: Order) -> PyResult<()> {
    let end = heap.items.borrow().len();
    let mut place = start;
    while place < end / 2 {
        let mut child = 2 * place + 1;
        if child + 1 < end && !before(vm, heap, child, child + 1, order)? {
            child += 1;
        }
        swap(heap, place, child);
        place = child;
    }
    sift_down(vm, heap, start, place, order)
}

/// `nlargest(n, iterable, key=None)`
pub(super) fn nlargest(vm: &mut Vm, args: Args) -> PyResult<Value> {
    extreme(vm, args, "nlargest", true)
}

/// `nlargest(n, iterable, key=None)`, `nsmallest(...)`: step by step as CPython does it, since items need not be ordered.
fn extreme(vm: &mut Vm, args: Args, name: &'static str, largest: bool) -> PyResult<Value> {
    let [count, iterable, key] = Signature::function(name, ["n", "iterable", "key"], 2).bind(args)?;
    let (count, iterable) = (count.unwrap_or_default(), iterable.unwrap_or_default());
    let key = key.filter(|key| !key.is_none());
    if vm.equal(&count, &Value::Int(1))? {
        let mut best: Option<(Value, Value)> = None;
        let iterator = vm.iter(&iterable)?;
        while let Some(item) = vm.next(&iterator)? {
            vm.charge(1)?;
            let rank = ranked(vm, key.as_ref(), &item)?;
            let better = match &best {
                Some((known, _)) if largest => holds(vm, CompareOp::Gt, &rank, known)?,
                Some((known, _)) => vm.less(&rank, known)?,
                None => true,
            };
            if better {
                best = Some((rank, item));
            }
        }
        return Ok(Value::list(best.into_iter().map(|(_, item)| item).collect()));
    }
    if let Some(size) = length(vm, &iterable)?
        && holds(vm, CompareOp::Ge, &count, &Value::from_usize(size))?
    {
        let mut items = vm.collect(&iterable)?;
        sort::sort(vm, &mut items, key.as_ref(), largest)?;
        if !matches!(count, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) {
            return Err(type_error("slice indices must be integers or None or have an __index__ method"));
        }
        return Ok(Value::list(items));
    }
    let iterator = vm.iter(&iterable)?;
    let count = match &count {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => convert::index_clamped(vm, &count)?.max(0),
        other => {
            let counted = if largest { vm.unary(UnaryOp::Negative, other)? } else { other.clone() };
            let found = counted.type_name();
            return Err(type_error(format!("'{}' object cannot be interpreted as an integer", found.as_str())));
        }
    };
    // Each with its number, which decides between equal ones: the first one found counts most.
    let sign = if largest { -1 } else { 1 };
    let heap = List { items: RefCell::default() };
    let mut number: i64 = 0;
    while number < count
        && let Some(item) = vm.next(&iterator)?
    {
        let rank = ranked(vm, key.as_ref(), &item)?;
        heap.items.borrow_mut().push(Value::tuple(vec![rank, Value::Int(sign * number), item]));
        vm.charge(2)?;
        vm.limit_bytes(heap.items.borrow().len().saturating_mul(4 * size_of::<Value>()))?;
        number += 1;
    }
    if heap.items.borrow().is_empty() {
        return Ok(Value::list(Vec::new()));
    }
    let order = if largest { Order::LeastFirst } else { Order::GreatestFirst };
    heapify(vm, &heap, order)?;
    let mut top = part(&heap, 0, 0);
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        let rank = ranked(vm, key.as_ref(), &item)?;
        let better = if largest { vm.less(&top, &rank)? } else { vm.less(&rank, &top)? };
        if better {
            replace_first(vm, &heap, Value::tuple(vec![rank, Value::Int(sign * number), item]), order)?;
            top = part(&heap, 0, 0);
            number += 1;
        }
    }
    let mut items = heap.items.take();
    sort::sort(vm, &mut items, None, largest)?;
    heap.items.replace(items);
    let found = heap.items.borrow().len();
    Ok(Value::list((0..found).map(|place| part(&heap, place, 2)).collect()))
}

fn holds(vm: &mut Vm, op: CompareOp, a: &Value, b: &Value) -> PyResult<bool> {
    let answer = vm.compare(op, a, b)?;
    vm.truthy(&answer)
}

/// What an item is ordered by.
fn ranked(vm: &mut Vm, key: Option<&Value>, item: &Value) -> PyResult<Value> {
    match key {
        Some(key) => vm.call(key, Args::one(item.clone())),
        None => Ok(item.clone()),
    }
}

/// The part of the tuple at a place of the heap.
fn part(heap: &List, place: usize, part: usize) -> Value {
    match heap.items.borrow().get(place) {
        Some(Value::Tuple(tuple)) => tuple.items.get(part).cloned().unwrap_or_default(),
        _ => Value::None,
    }
}

/// `len`, where the value has one.
fn length(vm: &mut Vm, value: &Value) -> PyResult<Option<usize>> {
    match vm.len(value) {
        Ok(length) => Ok(Some(length)),
        Err(raised) if raised.is(&TYPE_ERROR) || raised.is(&ATTRIBUTE_ERROR) => Ok(None),
        Err(raised) => Err(raised),
    }
}

/// What `merge` gives: a heap of the sources by their next items, as CPython keeps it, since items need not be ordered.
struct Merged {
    /// What was given, until the first item is asked for.
    given: Option<Vec<Value>>,
    sources: Vec<Value>,
    /// For each source that is not at its end: what its next item is ordered by, its number, the item.
    heap: List,
    key: Option<Value>,
    order: Order,
    /// Whether the first item of the heap was given away.
    taken: bool,
}

impl Merged {
    fn entry(&self, vm: &mut Vm, source: usize, item: Value) -> PyResult<Value> {
        let number = i64::try_from(source).unwrap_or(i64::MAX);
        let number = if matches!(self.order, Order::LeastFirst) { number } else { -number };
        Ok(Value::tuple(vec![ranked(vm, self.key.as_ref(), &item)?, Value::Int(number), item]))
    }

    fn begin(&mut self, vm: &mut Vm, given: Vec<Value>) -> PyResult<()> {
        for source in given {
            vm.charge(1)?;
            let iterator = vm.iter(&source)?;
            self.sources.push(iterator.clone());
            if let Some(item) = vm.next(&iterator)? {
                let entry = self.entry(vm, self.sources.len() - 1, item)?;
                self.heap.items.borrow_mut().push(entry);
            }
        }
        heapify(vm, &self.heap, self.order)
    }

    /// The number of the source of the first item, and the source.
    fn first_source(&self) -> Option<(usize, Value)> {
        let Value::Int(number) = part(&self.heap, 0, 1) else { return None };
        let number = usize::try_from(number.unsigned_abs()).ok()?;
        Some((number, self.sources.get(number)?.clone()))
    }

    fn remove_first(&self, vm: &mut Vm) -> PyResult<()> {
        let last = self.heap.items.borrow_mut().pop();
        match last {
            Some(last) if !self.heap.items.borrow().is_empty() => {
                replace_first(vm, &self.heap, last, self.order).map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl PyIterator for Merged {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(2)?;
        if let Some(given) = self.given.take() {
            self.begin(vm, given)?;
        }
        let left = self.heap.items.borrow().len();
        if self.taken
            && let Some((number, source)) = self.first_source()
        {
            let item = vm.next(&source)?;
            if left == 1 {
                // A source that is left alone needs no order.
                return Ok(item);
            }
            match item {
                Some(item) => {
                    let entry = self.entry(vm, number, item)?;
                    replace_first(vm, &self.heap, entry, self.order)?;
                }
                None => self.remove_first(vm)?,
            }
        }
        if self.heap.items.borrow().is_empty() {
            return Ok(None);
        }
        self.taken = true;
        Ok(Some(part(&self.heap, 0, 2)))
    }
}

/// `merge(*iterables, key=None, reverse=False)`
fn merge(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let positional = std::mem::take(&mut args.pos);
    let signature =
        Signature { name: "merge", parameters: ["key", "reverse"], positional: 0, required: 0, method: false };
    let [key, reverse] = signature.bind(args)?;
    let reverse = vm.truthy(&reverse.unwrap_or_default())?;
    let key = key.filter(|key| !key.is_none());
    let order = if reverse { Order::GreatestFirst } else { Order::LeastFirst };
    let heap = List { items: RefCell::default() };
    let given = Some(positional.into_vec());
    Ok(IteratorObject::generator("merge", Merged { given, sources: Vec::new(), heap, key, order, taken: false }))
}
