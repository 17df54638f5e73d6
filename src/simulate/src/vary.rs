//! A grid over capacities and context values, and which of its points are worth a look.

use std::sync::Arc;

use serde::Serialize;
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::ValueRow;
use tpv_text::figures::count;

use crate::capacity::Capacity;
use crate::grid::Ended;
use crate::measure::{Idle, Stats};
use crate::report::Figures;

/// The most points of a grid.
pub const MOST_POINTS: usize = 2_000;
/// The points of a range.
const RANGE: u32 = 5;

/// Something that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// `CLUSTER.cores`, `CLUSTER.mem`, `CLUSTER.gpus`, `CLUSTER.jobs`, `CLUSTER.nodes` or `context.NAME`.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

impl Axis {
    /// Reads `slurm.cores=500..2000`, which is five values at equal distances, or `context.small=2,4,8`.
    ///
    /// # Errors
    /// It says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let help = "write such as `slurm.cores=500..2000` or `context.small_max=2,4,8`";
        let (name, values) = text.split_once('=').ok_or(help)?;
        if !name.contains('.') {
            return Err(help.to_owned());
        }
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let is_range = values.contains("..");
        let values: Option<Vec<f64>> = match values.split_once("..") {
            Some((from, to)) => number(from).zip(number(to)).filter(|(from, to)| from < to).map(|(from, to)| {
                (0..RANGE).map(|step| from + (to - from) * f64::from(step) / f64::from(RANGE - 1)).collect()
            }),
            None => values.split(',').map(number).collect(),
        };
        let mut values = values.ok_or(help)?;
        if is_range && (name.ends_with(".nodes") || name.ends_with(".jobs")) {
            // Of these there are whole ones only.
            values.iter_mut().for_each(|value| *value = value.round());
            values.dedup();
        }
        Ok(Self { name: name.to_owned(), values })
    }
}

/// All combinations of the values of the axes.
///
/// # Errors
/// There are more than [`MOST_POINTS`].
pub fn grid(axes: &[Axis]) -> Result<Vec<Vec<f64>>, String> {
    let count = axes.iter().fold(1_usize, |count, axis| count.saturating_mul(axis.values.len()));
    if count > MOST_POINTS {
        return Err(format!("the grid has {count} points, more than {MOST_POINTS}"));
    }
    Ok(axes.iter().fold(vec![Vec::new()], |points, axis| {
        let extended =
            |point: &Vec<f64>| axis.values.iter().map(|value| [point.as_slice(), &[*value]].concat()).collect();
        points.iter().flat_map::<Vec<Vec<f64>>, _>(extended).collect()
    }))
}

/// Rules and capacity at a point. `axes` are the names of what is varied.
///
/// # Errors
/// An axis names nothing that there is.
pub fn at(
    axes: &[String],
    point: &[f64],
    rules: &Arc<Rules>,
    capacity: &Capacity,
) -> Result<(Arc<Rules>, Capacity), String> {
    let (mut rules, mut capacity) = (rules.clone(), capacity.clone());
    for (axis, value) in axes.iter().zip(point) {
        match axis.rsplit_once('.') {
            Some(("context", name)) => rules = Arc::new(with_context(&rules, name, *value)?),
            Some((cluster, amount)) => capacity.set(cluster, amount, *value)?,
            None => return Err(format!("`{axis}` names neither a cluster's amount nor a context value")),
        }
    }
    Ok((rules, capacity))
}

