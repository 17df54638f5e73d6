//! `tpvc maps errors` and `tpvc maps holds`

use clap::{Args, ValueEnum};

use super::context::Context;
use super::select::Select;
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::print_stdout;
use crate::cli::table::Format;
use tpv_maps::component::error_report::ErrorReport;
use tpv_maps::item::Item;
use tpv_maps::state::State;
use tpv_maps::status::reports;
use tpv_simulate::vary::point_name;
use tpv_text::figures::grouped;
use tpv_text::printable::{Form, put_line};
use tpv_text::rows::{Cell, Rows};

/// Show why components are ERRORED
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps errors q3\n  \
    tpvc maps errors --all --format json")]
pub(super) struct Errors {
    #[command(flatten)]
    tags: Select,
    /// The most reports to show of a map
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

/// The format of reports.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// A paragraph a report
    Text,
    /// A list of objects
    Json,
}

impl Errors {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let (mut json, mut is_any) = (Vec::new(), false);
        let outcome = context.each(&self.tags, |map| {
            let status = map.status()?;
            let reports = reports(&map, &status)?;
            is_any |= !reports.is_empty();
            let items = map.dir().items()?;
            let shown = reports.iter().take(self.limit);
            if self.format == ReportFormat::Json {
                for report in shown {
                    let mut value = serde_json::to_value(report).unwrap_or_default();
                    if let Some(fields) = value.as_object_mut() {
                        fields.insert("tag".to_owned(), map.tag().into());
                    }
                    json.push(value);
                }
                return Ok(());
            }
            let axes = map.scenario()?.map(|scenario| scenario.axes).unwrap_or_default();
            let text: String =
                shown.map(|report| paragraph(map.tag(), report, items.get(report.component as usize), &axes)).collect();
            print_stdout(Form::Text, &text)?;
            if reports.len() > self.limit {
                context.common.note(&format!("and {} more: `--limit`", grouped((reports.len() - self.limit) as u64)));
            }
            Ok(())
        })?;
        if self.format == ReportFormat::Json {
            print_stdout(Form::Json, &(serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"))?;
        }
        if !is_any && matches!(outcome, Outcome::Done) {
            context.common.note("no component is ERRORED");
        }
        Ok(outcome)
    }
}

/// A report in words. `axes` are what the points of a simulated grid vary.
fn paragraph(tag: &str, report: &ErrorReport, item: Option<&Item>, axes: &[String]) -> String {
    let mut text = String::new();
    put_line!(text, "{tag}, component {}: {}", report.component, report.message);
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            put_line!(text, "  {name:<8}{value}");
        }
    };
    if let Some(item) = item {
        let last = item.first_line + item.lines.max(1) - 1;
        row("jobs", format!("{}, lines {} to {last}", item.file, item.first_line));
        row("rules", item.rules_name.clone());
        if let Some(run) = &item.run {
            row("point", format!("{}, run {} of it", point_name(axes, &run.values()), run.run + 1));
        }
    }
    row("line", report.line.map(|line| format!("{line} was worked on last")).unwrap_or_default());
    row("node", report.node.clone());
    row("time", time(report.time));
    let used = report.memory_kib.map(|kib| format!("{} MiB", grouped(kib.div_ceil(1024))));
    let limit = report.memory_limit_mib.map(|mib| format!("{} MiB granted", grouped(mib)));
    row("memory", [used, limit].into_iter().flatten().collect::<Vec<_>>().join(" of "));
    row("command", report.command.clone());
    for line in report.stderr.trim_end().lines() {
        row("stderr", line.to_owned());
    }
    row("help", report.help.clone());
    text.push('\n');
    text
}

/// A time in UTC as RFC 3339 has it.
fn time(seconds: u64) -> String {
    let timestamp = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0);
    timestamp
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .map(|time| time.to_string())
        .unwrap_or_default()
}

/// Show why components are HELD
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps holds q3\n  \
    tpvc maps holds --all --format csv")]
pub(super) struct Holds {
    #[command(flatten)]
    tags: Select,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

impl Holds {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let mut rows = Rows::new(vec!["TAG", "COMPONENT", "REASON", "HELP"]);
        let outcome = context.each(&self.tags, |map| {
            let status = map.status()?;
            for index in status.in_states(&[State::Held]) {
                let Some(component) = status.components.get(index as usize) else { continue };
                let why = &component.why;
                rows.push(vec![
                    map.tag().into(),
                    Cell::Id(u64::from(index)),
                    why.message.as_str().into(),
                    why.help.as_str().into(),
                ]);
            }
            Ok(())
        })?;
        if rows.is_empty() && matches!(outcome, Outcome::Done) {
            context.common.note("no component is HELD");
        }
        self.format.print(&rows)?;
        Ok(outcome)
    }
}
