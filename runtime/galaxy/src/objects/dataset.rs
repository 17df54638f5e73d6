//! Input datasets: the association with the job, the dataset in its history (HDA), and the stored file.

use std::sync::Arc;

use super::host_object::{Fields, HostObject, host_classes, record};
use super::simple_namespace::{METADATA_COLLECTION, SimpleNamespace};
use super::{stand_in, text_or_none};
use crate::job::{Further, InputDataset, Job};
use crate::signature;
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::PyResult;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `JobToInputDatasetAssociation`
    JOB_TO_INPUT_DATASET_ASSOCIATION = "JobToInputDatasetAssociation" ();
    /// `HistoryDatasetAssociation`
    HISTORY_DATASET_ASSOCIATION = "HistoryDatasetAssociation" ("get_size" => hda_size);
    /// `Dataset`
    DATASET = "Dataset" ("get_size" => stored_size);
    /// `HistoryDatasetCollectionAssociation`
    HISTORY_DATASET_COLLECTION_ASSOCIATION = "HistoryDatasetCollectionAssociation"
        ("first_dataset_instance" => first_dataset_instance);
}

/// One input of a job, by its place.
#[derive(Clone)]
pub(super) struct Input {
    job: Arc<Job>,
    index: usize,
}

impl Input {
    fn record(&self) -> Option<&InputDataset> {
        self.job.input_datasets.get(self.index)
    }
}

/// An HDA.
pub(super) struct Hda(Input);

/// The HDA of an input.
pub(super) fn hda(job: &Arc<Job>, index: usize) -> Value {
    HostObject::value(Hda(Input { job: job.clone(), index }))
}

impl Fields for Hda {
    fn class(&self) -> &'static BuiltinType {
        if self.0.job.stand_in { &stand_in::DATASET_ASSOCIATION } else { &HISTORY_DATASET_ASSOCIATION }
    }

    fn names(&self) -> &'static [&'static str] {
        if self.0.job.stand_in {
            stand_in::DATASET_ASSOCIATION_NAMES
        } else {
            &["name", "ext", "extension", "metadata", "dataset"]
        }
    }

    fn further(&self) -> Option<(&Job, &Further)> {
        self.0.record().map(|input| (&*self.0.job, &input.further))
    }

    fn get(&self, name: &str) -> Option<Value> {
        let input = self.0.record()?;
        Some(match name {
            "name" => Value::str(self.0.job.text(input.name)),
            "ext" | "extension" => Value::str(input.extension.map_or("data", |extension| self.0.job.text(extension))),
            "metadata" => {
                let source = self.0.clone();
                SimpleNamespace::value(&METADATA_COLLECTION, move || {
                    let metadata = source.record().and_then(|input| input.metadata);
                    metadata.map_or_else(|| Value::dict(Dict::new()), |metadata| metadata.to_value(&source.job))
                })
            }
            "dataset" => HostObject::value(Stored(self.0.clone())),
            _ => return None,
        })
    }
}

struct Stored(Input);

impl Fields for Stored {
    fn class(&self) -> &'static BuiltinType {
        &DATASET
    }

    fn names(&self) -> &'static [&'static str] {
        &["id", "file_size", "object_store_id", "file_name"]
    }

    fn get(&self, name: &str) -> Option<Value> {
        let input = self.0.record()?;
        Some(match name {
            "id" => input.id.to_value(),
            "file_size" => input.size.map_or(Value::None, |size| size.to_value()),
            "object_store_id" => text_or_none(&self.0.job, input.object_store_id),
            "file_name" => Value::str(""),
            _ => return None,
        })
    }
}

/// The association of the job with an HDA: the name of the tool's parameter, and the HDA.
pub(super) fn association(name: Value, dataset: Value) -> Value {
    record(&JOB_TO_INPUT_DATASET_ASSOCIATION, &["name", "dataset"], [name, dataset])
}

/// A collection among the parameter values.
pub(super) fn collection(datasets: Vec<Value>) -> Value {
    record(&HISTORY_DATASET_COLLECTION_ASSOCIATION, &["dataset_instances"], [Value::list(datasets)])
}

/// `hda.get_size(nice_size=False, calculate_size=False)`
fn hda_size(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let names = ["nice_size", "calculate_size"];
    signature::bind_method(args, "HistoryDatasetAssociation.get_size", names, 0)?;
    let stored = vm.get_attr(this, "dataset")?;
    vm.get_attr(&stored, "file_size")
}

/// `dataset.get_size(nice_size=False, calculate_size=False)`
fn stored_size(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    signature::bind_method(args, "Dataset.get_size", ["nice_size", "calculate_size"], 0)?;
    vm.get_attr(this, "file_size")
}

/// `collection.first_dataset_instance()`
fn first_dataset_instance(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let method = "HistoryDatasetCollectionAssociation.first_dataset_instance";
    let [] = signature::bind_method(args, method, [], 0)?;
    let instances = vm.get_attr(this, "dataset_instances")?;
    if vm.truthy(&instances)? { vm.get_item(&instances, &Value::Int(0)) } else { Ok(Value::None) }
}
