//! `tpvc maps results`

use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::context::Context;
use super::select::{indices, within};
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::cli::table::Format;
use tpv_analysis::summary::table::{Sum, Table};
use tpv_analysis::summary::{Summary, Usage};
use tpv_config::template::fits;
use tpv_maps::cluster::Indices;
use tpv_maps::item::Item;
use tpv_maps::{Error, Map, damage, results, submit};
use tpv_model::Quantity;
use tpv_text::figures::{count, grouped, grouped_text};
use tpv_text::rows::{Cell, Rows};

/// Write the answers of a map, or a summary of them
///
/// The answers come in the order of the components: rule set by rule set, and file by file for each, as `tpvc map` writes them. With
/// `--against` they are differences. A summary adds up the counts of the components, without reading answers.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps results q3 -o answers.jsonl\n  \
    tpvc maps results q3 --summary\n  \
    tpvc maps results q3 --by tool --format csv\n  \
    tpvc maps results versions --rules 'v2*' | jq .destination.id")]
pub(super) struct Results {
    /// The tag
    #[arg(value_name = "TAG")]
    tag: String,
    /// Output file for the answers; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-", conflicts_with_all = ["summary", "by", "format"])]
    output: PathBuf,
    /// Only these components: `3` or `0-9,12`
    #[arg(long, short, value_name = "LIST", value_parser = indices)]
    components: Option<Indices>,
    /// Only rule sets whose names match: `*` and `?` stand for parts of a name
    #[arg(long, short, value_name = "GLOB")]
    rules: Vec<String>,
    /// Write the answers that exist, even if some components have none
    #[arg(long)]
    partial: bool,
    /// Print a summary of the answers
    #[arg(long)]
    summary: bool,
    /// Grouping of the summary's lines [default: the cause of differences; several rule sets; destinations]
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    /// Output format of the summary [default: table]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// The grouping of a summary's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// The destinations of jobs
    Destination,
    /// The tools of the jobs
    Tool,
    /// The types of errors
    Error,
    /// The cause of the change, if a map has differences
    Cause,
    /// The rule sets
    Rules,
}

/// Components of one rule set.
struct RuleSet<'a> {
    name: &'a str,
    digest: &'a str,
    components: Vec<u32>,
}

