//! What is asked of git: commits, the files that they have, and texts. Its own plumbing is asked, whose output is for programs.
//!
//! [`mod@config`] makes configs of the files of a commit.

pub(crate) mod config;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use serde::{Deserialize, Serialize};

/// Why git could not do what it was asked, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The whole id.
    pub id: String,
    /// When it was committed, in ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// The most characters of a commit's name.
const MOST_NAME: usize = 72;

impl Commit {
    /// What tells it from others, and a person what it is: the beginning of the id, the date, and as much of the subject as fits.
    pub fn name(&self) -> String {
        let name = format!("{:.12} {:.10} {}", self.id, self.date, self.subject);
        name.chars().take(MOST_NAME).collect()
    }
}

/// A repository, or a folder in one, to which paths are relative.
pub(crate) struct Repository(PathBuf);

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct File {
    /// The path, from the top of the repository.
    pub(crate) path: String,
    /// The id of the text.
    pub(crate) blob: String,
    /// Whether it is a symbolic link, whose text is a path.
    pub(crate) is_link: bool,
}

impl Repository {
    pub(crate) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        // Of the user's settings, this one changes which commits are listed.
        command.arg("-C").arg(&self.0).args(["-c", "log.follow=false"]).args(arguments);
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // Git sets these for a hook, and with them asks the hook's repository, whatever folder is named.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// What a command prints that is given `input`.
    fn run(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Error> {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().map_err(|error| not_started(&error))?;
        // From another thread, since git may print more than a pipe holds before it has read all.
        let writer = child.stdin.take().map(|mut stdin| {
            let write = move || stdin.write_all(&input);
            thread::Builder::new().spawn(write).map_err(|error| not_started(&error))
        });
        let writer = writer.transpose().inspect_err(|_| {
            // Git ends by itself, since its input is closed.
            let _ = child.wait();
        })?;
        let output = child.wait_with_output().map_err(|error| not_started(&error))?;
        // Git may end without having read all: its status tells whether that is wrong.
        let _ = writer.map(thread::JoinHandle::join);
        if output.status.success() { Ok(output.stdout) } else { Err(self.refused(&output.stderr)) }
    }

    /// What git said when it did not do what it was asked.
    fn refused(&self, stderr: &[u8]) -> Error {
        let text = String::from_utf8_lossy(stderr);
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it ended without a word");
        let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        let repository = self.0.display();
        let help = if line.contains("dubious ownership") {
            format!("if you trust its owner: `git config --global --add safe.directory {repository}`")
        } else if line.contains("not a git repository") {
            "run it in a git repository; `tpvc maps create` takes the folder of one with `--git`".to_owned()
        } else {
            format!("try `git -C {repository} log -- PATHS`, which must work, too")
        };
        Error::new(format!("git cannot read `{repository}`: {line}"), help)
    }

    /// The commits up to the present one that touch one of these paths (pathspecs), oldest first, each with its tree: those after another
    /// commit, or since a date.
    pub(crate) fn commits(&self, since: Option<&str>, paths: &[&str]) -> Result<Vec<(Commit, String)>, Error> {
        let range = since.map(|since| self.range(since)).transpose()?;
        let mut arguments = vec!["log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--encoding=UTF-8"];
        arguments.push("--format=%H%x00%T%x00%cI%x00%s");
        arguments.extend(range.as_deref());
        arguments.push("--");
        arguments.extend(paths);
        let output = self.run(&arguments, Vec::new())?;
        let text = String::from_utf8_lossy(&output);
        let mut fields = text.split('\0').map(str::to_owned);
        let mut commits = Vec::new();
        while let (Some(id), Some(tree), Some(date), Some(subject)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        {
            commits.push((Commit { id, date, subject }, tree));
        }
        Ok(commits)
    }

    /// The argument that leaves out what came before: a commit, or a date in any form that git reads.
    fn range(&self, since: &str) -> Result<String, Error> {
        let commit = format!("{since}^{{commit}}");
        let found = self.command(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).output();
        let found = found.map_err(|error| not_started(&error))?;
        let id = String::from_utf8_lossy(&found.stdout);
        if found.status.success() {
            return Ok(format!("{}..HEAD", id.trim()));
        }
        // To git, a date alone is that day at the present time of day.
        let is_date = since.len() == 10 && since.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        Ok(if is_date { format!("--since={since}T00:00:00") } else { format!("--since={since}") })
    }

    /// The id of a revision's tree.
    pub(crate) fn tree(&self, revision: &str) -> Result<String, Error> {
        let tree = format!("{revision}^{{tree}}");
        let found = self.command(&["rev-parse", "--verify", "--quiet", "--end-of-options", &tree]).output();
        let found = found.map_err(|error| not_started(&error))?;
        if !found.status.success() {
            // Which of both it is, git says where it is asked for what is always there.
            self.run(&["rev-parse", "--git-dir"], Vec::new())?;
            return Err(Error::new(
                format!("git knows no revision `{revision}`"),
                "name a commit, branch or tag; in CI, fetch the branch that you compare with before",
            ));
        }
        Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }

    /// The last commit that two revisions have in common.
    pub(crate) fn merge_base(&self, one: &str, other: &str) -> Result<String, Error> {
        self.tree(one)?;
        self.tree(other)?;
        let found = self.command(&["merge-base", "--", one, other]).output().map_err(|error| not_started(&error))?;
        if !found.status.success() {
            return Err(Error::new(
                format!("`{one}` and `{other}` have no commit in common"),
                "in CI, fetch the whole history: with `actions/checkout`, `fetch-depth: 0`",
            ));
        }
        Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }

    /// The files below the folder at one of these paths (pathspecs) that git keeps or does not ignore, relative to the folder.
    pub(crate) fn present(&self, paths: &[&str]) -> Result<Vec<String>, Error> {
        let mut arguments = vec!["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--"];
        arguments.extend(paths);
        let output = self.run(&arguments, Vec::new())?;
        let mut files: Vec<String> =
            String::from_utf8_lossy(&output).split_terminator('\0').map(str::to_owned).collect();
        files.sort();
        Ok(files)
    }

    /// The files of each of these trees that are at one of these paths (pathspecs), by name.
    pub(crate) fn files(&self, trees: &[&str], paths: &[&str]) -> Result<Vec<Vec<File>>, Error> {
        let empty = self.run(&["hash-object", "-t", "tree", "--stdin"], Vec::new())?;
        let empty = String::from_utf8_lossy(&empty).trim().to_owned();
        // Pathspecs are for comparing; compared with nothing, all files are new.
        let input: String = trees.iter().map(|tree| format!("{empty} {tree}\n")).collect();
        let mut arguments = vec!["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--"];
        arguments.extend(paths);
        let output = self.run(&arguments, input.into_bytes())?;
        let mut files: Vec<Vec<File>> = Vec::with_capacity(trees.len());
        let mut rest = output.as_slice();
        while let Some(first) = rest.first() {
            // A line with both trees comes before the files of a tree: `:MODE MODE ID ID A`, NUL, path, NUL.
            if *first != b':' {
                (_, rest) = split(rest, b'\n');
                files.push(Vec::new());
                continue;
            }
            let (entry, after) = split(rest, 0);
            let (path, after) = split(after, 0);
            rest = after;
            let entry = String::from_utf8_lossy(entry);
            let mut fields = entry.split(' ').skip(1);
            let (Some(mode), Some(blob), Some(files)) = (fields.next(), fields.nth(1), files.last_mut()) else {
                continue;
            };
            // The commit of another repository is no file.
            if mode != "160000" {
                let path = String::from_utf8_lossy(path).into_owned();
                files.push(File { path, blob: blob.to_owned(), is_link: mode == "120000" });
            }
        }
        files.resize(trees.len(), Vec::new());
        Ok(files)
    }

    /// Starts a process that gives texts.
    pub(crate) fn blobs(&self) -> Result<Blobs, Error> {
        let mut command = self.command(&["cat-file", "--batch"]);
        let mut child =
            command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| not_started(&error))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Ok(Blobs { child, stdin, stdout })
    }
}

/// The bytes before the first `separator` and those after it.
fn split(bytes: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let at = memchr::memchr(separator, bytes).unwrap_or(bytes.len());
    let (before, after) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    (before, after.get(1..).unwrap_or_default())
}

fn not_started(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::new(
            "there is no program `git`",
            "install git, or compile the commits yourself and name the artifacts",
        );
    }
    Error::new(format!("git cannot be run: {}", error.to_string().to_lowercase()), "check that `git --version` works")
}

