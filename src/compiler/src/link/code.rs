//! Code texts: compiled, with their problems reported at their place in the config.

use tpv_bytecode::{CodeKind, CodeRef};
use tpv_runtime::artifact::tables::ValueRow;

use tpv_config::Config;
use tpv_config::origin::TextOrigin;
use tpv_front::error::{ErrorKind, PythonError};
use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::Span;
use tpv_yaml::value::Text;

use super::Linker;
use tpv_text::code::Code;

impl Linker<'_> {
    /// Compiles what TPV compiles when it loads the files, overridden or not: an error in it is an error of the config.
    pub(super) fn check_loaded_code(&mut self, config: &Config) {
        for code in &config.checks {
            if is_plain(&code.text, code.kind) {
                continue;
            }
            if let Err(errors) = self.program.compile(code.text.as_str(), code.kind) {
                for error in errors {
                    self.python_error(&code.text, code.property, code.kind, &error, true);
                }
            }
        }
    }

    /// A string of the config that is evaluated as `kind`.
    pub(super) fn code(&mut self, text: &Text, kind: CodeKind, property: &'static str) -> ValueRow {
        let id = self.strings.id(text.as_str());
        let site = self.site(text);
        if is_plain(text, kind) {
            return ValueRow::Code(id, CodeRef { code: CodeRef::PLAIN, site });
        }
        let (root, errors) = self.program.compile_lenient(text.as_str(), kind);
        if self.reported.insert(text.span, ()).is_none() {
            for error in &errors {
                self.python_error(text, property, kind, error, false);
            }
            self.report_newer(text, root);
        }
        ValueRow::Code(id, CodeRef { code: root, site })
    }

    fn python_error(&mut self, text: &Text, property: &str, kind: CodeKind, error: &PythonError, at_load: bool) {
        if at_load && self.reported.insert(text.span, ()).is_some() {
            return;
        }
        let (line, column) = (error.line as usize, error.column as usize);
        let span = TextOrigin::new(text, self.sources).place(line, column);
        let what = match kind {
            CodeKind::Block => "code block",
            CodeKind::Exec | CodeKind::Function => "code",
            CodeKind::FString => "f-string",
        };
        let message = match error.kind {
            ErrorKind::AssertionError => "the last statement is not an expression".to_owned(),
            ErrorKind::IndexError => "there is no code".to_owned(),
            _ => error.message.clone(),
        };
        let diagnostic = Diagnostic::error(format!("the {what} of `{property}` is not valid Python: {message}"))
            .at(span, message)
            .help(help(text, property, error, kind))
            .raises(error.kind.name(), error.message.clone());
        if at_load {
            self.diagnostics.push(diagnostic);
        } else {
            let mut warning =
                diagnostic.code(Code::AlwaysRaises).note("TPV loads this, and every job that reaches it fails");
            warning.severity = tpv_text::diagnostic::Severity::Warning;
            self.warn(warning);
        }
    }

    /// Warns of an f-string that only later versions of Python read.
    fn report_newer(&mut self, text: &Text, root: u32) {
        let Some(newer) = self.program.newer(root).cloned() else { return };
        let span = TextOrigin::new(text, self.sources).place(newer.line as usize, newer.column as usize);
        self.warn(python_3_12(span, &newer));
    }
}

/// The warning of an f-string that only later versions of Python read; `newer` is what 3.11 says.
pub(crate) fn python_3_12(span: Span, newer: &PythonError) -> Diagnostic {
    Diagnostic::warning("this f-string needs Python 3.12 or later")
        .code(Code::NewFString)
        .at(span, format!("Python 3.11: {}", newer.message))
        .note("where TPV runs on an earlier Python, it refuses this")
        .help("use other quotes inside of fields, and keep backslashes and comments out of them")
}

fn help(text: &Text, property: &str, error: &PythonError, kind: CodeKind) -> String {
    if !error.help.is_empty() {
        return error.help.clone();
    }
    if kind != CodeKind::FString
        && let Some(help) = other_languages(text.as_str(), property, error)
    {
        return help;
    }
    match kind {
        CodeKind::FString => {
            "write text with Python expressions in `{...}`; double a brace that is meant literally".to_owned()
        }
        CodeKind::Block | CodeKind::Exec | CodeKind::Function => "write it as Python would read it".to_owned(),
    }
}

/// Help for operators of other languages, and for numbers with units.
fn other_languages(text: &str, property: &str, error: &PythonError) -> Option<String> {
    let number = text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    if number.len() < text.trim().len() && number.parse::<f64>().is_ok() {
        let unit = if property.contains("mem") { ", which is in GiB" } else { "" };
        return Some(format!("write the number alone{unit}: `{property}: {number}`"));
    }
    let line = text.lines().nth((error.line as usize).checked_sub(1)?)?;
    if let Some(number) = number_with_unit(line, (error.column as usize).saturating_sub(1)) {
        return Some(format!("write the number alone, `{number}`: sizes and memories are in GiB"));
    }
    // CPython points at the operator, or at what follows it.
    let before: String = line.chars().take(error.column as usize + 1).collect();
    let after: String = line.chars().skip((error.column as usize).saturating_sub(1)).collect();
    [("&&", "and"), ("||", "or"), ("!", "not")]
        .into_iter()
        .find(|(other, _)| after.starts_with(other) || before.trim_end().ends_with(other))
        .map(|(other, own)| format!("write `{own}` in place of `{other}`"))
}

/// The number of a text such as `10GB` around a place.
fn number_with_unit(line: &str, at: usize) -> Option<String> {
    let is_part = |c: &char| c.is_ascii_alphanumeric() || *c == '.';
    let before: Vec<char> = line.chars().take(at).collect();
    let start: String = before.iter().rev().take_while(|c| is_part(c)).collect();
    let word: String = start.chars().rev().chain(line.chars().skip(at).take_while(is_part)).collect();
    let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = word.get(number.len()..)?.to_ascii_lowercase();
    let is_unit = matches!(unit.trim_end_matches('b').trim_end_matches('i'), "k" | "m" | "g" | "t");
    (is_unit && number.parse::<f64>().is_ok()).then(|| number.to_owned())
}

/// Returns `true` if a text is an f-string that evaluates to itself.
fn is_plain(text: &Text, kind: CodeKind) -> bool {
    kind == CodeKind::FString && CodeRef::is_plain_fstring(text.as_str())
}
