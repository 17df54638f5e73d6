//! `tpvc who fires`

use std::io;
use std::path::PathBuf;

use clap::Args;
use tpv_runtime::mapper::Mapper;

use super::Asked;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use crate::cli::stream::{self, Jobs, Threads};
use crate::cli::{map, who};
use tpv_analysis::who::fires::{Lines, Tally, fired};
use tpv_text::figures::{count, grouped};
use tpv_text::rows::Rows;

/// List the rules that fired over a job file, and those that never did
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc who fires --jobs jobs.jsonl\n  \
    tpvc who fires --jobs jobs.jsonl.gz --never rules/ --format csv")]
pub(super) struct Fires {
    /// The jobs: a job file, plain, gzip or zstd; `-` is stdin [default: the jobs of tpvc.toml]
    #[arg(long, value_name = "JOBS")]
    jobs: Option<PathBuf>,
    /// Leave out the jobs of other dynamic destinations and those that went to a static one, as the job file names them
    /// (`export-jobs --job-conf`)
    #[arg(long, value_name = "DESTINATION")]
    dispatcher: Option<String>,
    /// Only rules that never fired
    #[arg(long)]
    never: bool,
    #[command(flatten)]
    asked: Asked,
    /// Galaxy's state for the jobs (a world file)
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Threads to map with [default: all cores; one if the rules have resource pools, which admit jobs in order]
    #[arg(long, value_name = "N", value_parser = map::threads)]
    threads: Option<u16>,
}

impl Fires {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let Some(path) = self.jobs.clone().or(self.asked.settings(common)?.jobs) else {
            let help = "name a job file with `--jobs JOBS`, or as `jobs = \"...\"` in `tpvc.toml`";
            return Err(CliError::misuse("no jobs are given", help));
        };
        stream::check_kind(&path)?;
        let Some(subject) = self.asked.load(common)? else { return Ok(Outcome::Bad) };
        let world = self.asked.world(self.world.as_deref(), common)?;
        let lines = Lines::new(Mapper::with_hooks(subject.rules.clone(), map::hooks(common), false), world);
        let threads = Threads { wanted: self.threads, in_order: lines.mapper.depends_on_order() };
        let jobs = Jobs { path: &path, dispatcher: self.dispatcher.as_deref() };
        let tallies = stream::over(jobs, io::sink(), threads, &lines, common)?.unwrap_or_default();
        let mut total = Tally::default();
        tallies.iter().for_each(|tally| total.merge(tally));
        let rules = lines.rules(&total);
        let mut rows = Rows::new(vec!["FIRED", "CHECKED", "RULE", "ENTITY", "PLACE"]);
        for rule in rules.iter().filter(|rule| !self.never || rule.uses.fired == 0) {
            rows.push(vec![
                rule.uses.fired.into(),
                rule.uses.looked_at.into(),
                rule.id.as_str().into(),
                self.asked.owner(&rule.owner).into(),
                format!("{}:{}", rule.place.file, rule.place.line).into(),
            ]);
        }
        let (all, fired) = (count(rules.len() as u64, "rule"), fired(&rules));
        let never = grouped((rules.len() - fired) as u64);
        let note = format!("{} of {all} fired over {}, {never} never", grouped(fired as u64), count(total.jobs, "job"));
        self.asked.answer(&rows, &note, common)?;
        Mapper::leave_to_system();
        who::complete(total.invalid, &path)
    }
}
