//! Rich comparison.

use std::cmp::Ordering;
use std::rc::Rc;

use super::operators::mirrored;
use super::{CompareOp, Vm};
use crate::dict::Dict;
use crate::exception::{PyResult, type_error};
use crate::hash::ranges_equal;
use crate::number::Num;
use crate::set::SetObject;
use crate::value::{MethodTarget, Slice, Value};

/// The bytes that are compared in the time of a step.
const COMPARED_A_STEP: usize = 1024;

fn sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// The result of a comparison operator for two values in this order.
#[inline]
fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Lt => order == Ordering::Less,
        CompareOp::Le => order != Ordering::Greater,
        CompareOp::Eq => order == Ordering::Equal,
        CompareOp::Ne => order != Ordering::Equal,
        CompareOp::Gt => order == Ordering::Greater,
        CompareOp::Ge => order != Ordering::Less,
    }
}

/// The result of a comparison operator for two values that have no order, such as a NaN and a number.
fn holds_unordered(op: CompareOp) -> bool {
    op == CompareOp::Ne
}

/// The result of `==` and `!=` for two values of which it is known whether they are equal; `None` for the other operators.
fn by_equality(op: CompareOp, equal: bool) -> Option<bool> {
    match op {
        CompareOp::Eq => Some(equal),
        CompareOp::Ne => Some(!equal),
        _ => None,
    }
}

impl Vm {
    /// `a op b` as a rich comparison; its result may be any value.
    ///
    /// # Errors
    /// `TypeError: '<' not supported between instances of 'int' and 'str'`
    #[inline]
    pub fn compare(&mut self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Value> {
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => return Ok(Value::Bool(holds(op, x.cmp(y)))),
            (Value::Str(x), Value::Str(y)) => {
                self.charge_same(x.len(), y.len())?;
                let result = match op {
                    CompareOp::Eq => x == y,
                    CompareOp::Ne => x != y,
                    // UTF-8 sorts as code points do.
                    _ => holds(op, x.as_str().cmp(y.as_str())),
                };
                return Ok(Value::Bool(result));
            }
            _ => {}
        }
        if let (Some(x), Some(y)) = (Num::of(a), Num::of(b)) {
            self.charge_same(x.words() * 8, y.words() * 8)?;
            let result = x.compare(y).map_or_else(|| holds_unordered(op), |order| holds(op, order));
            return Ok(Value::Bool(result));
        }
        self.compare_other(op, a, b)
    }

