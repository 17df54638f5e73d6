//! `tpvc maps status`

use std::io::IsTerminal;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::context::Context;
use super::select::{Components, Select};
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::{print_stdout, width};
use crate::cli::table::Format;
use tpv_maps::state::State;
use tpv_maps::{Map, damage, status as map_status};
use tpv_text::figures::{count, grouped};
use tpv_text::printable::Form;
use tpv_text::rows::{Cell, Rows};

/// Show the states of the components of maps
///
/// Without a tag, those of all maps. `--components` and `--state` print a line for each component, with its details.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps status\n  \
    tpvc maps status q3 --live\n  \
    tpvc maps status q3 --state ERRORED,HELD\n  \
    tpvc maps status q3 --verify\n  \
    tpvc maps status -p '2025-*' --format json")]
pub(super) struct Status {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// Redraw the table until all components have finished
    #[arg(long, conflicts_with = "format")]
    live: bool,
    /// Read all answers and compare them with their digests; damaged answers no longer count, and the exit status is 1
    #[arg(long, conflicts_with = "live")]
    verify: bool,
}

impl Status {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let redraws = self.live && std::io::stdout().is_terminal();
        loop {
            let (text, goes_on, outcome) = self.text(context)?;
            if redraws {
                // To the top left, each line to its end, and what is below.
                let lines = Form::Text.of(&text).replace('\n', "\x1b[K\n");
                print_stdout(Form::Styled, &format!("\x1b[H{lines}\x1b[J"))?;
            } else if !(self.live && goes_on) {
                print_stdout(self.format.form(), &text)?;
            }
            if !self.live || !goes_on {
                return Ok(outcome);
            }
            sleep(Duration::from_secs(1));
        }
    }

    /// The text to show, whether work goes on, and whether all maps could be read.
    fn text(&self, context: &Context) -> Result<(String, bool, Outcome), CliError> {
        let tags = match self.tags.is_empty() {
            true => context.root.tags()?.into_iter().map(|(tag, _)| tag).collect(),
            false => self.tags.tags(&context.root)?,
        };
        let (mut statuses, mut goes_on, mut outcome) = (Vec::new(), false, Outcome::Done);
        for tag in tags {
            let (map, status) = match context.load(&tag).and_then(|map| self.read(map)) {
                Ok((map, status, damaged)) => {
                    if damaged > 0 {
                        let damaged = count(damaged as u64, "component");
                        let help = format!("`tpvc maps rerun {tag}` makes them again");
                        context.common.note(&format!("{tag}: the answers of {damaged} are damaged; help: {help}"));
                        outcome = Outcome::Bad;
                    }
                    (map, status)
                }
                Err(error) => {
                    context.common.show_error(&error);
                    outcome = Outcome::Bad;
                    continue;
                }
            };
            for error in status.unreachable.iter().chain(&status.failed) {
                context.common.note(&format!("{tag}: {}; help: {}", error.message, error.help));
            }
            let map_goes_on = status.components.iter().any(|component| component.state().goes_on());
            self.note_reasons(&tag, &status, context);
            if map_goes_on && is_stalled(&map)? {
                context.common.note(&format!(
                    "{tag}: its background process was killed; help: `tpvc maps wait {tag}` continues it"
                ));
            }
            goes_on |= map_goes_on;
            statuses.push((map, status));
        }
        if statuses.is_empty() && matches!(outcome, Outcome::Bad) {
            return Ok((String::new(), false, outcome));
        }
        let rows = if self.components.is_all() { counts(&statuses, self.format) } else { self.list(&statuses)? };
        if statuses.is_empty() && self.format == Format::Table {
            context.common.note("no maps");
        }
        Ok((self.format.show(&rows, width(Path::new("-"))), goes_on, outcome))
    }

    /// Notes why components wait, are held, were removed or ended without answers, unless a line for each says it.
    fn note_reasons(&self, tag: &str, status: &map_status::Status, context: &Context) {
        if !self.components.is_all() || self.live || status.failed.is_some() {
            return;
        }
        let mut reasons = status.reasons(&[State::Idle, State::Suspended, State::Held, State::Removed, State::Errored]);
        if !status.in_states(&[State::Running]).is_empty() {
            // They wait for those that run.
            reasons.retain(|(state, ..)| *state != State::Idle);
        }
        for (state, why, components) in reasons.iter().take(MOST_REASONS) {
            context.common.note(&format!("{tag}: {} {state}: {}", grouped(components.0.len() as u64), why.line()));
        }
        if reasons.len() > MOST_REASONS {
            context.common.note(&format!(
                "{tag}: and others: `tpvc maps status {tag} --state IDLE,SUSPENDED,HELD,REMOVED,ERRORED`"
            ));
        }
    }

    /// The status of a map, and the number of components that are damaged.
    fn read(&self, map: Map) -> Result<(Map, map_status::Status, usize), CliError> {
        let mut status = map.status()?;
        let mut damaged = 0;
        if self.verify {
            damaged = damage::verify(map.dir(), &status.in_states(&[State::Completed]))?.len();
            status = map.status()?;
        }
        Ok((map, status, damaged))
    }

    fn list(&self, statuses: &[(Map, map_status::Status)]) -> Result<Rows, CliError> {
        let mut rows =
            Rows::new(vec!["TAG", "COMPONENT", "STATE", "SECONDS", "MEMORY MIB", "DISK BYTES", "NOTE", "HELP"]);
        for (map, status) in statuses {
            for index in self.components.of(map.tag(), status)? {
                let Some(component) = status.components.get(index as usize) else { continue };
                rows.push(vec![
                    map.tag().into(),
                    Cell::Id(u64::from(index)),
                    component.state().name().into(),
                    component.head.map(|head| Cell::Decimal(seconds(head.milliseconds))).into(),
                    map.memory_kib(index, component)?.map(|kib| kib.div_ceil(1024)).into(),
                    map.dir().disk_bytes(index)?.into(),
                    component.why.message.as_str().into(),
                    component.why.help.as_str().into(),
                ]);
            }
        }
        Ok(rows)
    }
}

