//! Binds the arguments of a call to the parameters of a function, with CPython's messages.

use super::Vm;
use crate::args::{Args, names_in_quotes};
use crate::dict::{Dict, Key, Table};
use crate::exception::{PyResult, Raised, type_error};
use crate::function::Function;
use crate::string::Str;
use crate::value::Value;
use tpv_bytecode::{Code, ProgramData};

/// `__qualname__`: with the functions around it. Searched in the program, since only messages need it.
pub(crate) fn qualified_name(function: &Function) -> String {
    qualified(&function.name, &function.program.data, function.code)
}

/// The qualified name of a function of this name and code.
pub fn qualified(name: &str, data: &ProgramData, code: u32) -> String {
    let mut name = name.to_owned();
    let mut index = code;
    // As many steps as there are codes: a program read from a file might name itself.
    for _ in 0..data.codes.len() {
        let Some((outer, code)) = enclosing(data, index) else { break };
        if code.root == outer {
            break;
        }
        let around = data.strings.get(code.name as usize).map_or("", String::as_str);
        // A comprehension is code of its own, but no function.
        let is_comprehension = matches!(around, "<listcomp>" | "<setcomp>" | "<dictcomp>" | "<genexpr>");
        name = format!("{around}.{}{name}", if is_comprehension { "" } else { "<locals>." });
        index = outer;
    }
    name
}

/// The code that makes functions of the code `index`.
fn enclosing(data: &ProgramData, index: u32) -> Option<(u32, &Code)> {
    let makes = |code: &&Code| code.instrs.iter().any(|instr| instr.inner_code() == Some(index));
    let position = data.codes.iter().position(|code| makes(&code))?;
    Some((u32::try_from(position).ok()?, data.codes.get(position)?))
}

struct Binder<'a> {
    function: &'a Function,
    code: &'a Code,
}

impl Binder<'_> {
    fn parameter(&self, index: usize) -> Str {
        self.function.program.string(self.code.locals.get(index).copied().unwrap_or(u32::MAX))
    }

    fn error(&self, text: &str) -> Raised {
        type_error(format!("{}() {text}", qualified_name(self.function)))
    }

    /// The index of the parameter `name` among those from `from` to `to`.
    fn find(&self, name: &str, from: usize, to: usize) -> Option<usize> {
        let strings = &self.function.program.data.strings;
        let is_it = |index: &u32| strings.get(*index as usize).is_some_and(|text| text == name);
        let parameters = self.code.locals.get(from..to)?;
        parameters.iter().position(is_it).map(|index| index + from)
    }

    fn too_many(&self, given: usize, positional: usize, keyword_only_given: usize) -> Raised {
        let defaults = self.function.defaults.len();
        let (takes, plural) = if defaults > 0 {
            (format!("from {} to {positional}", positional.saturating_sub(defaults)), positional != 1)
        } else {
            (positional.to_string(), positional != 1)
        };
        let plural = if plural { "s" } else { "" };
        let extra = if keyword_only_given > 0 {
            let given_plural = if given == 1 { "" } else { "s" };
            let keyword_plural = if keyword_only_given == 1 { "" } else { "s" };
            format!(
                " positional argument{given_plural} (and {keyword_only_given} keyword-only argument{keyword_plural})"
            )
        } else {
            String::new()
        };
        let verb = if given == 1 && keyword_only_given == 0 { "was" } else { "were" };
        self.error(&format!("takes {takes} positional argument{plural} but {given}{extra} {verb} given"))
    }

    fn missing(&self, names: &[Str], kind: &str) -> Raised {
        let plural = if names.len() == 1 { "" } else { "s" };
        let list: Vec<&str> = names.iter().map(Str::as_str).collect();
        self.error(&format!("missing {} required {kind} argument{plural}: {}", names.len(), names_in_quotes(&list)))
    }

    /// The positional-only parameters that were given by keyword, or else the unknown keyword.
    fn unexpected(&self, keyword: &Str, keywords: &[Str], positional_only: usize) -> Raised {
        let wrong: Vec<&str> =
            keywords.iter().map(Str::as_str).filter(|name| self.find(name, 0, positional_only).is_some()).collect();
        if wrong.is_empty() {
            return self.error(&format!("got an unexpected keyword argument '{}'", keyword.as_str()));
        }
        self.error(&format!("got some positional-only arguments passed as keyword arguments: '{}'", wrong.join(", ")))
    }
}

