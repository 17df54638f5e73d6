//! `tpvc why`

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use tpv_analysis::decisions::{Guess, amount, job_of, sentence, why_not};
use tpv_analysis::explain::{Collector, Explanation, Provenance};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, Reader, text_of};
use tpv_galaxy::world::World;
use tpv_model::Quantity;
use tpv_runtime::decision::{Decision, Outcome, Wait};
use tpv_runtime::mapper::Mapper;
use tpv_text::fold::fold;
use tpv_text::printable::{Form, put_line};

use super::compared::{other_amounts, same};
use super::files::{self, Logs};
use super::past_rules::PastRules;
use super::replay::Moments;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome as Status};
use crate::cli::output::{print_paged, print_stdout, width};
use crate::cli::rules::{self, LoadedRules};
use crate::cli::{map, paths};

/// Explain why a job of a server went where it went
///
/// Reads the logs of decisions that job handlers write (`tpvc_decision_log`). The first line is the answer; the whole decision follows, as
/// `tpvc dry-run --explain` shows it, by the rules of that time, whose texts are kept beside the log. What the log does not have is guessed, and
/// named. Exit status 1 if the job is not in the logs.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc why 1234 --log /var/log/galaxy/tpvc_handler_0.jsonl\n  \
    tpvc why 1234 --log /var/log/galaxy --not pulsar-mel3\n  \
    tpvc why 1234 --log /var/log/galaxy --jobs jobs.jsonl --now tpv_rules.yml")]
pub(in crate::cli) struct Why {
    /// The job: its id in Galaxy's database, which the log has
    #[arg(value_name = "JOB")]
    job: String,
    #[command(flatten)]
    logs: Logs,
    /// Say why the job did not go to this destination
    #[arg(long = "not", value_name = "DESTINATION")]
    not: Option<String>,
    /// The attempt, of a job that was resubmitted [default: the last]
    #[arg(long, value_name = "N")]
    attempt: Option<i64>,
    /// A job file that has the job, as `tpvc export-jobs` writes it: for its parameters and datasets
    #[arg(long, value_name = "JOBS")]
    jobs: Option<PathBuf>,
    /// Galaxy's state at that moment (a world file) [default: an empty Galaxy at the time of the decision]
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Compare with the rules of today: config files, URLs, folders or patterns, or one artifact; without any, those of tpvc.toml
    #[arg(long, value_name = "CONFIG|RULES", num_args = 0..)]
    now: Option<Vec<String>>,
    /// Output format
    #[arg(long, alias = "output-format", value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The sentence, then the decision
    Text,
    /// One object: `sentence`, `decision`, `explanation`, `guessed`, `now`
    Json,
}

impl Why {
    pub(in crate::cli) fn run(&self, common: &Common) -> Result<Status, CliError> {
        let files = files::expanded(&self.logs.logs)?;
        let mut found: Vec<Decision> = Vec::new();
        files::read(&files, common, |_, decision| {
            if self.is_asked(&decision) {
                found.push(decision);
            }
            Ok(found.len() < MOST_DECISIONS)
        })?;
        found.sort_by(|one, other| one.head.time.cmp(&other.head.time));
        let of_attempt = |decision: &&Decision| self.attempt.is_none_or(|attempt| attempt == decision.head.attempt);
        // Galaxy asks again about a job that failed, without the user's parameters: the first answer counts. A wait says less than its end.
        let last = found.iter().filter(of_attempt).max_by_key(|decision| {
            let is_end = !matches!(decision.outcome, Outcome::Open) && decision.head.wait != Some(Wait::Begins);
            (decision.head.attempt, is_end, std::cmp::Reverse(decision.head.again), decision.head.time.clone())
        });
        let Some(decision) = last else {
            if let (Some(is_unlogged), true) = (&common.host.is_unlogged, found.is_empty()) {
                is_unlogged.store(true, Ordering::Relaxed);
                return Ok(Status::Bad);
            }
            return Err(self.missing(&files, !found.is_empty()));
        };
        let (job, guesses) = self.job(decision, common)?;
        let mut past = PastRules::beside(&files);
        let rules = decision.head.rules.as_deref().and_then(|digest| past.of(digest));
        let mut moments = Moments::read(self.world.as_deref())?;
        let world = moments.of(decision);
        let then = rules.as_deref().map(|rules| Replay::of(rules, &job, world, common));
        let now = match &self.now {
            None => None,
            Some(configs) => {
                let configs =
                    if configs.is_empty() { paths::named(configs, common)?.into_owned() } else { configs.clone() };
                let Some(rules) = rules::load_any(None, &configs, common)? else { return Ok(Status::Bad) };
                Some(Replay::of(&rules, &job, world, common))
            }
        };
        let report = Report { decision, all: &found, guesses, then, now, not: self.not.as_deref() };
        match self.format {
            Format::Text => {
                print_paged(Form::Styled, &report.text(width(Path::new("-")), common.colour_of(&io::stdout())))?
            }
            Format::Json => print_stdout(Form::Json, &report.json())?,
        }
        Ok(Status::Done)
    }

