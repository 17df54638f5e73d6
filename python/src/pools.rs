//! Resource pools: the native stores for Python, and for the mapper Python's stores and Galaxy's job table.

use std::collections::BTreeSet;
use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::{Tables, ValueRow};
use tpv_runtime::pools::configured::{ConfiguredError, OptionValue, ValkeyOptions};
use tpv_runtime::pools::memory::InMemoryAllocationStore;
use tpv_runtime::pools::valkey::ValkeyAllocationStore;
use tpv_runtime::pools::{
    Admission, Allocation, AllocationStore, Budget, FinishedJobs, Kind, Ledger, StoreError, Usage,
};

use crate::{exception, machine, to_python as python};

create_exception!(
    tpvc.core.resource_pool,
    StoreUnavailable,
    PyException,
    "A store of resource pools cannot be reached: a job that a pool governs waits, unless the pool fails open."
);

/// Cores, memory in GiB and GPUs.
type Amounts = (f64, f64, f64);
/// A `PoolAdmission`: a named tuple of the pool's name, the request, its kind, the budget, the most oversize jobs, whether one
/// reserves the pool, and the finished jobs.
pub type AdmissionTuple = (String, Amounts, String, (Option<f64>, Option<f64>, Option<f64>), i64, bool, BTreeSet<i64>);

/// A native store of allocations: in this process, or in Valkey or Redis.
#[pyclass(name = "PoolStore", module = "tpvc._native", frozen)]
pub struct PyPoolStore {
    store: Arc<dyn AllocationStore>,
}

#[pymethods]
impl PyPoolStore {
    /// A store in this process.
    #[staticmethod]
    fn memory() -> Self {
        Self { store: Arc::new(InMemoryAllocationStore::default()) }
    }

    /// A store in Valkey or Redis, which is reached when it is first asked. The options are those of docs/pools.md.
    ///
    /// Raises `ValueError` where an option has a value that cannot be, and `TypeError` for an option that is not known.
    #[staticmethod]
    #[pyo3(signature = (**options))]
    fn valkey(options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut given = Vec::new();
        for (name, value) in options.into_iter().flatten() {
            given.push((name.extract::<String>()?, option_value(&value)));
        }
        let options = given.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let options = ValkeyOptions::new(options).map_err(|error| match error {
            ConfiguredError::Option(_) => PyTypeError::new_err(error.to_string()),
            error => PyValueError::new_err(error.to_string()),
        })?;
        let store = ValkeyAllocationStore::new(&options).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { store: Arc::new(store) })
    }

    /// The ledger of a user in a pool: what each admitted job holds, and as what.
    ///
    /// Raises `StoreUnavailable`.
    fn read<'py>(&self, py: Python<'py>, pool: &str, user_id: i64) -> PyResult<Bound<'py, PyDict>> {
        let ledger = py.detach(|| self.store.read(pool, user_id)).map_err(to_python)?;
        let dict = PyDict::new(py);
        for (id, allocation) in ledger {
            let Usage { cores, mem, gpus } = allocation.usage;
            dict.set_item(id, ((cores, mem, gpus), allocation.kind.name()))?;
        }
        Ok(dict)
    }

    /// Admits a job to all pools, or to none.
    ///
    /// Raises `StoreUnavailable`.
    fn admit_many(&self, py: Python<'_>, user_id: i64, job_id: i64, admissions: Vec<AdmissionTuple>) -> PyResult<bool> {
        let admissions: Vec<Admission> = admissions.into_iter().map(admission).collect();
        py.detach(|| self.store.admit_many(user_id, job_id, &admissions)).map_err(to_python)
    }
}

fn admission((pool, asked, kind, budget, max_oversize, reserve_pool, finished): AdmissionTuple) -> Admission {
    let (cores, mem, gpus) = asked;
    let usage = Usage { cores, mem, gpus };
    let (cores, mem, gpus) = budget;
    let budget = Budget { cores, mem, gpus };
    Admission { pool, usage, kind: Kind::from_name(&kind), budget, max_oversize, reserve_pool, finished }
}

fn to_python(error: StoreError) -> PyErr {
    match error {
        StoreError::Unavailable(why) => StoreUnavailable::new_err(why),
        StoreError::Malformed(what) => PyValueError::new_err(what),
        StoreError::Host(_) => PyValueError::new_err("a store of Python raised"),
    }
}

fn option_value(value: &Bound<'_, PyAny>) -> OptionValue {
    if value.is_none() {
        OptionValue::None
    } else if let Ok(flag) = value.cast::<PyBool>() {
        OptionValue::Text(if flag.is_true() { "True" } else { "False" }.to_owned())
    } else if let Ok(number) = value.extract::<f64>() {
        OptionValue::Number(number)
    } else if let Ok(text) = value.extract::<String>() {
        OptionValue::Text(text)
    } else {
        OptionValue::Other
    }
}

