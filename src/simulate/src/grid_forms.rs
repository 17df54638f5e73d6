//! The report of a grid as text, rows and Markdown.

use tpv_text::fold::fold;
use tpv_text::rows::{Cell, Rows};

use crate::tables::{number, wait};
use crate::vary::{ABOUT_FRONT, GridReport, point_name};

/// The report for people, with lines of at most this width.
pub fn text(report: &GridReport, width: Option<usize>) -> String {
    points(report, true).table(width) + &fold(&about(report), width)
}

/// A row for each point.
pub fn rows(report: &GridReport) -> Rows {
    points(report, false)
}

/// For the comment of a pull request.
pub fn markdown(report: &GridReport) -> String {
    points(report, false).markdown() + &about(report)
}

/// The sentences below a table.
fn about(report: &GridReport) -> String {
    let incomplete = report.incomplete(usize::MAX);
    let incomplete = incomplete.map(|points| format!("\nNot complete: {points}\n")).unwrap_or_default();
    format!("\n`*`: on the Pareto front. {ABOUT_FRONT}\n{incomplete}")
}

/// The points of a grid. For people with the units in the values, else in the names.
fn points(report: &GridReport, for_people: bool) -> Rows {
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
