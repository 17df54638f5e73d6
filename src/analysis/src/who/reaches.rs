//! The tools that may reach a destination.

use crate::check::reach::{DECLARED, Matrix, Row, Tool};

/// A tool whose jobs may reach a destination.
#[derive(Clone, Debug)]
pub struct Reaching<'m> {
    /// The tool.
    pub tool: &'m Tool,
    /// The ids of the other destinations that its jobs may reach.
    pub others: Vec<&'m str>,
    /// `false` if the jobs were not followed, so that they count as reaching everything.
    pub is_followed: bool,
}

/// The tools that may reach the destination of this index, in the order of the config.
pub fn reaching(matrix: &Matrix, destination: usize) -> Vec<Reaching<'_>> {
    let tools = matrix.tools.iter().filter_map(|tool| Some((tool, matrix.rows.get(tool.row)?)));
    tools
        .filter(|(_, row)| row.reaches(destination))
        .map(|(tool, row)| Reaching { tool, others: others(matrix, row, destination), is_followed: !row.unproved })
        .collect()
}

fn others<'m>(matrix: &'m Matrix, row: &Row, destination: usize) -> Vec<&'m str> {
    let columns = matrix.destinations.iter().enumerate();
    columns
        .filter(|(index, column)| *index != destination && !column.is_abstract && row.reaches(*index))
        .map(|(_, column)| column.id.as_str())
        .collect()
}

/// The number of tools whose jobs reach no destination unless their wrappers declare resources.
pub fn only_declared(matrix: &Matrix) -> usize {
    let is_declared = |row: &Row| row.unless.iter().any(|reservation| reservation == DECLARED);
    matrix.tools.iter().filter(|tool| matrix.rows.get(tool.row).is_some_and(is_declared)).count()
}
