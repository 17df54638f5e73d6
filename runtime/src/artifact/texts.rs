//! The texts of the code blocks, by where they stand and by what they were compiled to: what only errors ask for.

use std::collections::HashMap;

use super::tables::{EntityRow, StringId, Tables, ValueRow};
use tpv_model::EntityClass;

/// The code blocks of an artifact.
#[derive(Debug, Default)]
pub struct Texts {
    strings: HashMap<u32, StringId>,
    sites: HashMap<u32, Vec<u32>>,
    owners: HashMap<u32, Owner>,
}

/// The entity or rule that a block is written in.
#[derive(Debug)]
struct Owner {
    /// The list of entities, an index of [`lists`], and the index in it.
    row: (usize, usize),
    /// The line that the entity begins in.
    line: u32,
    /// `cores`, `params.native_spec`
    field: String,
}

/// All entities, and all rules as the last list.
fn lists(tables: &Tables) -> [&Vec<EntityRow>; 7] {
    let Tables { tools, roles, users, destinations, configured_destinations, pools, rules, .. } = tables;
    [&tools.rows, &roles.rows, &users.rows, configured_destinations, destinations, pools, rules]
}

impl Texts {
    /// Collects all blocks of an artifact.
    pub(super) fn of(tables: &Tables) -> Self {
        let mut texts = Self::default();
        for (list, rows) in lists(tables).into_iter().enumerate() {
            for (index, row) in rows.iter().enumerate() {
                for (field, value) in row.fields() {
                    texts.add(tables, (list, index), row, &mut vec![field], value);
                }
            }
        }
        texts
    }

    fn add<'a>(
        &mut self,
        tables: &'a Tables,
        index: (usize, usize),
        row: &EntityRow,
        path: &mut Vec<&'a str>,
        value: &'a ValueRow,
    ) {
        let key = |value: &ValueRow| match value {
            ValueRow::Str(name) | ValueRow::Code(name, _) => tables.strings.get(*name as usize).map(String::as_str),
            _ => None,
        };
        match value {
            ValueRow::Code(text, code) => {
                self.strings.insert(code.site, *text);
                let sites = self.sites.entry(code.code).or_default();
                if !sites.contains(&code.site) {
                    sites.push(code.site);
                }
                // A block that several entities inherit is written in the nearest one above it.
                let start = begins_above(tables, row, code.site);
                let known = self.owners.get(&code.site);
                if known.is_none_or(|known| start.is_some_and(|line| line > known.line)) {
                    let owner = Owner { row: index, line: start.unwrap_or(0), field: path.join(".") };
                    self.owners.insert(code.site, owner);
                }
            }
            ValueRow::List(items) => items.iter().for_each(|item| self.add(tables, index, row, path, item)),
            ValueRow::Dict(items) => {
                // A variable of `env` is a dict with `name` and `value`.
                let name = items.iter().find(|(name, _)| path.len() == 1 && key(name) == Some("name"));
                let name = name.and_then(|(_, name)| key(name));
                for (item, value) in items {
                    path.push(name.or_else(|| key(item)).unwrap_or("?"));
                    self.add(tables, index, row, path, value);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    /// The text at a site.
    pub fn of_site<'a>(&self, tables: &'a Tables, site: u32) -> Option<&'a str> {
        tables.strings.get(*self.strings.get(&site)? as usize).map(String::as_str)
    }

    /// The sites of all texts that were compiled to the code `root`.
    pub fn sites_of(&self, root: u32) -> &[u32] {
        self.sites.get(&root).map_or(&[], Vec::as_slice)
    }

    /// The sites of all texts.
    pub fn all_sites(&self) -> impl Iterator<Item = u32> {
        self.strings.keys().copied()
    }

    /// The name of the block at a site: `tool bwa: cores`, `tool bwa, rule large: params.native_spec`.
    pub fn name(&self, tables: &Tables, site: u32) -> Option<String> {
        let owner = self.owners.get(&site)?;
        let (list, index) = owner.row;
        let row = lists(tables).get(list)?.get(index)?;
        let mut name = entity_name(tables, row);
        if row.class == EntityClass::Rule {
            let has_rule = |entity: &&EntityRow| entity.rules.iter().any(|(_, rule)| *rule as usize == index);
            let entities = lists(tables).into_iter().flatten().filter(has_rule);
            let nearest = entities.max_by_key(|entity| begins_above(tables, entity, row.site));
            name = nearest.map_or_else(|| name.clone(), |entity| format!("{}, {name}", entity_name(tables, entity)));
        }
        Some(format!("{name}: {}", owner.field))
    }
}

/// `tool bwa`
fn entity_name(tables: &Tables, row: &EntityRow) -> String {
    let class = match row.class {
        EntityClass::PoolEntity => "pool".to_owned(),
        class => class.name().to_lowercase(),
    };
    format!("{class} {}", tables.strings.get(row.id as usize).map_or("", String::as_str))
}

/// The line that an entity begins in, if that is above a site of the same file.
fn begins_above(tables: &Tables, row: &EntityRow, site: u32) -> Option<u32> {
    let place = |site: u32| tables.sites.get(site as usize).map(|site| (site.source, site.line));
    let ((of_row, line), (of_site, at)) = (place(row.site)?, place(site)?);
    (of_row == of_site && line <= at).then_some(line)
}
