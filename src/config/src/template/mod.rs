//! Jinja templates, as Ansible fills them in: what a template gives with a site's variables is what TPV will read.
//!
//! A file whose name ends in `.j2` is a template; where variables are given, every file on disk is, unless the site lists its templates. What is
//! fetched never is. Places in what a template gives are led back to the template (`tpv_text::source::filled`).

mod cost;
mod files;
mod filters;
mod header;
mod nesting;
mod parts;
mod placeholder;
mod remotes;
mod resolve;
mod site;
mod variables;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::{Environment, ErrorKind, OutputSpanKind, UndefinedBehavior, Value, escape_formatter};

use files::Files;
use header::Header;
use nesting::Guarded;
pub use placeholder::{PLACEHOLDER, Why, variables_in};
use placeholder::{Recorder, Used};
pub use remotes::{Instead, Remotes};
use resolve::{Resolved, resolve};
pub use site::{Site, fits};
use tpv_text::diagnostic::{Diagnostic, Problem};
use tpv_text::source::{Fill, Filled, Limits, Part, SourceError, SourceMap, Unfilled, is_url};
use variables::Variables;
pub use variables::{VAULT, as_ansible_reads, variable_files};

/// The engine's name of the template that is filled in, in contrast to those that it includes.
const MAIN: &str = "<template>";

/// The most templates that one includes and imports.
const MOST_INCLUDED: usize = 100;

/// The steps that a template may take. One pays for a tag or an operator, or for 64 bytes of text.
const FUEL: u64 = 1_000_000;

/// Names that TPV gives to code. In a template they are no variables that may have no value: TPV's braces were written twice.
const OF_TPV: [&str; 8] = ["entity", "tool", "job", "user", "app", "mapper", "helpers", "input_size"];

/// The help for one of them.
fn of_tpv(name: &str) -> String {
    format!("`{name}` is a name of TPV, whose code has single braces: `{{{name}...}}`; double ones are Jinja's")
}

/// Fills in templates.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
    site: Site,
    variables: Variables,
    stood_in: Mutex<BTreeMap<String, StoodIn>>,
    /// The files that templates read.
    read: Arc<Mutex<BTreeSet<PathBuf>>>,
}

/// A variable without a value, for which a placeholder stood in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoodIn {
    /// The reason that there is no value.
    pub why: Why,
    /// The first use in each template: its file, and the line, from 1, unless only another variable names it.
    pub places: Vec<(String, Option<usize>)>,
}

