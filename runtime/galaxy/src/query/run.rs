//! Running a query over the world's jobs.

use std::cmp::Ordering;
use std::rc::Rc;

use super::beyond;
use super::columns::{Column, ID};
use super::evaluate::{Placed, passes, value};
use super::expression::{Expr, Sql};
use super::rows::{Row, StoredJob};
use super::statement::{Asked, Parts};
use crate::reads::Read;
use crate::world::World;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// Runs a query: rows, or jobs where nothing else is asked for.
///
/// # Errors
/// `HostUnavailable` for what databases differ in.
pub(super) fn run(vm: &mut Vm, world: &World, parts: &Parts) -> PyResult<Vec<Value>> {
    let mut parts = parts.clone();
    parts.groups = parts.groups.iter().map(|group| resolved(&parts, group)).collect();
    parts.orders = parts.orders.iter().map(|order| resolved(&parts, order)).collect();
    check_columns(&parts)?;
    vm.charge(world.jobs.len().saturating_mul(1 + parts.filters.len()))?;
    world.note(|| Read::Other);
    let mut rows: Vec<Placed<'_>> = Vec::new();
    let mut look = |row: Placed<'_>| passes(vm, &parts.filters, row);
    if is_of_classes(&parts) {
        for (place, (row, totals)) in world.jobs.classes().enumerate() {
            let row = Placed { place, row, jobs: totals.jobs };
            if look(row)? {
                rows.push(row);
            }
        }
    } else {
        let mut look_at = |(place, row)| -> PyResult<()> {
            let row = Placed { place, row, jobs: 1 };
            if look(row)? {
                rows.push(row);
            }
            Ok(())
        };
        match parts.filters.iter().find_map(|filter| filter.one_user()) {
            Some(user) => world.jobs.of_user(user).try_for_each(&mut look_at)?,
            None => world.jobs.iter().try_for_each(&mut look_at)?,
        }
    }
    let mut groups = grouped(vm, &parts, rows)?;
    if !parts.orders.is_empty() {
        groups = sorted(vm, &parts.orders, groups)?.into_iter().map(|(_, group)| group).collect();
    }
    let names = names(&parts);
    let mut seen: Vec<Vec<Sql<'_>>> = Vec::new();
    let mut found = Vec::new();
    for group in &groups {
        let mut cells = Vec::with_capacity(parts.asked.len());
        for asked in &parts.asked {
            cells.push(match asked {
                // The id of a job stands for all of it.
                Asked::Job => group.first().map_or(Sql::Null, |placed| ID.of(placed.row)),
                Asked::Column(column) => value(vm, column, group)?,
            });
        }
        if parts.distinct {
            vm.charge(seen.len())?;
            if seen.contains(&cells) {
                continue;
            }
            seen.push(cells.clone());
        }
        found.push((cells, group));
    }
    let rows = found.into_iter().take(parts.limit.unwrap_or(usize::MAX));
    Ok(rows.map(|(cells, group)| row_of(&parts, &names, &cells, group)).collect())
}

/// Returns `true` if jobs are counted by what tells [classes](crate::job_table::JobTable::classes) of them apart: then the
/// answer takes as long for many jobs as for few.
fn is_of_classes(parts: &Parts) -> bool {
    let columns = || parts.asked.iter().filter_map(Asked::column);
    let has_groups = !parts.groups.is_empty() || columns().any(|column| column.aggregates());
    let asks_job = parts.asked.iter().any(|asked| matches!(asked, Asked::Job));
    let mut all = columns().chain(&parts.filters).chain(&parts.groups).chain(&parts.orders);
    has_groups && !asks_job && all.all(|expression| expression.tells_classes())
}

/// An expression of `ORDER BY` or `GROUP BY`: in the place of a name, what is asked for under it.
fn resolved(parts: &Parts, expression: &Rc<Expr>) -> Rc<Expr> {
    match &**expression {
        Expr::Named(name) => {
            let mut columns = parts.asked.iter().filter_map(Asked::column).rev();
            let named = columns.find(|column| column.name().as_ref() == Some(name));
            named.unwrap_or(expression).clone()
        }
        Expr::Order(inner, descending) => Rc::new(Expr::Order(resolved(parts, inner), *descending)),
        _ => expression.clone(),
    }
}

