//! Answers: what a job is mapped to, or the error it ends in, and the lines of the answer file.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Error;
use crate::json::dump::charge_escaping;
use crate::json::{Json, Reader, escape_into, write_text};
use tpv_model::Quantity;
use tpv_python::exception::{PyResult, Raised};
use tpv_python::vm::Vm;

/// A field of the answer to a job that was mapped, in the order of the line. Code can put any value anywhere, so each is
/// some JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `destination.id`: the evaluated destination name.
    Id,
    /// `destination.runner`
    Runner,
    /// `destination.tags`
    Tags,
    /// `destination.params`
    Params,
    /// `destination.env`
    Env,
    /// `destination.resubmit`
    Resubmit,
    /// Cores of the mapped entity.
    Cores,
    /// Memory in GiB.
    Mem,
    /// GPUs.
    Gpus,
    /// The ids of the destinations that matched, best first, if requested.
    Candidates,
}

impl From<Quantity> for Field {
    fn from(quantity: Quantity) -> Self {
        match quantity {
            Quantity::Cores => Self::Cores,
            Quantity::Mem => Self::Mem,
            Quantity::Gpus => Self::Gpus,
        }
    }
}

/// The text before each field.
const BEFORE: [&str; 10] = [
    ", \"destination\": {\"id\": ",
    ", \"runner\": ",
    ", \"tags\": ",
    ", \"params\": ",
    ", \"env\": ",
    ", \"resubmit\": ",
    "}, \"cores\": ",
    ", \"mem\": ",
    ", \"gpus\": ",
    ", \"candidates\": ",
];

/// The answer to one job.
///
/// ```
/// use tpv_galaxy::{Answer, Error};
///
/// let answer = Answer::invalid(9, &Error::Job("tool: missing".to_owned()));
/// assert!(answer.error_text().is_some() && answer.destination_id().is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The job's id as JSON.
    id: Arc<str>,
    outcome: Outcome,
}

/// The outcome of a job.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// It was mapped.
    Mapped {
        /// The destination and resources.
        mapped: MappedText,
        /// The ids of the candidates as JSON, if they were asked for.
        candidates: Option<Box<str>>,
    },
    /// It ended in an error.
    Failed {
        /// The class's name: `JobMappingException`.
        kind: Box<str>,
        /// The message; a string, unless the code put something else into `failure_message`.
        message: Json,
    },
}

/// The destination of an answer, field by field.
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

/// The part of a line that tells where a job was mapped to, while it is written: fields are appended in their order.
pub struct Draft {
    text: String,
    ends: [u32; BEFORE.len() - 1],
}

/// No field yet.
impl Default for Draft {
    fn default() -> Self {
        Self { text: String::with_capacity(1024), ends: [0; BEFORE.len() - 1] }
    }
}

impl Draft {
    /// Appends a field, whose JSON text `write` appends.
    ///
    /// # Errors
    /// Exceptions of `write`.
    pub fn field(&mut self, field: Field, write: impl FnOnce(&mut String) -> PyResult<()>) -> PyResult<()> {
        self.text.push_str(BEFORE.get(field as usize).copied().unwrap_or_default());
        write(&mut self.text)?;
        if let Some(end) = self.ends.get_mut(field as usize) {
            *end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// The completed text.
    pub fn finish(self) -> MappedText {
        MappedText { text: self.text, ends: self.ends }
    }
}

/// The part of a line that tells where a job was mapped to.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedText {
    text: String,
    /// The end of each field except the candidates; each starts after the text before it.
    ends: [u32; BEFORE.len() - 1],
}

impl MappedText {
    /// The JSON text of a field.
    fn field(&self, field: Field) -> Option<&str> {
        let end = *self.ends.get(field as usize)? as usize;
        let previous = (field as usize).checked_sub(1).and_then(|previous| self.ends.get(previous));
        let start = previous.map_or(0, |previous| *previous as usize) + BEFORE.get(field as usize)?.len();
        self.text.get(start..end)
    }
}

impl Answer {
    /// The answer to a job that was mapped: its id as JSON, where it was mapped to, and the ids of the candidates, best
    /// first, if they were asked for; `None` for what is no destination.
    pub fn mapped(id: &Arc<str>, mapped: MappedText, candidates: Option<&[Option<String>]>) -> Self {
        let candidates = candidates.map(|candidates| {
            let mut text = String::new();
            write_text(&mut text, &Json::List(candidates.iter().map(|id| id.as_deref().into()).collect()));
            text.into()
        });
        Self { id: id.clone(), outcome: Outcome::Mapped { mapped, candidates } }
    }

