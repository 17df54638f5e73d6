//! `tpvc who reaches`

use clap::Args;

use super::Asked;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use tpv_analysis::check::reach::Users;
use tpv_analysis::who::reaches::{only_declared, reaching};
use tpv_text::figures::{count, grouped};
use tpv_text::rows::{Cell, Rows};

/// List the tools whose jobs may reach a destination
///
/// A tool that is not listed is proved to have no job that gets there; see `tpvc check`. Of each, ordinary jobs with inputs of 0.1, 1, 10 and 100 GiB are
/// mapped: where they go is in the column ORDINARY JOBS.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc who reaches slurm\n  \
    tpvc who reaches slurm --only\n  \
    tpvc who reaches slurm rules.bin --format csv -o slurm.csv")]
pub(super) struct Reaches {
    /// The id of the destination
    #[arg(value_name = "DESTINATION")]
    destination: String,
    /// Only tools that reach no other destination
    #[arg(long)]
    only: bool,
    /// Only jobs of users that match no role or user of the config but the default
    #[arg(long)]
    ordinary: bool,
    #[command(flatten)]
    asked: Asked,
}

impl Reaches {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let Some(subject) = self.asked.load(common)? else { return Ok(Outcome::Bad) };
        let users = if self.ordinary { Users::Ordinary } else { Users::All };
        let index = subject.destination(&self.destination)?;
        let [matrix] = subject.matrices([users], &self.asked.world(None, common)?)?;
        let found = reaching(&matrix, index);
        // People need the room of the number for the id.
        let counts = !self.asked.is_for_people();
        let header = ["TOOL"].into_iter().chain(counts.then_some("OTHERS"));
        let mut rows = Rows::new(header.chain(["OTHER DESTINATIONS", "ORDINARY JOBS", "PLACE"]));
        for tool in found.iter().filter(|tool| !self.only || tool.others.is_empty()) {
            let mut row: Vec<Cell> = vec![self.asked.tool(&tool.tool.id).into()];
            row.extend(counts.then(|| tool.others.len().into()));
            row.extend([
                self.asked.names(&tool.others).into(),
                matrix.tried.words(&tool.tool.tried).into(),
                tool.tool.place.as_str().into(),
            ]);
            rows.push(row);
        }
        let only = found.iter().filter(|tool| tool.others.is_empty()).count();
        let all = count(matrix.tools.len() as u64, "tool");
        let mut note = format!(
            "{} of {all} can use `{}`; {} of them can use no other destination",
            grouped(found.len() as u64),
            self.destination,
            grouped(only as u64)
        );
        let declared = only_declared(&matrix);
        if declared > 0 {
            note += &format!(
                "; left out: {} that have a destination only if the wrapper declares resources",
                grouped(declared as u64)
            );
        }
        let unproved = found.iter().filter(|tool| !tool.is_followed).count();
        if unproved > 0 {
            note +=
                &format!("; {} of them were not followed, because too many entities meet", grouped(unproved as u64));
        }
        self.asked.answer(&rows, &note, common)
    }
}
