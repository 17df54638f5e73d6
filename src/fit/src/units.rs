//! Memory in two units: jobs of one tool of which some used about a thousandth of what the rest did, and none anything between.

/// Memory that is in another unit than the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherUnit {
    /// The jobs with the small numbers.
    pub jobs: usize,
    /// The first line of them.
    pub line: u32,
}

/// The jobs of either kind that there have to be.
const LEAST: usize = 5;
/// The part of all jobs that either kind has to be: 1 in so many.
const PART: usize = 20;
/// The factor between the two kinds that no job lies within.
const GAP: f32 = 32.0;
/// The factors between their medians, of which 1,000 and 1,024 are those of units.
const RATIOS: std::ops::RangeInclusive<f32> = 512.0..=2048.0;

/// Finds two units in the memory of a tool's jobs, by line: `(memory, line)`.
pub fn other_unit(mut jobs: Vec<(f32, u32)>) -> Option<OtherUnit> {
    jobs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let gap = |at: &usize| match (jobs.get(at - 1), jobs.get(*at)) {
        (Some((below, _)), Some((above, _))) if *below > 0.0 => above / below,
        _ => 0.0,
    };
    let split = (1..jobs.len()).max_by(|one, other| gap(one).total_cmp(&gap(other))).filter(|at| gap(at) >= GAP)?;
    let (low, high) = jobs.split_at_checked(split)?;
    let median = |jobs: &[(f32, u32)]| jobs.get(jobs.len() / 2).map(|(memory, _)| *memory);
    let enough = LEAST.max(jobs.len() / PART);
    let are_two = low.len().min(high.len()) >= enough && RATIOS.contains(&(median(high)? / median(low)?));
    let line = low.iter().map(|(_, line)| *line).min()?;
    are_two.then_some(OtherUnit { jobs: low.len(), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(jobs: impl Iterator<Item = f32>) -> Option<OtherUnit> {
        other_unit(jobs.zip(1..).collect())
    }

    #[test]
    fn two_units_are_found() {
        let memory = |at: u32| 1.0 + 0.1 * (at * 7 % 13) as f32;
        let mixed = (0..100).map(|at| memory(at) / if at % 4 == 3 { 1024.0 } else { 1.0 });
        assert_eq!(found(mixed), Some(OtherUnit { jobs: 25, line: 4 }));
        assert_eq!(found((0..100).map(memory)), None);
        // A few that ended early, jobs of all sizes, and two kinds of work.
        assert_eq!(found((0..100).map(|at| memory(at) / if at < 3 { 1024.0 } else { 1.0 })), None);
        assert_eq!(found((0..100).map(|at| 1.15_f32.powi(at))), None);
        assert_eq!(found((0..100).map(|at| memory(at) / if at % 2 == 0 { 100.0 } else { 1.0 })), None);
        assert_eq!(found(std::iter::empty()), None);
    }
}
