//! The report as rows, for programs and spreadsheets.

use tpv_text::rows::{Cell, Rows};

use crate::report::Report;
use crate::tables::groups;

/// All rows of all tables. Seconds, hours and numbers are as they are.
pub fn rows(report: &Report) -> Rows {
    let mut rows = Rows::new(vec![
        "rules",
        "group",
        "name",
        "jobs",
        "failed",
        "out_of_memory",
        "unmapped",
        "too_large",
        "lost",
        "undecided",
        "wait_median_s",
        "wait_95_s",
        "wait_most_s",
        "wait_mean_s",
        "not_ready",
        "deaths",
        "resubmitted",
        "core_h",
        "core_h_wasted",
        "gib_h",
        "gib_h_wasted",
        "gpu_h",
        "gpu_h_wasted",
    ]);
    for set in &report.sets {
        let all = [("", "all", std::slice::from_ref(&set.all))];
        for (group, row) in
            all.into_iter().chain(groups(set)).flat_map(|(_, group, rows)| rows.iter().map(move |row| (group, row)))
        {
            let mut cells: Vec<Cell> = vec![set.name.as_str().into(), group.into(), row.name.as_str().into()];
            let decimal = |value: f64| Cell::Decimal(format!("{value:.3}"));
            let counts =
                [row.jobs, row.failed, row.out_of_memory, row.unmapped, row.too_large, row.lost, row.undecided];
            cells.extend(counts.map(decimal));
            let waits = [row.wait_median, row.wait_95, row.wait_most, row.wait_mean];
            cells.extend(waits.map(|wait| wait.map_or(Cell::Empty, decimal)));
            cells.extend(
                [
                    row.not_ready,
                    row.deaths,
                    row.resubmitted,
                    row.core_hours,
                    row.core_hours_wasted,
                    row.gib_hours,
                    row.gib_hours_wasted,
                    row.gpu_hours,
                    row.gpu_hours_wasted,
                ]
                .map(decimal),
            );
            rows.push(cells);
        }
    }
    rows
}
