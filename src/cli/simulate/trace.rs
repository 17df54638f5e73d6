//! `--trace`: each time that the mapper was asked, as a line of JSON, with what changed in the job table since the last.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::job_table::JobRow;
use tpv_runtime::galaxy::world::World;
use tpv_simulate::route::Routed;

/// Writes a trace.
pub(super) struct Trace<W> {
    writer: W,
    last: BTreeMap<i64, JobRow>,
    /// The first error of writing.
    error: Option<io::Error>,
}

impl<W: Write> Trace<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer, last: BTreeMap::new(), error: None }
    }

    /// The mapper was asked for a job, the `line`-th of the file.
    pub(super) fn asked(&mut self, line: usize, job: &Job, world: &World, routed: &Routed) {
        let now: BTreeMap<i64, JobRow> = world.jobs.iter().map(|(_, row)| (row.id, row.clone())).collect();
        let is_new = |(id, row): &(&i64, &JobRow)| self.last.get(id) != Some(row);
        let row = |row: &JobRow| json!([row.id, row.tool_id, row.user_id, row.state, row.destination_id]);
        let set: Vec<Value> = now.iter().filter(is_new).map(|(_, changed)| row(changed)).collect();
        let gone: Vec<i64> = self.last.keys().filter(|id| !now.contains_key(id)).copied().collect();
        let params = job.destination_params.and_then(|raw| serde_json::from_str::<Value>(raw.text(job)).ok());
        let answer = match routed {
            // As it is: reading it could round a number.
            Routed::To(target) => target.answer.as_ref().map_or_else(|| "null".to_owned(), |answer| answer.line()),
            Routed::NotReady => json!({"error": {"type": "JobNotReadyException"}}).to_string(),
            Routed::Failed { kind, message } => json!({"error": {"type": kind, "message": message}}).to_string(),
        };
        let entry = json!({
            "line": line,
            "now": world.now,
            "job_id": job.job_id,
            "seed": job.seed.as_ref().map(ToString::to_string),
            "state": job.state(),
            "destination_params": params,
            "set": set,
            "gone": gone,
        })
        .to_string();
        let entry = entry.strip_suffix('}').unwrap_or(&entry);
        self.last = now;
        if self.error.is_none() {
            self.error = writeln!(self.writer, "{entry},\"answer\":{}}}", answer.trim_end()).err();
        }
    }

    /// Returns the writer, if all was written.
    ///
    /// # Errors
    /// It could not be.
    pub(super) fn end(self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.writer),
        }
    }
}
