//! The history of a config: each commit of a git repository that touches it, compiled.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Error;
use crate::store::Digest;
pub use tpv_analysis::git::Commit;
pub use tpv_analysis::git::config::{self, Part, given, is_given, parts, quoted, read};
use tpv_analysis::git::{Blobs, Repository};
use tpv_compiler::{CompileOptions, compile_inputs};
use tpv_config::{ConfigTexts, Input, unreadable};
use tpv_text::diagnostic::{Diagnostics, Severity};
use tpv_text::parallel;
use tpv_text::source::{SourceId, SourceMap};

/// An artifact, and the commits whose config compiles to it, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSet {
    /// The digest under which the artifact was kept.
    pub digest: String,
    /// The commits.
    pub commits: Vec<Commit>,
}

/// A commit whose config does not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The commit.
    pub commit: Commit,
    /// The first error, with its place.
    pub error: String,
}

/// A commit whose config is compiled without some of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lacking {
    /// The commit.
    pub commit: Commit,
    /// The config files that are named, and that the commit lacks.
    pub files: Vec<String>,
}

/// The rule sets of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The rule sets, by their oldest commits.
    pub rule_sets: Vec<RuleSet>,
    /// The commits without rules.
    pub broken: Vec<Broken>,
    /// The commits with rules of a part of the files. Files that are named today may have come later, or had other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<Lacking>,
}

/// The site of a repository: what the config of a commit is read with.
pub trait Site {
    /// Turns to a commit, by its name and the id of its tree.
    ///
    /// # Errors
    /// Git's. The inner error is that of the commit's settings, in words.
    fn turn_to(&mut self, commit: &str, tree: &str) -> Result<Result<(), String>, Error>;

    /// The config files that the commit's settings name, if the command names none.
    ///
    /// # Errors
    /// They name none, in words.
    fn configs(&self) -> Result<Vec<String>, String>;

    /// A map for the commit's texts, which fills its templates in, and the commit's version of TPV.
    ///
    /// # Errors
    /// The fault of its variables, in words.
    fn texts(&mut self) -> Result<ConfigTexts, String>;

    /// A map for the texts of URLs and files outside of the repository, which are the same for each commit.
    fn urls(&self) -> SourceMap {
        SourceMap::new()
    }

    /// The path under which a file of the commit can be read, by its path from the top of the repository.
    fn path_of(&self, file: &str) -> String;

    /// The files besides configs that made a difference so far, from the top of the repository.
    fn watched(&mut self) -> BTreeSet<PathBuf>;
}

/// A site without settings and variables.
pub struct Plain;

impl Site for Plain {
    fn turn_to(&mut self, _: &str, _: &str) -> Result<Result<(), String>, Error> {
        Ok(Ok(()))
    }

    fn configs(&self) -> Result<Vec<String>, String> {
        Err("no config files are named".to_owned())
    }

    fn texts(&mut self) -> Result<ConfigTexts, String> {
        Ok(ConfigTexts::default())
    }

    fn path_of(&self, file: &str) -> String {
        file.to_owned()
    }

    fn watched(&mut self) -> BTreeSet<PathBuf> {
        BTreeSet::new()
    }
}

