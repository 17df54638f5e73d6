//! The classes of `galaxy.model`.
//!
//! They are classes of the database's objects. What the job file describes are objects of their own, as in the reference
//! implementation, so that `isinstance(job, galaxy.model.Job)` is false for them.

use crate::python::types::{BuiltinType, OBJECT};

macro_rules! model_classes {
    ($($id:ident = $name:literal;)*) => {
        $(#[doc = concat!("`galaxy.model.", $name, "`")]
        pub static $id: BuiltinType = BuiltinType {
            name: $name,
            module: "galaxy.model",
            base: Some(&OBJECT),
            construct: None,
            methods: &[],
            statics: &[],
        };)*

        /// All classes of the module.
        pub static CLASSES: &[&BuiltinType] = &[$(&$id),*];
    };
}

model_classes! {
    DATASET = "Dataset";
    HISTORY = "History";
    HISTORY_DATASET_ASSOCIATION = "HistoryDatasetAssociation";
    HISTORY_DATASET_COLLECTION_ASSOCIATION = "HistoryDatasetCollectionAssociation";
    JOB = "Job";
    JOB_PARAMETER = "JobParameter";
    JOB_TO_INPUT_DATASET_ASSOCIATION = "JobToInputDatasetAssociation";
    ROLE = "Role";
    USER = "User";
}
