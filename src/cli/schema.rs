//! `tpvc schema`

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::error::CliError;
use super::output::Output;
use crate::schema::{self, File};

/// Print the JSON Schema of a file, with which editors complete and check it
///
/// The schema takes what tpvc takes. Of a config it checks names and kinds of values; the code in it is for `tpvc lint`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc schema > tpv-config.json\n  \
    tpvc schema config --strict -o tpv-config.json\n  \
    tpvc schema job")]
pub(super) struct Schema {
    /// The file
    #[arg(value_name = "FILE", default_value = "config")]
    file: File,
    /// Refuse fields that nothing reads, which are likely misspelt; compiling warns of them (T104)
    #[arg(long)]
    strict: bool,
    /// Where the schema goes; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

impl Schema {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        let text = schema::text(self.file, self.strict);
        let unwritable = |error: &std::io::Error| CliError::unwritable("the schema", error, &self.output);
        let mut output = Output::create(&self.output).map_err(|error| unwritable(&error))?;
        let written = output.write_all(text.as_bytes()).and_then(|()| output.finish());
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
            _ => Ok(Outcome::Done),
        }
    }
}
