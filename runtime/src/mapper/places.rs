//! From an exception back to the place in the config that raised it.

use std::fmt;

use crate::artifact::Rules;
use crate::artifact::tables::Site;
use crate::python::exception::Raised;

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

    /// Where the expression stands that raised an exception: the innermost place it passed in the text of the config that
    /// was being evaluated, or the start of that text. `None` for an exception that no expression raised.
    pub fn of_raised(rules: &Rules, raised: &Raised) -> Option<Self> {
        let origin = raised.0.origin.get()?;
        let site = rules.tables().sites.get(origin.site as usize)?;
        let codes = &rules.program().codes;
        let places = raised.0.places.borrow();
        let inner = places.iter().find(|place| {
            place.code == origin.code || codes.get(place.code as usize).is_some_and(|code| code.root == origin.code)
        });
        let (line, column) = inner.map_or((1, 1), |place| (place.line, place.column));
        let (line, column) = site.locate(line, column);
        Some(Self::at(rules, site, line, column))
    }

    fn at(rules: &Rules, site: &Site, line: u32, column: u32) -> Self {
        let tables = rules.tables();
        let name = tables.sources.get(site.source as usize).and_then(|name| tables.strings.get(*name as usize));
        Self { file: name.cloned().unwrap_or_default(), source: site.source, line, column }
    }
}
