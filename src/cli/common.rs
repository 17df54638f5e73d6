//! Options of every verb, and what the program around the command line brings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{ArgAction, Args, ColorChoice};
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Cpython;

use super::error::CliError;
use super::tpv::Tpv;
use tpv_config::ConfigTexts;
use tpv_config::template::{Instead, Remotes, Site, StoodIn, Templates, Why};
use tpv_model::{Asked, Version};
use tpv_settings::{FILE, Settings};
use tpv_text::diagnostic::Diagnostic;
use tpv_text::figures::count;
use tpv_text::listed::counted;
use tpv_text::source::{SourceMap, redacted};

/// The heading of [`Common`] in the help of each verb, whose own options come first.
const COMMON: &str = "Options of all verbs";

/// Options of every verb.
#[derive(Args, Clone)]
pub(crate) struct Common {
    /// Print only results and errors
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = COMMON)]
    pub(crate) quiet: bool,
    /// Show what the rules log; twice for debug messages
    #[arg(long, short, global = true, action = ArgAction::Count, help_heading = COMMON)]
    pub(crate) verbose: u8,
    /// Use of colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = COMMON)]
    pub(crate) color: ColorChoice,
    /// Values for Jinja templates, YAML or JSON; repeat it for more, later over earlier [default: the vars of tpvc.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = COMMON)]
    pub(crate) vars: Vec<PathBuf>,
    /// The environment of tpvc.toml: a name under `[environments]` [default: the first]
    #[arg(long, global = true, value_name = "NAME", help_heading = COMMON)]
    pub(crate) environment: Option<String>,
    /// The version of TPV that configs are for, and whose answers to give: 1.4, 2.5, 3.0 to 3.3 or next [default: the tpv of tpvc.toml, else 3.3]
    #[arg(long, global = true, value_name = "VERSION", help_heading = COMMON)]
    pub(crate) tpv: Option<Tpv>,
    /// The host program's contribution.
    #[arg(skip)]
    pub(crate) host: Host,
    /// The templates that were read, for what is said of their placeholders.
    #[arg(skip)]
    pub(super) templates: Arc<Mutex<Vec<Arc<Templates>>>>,
    /// The differences between the versions that were asked for and those that answer; `None` if none was.
    #[arg(skip)]
    pub(super) differing: Arc<Mutex<Option<BTreeSet<String>>>>,
}

impl Common {
    /// The options with which another command takes configs as this one does.
    pub(super) fn arguments(&self) -> Vec<String> {
        let vars = self.vars.iter().map(|path| ("--vars", path.display().to_string()));
        let environment = self.environment.iter().map(|name| ("--environment", name.clone()));
        let tpv = match self.tpv {
            Some(Tpv::One(asked)) => Some(("--tpv", asked.to_string())),
            _ => None,
        };
        vars.chain(environment).chain(tpv).flat_map(|(option, value)| [option.to_owned(), value]).collect()
    }

    /// Refuses rules that were compiled for another version of TPV than the one asked for.
    ///
    /// # Errors
    /// They were.
    pub(crate) fn check_version(&self, rules: &Rules) -> Result<(), CliError> {
        let version = rules.tables().global.version;
        match self.tpv {
            None | Some(Tpv::Range(..)) => Ok(()),
            Some(Tpv::One(asked)) if self.answering(asked) == version => Ok(()),
            Some(Tpv::One(asked)) => Err(CliError::misuse(
                format!("the artifact has the rules of TPV {version}, not {asked}"),
                format!("compile the config again: `tpvc compile --tpv {asked} CONFIG... -o RULES`"),
            )),
        }
    }

    /// The settings of `tpvc.toml`.
    ///
    /// # Errors
    /// They are wrong, or have no such environment.
    pub(crate) fn settings(&self) -> Result<Settings, CliError> {
        self.checked(Settings::read(self.environment.as_deref())?)
    }

    /// The settings of `tpvc.toml` in a folder or above it.
    ///
    /// # Errors
    /// They are wrong, or have no such environment.
    pub(crate) fn settings_in(&self, folder: &Path) -> Result<Settings, CliError> {
        self.checked(Settings::read_in(folder, self.environment.as_deref())?)
    }