/// The class and the options of the store that rules name; `None` where they name none.
///
/// # Errors
/// Exceptions raised while a dict is created.
pub fn configured<'py>(py: Python<'py>, rules: &Rules) -> PyResult<Option<(String, Bound<'py, PyDict>)>> {
    let tables = rules.tables();
    let Some(store) = &tables.global.resource_pool_store else { return Ok(None) };
    let text = |id: u32| tables.strings.get(id as usize).map_or("", String::as_str);
    let options = PyDict::new(py);
    for (name, value) in &store.options {
        options.set_item(text(*name), of_config(py, tables, value)?)?;
    }
    Ok(Some((text(store.class).to_owned(), options)))
}

/// A value of a config.
fn of_config<'py>(py: Python<'py>, tables: &Tables, value: &ValueRow) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        ValueRow::None => py.None().into_bound(py),
        ValueRow::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        ValueRow::Int(number) => number.into_pyobject(py)?.into_any(),
        ValueRow::BigInt(bytes) => num_bigint::BigInt::from_signed_bytes_le(bytes).into_pyobject(py)?.into_any(),
        ValueRow::Float(number) => number.into_pyobject(py)?.into_any(),
        ValueRow::Str(id) | ValueRow::Code(id, _) => {
            tables.strings.get(*id as usize).map_or("", String::as_str).into_pyobject(py)?.into_any()
        }
        ValueRow::Date(year, month, day) => py.import("datetime")?.getattr("date")?.call1((*year, *month, *day))?,
        ValueRow::DateTime(microseconds, _) => {
            let module = py.import("datetime")?;
            let since = module.getattr("timedelta")?.call1((0, 0, *microseconds))?;
            module.getattr("datetime")?.call1((1970, 1, 1))?.add(since)?
        }
        ValueRow::List(items) => {
            let items: Vec<_> = items.iter().map(|item| of_config(py, tables, item)).collect::<PyResult<_>>()?;
            items.into_pyobject(py)?
        }
        ValueRow::Dict(items) => {
            let dict = PyDict::new(py);
            for (key, value) in items {
                dict.set_item(of_config(py, tables, key)?, of_config(py, tables, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// The module with the Python side of resource pools.
const MODULE: &str = "tpvc.core.resource_pool";

/// A store of Python: any object with `read` and `admit_many`, as TPV's `AllocationStore` has them.
pub struct PythonStore(pub Py<PyAny>);

impl AllocationStore for PythonStore {
    fn read(&self, pool: &str, user: i64) -> Result<Ledger, StoreError> {
        ask(|py| {
            let found = self.0.bind(py).call_method1("read", (pool, user))?;
            let mut ledger = Ledger::new();
            for (id, entry) in found.cast::<PyDict>()? {
                let ((cores, mem, gpus), kind): (Amounts, String) = entry.extract()?;
                let usage = Usage { cores, mem, gpus };
                ledger.push((id.extract()?, Allocation { usage, kind: Kind::from_name(&kind) }));
            }
            Ok(ledger)
        })
    }

    fn admit_many(&self, user: i64, job: i64, admissions: &[Admission]) -> Result<bool, StoreError> {
        ask(|py| {
            let module = py.import(MODULE)?;
            let (of_usage, of_budget, of_admission) =
                (module.getattr("ResourceUsage")?, module.getattr("Budget")?, module.getattr("PoolAdmission")?);
            let mut all = Vec::with_capacity(admissions.len());
            for Admission { pool, usage, kind, budget, max_oversize, reserve_pool, finished } in admissions {
                let asked = of_usage.call1((usage.cores, usage.mem, usage.gpus))?;
                let most = of_budget.call1((budget.cores, budget.mem, budget.gpus))?;
                let policy = (pool, asked, kind.name(), most, max_oversize, reserve_pool, finished);
                all.push(of_admission.call1(policy)?);
            }
            self.0.bind(py).call_method1("admit_many", (user, job, all))?.is_truthy()
        })
    }
}

/// Asks Python's store.
fn ask<T>(ask: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, StoreError> {
    Python::attach(|py| {
        ask(py).map_err(|error| {
            if is_unavailable(py, &error) {
                return StoreError::Unavailable(error.value(py).to_string());
            }
            StoreError::Host(Box::new(|vm| Python::attach(|py| exception::to_native(vm, py, error))))
        })
    })
}

/// Returns `true` if an exception means that the store is unavailable. Accepts tpvc's class and TPV's, because a site's
/// own store may raise the latter where TPV is installed.
fn is_unavailable(py: Python<'_>, error: &PyErr) -> bool {
    let of_tpv = |class: Bound<'_, PyAny>| {
        let name = class.getattr("__name__").and_then(|name| name.extract::<String>());
        let module = class.getattr("__module__").and_then(|module| module.extract::<String>());
        name.is_ok_and(|name| name == "StoreUnavailable")
            && module.is_ok_and(|module| module == "tpv.core.resource_pool")
    };
    error.is_instance_of::<StoreUnavailable>(py) || error.get_type(py).mro().iter().any(of_tpv)
}

/// Galaxy's job table, behind the session that `app.model.context` is.
pub struct JobTable;

impl FinishedJobs for JobTable {
    fn finished(&self, vm: &mut Vm, session: &Value, ids: &BTreeSet<i64>) -> NativeResult<BTreeSet<i64>> {
        machine::in_python(vm, |py| {
            let session = python::value(py, session)?;
            py.import(MODULE)?.call_method1("terminal_job_ids", (session, ids))?.extract()
        })
    }
}