    fn is_asked(&self, decision: &Decision) -> bool {
        match &decision.head.job {
            Json::Str(text) => **text == *self.job,
            Json::Int(number) => self.job.parse() == Ok(*number),
            other => text_of(other) == self.job,
        }
    }

    fn missing(&self, files: &[PathBuf], has_others: bool) -> CliError {
        let logs = files::named(files);
        let job = &self.job;
        if let (true, Some(attempt)) = (has_others, self.attempt) {
            return CliError::new(
                format!("attempt {attempt} of job `{job}` is not in {logs}"),
                "leave out `--attempt` for the last one",
            );
        }
        let looks_encoded = job.len() >= 16 && job.bytes().all(|byte| byte.is_ascii_hexdigit());
        let help = if looks_encoded {
            "this looks like an id of Galaxy's pages, which is encoded: take the number that administrators see there, or give `--galaxy galaxy.yml` to the Python package's `why`"
        } else {
            "the job may be older than the logs, or of another handler: name all logs, also the rotated ones"
        };
        CliError::new(format!("job `{job}` is not in {logs}"), help)
    }

    /// The job, from the job file if there is one.
    fn job(&self, decision: &Decision, common: &Common) -> Result<(Arc<Job>, Vec<Guess>), CliError> {
        let mut exported = None;
        if let Some(path) = &self.jobs {
            exported = super::replay::find(path, &decision.head.job)?;
            if exported.is_none() {
                common.note(&format!("warning: `{}` does not have the job", path.display()));
            }
        }
        let (json, guesses) = job_of(decision, exported);
        let job = Job::parse(&text_of(&json)).map_err(|error| {
            CliError::new(format!("the job of the decision cannot be read: {error}"), "name a job file: `--jobs JOBS`")
        })?;
        Ok((Arc::new(job), guesses))
    }
}

/// The most decisions about one job that are read.
const MOST_DECISIONS: usize = 10_000;
/// The most further decisions that are listed.
const MOST_LISTED: usize = 10;

/// The job mapped again.
struct Replay {
    decision: Decision,
    explanation: Explanation,
}

impl Replay {
    fn of(rules: &LoadedRules, job: &Arc<Job>, world: &Arc<World>, common: &Common) -> Self {
        // A mapper each: resource pools admit a job once.
        let mapper = || Mapper::with_hooks(rules.rules.clone(), map::hooks(common), false);
        let origin = rules.origin.as_ref().map(|(config, sources)| (config, sources));
        let provenance = Provenance::new(&rules.rules, origin);
        let mut collector = Collector::new(&provenance, job, Vec::new());
        let answer = mapper().map_observed(job, world, &mut collector);
        Self { decision: super::replay::decided(&mapper(), job, world), explanation: collector.finish(&answer) }
    }
}

/// The answer.
struct Report<'a> {
    decision: &'a Decision,
    all: &'a [Decision],
    guesses: Vec<Guess>,
    then: Option<Replay>,
    now: Option<Replay>,
    not: Option<&'a str>,
}

