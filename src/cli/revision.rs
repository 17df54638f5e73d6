//! The site as a revision of git has it: its settings, variables and templates.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::common::Common;
use super::error::CliError;
use super::paths;
use super::rules::LoadedRules;
use tpv_analysis::diff::revision::Revision;
use tpv_analysis::git::checkout::Checkout;
use tpv_analysis::git::{self, Repository};
use tpv_config::lock::Lock;
use tpv_config::template::{Remotes, StoodIn, Templates};
use tpv_config::{ConfigTexts, Input};
use tpv_maps::history;
use tpv_settings::{FILE, Settings};
use tpv_text::diagnostic::Problem;
use tpv_text::figures::count;
use tpv_text::source::{SourceMap, is_url};

/// The site of a revision, or as it is now.
pub(super) struct AtRevision {
    name: String,
    git: Repository,
    /// The files of the revision. `None` for the working tree.
    checkout: Option<Checkout>,
    /// The settings as they are now.
    present: Settings,
    /// The settings. Paths of the repository lead to the files of the revision.
    settings: Settings,
    /// The place of the present settings in the checkout, if the revision has none of its own.
    copied: Option<PathBuf>,
    /// The files that a revision lacks, with what is used in their place, and the revisions so far that do.
    lacking: RefCell<BTreeMap<(PathBuf, &'static str), BTreeSet<String>>>,
}

impl AtRevision {
    /// The site of a revision: with its own `tpvc.toml`, or with the present one if it has none. `names_files` if the command line names the config
    /// files, so that the settings' own do not count.
    ///
    /// # Errors
    /// Git's, or the settings are wrong.
    pub(super) fn of(revision: &Revision, names_files: bool, common: &Common) -> Result<Self, CliError> {
        let (git, checkout) = (Repository::new(Path::new(".")), revision.checkout()?);
        let mut site = Self::new(&revision.name, git, checkout, common.settings()?);
        site.read(names_files, common)?;
        site.report(common);
        Ok(site)
    }

    /// Says which files the revision lacks.
    fn report(&self, common: &Common) {
        let lacking: Vec<String> =
            self.lacking.take().into_keys().map(|(path, _)| format!("`{}`", path.display())).collect();
        if !lacking.is_empty() {
            let present = if lacking.len() == 1 { "the present file is used" } else { "the present files are used" };
            common.note(&format!("`{}` lacks {}: {present}", self.name, lacking.join(", ")));
        }
    }

    fn new(name: &str, git: Repository, checkout: Option<Checkout>, present: Settings) -> Self {
        let (name, settings) = (name.to_owned(), present.clone());
        Self { name, git, checkout, present, settings, copied: None, lacking: RefCell::default() }
    }

    /// Turns to another revision: its files, settings and variables.
    ///
    /// # Errors
    /// Git's. The inner error is that of the settings.
    fn turn_to(
        &mut self,
        name: &str,
        tree: &str,
        names_files: bool,
        common: &Common,
    ) -> Result<Result<(), CliError>, git::Error> {
        name.clone_into(&mut self.name);
        // Its name may be that of a file or folder of the other revision.
        if let Some(copied) = self.copied.take() {
            let _ = std::fs::remove_file(copied);
        }
        self.checkout.as_mut().map_or(Ok(()), |checkout| checkout.turn_to(tree))?;
        Ok(self.read(names_files, common))
    }