/// Compiles the config at each commit that touches its files, up to the present commit.
///
/// `configs` are pathspecs of git, relative to `repository`, URLs and paths outside of it, later over earlier; the files that one pathspec names are merged in the
/// order of their names, and of a folder those are taken that end in `.yml` or `.yaml`. Without any, they are those that the site names at each
/// commit. URLs and files outside are read once and are the same for each commit. `since` is a commit, which is left out with all that it builds
/// on, or a date. `keep` takes each artifact once and says what it is kept as: artifacts that are kept as the same are one rule set. `told`
/// hears how many of how many commits with different files are compiled.
///
/// # Errors
/// Git fails, no commit touches the files, a URL cannot be fetched, or an error of `keep`. A commit that does not compile is no error.
pub fn compile(
    repository: &Path,
    since: Option<&str>,
    configs: &[String],
    site: &mut dyn Site,
    mut keep: impl FnMut(&[u8]) -> Result<String, Error>,
    mut told: impl FnMut(usize, usize),
) -> Result<History, Error> {
    let mut search = Search::new(repository, since, configs)?;
    // The texts of each tree's config, by their digest, and what each of these compiles to.
    let mut rendered: HashMap<String, Result<String, String>> = HashMap::new();
    let mut outcomes: HashMap<String, Result<String, String>> = HashMap::new();
    let at_once = std::thread::available_parallelism().map_or(1, usize::from) * 2;
    let (mut given, mut texts) = (HashMap::new(), HashMap::new());
    let mut rounds = 0;
    loop {
        let commits = search.commits(site)?;
        let mut seen = HashSet::new();
        let new = commits.iter().filter(|commit| !rendered.contains_key(&commit.tree) && seen.insert(&commit.tree));
        let new: Vec<&Found> = new.collect();
        let (mut done, all) = (rendered.len(), rendered.len() + new.len());
        for some in new.chunks(at_once) {
            told(done, all);
            let mut to_compile: Vec<(String, Ready)> = Vec::new();
            for commit in some {
                let ready = search.ready(commit, site, &mut given, &mut texts)?;
                let digest = ready.map(|ready| {
                    let digest = ready.digest();
                    if !outcomes.contains_key(&digest) && to_compile.iter().all(|(known, _)| *known != digest) {
                        to_compile.push((digest.clone(), ready));
                    }
                    digest
                });
                rendered.insert(commit.tree.clone(), digest);
            }
            let compiled = parallel::map(&to_compile, |(digest, ready)| (digest.clone(), compile_one(ready)));
            for (digest, compiled) in compiled {
                let outcome = match compiled {
                    Ok(bytes) => Ok(keep(&bytes)?),
                    Err(error) => Err(error),
                };
                outcomes.insert(digest, outcome);
            }
            done += some.len();
        }
        told(all, all);
        rounds += 1;
        // Commits that touch variables, or what templates read, are known when these were read.
        if search.watch(site.watched()) && rounds < MOST_ROUNDS {
            continue;
        }
        let outcome = |tree: &String| match rendered.get(tree) {
            Some(Ok(digest)) => outcomes.get(digest).cloned(),
            Some(Err(error)) => Some(Err(error.clone())),
            None => None,
        };
        let lacking = commits.iter().filter_map(|found| {
            let files = search.lacking.get(&found.tree).filter(|_| matches!(outcome(&found.tree), Some(Ok(_))))?;
            Some(Lacking { commit: found.commit.clone(), files: files.clone() })
        });
        let lacking = lacking.collect();
        let outcomes = commits.into_iter().filter_map(|found| Some((found.commit, outcome(&found.tree)?)));
        return Ok(History { lacking, ..grouped(outcomes) });
    }
}

/// The most searches for commits that touch what was read in the commits found before.
const MOST_ROUNDS: usize = 20;

/// A commit, and what its config is made of, or the fault of its settings.
struct Found {
    commit: Commit,
    tree: String,
    /// The config files that are named, and the parts of the config.
    config: Result<(Vec<String>, Vec<Part>), String>,
}

/// The search for the commits that make a difference.
struct Search<'a> {
    git: Repository,
    repository: &'a Path,
    since: Option<&'a str>,
    configs: &'a [String],
    blobs: Blobs,
    /// The pathspecs of which commits have to touch one.
    paths: BTreeSet<String>,
    /// The config files that a tree's settings name.
    named: HashMap<String, Result<Vec<String>, String>>,
    /// The parts of the config of a tree.
    parts: HashMap<String, Vec<Part>>,
    /// The config files that are named, and that a tree lacks.
    lacking: HashMap<String, Vec<String>>,
    /// The config files that the command names, or the settings of the last commit.
    wanted: Vec<String>,
    /// The config files that some tree has.
    present: BTreeSet<String>,
}

