//! From an exception back to the lines of the config that it came through.

use std::fmt::{self, Write};

use crate::artifact::Rules;
use crate::first_line::first_line;
use tpv_bytecode::CodeKind;
use tpv_galaxy::errors::JOB_MAPPING_EXCEPTION;
use tpv_literal::quoted::str_repr;
use tpv_python::exception::{ExceptionObject, KEY_ERROR, Raised};
use tpv_python::program::Place;
use tpv_python::value::Value;
use tpv_python::vm::qualified;

use super::places::ConfigPlace;

/// The origin of an exception: the places in the config that it passed, and the exceptions behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The places, the innermost first: each was called from the next one. Empty only if the code was made at run time.
    pub calls: Vec<Call>,
    /// The first line of the code that was running, if that was made at run time and stands in no config.
    pub made: Option<String>,
    /// The exception that it was raised from, or that was being handled.
    pub cause: Option<Box<Cause>>,
}

/// A place that an exception passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The place.
    pub place: ConfigPlace,
    /// The block: an index of the artifact's table of sites.
    pub site: u32,
    /// The part of the block that was running, such as `` `total` `` or `a lambda`; `None` for the block itself.
    pub function: Option<String>,
    /// The source line as it was compiled: the file may have changed since.
    pub line: Option<String>,
    /// The number of further calls omitted before the next one: repeats, or calls beyond the limit.
    pub more: u32,
    /// The same place in other blocks that have the same text, so that it may have been one of them: of functions that code
    /// keeps for later blocks, only the text is known.
    pub alike: Vec<ConfigPlace>,
}

/// An exception behind another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `true` if the other was raised `from` it, and not only while it was handled.
    pub direct: bool,
    /// Its class and message.
    pub what: String,
    /// Its own trace, if it passed the config's code.
    pub trace: Option<Trace>,
}

/// The number of exceptions reported behind an exception.
const MAX_CAUSES: usize = 8;

impl Trace {
    /// The trace of an exception; `None` if no expression raised it.
    pub fn of(rules: &Rules, raised: &Raised) -> Option<Self> {
        Tracer { rules, known: Vec::new() }.trace(&raised.0, MAX_CAUSES)
    }

    /// The place at which it was raised.
    pub fn place(&self) -> Option<&ConfigPlace> {
        self.calls.first().map(|call| &call.place)
    }
}

struct Tracer<'a> {
    rules: &'a Rules,
    /// Blocks that were being evaluated and where they stand: exceptions that were handled there tell no place of their own.
    known: Vec<(u32, u32)>,
}

impl Tracer<'_> {
    fn trace(&mut self, exception: &ExceptionObject, causes: usize) -> Option<Trace> {
        let places = exception.places.borrow();
        for place in places.iter() {
            if let (Some(root), Some(site)) = (self.root(place), place.site) {
                self.known.push((root, site));
            }
        }
        let mut calls: Vec<Call> = Vec::new();
        for (index, place) in places.iter().enumerate() {
            let Some(call) = self.call(place) else { continue };
            let left_out = if index + 1 == places.len() { exception.places_left_out.get() } else { 0 };
            match calls.last_mut() {
                Some(last) if last.place == call.place && last.function == call.function => {
                    last.more = last.more.saturating_add(left_out).saturating_add(1);
                    continue;
                }
                Some(last) => last.more = last.more.saturating_add(left_out),
                None => {}
            }
            calls.push(call);
        }
        let made = exception.made.borrow().as_ref().map(|text| first_line(text, LONGEST));
        if calls.is_empty() && made.is_none() {
            let origin = exception.origin.get()?;
            let mut call = self.call_at(origin.site, 1, 1, None)?;
            // Code that raises it has places. The text of a `fail` is the message, which need not be shown twice.
            if exception.is(&JOB_MAPPING_EXCEPTION) {
                call.function = Some("a rule's `fail`".to_owned());
                call.line = None;
            }
            calls.push(call);
        }
        let cause = if causes > 0 { self.cause(exception, causes - 1) } else { None };
        Some(Trace { calls, made, cause: cause.map(Box::new) })
    }

    fn cause(&mut self, exception: &ExceptionObject, causes: usize) -> Option<Cause> {
        let direct = exception.cause.borrow().clone();
        let handled = exception.context.borrow().clone().filter(|_| !exception.suppress_context.get());
        let (direct, behind) = match (direct, handled) {
            (Some(Value::Exception(cause)), _) => (true, cause),
            (_, Some(Value::Exception(context))) => (false, context),
            _ => return None,
        };
        Some(Cause { direct, what: summary(&behind), trace: self.trace(&behind, causes) })
    }

    fn root(&self, place: &Place) -> Option<u32> {
        Some(self.rules.program().codes.get(place.code as usize)?.root)
    }

    fn call(&self, place: &Place) -> Option<Call> {
        let root = self.root(place)?;
        let known = || self.known.iter().rev().find(|(code, _)| *code == root).map(|(_, site)| *site);
        let sites = match place.site.or_else(known) {
            Some(site) => vec![site],
            None => self.rules.texts().sites_of(root).to_vec(),
        };
        let (site, others) = sites.split_first()?;
        let mut call = self.call_at(*site, place.line, place.column, self.function(place.code))?;
        call.alike = others.iter().filter_map(|site| self.place_at(*site, place.line, place.column)).collect();
        Some(call)
    }

    fn place_at(&self, site: u32, line: u32, column: u32) -> Option<ConfigPlace> {
        let found = self.rules.tables().sites.get(site as usize)?;
        let (line, column) = found.locate(line, column);
        Some(ConfigPlace::at(self.rules, found, line, column))
    }

    fn call_at(&self, site: u32, line: u32, column: u32, function: Option<String>) -> Option<Call> {
        let found = self.rules.tables().sites.get(site as usize)?;
        let place = self.place_at(site, line, column)?;
        let text = self.rules.texts().of_site(self.rules.tables(), site);
        let excerpt = text.and_then(|text| found.file_line(text, place.line));
        Some(Call { place, site, function, line: excerpt, more: 0, alike: Vec::new() })
    }

    /// The part of a block that a code is, in words.
    fn function(&self, index: u32) -> Option<String> {
        let data = self.rules.program();
        let code = data.codes.get(index as usize).filter(|code| code.kind == CodeKind::Function)?;
        let name = data.strings.get(code.name as usize)?;
        Some(match name.as_str() {
            "<lambda>" => "a lambda".to_owned(),
            "<listcomp>" => "a list comprehension".to_owned(),
            "<setcomp>" => "a set comprehension".to_owned(),
            "<dictcomp>" => "a dict comprehension".to_owned(),
            "<genexpr>" => "a generator expression".to_owned(),
            _ => {
                // What is around a function says where it is, which the place says too; a method is called by its class.
                let name = qualified(name, data, index);
                format!("`{}`", name.rsplit("<locals>.").next().unwrap_or(&name))
            }
        })
    }
}

