//! The report as text, CSV and Markdown.

use super::super::table::{self, Cell, Rows};
use tpv_analysis::figures::{amount, count};
use tpv_compiler::printable::put_line;
use tpv_simulate::report::{Change, Changes, ClusterReport, Report, Row, SetReport, Unit, duration};
use tpv_simulate::vary::{GridReport, point_name};

/// The tables of a rule set by what its rows are.
fn groups(set: &SetReport) -> [(&'static str, &'static str, &[Row]); 4] {
    [
        ("DESTINATION", "destination", &set.destinations),
        ("TOOL", "tool", &set.tools),
        ("USER", "user", &set.users),
        ("ROLE", "role", &set.roles),
    ]
}

fn number(value: f64) -> Cell {
    Cell::Decimal(if value.abs() >= 100.0 { amount(value.round()) } else { amount(value) })
}

fn wait(seconds: f64) -> Cell {
    Cell::Decimal(duration(seconds))
}

/// The first cells of a row: name, jobs, waits, failed jobs.
fn waits(row: &Row) -> [Cell; 6] {
    let [median, nearly_all, most] = [row.wait_median, row.wait_95, row.wait_most].map(wait);
    [row.name.as_str().into(), number(row.jobs), median, nearly_all, most, number(row.failed())]
}

/// A value by its unit.
fn shown(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Seconds => duration(value),
        Unit::Count | Unit::Hours => amount(if value.abs() >= 100.0 { value.round() } else { value }),
    }
}

fn signed(unit: Unit, value: f64) -> String {
    let text = shown(unit, value);
    if value > 0.0 && !text.starts_with('0') { format!("+{text}") } else { text }
}

/// For a terminal.
pub(super) fn text(report: &Report, most: usize, calibrates: bool) -> String {
    let Some(set) = report.sets.last() else { return String::new() };
    let jobs = amount(set.all.jobs.round());
    let seeds = if report.seeds > 1 { format!(", {}", count(report.seeds as u64, "seed")) } else { String::new() };
    let mut text = format!("{jobs} jobs in {:.1} days{seeds}\n\n", report.days());
    if let [old, new] = report.sets.as_slice() {
        put_line!(text, "old rules: {}", old.name);
        put_line!(text, "new rules: {}", new.name);
        text.push('\n');
    }
    match &report.changes {
        Some(changes) => text += &figures(report, changes).show(table::Format::Table),
        None => text += &totals(set).show(table::Format::Table),
    }
    let clusters = clusters(&set.clusters);
    part(&mut text, &clusters.show(table::Format::Table), "");
    for (title, _, rows) in groups(set) {
        let mut table = Rows::new(vec![
            title, "JOBS", "MEDIAN", "95%", "MOST", "FAILED", "CORE·H", "A DAY", "WASTED", "GIB·H", "WASTED",
        ]);
        for row in rows.iter().take(most) {
            let [day, idle] = [row.core_hours / report.days().max(1e-9), row.core_hours_wasted].map(number);
            let more = [number(row.core_hours), day, idle, number(row.gib_hours), number(row.gib_hours_wasted)];
            table.push(waits(row).into_iter().chain(more).collect());
        }
        part(&mut text, &table.show(table::Format::Table), &left(rows.len(), most));
    }
    if let Some(changes) = &report.changes {
        text += &gains(changes, most);
    }
    if calibrates {
        part(&mut text, &calibration(set).show(table::Format::Table), "");
    }
    let mut errors = Rows::new(vec!["JOBS", "NOT MAPPED BECAUSE OF"]);
    for error in set.errors.iter().take(most) {
        errors.push(vec![error.jobs.into(), error.name.as_str().into()]);
    }
    part(&mut text, &errors.show(table::Format::Table), &left(set.errors.len(), most));
    text + "\nWaits are from the arrival of a job to the start of its last attempt, without the time that it ran.\n"
}

fn part(text: &mut String, table: &str, after: &str) {
    if !table.is_empty() {
        *text += "\n";
        *text += table;
        *text += after;
    }
}

fn left(all: usize, most: usize) -> String {
    let left = all.saturating_sub(most);
    if left == 0 { String::new() } else { format!("and {left} more: `--rows`, `--format csv`\n") }
}

