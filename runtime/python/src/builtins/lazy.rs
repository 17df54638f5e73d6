//! The lazy builtin classes: `map`, `filter`, `zip`, `enumerate`, `reversed`.

use super::convert;
use crate::args::Args;
use crate::exception::{PyResult, type_error, value_error};
use crate::iterator::{IteratorObject, PyIterator};
use crate::methods::{dict_views, range};
use crate::number::Num;
use crate::types::{ENUMERATE, FILTER, LIST_REVERSEITERATOR, MAP, REVERSED, ZIP};
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};

struct Map {
    function: Value,
    iterators: Vec<Value>,
}

impl PyIterator for Map {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(3 + self.iterators.len() / 2)?;
        let mut args = Args::none();
        for iterator in &self.iterators {
            match vm.next(iterator)? {
                Some(item) => args.pos.push(item),
                None => return Ok(None),
            }
        }
        vm.call(&self.function, args).map(Some)
    }
}

/// `map(function, iterable, ...)`
pub(crate) fn map(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("map")?;
    let mut given = args.pos.into_iter();
    let function = given.next().filter(|_| given.len() > 0);
    let Some(function) = function else { return Err(type_error("map() must have at least two arguments.")) };
    let iterators = given.map(|iterable| vm.iter(&iterable)).collect::<PyResult<_>>()?;
    Ok(IteratorObject::new(&MAP, Map { function, iterators }))
}

struct Filter {
    function: Value,
    iterator: Value,
}

impl PyIterator for Filter {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        while let Some(item) = vm.next(&self.iterator)? {
            vm.charge(1)?;
            let verdict = match &self.function {
                Value::None => item.clone(),
                function => vm.call(function, Args::one(item.clone()))?,
            };
            if vm.truthy(&verdict)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }
}

/// `filter(function, iterable)`
pub(crate) fn filter(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [function, iterable] = args.between("filter", 2)?.map(Option::unwrap_or_default);
    let iterator = vm.iter(&iterable)?;
    Ok(IteratorObject::new(&FILTER, Filter { function, iterator }))
}

struct Zip {
    iterators: Vec<Value>,
    strict: bool,
}

impl Zip {
    /// The items after the first at the end of an iterator: with `strict`, all must end together.
    fn check_ends(&self, vm: &mut Vm, ended: usize) -> PyResult<()> {
        if !self.strict {
            return Ok(());
        }
        let before = |count: usize| if count == 1 { "argument 1".to_owned() } else { format!("arguments 1-{count}") };
        if ended > 0 {
            return Err(value_error(format!("zip() argument {} is shorter than {}", ended + 1, before(ended))));
        }
        for (index, iterator) in self.iterators.iter().enumerate().skip(1) {
            if vm.next(iterator)?.is_some() {
                return Err(value_error(format!("zip() argument {} is longer than {}", index + 1, before(index))));
            }
        }
        Ok(())
    }
}

impl PyIterator for Zip {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(5 + self.iterators.len())?;
        if self.iterators.is_empty() {
            return Ok(None);
        }
        let mut items = Vec::with_capacity(self.iterators.len());
        for (index, iterator) in self.iterators.iter().enumerate() {
            match vm.next(iterator)? {
                Some(item) => items.push(item),
                None => {
                    self.check_ends(vm, index)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(Value::tuple(items)))
    }
}

/// `zip(*iterables, strict=False)`
pub(crate) fn zip(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let mut strict = false;
    for (name, value) in &args.kw {
        if name.as_str() != "strict" {
            return Err(type_error(format!("'{}' is an invalid keyword argument for zip()", name.as_str())));
        }
        strict = vm.truthy(value)?;
    }
    let iterators = args.pos.iter().map(|iterable| vm.iter(iterable)).collect::<PyResult<_>>()?;
    Ok(IteratorObject::new(&ZIP, Zip { iterators, strict }))
}

struct Enumerate {
    iterator: Value,
    index: Value,
}

impl PyIterator for Enumerate {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let Some(item) = vm.next(&self.iterator)? else { return Ok(None) };
        // An int of several words is copied with each item.
        vm.visit(Num::int_of(&self.index).map_or(0, Num::words), 2)?;
        let after = vm.binary(BinaryOp::Add, &self.index, &Value::Int(1))?;
        Ok(Some(Value::tuple(vec![std::mem::replace(&mut self.index, after), item])))
    }
}

/// `enumerate(iterable, start=0)`
pub(crate) fn enumerate(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let given = args.pos.len() + args.kw.len();
    if given > 2 {
        return Err(type_error(format!("enumerate() takes at most 2 arguments ({given} given)")));
    }
    if given == 0 {
        return Err(type_error("enumerate() missing required argument 'iterable'"));
    }
    // Its keywords are looked at before what is missing.
    if let Some((name, _)) = args.kw.iter().find(|(name, _)| !matches!(name.as_str(), "iterable" | "start")) {
        let name = name.as_str();
        return Err(type_error(format!("'{name}' is an invalid keyword argument for enumerate()")));
    }
    let [iterable, start] = args.bind("enumerate", ["iterable", "start"], 1)?;
    let index = match start {
        Some(start) => convert::index(vm, &start)?,
        None => Value::Int(0),
    };
    let iterator = vm.iter(&iterable.unwrap_or_default())?;
    Ok(IteratorObject::new(&ENUMERATE, Enumerate { iterator, index }))
}

/// A sequence backwards, by index.
struct Reversed {
    sequence: Value,
    left: usize,
}

impl PyIterator for Reversed {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let Some(index) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = index;
        let item = match &self.sequence {
            Value::List(list) => list.items.borrow().get(index).cloned(),
            Value::Tuple(tuple) => tuple.items.get(index).cloned(),
            other => Some(vm.get_item(other, &Value::from_usize(index))?),
        };
        if item.is_none() {
            self.left = 0;
        }
        Ok(item)
    }

    fn size_hint(&self) -> usize {
        self.left
    }
}

/// `reversed(sequence)`
pub(crate) fn reversed(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [sequence] = args.between("reversed", 1)?.map(Option::unwrap_or_default);
    if let Value::Str(text) = &sequence {
        vm.charge(text.as_str().len())?;
    }
    let class = match &sequence {
        Value::List(_) => &LIST_REVERSEITERATOR,
        Value::Tuple(_) | Value::Str(_) | Value::Bytes(_) => &REVERSED,
        Value::Range(range) => return Ok(range::reverse_iterator(range)),
        Value::Dict(dict) => return Ok(dict_views::reversed(dict, dict_views::Kind::Keys)),
        Value::Object(object) => {
            if let Some(view) = sequence.downcast::<dict_views::View>() {
                return Ok(dict_views::reversed(&view.dict, view.kind));
            }
            if !object.is_sequence(vm) {
                return Err(not_reversible(&sequence));
            }
            &REVERSED
        }
        _ => return Err(not_reversible(&sequence)),
    };
    let left = vm.len(&sequence)?;
    Ok(IteratorObject::new(class, Reversed { sequence, left }))
}

fn not_reversible(value: &Value) -> crate::exception::Raised {
    type_error(format!("'{}' object is not reversible", value.type_name().as_str()))
}
