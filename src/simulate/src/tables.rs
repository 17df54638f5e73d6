//! Tables that several forms of the report have.

use tpv_analysis::tool_id::short;
use tpv_text::figures::amount;
use tpv_text::rows::{Cell, Rows};

use crate::report::{self, ApartRow, Change, ClusterReport, Report, Row, SetReport, Unit, duration};

/// The tables of a rule set by what its rows are.
pub(crate) fn groups(set: &SetReport) -> [(&'static str, &'static str, &[Row]); 4] {
    [
        ("DESTINATION", "destination", &set.destinations),
        ("TOOL", "tool", &set.tools),
        ("USER", "user", &set.users),
        ("ROLE", "role", &set.roles),
    ]
}

pub(crate) fn number(value: f64) -> Cell {
    Cell::Decimal(if value.abs() >= 100.0 { amount(value.round()) } else { amount(value) })
}

/// A wait; a dash where no job ran to its end.
pub(crate) fn wait(seconds: Option<f64>) -> Cell {
    Cell::Decimal(report::wait(seconds))
}

/// The first cells of a row: name, a tool without its tool shed, jobs, failed jobs, waits.
pub(crate) fn waits(row: &Row) -> [Cell; 6] {
    let [median, nearly_all, most] = [row.wait_median, row.wait_95, row.wait_most].map(wait);
    [short(&row.name).into(), number(row.jobs), number(row.failed), median, nearly_all, most]
}

/// A value by its unit.
pub(crate) fn shown(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Seconds => duration(value),
        Unit::Count | Unit::Hours => amount(if value.abs() >= 100.0 { value.round() } else { value }),
    }
}

pub(crate) fn signed(unit: Unit, value: f64) -> String {
    let text = shown(unit, value);
    if value > 0.0 && !text.starts_with('0') { format!("+{text}") } else { text }
}

/// The key figures of one rule set.
pub(crate) fn totals(set: &SetReport) -> Rows {
    let mut rows = Rows::new(vec!["FIGURE", "VALUE"]);
    let all = &set.all;
    let part = |wasted: f64, of: f64| {
        let share = if of > 0.0 { 100.0 * wasted / of } else { 0.0 };
        format!("{}, {:.0} %", shown(Unit::Hours, wasted), share)
    };
    let jobs = |value: f64| shown(Unit::Count, value);
    let wait = report::wait;
    for (name, value) in [
        ("jobs that fail", jobs(all.failed)),
        ("jobs out of memory", jobs(all.out_of_memory)),
        ("jobs not mapped", jobs(all.unmapped)),
        ("jobs too large for any node", jobs(all.too_large)),
        ("jobs that never started", jobs(all.lost)),
        ("jobs undecided", jobs(all.undecided)),
        ("median wait", wait(all.wait_median)),
        ("95 % wait at most", wait(all.wait_95)),
        ("longest wait", wait(all.wait_most)),
        ("waiting at once, mean", shown(Unit::Count, set.waiting.mean)),
        ("waiting at once, most", shown(Unit::Count, set.waiting.most)),
        ("jobs not ready at first", jobs(all.not_ready)),
        ("attempts out of memory", jobs(all.deaths)),
        ("sent to another attempt", jobs(all.resubmitted)),
        ("core·h", shown(Unit::Hours, all.core_hours)),
        ("core·h wasted", part(all.core_hours_wasted, all.core_hours)),
        ("GiB·h", shown(Unit::Hours, all.gib_hours)),
        ("GiB·h wasted", part(all.gib_hours_wasted, all.gib_hours)),
    ] {
        rows.push(vec![name.into(), Cell::Decimal(value)]);
    }
    rows
}

/// The jobs that at least one rule set does not finish, with what they hold.
pub(crate) fn apart(rows: &[ApartRow]) -> Rows {
    let mut table = Rows::new(vec!["JOBS THAT FAIL", "JOBS", "CORE·H OLD", "NEW", "GIB·H OLD", "NEW"]);
    for row in rows {
        let amounts = row.core_hours.iter().chain(&row.gib_hours).map(|value| number(*value));
        table.push([row.fail.into(), number(row.jobs)].into_iter().chain(amounts).collect());
    }
    table
}

/// Values by two rule sets.
pub(crate) fn compared(title: &'static str, report: &Report, changes: &[Change]) -> Rows {
    let has_intervals = report.seeds > 2;
    let mut header = vec![title, "OLD", "NEW", "CHANGE"];
    header.extend(has_intervals.then_some("95 % INTERVAL"));
    let mut rows = Rows::new(header);
    for change in changes {
        let mut row = vec![
            change.name.as_str().into(),
            Cell::Decimal(shown(change.unit, change.old)),
            Cell::Decimal(shown(change.unit, change.new)),
            Cell::Decimal(signed(change.unit, change.difference)),
        ];
        if has_intervals {
            row.push(interval(report, change));
        }
        rows.push(row);
    }
    rows
}

pub(crate) fn interval(report: &Report, change: &Change) -> Cell {
    match change.interval {
        Some([0.0, 0.0]) | None => Cell::Empty,
        Some([low, high]) => {
            let sure = if change.is_sure() { "" } else { " (may be chance)" };
            let runs = if change.runs == report.seeds { String::new() } else { format!(" in {} runs", change.runs) };
            Cell::Text(format!("{} to {}{runs}{sure}", signed(change.unit, low), signed(change.unit, high)))
        }
    }
}

pub(crate) fn clusters(clusters: &[ClusterReport]) -> Rows {
    let mut rows =
        Rows::new(vec!["CLUSTER", "CORES", "USED", "MOST", "MEM GIB", "USED", "GPUS", "USED", "QUEUED", "MOST"]);
    let used = |level: f64, of: Option<f64>| match of {
        Some(of) if of > 0.0 => Cell::Decimal(format!("{:.0} %", 100.0 * level / of)),
        _ => number(level),
    };
    let limit = |amount: Option<f64>| amount.map_or(Cell::Empty, number);
    for cluster in clusters {
        rows.push(vec![
            cluster.name.as_str().into(),
            limit(cluster.cores),
            used(cluster.cores_used.mean, cluster.cores),
            used(cluster.cores_used.most, cluster.cores),
            limit(cluster.mem),
            used(cluster.mem_used.mean, cluster.mem),
            limit(cluster.gpus),
            used(cluster.gpus_used.mean, cluster.gpus),
            number(cluster.queue.mean),
            number(cluster.queue.most),
        ]);
    }
    rows
}
