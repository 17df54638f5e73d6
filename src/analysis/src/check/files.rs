//! The files of a run, before they are merged: who wrote what.

use std::sync::Arc;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_config::validate::{FileConfig, Section};
use tpv_model::EntityClass;
use tpv_text::source::SourceId;

/// All files, in load order.
pub(crate) struct Files<'a> {
    list: &'a [(SourceId, FileConfig)],
}

impl<'a> Files<'a> {
    /// The files of a config.
    pub(crate) fn of(config: &'a Config) -> Self {
        Self { list: &config.files }
    }

    /// Each file's section of a kind.
    pub(crate) fn sections(&self, kind: EntityClass) -> impl Iterator<Item = (SourceId, &Section)> {
        self.list.iter().filter_map(move |(id, file)| Some((*id, file.section(kind)?)))
    }

    /// The definitions of one entity, one for each file that has it.
    pub(crate) fn definitions(&self, kind: EntityClass, id: &str) -> Vec<&Arc<Entity>> {
        self.sections(kind).filter_map(|(_, section)| section.get(id)).collect()
    }
}
