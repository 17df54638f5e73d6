//! `tpvc compile`

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{Output, print_stderr};
use super::paths;
use tpv_compiler::{CompileOptions, compile_inputs};
use tpv_config::Input;
use tpv_text::figures::{count, grouped};
use tpv_text::printable::Form;

/// Compile TPV config files into one artifact
///
/// The files are merged in the order given, later over earlier, as TPV merges the files of `tpv_config_files`; those of a
/// folder or pattern in the order of their names. All errors of all files are reported; the artifact is written only if
/// there are none.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc compile tpv_rules_local.yml -o rules.bin\n  \
    tpvc compile https://gxy.io/tpv/db.yml tpv_rules_local.yml -o rules.bin --strict")]
pub(super) struct Compile {
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns with `*` [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG")]
    configs: Vec<String>,
    /// The artifact to write; `-` is stdout
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Treat code that cannot run as an error: unsupported constructs, missing modules, rules with syntax errors
    #[arg(long)]
    strict: bool,
}

impl Compile {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let configs = paths::configs(&self.configs, common)?;
        let compiled = compile_inputs(
            &Input::named(&configs),
            common.texts()?,
            &CompileOptions { strict: self.strict, ..CompileOptions::default() },
        );
        common.show(&compiled.diagnostics, &compiled.sources);
        let Some(rules) = compiled.rules else {
            let errors = count(compiled.diagnostics.errors() as u64, "error");
            print_stderr(Form::Text, &format!("nothing was written: {errors}"));
            return Ok(Outcome::Bad);
        };
        let bytes = rules
            .to_bytes()
            .map_err(|error| CliError::new(error.to_string(), "split the config, or report this with the config"))?;
        let written = Output::create(&self.output).and_then(|mut output| {
            output.write_all(&bytes)?;
            output.finish()
        });
        written.map_err(|error| CliError::unwritable("the artifact", &error, &self.output))?;
        let tables = rules.tables();
        common.note(&format!(
            "compiled {}: {}, {}, {}, {}, {} of code; {} bytes in {:.0} ms",
            count(configs.len() as u64, "file"),
            count(tables.tools.rows.len() as u64, "tool"),
            count(tables.roles.rows.len() as u64, "role"),
            count(tables.users.rows.len() as u64, "user"),
            count(tables.destinations.len() as u64, "destination"),
            count(rules.program().codes.len() as u64, "block"),
            grouped(bytes.len() as u64),
            started.elapsed().as_secs_f64() * 1e3,
        ));
        Ok(Outcome::Done)
    }
}
