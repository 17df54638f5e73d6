//! Text of values: `str`, `repr` and `ascii`.

use std::rc::Rc;

use super::Vm;
use crate::exception::{ExceptionObject, KEY_ERROR, OS_ERROR, PyResult};
use crate::exception::{UNICODE_DECODE_ERROR, UNICODE_ENCODE_ERROR};
use crate::identity::{OUTER_A_STEP, identity};
use crate::number::{Num, int_text};
use crate::set::SetObject;
use crate::string::Str;
use crate::types::BuiltinType;
use crate::value::{BoundMethod, MethodTarget, Tuple, Value};
use tpv_literal::float_text;
use tpv_literal::quoted::{bytes_repr, push_escape, str_repr};

/// The bytes of text that are copied in the time of a step.
const COPIED_A_STEP: usize = 1024;

/// The bytes of text that are escaped in about the time of a step.
const ESCAPED_A_STEP: usize = 4;

impl Vm {
    /// `str(value)`
    ///
    /// # Errors
    /// Exceptions raised by the text of an object or an item.
    pub fn str(&mut self, value: &Value) -> PyResult<Str> {
        match value {
            Value::Str(text) => Ok(text.clone()),
            Value::Exception(exception) => {
                let text = self.within(|vm| vm.exception_str(exception))?;
                self.made(text)
            }
            Value::Object(object) => {
                let text = object.str(self, value)?;
                self.made(text)
            }
            _ => self.repr(value).map(Str::from),
        }
    }

    /// Charges for a text that was just made, by its length.
    fn made(&mut self, text: String) -> PyResult<Str> {
        self.visit(text.len(), COPIED_A_STEP)?;
        Ok(Str::from(text))
    }

    /// `repr(value)`
    ///
    /// # Errors
    /// Exceptions raised by the text of an object or an item.
    pub fn repr(&mut self, value: &Value) -> PyResult<String> {
        let at = |pointer: *const u8| pointer as usize;
        Ok(match value {
            Value::None => "None".to_owned(),
            Value::NotImplemented => "NotImplemented".to_owned(),
            Value::Ellipsis => "Ellipsis".to_owned(),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Int(value) => value.to_string(),
            Value::BigInt(value) => {
                self.charge(Num::Big(value).words().saturating_mul(4))?;
                int_text::decimal(Num::Big(value))?
            }
            Value::Float(value) => float_text::repr(*value),
            Value::Str(text) => {
                self.charge_bytes(text.as_str().len())?;
                self.visit(text.as_str().len(), ESCAPED_A_STEP)?;
                str_repr(text.as_str())
            }
            Value::Bytes(bytes) => {
                self.charge_bytes(bytes.len())?;
                self.visit(bytes.len(), ESCAPED_A_STEP)?;
                bytes_repr(bytes)
            }
            Value::Tuple(tuple) => self.guarded_repr(value, "(...)", |vm| vm.tuple_repr(tuple))?,
            Value::List(list) => self.guarded_repr(value, "[...]", |vm| {
                // The list is copied first: the `repr` of a host object may run code that changes the list.
                let items = list.items.borrow().clone();
                Ok(format!("[{}]", vm.joined_reprs(&items)?))
            })?,
            Value::Dict(dict) => self.guarded_repr(value, "{...}", |vm| vm.entries_repr(&dict.items()))?,
            Value::Set(set) => {
                let own = if set.frozen() { "frozenset(...)" } else { "set(...)" };
                self.guarded_repr(value, own, |vm| vm.set_repr(set))?
            }
            Value::Range(range) if range.step == 1 => format!("range({}, {})", range.start, range.stop),
            Value::Range(range) => format!("range({}, {}, {})", range.start, range.stop, range.step),
            Value::Slice(slice) => self.within(|vm| {
                let (start, stop) = (vm.repr(&slice.start)?, vm.repr(&slice.stop)?);
                let step = vm.repr(&slice.step)?;
                vm.charge_bytes(start.len() + stop.len() + step.len())?;
                Ok(format!("slice({start}, {stop}, {step})"))
            })?,
            Value::Function(function) => {
                let name = super::arguments::qualified_name(function);
                format!("<function {name} at {:#x}>", at(Rc::as_ptr(function).cast()))
            }
            Value::Builtin(builtin) => format!("<built-in function {}>", builtin.name),
            Value::BoundMethod(method) => self.within(|vm| vm.bound_method_repr(method))?,
            Value::Type(class) => class_repr(class),
            Value::Module(module) => format!("<module '{}' (built-in)>", module.name),
            Value::Iterator(iterator) => {
                let address = at(Rc::as_ptr(iterator).cast());
                // An iterator that is producing an item at this moment cannot be asked.
                let own = match iterator.state.try_borrow() {
                    Ok(state) => self.within(|vm| state.repr(vm, address).transpose())?,
                    Err(_) => None,
                };
                own.unwrap_or_else(|| format!("<{} object at {address:#x}>", iterator.class().shown_name().as_str()))
            }
            Value::Exception(exception) => self.within(|vm| vm.exception_repr(exception))?,
            Value::Object(object) => self.within(|vm| object.repr(vm, value))?,
        })
    }

