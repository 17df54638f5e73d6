//! Replays what CPython 3.11 made of tables of operations on values (`tests/record/record_values.py` wrote them).
//!
//! An outcome is the `repr` of the result after `=`, or the exception's class and text after `!`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::rc::Rc;

use num_bigint::BigInt;
use serde_json::Value as Json;
use tpv_python::args::Args;
use tpv_python::dict::Key;
use tpv_python::exception::{ExceptionObject, PyResult};
use tpv_python::library;
use tpv_python::set::SetObject;
use tpv_python::string::Str;
use tpv_python::types::DICT;
use tpv_python::value::{Range, Slice, Value};
use tpv_python::vm::{BinaryOp, CompareOp, NoEnvironment, UnaryOp, Vm};

/// The value that the recorder encoded.
fn value(vm: &mut Vm, json: &Json) -> Value {
    let items = match json {
        Json::Null => return Value::None,
        Json::Bool(value) => return Value::Bool(*value),
        Json::Number(number) => return Value::Int(number.as_i64().unwrap()),
        Json::String(text) => return Value::str(text.as_str()),
        Json::Array(items) => items,
        Json::Object(_) => panic!("no value: {json}"),
    };
    let kind = items[0].as_str().unwrap();
    let rest = &items[1..];
    let text = || rest[0].as_str().unwrap();
    match kind {
        "i" => {
            let (sign, digits) = match text().strip_prefix("-0x") {
                Some(digits) => (-1, digits),
                None => (1, &text()[2..]),
            };
            Value::from_bigint(BigInt::parse_bytes(digits.as_bytes(), 16).unwrap() * sign)
        }
        "f" => Value::Float(f64::from_bits(rest[0].as_u64().unwrap())),
        "b" => {
            let hex = text();
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            Value::bytes((0..hex.len()).step_by(2).map(byte).collect())
        }
        "l" => Value::list(values(vm, rest)),
        "t" => Value::tuple(values(vm, rest)),
        "s" | "fs" => {
            let keys = values(vm, rest).into_iter().map(|item| Key::new(vm, item).unwrap()).collect::<Vec<_>>();
            Value::Set(Rc::new(SetObject::new(keys.into_iter().collect(), kind == "fs")))
        }
        "d" => {
            let dict = vm.call(&Value::Type(&DICT), Args::none()).unwrap();
            for pair in rest {
                let (key, item) = (value(vm, &pair[0]), value(vm, &pair[1]));
                vm.set_item(&dict, &key, item).unwrap();
            }
            dict
        }
        "slice" => {
            let parts = values(vm, rest);
            Value::Slice(Rc::new(Slice { start: parts[0].clone(), stop: parts[1].clone(), step: parts[2].clone() }))
        }
        "range" => {
            let part = |index: usize| rest[index].as_i64().unwrap();
            Value::Range(Rc::new(Range { start: part(0), stop: part(1), step: part(2) }))
        }
        "type" => library::builtin(text()).unwrap(),
        "exc" => {
            let Some(Value::Type(class)) = library::builtin(text()) else { panic!("no class: {json}") };
            Value::Exception(ExceptionObject::new(class, values(vm, &rest[1..])))
        }
        _ => panic!("no value: {json}"),
    }
}

fn values(vm: &mut Vm, json: &[Json]) -> Vec<Value> {
    json.iter().map(|item| value(vm, item)).collect()
}

fn arguments(vm: &mut Vm, positional: &Json, named: &Json) -> Args {
    let mut args = Args::positional(values(vm, positional.as_array().unwrap()));
    for (name, item) in named.as_object().unwrap() {
        args.kw.push((Str::from(name.as_str()), value(vm, item)));
    }
    args
}

/// The outcome as the recorder writes it.
fn outcome(vm: &mut Vm, result: PyResult<Value>) -> String {
    let result = result.and_then(|value| vm.repr(&value));
    let text = match result {
        Ok(text) => format!("={text}"),
        Err(raised) => {
            let message = vm.str(&raised.value()).unwrap();
            format!("!{}: {}", raised.class_name(), message.as_str())
        }
    };
    if text.chars().count() <= 120 {
        return text;
    }
    let head: String = text.chars().take(24).collect();
    format!("{head}...{:08x}", crc32fast::hash(text.as_bytes()))
}

fn binary_op(sign: &str) -> Option<BinaryOp> {
    Some(match sign {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "@" => BinaryOp::MatMultiply,
        "/" => BinaryOp::TrueDivide,
        "//" => BinaryOp::FloorDivide,
        "%" => BinaryOp::Remainder,
        "**" => BinaryOp::Power,
        "<<" => BinaryOp::LeftShift,
        ">>" => BinaryOp::RightShift,
        "&" => BinaryOp::And,
        "|" => BinaryOp::Or,
        "^" => BinaryOp::Xor,
        _ => return None,
    })
}

