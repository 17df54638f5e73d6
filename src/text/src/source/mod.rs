//! Config files and URLs as text, and spans that point into that text.
//!
//! Every later stage speaks of places as [`Span`]s; [`SourceMap`] turns them into the line and column a person reads.

#[cfg(feature = "url")]
mod fetch;
mod filled;
mod limits;
#[cfg(feature = "url")]
mod redirect;
mod url;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::open::{open, stdin};
use crate::parallel;
#[cfg(feature = "url")]
pub use fetch::fetch;
pub use filled::{Fill, Filled, Part, Unfilled};
pub use limits::Limits;
pub use url::{is_url, redacted};

/// Refuses a URL: this build has no HTTP client.
///
/// # Errors
/// [`SourceError::NoUrls`], always.
#[cfg(not(feature = "url"))]
pub fn fetch(_: &str, _: &Limits) -> Result<Vec<u8>, SourceError> {
    Err(SourceError::NoUrls)
}

/// Names one text of a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A range of bytes in one source: where a value, a key or an error stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text the bytes belong to.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`, in bytes.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        // Sources are at most `Limits::bytes` long, which fits; a span past that can only be clamped.
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Self { source, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// From the start of this span to the end of `other` (which stands in the same source).
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start, end: other.end.max(self.start) }
    }

    /// The bytes as a range of `usize`.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place as a person reads it: both numbers count from 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// One config text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it, or the URL as it may be shown.
    pub name: Arc<str>,
    /// The text, without a byte order mark.
    pub text: Arc<str>,
    /// Byte offsets at which lines start.
    lines: Vec<u32>,
    /// The number of the first line: 1, but for excerpts.
    first_line: usize,
    /// The template that gave the text.
    template: Option<Arc<Template>>,
}

/// A template with the way back to it.
#[derive(Debug)]
struct Template {
    source: Source,
    filled: Filled,
}

impl Source {
    fn new(name: &str, text: &str, first_line: usize) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = vec![0];
        let breaks = text.bytes().zip(1u32..).filter(|&(byte, _)| byte == b'\n');
        lines.extend(breaks.map(|(_, next)| next));
        Self { name: redacted(name).into(), text: text.into(), lines, first_line, template: None }
    }

    /// The source that a person reads instead of this one: the template that produced the text, with the bytes there of
    /// a range of the text.
    pub fn written(&self, range: Range<usize>) -> (&Self, Range<usize>) {
        match &self.template {
            Some(template) => (&template.source, template.filled.range(&range)),
            None => (self, range),
        }
    }

    /// Returns `true` if the text is the output of a template.
    pub fn is_filled(&self) -> bool {
        self.template.is_some()
    }

    /// The line and column of a byte offset; if a template gave the text, those in the template.
    pub fn place(&self, offset: u32) -> Place {
        if let Some(template) = &self.template {
            let written = template.filled.range(&(offset as usize..offset as usize)).start;
            return template.source.place(u32::try_from(written).unwrap_or(u32::MAX));
        }
        let line = self.lines.partition_point(|&start| start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0) as usize;
        let column = self.text.get(start..offset as usize).map_or(0, |before| before.chars().count()) + 1;
        Place { line: line + self.first_line - 1, column }
    }

    /// The line that a byte is on, without its indentation and what follows it; of the template if one gave the text.
    pub fn line_of(&self, offset: u32) -> &str {
        let (source, range) = self.written(offset as usize..offset as usize);
        let start = source.line_start(source.place(u32::try_from(range.start).unwrap_or(u32::MAX)).line);
        source.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("").trim()
    }

    /// The byte offset at which a line (counted from 1) of this text starts; the end of the text if there is no such line.
    pub fn line_start(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(self.first_line)).map_or(self.text.len(), |&start| start as usize)
    }
}

/// All texts of one run, in load order.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
    fill: Option<Arc<dyn Fill>>,
    /// The folder that names are shown without.
    within: Option<Arc<Path>>,
}

impl SourceMap {
    /// A map without texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// A map without texts, which fills the templates in that it loads.
    pub fn filling(fill: Arc<dyn Fill>) -> Self {
        Self { fill: Some(fill), ..Self::default() }
    }

    /// The same map, which shows names below a folder without it.
    #[must_use]
    pub fn named_within(mut self, folder: &Path) -> Self {
        self.name_within(folder);
        self
    }

