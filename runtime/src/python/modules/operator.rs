//! `operator`: the operators as functions, and `itemgetter`, `attrgetter`, `methodcaller`.

use super::class;
use super::collections::deque::Deque;
use super::copy::deepcopy;
use super::named_parts::as_tuple;
use crate::python::args::Args;
use crate::python::builtins::{convert, numbers};
use crate::python::exception::{PyResult, Raised, TYPE_ERROR, type_error, value_error};
use crate::python::module::ModuleDef;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::members::plain;
use crate::python::vm::{BinaryOp, CompareOp, UnaryOp, Vm};

macro_rules! binary {
    ($name:literal, $op:ident) => {
        |vm, args| {
            let [a, b] = args.between($name, 2)?.map(Option::unwrap_or_default);
            vm.binary(BinaryOp::$op, &a, &b)
        }
    };
}

macro_rules! in_place {
    ($name:literal, $op:ident) => {
        |vm, args| {
            let [a, b] = args.between($name, 2)?.map(Option::unwrap_or_default);
            vm.in_place(BinaryOp::$op, &a, &b)
        }
    };
}

macro_rules! compare {
    ($name:literal, $op:ident) => {
        |vm, args| {
            let [a, b] = args.between($name, 2)?.map(Option::unwrap_or_default);
            vm.compare(CompareOp::$op, &a, &b)
        }
    };
}

macro_rules! unary {
    ($name:literal, $op:ident) => {
        |vm, args| {
            let [a] = args.exactly(concat!("_operator.", $name))?;
            vm.unary(UnaryOp::$op, &a)
        }
    };
}

/// `operator`: each function is there under the name of the method too, `operator.__add__`.
pub static MODULE: ModuleDef = ModuleDef {
    name: "operator",
    get: |vm, name| match name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")) {
        Some("truth" | "is" | "is_not" | "countOf" | "indexOf" | "length_hint") => Ok(None),
        // Keywords have an underscore here: `and_`.
        Some(plain) => match (NAMED.get)(vm, plain)? {
            None => (NAMED.get)(vm, &format!("{plain}_")),
            found => Ok(found.filter(|value| matches!(value, Value::Builtin(_)))),
        },
        None => (NAMED.get)(vm, name),
    },
    names: NAMED.names,
};

