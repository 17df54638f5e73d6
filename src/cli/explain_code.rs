//! `tpvc explain-code`

use clap::Args;

use super::error::{CliError, Outcome};
use super::output::print_paged;
use tpv_text::code::Code;
use tpv_text::printable::Form;
use tpv_text::suggest::did_you_mean;

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
                let codes: String = Code::ALL.iter().map(|code| format!("{code}  {}\n", code.title())).collect();
                print_paged(Form::Text, &codes)?;
            }
            Some(code) => {
                let found = Code::find(code).ok_or_else(|| {
                    let help = match Code::near(code) {
                        Some(near) => did_you_mean(near),
                        None => "`tpvc explain-code` lists all codes".to_owned(),
                    };
                    CliError::new(format!("unknown code `{code}`"), help)
                })?;
                print_paged(Form::Text, found.page())?;
            }
        }
        Ok(Outcome::Done)
    }
}
