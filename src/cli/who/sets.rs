//! `tpvc who sets`

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tpv_runtime::mapper::Mapper;

use super::lacks::field;
use super::{Asked, brief};
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use crate::cli::job::{JobFlags, note_unmatched};
use crate::cli::map;
use tpv_analysis::explain::{Collector, Provenance};
use tpv_analysis::who::field::Field;
use tpv_analysis::who::sets::settings;
use tpv_text::rows::Rows;

/// Show what sets a field of a tool's jobs: the chain of entities and rules, and what overrides what
///
/// The tool is a concrete id, as Galaxy has it. One job of it is mapped, of an anonymous user and without inputs unless flags say
/// otherwise; rules that do not fire for it are shown with their conditions.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc who sets cores bwa_mem\n  \
    tpvc who sets mem toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/0.7 --input-size 20 --roles training\n  \
    tpvc who sets env.TMPDIR bwa_mem rules/ --format json")]
pub(super) struct Sets {
    /// The field: `cores`, `mem`, `max_gpus`, `rank`, `env.NAME`, `params.NAME`, `context.NAME`, `tags.NAME`
    #[arg(value_parser = field)]
    field: Field,
    /// The id of the tool
    tool: String,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    flags: JobFlags,
    /// Galaxy's state at that moment (a world file): jobs, tool data tables, files, time [default: an empty Galaxy, now]
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
}

impl Sets {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let job = Arc::new(self.flags.parse(&self.flags.json(&self.tool)?)?);
        let Some(subject) = self.asked.load(common)? else { return Ok(Outcome::Bad) };
        let world = self.asked.world(self.world.as_deref(), common)?;
        let origin = subject.has_texts.then_some((&subject.config, &subject.sources));
        let provenance = Provenance::new(&subject.rules, origin);
        let mut collector = Collector::new(&provenance, &job, Vec::new());
        let mapper = Mapper::with_hooks(subject.rules.clone(), map::hooks(common), false);
        let answer = mapper.map_observed(&job, &world, &mut collector);
        let explanation = collector.finish(&answer);
        let found = settings(&explanation, origin, &self.field);
        let mut rows = Rows::new(vec!["VALUE", "SET BY", "STATE", "IF", "PLACE"]);
        for setting in &found.list {
            rows.push(vec![
                self.asked.text(&setting.value).into(),
                self.asked.owner(&setting.by).into(),
                setting.role.words().into(),
                setting.condition.as_deref().map(|condition| self.asked.text(condition)).into(),
                setting.place.as_ref().map(|place| format!("{}:{}", place.file, place.line)).into(),
            ]);
        }
        let (field, unit) = (&self.field, self.field.unit());
        let mut note = match (&found.value, answer.error_text()) {
            (Some(value), _) if value.parse::<f64>().is_ok() => format!("the job gets `{field}` {value}{unit}"),
            (Some(value), _) => format!("the job gets `{field}` {value}"),
            (None, None) => format!("the job gets no `{field}`"),
            (None, Some(error)) => format!("the job cannot be mapped: {}", error.lines().next().unwrap_or_default()),
        };
        if let Some(bounds) = &found.note {
            note += &format!(": {bounds}");
        }
        if !found.others.is_empty() {
            note += &format!("; set for other jobs (`--roles`, `--user`) by {}", brief(&found.others, 3));
        }
        let outcome = self.asked.answer(&rows, &note, common)?;
        if !explanation.names_tool() {
            note_unmatched(&self.tool, &subject.rules, common);
        }
        Ok(outcome)
    }
}
