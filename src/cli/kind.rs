//! The kind of a file, detected by its first bytes: for messages about a file that belongs to another verb.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tpv_python::modules::json::plain_end;

use tpv_text::decompress::Text;

/// The kinds of files that the verbs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Artifact,
    Jobs,
    World,
    JobConf,
    Config,
    /// A pipe, a file that does not exist, or one of another kind.
    Unknown,
}

/// The number of bytes read to detect a file's kind.
const HEAD: u64 = 64 << 10;
/// The fields of a world file.
const WORLD: [&str; 6] = ["jobs", "tool_data_tables", "config", "files", "queries", "now"];
/// The sections of a config.
const CONFIG: [&str; 6] = ["global", "tools", "roles", "users", "destinations", "pools"];

impl Kind {
    /// The kind of a file. Nothing is read from a pipe, since it could not be read again.
    pub(super) fn of(path: &Path) -> Self {
        if !path.is_file() {
            return Self::Unknown;
        }
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| {
            let mut text = Text::new(file);
            let is_compressed = text.is_compressed()?;
            text.take(HEAD).read_to_end(&mut head).map(|_| is_compressed)
        });
        match (read, Self::of_head(&head)) {
            (Ok(false), kind) => kind,
            // Nothing else is read compressed, and so it is nothing else.
            (Ok(true), Self::Jobs) => Self::Jobs,
            _ => Self::Unknown,
        }
    }

    fn of_head(head: &[u8]) -> Self {
        if head.starts_with(b"\x89TPVC") {
            return Self::Artifact;
        }
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') {
            let fields = fields(text);
            let has = |names: &[&str]| fields.iter().any(|field| names.contains(field));
            return match () {
                () if has(&["tool"]) => Self::Jobs,
                () if has(&WORLD) && !has(&["tools", "destinations"]) => Self::World,
                () if has(&CONFIG) => Self::Config,
                () => Self::Unknown,
            };
        }
        if text.starts_with('<') {
            return if text.contains("<job_conf") { Self::JobConf } else { Self::Unknown };
        }
        let sections = || text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name);
        match () {
            () if sections().any(|name| CONFIG.contains(&name)) => Self::Config,
            () if sections().any(|name| name == "execution" || name == "runners") => Self::JobConf,
            () => Self::Unknown,
        }
    }

    /// The name used in messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Artifact => "an artifact that `tpvc compile` wrote",
            Self::Jobs => "a job file",
            Self::World => "a world",
            Self::JobConf => "Galaxy's job configuration",
            Self::Config => "a TPV config",
            Self::Unknown => "a file",
        }
    }
}

/// The names of the fields of the JSON object that a text begins with, as far as it goes. A world's are long: strings are jumped over.
fn fields(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut fields, mut depth, mut last, mut at) = (Vec::new(), 0_usize, "", 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let start = at + 1;
                at = string_end(bytes, start);
                last = text.get(start..at).unwrap_or_default();
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => break,
            b'}' | b']' => depth -= 1,
            b':' if depth == 1 => fields.push(last),
            _ => {}
        }
        at += 1;
    }
    fields
}

/// The position of the quote that ends a string, or the end of the text.
fn string_end(text: &[u8], mut at: usize) -> usize {
    loop {
        at = plain_end(text, at);
        match text.get(at) {
            Some(b'"') | None => return at,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_beginning() {
        for (text, kind) in [
            ("\u{feff}\n{\"id\": \"{\\\"\", \"user\": {\"tool\": 1}, \"tool\": {\"id\"", Kind::Jobs),
            ("{\"jobs\": [{\"tool\": 1}]}", Kind::World),
            ("{\"id\": 1} {\"tool\": 1}", Kind::Unknown),
            ("{\"tools\": {}}", Kind::Config),
            ("# a config\n---\ntools:\n  a: {}\n", Kind::Config),
            ("runners:\n  local:\nexecution:\n  environments:\n", Kind::JobConf),
            ("<?xml version=\"1.0\"?>\n<job_conf>", Kind::JobConf),
            ("a: 1\n", Kind::Unknown),
            ("", Kind::Unknown),
        ] {
            assert_eq!(Kind::of_head(text.as_bytes()), kind, "{text}");
        }
        assert_eq!(Kind::of_head(b"\x89TPVC\r\n"), Kind::Artifact);
    }
}