impl Vm {
    /// Fills the local variables of a frame with the arguments of a call.
    ///
    /// # Errors
    /// `TypeError` with CPython's text where they do not fit the parameters.
    #[inline(never)]
    pub(super) fn bind_arguments(
        &mut self,
        function: &Function,
        code: &Code,
        locals: &mut Vec<Option<Value>>,
        args: Args,
    ) -> PyResult<()> {
        let binder = Binder { function, code };
        let parameters = &code.parameters;
        let positional_only = parameters.positional_only as usize;
        let positional = positional_only + parameters.positional as usize;
        let named = positional + parameters.keyword_only as usize;
        let given = args.pos.len();
        locals.resize(code.locals.len().max(named + 2), None);

        let mut values = args.pos.into_iter();
        for (slot, value) in locals.iter_mut().zip(values.by_ref().take(positional)) {
            *slot = Some(value);
        }
        if parameters.var_positional {
            let rest: Vec<Value> = values.collect();
            self.charge(rest.len())?;
            if let Some(slot) = locals.get_mut(named) {
                *slot = Some(Value::tuple(rest));
            }
        }

        let mut others = Table::default();
        let keywords: Vec<Str> =
            if args.kw.is_empty() { Vec::new() } else { args.kw.iter().map(|(name, _)| name.clone()).collect() };
        for (name, value) in args.kw {
            match binder.find(&name, positional_only, named) {
                Some(index) => {
                    let Some(slot) = locals.get_mut(index) else { continue };
                    if slot.is_some() {
                        return Err(binder.error(&format!("got multiple values for argument '{}'", name.as_str())));
                    }
                    *slot = Some(value);
                }
                None if parameters.var_keyword => {
                    others.insert(Key::str(name), value);
                }
                None => return Err(binder.unexpected(&name, &keywords, positional_only)),
            }
        }
        if parameters.var_keyword
            && let Some(slot) = locals.get_mut(named + usize::from(parameters.var_positional))
        {
            *slot = Some(Value::dict(Dict::from_table(others)));
        }

        let is_unset = |locals: &[Option<Value>], index: usize| matches!(locals.get(index), Some(None));
        if given > positional && !parameters.var_positional {
            let keyword_only_given = (positional..named).filter(|index| !is_unset(locals, *index)).count();
            return Err(binder.too_many(given, positional, keyword_only_given));
        }
        if given < positional {
            let first_default = positional.saturating_sub(function.defaults.len());
            let missing: Vec<Str> = (0..first_default)
                .filter(|index| is_unset(locals, *index))
                .map(|index| binder.parameter(index))
                .collect();
            if !missing.is_empty() {
                return Err(binder.missing(&missing, "positional"));
            }
            for (slot, value) in locals.iter_mut().take(positional).skip(first_default).zip(&function.defaults) {
                if slot.is_none() {
                    *slot = Some(value.clone());
                }
            }
        }
        let mut missing = Vec::new();
        for index in positional..named {
            if !is_unset(locals, index) {
                continue;
            }
            let name = binder.parameter(index);
            match function.keyword_defaults.iter().find(|(other, _)| *other == name) {
                Some((_, value)) => {
                    if let Some(slot) = locals.get_mut(index) {
                        *slot = Some(value.clone());
                    }
                }
                None => missing.push(name),
            }
        }
        if !missing.is_empty() {
            return Err(binder.missing(&missing, "keyword-only"));
        }
        locals.truncate(code.locals.len());
        Ok(())
    }
}
