//! `tpvc log`

use std::collections::HashMap;
use std::io::Seek;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use tpv_analysis::decisions::{Lines, Metrics, Totals, amount};
use tpv_analysis::tool_id::short;
use tpv_galaxy::json::{Json, text_of};
use tpv_model::Quantity;
use tpv_runtime::decision::{Decision, Outcome, Wait};
use tpv_text::figures::count;
use tpv_text::fold::fold;
use tpv_text::open::open;
use tpv_text::printable::Form;
use tpv_text::rows::{Cell, Delimited};

use super::files::{self, Logs};
use super::past_rules::PastRules;
use super::replay;
use super::time::moment;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome as Status};
use crate::cli::output::{print_lines, print_stdout, width, write_text};

/// Show, filter, total and replay the decisions of a server
///
/// Reads the logs of decisions that job handlers write (`tpvc_decision_log`): one line a mapping. Filters select lines; a text matches if it is
/// contained in the name.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc log --log /var/log/galaxy --since 1d --error JobMappingException\n  \
    tpvc log --log /var/log/galaxy --tool bwa --totals\n  \
    tpvc log --log /var/log/galaxy/tpvc_handler_0.jsonl --follow\n  \
    tpvc log --log /var/log/galaxy --format csv > decisions.csv\n  \
    tpvc log --log /var/log/galaxy --metrics -o /var/lib/node_exporter/tpvc.prom\n  \
    tpvc log --log /var/log/galaxy --replay --jobs jobs.jsonl")]
pub(in crate::cli) struct Log {
    #[command(flatten)]
    logs: Logs,
    /// Only mappings of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Only mappings of the user with this id
    #[arg(long, value_name = "ID", value_parser = user_id)]
    user: Option<i64>,
    /// Only mappings to this destination
    #[arg(long, value_name = "DESTINATION")]
    destination: Option<String>,
    /// Only mappings in which this rule fired
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Only mappings that ended in an exception of this class; without a class, of any
    #[arg(long, value_name = "CLASS", num_args = 0..=1, default_missing_value = "")]
    error: Option<String>,
    /// Only mappings of this dispatcher
    #[arg(long, value_name = "DESTINATION")]
    dispatcher: Option<String>,
    /// Only mappings from this time on: a date or time in UTC, or 30m, 12h, 7d, 2w ago
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<String>,
    /// Only mappings before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Print totals by destination, error, dispatcher, rule and tool
    #[arg(long, conflicts_with_all = ["follow", "replay"])]
    totals: bool,
    /// Write the metrics of the log as Prometheus text, for node_exporter's textfile collector or a push gateway
    #[arg(long, conflicts_with_all = ["follow", "replay", "totals", "format"])]
    metrics: bool,
    /// Output file of `--metrics`; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-", requires = "metrics")]
    output: PathBuf,
    /// Go on with what is appended to one log, until it is interrupted
    #[arg(long, short, conflicts_with = "replay")]
    follow: bool,
    /// Map the jobs of `--jobs` by the rules of their time, and compare the answers with the log; exit status 1 if one differs for no reason that is
    /// in the log
    #[arg(long, requires = "jobs")]
    replay: bool,
    /// The job file to replay, as `tpvc export-jobs` writes it
    #[arg(long, value_name = "JOBS", requires = "replay")]
    jobs: Option<PathBuf>,
    /// Galaxy's state during the replay (a world file)
    #[arg(long, value_name = "WORLD", requires = "replay")]
    world: Option<PathBuf>,
}

/// The form of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line a mapping
    Text,
    /// Comma-separated values with a header, safe to open in a spreadsheet
    Csv,
    /// The lines as they are in the log
    Json,
}

impl Log {
    pub(in crate::cli) fn run(&self, common: &Common) -> Result<Status, CliError> {
        let files = files::expanded(&self.logs.logs)?;
        if self.replay {
            return self.replayed(&files, common);
        }
        if self.totals {
            let mut totals = Totals::default();
            files::read(&files, common, |_, decision| {
                if self.selects(&decision) {
                    totals.add(&decision);
                }
                Ok(true)
            })?;
            print_stdout(Form::Text, &totals.text(width(Path::new("-"))))?;
            return Ok(Status::Done);
        }
        if self.metrics {
            let mut metrics = Metrics::default();
            files::read(&files, common, |_, decision| {
                if self.selects(&decision) {
                    metrics.add(&decision);
                }
                Ok(true)
            })?;
            write_text("the metrics", &self.output, Form::Text, &metrics.text())?;
            return Ok(Status::Done);
        }
        let mut printer = Printer { format: self.format, width: width(Path::new("-")), printed: 0 };
        if self.follow {
            return self.followed(&files, &mut printer);
        }
        files::read(&files, common, |_, decision| {
            if self.selects(&decision) {
                printer.print(&decision)?;
            }
            Ok(true)
        })?;
        if printer.printed == 0 {
            common.note(&format!("no decision that matches is in {}", files::named(&files)));
        }
        Ok(Status::Done)
    }