/// The rules with another value in the global context.
fn with_context(rules: &Rules, name: &str, value: f64) -> Result<Rules, String> {
    let mut tables = rules.tables().clone();
    let strings = &tables.strings;
    let text = |id: u32| strings.get(id as usize).map_or("", String::as_str);
    let Some(at) = tables.global.context.iter().position(|(id, _)| text(*id) == name) else {
        let names: Vec<&str> = tables.global.context.iter().map(|(id, _)| text(*id)).collect();
        let others = if names.is_empty() { String::new() } else { format!(", but `{}`", names.join("`, `")) };
        return Err(format!("the global context has no `{name}`{others}"));
    };
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction, and is small")]
    let row =
        if value.fract() == 0.0 && value.abs() < 9e15 { ValueRow::Int(value as i64) } else { ValueRow::Float(value) };
    if let Some((_, held)) = tables.global.context.get_mut(at) {
        *held = row;
    }
    Rules::new(tables, (**rules.program()).clone()).map_err(|error| error.to_string())
}

/// A point of the grid.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The values of the axes.
    pub values: Vec<f64>,
    /// The key figures, on average over the seeds.
    pub figures: Figures,
    /// core·h that clusters with a limit had and no job held.
    pub core_hours_idle: f64,
    /// GiB·h of the same kind.
    pub gib_hours_idle: f64,
    /// GPU·h of the same kind.
    pub gpu_hours_idle: f64,
    /// `true` if no other point has as few failures, waits and waste, and less of one; and it has no failures, unless all points have.
    pub on_front: bool,
}

impl Point {
    /// A point with its runs.
    pub fn new(values: Vec<f64>, runs: &[Ended]) -> Self {
        let mut all = Stats::default();
        runs.iter().for_each(|run| all += &run.all);
        #[expect(clippy::cast_precision_loss, reason = "an amount")]
        let hours = |of: fn(&Idle) -> u128, parts: f64| {
            runs.iter().map(|run| of(&run.idle)).sum::<u128>() as f64 / parts / 3.6e9 / runs.len().max(1) as f64
        };
        Self {
            values,
            figures: Figures::mean(&all, runs.len()),
            core_hours_idle: hours(|idle| idle.cores, 1000.0),
            gib_hours_idle: hours(|idle| idle.mem, 1024.0),
            gpu_hours_idle: hours(|idle| idle.gpus, 1000.0),
            on_front: false,
        }
    }

    /// The criteria of a point: jobs that fail, the mean wait in seconds, and core·h, GiB·h and GPU·h that are idle or wasted.
    pub fn objectives(&self) -> [f64; 5] {
        let figures = &self.figures;
        [
            figures.failed,
            figures.wait_mean.unwrap_or(f64::INFINITY),
            self.core_hours_idle + figures.core_hours_wasted,
            self.gib_hours_idle + figures.gib_hours_wasted,
            self.gpu_hours_idle + figures.gpu_hours_wasted,
        ]
    }
}

/// The report of a grid.
#[derive(Clone, Debug, Serialize)]
pub struct GridReport {
    /// The names of what is varied.
    pub axes: Vec<String>,
    /// The points that were simulated.
    pub points: Vec<Point>,
    /// The names of points that were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The meaning of the front, in a sentence.
pub const ABOUT_FRONT: &str = "No other point has as few failed jobs, waits and waste (idle or wasted core·h, GiB·h and GPU·h), and less of one of these. \
    A point with failed jobs is on the front only if there is none without.";

impl GridReport {
    /// Returns `true` if GPUs are idle or wasted at some point.
    pub fn has_gpus(&self) -> bool {
        self.points.iter().any(|point| point.gpu_hours_idle + point.figures.gpu_hours_wasted > 0.0)
    }

    /// The report about these points, of which it finds the front.
    pub fn new(axes: Vec<String>, mut points: Vec<Point>, missing: Vec<String>) -> Self {
        mark_front(&mut points);
        Self { axes, points, missing }
    }