    /// Reads the settings of the revision.
    fn read(&mut self, names_files: bool, common: &Common) -> Result<(), CliError> {
        self.settings = self.present.clone();
        let at = match (&self.checkout, &self.present.path) {
            (Some(checkout), Some(path)) => {
                self.in_repository(path).map(|from_top| (path, checkout.folder().join(&from_top), from_top))
            }
            _ => None,
        };
        // Settings of the home directory, or above the repository, are the same for all revisions.
        let Some((path, there, from_top)) = at else {
            self.place_settings();
            return Ok(());
        };
        if !there.exists() {
            let (vars, tpv) = (&self.present.site.vars, &self.present.tpv);
            let counts =
                !names_files || (common.vars.is_empty() && !vars.is_empty()) || (common.tpv.is_none() && tpv.is_some());
            if counts {
                self.lacks(&from_top, "the present settings are used");
            }
            let copied =
                std::fs::create_dir_all(there.parent().unwrap_or(&there)).and_then(|()| std::fs::copy(path, &there));
            copied.map_err(|error| CliError::unwritable("the settings", &error, &there))?;
            self.copied = Some(there.clone());
        }
        self.settings =
            Settings::of_file(&there, common.environment.as_deref()).map_err(|problem| self.shown(problem))?;
        let vars = std::mem::take(&mut self.settings.site.vars);
        self.settings.site.vars = vars.into_iter().map(|path| self.or_present(path)).collect();
        self.settings.site.remotes = self.settings.site.remotes.at(|path| {
            let shown = self.checkout.as_ref().and_then(|checkout| path.strip_prefix(checkout.folder()).ok());
            (self.copy(path.to_owned()), shown.unwrap_or(path).to_owned())
        });
        self.settings.site.remotes = self.settings.site.remotes.locked(self.lock());
        self.settings.site.within = self.checkout.as_ref().map(|checkout| checkout.folder().to_owned());
        Ok(())
    }

    /// The lock of the revision, or the present one if it has none. Its cache may lack texts that the present one has: a digest has one text.
    fn lock(&self) -> Option<Arc<Lock>> {
        let present = self.present.site.remotes.lock();
        match (self.settings.site.remotes.lock(), &self.checkout) {
            (Some(lock), Some(checkout)) => {
                let inside = lock.path.strip_prefix(checkout.folder()).unwrap_or(&lock.path).to_owned();
                let present = present.map(|present| &**present);
                Some(Arc::new(Lock::clone(lock).beside(&inside, present)))
            }
            (Some(lock), None) => Some(lock.clone()),
            (None, _) => {
                let inside = present.and_then(|present| self.in_repository(&present.path));
                inside.iter().for_each(|inside| self.lacks(inside, "the present lock is used"));
                present.cloned()
            }
        }
    }

    /// Leads the paths of settings that are the same for all revisions to the files of this one.
    fn place_settings(&mut self) {
        let Some(checkout) = &self.checkout else { return };
        let folder = checkout.folder().to_owned();
        let mut site = std::mem::take(&mut self.settings.site);
        site.vars = site.vars.iter().map(|path| self.file(path)).collect();
        site.remotes = site.remotes.at(|path| (self.file(path), path.to_owned()));
        for name in site.templates.iter_mut().flatten() {
            if let Some(path) = self.in_repository(Path::new(name)) {
                *name = folder.join(path).to_string_lossy().into_owned();
            }
        }
        // Of a project that holds the repository, templates of the revision read the revision's files.
        let holds = |root: &PathBuf| {
            let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
            self.git.top().is_ok_and(|top| root.canonicalize().is_ok_and(|root| top.starts_with(root)))
        };
        if site.root.as_ref().is_some_and(holds) {
            site.root = Some(folder.clone());
        }
        site.within = Some(folder);
        self.settings.site = site;
    }

    /// A path as one from the top of the repository. `None` if it leads out of it, or the repository has no working tree.
    fn in_repository(&self, path: &Path) -> Option<PathBuf> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.git.from_top(&path).ok().flatten()
    }