module! {
    /// The functions under their own names.
    NAMED = "operator";
    functions {
        "abs" => |vm, args| {
            let [value] = args.exactly("_operator.abs")?;
            numbers::abs(vm, Args::one(value))
        },
        "add" => binary!("add", Add),
        "and_" => binary!("and_", And),
        "call" => |vm, mut args| {
            if args.pos.is_empty() {
                return Err(type_error("call expected at least 1 argument, got 0"));
            }
            let function = args.pos.remove(0);
            vm.call(&function, args)
        },
        "concat" => |vm, args| {
            let [a, b] = args.between("concat", 2)?.map(Option::unwrap_or_default);
            sequences_only(vm, &a, &b)?;
            vm.binary(BinaryOp::Add, &a, &b).map_err(|raised| not_concatenated(&a, &b, raised))
        },
        "contains" => |vm, args| {
            let [container, item] = args.between("contains", 2)?.map(Option::unwrap_or_default);
            Ok(Value::Bool(vm.contains(&container, &item)?))
        },
        "countOf" => |vm, args| {
            let [container, wanted] = args.between("countOf", 2)?.map(Option::unwrap_or_default);
            let iterator = iterator_to_search(vm, &container)?;
            let mut found = 0_usize;
            while let Some(item) = vm.next(&iterator)? {
                vm.charge(1)?;
                found += usize::from(vm.equal(&item, &wanted)?);
            }
            Ok(Value::from_usize(found))
        },
        "delitem" => |vm, args| {
            let [object, key] = args.between("delitem", 2)?.map(Option::unwrap_or_default);
            vm.del_item(&object, &key)?;
            Ok(Value::None)
        },
        "eq" => compare!("eq", Eq),
        "floordiv" => binary!("floordiv", FloorDivide),
        "ge" => compare!("ge", Ge),
        "getitem" => |vm, args| {
            let [object, key] = args.between("getitem", 2)?.map(Option::unwrap_or_default);
            vm.get_item(&object, &key)
        },
        "gt" => compare!("gt", Gt),
        "iadd" => in_place!("iadd", Add),
        "iand" => in_place!("iand", And),
        "iconcat" => |vm, args| {
            let [a, b] = args.between("iconcat", 2)?.map(Option::unwrap_or_default);
            sequences_only(vm, &a, &b)?;
            vm.in_place(BinaryOp::Add, &a, &b).map_err(|raised| not_concatenated(&a, &b, raised))
        },
        "ifloordiv" => in_place!("ifloordiv", FloorDivide),
        "ilshift" => in_place!("ilshift", LeftShift),
        "imatmul" => in_place!("imatmul", MatMultiply),
        "imod" => in_place!("imod", Remainder),
        "imul" => in_place!("imul", Multiply),
        "index" => |vm, args| {
            let [value] = args.exactly("_operator.index")?;
            convert::index(vm, &value)
        },
        "indexOf" => |vm, args| {
            let [container, wanted] = args.between("indexOf", 2)?.map(Option::unwrap_or_default);
            let iterator = iterator_to_search(vm, &container)?;
            let mut index = 0_usize;
            while let Some(item) = vm.next(&iterator)? {
                vm.charge(1)?;
                if vm.equal(&item, &wanted)? {
                    return Ok(Value::from_usize(index));
                }
                index += 1;
            }
            Err(value_error("sequence.index(x): x not in sequence"))
        },
        "inv" => unary!("inv", Invert),
        "invert" => unary!("invert", Invert),
        "ior" => in_place!("ior", Or),
        "ipow" => in_place!("ipow", Power),
        "irshift" => in_place!("irshift", RightShift),
        "is_" => |_, args| {
            let [a, b] = args.between("is_", 2)?.map(Option::unwrap_or_default);
            Ok(Value::Bool(a.is(&b)))
        },
        "is_not" => |_, args| {
            let [a, b] = args.between("is_not", 2)?.map(Option::unwrap_or_default);
            Ok(Value::Bool(!a.is(&b)))
        },
        "isub" => in_place!("isub", Subtract),
        "itruediv" => in_place!("itruediv", TrueDivide),
        "ixor" => in_place!("ixor", Xor),
        "le" => compare!("le", Le),
        "length_hint" => length_hint,
        "lshift" => binary!("lshift", LeftShift),
        "lt" => compare!("lt", Lt),
        "matmul" => binary!("matmul", MatMultiply),
        "mod" => binary!("mod", Remainder),
        "mul" => binary!("mul", Multiply),
        "ne" => compare!("ne", Ne),
        "neg" => unary!("neg", Negative),
        "not_" => |vm, args| {
            let [value] = args.exactly("_operator.not_")?;
            Ok(Value::Bool(!vm.truthy(&value)?))
        },
        "or_" => binary!("or_", Or),
        "pos" => unary!("pos", Positive),
        "pow" => binary!("pow", Power),
        "rshift" => binary!("rshift", RightShift),
        "setitem" => |vm, args| {
            let [object, key, value] = args.between("setitem", 3)?.map(Option::unwrap_or_default);
            vm.set_item(&object, &key, value)?;
            Ok(Value::None)
        },
        "sub" => binary!("sub", Subtract),
        "truediv" => binary!("truediv", TrueDivide),
        "truth" => |vm, args| {
            let [value] = args.exactly("_operator.truth")?;
            Ok(Value::Bool(vm.truthy(&value)?))
        },
        "xor" => binary!("xor", Xor),
    }
    values(_vm) {
        "attrgetter" => class(&ATTRGETTER),
        "itemgetter" => class(&ITEMGETTER),
        "methodcaller" => class(&METHODCALLER),
    }
}

