//! One run of the linter: the config, and what is found in it.

use tpv_text::code::Code;

use super::{partial::Missing, server::Server, severities::Severities};
use tpv_config::Config;
use tpv_model::Version;
use tpv_text::diagnostic::{Diagnostic, Severity};
use tpv_text::finding::Finding;
use tpv_text::source::SourceMap;

/// The options of the linter.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Codes of warnings that are not wanted. As in TPV, errors cannot be turned off.
    pub ignore: Vec<Code>,
    /// `true` to report code that works inside Galaxy and not in compiled rules: the codes of [`Code::LIMITS`].
    pub limits: bool,
    /// The version of TPV that the config was written for, if what changed since is asked for.
    pub from: Option<Version>,
    /// The severities of codes; those of `ignore` are left out nevertheless.
    pub severities: Severities,
    /// The tools and runners of the site's Galaxy server.
    pub server: Server,
}

/// One run over one merged config.
pub struct Linter<'a> {
    /// The config.
    pub config: &'a Config,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    options: &'a Options,
    /// The findings so far.
    pub(super) findings: Vec<Finding>,
}

impl<'a> Linter<'a> {
    /// A linter without findings.
    pub(crate) fn new(config: &'a Config, sources: &'a SourceMap, options: &'a Options) -> Self {
        Self { config, sources, options, findings: Vec::new() }
    }

    /// The version of TPV that the config was written for, if what changed since is asked for.
    pub(super) fn from(&self) -> Option<Version> {
        self.options.from
    }

    /// The tools and runners of the site's Galaxy server.
    pub(super) fn server(&self) -> &'a Server {
        &self.options.server
    }

    /// A linter of the same config that has found nothing yet.
    pub(super) fn fresh(&self) -> Self {
        Self::new(self.config, self.sources, self.options)
    }

    /// Takes the diagnostics of loading and compiling; an error without a code is one of loading.
    pub(super) fn loading(&mut self, diagnostic: &Diagnostic) {
        if diagnostic.code.is_none() && diagnostic.severity == Severity::Warning {
            // What tpvc itself cannot do is reported when compiling; the config is not at fault.
            return;
        }
        let mut diagnostic = diagnostic.clone();
        let code = diagnostic.code.unwrap_or(Code::Unloadable);
        diagnostic.severity = code.severity();
        self.report(Finding::new(code, diagnostic));
    }

    /// Adds a finding, unless it is turned off.
    pub fn report(&mut self, finding: Finding) {
        let ignored = !finding.is_error() && self.options.ignore.contains(&finding.code);
        if !finding.silenced && !ignored {
            self.findings.extend(self.options.severities.apply(finding));
        }
    }

    /// Leaves out the findings that may be false because something is missing. Returns their number.
    pub(super) fn leave_out(&mut self, missing: &Missing<'_>) -> usize {
        let all = self.findings.len();
        self.findings.retain(|finding| missing.keeps(finding, self.sources));
        all - self.findings.len()
    }

    /// Forgets what was found so far: for who tells only what comes after.
    pub(crate) fn forget(&mut self) {
        self.findings.clear();
    }

    /// The findings by place, each once.
    pub(super) fn finish(self) -> Vec<Finding> {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| (finding.span(), finding.code));
        findings.dedup_by(|a, b| a.code == b.code && a.diagnostic == b.diagnostic);
        findings
    }
}