    fn selects(&self, decision: &Decision) -> bool {
        let head = &decision.head;
        let contains = |filter: &Option<String>, name: &str| filter.as_ref().is_none_or(|filter| name.contains(filter));
        contains(&self.tool, &head.tool)
            && self.user.is_none_or(|user| head.user == Some(user))
            && self.destination.as_deref().is_none_or(|name| decision.outcome.destination() == Some(name))
            && self.rule.as_ref().is_none_or(|rule| decision.fired.iter().any(|fired| fired.rule == *rule))
            && self
                .error
                .as_deref()
                .is_none_or(|class| decision.outcome.error().is_some_and(|error| class.is_empty() || error == class))
            && self.dispatcher.as_deref().is_none_or(|name| head.dispatcher.as_deref() == Some(name))
            && self.since.as_deref().is_none_or(|since| head.time.as_str() >= since)
            && self.until.as_deref().is_none_or(|until| head.time.as_str() < until)
    }

    /// Prints what is appended to a log. A file that takes its place is read from its beginning.
    fn followed(&self, files: &[PathBuf], printer: &mut Printer) -> Result<Status, CliError> {
        let [path] = files else {
            return Err(CliError::misuse(
                "`--follow` takes one log",
                "name the file of one handler: `--log FILE --follow`",
            ));
        };
        let mut is_first = true;
        loop {
            let unreadable = |error: &std::io::Error| crate::cli::input::unreadable("the log", path, error);
            let mut file = match open(path) {
                Ok(file) => file,
                // Between two files of a rotation there is none.
                Err(_) if !is_first => {
                    std::thread::sleep(PAUSE);
                    continue;
                }
                Err(error) => return Err(unreadable(&error)),
            };
            if is_first {
                file.seek(std::io::SeekFrom::End(0)).map_err(|error| unreadable(&error))?;
            }
            is_first = false;
            let opened = file.metadata().map_err(|error| unreadable(&error))?;
            let mut lines = Lines::new(file);
            loop {
                while let Some(decision) = lines.read().map_err(|error| unreadable(&error))? {
                    if self.selects(&decision) {
                        printer.print(&decision)?;
                    }
                }
                std::thread::sleep(PAUSE);
                if is_replaced(path, &opened) {
                    break;
                }
            }
        }
    }

    fn replayed(&self, files: &[PathBuf], common: &Common) -> Result<Status, CliError> {
        let mut decisions: HashMap<String, Decision> = HashMap::new();
        files::read(files, common, |_, mut decision| {
            // Galaxy's further questions about a failed job are without the user's parameters, and a wait is not its end.
            if self.selects(&decision)
                && decision.head.again == 0
                && decision.head.wait != Some(Wait::Begins)
                && decision.outcome != Outcome::Open
            {
                decision.candidates = Vec::new();
                decision.rejected.truncate(1);
                decisions.insert(text_of(&decision.head.job), decision);
            }
            Ok(true)
        })?;
        let jobs = self.jobs.as_deref().unwrap_or(Path::new("-"));
        let mut past = PastRules::beside(files);
        let replayed = replay::replay(&decisions, jobs, self.world.as_deref(), &mut past, common)?;
        print_lines(Form::Text, &replayed.text())?;
        Ok(if replayed.is_good() { Status::Done } else { Status::Bad })
    }
}

/// The time between two looks at a log.
const PAUSE: Duration = Duration::from_millis(250);

/// Returns `true` if another file has the path now, or if the file was emptied.
fn is_replaced(path: &Path, opened: &std::fs::Metadata) -> bool {
    let Ok(found) = path.metadata() else { return true };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if (found.dev(), found.ino()) != (opened.dev(), opened.ino()) {
            return true;
        }
    }
    found.len() < opened.len()
}

