//! The job itself: parameters, inputs and history.

use std::cell::RefCell;
use std::sync::Arc;

use super::dataset::{association, collection, hda};
use super::host_object::{Fields, HostObject, host_classes, record};
use super::{stand_in, text_or_none};
use crate::job::{DatasetId, Further, InputsById, Job};
use crate::json::Place;
use crate::signature;
use tpv_python::args::Args;
use tpv_python::dict::{Dict, StrKey, Table};
use tpv_python::exception::{PyResult, attribute_error};
use tpv_python::modules::json::read_checked;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `Job`
    JOB = "Job" ("get_param_values" => get_param_values, "raw_param_dict" => raw_param_dict);
    /// `JobParameter`
    JOB_PARAMETER = "JobParameter" ();
    /// `History`
    HISTORY = "History" ();
    /// `HistoryTagAssociation`
    HISTORY_TAG_ASSOCIATION = "HistoryTagAssociation" ();
}

/// The fields of `job`.
pub struct JobFields {
    job: Arc<Job>,
    /// `user`, which is `job.user` and `job.history.user`, too.
    user: Value,
    /// The HDAs that exist, by input: inputs and parameter values share them.
    datasets: RefCell<Vec<Option<Value>>>,
}

/// The job's object.
pub(super) fn job(job: &Arc<Job>, user: &Value) -> Value {
    HostObject::value(JobFields { job: job.clone(), user: user.clone(), datasets: RefCell::default() })
}

impl JobFields {
    /// The job's record.
    pub fn record(&self) -> &Job {
        &self.job
    }

    fn dataset(&self, index: usize) -> Value {
        let mut datasets = self.datasets.borrow_mut();
        if datasets.len() <= index {
            datasets.resize(self.job.input_datasets.len().max(index + 1), None);
        }
        match datasets.get_mut(index) {
            Some(slot) => slot.get_or_insert_with(|| hda(&self.job, index)).clone(),
            None => Value::None,
        }
    }

    fn input_datasets(&self) -> Value {
        let associations = self
            .job
            .input_datasets
            .iter()
            .enumerate()
            .map(|(index, input)| association(Value::str(self.job.text(input.name)), self.dataset(index)));
        Value::list(associations.collect())
    }

    fn param_values(&self) -> Value {
        let Some(params) = &self.job.param_values else { return Value::dict(Dict::new()) };
        let inputs = InputsById::new(&self.job.input_datasets);
        let find = |id: &Value| {
            let id = match id {
                Value::Int(id) => DatasetId::Int(*id),
                Value::Str(id) => DatasetId::Str(id.as_str().into()),
                _ => return None,
            };
            inputs.find(&id).map(|index| self.dataset(index))
        };
        let mut resolve = |table: Table| {
            let source = table.get(&StrKey("src")).and_then(Value::as_str).map(|source| source.as_str());
            match source {
                Some("hda") => {
                    if let Some(dataset) = table.get(&StrKey("id")).and_then(find) {
                        return dataset;
                    }
                }
                Some("hdca") => {
                    if let Some(Value::List(ids)) = table.get(&StrKey("ids")) {
                        // Each id is known: that was checked when the job was read.
                        let datasets = ids.items.borrow().iter().filter_map(find).collect();
                        return collection(datasets);
                    }
                }
                _ => {}
            }
            Value::dict(Dict::from_table(table))
        };
        read_checked(params.text(&self.job), &mut resolve)
    }
}

