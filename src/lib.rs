//! The compiler of TPV rules: YAML text to entities, their Python code to bytecode, both to one artifact.
//!
//! Data goes one way: [`source`] reads files and URLs, [`config`] turns their text into entities, [`python`] their code
//! into bytecode, [`link`] all of it into the tables of `tpv_runtime`; every problem on the way becomes a
//! [`diagnostic::Diagnostic`] with its place in the text. [`lint`] looks through a merged config for what is likely wrong in
//! it though it loads; of this, compiling reports the code that raises when a job runs it.

pub mod bench;
pub mod cases;
pub mod check;
pub mod cli;
pub mod clock;
pub mod config;
mod decompress;
pub mod diagnostic;
pub mod diff;
pub mod dump;
pub mod explain;
mod figures;
pub mod format;
mod git;
pub mod job_file;
mod json_number;
mod junit;
pub mod link;
pub mod lint;
pub mod maps;
mod markup;
mod open;
pub mod page;
mod parallel;
pub mod printable;
pub mod python;
pub mod schema;
pub mod settings;
mod sibling_file;
pub mod source;
mod splice;
pub mod summary;
pub mod sweep;
mod system_error;
pub mod template;
mod text_diff;
pub mod yaml;

/// Runs the README's example of Rust as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
#[allow(dead_code, clippy::indexing_slicing, reason = "integration tests use the rest")]
#[path = "../tests/support/random.rs"]
mod random;

use tpv_runtime::artifact::Rules;

use diagnostic::{Diagnostic, Diagnostics, REPORT_BUG, Severity};
use source::{Limits, SourceMap};

/// The options of the compiler.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions {
    /// `true` to make code that cannot run (missing constructs or modules, rules with syntax errors) an error.
    pub strict: bool,
}

/// The result of a compilation.
pub struct Compiled {
    /// The rules; nothing where there was an error.
    pub rules: Option<Rules>,
    /// Errors and warnings of all files, sorted by place.
    pub diagnostics: Diagnostics,
    /// The texts that the diagnostics point into.
    pub sources: SourceMap,
    /// The merged config.
    pub config: config::Config,
}

/// Compiles config files and URLs, merged in the order given.
pub fn compile(names: &[String], options: &CompileOptions) -> Compiled {
    compile_inputs(&config::Input::named(names), SourceMap::new(), options)
}

/// Compiles configs of all sorts, merged in the order given. `sources` holds the texts of those that are read already.
pub fn compile_inputs(inputs: &[config::Input], mut sources: SourceMap, options: &CompileOptions) -> Compiled {
    let mut diagnostics = Diagnostics::new();
    let config = config::load_inputs(inputs, &Limits::default(), &mut sources, &mut diagnostics);
    let (tables, mut program, trees) = link::link(&config, &sources, options.strict, &mut diagnostics);
    let mut rules = None;
    // With `strict` findings of code are errors, too, and do not hide one another.
    if diagnostics.iter().all(|one| one.severity != Severity::Error || one.code.is_some()) {
        let raising = lint::raising(&config, &sources, &trees);
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
