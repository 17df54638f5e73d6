//! Compiling: configs to rules, and what is wrong with them.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use tpv_analysis::rule_texts::RuleTexts;
use tpv_compiler::{CompileOptions, Compiled, python};
use tpv_config::{ConfigTexts, Input};
use tpv_model::{Asked, UnknownVersion, Version};
use tpv_runtime::artifact::Rules;
use tpv_text::code::Code;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Severity};
use tpv_text::render::Render;
use tpv_text::source::{self, Limits, SourceMap, redacted};

use crate::lock::PyLock;

create_exception!(
    tpvc,
    CompileError,
    PyValueError,
    "A config that does not compile. `diagnostics` lists what is wrong, `text` shows it with excerpts."
);

/// One problem of a config: what is wrong, where, and what to write.
#[pyclass(name = "Diagnostic", module = "tpvc", frozen, get_all)]
pub struct PyDiagnostic {
    /// The short name of the kind of problem, such as `T104`, if it has one.
    code: Option<&'static str>,
    /// `error` or `warning`
    severity: &'static str,
    /// The message.
    message: String,
    /// The file as it was named.
    file: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1, in characters.
    column: Option<usize>,
    /// The text to write instead.
    help: Option<String>,
    /// The exception that TPV raises for it: class name and message.
    raises: Option<(&'static str, String)>,
    /// The config that could not be read, as it was named: not for messages, since a URL may have secrets.
    unread: Option<String>,
}

#[pymethods]
impl PyDiagnostic {
    fn __str__(&self) -> String {
        let mut text = String::new();
        if let Some(file) = &self.file {
            text.push_str(file);
            for number in [self.line, self.column].into_iter().flatten() {
                text.push_str(&format!(":{number}"));
            }
            text.push_str(": ");
        }
        text.push_str(self.severity);
        if let Some(code) = self.code {
            text.push_str(&format!("[{code}]"));
        }
        text.push_str(": ");
        text.push_str(&self.message);
        text
    }

    fn __repr__(&self) -> String {
        format!("<tpvc.Diagnostic {}>", self.__str__())
    }
}

impl PyDiagnostic {
    fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let place = diagnostic.primary.as_ref().and_then(|label| {
            let source = sources.get(label.span.source)?;
            Some((source.name.to_string(), source.place(label.span.start)))
        });
        let (file, place) = place.unzip();
        Self {
            code: diagnostic.code.map(Code::as_str),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message.clone(),
            file,
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            help: diagnostic.help.clone(),
            raises: diagnostic.raises.as_ref().map(|raises| (raises.class, raises.message.clone())),
            unread: diagnostic.unread.clone(),
        }
    }
}

fn listed(py: Python<'_>, diagnostics: &Diagnostics, sources: &SourceMap) -> PyResult<Vec<Py<PyDiagnostic>>> {
    diagnostics.iter().map(|diagnostic| Py::new(py, PyDiagnostic::new(diagnostic, sources))).collect()
}

/// Compiled rules.
#[pyclass(name = "Rules", module = "tpvc", frozen)]
pub struct PyRules {
    pub(crate) rules: Arc<Rules>,
    /// The local files that they were compiled from, in the order given.
    files: Vec<PathBuf>,
    /// The URLs that they were compiled from, with the texts that were there.
    urls: Vec<(String, Arc<str>)>,
    warnings: Vec<Py<PyDiagnostic>>,
    /// The texts that they were compiled from, with their digest; `None` for an artifact.
    texts: Option<(RuleTexts, String)>,
}

