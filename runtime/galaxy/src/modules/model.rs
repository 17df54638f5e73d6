//! The classes of `galaxy.model`.
//!
//! The world has the jobs; of other tables there are the classes, and queries of them have no answer.
//!
//! They are classes of the database's objects. What the job file describes are objects of their own, as in the reference
//! implementation, so that `isinstance(job, galaxy.model.Job)` is false for them.

use tpv_python::types::{BuiltinType, OBJECT};

macro_rules! model_classes {
    ($($id:ident = $name:literal;)*) => {
        $(#[doc = concat!("`galaxy.model.", $name, "`")]
        pub static $id: BuiltinType = BuiltinType::new($name, "galaxy.model", &OBJECT);)*

        /// All classes of the module.
        pub static CLASSES: &[&BuiltinType] = &[$(&$id),*];

        /// Their names.
        pub const NAMES: &[&str] = &[$($name),*];
    };
}

model_classes! {
    DATASET = "Dataset";
    DATASET_COLLECTION = "DatasetCollection";
    GROUP = "Group";
    HISTORY = "History";
    HISTORY_DATASET_ASSOCIATION = "HistoryDatasetAssociation";
    HISTORY_DATASET_COLLECTION_ASSOCIATION = "HistoryDatasetCollectionAssociation";
    HISTORY_TAG_ASSOCIATION = "HistoryTagAssociation";
    JOB = "Job";
    JOB_PARAMETER = "JobParameter";
    JOB_TO_INPUT_DATASET_ASSOCIATION = "JobToInputDatasetAssociation";
    ROLE = "Role";
    USER = "User";
    USER_ROLE_ASSOCIATION = "UserRoleAssociation";
}
