//! `tpvc explain-code`

use clap::Args;

use super::output::print;
use super::{Common, Outcome};
use crate::config::suggest::closest;
use crate::lint::codes::{CODES, find};

/// Explain a code of a finding: what it means, an example, how to mend it
#[derive(Args)]
#[command(after_help = "Examples:\n  tpvc explain-code T105\n  tpvc explain-code")]
pub(super) struct ExplainCode {
    /// The code, such as T105; without one all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl ExplainCode {
    pub(super) fn run(&self, common: &Common) -> Outcome {
        let Some(code) = &self.code else {
            let list: String = CODES.iter().map(|code| format!("{}  {}\n", code.code, code.title)).collect();
            return common.end(print(list).map(|()| Outcome::Done));
        };
        match find(code) {
            Some(found) => common.end(print(found.page).map(|()| Outcome::Done)),
            None => {
                let help = match closest(&code.to_uppercase(), CODES.iter().map(|code| code.code)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`tpvc explain-code` lists all codes".to_owned(),
                };
                common.fail(format!("there is no code `{code}`"), &help);
                Outcome::Bad
            }
        }
    }
}
