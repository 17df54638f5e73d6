//! `fnmatch`: shell patterns, as on Linux, where case counts.

use super::os_path::not_a_path;
use super::re::text_of;
use super::signature::Signature;
use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::value::Value;
use crate::vm::Vm;

module! {
    /// `fnmatch`
    MODULE = "fnmatch";
    functions {
        "fnmatch" => |vm, args| fnmatch(vm, args, "fnmatch"),
        "fnmatchcase" => |vm, args| fnmatch(vm, args, "fnmatchcase"),
    }
    values(_vm) {}
}

/// `os.path.normcase` on Linux: the name as it is, which must be one.
///
/// DIFFERENCE: names and patterns are text; CPython takes bytes, too.
fn normcase(value: &Value) -> PyResult<()> {
    if value.as_str().is_some() { Ok(()) } else { Err(not_a_path(value)) }
}

fn matches(vm: &mut Vm, name: &Value, pattern: &Value) -> PyResult<bool> {
    let Value::Str(pattern) = pattern else {
        if matches!(pattern, Value::Bytes(_)) {
            return Err(not_a_path(pattern));
        }
        let found = pattern.type_name();
        return Err(type_error(format!("object of type '{}' has no len()", found.as_str())));
    };
    let name = text_of(name)?;
    vm.charge((pattern.len() + name.len()) / 2)?;
    let mut left = vm.steps_left();
    let matched = glob(pattern, &name, &mut left);
    vm.charge(usize::try_from(vm.steps_left() - left).unwrap_or(usize::MAX))?;
    match matched {
        Some(matched) => Ok(matched),
        None => vm.charge(usize::MAX).map(|()| false),
    }
}

/// `fnmatch(name, pat)` and `fnmatchcase(name, pat)`
fn fnmatch(vm: &mut Vm, args: Args, function: &'static str) -> PyResult<Value> {
    let [name, pattern] = Signature::function(function, ["name", "pat"], 2).bind(args)?.map(Option::unwrap_or_default);
    if function == "fnmatch" {
        normcase(&name)?;
        normcase(&pattern)?;
    }
    matches(vm, &name, &pattern).map(Value::Bool)
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
    /// The steps that comparing a character takes.
    fn steps(&self) -> u64 {
        match self {
            Self::Set(ranges, _) => 1 + ranges.len() as u64 / 16,
            _ => 1,
        }
    }

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
    let last_bracket = characters.iter().rposition(|character| *character == ']');
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
                let end = || characters.iter().skip(search).position(|c| *c == ']').map(|offset| search + offset);
                match last_bracket.filter(|last| search <= *last).and_then(|_| end()) {
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

/// Whether a shell pattern matches a whole name; `None` where that takes more than the steps that are left.
fn glob(pattern: &str, name: &str, left: &mut u64) -> Option<bool> {
    let parts = parse(pattern);
    let characters: Vec<char> = name.chars().collect();
    let (mut part, mut at) = (0, 0);
    // Where to go on when the text after the last star does not fit: one character further.
    let mut star: Option<(usize, usize)> = None;
    loop {
        *left = left.checked_sub(parts.get(part).map_or(1, Part::steps))?;
        match (parts.get(part), characters.get(at)) {
            (Some(Part::Any), _) => {
                star = Some((part + 1, at));
                part += 1;
            }
            (None, None) => return Some(true),
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
                _ => return Some(false),
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
            assert_eq!(glob(pattern, name, &mut 100), Some(expected), "{pattern} {name}");
        }
    }
}
