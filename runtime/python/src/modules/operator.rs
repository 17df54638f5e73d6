//! `operator`: the operators as functions, and `itemgetter` and `attrgetter`.

use super::class;
use super::copy::deepcopy;
use crate::args::Args;
use crate::builtins::numbers;
use crate::exception::{PyResult, type_error};
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, OBJECT};
use crate::value::Value;
use crate::vm::{BYTES_A_STEP, BinaryOp, CompareOp, UnaryOp, Vm};

module! {
    /// `operator`
    MODULE = "operator" written_in "_operator";
    functions {
        "abs" => |vm, args| {
            let [value] = args.exactly("_operator.abs")?;
            numbers::abs(vm, Args::one(value))
        },
        "add" => |vm, args| binary(vm, args, "add", BinaryOp::Add),
        "and_" => |vm, args| binary(vm, args, "and_", BinaryOp::And),
        "contains" => |vm, args| {
            let [container, item] = two(args, "contains")?;
            Ok(Value::Bool(vm.contains(&container, &item)?))
        },
        "eq" => |vm, args| compare(vm, args, "eq", CompareOp::Eq),
        "floordiv" => |vm, args| binary(vm, args, "floordiv", BinaryOp::FloorDivide),
        "ge" => |vm, args| compare(vm, args, "ge", CompareOp::Ge),
        "getitem" => |vm, args| {
            let [object, key] = two(args, "getitem")?;
            vm.get_item(&object, &key)
        },
        "gt" => |vm, args| compare(vm, args, "gt", CompareOp::Gt),
        "invert" => |vm, args| unary(vm, args, "_operator.invert", UnaryOp::Invert),
        "is_" => |_, args| {
            let [a, b] = two(args, "is_")?;
            Ok(Value::Bool(a.is(&b)))
        },
        "is_not" => |_, args| {
            let [a, b] = two(args, "is_not")?;
            Ok(Value::Bool(!a.is(&b)))
        },
        "le" => |vm, args| compare(vm, args, "le", CompareOp::Le),
        "lt" => |vm, args| compare(vm, args, "lt", CompareOp::Lt),
        "mod" => |vm, args| binary(vm, args, "mod", BinaryOp::Remainder),
        "mul" => |vm, args| binary(vm, args, "mul", BinaryOp::Multiply),
        "ne" => |vm, args| compare(vm, args, "ne", CompareOp::Ne),
        "neg" => |vm, args| unary(vm, args, "_operator.neg", UnaryOp::Negative),
        "not_" => |vm, args| {
            let [value] = args.exactly("_operator.not_")?;
            Ok(Value::Bool(!vm.truthy(&value)?))
        },
        "or_" => |vm, args| binary(vm, args, "or_", BinaryOp::Or),
        "pos" => |vm, args| unary(vm, args, "_operator.pos", UnaryOp::Positive),
        "pow" => |vm, args| binary(vm, args, "pow", BinaryOp::Power),
        "sub" => |vm, args| binary(vm, args, "sub", BinaryOp::Subtract),
        "truediv" => |vm, args| binary(vm, args, "truediv", BinaryOp::TrueDivide),
        "truth" => |vm, args| {
            let [value] = args.exactly("_operator.truth")?;
            Ok(Value::Bool(vm.truthy(&value)?))
        },
        "xor" => |vm, args| binary(vm, args, "xor", BinaryOp::Xor),
    }
    values(_vm) {
        "attrgetter" => class(&ATTRGETTER),
        "itemgetter" => class(&ITEMGETTER),
    }
}

fn two(args: Args, name: &str) -> PyResult<[Value; 2]> {
    Ok(args.between(name, 2)?.map(Option::unwrap_or_default))
}

fn unary(vm: &mut Vm, args: Args, name: &str, op: UnaryOp) -> PyResult<Value> {
    let [value] = args.exactly(name)?;
    vm.unary(op, &value)
}

fn binary(vm: &mut Vm, args: Args, name: &str, op: BinaryOp) -> PyResult<Value> {
    let [a, b] = two(args, name)?;
    vm.binary(op, &a, &b)
}

fn compare(vm: &mut Vm, args: Args, name: &str, op: CompareOp) -> PyResult<Value> {
    let [a, b] = two(args, name)?;
    vm.compare(op, &a, &b)
}

pub(super) static ITEMGETTER: BuiltinType =
    BuiltinType { construct: Some(itemgetter), ..BuiltinType::new("itemgetter", "operator", &OBJECT).heap_in_c() };
pub(super) static ATTRGETTER: BuiltinType =
    BuiltinType { construct: Some(attrgetter), ..BuiltinType::new("attrgetter", "operator", &OBJECT).heap_in_c() };

/// The result of `itemgetter` and `attrgetter`.
enum Getter {
    Items(Vec<Value>),
    Attributes(Vec<Str>),
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

/// One result alone, several as a tuple.
fn one_or_tuple(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.swap_remove(0) } else { Value::tuple(values) }
}

impl Object for Getter {
    fn class(&self) -> &'static BuiltinType {
        match self {
            Self::Items(_) => &ITEMGETTER,
            Self::Attributes(_) => &ATTRGETTER,
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
                vm.charge(keys.len())?;
                let values = keys.iter().map(|key| vm.get_item(&object, key)).collect::<PyResult<_>>()?;
                Ok(one_or_tuple(values))
            }
            Self::Attributes(names) => {
                let mut values = Vec::with_capacity(names.len());
                for name in names {
                    let mut value = object.clone();
                    vm.charge(1 + name.len() / BYTES_A_STEP)?;
                    for part in name.split('.') {
                        vm.charge(1)?;
                        value = vm.get_attr(&value, part)?;
                    }
                    values.push(value);
                }
                Ok(one_or_tuple(values))
            }
        }
    }

    fn deepcopy(&self, vm: &mut Vm, this: &Value) -> PyResult<Value> {
        Ok(match self {
            Self::Items(keys) => {
                let copies = keys.iter().map(|key| deepcopy(vm, key)).collect::<PyResult<_>>()?;
                Value::object(Self::Items(copies))
            }
            Self::Attributes(_) => this.clone(),
        })
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        let own = format!("operator.{}(...)", self.class().name);
        vm.guarded_repr(this, &own, |vm| match self {
            Self::Items(keys) => {
                vm.charge(keys.len())?;
                let texts = keys.iter().map(|key| vm.repr(key)).collect::<PyResult<Vec<_>>>()?;
                Ok(format!("operator.itemgetter({})", texts.join(", ")))
            }
            Self::Attributes(names) => {
                vm.charge(names.len())?;
                let names =
                    names.iter().map(|name| vm.repr(&Value::Str(name.clone()))).collect::<PyResult<Vec<_>>>()?;
                Ok(format!("operator.attrgetter({})", names.join(", ")))
            }
        })
    }
}
