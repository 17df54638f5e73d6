//! `tpvc completions` and `tpvc man`: made of the command line's own definition.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use super::error::{CliError, Outcome, io_help};
use super::man;
use super::output::{Output, print_stdout};
use tpv_text::printable::Form;

/// Print the script with which a shell completes tpvc's command lines
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc completions bash > /etc/bash_completion.d/tpvc\n  \
    tpvc completions zsh > ~/.zfunc/_tpvc\n  \
    tpvc completions fish > ~/.config/fish/completions/tpvc.fish")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tpvc", &mut text);
        print_stdout(Form::Data, &String::from_utf8_lossy(&text))?;
        Ok(Outcome::Done)
    }
}

/// Print the man page of tpvc, or write one for each verb
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc man | man -l -\n  \
    tpvc man --output /usr/local/share/man/man1")]
pub(super) struct Man {
    /// The folder for tpvc.1, tpvc-map.1, ...; created if it does not exist
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let Some(folder) = &self.output else {
            let page = man::first(&command).map_err(|error| unwritable(&error, Path::new("-")))?;
            print_stdout(Form::Data, &String::from_utf8_lossy(&page.text))?;
            return Ok(Outcome::Done);
        };
        if folder.exists() && !folder.is_dir() {
            let message = format!("`{}` is a file", folder.display());
            return Err(CliError::new(message, "name a folder: there is a page for each verb"));
        }
        let write = |pages: Vec<man::Page>| {
            std::fs::create_dir_all(folder)?;
            pages.iter().try_for_each(|page| {
                let mut output = Output::create(&folder.join(&page.file))?;
                output.write_all(&page.text)?;
                output.finish()
            })
        };
        man::pages(&command).and_then(write).map_err(|error| unwritable(&error, folder))?;
        Ok(Outcome::Done)
    }
}

fn unwritable(error: &io::Error, path: &Path) -> CliError {
    let (what, help) = io_help(error, path);
    CliError::new(format!("cannot write to {what}"), help)
}
