//! The sizes of inputs with which no destination takes the ordinary jobs of a tool.
//!
//! The sizes are cut where the conditions of rules change their outcome, and each piece is followed by itself. Within a piece the amounts may still
//! depend on the size, so its upper end is looked at as well; what grows without a bound there is not reported, because some size is always too much.

use tpv_config::Config;

use super::names::any_input_size;
use super::{Follower, JobsOf, Reached, Users, Verdict, tools};
use crate::check::budget::{Budget, Spent, Unproved};
use crate::check::domain::{Kinds, Value};
use crate::lint::Blocks;

/// Inputs of this size and more, in GiB, are larger than any.
const LARGE: f64 = 1_048_576.0;

/// More pieces than these are not looked at.
const MOST_PIECES: usize = 40;

/// The steps that halve a piece until its border is found.
const HALVINGS: usize = 40;

/// Sizes with which no destination takes the jobs of a tool.
pub(crate) struct LostSizes {
    /// The least size, in GiB. The number after another, if the sizes begin beyond that one.
    pub low: f64,
    /// The greatest size, in GiB; the number before another, if the sizes end before that one, and [`f64::MAX`] if they do not end.
    pub high: f64,
    /// The facts about these jobs.
    pub reached: Reached,
}

/// The lost sizes of all tools of a config, for users who get no role or user of it but those for everyone.
///
/// The missing proof comes with them if there is too much to follow.
pub(crate) fn lost_sizes(config: &Config, blocks: &Blocks) -> (Vec<LostSizes>, Option<Unproved>) {
    let mut out = Vec::new();
    // What keeps jobs from being followed has been reported of all sizes.
    let Ok(mut follower) = Follower::new(config, blocks, Users::Ordinary, Budget::new()) else { return (out, None) };
    follower.is_plain = true;
    for jobs_of in tools(config) {
        let JobsOf::Tool(index) = jobs_of else { continue };
        match follower.lost_sizes(jobs_of, index) {
            Ok(found) => out.extend(found),
            Err(Spent) => {
                let tool = config.tools.get_index(index).map(|(_, tool)| tool);
                let message = match tool {
                    Some(tool) => format!("too many rules meet in the jobs of `{}` and the tools before it", tool.id),
                    None => "too many rules meet in the jobs of tools".to_owned(),
                };
                let message = format!("{message}; T206 was not looked for in the tools after it");
                return (out, Some(Unproved { message, span: tool.map(|tool| tool.span) }));
            }
        }
    }
    (out, None)
}

fn between(low: f64, high: f64) -> Value {
    Value::number(Kinds::FLOAT, low, high, false)
}

impl Follower<'_> {
    fn lost_sizes(&mut self, jobs_of: JobsOf, index: usize) -> Result<Vec<LostSizes>, Spent> {
        let whole = self.follow(jobs_of, false, any_input_size())?;
        if whole.end.is_some() {
            return Ok(Vec::new());
        }
        let Ok(jobs) = self.unruled(jobs_of, false, any_input_size())? else { return Ok(Vec::new()) };
        let Some((_, tool)) = self.config.tools.get_index(index) else { return Ok(Vec::new()) };
        // Several such rules may be for all jobs together.
        if jobs.undecided(tool, &self.code) > 1 {
            return Ok(Vec::new());
        }
        if whole.is_nowhere() {
            // A tag may be what a role brings; an amount is more likely a slip.
            let is_too_much = whole.verdicts.iter().any(Verdict::is_of_amounts);
            let reached = Reached { unless_declared: true, ..whole };
            return Ok(is_too_much.then_some(LostSizes { low: 0.0, high: f64::MAX, reached }).into_iter().collect());
        }
        let mut starts = jobs.borders(&self.code);
        starts.push(0.0);
        starts.retain(|start| (0.0..LARGE).contains(start));
        starts.sort_by(f64::total_cmp);
        starts.dedup();
        if starts.len() > MOST_PIECES {
            return Ok(Vec::new());
        }
        let ends = starts.iter().skip(1).map(|next| next.next_down()).chain([f64::MAX]);
        let mut out: Vec<LostSizes> = Vec::new();
        for (low, high) in starts.iter().copied().zip(ends) {
            let Some(found) = self.piece(jobs_of, low, high)? else { continue };
            match out.last_mut() {
                Some(last) if last.high.next_up() >= found.low => last.high = found.high,
                _ => out.push(found),
            }
        }
        Ok(out)
    }

    /// The jobs with inputs of these sizes, if no destination takes any of them.
    fn nowhere(&mut self, jobs_of: JobsOf, low: f64, high: f64) -> Result<Option<Reached>, Spent> {
        let reached = self.follow(jobs_of, false, between(low, high))?;
        Ok(reached.is_nowhere().then_some(Reached { unless_declared: true, ..reached }))
    }

    /// The lost sizes at the upper end of a piece, or all of it.
    fn piece(&mut self, jobs_of: JobsOf, low: f64, high: f64) -> Result<Option<LostSizes>, Spent> {
        if let Some(reached) = self.nowhere(jobs_of, low, high)? {
            return Ok(Some(LostSizes { low, high, reached }));
        }
        let is_last = high >= LARGE;
        let mut from = if is_last { LARGE } else { high };
        let Some(mut reached) = self.nowhere(jobs_of, from, high)? else { return Ok(None) };
        if is_last {
            let larger = self.nowhere(jobs_of, 2.0 * LARGE, 2.0 * LARGE)?;
            let smaller = self.nowhere(jobs_of, LARGE, LARGE)?;
            if smaller.map(|reached| reached.verdicts) != larger.map(|reached| reached.verdicts) {
                return Ok(None);
            }
        }
        let mut below = low;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(below, from);
            match self.nowhere(jobs_of, middle, high)? {
                Some(found) => (from, reached) = (middle, found),
                None => below = middle,
            }
        }
        // The border itself, if it is a number of a few digits; else such a number beyond it. Each is proved like any other size.
        let near = rounded(from);
        let step = near * SMALLEST_STEP;
        for start in [near, near.next_up(), rounded(near + step), rounded(near + 2.0 * step)] {
            if (below..=high).contains(&start)
                && let Some(found) = self.nowhere(jobs_of, start, high)?
            {
                return Ok(Some(LostSizes { low: start, high, reached: found }));
            }
        }
        Ok(Some(LostSizes { low: from, high, reached }))
    }
}

/// The part of a number by which it differs from the next one of four digits, at least.
const SMALLEST_STEP: f64 = 1e-3;

/// A size to four digits.
fn rounded(size: f64) -> f64 {
    format!("{size:.3e}").parse().unwrap_or(size)
}
