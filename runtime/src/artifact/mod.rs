//! The artifact: what the compiler writes and the runtime loads.
//!
//! A file is a header, a table of sections and the sections, each a `bincode` payload with a checksum ([`mod@format`]). Reading
//! checks every step; what it gives is verified ([`verify`]), so that a damaged or foreign file gives a clear error and
//! never a wrong answer or a crash.

pub mod format;
pub mod site;
mod sparse;
pub mod tables;
pub mod texts;
mod verify;

use std::sync::{Arc, OnceLock};

use crate::mapper::Section;
use crate::patterns::{Matcher, PatternSet};
use tpv_bytecode::ProgramData;

pub use format::{ArtifactError, FORMAT_VERSION, SectionInfo};
use tables::Tables;
use texts::Texts;

/// Compiled rules, ready to map with. Immutable, and shared by all threads.
pub struct Rules {
    tables: Tables,
    program: Arc<ProgramData>,
    texts: OnceLock<Texts>,
    matchers: [Matcher<Arc<PatternSet>>; 3],
}

impl Rules {
    /// The rules of these tables and this program.
    ///
    /// # Errors
    /// [`ArtifactError::Invalid`] where an index is out of range or code could misbehave.
    pub fn new(tables: Tables, program: ProgramData) -> Result<Self, ArtifactError> {
        verify::verify(&tables, &program)?;
        let matchers = [&tables.tools, &tables.roles, &tables.users].map(|table| Matcher::new(table.patterns.clone()));
        Ok(Self { tables, program: Arc::new(program), texts: OnceLock::new(), matchers })
    }

    /// Reads the bytes of an artifact.
    ///
    /// # Errors
    /// [`ArtifactError`] says what is wrong with them.
    pub fn load(bytes: &[u8]) -> Result<Self, ArtifactError> {
        let (tables, program) = format::read(bytes)?;
        Self::new(tables, program)
    }

    /// The bytes of the artifact. Equal rules give equal bytes.
    ///
    /// # Errors
    /// [`ArtifactError::Invalid`] where a table is too large to be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ArtifactError> {
        format::write(&self.tables, &self.program)
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The code.
    pub fn program(&self) -> &Arc<ProgramData> {
        &self.program
    }

    /// The texts of the code blocks.
    pub fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::of(&self.tables))
    }

    pub(crate) fn matcher(&self, section: Section) -> &Matcher<Arc<PatternSet>> {
        let [tools, roles, users] = &self.matchers;
        match section {
            Section::Tools => tools,
            Section::Roles => roles,
            Section::Users => users,
        }
    }
}