impl Templates {
    /// The templates of a site.
    ///
    /// # Errors
    /// The fault of the first file of variables that cannot be read.
    pub fn new(site: Site) -> Result<Self, Problem> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_debug(true);
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_unknown_method_callback(cost::method);
        // As Python prints them, but for `None`, of which Ansible prints nothing.
        environment.set_formatter(|out, state, value| match value.kind() {
            minijinja::value::ValueKind::Bool => Ok(out.write_str(if value.is_true() { "True" } else { "False" })?),
            minijinja::value::ValueKind::None => Ok(()),
            _ => escape_formatter(out, state, value),
        });
        // As Ansible's default of `ansible_managed`.
        environment.add_global("ansible_managed", "Ansible managed");
        filters::add(&mut environment);
        nesting::add(&mut environment);
        placeholder::add(&mut environment);
        let variables = Variables::read(&site)?;
        Ok(Self { environment, site, variables, stood_in: Mutex::default(), read: Arc::default() })
    }

    /// The files that make a difference: those of variables, and those that templates read so far, each with and without links.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let mut files = self.read.lock().unwrap_or_else(PoisonError::into_inner).clone();
        files.extend(self.site.vars.iter().cloned());
        let real: Vec<PathBuf> = files.iter().filter_map(|path| path.canonicalize().ok()).collect();
        files.extend(real);
        files
    }

    /// The faults of files of variables that Ansible warns of, with the texts of these files.
    pub fn warnings(&self) -> (&[Diagnostic], &SourceMap) {
        self.variables.warnings()
    }

    /// The variables without a value that templates asked for so far.
    pub fn stood_in(&self) -> BTreeMap<String, StoodIn> {
        self.stood_in.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The copies of what URLs give.
    pub fn remotes(&self) -> &Remotes {
        &self.site.remotes
    }

    fn is_template(&self, name: &str) -> bool {
        let is_listed = || match &self.site.templates {
            Some(templates) => templates.iter().any(|pattern| fits(pattern, name)),
            None => self.variables.are_given(),
        };
        !is_url(name) && (is_named_as_template(name) || is_listed())
    }

    fn filled(&self, name: &str, text: &str) -> Result<Filled, Box<Unfilled>> {
        let recorder = Recorder::default();
        // Who asks for all names wants to know them.
        let may_stand = |pattern: &str, name: &str| pattern == "*" || !OF_TPV.contains(&name);
        let declared =
            |name: &str| self.site.placeholders.iter().any(|pattern| fits(pattern, name) && may_stand(pattern, name));
        let rendered = self.rendered(name, text, &declared, &recorder);
        let used = recorder.used();
        // Whatever else is wrong may be so because of these.
        let missing = used.iter().filter(|(_, why)| **why == Why::Undeclared).map(|(name, _)| name.as_str());
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            return Err(self.missing(&missing, text));
        }
        let filled = rendered?;
        self.record(name, text, &used);
        Ok(filled)
    }

    /// The error for variables that a template uses and no file has: at the first of them, with the names of all.
    fn missing(&self, names: &[&str], text: &str) -> Box<Unfilled> {
        let places = names.iter().map(|name| (first_use(name, text), *name));
        let (at, name) =
            places.min_by_key(|(at, _)| (at.is_none(), at.as_ref().map(|at| at.start))).unwrap_or_default();
        let help = match self.variables.near(name) {
            _ if OF_TPV.contains(&name) => of_tpv(name),
            Some(near) => tpv_text::suggest::did_you_mean(near),
            None => "give it in a file of `--vars`, list it under `placeholders` in tpvc.toml, or write `| default(...)` behind it".to_owned(),
        };
        let all = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let note = format!("the template uses {} names that no file of `--vars` has: {all}", names.len());
        let notes = if names.len() > 1 { vec![note] } else { Vec::new() };
        Box::new(Unfilled { message: format!("`{name}` is not among the variables"), at, help, notes })
    }

    /// Notes the use of placeholders in a template.
    fn record(&self, name: &str, text: &str, used: &Used) {
        let mut all = self.stood_in.lock().unwrap_or_else(PoisonError::into_inner);
        for (variable, why) in used {
            let known = all.entry(variable.clone()).or_insert_with(|| StoodIn { why: *why, places: Vec::new() });
            let line = first_use(variable, text)
                .and_then(|at| text.get(..at.start))
                .map(|before| 1 + before.matches('\n').count());
            let within = self.site.within.as_ref();
            let shown = within.and_then(|folder| Path::new(name).strip_prefix(folder).ok());
            let shown = shown.map_or_else(|| name.into(), |path| path.to_string_lossy());
            let place = (shown.into_owned(), line);
            if !known.places.contains(&place) {
                known.places.push(place);
            }
        }
    }

    fn rendered(
        &self,
        name: &str,
        text: &str,
        may_miss: &dyn Fn(&str) -> bool,
        recorder: &Recorder,
    ) -> Result<Filled, Box<Unfilled>> {
        let header = Header::of(text)?;
        let body = text.get(header.length..).unwrap_or("");
        let mut environment = self.environment.clone();
        let mut syntax = minijinja::syntax::SyntaxConfig::builder();
        syntax.trim_blocks(header.trim_blocks).lstrip_blocks(header.lstrip_blocks).keep_trailing_newline(true);
        let syntax = syntax.build().map_err(|error| {
            let (message, help) = self.words(&error, "");
            Box::new(Unfilled { message, at: None, help, notes: Vec::new() })
        })?;
        environment.set_syntax(syntax.clone());
        let files = Files::new(self.site.root.as_deref(), name, self.read.clone());
        files::add(&mut environment, &files);
        parts::add(&mut environment, recorder);
        let inheritance = files::named(body, &syntax).inheritance;
        if let Some((tag, range)) = inheritance {
            return Err(no_inheritance(tag, Some(header.place(range))));
        }
        let mut names = names(body, &mut environment, &files)?;
        let guarded = Guarded::new(body, &syntax);
        let failed = |error: &minijinja::Error, faults: &BTreeMap<String, Unfilled>| {
            let is_missing = error.kind() == ErrorKind::UndefinedError;
            let mut unfilled = self.unfilled(error, body, &guarded, &header);
            let code = unfilled.at.clone().and_then(|range| text.get(range)).unwrap_or("");
            if let Some(fault) = faults.get(resolve::root(code)).filter(|_| is_missing) {
                *unfilled = Unfilled { at: unfilled.at, ..fault.clone() };
            }
            unfilled
        };
        let template = environment.template_from_named_str(MAIN, &guarded.text);
        let template = template.map_err(|error| failed(&error, &BTreeMap::new()))?;
        names.extend(template.undeclared_variables(false));
        let Resolved { values, faults } = resolve(&self.variables, &environment, &names, may_miss, recorder);
        let rendered = template.render_with_spans(Value::from_pairs(values));
        let (text, spans) = rendered.map_err(|error| failed(&error, &faults))?;
        let mut last = 0;
        let parts = spans.iter().map(|span| {
            let filled = span.output_range();
            if span.name() != MAIN {
                return Part { filled, written: last..last, is_verbatim: false };
            }
            let written = header.place(guarded.original(span.source_range()));
            last = written.end;
            Part { filled, written, is_verbatim: span.kind() == OutputSpanKind::Raw }
        });
        Ok(Filled { parts: parts.collect(), text })
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
                    tpv_text::suggest::did_you_mean,
                );
                (format!("`{}` is not among the variables", if code.is_empty() { detail } else { code }), help)
            }
            ErrorKind::UnknownFilter => unknown("filter", filters::HELP),
            ErrorKind::UnknownTest => unknown("test", "use one of Jinja's own tests"),
            ErrorKind::TemplateNotFound => (
                format!("a template that it includes or imports is not there: {detail}"),
                "templates are looked for beside the template, and below the folder of tpvc.toml".to_owned(),
            ),
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