fn compare_op(sign: &str) -> Option<CompareOp> {
    Some(match sign {
        "<" => CompareOp::Lt,
        "<=" => CompareOp::Le,
        "==" => CompareOp::Eq,
        "!=" => CompareOp::Ne,
        ">" => CompareOp::Gt,
        ">=" => CompareOp::Ge,
        _ => return None,
    })
}

/// An operation on two values.
fn operate(vm: &mut Vm, sign: &str, a: &Value, b: &Value) -> PyResult<Value> {
    if let Some(op) = compare_op(sign) {
        return vm.compare(op, a, b);
    }
    if let Some(op) = binary_op(sign) {
        return vm.binary(op, a, b);
    }
    if let Some(op) = sign.strip_suffix('=').and_then(binary_op) {
        return vm.in_place(op, a, b);
    }
    match sign {
        "[]" => vm.get_item(a, b),
        "contains" => vm.contains(a, b).map(Value::Bool),
        "format" => match b {
            Value::Str(spec) => vm.format(a, spec.as_str()).map(Value::Str),
            _ => panic!("the specification is no text"),
        },
        _ => panic!("no operator: {sign}"),
    }
}

fn unary(vm: &mut Vm, sign: &str, a: &Value) -> PyResult<Value> {
    match sign {
        "u-" => vm.unary(UnaryOp::Negative, a),
        "u+" => vm.unary(UnaryOp::Positive, a),
        "u~" => vm.unary(UnaryOp::Invert, a),
        "not" => vm.unary(UnaryOp::Not, a),
        "abs" => call(vm, "abs", Args::one(a.clone())),
        _ => panic!("no operator: {sign}"),
    }
}

/// A builtin function or class called.
fn call(vm: &mut Vm, function: &str, args: Args) -> PyResult<Value> {
    match library::builtin(function) {
        Some(callee) => vm.call(&callee, args),
        None => panic!("no builtin: {function}"),
    }
}

/// Checks that the outcome is the recorded one; gives what differs.
struct Checker {
    file: String,
    checked: usize,
    wrong: Vec<String>,
}

impl Checker {
    fn check(&mut self, what: impl FnOnce() -> String, expected: &str, got: &str) {
        self.checked += 1;
        if expected != got {
            self.wrong.push(format!("{}: {}\n  expected {expected}\n  got      {got}", self.file, what()));
        }
    }
}