#[pymethods]
impl PyRules {
    /// Loads an artifact that `tpvc compile` or `to_bytes` wrote: its bytes, or the path of its file.
    ///
    /// Raises `OSError` where the file cannot be read, and `ValueError` where it is not an artifact of this version.
    #[staticmethod]
    fn load(py: Python<'_>, artifact: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (bytes, files) = match artifact.cast::<PyBytes>() {
            Ok(bytes) => (bytes.as_bytes().to_vec(), Vec::new()),
            Err(_) => {
                let path: PathBuf =
                    artifact.extract().map_err(|_| PyTypeError::new_err("an artifact is bytes or a path"))?;
                (py.detach(|| read(&path))?, vec![path])
            }
        };
        let rules = py.detach(|| Rules::load(&bytes)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { rules: Arc::new(rules), files, urls: Vec::new(), warnings: Vec::new(), texts: None })
    }

    /// The artifact as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.rules.to_bytes().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The version of TPV whose answers the rules give, such as `3.2`.
    #[getter]
    fn tpv(&self) -> &'static str {
        self.rules.tables().global.version.name()
    }

    /// The local files that the rules were made from.
    #[getter]
    fn files(&self) -> Vec<String> {
        self.files.iter().map(|file| file.to_string_lossy().into_owned()).collect()
    }

    /// The URLs that the rules were made from, each with the text that it gave.
    #[getter]
    fn urls(&self) -> Vec<(String, String)> {
        self.urls.iter().map(|(url, text)| (url.clone(), text.to_string())).collect()
    }

    /// The class and the options of `global.resource_pool_store`; `None` where the config does not have it.
    #[getter]
    fn pool_store<'py>(&self, py: Python<'py>) -> PyResult<Option<(String, Bound<'py, PyDict>)>> {
        crate::pools::configured(py, &self.rules)
    }

    /// The digest of the texts that the rules were compiled from; `None` for an artifact.
    #[getter]
    fn digest(&self) -> Option<&str> {
        self.texts.as_ref().map(|(_, digest)| digest.as_str())
    }

    /// These texts as `tpvc why` reads them: JSON.
    fn texts(&self) -> Option<String> {
        self.texts.as_ref().map(|(texts, _)| texts.json())
    }

    /// The warnings of the compilation.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> Vec<Py<PyDiagnostic>> {
        self.warnings.iter().map(|warning| warning.clone_ref(py)).collect()
    }
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> PyResult<Vec<u8>> {
    std::fs::read(path).map_err(|error| cannot_read(path, &error))
}

pub(crate) fn cannot_read(path: &Path, error: &std::io::Error) -> PyErr {
    os_error("read", path, error)
}

pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> PyErr {
    os_error("write", path, error)
}

fn os_error(what: &str, path: &Path, error: &std::io::Error) -> PyErr {
    match error.raw_os_error() {
        // Python makes the subclass of the number: `FileNotFoundError`.
        Some(number) => {
            let message = error.to_string();
            let message = message.rsplit_once(" (os error").map_or(message.as_str(), |(message, _)| message).to_owned();
            PyOSError::new_err((number, message, path.to_string_lossy().into_owned()))
        }
        None => PyOSError::new_err(format!("cannot {what} `{}`: {error}", path.display())),
    }
}

/// The URLs among the configs with their texts, which were read in the order of the configs.
fn fetched(inputs: &[Input], sources: &SourceMap) -> Vec<(String, Arc<str>)> {
    let mut texts = sources.iter();
    let urls = inputs.iter().filter_map(|input| match input {
        Input::Named(name) if is_url(name) => Some(name),
        _ => None,
    });
    urls.filter_map(|url| {
        let (_, source) = texts.find(|(_, source)| *source.name == *redacted(url))?;
        Some((url.clone(), source.text.clone()))
    })
    .collect()
}

/// The version whose answers tpvc gives for a release of TPV, such as `3.2` for `3.2.1`, and what differs from the release if anything does; `None` if
/// no version answers for it.
#[pyfunction]
pub fn known_tpv(version: &str) -> Option<(&'static str, Option<String>)> {
    let asked: Asked = version.parse().ok()?;
    Some((asked.version.name(), asked.differs()))
}

/// Returns `true` if a config of this name is fetched rather than opened.
#[pyfunction]
pub fn is_url(name: &str) -> bool {
    source::is_url(name)
}

/// A URL without its secrets, as messages and `tpvc.lock` name it.
#[pyfunction]
pub fn shown_url(url: &str) -> String {
    redacted(url).into_owned()
}

