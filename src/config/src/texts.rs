//! The texts of a config, and the version of TPV that reads them.

use tpv_model::Version;
use tpv_text::source::SourceMap;

/// The texts that a config is read into, with the version of TPV that the config is for; the newest by default.
#[derive(Clone, Debug, Default)]
pub struct ConfigTexts {
    /// The texts. Those that are read later join them.
    pub sources: SourceMap,
    /// The version of TPV.
    pub version: Version,
}

impl ConfigTexts {
    /// Texts for the newest version of TPV.
    pub fn newest(sources: SourceMap) -> Self {
        Self { sources, version: Version::default() }
    }
}
