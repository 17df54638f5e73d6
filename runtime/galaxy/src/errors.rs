//! Exception classes of Galaxy.

pub use tpv_python::exception::{HOST_UNAVAILABLE, host_unavailable};

use crate::signature;
use tpv_python::args::Args;
use tpv_python::exception::{EXCEPTION, ExceptionObject, PyResult, Raised, raise_with};
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// `galaxy.jobs.mapper.JobMappingException`
pub static JOB_MAPPING_EXCEPTION: BuiltinType = BuiltinType {
    construct: Some(new_job_mapping_exception),
    ..BuiltinType::new("JobMappingException", "galaxy.jobs.mapper", &EXCEPTION)
};

/// The beginning of TPV's message for a job that no destination accepts; the id of its entity follows.
pub const NO_DESTINATIONS: &str = "No destinations are available to fulfill request";

/// `galaxy.jobs.mapper.JobNotReadyException`
pub static JOB_NOT_READY_EXCEPTION: BuiltinType = BuiltinType {
    construct: Some(new_job_not_ready_exception),
    ..BuiltinType::new("JobNotReadyException", "galaxy.jobs.mapper", &EXCEPTION)
};

/// `galaxy.jobs.mapper.JobMappingConfigurationException`
pub static JOB_MAPPING_CONFIGURATION_EXCEPTION: BuiltinType = BuiltinType {
    construct: Some(|_, args| tpv_python::builtins::exceptions::construct(&JOB_MAPPING_CONFIGURATION_EXCEPTION, args)),
    ..BuiltinType::new("JobMappingConfigurationException", "galaxy.jobs.mapper", &EXCEPTION)
};

/// Raises `JobMappingException(failure_message)`.
pub fn job_mapping_exception(failure_message: Value) -> Raised {
    let raised = raise_with(&JOB_MAPPING_EXCEPTION, vec![failure_message.clone()]);
    raised.0.attributes.borrow_mut().insert("failure_message".to_owned(), failure_message);
    raised
}

/// `e.args` is what the exception was called with by position: Galaxy's constructors do not call `Exception`'s.
fn new_job_mapping_exception(_: &mut Vm, args: Args) -> PyResult<Value> {
    let positional = args.pos.to_vec();
    let [message] = signature::bind_method(args, "JobMappingException.__init__", ["failure_message"], 1)?;
    let exception = ExceptionObject::new(&JOB_MAPPING_EXCEPTION, positional);
    exception.attributes.borrow_mut().insert("failure_message".to_owned(), message.unwrap_or(Value::None));
    Ok(Value::Exception(exception))
}

fn new_job_not_ready_exception(_: &mut Vm, args: Args) -> PyResult<Value> {
    let positional = args.pos.to_vec();
    let [job_state, message] =
        signature::bind_method(args, "JobNotReadyException.__init__", ["job_state", "message"], 0)?;
    let exception = ExceptionObject::new(&JOB_NOT_READY_EXCEPTION, positional);
    exception.attributes.borrow_mut().insert("job_state".to_owned(), job_state.unwrap_or(Value::None));
    exception.attributes.borrow_mut().insert("message".to_owned(), message.unwrap_or(Value::None));
    Ok(Value::Exception(exception))
}