    /// The points that are missing, at most so many of them by name: `2 of 5 points are missing: ...`. `None` if all are there.
    pub fn incomplete(&self, most: usize) -> Option<String> {
        let missing = self.missing.len();
        let all = count((missing + self.points.len()) as u64, "point");
        let mut names: Vec<String> = self.missing.iter().take(most).cloned().collect();
        if let more @ 1.. = missing - names.len() {
            names.push(format!("and {more} more"));
        }
        let are = if missing == 1 { "is" } else { "are" };
        (missing > 0).then(|| format!("{missing} of {all} {are} missing: {}", names.join(", ")))
    }
}

/// The name of a point: `slurm.cores=500 context.small_max=2`.
pub fn point_name(axes: &[String], values: &[f64]) -> String {
    axes.iter().zip(values).map(|(axis, value)| format!("{axis}={value}")).collect::<Vec<_>>().join(" ")
}

/// Marks the points of the Pareto front. A point with failures is on it only if there is none without.
fn mark_front(points: &mut [Point]) {
    let all: Vec<[f64; 5]> = points.iter().map(Point::objectives).collect();
    let is_better = |a: &[f64; 5], b: &[f64; 5]| a.iter().zip(b).all(|(a, b)| a <= b) && a != b;
    let some_fail_nowhere = points.iter().any(|point| point.figures.failed == 0.0);
    for (point, own) in points.iter_mut().zip(&all) {
        let is_out = some_fail_nowhere && point.figures.failed > 0.0;
        point.on_front = !is_out && !all.iter().any(|other| is_better(other, own));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn axes_are_ranges_or_lists() {
        let axis = |text: &str| Axis::parse(text).map(|axis| axis.values);
        assert_eq!(axis("slurm.cores=500..2500").unwrap(), [500.0, 1000.0, 1500.0, 2000.0, 2500.0]);
        assert_eq!(axis("context.x=2, 4.5").unwrap(), [2.0, 4.5]);
        assert_eq!(axis("a.nodes=1..3").unwrap(), [1.0, 2.0, 3.0]);
        for wrong in ["slurm", "cores=1", "a.cores=", "a.cores=5..2", "a.cores=1,x"] {
            assert!(axis(wrong).is_err(), "{wrong}");
        }
        let axes = [Axis::parse("a.cores=1,2").unwrap(), Axis::parse("b.mem=3,4,5").unwrap()];
        let points = grid(&axes).unwrap();
        assert_eq!((points.len(), points.last().unwrap().as_slice()), (6, &[2.0, 5.0][..]));
    }

    #[test]
    fn the_front_has_what_nothing_beats() {
        let point = |wait: f64, wasted: f64| Point {
            values: vec![wait],
            figures: Figures { wait_mean: Some(wait), core_hours_wasted: wasted, ..Figures::default() },
            core_hours_idle: 0.0,
            gib_hours_idle: 0.0,
            gpu_hours_idle: 0.0,
            on_front: false,
        };
        let front = |mut points: Vec<Point>| {
            mark_front(&mut points);
            points.iter().map(|point| point.on_front).collect::<Vec<_>>()
        };
        let fails = |failed: f64, mut point: Point| {
            point.figures.failed = failed;
            point
        };
        // Failures cost more than any wait, and idle GPUs and memory cost, too.
        assert_eq!(front(vec![fails(75.0, point(0.0, 0.0)), point(9.0, 9.0)]), [false, true]);
        assert_eq!(front(vec![fails(3.0, point(0.0, 9.0)), fails(1.0, point(9.0, 9.0))]), [true, true]);
        assert_eq!(front(vec![fails(3.0, point(9.0, 9.0)), fails(1.0, point(9.0, 9.0))]), [false, true]);
        let idle = |gib: f64, gpu: f64| Point { gib_hours_idle: gib, gpu_hours_idle: gpu, ..point(1.0, 1.0) };
        assert_eq!(front(vec![idle(1.0, 0.0), idle(0.0, 1.0), idle(1.0, 1.0)]), [true, true, false]);
        let mut points = [point(1.0, 9.0), point(2.0, 5.0), point(3.0, 5.0), point(9.0, 1.0), point(9.0, 1.0)];
        mark_front(&mut points);
        assert_eq!(points.map(|point| point.on_front), [true, true, false, true, true]);
    }
}