    /// Makes a text that others are parts of. Each costs a step, because values that share their parts have exponentially many.
    fn within<T>(&mut self, make: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        self.charge(1)?;
        self.deeper(make)
    }

    /// Makes the text of a container, or `own` where that is being made already: the container holds itself.
    pub(crate) fn guarded_repr(
        &mut self,
        container: &Value,
        own: &str,
        make: impl FnOnce(&mut Self) -> PyResult<String>,
    ) -> PyResult<String> {
        self.visit(self.in_repr.depth(), OUTER_A_STEP)?;
        if !self.in_repr.enter(container) {
            return Ok(own.to_owned());
        }
        let result = self.deeper_in(" while getting the repr of an object", make);
        self.in_repr.leave();
        result
    }

    /// The texts of items with `, ` between.
    pub(crate) fn joined_reprs(&mut self, items: &[Value]) -> PyResult<String> {
        let mut out = String::new();
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            out.push_str(&self.repr(item)?);
            self.charge(4)?;
            self.limit_text(out.len())?;
        }
        // Whoever embeds this text copies it.
        self.visit(out.len(), 64)?;
        Ok(out)
    }

    /// Refuses a text that has grown past the limit.
    fn limit_text(&mut self, len: usize) -> PyResult<()> {
        if len > self.limits.bytes { self.charge_bytes(len) } else { Ok(()) }
    }

    fn tuple_repr(&mut self, tuple: &Tuple) -> PyResult<String> {
        let inner = self.joined_reprs(&tuple.items)?;
        Ok(if tuple.items.len() == 1 { format!("({inner},)") } else { format!("({inner})") })
    }

    /// `{key: value, ...}`
    pub(crate) fn entries_repr(&mut self, entries: &[(Value, Value)]) -> PyResult<String> {
        let mut out = String::from("{");
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            out.push_str(&self.repr(key)?);
            out.push_str(": ");
            out.push_str(&self.repr(value)?);
            self.charge(8)?;
            self.limit_text(out.len())?;
        }
        out.push('}');
        // Whoever embeds this text copies it.
        self.visit(out.len(), 64)?;
        Ok(out)
    }

    fn set_repr(&mut self, set: &SetObject) -> PyResult<String> {
        let items = set.items();
        if items.is_empty() {
            return Ok(if set.frozen() { "frozenset()" } else { "set()" }.to_owned());
        }
        let inner = self.joined_reprs(&items)?;
        Ok(if set.frozen() { format!("frozenset({{{inner}}})") } else { format!("{{{inner}}}") })
    }

    fn bound_method_repr(&mut self, method: &BoundMethod) -> PyResult<String> {
        let class = method.receiver.type_name();
        let address = identity(&method.receiver);
        let base = method.receiver.class();
        if let MethodTarget::Native(native) = &method.target
            && let Some(owner) = base.python_owner(native)
        {
            let receiver = self.repr(&method.receiver)?;
            return Ok(format!("<bound method {}.{} of {receiver}>", owner.name, native.name));
        }
        Ok(match &method.target {
            MethodTarget::Native(native) => {
                format!("<built-in method {} of {} object at {address:#x}>", native.name, class.as_str())
            }
            MethodTarget::Host(name) if method.receiver.class().is_in_c_module() => {
                format!("<built-in method {} of {} object at {address:#x}>", name.as_str(), class.as_str())
            }
            MethodTarget::Host(name) => {
                let receiver = self.repr(&method.receiver)?;
                let class =
                    self.library.method(base, name).and_then(|method| base.python_owner(method)).unwrap_or(base);
                format!("<bound method {}.{} of {receiver}>", class.name, name.as_str())
            }
        })
    }

    pub(super) fn exception_repr(&mut self, exception: &ExceptionObject) -> PyResult<String> {
        let host = exception.host.borrow().clone();
        if let Some(host) = host {
            return self.repr(&host);
        }
        let args = exception.args.borrow().clone();
        let inner = self.deeper(|vm| vm.joined_reprs(&args))?;
        Ok(format!("{}({inner})", exception.class.name))
    }

    /// `str(exception)`
    pub(super) fn exception_str(&mut self, exception: &ExceptionObject) -> PyResult<String> {
        let host = exception.host.borrow().clone();
        if let Some(host) = host {
            return Ok(self.str(&host)?.to_string());
        }
        let args = exception.args.borrow().clone();
        if exception.is(&OS_ERROR)
            && let Some(text) = self.os_error_str(exception, &args)?
        {
            return Ok(text);
        }
        if (exception.is(&UNICODE_DECODE_ERROR) || exception.is(&UNICODE_ENCODE_ERROR))
            && let Some(text) = self.unicode_error_str(&args)?
        {
            return Ok(text);
        }
        match args.as_slice() {
            [] => Ok(String::new()),
            [key] if exception.is(&KEY_ERROR) => self.repr(key),
            [only] => Ok(self.str(only)?.to_string()),
            _ => self.deeper(|vm| Ok(format!("({})", vm.joined_reprs(&args)?))),
        }
    }

    /// `[Errno 2] No such file or directory: 'path'`; `None` where there are not two arguments or more.
    fn os_error_str(&mut self, exception: &ExceptionObject, args: &[Value]) -> PyResult<Option<String>> {
        let [errno, strerror, rest @ ..] = args else { return Ok(None) };
        let errno = self.str(errno)?;
        let strerror = self.str(strerror)?;
        let text = format!("[Errno {}] {}", errno.as_str(), strerror.as_str());
        let filename = match rest.first() {
            Some(filename) => Some(filename.clone()),
            None => exception.attributes.borrow().get("filename").cloned(),
        };
        Ok(Some(match filename.filter(|filename| !filename.is_none()) {
            Some(filename) => {
                let text = format!("{text}: {}", self.repr(&filename)?);
                let second = exception.attributes.borrow().get("filename2").cloned().unwrap_or_default();
                if second.is_none() { text } else { format!("{text} -> {}", self.repr(&second)?) }
            }
            None => text,
        }))
    }

    /// `'utf-8' codec can't decode byte 0xff in position 0: invalid start byte`
    fn unicode_error_str(&mut self, args: &[Value]) -> PyResult<Option<String>> {
        let [encoding, object, Value::Int(start), Value::Int(end), reason] = args else { return Ok(None) };
        let (encoding, reason) = (self.str(encoding)?, self.str(reason)?);
        let (encoding, reason) = (encoding.as_str(), reason.as_str());
        let place = usize::try_from(*start).ok();
        // The byte or character at fault, where it is a single one and lies within the object.
        let (verb, one, many) = match object {
            Value::Bytes(bytes) => {
                let byte = place.and_then(|place| bytes.get(place));
                ("decode", byte.map(|byte| format!("byte {byte:#04x}")), "bytes")
            }
            Value::Str(text) => {
                let code = place.and_then(|place| text.as_str().chars().nth(place)).map(u32::from);
                let escaped = code.map(|code| match code {
                    0..=0xff => format!("character '\\x{code:02x}'"),
                    0x100..=0xffff => format!("character '\\u{code:04x}'"),
                    _ => format!("character '\\U{code:08x}'"),
                });
                ("encode", escaped, "characters")
            }
            _ => return Ok(None),
        };
        Ok(Some(match one {
            Some(one) if start.checked_add(1) == Some(*end) => {
                format!("'{encoding}' codec can't {verb} {one} in position {start}: {reason}")
            }
            _ => {
                let last = end.saturating_sub(1);
                format!("'{encoding}' codec can't {verb} {many} in position {start}-{last}: {reason}")
            }
        }))
    }

    /// `ascii(value)`
    ///
    /// # Errors
    /// Exceptions raised by the text of an object or an item.
    pub fn ascii(&mut self, value: &Value) -> PyResult<String> {
        let text = self.repr(value)?;
        self.visit(text.len(), ESCAPED_A_STEP)?;
        if text.is_ascii() {
            return Ok(text);
        }
        let mut out = String::with_capacity(text.len() * 2);
        for char in text.chars() {
            if char.is_ascii() { out.push(char) } else { push_escape(char, &mut out) }
        }
        Ok(out)
    }
}

/// `<class 'int'>`, `<class 'collections.Counter'>`
fn class_repr(class: &BuiltinType) -> String {
    match class.repr {
        Some(text) => text.to_owned(),
        None => format!("<class '{}{}'>", class.module_prefix(), class.name),
    }
}