impl Results {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let map = context.load(&self.tag)?;
        let items = map.dir().items()?;
        let chosen = self.chosen(&items)?;
        let missing = results::missing(map.dir(), &chosen)?;
        self.check_complete(&chosen, missing, context)?;
        if self.summary || self.by.is_some() || self.format.is_some() {
            if map.submit().output == submit::Output::Runs {
                return Err(CliError::misuse(
                    format!("the map `{}` has runs of a simulation, which have no summary", self.tag),
                    format!("`tpvc simulate --map {}` writes their report", self.tag),
                ));
            }
            return self.show_summary(&map, &rule_sets(&items, &chosen), context);
        }
        self.write_answers(&map, &items, &chosen, context)
    }

    fn chosen(&self, items: &[Item]) -> Result<Vec<u32>, CliError> {
        let mut chosen = within(self.components.as_ref(), &self.tag, items.len())?;
        if !self.rules.is_empty() {
            chosen.retain(|&index| {
                let name = items.get(index as usize).map_or("", |item| &item.rules_name);
                self.rules.iter().any(|pattern| fits(pattern, name))
            });
            if chosen.is_empty() {
                return Err(CliError::new(
                    format!("no rule set of `{}` fits `{}`", self.tag, self.rules.join("` or `")),
                    format!("`tpvc maps results {} --by rules --partial` shows their names", self.tag),
                ));
            }
        }
        Ok(chosen)
    }

    fn check_complete(&self, chosen: &[u32], missing: Vec<u32>, context: &Context) -> Result<(), CliError> {
        if missing.is_empty() {
            return Ok(());
        }
        let (number, all, tag) = (missing.len() as u64, count(chosen.len() as u64, "component"), &self.tag);
        let have = if number == 1 { "has" } else { "have" };
        let mut list = Indices(missing).to_text();
        if list.len() > 60 {
            let end = list.get(..60).and_then(|start| start.rfind(',')).unwrap_or(0);
            list.truncate(end);
            list += ", ...";
        }
        let message = format!("{} of {all} of `{tag}` {have} no answers: {list}", grouped(number));
        if self.partial {
            context.common.note(&message);
            return Ok(());
        }
        Err(CliError::new(
            message,
            format!(
                "`tpvc maps wait {tag}` waits for them, `tpvc maps errors {tag}` shows why they failed and `tpvc maps rerun {tag}` runs \
                 them again; `--partial` takes what is there"
            ),
        ))
    }

    fn write_answers(&self, map: &Map, items: &[Item], chosen: &[u32], context: &Context) -> Result<Outcome, CliError> {
        let unwritable = |error: &io::Error| CliError::unwritable("the answers", error, &self.output);
        let mut output = Output::create(&self.output).map_err(|error| unwritable(&error))?;
        let length = |index: &u32| items.get(*index as usize).map_or(0, |item| item.length);
        let mut progress = Progress::bytes(&context.common, Some(chosen.iter().map(length).sum()));
        let mut buffer = vec![0; 256 << 10];
        for (component, rest) in chosen.iter().zip((1..).map(|next| chosen.get(next..).unwrap_or_default())) {
            let answers = results::answers(map.dir(), *component).inspect_err(|_| self.note_damage(map, rest, context));
            let Some(mut answers) = answers? else {
                // They were there a moment ago, unless a part is enough.
                self.check_complete(&[*component], vec![*component], context)?;
                continue;
            };
            loop {
                let read = answers.read(&mut buffer);
                let count = read.map_err(|error| Error::io("read", &map.dir().output(*component), &error))?;
                if count == 0 {
                    break;
                }
                match output.write_all(buffer.get(..count).unwrap_or_default()) {
                    // The reader of the answers went away early.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Outcome::Done),
                    written => written.map_err(|error| unwritable(&error))?,
                }
            }
            progress.advance(length(component));
        }
        progress.finish();
        match output.finish() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
            _ => Ok(Outcome::Done),
        }
    }

    /// Names what else is damaged, so that one `rerun` mends all.
    fn note_damage(&self, map: &Map, components: &[u32], context: &Context) {
        if let Some(damaged) = damage::verify(map.dir(), components).ok().filter(|damaged| !damaged.is_empty()) {
            let list = Indices(damaged).to_text();
            context.common.note(&format!("{}: components whose answers are damaged, too: {list}", self.tag));
        }
    }

    fn show_summary(&self, map: &Map, rule_sets: &[RuleSet<'_>], context: &Context) -> Result<Outcome, CliError> {
        let has_differences = map.submit().output == submit::Output::Differences;
        let by = self.by.unwrap_or(match rule_sets {
            _ if has_differences => By::Cause,
            [] | [_] => By::Destination,
            _ => By::Rules,
        });
        if by == By::Cause && !has_differences {
            return Err(CliError::misuse(
                format!("the map `{}` has answers, not differences", self.tag),
                "`tpvc maps create --against OLD` makes a map of differences",
            ));
        }
        let names_rules = by != By::Rules && rule_sets.len() > 1;
        let mut header: Vec<String> = Vec::from_iter(names_rules.then(|| "RULES".to_owned()));
        let counts = match by {
            By::Destination => &["DESTINATION", "JOBS"][..],
            By::Tool => &["TOOL", "JOBS", "ERRORS"],
            By::Error => &["ERROR", "JOBS"],
            By::Cause => &["CAUSE", "JOBS"],
            By::Rules if has_differences => &["RULES", "JOBS", "DIFFERENT", "ERRORS"],
            By::Rules => &["RULES", "JOBS", "ERRORS"],
        };
        header.extend(counts.iter().map(|&name| name.to_owned()));
        let units = Quantity::ALL.map(|quantity| quantity.units().to_uppercase());
        match by {
            By::Error => {}
            By::Cause => {
                header.extend(units.into_iter().flat_map(|unit| [format!("{unit} BEFORE"), format!("{unit} AFTER")]))
            }
            By::Destination | By::Tool | By::Rules => header.extend(units),
        }
        let mut rows = Rows::new(header);
        let (mut total, mut differ) = (Usage::default(), 0);
        for rule_set in rule_sets {
            let summary = results::summary(map.dir(), &rule_set.components)?;
            total += &summary.total;
            differ += different(&summary);
            let first = names_rules.then(|| rule_set.name.into());
            for row in lines(by, rule_set.name, &summary) {
                rows.push(first.clone().into_iter().chain(row).collect());
            }
        }
        self.format.unwrap_or(Format::Table).print(&rows)?;
        let sum = |quantity: Quantity| {
            let sum = total.sum(quantity);
            format!(", {} {}", grouped_text(&thousandths(total.thousandths(quantity))), quantity.noun(sum))
        };
        let sums: String = Quantity::ALL.into_iter().filter(|quantity| total.sum(*quantity) > 0.0).map(sum).collect();
        let of = match rule_sets.len() as u64 {
            0 | 1 => String::new(),
            number => format!(" by {}", count(number, "rule set")),
        };
        let differ = if has_differences { format!("{} differ, ", grouped(differ)) } else { String::new() };
        context.common.note(&format!(
            "{}{of}: {differ}{}{sums}",
            count(total.jobs, "job"),
            count(total.errors, "error")
        ));
        Ok(Outcome::Done)
    }
}

