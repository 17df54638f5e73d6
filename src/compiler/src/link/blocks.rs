//! The places of code in an artifact: blocks by the path of their property, for `tpvc inspect`.

use indexmap::IndexMap;
use tpv_bytecode::{CodeRef, ProgramData};
use tpv_model::{Field, Resource};
use tpv_runtime::artifact::tables::{EntityRow, StringId, Tables, ValueRow};

use tpv_config::code::code_kind;
use tpv_text::suggest::closest;

/// The blocks at a path such as `tools.bwa.mem`, `tools.bwa.rules.big.if` or `destinations.slurm.params`: the roots of all
/// code found there.
pub fn blocks_at(tables: &Tables, path: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for (section, rows) in sections(tables) {
        let Some(rest) = path.strip_prefix(section).and_then(|rest| rest.strip_prefix('.')) else { continue };
        for row in rows {
            // Ids hold dots themselves: the id is taken as a whole and what follows it is the property.
            let Some(property) = rest.strip_prefix(text(tables, row.id)).and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            blocks_of(tables, row, property, &mut found);
        }
    }
    found
}

/// A block that CPython runs, if the host has it.
pub struct CpythonBlock<'a> {
    /// The path of a property that has it: `tools.bwa.mem`.
    pub path: String,
    /// The number of other properties that have it, by inheriting or by equal text.
    pub others: usize,
    /// The reason, to follow "because".
    pub reason: &'a str,
    /// `true` if that holds only when Galaxy's objects are live.
    pub only_live: bool,
}

/// The blocks that CPython runs, if the host has it, in the order of the config.
pub fn cpython_blocks<'a>(tables: &Tables, program: &'a ProgramData) -> Vec<CpythonBlock<'a>> {
    let mut blocks: IndexMap<u32, CpythonBlock<'a>> = IndexMap::new();
    for (section, rows) in sections(tables) {
        for row in rows {
            for property in properties(tables, row) {
                let mut found = Vec::new();
                blocks_of(tables, row, &property, &mut found);
                for block in found {
                    let Some((reason, only_live)) = program.cpython(block) else { continue };
                    let path = || format!("{section}.{}.{property}", text(tables, row.id));
                    let new = || CpythonBlock { path: path(), others: 0, reason, only_live };
                    blocks.entry(block).and_modify(|block| block.others += 1).or_insert_with(new);
                }
            }
        }
    }
    blocks.into_values().collect()
}

/// The blocks of a property of an entity, or of one of its rules (`rules.big.if`).
fn blocks_of(tables: &Tables, row: &EntityRow, property: &str, found: &mut Vec<u32>) {
    let Some(rule_path) = property.strip_prefix("rules.") else { return property_blocks(row, property, found) };
    for (key, index) in &row.rules {
        let field = rule_path.strip_prefix(text(tables, *key)).and_then(|rest| rest.strip_prefix('.'));
        if let (Some(field), Some(rule)) = (field, tables.rules.get(*index as usize)) {
            property_blocks(rule, field, found);
        }
    }
}

/// The sections with their rows.
fn sections(tables: &Tables) -> [(&'static str, &[EntityRow]); 5] {
    [
        ("tools", &tables.tools.rows),
        ("roles", &tables.roles.rows),
        ("users", &tables.users.rows),
        ("destinations", &tables.destinations),
        ("pools", &tables.pools),
    ]
}

fn text(tables: &Tables, id: StringId) -> &str {
    tables.strings.get(id as usize).map_or("", String::as_str)
}

/// The paths that are likely meant by one without code: those of the same entity, or else the nearest one. Empty where nothing is
/// near.
pub fn paths_near(tables: &Tables, path: &str) -> Vec<String> {
    /// The number of blocks named.
    const MOST: usize = 8;
    let all = || sections(tables).into_iter().flat_map(|(section, rows)| rows.iter().map(move |row| (section, row)));
    let prefix = |(section, row): (&str, &EntityRow)| format!("{section}.{}.", text(tables, row.id));
    let paths = |(section, row): (&str, &EntityRow)| -> Vec<String> {
        let start = prefix((section, row));
        let properties = properties(tables, row).into_iter();
        properties.map(|property| format!("{start}{property}")).collect()
    };
    let nearest = |paths: &[String]| closest(path, paths.iter().map(String::as_str)).map(str::to_owned);
    let own: Vec<String> = all().filter(|row| path.starts_with(&prefix(*row))).flat_map(paths).collect();
    if let Some(near) = nearest(&own) {
        return vec![near];
    }
    if !own.is_empty() {
        return own.into_iter().take(MOST).collect();
    }
    let near: Vec<String> = all().filter_map(|row| nearest(&paths(row))).collect();
    nearest(&near).into_iter().collect()
}

/// The properties of an entity that have code.
fn properties(tables: &Tables, row: &EntityRow) -> Vec<String> {
    let has_code = |row: &EntityRow, property: &str| {
        let mut found = Vec::new();
        property_blocks(row, property, &mut found);
        !found.is_empty()
    };
    let names = || fields().map(Field::alias);
    let mut out: Vec<String> = names().filter(|name| has_code(row, name)).map(str::to_owned).collect();
    for (key, index) in &row.rules {
        let Some(rule) = tables.rules.get(*index as usize) else { continue };
        let key = text(tables, *key);
        out.extend(names().filter(|name| has_code(rule, name)).map(|name| format!("rules.{key}.{name}")));
    }
    out
}

/// The fields besides amounts and [`Field::singles`] that may have code.
const OTHERS: [Field; 3] = [Field::Env, Field::Params, Field::Resubmit];

/// The fields that may have code, in the order in which they are listed.
fn fields() -> impl Iterator<Item = Field> {
    let singles = Field::singles().iter().copied().filter(|field| code_kind(field.kind()).is_some());
    Resource::ALL.into_iter().map(|resource| Field::Amount(resource.into())).chain(OTHERS).chain(singles)
}

fn property_blocks(row: &EntityRow, property: &str, found: &mut Vec<u32>) {
    let field = fields().find(|field| field.alias() == property);
    if let Some(value) = field.and_then(|field| row.value(field)) {
        blocks(value, found);
    }
}

fn blocks(value: &ValueRow, found: &mut Vec<u32>) {
    match value {
        ValueRow::Code(_, code) if code.code != CodeRef::PLAIN => found.push(code.code),
        ValueRow::List(items) => items.iter().for_each(|item| blocks(item, found)),
        ValueRow::Dict(items) => items.iter().for_each(|(_, item)| blocks(item, found)),
        _ => {}
    }
}
