//! `@total_ordering`: all comparisons from one of them.

use std::rc::Rc;

use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, value_error};
use crate::python::modules::signature::Signature;
use crate::python::modules::typing::Alias;
use crate::python::native_function::NativeFunction;
use crate::python::types::{BuiltinType, Class, Type};
use crate::python::value::Value;
use crate::python::vm::lookup::{Member, class_member};
use crate::python::vm::{CompareOp, Vm};

/// The comparisons, those that are taken as root first.
const ORDER: [(&str, CompareOp); 4] =
    [("__lt__", CompareOp::Lt), ("__le__", CompareOp::Le), ("__gt__", CompareOp::Gt), ("__ge__", CompareOp::Ge)];

fn defines(class: &Rc<Class>, name: &str) -> bool {
    matches!(class_member(class, name), Some(Member::Value(_)))
}

/// Classes of CPython that have comparisons of their own, by module; those derived from them have these.
const ORDERED: [(&str, &[&str]); 12] = [
    (
        "",
        &[
            "builtin_function_or_method",
            "bytes",
            "complex",
            "dict",
            "dict_items",
            "dict_keys",
            "float",
            "frozenset",
            "GenericAlias",
            "int",
            "list",
            "mappingproxy",
            "method",
            "method-wrapper",
            "range",
            "set",
            "slice",
            "str",
            "tuple",
            "UnionType",
        ],
    ),
    ("collections", &["Counter"]),
    ("collections.abc", &["ItemsView", "KeysView", "Set"]),
    ("datetime", &["date", "time", "timedelta", "timezone"]),
    ("functools", &["KeyWrapper"]),
    ("galaxy.tool_util.version", &["LegacyVersion"]),
    ("numbers", &["Real"]),
    ("packaging.version", &["Version"]),
    ("pathlib", &["Path", "PosixPath", "PurePath", "PurePosixPath"]),
    ("re", &["Pattern"]),
    ("types", &["GenericAlias", "SimpleNamespace", "UnionType"]),
    ("typing", &["Union"]),
];

fn is_ordered(class: &'static BuiltinType) -> bool {
    let own = ORDERED.iter().any(|(module, names)| *module == class.module && names.contains(&class.name));
    own || class.base.is_some_and(is_ordered)
}

fn unordered() -> Raised {
    value_error("must define at least one ordering operation: < > <= >=")
}

/// `total_ordering(cls)`
pub(super) fn total_ordering(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [target] = Signature::function("total_ordering", ["cls"], 1).bind(args)?.map(Option::unwrap_or_default);
    // What an alias has is what its class has.
    let class = target.downcast::<Alias>().map_or(&target, Alias::origin);
    if let Value::Type(Type::Builtin(builtin)) = class {
        return if is_ordered(builtin) { Ok(target) } else { Err(unordered()) };
    }
    // Any other object has all comparisons, of its own class or of `object`.
    let Value::Type(Type::Class(class)) = &target else { return Ok(target) };
    vm.charge(4)?;
    if is_ordered(Type::Class(class.clone()).builtin_base()) {
        return Ok(target);
    }
    let Some((root, root_op)) = ORDER.into_iter().find(|(name, _)| defines(class, name)) else {
        return Err(unordered());
    };
    let missing: Vec<(&'static str, CompareOp)> = ORDER.into_iter().filter(|(name, _)| !defines(class, name)).collect();
    for (name, op) in missing {
        let function = NativeFunction::value(name, format!("_{}", name.trim_matches('_')), move |vm, args| {
            let [mine, other] = args.exactly(name)?;
            derived(vm, (root, root_op), op, &mine, &other)
        });
        class.dict.borrow_mut().insert(name.to_owned(), function);
    }
    Ok(target)
}

/// `mine op other`, by the comparison that the class has.
fn derived(
    vm: &mut Vm,
    (root, root_op): (&str, CompareOp),
    op: CompareOp,
    mine: &Value,
    other: &Value,
) -> PyResult<Value> {
    let Some(method) = vm.bound_special(mine, root)? else { return Ok(Value::NotImplemented) };
    let answer = vm.call(&method, Args::one(other.clone()))?;
    if matches!(answer, Value::NotImplemented) {
        return Ok(answer);
    }
    let holds = vm.truthy(&answer)?;
    // `and` and `or` give one of their operands as it is.
    let equality = |vm: &mut Vm, op| vm.compare(op, mine, other);
    let less = |op| matches!(op, CompareOp::Lt | CompareOp::Le);
    let strict = |op| matches!(op, CompareOp::Lt | CompareOp::Gt);
    // The same direction: only equality is to be told apart. The other direction: the contrary of the root.
    let same_direction = less(root_op) == less(op);
    match (same_direction, strict(op), strict(root_op)) {
        (true, false, _) if holds => Ok(answer),
        (true, false, _) => equality(vm, CompareOp::Eq),
        (true, true, _) if holds => equality(vm, CompareOp::Ne),
        (true, true, _) => Ok(answer),
        // `a > b` by `<`: neither less nor equal; `a >= b` by `<=`: not below, or equal.
        (false, true, true) if !holds => equality(vm, CompareOp::Ne),
        (false, false, false) if holds => equality(vm, CompareOp::Eq),
        (false, _, _) => Ok(Value::Bool(!holds)),
    }
}
