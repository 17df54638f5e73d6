//! `tpvc maps logs`

use std::path::Path;

use clap::Args;

use super::context::Context;
use super::select::Components;
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::print_stdout;
use tpv_maps::Error;
use tpv_text::printable::{Form, put_line};

/// Print what components wrote to stdout and stderr, and the event logs
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps logs q3 --components 17\n  \
    tpvc maps logs q3 --events")]
pub(super) struct Logs {
    /// The tag
    #[arg(value_name = "TAG")]
    tag: String,
    #[command(flatten)]
    components: Components,
    /// The event logs of the map's clusters instead, and errors of the process that runs components on this machine
    #[arg(long)]
    events: bool,
}

impl Logs {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let map = context.load(&self.tag)?;
        if self.events {
            for (cluster, _) in map.dir().clusters()? {
                print(&format!("cluster {}", cluster.number), &map.dir().event_log(cluster.number))?;
            }
            print("what runs components on this machine", &map.dir().runner_log())?;
            return Ok(Outcome::Done);
        }
        for index in self.components.of(&self.tag, &map.status()?)? {
            print(&format!("component {index}, stdout"), &map.dir().stdout(index))?;
            print(&format!("component {index}, stderr"), &map.dir().stderr(index))?;
        }
        Ok(Outcome::Done)
    }
}

/// Prints a file under a heading, where it is there and not empty.
fn print(heading: &str, path: &Path) -> Result<(), CliError> {
    match tpv_maps::store::read(path) {
        Ok(None) => Ok(()),
        Ok(Some(bytes)) if bytes.is_empty() => Ok(()),
        Ok(Some(bytes)) => {
            let mut text = String::new();
            put_line!(text, "== {heading}: {}", path.display());
            text += &String::from_utf8_lossy(&bytes);
            if !text.ends_with('\n') {
                text.push('\n');
            }
            print_stdout(Form::Text, &text)
        }
        Err(error) => Err(Error::io("read", path, &error).into()),
    }
}
