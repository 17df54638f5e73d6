//! Objects with a fixed set of attributes that are made when code first asks, and others that code may set.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::job::{Further, Job};
use crate::name_index::NameIndex;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, Raised, attribute_error};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// The attributes of one class of objects.
pub trait Fields: 'static {
    /// The class.
    fn class(&self) -> &'static BuiltinType;

    /// The names, in the order in which Galaxy's object got them.
    fn names(&self) -> &'static [&'static str];

    /// The value of one of the names, made anew: [`HostObject`] keeps it. `None` for any other name.
    fn get(&self, name: &str) -> Option<Value>;

    /// The value of one of the names where it is there already, so that nothing need be kept.
    fn at_hand(&self, _name: &str) -> Option<&Value> {
        None
    }

    /// The further attributes in the job file, and the job that their places refer to.
    fn further(&self) -> Option<(&Job, &Further)> {
        None
    }

    /// The exception for an absent attribute, if it differs from Python's message for other objects.
    fn missing(&self, _name: &str) -> Option<Raised> {
        None
    }
}

/// The attributes of an object that has its values at once.
pub(super) struct Record<const N: usize> {
    class: &'static BuiltinType,
    names: &'static [&'static str; N],
    values: [Value; N],
}

/// An object of a class with these attributes.
pub(super) fn record<const N: usize>(
    class: &'static BuiltinType,
    names: &'static [&'static str; N],
    values: [Value; N],
) -> Value {
    HostObject::value(Record { class, names, values })
}

impl<const N: usize> Fields for Record<N> {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn names(&self) -> &'static [&'static str] {
        self.names
    }

    fn get(&self, name: &str) -> Option<Value> {
        self.at_hand(name).cloned()
    }

    fn at_hand(&self, name: &str) -> Option<&Value> {
        self.names.iter().position(|known| *known == name).and_then(|index| self.values.get(index))
    }
}

/// An object with the attributes of `F`.
pub struct HostObject<F> {
    fields: F,
    /// The attributes that code has read or set.
    attributes: RefCell<Attributes>,
}

/// Attributes in the order in which they came; `None` is deleted.
#[derive(Default)]
struct Attributes {
    all: Vec<(Cow<'static, str>, Option<Value>)>,
    index: NameIndex,
}

impl Attributes {
    fn get(&self, name: &str) -> Option<&Option<Value>> {
        let position = self.index.find(name, self.all.iter().map(|(known, _)| &**known))?;
        self.all.get(position).map(|(_, value)| value)
    }

    fn set(&mut self, name: &str, value: Option<Value>) {
        let position = self.index.find(name, self.all.iter().map(|(known, _)| &**known));
        match position.and_then(|position| self.all.get_mut(position)) {
            Some((_, slot)) => *slot = value,
            None => self.push(Cow::Owned(name.to_owned()), value),
        }
    }

    fn push(&mut self, name: Cow<'static, str>, value: Option<Value>) {
        self.all.push((name, value));
        self.index.update(self.all.len(), |position| self.all.get(position).map(|(name, _)| &**name));
    }
}

impl<F: Fields> HostObject<F> {
    /// A new object, as a value.
    pub fn value(fields: F) -> Value {
        Value::object(Self { fields, attributes: RefCell::default() })
    }

    /// The fields it is made of.
    pub fn fields(&self) -> &F {
        &self.fields
    }

    /// Returns `true` if the attribute was neither requested nor changed: its value is that of [`Fields`].
    pub fn untouched(&self, name: &str) -> bool {
        self.attributes.borrow().get(name).is_none()
    }

    /// Returns `true` if no attribute was requested or changed.
    pub fn is_unused(&self) -> bool {
        self.attributes.borrow().all.is_empty()
    }

    fn attribute(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.attributes.borrow().get(name) {
            return value.clone();
        }
        if let Some(value) = self.fields.at_hand(name) {
            return Some(value.clone());
        }
        let known = self.fields.names().iter().find(|known| **known == name);
        let (name, value) = match known {
            Some(known) => (Cow::Borrowed(*known), self.fields.get(known)?),
            None => {
                let (job, further) = self.fields.further()?;
                (Cow::Owned(name.to_owned()), further.value(job, name)?)
            }
        };
        self.attributes.borrow_mut().push(name, Some(value.clone()));
        Some(value)
    }

    fn set(&self, name: &str, value: Option<Value>) {
        self.attributes.borrow_mut().set(name, value);
    }
}

impl<F: Fields> Object for HostObject<F> {
    fn class(&self) -> &'static BuiltinType {
        self.fields.class()
    }

    fn peek(&self, name: &str) -> Option<Value> {
        match self.attributes.borrow().get(name) {
            Some(value) => value.clone(),
            None => self.fields.at_hand(name).cloned(),
        }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.attribute(name) {
            None => self.fields.missing(name).map_or(Ok(None), Err),
            found => Ok(found),
        }
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        self.set(name, Some(value));
        Ok(())
    }

    fn del_attr(&self, _: &mut Vm, name: &Str) -> PyResult<()> {
        if self.attribute(name).is_none() {
            return Err(attribute_error(format!(
                "'{}' object has no attribute '{}'",
                self.class().name,
                name.as_str()
            )));
        }
        self.set(name, None);
        Ok(())
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // An attribute of the object hides a method of its class.
        if !self.untouched(name) || self.fields.further().is_some_and(|(job, further)| further.contains(job, name)) {
            return None;
        }
        let method = vm.library.method(self.class(), name)?;
        Some((method.call)(vm, this, std::mem::take(args)))
    }
}

/// Declares the classes of host objects: identifier, name, methods, all of which only look at the object.
///
/// Their module is that of the reference implementation, whose objects they stand for: it shows in `repr`.
macro_rules! host_classes {
    ($($(#[$doc:meta])* $id:ident = $name:literal ($($method:literal => $function:expr),*);)*) => {
        $($(#[$doc])* pub static $id: tpv_python::types::BuiltinType = tpv_python::types::BuiltinType {
            methods: &[$(tpv_python::value::Method { name: $method, call: $function }),*],
            pure: &[$($method),*],
..tpv_python::types::BuiltinType::new($name, "tpv_oracle", &tpv_python::types::OBJECT)
};)*
    };
}
pub(super) use host_classes;
