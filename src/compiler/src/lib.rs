#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! Data goes one way: [`tpv_text::source`] reads files and URLs, [`tpv_config`] turns their text into entities, [`tpv_front`] their code into bytecode, [`link`] all of it into the tables of `tpv_runtime`; every problem on the
//! way becomes a [`tpv_text::diagnostic::Diagnostic`] with its place in the text. The [`checker`] of code reports which code raises when a
//! job runs it, and which needs CPython.

pub mod checker;
pub mod link;
pub mod unlink;

#[doc(inline)]
pub use tpv_front as python;

use tpv_config::{Config, ConfigTexts, Input};
use tpv_runtime::artifact::Rules;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, REPORT_BUG, Severity};
use tpv_text::source::{Limits, SourceMap};

/// The options of the compiler.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions {
    /// `true` to make code that cannot run (missing constructs or modules, rules with syntax errors) an error.
    pub strict: bool,
    /// The limits on reading one config.
    pub limits: Limits,
}

/// The result of a compilation.
pub struct Compiled {
    /// The rules. `None` if there was an error.
    pub rules: Option<Rules>,
    /// Errors and warnings of all files, sorted by place.
    pub diagnostics: Diagnostics,
    /// The texts that the diagnostics point into.
    pub sources: SourceMap,
    /// The merged config.
    pub config: Config,
}

/// Compiles config files and URLs, merged in the order given.
pub fn compile(names: &[String], options: &CompileOptions) -> Compiled {
    compile_inputs(&Input::named(names), ConfigTexts::default(), options)
}

/// Compiles configs of all sorts, merged in the order given. `texts` holds those that are read already.
pub fn compile_inputs(inputs: &[Input], mut texts: ConfigTexts, options: &CompileOptions) -> Compiled {
    let mut diagnostics = Diagnostics::new();
    let config = tpv_config::load(inputs, &options.limits, &mut texts, &mut diagnostics);
    let sources = texts.sources;
    let (tables, mut program, trees) = link::link(&config, &sources, options.strict, &mut diagnostics);
    let mut rules = None;
    // With `strict`, findings about code are errors too; those must not keep the checker from running.
    if diagnostics.iter().all(|one| one.severity != Severity::Error || one.code.is_some()) {
        let raising = checker::raising(&config, &sources, &trees);
        link::mark_for_cpython(&mut program, raising.needs);
        for mut finding in raising.diagnostics {
            if options.strict {
                finding.severity = Severity::Error;
            }
            diagnostics.push(finding);
        }
    }
    if !diagnostics.has_errors() {
        match Rules::new(tables, program) {
            Ok(linked) => rules = Some(linked),
            Err(error) => diagnostics.push(
                Diagnostic::error(format!("the config compiled into rules that are not sound: {error}"))
                    .help(format!("{REPORT_BUG}, with the config")),
            ),
        }
    }
    diagnostics.sort();
    Compiled { rules, diagnostics, sources, config }
}
