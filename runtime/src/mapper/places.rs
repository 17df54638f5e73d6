//! Places in the config.

use std::fmt;

use crate::artifact::Rules;
use crate::artifact::site::Site;

/// A place in a config file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigPlace {
    /// The file, as it was named to the compiler.
    pub file: String,
    /// Its number in load order.
    pub source: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

impl fmt::Display for ConfigPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl ConfigPlace {
    /// The place of an entity, rule or text: an index in the artifact's table of sites.
    pub fn of_site(rules: &Rules, site: u32) -> Option<Self> {
        let site = rules.tables().sites.get(site as usize)?;
        Some(Self::at(rules, site, site.line, site.column))
    }

    /// The file and line, without the column.
    pub fn file_and_line(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    pub(super) fn at(rules: &Rules, site: &Site, line: u32, column: u32) -> Self {
        let tables = rules.tables();
        let name = tables.sources.get(site.source as usize).and_then(|name| tables.strings.get(*name as usize));
        Self { file: name.cloned().unwrap_or_default(), source: site.source, line, column }
    }
}