/// Limits for URLs that may take so many seconds.
fn limits_of(seconds: f64) -> PyResult<Limits> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    let time = time
        .ok_or_else(|| PyValueError::new_err(format!("`url_timeout` is a number of seconds above 0, not {seconds}")))?;
    Ok(Limits { time, ..Limits::default() })
}

/// Compiles configs, merged in the order given, later over earlier: each a path or URL, or the name and the YAML text of an
/// inline config. `tpv` is the version of TPV whose answers the rules give: `3.2`, or a patch release of it; the newest if not given.
/// `url_timeout` is the number of seconds that a URL may take. The texts of URLs that `lock` has are not fetched.
///
/// Raises `CompileError` with all that is wrong, and `ValueError` for a version that is not known.
#[pyfunction]
#[pyo3(signature = (sources, *, tpv=None, url_timeout=None, lock=None))]
pub fn compile(
    py: Python<'_>,
    sources: Vec<Bound<'_, PyAny>>,
    tpv: Option<&str>,
    url_timeout: Option<f64>,
    lock: Option<&PyLock>,
) -> PyResult<PyRules> {
    let mut options = CompileOptions::default();
    if let Some(seconds) = url_timeout {
        options.limits = limits_of(seconds)?;
    }
    let asked = tpv.map_or(Ok(Version::default().into()), str::parse);
    let asked: Asked = asked.map_err(|unknown: UnknownVersion| {
        PyValueError::new_err(format!("{unknown}, not {:?}", tpv.unwrap_or_default()))
    })?;
    if let Some(differs) = asked.differs() {
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(differs)?, 1)?;
    }
    let locked = lock.map_or_else(SourceMap::new, |lock| SourceMap::filling(Arc::new(lock.remotes())));
    let mut texts = ConfigTexts { sources: locked, version: asked.version };
    let mut inputs = Vec::with_capacity(sources.len());
    let mut files = Vec::new();
    for source in &sources {
        if let Ok(inline) = source.cast::<PyTuple>() {
            let (name, text): (String, String) = inline
                .extract()
                .map_err(|_| PyTypeError::new_err("an inline config is its name and its YAML text, both strings"))?;
            inputs.push(Input::Text(texts.sources.add(&name, &text)));
            continue;
        }
        let path: PathBuf = source.extract().map_err(|_| {
            PyTypeError::new_err(
                "a config is a path, a URL, or a tuple of the name and the YAML text of an inline config",
            )
        })?;
        let name = path.to_str().ok_or_else(|| PyValueError::new_err("the path of a config is not UTF-8"))?.to_owned();
        if !is_url(&name) {
            files.push(path);
        }
        inputs.push(Input::Named(name));
    }
    let compile = || tpv_compiler::compile_inputs(&inputs, texts, &options);
    let compiled = py.detach(|| python::stack::on_roomy_thread(compile));
    let Some(compiled) = compiled else {
        return Err(PyOSError::new_err("no thread could be made to compile on"));
    };
    let Compiled { rules, diagnostics, sources, .. } = compiled;
    match rules {
        Some(rules) => {
            let urls = fetched(&inputs, &sources);
            let texts = RuleTexts::of(&inputs, &sources, rules.tables().global.version);
            let texts = texts.map(|texts| (texts.digest(), texts)).map(|(digest, texts)| (texts, digest));
            let warnings = listed(py, &diagnostics, &sources)?;
            Ok(PyRules { rules: Arc::new(rules), files, urls, warnings, texts })
        }
        None => Err(compile_error(py, &diagnostics, &sources)?),
    }
}

/// The exception for configs that do not compile.
pub(crate) fn compile_error(py: Python<'_>, diagnostics: &Diagnostics, sources: &SourceMap) -> PyResult<PyErr> {
    let text = diagnostics.render(sources, false).trim_end().to_owned();
    let error = CompileError::new_err(text.clone());
    let value = error.value(py);
    value.setattr("diagnostics", listed(py, diagnostics, sources)?)?;
    value.setattr("text", text)?;
    Ok(error)
}