/// The key figures of one rule set.
fn totals(set: &SetReport) -> Rows {
    let mut rows = Rows::new(vec!["FIGURE", "VALUE"]);
    let all = &set.all;
    let part = |wasted: f64, of: f64| {
        let share = if of > 0.0 { 100.0 * wasted / of } else { 0.0 };
        format!("{}, {:.0} %", shown(Unit::Hours, wasted), share)
    };
    let jobs = |value: f64| shown(Unit::Count, value);
    for (name, value) in [
        ("median wait", duration(all.wait_median)),
        ("95 % wait at most", duration(all.wait_95)),
        ("longest wait", duration(all.wait_most)),
        ("waiting at once, mean", shown(Unit::Count, set.waiting.mean)),
        ("waiting at once, most", shown(Unit::Count, set.waiting.most)),
        ("jobs not ready at first", jobs(all.not_ready)),
        ("attempts out of memory", jobs(all.deaths)),
        ("sent to another attempt", jobs(all.resubmitted)),
        ("jobs out of memory", jobs(all.out_of_memory)),
        ("jobs not mapped", jobs(all.unmapped)),
        ("jobs too large for any node", jobs(all.too_large)),
        ("jobs that never started", jobs(all.lost)),
        ("core·h", shown(Unit::Hours, all.core_hours)),
        ("core·h wasted", part(all.core_hours_wasted, all.core_hours)),
        ("GiB·h", shown(Unit::Hours, all.gib_hours)),
        ("GiB·h wasted", part(all.gib_hours_wasted, all.gib_hours)),
    ] {
        rows.push(vec![name.into(), Cell::Decimal(value)]);
    }
    rows
}

/// The key figures of two rule sets.
fn figures(report: &Report, changes: &Changes) -> Rows {
    let header = if report.seeds > 1 {
        vec!["FIGURE", "OLD", "NEW", "CHANGE", "95 % INTERVAL"]
    } else {
        vec!["FIGURE", "OLD", "NEW", "CHANGE"]
    };
    let mut rows = Rows::new(header);
    for change in &changes.figures {
        let mut row = vec![
            change.name.as_str().into(),
            Cell::Decimal(shown(change.unit, change.old)),
            Cell::Decimal(shown(change.unit, change.new)),
            Cell::Decimal(signed(change.unit, change.difference)),
        ];
        if report.seeds > 1 {
            row.push(interval(change));
        }
        rows.push(row);
    }
    rows
}

fn interval(change: &Change) -> Cell {
    match change.interval {
        Some([0.0, 0.0]) | None => Cell::Empty,
        Some([low, high]) => {
            let sure = if change.is_sure() { "" } else { " (may be chance)" };
            Cell::Text(format!("{} to {}{sure}", signed(change.unit, low), signed(change.unit, high)))
        }
    }
}

