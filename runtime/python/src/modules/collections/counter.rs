//! `collections.Counter`.

use std::rc::Rc;

use crate::args::Args;
use crate::builtins::convert;
use crate::dict::{Dict, DictClass, Key};
use crate::exception::{NOT_IMPLEMENTED_ERROR, PyResult, Raised, not_implemented_error, raise, type_error};
use crate::methods::dict::{self, receiver};
use crate::methods::sort;
use crate::modules::signature::Signature;
use crate::types::{BuiltinType, DICT};
use crate::value::{Builtin, Method, Value};
use crate::vm::{BinaryOp, CompareOp, UnaryOp, Vm};

/// The exception for a Counter's operators.
///
/// DIFFERENCE: CPython's Counters can be added, subtracted, joined, intersected and ordered.
fn no_operators() -> Raised {
    not_implemented_error("tpvc's `Counter` has no operators: use `update`, `subtract` or a comprehension")
}

/// `collections.Counter`
pub static COUNTER: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method { name: "copy", call: dict::copy },
        Method { name: "most_common", call: most_common },
        Method { name: "subtract", call: |vm, this, args| count_into(vm, this, args, BinaryOp::Subtract) },
        Method { name: "total", call: total },
        Method { name: "update", call: |vm, this, args| count_into(vm, this, args, BinaryOp::Add) },
    ],
    statics: &[Builtin {
        pure: false,
        owner: "Counter",
        name: "fromkeys",
        call: |_, _| {
            Err(raise(&NOT_IMPLEMENTED_ERROR, "Counter.fromkeys() is undefined.  Use Counter(iterable) instead."))
        },
    }],
    ..BuiltinType::new("Counter", "collections", &DICT).generic()
};

/// The behaviour of a `Counter` that differs from a dict: missing keys count 0.
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

    fn compare(&self, _: &mut Vm, _: CompareOp, _: &Rc<Dict>, b: &Rc<Dict>) -> PyResult<Option<bool>> {
        if b.class().is(&COUNTER) { Err(no_operators()) } else { Ok(None) }
    }

    fn binary(&self, _: &mut Vm, op: BinaryOp, _: &Dict, b: &Dict) -> PyResult<Option<Value>> {
        if is_operator(op) && b.class().is(&COUNTER) { Err(no_operators()) } else { Ok(None) }
    }

    fn in_place(&self, _: &mut Vm, op: BinaryOp, _: &Dict, _: &Value) -> PyResult<bool> {
        if is_operator(op) { Err(no_operators()) } else { Ok(false) }
    }

    fn unary(&self, _: &mut Vm, op: UnaryOp, _: &Dict) -> Option<PyResult<Value>> {
        (op != UnaryOp::Invert).then(|| Err(no_operators()))
    }
}

fn is_operator(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::And | BinaryOp::Or)
}

/// Returns `true` if `a` and `b` have equal counts, where a missing key counts 0.
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

fn total(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("Counter.total", [], 0).bind(args)?;
    let mut sum = Value::Int(0);
    vm.charge(receiver(this)?.len())?;
    for count in receiver(this)?.values() {
        sum = vm.binary(BinaryOp::Add, &sum, &count)?;
    }
    Ok(sum)
}
