//! The results of checking the code of one config, as they come.

use std::collections::{HashMap, HashSet};

use crate::link::Need;
use tpv_config::Config;
use tpv_model::EntityClass;
use tpv_text::finding::Finding;
use tpv_text::source::SourceMap;

/// One run of the checker over one merged config.
pub(super) struct Found<'a> {
    /// The config.
    pub config: &'a Config,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    /// The findings so far that no `# noqa` comment turns off.
    pub findings: Vec<Finding>,
    /// The reasons that CPython runs blocks, by their root codes if these are known.
    pub needs: HashMap<u32, Need>,
}

impl<'a> Found<'a> {
    /// An empty collection.
    pub fn new(config: &'a Config, sources: &'a SourceMap) -> Self {
        Self { config, sources, findings: Vec::new(), needs: HashMap::new() }
    }

    /// Adds a finding, unless a `# noqa` comment turns it off.
    pub fn report(&mut self, finding: Finding) {
        if !finding.silenced {
            self.findings.push(finding);
        }
    }

    /// Adds the reason why CPython runs a block; one that holds always comes before one for a live Galaxy.
    pub fn needs_cpython(&mut self, root: u32, need: Need) {
        let known = self.needs.entry(root).or_insert_with(|| need.clone());
        if known.only_live && !need.only_live {
            *known = need;
        }
    }

    /// The fields that TPV does not know, which become attributes of entities.
    pub fn extra_fields(&self) -> HashSet<String> {
        let mut out = HashSet::new();
        for kind in EntityClass::SECTIONS {
            for entity in self.config.section(kind).values() {
                for common in entity.commons() {
                    out.extend(common.extras.keys().map(ToString::to_string));
                }
            }
        }
        out
    }
}