    /// Refuses an environment without settings.
    fn checked(&self, settings: Settings) -> Result<Settings, CliError> {
        match &self.environment {
            Some(name) if settings.path.is_none() => Err(CliError::misuse(
                format!("there is no environment `{name}`: no `{FILE}` was found"),
                "write one with `tpvc init`, or leave out `--environment`",
            )),
            _ => Ok(settings),
        }
    }

    /// A map for texts, which fills in the templates that it loads, and the version of TPV that is asked for.
    ///
    /// # Errors
    /// The settings or the variables are wrong.
    pub(crate) fn texts(&self) -> Result<ConfigTexts, CliError> {
        self.texts_of(self.needed()?, &self.vars)
    }

    /// As [`Self::texts`], with these settings, and the files of `--vars` as they are to be read.
    ///
    /// # Errors
    /// The variables are wrong.
    pub(crate) fn texts_of(&self, settings: Settings, vars: &[PathBuf]) -> Result<ConfigTexts, CliError> {
        let (templates, version) = self.templates_of(settings, vars)?;
        self.templates.lock().unwrap_or_else(PoisonError::into_inner).push(templates.clone());
        Ok(ConfigTexts { sources: SourceMap::filling(templates), version })
    }

    /// The templates of these settings, with the files of `--vars` as they are to be read, and the version of TPV. Of their placeholders nothing
    /// is said.
    ///
    /// # Errors
    /// The variables are wrong.
    pub(crate) fn templates_of(
        &self,
        settings: Settings,
        vars: &[PathBuf],
    ) -> Result<(Arc<Templates>, Version), CliError> {
        let (site, version) = self.site(settings, vars)?;
        Ok((Arc::new(Templates::new(site)?), version))
    }

    /// A map for texts of which only names are read, such as those of runners: any variable may have no value, without a word.
    ///
    /// # Errors
    /// The settings or the variables are wrong.
    pub(crate) fn sources_of_names(&self) -> Result<SourceMap, CliError> {
        let (mut site, _) = self.site(self.needed()?, &self.vars)?;
        site.placeholders = vec!["*".to_owned()];
        Ok(SourceMap::filling(Arc::new(Templates::new(site)?)))
    }

    /// The settings; wrong ones do not count if the command line says all that they say of local files. They name the texts of URLs besides: a wrong lock is
    /// an error.
    fn needed(&self) -> Result<Settings, CliError> {
        let is_known = !self.vars.is_empty() && self.tpv.is_some() && self.environment.is_none();
        self.settings().or_else(|error| {
            if !is_known {
                return Err(error);
            }
            Settings::check_lock()?;
            let what = "the settings do not count, nor do the copies of URLs that they name, nor the lock";
            self.note(&format!("{what}: {}", error.message));
            Ok(Settings::default())
        })
    }

    /// The variables and files of templates, and the version of TPV.
    fn site(&self, settings: Settings, vars: &[PathBuf]) -> Result<(Site, Version), CliError> {
        let mut site = settings.site;
        if !vars.is_empty() {
            vars.clone_into(&mut site.vars);
            site.values = None;
        }
        match self.tpv {
            None => Ok((site, settings.tpv.map_or_else(Version::default, |asked| self.answering(asked)))),
            Some(Tpv::One(asked)) => Ok((site, self.answering(asked))),
            Some(Tpv::Range(..)) => {
                let help = "write `--tpv 3.3`, or compare versions: `tpvc diff --tpv 3.2..3.3 CONFIG...`";
                Err(CliError::misuse("`--tpv` takes two versions only for `tpvc diff`", help))
            }
        }
    }

    /// The version that answers for the one that is asked for. What differs is shown at the end.
    pub(crate) fn answering(&self, asked: Asked) -> Version {
        let mut differing = self.differing.lock().unwrap_or_else(PoisonError::into_inner);
        differing.get_or_insert_default().extend(asked.differs());
        asked.version
    }

