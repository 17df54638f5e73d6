//! `re.Match`.

use std::rc::Rc;

use super::pattern::Subject;
use crate::args::Args;
use crate::dict::Dict;
use crate::exception::{PyResult, Raised, attribute_error, index_error};
use crate::object::Object;
use crate::regex::{Regex, Spans};
use crate::types::{self, BuiltinType};
use crate::value::Value;
use crate::vm::Vm;

/// The class `re.Match`.
pub static MATCH: BuiltinType = BuiltinType::new("Match", "re", &types::OBJECT).heap_in_c().generic();

const METHODS: &[&str] = &["group", "groups", "groupdict", "start", "end", "span", "__getitem__"];

/// The bytes of a text whose characters are counted in the time of a step.
pub(super) const COUNTED_A_STEP: usize = 256;

/// A match.
pub(super) struct MatchObject {
    /// `m.re`
    pattern: Value,
    regex: Rc<Regex>,
    subject: Subject,
    spans: Spans,
}

fn no_such_group() -> Raised {
    index_error("no such group")
}

impl MatchObject {
    pub(super) fn new(pattern: Value, regex: Rc<Regex>, subject: Subject, spans: Spans) -> Self {
        Self { pattern, regex, subject, spans }
    }

    /// The number of the group that an argument names.
    fn index(&self, group: &Value) -> PyResult<usize> {
        let index = match group {
            Value::Int(index) => usize::try_from(*index).ok(),
            Value::Bool(index) => Some(usize::from(*index)),
            Value::Str(name) => self.regex.group_index(name),
            _ => None,
        };
        index.filter(|index| *index <= self.regex.groups()).ok_or_else(no_such_group)
    }

    /// The text that a group matched, or `default`.
    fn text(&self, group: usize, default: &Value) -> Value {
        match self.spans.get(group).and_then(|(start, end)| self.subject.text.get(start..end)) {
            // The whole text is shared, not copied.
            Some(text) if text.len() == self.subject.text.len() => Value::Str(self.subject.text.clone()),
            Some(text) => Value::str(text),
            None => default.clone(),
        }
    }

    /// A byte offset as characters.
    fn chars(&self, offset: usize) -> Value {
        let text = &self.subject.text;
        if text.is_ascii() {
            return Value::from_usize(offset);
        }
        Value::from_usize(text.get(..offset).map_or(0, |before| before.chars().count()))
    }

    /// Start and end of a group in characters, -1 where it took no part.
    fn span(&self, group: usize) -> [Value; 2] {
        match self.spans.get(group) {
            Some((start, end)) => [self.chars(start), self.chars(end)],
            None => [Value::Int(-1), Value::Int(-1)],
        }
    }

    fn group(&self, args: &Args) -> PyResult<Value> {
        args.no_keywords("Match.group")?;
        match args.pos.as_slice() {
            [] => Ok(self.text(0, &Value::None)),
            [group] => Ok(self.text(self.index(group)?, &Value::None)),
            groups => {
                let texts = groups.iter().map(|group| Ok(self.text(self.index(group)?, &Value::None)));
                Ok(Value::tuple(texts.collect::<PyResult<Vec<Value>>>()?))
            }
        }
    }

    fn groups(&self, args: Args) -> PyResult<Value> {
        let [default] = args.bind("groups", ["default"], 0)?;
        let default = default.unwrap_or(Value::None);
        Ok(Value::tuple((1..=self.regex.groups()).map(|group| self.text(group, &default)).collect()))
    }

    fn groupdict(&self, args: Args) -> PyResult<Value> {
        let [default] = args.bind("groupdict", ["default"], 0)?;
        let default = default.unwrap_or(Value::None);
        let names = self.regex.names().iter();
        Ok(Value::dict(Dict::from_strs(
            names.map(|(name, group)| (name.as_str(), self.text(*group as usize, &default))),
        )))
    }

    /// `start`, `end`, `span`
    fn place(&self, vm: &mut Vm, method: &str, args: Args) -> PyResult<Value> {
        let [group] = args.between(method, 0)?;
        let index = group.map_or(Ok(0), |group| self.index(&group))?;
        if !self.subject.text.is_ascii() {
            vm.visit(2 * self.subject.text.len(), COUNTED_A_STEP)?;
        }
        let [start, end] = self.span(index);
        Ok(match method {
            "start" => start,
            "end" => end,
            _ => Value::tuple(vec![start, end]),
        })
    }
}

impl Object for MatchObject {
    fn class(&self) -> &'static BuiltinType {
        &MATCH
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "string" => Value::Str(self.subject.text.clone()),
            "re" => self.pattern.clone(),
            "pos" => Value::from_usize(self.subject.pos),
            "endpos" => Value::from_usize(self.subject.endpos),
            "lastindex" => self.regex.last_index(&self.spans).map_or(Value::None, Value::from_usize),
            "lastgroup" => {
                let last = self.regex.last_index(&self.spans);
                let name = self.regex.names().iter().find(|(_, group)| Some(*group as usize) == last);
                name.map_or(Value::None, |(name, _)| Value::str(name.as_str()))
            }
            name if METHODS.contains(&name) || name.starts_with("__") => return Ok(None),
            name => return Err(attribute_error(format!("'re.Match' object has no attribute '{name}'"))),
        }))
    }

    fn is_mapping(&self, _: &mut Vm) -> bool {
        true
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        let args = std::mem::take(args);
        Some(match name {
            "group" => self.group(&args),
            "groups" => vm.charge(self.regex.groups() * 2).and_then(|()| self.groups(args)),
            "groupdict" => self.groupdict(args),
            "__getitem__" => {
                args.exactly("__getitem__").and_then(|[group]| Ok(self.text(self.index(&group)?, &Value::None)))
            }
            _ => self.place(vm, name, args),
        })
    }

    fn get_item(&self, _: &mut Vm, key: &Value) -> PyResult<Value> {
        Ok(self.text(self.index(key)?, &Value::None))
    }

    /// `<re.Match object; span=(0, 1), match='a'>`
    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let [start, end] = self.span(0);
        let (start, end) = (vm.repr(&start)?, vm.repr(&end)?);
        let text: String = vm.repr(&self.text(0, &Value::None))?.chars().take(50).collect();
        Ok(format!("<re.Match object; span=({start}, {end}), match={text}>"))
    }
}
