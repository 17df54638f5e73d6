//! Operators: arithmetic, membership, truth. Comparison is in `compare.rs`, what sequences do in `sequences.rs`.

use std::rc::Rc;

use super::{BinaryOp, CompareOp, UnaryOp, Vm};
use crate::annotation;
use crate::dict::Dict;
use crate::exception::{PyResult, Raised, not_implemented_error, type_error};
use crate::format;
use crate::number::{Num, convert, float_ops, int_ops};
use crate::set::{SetObject, SetTable};
use crate::value::Value;

/// The sign of an operator.
fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::MatMultiply => "@",
        BinaryOp::TrueDivide => "/",
        BinaryOp::FloorDivide => "//",
        BinaryOp::Remainder => "%",
        BinaryOp::Power => "** or pow()",
        BinaryOp::LeftShift => "<<",
        BinaryOp::RightShift => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

/// The names of an operator's methods: without underscores: `add`, `radd`, `iadd`.
fn method_names(op: BinaryOp) -> (&'static str, &'static str, &'static str) {
    match op {
        BinaryOp::Add => ("add", "radd", "iadd"),
        BinaryOp::Subtract => ("sub", "rsub", "isub"),
        BinaryOp::Multiply => ("mul", "rmul", "imul"),
        BinaryOp::MatMultiply => ("matmul", "rmatmul", "imatmul"),
        BinaryOp::TrueDivide => ("truediv", "rtruediv", "itruediv"),
        BinaryOp::FloorDivide => ("floordiv", "rfloordiv", "ifloordiv"),
        BinaryOp::Remainder => ("mod", "rmod", "imod"),
        BinaryOp::Power => ("pow", "rpow", "ipow"),
        BinaryOp::LeftShift => ("lshift", "rlshift", "ilshift"),
        BinaryOp::RightShift => ("rshift", "rrshift", "irshift"),
        BinaryOp::And => ("and", "rand", "iand"),
        BinaryOp::Or => ("or", "ror", "ior"),
        BinaryOp::Xor => ("xor", "rxor", "ixor"),
    }
}

/// The operator that a method computes, by its name without underscores, and whether it is the reflected one: `radd`.
pub fn of_method(method: &str) -> Option<(BinaryOp, bool)> {
    const ALL: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::MatMultiply,
        BinaryOp::TrueDivide,
        BinaryOp::FloorDivide,
        BinaryOp::Remainder,
        BinaryOp::Power,
        BinaryOp::LeftShift,
        BinaryOp::RightShift,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];
    ALL.into_iter().find_map(|op| {
        let (plain, reflected, _) = method_names(op);
        (method == plain || method == reflected).then_some((op, method == reflected))
    })
}

fn unsupported(sign: &str, a: &Value, b: &Value) -> Raised {
    type_error(format!(
        "unsupported operand type(s) for {sign}: '{}' and '{}'",
        a.type_name().as_str(),
        b.type_name().as_str()
    ))
}