/// A process of git that gives texts.
pub(crate) struct Blobs {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Blobs {
    /// A text of at most `most` bytes; nothing where it is longer.
    pub(crate) fn read(&mut self, id: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let lost = |why: &str| {
            Error::new(format!("git cannot give the object `{id}`: {why}"), "check the repository: `git fsck`")
        };
        let (Some(stdin), Some(stdout)) = (&mut self.stdin, &mut self.stdout) else { return Err(lost("it has ended")) };
        let mut read = || {
            writeln!(stdin, "{id}")?;
            stdin.flush()?;
            let mut head = String::new();
            stdout.read_line(&mut head)?;
            // `ID blob SIZE`, or `ID missing`.
            let Some(size) = head.trim_end().split_once(" blob ").and_then(|(_, size)| size.parse::<u64>().ok()) else {
                return Err(io::Error::other(head.trim_end().to_owned()));
            };
            let mut text = stdout.by_ref().take(size);
            let mut bytes = Vec::new();
            let is_whole =
                if size <= most { text.read_to_end(&mut bytes)? as u64 } else { io::copy(&mut text, &mut io::sink())? }
                    == size;
            stdout.by_ref().take(1).read_to_end(&mut Vec::new())?;
            if is_whole { Ok((size <= most).then_some(bytes)) } else { Err(io::Error::other("it has ended")) }
        };
        read().map_err(|error| lost(&error.to_string()))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Without more to read, git ends.
        self.stdin = None;
        self.stdout = None;
        let _ = self.child.wait();
    }
}
