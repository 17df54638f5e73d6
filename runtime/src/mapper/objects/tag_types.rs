//! `TagType` and `Tag` of `tpv.core.entities`.

use tpv_galaxy::signature;
use tpv_galaxy::tpv::version_of;
use tpv_model::TagType;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, attribute_error, key_error, raise_with, value_error};
use tpv_python::iterator::{Items, IteratorObject};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, LIST_ITERATOR};
use tpv_python::value::Value;
use tpv_python::vm::operators::of_method;
use tpv_python::vm::{BinaryOp, CompareOp, Vm};

use super::{ENUM_TYPE, TAG, TAG_TYPE};

/// A member of `TagType`: an int with a name.
pub struct TagTypeMember(pub TagType);

impl TagTypeMember {
    /// The member as a value.
    pub fn value(kind: TagType) -> Value {
        Value::object(Self(kind))
    }

    fn value_of(&self, vm: &Vm) -> i64 {
        version_of(vm).tag_numbers().of(self.0)
    }

    fn int(&self, vm: &Vm) -> Value {
        Value::Int(self.value_of(vm))
    }

    /// The kind that a value stands for: a member of the enumeration.
    pub fn kind(value: &Value) -> Option<TagType> {
        value.downcast::<Self>().map(|member| member.0)
    }
}

/// Returns `true` for what an int can be compared with or added to. The messages about anything else name the class of the member.
fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_))
}

/// An operand as the int it is, where it is a member.
fn plain(vm: &Vm, value: &Value) -> Value {
    value.downcast::<TagTypeMember>().map_or_else(|| value.clone(), |member| member.int(vm))
}

