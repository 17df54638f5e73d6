//! The context shared by all commands of `tpvc maps`.

use std::path::Path;

use super::select::Select;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use tpv_maps::Map;
use tpv_maps::settings::Settings;
use tpv_maps::store::Root;

/// The data that every verb works with.
pub(in crate::cli) struct Context {
    /// The folder of all maps.
    pub(in crate::cli) root: Root,
    /// The settings of maps.
    pub(in crate::cli) settings: Settings,
    /// The options of every verb.
    pub(in crate::cli) common: Common,
}

impl Context {
    /// The maps of a folder, or else of that which the settings name.
    pub(in crate::cli) fn new(folder: Option<&Path>, common: &Common) -> Result<Self, CliError> {
        let mut settings = common.settings()?.maps()?;
        if let Some(folder) = folder {
            settings.dir = Some(folder.to_owned());
            settings.sources.insert("dir", "flag --maps-dir".to_owned());
        }
        let root = Root::open(&settings.folder()?)?;
        Ok(Self { root, settings, common: common.clone() })
    }

    /// The map with this tag.
    pub(in crate::cli) fn load(&self, tag: &str) -> Result<Map, CliError> {
        Ok(Map::load(&self.root, tag)?)
    }

    /// Does something to each map of a selection; an error of one does not keep the others from it.
    pub(super) fn each(
        &self,
        tags: &Select,
        mut act: impl FnMut(Map) -> Result<(), CliError>,
    ) -> Result<Outcome, CliError> {
        let mut outcome = Outcome::Done;
        for tag in tags.tags(&self.root)? {
            if let Err(error) = self.load(&tag).and_then(&mut act) {
                self.common.show_error(&error);
                outcome = Outcome::Bad;
            }
        }
        Ok(outcome)
    }
}

impl From<tpv_maps::Error> for CliError {
    fn from(error: tpv_maps::Error) -> Self {
        Self::new(error.message, error.help)
    }
}