impl Vm {
    /// `a op b`
    ///
    /// # Errors
    /// `TypeError: unsupported operand type(s) for +: 'int' and 'str'`, `ZeroDivisionError`, `OverflowError`.
    #[inline]
    pub fn binary(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Value> {
        match (op, a, b) {
            (BinaryOp::Add, Value::Int(x), Value::Int(y)) => {
                if let Some(sum) = x.checked_add(*y) {
                    return Ok(Value::Int(sum));
                }
            }
            (BinaryOp::Subtract, Value::Int(x), Value::Int(y)) => {
                if let Some(difference) = x.checked_sub(*y) {
                    return Ok(Value::Int(difference));
                }
            }
            (BinaryOp::Multiply, Value::Int(x), Value::Int(y)) => {
                if let Some(product) = x.checked_mul(*y) {
                    return Ok(Value::Int(product));
                }
            }
            (BinaryOp::Add, Value::Float(x), Value::Float(y)) => return Ok(Value::Float(x + y)),
            (BinaryOp::Subtract, Value::Float(x), Value::Float(y)) => return Ok(Value::Float(x - y)),
            (BinaryOp::Multiply, Value::Float(x), Value::Float(y)) => return Ok(Value::Float(x * y)),
            _ => {}
        }
        self.binary_or(op, a, b, |op, a, b| unsupported(sign(op), a, b))
    }

    fn binary_or(
        &mut self,
        op: BinaryOp,
        a: &Value,
        b: &Value,
        error: impl FnOnce(BinaryOp, &Value, &Value) -> Raised,
    ) -> PyResult<Value> {
        match self.try_binary(op, a, b)? {
            Some(value) => Ok(value),
            None => Err(error(op, a, b)),
        }
    }

    /// `a op b`; `None` where neither knows how.
    fn try_binary(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        if let (Some(x), Some(y)) = (Num::of(a), Num::of(b)) {
            return self.arithmetic(op, a, b, x, y);
        }
        if let Some(result) = self.overloaded(op, a, b)? {
            return Ok(Some(result));
        }
        match (op, a, b) {
            (BinaryOp::Remainder, Value::Str(text), _) => {
                return format::percent::format(self, text, b).map(|text| Some(Value::Str(text)));
            }
            (BinaryOp::Remainder, Value::Bytes(_), _) => {
                return Err(not_implemented_error("tpvc does not format bytes"));
            }
            (BinaryOp::Subtract | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, Value::Set(x), Value::Set(y)) => {
                self.charge(x.table.borrow().len() + y.table.borrow().len())?;
                let result = set_operation(op, x, y);
                self.charge_comparisons()?;
                return Ok(Some(result));
            }
            (BinaryOp::Or, Value::Dict(x), Value::Dict(y)) => {
                self.charge(x.len() + y.len())?;
                return Ok(Some(Value::dict(merged(x, y))));
            }
            (BinaryOp::Or, _, _) => {
                return annotation::union(self, a, b);
            }
            (BinaryOp::Add, ..) => return self.concatenate(a, b),
            (BinaryOp::Multiply, ..) => return self.repeat(a, b),
            _ => {}
        }
        Ok(None)
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &Value, b: &Value, x: Num<'_>, y: Num<'_>) -> PyResult<Option<Value>> {
        if let (Value::Bool(a), Value::Bool(b)) = (a, b) {
            match op {
                BinaryOp::And => return Ok(Some(Value::Bool(a & b))),
                BinaryOp::Or => return Ok(Some(Value::Bool(a | b))),
                BinaryOp::Xor => return Ok(Some(Value::Bool(a ^ b))),
                _ => {}
            }
        }
        match (x, y) {
            (Num::Float(_), _) | (_, Num::Float(_)) => {
                if matches!(
                    op,
                    BinaryOp::And
                        | BinaryOp::Or
                        | BinaryOp::Xor
                        | BinaryOp::LeftShift
                        | BinaryOp::RightShift
                        | BinaryOp::MatMultiply
                ) {
                    return Ok(None);
                }
                let (x, y) = (convert::to_float(x)?, convert::to_float(y)?);
                Ok(float_ops::binary(op, x, y)?.map(Value::Float))
            }
            _ => int_ops::binary(self, op, x, y),
        }
    }

    /// The operator as objects of the host and of modules define it: `a`'s method, then `b`'s reflected one.
    fn overloaded(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let (name, reflected, _) = method_names(op);
        for (receiver, other, method) in [(a, b, name), (b, a, reflected)] {
            let Value::Object(object) = receiver else { continue };
            match object.binary(self, method, other).transpose()? {
                Some(Value::NotImplemented) | None => {}
                Some(value) => return Ok(Some(value)),
            }
        }
        Ok(None)
    }

    /// `a op= b`: lists, dicts and sets change in place.
    ///
    /// # Errors
    /// As [`Vm::binary`], with `op=` in the text.
    #[inline]
    pub fn in_place(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Value> {
        match a {
            Value::Int(_) | Value::Float(_) => {}
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Range(_) | Value::Object(_) => {
                if let Some(value) = self.try_in_place(op, a, b)? {
                    return Ok(value);
                }
            }
            _ => {}
        }
        self.binary_or(op, a, b, |op, a, b| {
            let sign = if op == BinaryOp::Power { "**" } else { sign(op) };
            unsupported(&format!("{sign}="), a, b)
        })
    }

    fn try_in_place(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        if let (Value::List(_), Value::Object(object)) = (a, b)
            && let Some(value) = object.reflected_in_place(self, method_names(op).1, a).transpose()?
        {
            return Ok(Some(value));
        }
        match (op, a) {
            (BinaryOp::Add, Value::List(list)) => {
                self.extend_list(list, b)?;
                Ok(Some(a.clone()))
            }
            (BinaryOp::Multiply, Value::List(list)) => match self.repeat(a, b)? {
                Some(Value::List(repeated)) => {
                    let items = repeated.items.take();
                    list.items.replace(items);
                    Ok(Some(a.clone()))
                }
                other => Ok(other),
            },
            // CPython takes these for sequences that cannot be repeated, and so never asks the other operand.
            (BinaryOp::Multiply, Value::Dict(_) | Value::Set(_) | Value::Range(_)) => Err(unsupported("*=", a, b)),
            (BinaryOp::Or, Value::Dict(dict)) => {
                self.update_dict_in_place(dict, b)?;
                Ok(Some(a.clone()))
            }
            (BinaryOp::Subtract | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, Value::Set(set)) if !set.frozen() => {
                let Value::Set(other) = b else { return Ok(None) };
                self.charge(set.table.borrow().len() + other.table.borrow().len())?;
                if Rc::ptr_eq(set, other) {
                    let mut table = set.table.borrow_mut();
                    match op {
                        BinaryOp::Subtract | BinaryOp::Xor => table.clear(),
                        BinaryOp::And => *table = table.copied(),
                        _ => {}
                    }
                    drop(table);
                    return Ok(Some(a.clone()));
                }
                let items = other.table.borrow();
                let mut table = set.table.borrow_mut();
                match op {
                    BinaryOp::Subtract => table.subtract(&items),
                    BinaryOp::And => *table = table.intersection(&items),
                    BinaryOp::Or => table.merge(&items),
                    _ => table.toggle(&items),
                }
                drop(table);
                self.charge_comparisons()?;
                Ok(Some(a.clone()))
            }
            (_, Value::Object(object)) => {
                let result = object.binary(self, method_names(op).2, b);
                Ok(result.transpose()?.filter(|value| !matches!(value, Value::NotImplemented)))
            }
            _ => Ok(None),
        }
    }

    /// `dict |= other`: a mapping, or pairs.
    fn update_dict_in_place(&mut self, dict: &Dict, other: &Value) -> PyResult<()> {
        if let Value::Dict(other) = other {
            let entries = other.table.borrow().clone();
            self.charge(entries.len())?;
            dict.table.borrow_mut().extend(entries);
            return self.charge_comparisons();
        }
        self.update_dict(dict, other)
    }

    /// `op a`, but for `not`: see [`Vm::truthy`].
    ///
    /// # Errors
    /// `TypeError: bad operand type for unary -: 'str'`
    pub fn unary(&mut self, op: UnaryOp, a: &Value) -> PyResult<Value> {
        if op == UnaryOp::Not {
            return Ok(Value::Bool(!self.truthy(a)?));
        }
        if let Value::BigInt(_) = a {
            self.charge_receiver(a)?;
        }
        match (op, Num::of(a)) {
            (UnaryOp::Negative, Some(num)) => return Ok(int_ops::negative(num)),
            (UnaryOp::Positive, Some(num)) => return Ok(num.to_value()),
            (UnaryOp::Invert, Some(Num::Small(value))) => return Ok(Value::Int(!value)),
            (UnaryOp::Invert, Some(Num::Big(value))) => return Ok(Value::from_bigint(!value.clone())),
            _ => {}
        }
        let (sign, method) = match op {
            UnaryOp::Negative => ("-", "neg"),
            UnaryOp::Positive => ("+", "pos"),
            _ => ("~", "invert"),
        };
        if let Value::Object(object) = a
            && let Some(result) = object.unary(self, method)
        {
            return result;
        }
        Err(type_error(format!("bad operand type for unary {sign}: '{}'", a.type_name().as_str())))
    }

    /// `item in container`
    ///
    /// # Errors
    /// `TypeError: argument of type 'int' is not iterable`
    pub fn contains(&mut self, container: &Value, item: &Value) -> PyResult<bool> {
        match container {
            Value::Str(text) => match item {
                Value::Str(part) => {
                    self.visit(text.as_str().len(), super::BYTES_A_STEP)?;
                    Ok(text.as_str().contains(part.as_str()))
                }
                _ => Err(type_error(format!(
                    "'in <string>' requires string as left operand, not {}",
                    item.type_name().as_str()
                ))),
            },
            Value::Dict(dict) => Ok(dict.get(self, item)?.is_some()),
            Value::Set(set) => self.set_contains(set, item),
            Value::List(list) => {
                // By position, since comparing may change the list.
                let mut index = 0;
                while let Some(candidate) = { list.items.borrow().get(index).cloned() } {
                    self.charge(1)?;
                    if self.equal(&candidate, item)? {
                        return Ok(true);
                    }
                    index += 1;
                }
                Ok(false)
            }
            Value::Tuple(tuple) => {
                self.charge(tuple.items.len())?;
                for candidate in &tuple.items {
                    if self.equal(candidate, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Range(_) if Num::int_of(item).is_some() => self.range_contains(container, item),
            Value::Bytes(bytes) => self.bytes_contain(bytes, item),
            Value::Object(object) => match object.contains(self, item) {
                Some(found) => found,
                None => self.contains_by_iterating(container, item),
            },
            _ => self.contains_by_iterating(container, item),
        }
    }

    /// `item in set`; a set as the item stands for the frozenset of its items.
    fn set_contains(&mut self, set: &Rc<SetObject>, item: &Value) -> PyResult<bool> {
        match item {
            Value::Set(inner) if !inner.frozen() => {
                let frozen = Value::Set(Rc::new(SetObject::new(inner.table.borrow().clone(), true)));
                set.contains(self, &frozen)
            }
            item => set.contains(self, item),
        }
    }

    fn contains_by_iterating(&mut self, container: &Value, item: &Value) -> PyResult<bool> {
        let not_iterable =
            || type_error(format!("argument of type '{}' is not iterable", container.type_name().as_str()));
        let iterator = match container {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                return Err(not_iterable());
            }
            container => self.iter_or(container, not_iterable)?,
        };
        while let Some(candidate) = self.next(&iterator)? {
            self.charge(1)?;
            if self.equal(&candidate, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `bool(value)`
    ///
    /// # Errors
    /// Exceptions raised by [`Object::truthy`](crate::object::Object::truthy).
    #[inline]
    pub fn truthy(&mut self, value: &Value) -> PyResult<bool> {
        Ok(match value {
            Value::Bool(value) => *value,
            Value::None => false,
            Value::Int(value) => *value != 0,
            Value::Float(value) => *value != 0.0,
            Value::Str(text) => !text.as_str().is_empty(),
            Value::List(list) => !list.items.borrow().is_empty(),
            Value::Dict(dict) => !dict.is_empty(),
            Value::Tuple(tuple) => !tuple.items.is_empty(),
            Value::Bytes(bytes) => !bytes.is_empty(),
            Value::Set(set) => !set.table.borrow().is_empty(),
            Value::Range(range) => !range.is_empty(),
            Value::Object(object) => return object.truthy(self),
            _ => true,
        })
    }
}

/// Returns `true` if the error is that of a loop over this value, which other functions word differently.
pub(crate) fn is_not_iterable(raised: &Raised, container: &Value) -> bool {
    let args = raised.0.args.borrow();
    matches!(args.first(), Some(Value::Str(text))
        if text.as_str() == format!("'{}' object is not iterable", container.type_name().as_str()))
}

/// `a op b` of sets; the result is of `a`'s class.
fn set_operation(op: BinaryOp, a: &Rc<SetObject>, b: &Rc<SetObject>) -> Value {
    let (x, y) = (a.table.borrow(), b.table.borrow());
    let table: SetTable = match op {
        BinaryOp::Subtract => x.difference(&y),
        BinaryOp::And => x.intersection(&y),
        BinaryOp::Or => x.union(&y),
        _ => x.symmetric_difference(&y),
    };
    Value::Set(Rc::new(SetObject::new(table, a.frozen())))
}

/// `a | b` of dicts.
fn merged(a: &Dict, b: &Dict) -> Dict {
    let mut table = a.table.borrow().clone();
    table.extend(b.table.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
    Dict::from_table(table)
}

/// The reflected operator: `a < b` is `b > a`.
pub(super) fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}
