//! `re.Pattern`.

use std::rc::Rc;

use super::errors::{search_error, template_error};
use super::matched::{COUNTED_A_STEP, MatchObject};
use super::{int, text_of, text_only};
use crate::args::Args;
use crate::builtins::classes::is_callable;
use crate::exception::{PyResult, Raised, attribute_error, type_error};
use crate::hash::hash_str;
use crate::iterator::{IteratorObject, PyIterator};
use crate::object::Object;
use crate::regex::ast::flag;
use crate::regex::engine::Scan;
use crate::regex::template::Template;
use crate::regex::{Effort, Regex, Spans};
use crate::string::Str;
use crate::types::{self, BuiltinType};
use crate::value::Value;
use crate::vm::{CompareOp, Vm};

/// The class `re.Pattern`.
pub static PATTERN: BuiltinType = BuiltinType::new("Pattern", "re", &types::OBJECT).heap_in_c().generic();

const METHODS: &[&str] = &["match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"];

/// A compiled pattern.
pub(super) struct PatternObject {
    text: Str,
    pub(super) regex: Rc<Regex>,
}

/// A text, and the part of it that is searched.
#[derive(Clone)]
pub(super) struct Subject {
    /// The text to search.
    pub(super) text: Str,
    /// The start of the search, in bytes.
    start: usize,
    /// The end of the text as far as the pattern sees it, in bytes.
    end: usize,
    /// `m.pos`, in characters.
    pub(super) pos: usize,
    /// `m.endpos`, in characters.
    pub(super) endpos: usize,
}

impl Subject {
    /// The text that the pattern sees.
    fn seen(&self) -> &str {
        self.text.get(..self.end).unwrap_or_default()
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn part(&self, start: usize, end: usize) -> Value {
        Value::str(self.slice(start, end))
    }
}

/// The byte offset of a character of a text, at most its end.
fn byte_offset(text: &Str, chars: usize) -> usize {
    if text.is_ascii() {
        return chars.min(text.len());
    }
    text.char_indices().nth(chars).map_or(text.len(), |(offset, _)| offset)
}

/// `pattern.method(args)` for a value that holds a pattern.
pub(super) fn call(vm: &mut Vm, pattern: &Value, method: &str, mut args: Args) -> PyResult<Value> {
    let Some(object) = pattern.downcast::<PatternObject>() else {
        return Err(type_error("first argument must be string or compiled pattern"));
    };
    match object.call_method(vm, pattern, method, &mut args) {
        Some(result) => result,
        None => Err(no_attribute(method)),
    }
}

fn no_attribute(name: &str) -> Raised {
    attribute_error(format!("'re.Pattern' object has no attribute '{name}'"))
}

impl PatternObject {
    pub(super) fn new(text: Str, regex: Rc<Regex>) -> Self {
        Self { text, regex }
    }

    /// The text that a search is for, with its bounds.
    fn subject(vm: &mut Vm, value: Option<Value>, pos: Option<Value>, endpos: Option<Value>) -> PyResult<Subject> {
        let text = text_of(&value.unwrap_or_default())?;
        if !text.is_ascii() {
            vm.visit(text.len(), COUNTED_A_STEP)?;
        }
        let length = text.char_len();
        let bound = |value: Option<Value>, default: usize| -> PyResult<usize> {
            let Some(value) = value else { return Ok(default) };
            Ok(usize::try_from(int(&value)?).unwrap_or(0).min(length))
        };
        let (pos, endpos) = (bound(pos, 0)?, bound(endpos, length)?);
        let (start, end) = (byte_offset(&text, pos), byte_offset(&text, endpos));
        Ok(Subject { text, start, end, pos, endpos })
    }

    /// The arguments of `match(string, pos=0, endpos=sys.maxsize)` and its like.
    fn bounded(vm: &mut Vm, method: &str, args: Args) -> PyResult<Subject> {
        let [text, pos, endpos] = args.bind(method, ["string", "pos", "endpos"], 1)?;
        Self::subject(vm, text, pos, endpos)
    }

