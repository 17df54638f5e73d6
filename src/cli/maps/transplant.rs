//! `tpvc maps transplant`

use std::path::PathBuf;

use clap::Args;

use super::context::Context;
use super::submission;
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::print_stdout;
use tpv_text::printable::Form;

/// Show or replace the program that is shipped with a map
///
/// A map carries the tpvc that its components run, so that nothing is installed on an execute node. If the nodes need another
/// build, or the program has a fault, replace it: components that start later run the new program, which must be of the version of
/// this one.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps transplant q3\n  \
    tpvc maps transplant q3 --program tpvc-aarch64 && tpvc maps rerun q3")]
pub(super) struct Transplant {
    /// The tag
    #[arg(value_name = "TAG")]
    tag: String,
    /// The program to ship from now on
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl Transplant {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let mut map = context.load(&self.tag)?;
        if let Some(path) = &self.program {
            let program = submission::read_program(path)?;
            if !map.transplant(&program, concat!("tpvc ", env!("CARGO_PKG_VERSION")))? {
                context.common.note("the program is for another kind of machine: its version cannot be asked here");
            }
        }
        let submit = map.submit();
        print_stdout(Form::Data, &format!("{}\t{}\n", submit.platform, map.dir().input(&submit.program).display()))?;
        Ok(Outcome::Done)
    }
}
