//! `tpvc test`

mod properties;
mod suggest;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{ArgAction, Args, ValueEnum};
use indexmap::IndexMap;
use tpv_runtime::mapper::Hooks;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{print_lines, print_stdout, write_text};
use super::revision::AtRevision;
use super::rewrite::{rewrite, with_line_ends_of};
use super::{map, paths, rules, world};
use properties::Properties;
use tpv_analysis::cases::coverage::{Coverage, coverage, html};
use tpv_analysis::cases::read::{Defaults, read};
use tpv_analysis::cases::report::{self, Promise, Ran};
use tpv_analysis::cases::run::{self, Tested};
use tpv_analysis::cases::{Case, TestFile, update};
use tpv_analysis::diff::revision::Revision;
use tpv_settings::FILE;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::figures::count;
use tpv_text::printable::Form;
use tpv_text::source::{Limits, SourceMap};

/// Run test cases: jobs with the answers that TPV's rules must give
///
/// A test file is YAML: it names its config files, and lists jobs with the answers that are expected. A failing case is shown with the
/// answer that it got, and the lines of the config that set it. Properties are what must hold for every job: each is proved, refuted by a job, or
/// unknown. Exit status 1 if a case fails or a property is refuted. docs/test.md and
/// docs/properties.md have the format.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc test tests/*.yml\n  \
    tpvc test tests/ --config shared.yml --config local.yml -k bwa\n  \
    tpvc test tests/ --coverage=coverage.html --junit results.xml\n  \
    tpvc test tests/bwa.yml --update\n  \
    tpvc test tests/ --suggest -o tests/suggested.yml\n  \
    tpvc test tests/ --at HEAD~20")]
pub(super) struct Test {
    /// Test files, folders (their .yml and .yaml files) or patterns with `*` [default: those of `tpvc.toml`]
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// A config file, URL, folder or pattern for the test files that name none; repeat it for more, later over earlier
    #[arg(long, value_name = "CONFIG")]
    config: Vec<String>,
    /// Galaxy's state (a world file), for test files that do not name one
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Exit status 1 for unknown properties, too: those that are not proved, and that no job breaks
    #[arg(long)]
    strict: bool,
    /// Run only the cases and properties that have this in their names
    #[arg(short = 'k', long = "only", value_name = "TEXT")]
    only: Option<String>,
    /// Output format of the results
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write the results as JUnit XML, for CI servers
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Report which parts of the config the cases used: as text, or to a file that ends in .html or .json; repeat it for several forms
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-", value_parser = coverage_file, action = ArgAction::Append)]
    coverage: Vec<PathBuf>,
    /// Write the answers of failing cases, and of cases that expect nothing, into the test files
    #[arg(long)]
    update: bool,
    /// Write cases for what no case uses and a job that is made from the rules does, with today's answers, which you review
    #[arg(long, conflicts_with_all = ["update", "at", "junit", "format", "coverage", "strict"])]
    suggest: bool,
    /// With `--suggest`: output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-", requires = "suggest")]
    output: PathBuf,
    /// Test the rules of this revision of git, with its settings, variables and templates; the test files are the current ones
    #[arg(long, value_name = "REVISION", conflicts_with = "update")]
    at: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: each failing case, the expected value, the one that it got, and what set it
    Text,
    /// One object with all cases
    Json,
}

fn coverage_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let known = path.extension().is_some_and(|extension| extension == "html" || extension == "json");
    if known || text == "-" { Ok(path) } else { Err("name a file that ends in .html or .json".to_owned()) }
}

/// Test files with the same config, by their places among all.
type Groups = IndexMap<Vec<String>, Vec<usize>>;

