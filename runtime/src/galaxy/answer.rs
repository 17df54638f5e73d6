//! Answers: what a job is mapped to, or the error it ends in, and the lines of the answer file.

use super::job::InvalidJob;
use super::json::{Json, escape_into, write_text};
use crate::python::exception::{PyResult, Raised};
use crate::python::vm::Vm;

/// The answer to one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The JSON text of the job's id.
    pub id: Box<str>,
    /// What became of the job.
    pub outcome: Outcome,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was mapped.
    Mapped(Box<Mapped>),
    /// It ended in an error.
    Failed {
        /// The class's name: `JobMappingException`.
        kind: Box<str>,
        /// The message; a string, unless the code put something else into `failure_message`.
        message: Json,
    },
}

/// Where a job goes, and with what.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// The destination.
    pub destination: Destination,
    /// Cores of the mapped entity.
    pub cores: Json,
    /// Memory in GiB.
    pub mem: Json,
    /// GPUs.
    pub gpus: Json,
    /// The ids of the destinations that matched, best first, where they were asked for.
    pub candidates: Option<Json>,
}

/// A destination as Galaxy gets it. Code can put any value anywhere, so each field is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Destination {
    /// `id`: the evaluated destination name.
    pub id: Json,
    /// `runner`
    pub runner: Json,
    /// `tags`
    pub tags: Json,
    /// `params`
    pub params: Json,
    /// `env`
    pub env: Json,
    /// `resubmit`
    pub resubmit: Json,
}

impl Answer {
    /// The answer to line `line` of a job file, which is no job.
    pub fn invalid(line: usize, error: &InvalidJob) -> Self {
        let message = Json::str(format!("line {line}: {error}"));
        Self { id: "null".into(), outcome: Outcome::Failed { kind: "InvalidJob".into(), message } }
    }

    /// The answer to a job that ended in an exception: its class's name, and `failure_message` or `str`.
    ///
    /// # Errors
    /// What the exception's own `__str__` raises.
    pub fn failed(vm: &mut Vm, id: Box<str>, raised: &Raised) -> PyResult<Self> {
        let exception = raised.value();
        let failure_message = vm.find_attr(&exception, "failure_message")?;
        let message = match failure_message {
            Some(message) if vm.truthy(&message)? => Json::from_value(vm, &message)?,
            _ => Json::str(vm.str(&exception)?.as_str()),
        };
        let kind = raised.class_name().as_str().into();
        Ok(Self { id, outcome: Outcome::Failed { kind, message } })
    }

    /// Appends the answer's line, with its line feed.
    pub fn write_line(&self, out: &mut String) {
        out.push_str("{\"id\": ");
        out.push_str(&self.id);
        match &self.outcome {
            Outcome::Mapped(mapped) => {
                let destination = &mapped.destination;
                let fields = [
                    (", \"destination\": {\"id\": ", &destination.id),
                    (", \"runner\": ", &destination.runner),
                    (", \"tags\": ", &destination.tags),
                    (", \"params\": ", &destination.params),
                    (", \"env\": ", &destination.env),
                    (", \"resubmit\": ", &destination.resubmit),
                    ("}, \"cores\": ", &mapped.cores),
                    (", \"mem\": ", &mapped.mem),
                    (", \"gpus\": ", &mapped.gpus),
                ];
                let candidates = mapped.candidates.as_ref().map(|value| (", \"candidates\": ", value));
                for (name, value) in fields.into_iter().chain(candidates) {
                    out.push_str(name);
                    write_text(out, value);
                }
                out.push('}');
            }
            Outcome::Failed { kind, message } => {
                out.push_str(", \"error\": {\"type\": ");
                escape_into(out, kind);
                out.push_str(", \"message\": ");
                write_text(out, message);
                out.push_str("}}");
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_contracts() {
        let mapped = Mapped {
            destination: Destination {
                id: Json::str("slurm"),
                runner: Json::str("slurm"),
                tags: Json::List(vec![]),
                params: Json::Object(vec![("a".into(), Json::str("b"))]),
                env: Json::List(vec![]),
                resubmit: Json::List(vec![]),
            },
            cores: Json::Int(4),
            mem: Json::Float(15.2),
            gpus: Json::Null,
            candidates: None,
        };
        let mut line = String::new();
        Answer { id: "\"j\"".into(), outcome: Outcome::Mapped(Box::new(mapped.clone())) }.write_line(&mut line);
        let expected = "{\"id\": \"j\", \"destination\": {\"id\": \"slurm\", \"runner\": \"slurm\", \"tags\": [], \
            \"params\": {\"a\": \"b\"}, \"env\": [], \"resubmit\": []}, \"cores\": 4, \"mem\": 15.2, \"gpus\": null}\n";
        assert_eq!(line, expected);
        line.clear();
        let detailed = Mapped { candidates: Some(Json::List(vec![Json::str("slurm")])), ..mapped };
        Answer { id: "1".into(), outcome: Outcome::Mapped(Box::new(detailed)) }.write_line(&mut line);
        assert!(line.ends_with("\"gpus\": null, \"candidates\": [\"slurm\"]}\n"));
        line.clear();
        Answer::invalid(7, &InvalidJob("tool.id: missing".into())).write_line(&mut line);
        assert_eq!(
            line,
            "{\"id\": null, \"error\": {\"type\": \"InvalidJob\", \"message\": \"line 7: tool.id: missing\"}}\n"
        );
    }
}
