//! Diagnostics and notes on stderr.

use std::io::{self, IsTerminal};

use clap::ColorChoice;

use tpv_text::code::Code;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Severity};
use tpv_text::fold::fold;
use tpv_text::printable::Form;
use tpv_text::render::Render;
use tpv_text::source::SourceMap;

use super::common::Common;
use super::error::CliError;
use super::output::{print_stderr, say, width_of};

impl Common {
    /// Returns `true` if stderr is coloured: as requested, else on terminals unless `NO_COLOR` is set.
    pub(crate) fn colour(&self) -> bool {
        self.colour_of(&io::stderr())
    }

    /// The same for any stream.
    pub(crate) fn colour_of(&self, stream: &impl IsTerminal) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }

    /// Prints diagnostics; with `--quiet` errors only. Of a config that only an older version loads, the error that says so and the next are
    /// printed, unless a version is given.
    pub(crate) fn show(&self, diagnostics: &Diagnostics, sources: &SourceMap) {
        let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
        let is_old = diagnostics.iter().any(|one| is_error(&one) && one.code == Some(Code::Unloadable));
        if is_old && !self.is_version_given() {
            return diagnostics.iter().filter(is_error).take(2).for_each(|one| self.print(one, sources, "\n"));
        }
        for diagnostic in diagnostics.iter() {
            if !self.quiet || diagnostic.severity == Severity::Error {
                self.print(diagnostic, sources, "\n");
            }
        }
    }

    /// Prints the error that ended a verb.
    pub(super) fn show_error(&self, error: &CliError) {
        match &error.placed {
            Some(problem) => self.print(&problem.diagnostic, &problem.sources, ""),
            None => {
                let diagnostic = Diagnostic::error(error.message.as_str()).help(error.help.as_str());
                self.print(&diagnostic, &SourceMap::new(), "");
            }
        }
    }

    /// Prints a diagnostic, and `after` it.
    pub(super) fn print(&self, diagnostic: &Diagnostic, sources: &SourceMap, after: &str) {
        let text = diagnostic.render(sources, self.colour());
        let text = fold(text.trim_end(), width_of(&io::stderr()));
        print_stderr(Form::Styled, &(text.into_owned() + after));
    }

    /// Prints a line about the work that was done, unless `--quiet`.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }
}
