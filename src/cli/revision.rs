//! The site as a revision of git has it: its settings, variables and templates.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::common::Common;
use super::error::CliError;
use super::paths;
use super::rules::LoadedRules;
use crate::settings::{FILE, Settings};
use tpv_analysis::diff::revision::Revision;
use tpv_analysis::git::Repository;
use tpv_analysis::git::checkout::Checkout;
use tpv_compiler::config::Input;
use tpv_compiler::diagnostic::Problem;
use tpv_compiler::source::{SourceMap, is_url};

/// The site of a revision, or as it is now.
pub(super) struct AtRevision {
    name: String,
    git: Repository,
    /// The files of the revision. `None` for the working tree.
    checkout: Option<Checkout>,
    /// The settings. Paths of the repository lead to the files of the revision.
    settings: Settings,
}

impl AtRevision {
    /// The site of a revision: with its own `tpvc.toml`, or with the present one if it has none. `names_files` if the command line names the config
    /// files, so that the settings' own do not count.
    ///
    /// # Errors
    /// Git's, or the settings are wrong.
    pub(super) fn of(revision: &Revision, names_files: bool, common: &Common) -> Result<Self, CliError> {
        let present = common.settings()?;
        let (git, checkout) = (Repository::new(Path::new(".")), revision.checkout()?);
        let mut site = Self { name: revision.name.clone(), git, checkout, settings: present };
        let Some(path) = site.settings.path.clone() else { return Ok(site) };
        let at = match &site.checkout {
            Some(checkout) => site.git.from_top(&path)?.map(|path| (checkout.folder().join(&path), path)),
            None => None,
        };
        // Settings of the home directory, or above the repository, are the same for all revisions.
        let Some((there, from_top)) = at else {
            let vars = std::mem::take(&mut site.settings.site.vars);
            site.settings.site.vars = vars.iter().map(|path| site.file(path, common)).collect::<Result<_, _>>()?;
            return Ok(site);
        };
        if !there.exists() {
            let (vars, tpv) = (&site.settings.site.vars, &site.settings.tpv);
            let counts =
                !names_files || (common.vars.is_empty() && !vars.is_empty()) || (common.tpv.is_none() && tpv.is_some());
            if counts {
                common.note(&format!(
                    "`{}` is not in `{}`: the present settings are used",
                    from_top.display(),
                    site.name
                ));
            }
            let copied =
                std::fs::create_dir_all(there.parent().unwrap_or(&there)).and_then(|()| std::fs::copy(&path, &there));
            copied.map_err(|error| CliError::unwritable("the settings", &error, &there))?;
        }
        site.settings =
            Settings::of_file(&there, common.environment.as_deref()).map_err(|problem| site.shown(problem))?;
        let vars = std::mem::take(&mut site.settings.site.vars);
        site.settings.site.vars = vars.into_iter().map(|path| site.or_present(path, common)).collect();
        Ok(site)
    }

    /// The config files of the settings, relative to the present folder.
    ///
    /// # Errors
    /// There are none, or git's.
    pub(super) fn configs(&self) -> Result<Vec<String>, CliError> {
        if self.settings.files.is_empty() {
            let help = format!("name config files behind `--`, or list them as `files = [...]` in `{FILE}`");
            return Err(CliError::misuse(format!("`{FILE}` of `{}` names no config files", self.name), help));
        }
        self.settings.files.iter().map(|file| self.present(file).map(Cow::into_owned)).collect()
    }

