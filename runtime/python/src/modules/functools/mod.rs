//! `functools`

mod wrapping;

use std::cell::RefCell;
use std::rc::Rc;

use super::class;
use super::copy::deepcopy;
use super::signature::Signature;
use crate::args::Args;
use crate::builtins::classes::is_callable;
use crate::builtins::convert;
use crate::dict::{Dict, Key, Table};
use crate::exception::{PyResult, attribute_error, not_implemented_error, overflow_error, type_error};
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, FUNCTION, OBJECT};
use crate::value::{Builtin, Method, Value};
use crate::vm::{CompareOp, Vm};

module! {
    /// `functools`
    MODULE = "functools";
    functions {
        "cache" => cache,
        "lru_cache" => lru_cache,
        "update_wrapper" => wrapping::update_wrapper,
        "wraps" => wrapping::wraps,
    }
    values(_vm) {
        "cmp_to_key" => Value::Builtin(&CMP_TO_KEY),
        "reduce" => Value::Builtin(&REDUCE),
        "partial" => class(&PARTIAL),
    }
}

/// CPython has these in C, in a module of their own.
static CMP_TO_KEY: Builtin = Builtin::new("_functools", "cmp_to_key", cmp_to_key);
static REDUCE: Builtin = Builtin::new("_functools", "reduce", reduce);

/// `functools.partial`
pub static PARTIAL: BuiltinType =
    BuiltinType { construct: Some(partial), ..BuiltinType::new("partial", "functools", &OBJECT).heap_in_c().generic() };
pub(super) static LRU_CACHE_WRAPPER: BuiltinType = BuiltinType {
    methods: &[Method { name: "cache_clear", call: cache_clear }],
    construct: Some(|_, args| {
        let names = ["user_function", "maxsize", "typed", "cache_info_type"];
        let [function, ..] = args.bind("lru_cache", names, 4)?;
        if !is_callable(&function.unwrap_or_default()) {
            return Err(type_error("the first argument must be callable"));
        }
        Err(not_implemented_error("a wrapper that `functools.lru_cache` does not make"))
    }),
    ..BuiltinType::new("_lru_cache_wrapper", "functools", &OBJECT).heap_in_c()
};

/// What `cmp_to_key` gives, and the keys that this makes of values.
pub(crate) static KEY_WRAPPER: BuiltinType = BuiltinType::new("KeyWrapper", "functools", &OBJECT).heap_in_c();

fn reduce(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [function, iterable, initial] = args.between("reduce", 2)?;
    let (function, iterable) = (function.unwrap_or_default(), iterable.unwrap_or_default());
    let iterator = match vm.iter(&iterable) {
        Err(raised) if raised.is(&crate::exception::TYPE_ERROR) => {
            return Err(type_error("reduce() arg 2 must support iteration"));
        }
        result => result?,
    };
    let mut total = match initial {
        Some(initial) => initial,
        None => vm.next(&iterator)?.ok_or_else(|| type_error("reduce() of empty iterable with no initial value"))?,
    };
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        total = vm.call(&function, Args::positional([total, item]))?;
    }
    Ok(total)
}

/// A `functools.partial` object.
pub struct Partial {
    function: Value,
    args: Vec<Value>,
    keywords: Vec<(Str, Value)>,
}

fn partial(_: &mut Vm, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        return Err(type_error("type 'partial' takes at least one argument"));
    }
    let function = args.pos.remove(0);
    if !is_callable(&function) {
        return Err(type_error("the first argument must be callable"));
    }
    // A partial of a partial is made flat.
    if let Some(inner) = function.downcast::<Partial>() {
        let mut all = inner.args.clone();
        all.extend(args.pos);
        let mut keywords = inner.keywords.clone();
        merge_keywords(&mut keywords, args.kw);
        return Ok(Value::object(Partial { function: inner.function.clone(), args: all, keywords }));
    }
    Ok(Value::object(Partial { function, args: args.pos.into_vec(), keywords: args.kw }))
}

fn merge_keywords(keywords: &mut Vec<(Str, Value)>, later: Vec<(Str, Value)>) {
    for (name, value) in later {
        match keywords.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = value,
            None => keywords.push((name, value)),
        }
    }
}

