#![doc = include_str!("../README.md")]

mod job_conf_parts;
mod maps;
mod server;

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use tpv_analysis::lint::{Level, Severities};
use tpv_config::lock::{self, Lock};
use tpv_config::template::{Remotes, Site};
use tpv_model::{Asked, UnknownVersion};
use tpv_text::diagnostic::Diagnostic;
pub use tpv_text::diagnostic::Problem;
use tpv_text::plain_path::home;
use tpv_text::source::{Limits, SourceId, SourceMap, Span, is_url};
use tpv_text::suggest::{closest, did_you_mean};
use tpv_text::system_error;

use maps::MapsTable;
pub use server::ServerFiles;

/// The name of the file.
pub const FILE: &str = "tpvc.toml";

/// The help if something else has that name.
const OTHER: &str = "`tpvc.toml` is the name of tpvc's settings: rename what has it, or put a file in its place";

/// The settings. All paths are relative to the present folder, or absolute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The file that they come from. `None` if there is none.
    pub path: Option<PathBuf>,
    /// The config files in the order of merging: paths, patterns, folders and URLs.
    pub files: Vec<String>,
    /// The version of TPV that the config is for.
    pub tpv: Option<Asked>,
    /// The world file.
    pub world: Option<PathBuf>,
    /// The job file.
    pub jobs: Option<PathBuf>,
    /// The environment that was chosen. `None` if the file has none.
    pub environment: Option<String>,
    /// The names of all environments, in the order of the file.
    pub environments: Vec<String>,
    /// The folder of texts that `tpvc update` writes, from that of the file.
    pub cache: PathBuf,
    /// The variables and files of Jinja templates.
    pub site: Site,
    /// The severities of findings.
    pub severities: Severities,
    /// The baseline of findings.
    pub baseline: Option<PathBuf>,
    /// The files of test cases: paths, patterns and folders.
    pub tests: Vec<String>,
    /// The files that say what the Galaxy server has.
    pub server: ServerFiles,
    /// The settings of maps, without the environment's.
    maps: MapsTable,
}

/// The file, as it is written.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    files: Vec<String>,
    tpv: Option<Spanned<String>>,
    world: Option<PathBuf>,
    jobs: Option<PathBuf>,
    remotes: BTreeMap<Spanned<String>, PathBuf>,
    vars: Vec<PathBuf>,
    variables: toml::Table,
    placeholders: Vec<String>,
    templates: Option<Vec<String>>,
    environments: BTreeMap<Spanned<String>, Table<Environment>>,
    severity: BTreeMap<Spanned<String>, Level>,
    #[serde(deserialize_with = "table")]
    lock: LockTable,
    #[serde(deserialize_with = "table")]
    lint: Lint,
    #[serde(deserialize_with = "table")]
    test: Test,
    #[serde(deserialize_with = "table")]
    server: ServerFiles,
    #[serde(rename = "maps")]
    _maps: toml::Table,
}

/// A table of `[environments]`: settings in the place of the others, or with them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Environment {
    files: Option<Vec<String>>,
    tpv: Option<Spanned<String>>,
    world: Option<PathBuf>,
    jobs: Option<PathBuf>,
    vars: Vec<PathBuf>,
    variables: toml::Table,
    placeholders: Vec<String>,
    templates: Option<Vec<String>>,
    server: Option<Table<ServerFiles>>,
}

impl File {
    /// Puts an environment's settings over these: lists of files and paths replace, variables come later.
    fn overlay(&mut self, environment: Environment) {
        let Environment { files, tpv, world, jobs, vars, variables, placeholders, templates, server } = environment;
        self.files = files.unwrap_or_else(|| std::mem::take(&mut self.files));
        self.tpv = tpv.or_else(|| self.tpv.take());
        self.world = world.or_else(|| self.world.take());
        self.jobs = jobs.or_else(|| self.jobs.take());
        self.vars.extend(vars);
        self.variables.extend(variables);
        self.placeholders.extend(placeholders);
        if let Some(templates) = templates {
            self.templates.get_or_insert_default().extend(templates);
        }
        self.server = server.map_or_else(|| std::mem::take(&mut self.server), |Table(server)| server);
    }
}

/// A table as a structure, of which serde would take a list, too, as its fields in order.
fn table<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Reader(PhantomData))
}

/// A value of [`table`], for those within others.
struct Table<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        table(deserializer).map(Self)
    }
}

/// The table `[lock]`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LockTable {
    cache: Option<PathBuf>,
}

