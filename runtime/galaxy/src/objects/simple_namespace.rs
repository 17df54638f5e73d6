//! Objects whose attributes the job or the world names: the job wrapper, dataset metadata, the configuration.

use std::cell::OnceCell;
use std::rc::Rc;

use super::host_object::host_classes;
use crate::signature;
use tpv_python::args::Args;
use tpv_python::dict::{Dict, StrKey};
use tpv_python::exception::{PyResult, attribute_error};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `JobWrapper`
    JOB_WRAPPER = "JobWrapper" ();
    /// `Config`
    CONFIG = "Config" ();
    /// `MetadataCollection`
    METADATA_COLLECTION = "MetadataCollection" ("get" => get);
}

/// Called with the name of an attribute that an object does not have.
type Missing = Box<dyn Fn(&str)>;

/// An object with the attributes of a dict.
pub struct SimpleNamespace {
    class: &'static BuiltinType,
    attributes: OnceCell<Rc<Dict>>,
    /// Makes the attributes when code first asks.
    make: Box<dyn Fn() -> Value>,
    missing: Option<Missing>,
}

impl SimpleNamespace {
    /// An object of this class; `make` gives a dict.
    pub(super) fn value(class: &'static BuiltinType, make: impl Fn() -> Value + 'static) -> Value {
        Value::object(Self { class, attributes: OnceCell::new(), make: Box::new(make), missing: None })
    }

    /// The same, which calls `missing` with the name of an attribute that it does not have.
    pub(super) fn noting(
        class: &'static BuiltinType,
        make: impl Fn() -> Value + 'static,
        missing: impl Fn(&str) + 'static,
    ) -> Value {
        let (make, missing) = (Box::new(make), Some(Box::new(missing) as Missing));
        Value::object(Self { class, attributes: OnceCell::new(), make, missing })
    }

    fn attributes(&self) -> &Rc<Dict> {
        self.attributes.get_or_init(|| match (self.make)() {
            Value::Dict(dict) => dict,
            _ => Rc::default(),
        })
    }
}

impl Object for SimpleNamespace {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let found = self.attributes().get_str(name);
        if let (None, Some(missing)) = (&found, &self.missing) {
            missing(name);
        }
        Ok(found)
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        self.attributes().set_str(name.clone(), value);
        Ok(())
    }

    fn del_attr(&self, _: &mut Vm, name: &Str) -> PyResult<()> {
        match self.attributes().table.borrow_mut().shift_remove(&StrKey(name)) {
            Some(_) => Ok(()),
            None => Err(attribute_error(format!("'{}' object has no attribute '{}'", self.class.name, name.as_str()))),
        }
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // An attribute of the object hides a method of its class.
        if !self.class.methods.is_empty() && self.attributes().get_str(name).is_some() {
            return None;
        }
        let method = vm.library.method(self.class(), name)?;
        Some((method.call)(vm, this, std::mem::take(args)))
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        std::ptr::eq(self.class, &raw const METADATA_COLLECTION).then(|| Ok(self.attributes().get(vm, item)?.is_some()))
    }
}

/// `metadata.get(key, default=None)`
fn get(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, default] = signature::bind_method(args, "MetadataCollection.get", ["key", "default"], 1)?;
    let key = key.unwrap_or(Value::None);
    let found = match this.downcast::<SimpleNamespace>() {
        Some(metadata) => metadata.attributes().get(vm, &key)?,
        None => None,
    };
    Ok(found.or(default).unwrap_or(Value::None))
}
