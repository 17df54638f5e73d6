//! `tpvc who lacks`

use clap::Args;

use super::Asked;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use tpv_analysis::who::field::Field;
use tpv_analysis::who::lacks::lacking;
use tpv_text::figures::{count, grouped};
use tpv_text::rows::{Cell, Rows};

/// List the tools that set a field neither themselves nor by another id that matches them
///
/// Their jobs get the default's value, unless a rule, a role or a user sets another.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc who lacks mem\n  \
    tpvc who lacks params.docker_memory rules/ --format json")]
pub(super) struct Lacks {
    /// The field: `cores`, `mem`, `max_gpus`, `rank`, `env.NAME`, `params.NAME`, `context.NAME`, `tags.NAME`
    #[arg(value_parser = field)]
    field: Field,
    #[command(flatten)]
    asked: Asked,
}

/// A field, as the command line takes it.
pub(super) fn field(text: &str) -> Result<Field, String> {
    Field::parse(text).map_err(|help| format!("there is no such field; {help}"))
}

impl Lacks {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let Some(subject) = self.asked.load(common)? else { return Ok(Outcome::Bad) };
        let Some(found) = lacking(&subject.config, &subject.sources, &self.field) else {
            let help = "`tpvc lint` shows the id that is not a valid pattern (T002)";
            return Err(CliError::new("the id of a tool is not a valid pattern, so every job fails", help));
        };
        let mut rows = Rows::new(vec!["TOOL", "GETS", "SET BY RULES", "PLACE"]);
        for tool in &found {
            rows.push(vec![
                self.asked.tool(&tool.tool).into(),
                tool.gets.as_deref().map_or(Cell::Empty, Into::into),
                self.asked.names(&tool.rules).into(),
                format!("{}:{}", tool.place.file, tool.place.line).into(),
            ]);
        }
        let default = match found.first().map(|tool| (&tool.gets, &tool.from)) {
            Some((Some(value), Some(from))) => {
                let unit = if value.parse::<f64>().is_ok() { self.field.unit() } else { String::new() };
                format!(", so they get that of the default: {value}{unit} ({}:{})", from.file, from.line)
            }
            Some(_) => ", and the default has none".to_owned(),
            None => String::new(),
        };
        let all = subject.config.tools.values().filter(|tool| !tool.common.is_abstract).count();
        let note = format!(
            "{} of {} without a `{}` of their own{default}",
            grouped(found.len() as u64),
            count(all as u64, "tool"),
            self.field
        );
        self.asked.answer(&rows, &note, common)
    }
}
