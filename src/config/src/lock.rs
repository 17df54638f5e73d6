//! `tpvc.lock`: the texts that URLs gave, by their digests, and the cache that holds them. docs/lock.md has the form.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tpv_text::diagnostic::{Diagnostic, Problem};
use tpv_text::source::{Limits, SourceError, SourceMap, Span, fetch, is_url, read_path, redacted};

/// The name of the file.
pub const FILE: &str = "tpvc.lock";
/// The cache, unless the settings name another.
pub const CACHE: &str = ".tpvc/remote";
/// The version of the form.
const FORMAT: u64 = 1;

/// The text that a URL gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The digest: 64 lowercase hexadecimal digits.
    pub sha256: String,
    /// The number of bytes.
    pub bytes: u64,
    /// The time at which it was first fetched, ISO 8601 in UTC.
    pub fetched: String,
}

impl Entry {
    /// The entry of a text that was fetched at this time.
    pub fn of(bytes: &[u8], fetched: String) -> Self {
        Self { sha256: digest(bytes), bytes: bytes.len() as u64, fetched }
    }

    /// The name of the text in the cache.
    pub fn file_name(&self) -> String {
        format!("{}.yml", self.sha256)
    }

    /// The day on which it was first fetched.
    pub fn day(&self) -> &str {
        self.fetched.split('T').next().unwrap_or_default()
    }
}

/// The locked texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// The file.
    pub path: PathBuf,
    /// The folder of the texts, from that of the lock.
    pub cache: PathBuf,
    /// The entries by URL without secrets.
    pub entries: BTreeMap<String, Entry>,
    /// The path in messages.
    shown: PathBuf,
    /// Further folders of texts.
    further: Vec<PathBuf>,
    /// Texts that are in no folder yet, by digest.
    fresh: BTreeMap<String, Arc<[u8]>>,
}

/// The source of a locked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The cache.
    Cached,
    /// The URL, because the cache lacks it.
    Fetched,
}

impl Lock {
    /// A lock without entries.
    pub fn new(path: &Path, cache: &Path) -> Self {
        Self { path: path.to_owned(), shown: path.to_owned(), cache: cache.to_owned(), ..Self::default() }
    }

