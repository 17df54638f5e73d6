//! The history of a config: each commit of a git repository that touches it, compiled.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Error;
pub use tpv_analysis::git::Commit;
use tpv_analysis::git::Repository;
pub use tpv_analysis::git::config::{self, Part, given, is_given, parts, quoted, read};
use tpv_compiler::config::Input;
use tpv_compiler::diagnostic::Severity;
use tpv_compiler::source::SourceMap;
use tpv_compiler::{CompileOptions, compile_inputs, parallel};

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

/// The rule sets of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The rule sets, by their oldest commits.
    pub rule_sets: Vec<RuleSet>,
    /// The commits without rules.
    pub broken: Vec<Broken>,
}

/// Compiles the config at each commit that touches its files, up to the present commit.
///
/// `configs` are pathspecs of git, relative to `repository`, URLs and paths outside of it, later over earlier; the files that one pathspec names are merged in the
/// order of their names, and of a folder those are taken that end in `.yml` or `.yaml`. URLs and files outside are read once and are the same for
/// each commit. `since` is a commit, which is left out with all that it builds on, or a date. `keep` takes each artifact
/// once and says what it is kept as: artifacts that are kept as the same are one rule set. `told` hears how many of how many configs that
/// differ are compiled.
///
/// # Errors
/// Git fails, no commit touches the files, a URL cannot be fetched, or an error of `keep`. A commit that does not compile is no error.
pub fn compile(
    repository: &Path,
    since: Option<&str>,
    configs: &[String],
    mut keep: impl FnMut(&[u8]) -> Result<String, Error>,
    mut told: impl FnMut(usize, usize),
) -> Result<History, Error> {
    let git = Repository::new(repository);
    let (commits, sets) = commits(&git, repository, since, configs)?;
    let given = given(&git, configs)?;
    let mut numbers = HashMap::new();
    let mut distinct: Vec<&Vec<Part>> = Vec::new();
    for set in &sets {
        if let Entry::Vacant(entry) = numbers.entry(set) {
            entry.insert(distinct.len());
            distinct.push(set);
        }
    }
    let mut blobs = git.blobs()?;
    let mut outcomes: Vec<Result<String, String>> = Vec::with_capacity(distinct.len());
    let at_once = std::thread::available_parallelism().map_or(1, usize::from) * 2;
    let mut texts = HashMap::new();
    for some in distinct.chunks(at_once) {
        told(outcomes.len(), distinct.len());
        let inputs = read(some, &given, &mut blobs, &mut texts)?;
        for compiled in parallel::map(&inputs, |input| compile_one(input.as_ref().map_err(Clone::clone)?)) {
            outcomes.push(match compiled {
                Ok(bytes) => Ok(keep(&bytes)?),
                Err(error) => Err(error),
            });
        }
    }
    told(outcomes.len(), distinct.len());
    Ok(grouped(commits, sets.iter().filter_map(|set| outcomes.get(*numbers.get(set)?))))
}

/// The most searches for commits that touch what links led to in the commits found before.
const MOST_ROUNDS: usize = 20;