    fn find(&self, vm: &mut Vm, this: &Value, method: &str, args: Args) -> PyResult<Value> {
        let subject = Self::bounded(vm, method, args)?;
        vm.charge(
            (2 + self.regex.groups() + subject.seen().len() / 8).saturating_add(self.regex.cost(subject.seen().len())),
        )?;
        // DIFFERENCE: CPython's `match` finds an empty match there, past the end that it was given.
        if subject.start > subject.end {
            return Ok(Value::None);
        }
        let effort = Effort::default();
        let found = match method {
            "match" => self.regex.match_at(subject.seen(), subject.start, &effort),
            "fullmatch" => self.regex.full_match(subject.seen(), subject.start, &effort),
            _ => self.regex.search(subject.seen(), subject.start, &effort),
        };
        vm.charge(effort.steps())?;
        Ok(match found.map_err(|error| search_error(&error))? {
            Some(spans) => self.found(this, &subject, spans),
            None => Value::None,
        })
    }

    fn found(&self, this: &Value, subject: &Subject, spans: Spans) -> Value {
        Value::object(MatchObject::new(this.clone(), self.regex.clone(), subject.clone(), spans))
    }

    fn findall(&self, vm: &mut Vm, args: Args) -> PyResult<Value> {
        let subject = Self::bounded(vm, "findall", args)?;
        let mut walk = Walk::new(self.regex.clone(), &subject);
        let mut all = Vec::new();
        while let Some(spans) = walk.next(vm, &subject)? {
            let copied: usize = spans.iter().flatten().map(|(start, end)| end - start).sum();
            vm.visit(copied, 16)?;
            let text = |group: usize| {
                let (start, end) = spans.get(group).unwrap_or_default();
                subject.part(start, end)
            };
            all.push(match self.regex.groups() {
                0 => text(0),
                1 => text(1),
                groups => Value::tuple((1..=groups).map(text).collect()),
            });
        }
        Ok(Value::list(all))
    }

    fn split(&self, vm: &mut Vm, args: Args) -> PyResult<Value> {
        let [text, most] = args.bind("split", ["string", "maxsplit"], 1)?;
        let subject = Self::subject(vm, text, None, None)?;
        let most = most.map_or(Ok(0), |most| int(&most))?;
        let mut walk = Walk::new(self.regex.clone(), &subject);
        let mut parts = Vec::new();
        let mut last = 0;
        let mut splits = 0;
        while most == 0 || splits < most {
            let Some(spans) = walk.next(vm, &subject)? else { break };
            let (start, end) = spans.whole();
            parts.push(subject.part(last, start));
            for span in spans.iter().skip(1) {
                parts.push(span.map_or(Value::None, |(start, end)| subject.part(start, end)));
            }
            last = end;
            splits += 1;
        }
        parts.push(subject.part(last, subject.end));
        Ok(Value::list(parts))
    }

    /// `sub` and `subn`: the new text, and how many replacements were made.
    fn substitute(&self, vm: &mut Vm, this: &Value, method: &str, args: Args) -> PyResult<Value> {
        let [replacement, text, count] = args.bind(method, ["repl", "string", "count"], 2)?;
        let count = count.map_or(Ok(0), |count| int(&count))?;
        let replacement = Replacement::new(vm, replacement.unwrap_or(Value::None), &self.regex)?;
        let subject = Self::subject(vm, text, None, None)?;
        let mut walk = Walk::new(self.regex.clone(), &subject);
        let mut out = String::new();
        let mut last = 0;
        let mut made: i64 = 0;
        // The parts that CPython would join, which its message counts.
        let mut parts = 0;
        while count == 0 || made < count {
            let Some(spans) = walk.next(vm, &subject)? else { break };
            let (start, end) = spans.whole();
            if last < start {
                out.push_str(subject.slice(last, start));
                parts += 1;
            }
            match &replacement {
                Replacement::Text(text) => out.push_str(text),
                Replacement::Template(template) => template.expand(vm, &subject.text, &spans, &mut out)?,
                Replacement::Function(function) => {
                    let found = self.found(this, &subject, spans);
                    match vm.call(function, Args::one(found))? {
                        Value::None => parts -= 1,
                        Value::Str(text) => out.push_str(&text),
                        value => return Err(not_joined(parts, &value)),
                    }
                }
            }
            vm.charge_bytes(out.len())?;
            parts += 1;
            last = end;
            made += 1;
        }
        out.push_str(subject.slice(last, subject.end));
        let text = Value::str(out);
        Ok(if method == "subn" { Value::tuple(vec![text, Value::Int(made)]) } else { text })
    }
}

/// The replacement for matches.
enum Replacement {
    Text(Str),
    Template(Template),
    Function(Value),
}

impl Replacement {
    fn new(vm: &mut Vm, value: Value, regex: &Regex) -> PyResult<Self> {
        if !matches!(value, Value::Str(_)) && is_callable(&value) {
            return Ok(Self::Function(value));
        }
        // CPython keeps replacements by their hash.
        crate::hash::hash(vm, &value)?;
        match value {
            Value::Str(text) if !text.contains('\\') => Ok(Self::Text(text)),
            Value::Str(text) => {
                let template = Template::parse(&text, regex).map_err(|error| template_error(&error, &text))?;
                Ok(Self::Template(template))
            }
            Value::Bytes(_) => Err(text_only()),
            other => {
                let name = other.type_name();
                Err(type_error(format!("decoding to str: need a bytes-like object, {} found", name.as_str())))
            }
        }
    }
}

/// The error of `sub` where something among the parts of the new text is no text.
fn not_joined(place: i64, value: &Value) -> Raised {
    type_error(format!("sequence item {place}: expected str instance, {} found", value.type_name().as_str()))
}

/// A walk over all matches that pays for its steps.
struct Walk {
    regex: Rc<Regex>,
    scan: Option<Scan>,
}

impl Walk {
    fn new(regex: Rc<Regex>, subject: &Subject) -> Self {
        let scan = (subject.start <= subject.end).then(|| regex.scan(subject.start));
        Self { regex, scan }
    }

