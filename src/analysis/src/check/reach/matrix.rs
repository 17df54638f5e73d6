//! Tools by destinations, as data.

use std::collections::HashMap;

use serde::Serialize;
use tpv_model::Quantity;

use crate::quantities;

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
    /// The ordinary jobs that were mapped.
    pub tried: Tried,
}

/// Ordinary jobs that were mapped: of a user without roles, with one input.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tried {
    /// The sizes of their inputs, in GiB.
    pub sizes: Vec<f64>,
    /// The ends that tools name by their index.
    pub ends: Vec<JobEnd>,
    /// The ends of the jobs of each tool of the config, by its place there, `None` being the tools that it does not name: the index for each size, and `None` where no
    /// job was mapped.
    #[serde(skip)]
    pub of_tools: HashMap<Option<usize>, Vec<Option<usize>>>,
}

/// The end of an ordinary job.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum JobEnd {
    /// It got a destination.
    Mapped {
        /// The id of the destination.
        destination: String,
        /// What it got of each quantity.
        #[serde(flatten, serialize_with = "quantities::by_name")]
        amounts: [Option<f64>; Quantity::COUNT],
    },
    /// No destination accepts it.
    Nowhere,
    /// A rule made it fail or wait.
    Refused,
    /// Code raised an exception.
    Raised,
    /// The database or the network was asked, which is away when jobs are tried.
    Away,
    /// Code asks for something of the job that only the tool's own jobs have.
    Unknown,
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
    /// The row of its jobs of users without roles of the config, if that is known, too.
    pub ordinary: Option<usize>,
    /// The ends of its ordinary jobs, by their index, for each size that was tried. Empty if none was.
    pub tried: Vec<Option<usize>>,
    /// Its place in the config; `None` within for tools that it does not name, `None` for user-defined ones.
    #[serde(skip)]
    pub(super) place_in_config: Option<Option<usize>>,
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

impl JobEnd {
    /// What a job that got a destination got of a quantity.
    pub fn amount(&self, quantity: Quantity) -> Option<f64> {
        match self {
            Self::Mapped { amounts, .. } => *quantity.of(amounts),
            _ => None,
        }
    }

    /// Returns `true` if a destination accepts the job.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Mapped { .. } | Self::Away)
    }

    /// The destination, or a word in its place.
    fn word(&self) -> &str {
        match self {
            Self::Mapped { destination, .. } => destination,
            Self::Nowhere => "nowhere",
            Self::Refused => "refused",
            Self::Raised => "an exception",
            Self::Away => "unknown without Galaxy's data",
            Self::Unknown => "unknown",
        }
    }
}

impl Matrix {
    /// Takes the ordinary jobs that were mapped.
    pub fn add_tried(&mut self, tried: Tried) {
        for tool in &mut self.tools {
            let ends = tool.place_in_config.and_then(|place| tried.of_tools.get(&place));
            tool.tried = ends.cloned().unwrap_or_default();
        }
        self.tried = tried;
    }

    /// Takes the rows of the same tools for users without roles of the config.
    pub(crate) fn add_ordinary(&mut self, other: &Self) {
        let mut rows: HashMap<Row, usize> = self.rows.iter().cloned().zip(0..).collect();
        let mut reasons: HashMap<String, usize> = self.reasons.iter().cloned().zip(0..).collect();
        let mut reason = |index: &usize| {
            let text = other.reasons.get(*index).cloned().unwrap_or_default();
            let next = reasons.len();
            *reasons.entry(text.clone()).or_insert_with(|| {
                self.reasons.push(text);
                next
            })
        };
        let of_others: HashMap<_, usize> = other.tools.iter().map(|tool| (tool.place_in_config, tool.row)).collect();
        for tool in &mut self.tools {
            let row = of_others.get(&tool.place_in_config).and_then(|row| other.rows.get(*row));
            let row = row.map(|row| Row {
                never: row.never.iter().map(|all| Some(all.as_ref()?.iter().map(&mut reason).collect())).collect(),
                ends: row.ends.as_ref().map(&mut reason),
                ..row.clone()
            });
            tool.ordinary = row.map(|row| {
                let next = rows.len();
                *rows.entry(row.clone()).or_insert_with(|| {
                    self.rows.push(row);
                    next
                })
            });
        }
    }
}

impl Tried {
    /// The ends of ordinary jobs in a few words, from the smallest size on: `slurm`, or `slurm, bigmem from 10 GiB`. Empty if none was mapped.
    pub fn words(&self, ends: &[Option<usize>]) -> String {
        let mut out = String::new();
        let mut last = None;
        for (size, end) in self.sizes.iter().zip(ends) {
            let Some(word) = end.and_then(|end| self.ends.get(end)).map(JobEnd::word) else { continue };
            if last == Some(word) {
                continue;
            }
            match last {
                None => out += word,
                Some(_) => out += &format!(", {word} from {size} GiB"),
            }
            last = Some(word);
        }
        out
    }
}

impl Row {
    /// Returns `true` if jobs may reach the destination of this index.
    pub fn reaches(&self, destination: usize) -> bool {
        self.ends.is_none() && matches!(self.never.get(destination), Some(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_from_size_to_size() {
        let mapped = |id: &str| JobEnd::Mapped { destination: id.to_owned(), amounts: [None; Quantity::COUNT] };
        let ends = vec![mapped("slurm"), mapped("bigmem"), JobEnd::Nowhere];
        let tried = Tried { sizes: vec![0.1, 1.0, 10.0, 100.0], ends, ..Tried::default() };
        assert_eq!(
            tried.words(&[Some(0), Some(0), Some(1), Some(2)]),
            "slurm, bigmem from 10 GiB, nowhere from 100 GiB"
        );
        assert_eq!(tried.words(&[Some(1); 4]), "bigmem");
        assert_eq!(tried.words(&[None, Some(2), None, None]), "nowhere");
        assert_eq!(tried.words(&[]), "");
    }
}