    /// Shows names below a folder without it, those of texts that are there already, too.
    pub fn name_within(&mut self, folder: &Path) {
        let names = self.sources.iter_mut().flat_map(|source| {
            // A template is not shared yet while it is loaded alone.
            let written = source.template.as_mut().and_then(Arc::get_mut).map(|template| &mut template.source.name);
            std::iter::once(&mut source.name).chain(written)
        });
        for name in names {
            if let Ok(inside) = Path::new(&**name).strip_prefix(folder) {
                *name = inside.to_string_lossy().into();
            }
        }
        self.within = Some(folder.into());
    }

    /// A name as it is shown.
    fn shown<'a>(&self, name: &'a str) -> std::borrow::Cow<'a, str> {
        let inside = self.within.as_ref().and_then(|folder| Path::new(name).strip_prefix(folder).ok());
        inside.map_or_else(|| name.into(), Path::to_string_lossy)
    }

    /// Adds a text under the name the user knows it by.
    pub fn add(&mut self, name: &str, text: &str) -> SourceId {
        self.add_excerpt(name, text, 1)
    }

    /// The id of the text that is added next.
    pub fn next_id(&self) -> SourceId {
        SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX))
    }

    /// Adds a text of another map.
    pub fn adopt(&mut self, source: Source) -> SourceId {
        let id = self.next_id();
        self.sources.push(source);
        id
    }

    /// Adds what is known of a text: some lines, of which the first has the number `first_line`, from 1.
    pub fn add_excerpt(&mut self, name: &str, text: &str, first_line: usize) -> SourceId {
        self.adopt(Source::new(&self.shown(name), text, first_line.max(1)))
    }

    /// Reads a path or an http/https URL, as TPV's `load_yaml_from_url_or_path` tells them apart, and adds its text.
    ///
    /// # Errors
    /// Everything that keeps the text from being read, in words for the user.
    pub fn load(&mut self, name: &str, limits: &Limits) -> Result<SourceId, SourceError> {
        let bytes = if is_url(name) { self.fetched(name, limits) } else { read_path(name, limits) };
        self.add_bytes(name, bytes?)
    }

    /// Reads paths and URLs as [`Self::load`] does, in order. URLs are fetched side by side, several at a time.
    pub fn load_all(&mut self, names: &[&str], limits: &Limits) -> Vec<Result<SourceId, SourceError>> {
        let urls: Vec<&str> = names.iter().copied().filter(|name| is_url(name)).collect();
        let fetched = parallel::map_on(MOST_TRANSFERS, &urls, |url| self.fetched(url, limits));
        let mut fetched = fetched.into_iter();
        let load = |name: &&str| {
            let fetched = if is_url(name) { fetched.next() } else { None };
            let bytes = fetched.unwrap_or_else(|| read_path(name, limits))?;
            self.add_bytes(name, bytes)
        };
        names.iter().map(load).collect()
    }

    /// The bytes that a URL gives, or those that are read in their place.
    fn fetched(&self, url: &str, limits: &Limits) -> Result<Vec<u8>, SourceError> {
        let instead = self.fill.as_ref().and_then(|fill| fill.in_place_of(url, limits));
        instead.unwrap_or_else(|| fetch(url, limits))
    }

    fn add_bytes(&mut self, name: &str, bytes: Vec<u8>) -> Result<SourceId, SourceError> {
        let name = if name == STDIN { "<stdin>" } else { name };
        match String::from_utf8(bytes) {
            Ok(text) => self.add_or_fill(name, &text),
            Err(error) => Err(not_utf8(error.as_bytes(), error.utf8_error().valid_up_to())),
        }
    }

    /// Adds a text, or what it gives if it is a template.
    ///
    /// # Errors
    /// A template that gives nothing.
    pub fn add_or_fill(&mut self, name: &str, text: &str) -> Result<SourceId, SourceError> {
        match self.fill.as_ref().and_then(|fill| fill.fill(name, text)) {
            None => Ok(self.add(name, text)),
            Some(Ok(filled)) => Ok(self.add_filled(name, text, filled)),
            Some(Err(unfilled)) => Err(SourceError::Template(self.add(name, text), unfilled)),
        }
    }

    /// Adds what a template gave.
    fn add_filled(&mut self, name: &str, template: &str, filled: Filled) -> SourceId {
        let name = self.shown(name);
        let mut source = Source::new(&name, &filled.text, 1);
        source.template = Some(Arc::new(Template { source: Source::new(&name, template, 1), filled }));
        self.adopt(source)
    }

    /// Adds a part of a text as a text of its own. `None` if a template gave the text.
    pub fn add_part(&mut self, id: SourceId, part: Range<usize>) -> Option<SourceId> {
        let whole = self.get(id).filter(|source| !source.is_filled())?.clone();
        let text = whole.text.get(part.clone())?.to_owned();
        let parts = vec![Part { filled: 0..text.len(), written: part, is_verbatim: true }];
        let mut source = Source::new(&whole.name, &text, 1);
        source.template = Some(Arc::new(Template { source: whole, filled: Filled { text, parts } }));
        Some(self.adopt(source))
    }

    /// The text with this id.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// All texts, in load order.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        (0..).map(SourceId).zip(&self.sources)
    }

    /// The characters a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).and_then(|source| source.text.get(span.range())).unwrap_or("")
    }

    /// The start of a span.
    pub fn place(&self, span: Span) -> Place {
        self.get(span.source).map_or(Place { line: 1, column: 1 }, |source| source.place(span.start))
    }

    /// `name:line:column` of where a span starts.
    pub fn locate(&self, span: Span) -> String {
        let place = self.place(span);
        let name = self.get(span.source).map_or("", |source| &source.name);
        format!("{name}:{}:{}", place.line, place.column)
    }
}

