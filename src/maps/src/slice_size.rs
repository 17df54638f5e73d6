//! The size of slices: about a given time of work each, by a sample of the jobs.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::{Hooks, Mapper};

use super::Error;
use super::create::{Plan, RuleSet, load, open};
use super::engine::Kind;
use super::store::MapDir;
use crate::clock;

/// The work of a component, if nobody asks for another: long enough that starting it costs nothing, short enough to lose.
pub const SLICE: Duration = Duration::from_secs(60);
/// The least work of a component, unless it is asked for: a tenth of a second of it goes into code and tables that jobs share.
const LEAST: Duration = Duration::from_secs(2);
/// The number of bytes of text mapped to measure the speed.
const SAMPLE: u64 = 4 << 20;
const SAMPLE_TIME: Duration = Duration::from_millis(300);
/// The size of a slice in bytes, if nothing is known of the jobs before they are cut.
const UNKNOWN: u64 = 64 << 20;

/// The size of a component's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceSize {
    /// About this time, by a sample.
    Time(Duration),
    /// As [`SliceSize::Time`] of [`SLICE`], or less if this machine's cores would wait for each other.
    Fitting,
    /// At least this many bytes of text.
    Bytes(u64),
}

/// The sizes of slices, one after the other.
pub(super) struct Sizes {
    /// The bytes of text of a slice, at most.
    most: u64,
    /// `Some` if the last slices are to be shorter than the first, so that this machine's cores end together.
    shrinking: Option<Shrinking>,
}

struct Shrinking {
    /// About how many bytes of text are still to be cut.
    rest: u64,
    /// The bytes of text of a slice, at least.
    least: u64,
    /// A slice is this part of the rest.
    part: u64,
}

impl Sizes {
    /// The sizes for the rule sets of a plan, whose names and digests are given.
    pub(super) fn of(plan: &Plan, dir: &MapDir, kept: &[(String, String)], hooks: &Hooks) -> Result<Self, Error> {
        let wanted = match plan.slices {
            SliceSize::Bytes(bytes) => return Ok(Self { most: bytes.max(1), shrinking: None }),
            SliceSize::Time(time) => time,
            SliceSize::Fitting => SLICE,
        };
        let unknown = Self { most: UNKNOWN, shrinking: None };
        let (Some((name, digest)), Some(first)) = (kept.first(), plan.jobs.first()) else { return Ok(unknown) };
        let Some(sample) = sample(first)? else { return Ok(unknown) };
        let path = dir.input(digest);
        let bytes = std::fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
        let speed = speed(plan, &sample.text, load(&RuleSet { name: name.clone(), bytes })?, hooks)?;
        let bytes = |time: Duration| whole(time.as_secs_f64() * speed).max(1);
        let mut shrinking = None;
        if plan.slices == SliceSize::Fitting && plan.execution.engine == Kind::Local {
            let sizes =
                plan.jobs.iter().map(|path| size(path, sample.ratio)).collect::<Result<Option<Vec<u64>>, Error>>()?;
            let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
            shrinking = sizes.map(|sizes| Shrinking {
                rest: sizes.iter().fold(0, |all, size| all.saturating_add(*size)),
                least: bytes(LEAST),
                // With more rule sets the last round is shorter than the first by itself.
                part: (2 * cores).div_ceil(kept.len().max(1) as u64).max(1),
            });
        }
        Ok(Self { most: bytes(wanted), shrinking })
    }

    /// The bytes of text of the next slice, at least.
    pub(super) fn next(&self) -> u64 {
        match &self.shrinking {
            None => self.most,
            Some(shrinking) => (shrinking.rest / shrinking.part).max(shrinking.least).min(self.most),
        }
    }

    /// A slice was cut.
    pub(super) fn cut(&mut self, bytes: u64) {
        if let Some(shrinking) = &mut self.shrinking {
            shrinking.rest = shrinking.rest.saturating_sub(bytes);
        }
    }
}

/// The first jobs of a file.
struct Sample {
    text: Vec<u8>,
    /// The bytes of text for each byte of the file.
    ratio: f64,
}

/// Returns `true` if a job file can be read twice: stdin and pipes give their contents once.
fn is_repeatable(path: &Path) -> bool {
    // Where there is no such file, reading it says so.
    path != Path::new("-") && path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// The first jobs; nothing of what can be read once.
fn sample(path: &Path) -> Result<Option<Sample>, Error> {
    if !is_repeatable(path) {
        return Ok(None);
    }
    let (mut jobs, mut text) = (open(path)?.0, Vec::new());
    jobs.by_ref().take(SAMPLE).read_to_end(&mut text).map_err(|error| match jobs.fault().get() {
        Some(fault) => Error::new(fault.message, fault.help),
        None => Error::io("read", path, &error),
    })?;
    let ratio = float(text.len() as u64) / float(jobs.position().taken().max(1));
    Ok(Some(Sample { text, ratio }))
}

/// The approximate size of a file's text, assuming the sample's compression ratio. `None` if it cannot be known.
fn size(path: &Path, ratio: f64) -> Result<Option<u64>, Error> {
    if !is_repeatable(path) {
        return Ok(None);
    }
    let compressed = || path.metadata().ok().map(|metadata| whole(float(metadata.len()) * ratio));
    Ok(open(path)?.1.or_else(compressed))
}

#[expect(clippy::cast_precision_loss, reason = "sizes that are about right")]
fn float(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes that are about right")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// The bytes of text that a core maps in a second, by a sample of the first jobs.
fn speed(plan: &Plan, sample: &[u8], rules: Rules, hooks: &Hooks) -> Result<f64, Error> {
    let mapper = Mapper::with_hooks(Arc::new(rules), hooks.clone(), plan.detail);
    let against = match &plan.against {
        Some(old) => Some(Mapper::with_hooks(Arc::new(load(old)?), hooks.clone(), false)),
        None => None,
    };
    let mut world = World::default();
    if let Some(text) = plan.world.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        world = World::parse(text).map_err(|error| {
            Error::new(format!("the world cannot be used: {error}"), "a world is one JSON object: docs/formats.md")
        })?;
    }
    let world = Arc::new(clock::at_this_moment(world));
    // The first jobs are slower: code is not compiled yet, and little is kept.
    let (mut bytes, mut started, mut warm) = (0_u64, Instant::now(), false);
    for line in sample.split(|byte| *byte == b'\n') {
        let (job, _) = mapper.map_line(1, line, &world);
        if let (Some(against), Some(job)) = (&against, &job) {
            against.map(job, &world);
        }
        bytes += line.len() as u64 + 1;
        if started.elapsed() > SAMPLE_TIME {
            break;
        }
        if !warm && bytes > sample.len() as u64 / 4 {
            (bytes, started, warm) = (0, Instant::now(), true);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(if bytes == 0 || seconds <= 0.0 { 1e7 } else { float(bytes) / seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_shrink_towards_the_end() {
        let mut sizes = Sizes { most: 60, shrinking: Some(Shrinking { rest: 400, least: 2, part: 4 }) };
        let (mut cut, mut all) = (Vec::new(), 400);
        while all > 0 {
            let size = sizes.next().min(all);
            sizes.cut(size);
            cut.push(size);
            all -= size;
        }
        assert_eq!(cut, [60, 60, 60, 55, 41, 31, 23, 17, 13, 10, 7, 5, 4, 3, 2, 2, 2, 2, 2, 1]);
        // Where more comes than was thought, the slices stay short and do not vanish.
        assert_eq!(sizes.next(), 2);
    }
}
