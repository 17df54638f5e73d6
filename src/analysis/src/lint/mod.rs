//! Faults, certain or likely, of a config: TPV's own linter with TPV's codes, and a checker of the code
//! instead of its mypy.
//!
//! One file a check. Each goes through the merged config and reports [`Finding`]s to the [`Linter`], which leaves out
//! those that `# noqa` comments and `--ignore` turn off. [`Code`] lists the kinds; `docs/lint/` has a page for each.

pub mod baseline;
mod by_default;
pub(crate) mod capacity;
mod concrete_parents;
mod ends;
mod entities;
mod env;
mod environments;
mod fields;
pub mod fix;
mod gaps;
mod ids;
mod job_limits;
mod ladders;
mod limits;
mod linter;
mod matching;
mod misplaced;
mod misspelt_context;
mod never_reported;
mod never_seen;
pub mod params;
mod partial;
mod people;
pub mod report;
mod rules;
mod runner_params;
mod runners;
mod sections;
pub mod server;
mod severities;
mod shadowing;
mod size_steps;
pub(crate) mod tags;
mod unevaluated;
mod units;
mod upgrade;
mod useless_rules;
pub mod volumes;
mod words;
mod zeros;

pub use linter::{Linter, Options};
pub use severities::{Level, Severities};

use partial::Missing;

use tpv_bytecode::ProgramData;

use tpv_compiler::checker;
use tpv_compiler::python::program::Trees;
use tpv_compiler::python::stack::on_roomy_thread;
use tpv_config::{Config, ConfigTexts, Input};
use tpv_model::Version;
use tpv_runtime::artifact::tables::Tables;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::finding::Finding;
use tpv_text::source::{Limits, SourceMap};

/// The result of linting.
#[derive(Debug, Default)]
pub struct Linted {
    /// The findings, by place.
    pub findings: Vec<Finding>,
    /// The number of findings left out because [`Options::limits`] was not set.
    pub limits: usize,
    /// The number of findings left out because something is missing that may make them false.
    pub uncertain: usize,
    /// The texts that the findings point into.
    pub sources: SourceMap,
    /// The version of TPV that the config is for.
    pub version: Version,
    /// The newest version of TPV before 3.0 that loads the config, if the one that is asked for does not.
    pub older: Option<Version>,
}

impl Linted {
    /// Leaves of a config that only an older version loads the finding that says so, and the first error.
    pub fn only_older(&mut self) {
        if self.older.is_some() && self.errors() > 2 {
            self.findings.retain(|finding| finding.code == Code::Unloadable);
            self.findings.truncate(2);
            (self.limits, self.uncertain) = (0, 0);
        }
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_error()).count()
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}

/// A linked config.
pub struct Blocks {
    /// The tables of its entities.
    pub tables: Tables,
    /// The blocks as code.
    pub program: ProgramData,
    /// The blocks as trees.
    pub trees: Trees,
}

