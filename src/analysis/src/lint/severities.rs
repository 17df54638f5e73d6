//! A site's severities of codes: off, warning or error.

use std::collections::BTreeMap;

use serde::Deserialize;

use tpv_text::code::Code;
use tpv_text::diagnostic::Severity;
use tpv_text::finding::Finding;
use tpv_text::suggest::did_you_mean;

/// The severity of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It is not reported.
    Off,
    /// It is reported, and only `--strict` makes it count.
    Warning,
    /// It makes the verb end with status 1.
    Error,
}

/// Severities by code; a code that is not in it keeps its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Severities {
    levels: BTreeMap<Code, Level>,
}

impl Severities {
    /// Sets the severity of a code.
    ///
    /// # Errors
    /// A message and a help, where there is no such code, or where it is an error without which nothing loads.
    pub fn set(&mut self, code: &str, level: Level) -> Result<(), (String, String)> {
        let Some(known) = Code::named(code) else {
            let help = Code::near(code).map_or_else(|| "`tpvc explain-code` lists all codes".to_owned(), did_you_mean);
            return Err((format!("unknown code `{code}`"), help));
        };
        if known.severity() == Severity::Error && level != Level::Error {
            let message = format!("{code} is an error, which cannot be turned off: {}", known.title());
            return Err((message, "leave the line out".to_owned()));
        }
        self.levels.insert(known, level);
        Ok(())
    }

    /// Returns `true` if findings of this kind are left out.
    pub fn is_off(&self, code: Code) -> bool {
        self.levels.get(&code) == Some(&Level::Off)
    }

    /// The finding with its severity. `None` if its code is off.
    pub(crate) fn apply(&self, mut finding: Finding) -> Option<Finding> {
        match self.levels.get(&finding.code) {
            None => {}
            Some(Level::Off) => return None,
            Some(Level::Warning) => finding.diagnostic.severity = Severity::Warning,
            Some(Level::Error) => finding.diagnostic.severity = Severity::Error,
        }
        Some(finding)
    }
}