    /// The answer to line `line` of a job file, which is no job.
    pub fn invalid(line: usize, error: &Error) -> Self {
        Self::error_line(&"null".into(), "InvalidJob", Json::str(format!("line {line}: {error}")))
    }

    /// The answer to a job that ended in an exception: its class's name, and `failure_message` or `str`.
    ///
    /// # Errors
    /// Exceptions raised by the exception's own `__str__`; `MemoryError` if the message is too long for a line.
    pub fn failed(vm: &mut Vm, id: &Arc<str>, raised: &Raised) -> PyResult<Self> {
        let exception = raised.value();
        let failure_message = vm.find_attr(&exception, "failure_message")?;
        let message = match failure_message {
            Some(message) if vm.truthy(&message)? => Json::from_value(vm, &message)?,
            _ => {
                let text = vm.str(&exception)?;
                charge_escaping(vm, 0, &text)?;
                Json::str(text.as_str())
            }
        };
        Ok(Self::error_line(id, raised.class_name(), message))
    }

    /// The answer with this error.
    pub fn error_line(id: &Arc<str>, kind: &str, message: Json) -> Self {
        Self { id: id.clone(), outcome: Outcome::Failed { kind: kind.into(), message } }
    }

    /// The job's id as JSON.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The answer's line of an answer file, with its line feed.
    ///
    /// ```
    /// use tpv_galaxy::{Answer, Error};
    ///
    /// let answer = Answer::invalid(9, &Error::Job("tool: missing".to_owned()));
    /// assert!(answer.line().contains(r#""error": {"type": "InvalidJob""#));
    /// ```
    pub fn line(&self) -> String {
        let mut line = String::with_capacity(1024);
        self.write_line(&mut line);
        line
    }

    /// The class and message of the job's error. `None` if it was mapped.
    pub fn error(&self) -> Option<(&str, &Json)> {
        match &self.outcome {
            Outcome::Mapped { .. } => None,
            Outcome::Failed { kind, message } => Some((kind, message)),
        }
    }

    /// The class and message of the error in one text, as Python shows exceptions. `None` if the job was mapped.
    ///
    /// ```
    /// use tpv_galaxy::{Answer, Error};
    ///
    /// let answer = Answer::invalid(9, &Error::Job("tool: missing".to_owned()));
    /// assert!(answer.error_text().unwrap().starts_with("InvalidJob: "));
    /// ```
    pub fn error_text(&self) -> Option<String> {
        let (kind, message) = self.error()?;
        let mut text = kind.to_owned();
        match message {
            Json::Str(message) if message.is_empty() => {}
            Json::Str(message) => {
                text.push_str(": ");
                text.push_str(message);
            }
            other => {
                text.push_str(": ");
                write_text(&mut text, other);
            }
        }
        Some(text)
    }

    /// A field as a number. `None` if it is none.
    pub fn number(&self, field: Field) -> Option<f64> {
        self.text(field)?.parse().ok()
    }

    /// The JSON text of a field. `None` if the job was not mapped or the field was not requested.
    pub fn text(&self, field: Field) -> Option<&str> {
        match &self.outcome {
            Outcome::Mapped { candidates, .. } if field == Field::Candidates => candidates.as_deref(),
            Outcome::Mapped { mapped, .. } => mapped.field(field),
            Outcome::Failed { .. } => None,
        }
    }

    /// A field as JSON. `None` if the job was not mapped or the field was not requested.
    pub fn get(&self, field: Field) -> Option<Json> {
        Json::read(&mut Reader::new(self.text(field)?)).ok()
    }

    /// The destination. `None` if the job was not mapped.
    pub fn destination(&self) -> Option<Destination> {
        Some(Destination {
            id: self.get(Field::Id)?,
            runner: self.get(Field::Runner)?,
            tags: self.get(Field::Tags)?,
            params: self.get(Field::Params)?,
            env: self.get(Field::Env)?,
            resubmit: self.get(Field::Resubmit)?,
        })
    }

