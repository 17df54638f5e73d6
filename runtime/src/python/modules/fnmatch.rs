//! `fnmatch`: shell patterns, as on Linux, where case counts.

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::string::Str;
use crate::python::value::Value;
use crate::python::vm::Vm;

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

fn text(value: Option<Value>) -> PyResult<Str> {
    match value {
        Some(Value::Str(text)) => Ok(text),
        other => Err(type_error(format!(
            "expected str, bytes or os.PathLike object, not {}",
            other.unwrap_or_default().type_name().as_str()
        ))),
    }
}

fn matches(vm: &mut Vm, args: Args, function: &'static str) -> PyResult<Value> {
    let [name, pattern] = Signature::function(function, ["name", "pat"], 2).bind(args)?;
    let (name, pattern) = (text(name)?, text(pattern)?);
    vm.charge(name.len().saturating_mul(1 + pattern.matches('*').count()))?;
    Ok(Value::Bool(glob(&pattern, &name)))
}

fn filter(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [names, pattern] = Signature::function("filter", ["names", "pat"], 2).bind(args)?;
    let pattern = text(pattern)?;
    let mut kept = Vec::new();
    for name in vm.collect(&names.unwrap_or_default())? {
        let text = text(Some(name.clone()))?;
        vm.charge(text.len().saturating_mul(1 + pattern.matches('*').count()))?;
        if glob(&pattern, &text) {
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
pub fn glob(pattern: &str, name: &str) -> bool {
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
