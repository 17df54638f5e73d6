//! The arguments of a call, and how the runtime's own functions take them apart.

use smallvec::SmallVec;

use super::exception::{PyResult, Raised, type_error};
use super::string::Str;
use super::value::Value;

/// The arguments of one call.
#[derive(Default)]
pub struct Args {
    /// Positional arguments.
    pub pos: SmallVec<[Value; 3]>,
    /// Keyword arguments in the order they were written.
    pub kw: Vec<(Str, Value)>,
}

impl Args {
    /// No arguments.
    pub fn none() -> Self {
        Self::default()
    }

    /// One positional argument.
    pub fn one(value: Value) -> Self {
        let mut pos = SmallVec::new();
        pos.push(value);
        Self { pos, kw: Vec::new() }
    }

    /// Positional arguments only.
    pub fn positional(values: impl IntoIterator<Item = Value>) -> Self {
        Self { pos: values.into_iter().collect(), kw: Vec::new() }
    }

    /// Takes the arguments of a function with parameters `names`, of which the first `required` must be given.
    ///
    /// `function` is the name for messages, without parentheses; `function` itself stands for none. Missing optional ones are `None`.
    ///
    /// # Errors
    /// `TypeError` with CPython's wording of its argument clinic where an argument is missing, unknown or given twice.
    pub fn bind<const N: usize>(
        self,
        function: &str,
        names: [&str; N],
        required: usize,
    ) -> PyResult<[Option<Value>; N]> {
        // Functions whose C code gives no name are "function" in messages, without parentheses.
        let nameless = function == "function";
        let function = if nameless { function.to_owned() } else { format!("{function}()") };
        let given = self.pos.len();
        if given + self.kw.len() > N {
            let kind = if given > 0 { "" } else { " keyword" };
            let total = given + self.kw.len();
            let plural = if N == 1 { "" } else { "s" };
            if N == 0 {
                return Err(type_error(format!("{function} takes no arguments ({total} given)")));
            }
            return Err(type_error(format!("{function} takes at most {N}{kind} argument{plural} ({total} given)")));
        }
        let mut bound: [Option<Value>; N] = std::array::from_fn(|_| None);
        for (slot, value) in bound.iter_mut().zip(self.pos) {
            *slot = Some(value);
        }
        // What is missing is told first, then what is there twice, then what is unknown.
        let (mut twice, mut unknown) = (None, None);
        for (name, value) in self.kw {
            match names.iter().position(|n| *n == name.as_str()) {
                Some(index) if index < given => twice = Some((name, index)),
                Some(index) => {
                    if let Some(slot) = bound.get_mut(index) {
                        *slot = Some(value);
                    }
                }
                None => unknown = unknown.or(Some(name)),
            }
        }
        for (index, slot) in bound.iter().enumerate().take(required) {
            if slot.is_none() {
                let name = names.get(index).copied().unwrap_or_default();
                return Err(type_error(format!("{function} missing required argument '{name}' (pos {})", index + 1)));
            }
        }
        if let Some((name, index)) = twice {
            let (name, position) = (name.as_str(), index + 1);
            let message = format!("argument for {function} given by name ('{name}') and position ({position})");
            return Err(type_error(message));
        }
        if let Some(name) = unknown {
            let function = if nameless { "this function" } else { &function };
            return Err(type_error(format!("'{}' is an invalid keyword argument for {function}", name.as_str())));
        }
        Ok(bound)
    }

    /// Takes exactly `N` positional arguments and no keywords.
    ///
    /// # Errors
    /// `TypeError`, worded as CPython does for functions implemented in C.
    pub fn exactly<const N: usize>(self, function: &str) -> PyResult<[Value; N]> {
        self.no_keywords(function)?;
        let given = self.pos.len();
        if given == N {
            let mut values = self.pos.into_iter();
            return Ok(std::array::from_fn(|_| values.next().unwrap_or(Value::None)));
        }
        Err(match N {
            0 => type_error(format!("{function}() takes no arguments ({given} given)")),
            1 => type_error(format!("{function}() takes exactly one argument ({given} given)")),
            _ => type_error(format!("{function} expected {N} arguments, got {given}")),
        })
    }

    /// Takes from `min` to `N` positional arguments and no keywords; missing ones are `None`.
    ///
    /// # Errors
    /// `TypeError`, worded as CPython does for functions implemented in C.
    pub fn between<const N: usize>(self, function: &str, min: usize) -> PyResult<[Option<Value>; N]> {
        self.no_keywords(function)?;
        let given = self.pos.len();
        if given < min {
            let bound = if min == N { "" } else { "at least " };
            let plural = if min == 1 { "" } else { "s" };
            return Err(type_error(format!("{function} expected {bound}{min} argument{plural}, got {given}")));
        }
        if given > N {
            let bound = if min == N { "" } else { "at most " };
            let plural = if N == 1 { "" } else { "s" };
            return Err(type_error(format!("{function} expected {bound}{N} argument{plural}, got {given}")));
        }
        let mut bound: [Option<Value>; N] = std::array::from_fn(|_| None);
        for (slot, value) in bound.iter_mut().zip(self.pos) {
            *slot = Some(value);
        }
        Ok(bound)
    }

    /// Refuses keyword arguments.
    ///
    /// # Errors
    /// `TypeError`, as CPython says it.
    pub fn no_keywords(&self, function: &str) -> PyResult<()> {
        if self.kw.is_empty() { Ok(()) } else { Err(type_error(format!("{function}() takes no keyword arguments"))) }
    }
}

/// `'a', 'b', and 'c'`, as CPython lists parameters.
pub fn names_in_quotes(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// The error of a call that lacks arguments: `f() missing 2 required positional arguments: 'a' and 'b'`
pub fn missing_arguments(name: &str, missing: &[&str]) -> Raised {
    let plural = if missing.len() == 1 { "" } else { "s" };
    let count = missing.len();
    type_error(format!("{name}() missing {count} required positional argument{plural}: {}", names_in_quotes(missing)))
}
