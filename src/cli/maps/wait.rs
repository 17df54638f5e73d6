//! `tpvc maps wait`

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::context::Context;
use super::select::Select;
use crate::cli::error::{CliError, Outcome};
use tpv_maps::clock;
use tpv_maps::engine::Kind;
use tpv_maps::item::Item;
use tpv_maps::state::State;
use tpv_maps::status::Status;
use tpv_maps::why::Why;
use tpv_maps::{Error, Map};
use tpv_text::figures::{count, grouped};

/// Wait until a map has finished
///
/// Exits with 0 if all components are COMPLETED, and with 1 if any is ERRORED, HELD or REMOVED or if the timeout expires.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps wait q3 && tpvc maps results q3 -o answers.jsonl\n  \
    tpvc maps wait --all --timeout 3600")]
pub(super) struct Wait {
    #[command(flatten)]
    tags: Select,
    /// Seconds after which to stop waiting
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

impl Wait {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let deadline = self.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        context.each(&self.tags, |map| {
            let status = wait(&map, context, deadline)?;
            map.tidy(&status)?;
            self.report_outcome(&map, &status, context)
        })
    }

    /// Reports the outcome; an error unless all components completed.
    fn report_outcome(&self, map: &Map, status: &Status, context: &Context) -> Result<(), CliError> {
        let counts = status.counts();
        let of = |state: State| counts.get(state as usize).copied().unwrap_or(0) as u64;
        if status.is_complete() {
            context.common.note(&format!("{}: {} completed", map.tag(), count(of(State::Completed), "component")));
            return Ok(());
        }
        let states: Vec<String> = State::ALL
            .into_iter()
            .filter(|state| of(*state) > 0)
            .map(|state| format!("{} {state}", grouped(of(state))))
            .collect();
        let (tag, states) = (map.tag(), states.join(", "));
        if let Some(Error { message, help, .. }) = &status.failed {
            return Err(CliError::new(format!("the map `{tag}` is not complete: {states}: {message}"), help.clone()));
        }
        let is_active = status.components.iter().any(|component| component.state().goes_on());
        // Only the timeout ends the wait for a map with active components.
        let timed_out =
            self.timeout.filter(|_| is_active).map(|seconds| format!("timed out after {} s: ", grouped(seconds)));
        // The reason of most of those that did not come to their answers.
        let unhappy: &[State] = match () {
            () if of(State::Errored) > 0 => &[State::Errored],
            () if of(State::Held) > 0 => &[State::Held],
            () if is_active => &[State::Idle, State::Suspended],
            () => &[State::Removed],
        };
        let reasons = status.reasons(unhappy);
        let why = reasons.first().map(|(_, why, _)| format!(": {}", why.message)).unwrap_or_default();
        let help = match reasons.as_slice() {
            [(_, Why { help, .. }, _)] if !help.is_empty() => help.clone(),
            _ => match () {
                () if of(State::Errored) > 0 => {
                    format!("`tpvc maps errors {tag}` shows why, `tpvc maps rerun {tag}` runs them again")
                }
                () if of(State::Held) > 0 => {
                    format!("`tpvc maps holds {tag}` shows why, `tpvc maps release {tag}` releases them")
                }
                () if timed_out.is_some() => format!("`tpvc maps wait {tag}` continues to wait"),
                () => format!("`tpvc maps rerun {tag}` runs them again"),
            },
        };
        let timed_out = timed_out.unwrap_or_default();
        Err(CliError::new(format!("{timed_out}the map `{tag}` is not complete: {states}{why}"), help))
    }
}

/// Waits until no component of a map is active, and returns the last status.
pub(super) fn wait(map: &Map, context: &Context, deadline: Option<Instant>) -> Result<Status, CliError> {
    let bar = (!context.common.quiet && std::io::stderr().is_terminal()).then(|| bar(map)).flatten();
    let items = map.dir().items()?;
    // A site's queue also serves other users.
    let longest = Duration::from_secs(if map.submit().engine == Kind::Local { 2 } else { 10 });
    let (mut pause, mut has_reported_unreachable) = (Duration::from_millis(100), false);
    let mut told: BTreeSet<Why> = BTreeSet::new();
    loop {
        let started = Instant::now();
        let status = map.status()?;
        let cost = started.elapsed();
        if let Some(bar) = &bar {
            bar.set_position(status.in_states(&[State::Completed]).len() as u64);
            bar.set_message(remaining_time(&status, &items));
        }
        let is_active = status.components.iter().any(|component| component.state().goes_on());
        if let Some(error) = status.unreachable.as_ref().filter(|_| !has_reported_unreachable) {
            context.common.note(&format!("{}: {}; waiting for the engine", map.tag(), error.message));
            has_reported_unreachable = true;
        }
        for ((state, why), components) in waits_in_vain(&status) {
            if told.insert(why.clone()) {
                let components = count(components, "component");
                context.common.note(&format!("{}: {components} {state} for a minute: {}", map.tag(), why.line()));
            }
        }
        if !is_active && status.unreachable.is_none() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
            return Ok(status);
        }
        map.revive()?;
        // Polling must stay below 5 % of the machine's time.
        sleep(pause.max(cost * 20));
        pause = (pause * 3 / 2).min(longest);
    }
}

/// The reasons of components that have been IDLE or SUSPENDED for a minute while none runs, each with the number of these components.
fn waits_in_vain(status: &Status) -> BTreeMap<(State, &Why), u64> {
    let mut reasons = BTreeMap::new();
    let long_ago = clock::seconds().saturating_sub(60);
    for component in &status.components {
        match component.state() {
            State::Running => return BTreeMap::new(),
            State::Idle | State::Suspended if component.since.is_some_and(|since| since <= long_ago) => {
                *reasons.entry((component.state(), &component.why)).or_default() += 1;
            }
            _ => {}
        }
    }
    reasons
}

fn bar(map: &Map) -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} components{msg}").ok()?;
    let total = map.dir().components().ok()?;
    Some(ProgressBar::new(u64::from(total)).with_style(style).with_prefix(map.tag().to_owned()))
}

/// An estimate of the remaining time: the rest of the text, at the speed of the completed components, by as many at
/// once as run now. Empty before one is completed, or while none runs.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn remaining_time(status: &Status, items: &[Item]) -> String {
    let (mut done, mut seconds, mut rest) = (0_u64, 0.0, 0_u64);
    for (component, item) in status.components.iter().zip(items) {
        match component.head {
            Some(head) => {
                done += item.length;
                seconds += head.milliseconds as f64 / 1000.0;
            }
            None if component.state().goes_on() => rest += item.length,
            None => {}
        }
    }
    let running = status.in_states(&[State::Running]).len();
    if done == 0 || running == 0 || seconds <= 0.0 {
        return String::new();
    }
    let seconds_left = rest as f64 * seconds / done as f64 / running as f64;
    let left = Duration::from_secs_f64(seconds_left.clamp(0.0, 1e9));
    format!(", about {} left", indicatif::HumanDuration(left))
}
