//! The report as rows, for programs and spreadsheets.

use tpv_text::rows::{Cell, Rows};

use crate::report::{Proposal, Report};
use crate::trial::{Both, Trial};

/// A row for each tool.
pub fn rows(report: &Report) -> Rows {
    let mut rows = Rows::new(vec![
        "tool",
        "place",
        "jobs",
        "asked_median_gib",
        "used_median_gib",
        "used_95_gib",
        "used_most_gib",
        "reserved_gib_h",
        "used_gib_h",
        "failed_gib_h",
        "killed",
        "lost",
        "cores_busy",
        "verdict",
        "mem",
        "tried_lost_today",
        "tried_lost",
        "tried_unmapped_today",
        "tried_unmapped",
        "tried_again_today",
        "tried_again",
        "tried_gib_h_today",
        "tried_gib_h",
        "tried_core_h_today",
        "tried_core_h",
        "saving",
        "saving_low",
        "saving_high",
    ]);
    for tool in &report.tools {
        let usage = &tool.usage;
        let number = |value: Option<f64>| value.map_or(Cell::Empty, |value| Cell::Decimal(format!("{value:.4}")));
        let (verdict, mem, evidence, trial) = match &tool.proposal {
            Proposal::Change { mem, evidence, trial, .. } => {
                ("change", Some(mem.clone()), evidence.as_ref(), trial.as_ref())
            }
            Proposal::Keep { why, evidence, .. } => (why.words(), None, evidence.as_ref(), None),
        };
        let counts = |both: fn(&Trial) -> Both| {
            let both = trial.map(both);
            [both.map(|both| both.today), both.map(|both| both.proposed)]
                .map(|jobs| jobs.map_or(Cell::Empty, Cell::Number))
        };
        let [lost_today, lost] = counts(|trial| trial.lost);
        let [unmapped_today, unmapped] = counts(|trial| trial.unmapped);
        let [again_today, again] = counts(|trial| trial.again);
        let [memory, cores] = [trial.map(Trial::gib_hours), trial.map(Trial::core_hours)];
        rows.push(vec![
            tool.tool.as_str().into(),
            tool.place.clone().into(),
            usage.jobs.into(),
            number(Some(usage.asked_median)),
            number(usage.used_median),
            number(usage.used_95),
            number(usage.used_most),
            number(Some(usage.reserved)),
            number(Some(usage.used)),
            number(Some(usage.failed)),
            usage.killed.into(),
            usage.lost.into(),
            number(usage.cores_busy),
            verdict.into(),
            mem.into(),
            lost_today,
            lost,
            unmapped_today,
            unmapped,
            again_today,
            again,
            number(memory.map(|[today, _]| today)),
            number(memory.map(|[_, new]| new)),
            number(cores.map(|[today, _]| today)),
            number(cores.map(|[_, new]| new)),
            number(evidence.map(|evidence| evidence.saving)),
            number(evidence.map(|evidence| evidence.interval[0])),
            number(evidence.map(|evidence| evidence.interval[1])),
        ]);
    }
    rows
}
