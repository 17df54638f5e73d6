//! `fnmatch`: shell patterns, as on Linux, where case counts.

use super::re::bytes::latin;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::string::Str;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::members::plain;

module! {
    /// `fnmatch`
    MODULE = "fnmatch";
    functions {
        "filter" => filter,
        "fnmatch" => |vm, args| matches(vm, args, "fnmatch"),
        "fnmatchcase" => |vm, args| matches(vm, args, "fnmatchcase"),
    }
    values(_vm) {}
}

/// `os.path.normcase` on Linux: the name as it is, which must be one.
fn normcase(value: &Value) -> PyResult<()> {
    match value {
        Value::Str(_) | Value::Bytes(_) => Ok(()),
        other => Err(super::os_path::not_a_path(other)),
    }
}

/// A pattern, text or bytes.
enum Pattern {
    Text(Str),
    Bytes(String),
}

impl Pattern {
    fn of(vm: &mut Vm, value: &Value) -> PyResult<Self> {
        match value {
            Value::Str(text) => Ok(Self::Text(text.clone())),
            Value::Bytes(bytes) => Ok(Self::Bytes(latin(bytes))),
            other => {
                // CPython looks it up among the patterns it keeps, and then asks for its length.
                crate::python::hash::hash(vm, other)?;
                // Then for its characters, one by one.
                let mut text = String::new();
                for index in 0..vm.len(other)? {
                    vm.charge(1)?;
                    match plain(&vm.get_item(other, &Value::from_usize(index))?) {
                        Value::Str(part) => text.push_str(&part),
                        // As `re.escape` refuses them, and `join` what it makes of bytes.
                        Value::Bytes(_) => {
                            return Err(type_error(format!(
                                "sequence item {index}: expected str instance, bytes found"
                            )));
                        }
                        part => {
                            let found = part.type_name();
                            let message =
                                format!("decoding to str: need a bytes-like object, {} found", found.as_str());
                            return Err(type_error(message));
                        }
                    }
                }
                Ok(Self::Text(Str::new(text)))
            }
        }
    }

    fn matches(&self, vm: &mut Vm, name: &Value) -> PyResult<bool> {
        let (pattern, name): (&str, Str) = match (self, name) {
            (Self::Text(pattern), name) => (pattern, super::re::text_of(name)?),
            (Self::Bytes(pattern), Value::Bytes(name)) => (pattern, Str::from(latin(name))),
            (Self::Bytes(_), Value::Str(_)) => {
                return Err(type_error("cannot use a bytes pattern on a string-like object"));
            }
            (Self::Bytes(_), other) => {
                let given = other.type_name();
                return Err(type_error(format!("expected string or bytes-like object, got '{}'", given.as_str())));
            }
        };
        vm.charge(name.len().saturating_mul(1 + pattern.matches('*').count()))?;
        Ok(glob(pattern, &name))
    }
}

fn matches(vm: &mut Vm, args: Args, function: &'static str) -> PyResult<Value> {
    let [name, pattern] = Signature::function(function, ["name", "pat"], 2).bind(args)?.map(Option::unwrap_or_default);
    if function == "fnmatch" {
        normcase(&name)?;
        normcase(&pattern)?;
    }
    let pattern = Pattern::of(vm, &pattern)?;
    pattern.matches(vm, &name).map(Value::Bool)
}

fn filter(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [names, pattern] =
        Signature::function("filter", ["names", "pat"], 2).bind(args)?.map(Option::unwrap_or_default);
    normcase(&pattern)?;
    let pattern = Pattern::of(vm, &pattern)?;
    let mut kept = Vec::new();
    let iterator = vm.iter(&names)?;
    while let Some(name) = vm.next(&iterator)? {
        if pattern.matches(vm, &name)? {
            kept.push(name);
        }
    }
    Ok(Value::list(kept))
}

/// One element of a pattern.
enum Part {
    Any,
    One,
    Literal(char),
    /// Ranges of characters, and whether they are excluded.
    Set(Vec<(char, char)>, bool),
}

impl Part {
    fn accepts(&self, character: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Literal(literal) => *literal == character,
            Self::Set(ranges, excluded) => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)) != *excluded
            }
        }
    }
}

fn parse(pattern: &str) -> Vec<Part> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(character) = characters.get(at) {
        at += 1;
        match character {
            '*' => parts.push(Part::Any),
            '?' => parts.push(Part::One),
            '[' => {
                let excluded = characters.get(at) == Some(&'!');
                let start = at + usize::from(excluded);
                // A bracket right at the start is a member of the set.
                let search = start + usize::from(characters.get(start) == Some(&']'));
                let end = characters.iter().skip(search).position(|c| *c == ']').map(|offset| search + offset);
                match end {
                    Some(end) => {
                        parts.push(Part::Set(ranges(characters.get(start..end).unwrap_or_default()), excluded));
                        at = end + 1;
                    }
                    None => parts.push(Part::Literal('[')),
                }
            }
            other => parts.push(Part::Literal(*other)),
        }
    }
    parts
}

fn ranges(members: &[char]) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    let mut rest = members;
    loop {
        rest = match rest {
            [low, '-', high, tail @ ..] => {
                ranges.push((*low, *high));
                tail
            }
            [one, tail @ ..] => {
                ranges.push((*one, *one));
                tail
            }
            [] => return ranges,
        }
    }
}

/// Whether a shell pattern matches a whole name.
pub(super) fn glob(pattern: &str, name: &str) -> bool {
    let parts = parse(pattern);
    let characters: Vec<char> = name.chars().collect();
    let (mut part, mut at) = (0, 0);
    // Where to go on when the text after the last star does not fit: one character further.
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (parts.get(part), characters.get(at)) {
            (Some(Part::Any), _) => {
                star = Some((part + 1, at));
                part += 1;
            }
            (None, None) => return true,
            (Some(wanted), Some(character)) if wanted.accepts(*character) => {
                part += 1;
                at += 1;
            }
            _ => match star {
                Some((after, from)) if from < characters.len() => {
                    star = Some((after, from + 1));
                    part = after;
                    at = from + 1;
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn shell_patterns() {
        for (pattern, name, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a.txt2", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[a", "[a", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, name), expected, "{pattern} {name}");
        }
    }
}
