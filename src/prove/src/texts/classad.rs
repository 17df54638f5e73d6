//! The grammar of ClassAd expressions, as far as a text can break it.
//!
//! Source: the lexer and the parser of HTCondor's `src/classad/lexer.cpp` and `source.cpp`. Names and types are not looked at: an expression may name any
//! attribute. What this does not know, it takes for right.

/// Operators of several characters before those of one.
const OPERATORS: [&str; 26] = [
    ">>>", "=?=", "=!=", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "?:", "+", "-", "*", "/", "%", "<", ">", "&",
    "|", "^", "?", ":", ".", ",",
];

/// Operators that may be before an operand.
const PREFIXES: [char; 4] = ['+', '-', '!', '~'];

/// Operators that are words.
const WORDS: [&str; 2] = ["is", "isnt"];

/// The part of an expression that breaks it, with the reason. `None` if it is right, or empty.
pub(super) fn broken(text: &str) -> Option<(String, String)> {
    let mut rest = text.trim();
    // Records have a grammar of their own.
    if rest.is_empty() || rest.contains('[') {
        return None;
    }
    let mut open = Vec::new();
    let mut before = Before::Nothing;
    while let Some(c) = rest.chars().next() {
        let (token, after) = rest.split_at_checked(token(rest)?)?;
        let is_number = token.starts_with(|c: char| c.is_ascii_digit()) || (token.len() > 1 && c == '.');
        match c {
            '"' | '\'' if token.len() < 2 || !token.ends_with(c) => {
                return Some((token.to_owned(), format!("the quote {c} is not closed")));
            }
            '(' | '{' => {
                let is_call = c == '(' && matches!(before, Before::Name);
                if before.is_operand() && !is_call {
                    return between(token);
                }
                open.push((c, is_call || c == '{'));
                before = Before::Open;
            }
            ')' | '}' => {
                let pair = if c == ')' { '(' } else { '{' };
                let Some((opened, may_be_empty)) = open.pop() else {
                    return Some((token.to_owned(), format!("no `{pair}` is before it")));
                };
                let is_ended = before.is_operand() || (matches!(before, Before::Open) && may_be_empty);
                if opened != pair || !is_ended {
                    return Some((token.to_owned(), "there is no value before it".to_owned()));
                }
                before = Before::Value;
            }
            _ if c.is_ascii_alphanumeric() || matches!(c, '_' | '"' | '\'') || is_number => {
                let is_word = WORDS.iter().any(|word| token.eq_ignore_ascii_case(word)) && before.is_operand();
                if is_word {
                    before = Before::Operator(token.to_owned());
                } else if before.is_operand() {
                    return between(token);
                } else {
                    before = if is_number || c == '"' { Before::Value } else { Before::Name };
                }
            }
            _ if OPERATORS.contains(&token) => {
                let may_begin = token == "." || (token.len() == 1 && PREFIXES.contains(&c));
                if !before.is_operand() && !may_begin {
                    return Some((token.to_owned(), "there is no value before it".to_owned()));
                }
                before = Before::Operator(token.to_owned());
            }
            '=' => return Some(("=".to_owned(), "an expression compares with `==`".to_owned())),
            '!' | '~' if !before.is_operand() => before = Before::Operator(token.to_owned()),
            '@' | '#' | '`' | ';' | ']' | '!' | '~' => {
                return Some((token.to_owned(), "this is no operator".to_owned()));
            }
            // Macros, and what is not ASCII.
            _ => return None,
        }
        rest = after.trim_start();
    }
    match before {
        Before::Operator(operator) => Some((operator, "there is no value after it".to_owned())),
        _ => open.last().map(|(pair, _)| (pair.to_string(), format!("the `{pair}` is not closed"))),
    }
}

/// Two values with nothing between.
fn between(token: &str) -> Option<(String, String)> {
    Some((token.to_owned(), "no operator is before it (`&&` and `||`, no words)".to_owned()))
}

/// The token before another.
enum Before {
    Nothing,
    Open,
    Operator(String),
    Name,
    Value,
}

impl Before {
    fn is_operand(&self) -> bool {
        matches!(self, Self::Name | Self::Value)
    }
}

/// The length of the first token of a text.
fn token(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if matches!(first, '"' | '\'') {
        let mut escaped = false;
        let end = text.char_indices().skip(1).find(|(_, c)| {
            let is_end = *c == first && !escaped;
            escaped = *c == '\\' && !escaped;
            is_end
        });
        return Some(end.map_or(text.len(), |(at, _)| at + 1));
    }
    let second = text.chars().nth(1);
    if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
        return Some(number(text));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        return Some(text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len()));
    }
    let operator = OPERATORS.iter().find(|operator| text.starts_with(**operator));
    Some(operator.map_or(first.len_utf8(), |operator| operator.len()))
}

/// The length of a number, with an exponent. Units are for requests only.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default().to_ascii_lowercase();
    if at(0) == b'0' && at(1) == b'x' {
        return 2 + bytes.iter().skip(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
    }
    let mut end = digits(0);
    if at(end) == b'.' {
        end = digits(end + 1);
    }
    let exponent = end + 1 + usize::from(matches!(at(end + 1), b'+' | b'-'));
    if at(end) == b'e' && digits(exponent) > exponent { digits(exponent) } else { end }
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn expressions_are_told_from_broken_ones() {
        for right in [
            "(GalaxyGroup == \"compute\") || ((GalaxyGroup == \"training\"))",
            "GalaxyTraining == false",
            "machine != node-1",
            "GalaxyGroup == 'compute'",
            "TARGET.Memory >= 16 * 2 - .5",
            "ifThenElse(isUndefined(x), 1, 2.5e3)",
            "!regexp(\"a b\", Name) && -x < +3",
            "a =?= undefined ? 1 : {1, 2}",
            "x is undefined",
            "time() - 0x1F",
            "{}",
            "\"a \\\" b\"",
            "",
            "None",
        ] {
            assert_eq!(broken(right), None, "{right}");
        }
        for wrong in [
            "(GalaxyGroup == \"compute\"",
            "GalaxyGroup == \"compute",
            "GalaxyGroup = \"compute\"",
            "True False",
            "True &&",
            "A and B",
            "a b",
            "a@b.c",
            "16 GiB",
            "16G",
            "16Gi",
            "3.8.1G",
            "(1)(2)",
            "x )",
            "&& x",
            "()",
        ] {
            assert!(broken(wrong).is_some(), "{wrong}");
        }
    }
}