/// Refuses columns that have no one value for a group: databases differ in what they give.
fn check_columns(parts: &Parts) -> PyResult<()> {
    let columns = || parts.asked.iter().filter_map(Asked::column);
    if parts.groups.is_empty() && !columns().any(|column| column.aggregates()) {
        return Ok(());
    }
    let known: Vec<&Column> = parts.groups.iter().filter_map(|group| group.column()).collect();
    let asks_job = parts.asked.iter().any(|asked| matches!(asked, Asked::Job));
    let is_determined = || !asks_job && columns().chain(&parts.orders).all(|column| column.uses_only(&known));
    // The primary key determines all other columns.
    if known.contains(&&ID) || is_determined() {
        return Ok(());
    }
    Err(beyond("a column beside aggregates that is not grouped by"))
}

/// The groups of rows: one of all rows where nothing is grouped but something aggregated, one for each row where neither.
fn grouped<'a>(vm: &mut Vm, parts: &'a Parts, rows: Vec<Placed<'a>>) -> PyResult<Vec<Vec<Placed<'a>>>> {
    let mut expressions = parts.asked.iter().filter_map(Asked::column).chain(&parts.orders);
    if parts.groups.is_empty() && expressions.any(|expression| expression.aggregates()) {
        return Ok(vec![rows]);
    }
    let each_row = rows.into_iter().map(|row| vec![row]).collect();
    if parts.groups.is_empty() {
        return Ok(each_row);
    }
    let mut groups: Vec<(Vec<Sql<'a>>, Vec<Placed<'a>>)> = Vec::new();
    // SQLite sorts to group.
    for (key, mut row) in sorted(vm, &parts.groups, each_row)? {
        match groups.last_mut() {
            Some((last, rows)) if *last == key => rows.append(&mut row),
            _ => groups.push((key, row)),
        }
    }
    Ok(groups.into_iter().map(|(_, rows)| rows).collect())
}

/// The groups sorted by the values of these expressions, with those values.
fn sorted<'a>(
    vm: &mut Vm,
    orders: &'a [Rc<Expr>],
    groups: Vec<Vec<Placed<'a>>>,
) -> PyResult<Vec<(Vec<Sql<'a>>, Vec<Placed<'a>>)>> {
    let mut keyed = Vec::with_capacity(groups.len());
    for group in groups {
        let key: Vec<Sql<'a>> = orders.iter().map(|order| value(vm, order, &group)).collect::<PyResult<_>>()?;
        keyed.push((key, group));
    }
    keyed.sort_by(|(a, _), (b, _)| {
        let mut each = orders.iter().zip(a.iter().zip(b)).map(|(order, (a, b))| match &**order {
            Expr::Order(_, true) => b.cmp(a),
            _ => a.cmp(b),
        });
        each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    Ok(keyed)
}

/// The names of the cells, each once: a second `count` is `count_1`.
pub(super) fn names(parts: &Parts) -> Rc<[Rc<str>]> {
    let mut names: Vec<Rc<str>> = Vec::with_capacity(parts.asked.len());
    for (index, asked) in parts.asked.iter().enumerate() {
        let name = match asked {
            Asked::Job => Rc::from("Job"),
            Asked::Column(column) => column.name().unwrap_or_else(|| format!("anon_{}", index + 1).into()),
        };
        let again = names.iter().filter(|known| **known == name).count();
        names.push(if again == 0 { name } else { format!("{name}_{again}").into() });
    }
    names.into()
}

/// A job where only that is asked for, else a row.
fn row_of(parts: &Parts, names: &Rc<[Rc<str>]>, cells: &[Sql<'_>], group: &[Placed<'_>]) -> Value {
    let job = || group.first().map_or(Value::None, |placed| StoredJob::value(placed.place, placed.row));
    if let [Asked::Job] = parts.asked.as_slice() {
        return job();
    }
    let values = parts.asked.iter().zip(cells).map(|(asked, cell)| match asked.column() {
        None => job(),
        Some(expression) => expression.column().map_or_else(|| cell.to_value(), |column| column.to_value(cell)),
    });
    Value::object(Row { names: names.clone(), values: Value::tuple(values.collect()) })
}