/// The most reasons of a map that are noted.
const MOST_REASONS: usize = 5;

/// Milliseconds in seconds.
fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

/// Returns `true` if no process will run the waiting components. A process that was just started is given time to begin.
fn is_stalled(map: &Map) -> Result<bool, CliError> {
    if !map.is_stalled()? {
        return Ok(false);
    }
    sleep(Duration::from_millis(300));
    Ok(map.is_stalled()?)
}

/// A line a map. A table leaves out states that nothing is in.
fn counts(statuses: &[(Map, map_status::Status)], format: Format) -> Rows {
    let counts: Vec<_> = statuses.iter().map(|(_, status)| status.counts()).collect();
    let shown: Vec<(usize, State)> = State::ALL
        .into_iter()
        .enumerate()
        .filter(|&(at, state)| {
            let any = counts.iter().any(|counts| counts.get(at).is_some_and(|count| *count > 0));
            any || format != Format::Table || matches!(state, State::Idle | State::Running | State::Completed)
        })
        .collect();
    let mut header = vec!["TAG", "ENGINE", "OUTPUT"];
    header.extend(shown.iter().map(|(_, state)| state.name()));
    header.push("COMPONENTS");
    let mut rows = Rows::new(header);
    for ((map, status), counts) in statuses.iter().zip(&counts) {
        let output = match map.submit().output {
            tpv_maps::submit::Output::Answers => "answers",
            tpv_maps::submit::Output::Differences => "differences",
            tpv_maps::submit::Output::Runs => "runs",
        };
        let mut row: Vec<Cell> = vec![map.tag().into(), map.submit().engine.name().into(), output.into()];
        row.extend(shown.iter().map(|(at, _)| Cell::from(counts.get(*at).copied().unwrap_or(0))));
        row.push(status.components.len().into());
        rows.push(row);
    }
    rows
}