/// The table `[lint]`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Lint {
    baseline: Option<PathBuf>,
}

/// The table `[test]`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Test {
    files: Vec<String>,
}

impl Settings {
    /// The settings of the file that is found first, for an environment or the first one; those of no file if there is none.
    ///
    /// # Errors
    /// The file cannot be read, something in it is wrong, or it has no such environment.
    pub fn read(environment: Option<&str>) -> Result<Self, Problem> {
        Self::found().map_or_else(|| Ok(Self::default()), |path| Self::of_file(&path, environment))
    }

    /// Reads the lock beside the settings, whatever they say.
    ///
    /// # Errors
    /// It is wrong.
    pub fn check_lock() -> Result<(), Problem> {
        let folder = Self::found().and_then(|path| path.parent().map(Path::to_owned));
        folder.map_or(Ok(()), |folder| Lock::read(&folder.join(lock::FILE)).map(drop))
    }

    /// The file of the settings, in the present folder or above it.
    fn found() -> Option<PathBuf> {
        let present = std::env::current_dir().unwrap_or_default();
        let up = |levels: usize| std::iter::repeat_n(Component::ParentDir, levels).collect::<PathBuf>();
        let above = present.ancestors().enumerate().map(|(levels, _)| up(levels));
        first(above)
    }

    /// As [`Self::read`], from a folder in the place of the present one. All paths are absolute.
    ///
    /// # Errors
    /// The same.
    pub fn read_in(folder: &Path, environment: Option<&str>) -> Result<Self, Problem> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let found = first(folder.ancestors().map(Path::to_owned));
        found.map_or_else(|| Ok(Self::default()), |path| Self::of_file(&path, environment))
    }

    /// The settings of this file, for an environment or the first one.
    ///
    /// # Errors
    /// The file cannot be read, something in it is wrong, or it has no such environment.
    pub fn of_file(path: &Path, environment: Option<&str>) -> Result<Self, Problem> {
        let mut sources = SourceMap::new();
        let name = path.to_string_lossy();
        let unreadable = |why: &str, help: &str| {
            let mut sources = SourceMap::new();
            let place = Span::new(sources.add(&name, ""), 0, 0);
            let message = format!("the settings cannot be read from `{name}`: {why}");
            Problem::new(Diagnostic::error(message).at(place, "").help(help), sources)
        };
        // Its name was met, not given: nothing is waited for that is no file.
        let found = match path.metadata() {
            Ok(found) => found,
            Err(error) => return Err(unreadable(&system_error::reason(&error).0, OTHER)),
        };
        if !found.is_file() {
            return Err(unreadable(if found.is_dir() { "it is a folder" } else { "it isn't a file" }, OTHER));
        }
        let source = sources.load(&name, &Limits::default());
        let source = source.map_err(|error| unreadable(&error.to_string(), error.help()))?;
        let text = sources.get(source).map(|source| source.text.clone()).unwrap_or_default();
        let at = |diagnostic: Diagnostic, span: std::ops::Range<usize>| {
            diagnostic.at(Span::new(source, span.start, span.end), "")
        };
        let mut file: File = match toml::from_str(&text) {
            Ok(file) => file,
            Err(error) => return Err(Problem::new(misread(&error, source), sources)),
        };
        let environments = std::mem::take(&mut file.environments);
        let mut names: Vec<(usize, String)> =
            environments.keys().map(|name| (name.span().start, name.get_ref().clone())).collect();
        names.sort();
        let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
        let chosen = environments.into_iter().min_by_key(|(name, _)| match environment {
            Some(asked) => (name.get_ref() != asked, 0),
            None => (false, name.span().start),
        });
        let chosen = chosen.filter(|(name, _)| environment.is_none_or(|asked| name.get_ref() == asked));
        if let (None, Some(asked)) = (&chosen, environment) {
            let help = match closest(asked, names.iter().map(String::as_str)) {
                Some(near) => did_you_mean(near),
                None if names.is_empty() => {
                    "leave out `--environment`: the settings have no `[environments]`".to_owned()
                }
                None => format!("it has {}", names.join(", ")),
            };
            let diagnostic = Diagnostic::error(format!("`{name}` has no environment `{asked}`")).help(help);
            return Err(Problem::new(at(diagnostic, 0..0), sources));
        }
        let environment = chosen.map(|(name, Table(environment))| {
            file.overlay(environment);
            name.into_inner()
        });
        let mut severities = Severities::default();
        for (code, level) in &file.severity {
            if let Err((message, help)) = severities.set(code.get_ref(), *level) {
                let diagnostic = at(Diagnostic::error(message).help(help), code.span());
                return Err(Problem::new(diagnostic, sources));
            }
        }
        let tpv = match &file.tpv {
            None => None,
            Some(text) => Some(text.get_ref().parse().map_err(|error: UnknownVersion| {
                let diagnostic = Diagnostic::error(error.to_string()).help("write `tpv = \"3.3\"`");
                Problem::new(at(diagnostic, text.span()), sources.clone())
            })?),
        };
        if let Some((wrong, _)) = file.remotes.iter().find(|(url, _)| !is_url(url.get_ref())) {
            let message = format!("`{}` is no URL", wrong.get_ref());
            let diagnostic = Diagnostic::error(message).help("write `\"https://...\" = \"a/file.yml\"`");
            return Err(Problem::new(at(diagnostic, wrong.span()), sources));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let lock = Lock::read(&folder.join(lock::FILE))?.map(Arc::new);
        let beside = |path: PathBuf| beside(folder, path);
        let named = |name: String| {
            if is_url(&name) { name } else { beside(name.into()).to_string_lossy().into_owned() }
        };
        let site = Site {
            vars: file.vars.into_iter().map(beside).collect(),
            values: values(&file.variables).map(|values| (name.clone().into_owned(), values)),
            placeholders: file.placeholders,
            templates: file.templates.map(|templates| templates.into_iter().map(named).collect()),
            root: Some(folder.to_owned()),
            within: None,
            remotes: Remotes::new(
                file.remotes.into_iter().map(|(url, path)| (url.into_inner(), beside(path))).collect(),
            )
            .locked(lock),
        };
        Ok(Self {
            path: Some(path.to_owned()),
            files: file.files.into_iter().map(named).collect(),
            tpv,
            world: file.world.map(beside),
            jobs: file.jobs.map(beside),
            environment,
            environments: names,
            cache: at_home(file.lock.cache.unwrap_or_else(|| lock::CACHE.into())),
            site,
            severities,
            baseline: file.lint.baseline.map(beside),
            tests: file.test.files.into_iter().map(named).collect(),
            server: file.server.map(beside),
            maps: MapsTable { name: name.into_owned(), text, folder: folder.to_owned() },
        })
    }

    /// The settings of maps, of which the environment's variables come before the file's.
    ///
    /// # Errors
    /// A setting or a variable is wrong.
    pub fn maps(&self) -> Result<tpv_maps::settings::Settings, Problem> {
        self.maps.read()
    }
}