    /// Notes that the revision lacks a file.
    fn lacks(&self, path: &Path, used: &'static str) {
        let mut lacking = self.lacking.borrow_mut();
        lacking.entry((path.to_owned(), used)).or_default().insert(self.name.clone());
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

    /// A path of the revision's folder, or of the repository, as one from the present folder.
    fn present<'a>(&self, file: &'a str) -> Result<Cow<'a, str>, CliError> {
        if is_url(file) {
            return Ok(Cow::Borrowed(file));
        }
        let path = std::path::absolute(file).unwrap_or_else(|_| file.into());
        let inside = match self.checkout.as_ref().and_then(|checkout| path.strip_prefix(checkout.folder()).ok()) {
            Some(inside) => Some(inside.to_owned()),
            // Settings above the repository name its files as those of a folder.
            None if file.starts_with("..") || Path::new(file).is_absolute() => self.in_repository(&path),
            None => None,
        };
        let Some(inside) = inside else { return Ok(Cow::Borrowed(file)) };
        let here = self.git.from_top(Path::new("."))?.unwrap_or_default();
        let up: PathBuf = here.components().map(|_| "..").collect();
        let path = inside.strip_prefix(&here).map_or_else(|_| up.join(&inside), Path::to_owned);
        Ok(Cow::Owned(path.to_string_lossy().into_owned()))
    }

    /// The file that a path from the present folder names in the revision. A file that is not in it, such as one that git ignores, is the present one.
    fn file(&self, path: &Path) -> PathBuf {
        let inside = self.checkout.as_ref().and_then(|checkout| Some((checkout.folder(), self.in_repository(path)?)));
        inside.map_or_else(|| path.to_owned(), |(folder, path)| self.or_present(folder.join(path)))
    }

    /// A path of the revision's folder, or the present file if the revision has none there.
    fn or_present(&self, path: PathBuf) -> PathBuf {
        let inside = self.checkout.as_ref().and_then(|checkout| path.strip_prefix(checkout.folder()).ok());
        let (Some(inside), Ok(top), false) = (inside, self.git.top(), path.exists()) else { return path };
        let present = top.join(inside);
        if !present.exists() {
            return path;
        }
        self.lacks(inside, "the present file is used");
        present
    }

    /// The copies of what URLs give, as the revision has them.
    pub(super) fn remotes(&self) -> &Remotes {
        &self.settings.site.remotes
    }

    /// A copy of what a URL gives, by its path from the revision's folder: one outside of the repository is the same for all revisions.
    fn copy(&self, path: PathBuf) -> PathBuf {
        let inside = self.checkout.as_ref().and_then(|checkout| path.strip_prefix(checkout.folder()).ok());
        match (inside, self.git.top()) {
            (Some(inside), Ok(top)) if self.in_repository(&top.join(inside)).is_none() => top.join(inside),
            _ => self.or_present(path),
        }
    }

    /// The path of a file of the revision, by its name in the repository: templates beside it are found by that.
    pub(super) fn path_of(&self, name: &str) -> String {
        let there = self.checkout.as_ref().and_then(|checkout| checkout.at(Path::new(name)));
        there.map_or_else(|| name.to_owned(), |path| path.to_string_lossy().into_owned())
    }

    /// A map for texts of the revision, which fills in the templates that it loads, and the revision's version of TPV.
    ///
    /// # Errors
    /// The variables are wrong.
    pub(super) fn texts(&self, common: &Common) -> Result<ConfigTexts, CliError> {
        let vars = self.vars(common);
        self.report(common);
        let texts = common.texts_of(self.settings.clone(), &vars);
        let mut texts = texts.map_err(|error| self.placed(error))?;
        if let Some(checkout) = &self.checkout {
            texts.sources.name_within(checkout.folder());
        }
        Ok(texts)
    }

    /// The files of `--vars` as the revision has them.
    fn vars(&self, common: &Common) -> Vec<PathBuf> {
        common.vars.iter().map(|path| self.file(path)).collect()
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
        let texts = self.texts(common)?;
        if let Some(file) = files.iter().find(|file| !is_url(file) && !Path::new(file).exists()) {
            let help = "check the path: that of a config file which was added later is not there";
            let shown = self.present(file)?;
            return Err(CliError::new(format!("`{shown}` is not in `{}`", self.name), help));
        }
        let inputs = Input::named(&files);
        let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
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

    /// An error, with the names of files as they are in the repository if it has a place in one.
    fn placed(&self, error: CliError) -> CliError {
        match error.placed {
            Some(problem) => self.shown(*problem),
            None => error,
        }
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

/// The commits of a repository, each with its own site, for `tpvc maps`.
pub(super) struct History<'a> {
    site: AtRevision,
    common: &'a Common,
    /// `true` if the command line names the config files.
    names_files: bool,
    /// The templates of the present commit.
    templates: Option<Arc<Templates>>,
    /// The variables without a value of the commits so far.
    stood_in: BTreeMap<String, StoodIn>,
    /// The files besides configs that made a difference so far, from the top of the repository.
    watched: BTreeSet<PathBuf>,
}

impl<'a> History<'a> {
    /// The history of the repository in or above a folder, with the settings that are there.
    ///
    /// # Errors
    /// Git's, or the settings are wrong.
    pub(super) fn of(folder: &Path, names_files: bool, common: &'a Common) -> Result<Self, CliError> {
        let (settings, git) = (common.settings_in(folder)?, Repository::new(folder));
        if settings.files.is_empty() && !names_files {
            let help = format!("name config files behind `--`, or list them as `files = [...]` in `{FILE}`");
            return Err(CliError::misuse(format!("no config files of `{}` are named", folder.display()), help));
        }
        let checkout = Checkout::empty(&git)?;
        let site = AtRevision::new("", git, Some(checkout), settings);
        let watched = site.present.path.iter().filter_map(|path| site.in_repository(path)).collect();
        Ok(Self { site, common, names_files, templates: None, stood_in: BTreeMap::new(), watched })
    }

    /// Takes up what the present commit's templates did.
    fn leave(&mut self) {
        let Some(templates) = self.templates.take() else { return };
        for (name, stood_in) in templates.stood_in() {
            self.stood_in.entry(name).or_insert(stood_in);
        }
        let folder = self.site.checkout.as_ref().map(Checkout::folder).unwrap_or(Path::new(""));
        let folders = [folder.to_owned(), folder.canonicalize().unwrap_or_default()];
        for path in templates.files() {
            let from_top = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
            self.watched.extend(from_top.map(Path::to_owned));
        }
    }

    /// Says which files and variables commits lacked.
    pub(super) fn report(mut self) {
        self.leave();
        self.common.show_copies(std::iter::once(&self.site.present.site.remotes));
        for ((path, used), names) in self.site.lacking.take() {
            let commits = count(names.len() as u64, "commit");
            self.common.note(&format!("`{}` is not in {commits}: {used}", path.display()));
        }
        self.common.show_stood_in(&[self.stood_in]);
    }
}

impl history::Site for History<'_> {
    fn turn_to(&mut self, commit: &str, tree: &str) -> Result<Result<(), String>, tpv_maps::Error> {
        self.leave();
        let turned = self.site.turn_to(commit, tree, self.names_files, self.common)?;
        Ok(turned.map_err(|error| in_a_line(&error)))
    }

    fn configs(&self) -> Result<Vec<String>, String> {
        self.site.configs().map_err(|error| in_a_line(&error))
    }

    fn texts(&mut self) -> Result<ConfigTexts, String> {
        let vars = self.site.vars(self.common);
        let found = self.common.templates_of(self.site.settings.clone(), &vars);
        let (templates, version) = found.map_err(|error| in_a_line(&self.site.placed(error)))?;
        self.templates = Some(templates.clone());
        let folder = self.site.checkout.as_ref().map(Checkout::folder);
        let sources = folder.map_or_else(SourceMap::new, |folder| SourceMap::filling(templates).named_within(folder));
        Ok(ConfigTexts { sources, version })
    }

    fn urls(&self) -> SourceMap {
        SourceMap::filling(Arc::new(self.site.present.site.remotes.clone()))
    }

    fn path_of(&self, file: &str) -> String {
        self.site.path_of(file)
    }

    fn watched(&mut self) -> BTreeSet<PathBuf> {
        self.leave();
        self.watched.clone()
    }
}

/// An error in one line, with its place.
fn in_a_line(error: &CliError) -> String {
    let place = error.placed.as_ref().and_then(|problem| {
        let label = problem.diagnostic.primary.as_ref()?;
        Some(problem.sources.locate(label.span))
    });
    place.map_or_else(|| error.message.clone(), |place| format!("{place}: {}", error.message))
}