    /// The lock of a file. `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is no lock.
    pub fn read(path: &Path) -> Result<Option<Self>, Problem> {
        if !path.is_symlink() && !path.exists() {
            return Ok(None);
        }
        let (mut sources, name) = (SourceMap::new(), path.to_string_lossy());
        let id = sources.load(&name, &Limits::default()).map_err(|error| {
            Problem::from(Diagnostic::error(format!("`{name}` cannot be read: {error}")).help(error.help()))
        })?;
        let text = sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
        let wrong = |message: &str, at: (usize, usize)| {
            let help = "restore it from git, or remove it and run `tpvc update`; docs/lock.md has its form";
            let diagnostic = Diagnostic::error(format!("this is not a lock of tpvc: {message}"));
            Problem::new(diagnostic.at(Span::new(id, at.0, at.1), "").help(help), sources.clone())
        };
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            let line = sources.get(id).map_or(0, |source| source.line_start(error.line()));
            let start = (line + error.column().saturating_sub(1)).min(text.len());
            wrong("it is not JSON", (start, start))
        })?;
        let place = |of: &str| text.find(&*json(of)).map_or((0, 0), |start| (start, start + json(of).len()));
        match value.get("tpvc").and_then(Value::as_u64) {
            Some(FORMAT) => {}
            Some(_) => return Err(wrong("another version of tpvc wrote it", place("tpvc"))),
            None => return Err(wrong("`tpvc` is missing", (0, 0))),
        }
        let mut lock = Self::new(path, Path::new(value.get("cache").and_then(Value::as_str).unwrap_or(CACHE)));
        let remotes = value.get("remotes").and_then(Value::as_array);
        for remote in remotes.ok_or_else(|| wrong("`remotes` is no list", place("remotes")))? {
            let url = remote.get("url").and_then(Value::as_str).filter(|url| is_url(url));
            let url = url.ok_or_else(|| wrong("an entry has no `url`", place("remotes")))?;
            let sha256 = remote.get("sha256").and_then(Value::as_str).filter(|digest| is_digest(digest));
            let entry = Entry {
                sha256: sha256
                    .ok_or_else(|| wrong("`sha256` is no digest of 64 hexadecimal digits", place(url)))?
                    .to_owned(),
                bytes: remote.get("bytes").and_then(Value::as_u64).unwrap_or(0),
                fetched: remote.get("fetched").and_then(Value::as_str).unwrap_or_default().to_owned(),
            };
            if lock.entries.insert(redacted(url).into_owned(), entry).is_some() {
                return Err(wrong("the URL has two entries", place(url)));
            }
        }
        Ok(Some(lock))
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut out =
            format!("{{\n  \"tpvc\": {FORMAT},\n  \"cache\": {},\n  \"remotes\": [", json(&slashed(&self.cache)));
        for (number, (url, entry)) in self.entries.iter().enumerate() {
            let Entry { sha256, bytes, fetched } = entry;
            let comma = if number == 0 { "" } else { "," };
            let fields = [
                ("url", json(url)),
                ("sha256", json(sha256)),
                ("bytes", bytes.to_string()),
                ("fetched", json(fetched)),
            ];
            let fields = fields.map(|(name, value)| format!("\n      \"{name}\": {value}")).join(",");
            let _ = write!(out, "{comma}\n    {{{fields}\n    }}");
        }
        out.push_str(if self.entries.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" });
        out
    }

    /// The folder of the texts.
    pub fn folder(&self) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(&self.cache)
    }

    /// The same lock, which shows another path in messages and looks into another lock's cache, too.
    #[must_use]
    pub fn beside(mut self, shown: &Path, present: Option<&Self>) -> Self {
        self.shown = shown.to_owned();
        self.further.extend(present.map(Self::folder));
        self
    }

    /// Locks a URL to a text that is in no cache yet.
    pub fn insert(&mut self, url: &str, entry: Entry, bytes: Arc<[u8]>) {
        self.fresh.insert(entry.sha256.clone(), bytes);
        self.entries.insert(redacted(url).into_owned(), entry);
    }

    /// The entry of a URL.
    pub fn entry(&self, url: &str) -> Option<&Entry> {
        self.entries.get(&*redacted(url))
    }

    /// The path in messages.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// The text of an entry from the caches. `None` if they lack it.
    ///
    /// # Errors
    /// The file in the cache cannot be read, or is another text.
    pub fn cached(&self, entry: &Entry, limits: &Limits) -> Result<Option<Vec<u8>>, SourceError> {
        if let Some(bytes) = self.fresh.get(&entry.sha256) {
            return Ok(Some(bytes.to_vec()));
        }
        let own = self.folder();
        for folder in std::iter::once(&own).chain(&self.further) {
            let path = folder.join(entry.file_name());
            let bytes = match read_path(&path.to_string_lossy(), limits) {
                Ok(bytes) => bytes,
                Err(SourceError::File(error)) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(SourceError::Copy(path, Box::new(error))),
            };
            let found = digest(&bytes);
            if found == entry.sha256 {
                return Ok(Some(bytes));
            }
            // The own cache has the name that the lock gives it.
            let named = if *folder == own { self.cache.join(entry.file_name()) } else { path };
            let message = format!(
                "the text in the cache was changed: `{}` has the digest {found}, and `{}` locks {}",
                named.display(),
                self.shown.display(),
                entry.sha256,
            );
            let help = "restore the file from git, or remove it, so that it is fetched again".to_owned();
            return Err(SourceError::Locked { message, help });
        }
        Ok(None)
    }

    /// The locked text of a URL. `None` if it is not locked.
    ///
    /// # Errors
    /// The cache is damaged; or it lacks the text, and the URL does not give it.
    pub fn of_url(&self, url: &str, limits: &Limits) -> Option<Result<(Vec<u8>, Found), SourceError>> {
        let entry = self.entry(url)?;
        Some(self.cached(entry, limits).and_then(|cached| match cached {
            Some(bytes) => Ok((bytes, Found::Cached)),
            None => self.again(url, entry, limits).map(|bytes| (bytes, Found::Fetched)),
        }))
    }

    /// Fetches a text that the cache lacks.
    fn again(&self, url: &str, entry: &Entry, limits: &Limits) -> Result<Vec<u8>, SourceError> {
        let (lock, cache) = (self.shown.display(), self.cache.display());
        let locked = |message: String| {
            let help = format!(
                "put the text into the cache (the repository carries `{cache}`), or lock what the URL gives now: `tpvc update`"
            );
            SourceError::Locked { message, help }
        };
        let lacking = format!("`{lock}` locks the text {}, which the cache `{cache}` lacks", entry.sha256);
        let bytes = fetch(url, limits).map_err(|error| locked(format!("{error}; {lacking}")))?;
        let found = digest(&bytes);
        match found == entry.sha256 {
            true => Ok(bytes),
            false => Err(locked(format!("the URL gives another text now, {found}; {lacking}"))),
        }
    }
}

