//! Instructions that build containers, strings and the arguments of starred calls.

use std::rc::Rc;

use smallvec::SmallVec;

use super::Vm;
use super::frame::Frame;
use super::operators::is_not_iterable;
use crate::args::Args;
use crate::dict::{Dict, Key, Table};
use crate::exception::{ATTRIBUTE_ERROR, PyResult, Raised, TYPE_ERROR, system_error, type_error};
use crate::set::{SetObject, SetTable};
use crate::string::Str;
use crate::value::{List, MethodTarget, Slice, Value};
use tpv_bytecode::{Conversion, Instr};

impl Vm {
    /// Runs one of the instructions that build something.
    #[inline(never)]
    pub(super) fn build_instruction(&mut self, frame: &mut Frame, instr: Instr) -> PyResult<()> {
        match instr {
            Instr::BuildList { count } => {
                let items = frame.pop_items(count);
                frame.push(Value::list(items));
            }
            Instr::BuildTuple { count } => {
                let items = frame.pop_items(count);
                frame.push(Value::tuple(items));
            }
            Instr::BuildSet { count } => {
                let items = frame.pop_items(count);
                let mut table = SetTable::default();
                for item in items {
                    table.insert(Key::new(self, item)?);
                }
                frame.push(Value::Set(Rc::new(SetObject::new(table, false))));
            }
            Instr::BuildDict { count } => {
                let mut items = frame.pop_items(count.saturating_mul(2)).into_iter();
                let mut table = Table::with_capacity_and_hasher(count as usize, Default::default());
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    table.insert(Key::new(self, key)?, value);
                }
                frame.push(Value::dict(Dict::from_table(table)));
            }
            Instr::BuildSlice => {
                let step = frame.pop();
                let stop = frame.pop();
                let start = frame.pop();
                frame.push(Value::Slice(Rc::new(Slice { start, stop, step })));
            }
            Instr::BuildString { count } => self.build_string(frame, count)?,
            Instr::ListAppend { depth } => {
                let value = frame.pop();
                self.charge(1)?;
                list_below(frame, depth)?.items.borrow_mut().push(value);
            }
            Instr::SetAdd { depth } => {
                let value = frame.pop();
                self.charge(1)?;
                let key = Key::new(self, value)?;
                set_below(frame, depth)?.table.borrow_mut().insert(key);
            }
            Instr::DictInsert { depth } => {
                let value = frame.pop();
                let key = frame.pop();
                self.charge(1)?;
                let key = Key::new(self, key)?;
                let old = dict_below(frame, depth)?.table.borrow_mut().insert(key, value);
                drop(old);
            }
            Instr::ListToTuple => {
                let list = frame.pop();
                let items = match list {
                    // The list is the one that the arguments were gathered in: nobody else has it.
                    Value::List(list) if Rc::strong_count(&list) == 1 => list.items.take(),
                    other => self.collect(&other)?,
                };
                frame.push(Value::tuple(items));
            }
            _ => return Err(system_error("an instruction out of its place")),
        }
        Ok(())
    }

    /// Extends the list below with an iterable.
    pub(super) fn list_extend(&mut self, frame: &mut Frame, depth: u32) -> PyResult<()> {
        let iterable = frame.pop();
        let items = self.collect(&iterable).map_err(|raised| not_iterable_after(raised, "Value", &iterable))?;
        list_below(frame, depth)?.items.borrow_mut().extend(items);
        Ok(())
    }

    /// Updates the set below with an iterable.
    pub(super) fn set_update(&mut self, frame: &mut Frame, depth: u32) -> PyResult<()> {
        let iterable = frame.pop();
        let set = set_below(frame, depth)?.clone();
        // Nobody else has the set yet.
        let mut table = set.table.take();
        self.add_to_set(&mut table, &iterable)?;
        set.table.replace(table);
        Ok(())
    }

    /// Updates the dict below with a mapping.
    pub(super) fn dict_update(&mut self, frame: &mut Frame, depth: u32) -> PyResult<()> {
        let mapping = frame.pop();
        let dict = dict_below(frame, depth)?.clone();
        let Some(items) = self.mapping_items(&mapping)? else {
            return Err(type_error(format!("'{}' object is not a mapping", mapping.type_name().as_str())));
        };
        for (key, value) in items {
            dict.set(self, key, value)?;
        }
        Ok(())
    }

    /// Merges keyword arguments into the dict below.
    pub(super) fn dict_merge(&mut self, frame: &mut Frame, depth: u32) -> PyResult<()> {
        let mapping = frame.pop();
        let dict = dict_below(frame, depth)?.clone();
        // Under the dict is the tuple of positional arguments, and under that what is called.
        let callee = frame.peek(depth as usize + 2).cloned().unwrap_or(Value::None);
        let Some(items) = self.mapping_items(&mapping)? else {
            return Err(self.not_a_mapping(&callee, &mapping));
        };
        for (key, value) in items {
            let Value::Str(key) = key else { return Err(keywords_must_be_strings()) };
            if dict.get_str(&key).is_some() {
                return Err(type_error(format!(
                    "{} got multiple values for keyword argument '{}'",
                    self.callee_name(&callee),
                    key.as_str()
                )));
            }
            dict.set_str(key, value);
        }
        Ok(())
    }

    fn build_string(&mut self, frame: &mut Frame, count: u32) -> PyResult<()> {
        if count == 1 && frame.peek(1).is_some_and(|piece| piece.as_str().is_some()) {
            // It is the text already.
            return Ok(());
        }
        let base = frame.base(count);
        let pieces = frame.stack.get(base..).unwrap_or_default();
        let length = pieces.iter().filter_map(Value::as_str).map(|piece| piece.len()).sum();
        let mut text = String::new();
        self.charge_bytes(length)?;
        text.reserve_exact(length);
        for piece in frame.stack.drain(base..) {
            if let Value::Str(piece) = piece {
                text.push_str(&piece);
            }
        }
        frame.push(Value::str(text));
        Ok(())
    }

    /// One field of an f-string.
    pub(super) fn format_value(&mut self, frame: &mut Frame, conversion: Conversion, spec: bool) -> PyResult<()> {
        let spec = if spec { Some(frame.pop()) } else { None };
        let value = frame.pop();
        let value = match conversion {
            Conversion::None => value,
            Conversion::Str => Value::Str(self.str(&value)?),
            Conversion::Repr => Value::str(self.repr(&value)?),
            Conversion::Ascii => Value::str(self.ascii(&value)?),
        };
        let spec = spec.as_ref().and_then(Value::as_str);
        let text = match (&value, spec.map(Str::as_str).unwrap_or_default()) {
            (Value::Str(text), "") => text.clone(),
            (value, spec) => self.format(value, spec)?,
        };
        frame.push(Value::Str(text));
        Ok(())
    }

    /// One field of a message that may be for nobody: then nothing is shown whose text can neither raise nor call code.
    pub(super) fn format_logged(&mut self, frame: &mut Frame, conversion: Conversion, depth: u32) -> PyResult<()> {
        let value = frame.pop();
        let is_unread = match frame.peek(depth as usize) {
            Some(Value::BoundMethod(method)) => {
                let name = match &method.target {
                    MethodTarget::Native(method) => method.name,
                    MethodTarget::Host(name) => name.as_str(),
                };
                self.environment.is_unread(method.receiver.class(), name)
            }
            _ => false,
        };
        if is_unread && is_plain(&value, 3) {
            frame.push(Value::Str(Str::from("")));
            return Ok(());
        }
        frame.push(value);
        self.format_value(frame, conversion, false)
    }

    /// The items of a mapping: a dict, or what has `keys()` and items; `None` where it is no mapping.
    fn mapping_items(&mut self, mapping: &Value) -> PyResult<Option<Vec<(Value, Value)>>> {
        if let Value::Dict(dict) = mapping {
            self.charge(dict.len().saturating_mul(3))?;
            return Ok(Some(dict.items()));
        }
        if self.find_attr(mapping, "keys")?.is_none() {
            return Ok(None);
        }
        let keys = match self.call_method(mapping, "keys", Args::none()) {
            // As of a proxy of what is no mapping.
            Err(raised) if raised.is(&ATTRIBUTE_ERROR) => return Ok(None),
            keys => keys?,
        };
        let mut items = Vec::new();
        for key in self.collect(&keys)? {
            let value = self.get_item(mapping, &key)?;
            items.push((key, value));
        }
        Ok(Some(items))
    }

    fn not_a_mapping(&mut self, callee: &Value, mapping: &Value) -> Raised {
        type_error(format!(
            "{} argument after ** must be a mapping, not {}",
            self.callee_name(callee),
            mapping.type_name().as_str()
        ))
    }

    /// The callee's name in CPython's messages about arguments: with its module, except for builtins.
    fn callee_name(&mut self, callee: &Value) -> String {
        let (module, name) = match callee {
            Value::BoundMethod(method) => {
                return match &method.target {
                    MethodTarget::Native(native) => {
                        format!("{}.{}()", method.receiver.type_name().as_str(), native.name)
                    }
                    MethodTarget::Host(name) => format!("{}()", name.as_str()),
                };
            }
            Value::Builtin(builtin) => return format!("{}()", builtin.full_name()),
            Value::Type(class) => return format!("{}{}()", class.module_prefix(), class.name),
            Value::Function(function) => (self.module_name(), super::arguments::qualified_name(function)),
            other => return self.str(other).map_or_else(|_| other.type_name().to_string(), |text| text.to_string()),
        };
        match module {
            Value::Str(module) => format!("{}.{name}()", module.as_str()),
            _ => format!("{name}()"),
        }
    }

    /// `callee(*iterable)` or `callee(*iterable, **mapping)`
    pub(super) fn call_ex(&mut self, frame: &mut Frame, keywords: bool) -> PyResult<()> {
        let mapping = if keywords { Some(frame.pop()) } else { None };
        let positional = frame.pop();
        let callee = frame.pop();
        let pos: SmallVec<[Value; 3]> = match &positional {
            Value::Tuple(tuple) => tuple.items.iter().cloned().collect(),
            other => match self.collect(other) {
                Ok(items) => items.into(),
                Err(raised) => {
                    let what = format!("{} argument", self.callee_name(&callee));
                    return Err(not_iterable_after(raised, &what, other));
                }
            },
        };
        let mut kw = Vec::new();
        if let Some(mapping) = mapping {
            let Some(items) = self.mapping_items(&mapping)? else { return Err(self.not_a_mapping(&callee, &mapping)) };
            for (key, value) in items {
                // DIFFERENCE: some functions in C take any keys.
                let Value::Str(key) = key else { return Err(keywords_must_be_strings()) };
                kw.push((key, value));
            }
        }
        let result = self.call(&callee, Args { pos, kw })?;
        frame.push(result);
        Ok(())
    }
}

