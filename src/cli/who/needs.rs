//! `tpvc who needs`

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Mapper;

use super::{Asked, Subject};
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use crate::cli::stream::{self, Jobs, Threads};
use crate::cli::{map, who};
use tpv_analysis::check::reach::Users;
use tpv_analysis::who::drains::{Lines, Tally, To, drained};
use tpv_analysis::who::reaches::reaching;
use tpv_text::diagnostic::REPORT_BUG;
use tpv_text::figures::{count, grouped};
use tpv_text::rows::Rows;

/// Show what draining a destination does: which tools have nowhere else to go, where the others go
///
/// Without jobs the answer is about all jobs that tools may have, by the proofs of `tpvc check`. With `--jobs` the jobs of a file are
/// mapped with the destination and without it.
#[derive(Args)]
#[command(
    visible_alias = "drain",
    after_help = "Examples:\n  \
    tpvc who needs slurm\n  \
    tpvc who needs slurm --jobs jobs.jsonl.gz\n  \
    tpvc who drain slurm --jobs jobs.jsonl.gz rules/ --format csv"
)]
pub(super) struct Needs {
    /// The id of the destination
    #[arg(value_name = "DESTINATION")]
    destination: String,
    /// Count where the jobs of a file go: a job file, plain, gzip or zstd; `-` is stdin
    #[arg(long, value_name = "JOBS")]
    jobs: Option<PathBuf>,
    /// Leave out the jobs of other dynamic destinations and those that went to a static one, as the job file names them
    /// (`export-jobs --job-conf`)
    #[arg(long, value_name = "DESTINATION")]
    dispatcher: Option<String>,
    #[command(flatten)]
    asked: Asked,
    /// Galaxy's state for the jobs (a world file)
    #[arg(long, value_name = "WORLD", requires = "jobs")]
    world: Option<PathBuf>,
    /// Threads to map with [default: all cores; one if the rules have resource pools, which admit jobs in order]
    #[arg(long, value_name = "N", value_parser = map::threads, requires = "jobs")]
    threads: Option<u16>,
}

impl Needs {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        self.jobs.as_deref().map_or(Ok(()), stream::check_kind)?;
        let Some(subject) = self.asked.load(common)? else { return Ok(Outcome::Bad) };
        match &self.jobs {
            Some(path) => self.over(path, &subject, common),
            None => self.of_tools(&subject, common),
        }
    }

    fn of_tools(&self, subject: &Subject, common: &Common) -> Result<Outcome, CliError> {
        let index = subject.destination(&self.destination)?;
        let world = self.asked.world(None, common)?;
        let [ordinary, all] = subject.matrices([Users::Ordinary, Users::All], &world)?;
        // Both have the same tools, of which more may reach it with roles.
        let mut found = reaching(&ordinary, index);
        found.sort_by_key(|tool| tool.others.len());
        let with_roles: HashMap<&str, Vec<&str>> =
            reaching(&all, index).into_iter().map(|tool| (tool.tool.id.as_str(), tool.others)).collect();
        let mut rows = Rows::new(vec!["TOOL", "OTHERS", "GOES TO", "WITH ROLES", "ORDINARY JOBS", "PLACE"]);
        let mut stuck = [0; 2];
        for tool in &found {
            let more = with_roles.get(tool.tool.id.as_str()).map_or(&[] as &[&str], Vec::as_slice);
            let more: Vec<&str> = more.iter().copied().filter(|id| !tool.others.contains(id)).collect();
            let to = if tool.others.is_empty() { "nowhere".to_owned() } else { self.asked.names(&tool.others) };
            stuck[0] += usize::from(tool.others.is_empty());
            stuck[1] += usize::from(tool.others.is_empty() && more.is_empty());
            rows.push(vec![
                self.asked.tool(&tool.tool.id).into(),
                tool.others.len().into(),
                to.into(),
                self.asked.names(&more).into(),
                ordinary.tried.words(&tool.tool.tried).into(),
                tool.tool.place.as_str().into(),
            ]);
        }
        let [ordinary, all] = stuck.map(|number| grouped(number as u64));
        let note = format!(
            "{} can use `{}`. {ordinary} of them would have no other destination for ordinary users, {all} for any user or role; \
             `--jobs JOBS` counts the jobs that need it",
            count(found.len() as u64, "tool"),
            self.destination,
        );
        self.asked.answer(&rows, &note, common)
    }

    fn over(&self, path: &Path, subject: &Subject, common: &Common) -> Result<Outcome, CliError> {
        subject.destination(&self.destination)?;
        let drained = drained(&subject.rules, &self.destination).map_err(|error| {
            CliError::new(format!("the rules without `{}` are not sound: {error}", self.destination), REPORT_BUG)
        })?;
        let mapper = |rules: Arc<Rules>| Mapper::with_hooks(rules, map::hooks(common), false);
        let lines = Lines {
            whole: mapper(subject.rules.clone()),
            drained: mapper(Arc::new(drained)),
            destination: self.destination.clone(),
            world: self.asked.world(self.world.as_deref(), common)?,
        };
        let threads = Threads { wanted: self.threads, in_order: lines.whole.depends_on_order() };
        let jobs = Jobs { path, dispatcher: self.dispatcher.as_deref() };
        let tallies = stream::over(jobs, io::sink(), threads, &lines, common)?.unwrap_or_default();
        let mut total = Tally::default();
        tallies.iter().for_each(|tally| total.merge(tally));
        let mut rows = Rows::new(vec!["JOBS", "GO TO", "TOOL", "ERROR"]);
        for flow in total.flows() {
            let (to, error) = match flow.to {
                To::Destination(id) => (Some(id), None),
                To::Error(error) => (None, Some(error)),
                To::Elsewhere => (Some("(others)".to_owned()), None),
            };
            let nowhere = error.is_some().then(|| "nowhere".to_owned());
            let tool = self.asked.tool(&flow.tool);
            rows.push(vec![flow.jobs.into(), to.or(nowhere).into(), tool.into(), error.into()]);
        }
        let note = format!(
            "`{}` gets {} of {}; without it {} fail and {} go elsewhere",
            self.destination,
            grouped(total.moved),
            count(total.jobs, "job"),
            grouped(total.failed),
            grouped(total.moved - total.failed),
        );
        self.asked.answer(&rows, &note, common)?;
        Mapper::leave_to_system();
        who::complete(total.invalid, path)
    }
}
