//! The environments of `tpvc.toml`, with the URLs that their configs come from.

use std::collections::BTreeSet;

use tpv_text::source::{is_url, redacted};

use crate::cli::common::Common;
use crate::cli::error::CliError;
use crate::cli::{job_conf, paths};
use tpv_settings::Settings;

/// An environment; the only one of settings without any has no name.
pub(super) struct Site {
    /// The name.
    pub(super) name: Option<String>,
    /// The options with this environment.
    pub(super) common: Common,
    /// The settings.
    pub(super) settings: Settings,
    /// The config files in the order of merging.
    pub(super) files: Vec<String>,
    /// The URLs that are locked: those among the files, and those that the job configuration names.
    urls: BTreeSet<String>,
    /// `false` if the job configuration cannot be read, so that it may name further URLs.
    pub(super) is_whole: bool,
}

impl Site {
    /// The URLs that are locked.
    pub(super) fn urls(&self) -> impl Iterator<Item = &String> {
        self.urls.iter()
    }
}

/// All environments of the settings.
///
/// # Errors
/// The settings of one are wrong, or its files are not there.
pub(super) fn of(settings: &Settings, common: &Common) -> Result<Vec<Site>, CliError> {
    let names: Vec<Option<String>> = match settings.environments.is_empty() {
        true => vec![None],
        false => settings.environments.iter().cloned().map(Some).collect(),
    };
    let mut copied = BTreeSet::new();
    let mut sites = Vec::with_capacity(names.len());
    for name in names {
        let common = Common { environment: name.clone(), ..common.clone() };
        let settings = common.settings()?;
        let files = paths::expand(&settings.files)?;
        let mut urls: BTreeSet<String> = files.iter().filter(|file| is_url(file)).cloned().collect();
        let mut is_whole = true;
        if let Some(path) = &settings.server.job_conf {
            match job_conf::urls(path, &common) {
                Ok(found) => urls.extend(found),
                Err(error) => {
                    let path = path.display();
                    is_whole = false;
                    common.note(&format!("the URLs that `{path}` names stay as they are locked: {}", error.message));
                }
            }
        }
        urls.retain(|url| {
            let has_copy = settings.site.remotes.has_copy(url);
            if has_copy && copied.insert(url.clone()) {
                common.note(&format!("`{}` is not locked, because `[remotes]` names a copy", redacted(url)));
            }
            !has_copy
        });
        sites.push(Site { name, common, settings, files, urls, is_whole });
    }
    Ok(sites)
}