/// The table `[variables]` as JSON. `None` if it is empty.
fn values(variables: &toml::Table) -> Option<String> {
    (!variables.is_empty()).then(|| serde_json::to_string(variables).unwrap_or_default())
}

/// A path of the settings in this folder.
fn beside(folder: &Path, path: PathBuf) -> PathBuf {
    folder.join(at_home(path))
}

/// The error of a text that is not what the settings are.
fn misread(error: &toml::de::Error, source: SourceId) -> Diagnostic {
    let (message, help) = reworded(error.message());
    let span = error.span().unwrap_or(0..0);
    Diagnostic::error(message).help(help).at(Span::new(source, span.start, span.end), "")
}

/// A path whose `~` at the beginning is the home directory, as a shell reads it.
fn at_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

/// The file of the first of these folders that has one, or of the home directory.
fn first(folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let own = home().map(|home| home.join(".tpvc"));
    // Whatever has the name is meant, be it readable or not: rules that are left out without a word would be worse.
    folders.chain(own).map(|folder| folder.join(FILE)).find(|path| path.is_symlink() || path.exists())
}

/// The message of the reader of TOML in the user's words, and what to write.
fn reworded(message: &str) -> (String, String) {
    let message = message.lines().next().unwrap_or_default();
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let near = match names.split_first() {
        Some((wrong, known)) if message.starts_with("unknown ") => closest(wrong, known.iter().copied()),
        _ => None,
    };
    let words = message
        .replace("unknown field", "unknown setting")
        .replace("unknown variant", "unknown value")
        .replace("u64", "a whole number")
        .replace("wanted string or table", "expected a text")
        .replace("a sequence", "a list")
        .replace("sequence", "list")
        .replace("a map", "a table")
        .replace("path string", "a path");
    (words, near.map_or_else(|| "docs/settings.md lists the settings".to_owned(), did_you_mean))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use tpv_text::code::Code;

    use super::*;
    use tpv_text::render::Render;

    fn read(text: &str) -> Result<Settings, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, text).unwrap();
        let shown = |text: String| text.replace(&*folder.path().to_string_lossy(), "FOLDER");
        match Settings::of_file(&path, None) {
            Ok(mut settings) => {
                settings.files = settings.files.into_iter().map(shown).collect();
                Ok(settings)
            }
            Err(problem) => Err(shown(self::shown(problem))),
        }
    }

    fn shown(problem: Problem) -> String {
        problem.diagnostic.render(&problem.sources, false)
    }

    #[test]
    fn paths_are_beside_the_file_and_urls_are_not() {
        let text =
            "files = [\"https://gxy.io/tpv/db.yml\", \"rules/*.yml\", \"/etc/tpv.yml\"]\n[severity]\nT102 = \"off\"\n";
        let settings = read(text).unwrap();
        assert_eq!(settings.files, ["https://gxy.io/tpv/db.yml", "FOLDER/rules/*.yml", "/etc/tpv.yml"]);
        let mut severities = Severities::default();
        severities.set(Code::CoresWithoutMem.as_str(), Level::Off).unwrap();
        assert_eq!(settings.severities, severities);
    }

    #[test]
    fn maps_have_their_table() {
        let settings = read("[maps]\ndir = \"years\"\nengine = \"slurm\"\nmemory = 2000\n[maps.slurm]\nnice = 10\n");
        let maps = settings.unwrap().maps().unwrap();
        assert_eq!((maps.engine, maps.memory, maps.time), (Some(tpv_maps::engine::Kind::Slurm), Some(2000), None));
        assert!(maps.dir.is_some_and(|dir| dir.is_absolute() && dir.ends_with("years")));
        assert_eq!(maps.slurm["nice"].as_integer(), Some(10));
    }

    #[test]
    fn a_tilde_is_the_home_directory() {
        let home = home().unwrap();
        let text = "files = [\"~/tpv/*.yml\", \"~other/a.yml\"]\nworld = \"~/world.json\"\n\
                    [maps]\ndir = \"~/years\"\nprogram = \"~/bin/tpvc\"\n";
        let settings = read(text).unwrap();
        assert_eq!(settings.files, [home.join("tpv/*.yml").to_str().unwrap(), "FOLDER/~other/a.yml"]);
        assert_eq!(settings.world, Some(home.join("world.json")));
        let maps = settings.maps().unwrap();
        assert_eq!((maps.dir, maps.program), (Some(home.join("years")), Some(home.join("bin/tpvc"))));
    }

    #[test]
    fn a_wrong_setting_is_shown_in_its_place() {
        for (text, place, words) in [
            ("file = []\n", "tpvc.toml:1:1", "did you mean `files`?"),
            ("[lints]\n", "tpvc.toml:1:2", "did you mean `lint`?"),
            ("[lint]\nbase = 1\n", "tpvc.toml:2:1", "unknown setting `base`"),
            ("files = \"rules.yml\"\n", "tpvc.toml:1:9", "expected a list"),
            ("[severity]\nT102 = \"of\"\n", "tpvc.toml:2:8", "did you mean `off`?"),
            ("[severity]\nT1002 = \"off\"\n", "tpvc.toml:2:1", "unknown code `T1002`"),
            ("[severity]\nT102 = \"off\"\nT001 = \"warning\"\n", "tpvc.toml:3:1", "cannot be turned off"),
            ("[maps]\nengin = \"slurm\"\n", "tpvc.toml:2:1", "did you mean `engine`?"),
            ("[maps]\nengine = \"pbs\"\n", "tpvc.toml:2:10", "pbs"),
            ("[maps]\nmemory = \"2G\"\n", "tpvc.toml:2:10", "a whole number"),
            ("lint = [\"baseline.json\"]\n", "tpvc.toml:1:8", "invalid type: list, expected a table"),
            ("test = \"tests.yml\"\n", "tpvc.toml:1:8", "expected a table"),
            ("maps = []\n", "tpvc.toml:1:8", "expected a table"),
            ("[lock]\ncach = \"x\"\n", "tpvc.toml:2:1", "did you mean `cache`?"),
            ("[severity]\nT102 = true\n", "tpvc.toml:2:8", "expected a text"),
            ("[maps\n", "tpvc.toml:1:6", ""),
        ] {
            let error = read(text).and_then(|settings| settings.maps().map_err(shown)).unwrap_err();
            assert!(error.contains(place) && error.contains(words), "{error}");
        }
    }
}
