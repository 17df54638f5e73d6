//! `tpvc explain-code`

use clap::Args;

use super::error::{CliError, Outcome};
use super::output::print_stdout;
use tpv_analysis::lint::codes::{CODES, find};
use tpv_compiler::config::suggest::{closest, did_you_mean};
use tpv_compiler::printable::Form;

/// Explain the code of a finding: its meaning, an example and how to fix it
#[derive(Args)]
#[command(after_help = "Examples:\n  tpvc explain-code T105\n  tpvc explain-code")]
pub(super) struct ExplainCode {
    /// The code, such as T105; without one all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl ExplainCode {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        match &self.code {
            None => {
                let codes: String = CODES.iter().map(|code| format!("{}  {}\n", code.code, code.title)).collect();
                print_stdout(Form::Text, &codes)?;
            }
            Some(code) => {
                let found = find(code).ok_or_else(|| {
                    let help = match closest(&code.to_uppercase(), CODES.iter().map(|code| code.code)) {
                        Some(near) => did_you_mean(near),
                        None => "`tpvc explain-code` lists all codes".to_owned(),
                    };
                    CliError::new(format!("unknown code `{code}`"), help)
                })?;
                print_stdout(Form::Text, found.page)?;
            }
        }
        Ok(Outcome::Done)
    }
}
