//! A job's destination in values: the arguments of Galaxy's `JobDestination`.

use std::sync::Arc;

use tpv_model::Quantity;
use tpv_python::exception::{PyResult, Raised};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use tpv_galaxy::answer::{Answer, Draft, Field};
use tpv_galaxy::json::{Json, write_text};

/// The destination that a job is mapped to.
#[derive(Clone)]
pub struct Mapped {
    /// `id`: the evaluated destination name.
    pub dest_name: Value,
    /// `runner`
    pub runner: Value,
    /// `tags`: the evaluated handler tags.
    pub tags: Value,
    /// `params`; an empty dict where there are none.
    pub params: Value,
    /// `env`; an empty list where there is none.
    pub env: Value,
    /// `resubmit`: a list of definitions, with the target under `environment` as Galaxy reads it.
    pub resubmit: Value,
    /// The amount of each quantity of the mapped entity.
    pub amounts: [Value; Quantity::COUNT],
}

impl Mapped {
    /// A job's outcome in the form of an answer line, for an explanation. Values that JSON cannot hold, such as a live
    /// object, appear as their `repr`.
    pub fn answer(vm: &mut Vm, mapped: &PyResult<&Self>) -> Answer {
        let id: Arc<str> = "null".into();
        let written = match mapped {
            Ok(mapped) => mapped.written(vm, &id),
            Err(raised) => Answer::failed(vm, &id, raised),
        };
        written.unwrap_or_else(|raised: Raised| Answer::error_line(&id, raised.class_name(), Json::str("")))
    }

    fn written(&self, vm: &mut Vm, id: &Arc<str>) -> PyResult<Answer> {
        let mut draft = Draft::default();
        let amounts = Quantity::ALL.into_iter().map(Field::from).zip(&self.amounts);
        let fields = [
            (Field::Id, &self.dest_name),
            (Field::Runner, &self.runner),
            (Field::Tags, &self.tags),
            (Field::Params, &self.params),
            (Field::Env, &self.env),
            (Field::Resubmit, &self.resubmit),
        ];
        for (field, value) in fields.into_iter().chain(amounts) {
            let json = match Json::from_value(vm, value) {
                Ok(json) => json,
                Err(_) => Json::str(vm.repr(value)?.as_str()),
            };
            draft.field(field, |out| {
                write_text(out, &json);
                Ok(())
            })?;
        }
        Ok(Answer::mapped(id, draft.finish(), None))
    }
}