impl Fields for JobFields {
    fn class(&self) -> &'static BuiltinType {
        &JOB
    }

    fn names(&self) -> &'static [&'static str] {
        if self.job.stand_in {
            stand_in::JOB_NAMES
        } else {
            &[
                "id",
                "state",
                "param_values",
                "parameters",
                "input_datasets",
                "input_library_datasets",
                "history",
                "user",
                "user_id",
                "tool_id",
                "tool_version",
                "destination_params",
            ]
        }
    }

    fn further(&self) -> Option<(&Job, &Further)> {
        Some((&self.job, &self.job.further))
    }

    fn get(&self, name: &str) -> Option<Value> {
        Some(match name {
            "id" => Value::Int(self.job.job_id),
            "state" => Value::str(self.job.state()),
            "param_values" => self.param_values(),
            // The stand-in has a dict here.
            "parameters" if self.job.stand_in => Value::dict(Dict::new()),
            "parameters" => {
                let parameters = self.job.parameters.iter().map(|(name, value)| {
                    let name = Value::str(self.job.text(*name));
                    record(&JOB_PARAMETER, &["name", "value"], [name, value.to_value(&self.job)])
                });
                Value::list(parameters.collect())
            }
            "input_datasets" => self.input_datasets(),
            "input_library_datasets" => Value::list(Vec::new()),
            "history" => match self.job.history {
                Some(_) => HostObject::value(HistoryFields { job: self.job.clone(), user: self.user.clone() }),
                None => Value::None,
            },
            "user" => self.user.clone(),
            "user_id" => self.job.user.as_ref().map_or(Value::None, |user| Value::Int(user.id)),
            "tool_id" => Value::str(self.job.text(self.job.tool.id)),
            "tool_version" => text_or_none(&self.job, self.job.tool.version),
            "destination_params" => {
                self.job.destination_params.map_or(Value::None, |params| params.to_value(&self.job))
            }
            _ => return None,
        })
    }
}

/// The fields of a history.
struct HistoryFields {
    job: Arc<Job>,
    user: Value,
}

impl Fields for HistoryFields {
    fn class(&self) -> &'static BuiltinType {
        &HISTORY
    }

    fn names(&self) -> &'static [&'static str] {
        if self.job.stand_in { stand_in::HISTORY_NAMES } else { &["id", "name", "tags", "user"] }
    }

    fn further(&self) -> Option<(&Job, &Further)> {
        self.job.history.as_ref().map(|history| (&*self.job, &history.further))
    }

    fn get(&self, name: &str) -> Option<Value> {
        let history = self.job.history.as_ref()?;
        Some(match name {
            "id" => Value::Int(history.id),
            "name" => Value::str(history.name.map_or("Unnamed history", |name| self.job.text(name))),
            "tags" => {
                let tags = history.tags.iter().map(|(name, value)| tag(&self.job, *name, *value));
                Value::list(tags.collect())
            }
            "user" => self.user.clone(),
            _ => return None,
        })
    }
}

/// A tag of the history.
fn tag(job: &Job, name: Place, value: Option<Place>) -> Value {
    let name = Value::str(job.text(name));
    if job.stand_in {
        return record(&stand_in::HISTORY_TAG, &["user_tname"], [name]);
    }
    let value = text_or_none(job, value);
    record(&HISTORY_TAG_ASSOCIATION, &["user_tname", "user_value", "value"], [name, value.clone(), value])
}

/// `job.get_param_values(app)`
fn get_param_values(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    signature::bind_method(args, "Job.get_param_values", ["app"], 1)?;
    vm.get_attr(this, "param_values")
}

/// `job.raw_param_dict()`: the JSON texts of `job.parameters` by name.
fn raw_param_dict(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    signature::bind_method(args, "Job.raw_param_dict", [], 0)?;
    if this.downcast::<HostObject<JobFields>>().is_some_and(|object| object.fields().job.stand_in) {
        return Err(attribute_error("'Job' object has no attribute 'raw_param_dict'"));
    }
    // As Galaxy does, of the attribute, which code may have set.
    let parameters = vm.get_attr(this, "parameters")?;
    let by_name = Dict::new();
    for parameter in vm.collect(&parameters)? {
        let (name, value) = (vm.get_attr(&parameter, "name")?, vm.get_attr(&parameter, "value")?);
        by_name.set(vm, name, value)?;
    }
    Ok(Value::dict(by_name))
}