/// The error of reading a config text.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// The file could not be opened or read.
    File(std::io::Error),
    /// The path names a directory.
    Directory,
    /// The text is longer than the limit, in bytes.
    TooBig(u64),
    /// The bytes are UTF-16.
    Utf16,
    /// The bytes are not UTF-8.
    NotUtf8 {
        /// The first byte that is not part of a character.
        byte: u8,
        /// The number of its line, from 1.
        line: usize,
        /// That line, with marks for what is not UTF-8.
        excerpt: String,
        /// The byte's position in the excerpt.
        at: usize,
    },
    /// The server refused the connection.
    Refused,
    /// The server's name is not known.
    UnknownHost,
    /// No answer within the time limit, in seconds.
    Timeout(u64),
    /// The server answered with a status that is not a success.
    Status(u16),
    /// A redirect that is not followed, in words for the user.
    Redirect(String),
    /// The file that is read in place of a URL cannot be read.
    Copy(PathBuf, Box<SourceError>),
    /// The text that a lock names cannot be had, in words for the user.
    Locked {
        /// The message.
        message: String,
        /// The remedy.
        help: String,
    },
    /// The text is a template, which was added, and gives nothing.
    Template(SourceId, Box<Unfilled>),
    /// The crate was built without its feature `url`.
    NoUrls,
    /// Any other failure of the transfer, in the words of the HTTP client.
    Transfer(String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) if error.kind() == std::io::ErrorKind::NotFound => write!(f, "no such file"),
            Self::File(error) => write!(f, "{}", error.to_string().to_lowercase()),
            Self::Directory => write!(f, "is a directory"),
            Self::TooBig(limit) => write!(f, "is larger than {} MiB", limit >> 20),
            Self::Utf16 => write!(f, "is UTF-16 text, not UTF-8"),
            Self::NotUtf8 { byte, line, .. } => {
                write!(f, "is not UTF-8 text: the byte 0x{byte:02X} in line {line} isn't part of a character")
            }
            Self::Refused => write!(f, "the server refused the connection"),
            Self::UnknownHost => write!(f, "the host is not known"),
            Self::Timeout(seconds) => write!(f, "no complete answer within {seconds} s"),
            Self::Status(206) => write!(f, "the server answered with status 206, a part of the text"),
            Self::Status(status) => write!(f, "the server answered with status {status}"),
            Self::Copy(path, error) => write!(f, "its copy `{}`: {error}", path.display()),
            Self::NoUrls => write!(f, "this program was built without reading URLs"),
            Self::Template(_, unfilled) => write!(f, "{}", unfilled.message),
            Self::Redirect(message) | Self::Transfer(message) | Self::Locked { message, .. } => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl SourceError {
    /// The remedy.
    pub fn help(&self) -> &str {
        match self {
            Self::Template(_, unfilled) => &unfilled.help,
            Self::Locked { help, .. } => help,
            Self::File(error) => match error.kind() {
                std::io::ErrorKind::NotFound => "check the path; relative paths start in the current folder",
                std::io::ErrorKind::PermissionDenied => "check the owner and the mode of the file and its folder",
                std::io::ErrorKind::InvalidInput | std::io::ErrorKind::TimedOut => "name a file; `-` is stdin",
                _ => "check the path",
            },
            Self::Copy(..) => "check the path under `[remotes]` in tpvc.toml",
            Self::NoUrls => "save the file and name its path",
            Self::Directory => "name the files in it",
            Self::TooBig(_) => "check that this is a config",
            Self::Utf16 | Self::NotUtf8 { .. } => "save it as UTF-8, and check that this is a config",
            Self::Redirect(_) => "name the address of the config itself, or save the file and name its path",
            Self::Refused | Self::UnknownHost | Self::Timeout(_) | Self::Status(_) | Self::Transfer(_) => {
                "check the address and the network; without a network, give tpvc.toml a copy: under `[remotes]`, the line `\"URL\" = \"PATH\"`"
            }
        }
    }
}

