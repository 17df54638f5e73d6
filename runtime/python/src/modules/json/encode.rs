//! Writing JSON: CPython's `json.dumps`.

use std::fmt::Write;

use super::text::{quote, write_float};
use crate::args::Args;
use crate::exception::{PyResult, type_error, value_error};
use crate::identity::{Inside, OUTER_A_STEP};
use crate::methods::sort;
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

/// The items of a container that are copied in about the time of a step.
const ITEMS_A_STEP: usize = 8;

/// The options of `json.dumps`.
pub struct Options {
    /// Write anything beyond ASCII as `\uXXXX`.
    pub ensure_ascii: bool,
    /// Sort objects by key.
    pub sort_keys: bool,
    /// The text of one level of indentation; `None` writes everything on one line.
    pub indent: Option<String>,
    /// The text between items.
    pub item_separator: String,
    /// The text between key and value.
    pub key_separator: String,
    /// Called for what JSON has no form for.
    pub default: Option<Value>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ensure_ascii: true,
            sort_keys: false,
            indent: None,
            item_separator: ", ".to_owned(),
            key_separator: ": ".to_owned(),
            default: None,
        }
    }
}

/// `json.dumps(value, ...)`
///
/// # Errors
/// `TypeError` for what JSON has no form for, `ValueError` for a value that holds itself.
pub fn dumps(vm: &mut Vm, value: &Value, options: &Options) -> PyResult<String> {
    let mut writer = Writer { out: String::new(), options, open: Inside::default() };
    writer.value(vm, value)?;
    Ok(writer.out)
}

struct Writer<'a> {
    out: String,
    options: &'a Options,
    /// The containers that are being written.
    open: Inside,
}

impl Writer<'_> {
    fn value(&mut self, vm: &mut Vm, value: &Value) -> PyResult<()> {
        vm.charge(1)?;
        match value {
            Value::None => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Int(number) => {
                let _ = write!(self.out, "{number}");
            }
            Value::BigInt(_) => self.out.push_str(&vm.repr(value)?),
            Value::Float(number) => write_float(&mut self.out, *number),
            Value::Str(text) => {
                vm.visit(text.len(), 4)?;
                vm.limit_bytes(self.out.len().saturating_add(text.len()))?;
                quote(&mut self.out, text, self.options.ensure_ascii);
            }
            Value::List(list) => {
                vm.visit(list.items.borrow().len(), ITEMS_A_STEP)?;
                let items = list.items.borrow().clone();
                self.array(vm, items, value)?;
            }
            Value::Tuple(tuple) => {
                vm.visit(tuple.items.len(), ITEMS_A_STEP)?;
                self.array(vm, tuple.items.clone(), value)?;
            }
            Value::Dict(dict) => {
                // Keys and values are copied, each by its own kind.
                vm.charge(dict.len())?;
                self.object(vm, dict.items(), value)?;
            }
            other => {
                let Some(default) = &self.options.default else {
                    return Err(type_error(format!("Object of type {} is not JSON serializable", other.class_name())));
                };
                self.enter(vm, other)?;
                let replaced = vm.call(default, Args::one(other.clone()))?;
                vm.deeper_in(" while encoding a JSON object", |vm| self.value(vm, &replaced))?;
                self.open.leave();
            }
        }
        vm.limit_bytes(self.out.len())?;
        Ok(())
    }

    fn enter(&mut self, vm: &mut Vm, container: &Value) -> PyResult<()> {
        vm.visit(self.open.depth(), OUTER_A_STEP)?;
        if self.open.enter(container) { Ok(()) } else { Err(value_error("Circular reference detected")) }
    }

    /// A new line at the present depth, where there is indentation.
    fn line(&mut self, vm: &mut Vm, depth: usize) -> PyResult<()> {
        if let Some(indent) = &self.options.indent {
            let more = indent.len().saturating_mul(depth);
            vm.limit_bytes(self.out.len().saturating_add(more))?;
            vm.visit(more, 64)?;
            self.out.push('\n');
            for _ in 0..depth {
                self.out.push_str(indent);
            }
        }
        Ok(())
    }

    /// Appends the separator between two items, or between key and value.
    fn separator(&mut self, vm: &mut Vm, text: &str) -> PyResult<()> {
        vm.limit_bytes(self.out.len().saturating_add(text.len()))?;
        vm.visit(text.len(), 64)?;
        self.out.push_str(text);
        Ok(())
    }

    fn array(&mut self, vm: &mut Vm, items: Vec<Value>, container: &Value) -> PyResult<()> {
        if items.is_empty() {
            self.out.push_str("[]");
            return Ok(());
        }
        self.enter(vm, container)?;
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.separator(vm, &self.options.item_separator)?;
            }
            self.line(vm, self.open.depth())?;
            vm.deeper_in(" while encoding a JSON object", |vm| self.value(vm, item))?;
        }
        self.open.leave();
        self.line(vm, self.open.depth())?;
        self.out.push(']');
        vm.charge_bytes(self.out.len())
    }

    fn object(&mut self, vm: &mut Vm, mut items: Vec<(Value, Value)>, container: &Value) -> PyResult<()> {
        if items.is_empty() {
            self.out.push_str("{}");
            return Ok(());
        }
        self.enter(vm, container)?;
        if self.options.sort_keys {
            items = sorted_by_key(vm, items)?;
        }
        self.out.push('{');
        let mut first = true;
        for (key, value) in items {
            let key = self.key(vm, &key)?;
            if !std::mem::take(&mut first) {
                self.separator(vm, &self.options.item_separator)?;
            }
            self.line(vm, self.open.depth())?;
            vm.visit(key.len(), 4)?;
            quote(&mut self.out, &key, self.options.ensure_ascii);
            self.separator(vm, &self.options.key_separator)?;
            vm.deeper_in(" while encoding a JSON object", |vm| self.value(vm, &value))?;
        }
        self.open.leave();
        self.line(vm, self.open.depth())?;
        self.out.push('}');
        vm.charge_bytes(self.out.len())
    }

    fn key(&self, vm: &mut Vm, key: &Value) -> PyResult<String> {
        Ok(match key {
            Value::Str(text) => text.to_string(),
            Value::Float(number) => {
                let mut text = String::new();
                write_float(&mut text, *number);
                text
            }
            Value::Bool(flag) => flag.to_string(),
            Value::None => "null".to_owned(),
            Value::Int(_) | Value::BigInt(_) => vm.repr(key)?,
            other => {
                // What writes with indentation is written in Python.
                let class =
                    if self.options.indent.is_some() { Str::from(other.class_name()) } else { other.type_name() };
                let class = class.as_str();
                return Err(type_error(format!("keys must be str, int, float, bool or None, not {class}")));
            }
        })
    }
}

/// The items as `sorted(dict.items())` orders them.
fn sorted_by_key(vm: &mut Vm, items: Vec<(Value, Value)>) -> PyResult<Vec<(Value, Value)>> {
    let mut pairs: Vec<Value> = items.into_iter().map(|(key, value)| Value::tuple(vec![key, value])).collect();
    sort::sort(vm, &mut pairs, None, false)?;
    Ok(pairs
        .into_iter()
        .filter_map(|pair| match pair {
            Value::Tuple(tuple) => match tuple.items.as_slice() {
                [key, value] => Some((key.clone(), value.clone())),
                _ => None,
            },
            _ => None,
        })
        .collect())
}