/// Loads the templates that a template includes or imports, and those that these do. Gives the variables that all of them use, but for those of
/// the template itself.
fn names(body: &str, environment: &mut Environment<'static>, files: &Files) -> Result<HashSet<String>, Box<Unfilled>> {
    let mut names = HashSet::new();
    let mut open = vec![body.to_owned()];
    let mut loaded = HashSet::new();
    while let Some(text) = open.pop() {
        let found = files::named(&text, environment.syntax());
        if let Some((tag, _)) = found.inheritance {
            return Err(no_inheritance(tag, None));
        }
        names.extend(found.variables);
        for name in found.templates {
            if loaded.len() >= MOST_INCLUDED || !loaded.insert(name.clone()) {
                continue;
            }
            // A name that gives no template is an error where it is used.
            let Ok(text) = files.read(&name) else { continue };
            let guarded = Guarded::new(&text, environment.syntax()).text;
            if environment.add_template_owned(name.clone(), guarded).is_ok()
                && let Ok(template) = environment.get_template(&name)
            {
                names.extend(template.undeclared_variables(false));
            }
            open.push(text);
        }
    }
    Ok(names)
}

/// The error for a template with `block` or `extends`.
fn no_inheritance(tag: &str, at: Option<Range<usize>>) -> Box<Unfilled> {
    Box::new(Unfilled {
        message: format!("templates with `{tag}` are not available"),
        at,
        help: "use `include`, or a macro and `import`".to_owned(),
        notes: Vec::new(),
    })
}

/// The bytes of a template that name a variable first.
fn first_use(variable: &str, text: &str) -> Option<Range<usize>> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let (at, _) = text.match_indices(variable).find(|(at, _)| {
        let before = text.get(..*at).unwrap_or("");
        let after = text.get(at + variable.len()..).unwrap_or("");
        // Not in the text between tags.
        let (begun, ended) = (before.rfind(['{']), before.rfind("}}").max(before.rfind("%}")));
        let is_in_tag = begun.is_some_and(|begun| ended.is_none_or(|ended| ended < begun));
        is_in_tag && !before.ends_with(|char| is_word(char) || char == '.') && !after.starts_with(is_word)
    })?;
    Some(at..at + variable.len())
}

/// Returns `true` if a file is a template by its name.
pub fn is_named_as_template(name: &str) -> bool {
    name.ends_with(".j2")
}

impl Fill for Templates {
    fn fill(&self, name: &str, text: &str) -> Option<Result<Filled, Box<Unfilled>>> {
        self.is_template(name).then(|| self.filled(name, text))
    }

    fn in_place_of(&self, url: &str, limits: &Limits) -> Option<Result<Vec<u8>, SourceError>> {
        self.site.remotes.in_place_of(url, limits)
    }
}

/// A value as JSON has it: what filters write.
fn to_json(value: &Value) -> Result<serde_json::Value, minijinja::Error> {
    serde_json::to_value(value).map_err(|error| {
        minijinja::Error::new(ErrorKind::BadSerialization, "the value isn't plain data").with_source(error)
    })
}
