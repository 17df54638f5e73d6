//! The report as text, CSV and Markdown.

use super::super::table::{self, Cell, Rows};
use tpv_simulate::report::{ApartRow, Change, Changes, ClusterReport, Report, Row, SetReport, Unit, duration};
use tpv_simulate::vary::{GridReport, point_name};
use tpv_text::figures::{amount, count};
use tpv_text::printable::put_line;

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

/// A wait; a dash where no job ran to its end.
fn wait(seconds: Option<f64>) -> Cell {
    Cell::Decimal(tpv_simulate::report::wait(seconds))
}

/// The first cells of a row: name, jobs, failed jobs, waits.
fn waits(row: &Row) -> [Cell; 6] {
    let [median, nearly_all, most] = [row.wait_median, row.wait_95, row.wait_most].map(wait);
    [row.name.as_str().into(), number(row.jobs), number(row.failed), median, nearly_all, most]
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

/// For a terminal of this width.
pub(super) fn text(report: &Report, most: usize, calibrates: bool, width: Option<usize>) -> String {
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
        Some(changes) => {
            let failing = failing(changes);
            if !failing.is_empty() {
                text += &format!("{failing}\n");
            }
            text += &compared("JOBS THAT FAIL", report, &changes.failures).table(width);
            part(&mut text, &apart(&changes.apart).table(width), "");
            let both = amount(changes.both_finish);
            text += &format!("\nWaits, hours and totals are of the {both} jobs that both rules finish:\n\n");
            text += &compared("FIGURE", report, &changes.figures).table(width);
        }
        None => text += &totals(set).table(width),
    }
    let clusters = clusters(&set.clusters);
    part(&mut text, &clusters.table(width), "");
    for (title, _, rows) in groups(set) {
        let mut table = Rows::new(vec![
            title, "JOBS", "FAILED", "MEDIAN", "95%", "MOST", "CORE·H", "A DAY", "WASTED", "GIB·H", "WASTED",
        ]);
        for row in rows.iter().take(most) {
            let [day, idle] = [row.core_hours / report.days().max(1e-9), row.core_hours_wasted].map(number);
            let more = [number(row.core_hours), day, idle, number(row.gib_hours), number(row.gib_hours_wasted)];
            table.push(waits(row).into_iter().chain(more).collect());
        }
        part(&mut text, &table.table(width), &left(rows.len(), most));
    }
    if let Some(changes) = &report.changes {
        text += &gains(report, changes, most, width);
    }
    if calibrates {
        part(&mut text, &calibration(set).table(width), "");
    }
    let mut errors = Rows::new(vec!["JOBS", "NOT MAPPED BECAUSE OF"]);
    for error in set.errors.iter().take(most) {
        errors.push(vec![error.jobs.into(), error.name.as_str().into()]);
    }
    part(&mut text, &errors.table(width), &left(set.errors.len(), most));
    let runs = report.interval_runs();
    let about = runs.map(|runs| format!("\nIntervals are over the pairs of {runs}, unless one names fewer.\n"));
    text += &about.unwrap_or_default();
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
    let wait = tpv_simulate::report::wait;
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

/// The jobs that fail, in sentences: first those that did not.
fn failing(changes: &Changes) -> String {
    changes.apart.iter().map(|row| row.words() + "\n").collect()
}

/// The jobs that at least one rule set does not finish, with what they hold.
fn apart(rows: &[ApartRow]) -> Rows {
    let mut table = Rows::new(vec!["JOBS THAT FAIL", "JOBS", "CORE·H OLD", "NEW", "GIB·H OLD", "NEW"]);
    for row in rows {
        let amounts = row.core_hours.iter().chain(&row.gib_hours).map(|value| number(*value));
        table.push([row.fail.into(), number(row.jobs)].into_iter().chain(amounts).collect());
    }
    table
}

/// Values by two rule sets.
fn compared(title: &'static str, report: &Report, changes: &[Change]) -> Rows {
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

fn interval(report: &Report, change: &Change) -> Cell {
    match change.interval {
        Some([0.0, 0.0]) | None => Cell::Empty,
        Some([low, high]) => {
            let sure = if change.is_sure() { "" } else { " (may be chance)" };
            let runs = if change.runs == report.seeds { String::new() } else { format!(" in {} runs", change.runs) };
            Cell::Text(format!("{} to {}{runs}{sure}", signed(change.unit, low), signed(change.unit, high)))
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
fn gains(report: &Report, changes: &Changes, most: usize, width: Option<usize>) -> String {
    let mut text = String::new();
    for (title, all) in [("USER", &changes.users), ("TOOL", &changes.tools), ("ROLE", &changes.roles)] {
        let half = most.div_ceil(2);
        let gain = all.iter().filter(|change| change.hours < 0.0).take(half);
        let lose = all.iter().rev().filter(|change| change.hours > 0.0).take(half);
        let mut header = vec![title, "", "OLD MEAN WAIT", "NEW", "CHANGE", "HOURS IN ALL"];
        header.extend((report.seeds > 2).then_some("95 % INTERVAL"));
        let mut rows = Rows::new(header);
        for (change, word) in gain.map(|change| (change, "gains")).chain(lose.map(|change| (change, "loses"))) {
            let mut row = vec![
                change.name.as_str().into(),
                word.into(),
                Cell::Decimal(duration(change.old)),
                Cell::Decimal(duration(change.new)),
                Cell::Decimal(signed(Unit::Seconds, change.difference)),
                Cell::Decimal(signed(Unit::Hours, change.hours)),
            ];
            row.extend((report.seeds > 2).then(|| interval(report, change)));
            rows.push(row);
        }
        part(&mut text, &rows.table(width), "");
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
            Cell::Decimal(duration(row.recorded_mean)),
            Cell::Decimal(duration(row.recorded_median)),
            Cell::Decimal(duration(row.simulated_mean)),
            Cell::Decimal(duration(row.simulated_median)),
            Cell::Decimal(duration(row.mean_error)),
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
    rows.show(table::Format::Csv)
}

/// For the comment of a pull request.
pub(super) fn markdown(report: &Report, most: usize) -> String {
    let Some(set) = report.sets.last() else { return String::new() };
    let jobs = amount(set.all.jobs.round());
    let mut text = format!("### Simulation of {jobs} jobs in {:.1} days\n\n", report.days());
    match &report.changes {
        Some(changes) => {
            for row in &changes.apart {
                let mark = if row.is_new() { ":x: " } else { "" };
                text += &format!("{mark}{}\n\n", tpv_analysis::diff::report::escaped(&row.words()));
            }
            text += &compared("JOBS THAT FAIL", report, &changes.failures).markdown();
            let both = amount(changes.both_finish);
            text += &format!("\nWaits, hours and totals are of the {both} jobs that both rules finish:\n\n");
            text += &compared("FIGURE", report, &changes.figures).markdown();
            let runs = report.interval_runs();
            let about = runs.map(|runs| format!("\nIntervals are over the pairs of {runs}.\n"));
            text += &about.unwrap_or_default();
        }
        None => text += &totals(set).markdown(),
    }
    let parts = [("Clusters", clusters(&set.clusters))].into_iter();
    let waits = groups(set).into_iter().map(|(_, name, rows)| {
        let mut table = Rows::new(vec!["", "JOBS", "FAILED", "MEDIAN", "95%", "MOST", "CORE·H", "GIB·H"]);
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

/// The points of a grid. For people with the units in the values, else in the names.
pub(super) fn points(report: &GridReport, for_people: bool) -> Rows {
    let (mut header, gpus) = if for_people {
        let header = vec![
            "POINT",
            "FRONT",
            "FAILED",
            "MEAN WAIT",
            "MEDIAN",
            "95%",
            "CORE·H IDLE",
            "CORE·H WASTED",
            "GIB·H IDLE",
            "GIB·H WASTED",
        ];
        (header, ["GPU·H IDLE", "GPU·H WASTED"])
    } else {
        let header = vec![
            "point",
            "on_front",
            "failed",
            "wait_mean_s",
            "wait_median_s",
            "wait_95_s",
            "core_h_idle",
            "core_h_wasted",
            "gib_h_idle",
            "gib_h_wasted",
        ];
        (header, ["gpu_h_idle", "gpu_h_wasted"])
    };
    // A program finds the same columns in each report.
    let has_gpus = !for_people || report.has_gpus();
    header.extend(gpus.into_iter().filter(|_| has_gpus));
    let mut rows = Rows::new(header);
    let decimal = |value: f64| Cell::Decimal(format!("{value:.3}"));
    let seconds = |value: Option<f64>| if for_people { wait(value) } else { value.map_or(Cell::Empty, decimal) };
    let plain = |value: f64| if for_people { number(value) } else { decimal(value) };
    for point in &report.points {
        let figures = &point.figures;
        let mut row = vec![
            point_name(&report.axes, &point.values).into(),
            if point.on_front { "*" } else { "" }.into(),
            plain(figures.failed),
            seconds(figures.wait_mean),
            seconds(figures.wait_median),
            seconds(figures.wait_95),
            plain(point.core_hours_idle),
            plain(figures.core_hours_wasted),
            plain(point.gib_hours_idle),
            plain(figures.gib_hours_wasted),
        ];
        let gpus = [point.gpu_hours_idle, figures.gpu_hours_wasted];
        row.extend(gpus.into_iter().filter(|_| has_gpus).map(plain));
        rows.push(row);
    }
    rows
}
