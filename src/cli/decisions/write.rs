//! The file of decisions that `map --decisions` writes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tpv_analysis::rule_texts::{FOLDER, RuleTexts};
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_runtime::decision::{Decision, Head, Recorder};
use tpv_runtime::mapper::Mapper;
use tpv_text::printable::Form;

use super::time::now;
use crate::cli::error::CliError;
use crate::cli::output::{Output, write_text};

/// A file of decisions while jobs are mapped.
pub(in crate::cli) struct Decisions {
    path: PathBuf,
    digest: Option<String>,
    state: Mutex<State>,
}

struct State {
    output: Output,
    /// The error that ended writing.
    error: Option<io::Error>,
}

impl Decisions {
    /// Begins a file, which appears at the end, and keeps the texts of the rules beside it.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub(in crate::cli) fn create(path: &Path, texts: Option<&RuleTexts>) -> Result<Self, CliError> {
        let unwritable = |error: &io::Error| CliError::unwritable(WHAT, error, path);
        let output = Output::create(path).map_err(|error| unwritable(&error))?;
        let digest = texts.map(RuleTexts::digest);
        if let (Some(texts), Some(name), Output::File(..)) =
            (texts, digest.as_deref().and_then(RuleTexts::file_name), &output)
        {
            let folder = path.parent().unwrap_or(Path::new("")).join(FOLDER);
            std::fs::create_dir_all(&folder).map_err(|error| CliError::unwritable(TEXTS, &error, &folder))?;
            write_text(TEXTS, &folder.join(name), Form::Data, &texts.json())?;
        }
        Ok(Self { path: path.to_owned(), digest, state: Mutex::new(State { output, error: None }) })
    }

    /// Maps a line of a job file and writes the decision. `None` if its job belongs to another dispatcher.
    pub(in crate::cli) fn map(
        &self,
        mapper: &Mapper,
        dispatcher: Option<&str>,
        number: usize,
        line: &[u8],
        world: &Arc<World>,
    ) -> Option<(Option<Arc<Job>>, Answer)> {
        let job = match Job::from_line(line) {
            Ok(job) => Arc::new(job),
            Err(error) => return Some((None, Answer::invalid(number, &error))),
        };
        if dispatcher.is_some_and(|dispatcher| job.is_of_another(dispatcher)) {
            return None;
        }
        let mut recorder = Recorder::new(mapper.rules().clone());
        let started = Instant::now();
        let answer = mapper.map_observed(&job, world, &mut recorder);
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let mut head = Head::of_job(&job);
        head.time = now();
        head.ms = Some((ms * 1e3).round() / 1e3);
        head.rules.clone_from(&self.digest);
        head.dispatcher = head.dispatcher.or_else(|| dispatcher.map(str::to_owned));
        self.write(&Decision { head, ..recorder.of_answer(&answer) });
        Some((Some(job), answer))
    }

    fn write(&self, decision: &Decision) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.error.is_none() {
            state.error = state.output.write_all(decision.line().as_bytes()).err();
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// It could not be written.
    pub(in crate::cli) fn finish(self) -> Result<(), CliError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let finished = state.error.map_or_else(|| state.output.finish(), Err);
        finished.map_err(|error| CliError::unwritable(WHAT, &error, &self.path))
    }
}

const WHAT: &str = "the decisions";
const TEXTS: &str = "the texts of the rules";