/// The characters of code made at run time that a message has room for.
const LONGEST: usize = 72;

/// The class of an exception and its message, as far as no code of the config must run for it.
fn summary(exception: &ExceptionObject) -> String {
    let name = exception.class.name;
    let args = exception.args.borrow();
    let plain = |value: &Value| match value {
        Value::None => Some("None".to_owned()),
        Value::Bool(value) => Some(if *value { "True" } else { "False" }.to_owned()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(tpv_literal::float_text::repr(*number)),
        Value::Str(text) => Some(str_repr(text)),
        _ => None,
    };
    let message = match args.as_slice() {
        [Value::Str(text)] if !exception.is(&KEY_ERROR) => Some(text.as_str().to_owned()),
        [one] => plain(one),
        several => {
            let texts: Option<Vec<String>> = several.iter().map(plain).collect();
            texts.filter(|texts| !texts.is_empty()).map(|texts| format!("({})", texts.join(", ")))
        }
    };
    match message.filter(|message| !message.is_empty()) {
        Some(message) => format!("{}: {message}", name),
        None => name.to_owned(),
    }
}

/// For the log: `raised at FILE:LINE:COLUMN`, then the line and a caret, and so on for each call.
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = "raised";
        for call in &self.calls {
            write!(f, "{start} at {call}")?;
            start = "\n  called";
        }
        if let Some(made) = &self.made {
            write!(f, "{start} in code made at run time: `{made}`")?;
        }
        if let Some(cause) = &self.cause {
            let how = if cause.direct { "raised from" } else { "raised while handling" };
            write!(f, "\n  {how} {}", cause.what)?;
            if let Some(trace) = &cause.trace {
                write!(f, ", {trace}")?;
            }
        }
        Ok(())
    }
}

/// The place, what was running there, and below the line with a caret.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if let Some(function) = &self.function {
            write!(f, ", in {function}")?;
        }
        if let Some(alike) = self.alike() {
            write!(f, " ({alike})")?;
        }
        if let Some(line) = &self.line {
            let column = (self.place.column as usize).saturating_sub(1);
            let margin = line.chars().take_while(|char| *char == ' ').count().min(column);
            let (mut shown, mut caret) = (String::new(), String::new());
            shown.extend(line.chars().skip(margin));
            // Tabs stand below tabs.
            caret.extend(line.chars().take(column).skip(margin).map(|char| if char == '\t' { char } else { ' ' }));
            for _ in 0..word_length(line.chars().skip(column)) {
                caret.write_char('^')?;
            }
            write!(f, "\n    | {}\n    | {caret}", shown.trim_end())?;
        }
        if let Some(more) = self.more() {
            write!(f, "\n  {more}")?;
        }
        Ok(())
    }
}

impl Call {
    /// A note about further calls, if any.
    pub fn more(&self) -> Option<String> {
        match self.more {
            0 => None,
            1 => Some("and one more call like it".to_owned()),
            more => Some(format!("and {more} more calls")),
        }
    }

    /// A note about other places with the same text, if any.
    pub fn alike(&self) -> Option<String> {
        match self.alike.as_slice() {
            [] => None,
            [other] => Some(format!("or at {other}, which has the same text")),
            [other, more @ ..] => Some(format!("or at {other} or {} more places that have the same text", more.len())),
        }
    }
}

/// The number of characters to underline at a place: a word, or one character.
pub fn word_length(rest: impl Iterator<Item = char>) -> usize {
    rest.take_while(|char| char.is_alphanumeric() || *char == '_').count().max(1)
}
