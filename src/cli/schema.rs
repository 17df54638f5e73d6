//! `tpvc schema`

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::error::{CliError, Outcome};
use super::output::write_text;
use tpv_analysis::schema::{self, File};
use tpv_text::printable::Form;

/// Print the JSON Schema of a file, for editors to complete and check it
///
/// The schema accepts what tpvc accepts. In a config it checks names and kinds of values; `tpvc lint` checks the code.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc schema > tpv-config.json\n  \
    tpvc schema config --strict -o tpv-config.json\n  \
    tpvc schema job")]
pub(super) struct Schema {
    /// The file
    #[arg(value_name = "FILE", default_value = "config", value_parser = file())]
    file: File,
    /// Refuse unknown fields, which are likely misspelt; compiling warns of them (T104)
    #[arg(long)]
    strict: bool,
    /// Output file for the schema; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

/// Takes the name of a file that has a schema.
fn file() -> impl TypedValueParser<Value = File> {
    let names = File::ALL.map(|file| PossibleValue::new(file.name()).help(file.about()));
    PossibleValuesParser::new(names).try_map(|name| File::named(&name).ok_or("no such file"))
}

impl Schema {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        let text = schema::text(self.file, self.strict);
        write_text("the schema", &self.output, Form::Data, &text)?;
        Ok(Outcome::Done)
    }
}
