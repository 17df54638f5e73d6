//! The program that is shipped with a map.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Error;
use super::create::platform;
use super::engine::Kind;
use super::engine::program;

/// The time in which a program has to say its version.
const ANSWERING: Duration = Duration::from_secs(20);

/// Refuses a program that is not the tpvc of this version, such as `tpvc 1.2.3`: its components get arguments of this one. A program for another
/// kind of machine cannot be asked; then `false` is returned.
///
/// # Errors
/// It is another program, or cannot run here.
pub(super) fn check(path: &Path, bytes: &[u8], version: &str) -> Result<bool, Error> {
    let platform = platform(bytes);
    let another = |why: &str| {
        Error::new(
            format!("the program is not a tpvc that components can run: {why}"),
            format!("name a `{version}` for the machines that components run on"),
        )
    };
    match platform.split('-').next() {
        Some("unknown") => return Err(another("it is neither a program for Linux nor a script")),
        Some("x86_64" | "aarch64" | "other") if !platform.starts_with(std::env::consts::ARCH) => return Ok(false),
        _ => {}
    }
    let ran = program::run(Kind::Local, Command::new(path).arg("--version"), Stdio::null(), ANSWERING);
    let ran = ran.and_then(|ran| ran.output("")).map_err(|error| another(&format!("with `--version`, {error}")))?;
    let line = ran.lines().next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let said = format!("{} {}", words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if said == version {
        return Ok(true);
    }
    Err(another(&format!("with `--version`, it says `{}`", line.chars().take(80).collect::<String>())))
}
