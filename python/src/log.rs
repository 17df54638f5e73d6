//! Forwards log records of rules and of the mapper to Python's `logging`, under the logger of TPV's loader.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tpv_python::vm::LogLevel;
use tpv_runtime::mapper::Log;

const LOGGER: &str = "tpv.core.loader";

fn number(level: LogLevel) -> u8 {
    match level {
        LogLevel::Debug => 10,
        LogLevel::Info => 20,
        LogLevel::Warning => 30,
        LogLevel::Error => 40,
        LogLevel::Critical => 50,
    }
}

fn logger(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static FOUND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = FOUND
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("logging")?.call_method1("getLogger", (LOGGER,))?.unbind()))?;
    Ok(found.bind(py))
}

/// The least level that somebody reads, as the loggers are set now.
///
/// # Errors
/// Exceptions raised by `logging`.
pub fn level(py: Python<'_>) -> PyResult<LogLevel> {
    let effective: i64 = logger(py)?.call_method0("getEffectiveLevel")?.extract()?;
    let levels = [LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error];
    Ok(levels.into_iter().find(|level| i64::from(number(*level)) >= effective).unwrap_or(LogLevel::Critical))
}

/// Hands messages to the logger.
pub fn log() -> Log {
    Arc::new(|level, message| {
        Python::attach(|py| {
            let logged = logger(py).and_then(|logger| logger.call_method1("log", (number(level), "%s", message)));
            if let Err(error) = logged {
                // As `logging` does where a handler fails: the job goes on.
                error.write_unraisable(py, None);
            }
        });
    })
}
