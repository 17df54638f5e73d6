//! `collections.defaultdict` and `collections.OrderedDict`.

use crate::args::Args;
use crate::builtins::classes::is_callable;
use crate::builtins::containers;
use crate::dict::{Dict, DictClass, Key};
use crate::exception::{PyResult, key_error, ordered_key_error, type_error, value_error};
use crate::methods::dict::{self, items, keys, receiver, take_out, values};
use crate::types::{BuiltinType, DICT};
use crate::value::{Builtin, Method, Value};
use crate::vm::{BinaryOp, Vm};

/// `collections.defaultdict`
pub static DEFAULTDICT: BuiltinType = BuiltinType {
    construct: Some(default_dict),
    ..BuiltinType::new("defaultdict", "collections", &DICT).static_in_c().generic()
};

/// `collections.OrderedDict`
pub static ORDERED_DICT: BuiltinType = BuiltinType {
    construct: Some(ordered_dict),
    methods: &[
        Method { name: "clear", call: dict::clear },
        Method { name: "copy", call: dict::copy },
        Method { name: "items", call: items },
        Method { name: "keys", call: keys },
        Method { name: "move_to_end", call: move_to_end },
        Method { name: "popitem", call: dict::popitem },
        Method {
            name: "pop",
            call: |vm, this, args| {
                let [key, default] = args.bind("pop", ["key", "default"], 1)?;
                take_out(vm, receiver(this)?, key.unwrap_or_default(), default)
            },
        },
        Method {
            name: "update",
            call: |vm, this, args| {
                if args.pos.len() > 1 {
                    return Err(type_error(format!(
                        "update() takes at most 1 positional argument ({} given)",
                        args.pos.len()
                    )));
                }
                update_ordered(vm, receiver(this)?, args)?;
                Ok(Value::None)
            },
        },
        Method {
            name: "setdefault",
            call: |vm, this, args| {
                let [key, default] = args.bind("setdefault", ["key", "default"], 1)?;
                let plain = Args::positional([key.unwrap_or_default(), default.unwrap_or_default()]);
                dict::setdefault(vm, this, plain)
            },
        },
        Method { name: "values", call: values },
    ],
    statics: &[Builtin::new("OrderedDict", "fromkeys", ordered_from_keys)],
    ..BuiltinType::new("OrderedDict", "collections", &DICT).static_in_c().generic()
};

/// The behaviour of a `defaultdict` that differs from a dict.
struct DefaultDict;

impl DictClass for DefaultDict {
    fn class(&self) -> &'static BuiltinType {
        &DEFAULTDICT
    }

    fn keeps_class(&self) -> bool {
        true
    }

    fn missing(&self, vm: &mut Vm, this: &Value, dict: &Dict, key: &Value) -> PyResult<Value> {
        let Some(factory) = dict.factory().filter(|factory| !factory.is_none()).cloned() else {
            return Err(key_error(key.clone()));
        };
        let value = vm.call(&factory, Args::none())?;
        vm.set_item(this, key, value.clone())?;
        Ok(value)
    }

    fn repr(&self, vm: &mut Vm, this: &Value, dict: &Dict) -> PyResult<String> {
        vm.guarded_repr(this, "...", |vm| {
            // A factory that guards its text against itself, such as a `partial`, shows that it is being made.
            let factory = dict.factory().cloned().unwrap_or_default();
            let text = vm.guarded_repr(&factory, "...", |vm| vm.repr(&factory))?;
            Ok(format!("defaultdict({text}, {})", vm.entries_repr(&dict.items())?))
        })
    }
}

/// The behaviour of an `OrderedDict` that differs from a dict.
struct OrderedDict;

impl DictClass for OrderedDict {
    fn class(&self) -> &'static BuiltinType {
        &ORDERED_DICT
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn keeps_class(&self) -> bool {
        true
    }

