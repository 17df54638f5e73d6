//! `collections.ChainMap`: several mappings seen as one.

use super::chain_map_views::View;
use crate::python::args::Args;
use crate::python::dict::{Dict, Key};
use crate::python::exception::{KEY_ERROR, PyResult, key_error, type_error};
use crate::python::methods::dict_views::Kind;
use crate::python::methods::wrong_receiver;
use crate::python::modules::abc;
use crate::python::modules::copy::deepcopy;
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::set::SetTable;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, Type};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::{CompareOp, Vm};

/// `collections.ChainMap`
pub static CHAIN_MAP: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method { name: "clear", call: |vm, this, args| first_map(vm, this, "clear", args) },
        Method { name: "copy", call: copy },
        Method { name: "get", call: get },
        Method { name: "items", call: |_, this, args| view(this, Kind::Items, "Mapping.items", args) },
        Method { name: "keys", call: |_, this, args| view(this, Kind::Keys, "Mapping.keys", args) },
        Method { name: "new_child", call: new_child },
        Method { name: "pop", call: pop },
        Method { name: "popitem", call: popitem },
        Method { name: "setdefault", call: setdefault },
        Method { name: "update", call: update },
        Method { name: "values", call: |_, this, args| view(this, Kind::Values, "Mapping.values", args) },
    ],
    statics: &[Builtin { name: "fromkeys", call: fromkeys }],
    ..BuiltinType::new("ChainMap", "collections", &abc::MUTABLE_MAPPING)
};

/// The class that has a method in CPython: some are inherited.
pub(crate) fn owner(method: &Method) -> &'static BuiltinType {
    match method.name {
        "items" | "keys" | "values" => &abc::MAPPING,
        "setdefault" | "update" => &abc::MUTABLE_MAPPING,
        _ => &CHAIN_MAP,
    }
}

/// The mappings, in a list that code can change.
struct ChainMap(Value);

fn chain(mut maps: Vec<Value>) -> Value {
    if maps.is_empty() {
        maps.push(Value::dict(Dict::new()));
    }
    Value::object(ChainMap(Value::list(maps)))
}

fn construct(_: &mut Vm, args: Args) -> PyResult<Value> {
    if let Some((name, _)) = args.kw.first() {
        let message = format!("ChainMap.__init__() got an unexpected keyword argument '{}'", name.as_str());
        return Err(type_error(message));
    }
    Ok(chain(args.pos.into_vec()))
}

fn fromkeys(vm: &mut Vm, args: Args) -> PyResult<Value> {
    Ok(chain(vec![crate::python::methods::dict::fromkeys(vm, args)?]))
}

fn receiver(this: &Value) -> PyResult<&ChainMap> {
    this.downcast::<ChainMap>().ok_or_else(|| wrong_receiver("ChainMap", this))
}

impl ChainMap {
    /// The number of keys, found in the order of the mappings.
    fn count(&self, vm: &mut Vm) -> PyResult<usize> {
        let mut keys = SetTable::default();
        for map in self.maps(vm)? {
            for key in vm.deeper(|vm| vm.collect(&map))? {
                keys.insert(Key::new(vm, key)?);
            }
        }
        Ok(keys.len())
    }

    fn maps(&self, vm: &mut Vm) -> PyResult<Vec<Value>> {
        vm.collect(&self.0)
    }

    fn first(&self, vm: &mut Vm) -> PyResult<Value> {
        let first = vm.get_item(&self.0, &Value::Int(0))?;
        Ok(first)
    }

    fn find(&self, vm: &mut Vm, key: &Value) -> PyResult<Option<Value>> {
        for map in self.maps(vm)? {
            match vm.deeper(|vm| vm.get_item(&map, key)) {
                Ok(value) => return Ok(Some(value)),
                Err(raised) if raised.is(&KEY_ERROR) => {}
                Err(raised) => return Err(raised),
            }
        }
        Ok(None)
    }

    /// The keys, those of the last mapping first.
    fn keys(&self, vm: &mut Vm) -> PyResult<Dict> {
        let dict = Dict::new();
        for map in self.maps(vm)?.iter().rev() {
            for key in vm.deeper(|vm| vm.collect(map))? {
                dict.set(vm, key, Value::None)?;
            }
        }
        Ok(dict)
    }

    /// Keys and values as one dict.
    fn flat(&self, vm: &mut Vm) -> PyResult<Value> {
        let keys = self.keys(vm)?;
        for key in keys.keys() {
            let value = self.find(vm, &key)?.ok_or_else(|| key_error(key.clone()))?;
            keys.set(vm, key, value)?;
        }
        Ok(Value::dict(keys))
    }

