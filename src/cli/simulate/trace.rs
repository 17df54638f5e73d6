//! `--trace`: each time that the mapper was asked, as a line of JSON, with what changed in the job table since the last.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use tpv_galaxy::job::Job;
use tpv_galaxy::job_table::JobRow;
use tpv_galaxy::world::World;
use tpv_simulate::route::Routed;

/// Writes a trace.
pub(super) struct Trace<W> {
    writer: W,
    /// The rows as they were written last, by id; `None` before the first question.
    last: Option<BTreeMap<i64, JobRow>>,
    /// The places of the rows that came, changed or went since, by id.
    touched: BTreeMap<i64, usize>,
    /// The first error of writing.
    error: Option<io::Error>,
}

impl<W: Write> Trace<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer, last: None, touched: BTreeMap::new(), error: None }
    }

    /// A row of the job table came, changed or went.
    pub(super) fn touched(&mut self, place: usize, id: i64) {
        self.touched.insert(id, place);
    }

    /// The rows that are not as they were written last, and the ids of those that are gone, both in the order of the ids.
    fn changes<'w>(&mut self, world: &'w World) -> (Vec<&'w JobRow>, Vec<i64>) {
        let touched = std::mem::take(&mut self.touched);
        let Some(last) = &mut self.last else {
            let all: BTreeMap<i64, &JobRow> = world.jobs.iter().map(|(_, row)| (row.id, row)).collect();
            self.last = Some(all.iter().map(|(id, row)| (*id, (*row).clone())).collect());
            return (all.into_values().collect(), Vec::new());
        };
        let (mut set, mut gone) = (Vec::new(), Vec::new());
        for (id, place) in touched {
            match world.jobs.get(place) {
                Some(row) if last.get(&id) == Some(row) => {}
                Some(row) => {
                    last.insert(id, row.clone());
                    set.push(row);
                }
                None => gone.extend(last.remove(&id).map(|_| id)),
            }
        }
        (set, gone)
    }

    /// The mapper was asked for a job, the `line`-th of the file.
    pub(super) fn asked(&mut self, line: usize, job: &Job, world: &World, routed: &Routed) {
        let (set, gone) = self.changes(world);
        let row = |row: &JobRow| json!([row.id, row.tool_id, row.user_id, row.state, row.destination_id]);
        let set: Vec<Value> = set.into_iter().map(row).collect();
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
