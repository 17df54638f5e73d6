//! `collections.deque`.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, attribute_error, index_error, runtime_error, type_error, value_error};
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::methods::absolute_index;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::members::plain;
use crate::python::vm::{CompareOp, Vm};

/// `collections.deque`
pub static DEQUE: BuiltinType =
    BuiltinType { construct: Some(construct), methods: METHODS, ..BuiltinType::new("deque", "collections", &OBJECT) };
static DEQUE_ITERATOR: BuiltinType = BuiltinType::new("_deque_iterator", "_collections", &OBJECT);
static REVERSE_ITERATOR: BuiltinType = BuiltinType::new("_deque_reverse_iterator", "_collections", &OBJECT);

/// A `deque`.
pub struct Deque {
    items: RefCell<VecDeque<Value>>,
    max: Option<usize>,
}

static METHODS: &[Method] = &[
    Method { name: "append", call: |vm, this, args| push(vm, this, args, "append", End::Right) },
    Method { name: "appendleft", call: |vm, this, args| push(vm, this, args, "appendleft", End::Left) },
    Method { name: "clear", call: clear },
    Method { name: "copy", call: copy },
    Method { name: "count", call: count },
    Method { name: "extend", call: |vm, this, args| extend(vm, this, args, "extend", End::Right) },
    Method { name: "extendleft", call: |vm, this, args| extend(vm, this, args, "extendleft", End::Left) },
    Method { name: "index", call: index },
    Method { name: "insert", call: insert },
    Method { name: "pop", call: |_, this, args| pop(this, args, "pop", End::Right) },
    Method { name: "popleft", call: |_, this, args| pop(this, args, "popleft", End::Left) },
    Method { name: "remove", call: remove },
    Method { name: "reverse", call: reverse },
    Method { name: "rotate", call: rotate },
];

#[derive(Clone, Copy)]
enum End {
    Left,
    Right,
}

/// How many items are moved, or looked at one after another, in about the time of a step.
const MOVED_A_STEP: usize = 64;
/// How many items are taken hold of in about the time of a step.
const COPIED_A_STEP: usize = 16;

fn receiver(this: &Value) -> PyResult<&Deque> {
    this.downcast::<Deque>().ok_or_else(|| crate::python::methods::wrong_receiver("deque", this))
}

impl Deque {
    /// `deque += iterable`
    ///
    /// # Errors
    /// What iterating raises.
    pub fn extend(&self, vm: &mut Vm, iterable: &Value) -> PyResult<()> {
        for item in vm.collect(iterable)? {
            self.push(item, End::Right);
        }
        Ok(())
    }

    /// Takes the items of another deque, which is left empty.
    pub fn take_from(&self, other: &Value) {
        if let Some(other) = other.downcast::<Self>() {
            let old = self.items.replace(other.items.take());
            drop(old);
        }
    }

    /// `deque * times`
    ///
    /// # Errors
    /// `MemoryError` past the budget.
    pub fn repeated(&self, vm: &mut Vm, times: usize) -> PyResult<Self> {
        let items = self.snapshot(vm)?;
        // Only the last `maxlen` items stay: a round more than fills it is no work that shows.
        let rounds = match self.max {
            Some(max) if !items.is_empty() => times.min(max.div_ceil(items.len()) + 1),
            _ => times,
        };
        vm.charge_bytes(items.len().saturating_mul(rounds).saturating_mul(std::mem::size_of::<Value>()))?;
        let product = Self { items: RefCell::default(), max: self.max };
        for _ in 0..if items.is_empty() { 0 } else { rounds } {
            items.iter().for_each(|item| product.push(item.clone(), End::Right));
        }
        Ok(product)
    }

    fn push(&self, item: Value, end: End) {
        let mut items = self.items.borrow_mut();
        match end {
            End::Left => items.push_front(item),
            End::Right => items.push_back(item),
        }
        if self.max.is_some_and(|max| items.len() > max) {
            match end {
                End::Left => items.pop_back(),
                End::Right => items.pop_front(),
            };
        }
    }

