//! `tpvc sweep`

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::Value;
use tpv_galaxy::json::Json;
use tpv_galaxy::world::World;
use tpv_model::Quantity;
use tpv_runtime::mapper::Mapper;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::job::{JobArgs, input_size, set};
use super::output::{width, write_text};
use super::{map, paths, rules, world};
use tpv_analysis::sweep::{self, Point, Spacing, Span};
use tpv_settings::Settings;
use tpv_text::printable::Form;
use tpv_text::rows::{Cell, Delimited, Rows};

/// Show what a job gets and where it goes, for a range of values of one field
///
/// The rules are config files or an artifact; the job is made as for `tpvc dry-run`. Over a range, the borders between destinations and between
/// values that change in steps are found to the last byte or unit; a change that is undone before the next sample is missed.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc sweep rules/ --tool bwa_mem --over input_size=0..100\n  \
    tpvc sweep rules.bin --tool bwa_mem --over input_size=1M..1T --log-scale --format html -o bwa_mem.html\n  \
    tpvc sweep rules.bin --job job.json --over user.roles=training,vip --format csv\n  \
    tpvc sweep rules.bin --tool bwa_mem --over job.param_values.threads=1..64 --samples 64")]
pub(super) struct Sweep {
    /// Config files, URLs, folders or patterns, merged in this order, or one artifact [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG|RULES")]
    configs: Vec<String>,
    /// The field and its values: `input_size` in GiB, or a path in the job file, as `--set` takes it; then FROM..TO, or a list joined by commas
    #[arg(long, value_name = "FIELD=VALUES")]
    over: String,
    /// Number of values of a range to try before looking for borders
    #[arg(long, value_name = "N", default_value = "101", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    samples: u32,
    /// Space the values of a range by their logarithms
    #[arg(long)]
    log_scale: bool,
    #[command(flatten)]
    job: JobArgs,
    /// Galaxy's state at that moment (a world file): jobs, tool data tables, files, time [default: an empty Galaxy,
    /// now]
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Output format: `csv` and `json` list every value tried, `html` is a self-contained page with plots
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// Output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Ranges of values with the same answer
    Table,
    /// Comma-separated values with a header, safe to open in a spreadsheet
    Csv,
    /// The same with unchanged texts, for programs
    CsvRaw,
    /// A list of objects
    Json,
    /// A page with plots
    Html,
}

/// The parsed `--over`.
struct Over<'a> {
    field: &'a str,
    values: Values<'a>,
}

enum Values<'a> {
    Range(i64, i64),
    List(Vec<&'a str>),
}

/// The name of the sum of the inputs' sizes, in `--over` as in rules.
const INPUT_SIZE: &str = "input_size";
/// The field of the job file that stands for it.
const SIZE: &str = "job.input_datasets.0.size";
const GIB: i64 = 1 << 30;

impl<'a> Over<'a> {
    fn parse(text: &'a str) -> Result<Self, CliError> {
        let wrong = |what: &str| {
            CliError::misuse(
                format!("`--over {text}` {what}"),
                "write FIELD=FROM..TO or FIELD=A,B,C, such as `--over input_size=0..100` or `--over user.roles=training,vip`",
            )
        };
        let (field, values) = text.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
        if values.is_empty() {
            return Err(wrong("has no values"));
        }
        let Some((from, to)) = values.split_once("..") else {
            return Ok(Self { field, values: Values::List(values.split(',').map(str::trim).collect()) });
        };
        let number = |text: &str| {
            let number = if field == INPUT_SIZE { input_size(text).ok() } else { text.trim().parse().ok() };
            let what = if field == INPUT_SIZE { "size, such as 5, 0.5 or 500M" } else { "whole number" };
            number.ok_or_else(|| wrong(&format!("has a range whose end `{text}` is no {what}")))
        };
        let (from, to) = (number(from)?, number(to)?);
        if from > to {
            return Err(wrong("has a range that ends before it begins"));
        }
        Ok(Self { field, values: Values::Range(from, to) })
    }

