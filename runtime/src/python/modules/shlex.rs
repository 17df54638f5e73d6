//! `shlex`: words as a shell reads them.

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, not_implemented_error, type_error, value_error};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::members::plain;

module! {
    /// `shlex`
    MODULE = "shlex";
    functions { "join" => join, "quote" => quote, "split" => split }
    values(_vm) {}
}

fn quoted(text: &str) -> String {
    let safe = |char: char| char.is_ascii_alphanumeric() || "_@%+=:,./-".contains(char);
    if text.is_empty() {
        "''".to_owned()
    } else if text.chars().all(safe) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\"'\"'"))
    }
}

/// `quote(s)`
fn quote(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = Signature::function("quote", ["s"], 1).bind(args)?.map(Option::unwrap_or_default);
    match &plain(&text) {
        Value::Str(text) => {
            vm.charge_bytes(text.len().saturating_mul(5))?;
            Ok(Value::str(quoted(text)))
        }
        other if !vm.truthy(other)? => Ok(Value::str("''")),
        Value::Bytes(_) => Err(type_error("cannot use a string pattern on a bytes-like object")),
        _ => {
            let found = text.type_name();
            Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())))
        }
    }
}

/// `join(split_command)`
fn join(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [words] = Signature::function("join", ["split_command"], 1).bind(args)?.map(Option::unwrap_or_default);
    let mut out = Vec::new();
    let iterator = vm.iter(&words)?;
    while let Some(word) = vm.next(&iterator)? {
        vm.charge(1)?;
        let quoted = quote(vm, Args::one(word))?;
        out.push(quoted.as_str().map(|word| word.to_string()).unwrap_or_default());
    }
    Ok(Value::str(out.join(" ")))
}

/// `split(s, comments=False, posix=True)`
fn split(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, comments, posix] = Signature::function("split", ["s", "comments", "posix"], 1).bind(args)?;
    let text = text.unwrap_or_default();
    let Value::Str(text) = &text else {
        if text.is_none() {
            return Err(value_error("s argument must not be None"));
        }
        // Anything else may be a stream.
        vm.get_attr(&text, "read")?;
        return Err(not_implemented_error("shlex.split of a stream"));
    };
    let posix = vm.truthy(&posix.unwrap_or(Value::Bool(true)))?;
    let comments = vm.truthy(&comments.unwrap_or_default())?;
    vm.charge_bytes(text.len())?;
    vm.charge(text.len() / 4)?;
    let mut lexer = Lexer { characters: text.chars(), state: State::Between, posix, comments };
    let mut words: Vec<Value> = Vec::new();
    while let Some(word) = lexer.token()? {
        vm.charge(1)?;
        words.push(Value::str(word));
    }
    Ok(Value::list(words))
}

/// Where in a text the lexer is: the states of CPython's `shlex.read_token`.
#[derive(Clone, Copy)]
enum State {
    End,
    Between,
    InWord,
    InQuotes(char),
    /// Behind a backslash, within quotes or not.
    Escaped(Option<char>),
}

struct Lexer<'a> {
    characters: std::str::Chars<'a>,
    state: State,
    posix: bool,
    comments: bool,
}

impl Lexer<'_> {
    /// The next word; `None` at the end.
    fn token(&mut self) -> PyResult<Option<String>> {
        let mut token = String::new();
        let mut quoted = false;
        loop {
            if matches!(self.state, State::End) {
                token.clear();
                break;
            }
            let next = self.characters.next();
            let Some(char) = next else {
                match self.state {
                    State::InQuotes(_) => return Err(value_error("No closing quotation")),
                    State::Escaped(_) => return Err(value_error("No escaped character")),
                    _ => {}
                }
                self.state = State::End;
                break;
            };
            let is_space = matches!(char, ' ' | '\t' | '\r' | '\n');
            let is_quote = matches!(char, '\'' | '"');
            let emits = |token: &str| !token.is_empty() || self.posix && quoted;
            match self.state {
                State::End => break,
                State::Between | State::InWord if is_space => {
                    self.state = State::Between;
                    if emits(&token) {
                        break;
                    }
                }
                State::Between if char == '#' && self.comments => self.skip_line(),
                State::InWord if char == '#' && self.comments => {
                    let ends = emits(&token);
                    self.skip_line();
                    if self.posix {
                        self.state = State::Between;
                        if ends {
                            break;
                        }
                    }
                }
                State::Between | State::InWord if char == '\\' && self.posix => self.state = State::Escaped(None),
                State::Between | State::InWord if is_quote && self.posix => self.state = State::InQuotes(char),
                State::Between if is_quote => {
                    token = char.to_string();
                    self.state = State::InQuotes(char);
                }
                State::Between => {
                    token = char.to_string();
                    self.state = State::InWord;
                }
                State::InWord => token.push(char),
                State::InQuotes(quote) => {
                    quoted = true;
                    if char == quote && !self.posix {
                        token.push(char);
                        self.state = State::Between;
                        break;
                    }
                    if char == quote {
                        self.state = State::InWord;
                    } else if char == '\\' && quote == '"' && self.posix {
                        self.state = State::Escaped(Some(quote));
                    } else {
                        token.push(char);
                    }
                }
                State::Escaped(quote) => {
                    // Within double quotes only a quote and a backslash are escaped.
                    if quote.is_some_and(|quote| char != '\\' && char != quote) {
                        token.push('\\');
                    }
                    token.push(char);
                    self.state = quote.map_or(State::InWord, State::InQuotes);
                }
            }
        }
        let nothing = token.is_empty() && !(self.posix && quoted);
        Ok((!nothing).then_some(token))
    }

    fn skip_line(&mut self) {
        self.characters.by_ref().find(|char| *char == '\n');
    }
}