fn replay(file: &str) {
    let path = format!("{}/tests/recorded/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let groups: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut checker = Checker { file: file.to_owned(), checked: 0, wrong: Vec::new() };
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    for group in &groups {
        replay_group(&mut vm, group, &mut checker);
    }
    assert!(checker.checked > 10, "{file}: nothing was checked");
    let count = checker.wrong.len();
    let shown = checker.wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(count == 0, "{count} of {} differ\n{shown}", checker.checked);
}

fn replay_group(vm: &mut Vm, group: &Json, checker: &mut Checker) {
    let cases = group["cases"].as_array().unwrap();
    if let Some(sign) = group["table"].as_str() {
        let (a, b) = (group["a"].as_array().unwrap(), group["b"].as_array().unwrap());
        let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
        for ((a, b), expected) in pairs.zip(cases) {
            let Some(expected) = expected.as_u64() else { continue };
            vm.reset();
            let expected = group["outcomes"][usize::try_from(expected).unwrap()].as_str().unwrap();
            // Each case has values of its own, since it may change them.
            let (x, y) = (value(vm, a), value(vm, b));
            let result = operate(vm, sign, &x, &y);
            let got = outcome(vm, result);
            checker.check(|| format!("{a} {sign} {b}"), expected, &got);
        }
        return;
    }
    if let Some(name) = group["unicode"].as_str() {
        return replay_unicode(vm, name, cases, checker);
    }
    for case in cases {
        vm.reset();
        let expected = case.as_array().unwrap().last().unwrap().as_str().unwrap();
        let result = if let Some(sign) = group["unary"].as_str() {
            let a = value(vm, &case[0]);
            unary(vm, sign, &a)
        } else if let Some(function) = group["call"].as_str() {
            let args = Args::positional(values(vm, case[0].as_array().unwrap()));
            call(vm, function, args)
        } else if let Some(name) = group["method"].as_str() {
            let receiver = value(vm, &case[0]);
            let args = arguments(vm, &case[1], &case[2]);
            vm.call_method(&receiver, name, args)
        } else if let Some(name) = group["static"].as_str() {
            let (class, name) = name.split_once('.').unwrap();
            let class = library::builtin(class).unwrap();
            let args = arguments(vm, &case[0], &case[1]);
            vm.call_method(&class, name, args)
        } else if group.get("set_item").is_some() {
            let (target, key, item) = (value(vm, &case[0]), value(vm, &case[1]), value(vm, &case[2]));
            vm.set_item(&target, &key, item).map(|()| target)
        } else if group.get("del_item").is_some() {
            let (target, key) = (value(vm, &case[0]), value(vm, &case[1]));
            vm.del_item(&target, &key).map(|()| target)
        } else {
            let (a, b) = (value(vm, &case[1]), value(vm, &case[2]));
            operate(vm, case[0].as_str().unwrap(), &a, &b)
        };
        let got = outcome(vm, result);
        checker.check(|| format!("{} {case}", group_name(group)), expected, &got);
    }
}

fn group_name(group: &Json) -> String {
    let named = ["unary", "call", "method", "static"].into_iter().find_map(|kind| group[kind].as_str());
    named.unwrap_or_default().to_owned()
}

/// Compares a property of code points, block by block, by checksum.
fn replay_unicode(vm: &mut Vm, name: &str, cases: &[Json], checker: &mut Checker) {
    for (block, expected) in (0_u32..0x32).chain([0xe0]).zip(cases) {
        vm.reset();
        let mut text = String::new();
        for char in (block * 4096..(block + 1) * 4096).filter_map(char::from_u32) {
            let receiver = Value::str(char.to_string());
            let result = vm.call_method(&receiver, name, Args::none()).unwrap();
            text.push_str(vm.str(&result).unwrap().as_str());
            text.push('.');
        }
        let got = crc32fast::hash(text.as_bytes()).to_string();
        checker.check(|| format!("{name} of block {:#x}", block * 4096), &expected.to_string(), &got);
    }
}

/// One test a recorded file.
macro_rules! recorded {
    ($($file:ident)*) => {
        $(#[test]
        fn $file() {
            replay(stringify!($file));
        })*
    };
}

recorded! {
    arithmetic operators in_place comparison sets hashes floats parsing formats percents templates str_methods
    bytes_methods items reprs unicode
}

/// Huge results are refused before they are created, with an exception and at once.
#[test]
fn huge_results_are_refused() {
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let big = Value::from_bigint(BigInt::from(10).pow(30));
    let ten = Value::Int(10);
    let cases = [
        ("**", ten.clone(), Value::Int(10_000_000_000), "MemoryError"),
        ("**", ten.clone(), big.clone(), "MemoryError"),
        ("<<", Value::Int(1), Value::Int(1_000_000_000_000), "MemoryError"),
        ("<<", Value::Int(1), big.clone(), "OverflowError"),
        ("*", Value::str("x"), Value::Int(1_000_000_000_000), "MemoryError"),
        ("*", Value::list(vec![ten.clone()]), Value::Int(i64::MAX), "MemoryError"),
        ("*", Value::tuple(vec![ten.clone()]), big.clone(), "OverflowError"),
        ("*", Value::bytes(vec![1]), Value::Int(i64::MAX), "MemoryError"),
        ("format", ten.clone(), Value::str("99999999999d"), "MemoryError"),
        ("format", Value::str("x"), Value::str(">99999999999"), "MemoryError"),
        ("format", Value::Float(1.5), Value::str(".2000000000f"), "MemoryError"),
        ("%", Value::str("%99999999999s"), ten.clone(), "MemoryError"),
        ("%", Value::str("%.2000000000d"), ten.clone(), "MemoryError"),
    ];
    for (sign, a, b, class) in cases {
        vm.reset();
        let raised = operate(&mut vm, sign, &a, &b).map(drop).expect_err(sign);
        assert_eq!(raised.class_name(), class, "{sign} {raised:?}");
    }
    for (method, args) in [
        ("center", vec![Value::Int(1 << 40)]),
        ("zfill", vec![Value::Int(1 << 40)]),
        ("expandtabs", vec![Value::Int(1 << 40)]),
        ("replace", vec![Value::str(""), Value::str("y".repeat(10_000_000))]),
    ] {
        vm.reset();
        let text = Value::str("\tabcdefghij");
        let raised = vm.call_method(&text, method, Args::positional(args)).map(drop).expect_err(method);
        assert_eq!(raised.class_name(), "MemoryError", "{method}");
    }
}

/// Work that grows faster than its input is paid for, so that it ends.
#[test]
fn long_work_runs_out_of_steps() {
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let large = vm.binary(BinaryOp::LeftShift, &Value::Int(3), &Value::Int(60_000_000)).unwrap();
    let raised = vm.binary(BinaryOp::Multiply, &large, &large).map(drop).expect_err("the product");
    assert_eq!(raised.class_name(), "TimeoutError");
    vm.reset();
    let divisor = vm.binary(BinaryOp::LeftShift, &Value::Int(3), &Value::Int(30_000_000)).unwrap();
    let raised = vm.binary(BinaryOp::Remainder, &large, &divisor).map(drop).expect_err("the remainder");
    assert_eq!(raised.class_name(), "TimeoutError");
}