    fn next(&mut self, vm: &mut Vm, subject: &Subject) -> PyResult<Option<Spans>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        let seen = subject.seen();
        let rest = seen.len() - scan.position().unwrap_or(seen.len()).min(seen.len());
        vm.charge((1 + self.regex.groups() + rest / 32).saturating_add(self.regex.cost(rest)))?;
        let effort = Effort::default();
        let found = scan.next(&self.regex, seen, &effort);
        vm.charge(effort.steps())?;
        found.map_err(|error| search_error(&error))
    }
}

/// `finditer`
struct Matches {
    pattern: Value,
    subject: Subject,
    walk: Walk,
}

impl PyIterator for Matches {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let Some(spans) = self.walk.next(vm, &self.subject)? else { return Ok(None) };
        let regex = self.walk.regex.clone();
        Ok(Some(Value::object(MatchObject::new(self.pattern.clone(), regex, self.subject.clone(), spans))))
    }
}

impl Object for PatternObject {
    fn class(&self) -> &'static BuiltinType {
        &PATTERN
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "pattern" => Value::Str(self.text.clone()),
            "flags" => Value::Int(i64::from(self.regex.flags())),
            "groups" => Value::from_usize(self.regex.groups()),
            name if METHODS.contains(&name) || name.starts_with("__") => return Ok(None),
            name => return Err(no_attribute(name)),
        }))
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        let args = std::mem::take(args);
        Some(match name {
            "findall" => self.findall(vm, args),
            "finditer" => Self::bounded(vm, "finditer", args).map(|subject| {
                let walk = Walk::new(self.regex.clone(), &subject);
                IteratorObject::new(&types::CALLABLE_ITERATOR, Matches { pattern: this.clone(), subject, walk })
            }),
            "split" => self.split(vm, args),
            "sub" | "subn" => self.substitute(vm, this, name, args),
            _ => self.find(vm, this, name, args),
        })
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let equal = self.text == other.text && self.regex.flags() == other.regex.flags();
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }

    // DIFFERENCE: CPython hashes the code of its engine too.
    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(hash_str(&self.text) ^ i64::from(self.regex.flags())))
    }

    /// `re.compile('a', re.IGNORECASE|re.MULTILINE)`
    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        const NAMES: &[(u32, &str)] = &[
            (flag::TEMPLATE, "re.TEMPLATE"),
            (flag::IGNORECASE, "re.IGNORECASE"),
            (flag::MULTILINE, "re.MULTILINE"),
            (flag::DOTALL, "re.DOTALL"),
            (flag::VERBOSE, "re.VERBOSE"),
            (flag::DEBUG, "re.DEBUG"),
            (flag::ASCII, "re.ASCII"),
        ];
        let text: String = vm.repr(&Value::Str(self.text.clone()))?.chars().take(200).collect();
        let names: Vec<&str> =
            NAMES.iter().filter(|(flag, _)| self.regex.flags() & flag != 0).map(|(_, name)| *name).collect();
        Ok(match names.as_slice() {
            [] => format!("re.compile({text})"),
            names => format!("re.compile({text}, {})", names.join("|")),
        })
    }
}