    /// A value of a range as people write it.
    fn shown(&self, at: i64) -> String {
        if self.field != INPUT_SIZE {
            return at.to_string();
        }
        // A byte shows, even of a terabyte.
        let digits = format!("{:.10}", gib(at));
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// A value of a range as a number on a scale.
    fn number(&self, at: i64) -> Value {
        if self.field == INPUT_SIZE { gib(at).into() } else { at.into() }
    }

    /// The field with its unit.
    fn label(&self) -> String {
        if self.field == INPUT_SIZE { "input size (GiB)".to_owned() } else { self.field.to_owned() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size for people")]
fn gib(bytes: i64) -> f64 {
    bytes as f64 / GIB as f64
}

/// One value that was tried, in all forms.
struct Tried {
    text: String,
    number: Value,
    outcome: sweep::Outcome,
}

impl Sweep {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let over = Over::parse(&self.over)?;
        let job = self.job.json()?;
        let settings = if self.configs.is_empty() { common.settings()? } else { Settings::default() };
        let world = Arc::new(world::at_this_moment(self.world.as_deref().or(settings.world.as_deref()))?);
        let Some(given) = rules::load_any(None, &self.configs, common)? else { return Ok(Outcome::Bad) };
        let mapper = Mapper::with_hooks(given.rules.clone(), map::hooks(common), false);
        let answer = |value: &str| self.answer(&mapper, &world, &job, &over, value);
        let (tried, spans): (Vec<Tried>, Vec<sweep::Row>) = match &over.values {
            Values::Range(from, to) => {
                let spacing = if self.log_scale { Spacing::Log } else { Spacing::Linear };
                let points =
                    sweep::over_range((*from, *to), self.samples as usize, spacing, |at| answer(&at.to_string()))?;
                let spans = rows(&over, &sweep::spans(&points));
                let tried = points.into_iter().map(|Point { at, outcome, .. }| Tried {
                    text: over.shown(at),
                    number: over.number(at),
                    outcome,
                });
                (tried.collect(), spans)
            }
            Values::List(values) => {
                let mut tried = Vec::new();
                for value in values {
                    let given = match (over.field, input_size(value)) {
                        (INPUT_SIZE, Ok(bytes)) => bytes.to_string(),
                        _ => (*value).to_owned(),
                    };
                    tried.push(Tried { text: (*value).to_owned(), number: (*value).into(), outcome: answer(&given)? });
                }
                let rows = tried.iter().map(|one| row_of(&one.text, &one.text, &one.outcome, &one.outcome)).collect();
                (tried, rows)
            }
        };
        let (form, text) = match self.format {
            Format::Table => (Form::Text, shown(&spans, width(&self.output))),
            Format::Csv => (Form::Data, every(&tried).delimited(Delimited::Csv)),
            Format::CsvRaw => (Form::Data, every(&tried).delimited(Delimited::CsvRaw)),
            Format::Json => (Form::Json, every(&tried).json()),
            Format::Html => (Form::Data, self.page(&over, &job, &tried, spans)?),
        };
        write_text("the result", &self.output, form, &text)?;
        Ok(Outcome::Done)
    }

    /// The job's outcome if the field has this value.
    fn answer(
        &self,
        mapper: &Mapper,
        world: &Arc<World>,
        job: &Json,
        over: &Over<'_>,
        value: &str,
    ) -> Result<sweep::Outcome, CliError> {
        let mut job = job.clone();
        let field = if over.field == INPUT_SIZE { SIZE } else { over.field };
        self.job.check_user(&job, "--over", field)?;
        set(&mut job, &format!("{field}={value}")).map_err(|error| {
            let message = error.message.replace("--set", "--over").replace(SIZE, INPUT_SIZE);
            CliError { message, ..error }
        })?;
        let job = Arc::new(self.job.parse(&job)?);
        Ok(sweep::Outcome::of(&mapper.map(&job, world)))
    }

    fn page(&self, over: &Over<'_>, job: &Json, tried: &[Tried], rows: Vec<sweep::Row>) -> Result<String, CliError> {
        let text = |value: Option<&Json>| match value {
            Some(Json::Str(text)) => Some(text.to_string()),
            _ => None,
        };
        let tool = text(job.get("tool").and_then(|tool| tool.get("id"))).unwrap_or_default();
        let user = text(job.get("user").and_then(|user| user.get("email"))).unwrap_or_else(|| "anonymous".to_owned());
        let facts = [
            ("tool", tool),
            ("user", user),
            ("rules", paths::rules_of(&self.configs)),
            ("values", tried.len().to_string()),
        ];
        let points = tried.iter().map(|one| sweep::Mark { at: one.number.clone(), outcome: &one.outcome }).collect();
        let data = sweep::Data::new(over.label(), self.log_scale, points, rows);
        sweep::page(&data, &facts).map_err(|error| CliError::bug("the page", &error))
    }
}

/// The spans of a range as rows. A border between two bytes stands as the rounder of the two: a size from the next byte on is `>200`, one up to
/// the byte before is `<200`.
fn rows(over: &Over<'_>, spans: &[Span]) -> Vec<sweep::Row> {
    let is_below = |last: i64, next: i64| over.shown(last).len() < over.shown(next).len();
    let is_border = |last: i64, next: i64| over.field == INPUT_SIZE && next == last + 1;
    let before = std::iter::once(None).chain(spans.iter().map(|span| Some(span.last.at)));
    let after = spans.iter().skip(1).map(|span| Some(span.first.at)).chain([None]);
    let row = |((Span { first, last }, before), after): ((&Span, Option<i64>), Option<i64>)| {
        let from = match before {
            Some(before) if is_border(before, first.at) && is_below(before, first.at) => {
                format!(">{}", over.shown(before))
            }
            _ => over.shown(first.at),
        };
        let to = match after {
            Some(after) if is_border(last.at, after) && !is_below(last.at, after) => format!("<{}", over.shown(after)),
            _ => over.shown(last.at),
        };
        row_of(&from, &to, &first.outcome, &last.outcome)
    };
    spans.iter().zip(before).zip(after).map(row).collect()
}

fn row_of(from: &str, to: &str, first: &sweep::Outcome, last: &sweep::Outcome) -> sweep::Row {
    let range = |quantity: Quantity| match (quantity.of(&first.amounts), quantity.of(&last.amounts)) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(value), _) => value.to_string(),
        (None, _) => String::new(),
    };
    let error = first.error.as_deref().map(|error| format!("error: {}", error.lines().next().unwrap_or_default()));
    sweep::Row {
        from: from.to_owned(),
        to: to.to_owned(),
        place: first.destination.clone().or(error).unwrap_or_default(),
        amounts: Quantity::ALL.map(range),
    }
}

/// The rows as a table of this width.
fn shown(rows: &[sweep::Row], width: Option<usize>) -> String {
    let titles = Quantity::ALL.map(|quantity| format!("{}{}", quantity.name(), quantity.suffix()).to_uppercase());
    let header = ["FROM", "TO"].map(str::to_owned).into_iter().chain(titles).chain(["DESTINATION".to_owned()]);
    let mut table = Rows::new(header);
    for row in rows {
        let numbers = [&row.from, &row.to].into_iter().chain(&row.amounts);
        let mut cells: Vec<Cell> = numbers.map(|text| Cell::Decimal(text.clone())).collect();
        cells.push(row.place.as_str().into());
        table.push(cells);
    }
    table.table(width)
}

/// Every value that was tried.
fn every(tried: &[Tried]) -> Rows {
    let amounts = Quantity::ALL.map(Quantity::name);
    let header = ["value", "destination"].into_iter().chain(amounts).chain(["error"]);
    let mut rows = Rows::new(header);
    for one in tried {
        let number =
            |value: &Option<Value>| value.as_ref().map_or(Cell::Empty, |value| Cell::Decimal(value.to_string()));
        let outcome = &one.outcome;
        let value = if one.number.is_number() { Cell::Decimal(one.text.clone()) } else { one.text.as_str().into() };
        let mut row = vec![value, outcome.destination.clone().into()];
        row.extend(outcome.amounts.iter().map(number));
        row.push(outcome.error.clone().into());
        rows.push(row);
    }
    rows
}
