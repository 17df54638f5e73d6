//! Faults, certain or likely, of a config that loads: TPV's own linter with TPV's codes, and a checker of the code
//! instead of its mypy.
//!
//! One file a check. Each goes through the merged config and reports [`Finding`]s to the [`Linter`], which leaves out
//! those that `# noqa` comments and `--ignore` turn off. [`codes`] lists the kinds; `docs/lint/` has a page for each.

pub mod baseline;
mod capacity;
mod code;
pub mod codes;
mod entities;
mod env;
mod fields;
pub mod fix;
mod limits;
mod misplaced;
mod model;
mod outdone;
pub mod report;
mod rules;
mod sections;
mod severities;
mod shadowing;
pub(crate) mod tags;
mod units;
mod zeros;

pub use severities::{Level, Severities};

use std::collections::{HashMap, HashSet};

use tpv_bytecode::ProgramData;

use crate::config::entity::Common;
use crate::config::{self, Config};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::link::Need;
use crate::python::program::Trees;
use crate::python::stack::on_roomy_thread;
use crate::source::{Limits, SourceMap, Span};
use crate::yaml::value::Text;
use tpv_model::EntityClass;

/// One finding: a code, a severity, a place, and what to do.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The code, one of [`codes::CODES`].
    pub code: &'static str,
    /// Severity, place, message, notes and help.
    pub diagnostic: Diagnostic,
    /// The number of other findings of its file that it stands for; see [`report::group`].
    pub more: usize,
    silenced: bool,
    once_a_file: bool,
}

impl Finding {
    pub(crate) fn new(code: &'static str, diagnostic: Diagnostic) -> Self {
        Self { code, diagnostic: diagnostic.code(code), more: 0, silenced: false, once_a_file: false }
    }

    /// Marks a finding that most entities of a file tend to have: reports give the first, with the number of the others.
    pub(crate) fn once_a_file(mut self) -> Self {
        self.once_a_file = true;
        self
    }

    /// Sets the entity of the finding, whose `# noqa` comment may turn it off.
    pub(crate) fn of(self, common: &Common) -> Self {
        self.within([common.no_qa_codes.as_slice()])
    }

    /// As [`Finding::of`], for what several entities share: any of them may turn it off.
    pub(crate) fn within<'t>(mut self, lists: impl IntoIterator<Item = &'t [Text]>) -> Self {
        self.silenced = lists.into_iter().any(|codes| silences(codes, self.code));
        self
    }

    /// Returns `true` if the finding points to a place.
    pub(crate) fn points_to(&self, span: Span) -> bool {
        self.diagnostic.primary.iter().chain(&self.diagnostic.secondary).any(|label| label.span == span)
    }

    /// The location.
    pub fn span(&self) -> Option<Span> {
        self.diagnostic.primary.as_ref().map(|label| label.span)
    }

    /// Returns `true` if the config cannot be used as it is.
    pub fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

/// Returns `true` if the `# noqa` comment of an entity turns a code off.
pub(crate) fn silences(comment: &[Text], code: &str) -> bool {
    comment.iter().any(|text| text.as_str() == "noqa" || text.as_str() == code)
}

/// The options of the linter.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Codes of warnings that are not wanted. As in TPV, errors cannot be turned off.
    pub ignore: Vec<String>,
    /// `true` to report code that works inside Galaxy and not in compiled rules: the codes of [`codes::LIMITS`].
    pub limits: bool,
    /// The severities of codes; those of `ignore` are left out nevertheless.
    pub severities: Severities,
}

/// The result of linting.
#[derive(Debug, Default)]
pub struct Linted {
    /// The findings, by place.
    pub findings: Vec<Finding>,
    /// The number of findings left out because [`Options::limits`] was not set.
    pub limits: usize,
    /// The texts that the findings point into.
    pub sources: SourceMap,
}

impl Linted {
    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_error()).count()
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}

/// The compiled code of a config.
pub(crate) struct Blocks {
    /// The blocks as code.
    pub program: ProgramData,
    /// The blocks as trees.
    pub trees: Trees,
}

/// Lints config files and URLs, merged in the order given.
pub fn lint(names: &[String], options: &Options) -> Linted {
    lint_inputs(&config::Input::named(names), &SourceMap::new(), options)
}

/// Lints configs of all sorts, merged in the order given. `sources` holds the texts of those that are read already.
pub fn lint_inputs(inputs: &[config::Input], sources: &SourceMap, options: &Options) -> Linted {
    run(inputs, sources, options, |linter, _| linter.check()).0
}

