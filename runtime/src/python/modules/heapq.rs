//! `heapq`: lists as heaps.

use std::rc::Rc;

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, index_error, runtime_error, type_error};
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::methods::sort;
use crate::python::types::GENERATOR;
use crate::python::value::{List, Value};
use crate::python::vm::Vm;

module! {
    /// `heapq`
    MODULE = "heapq";
    functions {
        "heapify" => |vm, args| {
            let [heap] = args.exactly("heapq.heapify")?;
            let heap = list(&heap, "heapify() argument")?;
            let parents = heap.items.borrow().len() / 2;
            for place in (0..parents).rev() {
                sift_up(vm, &heap, place)?;
            }
            Ok(Value::None)
        },
        "heappop" => |vm, args| {
            let [heap] = args.exactly("heapq.heappop")?;
            let heap = list(&heap, "heappop() argument")?;
            let last = heap.items.borrow_mut().pop().ok_or_else(|| index_error("index out of range"))?;
            if heap.items.borrow().is_empty() {
                return Ok(last);
            }
            replace_first(vm, &heap, last)
        },
        "heappush" => |vm, args| {
            let [heap, item] = args.exactly("heappush")?;
            let heap = list(&heap, "heappush() argument 1")?;
            heap.items.borrow_mut().push(item);
            let last = heap.items.borrow().len() - 1;
            sift_down(vm, &heap, 0, last)?;
            Ok(Value::None)
        },
        "heappushpop" => |vm, args| {
            let [heap, item] = args.exactly("heappushpop")?;
            let heap = list(&heap, "heappushpop() argument 1")?;
            let first = heap.items.borrow().first().cloned();
            match first {
                Some(first) if vm.less(&first, &item)? => replace_first(vm, &heap, item),
                _ => Ok(item),
            }
        },
        "heapreplace" => |vm, args| {
            let [heap, item] = args.exactly("heapreplace")?;
            let heap = list(&heap, "heapreplace() argument 1")?;
            if heap.items.borrow().is_empty() {
                return Err(index_error("index out of range"));
            }
            replace_first(vm, &heap, item)
        },
        "merge" => merge,
        "nlargest" => |vm, args| extreme(vm, args, "nlargest", true),
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
fn replace_first(vm: &mut Vm, heap: &List, item: Value) -> PyResult<Value> {
    let first = match heap.items.borrow_mut().first_mut() {
        Some(slot) => std::mem::replace(slot, item),
        None => return Err(index_error("index out of range")),
    };
    sift_up(vm, heap, 0)?;
    Ok(first)
}

/// Whether the item at one place is less than that at another.
fn less(vm: &mut Vm, heap: &List, a: usize, b: usize) -> PyResult<bool> {
    vm.charge(1)?;
    let (before, pair) = {
        let items = heap.items.borrow();
        (items.len(), items.get(a).cloned().zip(items.get(b).cloned()))
    };
    let changed = || runtime_error("list changed size during iteration");
    let (a, b) = pair.ok_or_else(changed)?;
    let less = vm.less(&a, &b)?;
    if heap.items.borrow().len() == before { Ok(less) } else { Err(changed()) }
}

fn swap(heap: &List, a: usize, b: usize) {
    let mut items = heap.items.borrow_mut();
    if a < items.len() && b < items.len() {
        items.swap(a, b);
    }
}

/// Moves the item at a place towards the start until its parent is not greater.
fn sift_down(vm: &mut Vm, heap: &List, start: usize, mut place: usize) -> PyResult<()> {
    while place > start {
        let parent = (place - 1) / 2;
        if !less(vm, heap, place, parent)? {
            break;
        }
        swap(heap, place, parent);
        place = parent;
    }
    Ok(())
}

/// Moves the item at a place to a leaf, the smaller children up, and from there back to where it belongs.
fn sift_up(vm: &mut Vm, heap: &List, start: usize) -> PyResult<()> {
    let end = heap.items.borrow().len();
    let mut place = start;
    while place < end / 2 {
        let mut child = 2 * place + 1;
        if child + 1 < end && !less(vm, heap, child, child + 1)? {
            child += 1;
        }
        swap(heap, place, child);
        place = child;
    }
    sift_down(vm, heap, start, place)
}

/// `nlargest(n, iterable, key=None)`, `nsmallest(...)`: the first of the sorted items.
fn extreme(vm: &mut Vm, args: Args, name: &'static str, largest: bool) -> PyResult<Value> {
    let [count, iterable, key] = Signature::function(name, ["n", "iterable", "key"], 2).bind(args)?;
    let key = key.filter(|key| !key.is_none());
    let mut items = vm.collect(&iterable.unwrap_or_default())?;
    let count = count.unwrap_or_default();
    if matches!(count, Value::Str(_) | Value::None | Value::List(_) | Value::Tuple(_)) {
        let found = count.type_name();
        return Err(type_error(format!("'>=' not supported between instances of '{}' and 'int'", found.as_str())));
    }
    let count = usize::try_from(convert::index_clamped(vm, &count)?).unwrap_or(0);
    sort::sort(vm, &mut items, key.as_ref(), largest)?;
    items.truncate(count);
    Ok(Value::list(items))
}

/// The sources of `merge`, each with its next item and the item's key.
struct Merged {
    /// What was given, until the first item is asked for.
    given: Vec<Value>,
    sources: Vec<(Value, Option<(Value, Value)>)>,
    key: Option<Value>,
    reverse: bool,
}

impl Merged {
    fn advance(&mut self, vm: &mut Vm, index: usize) -> PyResult<()> {
        let Some((iterator, next)) = self.sources.get_mut(index) else { return Ok(()) };
        *next = match vm.next(iterator)? {
            Some(item) => {
                let key = match &self.key {
                    Some(key) => vm.call(key, Args::one(item.clone()))?,
                    None => item.clone(),
                };
                Some((key, item))
            }
            None => None,
        };
        Ok(())
    }
}

impl PyIterator for Merged {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        for source in std::mem::take(&mut self.given) {
            let iterator = vm.iter(&source)?;
            self.sources.push((iterator, None));
            self.advance(vm, self.sources.len() - 1)?;
        }
        let mut best: Option<(usize, &Value)> = None;
        for (index, (_, next)) in self.sources.iter().enumerate() {
            vm.charge(1)?;
            let Some((key, _)) = next else { continue };
            let comes_first = match best {
                Some((_, best)) if self.reverse => vm.less(best, key)?,
                Some((_, best)) => vm.less(key, best)?,
                None => true,
            };
            if comes_first {
                best = Some((index, key));
            }
        }
        let Some((index, _)) = best else { return Ok(None) };
        let item = self.sources.get_mut(index).and_then(|(_, next)| next.take()).map(|(_, item)| item);
        self.advance(vm, index)?;
        Ok(item)
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
    Ok(IteratorObject::new(&GENERATOR, Merged { given: positional.into_vec(), sources: Vec::new(), key, reverse }))
}