    /// A path of the revision's folder as one from the present folder.
    fn present<'a>(&self, file: &'a str) -> Result<Cow<'a, str>, CliError> {
        let inside = self.checkout.as_ref().and_then(|checkout| Path::new(file).strip_prefix(checkout.folder()).ok());
        let Some(inside) = inside.filter(|_| !is_url(file)) else { return Ok(Cow::Borrowed(file)) };
        let here = self.git.from_top(Path::new("."))?.unwrap_or_default();
        let up: PathBuf = here.components().map(|_| "..").collect();
        let path = inside.strip_prefix(&here).map_or_else(|_| up.join(inside), Path::to_owned);
        Ok(Cow::Owned(path.to_string_lossy().into_owned()))
    }

    /// The file that a path from the present folder names in the revision. A file that is not in it, such as one that git ignores, is the present one.
    ///
    /// # Errors
    /// Git's.
    pub(super) fn file(&self, path: &Path, common: &Common) -> Result<PathBuf, CliError> {
        let Some(checkout) = &self.checkout else { return Ok(path.to_owned()) };
        let from_top = self.git.from_top(path)?;
        Ok(from_top.map_or_else(|| path.to_owned(), |path| self.or_present(checkout.folder().join(path), common)))
    }

    /// A path of the revision's folder, or the present file if the revision has none there.
    fn or_present(&self, path: PathBuf, common: &Common) -> PathBuf {
        let inside = self.checkout.as_ref().and_then(|checkout| path.strip_prefix(checkout.folder()).ok());
        let (Some(inside), Ok(top), false) = (inside, self.git.top(), path.exists()) else { return path };
        let present = top.join(inside);
        if !present.exists() {
            return path;
        }
        common.note(&format!("`{}` is not in `{}`: the present file is used", inside.display(), self.name));
        present
    }

    /// The path of a file of the revision, by its name in the repository: templates beside it are found by that.
    pub(super) fn path_of(&self, name: &str) -> String {
        let there = self.checkout.as_ref().and_then(|checkout| checkout.at(Path::new(name)));
        there.map_or_else(|| name.to_owned(), |path| path.to_string_lossy().into_owned())
    }

    /// A map for texts of the revision, which fills in the templates that it loads.
    ///
    /// # Errors
    /// The variables are wrong.
    pub(super) fn sources(&self, common: &Common) -> Result<SourceMap, CliError> {
        let vars: Result<Vec<PathBuf>, CliError> = common.vars.iter().map(|path| self.file(path, common)).collect();
        let sources = common.sources_of(self.settings.clone(), &vars?).map_err(|error| match error.placed {
            Some(problem) => self.shown(*problem),
            None => error,
        })?;
        Ok(match &self.checkout {
            Some(checkout) => sources.named_within(checkout.folder()),
            None => sources,
        })
    }

    /// The rules of config files, by their paths from the present folder. `None` if they do not compile, which has then been reported.
    ///
    /// # Errors
    /// The revision has no such file, or its variables are wrong.
    pub(super) fn rules(&self, configs: &[String], common: &Common) -> Result<Option<LoadedRules>, CliError> {
        let mut there = Vec::with_capacity(configs.len());
        for config in configs {
            there.push(match (&self.checkout, is_url(config)) {
                (Some(checkout), false) => match self.git.from_top(Path::new(config))? {
                    Some(path) => checkout.folder().join(path).to_string_lossy().into_owned(),
                    None => config.clone(),
                },
                _ => config.clone(),
            });
        }
        let mut files = paths::expand(&there).map_err(|error| self.named(error))?;
        files.dedup();
        let sources = self.sources(common)?;
        if let Some(file) = files.iter().find(|file| !is_url(file) && !Path::new(file).exists()) {
            let help = "check the path: that of a config file which was added later is not there";
            let shown = self.present(file)?;
            return Err(CliError::new(format!("`{shown}` is not in `{}`", self.name), help));
        }
        let inputs = Input::named(&files);
        let compiled = tpv_compiler::compile_inputs(&inputs, sources, &tpv_compiler::CompileOptions::default());
        if compiled.rules.is_none() || common.verbose > 0 {
            common.show(&compiled.diagnostics, &compiled.sources);
        }
        let origin = Some((compiled.config, compiled.sources));
        Ok(compiled.rules.map(|rules| LoadedRules { rules: Arc::new(rules), origin }))
    }

    /// An error with the names of files as they are in the repository.
    fn named(&self, mut error: CliError) -> CliError {
        if let Some(checkout) = &self.checkout {
            let folder = format!("{}/", checkout.folder().display());
            let messages = error.placed.iter_mut().map(|problem| &mut problem.diagnostic.message);
            messages.chain([&mut error.message]).for_each(|message| *message = message.replace(&folder, ""));
        }
        error
    }

    /// A problem in a file of the revision, with its name in the repository.
    fn shown(&self, mut problem: Problem) -> CliError {
        if let Some(checkout) = &self.checkout {
            problem.diagnostic.notes.push(format!("in the files of `{}`", self.name));
            problem.sources.name_within(checkout.folder());
        }
        self.named(problem.into())
    }
}