    fn compare_other(&mut self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Value> {
        if let Some(result) = self.compare_overloaded(op, a, b)? {
            return Ok(result);
        }
        if let Some(result) = self.compare_builtin(op, a, b)? {
            return Ok(Value::Bool(result));
        }
        match by_equality(op, a.is(b)) {
            Some(result) => Ok(Value::Bool(result)),
            None => Err(type_error(format!(
                "'{}' not supported between instances of '{}' and '{}'",
                sign(op),
                a.type_name().as_str(),
                b.type_name().as_str()
            ))),
        }
    }

    /// The comparison as objects of the host and of modules define it.
    fn compare_overloaded(&mut self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        if !matches!(a, Value::Object(_)) && !matches!(b, Value::Object(_)) {
            return Ok(None);
        }
        for (receiver, op, other) in [(a, op, b), (b, mirrored(op), a)] {
            if let Some(result) = self.compare_by_method(op, receiver, other)? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// `receiver op other` by the receiver's own method. Where the receiver defines no `!=`, it is the negation of `==`.
    fn compare_by_method(&mut self, op: CompareOp, receiver: &Value, other: &Value) -> PyResult<Option<Value>> {
        let Value::Object(object) = receiver else { return Ok(None) };
        match self.deeper_in(" in comparison", |vm| object.compare(vm, op, other).transpose())? {
            Some(Value::NotImplemented) | None => {}
            Some(value) => return Ok(Some(value)),
        }
        if op == CompareOp::Ne
            && let Some(equal) = self.compare_by_method(CompareOp::Eq, receiver, other)?
        {
            return Ok(Some(Value::Bool(!self.truthy(&equal)?)));
        }
        Ok(None)
    }

    /// The comparison of two values of the runtime; `None` where they have none.
    fn compare_builtin(&mut self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Option<bool>> {
        Ok(match (a, b) {
            (Value::Tuple(x), Value::Tuple(y)) => Some(self.compare_items(
                op,
                |index| x.items.get(index).cloned(),
                |index| y.items.get(index).cloned(),
            )?),
            (Value::List(x), Value::List(y)) => {
                let lengths = (x.items.borrow().len(), y.items.borrow().len());
                match by_equality(op, false) {
                    Some(different) if lengths.0 != lengths.1 => Some(different),
                    _ => Some(self.compare_items(
                        op,
                        |index| x.items.borrow().get(index).cloned(),
                        |index| y.items.borrow().get(index).cloned(),
                    )?),
                }
            }
            (Value::Bytes(x), Value::Bytes(y)) => {
                self.charge_same(x.len(), y.len())?;
                Some(holds(op, x.cmp(y)))
            }
            (Value::Dict(x), Value::Dict(y)) if matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                by_equality(op, self.dicts_equal(x, y)?)
            }
            (Value::Set(x), Value::Set(y)) => {
                self.charge(x.table.borrow().len().min(y.table.borrow().len()))?;
                let result = compare_sets(op, x, y);
                self.charge_comparisons()?;
                Some(result)
            }
            (Value::Range(x), Value::Range(y)) => by_equality(op, ranges_equal(x, y)),
            (Value::Slice(x), Value::Slice(y)) => {
                let part = |slice: &Rc<Slice>, index| match index {
                    0 => Some(slice.start.clone()),
                    1 => Some(slice.stop.clone()),
                    2 => Some(slice.step.clone()),
                    _ => None,
                };
                Some(self.compare_items(op, |index| part(x, index), |index| part(y, index))?)
            }
            (Value::BoundMethod(x), Value::BoundMethod(y)) => {
                let same_target = match (&x.target, &y.target) {
                    (MethodTarget::Native(a), MethodTarget::Native(b)) => std::ptr::eq(*a, *b),
                    (MethodTarget::Host(a), MethodTarget::Host(b)) => a == b,
                    _ => false,
                };
                by_equality(op, same_target && x.receiver.is(&y.receiver))
            }
            _ => None,
        })
    }

    /// Compares two sequences, item by item, each given by position; the first items that differ decide.
    fn compare_items(
        &mut self,
        op: CompareOp,
        a: impl Fn(usize) -> Option<Value>,
        b: impl Fn(usize) -> Option<Value>,
    ) -> PyResult<bool> {
        let mut index = 0;
        loop {
            self.charge(1)?;
            match (a(index), b(index)) {
                (Some(x), Some(y)) => {
                    if !self.deeper_in(" in comparison", |vm| vm.equal(&x, &y))? {
                        return match by_equality(op, false) {
                            Some(result) => Ok(result),
                            None => {
                                let result = self.compare(op, &x, &y)?;
                                self.truthy(&result)
                            }
                        };
                    }
                }
                (x, y) => return Ok(holds(op, x.is_some().cmp(&y.is_some()))),
            }
            index += 1;
        }
    }

    /// `a == b` of dicts: the same items, in any order.
    pub(crate) fn dicts_equal(&mut self, a: &Rc<Dict>, b: &Rc<Dict>) -> PyResult<bool> {
        if Rc::ptr_eq(a, b) {
            return Ok(true);
        }
        if a.len() != b.len() {
            return Ok(false);
        }
        let mut index = 0;
        loop {
            let Some((key, value)) = a.table.borrow().get_index(index).map(|(k, v)| (k.clone(), v.clone())) else {
                return Ok(true);
            };
            self.charge(1)?;
            let Some(other) = b.table.borrow().get(&key).cloned() else { return Ok(false) };
            if !self.deeper_in(" in comparison", |vm| vm.equal(&value, &other))? {
                return Ok(false);
            }
            index += 1;
        }
    }

    /// Charges for comparing two values of `a` and `b` bytes: the comparison ends with the shorter one.
    #[inline]
    pub(super) fn charge_same(&mut self, a: usize, b: usize) -> PyResult<()> {
        self.visit(a.min(b), COMPARED_A_STEP)
    }

    /// `bool(a == b)`, identity first, as containers compare.
    ///
    /// # Errors
    /// Exceptions raised by comparing the two.
    #[inline]
    pub fn equal(&mut self, a: &Value, b: &Value) -> PyResult<bool> {
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => Ok(x == y),
            (Value::Str(x), Value::Str(y)) => {
                self.charge_same(x.len(), y.len())?;
                Ok(x == y)
            }
            (Value::None, Value::None) => Ok(true),
            _ if a.is(b) => Ok(true),
            _ => {
                let result = self.compare(CompareOp::Eq, a, b)?;
                self.truthy(&result)
            }
        }
    }

    /// `bool(a < b)`: what sorting asks.
    ///
    /// # Errors
    /// As [`Vm::compare`].
    pub fn less(&mut self, a: &Value, b: &Value) -> PyResult<bool> {
        match self.compare(CompareOp::Lt, a, b)? {
            Value::Bool(result) => Ok(result),
            other => self.truthy(&other),
        }
    }
}

fn compare_sets(op: CompareOp, a: &Rc<SetObject>, b: &Rc<SetObject>) -> bool {
    let (x, y) = (a.table.borrow(), b.table.borrow());
    match op {
        CompareOp::Eq => x.len() == y.len() && x.is_subset(&y),
        CompareOp::Ne => x.len() != y.len() || !x.is_subset(&y),
        CompareOp::Lt => x.len() < y.len() && x.is_subset(&y),
        CompareOp::Le => x.is_subset(&y),
        CompareOp::Gt => y.len() < x.len() && y.is_subset(&x),
        CompareOp::Ge => y.is_subset(&x),
    }
}