/// The error for bytes that are not UTF-8 at `offset`.
fn not_utf8(bytes: &[u8], offset: usize) -> SourceError {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return SourceError::Utf16;
    }
    let (before, rest) = bytes.split_at(offset.min(bytes.len()));
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let mut excerpt = String::from_utf8_lossy(before.get(start..).unwrap_or(&[])).into_owned();
    let at = excerpt.len();
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()).min(EXCERPT);
    excerpt += &String::from_utf8_lossy(rest.get(..end).unwrap_or(&[]));
    SourceError::NotUtf8 { byte: rest.first().copied().unwrap_or(0), line, excerpt, at }
}

/// The number of bytes of a line shown after one that is not UTF-8.
const EXCERPT: usize = 80;

/// The name of stdin.
const STDIN: &str = "-";
/// The most URLs that are fetched at a time.
const MOST_TRANSFERS: usize = 8;

/// The bytes of a file; `-` is stdin.
///
/// # Errors
/// It cannot be read, or is too big.
pub fn read_path(name: &str, limits: &Limits) -> Result<Vec<u8>, SourceError> {
    if name == STDIN {
        let read = read_limited(stdin().lock(), limits.bytes).map_err(SourceError::File)?;
        return read.ok_or(SourceError::TooBig(limits.bytes));
    }
    // Read through a limit, since the size a pipe or a growing file reports says nothing.
    let file = open(Path::new(name)).map_err(|error| match error.kind() {
        std::io::ErrorKind::IsADirectory => SourceError::Directory,
        _ => SourceError::File(error),
    })?;
    read_limited(file, limits.bytes).map_err(SourceError::File)?.ok_or(SourceError::TooBig(limits.bytes))
}

/// All bytes of `reader`, or `None` if there are more than `limit`.
pub fn read_limited(reader: impl std::io::Read, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(reader, limit.saturating_add(1)), &mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let mut sources = SourceMap::new();
        let id = sources.add("a.yml", "\u{feff}é: 1\r\nb: ü x\n");
        let text = sources.get(id).unwrap().text.clone();
        let at = text.find('x').unwrap();
        assert_eq!(sources.locate(Span::new(id, at, at + 1)), "a.yml:2:6");
        assert_eq!(sources.locate(Span::new(id, 0, 1)), "a.yml:1:1");
        assert_eq!(sources.locate(Span::new(id, text.len(), text.len())), "a.yml:3:1");
    }

    #[test]
    fn unreadable_files_say_why() {
        let folder = tempfile::tempdir().unwrap();
        let mut sources = SourceMap::new();
        let mut load = |path: &Path, limits: &Limits| match sources.load(path.to_str().unwrap(), limits) {
            Ok(_) => "read".to_owned(),
            Err(error) => error.to_string(),
        };
        let file = folder.path().join("a.yml");
        assert_eq!(load(&file, &Limits::default()), "no such file");
        assert_eq!(load(folder.path(), &Limits::default()), "is a directory");
        std::fs::write(&file, b"a: \xff").unwrap();
        assert_eq!(
            load(&file, &Limits::default()),
            "is not UTF-8 text: the byte 0xFF in line 1 isn't part of a character"
        );
        std::fs::write(&file, vec![b' '; (1 << 20) + 1]).unwrap();
        assert_eq!(load(&file, &Limits { bytes: 1 << 20, ..Limits::default() }), "is larger than 1 MiB");
        assert_eq!(load(&file, &Limits::default()), "read");
    }
}