/// The rule sets of these components, in the order of their components.
fn rule_sets<'a>(items: &'a [Item], chosen: &[u32]) -> Vec<RuleSet<'a>> {
    let mut sets: Vec<RuleSet<'a>> = Vec::new();
    for item in chosen.iter().filter_map(|&index| items.get(index as usize)) {
        // A rule set's components stand together.
        match sets.last_mut().filter(|set| set.digest == item.rules && set.name == item.rules_name) {
            Some(set) => set.components.push(item.component),
            None => {
                sets.push(RuleSet { name: &item.rules_name, digest: &item.rules, components: vec![item.component] })
            }
        }
    }
    sets
}

/// The lines for one rule set, those with the most jobs first.
fn lines(by: By, rules: &str, summary: &Summary) -> Vec<Vec<Cell>> {
    let given = |usage: &Usage| Quantity::ALL.map(|quantity| Cell::Decimal(thousandths(usage.thousandths(quantity))));
    let usages = |table: &Table<Usage>, with_errors: bool| {
        by_jobs(
            table,
            |usage| usage.jobs,
            |usage| {
                let errors = with_errors.then(|| Cell::from(usage.errors));
                errors.into_iter().chain(given(usage)).collect()
            },
        )
    };
    match by {
        By::Destination => usages(&summary.destinations, false),
        By::Tool => usages(&summary.tools, true),
        By::Error => by_jobs(&summary.errors, |usage| usage.jobs, |_| Vec::new()),
        By::Cause => summary.differences.as_ref().map_or_else(Vec::new, |differences| {
            by_jobs(
                &differences.causes,
                |change| change.new.jobs,
                |change| {
                    given(&change.old).into_iter().zip(given(&change.new)).flat_map(|(old, new)| [old, new]).collect()
                },
            )
        }),
        By::Rules => {
            let total = &summary.total;
            let mut row = vec![rules.into(), total.jobs.into()];
            row.extend(summary.differences.as_ref().map(|_| Cell::from(different(summary))));
            row.push(total.errors.into());
            row.extend(given(total));
            vec![row]
        }
    }
}

/// The number of jobs with different answers.
fn different(summary: &Summary) -> u64 {
    summary.differences.as_ref().map_or(0, |differences| {
        let causes = differences.causes.rows();
        causes.rows.values().chain(&causes.others).map(|change| change.new.jobs).sum()
    })
}

/// A line for each name of a table: the name, the jobs, and more.
fn by_jobs<T: Sum>(table: &Table<T>, jobs: impl Fn(&T) -> u64, more: impl Fn(&T) -> Vec<Cell>) -> Vec<Vec<Cell>> {
    let rows = table.rows();
    let line = |(name, value): (&str, &T)| [name.into(), jobs(value).into()].into_iter().chain(more(value)).collect();
    rows.most_first(&jobs).into_iter().map(line).collect()
}

/// Thousandths as a number.
fn thousandths(number: u128) -> String {
    let fraction = format!("{:03}", number % 1000);
    match fraction.trim_end_matches('0') {
        "" => (number / 1000).to_string(),
        fraction => format!("{}.{fraction}", number / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_shown_as_numbers() {
        for (number, expected) in [(0, "0"), (1, "0.001"), (1500, "1.5"), (12_000, "12"), (12_340, "12.34")] {
            assert_eq!(thousandths(number), expected);
        }
    }
}