impl Object for Partial {
    fn class(&self) -> &'static BuiltinType {
        &PARTIAL
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let mut all = Args::positional(self.args.iter().cloned().chain(args.pos));
        all.kw.clone_from(&self.keywords);
        merge_keywords(&mut all.kw, args.kw);
        vm.call(&self.function, all)
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let Args { pos, kw } = deepcopy_arguments(vm, &self.args, &self.keywords)?;
        Ok(Value::object(Self { function: deepcopy(vm, &self.function)?, args: pos.into_vec(), keywords: kw }))
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "func" => Some(self.function.clone()),
            "args" => Some(Value::tuple(self.args.clone())),
            "keywords" => Some(Value::dict(Dict::from_strs(self.keywords.iter().cloned()))),
            _ => None,
        })
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        vm.guarded_repr(this, "...", |vm| {
            let mut parts = vec![vm.repr(&self.function)?];
            for value in &self.args {
                parts.push(vm.repr(value)?);
            }
            for (name, value) in &self.keywords {
                parts.push(format!("{}={}", name.as_str(), vm.repr(value)?));
            }
            Ok(format!("functools.partial({})", parts.join(", ")))
        })
    }
}

/// The arguments that a function is given beforehand, with copies of what they hold.
fn deepcopy_arguments(vm: &mut Vm, args: &[Value], keywords: &[(Str, Value)]) -> PyResult<Args> {
    let pos = args.iter().map(|value| deepcopy(vm, value)).collect::<PyResult<_>>()?;
    let kw = keywords.iter().map(|(name, value)| Ok((name.clone(), deepcopy(vm, value)?))).collect::<PyResult<_>>()?;
    Ok(Args { pos, kw })
}

/// A function whose results are kept.
struct LruCache {
    function: Value,
    /// `None` keeps all.
    max: Option<usize>,
    typed: bool,
    /// Least recently used first.
    results: RefCell<Table>,
}

impl LruCache {
    /// The key of a call: its arguments, with their types where `typed`.
    fn key(&self, vm: &mut Vm, args: &Args) -> PyResult<Key> {
        // An int or a str alone is its own key, so that `1` and `1.0` are different calls.
        if !self.typed
            && args.kw.is_empty()
            && let [alone @ (Value::Int(_) | Value::BigInt(_) | Value::Str(_))] = args.pos.as_slice()
        {
            return Key::new(vm, alone.clone());
        }
        let mut parts: Vec<Value> = args.pos.to_vec();
        // Calls by name never share a key with calls by position.
        if !args.kw.is_empty() {
            parts.push(Value::Ellipsis);
            for (name, value) in &args.kw {
                parts.push(Value::tuple(vec![Value::Str(name.clone()), value.clone()]));
            }
        }
        if self.typed {
            parts.push(Value::NotImplemented);
            let values = args.pos.iter().chain(args.kw.iter().map(|(_, value)| value));
            parts.extend(values.map(|value| Value::Type(value.class())));
        }
        Key::new(vm, Value::tuple(parts))
    }
}

impl Object for LruCache {
    fn class(&self) -> &'static BuiltinType {
        &LRU_CACHE_WRAPPER
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        if self.max == Some(0) {
            return vm.call(&self.function, args);
        }
        let key = self.key(vm, &args)?;
        let found = {
            let mut results = self.results.borrow_mut();
            match results.get_index_of(&key) {
                Some(index) => {
                    let last = results.len() - 1;
                    if self.max.is_some() {
                        results.move_index(index, last);
                    }
                    results.get(&key).cloned()
                }
                None => None,
            }
        };
        if let Some(result) = found {
            return Ok(result);
        }
        let result = vm.call(&self.function, args)?;
        let mut results = self.results.borrow_mut();
        results.insert(key, result.clone());
        let evicted = match self.max {
            Some(max) if results.len() > max => results.shift_remove_index(0),
            _ => None,
        };
        drop(results);
        drop(evicted);
        Ok(result)
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "__name__" => vm.find_attr(&self.function, name),
            _ => Ok(None),
        }
    }
}