    fn contains(&self, vm: &mut Vm, key: &Value) -> PyResult<bool> {
        for map in self.maps(vm)? {
            if vm.deeper(|vm| vm.contains(&map, key))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn view(this: &Value, kind: Kind, name: &'static str, args: Args) -> PyResult<Value> {
    receiver(this)?;
    let [] = Signature::method(name, [], 0).bind(args)?;
    Ok(Value::object(View { map: this.clone(), kind }))
}

fn first_map(vm: &mut Vm, this: &Value, name: &str, args: Args) -> PyResult<Value> {
    let first = receiver(this)?.first(vm)?;
    vm.deeper(|vm| vm.call_method(&first, name, args))
}

/// `MutableMapping.update`, which sets the items one by one.
fn update(vm: &mut Vm, this: &Value, mut args: Args) -> PyResult<Value> {
    if args.pos.len() > 1 {
        let given = args.pos.len() + 1;
        let message = format!("MutableMapping.update() takes from 1 to 2 positional arguments but {given} were given");
        return Err(type_error(message));
    }
    let set = |vm: &mut Vm, key: &Value, value: Value| {
        let first = receiver(this)?.first(vm)?;
        vm.set_item(&first, key, value)
    };
    if let Some(other) = args.pos.pop() {
        let keys = match &other {
            Value::Dict(_) => Some(other.clone()),
            mapping if mapping.class().is_subclass(&Type::Builtin(&abc::MAPPING)) => Some(other.clone()),
            other => match vm.find_attr(other, "keys")? {
                Some(keys) => Some(vm.call(&keys, Args::none())?),
                None => None,
            },
        };
        match keys {
            Some(keys) => {
                let keys = vm.iter(&keys)?;
                while let Some(key) = vm.next(&keys)? {
                    let value = vm.get_item(&other, &key)?;
                    set(vm, &key, value)?;
                }
            }
            None => {
                let pairs = vm.iter(&other)?;
                while let Some(pair) = vm.next(&pairs)? {
                    if let [key, value] = vm.unpack(&pair, 2)?.as_slice() {
                        set(vm, key, value.clone())?;
                    }
                }
            }
        }
    }
    for (name, value) in args.kw {
        set(vm, &Value::Str(name), value)?;
    }
    Ok(Value::None)
}

fn get(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, default] = Signature::method("ChainMap.get", ["key", "default"], 1).bind(args)?;
    let (chain, key) = (receiver(this)?, key.unwrap_or_default());
    if !chain.contains(vm, &key)? {
        return Ok(default.unwrap_or_default());
    }
    chain.find(vm, &key)?.ok_or_else(|| key_error(key))
}

fn copy(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("ChainMap.copy", [], 0).bind(args)?;
    let mut maps = receiver(this)?.maps(vm)?;
    if let Some(first) = maps.first_mut() {
        *first = vm.deeper(|vm| vm.call_method(first, "copy", Args::none()))?;
    }
    Ok(chain(maps))
}

fn new_child(vm: &mut Vm, this: &Value, mut args: Args) -> PyResult<Value> {
    let keywords = std::mem::take(&mut args.kw);
    let (own, keywords): (Vec<_>, Vec<_>) = keywords.into_iter().partition(|(name, _)| name.as_str() == "m");
    args.kw = own;
    let [child] = Signature::method("ChainMap.new_child", ["m"], 0).bind(args)?.map(Option::unwrap_or_default);
    let child = match child {
        Value::None => Value::dict(Dict::from_strs(keywords)),
        child if keywords.is_empty() => child,
        child => {
            vm.call_method(&child, "update", Args { kw: keywords, ..Args::none() })?;
            child
        }
    };
    let mut maps = vec![child];
    maps.extend(receiver(this)?.maps(vm)?);
    Ok(chain(maps))
}

fn not_in_first(vm: &mut Vm, key: &Value) -> PyResult<Value> {
    let shown = vm.repr(key)?;
    Err(key_error(Value::str(format!("Key not found in the first mapping: {shown}"))))
}

fn pop(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let mut args = args;
    if args.pos.is_empty() || !args.kw.is_empty() {
        let [key] = Signature::method("ChainMap.pop", ["key"], 1).bind(args)?;
        args = Args::positional(key);
    }
    let key = args.pos.first().cloned().unwrap_or_default();
    match first_map(vm, this, "pop", args) {
        Err(raised) if raised.is(&KEY_ERROR) => not_in_first(vm, &key),
        result => result,
    }
}

fn popitem(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = Signature::method("ChainMap.popitem", [], 0).bind(args)?;
    match first_map(vm, this, "popitem", Args::none()) {
        Err(raised) if raised.is(&KEY_ERROR) => Err(key_error(Value::str("No keys found in the first mapping."))),
        result => result,
    }
}

fn setdefault(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, default] = Signature::method("MutableMapping.setdefault", ["key", "default"], 1).bind(args)?;
    let (chain, key, default) = (receiver(this)?, key.unwrap_or_default(), default.unwrap_or_default());
    if let Some(found) = chain.find(vm, &key)? {
        return Ok(found);
    }
    let first = chain.first(vm)?;
    vm.set_item(&first, &key, default.clone())?;
    Ok(default)
}

impl Object for ChainMap {
    fn class(&self) -> &'static BuiltinType {
        &CHAIN_MAP
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "maps" => Some(self.0.clone()),
            "parents" => {
                let mut maps = self.maps(vm)?;
                if !maps.is_empty() {
                    maps.remove(0);
                }
                Some(chain(maps))
            }
            _ => None,
        })
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        self.find(vm, key)?.ok_or_else(|| key_error(key.clone()))
    }

    fn set_item(&self, vm: &mut Vm, key: &Value, value: Value) -> PyResult<()> {
        let first = self.first(vm)?;
        vm.deeper(|vm| vm.set_item(&first, key, value))
    }

    fn del_item(&self, vm: &mut Vm, key: &Value) -> PyResult<()> {
        let first = self.first(vm)?;
        match vm.deeper(|vm| vm.del_item(&first, key)) {
            Err(raised) if raised.is(&KEY_ERROR) => not_in_first(vm, key).map(drop),
            result => result,
        }
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(self.contains(vm, item))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(self.keys(vm).and_then(|keys| vm.iter(&Value::dict(keys))))
    }

    fn len(&self, vm: &mut Vm) -> Option<PyResult<usize>> {
        Some(self.count(vm))
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        deepcopy(vm, &self.0).map(|maps| Value::object(Self(maps)))
    }

    fn truthy(&self, vm: &mut Vm) -> PyResult<bool> {
        for map in self.maps(vm)? {
            if vm.deeper(|vm| vm.truthy(&map))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        if !vm.in_repr.enter(this) {
            return Ok("...".to_owned());
        }
        let maps = self.maps(vm);
        let parts =
            maps.and_then(|maps| maps.iter().map(|map| vm.deeper(|vm| vm.repr(map))).collect::<PyResult<Vec<_>>>());
        vm.in_repr.leave();
        Ok(format!("ChainMap({})", parts?.join(", ")))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return None;
        }
        let chain = other.downcast::<Self>();
        if chain.is_none() && !matches!(other, Value::Dict(_)) {
            return None;
        }
        Some(self.flat(vm).and_then(|flat| {
            let other = chain.map_or_else(|| Ok(other.clone()), |chain| chain.flat(vm))?;
            vm.compare(op, &flat, &other)
        }))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        if method == "ior" {
            // The mappings stay the same ones.
            let updated = self.first(vm).and_then(|first| vm.call_method(&first, "update", Args::one(other.clone())));
            return Some(updated.map(|_| Value::object(Self(self.0.clone()))));
        }
        if !matches!(other, Value::Dict(_)) && other.downcast::<Self>().is_none() {
            return None;
        }
        match method {
            "or" => Some((|| {
                let mut maps = self.maps(vm)?;
                if let Some(first) = maps.first_mut() {
                    *first = vm.deeper(|vm| vm.call_method(first, "copy", Args::none()))?;
                    vm.call_method(first, "update", Args::one(other.clone()))?;
                }
                Ok(chain(maps))
            })()),
            "ror" => Some((|| {
                let dict = Dict::new();
                crate::python::builtins::containers::update_from(vm, &dict, other)?;
                for map in self.maps(vm)?.iter().rev() {
                    crate::python::builtins::containers::update_from(vm, &dict, map)?;
                }
                Ok(chain(vec![Value::dict(dict)]))
            })()),
            _ => None,
        }
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error("unhashable type: 'ChainMap'")))
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        if name.as_str() == "maps" {
            let maps = vm.collect(&value)?;
            if let Value::List(list) = &self.0 {
                let old = list.items.replace(maps);
                drop(old);
            }
            return Ok(());
        }
        let message = format!("'ChainMap' object has no attribute '{}'", name.as_str());
        Err(crate::python::exception::attribute_error(message))
    }
}
