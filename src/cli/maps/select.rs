//! Which maps a verb is about, and which components.

use std::io::Read;

use clap::Args;

use crate::cli::error::CliError;
use tpv_config::template::fits;
use tpv_maps::Map;
use tpv_maps::cluster::Indices;
use tpv_maps::state::State;
use tpv_maps::status::Status;
use tpv_maps::store::Root;

/// Which maps.
#[derive(Args, Clone, Default)]
pub(super) struct Select {
    /// Tags; `-` reads them from stdin, separated by white space
    #[arg(value_name = "TAG")]
    tags: Vec<String>,
    /// All maps whose tags match: `*` and `?` stand for parts of a tag
    #[arg(short, long, value_name = "GLOB")]
    pattern: Vec<String>,
    /// All maps
    #[arg(long, conflicts_with_all = ["tags", "pattern"])]
    all: bool,
}

impl Select {
    /// Returns `true` if nothing was selected.
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.pattern.is_empty() && !self.all
    }

    /// The tags, each once, in the order in which they were given; those of patterns by name.
    pub(super) fn tags(&self, root: &Root) -> Result<Vec<String>, CliError> {
        if self.is_empty() {
            return Err(CliError::misuse("no map was named", "name tags, or patterns with `-p`, or `--all` maps"));
        }
        let mut tags = Vec::new();
        for tag in &self.tags {
            if tag == "-" {
                let mut text = String::new();
                let read = std::io::stdin().read_to_string(&mut text);
                read.map_err(|error| {
                    CliError::new(format!("the tags cannot be read from stdin: {error}"), "write one tag a line")
                })?;
                tags.extend(text.split_whitespace().map(str::to_owned));
            } else {
                tags.push(tag.clone());
            }
        }
        if self.all || !self.pattern.is_empty() {
            let before = tags.len();
            for (tag, _) in root.tags()? {
                if self.all || self.pattern.iter().any(|pattern| fits(pattern, &tag)) {
                    tags.push(tag);
                }
            }
            if tags.len() == before && !self.all {
                let patterns = self.pattern.join("` or `");
                return Err(CliError::new(format!("no map fits `{patterns}`"), "`tpvc maps list` shows all maps"));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        tags.retain(|tag| seen.insert(tag.clone()));
        Ok(tags)
    }
}

/// Which components of a map.
#[derive(Args, Clone, Default)]
pub(super) struct Components {
    /// Only these components: `3` or `0-9,12`
    #[arg(long, short, value_name = "LIST", value_parser = indices)]
    components: Option<Indices>,
    /// Only components in these states: `ERRORED`
    #[arg(long, short, value_name = "STATE", value_delimiter = ',', value_parser = state)]
    state: Vec<State>,
}

pub(super) fn indices(text: &str) -> Result<Indices, String> {
    Indices::parse(text).ok_or_else(|| "write numbers and ranges: `0-9,12`".to_owned())
}

fn state(text: &str) -> Result<State, String> {
    text.parse().map_err(|error: tpv_maps::Error| error.help)
}

impl Components {
    /// Returns `true` if everything was selected.
    pub(super) fn is_all(&self) -> bool {
        self.components.is_none() && self.state.is_empty()
    }

    /// Those of a map that are meant; `None` if all are.
    pub(super) fn chosen(&self, map: &Map) -> Result<Option<Vec<u32>>, CliError> {
        if self.is_all() { Ok(None) } else { self.of(map.tag(), &map.status()?).map(Some) }
    }

    /// Those that are meant, in ascending order.
    pub(super) fn of(&self, tag: &str, status: &Status) -> Result<Vec<u32>, CliError> {
        let mut chosen = within(self.components.as_ref(), tag, status.components.len())?;
        if !self.state.is_empty() {
            chosen.retain(|&index| {
                status.components.get(index as usize).is_some_and(|one| self.state.contains(&one.state()))
            });
        }
        Ok(chosen)
    }
}

/// These components of a map, or all of them where none were named.
pub(super) fn within(components: Option<&Indices>, tag: &str, count: usize) -> Result<Vec<u32>, CliError> {
    let chosen = components.map_or_else(|| (0..).take(count).collect(), |indices| indices.0.clone());
    match chosen.last().filter(|last| **last as usize >= count) {
        None => Ok(chosen),
        Some(last) => Err(CliError::new(
            format!("the map `{tag}` has no component {last}"),
            format!("its components are 0 to {}", count.saturating_sub(1)),
        )),
    }
}