fn cached(function: Value, max: Option<usize>, typed: bool) -> Value {
    Value::object(LruCache { function, max, typed, results: RefCell::default() })
}

fn cached_callable(function: Value, max: Option<usize>, typed: bool) -> PyResult<Value> {
    if is_callable(&function) {
        return Ok(cached(function, max, typed));
    }
    Err(type_error("the first argument must be callable"))
}

/// `@cache`
fn cache(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [function] = Signature::function("cache", ["user_function"], 1).bind(args)?.map(Option::unwrap_or_default);
    cached_callable(function, None, false)
}

/// What `lru_cache(maxsize=...)` gives: it takes the function.
struct LruCacheDecorator {
    max: Option<usize>,
    typed: bool,
}

impl Object for LruCacheDecorator {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let [function] = Signature::function("lru_cache.<locals>.decorating_function", ["user_function"], 1)
            .bind(args)?
            .map(Option::unwrap_or_default);
        cached_callable(function, self.max, self.typed)
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str("decorating_function")))
    }

    fn repr(&self, _: &mut Vm, this: &Value) -> PyResult<String> {
        let address = crate::identity::identity(this);
        Ok(format!("<function lru_cache.<locals>.decorating_function at {address:#x}>"))
    }
}

/// `@lru_cache`, `@lru_cache(maxsize=128, typed=False)`
fn lru_cache(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [max, typed] = Signature::function("lru_cache", ["maxsize", "typed"], 0).bind(args)?;
    let typed = match typed {
        Some(typed) => vm.truthy(&typed)?,
        None => false,
    };
    let max = match max {
        None => Some(128),
        Some(Value::None) => None,
        Some(number @ (Value::Int(_) | Value::BigInt(_) | Value::Bool(_))) => {
            match (convert::index_clamped(vm, &number)?, &number) {
                (i64::MAX, Value::BigInt(_)) => {
                    return Err(overflow_error("cannot fit 'int' into an index-sized integer"));
                }
                (size, _) => Some(usize::try_from(size).unwrap_or(0)),
            }
        }
        Some(function) if is_callable(&function) => return Ok(cached(function, Some(128), typed)),
        Some(_) => return Err(type_error("Expected first argument to be an integer, a callable, or None")),
    };
    Ok(Value::object(LruCacheDecorator { max, typed }))
}

fn lru_receiver(this: &Value) -> PyResult<&LruCache> {
    this.downcast::<LruCache>().ok_or_else(|| crate::methods::wrong_receiver("_lru_cache_wrapper", this))
}

fn cache_clear(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("cache_clear")?;
    let cache = lru_receiver(this)?;
    let old = std::mem::take(&mut *cache.results.borrow_mut());
    drop(old);
    Ok(Value::None)
}

/// What `cmp_to_key(f)` gives, and what this makes of values: each can be called to make another key.
struct CompareKey {
    function: Rc<Value>,
    /// Nothing in what `cmp_to_key` itself gives.
    value: Option<Value>,
}

fn cmp_to_key(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [function] = args.bind("cmp_to_key", ["mycmp"], 1)?.map(Option::unwrap_or_default);
    Ok(Value::object(CompareKey { function: Rc::new(function), value: None }))
}

impl Object for CompareKey {
    fn class(&self) -> &'static BuiltinType {
        &KEY_WRAPPER
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error("unhashable type: 'functools.KeyWrapper'")))
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(if name == "obj" { self.value.clone() } else { None })
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let given = args.pos.len() + args.kw.len();
        if given > 1 {
            return Err(type_error(format!("K() takes at most 1 argument ({given} given)")));
        }
        let [value] = args.bind("K", ["obj"], 1)?;
        Ok(Value::object(Self { function: self.function.clone(), value }))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let Some(other) = other.downcast::<Self>() else {
            return Some(Err(type_error("other argument must be K instance")));
        };
        let (Some(value), Some(other)) = (&self.value, &other.value) else {
            return Some(Err(attribute_error("object")));
        };
        let order = vm.call(&self.function, Args::positional([value.clone(), other.clone()]));
        Some(order.and_then(|order| vm.compare(op, &order, &Value::Int(0))))
    }
}
