//! The binary form of an artifact.
//!
//! All numbers of the header are little-endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | magic `\x89TPVC\r\n\x1a`: a byte that is no text, and line ends that a transfer as text would change |
//! | 4 | format version |
//! | 4 | length of the header in bytes, from the magic to its checksum |
//! | 2 + n | length and text of the version of tpvc that wrote it |
//! | 4 | number of sections |
//! | 24 each | a section: 4 bytes name, 8 bytes offset, 8 bytes length, 4 bytes CRC-32 |
//! | 4 | CRC-32 of the header before it |
//!
//! The sections follow without gaps, in the order of the table, and end where the file ends.

use bincode::{Decode, Encode};

use tpv_bytecode::ProgramData;

use super::site::Site;
use super::tables::{EntityRow, EntityTable, GlobalRow, StringId, Tables};
use crate::error::Error;

/// The version of the format that this build writes and reads.
pub const FORMAT_VERSION: u32 = 10;

/// The version of tpvc that this is.
pub const TPVC_VERSION: &str = env!("CARGO_PKG_VERSION");

const MAGIC: &[u8; 8] = b"\x89TPVC\r\n\x1a";
const FIXED_HEADER: usize = 16;

/// A section's meaning and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// The name: four letters.
    pub name: String,
    /// Offset in the file, in bytes.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
    /// CRC-32 of the contents.
    pub checksum: u32,
}

/// The names of the sections and what they hold, in the order in which they are written.
pub const SECTIONS: &[(&str, &str)] = &[
    ("STRS", "interned strings: ids, names, texts"),
    ("TAGS", "scheduling tags, each a bit of the tag sets"),
    ("SRCS", "names of the config files"),
    ("SITE", "positions of the expressions in the config files"),
    ("GLOB", "`global`: default_inherits and context"),
    ("TOOL", "tools and the automaton of their patterns"),
    ("ROLE", "roles and the automaton of their patterns"),
    ("USER", "users and the automaton of their patterns"),
    ("DEST", "destinations, with the defaults of every destination"),
    ("CDST", "destinations as the config has them"),
    ("POOL", "resource pools"),
    ("RULE", "rules of all entities"),
    ("CODE", "compiled code blocks with their constants and names"),
];

/// Refuses to allocate more than this for one section, whatever its lengths say.
const LIMIT: usize = 1 << 30;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_variable_int_encoding().with_limit::<LIMIT>()
}

fn encode(name: &str, value: impl Encode) -> Result<Vec<u8>, Error> {
    bincode::encode_to_vec(value, config())
        .map_err(|error| Error::Invalid { section: name.to_owned(), reason: error.to_string() })
}

/// Writes an artifact.
pub(super) fn write(tables: &Tables, program: &ProgramData) -> Result<Vec<u8>, Error> {
    let mut sections = Vec::with_capacity(SECTIONS.len());
    for (name, _) in SECTIONS {
        let payload = match *name {
            "STRS" => encode(name, &tables.strings),
            "TAGS" => encode(name, &tables.tags),
            "SRCS" => encode(name, &tables.sources),
            "SITE" => encode(name, &tables.sites),
            "GLOB" => encode(name, &tables.global),
            "TOOL" => encode(name, &tables.tools),
            "ROLE" => encode(name, &tables.roles),
            "USER" => encode(name, &tables.users),
            "DEST" => encode(name, &tables.destinations),
            "CDST" => encode(name, &tables.configured_destinations),
            "POOL" => encode(name, &tables.pools),
            "RULE" => encode(name, &tables.rules),
            _ => encode(name, program),
        }?;
        sections.push((*name, payload));
    }
    let version = TPVC_VERSION.as_bytes();
    let header_length = FIXED_HEADER + 2 + version.len() + 4 + 24 * sections.len() + 4;
    let body: usize = sections.iter().map(|(_, payload)| payload.len()).sum();
    let mut bytes = Vec::with_capacity(header_length + body);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&length32(header_length)?.to_le_bytes());
    bytes.extend_from_slice(&u16::try_from(version.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend_from_slice(version);
    bytes.extend_from_slice(&length32(sections.len())?.to_le_bytes());
    let mut offset = header_length;
    for (name, payload) in &sections {
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&(offset as u64).to_le_bytes());
        bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
        offset += payload.len();
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    for (_, payload) in sections {
        bytes.extend_from_slice(&payload);
    }
    Ok(bytes)
}

fn length32(length: usize) -> Result<u32, Error> {
    u32::try_from(length)
        .map_err(|_| Error::Invalid { section: "header".to_owned(), reason: "it is too large".to_owned() })
}

/// A cursor over the header.
struct Header<'a>(&'a [u8]);

impl<'a> Header<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Error::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        self.take(N)?.try_into().map_err(|_| Error::Truncated)
    }

    fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn size(&mut self) -> Result<usize, Error> {
        usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|_| Error::Truncated)
    }
}