/// Refuses what `concat` refuses though it can be added: numbers, mappings.
fn sequences_only(vm: &mut Vm, a: &Value, b: &Value) -> PyResult<()> {
    let concatenates = |value: &Value| {
        matches!(plain(value), Value::Str(_) | Value::Bytes(_) | Value::List(_))
            || as_tuple(value).is_some()
            || value.downcast::<Deque>().is_some()
    };
    let mut has_items = |value: &Value| {
        Ok(concatenates(value)
            || matches!(value, Value::Range(_))
            || matches!(value, Value::Instance(_)) && vm.find_attr(value, "__getitem__")?.is_some())
    };
    if concatenates(a) || (has_items(a)? && has_items(b)?) {
        return Ok(());
    }
    Err(type_error(format!("'{}' object can't be concatenated", a.type_name().as_str())))
}

/// The error of `concat` where the operands cannot be added.
fn not_concatenated(a: &Value, b: &Value, raised: Raised) -> Raised {
    let classes = format!(": '{}' and '{}'", a.type_name().as_str(), b.type_name().as_str());
    let about_them = |text: &str| text.starts_with("unsupported operand type") && text.ends_with(&classes);
    let unsupported = |value: &Value| value.as_str().is_some_and(|text| about_them(text));
    if raised.is(&TYPE_ERROR) && raised.0.args.borrow().first().is_some_and(unsupported) {
        return type_error(format!("'{}' object can't be concatenated", a.type_name().as_str()));
    }
    raised
}

/// An iterator over what is searched, as `in` words its error.
fn iterator_to_search(vm: &mut Vm, container: &Value) -> PyResult<Value> {
    let class = container.type_name();
    vm.iter_or(container, || type_error(format!("argument of type '{}' is not iterable", class.as_str())))
}

pub(super) static ITEMGETTER: BuiltinType =
    BuiltinType { construct: Some(itemgetter), ..BuiltinType::new("itemgetter", "operator", &OBJECT) };
pub(super) static ATTRGETTER: BuiltinType =
    BuiltinType { construct: Some(attrgetter), ..BuiltinType::new("attrgetter", "operator", &OBJECT) };
pub(super) static METHODCALLER: BuiltinType =
    BuiltinType { construct: Some(methodcaller), ..BuiltinType::new("methodcaller", "operator", &OBJECT) };

/// What `itemgetter`, `attrgetter` and `methodcaller` give.
enum Getter {
    Items(Vec<Value>),
    Attributes(Vec<Str>),
    Method { name: Str, args: Vec<Value>, keywords: Vec<(Str, Value)> },
}

fn itemgetter(_: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("itemgetter")?;
    if args.pos.is_empty() {
        return Err(type_error("itemgetter expected 1 argument, got 0"));
    }
    Ok(Value::object(Getter::Items(args.pos.into_vec())))
}

fn attrgetter(_: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("attrgetter")?;
    if args.pos.is_empty() {
        return Err(type_error("attrgetter expected 1 argument, got 0"));
    }
    let names = args.pos.iter().map(|name| name.as_str().cloned()).collect::<Option<Vec<_>>>();
    names
        .map(|names| Value::object(Getter::Attributes(names)))
        .ok_or_else(|| type_error("attribute name must be a string"))
}

fn methodcaller(_: &mut Vm, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        return Err(type_error("methodcaller needs at least one argument, the method name"));
    }
    let Value::Str(name) = args.pos.remove(0) else { return Err(type_error("method name must be a string")) };
    Ok(Value::object(Getter::Method { name, args: args.pos.into_vec(), keywords: args.kw }))
}

/// One result alone, several as a tuple.
fn one_or_tuple(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.swap_remove(0) } else { Value::tuple(values) }
}