    /// The destination's id. `None` if the job was not mapped or the id is not a string.
    ///
    /// ```
    /// use tpv_galaxy::{Answer, Error};
    ///
    /// let answer = Answer::invalid(9, &Error::Job("tool: missing".to_owned()));
    /// // No destination. Of a job that was mapped, its id, such as `slurm`.
    /// assert_eq!(answer.destination_id(), None);
    /// ```
    pub fn destination_id(&self) -> Option<Cow<'_, str>> {
        Reader::new(self.text(Field::Id)?).string().ok()
    }

    /// Appends the answer's line, with its line feed: [`Answer::line`] without a text of its own.
    ///
    /// ```
    /// use tpv_galaxy::{Answer, Error};
    ///
    /// let answer = Answer::invalid(9, &Error::Job("tool: missing".to_owned()));
    /// let mut file = String::new();
    /// answer.write_line(&mut file);
    /// assert_eq!(file, answer.line());
    /// ```
    pub fn write_line(&self, out: &mut String) {
        out.push_str("{\"id\": ");
        out.push_str(&self.id);
        match &self.outcome {
            Outcome::Mapped { mapped, candidates } => {
                out.push_str(&mapped.text);
                if let Some(candidates) = candidates {
                    out.push_str(BEFORE.last().copied().unwrap_or_default());
                    out.push_str(candidates);
                }
            }
            Outcome::Failed { kind, message } => {
                out.push_str(", \"error\": {\"type\": ");
                escape_into(out, kind);
                out.push_str(", \"message\": ");
                write_text(out, message);
                out.push('}');
            }
        }
        out.push_str("}\n");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::shape::answer as shape;

    #[test]
    fn lines_are_the_contracts() {
        let fields = [
            (Field::Id, "\"slurm\""),
            (Field::Runner, "\"slurm\""),
            (Field::Tags, "[]"),
            (Field::Params, "{\"a\": \"b\"}"),
            (Field::Env, "[]"),
            (Field::Resubmit, "[]"),
            (Field::Cores, "4"),
            (Field::Mem, "15.2"),
            (Field::Gpus, "null"),
            (Field::Candidates, "[\"slurm\"]"),
        ];
        let answer = |candidates: Option<&[Option<String>]>| {
            let mut draft = Draft::default();
            for (field, text) in fields.split_last().unwrap().1 {
                let written = draft.field(*field, |out| {
                    out.push_str(text);
                    Ok(())
                });
                assert!(written.is_ok());
            }
            Answer::mapped(&"\"j\"".into(), draft.finish(), candidates)
        };
        let plain = answer(None);
        let expected = "{\"id\": \"j\", \"destination\": {\"id\": \"slurm\", \"runner\": \"slurm\", \"tags\": [], \
            \"params\": {\"a\": \"b\"}, \"env\": [], \"resubmit\": []}, \"cores\": 4, \"mem\": 15.2, \"gpus\": null}\n";
        assert_eq!(plain.line(), expected);
        assert_eq!(plain.text(Field::Candidates), None);
        let detailed = answer(Some(&[Some("slurm".to_owned())]));
        assert!(detailed.line().ends_with("\"gpus\": null, \"candidates\": [\"slurm\"]}\n"));
        for (field, text) in fields {
            assert_eq!(detailed.text(field), Some(text), "{field:?}");
        }
        let names = |object: &Json| match object {
            Json::Object(items) => items.iter().map(|(name, _)| name.to_string()).collect(),
            _ => Vec::new(),
        };
        let read = Json::read(&mut Reader::new(&detailed.line())).unwrap();
        assert_eq!(names(&read), shape::MAPPED.names().collect::<Vec<_>>());
        assert_eq!(names(read.get("destination").unwrap()), shape::DESTINATION.names().collect::<Vec<_>>());
        assert_eq!(detailed.get(Field::Mem), Some(Json::Float(15.2)));
        assert_eq!(detailed.destination_id().as_deref(), Some("slurm"));
        let invalid = Answer::invalid(7, &Error::Job("tool.id: missing".into()));
        assert_eq!(
            invalid.line(),
            "{\"id\": null, \"error\": {\"type\": \"InvalidJob\", \"message\": \"line 7: tool.id: missing\"}}\n"
        );
        assert_eq!(invalid.error().unwrap().0, "InvalidJob");
        assert_eq!(invalid.text(Field::Id), None);
    }
}
