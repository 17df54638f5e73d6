//! Tools by destinations, as data.

use serde::Serialize;

/// Stands in [`Row::unless`] if the row holds only for tools whose wrapper declares no resources.
pub const DECLARED: &str = "resources that the tool's wrapper declares";

/// Which jobs may get where. Tools whose jobs ask for the same share a row.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Matrix {
    /// The destinations, in the order of the config.
    pub destinations: Vec<Column>,
    /// The tools, in the order of the config; then the jobs of all other tools, and those of user-defined tools.
    pub tools: Vec<Tool>,
    /// The rows that several tools share.
    pub rows: Vec<Row>,
    /// The texts that rows name by their index.
    pub reasons: Vec<String>,
}

/// A destination.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Its id.
    pub id: String,
    /// `true` if it is only inherited from.
    pub is_abstract: bool,
    /// Its file and line.
    pub place: String,
}

/// A tool.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// Its id, which is a pattern.
    pub id: String,
    /// Its file and line; empty for tools that the config does not name.
    pub place: String,
    /// Its row.
    pub row: usize,
}

/// The destinations that jobs of a tool may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Row {
    /// For each destination the reasons why it takes none of them, by their index; `null` if it may take some.
    pub never: Vec<Option<Vec<usize>>>,
    /// The index of the reason that none of them reaches the destinations.
    pub ends: Option<usize>,
    /// Reservations for jobs that differ in this: code that may change the facts, as `file:line`, was taken into
    /// account; [`DECLARED`] was not.
    pub unless: Vec<String>,
    /// `true` if the jobs were not followed because there is too much to follow, so that nothing is proved of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unproved: bool,
}

impl Row {
    /// Returns `true` if jobs may reach the destination of this index.
    pub fn reaches(&self, destination: usize) -> bool {
        self.ends.is_none() && matches!(self.never.get(destination), Some(None))
    }
}
