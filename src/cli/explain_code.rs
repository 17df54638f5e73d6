//! `tpvc explain-code`

use std::io;
use std::path::Path;

use clap::Args;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{print_paged, width};
use tpv_text::code::Code;
use tpv_text::markdown;
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

/// The most characters of a line that are easy to read.
const WIDEST: usize = 100;

impl ExplainCode {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
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
                let (width, colour) = (width(Path::new("-")), common.colour_of(&io::stdout()));
                // A file gets the page as it is.
                if width.is_none() && !colour {
                    print_paged(Form::Text, found.page())?;
                } else {
                    let width = width.unwrap_or(WIDEST).min(WIDEST);
                    print_paged(Form::Styled, &markdown::shown(found.page(), width, colour))?;
                }
            }
        }
        Ok(Outcome::Done)
    }
}
