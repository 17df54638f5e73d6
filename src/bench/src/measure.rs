//! Times of repeated runs.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The times of some runs of the same work.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The fastest.
    pub minimum: Duration,
    /// The one in the middle: what is quoted.
    pub median: Duration,
    /// The slowest.
    pub maximum: Duration,
}

impl Timing {
    /// The median for each of `count` items, in seconds.
    #[expect(clippy::cast_precision_loss, reason = "a rate to a few digits")]
    pub fn per(&self, count: usize) -> f64 {
        self.median.as_secs_f64() / count.max(1) as f64
    }
}

/// Runs the work once without timing it, then `runs` times.
pub fn time<T>(runs: usize, mut work: impl FnMut() -> T) -> Timing {
    black_box(work());
    let mut times: Vec<Duration> = (0..runs.max(1))
        .map(|_| {
            let started = Instant::now();
            let result = work();
            let elapsed = started.elapsed();
            // What the work made is dropped outside of the time.
            black_box(result);
            elapsed
        })
        .collect();
    times.sort_unstable();
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    Timing { minimum: at(0), median: at(times.len() / 2), maximum: at(times.len().saturating_sub(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_between_the_extremes_and_the_first_run_is_not_counted() {
        let mut runs = 0;
        let timing = time(5, || runs += 1);
        assert_eq!(runs, 6);
        assert!(timing.minimum <= timing.median && timing.median <= timing.maximum);
    }
}