impl Object for Getter {
    fn class(&self) -> &'static BuiltinType {
        match self {
            Self::Items(_) => &ITEMGETTER,
            Self::Attributes(_) => &ATTRGETTER,
            Self::Method { .. } => &METHODCALLER,
        }
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        args.no_keywords(self.class().name)?;
        let given = args.pos.len();
        let mut values = args.pos.into_iter();
        let (Some(object), None) = (values.next(), values.next()) else {
            return Err(type_error(format!("{} expected 1 argument, got {given}", self.class().name)));
        };
        match self {
            Self::Items(keys) => {
                let values = keys.iter().map(|key| vm.get_item(&object, key)).collect::<PyResult<_>>()?;
                Ok(one_or_tuple(values))
            }
            Self::Attributes(names) => {
                let mut values = Vec::with_capacity(names.len());
                for name in names {
                    let mut value = object.clone();
                    for part in name.split('.') {
                        value = vm.get_attr(&value, part)?;
                    }
                    values.push(value);
                }
                Ok(one_or_tuple(values))
            }
            Self::Method { name, args, keywords } => {
                let mut all = Args::positional(args.iter().cloned());
                all.kw.clone_from(keywords);
                vm.call_method(&object, name, all)
            }
        }
    }

    fn deepcopy(&self, vm: &mut Vm, this: &Value) -> PyResult<Value> {
        let mut copies =
            |values: &[Value]| values.iter().map(|value| deepcopy(vm, value)).collect::<PyResult<Vec<_>>>();
        Ok(match self {
            Self::Items(keys) => Value::object(Self::Items(copies(keys)?)),
            Self::Attributes(_) => this.clone(),
            Self::Method { name, args, keywords } => {
                let args = copies(args)?;
                let keywords = keywords.iter().map(|(name, value)| Ok((name.clone(), deepcopy(vm, value)?)));
                Value::object(Self::Method { name: name.clone(), args, keywords: keywords.collect::<PyResult<_>>()? })
            }
        })
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        match self {
            Self::Items(keys) => {
                let texts = keys.iter().map(|key| vm.repr(key)).collect::<PyResult<Vec<_>>>()?;
                Ok(format!("operator.itemgetter({})", texts.join(", ")))
            }
            Self::Attributes(names) => {
                let names =
                    names.iter().map(|name| vm.repr(&Value::Str(name.clone()))).collect::<PyResult<Vec<_>>>()?;
                Ok(format!("operator.attrgetter({})", names.join(", ")))
            }
            Self::Method { name, args, keywords } => {
                let mut parts = vec![vm.repr(&Value::Str(name.clone()))?];
                for arg in args {
                    parts.push(vm.repr(arg)?);
                }
                for (keyword, value) in keywords {
                    parts.push(format!("{}={}", keyword.as_str(), vm.repr(value)?));
                }
                Ok(format!("operator.methodcaller({})", parts.join(", ")))
            }
        }
    }
}

/// `length_hint(obj, default=0)`
fn length_hint(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, default] = args.between("length_hint", 1)?;
    let (object, default) = (object.unwrap_or_default(), default.unwrap_or(Value::Int(0)));
    if !matches!(default, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) {
        let found = default.type_name();
        return Err(type_error(format!("'{}' object cannot be interpreted as an integer", found.as_str())));
    }
    let default = Value::Int(vm.size_argument(&default)?);
    if let Value::Iterator(iterator) = &object {
        let hint = iterator.state.try_borrow().map_or(0, |state| state.size_hint());
        // Those of containers tell, even of nothing.
        let name = iterator.class().name;
        let tells = (name.ends_with("iterator") || name == "repeat") && name != "callable_iterator";
        return Ok(if hint > 0 || tells { Value::from_usize(hint) } else { default });
    }
    match vm.len(&object) {
        Ok(length) => Ok(Value::from_usize(length)),
        Err(raised) if raised.is(&TYPE_ERROR) => Ok(default),
        Err(raised) => Err(raised),
    }
}