    /// Returns `true` if a version was asked for.
    pub(crate) fn is_version_given(&self) -> bool {
        self.differing.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Warns of versions that another one answers for, unless `--quiet`.
    pub(crate) fn show_versions(&self) {
        let differing = self.differing.lock().unwrap_or_else(PoisonError::into_inner);
        for text in differing.iter().flatten().filter(|_| !self.quiet) {
            self.print(&Diagnostic::warning(text.as_str()), &SourceMap::new(), "\n");
        }
    }

    /// Says which texts were read in place of those of URLs, and warns of the files of variables and, all at once, of variables of templates without a value, unless
    /// `--quiet`.
    pub(crate) fn show_templates(&self) {
        let templates = self.templates.lock().unwrap_or_else(PoisonError::into_inner);
        self.show_copies(templates.iter().map(|templates| templates.remotes()));
        let mut shown = BTreeSet::new();
        for (warnings, sources) in templates.iter().map(|templates| templates.warnings()) {
            for warning in warnings.iter().filter(|_| !self.quiet) {
                let place = warning.primary.as_ref().map(|label| sources.locate(label.span));
                if shown.insert((place, warning.message.clone())) {
                    self.print(warning, sources, "\n");
                }
            }
        }
        let all: Vec<_> = templates.iter().map(|templates| templates.stood_in()).collect();
        self.show_stood_in(&all);
    }

    /// Says which texts were read in place of those of URLs, unless `--quiet`.
    pub(crate) fn show_copies<'a>(&self, remotes: impl Iterator<Item = &'a Remotes>) {
        let read: BTreeSet<_> = remotes.flat_map(Remotes::used).collect();
        for (url, instead) in read {
            let url = redacted(&url);
            match instead {
                Instead::Copy(path) => self.note(&format!("`{url}` is read from `{}`, by `[remotes]`", path.display())),
                Instead::Locked(lock, day) => {
                    self.note(&format!("`{url}` is read as `{}` has it since {day}", lock.display()));
                }
                Instead::Fetched(lock) => self.note(&format!(
                    "`{url}` is fetched, because the cache of `{}` lacks its text, and is the same",
                    lock.display()
                )),
                Instead::Unlocked(lock) => self.note(&format!(
                    "`{url}` is fetched, because it is not in `{}`: `tpvc update` locks it",
                    lock.display()
                )),
            }
        }
    }

    /// Says which of these variables had no value, all at once, unless `--quiet`: on one line, and with `--verbose` by file.
    pub(crate) fn show_stood_in(&self, all: &[BTreeMap<String, StoodIn>]) {
        let Some(warning) = placeholders(all).filter(|_| !self.quiet) else { return };
        if self.verbose > 0 {
            self.print(&warning, &SourceMap::new(), "");
            return;
        }
        let names: BTreeSet<String> = all.iter().flatten().map(|(name, _)| format!("`{name}`")).collect();
        let names: Vec<String> = names.into_iter().collect();
        let shown = counted(&names, 2, "more");
        self.note(&format!("warning: {} ({shown}); `--verbose` lists them", warning.message));
    }
}

/// The warning about variables without a value. `None` if there are none.
fn placeholders(all: &[BTreeMap<String, StoodIn>]) -> Option<Diagnostic> {
    // One note a place, since a template mostly lacks several.
    let mut names: BTreeMap<&str, &StoodIn> = BTreeMap::new();
    all.iter().flatten().for_each(|(name, stood_in)| {
        names.entry(name).or_insert(stood_in);
    });
    let mut files: BTreeMap<(&str, Why), Vec<String>> = BTreeMap::new();
    for (name, StoodIn { why, places }) in &names {
        let (file, line) = places.first().map_or(("", None), |(file, line)| (file.as_str(), *line));
        let at = line.map_or_else(String::new, |line| format!(" (line {line})"));
        files.entry((file, *why)).or_default().push(format!("`{name}`{at}"));
    }
    let count = count(names.len() as u64, "variable");
    let has = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{count} of templates {has} no value here: placeholders stand in");
    let mut warning = Diagnostic::warning(message);
    for ((file, why), names) in files {
        let why = if why == Why::Vaulted { "encrypted" } else { "missing" };
        warning = warning.note(format!("{file}: {why}: {}", names.join(", ")));
    }
    let help = "what rules do with such a value is not checked; give one under `[variables]` in tpvc.toml";
    (!names.is_empty()).then(|| warning.help(help))
}

/// The contribution of the program around the command line: the Python package brings a Python.
#[derive(Clone, Default)]
pub struct Host {
    /// Runs what the native language does not cover.
    pub cpython: Option<Arc<dyn Cpython>>,
    /// Has CPython run a random half of all blocks, for tests.
    pub force_cpython: Option<u64>,
    /// The program shipped with maps instead of the running one.
    pub program: Option<Vec<u8>>,
    /// Set in the place of an error if `why` finds the job in no log, for a host that knows other places.
    pub is_unlogged: Option<Arc<AtomicBool>>,
}