/// Prints decisions one by one.
struct Printer {
    format: Format,
    /// The characters that a line has room for.
    width: Option<usize>,
    /// The number of decisions.
    printed: u64,
}

impl Printer {
    fn print(&mut self, decision: &Decision) -> Result<(), CliError> {
        let is_first = self.printed == 0;
        self.printed += 1;
        match self.format {
            Format::Json => print_stdout(Form::Json, &decision.line()),
            Format::Text => print_stdout(Form::Text, &fold(&text(decision, self.width.is_some()), self.width)),
            Format::Csv => {
                let header = if is_first { Delimited::Csv.header(&COLUMNS) } else { String::new() };
                print_stdout(Form::Data, &(header + &Delimited::Csv.row(&cells(decision))))
            }
        }
    }
}

/// The id of a user on the command line.
fn user_id(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "write the number of the user: the log has neither names nor addresses".to_owned())
}

/// A line for people. The tool's id is without its tool shed on a terminal.
fn text(decision: &Decision, for_terminal: bool) -> String {
    let head = &decision.head;
    let end = match &decision.outcome {
        Outcome::Destination(name) => {
            let amounts: Vec<String> = Quantity::ALL.into_iter().filter_map(|each| amount(decision, each)).collect();
            format!("{name}  {}", amounts.join(", "))
        }
        Outcome::Error { kind, message, .. } => format!("{kind}: {message}"),
        // The handler stopped, and had lines that no other line counts.
        Outcome::Open if head.wait.is_none() => {
            format!("{} dropped", count(u64::try_from(head.dropped).unwrap_or(0), "line"))
        }
        Outcome::Open => "no longer asked".to_owned(),
    };
    let fired: Vec<&str> = decision.fired.iter().map(|fired| &*fired.rule).collect();
    let fired = if fired.is_empty() { String::new() } else { format!("  by {}", fired.join(", ")) };
    let job = match &head.job {
        Json::Str(text) => text.to_string(),
        other => text_of(other),
    };
    let tool = if for_terminal { short(&head.tool) } else { &head.tool };
    let line = format!("{}  {job}  {tool}  {end}{fired}", head.time);
    format!("{}\n", tpv_text::printable::cell(&line))
}

/// The columns of CSV.
const COLUMNS: [&str; 22] = [
    "time",
    "job",
    "attempt",
    "again",
    "dispatcher",
    "tool",
    "version",
    "user",
    "input_gib",
    "destination",
    "error",
    "message",
    "cores",
    "mem_gib",
    "gpus",
    "rules",
    "nearest_rejected",
    "not_ready",
    "tier",
    "ms",
    "config",
    "dropped",
];

fn cells(decision: &Decision) -> Vec<Cell> {
    let head = &decision.head;
    let number = |value: Option<f64>| value.map_or(Cell::Empty, |value| Cell::Decimal(value.to_string()));
    let whole = |value: i64| Cell::Decimal(value.to_string());
    let [cores, mem, gpus, ..] = &decision.amounts;
    let fired: Vec<&str> = decision.fired.iter().map(|fired| &*fired.rule).collect();
    let message = match &decision.outcome {
        Outcome::Error { message, .. } => Some(message.clone()),
        _ => None,
    };
    let job = match &head.job {
        Json::Int(id) => whole(*id),
        Json::Str(text) => Cell::Text(text.to_string()),
        other => Cell::Text(text_of(other)),
    };
    let nearest =
        decision.rejected.first().and_then(|rejected| tpv_analysis::decisions::why_not(decision, &rejected.id));
    let waited = match &head.wait {
        Some(Wait::Begins) => Cell::Number(1),
        Some(Wait::Ended { mappings, .. }) => whole(*mappings),
        None => Cell::Empty,
    };
    vec![
        head.time.clone().into(),
        job,
        whole(head.attempt),
        whole(head.again),
        head.dispatcher.clone().into(),
        head.tool.clone().into(),
        head.version.clone().into(),
        head.user.map_or(Cell::Empty, whole),
        number(head.input_size),
        decision.outcome.destination().into(),
        decision.outcome.error().into(),
        message.into(),
        number(cores.got),
        number(mem.got),
        number(gpus.got),
        fired.join(" ").into(),
        nearest.into(),
        waited,
        decision.tier().into(),
        number(head.ms),
        head.rules.clone().into(),
        whole(head.dropped),
    ]
}
