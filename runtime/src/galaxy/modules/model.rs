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
    API_KEYS = "APIKeys";
    DATA_MANAGER_HISTORY_ASSOCIATION = "DataManagerHistoryAssociation";
    DATA_MANAGER_JOB_ASSOCIATION = "DataManagerJobAssociation";
    DATASET = "Dataset";
    DATASET_COLLECTION = "DatasetCollection";
    DATASET_COLLECTION_ELEMENT = "DatasetCollectionElement";
    DEFAULT_QUOTA_ASSOCIATION = "DefaultQuotaAssociation";
    DYNAMIC_TOOL = "DynamicTool";
    EVENT = "Event";
    GALAXY_SESSION = "GalaxySession";
    GALAXY_SESSION_TO_HISTORY_ASSOCIATION = "GalaxySessionToHistoryAssociation";
    GROUP = "Group";
    GROUP_QUOTA_ASSOCIATION = "GroupQuotaAssociation";
    GROUP_ROLE_ASSOCIATION = "GroupRoleAssociation";
    HISTORY = "History";
    HISTORY_DATASET_ASSOCIATION = "HistoryDatasetAssociation";
    HISTORY_DATASET_ASSOCIATION_HISTORY = "HistoryDatasetAssociationHistory";
    HISTORY_DATASET_ASSOCIATION_TAG_ASSOCIATION = "HistoryDatasetAssociationTagAssociation";
    HISTORY_DATASET_COLLECTION_ASSOCIATION = "HistoryDatasetCollectionAssociation";
    HISTORY_DATASET_COLLECTION_TAG_ASSOCIATION = "HistoryDatasetCollectionTagAssociation";
    HISTORY_TAG_ASSOCIATION = "HistoryTagAssociation";
    IMPLICIT_COLLECTION_JOBS = "ImplicitCollectionJobs";
    IMPLICIT_COLLECTION_JOBS_JOB_ASSOCIATION = "ImplicitCollectionJobsJobAssociation";
    IMPLICITLY_CONVERTED_DATASET_ASSOCIATION = "ImplicitlyConvertedDatasetAssociation";
    IMPLICITLY_CREATED_DATASET_COLLECTION_INPUT = "ImplicitlyCreatedDatasetCollectionInput";
    INTERACTIVE_TOOL_ENTRY_POINT = "InteractiveToolEntryPoint";
    JOB = "Job";
    JOB_CONTAINER_ASSOCIATION = "JobContainerAssociation";
    JOB_EXTERNAL_OUTPUT_METADATA = "JobExternalOutputMetadata";
    JOB_METRIC_NUMERIC = "JobMetricNumeric";
    JOB_METRIC_TEXT = "JobMetricText";
    JOB_PARAMETER = "JobParameter";
    JOB_STATE_HISTORY = "JobStateHistory";
    JOB_TO_IMPLICIT_OUTPUT_DATASET_COLLECTION_ASSOCIATION = "JobToImplicitOutputDatasetCollectionAssociation";
    JOB_TO_INPUT_DATASET_ASSOCIATION = "JobToInputDatasetAssociation";
    JOB_TO_INPUT_DATASET_COLLECTION_ASSOCIATION = "JobToInputDatasetCollectionAssociation";
    JOB_TO_INPUT_DATASET_COLLECTION_ELEMENT_ASSOCIATION = "JobToInputDatasetCollectionElementAssociation";
    JOB_TO_INPUT_LIBRARY_DATASET_ASSOCIATION = "JobToInputLibraryDatasetAssociation";
    JOB_TO_OUTPUT_DATASET_ASSOCIATION = "JobToOutputDatasetAssociation";
    JOB_TO_OUTPUT_DATASET_COLLECTION_ASSOCIATION = "JobToOutputDatasetCollectionAssociation";
    JOB_TO_OUTPUT_LIBRARY_DATASET_ASSOCIATION = "JobToOutputLibraryDatasetAssociation";
    LIBRARY = "Library";
    LIBRARY_DATASET = "LibraryDataset";
    LIBRARY_DATASET_DATASET_ASSOCIATION = "LibraryDatasetDatasetAssociation";
    LIBRARY_DATASET_DATASET_ASSOCIATION_TAG_ASSOCIATION = "LibraryDatasetDatasetAssociationTagAssociation";
    LIBRARY_FOLDER = "LibraryFolder";
    METADATA_FILE = "MetadataFile";
    POST_JOB_ACTION = "PostJobAction";
    POST_JOB_ACTION_ASSOCIATION = "PostJobActionAssociation";
    QUOTA = "Quota";
    ROLE = "Role";
    STORED_WORKFLOW = "StoredWorkflow";
    STORED_WORKFLOW_TAG_ASSOCIATION = "StoredWorkflowTagAssociation";
    TAG = "Tag";
    TASK = "Task";
    TASK_METRIC_NUMERIC = "TaskMetricNumeric";
    TASK_METRIC_TEXT = "TaskMetricText";
    TOOL_TAG_ASSOCIATION = "ToolTagAssociation";
    USER = "User";
    USER_ACTION = "UserAction";
    USER_ADDRESS = "UserAddress";
    USER_DYNAMIC_TOOL_ASSOCIATION = "UserDynamicToolAssociation";
    USER_FILE_SOURCE = "UserFileSource";
    USER_GROUP_ASSOCIATION = "UserGroupAssociation";
    USER_OBJECT_STORE = "UserObjectStore";
    USER_PREFERENCE = "UserPreference";
    USER_QUOTA_ASSOCIATION = "UserQuotaAssociation";
    USER_QUOTA_SOURCE_USAGE = "UserQuotaSourceUsage";
    USER_ROLE_ASSOCIATION = "UserRoleAssociation";
    WORKFLOW = "Workflow";
    WORKFLOW_INVOCATION = "WorkflowInvocation";
    WORKFLOW_INVOCATION_STEP = "WorkflowInvocationStep";
    WORKFLOW_OUTPUT = "WorkflowOutput";
    WORKFLOW_STEP = "WorkflowStep";
    WORKFLOW_STEP_CONNECTION = "WorkflowStepConnection";
    WORKFLOW_STEP_INPUT = "WorkflowStepInput";
    WORKFLOW_STEP_TAG_ASSOCIATION = "WorkflowStepTagAssociation";
}