impl<'a> Search<'a> {
    fn new(repository: &'a Path, since: Option<&'a str>, configs: &'a [String]) -> Result<Self, Error> {
        let git = Repository::new(repository);
        if !configs.is_empty() {
            config::check_paths(&git, configs)?;
        }
        let blobs = git.blobs()?;
        let (named, parts, lacking, wanted) = (HashMap::new(), HashMap::new(), HashMap::new(), configs.to_owned());
        let (paths, present) = (BTreeSet::new(), BTreeSet::new());
        let mut search = Self { git, repository, since, configs, blobs, paths, named, parts, lacking, wanted, present };
        search.touch(configs)?;
        Ok(search)
    }

    /// Adds config files to what commits have to touch.
    fn touch(&mut self, configs: &[String]) -> Result<(), Error> {
        for config in configs {
            if !is_given(&self.git, config)? {
                self.paths.insert(config.clone());
            }
        }
        Ok(())
    }

    /// Adds files to what commits have to touch. Returns `true` if some are new.
    fn watch(&mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> bool {
        let before = self.paths.len();
        self.paths.extend(files.into_iter().map(|path| format!(":(top,literal){}", path.as_ref().display())));
        self.paths.len() > before
    }

    /// The commits, oldest first.
    fn commits(&mut self, site: &mut dyn Site) -> Result<Vec<Found>, Error> {
        // Git does not follow links: what they lead to is asked for by name, and what that was in earlier commits, too.
        // Of a repository without commits, git says so itself.
        let head = self.git.tree("HEAD").map_err(|error| self.git.commits(None, &[]).err().unwrap_or(error))?;
        self.look(&[("HEAD".to_owned(), head.clone())], site)?;
        self.watch(site.watched());
        if let Some(Ok(named)) = self.named.get(&head) {
            self.wanted.clone_from(named);
        }
        let mut rounds = 0;
        loop {
            let paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
            let commits = self.git.commits(self.since, &paths)?;
            if commits.is_empty() {
                return Err(self.nothing());
            }
            let trees: Vec<_> = commits.iter().map(|(commit, tree)| (commit.name(), tree.clone())).collect();
            rounds += 1;
            if self.look(&trees, site)? && rounds < MOST_ROUNDS {
                continue;
            }
            let missing = self.wanted.iter().filter(|config| !self.present.contains(*config)).cloned();
            let missing: Vec<String> = missing.collect();
            if !missing.is_empty() {
                return Err(Error::new(
                    format!("no config file is at {} in any of the {} commits", quoted(&missing), commits.len()),
                    "paths are relative to the repository, and symbolic links are followed within it",
                ));
            }
            let found = commits.into_iter().map(|(commit, tree)| {
                let parts = || self.parts.get(&tree).cloned().unwrap_or_default();
                let config = match self.named.get(&tree) {
                    Some(Err(error)) => Err(error.clone()),
                    Some(Ok(named)) => Ok((named.clone(), parts())),
                    None => Ok((self.configs.to_owned(), parts())),
                };
                Found { commit, tree, config }
            });
            return Ok(found.collect());
        }
    }

    /// The error if no commit touches the config.
    fn nothing(&self) -> Error {
        let since = self.since.map_or_else(String::new, |since| format!(" since `{since}`"));
        let named: Vec<String> = match self.configs {
            [] => self.paths.iter().filter(|path| !path.starts_with(':')).cloned().collect(),
            configs => configs.iter().filter(|config| self.paths.contains(*config)).cloned().collect(),
        };
        Error::new(
            format!("no commit of `{}` touches {}{since}", self.repository.display(), quoted(&named)),
            "paths are relative to the repository; `--since` takes a date such as 2025-01-31, or a commit",
        )
    }

    /// Finds the parts of the config in trees, each with the name of its commit. Returns `true` if commits have to touch more.
    fn look(&mut self, trees: &[(String, String)], site: &mut dyn Site) -> Result<bool, Error> {
        let before = self.paths.len();
        let mut groups: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
        for (name, tree) in trees.iter().filter(|(_, tree)| !self.parts.contains_key(tree)) {
            if !self.configs.is_empty() {
                groups.entry(self.configs.to_owned()).or_default().push(tree);
                continue;
            }
            if !self.named.contains_key(tree) {
                let named = site.turn_to(name, tree)?.and_then(|()| site.configs());
                self.named.insert(tree.clone(), named);
            }
            if let Some(Ok(named)) = self.named.get(tree) {
                groups.entry(named.clone()).or_default().push(tree);
            }
        }
        for (configs, trees) in groups {
            self.touch(&configs)?;
            let found = parts(&self.git, &trees, &configs)?;
            self.watch(found.trail);
            let lacking = trees.iter().zip(found.lacking).filter(|(_, lacking)| !lacking.is_empty());
            self.lacking.extend(lacking.map(|(tree, lacking)| ((*tree).to_owned(), lacking)));
            self.parts.extend(trees.into_iter().map(str::to_owned).zip(found.sets));
            // A file may be there in some commits only.
            self.present.extend(configs.into_iter().filter(|config| !found.missing.contains(config)));
        }
        Ok(self.paths.len() > before)
    }

    /// The texts of a commit's config, with its templates filled in. The inner error is the commit's own.
    fn ready(
        &mut self,
        found: &Found,
        site: &mut dyn Site,
        given: &mut HashMap<Vec<String>, Vec<(String, Arc<str>)>>,
        texts: &mut HashMap<String, Result<Arc<str>, String>>,
    ) -> Result<Result<Ready, String>, Error> {
        let (configs, set) = match &found.config {
            Ok(config) => config,
            Err(error) => return Ok(Err(error.clone())),
        };
        let given = match given.entry(configs.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(config::given(&self.git, configs, site.urls())?),
        };
        let mut read = read(&[set], given, &mut self.blobs, texts)?;
        let files = match read.pop() {
            Some(Ok(files)) => files,
            Some(Err(error)) => return Ok(Err(error)),
            None => return Ok(Err(String::new())),
        };
        let turned = site.turn_to(&found.commit.name(), &found.tree)?;
        let ConfigTexts { mut sources, version } = match turned.and_then(|()| site.texts()) {
            Ok(texts) => texts,
            Err(error) => return Ok(Err(error)),
        };
        let (mut inputs, mut problems) = (Vec::new(), Diagnostics::new());
        for (file, text) in files {
            match sources.add_or_fill(&site.path_of(&file), &text) {
                Ok(id) => inputs.push(id),
                Err(error) => problems.push(unreadable(&file, &error, &mut sources)),
            }
        }
        Ok(if problems.has_errors() {
            Err(first_error(&problems, &sources))
        } else {
            Ok(Ready { texts: ConfigTexts { sources, version }, inputs })
        })
    }
}

/// The texts of a config, ready to be compiled.
struct Ready {
    texts: ConfigTexts,
    inputs: Vec<SourceId>,
}

impl Ready {
    /// A digest of all that the artifact depends on.
    fn digest(&self) -> String {
        let mut all = self.texts.version.to_string().into_bytes();
        for source in self.inputs.iter().filter_map(|id| self.texts.sources.get(*id)) {
            let (written, _) = source.written(0..0);
            for text in [&source.name, &source.text, &written.text] {
                all.extend(text.len().to_le_bytes());
                all.extend(text.as_bytes());
            }
        }
        Digest::of(&all).as_str().to_owned()
    }
}

/// The artifact of a config, or its first error.
fn compile_one(ready: &Ready) -> Result<Vec<u8>, String> {
    let inputs: Vec<Input> = ready.inputs.iter().map(|id| Input::Text(*id)).collect();
    let compiled = compile_inputs(&inputs, ready.texts.clone(), &CompileOptions::default());
    if let Some(rules) = compiled.rules {
        if !rules.tables().pools.is_empty() {
            return Err("the config has resource pools, which admit jobs in the order of all of them".to_owned());
        }
        return rules.to_bytes().map_err(|error| error.to_string());
    }
    Err(first_error(&compiled.diagnostics, &compiled.sources))
}

/// The first error, with its place.
fn first_error(problems: &Diagnostics, sources: &SourceMap) -> String {
    let first = problems.iter().find(|one| one.severity == Severity::Error);
    first.map_or_else(String::new, |error| match &error.primary {
        Some(label) => format!("{}: {}", sources.locate(label.span), error.message),
        None => error.message.clone(),
    })
}

/// Puts commits with one artifact together.
fn grouped(commits: impl Iterator<Item = (Commit, Result<String, String>)>) -> History {
    let mut history = History::default();
    let mut places = HashMap::new();
    for (commit, outcome) in commits {
        match outcome {
            Ok(digest) => {
                let place = *places.entry(digest.clone()).or_insert(history.rule_sets.len());
                match history.rule_sets.get_mut(place) {
                    Some(rule_set) => rule_set.commits.push(commit),
                    None => history.rule_sets.push(RuleSet { digest, commits: vec![commit] }),
                }
            }
            Err(error) => history.broken.push(Broken { commit, error }),
        }
    }
    history
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use std::process::Command;

    use tpv_runtime::artifact::Rules;

    use super::*;
    use crate::store::Digest;

    /// A repository in a folder of its own, without the user's settings.
    struct Repo(tempfile::TempDir, u64);

    impl Repo {
        fn new() -> Self {
            let repo = Self(tempfile::tempdir().unwrap(), 0);
            repo.git(&["init", "-q", "-b", "main"]);
            repo
        }

        fn git(&self, arguments: &[&str]) -> String {
            let date = format!("2025-01-{:02}T12:00:00Z", self.1 + 1);
            let output = Command::new("git")
                .args(["-c", "user.name=jo", "-c", "user.email=jo@example.org", "-c", "commit.gpgsign=false"])
                .args(arguments)
                .current_dir(self.0.path())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_SYSTEM", "/dev/null")
                .env("GIT_COMMITTER_DATE", &date)
                .env("GIT_AUTHOR_DATE", &date)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        }

        /// Commits files with these texts; those without one are removed. Each commit is a day after the last.
        fn commit(&mut self, subject: &str, files: &[(&str, &str)]) -> String {
            for (name, text) in files {
                let path = self.0.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                if text.is_empty() { std::fs::remove_file(path).unwrap() } else { std::fs::write(path, text).unwrap() }
            }
            self.git(&["add", "-A"]);
            self.git(&["commit", "-q", "-m", subject]);
            self.1 += 1;
            self.git(&["rev-parse", "HEAD"])
        }

        /// The history, with the subjects of each rule set, the errors of broken commits by subject, and the artifacts.
        #[expect(clippy::type_complexity)]
        fn history(
            &self,
            since: Option<&str>,
            configs: &[&str],
        ) -> Result<(Vec<Vec<String>>, Vec<(String, String)>, HashMap<String, Vec<u8>>), Error> {
            let configs: Vec<String> = configs.iter().map(|config| (*config).to_owned()).collect();
            let mut kept = HashMap::new();
            let keep = |bytes: &[u8]| {
                let digest = Digest::of(bytes).as_str().to_owned();
                kept.insert(digest.clone(), bytes.to_owned());
                Ok(digest)
            };
            let mut last = (0, 0);
            let told = |done, all| last = (done, all);
            let history = compile(self.0.path(), since, &configs, &mut Plain, keep, told)?;
            assert_eq!(last.0, last.1);
            assert!(history.rule_sets.iter().all(|set| kept.contains_key(&set.digest)));
            let subjects = |set: RuleSet| set.commits.into_iter().map(|commit| commit.subject).collect();
            let broken = history.broken.into_iter().map(|broken| (broken.commit.subject, broken.error)).collect();
            Ok((history.rule_sets.into_iter().map(subjects).collect(), broken, kept))
        }
    }

    const ONE: &str = "tools:\n  bwa:\n    cores: 1\n";
    const TWO: &str = "tools:\n  bwa:\n    cores: 2\n";

    #[test]
    fn each_commit_is_compiled_and_equal_artifacts_are_one() {
        let mut repo = Repo::new();
        repo.commit("none of it", &[("README.md", "x")]);
        repo.commit("one", &[("tpv/a.yml", ONE)]);
        repo.commit("two", &[("tpv/a.yml", TWO)]);
        repo.commit("elsewhere", &[("README.md", "y")]);
        repo.commit("broken", &[("tpv/a.yml", "tools:\n  bwa:\n    cores: [1]\n")]);
        repo.commit("one again", &[("tpv/a.yml", ONE)]);
        repo.commit("gone", &[("tpv/a.yml", "")]);
        repo.commit("two again, and no text", &[("tpv/a.yml", TWO), ("tpv/notes.txt", "x")]);
        let (sets, broken, kept) = repo.history(None, &["tpv"]).unwrap();
        assert_eq!(sets, [vec!["one", "one again"], vec!["two", "two again, and no text"]]);
        assert_eq!(broken[0].0, "broken");
        assert!(broken[0].1.starts_with("tpv/a.yml:3:"), "{}", broken[0].1);
        assert_eq!(broken[1..], [("gone".to_owned(), "none of the files is there".to_owned())]);
        assert_eq!(kept.len(), 2);
        assert!(kept.values().all(|bytes| Rules::load(bytes).is_ok()));
        assert_eq!(repo.history(None, &["tpv/*.yml"]).unwrap().0, sets);
    }

    #[test]
    fn since_is_a_commit_or_a_date() {
        let mut repo = Repo::new();
        repo.commit("one", &[("a.yml", ONE)]);
        let second = repo.commit("two", &[("a.yml", TWO)]);
        repo.commit("three", &[("a.yml", ONE)]);
        repo.git(&["tag", "v2", &second]);
        for (since, expected) in [
            (None, vec![vec!["one", "three"], vec!["two"]]),
            (Some("2025-01-02"), vec![vec!["two"], vec!["three"]]),
            (Some(second.as_str()), vec![vec!["three"]]),
            (Some(&second[..8]), vec![vec!["three"]]),
            (Some("v2"), vec![vec!["three"]]),
        ] {
            assert_eq!(repo.history(since, &["a.yml"]).unwrap().0, expected, "{since:?}");
        }
        let error = repo.history(Some("2025-03-01"), &["a.yml"]).unwrap_err();
        let name = repo.0.path().display();
        assert_eq!(error.message, format!("no commit of `{name}` touches `a.yml` since `2025-03-01`"));
        assert!(repo.history(Some("--all"), &["a.yml"]).is_err());
    }

    #[test]
    fn commits_that_lack_a_named_file_are_named() {
        let mut repo = Repo::new();
        repo.commit("one file", &[("a.yml", ONE)]);
        repo.commit("both", &[("b.yml", TWO)]);
        let lacking = |configs: &[&str]| {
            let configs: Vec<String> = configs.iter().map(|config| (*config).to_owned()).collect();
            let keep = |bytes: &[u8]| Ok(Digest::of(bytes).as_str().to_owned());
            let history = compile(repo.0.path(), None, &configs, &mut Plain, keep, |_, _| ()).unwrap();
            assert_eq!((history.rule_sets.len(), history.broken.len()), (2, 0));
            history.lacking.into_iter().map(|lacking| (lacking.commit.subject, lacking.files)).collect::<Vec<_>>()
        };
        assert_eq!(lacking(&["a.yml", "b.yml"]), [("one file".to_owned(), vec!["b.yml".to_owned()])]);
        // A pattern names what is there.
        assert_eq!(lacking(&["a.yml", "b*.yml"]), []);
    }

    /// Settings of a later file win: the order is that of the arguments, and of names if one argument names several.
    #[test]
    fn files_are_merged_in_the_order_of_the_arguments() {
        let mut repo = Repo::new();
        repo.commit("both", &[("a.yml", ONE), ("b.yml", TWO), ("c.txt", "x")]);
        let artifact = |configs: &[&str]| {
            let (_, broken, kept) = repo.history(None, configs).unwrap();
            assert_eq!((broken, kept.len()), (vec![], 1), "{configs:?}");
            kept.into_values().next().unwrap()
        };
        let of = |texts: &[(&str, &str)]| {
            let mut read = ConfigTexts::default();
            let inputs = texts.iter().map(|(name, text)| read.sources.add(name, text)).collect();
            compile_one(&Ready { texts: read, inputs }).unwrap()
        };
        let (in_order, reversed) = (of(&[("a.yml", ONE), ("b.yml", TWO)]), of(&[("b.yml", TWO), ("a.yml", ONE)]));
        assert!(in_order != reversed);
        assert!(artifact(&["a.yml", "b.yml"]) == in_order && artifact(&["b.yml", "a.yml"]) == reversed);
        assert!(artifact(&["*.yml"]) == in_order && artifact(&["b.yml", "*.yml"]) == reversed);
        assert!(artifact(&["."]) == in_order && artifact(&["*", ":!*.txt"]) == in_order);
        assert!(artifact(&["*.yml", ":(exclude)b.yml"]) == of(&[("a.yml", ONE)]));
    }

    #[test]
    fn files_that_are_no_text_break_their_commit_alone() {
        let mut repo = Repo::new();
        repo.commit("one", &[("a.yml", ONE)]);
        std::fs::write(repo.0.path().join("a.yml"), b"tools: \xff\n").unwrap();
        repo.commit("no text", &[]);
        std::fs::remove_file(repo.0.path().join("a.yml")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("b.yml", repo.0.path().join("a.yml")).unwrap();
        repo.commit("a link", &[]);
        let (sets, broken, _) = repo.history(None, &["a.yml"]).unwrap();
        assert_eq!(sets, [["one"]]);
        let nowhere = "`a.yml` is not in the repository: `a.yml` is a symbolic link to `b.yml`, which is not there";
        let expected = [("no text", "`a.yml` is not UTF-8 text"), ("a link", nowhere)];
        assert_eq!(broken, expected.map(|(subject, error)| (subject.to_owned(), error.to_owned())));
    }

    /// Git stops at a link: a change of what it leads to touches other files, and what it led to before was other ones.
    #[test]
    #[cfg(unix)]
    fn what_links_lead_to_is_followed_through_the_history() {
        let mut repo = Repo::new();
        let link = |repo: &Repo, to: &str| {
            let _ = std::fs::remove_file(repo.0.path().join("env"));
            std::os::unix::fs::symlink(to, repo.0.path().join("env")).unwrap();
        };
        link(&repo, "old");
        repo.commit("one", &[("old/a.yml", ONE)]);
        repo.commit("two", &[("old/a.yml", TWO)]);
        repo.commit("nothing of it", &[("README.md", "x")]);
        link(&repo, "sites/new");
        repo.commit("one again", &[("sites/new/a.yml", ONE)]);
        repo.commit("gone", &[("sites/new/a.yml", "")]);
        for configs in ["env", "env/*.yml", "env/a.yml"] {
            let (sets, broken, _) = repo.history(None, &[configs]).unwrap();
            assert_eq!(sets, [vec!["one", "one again"], vec!["two"]], "{configs}");
            assert_eq!(broken.len(), 1, "{broken:?}");
            assert_eq!(broken[0].0, "gone");
        }
        let error = repo.history(None, &["env", "typo.yml"]).unwrap_err();
        assert_eq!(error.message, "no config file is at `typo.yml` in any of the 4 commits");
    }

    #[test]
    fn what_git_refuses_is_an_error_in_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path, configs: &[&str]| {
            let configs: Vec<String> = configs.iter().map(|config| (*config).to_owned()).collect();
            compile(path, None, &configs, &mut Plain, |_| Ok(String::new()), |_, _| {}).unwrap_err()
        };
        let found = error(folder.path(), &["a.yml"]);
        assert!(found.message.contains("not a git repository"), "{found}");
        assert!(found.help.contains("takes the folder of one with `--git`"), "{}", found.help);
        assert!(error(Path::new("/does/not/exist"), &["a.yml"]).message.contains("/does/not/exist"));
        assert_eq!(error(folder.path(), &[":!a.yml"]).message, "no file of the repository is named");
        let mut repo = Repo::new();
        assert!(error(repo.0.path(), &["a.yml"]).message.starts_with("git cannot read"), "no commit yet");
        repo.commit("one", &[("b.yml", ONE)]);
        assert!(error(repo.0.path(), &["a.yml"]).message.starts_with("no commit of"));
    }
}
