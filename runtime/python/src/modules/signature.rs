//! The arguments of library functions that CPython writes in Python: their errors are worded as the interpreter's.

use crate::args::{Args, missing_arguments};
use crate::exception::{PyResult, Raised, type_error};
use crate::value::Value;

/// The signature of a function that is written in Python.
pub struct Signature<const N: usize> {
    /// `__qualname__`, as messages show it: `Random.randint`.
    pub name: &'static str,
    /// The parameters, without `self`.
    pub parameters: [&'static str; N],
    /// The number of arguments that may be positional; the others are keyword-only.
    pub positional: usize,
    /// The number of required arguments.
    pub required: usize,
    /// `true` if there is a `self`, which messages count.
    pub method: bool,
}

impl<const N: usize> Signature<N> {
    /// A function of positional parameters.
    pub const fn function(name: &'static str, parameters: [&'static str; N], required: usize) -> Self {
        Self { name, parameters, positional: N, required, method: false }
    }

    /// A method of positional parameters.
    pub const fn method(name: &'static str, parameters: [&'static str; N], required: usize) -> Self {
        Self { name, parameters, positional: N, required, method: true }
    }

    /// Takes the arguments; those not given are `None`.
    ///
    /// # Errors
    /// `TypeError`, as calling a Python function raises it.
    pub fn bind(&self, args: Args) -> PyResult<[Option<Value>; N]> {
        let name = self.name;
        let given = args.pos.len();
        let mut bound: [Option<Value>; N] = std::array::from_fn(|_| None);
        for (slot, value) in bound.iter_mut().take(self.positional).zip(args.pos) {
            *slot = Some(value);
        }
        for (keyword, value) in args.kw {
            let index = self.parameters.iter().position(|parameter| *parameter == keyword.as_str());
            let Some(slot) = index.and_then(|index| bound.get_mut(index)) else {
                return Err(type_error(format!("{name}() got an unexpected keyword argument '{}'", keyword.as_str())));
            };
            if slot.is_some() {
                return Err(type_error(format!("{name}() got multiple values for argument '{}'", keyword.as_str())));
            }
            *slot = Some(value);
        }
        if given > self.positional {
            let keywords = bound.iter().skip(self.positional).filter(|slot| slot.is_some()).count();
            return Err(self.too_many(given, keywords));
        }
        let missing: Vec<&str> = bound
            .iter()
            .zip(self.parameters)
            .take(self.required)
            .filter(|(slot, _)| slot.is_none())
            .map(|(_, parameter)| parameter)
            .collect();
        if missing.is_empty() { Ok(bound) } else { Err(missing_arguments(name, &missing)) }
    }

    fn too_many(&self, given: usize, keywords: usize) -> Raised {
        let own = usize::from(self.method);
        let (least, most, given) = (self.required.min(self.positional) + own, self.positional + own, given + own);
        let takes = if least == most { most.to_string() } else { format!("from {least} to {most}") };
        let plural = if most == 1 { "" } else { "s" };
        let were = if given == 1 && keywords == 0 { "was" } else { "were" };
        let counted = counted_keywords(given, keywords);
        type_error(format!(
            "{}() takes {takes} positional argument{plural} but {given}{counted} {were} given",
            self.name
        ))
    }
}

/// The part of the message about too many positional arguments that mentions keyword-only ones.
fn counted_keywords(given: usize, keywords: usize) -> String {
    if keywords == 0 {
        return String::new();
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    format!(" positional argument{} (and {keywords} keyword-only argument{})", plural(given), plural(keywords))
}
