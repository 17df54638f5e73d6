//! `tpvc update`: what URLs give, looked at and locked.

mod cache;
mod effects;
mod fetched;
mod report;
mod sites;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tpv_config::lock::{self, Entry, Lock};
use tpv_text::figures::count;
use tpv_text::printable::Form;
use tpv_text::source::{Limits, redacted};

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{print_lines, print_stdout};
use tpv_settings::FILE;

use effects::Effects;
use fetched::Fetched;
use report::{Change, Report};
use sites::Site;

/// Lock what remote configs give, after showing what changes for jobs
///
/// Fetches the URLs of tpvc.toml, of all its environments. Where one gives another text than the locked one, the rules are compared as `tpvc diff`
/// does it: entities, and the answers to jobs. Then the texts are written to the cache, and `tpvc.lock` beside tpvc.toml, which all commands read.
/// If one cannot be fetched, or the rules don't compile with its text, nothing is written.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc update\n  \
    tpvc update --jobs jobs.jsonl.gz\n  \
    tpvc update https://gxy.io/tpv/db.yml\n  \
    tpvc update --check --format markdown > comment.md")]
pub(super) struct Update {
    /// Fetch these URLs only; others stay as they are locked [default: all of tpvc.toml]
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    /// Write nothing; exit status 1 if a remote config has changed or cannot be fetched
    #[arg(long)]
    check: bool,
    /// The jobs to compare answers to: a job file, plain, gzip or zstd [default: that of tpvc.toml, else jobs made from both rule sets]
    #[arg(long, value_name = "JOBS")]
    jobs: Option<PathBuf>,
    /// Compare the entities only, and map no jobs
    #[arg(long, conflicts_with = "jobs")]
    no_jobs: bool,
    /// Galaxy's state for the jobs (a world file) [default: that of tpvc.toml]
    #[arg(long, value_name = "WORLD", conflicts_with = "no_jobs")]
    world: Option<PathBuf>,
    /// The longest time for one URL
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// All results as data
    Json,
    /// For the comment of a pull request
    Markdown,
}

impl Update {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let settings = common.settings()?;
        let Some(path) = settings.path.clone() else {
            let help = format!("write `{FILE}` with `tpvc init`: its `files` name the URLs");
            return Err(CliError::misuse(format!("there is no `{FILE}`, whose remote configs are locked"), help));
        };
        let at = path.parent().unwrap_or(Path::new("")).join(lock::FILE);
        let sites = sites::of(&settings, common)?;
        let urls: BTreeSet<String> = sites.iter().flat_map(Site::urls).cloned().collect();
        let old = settings.site.remotes.lock().cloned().unwrap_or_else(|| Arc::new(Lock::new(&at, &settings.cache)));
        let wanted = self.wanted(&urls)?;
        let limits = Limits { time: Duration::from_secs(self.timeout), ..Limits::default() };
        let (fetched, failed) = fetched::fetch_all(&wanted, &limits, common);
        if failed > 0 && !self.check {
            self.say_kept(&wanted, &fetched, &old, common);
            return Ok(Outcome::Bad);
        }
        let mut new = renewed(&old, &at, &settings.cache, &urls, &fetched);
        if sites.iter().any(|site| !site.is_whole) {
            // A config that cannot be read may name them.
            old.entries.iter().for_each(|(url, entry)| {
                new.entries.entry(url.clone()).or_insert_with(|| entry.clone());
            });
        }
        let new = Arc::new(new);
        let changes = Change::between(&old, &new);
        let effects = match changes.iter().any(Change::is_of_text) {
            true => Effects {
                old: &old,
                new: &new,
                jobs: self.jobs.as_deref(),
                no_jobs: self.no_jobs,
                world: self.world.as_deref(),
            },
            false => Effects { old: &old, new: &old, jobs: None, no_jobs: true, world: None },
        };
        let Some(compared) = effects.of(&sites, common)? else {
            common.note(&format!("`{}` is as it was", at.display()));
            return Ok(Outcome::Bad);
        };
        let report = Report { lock: at.clone(), changes, compared };
        match self.format {
            Format::Text => print_lines(Form::Text, &report.text())?,
            Format::Markdown => print_stdout(Form::Text, &report.markdown())?,
            Format::Json => {
                print_stdout(Form::Json, &report.json().map_err(|error| CliError::bug("the report", &error))?)?
            }
        }
        if self.check {
            return Ok(if failed > 0 || !report.changes.is_empty() { Outcome::Bad } else { Outcome::Done });
        }
        let written = cache::write(&old, &new, common)?;
        let remotes = count(new.entries.len() as u64, "remote config");
        match written {
            true => common.note(&format!("wrote `{}`: {remotes}", at.display())),
            false => common.note(&format!("`{}` is up to date: {remotes}", at.display())),
        }
        Ok(Outcome::Done)
    }

    /// The URLs that are fetched.
    ///
    /// # Errors
    /// One is asked for that no config has.
    fn wanted<'a>(&self, urls: &'a BTreeSet<String>) -> Result<Vec<&'a str>, CliError> {
        if let Some(unknown) = self.urls.iter().find(|url| !urls.contains(*url)) {
            let names: Vec<String> = urls.iter().map(|url| format!("`{}`", redacted(url))).collect();
            let help = match names.is_empty() {
                true => format!("list it under `files` in `{FILE}`"),
                false => format!("it has {}", names.join(", ")),
            };
            return Err(CliError::misuse(format!("`{FILE}` has no remote config `{}`", redacted(unknown)), help));
        }
        let is_wanted = |url: &&str| self.urls.is_empty() || self.urls.iter().any(|wanted| wanted == url);
        Ok(urls.iter().map(String::as_str).filter(is_wanted).collect())
    }

    /// Says that nothing was written, and which texts stay in use.
    fn say_kept(&self, wanted: &[&str], fetched: &[Fetched<'_>], old: &Lock, common: &Common) {
        for url in wanted.iter().filter(|url| fetched.iter().all(|one| one.url != **url)) {
            if let Some(entry) = old.entry(url) {
                let url = redacted(url);
                common.note(&format!("`{url}`: the text that is locked since {} stays in use", entry.day()));
            }
        }
        let others = if fetched.is_empty() { "" } else { "; `tpvc update URL` updates the others by name" };
        common.note(&format!("nothing was written: `{}` and its cache are as they were{others}", old.path.display()));
    }
}

/// The lock with what was fetched, without URLs that no config has any more.
fn renewed(old: &Lock, at: &Path, cache: &Path, urls: &BTreeSet<String>, fetched: &[Fetched<'_>]) -> Lock {
    let mut new = Lock::new(at, cache);
    let now = jiff::Timestamp::from_microsecond(tpv_maps::clock::microseconds()).unwrap_or_default();
    let now = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    for url in urls {
        let known = old.entry(url);
        match fetched.iter().find(|one| one.url == url) {
            Some(one) => {
                let entry = Entry::of(&one.bytes, now.clone());
                // The time is that at which this text was first seen.
                let entry = known.filter(|known| known.sha256 == entry.sha256).cloned().unwrap_or(entry);
                new.insert(url, entry, one.bytes.clone());
            }
            None => {
                if let Some(known) = known {
                    new.entries.insert(redacted(url).into_owned(), known.clone());
                }
            }
        }
    }
    new.beside(at, Some(old))
}
