//! `collections.Counter`.

use std::rc::Rc;

use crate::args::Args;
use crate::builtins::convert;
use crate::dict::{Dict, DictClass, Key};
use crate::exception::{PyResult, not_implemented_error, type_error};
use crate::iterator::{IteratorObject, PyIterator};
use crate::methods::dict::{self, receiver};
use crate::methods::sort;
use crate::modules::signature::Signature;
use crate::types::{BuiltinType, DICT, OBJECT};
use crate::value::{Builtin, Method, Value};
use crate::vm::{BinaryOp, CompareOp, UnaryOp, Vm};

/// `collections.Counter`
pub static COUNTER: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method { name: "copy", call: dict::copy },
        Method { name: "elements", call: elements },
        Method { name: "most_common", call: most_common },
        Method { name: "subtract", call: |vm, this, args| count_into(vm, this, args, BinaryOp::Subtract) },
        Method { name: "total", call: total },
        Method { name: "update", call: |vm, this, args| count_into(vm, this, args, BinaryOp::Add) },
    ],
    statics: &[Builtin {
        owner: "Counter",
        name: "fromkeys",
        call: |_, _| Err(not_implemented_error("Counter.fromkeys() is undefined.  Use Counter(iterable) instead.")),
    }],
    ..BuiltinType::new("Counter", "collections", &DICT).generic()
};

static CHAIN: BuiltinType = BuiltinType::new("chain", "itertools", &OBJECT).static_in_c();

/// What a `Counter` does otherwise than a dict: keys that are missing count 0.
struct Counter;

