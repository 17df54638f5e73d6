//! The world file of a verb: what Galaxy knows at that moment.

use std::path::Path;

use tpv_galaxy::world::World;

use super::error::CliError;
use super::input;
use super::kind::Kind;
use tpv_maps::clock;
use tpv_text::diagnostic::REPORT_BUG;

/// The world: what the file says, and else an empty Galaxy; where it does not tell the time, it is now for all jobs.
pub(super) fn at_this_moment(path: Option<&Path>) -> Result<World, CliError> {
    path.map_or_else(|| Ok(World::default()), read).map(clock::at_this_moment)
}

/// The text of a world file, which is a world.
pub(super) fn text(path: &Path) -> Result<Vec<u8>, CliError> {
    Ok(parsed(path)?.0.into_bytes())
}

/// Reads a world file.
///
/// # Errors
/// The file cannot be read, or is no world.
pub(super) fn read(path: &Path) -> Result<World, CliError> {
    Ok(parsed(path)?.1)
}

/// The text of a world file, which is read once because it may be a pipe, and the world.
fn parsed(path: &Path) -> Result<(String, World), CliError> {
    let kind = Kind::of(path);
    if !matches!(kind, Kind::World | Kind::Unknown) {
        return Err(CliError::new(
            format!("`{}` is {}, not a world", path.display(), kind.noun()),
            "a world (`--world`) holds Galaxy's data, such as its job table; leave it out if the rules use none",
        ));
    }
    let text = input::text("the world", path)?;
    let world = World::parse(&text).map_err(|error| {
        let help =
            "a world is one JSON object with `jobs`, `users`, `tool_data_tables`, `config`, `files`, `environment`, `queries`, `now`";
        CliError::new(format!("`{}` is not a world: {error}", path.display()), help)
    })?;
    Ok((text, world))
}

/// The error for answers made for the rules that do not fit into a world.
pub(super) fn unanswered(error: &tpv_galaxy::Error) -> CliError {
    CliError::new(format!("the answers made for what the rules ask are no valid world: {error}"), REPORT_BUG)
}
