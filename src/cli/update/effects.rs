//! The effects of new texts on the rules and jobs of each environment.

use std::path::Path;
use std::sync::Arc;

use tpv_analysis::diff::Side;
use tpv_analysis::diff::entities::compare;
use tpv_analysis::diff::report;
use tpv_analysis::people::Naming;
use tpv_config::lock::Lock;
use tpv_config::{ConfigTexts, Input};
use tpv_text::source::{Limits, SourceMap, is_url, redacted};

use super::sites::Site;
use crate::cli::common::Common;
use crate::cli::compared::{Comparison, Which, made};
use crate::cli::error::CliError;
use crate::cli::{stream, world};

/// The comparison of two locks.
pub(super) struct Effects<'a> {
    /// The texts so far.
    pub(super) old: &'a Arc<Lock>,
    /// The new ones.
    pub(super) new: &'a Arc<Lock>,
    /// The job file that was asked for.
    pub(super) jobs: Option<&'a Path>,
    /// `true` if no jobs are mapped.
    pub(super) no_jobs: bool,
    /// The world that was asked for.
    pub(super) world: Option<&'a Path>,
}

/// The effects on an environment.
pub(super) struct Compared {
    /// Its name.
    pub(super) name: Option<String>,
    /// The changes, or the reason that they are not known.
    pub(super) effect: Result<report::Report, String>,
}

/// The most examples of a cause.
const EXAMPLES: usize = 3;

impl Effects<'_> {
    /// The effects on each environment that has a changed text. `None` if the rules of one do not compile, which has then been reported.
    ///
    /// # Errors
    /// The jobs or the world cannot be read, or the variables of templates are wrong.
    pub(super) fn of(&self, sites: &[Site], common: &Common) -> Result<Option<Vec<Compared>>, CliError> {
        let mut compared = Vec::new();
        for site in sites.iter().filter(|site| self.concern(site)) {
            let Some(new) = self.side(site, self.new, "the URLs now", true)? else {
                let of = site.name.as_ref().map_or_else(String::new, |name| format!(" of environment `{name}`"));
                common.note(&format!("the rules{of} do not compile with what the URLs give now"));
                return Ok(None);
            };
            let effect = match self.unknown(site) {
                Some(why) => Err(why),
                None => match self.side(site, self.old, "the locked texts", false)? {
                    None => Err("the rules do not compile with the texts that were locked".to_owned()),
                    Some(old) => Ok(self.compared(site, &old, &new)?),
                },
            };
            compared.push(Compared { name: site.name.clone(), effect });
        }
        Ok(Some(compared))
    }

    /// Returns `true` if a text of an environment's rules is another one now.
    fn concern(&self, site: &Site) -> bool {
        site.files.iter().filter(|file| is_url(file)).any(|url| self.old.entry(url) != self.new.entry(url))
    }

    /// The reason that the effects on an environment cannot be known. `None` if they can.
    fn unknown(&self, site: &Site) -> Option<String> {
        for url in site.files.iter().filter(|file| is_url(file) && !site.settings.site.remotes.has_copy(file)) {
            let shown = redacted(url);
            match self.old.entry(url) {
                None => return Some(format!("`{shown}` was not locked before")),
                Some(entry) => {
                    if !matches!(self.old.cached(entry, &Limits::default()), Ok(Some(_))) {
                        return Some(format!("the cache lacks the text of `{shown}` that was locked"));
                    }
                }
            }
        }
        None
    }

    /// The rules of an environment with the texts of a lock. `None` if they do not compile.
    fn side(&self, site: &Site, lock: &Arc<Lock>, name: &str, is_shown: bool) -> Result<Option<Side>, CliError> {
        let mut settings = site.settings.clone();
        settings.site.remotes = settings.site.remotes.locked(Some(lock.clone()));
        let (templates, version) = site.common.templates_of(settings, &site.common.vars)?;
        let texts = ConfigTexts { sources: SourceMap::filling(templates), version };
        let inputs = Input::named(&site.files);
        let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
        if compiled.rules.is_none() && is_shown {
            site.common.show(&compiled.diagnostics, &compiled.sources);
        }
        let origin = Some((compiled.config, compiled.sources));
        Ok(compiled.rules.map(|rules| Side { name: name.to_owned(), rules: Arc::new(rules), origin }))
    }

    fn compared(&self, site: &Site, old: &Side, new: &Side) -> Result<report::Report, CliError> {
        let changes = compare(old, new);
        let jobs = match changes.groups.is_empty() || self.no_jobs {
            true => None,
            false => {
                let world = self.world.or(site.settings.world.as_deref());
                let world = Arc::new(world::at_this_moment(world)?);
                let which = match self.jobs.or(site.settings.jobs.as_deref()) {
                    Some(path) => Which::File(stream::Jobs { path, dispatcher: None }),
                    None => Which::Made(made([old, new], &world, &site.common)),
                };
                let comparison = Comparison {
                    world: &world,
                    changes: &changes,
                    upgrade: None,
                    examples: EXAMPLES,
                    naming: Naming::with_users(false),
                    differences: None,
                    threads: None,
                };
                Some(comparison.run(which, [old, new], &site.common)?)
            }
        };
        Ok(report::Report { old: old.name.clone(), new: new.name.clone(), changes, jobs })
    }
}
