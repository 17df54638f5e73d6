//! `bisect`: places in sorted lists.

use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::dict::DictKind;
use crate::python::exception::{PyResult, Raised, attribute_error, overflow_error, type_error, value_error};
use crate::python::modules::enums::is_enum;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::items::is_not_subscriptable;

module! {
    /// `bisect`
    MODULE = "bisect";
    functions {
        "bisect_left" => |vm, args| bisect(vm, args, "bisect_left", Side::Left),
        "bisect_right" => |vm, args| bisect(vm, args, "bisect_right", Side::Right),
        "insort_left" => |vm, args| insort(vm, args, "insort_left", Side::Left),
        "insort_right" => |vm, args| insort(vm, args, "insort_right", Side::Right),
    }
    values(_vm) {
        "bisect" => function("bisect_right"),
        "insort" => function("insort_right"),
    }
}

/// A function by its own name, for its short one.
fn function(name: &str) -> Value {
    FUNCTIONS.iter().find(|function| function.name == name).map_or(Value::None, Value::Builtin)
}

/// Where an item goes that is there already.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// What both kinds of functions take.
struct Search {
    list: Value,
    item: Value,
    low: i64,
    high: i64,
    key: Option<Value>,
}

impl Search {
    fn bind(vm: &mut Vm, mut args: Args, name: &str) -> PyResult<Self> {
        let key = args.kw.iter().position(|(keyword, _)| keyword.as_str() == "key");
        let key = key.map(|index| args.kw.remove(index).1).filter(|key| !key.is_none());
        let [list, item, low, high] = args.bind(name, ["a", "x", "lo", "hi"], 2)?;
        let list = list.unwrap_or_default();
        let low = match low {
            Some(low) => convert::index_i64(vm, &low)?,
            None => 0,
        };
        let high = match high.filter(|high| !high.is_none()) {
            Some(high) => match vm.index_of(&high)? {
                Some(Value::Int(high)) => high,
                Some(_) => return Err(overflow_error("cannot fit 'int' into an index-sized integer")),
                None => {
                    let given = high.type_name();
                    return Err(type_error(format!("argument should be integer or None, not '{}'", given.as_str())));
                }
            },
            None => -1,
        };
        if low < 0 {
            return Err(value_error("lo must be non-negative"));
        }
        let high = match high {
            -1 => {
                check_is_sequence(&list)?;
                i64::try_from(vm.len(&list)?).unwrap_or(i64::MAX)
            }
            high => high,
        };
        Ok(Self { list, item: item.unwrap_or_default(), low, high, key })
    }

    /// The place where `wanted` goes.
    fn place(&self, vm: &mut Vm, wanted: &Value, side: Side) -> PyResult<i64> {
        let (mut low, mut high) = (self.low, self.high);
        if low < high {
            check_is_sequence(&self.list)?;
            check_has_places(&self.list)?;
        }
        while low < high {
            vm.charge(1)?;
            let middle = low + (high - low) / 2;
            let mut found = match vm.get_item(&self.list, &Value::Int(middle)) {
                Err(raised) if is_not_subscriptable(&raised, &self.list) => return Err(no_indexing(&self.list)),
                found => found?,
            };
            if let Some(key) = &self.key {
                found = vm.call(key, Args::one(found))?;
            }
            let right_of_it = match side {
                Side::Left => vm.less(&found, wanted)?,
                Side::Right => !vm.less(wanted, &found)?,
            };
            if right_of_it {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

/// Sequences are read as in C, where dicts are none, but those whose class is written in Python.
fn check_is_sequence(list: &Value) -> PyResult<()> {
    let no_sequence = match list {
        Value::Dict(dict) => !matches!(dict.kind, DictKind::Counter),
        other => other.type_name().as_str() == "mappingproxy",
    };
    if no_sequence {
        return Err(type_error(format!("{} is not a sequence", list.type_name().as_str())));
    }
    Ok(())
}

/// Refuses what has items by key alone: the brackets of classes make aliases, and only those of enumerations find members.
fn check_has_places(list: &Value) -> PyResult<()> {
    match list {
        Value::Type(class) if !is_enum(class) => Err(no_indexing(list)),
        Value::Object(_)
            if matches!(list.type_name().as_str(), "types.GenericAlias" | "types.UnionType" | "re.Match") =>
        {
            Err(type_error(format!("{} is not a sequence", list.type_name().as_str())))
        }
        _ => Ok(()),
    }
}

fn no_indexing(list: &Value) -> Raised {
    type_error(format!("'{}' object does not support indexing", list.type_name().as_str()))
}

fn bisect(vm: &mut Vm, args: Args, name: &str, side: Side) -> PyResult<Value> {
    let search = Search::bind(vm, args, name)?;
    search.place(vm, &search.item, side).map(Value::Int)
}

fn insort(vm: &mut Vm, args: Args, name: &str, side: Side) -> PyResult<Value> {
    let search = Search::bind(vm, args, name)?;
    let wanted = match &search.key {
        Some(key) => vm.call(key, Args::one(search.item.clone()))?,
        None => search.item.clone(),
    };
    let place = search.place(vm, &wanted, side)?;
    if matches!(search.list, Value::Tuple(_) | Value::Str(_)) {
        let found = search.list.type_name();
        return Err(attribute_error(format!("'{}' object has no attribute 'insert'", found.as_str())));
    }
    vm.call_method(&search.list, "insert", Args::positional([Value::Int(place), search.item]))?;
    Ok(Value::None)
}