/// An artifact's description of itself.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Format version.
    pub version: u32,
    /// The version of tpvc that wrote it.
    pub writer: String,
    /// The sections.
    pub sections: Vec<SectionInfo>,
}

/// Reads and checks the header.
///
/// # Errors
/// [`Error`]
pub fn manifest(bytes: &[u8]) -> Result<Manifest, Error> {
    if bytes.is_empty() {
        return Err(Error::Empty);
    }
    let mut header = Header(bytes);
    let magic = header.take(MAGIC.len().min(bytes.len()))?;
    if !MAGIC.starts_with(magic) {
        return Err(Error::Foreign);
    }
    if magic.len() < MAGIC.len() {
        return Err(Error::Truncated);
    }
    let version = header.u32()?;
    let header_length = header.u32()? as usize;
    let writer = header.u16().and_then(|length| header.take(length.into()));
    let writer = writer.map(|text| String::from_utf8_lossy(text).into_owned());
    let checked = header_length.checked_sub(4).and_then(|end| bytes.split_at_checked(end));
    let agrees = checked.map(|(covered, rest)| {
        rest.first_chunk().is_some_and(|sum| u32::from_le_bytes(*sum) == crc32fast::hash(covered))
    });
    if version != FORMAT_VERSION {
        // Another format may have another header after the writer, but every version keeps this much and its checksum.
        let writer = writer.ok().filter(|_| agrees == Some(true));
        if writer.is_none() && agrees == Some(false) {
            return Err(Error::Damaged("header".to_owned()));
        }
        return Err(Error::OtherVersion { version, writer });
    }
    match agrees {
        Some(true) => {}
        Some(false) => return Err(Error::Damaged("header".to_owned())),
        None => return Err(Error::Truncated),
    }
    let writer = writer?;
    let count = header.u32()?;
    let mut sections = Vec::new();
    for _ in 0..count {
        let name = String::from_utf8_lossy(&header.array::<4>()?).into_owned();
        let (offset, length, checksum) = (header.size()?, header.size()?, header.u32()?);
        sections.push(SectionInfo { name, offset, length, checksum });
    }
    Ok(Manifest { version, writer, sections })
}

/// Reads an artifact. The tables are not verified yet.
pub(super) fn read(bytes: &[u8]) -> Result<(Tables, ProgramData), Error> {
    let manifest = manifest(bytes)?;
    let sections = Sections { bytes, manifest: &manifest };
    let end = manifest.sections.iter().map(|section| section.offset.saturating_add(section.length)).max();
    if end.is_some_and(|end| end < bytes.len()) {
        return Err(Error::Invalid {
            section: "header".to_owned(),
            reason: "the file goes on after its last section".to_owned(),
        });
    }
    let tables = Tables {
        strings: sections.decode::<Vec<String>>("STRS")?,
        tags: sections.decode::<Vec<StringId>>("TAGS")?,
        sources: sections.decode::<Vec<StringId>>("SRCS")?,
        sites: sections.decode::<Vec<Site>>("SITE")?,
        global: sections.decode::<GlobalRow>("GLOB")?,
        tools: sections.decode::<EntityTable>("TOOL")?,
        roles: sections.decode::<EntityTable>("ROLE")?,
        users: sections.decode::<EntityTable>("USER")?,
        destinations: sections.decode::<Vec<EntityRow>>("DEST")?,
        configured_destinations: sections.decode::<Vec<EntityRow>>("CDST")?,
        pools: sections.decode::<Vec<EntityRow>>("POOL")?,
        rules: sections.decode::<Vec<EntityRow>>("RULE")?,
    };
    Ok((tables, sections.decode::<ProgramData>("CODE")?))
}

struct Sections<'a> {
    bytes: &'a [u8],
    manifest: &'a Manifest,
}

impl Sections<'_> {
    fn decode<T: Decode<()>>(&self, name: &str) -> Result<T, Error> {
        let invalid = |reason: String| Error::Invalid { section: name.to_owned(), reason };
        let section = self.manifest.sections.iter().find(|section| section.name == name);
        let section = section.ok_or_else(|| invalid("it is missing".to_owned()))?;
        let end = section.offset.checked_add(section.length).ok_or(Error::Truncated)?;
        let payload = self.bytes.get(section.offset..end).ok_or(Error::Truncated)?;
        if crc32fast::hash(payload) != section.checksum {
            return Err(Error::Damaged(format!("section `{name}`")));
        }
        let (value, read) =
            bincode::decode_from_slice::<T, _>(payload, config()).map_err(|error| invalid(error.to_string()))?;
        if read != payload.len() {
            return Err(invalid("it is longer than what it holds".to_owned()));
        }
        Ok(value)
    }
}