/// The commits, oldest first, and of each what its config is made of.
fn commits(
    git: &Repository,
    repository: &Path,
    since: Option<&str>,
    configs: &[String],
) -> Result<(Vec<Commit>, Vec<Vec<Part>>), Error> {
    config::check_paths(git, configs)?;
    let mut named: Vec<String> = Vec::new();
    for config in configs {
        if !is_given(git, config)? {
            named.push(config.clone());
        }
    }
    let touching = |trail: &BTreeSet<String>| {
        let linked = trail.iter().map(|path| format!(":(top,literal){path}"));
        let paths: Vec<String> = named.iter().cloned().chain(linked).collect();
        git.commits(since, &paths.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let mut commits = touching(&BTreeSet::new())?;
    // Git does not follow links: what they lead to is asked for by name, and what that was in earlier commits, too.
    let mut trail = parts(git, &[&git.tree("HEAD")?], configs)?.trail;
    let mut rounds = 0;
    loop {
        if !trail.is_empty() {
            commits = touching(&trail)?;
        }
        if commits.is_empty() {
            let since = since.map_or_else(String::new, |since| format!(" since `{since}`"));
            return Err(Error::new(
                format!("no commit of `{}` touches {}{since}", repository.display(), quoted(&named)),
                "paths are relative to the repository; `--since` takes a date such as 2025-01-31, or a commit",
            ));
        }
        let trees: Vec<&str> = commits.iter().map(|(_, tree)| tree.as_str()).collect();
        let found = parts(git, &trees, configs)?;
        let before = trail.len();
        trail.extend(found.trail);
        rounds += 1;
        if trail.len() > before && rounds < MOST_ROUNDS {
            continue;
        }
        if !found.missing.is_empty() {
            return Err(Error::new(
                format!("no config file is at {} in any of the {} commits", quoted(&found.missing), commits.len()),
                "paths are relative to the repository, and symbolic links are followed within it",
            ));
        }
        return Ok((commits.into_iter().map(|(commit, _)| commit).collect(), found.sets));
    }
}

/// The artifact of a config, or its first error.
fn compile_one(texts: &[(String, Arc<str>)]) -> Result<Vec<u8>, String> {
    let mut sources = SourceMap::new();
    let inputs: Vec<Input> = texts.iter().map(|(name, text)| Input::Text(sources.add(name, text))).collect();
    let compiled = compile_inputs(&inputs, sources, &CompileOptions::default());
    if let Some(rules) = compiled.rules {
        if !rules.tables().pools.is_empty() {
            return Err("the config has resource pools, which admit jobs in the order of all of them".to_owned());
        }
        return rules.to_bytes().map_err(|error| error.to_string());
    }
    let first = compiled.diagnostics.iter().find(|one| one.severity == Severity::Error);
    Err(first.map_or_else(String::new, |error| match &error.primary {
        Some(label) => format!("{}: {}", compiled.sources.locate(label.span), error.message),
        None => error.message.clone(),
    }))
}

/// Puts commits with one artifact together.
fn grouped<'a>(commits: Vec<Commit>, outcomes: impl Iterator<Item = &'a Result<String, String>>) -> History {
    let mut history = History::default();
    let mut places = HashMap::new();
    for (commit, outcome) in commits.into_iter().zip(outcomes) {
        match outcome {
            Ok(digest) => {
                let place = *places.entry(digest).or_insert(history.rule_sets.len());
                match history.rule_sets.get_mut(place) {
                    Some(rule_set) => rule_set.commits.push(commit),
                    None => history.rule_sets.push(RuleSet { digest: digest.clone(), commits: vec![commit] }),
                }
            }
            Err(error) => history.broken.push(Broken { commit, error: error.clone() }),
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
            let history = compile(self.0.path(), since, &configs, keep, |done, all| last = (done, all))?;
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
        let of =
            |texts: [(&str, &str); 2]| compile_one(&texts.map(|(name, text)| (name.to_owned(), text.into()))).unwrap();
        let (in_order, reversed) = (of([("a.yml", ONE), ("b.yml", TWO)]), of([("b.yml", TWO), ("a.yml", ONE)]));
        assert!(in_order != reversed);
        assert!(artifact(&["a.yml", "b.yml"]) == in_order && artifact(&["b.yml", "a.yml"]) == reversed);
        assert!(artifact(&["*.yml"]) == in_order && artifact(&["b.yml", "*.yml"]) == reversed);
        assert!(artifact(&["."]) == in_order && artifact(&["*", ":!*.txt"]) == in_order);
        let a = compile_one(&[("a.yml".to_owned(), ONE.into())]).unwrap();
        assert!(artifact(&["*.yml", ":(exclude)b.yml"]) == a);
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
            compile(path, None, &configs, |_| Ok(String::new()), |_, _| {}).unwrap_err()
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
