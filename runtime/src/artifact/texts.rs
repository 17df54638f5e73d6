//! The texts of the code blocks, by where they stand and by what they were compiled to: what only errors ask for.

use std::collections::HashMap;

use super::tables::{StringId, Tables, ValueRow};

/// Where the code blocks are.
#[derive(Debug, Default)]
pub struct Texts {
    strings: HashMap<u32, StringId>,
    sites: HashMap<u32, Vec<u32>>,
}

impl Texts {
    /// Collects all blocks of an artifact.
    pub(super) fn of(tables: &Tables) -> Self {
        let mut texts = Self::default();
        let tables_of_patterns = [&tables.tools, &tables.roles, &tables.users].map(|table| &table.rows);
        let lists = [&tables.destinations, &tables.configured_destinations, &tables.pools, &tables.rules];
        for row in tables_of_patterns.into_iter().chain(lists).flatten() {
            row.values().for_each(|value| texts.add(value));
        }
        texts
    }

    fn add(&mut self, value: &ValueRow) {
        match value {
            ValueRow::Code(text, code) => {
                self.strings.insert(code.site, *text);
                let sites = self.sites.entry(code.code).or_default();
                if !sites.contains(&code.site) {
                    sites.push(code.site);
                }
            }
            ValueRow::List(items) => items.iter().for_each(|item| self.add(item)),
            ValueRow::Dict(items) => items.iter().for_each(|(_, value)| self.add(value)),
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
}
