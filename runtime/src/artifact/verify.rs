//! Verification of what was read: every index in range, every code safe to run.

use tpv_bytecode::verify::verify as verify_program;
use tpv_bytecode::{CodeKind, CodeRef, ProgramData};

use super::tables::{EntityRow, EntityTable, StringId, Tables, TagsRow, ValueRow};
use crate::error::Error;

/// Checks tables and program.
pub(super) fn verify(tables: &Tables, program: &ProgramData) -> Result<(), Error> {
    verify_program(program).map_err(|reason| Error::Invalid { section: "CODE".to_owned(), reason })?;
    let check = Check { tables, program };
    check.section("TAGS", || tables.tags.iter().try_for_each(|id| check.string(*id)))?;
    check.section("SRCS", || tables.sources.iter().try_for_each(|id| check.string(*id)))?;
    check.section("SITE", || {
        tables.sites.iter().try_for_each(|site| {
            if !site.pieces.is_sorted_by_key(|piece| (piece.text_line, piece.text_column)) {
                return Err("the pieces of a text are not in order".to_owned());
            }
            in_range(site.source, tables.sources.len(), "config file")
        })
    })?;
    check.section("GLOB", || {
        tables.global.default_inherits.map_or(Ok(()), |id| check.string(id))?;
        let store = tables.global.resource_pool_store.iter();
        store.clone().try_for_each(|store| check.string(store.class))?;
        let values = tables.global.context.iter().chain(store.flat_map(|store| &store.options));
        values.into_iter().try_for_each(|(name, value)| {
            check.string(*name)?;
            check.value(value)
        })
    })?;
    check.section("TOOL", || check.table(&tables.tools))?;
    check.section("ROLE", || check.table(&tables.roles))?;
    check.section("USER", || check.table(&tables.users))?;
    check.section("DEST", || check.rows(&tables.destinations))?;
    check.section("CDST", || check.rows(&tables.configured_destinations))?;
    check.section("POOL", || check.rows(&tables.pools))?;
    check.section("RULE", || {
        // A rule has no rules, so that rules cannot hold one another in a circle.
        if tables.rules.iter().any(|rule| !rule.rules.is_empty()) {
            return Err("a rule has rules".to_owned());
        }
        check.rows(&tables.rules)
    })
}

struct Check<'a> {
    tables: &'a Tables,
    program: &'a ProgramData,
}

type Checked = Result<(), String>;

fn in_range(index: u32, length: usize, what: &str) -> Checked {
    if (index as usize) < length { Ok(()) } else { Err(format!("it names {what} {index} of {length}")) }
}

impl Check<'_> {
    fn section(&self, name: &str, check: impl FnOnce() -> Checked) -> Result<(), Error> {
        check().map_err(|reason| Error::Invalid { section: name.to_owned(), reason })
    }

    fn string(&self, id: StringId) -> Checked {
        in_range(id, self.tables.strings.len(), "string")
    }

    fn code(&self, code: CodeRef) -> Checked {
        in_range(code.site, self.tables.sites.len(), "site")?;
        if code.code == CodeRef::PLAIN {
            return Ok(());
        }
        match self.program.codes.get(code.code as usize) {
            Some(found) if found.kind != CodeKind::Function => Ok(()),
            Some(_) => Err(format!("code {} isn't a block", code.code)),
            None => in_range(code.code, self.program.codes.len(), "code"),
        }
    }

    fn value(&self, value: &ValueRow) -> Checked {
        match value {
            ValueRow::Str(id) => self.string(*id),
            ValueRow::Code(id, code) => {
                self.string(*id)?;
                self.code(*code)
            }
            ValueRow::List(items) => items.iter().try_for_each(|item| self.value(item)),
            ValueRow::Dict(items) => items.iter().try_for_each(|(key, value)| {
                if matches!(key, ValueRow::List(_) | ValueRow::Dict(_)) {
                    return Err("a key is a list or a mapping".to_owned());
                }
                self.value(key)?;
                self.value(value)
            }),
            _ => Ok(()),
        }
    }

    fn tags(&self, tags: &TagsRow) -> Checked {
        let mut ids = tags.lists.iter().flatten().flatten();
        ids.try_for_each(|id| in_range(*id, self.tables.tags.len(), "tag"))
    }

    fn table(&self, table: &EntityTable) -> Checked {
        self.rows(&table.rows)?;
        table.default.map_or(Ok(()), |index| in_range(index, table.rows.len(), "entity"))?;
        if table.patterns.len() != table.rows.len() {
            return Err(format!("it has {} patterns for {} entities", table.patterns.len(), table.rows.len()));
        }
        table.patterns.verify().map_err(str::to_owned)
    }

    fn rows(&self, rows: &[EntityRow]) -> Checked {
        rows.iter().try_for_each(|row| self.row(row))
    }

    fn row(&self, row: &EntityRow) -> Checked {
        self.string(row.id)?;
        row.inherits.map_or(Ok(()), |id| self.string(id))?;
        in_range(row.site, self.tables.sites.len(), "site")?;
        row.values().try_for_each(|value| self.value(value))?;
        self.tags(&row.tags)?;
        for (key, rule) in &row.rules {
            self.string(*key)?;
            in_range(*rule, self.tables.rules.len(), "rule")?;
        }
        row.extras.iter().try_for_each(|(name, _)| self.string(*name))?;
        row.dest_tags.iter().try_for_each(|tags| self.tags(tags))
    }
}