fn keywords_must_be_strings() -> Raised {
    type_error("keywords must be strings")
}

/// The error of `[*value]` and `f(*value)`, where the value cannot be iterated.
fn not_iterable_after(raised: Raised, what: &str, iterable: &Value) -> Raised {
    if raised.is(&TYPE_ERROR) && is_not_iterable(&raised, iterable) {
        return type_error(format!("{what} after * must be an iterable, not {}", iterable.type_name().as_str()));
    }
    raised
}

/// Returns `true` for a number or text, and for a list or tuple of such, nested at most `depth` deep.
fn is_plain(value: &Value, depth: u32) -> bool {
    match value {
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Tuple(items) => depth > 0 && items.items.iter().all(|item| is_plain(item, depth - 1)),
        Value::List(list) => depth > 0 && list.items.borrow().iter().all(|item| is_plain(item, depth - 1)),
        Value::Object(object) => depth > 0 && object.as_tuple().is_some_and(|tuple| is_plain(tuple, depth - 1)),
        _ => false,
    }
}

fn list_below(frame: &Frame, depth: u32) -> PyResult<&Rc<List>> {
    match frame.peek(depth as usize) {
        Some(Value::List(list)) => Ok(list),
        _ => Err(system_error("no list to build")),
    }
}

fn set_below(frame: &Frame, depth: u32) -> PyResult<&Rc<SetObject>> {
    match frame.peek(depth as usize) {
        Some(Value::Set(set)) => Ok(set),
        _ => Err(system_error("no set to build")),
    }
}

fn dict_below(frame: &Frame, depth: u32) -> PyResult<&Rc<Dict>> {
    match frame.peek(depth as usize) {
        Some(Value::Dict(dict)) => Ok(dict),
        _ => Err(system_error("no dict to build")),
    }
}