/// The digest of a text.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn json(text: &str) -> String {
    Value::from(text).to_string()
}

/// A path with `/` on every system.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    fn read(text: &str) -> Result<Lock, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, text).unwrap();
        Lock::read(&path).map(Option::unwrap).map_err(|problem| {
            let place = problem.sources.place(problem.diagnostic.primary.as_ref().unwrap().span);
            format!("{}:{}: {}", place.line, place.column, problem.diagnostic.message)
        })
    }

    #[test]
    fn a_lock_is_written_as_it_is_read() {
        let mut lock = Lock::new(Path::new(FILE), Path::new(CACHE));
        assert_eq!(read(&lock.text()).unwrap().text(), lock.text());
        for (url, bytes) in [("https://u:p@a/b.yml?token=t", "tools: {}\n"), ("http://a/\"\u{1b}", "")] {
            lock.insert(url, Entry::of(bytes.as_bytes(), "2026-11-27T15:20:00Z".to_owned()), bytes.as_bytes().into());
        }
        assert!(!lock.text().contains("u:p") && !lock.text().contains("=t"));
        let again = read(&lock.text()).unwrap();
        assert_eq!((again.entries, again.cache), (lock.entries.clone(), lock.cache.clone()));
        assert_eq!(lock.entry("https://other:key@a/b.yml?token=u").unwrap().day(), "2026-11-27");
    }

    #[test]
    fn other_texts_are_refused_at_their_place() {
        let entry = |fields: &str| format!("{{\"tpvc\": 1,\n \"remotes\": [{{{fields}}}]}}");
        let sha = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let twice =
            format!("\"url\": \"http://a\", \"sha256\": \"{sha}\"}}, {{\"url\": \"http://a\", \"sha256\": \"{sha}\"");
        for (text, expected) in [
            ("", "1:1: this is not a lock of tpvc: it is not JSON"),
            ("{\"tpvc\": 1,\n<<<<<<< HEAD\n", "2:1: this is not a lock of tpvc: it is not JSON"),
            ("[]", "1:1: this is not a lock of tpvc: `tpvc` is missing"),
            ("{\"tpvc\": 2}", "1:2: this is not a lock of tpvc: another version of tpvc wrote it"),
            ("{\"tpvc\": 1}", "1:1: this is not a lock of tpvc: `remotes` is no list"),
            (&entry("\"url\": \"a.yml\""), "2:2: this is not a lock of tpvc: an entry has no `url`"),
            (
                &entry("\"url\": \"http://a\", \"sha256\": \"../../etc/passwd\""),
                "2:22: this is not a lock of tpvc: `sha256` is no digest of 64 hexadecimal digits",
            ),
            (&entry(&twice), "2:22: this is not a lock of tpvc: the URL has two entries"),
        ] {
            assert_eq!(read(text).unwrap_err(), expected, "{text}");
        }
        assert!(Lock::read(Path::new("/no/such/folder/tpvc.lock")).unwrap().is_none());
    }

    #[test]
    fn a_cached_text_has_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let mut lock = Lock::new(&folder.path().join(FILE), Path::new("texts"));
        let entry = Entry::of(b"tools: {}\n", String::new());
        lock.entries.insert("http://127.0.0.1:1/a.yml".to_owned(), entry.clone());
        let read = |lock: &Lock| {
            let found = lock.of_url("http://127.0.0.1:1/a.yml", &Limits::default()).unwrap();
            found.map(|(bytes, _)| String::from_utf8(bytes).unwrap()).map_err(|error| error.to_string())
        };
        let error = read(&lock).unwrap_err();
        assert!(error.contains(&entry.sha256) && error.contains("which the cache `texts` lacks"), "{error}");
        std::fs::create_dir(lock.folder()).unwrap();
        std::fs::write(lock.folder().join(entry.file_name()), "tools: {}\n").unwrap();
        assert_eq!(read(&lock).unwrap(), "tools: {}\n");
        std::fs::write(lock.folder().join(entry.file_name()), "tools: {a: {}}\n").unwrap();
        let error = read(&lock).unwrap_err();
        assert!(error.contains(&digest(b"tools: {a: {}}\n")) && error.contains(&entry.sha256), "{error}");
        assert!(lock.of_url("http://127.0.0.1:1/b.yml", &Limits::default()).is_none());
    }
}
