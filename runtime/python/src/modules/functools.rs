//! `functools`: `reduce`, and caches of functions.

use std::cell::RefCell;

use super::signature::Signature;
use crate::args::Args;
use crate::builtins::classes::is_callable;
use crate::builtins::convert;
use crate::dict::{Key, Table};
use crate::exception::{PyResult, not_implemented_error, overflow_error, type_error};
use crate::object::Object;
use crate::types::{BuiltinType, FUNCTION, OBJECT};
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;

module! {
    /// `functools`
    MODULE = "functools";
    functions {
        "cache" => cache,
        "lru_cache" => lru_cache,
    }
    values(_vm) {
        "reduce" => Value::Builtin(&REDUCE),
    }
}

/// CPython has it in C, in a module of its own.
static REDUCE: Builtin = Builtin::new("_functools", "reduce", reduce);

static LRU_CACHE_WRAPPER: BuiltinType = BuiltinType {
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

/// The result of `lru_cache(maxsize=...)`: a decorator that takes the function.
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