/// Loads configs, merged in the order given, and looks through the config with `check` unless loading finds an error. Gives the
/// findings, and what `check` gives.
pub(crate) fn run<T: Send>(
    inputs: &[config::Input],
    sources: &SourceMap,
    options: &Options,
    check: impl Fn(&mut Linter<'_>, &Blocks) -> T + Sync,
) -> (Linted, Option<T>) {
    // Code nests as deep as its author likes, and what walks it recurses with it.
    let run = || run_here(inputs, sources.clone(), options, &check);
    on_roomy_thread(run).unwrap_or_else(run)
}

fn run_here<T>(
    inputs: &[config::Input],
    mut sources: SourceMap,
    options: &Options,
    check: &impl Fn(&mut Linter<'_>, &Blocks) -> T,
) -> (Linted, Option<T>) {
    let mut diagnostics = Diagnostics::new();
    let config = config::load_inputs(inputs, &Limits::default(), &mut sources, &mut diagnostics);
    // Linking compiles all code, which TPV does when it loads.
    let (_, program, trees) = crate::link::link(&config, &sources, false, &mut diagnostics);
    let blocks = Blocks { program, trees };
    let mut given = None;
    let mut findings = {
        let mut linter =
            Linter { config: &config, sources: &sources, options, findings: Vec::new(), needs: HashMap::new() };
        for diagnostic in diagnostics.iter() {
            linter.loading(diagnostic);
        }
        if !diagnostics.has_errors() {
            given = Some(check(&mut linter, &blocks));
        }
        linter.finish()
    };
    let all = findings.len();
    findings.retain(|finding| options.limits || !codes::LIMITS.contains(&finding.code));
    (Linted { limits: all - findings.len(), findings, sources }, given)
}

/// The compiler's request to the checker of code.
pub(crate) struct Raising {
    /// The diagnostics of code that raises.
    pub diagnostics: Vec<Diagnostic>,
    /// The root codes of the blocks that CPython runs where there is one, with the reasons.
    pub needs: HashMap<u32, Need>,
}

/// The compile-time findings about code that compiles: those of the kinds in [`codes::RAISING`], even if `# noqa` turns
/// them off, because the rules raise nevertheless.
///
/// `trees` is what the code was compiled from, so that nothing is parsed again.
pub(crate) fn raising(config: &Config, sources: &SourceMap, trees: &Trees) -> Raising {
    let check = || {
        let options = Options { limits: true, ..Options::default() };
        let mut linter = Linter { config, sources, options: &options, findings: Vec::new(), needs: HashMap::new() };
        code::check(&mut linter, Some(trees));
        linter.findings.retain(|finding| codes::RAISING.contains(&finding.code));
        (linter.findings, linter.needs)
    };
    let (findings, needs) = on_roomy_thread(check).unwrap_or_else(check);
    Raising { diagnostics: findings.into_iter().map(|finding| finding.diagnostic).collect(), needs }
}

/// One run over one merged config.
pub(crate) struct Linter<'a> {
    /// The config.
    pub config: &'a Config,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    options: &'a Options,
    findings: Vec<Finding>,
    /// Why CPython runs blocks, by their root codes where these are known.
    needs: HashMap<u32, Need>,
}

impl<'a> Linter<'a> {
    fn check(&mut self) {
        fields::check(self);
        entities::check(self);
        rules::check(self);
        zeros::check(self);
        units::check(self);
        limits::check(self);
        sections::check(self);
        misplaced::check(self);
        env::check(self);
        shadowing::check(self);
        outdone::check(self);
        let tags = tags::Tags::new(self.config);
        tags::check(self, &tags);
        capacity::check(self, &tags);
        code::check(self, None);
    }

    /// The findings of `tpvc lint` about tags and limits, which `tpvc check` must not repeat.
    pub(crate) fn about_limits(&self) -> Vec<Finding> {
        let Self { config, sources, options, .. } = *self;
        let mut linter = Self { config, sources, options, findings: Vec::new(), needs: HashMap::new() };
        limits::check(&mut linter);
        let tags = tags::Tags::new(config);
        tags::check(&mut linter, &tags);
        capacity::check(&mut linter, &tags);
        linter.findings
    }

    /// Takes the diagnostics of loading and compiling; an error without a code is one of loading.
    fn loading(&mut self, diagnostic: &Diagnostic) {
        if diagnostic.code.is_none() && diagnostic.severity == Severity::Warning {
            // What tpvc itself cannot do is reported when compiling; the config is not at fault.
            return;
        }
        let mut diagnostic = diagnostic.clone();
        let code = diagnostic.code.unwrap_or(codes::LOAD);
        if let Some(known) = codes::find(code) {
            diagnostic.severity = known.severity;
        }
        self.report(Finding::new(code, diagnostic));
    }

    /// Adds a finding, unless it is turned off.
    pub(crate) fn report(&mut self, finding: Finding) {
        let ignored = !finding.is_error() && self.options.ignore.iter().any(|code| code == finding.code);
        if !finding.silenced && !ignored {
            self.findings.extend(self.options.severities.apply(finding));
        }
    }

    /// Forgets what was found so far: for who tells only what comes after.
    pub(crate) fn forget(&mut self) {
        self.findings.clear();
    }

    /// Adds the reason why CPython runs a block; one that holds always comes before one for a live Galaxy.
    fn needs_cpython(&mut self, root: u32, need: Need) {
        let known = self.needs.entry(root).or_insert_with(|| need.clone());
        if known.only_live && !need.only_live {
            *known = need;
        }
    }

    /// The fields that TPV does not know, which become attributes of entities.
    fn extra_fields(&self) -> HashSet<String> {
        let mut out = HashSet::new();
        for kind in EntityClass::SECTIONS {
            for entity in self.config.section(kind).values() {
                let rules = entity.rules.values().map(|rule| &rule.common);
                for common in std::iter::once(&entity.common).chain(rules) {
                    out.extend(common.extras.keys().map(ToString::to_string));
                }
            }
        }
        out
    }

    /// The findings by place, each once.
    fn finish(self) -> Vec<Finding> {
        let mut findings = self.findings;
        findings.sort_by(|a, b| (a.span(), a.code).cmp(&(b.span(), b.code)));
        findings.dedup_by(|a, b| a.code == b.code && a.diagnostic == b.diagnostic);
        findings
    }
}