impl Test {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let settings = common.settings()?;
        let named = if self.files.is_empty() { &settings.tests } else { &self.files };
        if let (true, Some(path)) =
            (named.is_empty() && self.only.is_none() && !self.update && !self.suggest, &settings.path)
        {
            self.print(&[], &[], &SourceMap::new(), &[], common)?;
            common.note(&format!("no tests: `{}` names no test files under `[test]`", path.display()));
            return Ok(Outcome::Done);
        }
        if named.is_empty() && !self.suggest {
            let help = format!(
                "name test files, or list them in `{FILE}`: `[test]`, and below it `files = [\"tests/*.yml\"]`"
            );
            return Err(CliError::misuse("no test files are given", help));
        }
        let site = match &self.at {
            Some(name) => {
                let revision = Revision::of(Path::new("."), name)?;
                Some(AtRevision::of(&revision, !self.config.is_empty(), common)?)
            }
            None => None,
        };
        let of_settings = || match &site {
            Some(site) => site.configs(),
            None => Ok(settings.files.clone()),
        };
        let defaults = Defaults {
            config: if self.config.is_empty() { of_settings()? } else { self.config.clone() },
            world: self.world.clone().or(settings.world),
            now: world::at_this_moment(None)?.now.unwrap_or_default(),
        };
        let mut sources = SourceMap::new();
        let Some(files) = read_all(named, &defaults, &mut sources, common)? else { return Ok(Outcome::Bad) };
        let mut groups = Groups::new();
        for (index, file) in files.iter().enumerate() {
            groups.entry(file.config.clone()).or_default().push(index);
        }
        if self.suggest {
            return self.suggest(&files, groups, &defaults, common);
        }
        let hooks = map::hooks(common);
        // Of each file the outcomes of its cases; nothing for those that are not asked for.
        let mut outcomes: Vec<Vec<Option<run::Outcome>>> =
            files.iter().map(|file| file.cases.iter().map(|_| None).collect()).collect();
        let mut covered = Vec::new();
        let mut properties = Properties::default();
        for (config, members) in &groups {
            let Some(tested) = compile(config, site.as_ref(), common)? else { return Ok(Outcome::Bad) };
            let chosen = self.chosen(&files, members);
            if let Some(mut coverage) = self.run_group(&tested, &hooks, &files, &chosen, &mut outcomes) {
                let (reach, _) = suggest::reach(&tested, &hooks, &defaults, common)?;
                coverage.add_reachable(&coverage.aims(&reach.coverage));
                covered.push(coverage);
            }
            properties.judge(&tested, &hooks, &files, members, self.only.as_deref());
        }
        let ran: Vec<Ran<'_>> = files
            .iter()
            .zip(&outcomes)
            .flat_map(|(file, outcomes)| {
                let cases = file.cases.iter().zip(outcomes);
                cases.filter_map(move |(case, outcome)| Some(Ran { file, case, outcome: outcome.as_ref()? }))
            })
            .collect();
        // What was recorded comes before what failed.
        let updated = self.update.then(|| self.update(&files, &outcomes, &defaults, &sources, common)).transpose();
        self.print(&ran, &properties.all(&files), &sources, &covered, common)?;
        let failed = ran.iter().filter(|ran| !ran.is_passed()).count();
        if ran.is_empty() && properties.count() == 0 {
            // A filter with a slip in it must not look like success.
            return Err(CliError::new("no test was run", "leave out `-k`, or name a part of a test's name"));
        }
        if !ran.is_empty() {
            let passed = ran.len() - failed;
            let what = if failed == 0 { String::new() } else { format!("{failed} failed, ") };
            let (tests, read) = (count(ran.len() as u64, "test"), count(files.len() as u64, "file"));
            common.note(&format!("{what}{passed} passed, of {tests} in {read}"));
        }
        if properties.count() > 0 {
            common.note(&properties.summary());
        }
        if common.verbose > 0 {
            common.note(&format!("in {:.0} ms", started.elapsed().as_secs_f64() * 1e3));
        }
        let is_good = updated?.unwrap_or(failed == 0) && !properties.is_bad(self.strict);
        Ok(if is_good { Outcome::Done } else { Outcome::Bad })
    }

    /// The cases of some files that `-k` leaves, by file and place.
    fn chosen(&self, files: &[TestFile], members: &[usize]) -> Vec<(usize, usize)> {
        let is_wanted = |case: &Case| self.only.as_ref().is_none_or(|part| case.name.contains(part.as_str()));
        let of_file = |index: &usize| {
            let cases = files.get(*index).map_or(&[][..], |file| &file.cases);
            let wanted = cases.iter().enumerate().filter(|(_, case)| is_wanted(case));
            wanted.map(|(case, _)| (*index, case)).collect::<Vec<_>>()
        };
        members.iter().flat_map(of_file).collect()
    }

    /// Runs the cases of one config, and gives what they used of it if that is asked for.
    fn run_group(
        &self,
        tested: &Tested,
        hooks: &Hooks,
        files: &[TestFile],
        chosen: &[(usize, usize)],
        outcomes: &mut [Vec<Option<run::Outcome>>],
    ) -> Option<Coverage> {
        let cases: Vec<&Case> = chosen.iter().filter_map(|(file, case)| files.get(*file)?.cases.get(*case)).collect();
        let (mut done, counts) = run::run(tested, hooks, &cases, !self.coverage.is_empty());
        run::explain(tested, hooks, &cases, &mut done);
        for ((file, case), outcome) in chosen.iter().zip(done) {
            if let Some(place) = outcomes.get_mut(*file).and_then(|cases| cases.get_mut(*case)) {
                *place = Some(outcome);
            }
        }
        (!self.coverage.is_empty()).then(|| coverage(tested, &counts, cases.len()))
    }

    /// Prints and writes the results.
    fn print(
        &self,
        ran: &[Ran<'_>],
        promises: &[Promise<'_>],
        sources: &SourceMap,
        covered: &[Coverage],
        common: &Common,
    ) -> Result<(), CliError> {
        let in_text = self.coverage.iter().any(|path| path == Path::new("-"));
        match self.format {
            Format::Text => {
                let mut out = String::new();
                for ran in ran {
                    if !ran.is_passed() {
                        out += &report::text(*ran, sources);
                        out.push('\n');
                    } else if common.verbose > 0 {
                        out += &report::passed(*ran, sources);
                    }
                }
                for promise in promises {
                    if promise.word() != "proved" {
                        out += &promise.text(sources);
                        out.push('\n');
                    } else if common.verbose > 0 {
                        out += &promise.text(sources);
                    }
                }
                if in_text {
                    out += &covered.iter().map(Coverage::text).collect::<Vec<_>>().join("\n");
                }
                print_lines(Form::Text, &out)?;
            }
            Format::Json => {
                print_stdout(Form::Json, &report::json(ran, promises, sources, in_text.then_some(covered)))?
            }
        }
        if let Some(path) = &self.junit {
            write_text("the results", path, Form::Data, &report::junit(ran, promises, sources))?;
        }
        for path in self.coverage.iter().filter(|path| *path != Path::new("-")) {
            let is_html = path.extension().is_some_and(|extension| extension == "html");
            let (form, text) = match is_html {
                true => (Form::Data, html(covered)),
                false => (Form::Json, format!("{:#}\n", serde_json::json!(covered))),
            };
            write_text("the coverage", path, form, &text)?;
        }
        Ok(())
    }

    /// Writes the answers into the test files, each whole or not at all. Tells whether nothing is left that fails.
    fn update(
        &self,
        files: &[TestFile],
        outcomes: &[Vec<Option<run::Outcome>>],
        defaults: &Defaults,
        sources: &SourceMap,
        common: &Common,
    ) -> Result<bool, CliError> {
        let mut is_good = true;
        for (file, outcomes) in files.iter().zip(outcomes) {
            let outcomes: Vec<Option<&run::Outcome>> = outcomes.iter().map(Option::as_ref).collect();
            let updated = update::update(file, &outcomes, sources);
            let place = |index: usize| {
                let case = file.cases.get(index);
                let line = case.map_or(0, |case| sources.place(case.at).line);
                format!("{}:{line}  {}", file.name, case.map_or("", |case| &case.name))
            };
            for (index, why) in &updated.left {
                is_good = false;
                common.note(&format!("not recorded: {}: {why}", place(*index)));
            }
            if updated.changes.is_empty() {
                continue;
            }
            check(file, &updated, &outcomes, defaults)?;
            let old = std::fs::read_to_string(&file.name).unwrap_or_default();
            rewrite("the updated tests", Path::new(&file.name), with_line_ends_of(&old, updated.text).as_bytes())?;
            for (index, what) in &updated.changes {
                common.note(&format!("recorded: {}: {what}", place(*index)));
            }
        }
        Ok(is_good)
    }
}

/// The test files. `None` if one has a problem, which has then been reported.
fn read_all(
    names: &[String],
    defaults: &Defaults,
    sources: &mut SourceMap,
    common: &Common,
) -> Result<Option<Vec<TestFile>>, CliError> {
    let mut problems = Diagnostics::new();
    let mut files = Vec::new();
    for name in paths::expand(names)? {
        match sources.load(&name, &Limits { bytes: LARGEST, ..Limits::default() }) {
            Ok(id) => files.extend(read(sources, id, defaults, &mut problems)),
            Err(error) => {
                // `--coverage FILE`, of which the file is taken for tests.
                let is_page = Path::new(&name).extension().is_some_and(|end| end == "html");
                let help = if is_page { "to write it, join it to its option: `--coverage=FILE`" } else { error.help() };
                problems.push(Diagnostic::error(format!("`{name}` cannot be read: {error}")).help(help));
            }
        }
    }
    common.show(&problems, sources);
    Ok((!problems.has_errors()).then_some(files))
}

/// The largest test file, in bytes: one of 10,000 cases has about 2 MiB.
const LARGEST: u64 = 64 << 20;

/// The rules of config files. `None` if they do not compile, which has then been reported.
fn compile(config: &[String], site: Option<&AtRevision>, common: &Common) -> Result<Option<Tested>, CliError> {
    let loaded = match site {
        Some(site) => site.rules(config, common)?,
        None => rules::load_any(None, config, common)?,
    };
    let Some(loaded) = loaded else { return Ok(None) };
    let Some((config, sources)) = loaded.origin else {
        return Err(CliError::new(
            format!("`{}` is an artifact, which does not know the config's text", config.concat()),
            "name the config files that it was compiled from",
        ));
    };
    Ok(Some(Tested { rules: loaded.rules, config, sources }))
}

/// Reads an updated file as the next run will, so that nothing is written that would not hold.
fn check(
    file: &TestFile,
    updated: &update::Updated,
    outcomes: &[Option<&run::Outcome>],
    defaults: &Defaults,
) -> Result<(), CliError> {
    let mut sources = SourceMap::new();
    let mut problems = Diagnostics::new();
    let id = sources.add(&file.name, &updated.text);
    let again = read(&mut sources, id, defaults, &mut problems);
    let holds = again.is_some_and(|again| {
        let is_left = |index: usize| updated.left.iter().any(|(left, _)| *left == index);
        again.cases.len() == file.cases.len()
            && again.cases.iter().zip(outcomes).enumerate().all(|(index, (case, outcome))| {
                is_left(index) || outcome.is_none_or(|outcome| outcome.compare(case).is_empty())
            })
    });
    if holds {
        return Ok(());
    }
    Err(CliError::new(
        format!("the answers cannot be written into `{}` without changing what else it says", file.name),
        "the file is unchanged; change the failing cases by hand",
    ))
}