impl Blocks {
    /// Links a config.
    pub fn of(config: &Config, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Self {
        let (tables, program, trees) = tpv_compiler::link::link(config, sources, false, diagnostics);
        Self { tables, program, trees }
    }
}

/// Lints config files and URLs, merged in the order given.
pub fn lint(names: &[String], options: &Options) -> Linted {
    lint_inputs(&Input::named(names), &ConfigTexts::default(), options)
}

/// Lints configs of all sorts, merged in the order given. `texts` holds those that are read already.
pub fn lint_inputs(inputs: &[Input], texts: &ConfigTexts, options: &Options) -> Linted {
    run(inputs, texts, options, Extent::Part, |linter, _| check(linter)).0
}

/// Every check, one file each.
fn check(linter: &mut Linter<'_>) {
    fields::check(linter);
    entities::check(linter);
    rules::check(linter);
    zeros::check(linter);
    units::check(linter);
    limits::check(linter);
    sections::check(linter);
    misplaced::check(linter);
    env::check(linter);
    params::check(linter);
    ids::check(linter);
    gaps::check(linter);
    ends::check(linter);
    unevaluated::check(linter);
    misspelt_context::check(linter);
    concrete_parents::check(linter);
    runners::check(linter);
    runner_params::check(linter);
    environments::check(linter);
    job_limits::check(linter);
    never_seen::check(linter);
    never_reported::check(linter);
    people::check(linter);
    by_default::check(linter);
    shadowing::check(linter);
    useless_rules::check(linter);
    ladders::check(linter);
    about_tags(linter);
    upgrade::check(linter);
    for finding in checker::check(linter.config, linter.sources) {
        linter.report(finding);
    }
}

/// The findings of `tpvc lint`, for who must not repeat them.
pub fn findings(linter: &Linter<'_>) -> Vec<Finding> {
    let mut linter = linter.fresh();
    check(&mut linter);
    linter.findings
}

fn about_tags(linter: &mut Linter<'_>) {
    let tags = tags::Tags::new(linter.config);
    tags::check(linter, &tags);
    capacity::check(linter, &tags);
}

/// The findings of `tpvc lint` about tags and limits, which `tpvc check` must not repeat.
pub(crate) fn about_limits(linter: &Linter<'_>) -> Vec<Finding> {
    let mut linter = linter.fresh();
    limits::check(&mut linter);
    about_tags(&mut linter);
    linter.findings
}

/// The configs that a check looks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those that load.
    Whole,
    /// All: of one with errors, what can be read. Findings that depend on the rest are left out.
    Part,
}

/// Loads configs, merged in the order given, and looks through the config with `check`. Returns the findings, and the result of `check` if it was
/// called.
pub(crate) fn run<T: Send>(
    inputs: &[Input],
    texts: &ConfigTexts,
    options: &Options,
    extent: Extent,
    check: impl Fn(&mut Linter<'_>, &Blocks) -> T + Sync,
) -> (Linted, Option<T>) {
    // Code nests as deep as its author likes, and what walks it recurses with it.
    let run = || run_here(inputs, texts.clone(), options, extent, &check);
    on_roomy_thread(run).unwrap_or_else(run)
}

fn run_here<T>(
    inputs: &[Input],
    mut texts: ConfigTexts,
    options: &Options,
    extent: Extent,
    check: &impl Fn(&mut Linter<'_>, &Blocks) -> T,
) -> (Linted, Option<T>) {
    let mut diagnostics = Diagnostics::new();
    let config = tpv_config::load(inputs, &Limits::default(), &mut texts, &mut diagnostics);
    let mut sources = texts.sources;
    // Linking compiles all code, which TPV does when it loads.
    let blocks = Blocks::of(&config, &sources, &mut diagnostics);
    let (mut given, mut uncertain) = (None, 0);
    let mut findings = {
        let mut linter = Linter::new(&config, &sources, options);
        for diagnostic in diagnostics.iter() {
            linter.loading(diagnostic);
        }
        if !diagnostics.has_errors() {
            given = Some(check(&mut linter, &blocks));
        } else if extent == Extent::Part {
            let of_loading = std::mem::take(&mut linter.findings);
            given = Some(check(&mut linter, &blocks));
            uncertain = linter.leave_out(&Missing::new(&config, &sources, &diagnostics));
            linter.findings.extend(of_loading);
        }
        linter.finish()
    };
    let of_server = options.server.job_conf.as_ref().and_then(|job_conf| job_conf.source.clone());
    let next = sources.next_id();
    if let Some(source) = of_server.filter(|_| findings.iter().filter_map(Finding::span).any(|at| at.source == next)) {
        sources.adopt(source);
    }
    let all = findings.len();
    findings.retain(|finding| options.limits || !Code::LIMITS.contains(&finding.code));
    (
        Linted {
            limits: all - findings.len(),
            uncertain,
            findings,
            sources,
            version: config.version,
            older: config.older,
        },
        given,
    )
}
