//! Queries in SQL text, which only Galaxy's database could run: the world has the rows of their answers, or names the totals of its jobs that
//! they ask for.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::job_table::{JobTable, Totals};
use crate::json::{Fault, Json, Kind, Reader};
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum SqlAnswer {
    /// These rows, always.
    Rows(Vec<Vec<Json>>),
    /// A row for each group of queued or running jobs.
    Totals(Arc<GroupTotals>),
}

/// Totals of groups of queued or running jobs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupTotals {
    /// The columns of the groups: the first values of each row.
    pub group_by: Vec<Group>,
    /// The totals of each group: the other values.
    pub totals: Vec<Total>,
}

/// The values of the columns of a group.
pub type GroupKey = Vec<Option<Box<str>>>;

/// A column that groups jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The destination that the jobs were sent to.
    Destination,
    /// `queued` or `running`
    State,
}

/// A total of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Total {
    /// The number of jobs.
    Count,
    /// Their cores.
    Cores,
    /// Their memory in GiB.
    Mem,
    /// Their memory in MiB, a whole number.
    MemMib,
}

/// The words for columns.
pub const GROUP_WORDS: [&str; 2] = ["destination_id", "state"];
const GROUPS: [Group; 2] = [Group::Destination, Group::State];
/// The words for totals.
pub const TOTAL_WORDS: [&str; 4] = ["count", "cores", "mem", "mem_mib"];
const TOTALS: [Total; 4] = [Total::Count, Total::Cores, Total::Mem, Total::MemMib];

/// The query with every run of white space as one space: queries equal up to white space are the same query.
pub fn normal_sql(sql: &str) -> String {
    let is_space = |char: char| char.is_whitespace() || ('\x1c'..='\x1f').contains(&char);
    sql.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

impl SqlAnswer {
    /// The rows of the answer, each a tuple, with these jobs in the table. Groups are in the order of their values.
    pub(super) fn rows(&self, vm: &mut Vm, jobs: &JobTable) -> PyResult<Vec<Value>> {
        match self {
            Self::Rows(rows) => {
                vm.charge(rows.len())?;
                Ok(rows.iter().map(|row| Value::tuple(row.iter().map(Json::to_value).collect())).collect())
            }
            Self::Totals(totals) => {
                let (groups, looked_at) = totals.groups(jobs);
                vm.charge(looked_at + groups.len())?;
                let row = |(key, of_group): (Vec<Option<&str>>, Totals)| {
                    let key = key.into_iter().map(|text| text.map_or(Value::None, Value::str));
                    Value::tuple(key.chain(totals.totals.iter().map(|total| total.of(&of_group))).collect())
                };
                Ok(groups.into_iter().map(row).collect())
            }
        }
    }
}

impl GroupTotals {
    /// The totals of each group, and the number of classes of jobs that were looked at.
    fn groups<'j>(&self, jobs: &'j JobTable) -> (BTreeMap<Vec<Option<&'j str>>, Totals>, usize) {
        let mut groups = BTreeMap::<Vec<Option<&str>>, Totals>::new();
        if self.group_by.is_empty() {
            groups.insert(Vec::new(), Totals::default());
        }
        let mut looked_at = 0;
        for (row, of_class) in jobs.classes().filter(|(row, _)| row.is_counted()) {
            looked_at += 1;
            let column = |group: &Group| match group {
                Group::Destination => row.destination_id.as_deref(),
                Group::State => row.state.as_deref(),
            };
            groups.entry(self.group_by.iter().map(column).collect()).or_default().add(of_class);
        }
        (groups, looked_at)
    }

    /// The groups with the totals that the answer has of each, in whole parts: equal if and only if the answers are.
    pub fn amounts(&self, jobs: &JobTable) -> Vec<(GroupKey, Vec<u64>)> {
        let (groups, _) = self.groups(jobs);
        let owned = |(key, of_group): (Vec<Option<&str>>, Totals)| {
            let key = key.into_iter().map(|text| text.map(Into::into)).collect();
            (key, self.totals.iter().map(|total| total.parts(&of_group)).collect())
        };
        groups.into_iter().map(owned).collect()
    }
}

impl Total {
    /// The total in whole parts: jobs, thousandths of cores, MiB.
    fn parts(self, totals: &Totals) -> u64 {
        match self {
            Self::Count => totals.jobs as u64,
            Self::Cores => totals.cores,
            Self::Mem | Self::MemMib => totals.mem,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "sums of what jobs have")]
    fn of(self, totals: &Totals) -> Value {
        let whole = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        match self {
            Self::Count => whole(totals.jobs as u64),
            Self::Cores if totals.cores.is_multiple_of(1000) => whole(totals.cores / 1000),
            Self::Cores => Value::Float(totals.cores as f64 / 1000.0),
            Self::Mem => Value::Float(totals.mem as f64 / 1024.0),
            Self::MemMib => whole(totals.mem),
        }
    }
}

/// A query and its answer.
pub(super) fn read_query(reader: &mut Reader<'_>) -> Result<(String, SqlAnswer), Fault> {
    let at = reader.offset();
    let (mut sql, mut rows) = (None, None);
    reader.object(|reader, key| {
        match &*key {
            "sql" => sql = Some(reader.string()?.into_owned()),
            "rows" if reader.kind()? == Kind::Object => rows = Some(read_totals(reader)?),
            "rows" => rows = Some(SqlAnswer::Rows(reader.items(|reader| reader.items(Json::read))?)),
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    Ok((sql.ok_or_else(|| missing("sql", at))?, rows.ok_or_else(|| missing("rows", at))?))
}

/// The totals in the place of rows.
fn read_totals(reader: &mut Reader<'_>) -> Result<SqlAnswer, Fault> {
    let at = reader.offset();
    let (mut group_by, mut totals) = (None, None);
    reader.object(|reader, key| {
        match &*key {
            "group_by" => group_by = Some(read_words(reader, &GROUP_WORDS, &GROUPS)?),
            "totals" => totals = Some(read_words(reader, &TOTAL_WORDS, &TOTALS)?),
            _ => {
                let at = reader.offset();
                return Err(Fault::new("unknown field; totals of jobs have `group_by` and `totals`", at));
            }
        }
        Ok(())
    })?;
    let group_by = group_by.ok_or_else(|| missing("group_by", at))?;
    let totals = totals.ok_or_else(|| missing("totals", at))?;
    Ok(SqlAnswer::Totals(Arc::new(GroupTotals { group_by, totals })))
}

fn missing(field: &str, at: usize) -> Fault {
    Fault::new("missing", at).under(field)
}

/// A list of words, as the items that they stand for.
fn read_words<T: Copy>(reader: &mut Reader<'_>, words: &[&str], items: &[T]) -> Result<Vec<T>, Fault> {
    reader.items(|reader| {
        let at = reader.offset();
        let found = reader.string()?;
        let known = words.iter().zip(items).find(|(word, _)| **word == found);
        known.map(|(_, item)| *item).ok_or_else(|| Fault::new(format!("must be one of `{}`", words.join("`, `")), at))
    })
}