impl Report<'_> {
    fn sentence(&self) -> String {
        let Some(destination) = self.not else { return sentence(self.decision) };
        let replayed = || self.then.as_ref().and_then(|then| why_not(&then.decision, destination));
        let found = why_not(self.decision, destination).or_else(replayed);
        found.unwrap_or_else(|| format!("the log does not say why not `{destination}`: the job was not compared with it, or its line had no room"))
    }

    fn guessed(&self) -> Vec<String> {
        let mut guessed = self.guesses.clone();
        if self.then.is_none() {
            guessed.push(match &self.decision.head.rules {
                Some(digest) => {
                    format!("the texts of the rules `{digest}` are not kept beside the log: only the line is shown")
                }
                None => "the line does not name its rules: only the line is shown".to_owned(),
            });
        } else if let Some(then) = &self.then
            && !same(&then.decision, self.decision)
        {
            let gives = sentence(&then.decision);
            guessed.push(format!("the rules of that time, mapped again, do not give this: {gives}. Something that is not in the log was different"));
        }
        guessed
    }

    /// The answer for people: lines fit the width, if there is one.
    fn text(&self, width: Option<usize>, colour: bool) -> String {
        let mut out = String::new();
        let decision = self.decision;
        put_line!(out, "{}", self.sentence());
        put_line!(out, "");
        for (name, value) in facts(decision) {
            put_line!(out, "  {name:<12}{value}");
        }
        let others: Vec<&Decision> = self.all.iter().filter(|other| !std::ptr::eq(*other, decision)).collect();
        if !others.is_empty() {
            put_line!(out, "");
            put_line!(out, "OTHER MAPPINGS OF THE JOB");
            for other in others.iter().take(MOST_LISTED) {
                put_line!(out, "  {}  attempt {}  {}", other.head.time, other.head.attempt, sentence(other));
            }
            if others.len() > MOST_LISTED {
                put_line!(out, "  and {} more", others.len() - MOST_LISTED);
            }
        }
        let guessed = self.guessed();
        if !guessed.is_empty() {
            put_line!(out, "");
            put_line!(out, "GUESSED");
            for guess in &guessed {
                put_line!(out, "  {guess}");
            }
        }
        if let Some(now) = &self.now {
            put_line!(out, "");
            put_line!(out, "NOW");
            for line in self.differences(now) {
                put_line!(out, "  {line}");
            }
        }
        if self.then.is_some() {
            put_line!(out, "");
            put_line!(out, "THE DECISION, MAPPED AGAIN BY THE RULES OF THAT TIME");
        }
        let mut out = fold(&Form::Text.of(&out), width).into_owned();
        if let Some(then) = &self.then {
            out.push_str(&then.explanation.painted(width, colour));
        }
        out
    }

    /// The differences of today's answer.
    fn differences(&self, now: &Replay) -> Vec<String> {
        // What is the same but for guesses differs for no reason of the rules.
        let before = self.then.as_ref().map_or(self.decision, |then| &then.decision);
        let mut lines = vec![sentence(&now.decision)];
        if same(before, &now.decision) {
            lines.push("the same as at that time".to_owned());
            return lines;
        }
        let shown = |outcome: &Outcome| match outcome {
            Outcome::Destination(name) => format!("`{name}`"),
            Outcome::Error { kind, .. } => kind.clone(),
            Outcome::Open => "unknown".to_owned(),
        };
        let (old, new) = (shown(&before.outcome), shown(&now.decision.outcome));
        if old != new {
            lines.push(format!("destination: {old} then, {new} now"));
        }
        lines.extend(other_amounts(before, &now.decision, ["then", "now"]));
        lines
    }

    fn json(&self) -> String {
        let parsed = |text: &str| Json::read(&mut Reader::new(text)).unwrap_or(Json::Null);
        let texts = |texts: Vec<String>| Json::List(texts.into_iter().map(Json::str).collect());
        let explained =
            |replay: &Option<Replay>| replay.as_ref().map_or(Json::Null, |replay| parsed(&replay.explanation.json()));
        let now = self.now.as_ref().map_or(Json::Null, |now| texts(self.differences(now)));
        let fields = [
            ("sentence", Json::str(self.sentence())),
            ("decision", parsed(&self.decision.line())),
            ("mappings", Json::Int(i64::try_from(self.all.len()).unwrap_or(i64::MAX))),
            ("guessed", texts(self.guessed())),
            ("explanation", explained(&self.then)),
            ("now", now),
        ];
        text_of(&Json::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())) + "\n"
    }
}

/// The facts of a line, for people.
fn facts(decision: &Decision) -> Vec<(&'static str, String)> {
    let head = &decision.head;
    let mut facts = vec![("time", head.time.clone()), ("tool", head.tool.clone())];
    let mut put = |name: &'static str, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    put("dispatcher", head.dispatcher.clone());
    put("attempt", (head.attempt > 1).then(|| head.attempt.to_string()));
    put("user", Some(head.user.map_or_else(|| "anonymous".to_owned(), |user| user.to_string())));
    put("input", head.input_size.map(|size| format!("{size:.2} GiB")));
    let amounts: Vec<String> = Quantity::ALL.into_iter().filter_map(|quantity| amount(decision, quantity)).collect();
    put("resources", (!amounts.is_empty()).then(|| amounts.join(", ")));
    let fired = decision.fired.iter().map(|fired| match &fired.at {
        Some(at) => format!("{} ({at})", fired.rule),
        None => fired.rule.clone(),
    });
    let fired: Vec<String> = fired.collect();
    put("rules", (!fired.is_empty()).then(|| fired.join(", ")));
    if let Some(Wait::Ended { mappings, since }) = &head.wait {
        put("waited", Some(format!("since {since}, {mappings} mappings were not ready")));
    }
    for (name, value) in &head.read {
        put("read", Some(format!("{name}: {}", text_of(value))));
    }
    put("config", head.rules.clone());
    facts
}
