//! Dates, times, durations and fixed zones, exact to the microsecond.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use tpv_python::modules::datetime::{Exact, ExactZone};
use tpv_python::value::Value;

/// Python's classes.
struct Classes {
    date: Py<PyAny>,
    datetime: Py<PyAny>,
    timedelta: Py<PyAny>,
    timezone: Py<PyAny>,
}

fn classes(py: Python<'_>) -> PyResult<&Classes> {
    static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let module = py.import("datetime")?;
        let class = |name| module.getattr(name).map(Bound::unbind);
        Ok(Classes {
            date: class("date")?,
            datetime: class("datetime")?,
            timedelta: class("timedelta")?,
            timezone: class("timezone")?,
        })
    })
}

const DAY: i128 = 86_400_000_000;

/// The day 1970-01-01 as Python counts days.
const EPOCH_ORDINAL: i64 = 719_163;

/// Converts an instance of a `datetime` class (not of a subclass). `None` for all other objects, and for values without a native
/// form: zones other than `timezone`, and datetimes with `fold=1`.
///
/// # Errors
/// Exceptions raised by the classes.
pub fn to_native(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    let classes = classes(py)?;
    let class = object.get_type();
    let exact = if class.is(classes.datetime.bind(py)) {
        if object.getattr("fold")?.is_truthy()? {
            return Ok(None);
        }
        let zone = object.getattr("tzinfo")?;
        let zone = if zone.is_none() {
            None
        } else if zone.get_type().is(classes.timezone.bind(py)) {
            Some(zone_of(&zone)?)
        } else {
            return Ok(None);
        };
        let part = |name| -> PyResult<i128> { object.getattr(name)?.extract() };
        let of_day = ((part("hour")? * 60 + part("minute")?) * 60 + part("second")?) * 1_000_000 + part("microsecond")?;
        Exact::DateTime(days(object)? * DAY + of_day, zone)
    } else if class.is(classes.date.bind(py)) {
        Exact::Date(i64::try_from(days(object)?).unwrap_or_default())
    } else if class.is(classes.timedelta.bind(py)) {
        Exact::Delta(microseconds(object)?)
    } else if class.is(classes.timezone.bind(py)) {
        Exact::Zone(zone_of(object)?)
    } else {
        return Ok(None);
    };
    Ok(exact.into_value().ok())
}

/// The days since 1970.
fn days(date: &Bound<'_, PyAny>) -> PyResult<i128> {
    let ordinal: i64 = date.call_method0("toordinal")?.extract()?;
    Ok(i128::from(ordinal - EPOCH_ORDINAL))
}

fn microseconds(delta: &Bound<'_, PyAny>) -> PyResult<i128> {
    let part = |name| -> PyResult<i128> { delta.getattr(name)?.extract() };
    Ok((part("days")? * 86_400 + part("seconds")?) * 1_000_000 + part("microseconds")?)
}

fn zone_of(zone: &Bound<'_, PyAny>) -> PyResult<ExactZone> {
    // What the zone was made of: the offset, and the name where one was given.
    let given = zone.call_method0("__getinitargs__")?.cast_into::<PyTuple>()?;
    let offset = i64::try_from(microseconds(&given.get_item(0)?)?).unwrap_or_default();
    let name = if given.len() > 1 { Some(given.get_item(1)?.extract()?) } else { None };
    Ok((offset, name))
}

/// The Python object of a native value; `None` where it is none of these.
///
/// # Errors
/// Exceptions raised by the classes.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(exact) = Exact::of(value) else { return Ok(None) };
    let classes = classes(py)?;
    let delta = |microseconds: i128| {
        let days = microseconds.div_euclid(DAY);
        let rest = microseconds.rem_euclid(DAY);
        classes.timedelta.bind(py).call1((days, rest / 1_000_000, rest % 1_000_000))
    };
    let zone = |(offset, name): ExactZone| {
        let offset = delta(i128::from(offset))?;
        match name {
            Some(name) => classes.timezone.bind(py).call1((offset, name)),
            None => classes.timezone.bind(py).call1((offset,)),
        }
    };
    let day = |class: &Py<PyAny>, days: i64| class.bind(py).call_method1("fromordinal", (days + EPOCH_ORDINAL,));
    Ok(Some(match exact {
        Exact::Delta(microseconds) => delta(microseconds)?,
        Exact::Zone(exact) => zone(exact)?,
        Exact::Date(days) => day(&classes.date, days)?,
        Exact::DateTime(microseconds, of_zone) => {
            let days = i64::try_from(microseconds.div_euclid(DAY)).unwrap_or_default();
            let midnight = day(&classes.datetime, days)?;
            let moment = midnight.call_method1("__add__", (delta(microseconds.rem_euclid(DAY))?,))?;
            match of_zone {
                Some(exact) => {
                    let keywords = pyo3::types::PyDict::new(py);
                    keywords.set_item("tzinfo", zone(exact)?)?;
                    moment.call_method("replace", (), Some(&keywords))?
                }
                None => moment,
            }
        }
    }))
}
