//! Parts of values that are not there: as for Ansible, `a.b.c | default(1)` is 1 if `a` has no `b`.
//!
//! The engine knows attributes of what is undefined either always or never. So each value that has a further part asked of it passes a filter, which
//! gives a placeholder for a missing one: its parts are missing as well, and to print it is an error.

use std::ops::Range;

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use super::placeholder::{Recorder, Why, placeholder};

/// The name of the filter.
const FILTER: &str = "tpvc_part";

/// The most parts of parts that are looked at.
const DEEPEST: usize = 8;

/// The most characters of the code of a part that a message has.
const LONGEST: usize = 80;

/// Words that are no values, and may come before a list.
const WORDS: [&str; 9] = ["in", "not", "is", "and", "or", "if", "elif", "else", "recursive"];

/// Adds the filter. The recorder notes the missing parts that are used.
pub(super) fn add(environment: &mut Environment<'static>, recorder: &Recorder) {
    let recorder = recorder.clone();
    environment.add_filter(FILTER, move |value: Value, code: &str| {
        if value.is_undefined() { placeholder(code, Why::Undeclared, &recorder) } else { value }
    });
}

/// The texts to insert into a template, with their places, in order.
pub(super) fn insertions(template: &str, syntax: &SyntaxConfig) -> Vec<(usize, String)> {
    let place = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
    let tokens: Vec<(Token<'_>, Range<usize>)> = tokenize(template, false, syntax.clone())
        .map_while(Result::ok)
        .map(|(token, span)| (token, place(span.start_offset)..place(span.end_offset)))
        .collect();
    let closing = closing(&tokens);
    let mut insertions = Vec::new();
    for (at, (token, range)) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map(|(token, _)| token);
        let ends = match token {
            Token::Ident(name) if !WORDS.contains(name) && !matches!(before, Some(Token::Dot | Token::Pipe)) => {
                ends(&tokens, &closing, at + 1)
            }
            // An expression in parentheses, rather than arguments.
            Token::ParenOpen if !before.is_some_and(may_be_called) => ends(&tokens, &closing, at),
            _ => continue,
        };
        // The last part may be missing: that is for whoever uses it.
        let Some((_, inner)) = ends.split_last().filter(|(_, inner)| inner.len() < DEEPEST) else { continue };
        insertions.extend(inner.iter().map(|_| (range.start, "(".to_owned())));
        for end in inner {
            let code: String = template.get(range.start..*end).unwrap_or("").chars().take(LONGEST).collect();
            let code = code.replace('\\', "\\\\").replace('"', "\\\"");
            insertions.push((*end, format!(" | {FILTER}(\"{code}\"))")));
        }
    }
    insertions.sort_by_key(|(place, _)| *place);
    insertions
}

/// Returns `true` if parentheses after a token hold arguments.
fn may_be_called(token: &Token<'_>) -> bool {
    match token {
        Token::Ident(name) => !WORDS.contains(name),
        token => matches!(token, Token::ParenClose | Token::BracketClose),
    }
}

/// The ends of the parts that are asked for from a token on: `.name`, `.5`, `[...]`, `(...)`; without those that are called, which methods are for.
fn ends(tokens: &[(Token<'_>, Range<usize>)], closing: &[usize], mut at: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    while let Some((token, _)) = tokens.get(at) {
        let last = match (token, tokens.get(at + 1)) {
            (Token::Dot, Some((Token::Ident(_) | Token::Int(_), _))) => at + 1,
            (Token::BracketOpen | Token::ParenOpen, _) => closing.get(at).copied().unwrap_or(usize::MAX),
            _ => break,
        };
        let Some((_, range)) = tokens.get(last) else { break };
        at = last.saturating_add(1);
        if !matches!(tokens.get(at), Some((Token::ParenOpen, _))) {
            ends.push(range.end);
        }
    }
    ends
}

/// The index of the bracket or parenthesis that closes each one that opens.
fn closing(tokens: &[(Token<'_>, Range<usize>)]) -> Vec<usize> {
    let (mut closing, mut open) = (vec![usize::MAX; tokens.len()], Vec::new());
    for (at, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::BracketOpen | Token::ParenOpen => open.push(at),
            Token::BracketClose | Token::ParenClose => {
                if let Some(end) = open.pop().and_then(|start| closing.get_mut(start)) {
                    *end = at;
                }
            }
            _ => {}
        }
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_within_parts_take_little_room() {
        let template = format!("{{{{ {}0{} }}}}", "x[".repeat(2000), "][0]".repeat(2000));
        let found = insertions(&template, &SyntaxConfig::default());
        assert_eq!(found.len(), 4000);
        assert!(found.iter().map(|(_, text)| text.len()).sum::<usize>() < 2000 * 110);
    }
}