impl Object for TagTypeMember {
    fn class(&self) -> &'static BuiltinType {
        &TAG_TYPE
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::str(self.0.name())),
            "value" => Some(self.int(vm)),
            _ => None,
        })
    }

    fn truthy(&self, vm: &mut Vm) -> PyResult<bool> {
        Ok(self.value_of(vm) != 0 || !version_of(vm).has_int_tag_types())
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<TagType.{}: {}>", self.0.name(), self.value_of(vm)))
    }

    fn str(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(if version_of(vm).has_int_tag_types() {
            self.value_of(vm).to_string()
        } else {
            format!("TagType.{}", self.0.name())
        })
    }

    fn format(&self, vm: &mut Vm, _: &Value, spec: &str) -> Option<PyResult<String>> {
        let number = self.int(vm);
        Some(vm.format(&number, spec).map(|text| text.to_string()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        if !version_of(vm).has_int_tag_types() {
            let is_same = Self::kind(other) == Some(self.0);
            return match op {
                CompareOp::Eq => Some(Ok(Value::Bool(is_same))),
                CompareOp::Ne => Some(Ok(Value::Bool(!is_same))),
                _ => None,
            };
        }
        let (mine, other) = (self.int(vm), plain(vm, other));
        let has_order = is_number(&other) || matches!(op, CompareOp::Eq | CompareOp::Ne);
        has_order.then(|| vm.compare(op, &mine, &other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let (op, reflected) = of_method(method)?;
        if !version_of(vm).has_int_tag_types() {
            return None;
        }
        match op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::TrueDivide
            | BinaryOp::FloorDivide
            | BinaryOp::Remainder
            | BinaryOp::Power => {}
            _ => return None,
        }
        let (mine, other) = (self.int(vm), plain(vm, other));
        if !is_number(&other) && op != BinaryOp::Multiply {
            return None;
        }
        Some(if reflected { vm.binary(op, &other, &mine) } else { vm.binary(op, &mine, &other) })
    }

    fn unary(&self, vm: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        match method {
            "neg" => Some(Ok(Value::Int(-self.value_of(vm)))),
            "pos" => Some(Ok(self.int(vm))),
            "abs" => Some(Ok(Value::Int(self.value_of(vm).abs()))),
            "invert" => Some(Ok(Value::Int(!self.value_of(vm)))),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "the numbers are -1 to 3")]
    fn number(&self, vm: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        match method {
            "int" | "index" => Some(Ok(self.int(vm))),
            "float" => Some(Ok(Value::Float(self.value_of(vm) as f64))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        let number = self.int(vm);
        Some(tpv_python::hash::hash(vm, &number))
    }
}

/// The class `TagType`.
pub struct TagTypeClass;

impl Object for TagTypeClass {
    fn class(&self) -> &'static BuiltinType {
        &ENUM_TYPE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if name == "__name__" {
            return Ok(Some(Value::str("TagType")));
        }
        match TagType::ALL.into_iter().find(|kind| kind.name() == name) {
            Some(kind) => Ok(Some(TagTypeMember::value(kind))),
            // The enumeration's own `__getattr__` says only the name.
            None => Err(attribute_error(name)),
        }
    }

    fn get_item(&self, _: &mut Vm, key: &Value) -> PyResult<Value> {
        let name = key.as_str();
        let kind = TagType::ALL.into_iter().find(|kind| name.is_some_and(|name| name.as_str() == kind.name()));
        kind.map(TagTypeMember::value).ok_or_else(|| key_error(key.clone()))
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let [value, _] = signature::bind_method(args, "EnumType.__call__", ["value", "names"], 1)?;
        let value = value.unwrap_or(Value::None);
        if TagTypeMember::kind(&value).is_some() {
            return Ok(value);
        }
        let kind = match &value {
            Value::Int(number) => version_of(vm).tag_numbers().kind(*number),
            _ => None,
        };
        match kind {
            Some(kind) => Ok(TagTypeMember::value(kind)),
            None => Err(value_error(format!("{} is not a valid TagType", vm.repr(&value)?))),
        }
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let members: Vec<Value> = TagType::ALL.into_iter().map(TagTypeMember::value).collect();
        Some(Ok(IteratorObject::new(&LIST_ITERATOR, Items(members.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(TagType::ALL.len()))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok("<enum 'TagType'>".to_owned())
    }
}

/// A `Tag`: a frozen data class.
pub struct TagObject {
    value: Value,
    tag_type: Value,
}

impl TagObject {
    /// The tag as a value.
    pub fn value(name: Str, kind: TagType) -> Value {
        Self::of_fields(Value::Str(name), TagTypeMember::value(kind))
    }

    /// A tag with these fields, which may be of any class.
    pub fn of_fields(value: Value, tag_type: Value) -> Value {
        Value::object(Self { value, tag_type })
    }

    /// The fields `value` and `tag_type`.
    pub fn fields(&self) -> (&Value, &Value) {
        (&self.value, &self.tag_type)
    }
}

/// `Tag(value, tag_type)`, and before TPV 3.0 `Tag(name, value, tag_type)`, whose name is always `scheduling`.
pub(super) fn construct_tag(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value, tag_type] = match version_of(vm).has_models() {
        true => signature::bind_method(args, "Tag.__init__", ["value", "tag_type"], 2)?,
        false => {
            let [_, value, tag_type] = signature::bind_method(args, "Tag.__init__", ["name", "value", "tag_type"], 3)?;
            [value, tag_type]
        }
    };
    let (value, tag_type) = (value.unwrap_or(Value::None), tag_type.unwrap_or(Value::None));
    Ok(TagObject::of_fields(value, tag_type))
}

impl Object for TagObject {
    fn class(&self) -> &'static BuiltinType {
        &TAG
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" if !version_of(vm).has_models() => Some(Value::str("scheduling")),
            "value" => Some(self.value.clone()),
            "tag_type" => Some(self.tag_type.clone()),
            _ => None,
        })
    }

    fn set_attr(&self, vm: &mut Vm, name: &Str, _: Value) -> PyResult<()> {
        let _ = vm;
        let message = format!("cannot assign to field '{}'", name.as_str());
        Err(raise_with(&FROZEN_INSTANCE_ERROR, vec![Value::str(message)]))
    }

    fn del_attr(&self, vm: &mut Vm, name: &Str) -> PyResult<()> {
        let _ = vm;
        let message = format!("cannot delete field '{}'", name.as_str());
        Err(raise_with(&FROZEN_INSTANCE_ERROR, vec![Value::str(message)]))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("Tag(value={}, tag_type={})", vm.repr(&self.value)?, vm.repr(&self.tag_type)?))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let mut equal = || -> PyResult<bool> {
            Ok(vm.equal(&self.value, &other.value)? && vm.equal(&self.tag_type, &other.tag_type)?)
        };
        match op {
            CompareOp::Eq => Some(equal().map(Value::Bool)),
            CompareOp::Ne => Some(equal().map(|equal| Value::Bool(!equal))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        let pair = Value::tuple(vec![self.value.clone(), self.tag_type.clone()]);
        Some(tpv_python::hash::hash(vm, &pair))
    }
}

/// `dataclasses.FrozenInstanceError`
pub static FROZEN_INSTANCE_ERROR: BuiltinType = BuiltinType {
    construct: Some(|_, args| tpv_python::builtins::exceptions::construct(&FROZEN_INSTANCE_ERROR, args)),
    ..BuiltinType::new("FrozenInstanceError", "dataclasses", &tpv_python::exception::ATTRIBUTE_ERROR)
};