    fn repr(&self, vm: &mut Vm, this: &Value, dict: &Dict) -> PyResult<String> {
        vm.guarded_repr(this, "...", |vm| {
            if dict.is_empty() {
                return Ok("OrderedDict()".to_owned());
            }
            let pairs = dict.items().into_iter().map(|(key, value)| Value::tuple(vec![key, value]));
            Ok(format!("OrderedDict([{}])", vm.joined_reprs(&pairs.collect::<Vec<_>>())?))
        })
    }

    fn equal(&self, vm: &mut Vm, a: &Dict, b: &Dict) -> PyResult<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (x, y) in a.keys().into_iter().zip(b.keys()) {
            if !vm.equal(&x, &y)? {
                return Ok(false);
            }
        }
        vm.entries_equal(a, b)
    }

    fn in_place(&self, vm: &mut Vm, op: BinaryOp, dict: &Dict, other: &Value) -> PyResult<bool> {
        if op == BinaryOp::Or {
            update_from(vm, dict, other)?;
        }
        Ok(op == BinaryOp::Or)
    }
}

fn default_dict(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let factory = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
    if !factory.is_none() && !is_callable(&factory) {
        return Err(type_error("first argument must be callable or None"));
    }
    let dict = Dict::of_class(&DefaultDict).with_factory(factory);
    containers::update(vm, &dict, "defaultdict", args)?;
    Ok(Value::dict(dict))
}

fn ordered_dict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let dict = Dict::of_class(&OrderedDict);
    if args.pos.len() > 1 {
        return Err(type_error(format!("expected at most 1 arguments, got {}", args.pos.len())));
    }
    update_ordered(vm, &dict, args)?;
    Ok(Value::dict(dict))
}

/// `OrderedDict.update`, which takes pairs apart by itself.
fn update_ordered(vm: &mut Vm, dict: &Dict, args: Args) -> PyResult<()> {
    if let Some(source) = args.pos.first() {
        update_from(vm, dict, source)?;
    }
    containers::update_from_keywords(dict, args.kw);
    Ok(())
}

/// Updates an `OrderedDict` from a mapping or from pairs.
///
/// # Errors
/// `ValueError` where what should be a pair is none, `TypeError` where it cannot be iterated.
fn update_from(vm: &mut Vm, dict: &Dict, source: &Value) -> PyResult<()> {
    if matches!(source, Value::Dict(_)) || vm.find_attr(source, "keys")?.is_some() {
        return vm.update_dict(dict, source);
    }
    let pairs = vm.iter(source)?;
    while let Some(pair) = vm.next(&pairs)? {
        vm.charge(1)?;
        let parts = vm.iter(&pair)?;
        let too_few = |count: &str| value_error(format!("need more than {count} to unpack"));
        let key = vm.next(&parts)?.ok_or_else(|| too_few("0 values"))?;
        let value = vm.next(&parts)?.ok_or_else(|| too_few("1 value"))?;
        if vm.next(&parts)?.is_some() {
            return Err(value_error("too many values to unpack (expected 2)"));
        }
        dict.set(vm, key, value)?;
    }
    Ok(())
}

fn ordered_from_keys(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [keys, value] = args.bind("fromkeys", ["iterable", "value"], 1)?.map(Option::unwrap_or_default);
    let dict = Dict::of_class(&OrderedDict);
    let iterator = vm.iter(&keys)?;
    while let Some(key) = vm.next(&iterator)? {
        vm.charge(1)?;
        dict.set(vm, key, value.clone())?;
    }
    Ok(Value::dict(dict))
}

fn move_to_end(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, last] = args.bind("move_to_end", ["key", "last"], 1)?;
    let key = key.unwrap_or_default();
    let last = match last {
        Some(last) => vm.truthy(&last)?,
        None => true,
    };
    let wanted = Key::new(vm, key.clone())?;
    // The entries between the two places move.
    vm.charge(receiver(this)?.len() / 4)?;
    let mut table = receiver(this)?.table.borrow_mut();
    let Some(index) = table.get_index_of(&wanted) else {
        drop(table);
        return Err(ordered_key_error(key));
    };
    let end = table.len() - 1;
    table.move_index(index, if last { end } else { 0 });
    Ok(Value::None)
}
