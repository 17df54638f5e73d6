//! Binding arguments as a function written in Python binds them, with CPython's messages: TPV's helpers and Galaxy's
//! methods are such functions.

use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, type_error};
use crate::python::value::Value;

/// Takes the arguments of `def function(names...)`, of which the first `required` have no default. Missing optional ones
/// are `None`.
///
/// # Errors
/// `TypeError` where an argument is missing, unknown, given twice, or one too many.
pub fn bind<const N: usize>(
    args: Args,
    function: &str,
    names: [&str; N],
    required: usize,
) -> PyResult<[Option<Value>; N]> {
    bind_from(args, function, names, required, 0)
}

/// As [`bind`], for a method: `self` counts as an argument in messages, and is not among `names`.
///
/// # Errors
/// As [`bind`].
pub fn bind_method<const N: usize>(
    args: Args,
    method: &str,
    names: [&str; N],
    required: usize,
) -> PyResult<[Option<Value>; N]> {
    bind_from(args, method, names, required, 1)
}

fn bind_from<const N: usize>(
    args: Args,
    function: &str,
    names: [&str; N],
    required: usize,
    receiver: usize,
) -> PyResult<[Option<Value>; N]> {
    let given = args.pos.len();
    let mut bound: [Option<Value>; N] = std::array::from_fn(|_| None);
    for (slot, value) in bound.iter_mut().zip(args.pos) {
        *slot = Some(value);
    }
    for (name, value) in args.kw {
        let slot = names.iter().position(|known| *known == name.as_str()).and_then(|index| bound.get_mut(index));
        match slot {
            None => {
                return Err(type_error(format!("{function}() got an unexpected keyword argument '{}'", name.as_str())));
            }
            Some(Some(_)) => {
                return Err(type_error(format!("{function}() got multiple values for argument '{}'", name.as_str())));
            }
            Some(slot) => *slot = Some(value),
        }
    }
    if given > N {
        return Err(too_many(function, given + receiver, required + receiver, N + receiver));
    }
    let missing: Vec<String> = names
        .iter()
        .zip(&bound)
        .take(required)
        .filter(|(_, slot)| slot.is_none())
        .map(|(name, _)| format!("'{name}'"))
        .collect();
    if missing.is_empty() { Ok(bound) } else { Err(missing_arguments(function, &missing)) }
}

fn too_many(function: &str, given: usize, required: usize, most: usize) -> Raised {
    let takes = if required == most { most.to_string() } else { format!("from {required} to {most}") };
    let plural = if most == 1 { "" } else { "s" };
    let verb = if given == 1 { "was" } else { "were" };
    type_error(format!("{function}() takes {takes} positional argument{plural} but {given} {verb} given"))
}

fn missing_arguments(function: &str, missing: &[String]) -> Raised {
    let list = match missing {
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
        [] => String::new(),
    };
    let plural = if missing.len() == 1 { "" } else { "s" };
    type_error(format!("{function}() missing {} required positional argument{plural}: {list}", missing.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::python::string::Str;

    fn message(pos: usize, kw: &[&str]) -> String {
        let mut args = Args::positional((0..pos).map(|_| Value::None));
        args.kw = kw.iter().map(|name| (Str::from(*name), Value::None)).collect();
        match bind(args, "f", ["a", "b", "c"], 2) {
            Ok(_) => String::new(),
            Err(raised) => raised.0.args.borrow().first().unwrap().as_str().unwrap().to_string(),
        }
    }

    #[test]
    fn messages_are_cpythons() {
        assert_eq!(message(2, &[]), "");
        assert_eq!(message(1, &["b", "c"]), "");
        assert_eq!(message(0, &[]), "f() missing 2 required positional arguments: 'a' and 'b'");
        assert_eq!(message(1, &[]), "f() missing 1 required positional argument: 'b'");
        assert_eq!(message(4, &[]), "f() takes from 2 to 3 positional arguments but 4 were given");
        assert_eq!(message(2, &["a"]), "f() got multiple values for argument 'a'");
        assert_eq!(message(2, &["x"]), "f() got an unexpected keyword argument 'x'");
    }
}