impl DictClass for Counter {
    fn class(&self) -> &'static BuiltinType {
        &COUNTER
    }

    fn missing(&self, _: &mut Vm, _: &Value, _: &Dict, _: &Value) -> PyResult<Value> {
        Ok(Value::Int(0))
    }

    fn delete_missing(&self, _: &Value) -> PyResult<()> {
        Ok(())
    }

    // CPython shows a copy, which does not tell that it holds itself.
    fn repr(&self, vm: &mut Vm, _: &Value, dict: &Dict) -> PyResult<String> {
        if dict.is_empty() {
            return Ok("Counter()".to_owned());
        }
        vm.deeper(|vm| {
            // As `most_common()` orders them, where the counts can be compared.
            let items = by_count(vm, dict).unwrap_or_else(|_| dict.items());
            Ok(format!("Counter({})", vm.entries_repr(&items)?))
        })
    }

    fn equal(&self, vm: &mut Vm, a: &Dict, b: &Dict) -> PyResult<bool> {
        Ok(counts_equal(vm, a, b)? && counts_equal(vm, b, a)?)
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, a: &Rc<Dict>, b: &Rc<Dict>) -> PyResult<Option<bool>> {
        if b.class().is(&COUNTER) { compare(vm, op, a, b).map(Some) } else { Ok(None) }
    }

    fn binary(&self, vm: &mut Vm, op: BinaryOp, a: &Dict, b: &Dict) -> PyResult<Option<Value>> {
        let combines = matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::And | BinaryOp::Or);
        if combines && b.class().is(&COUNTER) { combine(vm, op, a, b).map(Some) } else { Ok(None) }
    }

    fn in_place(&self, vm: &mut Vm, op: BinaryOp, dict: &Dict, other: &Value) -> PyResult<bool> {
        match op {
            BinaryOp::And => intersect(vm, dict, other)?,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Or => {
                let items = items_of(vm, other)?;
                in_place(vm, dict, op, items)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unary(&self, vm: &mut Vm, op: UnaryOp, dict: &Dict) -> Option<PyResult<Value>> {
        (op != UnaryOp::Invert).then(|| signed(vm, dict, op == UnaryOp::Negative))
    }
}

/// The items of any mapping, as CPython's `Counter` asks for them.
fn items_of(vm: &mut Vm, mapping: &Value) -> PyResult<Vec<(Value, Value)>> {
    vm.get_attr(mapping, "items")?;
    if let Value::Dict(dict) = mapping {
        return Ok(dict.items());
    }
    let items = vm.call_method(mapping, "items", Args::none())?;
    let mut pairs = Vec::new();
    for item in vm.collect(&items)? {
        if let [key, count] = vm.unpack(&item, 2)?.as_slice() {
            pairs.push((key.clone(), count.clone()));
        }
    }
    Ok(pairs)
}

/// Whether each count of `a` equals that of `b`, where what is not there counts 0.
fn counts_equal(vm: &mut Vm, a: &Dict, b: &Dict) -> PyResult<bool> {
    let entries: Vec<_> = a.table.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    vm.charge(entries.len())?;
    for (key, value) in entries {
        let other = b.table.borrow().get(&key).cloned().unwrap_or(Value::Int(0));
        if !vm.equal(&value, &other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `<`, `<=`, `>` or `>=`: of all counts, those that are not there being 0.
fn compare(vm: &mut Vm, op: CompareOp, a: &Rc<Dict>, b: &Rc<Dict>) -> PyResult<bool> {
    let (left, right) = (a.table.borrow().clone(), b.table.borrow().clone());
    vm.charge(left.len() + right.len())?;
    let op_or_equal = match op {
        CompareOp::Lt | CompareOp::Le => CompareOp::Le,
        _ => CompareOp::Ge,
    };
    let zero = Value::Int(0);
    for key in left.keys().chain(right.keys()) {
        let (x, y) = (left.get(key).unwrap_or(&zero), right.get(key).unwrap_or(&zero));
        let holds = vm.compare(op_or_equal, x, y)?;
        if !vm.truthy(&holds)? {
            return Ok(false);
        }
    }
    match op {
        CompareOp::Lt | CompareOp::Gt => Ok(!vm.dicts_equal(a, b)?),
        _ => Ok(true),
    }
}

/// `a op b` of two Counters, of `+`, `-`, `&` and `|`: counts are combined, and only those above zero are kept.
fn combine(vm: &mut Vm, op: BinaryOp, a: &Dict, b: &Dict) -> PyResult<Value> {
    let zero = Value::Int(0);
    let result = empty();
    let (left, right) = (a.table.borrow().clone(), b.table.borrow().clone());
    vm.charge(left.len() + right.len())?;
    for (key, x) in &left {
        let y = right.get(key).unwrap_or(&zero);
        let count = match op {
            BinaryOp::And => {
                if vm.less(x, y)? {
                    x.clone()
                } else {
                    y.clone()
                }
            }
            BinaryOp::Or => {
                if vm.less(x, y)? {
                    y.clone()
                } else {
                    x.clone()
                }
            }
            _ => vm.binary(op, x, y)?,
        };
        let positive = vm.compare(CompareOp::Gt, &count, &zero)?;
        if vm.truthy(&positive)? {
            result.table.borrow_mut().insert(key.clone(), count);
        }
    }
    for (key, y) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
        let sign = match op {
            BinaryOp::Subtract => CompareOp::Lt,
            BinaryOp::And => continue,
            _ => CompareOp::Gt,
        };
        let kept = vm.compare(sign, y, &zero)?;
        if vm.truthy(&kept)? {
            let count = if sign == CompareOp::Lt { vm.binary(op, &zero, y)? } else { y.clone() };
            result.table.borrow_mut().insert(key.clone(), count);
        }
    }
    Ok(Value::dict(result))
}

fn empty() -> Dict {
    Dict::of_class(&Counter)
}

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let counter = Value::dict(empty());
    one_source(&args, "__init__")?;
    count_into(vm, &counter, args, BinaryOp::Add)?;
    Ok(counter)
}

/// Adds to, or subtracts from, the count of a key.
fn change(vm: &mut Vm, dict: &Dict, key: Value, op: BinaryOp, by: &Value) -> PyResult<()> {
    // The table is asked and changed.
    vm.charge(2)?;
    let key = Key::new(vm, key)?;
    let old = dict.table.borrow().get(&key).cloned();
    let new = match (&old, op, by) {
        (Some(Value::Int(old)), BinaryOp::Add, Value::Int(by)) if old.checked_add(*by).is_some() => {
            Value::Int(old + by)
        }
        (None, BinaryOp::Add, by) => by.clone(),
        _ => vm.binary(op, &old.unwrap_or(Value::Int(0)), by)?,
    };
    dict.table.borrow_mut().insert(key, new);
    Ok(())
}

/// Refuses more than one source of counts.
fn one_source(args: &Args, method: &str) -> PyResult<()> {
    let given = args.pos.len() + 1;
    if given <= 2 {
        return Ok(());
    }
    Err(type_error(format!("Counter.{method}() takes from 1 to 2 positional arguments but {given} were given")))
}

/// `update` and `subtract`: counts of a mapping, items of an iterable, keyword arguments.
fn count_into(vm: &mut Vm, this: &Value, args: Args, op: BinaryOp) -> PyResult<Value> {
    let dict = receiver(this)?;
    one_source(&args, if op == BinaryOp::Add { "update" } else { "subtract" })?;
    match args.pos.first() {
        None | Some(Value::None) => {}
        Some(Value::Dict(other)) => {
            let counts = other.items().into_iter();
            change_all(vm, dict, op, counts)?;
        }
        Some(iterable) => {
            let iterator = vm.iter(iterable)?;
            while let Some(item) = vm.next(&iterator)? {
                change(vm, dict, item, op, &Value::Int(1))?;
            }
        }
    }
    change_all(vm, dict, op, args.kw.into_iter().map(|(name, count)| (Value::Str(name), count)))?;
    Ok(Value::None)
}

/// Adds or subtracts the counts of a mapping. What is added to nothing is taken as it is; else it is the first operand.
fn change_all(vm: &mut Vm, dict: &Dict, op: BinaryOp, counts: impl Iterator<Item = (Value, Value)>) -> PyResult<()> {
    let fresh = op == BinaryOp::Add && dict.is_empty();
    for (key, count) in counts {
        if fresh || op == BinaryOp::Subtract {
            change(vm, dict, key, op, &count)?;
            continue;
        }
        vm.charge(1)?;
        let key = Key::new(vm, key)?;
        let old = dict.table.borrow().get(&key).cloned().unwrap_or(Value::Int(0));
        let sum = vm.binary(op, &count, &old)?;
        dict.table.borrow_mut().insert(key, sum);
    }
    Ok(())
}

/// `counter += other`, `counter -= other` and `counter |= other`, of the items of any mapping.
///
/// # Errors
/// Where the counts cannot be added or compared.
fn in_place(vm: &mut Vm, dict: &Dict, op: BinaryOp, items: Vec<(Value, Value)>) -> PyResult<()> {
    for (key, count) in items {
        vm.charge(1)?;
        let known = dict.get(vm, &key)?.unwrap_or(Value::Int(0));
        if op != BinaryOp::Or {
            let count = vm.in_place(op, &known, &count)?;
            dict.set(vm, key, count)?;
            continue;
        }
        let greater = vm.compare(CompareOp::Gt, &count, &known)?;
        if vm.truthy(&greater)? {
            dict.set(vm, key, count)?;
        }
    }
    keep_positive(vm, dict)
}

/// Removes what has no count above zero.
fn keep_positive(vm: &mut Vm, dict: &Dict) -> PyResult<()> {
    let zero = Value::Int(0);
    let mut gone = Vec::new();
    for (key, count) in dict.items() {
        let positive = vm.compare(CompareOp::Gt, &count, &zero)?;
        if !vm.truthy(&positive)? {
            gone.push(Key::new(vm, key)?);
        }
    }
    for key in gone {
        vm.charge_removal(dict, &key)?;
        dict.table.borrow_mut().shift_remove(&key);
    }
    Ok(())
}

/// `counter &= other`: the smaller count of each key, as far as it is above zero.
///
/// # Errors
/// Where the other has no such item, or the counts cannot be compared.
fn intersect(vm: &mut Vm, dict: &Dict, other: &Value) -> PyResult<()> {
    for (key, count) in dict.items() {
        vm.charge(1)?;
        let bound = vm.get_item(other, &key)?;
        if vm.less(&bound, &count)? {
            dict.set(vm, key, bound)?;
        }
    }
    keep_positive(vm, dict)
}

/// `+counter` and `-counter`: the counts above zero, or those below it with the sign turned.
fn signed(vm: &mut Vm, counter: &Dict, negative: bool) -> PyResult<Value> {
    let kept = empty();
    let zero = Value::Int(0);
    for (key, count) in counter.items() {
        vm.charge(1)?;
        let op = if negative { CompareOp::Lt } else { CompareOp::Gt };
        let wanted = vm.compare(op, &count, &zero)?;
        if vm.truthy(&wanted)? {
            let count = if negative { vm.binary(BinaryOp::Subtract, &zero, &count)? } else { count };
            kept.table.borrow_mut().insert(Key::new(vm, key)?, count);
        }
    }
    Ok(Value::dict(kept))
}

/// The items by count, greatest first, equal counts in the order of first meeting.
fn by_count(vm: &mut Vm, dict: &Dict) -> PyResult<Vec<(Value, Value)>> {
    let mut counts: Vec<(Value, Value)> = dict.items();
    // Sorting indices by count keeps the stable sort's work on plain values.
    let keys: Vec<Value> = counts.iter().map(|(_, count)| count.clone()).collect();
    let order = sort::order(vm, &keys, true)?;
    let mut sorted = Vec::with_capacity(counts.len());
    for index in order {
        if let Some((key, count)) = counts.get_mut(index) {
            sorted.push((std::mem::take(key), std::mem::take(count)));
        }
    }
    Ok(sorted)
}

fn most_common(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [count] = Signature::method("Counter.most_common", ["n"], 0).bind(args)?;
    let dict = receiver(this)?;
    let mut items = by_count(vm, dict)?;
    if let Some(count) = count.filter(|count| !count.is_none()) {
        // CPython's `heapq.nlargest` compares before it counts, and slices what is no more than it was asked for.
        let all = vm.compare(CompareOp::Ge, &count, &Value::from_usize(items.len()))?;
        let count = match &count {
            Value::Float(_) if vm.truthy(&all)? => {
                return Err(type_error("slice indices must be integers or None or have an __index__ method"));
            }
            count => usize::try_from(convert::index_clamped(vm, count)?).unwrap_or(0),
        };
        items.truncate(count);
    }
    let pairs = items.into_iter().map(|(key, count)| Value::tuple(vec![key, count]));
    Ok(Value::list(pairs.collect()))
}

/// Each key as often as it counts.
struct Elements {
    items: std::vec::IntoIter<(Value, Value)>,
    current: Option<(Value, i64)>,
}

impl PyIterator for Elements {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        loop {
            vm.charge(1)?;
            if let Some((key, left)) = &mut self.current
                && *left > 0
            {
                *left -= 1;
                return Ok(Some(key.clone()));
            }
            let Some((key, count)) = self.items.next() else { return Ok(None) };
            self.current = Some((key, convert::index_i64(vm, &count)?));
        }
    }
}

fn elements(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("Counter.elements", [], 0).bind(args)?;
    vm.charge(receiver(this)?.len())?;
    let items = receiver(this)?.items().into_iter();
    Ok(IteratorObject::new(&CHAIN, Elements { items, current: None }))
}

fn total(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("Counter.total", [], 0).bind(args)?;
    let mut sum = Value::Int(0);
    vm.charge(receiver(this)?.len())?;
    for count in receiver(this)?.values() {
        sum = vm.binary(BinaryOp::Add, &sum, &count)?;
    }
    Ok(sum)
}