    fn at(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// The items as they are now.
    fn snapshot(&self, vm: &mut Vm) -> PyResult<Vec<Value>> {
        let items = self.items.borrow();
        vm.charge(items.len() / COPIED_A_STEP)?;
        Ok(items.iter().cloned().collect())
    }

    /// Pays for moving the items on the nearer side of a place.
    fn charge_moving(&self, vm: &mut Vm, place: usize) -> PyResult<()> {
        let length = self.items.borrow().len();
        vm.charge(place.min(length.saturating_sub(place)) / MOVED_A_STEP)
    }

    fn place(&self, vm: &mut Vm, key: &Value) -> PyResult<usize> {
        if !matches!(plain(key), Value::Int(_) | Value::Bool(_) | Value::BigInt(_)) {
            return Err(type_error(format!("sequence index must be integer, not '{}'", key.type_name().as_str())));
        }
        let index = match convert::index(vm, key)? {
            Value::Int(index) => index,
            _ => {
                let class = key.type_name();
                return Err(index_error(format!("cannot fit '{}' into an index-sized integer", class.as_str())));
            }
        };
        absolute_index(index, self.items.borrow().len()).ok_or_else(|| index_error("deque index out of range"))
    }
}

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [iterable, max] = args.bind("deque", ["iterable", "maxlen"], 0)?;
    let max = match max.filter(|max| !max.is_none()).map(|max| plain(&max)) {
        None => None,
        Some(max @ (Value::Int(_) | Value::BigInt(_) | Value::Bool(_))) => Some(
            usize::try_from(convert::index_i64(vm, &max)?).map_err(|_| value_error("maxlen must be non-negative"))?,
        ),
        Some(_) => return Err(type_error("an integer is required")),
    };
    let deque = Deque { items: RefCell::default(), max };
    if let Some(iterable) = iterable {
        for item in vm.collect(&iterable)? {
            deque.push(item, End::Right);
        }
    }
    Ok(Value::object(deque))
}

fn push(vm: &mut Vm, this: &Value, args: Args, name: &str, end: End) -> PyResult<Value> {
    let [item] = args.exactly(&format!("deque.{name}"))?;
    vm.charge(1)?;
    receiver(this)?.push(item, end);
    Ok(Value::None)
}

fn extend(vm: &mut Vm, this: &Value, args: Args, name: &str, end: End) -> PyResult<Value> {
    let [iterable] = args.exactly(&format!("deque.{name}"))?;
    let deque = receiver(this)?;
    for item in vm.collect(&iterable)? {
        deque.push(item, end);
    }
    Ok(Value::None)
}

fn clear(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("deque.clear")?;
    let old = std::mem::take(&mut *receiver(this)?.items.borrow_mut());
    drop(old);
    Ok(Value::None)
}

fn copy(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("deque.copy")?;
    let deque = receiver(this)?;
    let items = deque.snapshot(vm)?.into();
    Ok(Value::object(Deque { items: RefCell::new(items), max: deque.max }))
}

fn count(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("deque.count")?;
    let mut found = 0_usize;
    for item in receiver(this)?.snapshot(vm)? {
        vm.charge(1)?;
        if vm.equal(&item, &wanted)? {
            found += 1;
        }
    }
    Ok(Value::from_usize(found))
}

fn find(vm: &mut Vm, deque: &Deque, wanted: &Value) -> PyResult<Option<usize>> {
    for (index, item) in deque.snapshot(vm)?.into_iter().enumerate() {
        vm.charge(1)?;
        if vm.equal(&item, wanted)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn index(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    if args.pos.is_empty() && args.kw.is_empty() {
        return Err(type_error("index() takes at least 1 argument (0 given)"));
    }
    let [wanted, start, stop] = args.between("index", 1)?;
    let (deque, wanted) = (receiver(this)?, wanted.unwrap_or_default());
    let items = deque.snapshot(vm)?;
    let (start, stop) = crate::python::methods::list::search_bounds(vm, start, stop, items.len())?;
    for (index, item) in items.iter().enumerate().take(stop).skip(start) {
        vm.charge(1)?;
        if vm.equal(item, &wanted)? {
            return Ok(Value::from_usize(index));
        }
    }
    Err(value_error(format!("{} is not in deque", vm.repr(&wanted)?)))
}

fn insert(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [index, item] = args.between("insert", 2)?.map(Option::unwrap_or_default);
    let index = convert::index_i64(vm, &index)?;
    let deque = receiver(this)?;
    let length = deque.items.borrow().len();
    if deque.max.is_some_and(|max| length >= max) {
        return Err(index_error("deque already at its maximum size"));
    }
    let place = if index < 0 {
        length.saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::try_from(index).unwrap_or(usize::MAX).min(length)
    };
    deque.charge_moving(vm, place)?;
    deque.items.borrow_mut().insert(place, item);
    Ok(Value::None)
}

fn pop(this: &Value, args: Args, name: &str, end: End) -> PyResult<Value> {
    let [] = args.exactly(&format!("deque.{name}"))?;
    let mut items = receiver(this)?.items.borrow_mut();
    let popped = match end {
        End::Left => items.pop_front(),
        End::Right => items.pop_back(),
    };
    popped.ok_or_else(|| index_error("pop from an empty deque"))
}

fn remove(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("deque.remove")?;
    let deque = receiver(this)?;
    match find(vm, deque, &wanted)? {
        Some(index) => {
            deque.charge_moving(vm, index)?;
            let removed = deque.items.borrow_mut().remove(index);
            drop(removed);
            Ok(Value::None)
        }
        None => Err(value_error(format!("{} is not in deque", vm.repr(&wanted)?))),
    }
}

fn reverse(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("deque.reverse")?;
    let deque = receiver(this)?;
    vm.charge(deque.items.borrow().len() / MOVED_A_STEP)?;
    deque.items.borrow_mut().make_contiguous().reverse();
    Ok(Value::None)
}

fn rotate(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [steps] = args.between("deque.rotate", 0)?;
    let steps = match steps {
        Some(steps) => convert::index_i64(vm, &steps)?,
        None => 1,
    };
    let deque = receiver(this)?;
    let length = deque.items.borrow().len();
    if let Ok(length) = i64::try_from(length)
        && length > 0
    {
        let places = usize::try_from(steps.rem_euclid(length)).unwrap_or_default();
        deque.charge_moving(vm, places)?;
        deque.items.borrow_mut().rotate_right(places);
    }
    Ok(Value::None)
}

struct DequeIterator {
    deque: Value,
    index: usize,
    length: usize,
    reverse: bool,
}

impl PyIterator for DequeIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let deque = receiver(&self.deque)?;
        if self.index >= self.length {
            return Ok(None);
        }
        if deque.items.borrow().len() != self.length {
            return Err(runtime_error("deque mutated during iteration"));
        }
        let place = if self.reverse { self.length - 1 - self.index } else { self.index };
        self.index += 1;
        Ok(deque.at(place))
    }
}

