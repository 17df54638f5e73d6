//! Jinja templates, as Ansible fills them in: what a template gives with a site's variables is what TPV will read.
//!
//! A file whose name ends in `.j2` is a template; where variables are given, every file on disk is. What is fetched never is. Places in what a
//! template gives are led back to the template (`crate::source::filled`).

mod cost;
mod filters;
mod header;
mod nesting;
mod variables;

use std::collections::HashSet;
use std::path::PathBuf;

use minijinja::{Environment, ErrorKind, OutputSpanKind, UndefinedBehavior, Value, escape_formatter};

use crate::diagnostic::Problem;
use crate::source::{Fill, Filled, Part, Unfilled, is_url};
use header::Header;
use nesting::Guarded;
use variables::Variables;

/// The steps that a template may take. One pays for a tag or an operator, or for 64 bytes of text.
const FUEL: u64 = 1_000_000;

/// Fills in templates.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
    variables: Variables,
}

impl Templates {
    /// Templates with the variables of these files, YAML or JSON, later over earlier.
    ///
    /// # Errors
    /// The fault of the first file that cannot be read.
    pub fn new(files: &[PathBuf]) -> Result<Self, Problem> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_debug(true);
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_unknown_method_callback(cost::method);
        // As Python prints them.
        environment.set_formatter(|out, state, value| match value.kind() {
            minijinja::value::ValueKind::Bool => Ok(out.write_str(if value.is_true() { "True" } else { "False" })?),
            minijinja::value::ValueKind::None => Ok(out.write_str("None")?),
            _ => escape_formatter(out, state, value),
        });
        filters::add(&mut environment);
        nesting::add(&mut environment);
        Ok(Self { environment, variables: Variables::read(files)? })
    }

    fn is_template(&self, name: &str) -> bool {
        !is_url(name) && (is_named_as_template(name) || self.variables.are_given())
    }

    fn filled(&self, text: &str) -> Result<Filled, Box<Unfilled>> {
        let header = Header::of(text)?;
        let body = text.get(header.length..).unwrap_or("");
        let mut environment = self.environment.clone();
        let mut syntax = minijinja::syntax::SyntaxConfig::builder();
        syntax.trim_blocks(header.trim_blocks).lstrip_blocks(header.lstrip_blocks).keep_trailing_newline(true);
        let syntax = syntax.build().map_err(|error| {
            let (message, help) = self.words(&error, "");
            Box::new(Unfilled { message, at: None, help, notes: Vec::new() })
        })?;
        let guarded = Guarded::new(body, &syntax);
        let unfilled = |error: &minijinja::Error| self.unfilled(error, body, &guarded, &header);
        environment.set_syntax(syntax);
        let template = environment.template_from_str(&guarded.text).map_err(|error| unfilled(&error))?;
        let names = template.undeclared_variables(false);
        let context = self.variables.resolve(&environment, &names)?;
        let (text, spans) = template.render_with_spans(context).map_err(|error| {
            let mut unfilled = unfilled(&error);
            if error.kind() == ErrorKind::UndefinedError {
                unfilled.notes.extend(self.missing(&environment, &names));
            }
            unfilled
        })?;
        let parts = spans.iter().map(|span| Part {
            filled: span.output_range(),
            written: header.place(guarded.original(span.source_range())),
            is_verbatim: span.kind() == OutputSpanKind::Raw,
        });
        Ok(Filled { parts: parts.collect(), text })
    }

    /// A note with all names of a template that are no variables, so that nobody has to find them one by one. `None` for a single one.
    fn missing(&self, environment: &Environment<'_>, names: &HashSet<String>) -> Option<String> {
        let is_global = |name: &str| environment.globals().any(|(global, _)| global == name);
        let mut missing: Vec<&str> = names.iter().map(String::as_str).collect();
        missing.retain(|name| !self.variables.has(name) && !is_global(name));
        missing.sort_unstable();
        let all = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        (missing.len() > 1)
            .then(|| format!("the template uses {} names that no file of `--vars` has: {all}", missing.len()))
    }

    /// The error in the user's words.
    fn unfilled(&self, error: &minijinja::Error, body: &str, guarded: &Guarded, header: &Header) -> Box<Unfilled> {
        let at = error.range().filter(|_| error.template_source().is_none_or(|source| source == guarded.text));
        let at = at.map(|range| guarded.original(range));
        let code = at.clone().and_then(|range| body.get(range)).unwrap_or("").trim();
        let (message, help) = self.words(error, code);
        let at = at.map(|range| header.place(range));
        Box::new(Unfilled { message, at, help, notes: Vec::new() })
    }

    fn words(&self, error: &minijinja::Error, code: &str) -> (String, String) {
        let detail = error.detail().unwrap_or("").trim_end_matches('.');
        let unknown = |what: &str, known: &str| {
            // `filter x is unknown`, `x is unknown`
            let name = detail.strip_suffix(" is unknown").and_then(|name| name.rsplit(' ').next()).unwrap_or(code);
            (format!("tpvc does not have the {what} `{name}`"), known.to_owned())
        };
        match error.kind() {
            ErrorKind::UndefinedError => {
                let near = self.variables.near(code);
                let help = near.map_or_else(
                    || "give it in a file of `--vars`, or write `| default(...)` behind it".to_owned(),
                    crate::config::suggest::did_you_mean,
                );
                (format!("`{}` is not among the variables", if code.is_empty() { detail } else { code }), help)
            }
            ErrorKind::UnknownFilter => unknown("filter", filters::HELP),
            ErrorKind::UnknownTest => unknown("test", "use one of Jinja's own tests"),
            ErrorKind::UnknownFunction => unknown("function", "put its result in a file for `--vars` as a variable"),
            ErrorKind::OutOfFuel => {
                (format!("the template takes more than {} steps", FUEL), "check its loops".to_owned())
            }
            ErrorKind::SyntaxError => {
                (format!("the template is not Jinja: {detail}"), "check its braces and tags".to_owned())
            }
            kind => {
                let what = kind.to_string();
                let message = if detail.is_empty() { what } else { format!("{what}: {detail}") };
                (format!("the template cannot be filled in: {message}"), "check the variables that it uses".to_owned())
            }
        }
    }
}

/// Returns `true` if a file is a template by its name.
pub fn is_named_as_template(name: &str) -> bool {
    name.ends_with(".j2")
}

impl Fill for Templates {
    fn fill(&self, name: &str, text: &str) -> Option<Result<Filled, Box<Unfilled>>> {
        self.is_template(name).then(|| self.filled(text))
    }
}

/// A value as JSON has it: what filters write.
fn to_json(value: &Value) -> Result<serde_json::Value, minijinja::Error> {
    serde_json::to_value(value).map_err(|error| {
        minijinja::Error::new(ErrorKind::BadSerialization, "the value isn't plain data").with_source(error)
    })
}