fn clusters(clusters: &[ClusterReport]) -> Rows {
    let mut rows = Rows::new(vec![
        "CLUSTER",
        "CORES",
        "USED",
        "MOST",
        "MEM GIB",
        "USED",
        "GPUS",
        "USED",
        "QUEUED, MEAN",
        "QUEUED, MOST",
    ]);
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

/// Who gains and who loses.
fn gains(changes: &Changes, most: usize) -> String {
    let mut text = String::new();
    for (title, all) in [("USER", &changes.users), ("TOOL", &changes.tools), ("ROLE", &changes.roles)] {
        let half = most.div_ceil(2);
        let gain = all.iter().filter(|change| change.hours < 0.0).take(half);
        let lose = all.iter().rev().filter(|change| change.hours > 0.0).take(half);
        let mut rows = Rows::new(vec![title, "", "OLD MEAN WAIT", "NEW", "CHANGE", "HOURS IN ALL", "95 % INTERVAL"]);
        for (change, word) in gain.map(|change| (change, "gains")).chain(lose.map(|change| (change, "loses"))) {
            rows.push(vec![
                change.name.as_str().into(),
                word.into(),
                wait(change.old),
                wait(change.new),
                Cell::Decimal(signed(Unit::Seconds, change.difference)),
                Cell::Decimal(signed(Unit::Hours, change.hours)),
                interval(change),
            ]);
        }
        part(&mut text, &rows.show(table::Format::Table), "");
    }
    text
}

/// Simulated waits beside recorded ones.
fn calibration(set: &SetReport) -> Rows {
    let mut rows =
        Rows::new(vec!["CALIBRATION", "JOBS", "RECORDED MEAN", "MEDIAN", "SIMULATED MEAN", "MEDIAN", "MEAN ERROR"]);
    for row in &set.calibration {
        rows.push(vec![
            row.name.as_str().into(),
            number(row.jobs),
            wait(row.recorded_mean),
            wait(row.recorded_median),
            wait(row.simulated_mean),
            wait(row.simulated_median),
            wait(row.mean_error),
        ]);
    }
    rows
}

/// All rows of all tables. Seconds, hours and numbers are as they are.
pub(super) fn csv(report: &Report) -> String {
    let mut rows = Rows::new(vec![
        "rules",
        "group",
        "name",
        "jobs",
        "wait_median_s",
        "wait_95_s",
        "wait_most_s",
        "wait_mean_s",
        "not_ready",
        "deaths",
        "resubmitted",
        "out_of_memory",
        "unmapped",
        "too_large",
        "lost",
        "core_h",
        "core_h_wasted",
        "gib_h",
        "gib_h_wasted",
    ]);
    for set in &report.sets {
        let all = [("", "all", std::slice::from_ref(&set.all))];
        for (group, row) in
            all.into_iter().chain(groups(set)).flat_map(|(_, group, rows)| rows.iter().map(move |row| (group, row)))
        {
            let mut cells: Vec<Cell> = vec![set.name.as_str().into(), group.into(), row.name.as_str().into()];
            cells.extend(
                [
                    row.jobs,
                    row.wait_median,
                    row.wait_95,
                    row.wait_most,
                    row.wait_mean,
                    row.not_ready,
                    row.deaths,
                    row.resubmitted,
                    row.out_of_memory,
                    row.unmapped,
                    row.too_large,
                    row.lost,
                    row.core_hours,
                    row.core_hours_wasted,
                    row.gib_hours,
                    row.gib_hours_wasted,
                ]
                .map(|value| Cell::Decimal(format!("{value:.3}"))),
            );
            rows.push(cells);
        }
    }
    rows.show(table::Format::Csv)
}

/// For the comment of a pull request.
pub(super) fn markdown(report: &Report, most: usize) -> String {
    let Some(set) = report.sets.last() else { return String::new() };
    let jobs = amount(set.all.jobs.round());
    let mut text = format!("### Simulation of {jobs} jobs in {:.1} days\n\n", report.days());
    let figures = match &report.changes {
        Some(changes) => figures(report, changes),
        None => totals(set),
    };
    text += &figures.markdown();
    let parts = [("Clusters", clusters(&set.clusters))].into_iter();
    let waits = groups(set).into_iter().map(|(_, name, rows)| {
        let mut table = Rows::new(vec!["", "JOBS", "MEDIAN", "95%", "MOST", "FAILED", "CORE·H", "GIB·H"]);
        for row in rows.iter().take(most) {
            table.push(waits(row).into_iter().chain([number(row.core_hours), number(row.gib_hours)]).collect());
        }
        let title = match name {
            "destination" => "Waits by destination",
            "tool" => "Waits by tool",
            "user" => "Waits by user",
            _ => "Waits by role",
        };
        (title, table)
    });
    for (title, table) in parts.chain(waits) {
        let table = table.markdown();
        if !table.is_empty() {
            text += &format!("\n<details><summary>{title}</summary>\n\n{table}\n</details>\n");
        }
    }
    text
}

/// The sentence below a grid.
pub(super) const ABOUT_FRONT: &str =
    "\n`*`: on the Pareto front; no other point waits less without more core·h idle or wasted, or more GiB·h wasted.\n";

/// The points of a grid. For people with the units in the values, else in the names.
pub(super) fn points(report: &GridReport, for_people: bool) -> Rows {
    let header = if for_people {
        ["POINT", "FRONT", "MEAN WAIT", "MEDIAN", "95%", "FAILED", "CORE·H IDLE", "CORE·H WASTED", "GIB·H WASTED"]
    } else {
        [
            "point",
            "on_front",
            "wait_mean_s",
            "wait_median_s",
            "wait_95_s",
            "failed",
            "core_h_idle",
            "core_h_wasted",
            "gib_h_wasted",
        ]
    };
    let mut rows = Rows::new(header.to_vec());
    let seconds = |value: f64| if for_people { wait(value) } else { Cell::Decimal(format!("{value:.3}")) };
    let plain = |value: f64| if for_people { number(value) } else { Cell::Decimal(format!("{value:.3}")) };
    for point in &report.points {
        let figures = &point.figures;
        rows.push(vec![
            point_name(&report.axes, &point.values).into(),
            if point.on_front { "*" } else { "" }.into(),
            seconds(figures.wait_mean),
            seconds(figures.wait_median),
            seconds(figures.wait_95),
            plain(figures.failed),
            plain(point.core_hours_idle),
            plain(figures.core_hours_wasted),
            plain(figures.gib_hours_wasted),
        ]);
    }
    rows
}