impl Object for Deque {
    fn class(&self) -> &'static BuiltinType {
        &DEQUE
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, _: Value) -> PyResult<()> {
        Err(attribute_error(match name.as_str() {
            "maxlen" => "attribute 'maxlen' of 'collections.deque' objects is not writable".to_owned(),
            name if DEQUE.method(name).is_some() => {
                format!("'collections.deque' object attribute '{name}' is read-only")
            }
            name => format!("'collections.deque' object has no attribute '{name}'"),
        }))
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "maxlen").then(|| self.max.map_or(Value::None, Value::from_usize)))
    }

    fn has_method(&self, name: &str) -> bool {
        name == "__reversed__" || DEQUE.method(name).is_some()
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if name == "__reversed__" {
            let length = self.items.borrow().len();
            let state = DequeIterator { deque: this.clone(), index: 0, length, reverse: true };
            return Some(Ok(IteratorObject::new(&REVERSE_ITERATOR, state)));
        }
        let method = DEQUE.method(name)?;
        Some((method.call)(vm, this, std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        let place = self.place(vm, key)?;
        self.at(place).ok_or_else(|| index_error("deque index out of range"))
    }

    fn set_item(&self, vm: &mut Vm, key: &Value, value: Value) -> PyResult<()> {
        let place = self.place(vm, key)?;
        if let Some(slot) = self.items.borrow_mut().get_mut(place) {
            *slot = value;
        }
        Ok(())
    }

    fn del_item(&self, vm: &mut Vm, key: &Value) -> PyResult<()> {
        let place = self.place(vm, key)?;
        self.charge_moving(vm, place)?;
        let removed = self.items.borrow_mut().remove(place);
        drop(removed);
        Ok(())
    }

    fn iter(&self, _: &mut Vm, this: &Value) -> Option<PyResult<Value>> {
        let length = self.items.borrow().len();
        let state = DequeIterator { deque: this.clone(), index: 0, length, reverse: false };
        Some(Ok(IteratorObject::new(&DEQUE_ITERATOR, state)))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.items.borrow().len()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let list = Value::list(self.snapshot(vm)?);
        let items = vm.deeper(|vm| vm.repr(&list))?;
        Ok(match self.max {
            Some(max) => format!("deque({items}, maxlen={max})"),
            None => format!("deque({items})"),
        })
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Deque>()?;
        let lists = self.snapshot(vm).and_then(|mine| Ok((mine, other.snapshot(vm)?)));
        Some(lists.and_then(|(mine, theirs)| vm.compare(op, &Value::list(mine), &Value::list(theirs))))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error("unhashable type: 'collections.deque'")))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        match (method, other) {
            ("add", other) => {
                let Some(other) = other.downcast::<Deque>() else {
                    let given = other.type_name();
                    return Some(Err(type_error(format!(
                        "can only concatenate deque (not \"{}\") to deque",
                        given.as_str()
                    ))));
                };
                let items = self.snapshot(vm).and_then(|mine| Ok((mine, other.snapshot(vm)?)));
                Some(items.map(|(mine, theirs)| {
                    let sum = Self { items: RefCell::new(mine.into()), max: self.max };
                    theirs.into_iter().for_each(|item| sum.push(item, End::Right));
                    Value::object(sum)
                }))
            }
            _ => None,
        }
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let items = Value::list(self.snapshot(vm)?);
        let copied = super::super::copy::deepcopy(vm, &items)?;
        let items = vm.collect(&copied)?.into();
        Ok(Value::object(Self { items: RefCell::new(items), max: self.max }))
    }
}
